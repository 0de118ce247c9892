/* Elements of variables: names with indices and fields. */
#include "frontend/promela/promela_check.h"

#define MAX_DEPTH 32 /* of fields */

/* a[i] or .a[i] */
struct component {
  uint32_t name;
  source_at at;
  const struct pr_expr *index; /* NULL: none */
};
struct components {
  struct component items[MAX_DEPTH];
  size_t n;
};

/* False: an error is logged. */
static bool split(const struct pr_context *x, const struct pr_expr *e, struct components *out) {
  const struct pr_expr *index = NULL;
  size_t n = 0;
  struct component reversed[MAX_DEPTH];
  for (; e; e = e->a) {
    if (e->op == PR_E_INDEX && !index) {
      index = e->b;
      continue;
    }
    if (n == MAX_DEPTH || (e->op != PR_E_NAME && e->op != PR_E_FIELD)) {
      PR_ERROR(x->check, e->at, NULL, "expected a variable");
      return false;
    }
    reversed[n++] = (struct component){e->name.id, e->name.at, index};
    index = NULL;
    if (e->op == PR_E_NAME)
      break;
  }
  out->n = n;
  for (size_t i = 0; i < n; i++)
    out->items[i] = reversed[n - 1 - i];
  return true;
}

static bool begins_with(const struct pr_leaf *leaf, const struct components *all) {
  if (leaf->depth + 1 < all->n)
    return false;
  for (size_t i = 1; i < all->n; i++)
    if (leaf->path[i - 1] != all->items[i].name)
      return false;
  return true;
}

/* Number of the record or value within the leaf; NULL: an error is logged. */
static const struct expr *index_of(const struct pr_context *x, const struct pr_leaf *leaf,
                                   const struct components *all) {
  struct builder *b = &x->check->build;
  const struct expr *index = build_const(b, 0);
  for (size_t i = 0; i < all->n; i++) {
    const struct component *part = &all->items[i];
    const uint32_t size = leaf->sizes[i];
    if (part->index && !size) {
      PR_ERROR(x->check, part->at, NULL, "'%s' is not an array", PR_NAME_OF(x->check, part->name));
      return NULL;
    }
    if (!part->index && size) {
      const char *name = PR_NAME_OF(x->check, part->name);
      PR_ERROR(x->check, part->at, arena_printf(b->arena, "name an element: %s[0]", name), "'%s' is an array", name);
      return NULL;
    }
    if (!size)
      continue;
    const struct expr *own =
        build_index(b, part->index->at, pr_lower(x, part->index), size, PR_NAME_OF(x->check, part->name));
    index = build_binary(b, EXPR_MUL, part->at, index, build_const(b, size));
    index = build_binary(b, EXPR_ADD, part->at, index, own);
  }
  return index;
}

static bool refer_leaf(const struct pr_context *x, const struct pr_process *owner, struct pr_leaf *leaf,
                       const struct components *all, struct pr_references *out) {
  struct builder *b = &x->check->build;
  const struct expr *first = index_of(x, leaf, all);
  uint32_t inner = 1;
  for (size_t i = all->n; i <= leaf->depth; i++)
    inner *= leaf->sizes[i] ? leaf->sizes[i] : 1;
  if (!first)
    return false;
  const source_at at = all->items[0].at;
  first = build_binary(b, EXPR_MUL, at, first, build_const(b, inner));
  for (uint32_t i = 0; i < inner; i++) {
    const struct expr *index = build_binary(b, EXPR_ADD, at, first, build_const(b, i));
    if (!index || !build_spend(b, at, 1, 1))
      return false;
    *ARENA_PUSH(b->arena, out->items, out->n, out->cap) =
        (struct pr_reference){leaf, owner, owner ? x->instance : 0, index, at};
  }
  return true;
}

static const struct pr_symbol *find_root(const struct pr_context *x, const struct components *all,
                                         const struct pr_process **owner) {
  const struct pr_symbol *symbol = pr_find(x, all->items[0].name, owner);
  if (!symbol)
    PR_ERROR(x->check, all->items[0].at, pr_suggestion(x, all->items[0].name), "there is no variable '%s'",
             PR_NAME_OF(x->check, all->items[0].name));
  return symbol;
}

