#include "gpu/engine/queue_segments.h"

#include "base/numbers.h"
#include "core/mem.h"

#include <assert.h>

#define MOST_BLOCK (UINT64_C(1) << 16) /* states */
#define LEAST_BLOCK 256
#define MOST_THREADS 16
#define LEAST_SEGMENTS 2 /* one is filled while another one is written */
#define THREADS_SHARE 8  /* of the memory, for the buffers of the threads */

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

void segments_spare(struct spill_store *store, struct queue_segment *segment) {
  assert(segment->states && !segment->row.busy && !segment->row.blocks);
  segment->count = 0;
  segments_push(&store->spare, segment);
}

/* ---- the disk -------------------------------------------------------------------------------- */

static uint64_t segment_bytes(const struct spill_store *store) { return store->segment_words * sizeof(uint64_t); }

/* The most threads with the largest blocks that take a small part of the memory; false: even the least take more. */
static bool choose_threads(const struct spill_store *store, struct spool_config *config, unsigned *threads) {
  const uint64_t most = store->options->memory / THREADS_SHARE;
  for (unsigned plain = 0; plain <= 1; plain++)
    for (uint64_t block = least(MOST_BLOCK, store->segment_words); block >= LEAST_BLOCK; block /= 2) {
      *config = (struct spool_config){.words = 1, .most = block, .level = SPOOL_LEVEL, .plain = plain};
      *threads = (unsigned)least(greatest(store->options->threads, 1), MOST_THREADS);
      while (*threads > 1 && spool_threads_bytes(config, *threads) > most)
        *threads /= 2;
      if (spool_threads_bytes(config, *threads) <= most)
        return true;
    }
  return false;
}

void segments_plan(struct spill_store *store, struct gpu *gpu, const floe_options *options, uint64_t segment_words) {
  store->gpu = gpu;
  store->options = options;
  store->segment_words = segment_words;
  store->possible = choose_threads(store, &store->config, &store->thread_count);
  store->reserved = store->possible ? spool_threads_bytes(&store->config, store->thread_count) : 0;
}

static floe_status start_threads(struct spill_store *store) {
  if (store->threads)
    return FLOE_OK;
  return store->possible ? spool_threads_create(&store->config, store->thread_count, &store->threads)
                         : FLOE_ERROR_MEMORY;
}

void segments_log_errors(struct spill_store *store, floe_log *log) {
  if (store->threads)
    spool_report_error(spool_threads_spool(store->threads), log);
}

