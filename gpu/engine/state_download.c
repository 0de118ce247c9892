/* New states, or keys that were looked up, on their way from the device to an archive or an order
 * file. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/distributed/record_distributed.h"
#include "engine/visit_recorder.h"
#include "engine/visited/visited.h"

#include <string.h>

#define BUFFER_WORDS (UINT64_C(1) << 21)
#define MOST_STATES (UINT64_C(1) << 20)

/* ---- handing on: the host's side ------------------------------------------------------------- */

/* That which is told what a launch found: of processes rank 0 has one, which is told level by level. */
static const struct recorder *recorder_of(const struct gpu_rank *rank) {
  const struct engine_task *task = rank->search->task;
  return task->recorded ? NULL : task->recorder;
}

/* No more than RECORDER_MOST_AT_ONCE; until the next call. */
static const uint64_t *states_of(const struct gpu_rank *rank, const uint64_t *waiting, uint64_t n) {
  if (!rank->tree.words)
    return waiting;
  gpu_tree_states(rank, waiting, n, rank->harvest.states_of);
  return rank->harvest.states_of;
}

static void record(struct gpu_rank *rank, const uint64_t *keys, uint64_t count) {
  uint8_t answers[RECORDER_MOST_AT_ONCE]; /* which of them were new is not told apart */
  const struct recorder *recorder = recorder_of(rank);
  void *lane = recorder->lane(recorder->user, rank->member.together.rank);
  memset(answers, VISITED_NEW, sizeof answers);
  while (count > 0) {
    size_t n = least(count, RECORDER_MOST_AT_ONCE);
    recorder->record(lane, states_of(rank, keys, n), answers, n);
    keys += n;
    count -= n;
  }
}

/* States of the last level begun that are still to come: its size is known once the kernel has
 * closed it. */
static uint64_t level_rest(const struct gpu_rank *rank) {
  const struct gpu_harvest *harvest = &rank->harvest;
  if (harvest->levels == 0)
    return 0;
  if (harvest->levels > rank->search->levels)
    return UINT64_MAX;
  return harvest->level_start + rank->search->level_states[harvest->levels - 1] - harvest->handed_on;
}

/* All that is found while a level is in work, of the next one: it is handed on before the level ends. */
static floe_status keep_of_member(struct gpu_rank *rank, const uint64_t *states, uint64_t count) {
  struct archive *archive = rank->search->task->archive;
  const uint64_t most = rank->tree.words ? RECORDER_MOST_AT_ONCE : count;
  FLOE_TRY(archive_reach_level(archive, rank->search->levels + 1));
  for (uint64_t n; count > 0; states += n, count -= n) {
    n = least(count, most);
    FLOE_TRY(archive_add(archive, states_of(rank, states, n), n));
  }
  return FLOE_OK;
}

static floe_status keep(struct gpu_rank *rank, const uint64_t *states, uint64_t count) {
  struct gpu_harvest *harvest = &rank->harvest;
  struct archive *archive = rank->search->task->archive;
  if (member_is_one(rank))
    return keep_of_member(rank, states, count);
  while (count > 0) {
    if (level_rest(rank) == 0) {
      FLOE_TRY(archive_begin_level(archive));
      harvest->level_start = harvest->handed_on;
      harvest->levels++;
    }
    uint64_t n = least(count, level_rest(rank));
    if (rank->tree.words)
      n = least(n, RECORDER_MOST_AT_ONCE);
    FLOE_TRY(archive_add(archive, states_of(rank, states, n), n));
    harvest->handed_on += n;
    states += n;
    count -= n;
  }
  return FLOE_OK;
}

void harvest_hand_on(struct gpu_rank *rank) {
  struct gpu_harvest *harvest = &rank->harvest;
  floe_status status = FLOE_OK;
  if (harvest->waiting_count == 0 || rank->search->status != FLOE_OK)
    return;
  if (recorder_of(rank))
    record(rank, harvest->waiting, harvest->waiting_count);
  if (rank->search->task->archive)
    status = keep(rank, harvest->waiting, harvest->waiting_count);
  harvest->waiting_count = 0;
  if (status != FLOE_OK)
    search_fail(rank->search, status);
}

void harvest_settle(struct gpu_rank *rank) {
  const struct recorder *recorder = recorder_of(rank);
  harvest_hand_on(rank);
  if (recorder)
    recorder->settle(recorder->lane(recorder->user, rank->member.together.rank));
}

/* ---- taking: the device's side --------------------------------------------------------------- */

/* Words [first, first + count) of a ring of `words`. */
static floe_status fetch(struct gpu_rank *rank, gpu_address ring, uint64_t words, uint64_t first, uint64_t count,
                         uint64_t *to) {
  while (count > 0) {
    uint64_t place = first & (words - 1), n = least(count, words - place);
    FLOE_TRY(gpu_download_start(rank->gpu, to, ring + place * sizeof *to, n * sizeof *to));
    first += n;
    to += n;
    count -= n;
  }
  return FLOE_OK;
}

