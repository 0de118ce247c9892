#include "gpu/engine/state_download.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/trace/level_archive.h"
#include "engine/visit_recorder.h"
#include "engine/visited/visited.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"

#include <string.h>

#define MOST_STATES (UINT64_C(1) << 20)

/* ---- delivery -------------------------------------------------------------------------------- */

/* The recorder that receives the states of each launch. Recorders of a group receive whole levels instead
   (gpu/multi/level_record.h). */
static const struct recorder *recorder_of(const struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  return task->group.records ? NULL : task->recorder;
}

const uint64_t *download_states_of(const struct gpu_search *self, const uint64_t *waiting, uint64_t n) {
  if (!self->tree.words)
    return waiting;
  gpu_tree_states(self, waiting, n, self->download.states_of);
  return self->download.states_of;
}

static void record(struct gpu_search *self, const uint64_t *keys, uint64_t count) {
  uint8_t answers[RECORDER_MOST_AT_ONCE]; /* all count as new: the device does not report which were */
  const struct recorder *recorder = recorder_of(self);
  void *lane = recorder->lane(recorder->user, self->group.collective.rank);
  memset(answers, VISITED_NEW, sizeof answers);
  while (count > 0) {
    size_t n = least(count, RECORDER_MOST_AT_ONCE);
    recorder->record(lane, download_states_of(self, keys, n), answers, n);
    keys += n;
    count -= n;
  }
}

/* States of the last level begun that are still to come; its size is known once the kernel has closed it. */
static uint64_t level_rest(const struct gpu_search *self) {
  const struct state_download *download = &self->download;
  if (download->levels == 0)
    return 0;
  if (download->levels > self->search.levels.count)
    return UINT64_MAX;
  return download->level_start + self->search.levels.states[download->levels - 1] - download->delivered;
}

/* States found while a level is current are of the next one: they are delivered before the level ends. */
static floe_status archive_in_group(struct gpu_search *self, const uint64_t *states, uint64_t count) {
  struct archive *archive = self->search.task->archive;
  const uint64_t most = self->tree.words ? RECORDER_MOST_AT_ONCE : count;
  FLOE_TRY(archive_reach_level(archive, self->search.levels.count + 1));
  for (uint64_t n; count > 0; states += n, count -= n) {
    n = least(count, most);
    FLOE_TRY(archive_add(archive, download_states_of(self, states, n), n));
  }
  return FLOE_OK;
}

static floe_status archive_new(struct gpu_search *self, const uint64_t *states, uint64_t count) {
  struct state_download *download = &self->download;
  struct archive *archive = self->search.task->archive;
  if (gpu_search_in_group(self))
    return archive_in_group(self, states, count);
  while (count > 0) {
    if (level_rest(self) == 0) {
      FLOE_TRY(archive_begin_level(archive));
      download->level_start = download->delivered;
      download->levels++;
    }
    uint64_t n = least(count, level_rest(self));
    if (self->tree.words)
      n = least(n, RECORDER_MOST_AT_ONCE);
    FLOE_TRY(archive_add(archive, download_states_of(self, states, n), n));
    download->delivered += n;
    states += n;
    count -= n;
  }
  return FLOE_OK;
}

void download_deliver(struct gpu_search *self) {
  struct state_download *download = &self->download;
  floe_status status = FLOE_OK;
  if (download->waiting_count == 0 || self->search.status != FLOE_OK)
    return;
  if (recorder_of(self))
    record(self, download->waiting, download->waiting_count);
  if (self->search.task->archive)
    status = archive_new(self, download->waiting, download->waiting_count);
  download->waiting_count = 0;
  if (status != FLOE_OK)
    search_fail(&self->search, status);
}

void download_flush(struct gpu_search *self) {
  const struct recorder *recorder = recorder_of(self);
  download_deliver(self);
  if (recorder)
    recorder->settle(recorder->lane(recorder->user, self->group.collective.rank));
}

