#include "frontend/murphi/murphi_check.h"

#include <string.h>

#define MOST_DEPTH 250u
#define MOST_SLOTS 1000 /* of a multiset */
#define LONG_NAME 64    /* characters, or names compared, that count as one step */

static struct mu_type *new_type(struct mu_check *c, enum mu_kind kind, const char *name) {
  struct mu_type *t = arena_alloc(c->build.arena, sizeof *t);
  *t = (struct mu_type){.kind = kind, .name = name, .leaves = 1, .parts = 1};
  return t;
}

/* Names of the values 0..count - 1, and of "undefined". */
static void set_names(struct mu_check *c, struct mu_type *t, const char **values, size_t count) {
  struct enumeration *names = arena_array(c->build.arena, 2, sizeof *names);
  values[count] = "undefined";
  names[0] = (struct enumeration){t->name ? t->name : "", values, count};
  names[1] = (struct enumeration){t->name ? t->name : "", values, count + 1};
  t->names = &names[0];
  t->stored = &names[1];
  t->lo = 0;
  t->hi = (int64_t)count - 1;
}

const char *mu_value_name(struct mu_check *c, const struct mu_type *t, int64_t value) {
  return named_value(t->names, value, c->build.arena);
}

/* ---- scalars ------------------------------------------------------------------------------------- */

static bool number(struct mu_check *c, const struct mu_expr *e, const char *what, int64_t *value) {
  const struct mu_type *type;
  if (!mu_constant(c, e, what, &type, value))
    return false;
  if (mu_is_number(type))
    return true;
  MU_ERROR(c, e->at, NULL, "%s is not a number", what);
  return false;
}

static const struct mu_type *range(struct mu_check *c, const struct mu_type_tree *tree, const char *name) {
  struct mu_type *t = new_type(c, MU_RANGE, name);
  if (!number(c, tree->lo, "the lower bound of the range", &t->lo) ||
      !number(c, tree->hi, "the upper bound of the range", &t->hi))
    return NULL;
  if (t->lo <= t->hi && -MU_LARGEST <= t->lo && t->hi <= MU_LARGEST)
    return t;
  if (t->lo > t->hi)
    MU_ERROR(c, tree->at, NULL, "the range %lld..%lld has no values", (long long)t->lo, (long long)t->hi);
  else
    MU_ERROR(c, tree->at, NULL, "the range exceeds %lld..%lld", (long long)-MU_LARGEST, (long long)MU_LARGEST);
  return NULL;
}

static const struct mu_type *enumeration(struct mu_check *c, const struct mu_type_tree *tree, const char *name) {
  struct mu_type *t = new_type(c, MU_ENUM, name);
  const char **values = arena_array(c->build.arena, tree->names.n + 1, sizeof *values);
  for (size_t i = 0; i < tree->names.n; i++) {
    values[i] = mu_name_text(c, tree->names.items[i]);
    mu_declare(c, (struct mu_symbol){.kind = MU_SYMBOL_CONSTANT,
                                     .name = tree->names.items[i],
                                     .type = t,
                                     .value = build_const(&c->build, (int64_t)i)});
  }
  set_names(c, t, values, tree->names.n);
  return t;
}

static const struct mu_type *scalarset(struct mu_check *c, const struct mu_type_tree *tree, const char *name) {
  struct mu_type *t = new_type(c, MU_SCALARSET, name);
  int64_t size;
  if (!number(c, tree->lo, "the size of the scalarset", &size))
    return NULL;
  if (size < 1 || size > BUILD_MAX_VALUES) {
    MU_ERROR(c, tree->lo->at, NULL, "the size of the scalarset is %lld; it must be within 1..%u", (long long)size,
             BUILD_MAX_VALUES);
    return NULL;
  }
  if (!build_spend(&c->build, tree->lo->at, 0, (size_t)size * (1 + (name ? strlen(name) : 0) / LONG_NAME)))
    return NULL;
  const char **values = arena_array(c->build.arena, (size_t)size + 1, sizeof *values);
  for (int64_t i = 0; i < size; i++)
    values[i] = arena_printf(c->build.arena, "%s_%lld", name ? name : "scalarset", (long long)i + 1);
  set_names(c, t, values, (size_t)size);
  mu_note_type(c, t);
  return t;
}