/* What was taken before is handed on while this comes. */
static void take(struct gpu_rank *rank, gpu_address ring, uint64_t words, uint64_t first, uint64_t count) {
  struct gpu_harvest *harvest = &rank->harvest;
  while (count > 0 && rank->search->status == FLOE_OK) {
    uint64_t n = least(count, BUFFER_WORDS);
    uint64_t *buffer = harvest->buffers[harvest->waiting == harvest->buffers[0]];
    floe_status status = fetch(rank, ring, words, first, n, buffer);
    harvest_hand_on(rank);
    if (status == FLOE_OK)
      status = gpu_wait(rank->gpu);
    if (status != FLOE_OK)
      search_fail(rank->search, status);
    harvest->waiting = buffer;
    harvest->waiting_count = n;
    first += n;
    count -= n;
  }
}

void harvest_take(struct gpu_rank *rank) {
  struct gpu_harvest *harvest = &rank->harvest;
  struct gpu_control *control = &rank->control;
  if (harvest->states || harvest->log) {
    floe_status status = gpu_tree_copy(rank);
    if (status != FLOE_OK) {
      search_fail(rank->search, status);
      return;
    }
  }
  if (harvest->states) {
    take(rank, rank->ring, rank->ring_words, harvest->position, control->next_end - harvest->position);
    harvest->position = control->next_end;
  }
  if (harvest->log) {
    take(rank, rank->logged, UINT64_C(1) << 63, 0, control->log_count);
    control->log_count = 0;
  }
}

void harvest_begin_level(struct gpu_rank *rank) {
  struct archive *archive = rank->search->task->archive;
  floe_status status = archive ? archive_reach_level(archive, rank->search->levels) : FLOE_OK;
  if (status != FLOE_OK)
    search_fail(rank->search, status);
}

void harvest_moved(struct gpu_rank *rank) { rank->harvest.position = rank->control.next_end; }

/* ---- of processes ---------------------------------------------------------------------------- */

struct recording {
  struct gpu_rank *rank;
  struct record_lane lane;
};

static void put_found(void *user, const uint64_t *waiting, size_t n) {
  struct recording *recording = user;
  const uint64_t most = recording->rank->tree.words ? RECORDER_MOST_AT_ONCE : n;
  for (uint64_t some; n > 0; waiting += some, n -= some) {
    some = least(n, most);
    record_lane_put(&recording->lane, states_of(recording->rank, waiting, some), some);
  }
}

void harvest_record(struct gpu_rank *rank) {
  struct together *together = &rank->member.together;
  struct recording recording = {rank, {together, 0}};
  if (!record_group_is_wanted(together))
    return;
  record_group_begin(together, 1);
  floe_status status = gpu_tree_copy(rank);
  if (status == FLOE_OK)
    status = queue_each(rank, true, rank->harvest.buffers[0], BUFFER_WORDS, put_found, &recording);
  record_lane_end(&recording.lane);
  record_group_end(together, 1, status);
}

/* ---- creation -------------------------------------------------------------------------------- */

void harvest_plan(struct gpu_rank *rank) {
  struct gpu_harvest *harvest = &rank->harvest;
  const struct engine_task *task = rank->search->task;
  const struct recorder *recorder = recorder_of(rank);
  harvest->log = recorder && recorder->lookups;
  harvest->states = task->archive || (recorder && !harvest->log);
  harvest->position = FIRST_POSITION;
  if (!harvest->states)
    return;
  harvest->most = least(MOST_STATES, rank->budget.limit / 1024);
  if (rank->tuning.queue)
    harvest->most = least(harvest->most, rank->tuning.queue / 8 + 1);
}

floe_status harvest_open(struct gpu_rank *rank) {
  struct gpu_harvest *harvest = &rank->harvest;
  void *memory;
  if (!harvest->states && !harvest->log && !rank->search->task->recorded)
    return FLOE_OK;
  FLOE_TRY(gpu_host_alloc(rank->gpu, 2 * BUFFER_WORDS * sizeof(uint64_t), &memory));
  harvest->buffers[0] = memory;
  harvest->buffers[1] = harvest->buffers[0] + BUFFER_WORDS;
  if (rank->tree.words)
    harvest->states_of = mem_array((size_t)RECORDER_MOST_AT_ONCE * rank->tree.words, sizeof(uint64_t));
  return rank->tree.words && !harvest->states_of ? FLOE_ERROR_MEMORY : FLOE_OK;
}

void harvest_close(struct gpu_rank *rank) {
  gpu_host_free(rank->gpu, rank->harvest.buffers[0]);
  mem_free(rank->harvest.states_of);
}
