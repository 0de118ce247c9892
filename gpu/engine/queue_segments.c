/* Pieces of the queue on the host: in page-locked memory as far as options->memory goes, on disk beyond. One piece at a
   time is on its way to the disk while the device works; the next one of the level is read before it is wanted, where
   memory for two is idle. To go on at all takes memory for one piece. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "gpu/engine/host_backed_set.h"

#include <assert.h>

#define MOST_BLOCK (UINT64_C(1) << 16) /* states */
#define LEAST_BLOCK 256
#define MOST_THREADS 16
#define ALWAYS 2 /* pieces: one to be filled while another one is written */
#define SHARE 8  /* of the memory for the team, where that is very little */

/* ---- lists ----------------------------------------------------------------------------------- */

static struct queue_segment *pop(struct queue_segments *list) {
  struct queue_segment *segment = list->first;
  if (segment) {
    list->first = segment->next;
    list->states -= segment->count;
  }
  return segment;
}

void segments_push(struct queue_segments *list, struct queue_segment *segment) {
  segment->next = list->first;
  list->first = segment;
  list->states += segment->count;
}

void segments_spare(struct gpu_search *self, struct queue_segment *segment) {
  assert(segment->states && !segment->row.busy && !segment->row.blocks);
  segment->count = 0;
  segments_push(&self->spare_segments, segment);
}

/* ---- the team -------------------------------------------------------------------------------- */

static uint64_t piece_bytes(const struct gpu_search *self) { return self->segment_words * sizeof(uint64_t); }

/* The most threads and the largest blocks that are a small part of the memory; false: there are none. */
static bool choose_team(const struct gpu_search *self, struct spool_config *config, unsigned *threads) {
  const floe_options *options = self->search->task->options;
  const uint64_t most = options->memory / SHARE;
  for (unsigned plain = 0; plain <= 1; plain++)
    for (uint64_t block = least(MOST_BLOCK, self->segment_words); block >= LEAST_BLOCK; block /= 2) {
      *config = (struct spool_config){.words = 1, .most = block, .level = SPOOL_LEVEL, .plain = plain};
      *threads = (unsigned)least(greatest(options->threads, 1), MOST_THREADS);
      while (*threads > 1 && spool_threads_bytes(config, *threads) > most)
        *threads /= 2;
      if (spool_threads_bytes(config, *threads) <= most)
        return true;
    }
  return false;
}

void segments_plan(struct gpu_search *self) {
  struct spill_store *store = &self->store;
  store->possible = choose_team(self, &store->config, &store->threads);
  store->reserved = store->possible ? spool_threads_bytes(&store->config, store->threads) : 0;
}

static floe_status make_team(struct gpu_search *self) {
  struct spill_store *store = &self->store;
  if (store->team)
    return FLOE_OK;
  return store->possible ? spool_threads_create(&store->config, store->threads, &store->team) : FLOE_ERROR_MEMORY;
}

void segments_tell(struct gpu_search *self) {
  if (self->store.team)
    spool_report_error(spool_threads_spool(self->store.team), self->search->log);
}

