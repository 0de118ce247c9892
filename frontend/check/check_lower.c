#include "frontend/check/check_lower.h"

#include "frontend/check/check_broadcast.h"
#include "frontend/check/check_buffers.h"
#include "frontend/check/check_else.h"
#include "frontend/check/check_handshake.h"
#include "frontend/check/transition_builder.h"

static void single_lower(struct check *c, struct move *move, uint32_t from) {
  const struct part *part = part_lower(c, move, 0);
  if (!part)
    return;
  transition_builder_alone(c, move, part, from);
  if (move->info->syntax->otherwise)
    else_test(c, move, from);
  add_effects(c, &c->builder->statements, part);
  add_move(c, &c->builder->statements, move, from);
  transition_builder_finish(c, move->info->syntax->at);
}

static void move_lower(struct check *c, struct move *move, uint32_t from) {
  const struct syntax_sync *sync = move->info->syntax->sync;
  const struct channel *channel = sync ? &c->channels[move->info->channel] : NULL;
  if (!channel)
    single_lower(c, move, from);
  else if (channel->capacity)
    buffer_lower(c, move, from);
  else if (sync->send && channel->broadcast)
    broadcast_lower(c, move, from);
  else if (sync->send)
    pairs_lower(c, move, from);
}

/* What the moves of one instance have become, from `first` on: `transition_builder_alone` and its like test its
 * location first. */
static void group_add(struct check *c, const struct template *process, uint32_t instance, size_t first) {
  size_t end = c->build.model->transition_count;
  if (end > first)
    *ARENA_PUSH(c->build.arena, c->groups, c->build.model->group_count, c->group_cap) =
        (struct transition_group){first, end, process->id, instance, .located = true};
}

static void instance_lower(struct check *c, const struct template *process, uint32_t instance) {
  size_t first = c->build.model->transition_count, edges = process->syntax->transition_count;
  for (size_t i = 0; i < edges && !c->build.stop; i++) {
    struct move *move = &process->moves[instance * edges + i];
    c->build.here = move->info->syntax->at;
    for (size_t k = 0; k < move->info->from_count && !move->parts->never; k++)
      move_lower(c, move, move->info->from[k]);
  }
  group_add(c, process, instance, first);
}

void transitions_lower(struct check *c) {
  c->builder = arena_alloc(c->build.arena, sizeof *c->builder);
  for (size_t p = 0; p < c->build.model->process_count; p++) {
    const struct template *process = &c->templates[p];
    for (uint32_t i = 0; i < process->process->instances && !c->build.stop; i++)
      instance_lower(c, process, i);
  }
  c->build.model->transitions = c->transitions;
  c->build.model->groups = c->groups;
}
