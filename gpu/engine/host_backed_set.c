#include "gpu/engine/host_backed_set.h"

#include "base/numbers.h"
#include "core/background.h"
#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/host_backed/host_lookup.h"
#include "gpu/host_backed/device_cache.h"
#include "gpu/engine/gpu_search.h"
#include "step/layout/state_key.h"

#include <assert.h>

/* Candidates asked together, at most, and where there is a choice at least: enough for launches and copies not to
   count. */
#define MOST_ASKED (UINT64_C(1) << 23)
#define FEW_ASKED (UINT64_C(1) << 17)
/* The host's tables are made for the states that are expected; else for so many times those that the device holds, as
   far as memory goes: growth costs more than half of the answers' time (0.21 instead of 0.55 G keys/s on 16 cores),
   pages that stay empty a tenth of a second a gigabyte. */
#define TIMES_OLDEST 8
#define HOST_BYTES 20

struct two_levels {
  struct newest newest;
  struct gpu_code code; /* floe_explore on it */
  struct asking asking;
  bool has_oldest;
  struct budget budget; /* of the host's memory */
  struct partitions *host;
  struct crew *crew;
  struct background *background;
  unsigned slot;              /* of the next batch */
  struct asking_batch *asked; /* the one that the host answers; NULL: none */
  uint64_t held, held_at;     /* candidates of the last launch that wait at rank->pending, and where */
  struct two_levels_figures figures;
};

/* ---- the host's level, beside the device ----------------------------------------------------------- */

static void answer(void *of) {
  struct two_levels *two = of;
  const double start = clock_seconds();
  partitions_answer(two->host, two->crew, &two->asked->answers);
  two->figures.answer_seconds += clock_seconds() - start;
}

/* NULL: nothing is to be asked. */
static void start_answering(struct two_levels *two, struct asking_batch *batch) {
  assert(!two->asked);
  two->asked = batch;
  if (batch)
    background_start(two->background, answer, two);
}

/* The batch that was asked; NULL: none was. */
static struct asking_batch *take_answered(struct two_levels *two) {
  struct asking_batch *batch = two->asked;
  const double start = clock_seconds();
  background_wait(two->background);
  two->figures.wait_seconds += clock_seconds() - start;
  two->asked = NULL;
  return batch;
}

/* ---- exploring ------------------------------------------------------------------------------------- */

/* A level is cut so that the host has something to answer while the device explores: first little, as it waits, then
   more, and less and less towards the end, where the device waits. About one candidate comes of a state. */
static uint64_t wanted_candidates(const struct gpu_rank *rank) {
  const struct search *search = rank->search;
  const uint64_t rest = queue_level_rest(rank), done = search->level_states[search_depth(search)] - rest;
  return greatest(FEW_ASKED, least(rest / 3, FEW_ASKED + 2 * done));
}

/* While the kernel runs next_end counts candidates. */
static floe_status explore(struct gpu_rank *rank, uint64_t *candidates) {
  struct two_levels *two = rank->two;
  struct gpu_control *control = &rank->control;
  const uint64_t next = control->next, next_end = control->next_end;
  struct gpu_space space = rank_space(rank);
  const double start = clock_seconds();
  rank_set_stops(rank);
  space.found = (uint64_t *)(uintptr_t)two->asking.found;
  space.found_room = two->asking.room;
  control->one_part = true;
  control->grow_at = control->states_before + wanted_candidates(rank);
  control->next = control->next_end = 0;
  floe_status status = rank_launch(rank, &two->code, &two->newest.view, &space);
  *candidates = least(control->next_end, two->asking.room);
  two->held = control->next_end - *candidates;
  two->held_at = 0;
  two->figures.candidates += control->next_end;
  control->next = next;
  control->next_end = next_end;
  control->grow_at = UINT64_MAX;
  two->figures.explore_seconds += clock_seconds() - start;
  return status;
}

