#include "frontend/pnml/ground_properties.h"
#include "frontend/pnml/read_net.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Longer conditions have no text: their place in the file is shown. */
#define LONGEST_TEXT 60 /* operators and operands */

static const struct expr *condition(struct net_grounding *g, const struct xml_element *e);
static const struct expr *number(struct net_grounding *g, const struct xml_element *e);

static bool is(const struct xml_element *e, const char *name) { return strcmp(e->name, name) == 0; }

const char *condition_text(struct net_grounding *g, const struct expr *expr) {
  if (expr->size <= LONGEST_TEXT)
    return expr_text(g->build.model, expr, g->build.arena);
  return arena_printf(g->build.arena, "a condition of %u operators and operands", expr->size);
}

int operand_count(struct net_grounding *g, const struct xml_element *e, int least, int most) {
  int n = 0;
  for (const struct xml_element *child = e->children; child; child = child->next)
    n++;
  if (n >= least && n <= most)
    return n;
  if (least == most)
    BUILD_ERROR(&g->build, e->at, NULL, "'%s' has %d parts; it needs %d", e->name, n, least);
  else
    BUILD_ERROR(&g->build, e->at, NULL, "'%s' has %d parts; it needs at least %d", e->name, n, least);
  return -1;
}

bool is_condition(const struct xml_element *e) {
  static const char *const words[] = {"finally", "globally", "next", "until", "exists-path", "all-paths"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is(e, words[i]))
      return false;
  for (const struct xml_element *child = e->children; child; child = child->next)
    if (!is_condition(child))
      return false;
  return true;
}

/* ---- lists of places and transitions ------------------------------------------------------------ */

/* NULL: logged. */
static const struct net_group *group_of(struct net_grounding *g, const struct xml_element *e, bool is_place) {
  const char *id = trimmed(&e->text, g->build.arena), *kind = is_place ? "place" : "transition";
  const struct id_table *ids = is_place ? &g->net->place_ids : &g->net->transition_ids;
  uint32_t found;
  if (!is(e, kind)) {
    BUILD_ERROR(&g->build, e->at, NULL, "expected an element '%s', not '%.60s'", kind, e->name);
    return NULL;
  }
  if (id_table_find(ids, id, &found))
    return &g->net->groups[found];
  BUILD_ERROR(&g->build, e->at, id_table_hint(ids, id, g->build.arena), "the net has no %s '%.100s'", kind, id);
  return NULL;
}

bool ground_places(struct net_grounding *g, const struct xml_element *list, uint32_t **places, size_t *count) {
  size_t cap = 0;
  *places = NULL;
  *count = 0;
  for (const struct xml_element *e = list->children; e; e = e->next) {
    const struct net_group *group = group_of(g, e, true);
    if (!group)
      return false;
    for (uint32_t i = 0; i < group->count; i++)
      *ARENA_PUSH(g->build.arena, *places, *count, cap) = group->first + i;
  }
  return true;
}

static const struct expr *tokens(struct net_grounding *g, const struct xml_element *e) {
  struct builder *b = &g->build;
  uint32_t *places;
  size_t n;
  if (!ground_places(g, e, &places, &n))
    return NULL;
  const struct expr **reads = arena_array(b->arena, n + 1, sizeof *reads);
  for (size_t i = 0; i < n; i++)
    reads[i] = build_read(b, e->at, places[i], NULL);
  return n ? build_all(b, EXPR_ADD, e->at, reads, n) : build_const(b, 0);
}

static const struct expr *fireable(struct net_grounding *g, const struct xml_element *e) {
  struct builder *b = &g->build;
  const struct expr **enabled = NULL;
  size_t n = 0, cap = 0;
  for (const struct xml_element *child = e->children; child; child = child->next) {
    const struct net_group *group = group_of(g, child, false);
    if (!group)
      return NULL;
    for (uint32_t i = 0; i < group->count; i++)
      *ARENA_PUSH(b->arena, enabled, n, cap) = ground_enabled(g, group->first + i);
  }
  return n ? build_all(b, EXPR_OR, e->at, enabled, n) : build_const(b, 0);
}

