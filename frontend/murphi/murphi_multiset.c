/* Multisets: slots that hold an element or are empty. In a state the elements come first and are in order: each rule
   ends by sorting the multisets that it may have changed. While a rule runs an element stays in its slot. */
#include "frontend/murphi/murphi_check.h"

static const char empty[] = "the multiset has no such element";

/* ---- slots --------------------------------------------------------------------------------------- */

static struct mu_place flag_place(struct mu_check *c, const struct mu_place *set, const struct expr *slot) {
  struct mu_place flag = mu_element_place(c, set, slot);
  flag.type = &c->used;
  flag.leaf = set->leaf;
  return flag;
}

/* 0: the slot holds an element, 1: it is empty. */
static const struct expr *flag_of(struct mu_check *c, const struct mu_place *set, const struct expr *slot,
                                  source_at at) {
  const struct mu_place flag = flag_place(c, set, slot);
  return mu_read(c, &flag, at);
}

static const struct expr *is_used(struct mu_check *c, const struct mu_place *set, const struct expr *slot,
                                  source_at at) {
  return build_binary(&c->build, EXPR_EQ, at, flag_of(c, set, slot, at), build_const(&c->build, 0));
}

static bool same_fixed(const struct expr *x, const struct expr *y) {
  if (x == y)
    return true;
  if (x->op != y->op)
    return false;
  return (x->op == EXPR_CONST && x->value == y->value) ||
         ((x->op == EXPR_SELECT || x->op == EXPR_TEMP) && x->id == y->id);
}

static bool same_place(const struct mu_place *x, const struct mu_place *y) {
  if (x->object != y->object || x->leaf != y->leaf || x->index_count != y->index_count)
    return false;
  for (uint32_t i = 0; i < x->index_count; i++)
    if (!same_fixed(x->indices[i], y->indices[i]))
      return false;
  return true;
}

const struct expr *mu_slot(struct mu_check *c, const struct mu_expr *e, const struct mu_place *set) {
  struct builder *b = &c->build;
  const struct mu_type *type;
  const struct expr *slot = mu_scalar(c, e, &type);
  if (!type)
    return NULL;
  if (type->kind != MU_SLOT || !mu_equivalent(type->element, set->type)) {
    MU_ERROR(c, e->at, "'choose', multisetcount and multisetremovepred give names to elements",
             "'%s' is no element of this multiset", mu_expr_text(c, e));
    return NULL;
  }
  const struct mu_symbol *symbol = e->op == MU_E_NAME ? mu_find(c, e->name) : NULL;
  if (symbol && c->known_slots && same_place(&symbol->place, set))
    return slot;
  return build_binary(b, EXPR_ADD, e->at, slot,
                      mu_bounded(c, SITE_ERROR, e->at, empty, flag_of(c, set, slot, e->at), 0, 0));
}

static bool set_of(struct mu_check *c, const struct mu_expr *e, struct mu_place *out) {
  if (!mu_designate(c, e, "a multiset is needed here", out))
    return false;
  if (out->type->kind == MU_MULTISET)
    return true;
  MU_ERROR(c, e->at, NULL, "'%s' is %s; a multiset is needed here", mu_expr_text(c, e), mu_type_text(c, out->type));
  return false;
}

static void declare_slot(struct mu_check *c, struct mu_name name, const struct mu_place *set, const struct expr *slot) {
  mu_declare(c, (struct mu_symbol){
                    .kind = MU_SYMBOL_VALUE, .name = name, .type = set->type->index, .value = slot, .place = *set});
}

/* While bodies are checked, one slot stands for all. */
static const struct expr *slot_value(struct mu_check *c, const struct mu_place *set, int64_t i, source_at at) {
  return c->checking ? build_temp(&c->build, at, 0, 0, set->type->index->hi) : build_const(&c->build, i);
}

static int64_t rounds(const struct mu_check *c, const struct mu_place *set) {
  return c->checking ? 1 : set->type->index->hi + 1;
}

/* ---- choose, multisetcount ----------------------------------------------------------------------- */

