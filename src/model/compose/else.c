/* `else` becomes one guard for each other transition that leaves the location: it is not enabled. The guards are
   evaluated in the order of the edges, up to the first enabled transition. */
#include "model/compose/else.h"

#include "model/compose/buffer.h"
#include "model/compose/transition_builder.h"

/* ---- uses that cannot be decided --------------------------------------------------------- */

/* True if the transition needs other instances to be enabled. */
static bool needs_others(const struct compose *c, const struct compose_edge *edge) {
  if (edge->channel == COMPOSE_NONE)
    return false;
  const struct channel *channel = channel_of(c, edge);
  return !channel->capacity && !(channel->broadcast && edge->sends);
}

static void find_at_location(const struct compose *c, const struct compose_process *process, uint32_t from,
                             struct else_finding *finding) {
  for (size_t i = 0; i < process->edge_count && !finding->undecided; i++) {
    const struct compose_edge *other = &process->edges[i];
    if (other->otherwise || !leaves(other, from))
      continue;
    finding->others++;
    if (!needs_others(c, other))
      continue;
    finding->undecided = other;
    finding->location = from;
  }
}

struct else_finding compose_else_find(struct compose *c, const struct compose_process *process,
                                      const struct compose_edge *edge) {
  struct else_finding finding = {0};
  if (!build_spend(c->build, edge->at, 0, edge->from_count * process->edge_count))
    return finding;
  for (size_t k = 0; k < edge->from_count && !finding.undecided; k++)
    find_at_location(c, process, edge->from[k], &finding);
  return finding;
}

/* ---- guards ----------------------------------------------------------------------------- */

/* Condition of the edge, without location and priority. `chosen`: values of its selects; NULL: it has none. */
static const struct expr *ready(struct compose *c, struct instance_edge *edge, const int64_t *chosen) {
  source_at at = edge->written->at;
  if (edge->written->channel != COMPOSE_NONE && channel_of(c, edge->written)->capacity)
    return build_truth(c->build, buffer_ready(c, edge, chosen));
  const struct part *part = chosen ? part_chosen(c, edge, chosen) : part_get(c, edge, 0);
  if (!part)
    return NULL;
  const struct expr *all = part->guard;
  if (part->element && part->element->can_fail) /* the element of a broadcast channel must exist */
    all = build_binary(c->build, EXPR_AND, at, all,
                       build_binary(c->build, EXPR_OR, at, part->element, build_const(c->build, 1)));
  return build_truth(c->build, all);
}

/* True for some values of the selects. */
static const struct expr *ready_somehow(struct compose *c, struct instance_edge *edge) {
  const struct part *any = edge->parts;
  const struct expr **items = NULL;
  size_t n = 0, cap = 0;
  if (!any->select_count)
    return ready(c, edge, NULL);
  int64_t *chosen = choice_first(c, any);
  do {
    const struct expr *item = ready(c, edge, chosen);
    if (!item)
      return NULL;
    if (!is_constant_false(item) && build_spend(c->build, edge->written->at, 1, 0))
      *ARENA_PUSH(c->build->arena, items, n, cap) = item;
  } while (!c->build->stop && choice_next(any, chosen));
  return n ? build_all(c->build, EXPR_OR, edge->written->at, items, n) : build_const(c->build, 0);
}

void else_test(struct compose *c, const struct instance_edge *edge, uint32_t from) {
  const struct compose_process *process = edge->process;
  size_t edges = process->edge_count;
  source_at at = edge->written->guard_at;
  for (size_t i = 0; i < edges && !c->build->stop; i++) {
    struct instance_edge *other = &process->instances[edge->instance * edges + i];
    if (other->written->otherwise || !leaves(other->written, from) || other->parts->never)
      continue;
    const struct expr *busy = build_not(c->build, at, ready_somehow(c, other));
    transition_builder_guard(c, build_placed(c->build, at, busy));
  }
}
