/* Variables of the state and local ones: their scalars, reads and writes. */
#include "frontend/murphi/murphi_check.h"

#include <string.h>

/* ---- layout -------------------------------------------------------------------------------------- */

struct path {
  const char *name;
  struct dimension *dimensions;
  uint32_t count;
  uint64_t elements;
  const struct mu_bag *bag;
};

struct leaf_list {
  struct mu_leaf *items;
  uint32_t n;
};

static void add_leaves(struct mu_check *c, const struct mu_type *t, const struct path *path, struct leaf_list *out);

static void add_record(struct mu_check *c, const struct mu_type *t, const struct path *path, struct leaf_list *out) {
  struct path inner = *path;
  for (size_t i = 0; i < t->field_count; i++) {
    const char *field = mu_name_text(c, t->fields[i].name);
    if (build_spend(&c->build, c->build.here, 0, (strlen(path->name) + strlen(field)) / 64))
      inner.name = arena_printf(c->build.arena, "%s.%s", path->name, field);
    add_leaves(c, t->fields[i].type, &inner, out);
  }
}

/* The path with an index behind its name. */
static struct path indexed(struct mu_check *c, const struct mu_type *index, const struct path *path) {
  struct path inner = *path;
  const uint64_t size = (uint64_t)(index->hi - index->lo) + 1;
  inner.dimensions = arena_array(c->build.arena, path->count + 1u, sizeof *inner.dimensions);
  if (path->count)
    memcpy(inner.dimensions, path->dimensions, path->count * sizeof *inner.dimensions);
  inner.dimensions[inner.count++] = (struct dimension){
      .size = (uint32_t)size, .place = (uint32_t)strlen(path->name), .first = index->lo, .names = index->names};
  inner.elements *= size;
  if (inner.elements > BUILD_MAX_VALUES) {
    build_too_large(&c->build, c->build.here, "its variables have more than 1048576 elements");
    inner.elements = 1;
  }
  return inner;
}

static void add_multiset(struct mu_check *c, const struct mu_type *t, const struct path *path, struct leaf_list *out) {
  struct mu_bag *bag = arena_alloc(c->build.arena, sizeof *bag);
  struct path inner = *path;
  *bag = (struct mu_bag){.type = t, .leaf = out->n, .dimension_count = path->count};
  inner.bag = bag;
  inner.name = arena_printf(c->build.arena, "%s.used", path->name);
  inner = indexed(c, t->index, &inner);
  add_leaves(c, &c->used, &inner, out);
  inner = indexed(c, t->index, path);
  inner.bag = bag;
  add_leaves(c, t->element, &inner, out);
}

static void add_leaves(struct mu_check *c, const struct mu_type *t, const struct path *path, struct leaf_list *out) {
  if (t->kind == MU_RECORD)
    add_record(c, t, path, out);
  else if (t->kind == MU_MULTISET)
    add_multiset(c, t, path, out);
  else if (t->kind == MU_ARRAY) {
    const struct path inner = indexed(c, t->index, path);
    add_leaves(c, t->element, &inner, out);
  } else
    out->items[out->n++] = (struct mu_leaf){.type = t,
                                            .name = path->name,
                                            .bag = path->bag,
                                            .dimensions = path->dimensions,
                                            .dimension_count = path->count,
                                            .count = (uint32_t)path->elements};
}

static struct leaf_list leaves_of(struct mu_check *c, const char *name, const struct mu_type *type) {
  struct leaf_list list = {.items = arena_array(c->build.arena, type->leaves, sizeof *list.items)};
  add_leaves(c, type, &(struct path){.name = name, .elements = 1}, &list);
  return list;
}

static void add_variable(struct mu_check *c, struct mu_leaf *leaf, source_at at) {
  struct model *model = c->build.model;
  int64_t *init = arena_array(c->build.arena, leaf->count, sizeof *init);
  leaf->place = (uint32_t)model->variable_count;
  for (uint32_t i = 0; i < leaf->count; i++)
    init[i] = leaf->type->hi + 1;
  *ARENA_PUSH(c->build.arena, c->variables, model->variable_count, c->variable_cap) =
      (struct variable){.name = leaf->name,
                        .kind = VARIABLE_GLOBAL,
                        .count = leaf->count,
                        .length = leaf->count,
                        .is_array = leaf->dimension_count > 0,
                        .dimension_count = leaf->dimension_count,
                        .dimensions = leaf->dimensions,
                        .type = leaf->type->stored,
                        .undefined = true,
                        .lo = leaf->type->lo,
                        .hi = leaf->type->hi + 1,
                        .init = init,
                        .at = at};
  model->variables = c->variables;
  mu_note_leaf(c, leaf);
}