uint64_t segments_written(const struct gpu_search *self) {
  return self->store.team ? spool_statistics(spool_threads_spool(self->store.team)).written : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* In memory, and not on its way. */
static bool is_here(const struct queue_segment *segment) { return segment->states && !segment->row.blocks; }

/* That is wanted last. */
static struct queue_segment *last_here(const struct queue_segments *list) {
  struct queue_segment *last = NULL;
  for (struct queue_segment *segment = list->first; segment; segment = segment->next)
    if (is_here(segment))
      last = segment;
  return last;
}

/* What was read too early may have to go again. */
static floe_status end_reading(struct gpu_search *self) {
  struct queue_segment *first = self->level_segments.first;
  return first && first->row.busy && first->row.reading ? spool_row_wait(self->store.team, &first->row) : FLOE_OK;
}

/* NULL: there is none. */
static struct queue_segment *wanted_last(const struct gpu_search *self) {
  struct queue_segment *segment = last_here(&self->next_segments);
  return segment ? segment : last_here(&self->level_segments);
}

static floe_status write_piece(struct gpu_search *self, struct queue_segment *segment) {
  assert(!self->store.writing && is_here(segment));
  FLOE_TRY(make_team(self));
  segment->row.states = segment->states;
  segment->row.count = segment->count;
  FLOE_TRY(spool_row_write(self->store.team, &segment->row));
  self->store.writing = segment;
  return FLOE_OK;
}

static floe_status begin_writing(struct gpu_search *self) {
  struct queue_segment *segment = wanted_last(self);
  if (!segment) {
    FLOE_TRY(end_reading(self));
    segment = wanted_last(self);
  }
  return segment ? write_piece(self, segment) : FLOE_ERROR_MEMORY;
}

/* The memory of the piece that is being written becomes that of *out. */
static floe_status end_writing(struct gpu_search *self, struct queue_segment **out) {
  struct spill_store *store = &self->store;
  struct queue_segment *written = store->writing, *segment = mem_alloc(sizeof *segment);
  if (!segment)
    return FLOE_ERROR_MEMORY;
  store->writing = NULL;
  floe_status status = spool_row_wait(store->team, &written->row);
  if (status != FLOE_OK) {
    mem_free(segment);
    return status;
  }
  segment->states = written->states;
  written->states = NULL;
  *out = segment;
  return FLOE_OK;
}

/* The device may still be copying to what is to be written. */
static floe_status take_from_written(struct gpu_search *self, struct queue_segment **out) {
  if (!self->store.writing) {
    FLOE_TRY(gpu_wait(self->gpu));
    FLOE_TRY(begin_writing(self));
  }
  return end_writing(self, out);
}

/* ---- memory ---------------------------------------------------------------------------------- */

uint64_t segments_claim(const struct gpu_search *self) {
  return greatest(self->segment_bytes_all, ALWAYS * piece_bytes(self)) + self->store.reserved;
}

/* A set of two levels has tables in the same memory, which leave that much. */
static bool has_room(const struct gpu_search *self) {
  const uint64_t memory = self->search->task->options->memory;
  const uint64_t bytes = self->segment_bytes_all + piece_bytes(self) + self->store.reserved;
  const bool few = self->segment_bytes_all < ALWAYS * piece_bytes(self);
  const struct host_backed_figures host_backed = host_backed_figures(self);
  return bytes + (few ? 0 : host_backed.host_bytes + host_backed.batch_bytes) <= memory;
}

static floe_status add_piece(struct gpu_search *self, struct queue_segment **out) {
  void *states;
  struct queue_segment *segment = mem_alloc(sizeof *segment);
  if (!segment)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_host_alloc(self->gpu, piece_bytes(self), &states);
  if (status != FLOE_OK) {
    mem_free(segment);
    return status;
  }
  segment->states = states;
  self->segment_bytes_all += piece_bytes(self);
  *out = segment;
  return FLOE_OK;
}

floe_status segments_new(struct gpu_search *self, struct queue_segment **out) {
  struct queue_segment *segment = pop(&self->spare_segments);
  if (segment) {
    *out = segment;
    return FLOE_OK;
  }
  floe_status status = has_room(self) && !self->store.full ? add_piece(self, out) : FLOE_ERROR_MEMORY;
  if (status != FLOE_ERROR_MEMORY)
    return status;
  self->store.full = true;
  return take_from_written(self, out);
}

/* Early; who needs the memory asks again, and is told. */
void segments_settle(struct gpu_search *self) {
  struct queue_segment *segment = wanted_last(self);
  if (self->store.full && !self->store.writing && !self->spare_segments.first && segment &&
      segment != self->level_segments.first)
    write_piece(self, segment);
}

/* ---- coming back ----------------------------------------------------------------------------- */

static void move_memory(struct queue_segment *from, struct queue_segment *to) {
  assert(!to->states);
  to->states = to->row.states = from->states;
  mem_free(from);
}

/* Both in memory and on disk, or on its way there: the memory is taken. */
static void stay(struct gpu_search *self, struct queue_segment *segment) {
  spool_row_wait(self->store.team, &segment->row); /* what is not written is here all the same */
  spool_row_drop(self->store.team, &segment->row);
  self->store.writing = NULL;
}

static floe_status read_back(struct gpu_search *self, struct queue_segment *segment) {
  if (!segment->row.busy) {
    struct queue_segment *memory;
    FLOE_TRY(segments_new(self, &memory));
    move_memory(memory, segment);
    spool_row_read(self->store.team, &segment->row);
  }
  return spool_row_wait(self->store.team, &segment->row);
}

floe_status segments_pop(struct gpu_search *self, struct queue_segments *list, struct queue_segment **out) {
  struct queue_segment *segment = list->first;
  assert(segment);
  if (segment == self->store.writing)
    stay(self, segment);
  if (!is_here(segment))
    FLOE_TRY(read_back(self, segment));
  *out = pop(list);
  return FLOE_OK;
}

void segments_look_ahead(struct gpu_search *self) {
  struct queue_segment *segment = self->level_segments.first;
  if (!segment || segment->states || segment->row.busy || !self->spare_segments.first || !self->spare_segments.first->next)
    return;
  move_memory(pop(&self->spare_segments), segment);
  spool_row_read(self->store.team, &segment->row);
}

/* ---- looking, the end ------------------------------------------------------------------------ */

/* Nothing is on its way. */
static floe_status calm(struct gpu_search *self) {
  if (self->store.writing)
    stay(self, self->store.writing);
  return end_reading(self);
}

floe_status segments_each(struct gpu_search *self, const struct queue_segments *list,
                        void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  FLOE_TRY(calm(self));
  for (const struct queue_segment *segment = list->first; segment; segment = segment->next)
    if (is_here(segment))
      visit(user, segment->states, segment->count);
    else
      FLOE_TRY(spool_row_visit(self->store.team, &segment->row, visit, user));
  return FLOE_OK;
}

void segments_drop(struct gpu_search *self, struct queue_segments *list) {
  struct queue_segment *segment = pop(list);
  if (segment == self->store.writing)
    self->store.writing = NULL;
  if (self->store.team) {
    spool_row_wait(self->store.team, &segment->row);
    spool_row_drop(self->store.team, &segment->row);
  }
  if (segment->states)
    segments_spare(self, segment);
  else
    mem_free(segment);
}

void segments_free(struct gpu_search *self) {
  struct queue_segments *const lists[] = {&self->level_segments, &self->next_segments};
  for (size_t i = 0; i < 2; i++)
    while (lists[i]->first)
      segments_drop(self, lists[i]);
  for (struct queue_segment *segment; (segment = pop(&self->spare_segments)) != NULL;) {
    gpu_host_free(self->gpu, segment->states);
    mem_free(segment);
  }
  spool_threads_free(self->store.team);
  self->store.team = NULL;
}
