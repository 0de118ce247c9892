/* Statements that decide whether a rule fires: guards that change variables, and `assume`.

   To know before a rule fires what its statements compute, they are also executed as expressions: the variables that
   they write get slots, like local variables, which begin with the values of the state. */
#include "frontend/murphi/murphi_check.h"

#include "model/structural_equality.h"

#include <string.h>

/* ---- variables written --------------------------------------------------------------------------- */

/* Its value does not depend on the state, and it can be computed where the statement is not executed. */
static bool is_static(const struct expr *e) {
  return !e || (!e->can_fail && e->op != EXPR_READ && e->op != EXPR_TEMP && is_static(e->a) && is_static(e->b) &&
                is_static(e->c));
}

void mu_note_written(struct mu_check *c, uint32_t variable, const struct expr *element) {
  const struct mu_written entry = {variable, is_static(element) ? element : NULL, !is_static(element)};
  for (size_t i = 0; i < c->written_count; i++) {
    struct mu_written *known = &c->written[i];
    if (known->variable == variable && (known->all || (!entry.all && same_expr(known->element, element))))
      return;
  }
  *ARENA_PUSH(c->build.arena, c->written, c->written_count, c->written_cap) = entry;
}

static bool may_change(const struct mu_callable *callable) {
  const struct mu_declarations *parameters = &callable->function->parameters;
  for (size_t i = 0; i < parameters->n; i++)
    if (parameters->items[i].by_reference)
      return true;
  return callable->impure;
}

static bool calls_impure(struct mu_check *c, const struct mu_expr *e) {
  if (!e)
    return false;
  const struct mu_symbol *symbol = e->op == MU_E_CALL ? mu_find(c, e->name) : NULL;
  if (symbol && symbol->kind == MU_SYMBOL_FUNCTION && may_change(symbol->callable))
    return true;
  for (size_t i = 0; i < e->arguments.n; i++)
    if (calls_impure(c, e->arguments.items[i]))
      return true;
  return calls_impure(c, e->a) || calls_impure(c, e->b) || calls_impure(c, e->c);
}

bool mu_is_impure(struct mu_check *c, const struct mu_expr *guard) {
  return !c->checking && guard && guard->calls && calls_impure(c, guard);
}

/* ---- statements as expressions ------------------------------------------------------------------- */

/* Slots for the variables written, with the values of the state. */
void mu_start_trial(struct mu_check *c) {
  struct builder *b = &c->build;
  c->shadows = arena_array(b->arena, b->model->variable_count + 1, sizeof *c->shadows);
  for (size_t i = 0; i < c->written_count; i++) {
    const uint32_t id = c->written[i].variable;
    const struct variable *v = &c->variables[id];
    if (c->shadows[id])
      continue;
    c->shadows[id] = c->slot_count + 1;
    for (uint32_t k = 0; k < v->count && build_spend(b, v->at, 1, 0); k++)
      mu_new_slot(c, build_read(b, NOWHERE, id, v->is_array ? build_const(b, k) : NULL));
  }
  c->block = NULL;
  c->pending = NULL;
}

void mu_end_trial(struct mu_check *c, size_t slots) {
  c->shadows = NULL;
  c->slot_count = slots;
  c->fails = false;
}

/* Notes what the guard writes; its statements are dropped. */
void mu_note_guard(struct mu_check *c, const struct mu_expr *guard) {
  struct mu_block dropped = {0};
  const uint32_t temps = c->temp_count;
  c->block = &dropped;
  c->written_count = 0;
  mu_condition(c, guard);
  c->block = NULL;
  c->temp_count = temps;
  c->unsorted_count = 0;
}

/* A false assumption: nothing behind it is executed, in no body around it. */
static void give_up(struct mu_check *c) {
  c->slots[c->assumed - 1] = build_const(&c->build, 0);
  for (const struct mu_frame *frame = c->frame; frame; frame = frame->outer)
    c->slots[frame->returned] = build_const(&c->build, 1);
}

void mu_execute_assume(struct mu_check *c, const struct mu_statement *s) {
  const struct expr *holds = mu_condition(c, s->value);
  c->assumes = true;
  mu_note_assume(c);
  if (c->starting)
    MU_ERROR(c, s->at, "write 'assume' outside of rules", "floe does not read 'assume' in start states");
  if (!holds || c->checking || !c->shadows || !c->assumed || is_constant_true(holds))
    return;
  struct mu_branch branch;
  mu_branch(c, &branch, holds, s->at);
  mu_branch_else(c, &branch);
  give_up(c);
  mu_branch_end(c, &branch);
}

