#include "gpu/two_levels.h"

#include "base/numbers.h"
#include "core/background.h"
#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"
#include "gpu/asking.h"
#include "gpu/newest.h"
#include "gpu/rank.h"

#include <assert.h>

/* Candidates asked together, at most and at least: enough for launches and copies not to count, few enough that device
   and host work at the same time within a level. */
#define MOST_ASKED (UINT64_C(1) << 22)
/* Batches into which a level is cut where it is large enough for that. */
#define CUTS 8

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
  struct two_levels_figures figures;
};

/* ---- the host's level, beside the device ----------------------------------------------------------- */

static void answer(void *of) {
  struct two_levels *two = of;
  partitions_answer(two->host, two->crew, &two->asked->answers);
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

/* A level is cut so that the host has something to do while the device explores. */
static uint64_t wanted_candidates(const struct gpu_rank *rank) {
  const struct search *search = rank->search;
  const uint64_t states = search->level_states[search_depth(search)];
  return greatest(states / CUTS, rank->two->asking.room / 64 + 1);
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
  space.found_mask = two->asking.room - 1;
  control->one_part = true;
  control->slack = rank->slack;
  control->grow_at = control->states_before + wanted_candidates(rank);
  control->next = control->next_end = 0;
  floe_status status = rank_launch(rank, &two->code, &two->newest.view, &space);
  *candidates = control->next_end - control->next;
  control->next = next;
  control->next_end = next_end;
  control->grow_at = UINT64_MAX;
  two->figures.explore_seconds += clock_seconds() - start;
  two->figures.candidates += *candidates;
  return status;
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

static bool make_room(struct gpu_rank *rank, uint64_t states) {
  while (!rank->search->ended && ring_room(rank) < states)
    queue_relieve(rank);
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

/* The host knows keys now that are in no queue, or refused some that nobody has: no other run can go on from here. */
static void lose(struct gpu_rank *rank) {
  rank->search->kept.inexact = true;
  if (rank->search->task->keeping)
    diag_warning(rank->search->log, NULL, NOWHERE, NULL,
                 "no checkpoint at the end: memory ended within a batch of the set's second level");
}

/* What the host did not know either is in the queue then. Keys without a place end the search. */
static floe_status take_in(struct gpu_rank *rank, const struct asking_batch *batch) {
  if (!batch)
    return FLOE_OK;
  const bool room = make_room(rank, batch->answers.new_count);
  if (batch->answers.new_count && room)
    FLOE_TRY(sift(rank, batch));
  if (!room || batch->answers.refused_count)
    lose(rank);
  if (batch->answers.refused_count && !rank->search->ended)
    search_finish(rank->search, FLOE_END_MEMORY);
  return FLOE_OK;
}

/* ---- a turn ---------------------------------------------------------------------------------------- */

static bool part_is_left(const struct gpu_rank *rank) { return rank->control.current < rank->control.current_end; }

static floe_status explore_and_ask(struct gpu_rank *rank, struct asking_batch **out) {
  uint64_t candidates;
  FLOE_TRY(explore(rank, &candidates));
  harvest_take(rank);
  return candidates ? ask(rank, candidates, out) : FLOE_OK;
}

/* The host answers what was explored in the turn before, while the device explores and asks. */
static floe_status turn(struct gpu_rank *rank) {
  struct two_levels *two = rank->two;
  struct asking_batch *batch = NULL;
  const bool more = part_is_left(rank) || queue_next_part(rank);
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

void two_levels_settle(struct gpu_rank *rank) {
  const struct asking_batch *batch = take_answered(rank->two);
  floe_status status = take_in(rank, batch);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
}

/* `count` keys at `keys`. */
static floe_status ask_first(struct gpu_rank *rank, gpu_address keys, uint64_t count) {
  struct two_levels *two = rank->two;
  struct asking_batch *batch;
  assert(count <= two->asking.room);
  FLOE_TRY(gpu_copy(rank->gpu, two->asking.found, keys, count * sizeof(uint64_t)));
  FLOE_TRY(ask(rank, count, &batch));
  start_answering(two, batch);
  return take_in(rank, take_answered(two));
}

floe_status two_levels_put(struct gpu_rank *rank, uint64_t count) { return ask_first(rank, rank->source, count); }

/* ---- checkpoints ----------------------------------------------------------------------------------- */

void two_levels_each(const struct gpu_rank *rank, unsigned part, unsigned parts,
                     void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  partitions_each(rank->two->host, part, parts, visit, user);
}

bool two_levels_load(struct gpu_rank *rank, const uint64_t *keys, size_t n) {
  return partitions_put(rank->two->host, keys, n);
}

/* ---- creation -------------------------------------------------------------------------------------- */

static uint64_t expected_there(const struct gpu_rank *rank) {
  const uint64_t expected = rank->search->task->options->expected_states, here = rank_states(rank);
  return expected > here ? expected - here : 0;
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
  const uint64_t taken = rank->piece_bytes_all;
  two->budget.limit = options->memory > taken ? options->memory - taken : 0;
  const struct partitions_config config = {.permutation = options->permutation,
                                           .key_bits = rank->visited.config.key_bits,
                                           .bits = partition_bits(rank->visited.config.key_bits, room),
                                           .expected = expected_there(rank),
                                           .budget = &two->budget};
  FLOE_TRY(partitions_create(&config, &two->host));
  FLOE_TRY(crew_create(options->threads, &two->crew));
  return background_create(&two->background);
}

/* A batch has to take twice all that the warps of so many blocks may still find. */
static uint64_t room_for(const struct gpu_rank *rank, unsigned blocks) {
  return 2 * gpu_slack((uint64_t)blocks * GPU_WARPS, rank->max_successors);
}

/* Candidates of a batch, a power of two. Half of the queue has to take all that it may bring: as much is free when it
   was spilled. 0: too little memory. */
static uint64_t choose_room(const struct gpu_rank *rank) {
  const uint64_t left = gpu_budget_room(&rank->budget), needed = room_for(rank, 1);
  uint64_t room = MOST_ASKED;
  while (room / 2 >= needed && (room > rank->ring_words / 2 || room * sizeof(uint64_t) > left / 16 ||
                                (rank->tuning.batch && room > rank->tuning.batch)))
    room /= 2;
  return room >= needed && room <= rank->ring_words / 2 && room * sizeof(uint64_t) <= left / 6 ? room : 0;
}

static void fit_grid(struct gpu_rank *rank, const struct two_levels *two, uint64_t room) {
  unsigned blocks = (unsigned)least(rank->blocks, two->code.explore.blocks);
  while (blocks > 1 && room_for(rank, blocks) > room)
    blocks /= 2;
  rank->blocks = blocks;
  rank->slack = gpu_slack((uint64_t)blocks * GPU_WARPS, rank->max_successors);
}

/* The queue keeps a quarter of what is left, to grow into. */
static floe_status plan_newest(const struct gpu_rank *rank, const struct two_levels *two, uint64_t room,
                               struct newest_shape *out) {
  const uint64_t left = gpu_budget_room(&rank->budget), asking = asking_bytes(partitions_rule(two->host), room);
  const uint64_t bytes = left > asking ? (left - asking) / 4 * 3 : 0;
  return newest_plan(rank->visited.config.key_bits, bytes, out) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status make_device(struct gpu_rank *rank, struct two_levels *two, uint64_t room) {
  struct newest_shape shape;
  FLOE_TRY(plan_newest(rank, two, room, &shape));
  FLOE_TRY(code_make_newest(rank, &shape.geometry, &two->code));
  fit_grid(rank, two, room);
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
  if (room == 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(make_host(rank, two, room));
  FLOE_TRY(make_device(rank, two, room));
  const uint64_t pending = rank->control.pending_count;
  rank->control.pending_count = 0;
  return pending ? ask_first(rank, rank->pending, pending) : FLOE_OK;
}

floe_status two_levels_open(struct gpu_rank *rank) {
  assert(!rank->two);
  rank->two = mem_alloc(sizeof *rank->two);
  if (!rank->two)
    return FLOE_ERROR_MEMORY;
  *rank->two = (struct two_levels){0};
  floe_status status = open(rank, rank->two);
  if (status != FLOE_OK)
    two_levels_free(rank);
  return status;
}

struct two_levels_figures two_levels_figures(const struct gpu_rank *rank) {
  struct two_levels_figures figures = {0};
  if (!rank->two)
    return figures;
  figures = rank->two->figures;
  figures.host_keys = partitions_keys(rank->two->host);
  figures.host_slots = partitions_slots(rank->two->host);
  figures.host_bytes = partitions_bytes(rank->two->host);
  figures.newest_bytes = rank->two->newest.shape.bytes;
  return figures;
}