/* ---- download -------------------------------------------------------------------------------- */

/* Words [first, first + count) of a ring of `words`. */
static floe_status fetch(struct gpu_search *self, gpu_address ring, uint64_t words, uint64_t first, uint64_t count,
                         uint64_t *to) {
  while (count > 0) {
    uint64_t place = first & (words - 1), n = least(count, words - place);
    FLOE_TRY(gpu_download_start(self->gpu, to, ring + place * sizeof *to, n * sizeof *to));
    first += n;
    to += n;
    count -= n;
  }
  return FLOE_OK;
}

/* Downloads these words; delivers the previous ones meanwhile. */
static void download_words(struct gpu_search *self, gpu_address ring, uint64_t words, uint64_t first, uint64_t count) {
  struct state_download *download = &self->download;
  while (count > 0 && self->search.status == FLOE_OK) {
    uint64_t n = least(count, DOWNLOAD_BUFFER_WORDS);
    uint64_t *buffer = download->buffers[download->waiting == download->buffers[0]];
    floe_status status = fetch(self, ring, words, first, n, buffer);
    download_deliver(self);
    if (status == FLOE_OK)
      status = gpu_wait(self->gpu);
    if (status != FLOE_OK)
      search_fail(&self->search, status);
    download->waiting = buffer;
    download->waiting_count = n;
    first += n;
    count -= n;
  }
}

void download_take(struct gpu_search *self) {
  struct state_download *download = &self->download;
  struct gpu_control *control = &self->control;
  if (download->states || download->log) {
    floe_status status = gpu_tree_copy(self);
    if (status != FLOE_OK) {
      search_fail(&self->search, status);
      return;
    }
  }
  if (download->states) {
    download_words(self, self->queue.ring, self->queue.ring_words, self->queue.downloaded,
                   control->next_end - self->queue.downloaded);
    self->queue.downloaded = control->next_end;
  }
  if (download->log) {
    download_words(self, self->buffers.log, UINT64_C(1) << 63, 0, control->log_count);
    control->log_count = 0;
  }
}

void download_begin_level(struct gpu_search *self) {
  struct archive *archive = self->search.task->archive;
  floe_status status = archive ? archive_reach_level(archive, self->search.levels.count) : FLOE_OK;
  if (status != FLOE_OK)
    search_fail(&self->search, status);
}

/* ---- creation -------------------------------------------------------------------------------- */

void download_plan(struct gpu_search *self) {
  struct state_download *download = &self->download;
  const struct engine_task *task = self->search.task;
  const struct recorder *recorder = recorder_of(self);
  download->log = recorder && recorder->lookups;
  download->states = task->archive || (recorder && !download->log);
  self->queue.downloaded = FIRST_POSITION;
  if (!download->states)
    return;
  download->most = least(MOST_STATES, self->budget.limit / 1024);
  if (self->test_settings.queue)
    download->most = least(download->most, self->test_settings.queue / 8 + 1);
}

floe_status download_open(struct gpu_search *self) {
  struct state_download *download = &self->download;
  void *memory;
  if (!download->states && !download->log && !self->search.task->group.records)
    return FLOE_OK;
  FLOE_TRY(gpu_host_alloc(self->gpu, 2 * DOWNLOAD_BUFFER_WORDS * sizeof(uint64_t), &memory));
  download->buffers[0] = memory;
  download->buffers[1] = download->buffers[0] + DOWNLOAD_BUFFER_WORDS;
  if (self->tree.words)
    download->states_of = mem_array((size_t)RECORDER_MOST_AT_ONCE * self->tree.words, sizeof(uint64_t));
  return self->tree.words && !download->states_of ? FLOE_ERROR_MEMORY : FLOE_OK;
}

void download_close(struct gpu_search *self) {
  gpu_host_free(self->gpu, self->download.buffers[0]);
  mem_free(self->download.states_of);
}
