/* Processes: sections in any order, then transitions. */
#include "frontend/dve/parse/dve_parser.h"

#define STATE "the name of a state"

/* ---- sections ------------------------------------------------------------------------------------ */

static void parse_initial(struct dve_parser *p, struct dve_process *out) {
  const source_at at = p->token.begin;
  dve_advance(p);
  const struct dve_name name = dve_parse_name(p, STATE);
  if (dve_sees(p, DVE_TOKEN_COMMA))
    DVE_ERROR(p, p->token.begin, NULL, "a process has one initial state");
  if (out->initial.text)
    DVE_ERROR(p, at, NULL, "process '%s' has an initial state already", out->name.text);
  if (!p->panic)
    out->initial = name;
}

static struct dve_names *new_set(struct dve_parser *p, struct dve_acceptance *acceptance) {
  struct dve_names *set = ARENA_PUSH(p->arena, acceptance->sets, acceptance->n, acceptance->cap);
  *set = (struct dve_names){0};
  return set;
}

static void parse_sets(struct dve_parser *p, struct dve_acceptance *acceptance) {
  do {
    struct dve_names *set = new_set(p, acceptance);
    dve_expect(p, DVE_TOKEN_OPEN);
    if (!dve_sees(p, DVE_TOKEN_CLOSE))
      dve_parse_names(p, STATE, set);
    dve_expect(p, DVE_TOKEN_CLOSE);
  } while (dve_accept(p, DVE_TOKEN_COMMA));
}

static bool accept_word(struct dve_parser *p, const char *word) {
  if (!dve_sees(p, DVE_TOKEN_NAME) || !dve_token_is(p->source, &p->token, word))
    return false;
  const struct dve_token next = dve_lex(p->source, p->token.end);
  if (next.kind == DVE_TOKEN_COMMA || next.kind == DVE_TOKEN_SEMICOLON) /* a state of this name */
    return false;
  dve_advance(p);
  return true;
}

/* Pairs of sets have a ';' within their brackets. */
static void skip_pairs(struct dve_parser *p) {
  for (unsigned open = 0; p->token.kind != DVE_TOKEN_END && p->token.kind != DVE_TOKEN_CLOSE_BLOCK &&
                          (open || p->token.kind != DVE_TOKEN_SEMICOLON);
       dve_advance(p)) {
    open += p->token.kind == DVE_TOKEN_OPEN;
    open -= p->token.kind == DVE_TOKEN_CLOSE && open;
  }
}

static void parse_acceptance(struct dve_parser *p, struct dve_process *out) {
  static const char *const others[] = {"muller", "rabin", "streett"};
  struct dve_acceptance *acceptance = &out->acceptance;
  const source_at at = p->token.begin;
  dve_advance(p);
  if (acceptance->at != NOWHERE)
    DVE_ERROR(p, at, "list all accepting states once", "process '%s' has accepting states already", out->name.text);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const source_at word = p->token.begin;
    if (!accept_word(p, others[i]))
      continue;
    skip_pairs(p);
    DVE_ERROR(p, word, "write the automaton with 'accept buchi' or 'accept genbuchi'",
              "acceptance '%s' is not supported", others[i]);
  }
  acceptance->at = at;
  if (accept_word(p, "genbuchi"))
    parse_sets(p, acceptance);
  else {
    accept_word(p, "buchi");
    dve_parse_names(p, STATE, new_set(p, acceptance));
  }
}

static void parse_assertions(struct dve_parser *p, struct dve_process *out) {
  do {
    struct dve_assertion assertion = {.state = dve_parse_name(p, STATE)};
    dve_expect(p, DVE_TOKEN_COLON);
    assertion.expr = dve_parse_expression(p);
    if (!p->panic)
      *ARENA_PUSH(p->arena, out->assertions, out->assertion_count, out->assertion_cap) = assertion;
  } while (dve_accept(p, DVE_TOKEN_COMMA));
}

/* ---- transitions --------------------------------------------------------------------------------- */