static const struct mu_type *union_of(struct mu_check *c, const struct mu_type_tree *tree, const char *name) {
  struct mu_type *t = new_type(c, MU_UNION, name);
  const struct mu_type **members = arena_array(c->build.arena, tree->member_count, sizeof *members);
  int64_t *offsets = arena_array(c->build.arena, tree->member_count, sizeof *offsets);
  int64_t count = 0;
  for (size_t i = 0; i < tree->member_count; i++) {
    members[i] = mu_type_of(c, tree->members[i], NULL);
    if (!members[i])
      return NULL;
    if (members[i]->kind != MU_ENUM && members[i]->kind != MU_SCALARSET) {
      MU_ERROR(c, tree->members[i]->at, NULL, "members of a union are enumerations and scalarsets");
      return NULL;
    }
    for (size_t k = 0; k < i; k++)
      if (members[k] == members[i]) {
        MU_ERROR(c, tree->members[i]->at, NULL, "this type is a member of the union already");
        return NULL;
      }
    offsets[i] = count;
    count += members[i]->hi + 1;
  }
  if (!build_spend(&c->build, tree->at, 0, (size_t)count))
    return NULL;
  const char **values = arena_array(c->build.arena, (size_t)count + 1, sizeof *values);
  for (size_t i = 0; i < tree->member_count; i++)
    for (int64_t v = 0; v <= members[i]->hi; v++)
      values[offsets[i] + v] = members[i]->names->values[v];
  t->members = members;
  t->offsets = offsets;
  t->member_count = tree->member_count;
  set_names(c, t, values, (size_t)count);
  mu_note_type(c, t);
  return t;
}

size_t mu_member_of(const struct mu_type *whole, const struct mu_type *member) {
  for (size_t i = 0; whole->kind == MU_UNION && i < whole->member_count; i++)
    if (whole->members[i] == member)
      return i;
  return SIZE_MAX;
}

/* ---- records and arrays -------------------------------------------------------------------------- */

/* Walks over a type take as many steps as it has parts. */
static bool contain(struct mu_check *c, struct mu_type *t, const struct mu_type *part, source_at at) {
  t->parts += part->parts;
  t->multisets |= part->multisets;
  t->depth = part->depth >= t->depth ? part->depth + 1 : t->depth;
  if (t->parts > BUILD_MAX_VALUES)
    MU_ERROR(c, at, NULL, "the type has more than %u parts", BUILD_MAX_VALUES);
  else if (t->depth > MOST_DEPTH)
    MU_ERROR(c, at, NULL, "records and arrays are nested more than %u deep", MOST_DEPTH);
  return t->parts <= BUILD_MAX_VALUES && t->depth <= MOST_DEPTH;
}

static bool field_is_taken(const struct mu_field *fields, size_t count, uint32_t id) {
  for (size_t i = 0; i < count; i++)
    if (fields[i].name.id == id)
      return true;
  return false;
}

static const struct mu_type *record(struct mu_check *c, const struct mu_type_tree *tree, const char *name) {
  struct mu_type *t = new_type(c, MU_RECORD, name);
  struct mu_field *fields = NULL;
  size_t cap = 0;
  t->leaves = 0;
  for (size_t d = 0; d < tree->fields->n; d++) {
    const struct mu_declaration *declared = &tree->fields->items[d];
    const struct mu_type *type = mu_type_of(c, declared->type, NULL);
    if (!type)
      return NULL;
    for (size_t i = 0; i < declared->names.n; i++) {
      const struct mu_name field = declared->names.items[i];
      if (field_is_taken(fields, t->field_count, field.id))
        MU_ERROR(c, field.at, NULL, "the record has a field '%s' already", mu_name_text(c, field));
      *ARENA_PUSH(c->build.arena, fields, t->field_count, cap) = (struct mu_field){field, type, t->leaves};
      t->leaves += type->leaves;
      if (!contain(c, t, type, field.at) || !build_spend(&c->build, field.at, 0, t->field_count / LONG_NAME))
        return NULL;
    }
  }
  t->fields = fields;
  return t;
}

static const struct mu_type *array(struct mu_check *c, const struct mu_type_tree *tree, const char *name) {
  struct mu_type *t = new_type(c, MU_ARRAY, name);
  t->index = mu_type_of(c, tree->index, NULL);
  t->element = mu_type_of(c, tree->element, NULL);
  if (!t->index || !t->element)
    return NULL;
  if (!mu_is_scalar(t->index) || t->index->hi - t->index->lo >= BUILD_MAX_VALUES) {
    MU_ERROR(c, tree->index->at, NULL, "the index of an array is a scalar of at most %u values", BUILD_MAX_VALUES);
    return NULL;
  }
  t->leaves = t->element->leaves;
  return contain(c, t, t->element, tree->at) ? t : NULL;
}