/* What did not fit with the others. */
static floe_status take_held(struct gpu_rank *rank, uint64_t *candidates) {
  struct two_levels *two = rank->two;
  const uint64_t word = sizeof(uint64_t);
  *candidates = least(two->held, two->asking.room);
  FLOE_TRY(gpu_copy(rank->gpu, two->asking.found, rank->pending + two->held_at * word, *candidates * word));
  two->held -= *candidates;
  two->held_at += *candidates;
  return FLOE_OK;
}

/* What the device does not know; *out NULL: it knows all. */
static floe_status ask(struct gpu_rank *rank, uint64_t candidates, struct asking_batch **out) {
  struct two_levels *two = rank->two;
  struct asking_batch *batch = &two->asking.batches[two->slot];
  const double start = clock_seconds();
  FLOE_TRY(asking_ask(&two->asking, two->has_oldest ? &rank->visited.view : NULL, candidates, batch));
  two->figures.ask_seconds += clock_seconds() - start;
  two->figures.asked += batch->asked;
  *out = NULL;
  if (batch->asked == 0)
    return FLOE_OK;
  two->slot = (two->slot + 1) % ASKING_BATCHES;
  two->figures.batches++;
  *out = batch;
  return FLOE_OK;
}

/* ---- new states ------------------------------------------------------------------------------------ */

static uint64_t ring_room(const struct gpu_rank *rank) {
  return rank->ring_words - (rank->control.next_end - rank->control.current);
}

/* Also where the search has been ended: what is known to the set is to be in the queue. */
static bool make_room(struct gpu_rank *rank, uint64_t states) {
  uint64_t before = UINT64_MAX;
  while (rank->search->status == FLOE_OK && ring_room(rank) < states && ring_room(rank) != before) {
    before = ring_room(rank);
    queue_relieve(rank);
  }
  return ring_room(rank) >= states;
}

static floe_status sift(struct gpu_rank *rank, const struct asking_batch *batch) {
  struct two_levels *two = rank->two;
  const uint64_t before = rank->control.next_end;
  const double start = clock_seconds();
  FLOE_TRY(rank_upload(rank));
  FLOE_TRY(asking_sift(&two->asking, batch, rank->control_at, rank->ring, rank->ring_words - 1));
  FLOE_TRY(rank_download(rank));
  assert(rank->control.next_end - before == batch->answers.new_count);
  (void)before;
  harvest_take(rank);
  two->figures.sift_seconds += clock_seconds() - start;
  return FLOE_OK;
}

/* Adds the keys at the bits of `mask` to a list in memory of its own. */
static floe_status add_chosen(const uint64_t *keys, const uint64_t *mask, uint64_t end, uint64_t **states,
                              uint64_t *count) {
  uint64_t more = 0;
  for (uint64_t i = 0; i < end / 64; i++)
    more += (uint64_t)__builtin_popcountll(mask[i]);
  if (more == 0)
    return FLOE_OK;
  uint64_t *list = mem_resize(*states, (*count + more) * sizeof *list);
  if (!list)
    return FLOE_ERROR_MEMORY;
  *states = list;
  for (uint64_t i = 0; i < end / 64; i++)
    for (uint64_t rest = mask[i]; rest; rest &= rest - 1)
      (*states)[(*count)++] = keys[64 * i + (uint64_t)__builtin_ctzll(rest)];
  return FLOE_OK;
}

/* New states for which the queue has no room, and keys that the host has none for. */
static floe_status set_aside_keys(struct gpu_rank *rank, const struct asking_batch *batch, bool queued,
                                  const uint64_t *keys) {
  const struct layout *layout = rank->search->task->layout;
  const uint64_t before = rank->unqueued.count;
  if (batch->answers.refused_count)
    FLOE_TRY(add_chosen(keys, batch->refused, batch->end, &rank->unplaced.states, &rank->unplaced.count));
  if (queued)
    return FLOE_OK;
  uint64_t *scratch = mem_array(key_scratch(layout) + 1, sizeof *scratch);
  if (!scratch)
    return FLOE_ERROR_MEMORY;
  floe_status status = add_chosen(keys, batch->fresh, batch->end, &rank->unqueued.states, &rank->unqueued.count);
  const uint64_t more = rank->unqueued.count - before;
  if (more)
    rank->control.checksum += engine_keys_mix(layout, rank->unqueued.states + before, more, scratch);
  rank->control.states_before += more;
  mem_free(scratch);
  assert(status != FLOE_OK || more == batch->answers.new_count);
  return status;
}

