/* The order of the elements of multisets: at the end of a rule each multiset that the rule may have changed is sorted
   by a network of comparisons (Batcher's odd-even merge). */
#include "frontend/murphi/murphi_check.h"

#include <string.h>

/* ---- multisets that may be out of order ---------------------------------------------------------- */

static bool is_fixed(const struct expr *e) { return e->op == EXPR_CONST || e->op == EXPR_SELECT; }

static bool same_indices(const struct mu_unsorted *known, const struct mu_place *place) {
  for (uint32_t i = 0; i < known->bag->dimension_count; i++) {
    const struct expr *x = known->indices[i], *y = place->indices[i];
    if (x->op != y->op || (x->op == EXPR_CONST ? x->value != y->value : x->id != y->id))
      return false;
  }
  return true;
}

/* Drops what is known of the bag. */
static void drop(struct mu_check *c, const struct mu_bag *bag) {
  size_t kept = 0;
  for (size_t i = 0; i < c->unsorted_count; i++)
    if (c->unsorted[i].bag != bag)
      c->unsorted[kept++] = c->unsorted[i];
  c->unsorted_count = kept;
}

/* Indices that depend on the state may have changed at the end of the rule: then all multisets of the array count. */
void mu_note_unsorted(struct mu_check *c, const struct mu_place *place) {
  const struct mu_bag *bag = place->object->leaves[place->leaf].bag;
  struct mu_unsorted entry = {.object = place->object, .bag = bag, .indices = place->indices};
  for (uint32_t i = 0; i < bag->dimension_count; i++)
    entry.all |= !is_fixed(place->indices[i]);
  for (size_t i = 0; i < c->unsorted_count; i++)
    if (c->unsorted[i].bag == bag && (c->unsorted[i].all || (!entry.all && same_indices(&c->unsorted[i], place))))
      return;
  if (entry.all)
    drop(c, bag);
  *ARENA_PUSH(c->build.arena, c->unsorted, c->unsorted_count, c->unsorted_cap) = entry;
}

/* ---- the network --------------------------------------------------------------------------------- */

struct slots {
  struct mu_place *scalars; /* slot by slot: whether it is empty, and the scalars of its element */
  size_t n, cap;
  size_t width; /* scalars of a slot */
  uint32_t temp;
};

static void add_scalar(struct mu_check *c, const struct mu_place *scalar, void *data) {
  struct slots *slots = data;
  *ARENA_PUSH(c->build.arena, slots->scalars, slots->n, slots->cap) = *scalar;
}

static void exchange(struct mu_check *c, const struct slots *slots, const struct mu_place *x,
                     const struct mu_place *y) {
  for (size_t i = 0; i < slots->width; i++) {
    const struct expr *before = mu_read(c, &x[i], NOWHERE);
    mu_let(c, slots->temp, before, NOWHERE);
    mu_write(c, &x[i], mu_read(c, &y[i], NOWHERE), NOWHERE);
    if (before)
      mu_write(c, &y[i], build_temp(&c->build, NOWHERE, slots->temp, before->lo, before->hi), NOWHERE);
  }
}

/* Slot a is before slot b. */
static void order(struct mu_check *c, const struct slots *slots, size_t a, size_t b) {
  struct builder *build = &c->build;
  const struct mu_place *x = &slots->scalars[a * slots->width], *y = &slots->scalars[b * slots->width];
  const struct expr *greater = build_const(build, 0);
  for (size_t i = slots->width; i-- > 0;) {
    const struct expr *left = mu_read(c, &x[i], NOWHERE), *right = mu_read(c, &y[i], NOWHERE);
    const struct expr *equal = build_binary(build, EXPR_EQ, NOWHERE, left, right);
    greater = build_binary(build, EXPR_OR, NOWHERE, build_reversed(build, EXPR_LT, NOWHERE, left, right),
                           build_binary(build, EXPR_AND, NOWHERE, equal, greater));
  }
  struct mu_branch branch;
  if (!greater || build->stop || is_constant_false(greater))
    return;
  mu_branch(c, &branch, greater, NOWHERE);
  exchange(c, slots, x, y);
  mu_branch_end(c, &branch);
}

/* Orders slots whose distance is `gap`, in blocks of 2 * size. */
static void merge(struct mu_check *c, const struct slots *slots, size_t count, size_t size, size_t gap) {
  for (size_t first = gap % size; first + gap < count; first += 2 * gap)
    for (size_t i = first; i < first + gap && i + gap < count; i++)
      if (i / (2 * size) == (i + gap) / (2 * size))
        order(c, slots, i, i + gap);
}

static void sort(struct mu_check *c, const struct mu_place *set) {
  const size_t count = (size_t)set->type->index->hi + 1;
  struct slots slots = {0};
  mu_each_scalar(c, set, add_scalar, &slots);
  if (c->build.stop || count < 2)
    return;
  slots.width = slots.n / count;
  slots.temp = mu_new_temp(c);
  for (size_t size = 1; size < count; size *= 2)
    for (size_t gap = size; gap > 0; gap /= 2)
      merge(c, &slots, count, size, gap);
}

/* ---- all ----------------------------------------------------------------------------------------- */

/* The indices from `depth` on take all values. */
static void sort_all(struct mu_check *c, const struct mu_unsorted *entry, struct mu_place *set, uint32_t depth) {
  if (depth == entry->bag->dimension_count) {
    sort(c, set);
    return;
  }
  const uint32_t size = entry->object->leaves[entry->bag->leaf].dimensions[depth].size;
  const struct expr **indices = arena_array(c->build.arena, depth + 1u, sizeof *indices);
  if (depth)
    memcpy(indices, set->indices, depth * sizeof *indices);
  for (uint32_t i = 0; i < size && build_spend(&c->build, c->build.here, 0, 1); i++) {
    struct mu_place inner = *set;
    indices[depth] = build_const(&c->build, i);
    inner.indices = indices;
    inner.index_count = depth + 1;
    sort_all(c, entry, &inner, depth + 1);
  }
}

void mu_sort_multisets(struct mu_check *c) {
  for (size_t i = 0; i < c->unsorted_count && !c->checking && !c->fails; i++) {
    const struct mu_unsorted *entry = &c->unsorted[i];
    struct mu_place set = {.object = entry->object, .type = entry->bag->type, .leaf = entry->bag->leaf};
    if (entry->all)
      sort_all(c, entry, &set, 0);
    else {
      set.indices = entry->indices;
      set.index_count = entry->bag->dimension_count;
      sort(c, &set);
    }
  }
  c->unsorted_count = 0;
}