static const struct mu_type *multiset(struct mu_check *c, const struct mu_type_tree *tree, const char *name) {
  struct mu_type *t = new_type(c, MU_MULTISET, name), *slot = new_type(c, MU_SLOT, NULL);
  int64_t size;
  if (!number(c, tree->lo, "the size of the multiset", &size))
    return NULL;
  if (size < 1 || size > MOST_SLOTS) {
    MU_ERROR(c, tree->lo->at, NULL, "the size of the multiset is %lld; it must be within 1..%d", (long long)size,
             MOST_SLOTS);
    return NULL;
  }
  t->element = mu_type_of(c, tree->element, NULL);
  if (!t->element)
    return NULL;
  if (t->element->multisets) {
    MU_ERROR(c, tree->element->at, NULL, "floe does not read multisets of multisets");
    return NULL;
  }
  slot->hi = size - 1;
  slot->element = t;
  t->index = slot;
  t->multisets = true;
  t->leaves = t->element->leaves + 1;
  return contain(c, t, t->element, tree->at) ? t : NULL;
}

static const struct mu_type *named(struct mu_check *c, const struct mu_type_tree *tree) {
  const struct mu_symbol *symbol = mu_resolve(c, tree->name);
  if (!symbol)
    return NULL;
  if (symbol->kind == MU_SYMBOL_TYPE)
    return symbol->type;
  MU_ERROR(c, tree->at, NULL, "'%s' is not a type", mu_name_text(c, tree->name));
  return NULL;
}

const struct mu_type *mu_type_of(struct mu_check *c, const struct mu_type_tree *tree, const char *name) {
  switch (tree->form) {
  case MU_TYPE_NAME:
    return named(c, tree);
  case MU_TYPE_BOOLEAN:
    return &c->boolean;
  case MU_TYPE_RANGE:
    return range(c, tree, name);
  case MU_TYPE_ENUM:
    return enumeration(c, tree, name);
  case MU_TYPE_SCALARSET:
    return scalarset(c, tree, name);
  case MU_TYPE_RECORD:
    return record(c, tree, name);
  case MU_TYPE_ARRAY:
    return array(c, tree, name);
  case MU_TYPE_MULTISET:
    return multiset(c, tree, name);
  default:
    return union_of(c, tree, name);
  }
}

/* ---- relations ----------------------------------------------------------------------------------- */

bool mu_compatible(const struct mu_type *a, const struct mu_type *b) {
  if (mu_is_number(a) && mu_is_number(b))
    return true;
  if (a->kind == MU_UNION && b->kind != MU_UNION)
    return mu_member_of(a, b) != SIZE_MAX;
  if (b->kind == MU_UNION && a->kind != MU_UNION)
    return mu_member_of(b, a) != SIZE_MAX;
  return mu_equivalent(a, b);
}

static bool same_fields(const struct mu_type *a, const struct mu_type *b) {
  if (a->field_count != b->field_count)
    return false;
  for (size_t i = 0; i < a->field_count; i++)
    if (a->fields[i].name.id != b->fields[i].name.id || !mu_equivalent(a->fields[i].type, b->fields[i].type))
      return false;
  return true;
}

bool mu_equivalent(const struct mu_type *a, const struct mu_type *b) {
  if (a == b)
    return true;
  if (a->kind != b->kind)
    return false;
  switch (a->kind) {
  case MU_RANGE:
    return a->lo == b->lo && a->hi == b->hi;
  case MU_RECORD:
    return same_fields(a, b);
  case MU_SLOT:
    return mu_equivalent(a->element, b->element);
  case MU_MULTISET:
    return a->index->hi == b->index->hi && mu_equivalent(a->element, b->element);
  case MU_ARRAY:
    return mu_equivalent(a->index, b->index) && mu_equivalent(a->element, b->element);
  default:
    return false;
  }
}

const char *mu_type_text(struct mu_check *c, const struct mu_type *t) {
  static const char *const kinds[] = {
      "a number", "a number", "a truth value", "an enumeration", "a scalarset", "a union", "an element of a multiset",
      "a record", "an array", "a multiset"};
  return t->name && !mu_is_number(t) ? arena_printf(c->build.arena, "of type '%s'", t->name) : kinds[t->kind];
}
