/* The first level of a working-set table: the pairs used last, in the order of their use. A kind is one
   `const struct front_kind`, in the host's memory (recent_level_list.c) or on a GPU, where what is started goes on
   beside the caller. A batch goes through
     ask      its keys are looked up;
     missing  those that are not here are told, different ones, for the second level to answer;
     settle   all operations are done in order, the pairs used come first, and the oldest make room;
     finish   answers and values are written, and the pairs that made room are told.
   The next batch may be asked for between settle and finish of this one. */
#ifndef FLOE_WORKSET_FRONT_H
#define FLOE_WORKSET_FRONT_H

#include "core/status.h"
#include "tables/table.h"
#include "tables/working_set/pairs.h"

struct front; /* each kind's own */
struct thread_pool;

/* Operations are numbers of enum table_operation: FIND, GET, DELETE, and PUT_NEW or ADD, which are one here. */
struct workset_batch {
  const uint8_t *operations; /* [n]; NULL: all are `operation` */
  uint8_t operation;
  const uint64_t *keys;
  uint64_t *values; /* NULL: none are given, none are wanted */
  uint8_t *answers; /* enum table_answer */
  size_t n;         /* 1 .. front_config.batch */
};

static inline unsigned workset_operation(const struct workset_batch *batch, size_t i) {
  return batch->operations ? batch->operations[i] : batch->operation;
}
static inline bool workset_puts(unsigned operation) { return operation == TABLE_PUT_NEW || operation == TABLE_ADD; }

struct workset_missing {
  const uint64_t *keys; /* [n], all different */
  uint8_t *found;       /* [n]: to be filled in before settle */
  uint64_t *values;     /* [n]: likewise, where found */
  size_t n;
};

struct workset_old {
  const struct workset_pair *pairs; /* the one used longest ago first; stay until the next finish */
  size_t n;
};

struct front_config {
  uint64_t capacity; /* pairs, 1 .. WORKSET_MOST_RECENT */
  size_t batch;
  uint64_t seed;
  bool timed;        /* times are measured, where a level has some of its own */
  struct thread_pool *pool; /* for what threads can do faster together; outlives the level */
};

/* Places are numbers of 32 bits, of which some stand for other things, and a log has half as many again. */
#define WORKSET_MOST_RECENT (UINT64_C(1) << 31)

/* Seconds of the level's own machine, since it was made or cleared. */
struct front_times {
  double kernels, copies;
};

struct front_kind {
  /* An empty one. `machine`: what the kind is made on; NULL for the host's. FLOE_ERROR_MEMORY: not told. */
  floe_status (*create)(void *machine, const struct front_config *config, struct front **out);
  void (*free)(struct front *front);                                          /* NULL is allowed */
  floe_status (*ask)(struct front *front, const struct workset_batch *batch); /* its arrays stay until finish */
  floe_status (*missing)(struct front *front, struct workset_missing *out);
  floe_status (*settle)(struct front *front);
  floe_status (*finish)(struct front *front, struct workset_old *out);
  struct front_times (*times)(const struct front *front); /* NULL: it works on the caller's time */
  /* The rest between batches only. */
  floe_status (*count)(struct front *front, uint64_t *out);
  uint64_t (*bytes)(const struct front_config *config); /* that one takes */
  floe_status (*clear)(struct front *front, uint64_t seed);
  /* All pairs, the one used last first, some hundred at a time. FLOE_ERROR_MEMORY: not told. */
  floe_status (*each)(struct front *front, workset_visit *visit, void *user);
  /* Pairs that a look-up would not find, and the like: 0 for a sound one. */
  floe_status (*check)(struct front *front, uint64_t *wrong);
};

extern const struct front_kind front_list;

#endif