/* With the errors before it. */
static const struct expr *outcome(struct mu_check *c, const struct mu_item *rule, size_t slot) {
  const struct expr *value = c->slots[slot - 1];
  if (c->pending)
    value = build_binary(&c->build, EXPR_ADD, rule->at, c->pending, value);
  mu_limit(c, value, rule->at);
  return value;
}

struct mu_trial mu_try(struct mu_check *c, const struct mu_item *rule, size_t count) {
  struct builder *b = &c->build;
  const size_t slots = c->slot_count;
  const struct mu_statements first = {.items = rule->body.items, .n = count};
  mu_start_trial(c);
  c->assumed = mu_new_slot(c, build_const(b, 1)) + 1;
  c->covered = mu_new_slot(c, build_const(b, 0)) + 1;
  struct mu_frame frame = {.returned = mu_new_slot(c, build_const(b, 0))};
  c->frame = &frame;
  const struct mu_scope scope = mu_open_scope(c);
  if (mu_is_impure(c, rule->expr))
    mu_condition(c, rule->expr);
  mu_declare_local(c, &rule->declarations);
  mu_execute(c, &first);
  mu_close_scope(c, scope);
  const struct mu_trial trial = {outcome(c, rule, c->assumed), outcome(c, rule, c->covered)};
  c->assumed = c->covered = 0;
  c->frame = NULL;
  c->pending = NULL;
  mu_end_trial(c, slots);
  return trial;
}

/* ---- assumptions about all states ---------------------------------------------------------------- */

struct saved {
  uint32_t variable, temp;
  const struct expr *element, *value; /* value: of the state before */
};
struct saved_list {
  struct saved *items;
  size_t n, cap;
};

static void save(struct mu_check *c, struct saved_list *out, uint32_t variable, const struct expr *element) {
  const struct expr *value = build_read(&c->build, NOWHERE, variable, element);
  const struct saved saved = {variable, mu_new_temp(c), element, value};
  if (!value || !build_spend(&c->build, NOWHERE, 2, 0))
    return;
  *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) = saved;
  mu_let(c, saved.temp, value, NOWHERE);
}

static void save_all(struct mu_check *c, struct saved_list *out, const struct mu_firing *firing) {
  for (size_t i = 0; i < firing->changed_count; i++) {
    const struct mu_written *written = &firing->changed[i];
    const struct variable *v = &c->variables[written->variable];
    if (!written->all)
      save(c, out, written->variable, v->is_array ? written->element : NULL);
    for (uint32_t k = 0; written->all && k < v->count && !c->build.stop; k++)
      save(c, out, written->variable, build_const(&c->build, k));
  }
}

static void restore(struct mu_check *c, const struct saved *saved) {
  mu_emit(c,
          (struct statement){.op = ST_ASSIGN,
                             .at = NOWHERE,
                             .id = saved->variable,
                             .site = NO_SITE,
                             .index = saved->element,
                             .value = build_temp(&c->build, NOWHERE, saved->temp, saved->value->lo, saved->value->hi)});
}

/* The state that the rule reaches is no state: the rule leads back to where it fired, and the firing counts. As in
   Rumur it is one that changes the state. */
void mu_forbid(struct mu_check *c, struct mu_firing *firing, const struct expr *assumption) {
  const struct mu_block body = firing->body;
  struct saved_list saved = {0};
  struct mu_block undo = {0};
  if (!assumption || is_constant_true(assumption))
    return;
  c->temp_count = firing->temp_count;
  firing->body = (struct mu_block){0};
  c->block = &firing->body;
  save_all(c, &saved, firing);
  for (size_t i = 0; i < body.n; i++)
    *ARENA_PUSH(c->build.arena, firing->body.items, firing->body.n, firing->body.cap) = body.items[i];
  c->block = &undo;
  for (size_t i = 0; i < saved.n; i++)
    restore(c, &saved.items[i]);
  c->block = &firing->body;
  if (undo.n)
    mu_emit(c, (struct statement){.op = ST_IF,
                                  .at = firing->item->at,
                                  .site = NO_SITE,
                                  .value = build_not(&c->build, NOWHERE, assumption),
                                  .then = undo.items,
                                  .then_count = undo.n});
  c->block = NULL;
  firing->undo_count = undo.n > 0;
  firing->temp_count = c->temp_count;
}
