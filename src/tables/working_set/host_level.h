/* Host level of a working-set table: the second level, in the host's memory, for the pairs that were not used
   recently. A kind is one `const struct host_level_kind`. A pair is in one level at a time, so both operations work
   on whole batches of different keys: pairs move down that are not in this level (put), and keys are looked up whose
   pairs move up (take). Calls must not overlap; each call may use all threads. */
#ifndef FLOE_TABLES_WORKING_SET_HOST_LEVEL_H
#define FLOE_TABLES_WORKING_SET_HOST_LEVEL_H

#include "core/status.h"
#include "tables/working_set/pairs.h"

struct host_level; /* defined by each kind */
struct thread_pool;

struct host_level_config {
  uint64_t capacity; /* pairs, at least 1 */
  size_t batch;      /* most keys of a call */
  uint64_t seed;
  struct thread_pool *pool; /* outlives the table */
};

struct host_level_kind {
  /* Creates an empty level with room for `capacity` pairs, whatever their keys. FLOE_ERROR_MEMORY: not logged. */
  floe_status (*create)(const struct host_level_config *config, struct host_level **out);
  void (*free)(struct host_level *host_level); /* NULL is allowed */
  /* Adds pairs of different keys that are not in the level. The caller ensures that there is room for them. */
  void (*put)(struct host_level *host_level, const struct workset_pair *pairs, size_t n);
  /* For different keys. found[i] 1: values[i] is the value, and the pair is removed; found[i] 0: the key is absent. */
  void (*take)(struct host_level *host_level, const uint64_t *keys, size_t n, uint8_t *found, uint64_t *values);
  uint64_t (*count)(const struct host_level *host_level);
  uint64_t (*bytes)(uint64_t capacity); /* of a level with this capacity */
  void (*clear)(struct host_level *host_level, uint64_t seed);
  /* Visits the pairs of part [part/parts), some hundred at a time. */
  void (*each)(const struct host_level *host_level, unsigned part, unsigned parts, workset_visit *visit, void *user);
  /* Number of pairs that take would not find, plus one if the count is wrong: 0 for a well-formed level. */
  uint64_t (*check)(const struct host_level *host_level);
};

extern const struct host_level_kind host_level_cells, host_level_chains, host_level_ripple;

#endif