/* The host knows keys now that are in no queue, or refused some that nobody has. The search ends here; where another
   run is to go on from here they are kept for the checkpoint, beyond the limit of memory: one or two batches. */
static floe_status set_aside(struct gpu_rank *rank, const struct asking_batch *batch, bool queued) {
  const uint64_t bytes = batch->end * sizeof(uint64_t);
  if (!rank->search->task->keeping)
    return FLOE_OK;
  uint64_t *keys = mem_array(batch->end, sizeof *keys);
  floe_status status = keys ? gpu_download(rank->gpu, keys, batch->keys, bytes) : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    status = set_aside_keys(rank, batch, queued, keys);
  mem_free(keys);
  if (status != FLOE_ERROR_MEMORY)
    return status;
  rank->search->kept.inexact = true;
  diag_warning(rank->search->log, NULL, NOWHERE, NULL,
               "no checkpoint at the end: memory ended within a batch of the set's second level");
  return FLOE_OK;
}

/* What the host did not know either is in the queue then. Keys without a place end the search. */
static floe_status take_in(struct gpu_rank *rank, const struct asking_batch *batch) {
  if (!batch)
    return FLOE_OK;
  const bool room = make_room(rank, batch->answers.new_count);
  if (batch->answers.new_count && room)
    FLOE_TRY(sift(rank, batch));
  assert(room || rank->search->ended);
  if (!room || batch->answers.refused_count)
    FLOE_TRY(set_aside(rank, batch, room));
  if (batch->answers.refused_count && !rank->search->ended)
    search_finish(rank->search, FLOE_END_MEMORY);
  return FLOE_OK;
}

/* ---- a turn ---------------------------------------------------------------------------------------- */

static bool part_is_left(const struct gpu_rank *rank) { return rank->control.current < rank->control.current_end; }

static floe_status explore_and_ask(struct gpu_rank *rank, struct asking_batch **out) {
  uint64_t candidates;
  if (rank->two->held)
    FLOE_TRY(take_held(rank, &candidates));
  else
    FLOE_TRY(explore(rank, &candidates));
  harvest_take(rank);
  return candidates ? ask(rank, candidates, out) : FLOE_OK;
}

/* The host answers what was explored in the turn before, while the device explores and asks. */
static floe_status turn(struct gpu_rank *rank) {
  struct two_levels *two = rank->two;
  struct asking_batch *batch = NULL;
  const bool more = two->held || part_is_left(rank) || queue_next_part(rank);
  if (rank->search->ended)
    return FLOE_OK;
  if (more)
    FLOE_TRY(explore_and_ask(rank, &batch));
  const struct asking_batch *answered = take_answered(two);
  start_answering(two, batch);
  FLOE_TRY(take_in(rank, answered));
  if (!rank->search->ended)
    rank_look_around(rank);
  if (!rank->search->ended && !more && !two->asked)
    rank_end_level(rank);
  return FLOE_OK;
}

void two_levels_turn(struct gpu_rank *rank) {
  floe_status status = turn(rank);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
}

/* All that is on its way. */
static floe_status settle(struct gpu_rank *rank) {
  struct two_levels *two = rank->two;
  FLOE_TRY(take_in(rank, take_answered(two)));
  while (two->held) {
    struct asking_batch *batch;
    uint64_t candidates;
    FLOE_TRY(take_held(rank, &candidates));
    FLOE_TRY(ask(rank, candidates, &batch));
    start_answering(two, batch);
    FLOE_TRY(take_in(rank, take_answered(two)));
  }
  return FLOE_OK;
}

void two_levels_settle(struct gpu_rank *rank) {
  floe_status status = settle(rank);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
}

floe_status two_levels_put(struct gpu_rank *rank, uint64_t count) {
  rank->two->held = count;
  rank->two->held_at = 0;
  if (rank->harvest.log) { /* as floe_insert does */
    FLOE_TRY(gpu_upload(rank->gpu, rank->logged, rank->search->task->initial, sizeof(uint64_t)));
    rank->control.log_count = 1;
  }
  return settle(rank);
}

