/* Rules and start states. The parameters of rulesets are the selects of a transition. */
#include "frontend/murphi/murphi_check.h"

#include "model/process.h"
#include "model/transitions/successor_bound.h"

#include <string.h>

/* Transitions of one function of generated code: small functions compile faster. */
enum { GROUP = 16 };

/* ---- parameters ---------------------------------------------------------------------------------- */

static bool select_of(struct mu_check *c, const struct mu_quantifier *q, struct select *select,
                      const struct mu_type **type) {
  const char *name = mu_name_text(c, q->name);
  const struct mu_type *from_type, *to_type;
  int64_t from, to;
  if (q->type) {
    *type = mu_type_of(c, q->type, NULL);
    if (!*type)
      return false;
    if (!mu_is_scalar(*type)) {
      MU_ERROR(c, q->type->at, NULL, "'%s' takes the values of a scalar type; this type is %s", name,
               mu_type_text(c, *type));
      return false;
    }
    *select = (struct select){.name = name, .lo = (*type)->lo, .hi = (*type)->hi, .type = (*type)->names};
    return true;
  }
  if (q->by) {
    MU_ERROR(c, q->name.at, "test it in the guards", "floe does not read 'by' in rulesets");
    return false;
  }
  if (!mu_constant(c, q->from, "the first value of the ruleset", &from_type, &from) ||
      !mu_constant(c, q->to, "the last value of the ruleset", &to_type, &to))
    return false;
  if (!mu_is_number(from_type) || !mu_is_number(to_type) || from > to) {
    MU_ERROR(c, q->name.at, NULL, "the values of '%s' are numbers, from a lower to a higher one", name);
    return false;
  }
  *type = &c->integer;
  *select = (struct select){.name = name, .lo = from, .hi = to};
  return true;
}

static const struct expr *chosen_value(struct mu_check *c, const struct select *select) {
  if (c->select_count >= c->chosen_count) {
    c->chosen[c->select_count] = select->lo;
    c->chosen_count = c->select_count + 1;
  }
  return build_const(&c->build, c->chosen[c->select_count]);
}

const struct expr *mu_add_select(struct mu_check *c, source_at at, const struct select *select) {
  if (c->select_count == MAX_SELECTS) {
    build_too_large(&c->build, at, "a rule or start state has more than 256 parameters");
    return NULL;
  }
  const struct expr *value = c->chosen ? chosen_value(c, select)
                                       : build_select(&c->build, at, (uint32_t)c->select_count, select->lo, select->hi);
  *ARENA_PUSH(c->build.arena, c->selects, c->select_count, c->select_cap) = *select;
  return value;
}

static void bind_selects(struct mu_check *c, const struct mu_quantifiers *quantifiers) {
  for (size_t i = 0; i < quantifiers->n; i++) {
    const struct mu_quantifier *q = &quantifiers->items[i];
    const struct mu_type *type;
    struct select select;
    if (!select_of(c, q, &select, &type))
      continue;
    const struct expr *value = mu_add_select(c, q->name.at, &select);
    if (!value)
      return;
    mu_declare(c, (struct mu_symbol){.kind = MU_SYMBOL_VALUE, .name = q->name, .type = type, .value = value});
  }
}

struct mu_surroundings mu_enter_item(struct mu_check *c, const struct mu_item *item) {
  const struct mu_surroundings around = {mu_open_scope(c), c->select_count, c->choice_count};
  c->known_slots++; /* nothing is removed from a multiset before the body */
  if (item->kind == MU_I_RULESET)
    bind_selects(c, &item->quantifiers);
  else if (item->kind == MU_I_ALIAS)
    mu_bind_aliases(c, &item->aliases);
  else
    mu_bind_choice(c, &item->aliases.items[0]);
  c->known_slots--;
  return around;
}

void mu_leave_item(struct mu_check *c, struct mu_surroundings around) {
  mu_close_scope(c, around.scope);
  c->select_count = around.selects;
  c->choice_count = around.choices;
}

/* ---- bodies -------------------------------------------------------------------------------------- */

static size_t count_conjuncts(const struct mu_expr *e) {
  const bool joins = e->op == MU_E_AND || e->op == MU_E_BITAND;
  return joins ? count_conjuncts(e->a) + count_conjuncts(e->b) : 1;
}

static void add_conjuncts(const struct mu_expr *e, const struct mu_expr ***end) {
  if (e->op != MU_E_AND && e->op != MU_E_BITAND) {
    *(*end)++ = e;
    return;
  }
  add_conjuncts(e->a, end);
  add_conjuncts(e->b, end);
}

