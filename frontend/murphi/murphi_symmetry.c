/* Scalarsets as symmetric types. Murphi has no order of them, no arithmetic and no constants, so a model can tell their
   values apart only by
     - a `for` loop whose rounds depend on each other: what a round writes, no other may read or write, unless all
       write the same constant,
     - `clear`, which sets a value to the first one,
     - multisetremovepred, whose rounds are such a loop,
     - `forall` and `exists` that end with the first value that decides, before an error at a later one,
     - a property for each value.
   Quantifiers are evaluated for all values (mu_all_values); the others are refused. */
#include "frontend/murphi/murphi_check.h"

#include "model/symmetry/symmetry.h"

#include <stdlib.h>

#define MOST_ACCESSES (1u << 16) /* of a loop */

bool mu_is_symmetric(const struct mu_check *c, const struct mu_type *t) {
  bool found = t->kind == MU_SCALARSET && t->hi > 0;
  for (size_t i = 0; t->kind == MU_UNION && i < t->member_count; i++)
    found = found || (t->members[i]->kind == MU_SCALARSET && t->members[i]->hi > 0);
  return c->symmetric && found;
}

void mu_note_type(struct mu_check *c, const struct mu_type *t) {
  if (c->symmetric)
    *ARENA_PUSH(c->build.arena, c->named, c->named_count, c->named_cap) = t;
}

void mu_note_leaf(struct mu_check *c, const struct mu_leaf *leaf) {
  if (c->symmetric)
    *ARENA_PUSH(c->build.arena, c->state_leaves, c->leaf_count, c->leaf_cap) = leaf;
}

const struct expr *mu_all_values(struct mu_check *c, bool symmetric, bool all, source_at at,
                                 const struct expr *const *items, size_t n) {
  bool can_fail = false;
  for (size_t i = 0; i < n; i++)
    can_fail = can_fail || (items[i] && items[i]->can_fail);
  if (symmetric && can_fail)
    return build_all(&c->build, all ? EXPR_MIN : EXPR_MAX, at, items, n);
  return build_all(&c->build, all ? EXPR_AND : EXPR_OR, at, items, n);
}

void mu_check_clear(struct mu_check *c, const struct mu_type *t, source_at at) {
  if (!mu_is_symmetric(c, t) || c->asymmetric == at)
    return;
  c->asymmetric = at;
  MU_ERROR(c, at, "use 'undefine', or run without symmetry reduction",
           "the model is not symmetric: 'clear' sets a value of a scalarset to the first one");
}

static bool refers(const struct mu_check *c, const struct mu_type *t) {
  bool found =
      mu_is_symmetric(c, t) || (t->kind == MU_ARRAY && (mu_is_symmetric(c, t->index) || refers(c, t->element)));
  for (size_t i = 0; t->kind == MU_RECORD && i < t->field_count; i++)
    found = found || refers(c, t->fields[i].type);
  return found;
}

bool mu_holds_symmetric(const struct mu_check *c, const struct mu_type *multiset) {
  return c->symmetric && refers(c, multiset->element);
}

void mu_refuse_cover(struct mu_check *c, source_at at) {
  if (!c->symmetric || c->asymmetric == at)
    return;
  c->asymmetric = at;
  MU_ERROR(c, at, "run without symmetry reduction", "symmetry reduction does not support the statement 'cover'");
}

void mu_refuse_choices(struct mu_check *c, source_at at) {
  if (c->asymmetric == at)
    return;
  c->asymmetric = at;
  MU_ERROR(c, at, "use 'exists', or run without symmetry reduction",
           "the model is not symmetric: this is a property for each value of a scalarset");
}

/* ---- loops --------------------------------------------------------------------------------------- */

/* A read or write of a scalar, of the state or a local variable. */
struct mu_access {
  bool local, write;
  bool adds; /* an element to a multiset: the order of these does not matter */
  size_t id; /* number of the variable, or its first slot */
  const struct expr *const *indices;
  uint32_t index_count;
  uint64_t round;
  const struct expr *value; /* written: a constant; NULL: not constant */
  const char *name;
};

