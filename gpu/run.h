/* A run of the GPU engine: what its files share. */
#ifndef FLOE_GPU_RUN_H
#define FLOE_GPU_RUN_H

#include "core/arena.h"
#include "engine/archive.h"
#include "engine/engine.h"
#include "gpu/driver.h"
#include "gpu/tuning.h"
#include "table/kernel/iceberg.h"
#include "table/scheme.h"

#include "gpu/kernel/control.h"

/* Positions in the queue begin far from 0: a piece that comes back from the host is put before the next level. */
#define FIRST_POSITION (UINT64_C(1) << 62)

/* ---- kernels (code.c) ---------------------------------------------------------------------------- */

struct gpu_code {
  struct geometry geometry; /* of the tables that it works on */
  struct geometry from;     /* rehash: of the table that it reads */
  struct gpu_module *module;
  struct gpu_function *explore, *insert, *rehash;        /* rehash is in a module of its own */
  unsigned explore_blocks, insert_blocks, rehash_blocks; /* grids that fill the device */
};

/* The struct of a table that kernels get by value, whatever its scheme. */
struct gpu_view {
  _Alignas(16) unsigned char bytes[TABLE_VIEW_BYTES];
};

/* ---- states that left the device (queue.c) ------------------------------------------------------- */

struct gpu_piece {
  struct gpu_piece *next;
  uint64_t *states; /* page-locked, room for a whole piece */
  uint64_t count;
};

struct gpu_pieces {
  struct gpu_piece *first;
  uint64_t states;
};

/* ---- states for an archive or an order file (harvest.c) ------------------------------------------ */

/* New states are taken out of the queue after every launch, in the order of their discovery, and are handed on while
   the next launch runs. */
struct gpu_harvest {
  bool states;          /* new states are wanted; false: what was looked up (the log), or nothing */
  bool log;             /* what was looked up is wanted */
  uint64_t most;        /* states that may be found in levels that a launch closes: they lie in the queue still */
  uint64_t position;    /* states before it have been taken out */
  uint64_t *buffers[2]; /* page-locked */
  uint64_t *waiting;    /* the buffer with what has not been handed on yet */
  uint64_t waiting_count;
  uint64_t handed_on;   /* states */
  uint64_t level_start; /* number of the first state of the last level begun in the archive */
  uint32_t levels;      /* begun in the archive */
};

/* ---- the run ------------------------------------------------------------------------------------- */

struct gpu_run {
  const struct engine_task *task;
  floe_log *log;
  struct gpu *gpu;
  struct gpu_tuning tuning;
  struct arena arena;    /* of the kernels' text */
  const char *generated; /* the model's code */
  struct gpu_code code;
  struct gpu_code mover; /* floe_rehash; module NULL: no table has grown */
  unsigned blocks;       /* of floe_explore */
  uint32_t max_successors;

  uint64_t limit, used; /* bytes of the device's memory */

  struct table_config config; /* of the present table */
  struct table_shape shape;
  struct table *host; /* it without memory: permutations, and how to place it */
  gpu_address table;
  bool final; /* it does not grow any more */
  uint64_t growths;

  struct gpu_control control; /* as the device has it between launches */
  gpu_address control_at, fired, level_states, logged;
  gpu_address ring, pending, source; /* pending and source change places */
  uint64_t ring_words, slack, level_capacity, log_capacity;

  struct gpu_pieces level_pieces, next_pieces, spare_pieces; /* of the level in work, of the next, none */
  uint64_t piece_words, piece_bytes_all;                     /* the latter: all pieces there are */
  uint64_t spilled;

  struct gpu_harvest harvest;

  struct stop stop; /* engine_stop of the task */
  bool ended, needless;
  floe_end end;
  floe_status status; /* an error that ends the run: nothing is reported then */
  bool evaluate_only; /* the level in work is at the depth bound */
  uint64_t hits_so_far;
  struct engine_hit *hits;
  uint64_t *sizes; /* of the levels found */
  size_t size_cap;
  uint32_t levels;
  uint64_t frontier_peak; /* bytes */