/* Behind one that is never true the others are not evaluated. Nothing is removed from a multiset before the body. */
void mu_lower_guards(struct mu_check *c, const struct mu_expr *guard, struct mu_firing *out) {
  const size_t n = guard ? count_conjuncts(guard) : 0, all = c->choice_count + n;
  const struct mu_expr **conjuncts = arena_array(c->build.arena, n + 1, sizeof *conjuncts), **end = conjuncts;
  const bool impure = mu_is_impure(c, guard);
  const size_t slots = c->slot_count;
  unsigned dead = 0;
  out->guards = arena_array(c->build.arena, all + 1, sizeof *out->guards);
  out->written = arena_array(c->build.arena, all + 1, sizeof *out->written);
  if (guard)
    add_conjuncts(guard, &end);
  if (impure) {
    mu_note_guard(c, guard);
    mu_start_trial(c);
  }
  c->known_slots += !impure;
  for (size_t i = 0; i < all; i++) {
    const struct mu_choice *choice = i < c->choice_count ? &c->choices[i] : NULL;
    const struct mu_expr *e = choice ? NULL : conjuncts[i - c->choice_count];
    const struct expr *holds = choice ? choice->used : mu_condition(c, e);
    mu_limit(c, holds, choice ? choice->written.start : e->at);
    out->written[i] = choice ? choice->written : (struct source_excerpt){mu_expr_text(c, e), e->start, e->end};
    out->guards[out->guard_count++] = holds;
    if (!dead && holds && is_constant_false(holds))
      c->build.dead += dead = 1;
  }
  c->known_slots -= !impure;
  c->build.dead -= dead;
  if (impure)
    mu_end_trial(c, slots);
}

const struct expr *mu_guards_hold(struct mu_check *c, const struct mu_item *rule) {
  struct mu_firing firing = {.item = rule};
  c->block = NULL;
  c->pending = NULL;
  mu_lower_guards(c, rule->expr, &firing);
  return firing.guard_count ? build_all(&c->build, EXPR_AND, rule->at, firing.guards, firing.guard_count)
                            : build_const(&c->build, 1);
}

void mu_add_guard(struct mu_check *c, struct mu_firing *rule, const struct expr *guard, const char *text) {
  struct arena *arena = c->build.arena;
  const size_t n = rule->guard_count;
  const struct expr **guards = arena_array(arena, n + 1, sizeof *guards);
  struct source_excerpt *written = arena_array(arena, n + 1, sizeof *written);
  if (n) {
    memcpy(guards, rule->guards, n * sizeof *guards);
    memcpy(written, rule->written, n * sizeof *written);
  }
  guards[n] = guard;
  written[n] = (struct source_excerpt){text, rule->item->at, rule->item->at + 1};
  rule->guards = guards;
  rule->written = written;
  rule->guard_count = n + 1;
}

static void add_assumptions(struct mu_check *c, struct mu_firing *rule) {
  if (c->assumed_count && !c->checking && !c->build.errors)
    mu_add_guard(c, rule, mu_try(c, rule->item, c->assumed_count).assumed, "assume");
  c->assumed_count = 0;
}

struct mu_firing mu_lower_firing(struct mu_check *c, const struct mu_item *item) {
  struct mu_firing firing = {.name = item->name, .item = item, .select_count = c->select_count};
  const size_t slots = c->slot_count;
  struct mu_frame frame = {.returned = mu_new_slot(c, build_const(&c->build, 0))};
  struct select *selects = arena_array(c->build.arena, c->select_count + 1, sizeof *selects);
  if (c->select_count)
    memcpy(selects, c->selects, c->select_count * sizeof *selects);
  firing.selects = selects;
  c->starting = item->kind == MU_I_STARTSTATE;
  c->temp_count = c->checking;
  c->fails = false;
  c->block = NULL;
  c->pending = NULL;
  c->unsorted_count = 0;
  mu_lower_guards(c, item->expr, &firing);
  c->block = &firing.body;
  c->frame = &frame;
  c->body = &item->body;
  c->rule = item;
  c->assumes = false;
  c->written_count = 0;
  if (mu_is_impure(c, item->expr))
    mu_condition(c, item->expr); /* for its effects */
  const struct mu_scope scope = mu_open_scope(c);
  mu_declare_local(c, &item->declarations);
  mu_execute(c, &item->body);
  mu_close_scope(c, scope);
  mu_sort_multisets(c);
  c->frame = NULL;
  c->block = NULL;
  c->body = NULL;
  c->rule = NULL;
  c->starting = false;
  c->slot_count = slots;
  firing.temp_count = c->temp_count;
  firing.changed = c->written;
  firing.changed_count = c->written_count;
  add_assumptions(c, &firing);
  c->written = NULL;
  c->written_count = c->written_cap = 0;
  return firing;
}

/* ---- walks --------------------------------------------------------------------------------------- */

struct walk {
  enum mu_item_kind kind;
  struct mu_firings *out;
};

static void walk_items(struct mu_check *c, const struct walk *w, const struct mu_items *items, bool global);

static void walk_item(struct mu_check *c, const struct walk *w, const struct mu_item *item, bool global) {
  if (item->kind == w->kind) {
    const struct mu_firing firing = mu_lower_firing(c, item);
    *ARENA_PUSH(c->build.arena, w->out->items, w->out->n, w->out->cap) = firing;
    return;
  }
  if (item->kind == MU_I_RULESET || item->kind == MU_I_ALIAS || item->kind == MU_I_CHOOSE) {
    const struct mu_surroundings around = mu_enter_item(c, item);
    walk_items(c, w, &item->children, false);
    mu_leave_item(c, around);
  } else if (item->kind == MU_I_DECLARATION && !global)
    mu_declare_item(c, &item->declaration, false);
  else if (item->kind == MU_I_FUNCTION && !global)
    mu_declare_function(c, item->function);
}

