/* The queue of states: a ring in the device's memory, and pieces of it on the host where that is
 * full. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "gpu/engine/sizing_policy.h"

#include <string.h>

/* Of the limit: for the driver, and what is taken later and is small. */
#define OTHERS_SHARE 512

static gpu_address at(gpu_address ring, uint64_t words, uint64_t position) {
  return ring + (position & (words - 1)) * sizeof(uint64_t);
}

uint64_t queue_bytes(const struct gpu_search *self) {
  return self->ring_words * sizeof(uint64_t) + self->segment_bytes_all;
}

static void note_peak(struct gpu_search *self) {
  if (queue_bytes(self) > self->frontier_peak)
    self->frontier_peak = queue_bytes(self);
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* What nothing else wants: `later` bytes will be taken yet. */
static uint64_t room_to_last(const struct gpu_search *self, uint64_t later) {
  const uint64_t room = gpu_budget_room(&self->budget), others = later + self->budget.limit / OTHERS_SHARE;
  return room > others ? room - others : 0;
}

floe_status queue_first(struct gpu_search *self) {
  const uint64_t slack = self->slack + self->download.most, limit = self->budget.limit;
  uint64_t words =
      table_traits(self->visited.config.scheme)->every_key
          ? policy_lasting_queue(slack, limit, room_to_last(self, content_bytes(self)), grow_expected_states(self))
          : policy_first_queue(slack, limit);
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  if (self->test_settings.queue)
    while (words / 2 >= self->test_settings.queue && words / 2 >= 4 * (self->slack + self->download.most))
      words /= 2;
  FLOE_TRY(gpu_search_take(self, words * sizeof(uint64_t), &self->ring));
  self->ring_words = words;
  self->segment_words = policy_piece(words);
  segments_plan(self);
  note_peak(self);
  return FLOE_OK;
}

/* Physical places change with the size: what is contiguous in both rings is copied at once. */
static floe_status copy_states(struct gpu_search *self, gpu_address ring, uint64_t words) {
  const uint64_t end = self->control.next_end;
  for (uint64_t p = self->control.level.current; p < end;) {
    uint64_t n = end - p;
    n = least(n, self->ring_words - (p & (self->ring_words - 1)));
    n = least(n, words - (p & (words - 1)));
    FLOE_TRY(gpu_copy(self->gpu, at(ring, words, p), at(self->ring, self->ring_words, p), n * sizeof(uint64_t)));
    p += n;
  }
  return FLOE_OK;
}

/* FLOE_ERROR_MEMORY: there is no room for a larger ring. */
static floe_status enlarge(struct gpu_search *self) {
  gpu_address ring;
  uint64_t words =
      self->test_settings.queue || (self->test_settings.replace && self->final)
          ? 0
          : policy_larger_queue(self->ring_words, self->budget.limit, gpu_budget_room(&self->budget), self->final);
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(gpu_search_take(self, words * sizeof(uint64_t), &ring));
  floe_status status = copy_states(self, ring, words);
  if (status != FLOE_OK) {
    gpu_search_give(self, words * sizeof(uint64_t), &ring);
    return status;
  }
  gpu_search_give(self, self->ring_words * sizeof(uint64_t), &self->ring);
  self->ring = ring;
  self->ring_words = words;
  note_peak(self);
  return FLOE_OK;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static floe_status download(struct gpu_search *self, uint64_t from, struct queue_segment *segment) {
  for (uint64_t done = 0; done < segment->count;) {
    uint64_t p = from + done;
    uint64_t n = least(segment->count - done, self->ring_words - (p & (self->ring_words - 1)));
    FLOE_TRY(
        gpu_download_start(self->gpu, segment->states + done, at(self->ring, self->ring_words, p), n * sizeof(uint64_t)));
    done += n;
  }
  return FLOE_OK;
}

static floe_status upload(struct gpu_search *self, uint64_t to, const struct queue_segment *segment) {
  for (uint64_t done = 0; done < segment->count;) {
    uint64_t p = to + done;
    uint64_t n = least(segment->count - done, self->ring_words - (p & (self->ring_words - 1)));
    FLOE_TRY(
        gpu_upload_start(self->gpu, at(self->ring, self->ring_words, p), segment->states + done, n * sizeof(uint64_t)));
    done += n;
  }
  return FLOE_OK;
}

/* States [from, to) to the host. */
static floe_status put_out(struct gpu_search *self, uint64_t from, uint64_t to, struct queue_segments *list) {
  while (from < to) {
    struct queue_segment *segment;
    FLOE_TRY(segments_new(self, &segment));
    note_peak(self);
    segment->count = least(to - from, self->segment_words);
    segments_push(list, segment);
    FLOE_TRY(download(self, from, segment));
    from += segment->count;
    self->spilled += segment->count;
  }
  return FLOE_OK;
}

/* What was put out for nothing is in the ring still. */
static void take_back(struct gpu_search *self, struct queue_segments *list, uint64_t states) {
  while (list->states > states) {
    self->spilled -= list->first->count;
    segments_drop(self, list);
  }
}

/* The first states of the next level and of the current part, so many. After an error all is where it was. */
static floe_status put_both_out(struct gpu_search *self, uint64_t current, uint64_t next) {
  const struct gpu_control *control = &self->control;
  const uint64_t had_next = self->next_segments.states, had = self->level_segments.states;
  floe_status status = put_out(self, control->level.next, control->level.next + next, &self->next_segments);
  if (status == FLOE_OK)
    status = put_out(self, control->level.current, control->level.current + current, &self->level_segments);
  if (status == FLOE_OK)
    status = gpu_wait(self->gpu);
  if (status != FLOE_OK) {
    take_back(self, &self->next_segments, had_next);
    take_back(self, &self->level_segments, had);
  }
  return status;
}

/* ---- spilling -------------------------------------------------------------------------------- */

/* Some of the current part, where that is large, else all of the next level. */
static floe_status spill(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  const struct policy_spill out =
      policy_spill(self->ring_words, self->slack + self->download.most, control->level.current_end - control->level.current,
                   control->next_end - control->level.next);
  FLOE_TRY(put_both_out(self, out.current, out.next));
  control->level.current += out.current;
  control->level.states_before += out.next;
  control->next_end -= out.next;
  if (out.next)
    download_moved(self);
  segments_settle(self);
  return FLOE_OK;
}

/* Memory that ends, of the device or the host, and a disk that is full or loses states end the run; all else is an
 * error. */
static void give_up(struct gpu_search *self, floe_status status) {
  segments_tell(self);
  if (status == FLOE_ERROR_MEMORY)
    search_finish(self->search, FLOE_END_MEMORY);
  else if (status == FLOE_ERROR_IO)
    search_fail_disk(self->search);
  else
    search_fail(self->search, status);
}

/* All of it goes out, the level in work as parts. */
static floe_status put_all_out(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  FLOE_TRY(put_both_out(self, control->level.current_end - control->level.current, control->next_end - control->level.next));
  control->level.states_before += control->next_end - control->level.next;
  control->level.current = control->level.current_end = control->level.next = control->next_end = FIRST_POSITION;
  download_moved(self);
  return FLOE_OK;
}

/* Of an empty ring. */
static floe_status take_ring(struct gpu_search *self, uint64_t words) {
  self->ring_words = 0;
  FLOE_TRY(gpu_search_take(self, words * sizeof(uint64_t), &self->ring));
  self->ring_words = words;
  note_peak(self);
  return FLOE_OK;
}

static floe_status change_ring(struct gpu_search *self, uint64_t words) {
  const uint64_t before = self->ring_words;
  FLOE_TRY(put_all_out(self));
  gpu_search_give(self, before * sizeof(uint64_t), &self->ring);
  floe_status status = take_ring(self, words);
  if (status == FLOE_ERROR_MEMORY)
    FLOE_TRY(take_ring(self, before));
  return status;
}

/* A larger ring that would have no room beside this one takes its place, with what it holds on the host: once, instead
   of parts that go there and come back in each level. */
static floe_status replace(struct gpu_search *self) {
  const bool may = self->final && !self->host_backed && !self->test_settings.queue && !self->ring_stays && !self->store.full;
  const uint64_t words = may ? policy_queue_instead(self->ring_words, room_to_last(self, 0)) : 0;
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  const floe_status status = change_ring(self, words);
  self->ring_stays = status == FLOE_ERROR_MEMORY;
  self->replaced += status == FLOE_OK;
  return status;
}

/* What a launch expands it leaves room for only when it has ended. */
static bool lacks_room(const struct gpu_search *self) {
  const uint64_t held = self->control.next_end - self->control.level.current;
  return held + greatest(self->control.level.slack, self->ring_words / 16) >= self->ring_words;
}

static void make_room(struct gpu_search *self, bool needed) {
  floe_status status = enlarge(self);
  if (status == FLOE_ERROR_MEMORY && !needed)
    return;
  if (status == FLOE_ERROR_MEMORY)
    status = replace(self);
  if (status == FLOE_ERROR_MEMORY)
    status = spill(self);
  if (status != FLOE_OK)
    give_up(self, status);
}

void queue_relieve(struct gpu_search *self) { make_room(self, true); }
void queue_was_full(struct gpu_search *self) { make_room(self, lacks_room(self)); }

floe_status queue_shrink(struct gpu_search *self) {
  const uint64_t words = policy_first_queue(self->slack + self->download.most, self->budget.limit);
  return words == 0 || words >= self->ring_words ? FLOE_OK : change_ring(self, words);
}

bool queue_in_parts(const struct gpu_search *self) {
  return self->level_segments.states > 0 || self->next_segments.states > 0;
}

bool queue_has_level(const struct gpu_search *self) { return self->level_segments.states == 0; }

/* The piece becomes the current part. */
static floe_status bring_in(struct gpu_search *self, struct queue_segment *segment) {
  struct gpu_control *control = &self->control;
  control->level.current = control->level.next - segment->count;
  control->level.current_end = control->level.next;
  floe_status status = upload(self, control->level.current, segment);
  if (status == FLOE_OK)
    status = gpu_wait(self->gpu);
  segments_spare(self, segment);
  if (status == FLOE_OK)
    segments_look_ahead(self);
  return status;
}

bool queue_next_part(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  if (self->level_segments.states == 0)
    return false;
  if (!policy_piece_has_room(self->ring_words, self->segment_words, control->next_end - control->level.next))
    queue_relieve(self);
  if (self->search->ended)
    return false;
  struct queue_segment *segment;
  floe_status status = segments_pop(self, &self->level_segments, &segment);
  if (status == FLOE_OK)
    status = bring_in(self, segment);
  if (status != FLOE_OK)
    give_up(self, status);
  return status == FLOE_OK;
}

void queue_turn(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  control->level.states_before += control->next_end - control->level.next;
  control->level.current = control->level.next;
  control->level.current_end = control->level.next = control->next_end;
  self->level_segments = self->next_segments;
  self->next_segments = (struct queue_segments){0};
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

floe_status queue_add(struct gpu_search *self, bool next, const uint64_t *states, uint64_t n) {
  struct queue_segments *list = next ? &self->next_segments : &self->level_segments;
  while (n > 0) {
    struct queue_segment *segment = list->first;
    if (!segment || !segment->states || segment->row.busy || segment == self->store.writing ||
        segment->count == self->segment_words) {
      FLOE_TRY(segments_new(self, &segment));
      segment->count = 0;
      segments_push(list, segment);
    }
    const uint64_t some = least(n, self->segment_words - segment->count);
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
  const struct queue_segments *list = next ? &self->next_segments : &self->level_segments;
  const uint64_t end = next ? control->next_end : control->level.current_end;
  uint64_t n;
  for (uint64_t p = next ? control->level.next : control->level.current; p < end; p += n) {
    n = least(least(end - p, room), self->ring_words - (p & (self->ring_words - 1)));
    FLOE_TRY(gpu_download(self->gpu, buffer, at(self->ring, self->ring_words, p), n * sizeof *buffer));
    visit(user, buffer, n);
  }
  return segments_each(self, list, visit, user);
}

/* ---- figures --------------------------------------------------------------------------------- */

uint64_t queue_level_rest(const struct gpu_search *self) {
  return self->control.level.current_end - self->control.level.current + self->level_segments.states;
}

uint64_t queue_next_states(const struct gpu_search *self) {
  return self->control.next_end - self->control.level.next + self->next_segments.states;
}

void queue_free(struct gpu_search *self) {
  segments_free(self);
  if (self->ring)
    gpu_search_give(self, self->ring_words * sizeof(uint64_t), &self->ring);
}
