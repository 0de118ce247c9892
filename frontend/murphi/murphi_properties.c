/* Invariants, cover and liveness properties. Those in rulesets: an invariant holds for all parameters; a cover or
   liveness property is one for each choice of parameters. */
#include "frontend/murphi/murphi_check.h"

#include <string.h>

struct property_list {
  struct property *items;
  size_t n;
  size_t invariants, covers, livenesses; /* seen so far: their numbers are their names */
  bool full;
  bool symmetric;       /* in a ruleset over a scalarset */
  bool parts_symmetric; /* the property that is expanded is in one */
  /* Of the property that is expanded. */
  const struct mu_item *item;
  const struct expr **parts;
  size_t part_count, part_cap;
};

static bool id_is_taken(const struct property_list *l, const char *id) {
  for (size_t i = 0; i < l->n; i++)
    if (strcmp(l->items[i].id, id) == 0)
      return true;
  return strcmp(id, "deadlock") == 0 || strcmp(id, "errors") == 0;
}

/* The name as written, or "invariant 1"; another number if it is taken. */
static const char *id_of(struct mu_check *c, const struct property_list *l, const char *kind, size_t number) {
  const char *name = l->item->name && *l->item->name ? l->item->name : NULL;
  const char *id = name ? name : arena_printf(c->build.arena, "%s %zu", kind, number);
  for (size_t i = 2; id_is_taken(l, id); i++)
    id = arena_printf(c->build.arena, "%s (%zu)", name ? name : kind, i);
  return id;
}

static const char *word_of(floe_property_kind kind) {
  return kind == FLOE_INVARIANT ? "invariant" : kind == FLOE_RECOVERABLE ? "liveness" : "cover";
}

static void add(struct mu_check *c, struct property_list *l, floe_property_kind kind, const struct expr *expr,
                size_t number) {
  struct builder *b = &c->build;
  if (!expr)
    return;
  mu_limit(c, expr, l->item->expr->at);
  if (c->start_firings) { /* nothing is said about the state before the start states */
    const struct expr *started = build_read(b, NOWHERE, c->started, NULL);
    expr = kind == FLOE_INVARIANT ? build_binary(b, EXPR_OR, expr->at, build_not(b, expr->at, started), expr)
                                  : build_binary(b, EXPR_AND, expr->at, started, expr);
  }
  if (l->n == MODEL_MAX_PROPERTIES) {
    MU_ERROR(c, l->item->at, "join invariants by '&'", "the model has more than %d properties", MODEL_MAX_PROPERTIES);
    l->full = true;
    return;
  }
  l->items[l->n] = (struct property){.id = id_of(c, l, word_of(kind), number),
                                     .description = "",
                                     .kind = kind,
                                     .expr = expr,
                                     .text = mu_expr_text(c, l->item->expr),
                                     .at = l->item->expr->at};
  l->n++;
}

/* ---- walk ---------------------------------------------------------------------------------------- */

static void walk_items(struct mu_check *c, struct property_list *l, const struct mu_items *items, bool global);

static void walk_children(struct mu_check *c, struct property_list *l, const struct mu_item *item, size_t depth) {
  struct mu_rounds rounds;
  if (item->kind == MU_I_ALIAS) {
    mu_bind_aliases(c, &item->aliases);
    walk_items(c, l, &item->children, false);
    return;
  }
  if (depth == item->quantifiers.n) {
    walk_items(c, l, &item->children, false);
    return;
  }
  if (!mu_rounds_of(c, &item->quantifiers.items[depth], &rounds))
    return;
  const bool outer = l->symmetric;
  l->symmetric = l->symmetric || mu_is_symmetric(c, rounds.type);
  for (uint64_t i = 0; i < rounds.count && build_spend(&c->build, item->at, 0, 1); i++) {
    const struct mu_scope scope = mu_open_scope(c);
    mu_declare(c, (struct mu_symbol){.kind = MU_SYMBOL_VALUE,
                                     .name = item->quantifiers.items[depth].name,
                                     .type = rounds.type,
                                     .value = mu_round_value(c, &rounds, i, item->at)});
    walk_children(c, l, item, depth + 1);
    mu_close_scope(c, scope);
  }
  l->symmetric = outer;
}