/* ---- checkpoints ----------------------------------------------------------------------------------- */

void two_levels_each(const struct gpu_rank *rank, unsigned part, unsigned parts,
                     void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  partitions_each(rank->two->host, part, parts, visit, user);
}

bool two_levels_load(struct gpu_rank *rank, const uint64_t *keys, size_t n) {
  return partitions_put(rank->two->host, keys, n);
}

/* ---- creation -------------------------------------------------------------------------------------- */

/* Keys for the host's level; 0: nobody knows. */
static uint64_t expected_there(const struct gpu_rank *rank) {
  const struct engine_task *task = rank->search->task;
  const double bound = key_bound(task->model, task->layout), here = (double)rank_states(rank);
  const double known = rank->begins_in_two_levels && task->from ? 1.25 * (double)moment_states(task) : 0;
  double expected = task->options->expected_states ? (double)task->options->expected_states : TIMES_OLDEST * here;
  if (expected < known)
    expected = known;
  if (expected > bound)
    expected = bound;
  return expected > here ? (uint64_t)(expected - here) : 0;
}

/* At least that many, for keys that are wide enough: one for each thread is too few, as they are not equally full. With
   small batches there are fewer, for the gaps between them. */
static unsigned partition_bits(unsigned key_bits, uint64_t room) {
  unsigned bits = 8;
  while (bits > 1 && (bits + 8 > key_bits || room >> bits < 512))
    bits--;
  return key_bits > bits ? bits : 0;
}

static floe_status make_host(struct gpu_rank *rank, struct two_levels *two, uint64_t room) {
  const floe_options *options = rank->search->task->options;
  const unsigned key_bits = rank->visited.config.key_bits;
  const struct partition_rule rule = {.key_bits = key_bits, .bits = partition_bits(key_bits, room)};
  two->figures.batch_bytes = asking_host_bytes(rule, room);
  const uint64_t taken = pieces_claim(rank) + two->figures.batch_bytes;
  two->budget.limit = options->memory > taken ? options->memory - taken : 0;
  const struct partitions_config config = {.permutation = options->permutation,
                                           .key_bits = rule.key_bits,
                                           .bits = rule.bits,
                                           .expected = expected_there(rank),
                                           .budget = &two->budget};
  FLOE_TRY(partitions_create(&config, &two->host));
  /* One thread drives the device. */
  FLOE_TRY(crew_create(options->threads > 2 ? options->threads - 1 : options->threads, &two->crew));
  return background_create(&two->background);
}

/* Candidates of a batch. Half of the queue has to take all that it may bring: as much is free when it was spilled. On
   the host the batches' copies, some HOST_BYTES a candidate, are a small part of the memory. */
static uint64_t choose_room(const struct gpu_rank *rank) {
  const uint64_t left = gpu_budget_room(&rank->budget), memory = rank->search->task->options->memory;
  const uint64_t here = least(rank->ring_words / 2, left / 16 / sizeof(uint64_t));
  const uint64_t room = least(least(MOST_ASKED, here), memory / 16 / HOST_BYTES);
  return greatest(rank->tuning.batch ? least(room, rank->tuning.batch) : room, 1);
}

