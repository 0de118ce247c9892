#include "gpu/engine/queue.h"

#include "base/numbers.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/sizing_policy.h"

#include <string.h>

/* Part of the limit for the driver and later small allocations. */
#define OTHERS_SHARE 512

static gpu_address at(gpu_address ring, uint64_t words, uint64_t position) {
  return ring + (position & (words - 1)) * sizeof(uint64_t);
}

uint64_t queue_bytes(const struct gpu_search *self) {
  return self->queue.ring_words * sizeof(uint64_t) + self->queue.spill.bytes;
}

static void update_peak(struct gpu_search *self) {
  if (queue_bytes(self) > self->queue.peak_bytes)
    self->queue.peak_bytes = queue_bytes(self);
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* Room that stays free when `reserved` further bytes are allocated. */
static uint64_t room_to_last(const struct gpu_search *self, uint64_t reserved) {
  const uint64_t room = gpu_budget_room(&self->budget), others = reserved + self->budget.limit / OTHERS_SHARE;
  return room > others ? room - others : 0;
}

floe_status queue_first(struct gpu_search *self, uint64_t expected, uint64_t reserved) {
  const uint64_t slack = self->grid.slack + self->download.most, limit = self->budget.limit;
  uint64_t words = table_traits(self->visited.table.config.scheme)->every_key
                       ? policy_lasting_queue(slack, limit, room_to_last(self, reserved), expected)
                       : policy_first_queue(slack, limit);
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  words = policy_queue_of_all(words, slack, room_to_last(self, reserved), self->search.task->paths.states);
  if (self->test_settings.queue)
    while (words / 2 >= self->test_settings.queue && words / 2 >= 4 * (self->grid.slack + self->download.most))
      words /= 2;
  FLOE_TRY(gpu_search_take(self, words * sizeof(uint64_t), &self->queue.ring));
  self->queue.ring_words = words;
  segments_plan(&self->queue.spill, self->gpu, self->search.task->options, policy_segment(words));
  update_peak(self);
  return FLOE_OK;
}

/* Positions map to other words in a ring of another size: copies runs that are contiguous in both rings. */
static floe_status copy_states(struct gpu_search *self, gpu_address ring, uint64_t words) {
  const uint64_t end = self->control.next_end;
  for (uint64_t p = self->control.level.current; p < end;) {
    uint64_t n = end - p;
    n = least(n, self->queue.ring_words - (p & (self->queue.ring_words - 1)));
    n = least(n, words - (p & (words - 1)));
    FLOE_TRY(
        gpu_copy(self->gpu, at(ring, words, p), at(self->queue.ring, self->queue.ring_words, p), n * sizeof(uint64_t)));
    p += n;
  }
  return FLOE_OK;
}

/* FLOE_ERROR_MEMORY: there is no room for a larger ring. */
static floe_status enlarge(struct gpu_search *self) {
  gpu_address ring;
  uint64_t words = self->test_settings.queue || (self->test_settings.replace && self->visited.final)
                       ? 0
                       : policy_larger_queue(self->queue.ring_words, self->budget.limit, gpu_budget_room(&self->budget),
                                             self->visited.final);
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(gpu_search_take(self, words * sizeof(uint64_t), &ring));
  floe_status status = copy_states(self, ring, words);
  if (status != FLOE_OK) {
    gpu_search_give(self, words * sizeof(uint64_t), &ring);
    return status;
  }
  gpu_search_give(self, self->queue.ring_words * sizeof(uint64_t), &self->queue.ring);
  self->queue.ring = ring;
  self->queue.ring_words = words;
  self->queue.moved = true;
  update_peak(self);
  return FLOE_OK;
}

/* ---- segments ---------------------------------------------------------------------------------- */

static floe_status download(struct gpu_search *self, uint64_t from, struct queue_segment *segment) {
  for (uint64_t done = 0; done < segment->count;) {
    uint64_t p = from + done;
    uint64_t n = least(segment->count - done, self->queue.ring_words - (p & (self->queue.ring_words - 1)));
    FLOE_TRY(gpu_download_start(self->gpu, segment->states + done, at(self->queue.ring, self->queue.ring_words, p),
                                n * sizeof(uint64_t)));
    done += n;
  }
  return FLOE_OK;
}

static floe_status upload(struct gpu_search *self, uint64_t to, const struct queue_segment *segment) {
  for (uint64_t done = 0; done < segment->count;) {
    uint64_t p = to + done;
    uint64_t n = least(segment->count - done, self->queue.ring_words - (p & (self->queue.ring_words - 1)));
    FLOE_TRY(gpu_upload_start(self->gpu, at(self->queue.ring, self->queue.ring_words, p), segment->states + done,
                              n * sizeof(uint64_t)));
    done += n;
  }
  return FLOE_OK;
}

/* Copies states [from, to) of the ring to segments. */
static floe_status spill_states(struct gpu_search *self, uint64_t from, uint64_t to, struct queue_segments *list) {
  while (from < to) {
    struct queue_segment *segment;
    FLOE_TRY(segments_new(&self->queue.spill, &segment));
    update_peak(self);
    segment->count = least(to - from, self->queue.spill.segment_words);
    segments_push(list, segment);
    FLOE_TRY(download(self, from, segment));
    from += segment->count;
    self->queue.spilled += segment->count;
  }
  return FLOE_OK;
}

/* Drops the segments beyond the first `states` states of the list: the ring still has their states. */
static void undo_spill(struct gpu_search *self, struct queue_segments *list, uint64_t states) {
  while (list->states > states) {
    self->queue.spilled -= list->first->count;
    segments_drop(&self->queue.spill, list);
  }
}

/* Copies the first `current` states of the current part and `next` of the next level to the host. After an error
   nothing has changed. */
static floe_status spill_both(struct gpu_search *self, uint64_t current, uint64_t next) {
  const struct gpu_control *control = &self->control;
  self->queue.moved = true;
  const uint64_t had_next = self->queue.spill.next.states, had = self->queue.spill.level.states;
  floe_status status = spill_states(self, control->level.next, control->level.next + next, &self->queue.spill.next);
  if (status == FLOE_OK)
    status = spill_states(self, control->level.current, control->level.current + current, &self->queue.spill.level);
  if (status == FLOE_OK)
    status = gpu_wait(self->gpu);
  if (status != FLOE_OK) {
    undo_spill(self, &self->queue.spill.next, had_next);
    undo_spill(self, &self->queue.spill.level, had);
  }
  return status;
}

/* ---- spilling -------------------------------------------------------------------------------- */

/* Spills some of a large current part, else all of the next level. */
static floe_status spill_some(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  const struct policy_spill out =
      policy_spill(self->queue.ring_words, self->grid.slack + self->download.most,
                   control->level.current_end - control->level.current, control->next_end - control->level.next);
  FLOE_TRY(spill_both(self, out.current, out.next));
  control->level.current += out.current;
  control->level.states_before += out.next;
  control->next_end -= out.next;
  if (out.next)
    self->queue.downloaded = control->next_end;
  segments_write_ahead(&self->queue.spill);
  return FLOE_OK;
}

/* Exhausted memory of device or host, and a disk that is full or loses states, end the search; anything else is an
   error. */
static void end_for(struct gpu_search *self, floe_status status) {
  segments_log_errors(&self->queue.spill, self->search.log);
  if (status == FLOE_ERROR_MEMORY)
    search_finish(&self->search, FLOE_END_MEMORY);
  else if (status == FLOE_ERROR_IO)
    search_fail_disk(&self->search);
  else
    search_fail(&self->search, status);
}

/* Spills the whole ring. */
static floe_status spill_all(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  FLOE_TRY(
      spill_both(self, control->level.current_end - control->level.current, control->next_end - control->level.next));
  control->level.states_before += control->next_end - control->level.next;
  control->level.current = control->level.current_end = control->level.next = control->next_end = FIRST_POSITION;
  self->queue.downloaded = FIRST_POSITION;
  return FLOE_OK;
}

/* Allocates a ring in place of an empty one. */
static floe_status allocate_ring(struct gpu_search *self, uint64_t words) {
  self->queue.ring_words = 0;
  FLOE_TRY(gpu_search_take(self, words * sizeof(uint64_t), &self->queue.ring));
  self->queue.ring_words = words;
  update_peak(self);
  return FLOE_OK;
}

static floe_status change_ring(struct gpu_search *self, uint64_t words) {
  const uint64_t before = self->queue.ring_words;
  FLOE_TRY(spill_all(self));
  gpu_search_give(self, before * sizeof(uint64_t), &self->queue.ring);
  floe_status status = allocate_ring(self, words);
  if (status == FLOE_ERROR_MEMORY)
    FLOE_TRY(allocate_ring(self, before));
  return status;
}

/* Replaces the ring by a larger one that has no room beside it; its states go to the host once, instead of parts that
   go there and come back in each level. */
static floe_status replace_ring(struct gpu_search *self) {
  const bool may = self->visited.final && !self->host_backed && !self->test_settings.queue &&
                   !self->queue.ring_is_largest && !self->queue.spill.full;
  const uint64_t words = may ? policy_queue_instead(self->queue.ring_words, room_to_last(self, 0)) : 0;
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  const floe_status status = change_ring(self, words);
  self->queue.ring_is_largest = status == FLOE_ERROR_MEMORY;
  self->queue.ring_replacements += status == FLOE_OK;
  return status;
}

/* The room of expanded states becomes free only at the end of a launch. */
static bool lacks_room(const struct gpu_search *self) {
  const uint64_t held = self->control.next_end - self->control.level.current;
  return held + greatest(self->control.level.slack, self->queue.ring_words / 16) >= self->queue.ring_words;
}

static void enlarge_or_spill(struct gpu_search *self, bool needed) {
  floe_status status = enlarge(self);
  if (status == FLOE_ERROR_MEMORY && !needed)
    return;
  if (status == FLOE_ERROR_MEMORY)
    status = replace_ring(self);
  if (status == FLOE_ERROR_MEMORY)
    status = spill_some(self);
  if (status != FLOE_OK)
    end_for(self, status);
}

void queue_make_room(struct gpu_search *self) { enlarge_or_spill(self, true); }
void queue_was_full(struct gpu_search *self) { enlarge_or_spill(self, lacks_room(self)); }

floe_status queue_shrink(struct gpu_search *self) {
  const uint64_t words = policy_first_queue(self->grid.slack + self->download.most, self->budget.limit);
  return words == 0 || words >= self->queue.ring_words ? FLOE_OK : change_ring(self, words);
}

bool queue_in_parts(const struct gpu_search *self) {
  return self->queue.spill.level.states > 0 || self->queue.spill.next.states > 0;
}

bool queue_has_level(const struct gpu_search *self) { return self->queue.spill.level.states == 0; }

/* The segment becomes the current part. */
static floe_status load_part(struct gpu_search *self, struct queue_segment *segment) {
  struct gpu_control *control = &self->control;
  control->level.current = control->level.next - segment->count;
  control->level.current_end = control->level.next;
  floe_status status = upload(self, control->level.current, segment);
  if (status == FLOE_OK)
    status = gpu_wait(self->gpu);
  segments_spare(&self->queue.spill, segment);
  if (status == FLOE_OK)
    segments_read_ahead(&self->queue.spill);
  return status;
}

bool queue_next_part(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  if (self->queue.spill.level.states == 0)
    return false;
  if (!policy_segment_has_room(self->queue.ring_words, self->queue.spill.segment_words,
                               control->next_end - control->level.next))
    queue_make_room(self);
  if (self->search.ended)
    return false;
  struct queue_segment *segment;
  floe_status status = segments_pop(&self->queue.spill, &self->queue.spill.level, &segment);
  if (status == FLOE_OK)
    status = load_part(self, segment);
  if (status != FLOE_OK)
    end_for(self, status);
  return status == FLOE_OK;
}

void queue_next_level(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  control->level.states_before += control->next_end - control->level.next;
  control->level.current = control->level.next;
  control->level.current_end = control->level.next = control->next_end;
  self->queue.spill.level = self->queue.spill.next;
  self->queue.spill.next = (struct queue_segments){0};
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

floe_status queue_add(struct gpu_search *self, bool next, const uint64_t *states, uint64_t n) {
  struct queue_segments *list = next ? &self->queue.spill.next : &self->queue.spill.level;
  while (n > 0) {
    struct queue_segment *segment = list->first;
    if (!segment || !segment->states || segment->row.busy || segment == self->queue.spill.writing ||
        segment->count == self->queue.spill.segment_words) {
      FLOE_TRY(segments_new(&self->queue.spill, &segment));
      segment->count = 0;
      segments_push(list, segment);
    }
    const uint64_t some = least(n, self->queue.spill.segment_words - segment->count);
    memcpy(segment->states + segment->count, states, some * sizeof *states);
    segment->count += some;
    list->states += some;
    states += some;
    n -= some;
  }
  return FLOE_OK;
}

floe_status queue_each(struct gpu_search *self, bool next, uint64_t *buffer, uint64_t room,
                       void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  const struct gpu_control *control = &self->control;
  const struct queue_segments *list = next ? &self->queue.spill.next : &self->queue.spill.level;
  const uint64_t end = next ? control->next_end : control->level.current_end;
  uint64_t n;
  for (uint64_t p = next ? control->level.next : control->level.current; p < end; p += n) {
    n = least(least(end - p, room), self->queue.ring_words - (p & (self->queue.ring_words - 1)));
    FLOE_TRY(gpu_download(self->gpu, buffer, at(self->queue.ring, self->queue.ring_words, p), n * sizeof *buffer));
    visit(user, buffer, n);
  }
  return segments_each(&self->queue.spill, list, visit, user);
}

/* ---- figures --------------------------------------------------------------------------------- */

bool queue_has_all(const struct gpu_search *self) {
  const struct state_queue *queue = &self->queue;
  return !gpu_search_in_group(self) && !self->host_backed && !snapshot_states(self->search.task) && !queue->moved &&
         self->control.next_end - FIRST_POSITION <= queue->ring_words;
}

uint64_t queue_level_rest(const struct gpu_search *self) {
  return self->control.level.current_end - self->control.level.current + self->queue.spill.level.states;
}

uint64_t queue_next_states(const struct gpu_search *self) {
  return self->control.next_end - self->control.level.next + self->queue.spill.next.states;
}

void queue_free(struct gpu_search *self) {
  segments_free(&self->queue.spill);
  if (self->queue.ring)
    gpu_search_give(self, self->queue.ring_words * sizeof(uint64_t), &self->queue.ring);
}