static void parse_guards(struct dve_parser *p, struct dve_transition *t) {
  do {
    const struct dve_expr *guard = dve_parse_expression(p);
    *DVE_PUSH(p, &t->guards) = guard;
  } while (dve_accept(p, DVE_TOKEN_COMMA));
  if (dve_sees(p, DVE_TOKEN_ASSIGN))
    dve_expected(p, "an operator or ';'", "to compare, write '=='");
  else
    dve_expect(p, DVE_TOKEN_SEMICOLON);
}

static const struct dve_expr *parse_field(struct dve_parser *p, bool sends) {
  return sends ? dve_parse_expression(p) : dve_parse_variable(p, "the variable that receives");
}

static void parse_fields(struct dve_parser *p, struct dve_sync *sync) {
  const bool braces = dve_accept(p, DVE_TOKEN_OPEN_BLOCK);
  if (!braces && dve_sees(p, DVE_TOKEN_SEMICOLON))
    return;
  do {
    const struct dve_expr *field = parse_field(p, sync->sends);
    *DVE_PUSH(p, &sync->values) = field;
  } while (braces && dve_accept(p, DVE_TOKEN_COMMA));
  if (braces)
    dve_expect(p, DVE_TOKEN_CLOSE_BLOCK);
}

static void parse_sync(struct dve_parser *p, struct dve_transition *t) {
  struct dve_sync *sync = arena_alloc(p->arena, sizeof *sync);
  sync->start = p->token.begin;
  sync->channel = dve_parse_name(p, "the name of a channel");
  if (dve_accept(p, DVE_TOKEN_ARROW)) {
    sync->process = sync->channel;
    sync->channel = dve_parse_name(p, "the name of a channel");
  }
  sync->at = p->token.begin;
  sync->sends = dve_accept(p, DVE_TOKEN_SEND);
  if (!sync->sends && !dve_accept(p, DVE_TOKEN_RECEIVE))
    dve_expected(p, "'!' or '?'", "CHANNEL!VALUE sends, CHANNEL?VARIABLE receives");
  parse_fields(p, sync);
  sync->end = p->last_end;
  dve_expect(p, DVE_TOKEN_SEMICOLON);
  t->sync = sync;
}

static const char *assignment_hint(const struct dve_parser *p) {
  if (dve_sees(p, DVE_TOKEN_PLUS) || dve_sees(p, DVE_TOKEN_MINUS))
    return "to count, write x = x + 1";
  return dve_sees(p, DVE_TOKEN_EQ) ? "an assignment is written with '='" : NULL;
}

static void parse_effects(struct dve_parser *p, struct dve_transition *t) {
  do {
    struct dve_effect effect = {.target = dve_parse_variable(p, "the variable that is assigned")};
    effect.at = p->token.begin;
    if (!dve_accept(p, DVE_TOKEN_ASSIGN))
      dve_expected(p, "'='", assignment_hint(p));
    effect.value = dve_parse_expression(p);
    *ARENA_PUSH(p->arena, t->effects, t->effect_count, t->effect_cap) = effect;
  } while (dve_accept(p, DVE_TOKEN_COMMA));
  dve_expect(p, DVE_TOKEN_SEMICOLON);
}

static void parse_body(struct dve_parser *p, struct dve_transition *t) {
  dve_expect(p, DVE_TOKEN_OPEN_BLOCK);
  if (dve_accept(p, DVE_TOKEN_GUARD))
    parse_guards(p, t);
  if (dve_accept(p, DVE_TOKEN_SYNC))
    parse_sync(p, t);
  if (dve_accept(p, DVE_TOKEN_EFFECT))
    parse_effects(p, t);
  if (!dve_accept(p, DVE_TOKEN_CLOSE_BLOCK))
    dve_expected(p, "'guard', 'sync', 'effect' or '}'", "a transition has a guard, a sync and effects, in this order");
}

