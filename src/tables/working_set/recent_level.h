/* Recent level of a working-set table: the first level, with the pairs used last, in the order of their use. A kind
   is one `const struct recent_level_kind`, in the host's memory (recent_level_list.c) or on a GPU, where the work is
   asynchronous to the caller. A batch has four steps:

       lookup   looks up the keys of the batch;
       missing  returns the different keys that are not in this level, for the host level to answer;
       apply    applies all operations in order; the pairs used become the newest, and the oldest are evicted;
       finish   writes answers and values, and returns the evicted pairs.

   The lookup of the next batch may start between apply and finish of this one. */
#ifndef FLOE_TABLES_WORKING_SET_RECENT_LEVEL_H
#define FLOE_TABLES_WORKING_SET_RECENT_LEVEL_H

#include "core/status.h"
#include "tables/table.h"
#include "tables/working_set/pairs.h"

struct recent_level; /* defined by each kind */
struct thread_pool;

/* Operations are values of enum table_operation: FIND, GET, DELETE, and PUT_NEW or ADD, which are the same here. */
struct workset_batch {
  const uint8_t *operations; /* [n]; NULL: all are `operation` */
  uint8_t operation;
  const uint64_t *keys;
  uint64_t *values; /* NULL: puts write 0, and gets return no values */
  uint8_t *answers; /* enum table_answer */
  size_t n;         /* 1 .. recent_level_config.batch */
};

static inline unsigned workset_operation(const struct workset_batch *batch, size_t i) {
  return batch->operations ? batch->operations[i] : batch->operation;
}
static inline bool workset_puts(unsigned operation) { return operation == TABLE_PUT_NEW || operation == TABLE_ADD; }

struct workset_missing {
  const uint64_t *keys; /* [n], all different */
  uint8_t *found;       /* [n]: the caller fills it in before apply */
  uint64_t *values;     /* [n]: likewise, if found */
  size_t n;
};

struct workset_old {
  const struct workset_pair *pairs; /* the one used longest ago first; valid until the next finish */
  size_t n;
};

struct recent_level_config {
  uint64_t capacity; /* pairs, 1 .. WORKSET_MOST_RECENT */
  size_t batch;
  uint64_t seed;
  bool timed;               /* measure times, if the level has times of its own */
  struct thread_pool *pool; /* for work in parallel; outlives the level */
};

/* Places are numbers of 32 bits, some of which have other meanings, and a log has half as many places again. */
#define WORKSET_MOST_RECENT (UINT64_C(1) << 31)

/* Seconds on the level's own device, since it was created or cleared. */
struct recent_level_times {
  double kernels, copies;
};

struct recent_level_kind {
  /* Creates an empty level. `machine`: the device of the kind; NULL for the host's. FLOE_ERROR_MEMORY: not logged. */
  floe_status (*create)(void *device, const struct recent_level_config *config, struct recent_level **out);
  void (*free)(struct recent_level *recent_level); /* NULL is allowed */
  floe_status (*lookup)(struct recent_level *recent_level,
                        const struct workset_batch *batch); /* its arrays stay valid until finish */
  floe_status (*missing)(struct recent_level *recent_level, struct workset_missing *out);
  floe_status (*apply)(struct recent_level *recent_level);
  floe_status (*finish)(struct recent_level *recent_level, struct workset_old *out);
  struct recent_level_times (*times)(
      const struct recent_level *recent_level); /* NULL: it works in the calling thread */
  /* The functions below are for use between batches only. */
  floe_status (*count)(struct recent_level *recent_level, uint64_t *out);
  uint64_t (*bytes)(const struct recent_level_config *config); /* of a level with this configuration */
  floe_status (*clear)(struct recent_level *recent_level, uint64_t seed);
  /* Visits all pairs, the one used last first, some hundred at a time. FLOE_ERROR_MEMORY: not logged. */
  floe_status (*each)(struct recent_level *recent_level, workset_visit *visit, void *user);
  /* Number of pairs that a lookup would not find, and of other inconsistencies: 0 for a well-formed level. */
  floe_status (*check)(struct recent_level *recent_level, uint64_t *wrong);
};

extern const struct recent_level_kind recent_level_list;

#endif
