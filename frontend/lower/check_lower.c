#include "frontend/lower/check_lower.h"

#include "frontend/lower/check_broadcast.h"
#include "frontend/lower/check_buffers.h"
#include "frontend/lower/check_else.h"
#include "frontend/lower/check_handshake.h"
#include "frontend/lower/transition_builder.h"

static void single_lower(struct check *c, struct process_edge *edge, uint32_t from) {
  const struct lowered_part *part = lowered_part_get(c, edge, 0);
  if (!part)
    return;
  transition_builder_start_alone(c, edge, part, from);
  if (edge->info->syntax->otherwise)
    else_test(c, edge, from);
  add_effects(c, &c->builder->statements, part);
  add_location_change(c, &c->builder->statements, edge, from);
  transition_builder_finish(c, edge->info->syntax->at);
}

static void move_lower(struct check *c, struct process_edge *edge, uint32_t from) {
  const struct syntax_sync *sync = edge->info->syntax->sync;
  const struct channel *channel = sync ? &c->channels[edge->info->channel] : NULL;
  if (!channel)
    single_lower(c, edge, from);
  else if (channel->capacity)
    buffer_lower(c, edge, from);
  else if (sync->send && channel->broadcast)
    broadcast_lower(c, edge, from);
  else if (sync->send)
    handshake_lower(c, edge, from);
}

/* Records the ground transitions of one instance, from `first` on. Each tests the initiator's location first, see
   transition_builder_start_alone. */
static void initiator_add(struct check *c, const struct template *process, uint32_t instance, size_t first) {
  size_t end = c->build.model->transition_count;
  if (end > first)
    *ARENA_PUSH(c->build.arena, c->ground.initiators, c->build.model->initiator_count, c->ground.initiator_cap) =
        (struct initiator_transitions){first, end, process->id, instance, .located = true};
}

static void instance_lower(struct check *c, const struct template *process, uint32_t instance) {
  size_t first = c->build.model->transition_count, edges = process->syntax->transition_count;
  for (size_t i = 0; i < edges && !c->build.stop; i++) {
    struct process_edge *edge = &process->instance_edges[instance * edges + i];
    c->build.here = edge->info->syntax->at;
    for (size_t k = 0; k < edge->info->from_count && !edge->parts->never; k++)
      move_lower(c, edge, edge->info->from[k]);
  }
  initiator_add(c, process, instance, first);
}

void transitions_lower(struct check *c) {
  c->builder = arena_alloc(c->build.arena, sizeof *c->builder);
  for (size_t p = 0; p < c->build.model->process_count; p++) {
    const struct template *process = &c->templates[p];
    for (uint32_t i = 0; i < process->process->instances && !c->build.stop; i++)
      instance_lower(c, process, i);
  }
  c->build.model->transitions = c->ground.transitions;
  c->build.model->initiators = c->ground.initiators;
}
