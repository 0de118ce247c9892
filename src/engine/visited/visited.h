/* The visited set in units of states: what an exploration asks of it, whatever it is made of. A kind of set is one
   constant struct of operations: visited_flat, a table of keys that are the states, and visited_roots, where
   they stand for them. States go in and come
   out as `words` words each, as steppers have them.
   A device's kernels ask the same of a table there, by visited_first and visited_later (table/kernel/), and its host
   grows it (gpu/engine/visited_growth.c). How large a set is to be is engine/sizing.h. */
#ifndef FLOE_VISITED_H
#define FLOE_VISITED_H

#include "tables/table.h"

#include <assert.h>

enum visited_answer { VISITED_KNOWN, VISITED_NEW, VISITED_NO_PLACE };

struct visited;

/* None of the operations is NULL; two are for sets that are `numbered`, and no others are to be asked. */
struct visited_kind {
  /* Concurrent: any number of threads at once. answers[i], an enum visited_answer, for the i-th of n states; of equal
     ones exactly one is NEW. Returns the number of NO_PLACE: these are to be put again once the set has grown. */
  size_t (*find_or_put)(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers);
  /* The same, and numbers[i]: a number of the i-th state, below shape.slots, that no other state of the set has;
     UINT64_MAX: NO_PLACE. The state keeps it as long as it is in this set, which states never leave: only those that
     move to another set have other numbers there. */
  size_t (*find_or_put_numbered)(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers,
                                 uint64_t *numbers);
  /* The state with a number that find_or_put_numbered gave, `words` of them. Concurrent with all that put. */
  void (*state_of)(const struct visited *set, uint64_t number, uint64_t *state);
  /* Puts the states of part [part/parts) of `from` into `to`, of the same kind and empty at first; concurrent over
     parts, as long as nobody else uses either. Returns the number of states that `to` had no place for: then it is to
     be dropped; `from` is as it was. */
  uint64_t (*move)(const struct visited *from, struct visited *to, unsigned part, unsigned parts);
  /* Calls `visit` with every state of the part, each once over all parts. Concurrent over parts, but not with
     operations that put. */
  void (*each)(const struct visited *set, unsigned part, unsigned parts,
               void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
  /* All of the set's memory, shape.bytes of it, for who wants its pages cleared before they are used. */
  void *(*memory)(struct visited *set);
  void (*free)(struct visited *set);
};

/* Constant as long as the set lives. */
struct visited {
  const struct visited_kind *kind;
  uint32_t words;           /* of a state */
  struct table_shape shape; /* slots are places for states */
  const char *simd;         /* how it is searched */
  bool numbered;            /* states have numbers that stay */
};

/* Memory first, so that a budget can be asked: shape of table_plan. FLOE_ERROR_USAGE: there is no such layout.
   FLOE_ERROR_MEMORY. */
floe_status visited_flat_create(const struct table_config *config, struct visited **out);
/* The same of roots, in keys of config->key_bits, `low_bits` of them for the lower number. */
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
