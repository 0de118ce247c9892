/* Processes, claims, formulas, and the model. */
#include "frontend/promela/parse/promela_parser.h"

#include <string.h>

static void parse_parameters(struct pr_parser *p, struct pr_variables *out) {
  pr_expect(p, PR_OPEN);
  while (!p->panic && !pr_accept(p, PR_CLOSE)) {
    pr_parse_variables(p, false, out);
    while (pr_accept(p, PR_SEMICOLON) || pr_accept(p, PR_COMMA))
      ;
  }
}

static void parse_process_body(struct pr_parser *p, struct pr_proctype *out) {
  if (pr_accept(p, PR_W_PRIORITY))
    out->priority = pr_parse_expression(p);
  if (pr_accept(p, PR_W_PROVIDED)) {
    pr_expect(p, PR_OPEN);
    out->provided = pr_parse_expression(p);
    pr_expect(p, PR_CLOSE);
  }
  pr_parse_body(p, &out->body);
  out->end = p->next ? p->tokens[p->next - 1].begin : out->at;
}

static void parse_proctype(struct pr_parser *p) {
  struct pr_proctype out = {.at = pr_token(p)->begin};
  out.is_active = pr_accept(p, PR_W_ACTIVE);
  if (out.is_active && pr_accept(p, PR_OPEN_INDEX)) {
    out.instances = pr_parse_expression(p);
    pr_expect(p, PR_CLOSE_INDEX);
  }
  if (!pr_accept(p, PR_W_D_PROCTYPE))
    pr_expect(p, PR_W_PROCTYPE);
  out.name = pr_parse_name(p, "the name of a proctype");
  pr_set_meaning(p, out.name.id, PR_IS_PROCTYPE_ABOVE);
  parse_parameters(p, &out.parameters);
  parse_process_body(p, &out);
  *PR_PUSH(p, &p->model->proctypes) = out;
}

static void parse_init(struct pr_parser *p) {
  struct pr_proctype out = {.at = pr_token(p)->begin, .is_init = true, .name = pr_no_name(pr_token(p)->begin)};
  pr_advance(p);
  parse_process_body(p, &out);
  *PR_PUSH(p, &p->model->proctypes) = out;
}

static void parse_never(struct pr_parser *p) {
  struct pr_proctype out = {.at = pr_token(p)->begin, .name = pr_no_name(pr_token(p)->begin)};
  pr_advance(p);
  if (pr_sees(p, PR_NAME))
    out.name = pr_parse_name(p, "the name of the claim");
  parse_process_body(p, &out);
  *PR_PUSH(p, &p->model->claims) = out;
}

static void parse_trace(struct pr_parser *p) {
  struct pr_proctype *out = arena_alloc(p->arena, sizeof *out);
  *out = (struct pr_proctype){.at = pr_token(p)->begin, .name = pr_no_name(pr_token(p)->begin)};
  if (p->model->trace)
    PR_SYNTAX_ERROR(p, out->at, NULL, "the model has a trace or notrace already");
  p->model->negated = pr_sees(p, PR_W_NOTRACE);
  p->model->trace = out;
  pr_advance(p);
  parse_process_body(p, out);
}

static void parse_formula(struct pr_parser *p) {
  struct pr_formula f = {.name = pr_no_name(pr_token(p)->begin)};
  pr_advance(p);
  if (pr_sees(p, PR_NAME))
    f.name = pr_parse_name(p, "the name of the formula");
  pr_expect(p, PR_OPEN_BLOCK);
  p->in_formula = true;
  f.expr = pr_parse_expression(p);
  p->in_formula = false;
  pr_accept(p, PR_SEMICOLON);
  pr_expect(p, PR_CLOSE_BLOCK);
  *PR_PUSH(p, &p->model->formulas) = f;
}

static bool is_mtype_definition(const struct pr_parser *p) {
  const struct pr_token *t = pr_token(p);
  if (t[1].kind == PR_COLON && t[2].kind == PR_NAME)
    t += 2;
  return t[1].kind == PR_ASSIGN || t[1].kind == PR_OPEN_BLOCK;
}

