#include "model/compose/compose.h"

#include "model/compose/broadcast.h"
#include "model/compose/buffer.h"
#include "model/compose/else.h"
#include "model/compose/handshake.h"
#include "model/compose/transition_builder.h"

/* ---- priority ---------------------------------------------------------------------------- */

struct conditions {
  const struct expr **all;
  size_t n, cap;
};

static void add_committed(struct compose *c, const struct process *process, uint32_t location,
                          struct conditions *conditions) {
  for (uint32_t i = 0; i < process->instances; i++) {
    const struct expr *here = is_at(c, process->locations[location].at, process, i, location);
    if (here && !is_constant_false(here))
      *ARENA_PUSH(c->build->arena, conditions->all, conditions->n, conditions->cap) = here;
  }
}

void compose_priority(struct compose *c) {
  struct model *model = c->build->model;
  struct conditions conditions = {0};
  for (size_t p = 0; p < model->process_count; p++)
    for (uint32_t l = 0; l < model->processes[p].location_count; l++)
      if (model->processes[p].locations[l].committed)
        add_committed(c, &model->processes[p], l, &conditions);
  if (!conditions.n)
    return;
  model->committed = build_all(c->build, EXPR_OR, NOWHERE, conditions.all, conditions.n);
  if (model->committed)
    c->not_committed = build_not(c->build, NOWHERE, build_committed(c->build));
}

/* ---- edges of all instances ------------------------------------------------------------- */

/* An edge with a false guard is still a partner for the test of the sender's guard. */
static void receiver_add(struct compose *c, struct instance_edge *edge) {
  struct compose_channel *channel = &c->channels[edge->written->channel];
  if (!edge->written->sends && !part_is_empty(edge->parts))
    *ARENA_PUSH(c->build->arena, channel->receivers, channel->receiver_count, channel->receiver_cap) = edge;
}

/* Later instances would repeat the errors of the first one. */
void compose_edges(struct compose *c, struct compose_process *process) {
  size_t edges = process->edge_count, errors = c->build->errors;
  uint32_t instances = process->process->instances;
  if (!build_spend(c->build, process->at, instances * edges, 0))
    return;
  process->instances = arena_array(c->build->arena, instances * edges, sizeof *process->instances);
  for (uint32_t i = 0; i < instances && c->build->errors == errors; i++)
    for (size_t k = 0; k < edges; k++) {
      struct instance_edge *edge = &process->instances[i * edges + k];
      *edge = (struct instance_edge){process, i, &process->edges[k], NULL};
      bool lowered = part_get(c, edge, 0) != NULL; /* errors of one edge do not hide those of others */
      if (lowered && edge->written->channel != COMPOSE_NONE)
        receiver_add(c, edge);
    }
}

/* ---- ground transitions ------------------------------------------------------------------ */

static void single_lower(struct compose *c, struct instance_edge *edge, uint32_t from) {
  const struct part *part = part_get(c, edge, 0);
  if (!part)
    return;
  transition_builder_start_alone(c, edge, part, from);
  if (edge->written->otherwise)
    else_test(c, edge, from);
  add_effects(c, &c->current->statements, part);
  add_location_change(c, &c->current->statements, edge, from);
  transition_builder_finish(c, edge->written->at);
}

static void move_lower(struct compose *c, struct instance_edge *edge, uint32_t from) {
  const struct compose_edge *written = edge->written;
  const struct channel *channel = written->channel == COMPOSE_NONE ? NULL : channel_of(c, written);
  if (!channel)
    single_lower(c, edge, from);
  else if (channel->capacity)
    buffer_lower(c, edge, from);
  else if (written->sends && channel->broadcast)
    broadcast_lower(c, edge, from);
  else if (written->sends)
    handshake_lower(c, edge, from);
}

/* Records the ground transitions of one instance, from `first` on. Each tests the initiator's location first, see
   transition_builder_start_alone. */
static void initiator_add(struct compose *c, const struct compose_process *process, uint32_t instance, size_t first) {
  size_t end = c->build->model->transition_count;
  if (end > first)
    *ARENA_PUSH(c->build->arena, c->initiators, c->build->model->initiator_count, c->initiator_cap) =
        (struct initiator_transitions){first, end, process->number, instance, .located = true};
}

static void instance_lower(struct compose *c, const struct compose_process *process, uint32_t instance) {
  size_t first = c->build->model->transition_count, edges = process->edge_count;
  for (size_t i = 0; i < edges && !c->build->stop; i++) {
    struct instance_edge *edge = &process->instances[instance * edges + i];
    c->build->here = edge->written->at;
    for (size_t k = 0; k < edge->written->from_count && !edge->parts->never; k++)
      move_lower(c, edge, edge->written->from[k]);
  }
  initiator_add(c, process, instance, first);
}

void compose_transitions(struct compose *c) {
  c->current = arena_alloc(c->build->arena, sizeof *c->current);
  for (size_t p = 0; p < c->build->model->process_count; p++) {
    const struct compose_process *process = &c->processes[p];
    for (uint32_t i = 0; i < process->process->instances && !c->build->stop; i++)
      instance_lower(c, process, i);
  }
  c->build->model->transitions = c->transitions;
  c->build->model->initiators = c->initiators;
}