bool pr_refer(const struct pr_context *x, const struct pr_expr *e, struct pr_references *out) {
  struct components all;
  const struct pr_process *owner;
  if (!e || !split(x, e, &all))
    return false;
  const struct pr_symbol *symbol = find_root(x, &all, &owner);
  if (!symbol)
    return false;
  const size_t before = out->n;
  for (size_t i = 0; i < symbol->leaf_count; i++)
    if (begins_with(&symbol->leaves[i], &all) && !refer_leaf(x, owner, &symbol->leaves[i], &all, out))
      return false;
  if (out->n > before)
    return true;
  PR_ERROR(x->check, all.items[all.n - 1].at, NULL, "'%s' has no such field '%s'",
           PR_NAME_OF(x->check, all.items[0].name), PR_NAME_OF(x->check, all.items[all.n - 1].name));
  return false;
}

bool pr_refer_one(const struct pr_context *x, const struct pr_expr *e, struct pr_reference *out) {
  struct pr_references all = {0};
  if (!pr_refer(x, e, &all))
    return false;
  *out = all.items[0];
  if (all.n == 1)
    return true;
  PR_ERROR(x->check, e->at, "name a field", "a record is no value");
  return false;
}

void pr_mark_assigned(const struct pr_context *x, const struct pr_expr *e) {
  struct components all;
  const struct pr_process *owner;
  const struct pr_symbol *symbol = split(x, e, &all) ? find_root(x, &all, &owner) : NULL;
  for (size_t i = 0; symbol && i < symbol->leaf_count; i++)
    symbol->leaves[i].assigned |= begins_with(&symbol->leaves[i], &all);
}

/* Within all instances. */
static const struct expr *place_of(struct pr_check *c, const struct pr_reference *r) {
  return build_offset(&c->build, r->at, build_const(&c->build, r->instance), r->leaf->count, r->index);
}

const struct expr *pr_read(const struct pr_context *x, const struct pr_reference *r) {
  struct builder *b = &x->check->build;
  const struct expr *place = place_of(x->check, r);
  if (!place)
    return NULL;
  if (!r->leaf->declared) {
    PR_ERROR(x->check, r->at, NULL, "a constant is needed here");
    return NULL;
  }
  if (r->leaf->variable == PR_NONE)
    return build_binary(b, EXPR_ADD, r->at, place, build_const(b, r->leaf->first_queue + 1));
  r->leaf->read |= !x->unread;
  if (!x->constant)
    return build_read(b, r->at, r->leaf->variable, place);
  if (place->op == EXPR_CONST)
    return build_const(b, x->check->variables[r->leaf->variable].init[place->value]);
  PR_ERROR(x->check, r->at, NULL, "a constant is needed here");
  return NULL;
}

void pr_store(struct pr_check *c, struct statements *out, source_at at, uint32_t variable, const struct expr *place,
              const struct expr *value) {
  if (!value || !place || !build_spend(&c->build, at, 1, 0))
    return;
  *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) =
      (struct statement){.op = ST_ASSIGN,
                         .at = at,
                         .id = variable,
                         .index = is_constant_false(place) ? NULL : place,
                         .value = value,
                         .site = build_assign_site(&c->build, value, at, &c->variables[variable])};
}

void pr_set(struct pr_check *c, struct statements *out, source_at at, uint32_t variable, uint32_t element,
            const struct expr *value) {
  pr_store(c, out, at, variable, build_const(&c->build, element), value);
}

void pr_assign(struct pr_check *c, struct statements *out, const struct pr_reference *r, const struct expr *value) {
  const size_t before = out->n;
  pr_store(c, out, r->at, r->leaf->variable, place_of(c, r), pr_wrapped(c, r->at, value, &r->leaf->scalar));
  if (c->ranges && out->n > before)
    build_site_proved(&c->build, out->items[before].site);
}
