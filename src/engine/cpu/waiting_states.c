/* Visits the states of the frontier, in memory and on disk. */
#include "engine/cpu/cpu_search.h"

/* States [first, first + most) of a part; of a block on disk all of them with the first. */
static floe_status visit_part(struct worker *worker, const struct frontier_part *part, size_t first, size_t most,
                              states_visitor *visit, void *user) {
  if (first >= part->states)
    return FLOE_OK;
  const size_t rest = part->states - first;
  if (part->chunk)
    visit(user, part->chunk->words + first * worker->search->words, rest < most ? rest : most);
  else if (part->block && first == 0)
    return spool_visit(worker->disk.context, part->block, visit, user);
  return FLOE_OK;
}

floe_status waiting_level(struct worker *worker, states_visitor *visit, void *user) {
  const struct cpu_search *self = worker->search;
  for (size_t i = worker->number; i < self->frontier.level.count; i += self->worker_count)
    FLOE_TRY(visit_part(worker, &self->frontier.level.parts[i], 0, SIZE_MAX, visit, user));
  return FLOE_OK;
}

/* The chunks of undrawn tickets have not been freed. */
static floe_status visit_range(struct worker *worker, unsigned range, states_visitor *visit, void *user) {
  const struct cpu_search *self = worker->search;
  size_t ticket, end;
  for (ranges_left(&self->frontier.ranges, range, &ticket, &end); ticket < end; ticket++)
    FLOE_TRY(visit_part(worker, &self->frontier.level.parts[ticket / self->frontier.grains_per_chunk],
                        ticket % self->frontier.grains_per_chunk * self->frontier.grain, self->frontier.grain, visit,
                        user));
  return FLOE_OK;
}

floe_status waiting_rest(struct worker *worker, states_visitor *visit, void *user) {
  const struct cpu_search *self = worker->search;
  const struct step_block *block = &worker->block;
  if (block->next < block->count)
    visit(user, worker->frontier_states + block->next * self->words, block->count - block->next);
  if (worker->disk.next < worker->disk.end)
    visit(user, worker->disk.states + worker->disk.next * self->words, worker->disk.end - worker->disk.next);
  for (unsigned range = worker->number; range < self->frontier.ranges.count; range += self->worker_count)
    FLOE_TRY(visit_range(worker, range, visit, user));
  return FLOE_OK;
}

floe_status waiting_found(struct worker *worker, states_visitor *visit, void *user) {
  for (size_t i = 0; i < worker->closed.count; i++)
    FLOE_TRY(visit_part(worker, &worker->closed.parts[i], 0, SIZE_MAX, visit, user));
  if (worker->chunk && worker->chunk->count)
    visit(user, worker->chunk->words, worker->chunk->count);
  return FLOE_OK;
}