static void walk_item(struct mu_check *c, struct property_list *l, const struct mu_item *item, bool global) {
  struct mu_scope scope;
  switch (item->kind) {
  case MU_I_RULESET:
  case MU_I_ALIAS:
    scope = mu_open_scope(c);
    walk_children(c, l, item, 0);
    mu_close_scope(c, scope);
    break;
  case MU_I_DECLARATION:
    if (!global)
      mu_declare_item(c, &item->declaration, false);
    break;
  case MU_I_FUNCTION:
    if (!global)
      mu_declare_function(c, item->function);
    break;
  default:
    if (item != l->item)
      break;
    l->parts_symmetric = l->symmetric;
    if (l->symmetric && item->kind != MU_I_INVARIANT && item->kind != MU_I_ASSUME)
      mu_refuse_choices(c, item->at);
    *ARENA_PUSH(c->build.arena, l->parts, l->part_count, l->part_cap) = mu_condition(c, item->expr);
  }
}

static void walk_items(struct mu_check *c, struct property_list *l, const struct mu_items *items, bool global) {
  for (size_t i = 0; i < items->n && !c->build.stop; i++)
    walk_item(c, l, &items->items[i], global);
}

/* ---- properties one by one ----------------------------------------------------------------------- */

static void lower_property(struct mu_check *c, struct property_list *l, const struct mu_item *item) {
  l->item = item;
  l->part_count = 0;
  l->parts_symmetric = false;
  const size_t errors = c->build.errors;
  walk_items(c, l, &c->file->items, true);
  if (c->build.errors > errors || !l->part_count)
    return;
  if (item->kind == MU_I_INVARIANT)
    add(c, l, FLOE_INVARIANT, mu_all_values(c, l->parts_symmetric, true, item->expr->at, l->parts, l->part_count),
        ++l->invariants);
  const bool is_cover = item->kind == MU_I_COVER;
  for (size_t i = 0; item->kind != MU_I_INVARIANT && i < l->part_count && !l->full; i++)
    add(c, l, is_cover ? FLOE_REACHABLE : FLOE_RECOVERABLE, l->parts[i], is_cover ? ++l->covers : ++l->livenesses);
}

static void add_assumptions(struct mu_check *c, struct property_list *l, const struct mu_items *items) {
  for (size_t i = 0; i < items->n && !c->build.stop; i++) {
    const struct mu_item *item = &items->items[i];
    if (item->kind == MU_I_RULESET || item->kind == MU_I_ALIAS)
      add_assumptions(c, l, &item->children);
    if (item->kind != MU_I_ASSUME)
      continue;
    l->item = item;
    walk_items(c, l, &c->file->items, true);
  }
}

const struct expr *mu_assumption(struct mu_check *c) {
  struct property_list l = {0};
  const size_t errors = c->build.errors;
  c->block = NULL;
  add_assumptions(c, &l, &c->file->items);
  if (!l.part_count || c->build.errors > errors)
    return NULL;
  const struct expr *all = mu_all_values(c, c->symmetric, true, NOWHERE, l.parts, l.part_count);
  mu_limit(c, all, l.item->expr->at);
  return all;
}

static void lower_items(struct mu_check *c, struct property_list *l, const struct mu_items *items) {
  for (size_t i = 0; i < items->n && !c->build.stop && !l->full; i++) {
    const struct mu_item *item = &items->items[i];
    if (item->kind == MU_I_RULESET || item->kind == MU_I_ALIAS)
      lower_items(c, l, &item->children);
    else if (item->kind == MU_I_INVARIANT || item->kind == MU_I_COVER || item->kind == MU_I_LIVENESS)
      lower_property(c, l, item);
  }
}

/* Statements in rules, in the order in which they were translated. */
static void lower_covers(struct mu_check *c, struct property_list *l) {
  for (size_t i = 0; i < c->cover_count && !l->full && !c->build.stop; i++) {
    const struct mu_statement *s = c->covers[i].statement;
    const struct mu_item item = {.at = s->at, .name = s->text, .expr = s->value};
    l->item = &item;
    if (c->prioritised)
      MU_ERROR(c, s->at, "write it outside of rules", "floe does not read 'cover' in rules with priorities");
    else
      add(c, l, FLOE_REACHABLE, mu_covered(c, i), ++l->covers);
  }
}

void mu_lower_properties(struct mu_check *c) {
  struct model *model = c->build.model;
  struct property_list l = {.items = arena_array(c->build.arena, MODEL_MAX_PROPERTIES + 2, sizeof *l.items)};
  c->block = NULL;
  lower_items(c, &l, &c->file->items);
  lower_covers(c, &l);
  l.items[l.n++] =
      (struct property){.id = "deadlock", .description = "", .kind = FLOE_DEADLOCK, .text = "", .at = NOWHERE};
  l.items[l.n++] = (struct property){.id = "errors", .description = "", .kind = FLOE_ERRORS, .text = "", .at = NOWHERE};
  model->properties = l.items;
  model->property_count = l.n;
  model->stuttering = true;
}