void mu_bind_choice(struct mu_check *c, const struct mu_alias *choice) {
  struct mu_place set;
  if (!set_of(c, choice->value, &set))
    return;
  const char *name = mu_name_text(c, choice->name);
  const struct select select = {.name = name, .hi = set.type->index->hi};
  const struct expr *slot = mu_add_select(c, choice->name.at, &select);
  if (!slot)
    return;
  declare_slot(c, choice->name, &set, slot);
  *ARENA_PUSH(c->build.arena, c->choices, c->choice_count, c->choice_cap) =
      (struct mu_choice){is_used(c, &set, slot, choice->name.at),
                         {mu_text(c, choice->name.at, choice->value->end), choice->name.at, choice->value->end}};
}

static const struct expr *count_elements(struct mu_check *c, const struct mu_expr *e, const struct mu_place *set) {
  struct builder *b = &c->build;
  const int64_t n = rounds(c, set);
  const struct expr **items = arena_array(b->arena, (size_t)n + 1, sizeof *items);
  const bool known = !e->b->calls;
  for (int64_t i = 0; i < n && build_spend(b, e->at, 0, 1); i++) {
    const struct expr *slot = slot_value(c, set, i, e->at), *used = is_used(c, set, slot, e->at);
    const bool never = used && is_constant_false(used);
    const struct mu_scope scope = mu_open_scope(c);
    declare_slot(c, e->name, set, slot);
    b->dead += never;
    c->known_slots += known;
    c->conditional++;
    items[i] = build_binary(b, EXPR_AND, e->at, used, mu_condition(c, e->b));
    c->conditional--;
    c->known_slots -= known;
    b->dead -= never;
    mu_close_scope(c, scope);
  }
  if (b->stop)
    return NULL;
  const struct expr *sum = build_all(b, EXPR_ADD, e->at, items, (size_t)n);
  return sum && c->checking ? build_temp(b, e->at, 0, 0, set->type->index->hi + 1) : sum;
}

struct mu_value mu_count(struct mu_check *c, const struct mu_expr *e) {
  struct mu_place set;
  if (!set_of(c, e->a, &set))
    return mu_failed();
  if (!e->b->calls || !c->block || c->checking)
    return mu_result(&c->integer, count_elements(c, e, &set));
  /* A condition with calls is an expression: such functions are expanded without statements. */
  mu_freeze_place(c, &set);
  struct mu_block *block = c->block;
  const struct expr *pending = c->pending;
  c->block = NULL;
  c->pending = NULL;
  const struct expr *count = count_elements(c, e, &set);
  c->block = block;
  c->pending = pending;
  return mu_result(&c->integer, count);
}

/* ---- changes ------------------------------------------------------------------------------------- */

static bool changed_set(struct mu_check *c, const struct mu_statement *s, struct mu_place *out) {
  if (!mu_target(c, s->target, out))
    return false;
  if (out->type->kind == MU_MULTISET) {
    mu_freeze_place(c, out);
    return true;
  }
  MU_ERROR(c, s->target->at, NULL, "'%s' is %s; a multiset is needed here", mu_expr_text(c, s->target),
           mu_type_text(c, out->type));
  return false;
}

static void set_flag(struct mu_check *c, const struct mu_place *set, const struct expr *slot, int64_t value,
                     source_at at) {
  const struct mu_place flag = flag_place(c, set, slot);
  mu_write(c, &flag, build_const(&c->build, value), at);
}

/* The number of slots if all hold an element. */
static const struct expr *first_empty(struct mu_check *c, const struct mu_place *set, source_at at) {
  struct builder *b = &c->build;
  const struct expr *first = build_const(b, set->type->index->hi + 1);
  for (int64_t i = set->type->index->hi; i >= 0 && build_spend(b, at, 0, 1); i--)
    first = build_cond(b, at, flag_of(c, set, build_const(b, i), at), build_const(b, i), first);
  return first;
}

static const struct mu_bag *bag_of(const struct mu_place *set) { return set->object->leaves[set->leaf].bag; }