static const struct expr *deadlock(struct net_grounding *g, const struct xml_element *e) {
  struct builder *b = &g->build;
  const uint32_t n = (uint32_t)(g->written ? g->written : g->net)->transition_count;
  const struct expr **enabled = arena_array(b->arena, n, sizeof *enabled);
  for (uint32_t i = 0; i < n; i++)
    enabled[i] = ground_enabled(g, i);
  return n ? build_not(b, e->at, build_all(b, EXPR_OR, e->at, enabled, n)) : build_const(b, 1);
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static const struct expr *constant(struct net_grounding *g, const struct xml_element *e) {
  const char *text = trimmed(&e->text, g->build.arena);
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (*text && !*end && errno == 0)
    return build_const(&g->build, value);
  BUILD_ERROR(&g->build, e->at, NULL, "'%.60s' is not a whole number", text);
  return NULL;
}

static const struct expr *sum(struct net_grounding *g, const struct xml_element *e, enum expr_op op) {
  const struct expr *result = NULL;
  if (operand_count(g, e, 1, INT_MAX) < 0)
    return NULL;
  for (const struct xml_element *child = e->children; child; child = child->next) {
    const struct expr *term = number(g, child);
    result = child == e->children ? term : build_binary(&g->build, op, e->at, result, term);
  }
  return result;
}

static const struct expr *number(struct net_grounding *g, const struct xml_element *e) {
  if (is(e, "integer-constant"))
    return constant(g, e);
  if (is(e, "tokens-count"))
    return tokens(g, e);
  if (is(e, "integer-sum"))
    return sum(g, e, EXPR_ADD);
  if (is(e, "integer-difference"))
    return sum(g, e, EXPR_SUB);
  BUILD_ERROR(&g->build, e->at, "numbers are integer-constant, tokens-count, integer-sum and integer-difference",
              "'%.60s' is not a number", e->name);
  return NULL;
}

/* ---- conditions --------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  enum expr_op op;
  bool reversed;
} comparisons[] = {
    {"integer-le", EXPR_LE, false}, {"integer-lt", EXPR_LT, false}, {"integer-ge", EXPR_LE, true},
    {"integer-gt", EXPR_LT, true},  {"integer-eq", EXPR_EQ, false}, {"integer-ne", EXPR_NE, false},
};

static const struct expr *compare(struct net_grounding *g, const struct xml_element *e, size_t which) {
  struct builder *b = &g->build;
  if (operand_count(g, e, 2, 2) < 0)
    return NULL;
  const struct expr *x = number(g, e->children), *y = number(g, e->children->next);
  return comparisons[which].reversed ? build_binary(b, comparisons[which].op, e->at, y, x)
                                     : build_binary(b, comparisons[which].op, e->at, x, y);
}

static const struct expr *join(struct net_grounding *g, const struct xml_element *e, enum expr_op op) {
  const struct expr **parts = NULL;
  size_t n = 0, cap = 0;
  if (operand_count(g, e, 1, INT_MAX) < 0)
    return NULL;
  for (const struct xml_element *child = e->children; child; child = child->next)
    *ARENA_PUSH(g->build.arena, parts, n, cap) = condition(g, child);
  return build_all(&g->build, op, e->at, parts, n);
}

static const struct expr *negation(struct net_grounding *g, const struct xml_element *e) {
  return operand_count(g, e, 1, 1) < 0 ? NULL : build_not(&g->build, e->at, condition(g, e->children));
}

/* Both operands are 0 or 1. */
static const struct expr *equality(struct net_grounding *g, const struct xml_element *e, enum expr_op op) {
  if (operand_count(g, e, 2, 2) < 0)
    return NULL;
  return build_binary(&g->build, op, e->at, condition(g, e->children), condition(g, e->children->next));
}

static const struct expr *implication(struct net_grounding *g, const struct xml_element *e) {
  struct builder *b = &g->build;
  if (operand_count(g, e, 2, 2) < 0)
    return NULL;
  const struct expr *premise = build_not(b, e->at, condition(g, e->children));
  return build_binary(b, EXPR_OR, e->at, premise, condition(g, e->children->next));
}

static const struct expr *condition(struct net_grounding *g, const struct xml_element *e) {
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (is(e, comparisons[i].name))
      return compare(g, e, i);
  if (is(e, "conjunction"))
    return join(g, e, EXPR_AND);
  if (is(e, "disjunction"))
    return join(g, e, EXPR_OR);
  if (is(e, "negation"))
    return negation(g, e);
  if (is(e, "implication"))
    return implication(g, e);
  if (is(e, "equivalence"))
    return equality(g, e, EXPR_EQ);
  if (is(e, "exclusive-disjunction"))
    return equality(g, e, EXPR_NE);
  if (is(e, "is-fireable"))
    return fireable(g, e);
  if (is(e, "deadlock"))
    return deadlock(g, e);
  if (is(e, "true") || is(e, "false"))
    return build_const(&g->build, is(e, "true"));
  BUILD_ERROR(&g->build, e->at, NULL, "'%.60s' is not a condition on a state", e->name);
  return NULL;
}

const struct expr *ground_condition(struct net_grounding *g, const struct xml_element *e) {
  const struct expr *expr = condition(g, e);
  return expr ? build_truth(&g->build, expr) : NULL;
}