/* `from`: the state that the transition before it leaves, for one that begins with '->'. */
static void parse_transition(struct dve_parser *p, struct dve_name *from, struct dve_process *out) {
  struct dve_transition t = {.at = p->token.begin};
  if (dve_sees(p, DVE_TOKEN_NAME))
    *from = dve_parse_name(p, STATE);
  else if (!dve_sees(p, DVE_TOKEN_ARROW) || !from->text)
    dve_expected(p, "the state that a transition leaves", NULL);
  t.from = *from;
  if (dve_sees(p, DVE_TOKEN_WIDE_ARROW))
    DVE_ERROR(p, p->token.begin, "write a transition with '->' for each outcome",
              "probabilistic transitions are not supported");
  dve_expect(p, DVE_TOKEN_ARROW);
  t.to = dve_parse_name(p, STATE);
  parse_body(p, &t);
  if (!p->panic)
    *DVE_PUSH(p, &out->transitions) = t;
}

static bool transition_follows(const struct dve_parser *p) {
  return p->token.kind == DVE_TOKEN_NAME || p->token.kind == DVE_TOKEN_ARROW;
}

/* A comma between two transitions may be missing, and the last semicolon. */
static void parse_transitions(struct dve_parser *p, struct dve_process *out) {
  const unsigned blocks = p->blocks;
  struct dve_name from = {NULL, NOWHERE};
  do {
    parse_transition(p, &from, out);
    dve_recover(p, blocks);
  } while (dve_accept(p, DVE_TOKEN_COMMA) || transition_follows(p));
  if (!dve_accept(p, DVE_TOKEN_SEMICOLON) && !dve_sees(p, DVE_TOKEN_CLOSE_BLOCK)) {
    dve_expected(p, "',' or ';'", NULL);
    dve_recover(p, blocks);
    dve_accept(p, DVE_TOKEN_SEMICOLON);
  }
}

/* ---- processes ----------------------------------------------------------------------------------- */

static bool parse_section(struct dve_parser *p, struct dve_process *out) {
  const unsigned blocks = p->blocks;
  if (dve_accept(p, DVE_TOKEN_STATE))
    dve_parse_names(p, STATE, &out->states);
  else if (dve_sees(p, DVE_TOKEN_INIT))
    parse_initial(p, out);
  else if (dve_accept(p, DVE_TOKEN_COMMIT))
    dve_parse_names(p, STATE, &out->committed);
  else if (dve_sees(p, DVE_TOKEN_ACCEPT))
    parse_acceptance(p, out);
  else if (dve_accept(p, DVE_TOKEN_ASSERT))
    parse_assertions(p, out);
  else
    return false;
  dve_end_declaration(p, blocks);
  return true;
}

static void parse_part(struct dve_parser *p, struct dve_process *out) {
  const unsigned blocks = p->blocks;
  if (dve_declaration_follows(p))
    dve_parse_declaration(p, &out->variables, &out->channels);
  else if (dve_accept(p, DVE_TOKEN_TRANS))
    parse_transitions(p, out);
  else if (!parse_section(p, out)) {
    dve_expected(p, "a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' or '}'", NULL);
    dve_end_declaration(p, blocks);
  }
}

static bool body_ends(const struct dve_parser *p) {
  return p->token.kind == DVE_TOKEN_CLOSE_BLOCK || p->token.kind == DVE_TOKEN_END ||
         p->token.kind == DVE_TOKEN_PROCESS || p->token.kind == DVE_TOKEN_SYSTEM;
}

void dve_parse_process(struct dve_parser *p, struct dve_process *out) {
  dve_expect(p, DVE_TOKEN_PROCESS);
  out->acceptance.at = NOWHERE;
  out->name = dve_parse_name(p, "the name of a process");
  dve_expect(p, DVE_TOKEN_OPEN_BLOCK);
  if (p->panic)
    return;
  while (!body_ends(p))
    parse_part(p, out);
  dve_expect(p, DVE_TOKEN_CLOSE_BLOCK);
}