static void walk_items(struct mu_check *c, const struct walk *w, const struct mu_items *items, bool global) {
  for (size_t i = 0; i < items->n && !c->build.stop; i++)
    walk_item(c, w, &items->items[i], global);
}

void mu_lower_firings(struct mu_check *c, bool starts, struct mu_firings *out) {
  const struct walk w = {starts ? MU_I_STARTSTATE : MU_I_RULE, out};
  walk_items(c, &w, &c->file->items, true);
}

/* ---- transitions --------------------------------------------------------------------------------- */

static struct edge edge_of(struct mu_check *c, const struct mu_firing *firing, size_t number) {
  struct arena *arena = c->build.arena;
  const bool starts = firing->item->kind == MU_I_STARTSTATE;
  const char *name = firing->name && *firing->name
                         ? firing->name
                         : arena_printf(arena, "%s %zu", starts ? "startstate" : "rule", number + 1);
  struct edge edge = edge_without_process(name, firing->item->at);
  struct edge_instance *instance = arena_alloc(arena, sizeof *instance);
  *instance = (struct edge_instance){.selects = firing->selects, .guards = firing->guards};
  edge.guards = firing->written;
  edge.guard_count = firing->guard_count;
  edge.reads_message = arena_array(arena, firing->guard_count + 1, sizeof *edge.reads_message);
  edge.select_count = firing->select_count;
  edge.instances = instance;
  return edge;
}

static const struct expr *started(struct mu_check *c) { return build_read(&c->build, NOWHERE, c->started, NULL); }

/* A start state fires only in the state before all start states, and ends it. */
static void complete_start(struct mu_check *c, struct mu_firing *start) {
  start->guards[0] = build_not(&c->build, start->item->at, started(c));
  start->guard_count = 1;
  start->written[0] = (struct source_excerpt){MU_STARTED " = false", start->item->at, start->item->at + 1};
  c->block = &start->body;
  mu_emit(c, (struct statement){.op = ST_ASSIGN,
                                .at = start->item->at,
                                .id = c->started,
                                .site = NO_SITE,
                                .value = build_const(&c->build, 1)});
  c->block = NULL;
}

/* Of a rule: a start state was chosen before. */
static const struct expr **guards_of(struct mu_check *c, const struct mu_firing *rule, size_t *count) {
  const struct expr **guards = arena_array(c->build.arena, rule->guard_count + 1, sizeof *guards);
  const size_t first = c->start_firings > 0;
  if (first)
    guards[0] = started(c);
  if (rule->guard_count)
    memcpy(guards + first, rule->guards, rule->guard_count * sizeof *guards);
  *count = first + rule->guard_count;
  return guards;
}

static struct transition transition_of(struct mu_check *c, const struct mu_firing *firing, uint32_t number) {
  struct participant *self = arena_alloc(c->build.arena, sizeof *self);
  *self = (struct participant){.process = NO_PROCESS, .edge = number};
  struct transition t = {.selects = firing->selects,
                         .select_count = firing->select_count,
                         .guards = firing->guards,
                         .guard_count = firing->guard_count,
                         .statements = firing->body.items,
                         .statement_count = firing->body.n,
                         .undo_count = firing->undo_count,
                         .temp_count = firing->temp_count,
                         .participants = self,
                         .participant_count = 1,
                         .initiator = number / GROUP};
  if (firing->item->kind == MU_I_RULE)
    t.guards = guards_of(c, firing, &t.guard_count);
  return t;
}

void mu_lower_rules(struct mu_check *c) {
  struct model *model = c->build.model;
  struct mu_firings all = {0};
  const struct expr *assumption = mu_assumption(c);
  if (c->start_firings)
    mu_lower_firings(c, true, &all);
  const size_t starts = all.n;
  mu_lower_firings(c, false, &all);
  if (!c->build.errors && all.n > starts)
    mu_add_priorities(c, all.items + starts, all.n - starts);
  if (c->build.errors)
    return;
  struct edge *edges = arena_array(c->build.arena, all.n, sizeof *edges);
  struct transition *transitions = arena_array(c->build.arena, all.n, sizeof *transitions);
  struct initiator_transitions *groups = arena_array(c->build.arena, all.n / GROUP + 1, sizeof *groups);
  for (size_t i = 0; i < all.n; i++) {
    if (i < starts)
      complete_start(c, &all.items[i]);
    else
      mu_forbid(c, &all.items[i], assumption);
    edges[i] = edge_of(c, &all.items[i], i < starts ? i : i - starts);
    transitions[i] = transition_of(c, &all.items[i], (uint32_t)i);
    if (i % GROUP == 0)
      groups[model->initiator_count++] = (struct initiator_transitions){.first = i, .process = NO_PROCESS};
    groups[model->initiator_count - 1].end = i + 1;
  }
  model->edges = edges;
  model->edge_count = model->transition_count = all.n;
  model->transitions = transitions;
  model->initiators = groups;
}