void mu_note_access(struct mu_check *c, const struct mu_place *place, const struct expr *written) {
  const struct mu_leaf *leaf = &place->object->leaves[place->leaf];
  struct mu_access access = {.local = !place->object->in_state,
                             .write = written != NULL,
                             .adds = c->adding && c->adding == leaf->bag,
                             .id = place->object->in_state ? leaf->place : place->object->slot + leaf->place,
                             .indices = place->indices,
                             .index_count = leaf->dimension_count,
                             .value = written && written->op == EXPR_CONST ? written : NULL,
                             .name = leaf->name};
  for (struct mu_loop *loop = c->loop; loop; loop = loop->outer) {
    if (access.local && access.id >= loop->slots) /* made in the round */
      continue;
    access.round = loop->round;
    if (loop->count < MOST_ACCESSES)
      *ARENA_PUSH(c->build.arena, loop->accesses, loop->count, loop->cap) = access;
    else
      loop->too_large = true;
  }
}

void mu_note_assume(struct mu_check *c) {
  for (struct mu_loop *loop = c->loop; loop; loop = loop->outer)
    loop->returns = true;
}

void mu_note_return(struct mu_check *c) {
  for (struct mu_loop *loop = c->loop; loop; loop = loop->outer)
    loop->returns = loop->returns || loop->frame == c->frame;
}

void mu_loop_begin(struct mu_check *c, struct mu_loop *loop) {
  *loop = (struct mu_loop){.outer = c->loop, .slots = c->slot_count, .frame = c->frame};
  c->loop = loop;
}

static int compare_variables(const void *a, const void *b) {
  const struct mu_access *x = a, *y = b;
  if (x->local != y->local)
    return x->local ? 1 : -1;
  return x->id < y->id ? -1 : x->id > y->id;
}

/* Of one variable. */
static bool may_be_same(const struct mu_access *a, const struct mu_access *b) {
  for (uint32_t d = 0; d < a->index_count; d++)
    if (a->indices[d]->hi < b->indices[d]->lo || b->indices[d]->hi < a->indices[d]->lo)
      return false;
  return true;
}

static bool conflict(const struct mu_access *a, const struct mu_access *b) {
  const bool constant = a->write && b->write && a->value && b->value && a->value->value == b->value->value;
  return a->round != b->round && (a->write || b->write) && !constant && !(a->adds && b->adds) && may_be_same(a, b);
}

/* Of accesses to one variable, two that depend on the order of the rounds; NULL: none. */
static const struct mu_access *find_conflict(struct mu_check *c, const struct mu_access *items, size_t n,
                                             source_at at) {
  bool writes = false;
  for (size_t i = 0; i < n; i++)
    writes = writes || items[i].write;
  for (size_t i = 0; writes && i < n && build_spend(&c->build, at, 0, n); i++)
    for (size_t k = 0; k < i; k++)
      if (conflict(&items[i], &items[k]))
        return &items[i];
  return NULL;
}

static void report_loop(struct mu_check *c, source_at at, const char *why) {
  if (c->asymmetric == at)
    return;
  c->asymmetric = at;
  MU_ERROR(c, at, "run without symmetry reduction, or loop over a range",
           "the model may not be symmetric: the order of this loop over a scalarset matters, because %s", why);
}

void mu_loop_end(struct mu_check *c, struct mu_loop *loop, source_at at) {
  c->loop = loop->outer;
  if (loop->returns)
    report_loop(c, at, "it may end early");
  else if (loop->too_large)
    report_loop(c, at, "it is too large to show that it does not");
  else if (loop->count)
    qsort(loop->accesses, loop->count, sizeof *loop->accesses, compare_variables);
  for (size_t first = 0, end; first < loop->count && !loop->returns && !loop->too_large; first = end) {
    for (end = first + 1; end < loop->count && !compare_variables(&loop->accesses[first], &loop->accesses[end]);)
      end++;
    const struct mu_access *found = find_conflict(c, loop->accesses + first, end - first, at);
    if (!found)
      continue;
    report_loop(c, at, arena_printf(c->build.arena, "a round uses '%s', which another one writes", found->name));
    return;
  }
}

/* ---- the ground model ---------------------------------------------------------------------------- */

struct set_list {
  const struct mu_type **types;
  struct symmetric_set *sets;
  size_t n, cap, set_cap;
};

static uint32_t set_of(struct mu_check *c, struct set_list *l, const struct mu_type *t) {
  for (size_t i = 0; i < l->n; i++)
    if (l->types[i] == t)
      return (uint32_t)i;
  size_t count = l->n;
  *ARENA_PUSH(c->build.arena, l->sets, count, l->set_cap) =
      (struct symmetric_set){.name = t->name ? t->name : "scalarset", .size = (uint32_t)t->hi + 1};
  *ARENA_PUSH(c->build.arena, l->types, l->n, l->cap) = t;
  return (uint32_t)l->n - 1;
}

