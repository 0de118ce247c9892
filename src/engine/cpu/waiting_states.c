/* The states that wait in a rank, in memory and on disk, for who wants to keep them. */
#include "engine/cpu/cpu_search.h"

/* States [first, first + most) of a part; of a block on disk all, with the first of them. */
static floe_status visit_part(struct worker *worker, const struct frontier_part *part, size_t first, size_t most,
                              rank_visitor *visit, void *user) {
  if (first >= part->states)
    return FLOE_OK;
  const size_t rest = part->states - first;
  if (part->chunk)
    visit(user, part->chunk->words + first * worker->rank->words, rest < most ? rest : most);
  else if (part->block && first == 0)
    return spool_visit(worker->disk, part->block, visit, user);
  return FLOE_OK;
}

floe_status waiting_level(struct worker *worker, rank_visitor *visit, void *user) {
  const struct rank *rank = worker->rank;
  for (size_t i = worker->number; i < rank->frontier.count; i += rank->worker_count)
    FLOE_TRY(visit_part(worker, &rank->frontier.parts[i], 0, SIZE_MAX, visit, user));
  return FLOE_OK;
}

/* Nothing of the chunks of tickets that nobody has drawn has been given back. */
static floe_status visit_range(struct worker *worker, unsigned range, rank_visitor *visit, void *user) {
  const struct rank *rank = worker->rank;
  size_t ticket, end;
  for (ranges_left(&rank->ranges, range, &ticket, &end); ticket < end; ticket++)
    FLOE_TRY(visit_part(worker, &rank->frontier.parts[ticket / rank->grains_per_chunk],
                        ticket % rank->grains_per_chunk * rank->grain, rank->grain, visit, user));
  return FLOE_OK;
}

floe_status waiting_rest(struct worker *worker, rank_visitor *visit, void *user) {
  const struct rank *rank = worker->rank;
  const struct step_block *block = &worker->block;
  if (block->next < block->count)
    visit(user, worker->taken + block->next * rank->words, block->count - block->next);
  if (worker->fetched_next < worker->fetched_end)
    visit(user, worker->fetched + worker->fetched_next * rank->words, worker->fetched_end - worker->fetched_next);
  for (unsigned range = worker->number; range < rank->ranges.count; range += rank->worker_count)
    FLOE_TRY(visit_range(worker, range, visit, user));
  return FLOE_OK;
}

floe_status waiting_found(struct worker *worker, rank_visitor *visit, void *user) {
  for (size_t i = 0; i < worker->closed.count; i++)
    FLOE_TRY(visit_part(worker, &worker->closed.parts[i], 0, SIZE_MAX, visit, user));
  if (worker->out && worker->out->count)
    visit(user, worker->out->words, worker->out->count);
  return FLOE_OK;
}