uint64_t segments_written(const struct spill_store *store) {
  return store->threads ? spool_statistics(spool_threads_spool(store->threads)).written : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* In memory, and not being written or read. */
static bool is_here(const struct queue_segment *segment) { return segment->states && !segment->row.blocks; }

/* The segment in memory that is needed last. */
static struct queue_segment *last_here(const struct queue_segments *list) {
  struct queue_segment *last = NULL;
  for (struct queue_segment *segment = list->first; segment; segment = segment->next)
    if (is_here(segment))
      last = segment;
  return last;
}

/* A segment that was read ahead may have to be written again. */
static floe_status end_reading(struct spill_store *store) {
  struct queue_segment *first = store->level.first;
  return first && first->row.busy && first->row.reading ? spool_row_wait(store->threads, &first->row) : FLOE_OK;
}

/* NULL: none is in memory. */
static struct queue_segment *needed_last(const struct spill_store *store) {
  struct queue_segment *segment = last_here(&store->next);
  return segment ? segment : last_here(&store->level);
}

static floe_status write_segment(struct spill_store *store, struct queue_segment *segment) {
  assert(!store->writing && is_here(segment));
  FLOE_TRY(start_threads(store));
  segment->row.states = segment->states;
  segment->row.count = segment->count;
  FLOE_TRY(spool_row_write(store->threads, &segment->row));
  store->writing = segment;
  return FLOE_OK;
}

static floe_status begin_writing(struct spill_store *store) {
  struct queue_segment *segment = needed_last(store);
  if (!segment) {
    FLOE_TRY(end_reading(store));
    segment = needed_last(store);
  }
  return segment ? write_segment(store, segment) : FLOE_ERROR_MEMORY;
}

/* Waits for the segment that is being written; its memory becomes that of *out. */
static floe_status end_writing(struct spill_store *store, struct queue_segment **out) {
  struct queue_segment *written = store->writing, *segment = mem_alloc(sizeof *segment);
  if (!segment)
    return FLOE_ERROR_MEMORY;
  store->writing = NULL;
  floe_status status = spool_row_wait(store->threads, &written->row);
  if (status != FLOE_OK) {
    mem_free(segment);
    return status;
  }
  segment->states = written->states;
  written->states = NULL;
  *out = segment;
  return FLOE_OK;
}

/* The device may still be copying to the segment that will be written. */
static floe_status take_from_written(struct spill_store *store, struct queue_segment **out) {
  if (!store->writing) {
    FLOE_TRY(gpu_wait(store->gpu));
    FLOE_TRY(begin_writing(store));
  }
  return end_writing(store, out);
}

/* ---- memory ---------------------------------------------------------------------------------- */

uint64_t segments_claim(const struct spill_store *store) {
  return greatest(store->bytes, LEAST_SEGMENTS * segment_bytes(store)) + store->reserved;
}

static bool has_room(const struct spill_store *store) {
  const uint64_t bytes = store->bytes + segment_bytes(store) + store->reserved;
  const bool few = store->bytes < LEAST_SEGMENTS * segment_bytes(store);
  return bytes + (few || !store->other_bytes ? 0 : store->other_bytes(store->user)) <= store->options->memory;
}

static floe_status add_segment(struct spill_store *store, struct queue_segment **out) {
  void *states;
  struct queue_segment *segment = mem_alloc(sizeof *segment);
  if (!segment)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_host_alloc(store->gpu, segment_bytes(store), &states);
  if (status != FLOE_OK) {
    mem_free(segment);
    return status;
  }
  segment->states = states;
  store->bytes += segment_bytes(store);
  *out = segment;
  return FLOE_OK;
}

floe_status segments_new(struct spill_store *store, struct queue_segment **out) {
  struct queue_segment *segment = pop(&store->spare);
  if (segment) {
    *out = segment;
    return FLOE_OK;
  }
  floe_status status = has_room(store) && !store->full ? add_segment(store, out) : FLOE_ERROR_MEMORY;
  if (status != FLOE_ERROR_MEMORY)
    return status;
  store->full = true;
  return take_from_written(store, out);
}

/* Errors are ignored here: segments_new repeats the attempt and returns them. */
void segments_write_ahead(struct spill_store *store) {
  struct queue_segment *segment = needed_last(store);
  if (store->full && !store->writing && !store->spare.first && segment && segment != store->level.first)
    write_segment(store, segment);
}

/* ---- reading ----------------------------------------------------------------------------- */

static void move_memory(struct queue_segment *from, struct queue_segment *to) {
  assert(!to->states);
  to->states = to->row.states = from->states;
  mem_free(from);
}

/* The segment is in memory and on disk, or being written: keeps the copy in memory. */
static void keep_in_memory(struct spill_store *store, struct queue_segment *segment) {
  spool_row_wait(store->threads, &segment->row); /* an error does not matter: the states are in memory */
  spool_row_drop(store->threads, &segment->row);
  store->writing = NULL;
}

static floe_status read_back(struct spill_store *store, struct queue_segment *segment) {
  if (!segment->row.busy) {
    struct queue_segment *memory;
    FLOE_TRY(segments_new(store, &memory));
    move_memory(memory, segment);
    spool_row_read(store->threads, &segment->row);
  }
  return spool_row_wait(store->threads, &segment->row);
}

floe_status segments_pop(struct spill_store *store, struct queue_segments *list, struct queue_segment **out) {
  struct queue_segment *segment = list->first;
  assert(segment);
  if (segment == store->writing)
    keep_in_memory(store, segment);
  if (!is_here(segment))
    FLOE_TRY(read_back(store, segment));
  *out = pop(list);
  return FLOE_OK;
}

void segments_read_ahead(struct spill_store *store) {
  struct queue_segment *segment = store->level.first;
  if (!segment || segment->states || segment->row.busy || !store->spare.first || !store->spare.first->next)
    return;
  move_memory(pop(&store->spare), segment);
  spool_row_read(store->threads, &segment->row);
}

/* ---- visiting, the end ------------------------------------------------------------------------ */

/* Nothing is being written or read then. */
static floe_status finish_transfers(struct spill_store *store) {
  if (store->writing)
    keep_in_memory(store, store->writing);
  return end_reading(store);
}

floe_status segments_each(struct spill_store *store, const struct queue_segments *list,
                          void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  FLOE_TRY(finish_transfers(store));
  for (const struct queue_segment *segment = list->first; segment; segment = segment->next)
    if (is_here(segment))
      visit(user, segment->states, segment->count);
    else
      FLOE_TRY(spool_row_visit(store->threads, &segment->row, visit, user));
  return FLOE_OK;
}

void segments_drop(struct spill_store *store, struct queue_segments *list) {
  struct queue_segment *segment = pop(list);
  if (segment == store->writing)
    store->writing = NULL;
  if (store->threads) {
    spool_row_wait(store->threads, &segment->row);
    spool_row_drop(store->threads, &segment->row);
  }
  if (segment->states)
    segments_spare(store, segment);
  else
    mem_free(segment);
}

void segments_free(struct spill_store *store) {
  struct queue_segments *const lists[] = {&store->level, &store->next};
  for (size_t i = 0; i < 2; i++)
    while (lists[i]->first)
      segments_drop(store, lists[i]);
  for (struct queue_segment *segment; (segment = pop(&store->spare)) != NULL;) {
    gpu_host_free(store->gpu, segment->states);
    mem_free(segment);
  }
  spool_threads_free(store->threads);
  store->threads = NULL;
}