const struct mu_object *mu_state_object(struct mu_check *c, const char *name, const struct mu_type *type,
                                        source_at at) {
  c->build.here = at;
  struct leaf_list list = leaves_of(c, name, type);
  for (uint32_t i = 0; i < list.n; i++)
    add_variable(c, &list.items[i], at);
  struct mu_object *object = arena_alloc(c->build.arena, sizeof *object);
  *object = (struct mu_object){.type = type, .leaves = list.items, .in_state = true};
  return object;
}

size_t mu_new_slot(struct mu_check *c, const struct expr *value) {
  *ARENA_PUSH(c->build.arena, c->slots, c->slot_count, c->slot_cap) = value;
  return c->slot_count - 1;
}

const struct mu_object *mu_local_object(struct mu_check *c, const char *name, const struct mu_type *type) {
  struct leaf_list list = leaves_of(c, name, type);
  struct mu_object *object = arena_alloc(c->build.arena, sizeof *object);
  *object = (struct mu_object){.type = type, .leaves = list.items, .slot = c->slot_count};
  for (uint32_t l = 0; l < list.n; l++) {
    struct mu_leaf *leaf = &list.items[l];
    const struct expr *undefined = build_const(&c->build, leaf->type->hi + 1);
    leaf->place = (uint32_t)(c->slot_count - object->slot);
    build_spend(&c->build, c->build.here, leaf->count, 0);
    for (uint32_t i = 0; i < leaf->count && !c->build.stop; i++)
      mu_new_slot(c, undefined);
  }
  return object;
}

/* ---- places -------------------------------------------------------------------------------------- */

struct mu_place mu_whole(const struct mu_object *object) {
  return (struct mu_place){.object = object, .type = object->type};
}

struct mu_place mu_field_place(struct mu_check *c, const struct mu_place *place, const struct mu_field *field) {
  struct mu_place part = *place;
  (void)c;
  part.type = field->type;
  part.leaf += field->leaf;
  return part;
}

struct mu_place mu_element_place(struct mu_check *c, const struct mu_place *place, const struct expr *index) {
  struct mu_place part = *place;
  const struct expr **indices = arena_array(c->build.arena, place->index_count + 1u, sizeof *indices);
  if (place->index_count)
    memcpy(indices, place->indices, place->index_count * sizeof *indices);
  indices[part.index_count++] = index;
  part.indices = indices;
  part.leaf += place->type->kind == MU_MULTISET; /* behind that of the empty slots */
  part.type = place->type->element;
  return part;
}

void mu_freeze_place(struct mu_check *c, struct mu_place *place) {
  const struct expr **indices = arena_array(c->build.arena, place->index_count + 1u, sizeof *indices);
  for (uint32_t i = 0; i < place->index_count; i++)
    indices[i] = mu_freeze(c, place->indices[i], NOWHERE);
  place->indices = indices;
}

/* Number of the element, row by row; NULL: a memory or size error. */
static const struct expr *element_of(struct mu_check *c, const struct mu_place *scalar, source_at at) {
  struct builder *b = &c->build;
  const struct mu_leaf *leaf = &scalar->object->leaves[scalar->leaf];
  const struct expr *element = build_const(b, 0);
  for (uint32_t i = 0; i < leaf->dimension_count; i++)
    element =
        build_binary(b, EXPR_ADD, at, build_binary(b, EXPR_MUL, at, element, build_const(b, leaf->dimensions[i].size)),
                     scalar->indices[i]);
  return element;
}

/* ---- reads and writes ---------------------------------------------------------------------------- */

/* The slot at a computed position. */
static const struct expr *read_slots(struct mu_check *c, const struct expr *const *slots, const struct expr *element,
                                     uint32_t count, source_at at) {
  struct builder *b = &c->build;
  const int64_t lo = element->lo > 0 ? element->lo : 0, hi = element->hi < count ? element->hi : (int64_t)count - 1;
  const struct expr *value = slots[hi];
  for (int64_t i = hi; i-- > lo;)
    value = build_cond(b, at, build_binary(b, EXPR_EQ, at, element, build_const(b, i)), slots[i], value);
  return value;
}

/* SIZE_MAX: the values are in the state. */
static size_t first_slot(const struct mu_check *c, const struct mu_place *place) {
  const struct mu_leaf *leaf = &place->object->leaves[place->leaf];
  if (!place->object->in_state)
    return place->object->slot + leaf->place;
  return c->shadows ? c->shadows[leaf->place] - 1 : SIZE_MAX;
}

const struct expr *mu_read(struct mu_check *c, const struct mu_place *place, source_at at) {
  const struct mu_leaf *leaf = &place->object->leaves[place->leaf];
  const struct expr *element = element_of(c, place, at);
  if (!element)
    return NULL;
  mu_note_access(c, place, NULL);
  const size_t first = first_slot(c, place);
  if (first == SIZE_MAX)
    return build_read(&c->build, at, leaf->place, leaf->dimension_count ? element : NULL);
  if (element->op == EXPR_CONST)
    return c->slots[first + (size_t)element->value];
  element = mu_freeze(c, element, at);
  return element ? read_slots(c, &c->slots[first], element, leaf->count, at) : NULL;
}