static void add(struct mu_check *c, const struct mu_statement *s) {
  struct builder *b = &c->build;
  struct mu_place set;
  const bool valid = changed_set(c, s, &set);
  const struct mu_value value = mu_value_of(c, s->value);
  if (!valid || !value.type)
    return;
  const int64_t last = set.type->index->hi;
  c->adding = bag_of(&set);
  const struct expr *slot = mu_freeze(c, first_empty(c, &set, s->at), s->at);
  c->adding = NULL;
  mu_require(c, build_binary(b, EXPR_LE, s->at, slot, build_const(b, last)), SITE_ERROR, s->at,
             arena_printf(b->arena, "the multiset '%s' is full", mu_expr_text(c, s->target)));
  if (!slot)
    return;
  c->adding = bag_of(&set);
  const struct mu_place element = mu_element_place(c, &set, build_narrowed(b, slot, 0, last));
  mu_assign_value(c, &element, &value, s->at, arena_printf(b->arena, "an element of %s", mu_expr_text(c, s->target)));
  set_flag(c, &set, build_narrowed(b, slot, 0, last), 0, s->at);
  c->adding = NULL;
}

static void undefine_scalar(struct mu_check *c, const struct mu_place *scalar, void *data) {
  const source_at *at = data;
  mu_write(c, scalar, build_const(&c->build, scalar->type->hi + 1), *at);
}

static void empty_slot(struct mu_check *c, const struct mu_place *set, const struct expr *slot, source_at at) {
  const struct mu_place element = mu_element_place(c, set, slot);
  set_flag(c, set, slot, 1, at);
  mu_each_scalar(c, &element, undefine_scalar, &at);
}

static void remove_element(struct mu_check *c, const struct mu_statement *s) {
  struct mu_place set;
  if (!changed_set(c, s, &set))
    return;
  const struct expr *slot = mu_freeze(c, mu_slot(c, s->value, &set), s->at);
  if (!slot)
    return;
  mu_evaluate(c, slot, s->at);
  empty_slot(c, &set, build_narrowed(&c->build, slot, 0, set.type->index->hi), s->at);
}

static void remove_if(struct mu_check *c, const struct mu_statement *s, const struct mu_place *set,
                      const struct expr *slot) {
  const bool known = !s->value->calls;
  struct mu_branch branch;
  c->known_slots += known;
  const struct expr *condition = mu_condition(c, s->value);
  c->known_slots -= known;
  if (!condition || (is_constant_false(condition) && !condition->can_fail))
    return;
  mu_branch(c, &branch, condition, s->value->at);
  empty_slot(c, set, slot, s->at);
  mu_branch_end(c, &branch);
}

static void remove_elements(struct mu_check *c, const struct mu_statement *s) {
  struct mu_place set;
  if (!changed_set(c, s, &set))
    return;
  struct mu_loop loop;
  const bool symmetric = !c->checking && mu_holds_symmetric(c, set.type);
  if (symmetric)
    mu_loop_begin(c, &loop);
  for (int64_t i = 0; i < rounds(c, &set) && build_spend(&c->build, s->at, 0, 1); i++) {
    loop.round = (uint64_t)i;
    const struct expr *slot = slot_value(c, &set, i, s->at), *used = is_used(c, &set, slot, s->at);
    if (!used || is_constant_false(used))
      continue;
    const struct mu_scope scope = mu_open_scope(c);
    struct mu_branch branch;
    declare_slot(c, s->name, &set, slot);
    mu_branch(c, &branch, used, s->at);
    remove_if(c, s, &set, slot);
    mu_branch_end(c, &branch);
    mu_close_scope(c, scope);
  }
  if (symmetric)
    mu_loop_end(c, &loop, s->at);
}

void mu_execute_multiset(struct mu_check *c, const struct mu_statement *s) {
  if (s->kind == MU_S_ADD)
    add(c, s);
  else if (s->kind == MU_S_REMOVE)
    remove_element(c, s);
  else
    remove_elements(c, s);
}
