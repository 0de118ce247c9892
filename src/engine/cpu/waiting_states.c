/* The states that wait in a rank, in memory and on disk, for who wants to keep them. */
#include "engine/cpu/cpu_search.h"

/* States [first, first + most) of a part; of a block on disk all, with the first of them. */
static floe_status visit_part(struct worker *worker, const struct frontier_part *part, size_t first, size_t most,
                              states_visitor *visit, void *user) {
  if (first >= part->states)
    return FLOE_OK;
  const size_t rest = part->states - first;
  if (part->chunk)
    visit(user, part->chunk->words + first * worker->search->words, rest < most ? rest : most);
  else if (part->block && first == 0)
    return spool_visit(worker->disk, part->block, visit, user);
  return FLOE_OK;
}

floe_status waiting_level(struct worker *worker, states_visitor *visit, void *user) {
  const struct cpu_search *self = worker->search;
  for (size_t i = worker->number; i < self->frontier.count; i += self->worker_count)
    FLOE_TRY(visit_part(worker, &self->frontier.parts[i], 0, SIZE_MAX, visit, user));
  return FLOE_OK;
}

/* Nothing of the chunks of tickets that nobody has drawn has been given back. */
static floe_status visit_range(struct worker *worker, unsigned range, states_visitor *visit, void *user) {
  const struct cpu_search *self = worker->search;
  size_t ticket, end;
  for (ranges_left(&self->ranges, range, &ticket, &end); ticket < end; ticket++)
    FLOE_TRY(visit_part(worker, &self->frontier.parts[ticket / self->grains_per_chunk],
                        ticket % self->grains_per_chunk * self->grain, self->grain, visit, user));
  return FLOE_OK;
}

floe_status waiting_rest(struct worker *worker, states_visitor *visit, void *user) {
  const struct cpu_search *self = worker->search;
  const struct step_block *block = &worker->block;
  if (block->next < block->count)
    visit(user, worker->taken + block->next * self->words, block->count - block->next);
  if (worker->fetched_next < worker->fetched_end)
    visit(user, worker->fetched + worker->fetched_next * self->words, worker->fetched_end - worker->fetched_next);
  for (unsigned range = worker->number; range < self->ranges.count; range += self->worker_count)
    FLOE_TRY(visit_range(worker, range, visit, user));
  return FLOE_OK;
}

floe_status waiting_found(struct worker *worker, states_visitor *visit, void *user) {
  for (size_t i = 0; i < worker->closed.count; i++)
    FLOE_TRY(visit_part(worker, &worker->closed.parts[i], 0, SIZE_MAX, visit, user));
  if (worker->out && worker->out->count)
    visit(user, worker->out->words, worker->out->count);
  return FLOE_OK;
}