void mu_mark_assigned(struct mu_check *c, const struct mu_place *place) {
  c->impure |= place->object->in_state;
  for (uint32_t i = 0; place->object->in_state && !c->starting && i < place->type->leaves; i++) {
    const struct mu_leaf *leaf = &place->object->leaves[place->leaf + i];
    c->variables[leaf->place].assigned = true;
    for (uint32_t k = 0; leaf->bag && k < leaf->bag->type->leaves; k++) /* sorting changes all */
      c->variables[place->object->leaves[leaf->bag->leaf + k].place].assigned = true;
  }
}

static void write_slots(struct mu_check *c, const struct mu_place *place, const struct expr *element,
                        const struct expr *value, source_at at) {
  struct builder *b = &c->build;
  const struct mu_leaf *leaf = &place->object->leaves[place->leaf];
  const size_t first = first_slot(c, place);
  value = mu_freeze(c, value, at);
  if (element->op == EXPR_CONST) {
    c->slots[first + (size_t)element->value] = value;
    return;
  }
  element = mu_freeze(c, element, at);
  for (uint32_t i = 0; element && value && i < leaf->count; i++) {
    if (element->lo > i || element->hi < i)
      continue;
    const struct expr *here = build_binary(b, EXPR_EQ, at, element, build_const(b, i));
    c->slots[first + i] = mu_freeze(c, build_cond(b, at, here, value, c->slots[first + i]), at);
  }
}

void mu_write(struct mu_check *c, const struct mu_place *place, const struct expr *value, source_at at) {
  const struct mu_leaf *leaf = &place->object->leaves[place->leaf];
  const struct expr *element = element_of(c, place, at);
  if (!element || !value)
    return;
  mu_note_access(c, place, value);
  if (first_slot(c, place) != SIZE_MAX) {
    write_slots(c, place, element, value, at);
    return;
  }
  if (!c->block) {
    MU_ERROR(c, at, "do it in the body of the rule", "a guard or property must not change variables: '%s'", leaf->name);
    return;
  }
  mu_mark_assigned(c, place);
  if (leaf->bag)
    mu_note_unsorted(c, place);
  mu_note_written(c, leaf->place, leaf->dimension_count ? element : NULL);
  const struct variable *v = &c->variables[leaf->place];
  mu_emit(c, (struct statement){.op = ST_ASSIGN,
                                .at = at,
                                .id = leaf->place,
                                .site = build_range_site(&c->build, value, at, leaf->name, v->lo, v->hi),
                                .index = leaf->dimension_count ? element : NULL,
                                .value = value});
}

void mu_each_scalar(struct mu_check *c, const struct mu_place *place, mu_scalar_visitor *visit, void *data) {
  const struct mu_type *t = place->type;
  if (mu_is_scalar(t)) {
    visit(c, place, data);
    return;
  }
  for (size_t i = 0; t->kind == MU_RECORD && i < t->field_count; i++) {
    const struct mu_place part = mu_field_place(c, place, &t->fields[i]);
    mu_each_scalar(c, &part, visit, data);
  }
  for (int64_t i = 0; t->kind >= MU_ARRAY && i <= t->index->hi - t->index->lo; i++) {
    if (!build_spend(&c->build, c->build.here, 1, 1))
      return;
    struct mu_place part = mu_element_place(c, place, build_const(&c->build, i));
    if (t->kind == MU_MULTISET) {
      struct mu_place flag = part;
      flag.leaf = place->leaf;
      flag.type = &c->used;
      visit(c, &flag, data);
    }
    mu_each_scalar(c, &part, visit, data);
  }
}

struct copying {
  const struct mu_place *to, *from;
  source_at at;
};

/* The scalar of `from` at the place that `scalar` has in `to`. */
static void copy_scalar(struct mu_check *c, const struct mu_place *scalar, void *data) {
  const struct copying *copying = data;
  struct mu_place target = *copying->to;
  const uint32_t inner = scalar->index_count - copying->from->index_count;
  const struct expr **indices = arena_array(c->build.arena, target.index_count + inner + 1u, sizeof *indices);
  if (target.index_count)
    memcpy(indices, target.indices, target.index_count * sizeof *indices);
  for (uint32_t i = 0; i < inner; i++)
    indices[target.index_count++] = scalar->indices[copying->from->index_count + i];
  target.indices = indices;
  target.leaf += scalar->leaf - copying->from->leaf;
  target.type = scalar->type;
  mu_write(c, &target, mu_read(c, scalar, copying->at), copying->at);
}

void mu_copy(struct mu_check *c, const struct mu_place *to, const struct mu_place *from, source_at at) {
  struct copying copying = {to, from, at};
  mu_each_scalar(c, from, copy_scalar, &copying);
}