  uint64_t launches, refused; /* refused: keys that found no place, counted as often as that was so */
  bool from_cache;
  double begun, prepared /* of build_seconds, before the exploration */, build_seconds, memory_seconds, next_report,
      last_report;
  double kernel_seconds, grow_seconds; /* waiting for floe_explore; growing */
  uint64_t last_states;
};

static inline uint64_t run_states(const struct gpu_run *run) {
  return run->control.states_before + (run->control.next_end - run->control.next);
}
static inline uint64_t run_room(const struct gpu_run *run) {
  return run->used < run->limit ? run->limit - run->used : 0;
}

/* engine_gpu.c */
void run_finish(struct gpu_run *run, floe_end end);
/* Ends the run where interrupt, timeout or its caller want that; true: they do. */
bool run_look(struct gpu_run *run);
void run_fail(struct gpu_run *run, floe_status status);
/* Device memory within the limit; FLOE_ERROR_MEMORY is not told. */
floe_status run_take(struct gpu_run *run, uint64_t bytes, gpu_address *out);
void run_give(struct gpu_run *run, uint64_t bytes, gpu_address *address);
/* The control block to and from the device; the launch comes between. */
floe_status run_upload(struct gpu_run *run);
floe_status run_download(struct gpu_run *run);
struct gpu_space run_space(const struct gpu_run *run);

/* code.c: kernels for tables of the present shape; those that move keys there from tables of geometry `from`
   (slot_bits 0: the same). */
struct geometry code_geometry(const struct table_shape *shape);
floe_status code_make(struct gpu_run *run, const struct table_shape *shape, struct gpu_code *out);
floe_status code_make_rehash(struct gpu_run *run, const struct table_shape *shape, struct geometry from,
                             struct gpu_code *out);
void code_free(struct gpu_code *code);

/* grow.c */
floe_status grow_first_table(struct gpu_run *run);
void grow_drop_table(struct gpu_run *run);
/* The kernels' struct for the present table. */
struct gpu_view grow_view(const struct gpu_run *run);
/* A larger table with the same keys; false when memory allows none (the old one is as it was) or the run failed. */
bool grow_table(struct gpu_run *run);
/* Finds places for the keys that the table refused; ends the run where memory allows none. */
void grow_place_pending(struct gpu_run *run);
/* Puts the keys at run->source; what finds no place is pending then. */
floe_status grow_insert(struct gpu_run *run, uint64_t count);

/* queue.c */
floe_status queue_first(struct gpu_run *run);
/* The queue is full: a larger one, or part of it goes to the host; ends the run where neither has room. */
void queue_relieve(struct gpu_run *run);
/* Some states are on the host: the kernel must not close the level. */
bool queue_in_parts(const struct gpu_run *run);
/* The current part is done: the next one of this level becomes it; false: there is none. */
bool queue_next_part(struct gpu_run *run);
/* What the next level found goes to the next level's place. */
void queue_turn(struct gpu_run *run);
uint64_t queue_level_rest(const struct gpu_run *run); /* states of the level still to be expanded */
uint64_t queue_next_states(const struct gpu_run *run);
uint64_t queue_bytes(const struct gpu_run *run);
void queue_free(struct gpu_run *run);

/* harvest.c */
/* Before anything is sized: what is wanted of a run. */
void harvest_plan(struct gpu_run *run);
floe_status harvest_open(struct gpu_run *run);
void harvest_take(struct gpu_run *run);
void harvest_hand_on(struct gpu_run *run);
void harvest_moved(struct gpu_run *run); /* next_end was set back: everything before it has been taken */
void harvest_close(struct gpu_run *run);

/* hits.c: what triggered in the level `depth`, with the errors as the stepper tells them. */
floe_status hits_gather(struct gpu_run *run, uint32_t depth);

#endif
