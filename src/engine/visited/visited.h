/* Visited set of states: interface of an exploration to its table. A kind of set is one constant struct of
   operations: visited_flat, a table of keys that are the states, and visited_roots, a table of roots. States are
   passed as `words` words each, as in steppers. GPU kernels use visited_first and visited_retry (gpu/kernel/visited)
   instead; the host grows the GPU's set (gpu/engine/visited_growth.c). Sizes: engine/sizing.h. */
#ifndef FLOE_ENGINE_VISITED_VISITED_H
#define FLOE_ENGINE_VISITED_VISITED_H

#include "tables/table.h"

#include <assert.h>

enum visited_answer { VISITED_KNOWN, VISITED_NEW, VISITED_NO_PLACE };

struct visited;

/* No operation is NULL; two may be called for `numbered` sets only. */
struct visited_kind {
  /* Thread-safe. answers[i], an enum visited_answer, for the i-th of n states; of equal states exactly one is NEW.
     Returns the number of NO_PLACE: these must be inserted again after the set has grown. */
  size_t (*find_or_put)(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers);
  /* The same, and numbers[i]: a number of the i-th state, below shape.slots and unique in the set; UINT64_MAX:
     NO_PLACE. The state keeps it as long as it is in this set; states are never removed. A state moved to another
     set has another number there. */
  size_t (*find_or_put_numbered)(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers,
                                 uint64_t *numbers);
  /* The state with a number from find_or_put_numbered, `words` words. Thread-safe, also with insertions. */
  void (*state_of)(const struct visited *set, uint64_t number, uint64_t *state);
  /* Inserts the states of part [part/parts) of `from` into `to`, which is of the same kind and initially empty.
     Parts may be moved concurrently while no other operation uses either set. Returns the number of states that `to`
     refused: then it must be dropped; `from` is unchanged. */
  uint64_t (*move)(const struct visited *from, struct visited *to, unsigned part, unsigned parts);
  /* Calls `visit` with every state of the part, each once over all parts. Parts may be visited concurrently, but not
     with insertions. */
  void (*each)(const struct visited *set, unsigned part, unsigned parts,
               void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
  /* The set's memory, shape.bytes bytes, to touch its pages before use. */
  void *(*memory)(struct visited *set);
  void (*free)(struct visited *set);
};

/* Constant during the set's life. */
struct visited {
  const struct visited_kind *kind;
  uint32_t words;           /* of a state */
  struct table_shape shape; /* a slot holds one state */
  const char *simd;         /* instruction set of the search */
  bool numbered;            /* states have permanent numbers */
};

/* Bytes are known before creation, for budgets: shape of table_plan. FLOE_ERROR_USAGE: no such layout.
   FLOE_ERROR_MEMORY. */
floe_status visited_flat_create(const struct table_config *config, struct visited **out);
/* The same for roots, in keys of config->key_bits, with `low_bits` for the lower number. */
floe_status visited_roots_create(const struct table_config *config, unsigned low_bits, struct visited **out);

static inline size_t visited_find_or_put(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers) {
  return set->kind->find_or_put(set, states, n, answers);
}
static inline size_t visited_find_or_put_numbered(struct visited *set, const uint64_t *states, size_t n,
                                                  uint8_t *answers, uint64_t *numbers) {
  assert(set->numbered);
  return set->kind->find_or_put_numbered(set, states, n, answers, numbers);
}
static inline void visited_state_of(const struct visited *set, uint64_t number, uint64_t *state) {
  assert(set->numbered && number < set->shape.slots);
  set->kind->state_of(set, number, state);
}
static inline uint64_t visited_move(const struct visited *from, struct visited *to, unsigned part, unsigned parts) {
  return from->kind->move(from, to, part, parts);
}
static inline void visited_each(const struct visited *set, unsigned part, unsigned parts,
                                void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  set->kind->each(set, part, parts, visit, user);
}
static inline void *visited_memory(struct visited *set) { return set->kind->memory(set); }
static inline void visited_free(struct visited *set) { /* NULL is allowed */
  if (set)
    set->kind->free(set);
}

#endif