static struct symmetric_range range_of(struct mu_check *c, struct set_list *l, const struct mu_type *t) {
  if (!t || !mu_is_symmetric(c, t))
    return (struct symmetric_range){0};
  const size_t most = t->kind == MU_UNION ? t->member_count : 1;
  struct symmetric_part *parts = arena_array(c->build.arena, most, sizeof *parts);
  struct symmetric_range range = {.parts = parts};
  if (t->kind == MU_SCALARSET)
    parts[range.count++] = (struct symmetric_part){.set = set_of(c, l, t)};
  for (size_t i = 0; t->kind == MU_UNION && i < t->member_count; i++)
    if (t->members[i]->kind == MU_SCALARSET)
      parts[range.count++] =
          (struct symmetric_part){.set = set_of(c, l, t->members[i]), .first = (uint32_t)t->offsets[i]};
  return range;
}

/* The type of the indices, which have the names of its values; NULL: it has no scalarset. */
static const struct mu_type *index_type(const struct mu_check *c, const struct dimension *dimension) {
  for (size_t i = 0; dimension->names && i < c->named_count; i++)
    if (c->named[i]->names == dimension->names)
      return c->named[i];
  return NULL;
}

/* The places of a multiset: a set for each element of the arrays around it. Returns the first one. */
static uint32_t add_places(struct mu_check *c, struct set_list *l, const struct mu_leaf *leaf, uint32_t number) {
  const uint32_t first = (uint32_t)l->n;
  uint64_t sets = 1;
  for (uint32_t d = 0; d < leaf->bag->dimension_count; d++)
    sets *= leaf->dimensions[d].size;
  for (uint64_t i = 0; i < sets && build_spend(&c->build, c->build.here, 0, 1); i++) {
    size_t count = l->n;
    *ARENA_PUSH(c->build.arena, l->sets, count, l->set_cap) =
        (struct symmetric_set){.name = leaf->name, .size = (uint32_t)leaf->bag->type->index->hi + 1, .places = number};
    *ARENA_PUSH(c->build.arena, l->types, l->n, l->cap) = NULL;
  }
  return first;
}

/* Multisets that hold values of scalarsets have no order: that of the values would depend on their names. */
static void add_multisets(struct mu_check *c, struct set_list *l, const struct symmetric_variable *variables) {
  const struct mu_bag *bag = NULL;
  uint32_t number = 0, set = 0;
  for (size_t v = 0; v < c->leaf_count; v++) {
    const struct mu_leaf *leaf = c->state_leaves[v];
    if (!leaf->bag || !mu_holds_symmetric(c, leaf->bag->type))
      continue;
    if (leaf->bag != bag)
      set = add_places(c, l, leaf, ++number);
    bag = leaf->bag;
    struct symmetric_part *part = arena_alloc(c->build.arena, sizeof *part);
    *part = (struct symmetric_part){.set = set, .nested = true};
    struct symmetric_range *dimensions = (struct symmetric_range *)variables[v].dimensions;
    dimensions[bag->dimension_count] = (struct symmetric_range){part, 1};
  }
}

void mu_make_symmetry(struct mu_check *c) {
  struct model *model = c->build.model;
  struct arena *arena = c->build.arena;
  struct set_list list = {0};
  struct symmetric_variable *variables = arena_array(arena, model->variable_count + 1, sizeof *variables);
  for (size_t v = 0; v < c->leaf_count; v++) {
    const struct mu_leaf *leaf = c->state_leaves[v];
    struct symmetric_range *dimensions = arena_array(arena, leaf->dimension_count + 1u, sizeof *dimensions);
    for (uint32_t d = 0; d < leaf->dimension_count; d++)
      dimensions[d] = range_of(c, &list, index_type(c, &leaf->dimensions[d]));
    variables[v] = (struct symmetric_variable){.dimensions = dimensions, .values = range_of(c, &list, leaf->type)};
  }
  if (!list.n)
    return;
  add_multisets(c, &list, variables);
  struct symmetry *symmetry = arena_alloc(arena, sizeof *symmetry);
  *symmetry = (struct symmetry){.sets = list.sets, .set_count = list.n, .variables = variables};
  model->symmetry = symmetry;
}
