/* `else` becomes one guard for each other transition that leaves the location: it is not enabled. The guards are
   evaluated in the order of the file, up to the first enabled transition. */
#include "frontend/lower/check_else.h"

#include "frontend/expr/check_names.h"
#include "frontend/lower/check_buffers.h"
#include "frontend/lower/transition_builder.h"

/* ---- unsupported uses ------------------------------------------------------------------ */

static bool leaves(const struct edge_info *info, uint32_t from) {
  for (size_t k = 0; k < info->from_count; k++)
    if (info->from[k] == from)
      return true;
  return false;
}

/* True if the transition needs other instances to be enabled. */
static bool needs_others(const struct check *c, const struct edge_info *info) {
  if (info->channel == NONE)
    return false;
  const struct channel *channel = &c->channels[info->channel];
  return !channel->capacity && !(channel->broadcast && info->syntax->sync->send);
}

/* False: an error was reported; *others counts the other transitions of the location. */
static bool check_location(struct check *c, const struct template *process, const struct edge_info *info, uint32_t from,
                           size_t *others) {
  for (size_t i = 0; i < process->syntax->transition_count; i++) {
    const struct edge_info *other = &process->edges[i];
    if (other->syntax->otherwise || !leaves(other, from))
      continue;
    ++*others;
    if (!needs_others(c, other))
      continue;
    bool broadcast = c->channels[other->channel].broadcast;
    CHECK_ERROR(
        c, info->syntax->guard->at, "write the condition as an expression, or receive at a separate location",
        "'else' cannot be decided at location '%s': whether the %s of %s is possible depends on other instances",
        process->syntax->locations[from].name, broadcast ? "receive" : "handshake",
        source_line(c, info->syntax->guard->at, other->syntax->at));
    return false;
  }
  return true;
}

static void check_edge(struct check *c, const struct template *process, struct edge_info *info) {
  const struct syntax_transition *t = info->syntax;
  size_t others = 0, k = 0;
  if (t->sync) {
    CHECK_ERROR(c, t->sync->channel->at, NULL, "a transition with guard=\"else\" cannot send or receive");
    info->bad = true;
    return;
  }
  if (!build_spend(&c->build, t->at, 0, info->from_count * process->syntax->transition_count))
    return;
  while (k < info->from_count && check_location(c, process, info, info->from[k], &others))
    k++;
  if (k == info->from_count && !others && !info->bad)
    CHECK_WARN(c, t->guard->at, NULL, "this guard is always true: no other transition starts here");
}

void else_check(struct check *c, const struct template *process) {
  for (size_t i = 0; i < process->syntax->transition_count; i++)
    if (process->edges[i].syntax->otherwise)
      check_edge(c, process, &process->edges[i]);
}

/* ---- guards ----------------------------------------------------------------------------- */

/* Condition of the edge, without location and priority. `chosen`: values of its selects; NULL: it has none. */
static const struct expr *ready(struct check *c, struct process_edge *edge, const int64_t *chosen) {
  const struct syntax_transition *t = edge->info->syntax;
  if (t->sync && c->channels[edge->info->channel].capacity)
    return build_truth(&c->build, buffer_ready(c, edge, chosen));
  const struct lowered_part *part = chosen ? lowered_part_chosen(c, edge, chosen) : lowered_part_get(c, edge, 0);
  if (!part)
    return NULL;
  const struct expr *all = part->guard;
  if (t->sync && part->element && part->element->can_fail) /* the element of a broadcast channel must exist */
    all = build_binary(&c->build, EXPR_AND, t->at, all,
                       build_binary(&c->build, EXPR_OR, t->at, part->element, build_const(&c->build, 1)));
  return build_truth(&c->build, all);
}

/* True for some values of the selects. */
static const struct expr *ready_somehow(struct check *c, struct process_edge *edge) {
  const struct lowered_part *any = edge->parts;
  const struct expr **items = NULL;
  size_t n = 0, cap = 0;
  if (!any->select_count)
    return ready(c, edge, NULL);
  int64_t *chosen = choice_first(c, any);
  do {
    const struct expr *item = ready(c, edge, chosen);
    if (!item)
      return NULL;
    if (!is_constant_false(item) && build_spend(&c->build, edge->info->syntax->at, 1, 0))
      *ARENA_PUSH(c->build.arena, items, n, cap) = item;
  } while (!c->build.stop && choice_next(any, chosen));
  return n ? build_all(&c->build, EXPR_OR, edge->info->syntax->at, items, n) : build_const(&c->build, 0);
}

void else_test(struct check *c, const struct process_edge *edge, uint32_t from) {
  const struct template *process = edge->process;
  size_t edges = process->syntax->transition_count;
  source_at at = edge->info->syntax->guard->at;
  for (size_t i = 0; i < edges && !c->build.stop; i++) {
    struct process_edge *other = &process->instance_edges[edge->instance * edges + i];
    if (other->info->syntax->otherwise || !leaves(other->info, from) || other->parts->never)
      continue;
    const struct expr *busy = build_not(&c->build, at, ready_somehow(c, other));
    transition_builder_guard(c, build_placed(&c->build, at, busy));
  }
}
