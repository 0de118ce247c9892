/* Segments of the state queue on the host: in page-locked memory as far as the limit allows, on disk beyond. One
   segment at a time is being written while the device works; the next one of the level is read ahead while memory for
   two is free. Progress takes memory for one segment. */
#ifndef FLOE_GPU_ENGINE_QUEUE_SEGMENTS_H
#define FLOE_GPU_ENGINE_QUEUE_SEGMENTS_H

#include "engine/disk/spool_threads.h"
#include "floe.h"
#include "gpu/driver/driver.h"

struct queue_segment {
  struct queue_segment *next;
  uint64_t *states; /* page-locked, room for segment_words; NULL: only on disk */
  uint64_t count;
  struct spool_row row; /* on disk, or being written or read; zeros: neither */
};

struct queue_segments {
  struct queue_segment *first;
  uint64_t states;
};

struct spill_store {
  struct gpu *gpu;
  const floe_options *options;               /* memory, threads */
  uint64_t (*other_bytes)(const void *user); /* host memory that others use by now; NULL: none */
  const void *user;
  struct queue_segments level, next; /* states of the current level and of the next one */
  struct queue_segments spare;       /* memory without states */
  uint64_t segment_words;
  uint64_t bytes; /* of all segments in memory */
  /* Disk: */
  bool possible; /* there is memory for the threads */
  struct spool_config config;
  unsigned thread_count;
  uint64_t reserved;             /* bytes of options->memory for the threads */
  struct spool_threads *threads; /* NULL: nothing was written yet */
  struct queue_segment *writing; /* segment of `next` or `level` that is being written; NULL: none */
  bool full;                     /* there is no memory for more segments */
};

/* Before the first segment. `options` must live as long as the store. */
void segments_plan(struct spill_store *store, struct gpu *gpu, const floe_options *options, uint64_t segment_words);
/* Bytes of options->memory that the store uses, now or later. */
uint64_t segments_claim(const struct spill_store *store);
/* A segment in memory, in no list; another one may go to the disk for it. The device must have finished copying.
   FLOE_ERROR_MEMORY: neither memory nor disk has room. */
floe_status segments_new(struct spill_store *store, struct queue_segment **out);
void segments_push(struct queue_segments *list, struct queue_segment *segment);
/* Removes the first segment of a list that has one and loads it into memory. FLOE_ERROR_MEMORY: there is no memory for
   it; FLOE_ERROR_IO. After an error it stays in the list. */
floe_status segments_pop(struct spill_store *store, struct queue_segments *list, struct queue_segment **out);
/* The states are not needed any more: of a segment in no list; of the first one of a list. */
void segments_spare(struct spill_store *store, struct queue_segment *segment);
void segments_drop(struct spill_store *store, struct queue_segments *list);
/* Between launches, while the device does not copy: begins to write a segment that memory will soon be needed for; to
   read the segment that is needed next. */
void segments_write_ahead(struct spill_store *store);
void segments_read_ahead(struct spill_store *store);
/* Visits all states of a list, which stays as it is. FLOE_ERROR_IO. */
floe_status segments_each(struct spill_store *store, const struct queue_segments *list,
                          void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
void segments_log_errors(struct spill_store *store, floe_log *log); /* errors of the disk, if any */
uint64_t segments_written(const struct spill_store *store);         /* bytes */
void segments_free(struct spill_store *store);                      /* while the device does not copy */

#endif