/* The queue keeps a quarter of what is left, to grow into. */
static floe_status plan_newest(const struct gpu_rank *rank, const struct two_levels *two, uint64_t room,
                               struct newest_shape *out) {
  const uint64_t left = gpu_budget_room(&rank->budget), asking = asking_bytes(partitions_rule(two->host), room);
  const uint64_t bytes = left > asking ? (left - asking) / 4 * 3 : 0;
  return newest_plan(rank->visited.config.key_bits, bytes, out) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* As many blocks as have room for what they may find beyond a batch. The array for it was made for fewer where the
   table was to grow; `source` has no use any more. */
static floe_status fit_grid(struct gpu_rank *rank, const struct two_levels *two) {
  const uint64_t before = rank->slack * sizeof(uint64_t), most = gpu_budget_room(&rank->budget) / 8;
  unsigned blocks = two->code.explore.blocks;
  gpu_address larger;
  if (rank->tuning.blocks)
    blocks = (unsigned)least(blocks, rank->tuning.blocks);
  while (blocks > rank->blocks &&
         gpu_slack((uint64_t)blocks * GPU_WARPS, rank->max_successors) * sizeof(uint64_t) > most)
    blocks /= 2;
  if (blocks <= rank->blocks || rank->harvest.log) { /* the log, too, was made for so many */
    rank->blocks = (unsigned)least(rank->blocks, blocks);
    return FLOE_OK;
  }
  const uint64_t slack = gpu_slack((uint64_t)blocks * GPU_WARPS, rank->max_successors);
  FLOE_TRY(rank_take(rank, slack * sizeof(uint64_t), &larger));
  floe_status status = gpu_copy(rank->gpu, larger, rank->pending, rank->control.pending_count * sizeof(uint64_t));
  rank_give(rank, before, &rank->pending);
  rank_give(rank, before, &rank->source);
  rank->pending = larger;
  rank->slack = slack;
  rank->blocks = blocks;
  return status;
}

static floe_status make_device(struct gpu_rank *rank, struct two_levels *two, uint64_t room) {
  struct newest_shape shape;
  FLOE_TRY(plan_newest(rank, two, room, &shape));
  FLOE_TRY(code_make_newest(rank, &shape.geometry, &two->code));
  FLOE_TRY(fit_grid(rank, two));
  FLOE_TRY(code_make_asking(rank, &shape.geometry, &two->asking));
  FLOE_TRY(asking_make(rank->gpu, &rank->budget, partitions_rule(two->host), room, &two->asking));
  return newest_make(rank->gpu, &rank->budget, &shape, rank->visited.config.permutation, rank->visited.config.key_bits,
                     &two->newest);
}

void two_levels_free(struct gpu_rank *rank) {
  struct two_levels *two = rank->two;
  if (!two)
    return;
  background_free(two->background);
  partitions_free(two->host);
  crew_free(two->crew);
  struct gpu_module *module = two->asking.module;
  asking_free(&two->asking);
  gpu_module_free(module);
  newest_free(rank->gpu, &two->newest);
  code_free(&two->code);
  mem_free(two);
  rank->two = NULL;
}

static floe_status open(struct gpu_rank *rank, struct two_levels *two) {
  two->has_oldest = rank->visited.memory.at != 0;
  if (gpu_budget_room(&rank->budget) < rank->budget.limit / 4)
    FLOE_TRY(queue_shrink(rank));
  const uint64_t room = choose_room(rank);
  FLOE_TRY(make_host(rank, two, room));
  FLOE_TRY(make_device(rank, two, room));
  two->held = rank->control.pending_count;
  rank->control.pending_count = 0;
  return settle(rank);
}

floe_status two_levels_open(struct gpu_rank *rank) {
  assert(!rank->two);
  rank->two = mem_alloc(sizeof *rank->two);
  if (!rank->two)
    return FLOE_ERROR_MEMORY;
  *rank->two = (struct two_levels){0};
  const double start = clock_seconds() - rank->build_seconds;
  floe_status status = open(rank, rank->two);
  rank->two->figures.open_seconds = clock_seconds() - rank->build_seconds - start;
  if (status != FLOE_OK)
    two_levels_free(rank);
  return status;
}

struct two_levels_figures two_levels_figures(const struct gpu_rank *rank) {
  struct two_levels_figures figures = {0};
  if (!rank->two || !rank->two->host)
    return figures;
  figures = rank->two->figures;
  figures.host_keys = partitions_keys(rank->two->host);
  figures.host_slots = partitions_slots(rank->two->host);
  figures.host_bytes = partitions_bytes(rank->two->host);
  figures.host_growths = partitions_growths(rank->two->host);
  figures.newest_bytes = rank->two->newest.shape.bytes;
  figures.newest_geometry = rank->two->newest.shape.geometry;
  return figures;
}
