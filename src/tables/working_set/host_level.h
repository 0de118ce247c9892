/* The second level of a working-set table, in the host's memory: the pairs that were not used lately. A kind is one
   `const struct back_kind`. A pair is in one level at a time, so that both operations are of whole batches of different
   keys: pairs come down that are not here (put), and keys are looked up whose pairs go up (take). Neither goes on
   beside another call; each may use all threads. */
#ifndef FLOE_WORKSET_BACK_H
#define FLOE_WORKSET_BACK_H

#include "core/status.h"
#include "tables/working_set/pairs.h"

struct back; /* each kind's own */
struct thread_pool;

struct back_config {
  uint64_t capacity; /* pairs, at least 1 */
  size_t batch;      /* most keys of a call */
  uint64_t seed;
  struct thread_pool *pool; /* outlives the table */
};

struct back_kind {
  /* An empty one with room for `capacity` pairs, whatever their keys. FLOE_ERROR_MEMORY: not told. */
  floe_status (*create)(const struct back_config *config, struct back **out);
  void (*free)(struct back *back); /* NULL is allowed */
  /* Pairs of different keys, none of them in it, and no more than it has room for. */
  void (*put)(struct back *back, const struct workset_pair *pairs, size_t n);
  /* Of different keys: found[i] 1, values[i] the value, and the pair is no longer here; found[i] 0: it was not. */
  void (*take)(struct back *back, const uint64_t *keys, size_t n, uint8_t *found, uint64_t *values);
  uint64_t (*count)(const struct back *back);
  uint64_t (*bytes)(uint64_t capacity); /* that one takes */
  void (*clear)(struct back *back, uint64_t seed);
  /* The pairs of part [part/parts), some hundred at a time. */
  void (*each)(const struct back *back, unsigned part, unsigned parts, workset_visit *visit, void *user);
  /* Pairs that are not where take would find them, or whose number is not the count: 0 for a sound one. */
  uint64_t (*check)(const struct back *back);
};

extern const struct back_kind back_cells, back_chains, back_ripple;

#endif