static void parse_unit(struct pr_parser *p) {
  struct pr_statement exclusive = {0};
  switch (pr_token(p)->kind) {
  case PR_W_ACTIVE:
  case PR_W_PROCTYPE:
  case PR_W_D_PROCTYPE:
    parse_proctype(p);
    return;
  case PR_W_INIT:
    parse_init(p);
    return;
  case PR_W_NEVER:
    parse_never(p);
    return;
  case PR_W_LTL:
    parse_formula(p);
    return;
  case PR_W_TYPEDEF:
    pr_parse_typedef(p);
    return;
  case PR_W_XR:
  case PR_W_XS:
    pr_parse_exclusive(p, &exclusive);
    return;
  case PR_W_TRACE:
  case PR_W_NOTRACE:
    parse_trace(p);
    return;
  case PR_W_C_CODE:
  case PR_W_C_DECL:
  case PR_W_C_STATE:
  case PR_W_C_TRACK:
  case PR_W_C_EXPR:
    pr_refuse_c(p);
    return;
  case PR_W_MTYPE:
    if (is_mtype_definition(p)) {
      pr_parse_mtype(p);
      return;
    }
    break;
  default:
    break;
  }
  if (pr_declaration_follows(p))
    pr_parse_variables(p, true, &p->model->globals);
  else
    pr_expected(p, "a declaration, a proctype or a claim", NULL);
}

/* Whatever has a meaning also above its place: `P:x` is a variable of another process if P is a proctype; some words
   add to the state or change what is enabled. */
static void find_in_advance(struct pr_parser *p) {
  struct pr_model *model = p->model;
  for (const struct pr_token *t = p->tokens; t->kind != PR_END; t++) {
    if ((t->kind == PR_W_PROCTYPE || t->kind == PR_W_D_PROCTYPE) && t[1].kind == PR_NAME)
      pr_set_meaning(p, name_table_add(&model->names, p->arena, t[1].text), PR_IS_PROCTYPE);
    model->has_enabled |= t->kind == PR_W_ENABLED;
    model->has_last |= t->kind == PR_NAME && strcmp(t->text, "_last") == 0;
    model->has_priorities |= t->kind == PR_W_PRIORITY || t->kind == PR_W_GET_PRIORITY || t->kind == PR_W_SET_PRIORITY ||
                             (t->kind == PR_NAME && strcmp(t->text, "_priority") == 0);
  }
}

static bool has_start(const struct pr_model *model) {
  for (size_t i = 0; i < model->proctypes.n; i++)
    if (model->proctypes.items[i].is_init || model->proctypes.items[i].is_active)
      return true;
  return false;
}

floe_status pr_parse(const struct source *source, struct includer *includer, const struct pr_givens *givens,
                     struct arena *arena, floe_log *log, const struct pr_model **out) {
  struct pr_model *model = arena_alloc(arena, sizeof *model);
  struct pr_text *text = arena_alloc(arena, sizeof *text);
  FLOE_TRY(pr_preprocess(source, includer, givens, arena, log, text));
  model->source = source;
  model->text = text;
  model->tokens = &text->tokens;
  struct pr_parser p = {.source = source, .tokens = text->tokens.items, .arena = arena, .log = log, .model = model};
  find_in_advance(&p);
  while (!p.panic && !pr_sees(&p, PR_END))
    if (!pr_accept(&p, PR_SEMICOLON))
      parse_unit(&p);
  if (!p.panic && !has_start(model))
    PR_SYNTAX_ERROR(&p, pr_token(&p)->begin, "write init or an active proctype", "the model starts no process");
  if (p.panic)
    return FLOE_ERROR_MODEL;
  pr_list_undeclared(model, arena);
  pr_number_statements(model);
  *out = model;
  return FLOE_OK;
}

const char *pr_text(const struct pr_model *model, size_t first, size_t last, struct arena *arena) {
  size_t length = 0;
  for (size_t i = first; i < last; i++)
    length += strlen(model->tokens->items[i].text) + 1;
  char *text = arena_alloc(arena, length + 1), *end = text;
  for (size_t i = first; i < last; i++) {
    const char *token = model->tokens->items[i].text;
    const size_t n = strlen(token);
    if (i > first && model->tokens->items[i].spaced)
      *end++ = ' ';
    memcpy(end, token, n);
    end += n;
  }
  return text;
}

/* It begins with a word that begins a Promela model and no other language's. */
bool pr_recognise(const char *text, size_t length) {
  const struct source source = {.name = "", .text = text, .length = length};
  if (length >= NOWHERE)
    return false;
  const struct pr_token first = pr_lex(&source, 0), second = pr_lex(&source, first.end);
  switch (first.kind) {
  case PR_W_ACTIVE:
  case PR_W_PROCTYPE:
  case PR_W_TYPEDEF:
  case PR_W_INLINE:
  case PR_HASH:
    return true;
  case PR_W_MTYPE:
    return second.kind == PR_ASSIGN || second.kind == PR_COLON || second.kind == PR_OPEN_BLOCK ||
           second.kind == PR_NAME;
  case PR_W_INIT:
    return second.kind == PR_OPEN_BLOCK;
  default:
    return pr_is_word(first.kind) && (second.kind == PR_NAME || (first.kind == PR_W_HIDDEN && pr_is_word(second.kind)));
  }
}
