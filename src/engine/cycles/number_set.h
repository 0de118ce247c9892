/* Sets of state numbers as bit arrays; lists of numbers. */
#ifndef FLOE_ENGINE_CYCLES_NUMBER_SET_H
#define FLOE_ENGINE_CYCLES_NUMBER_SET_H

#include "core/mem.h"

#include <stdatomic.h>
#include <stdbool.h>

struct number_set {
  _Atomic uint64_t *words; /* [count] */
  size_t count;
};

static inline bool number_set_create(struct number_set *set, uint64_t slots) {
  set->count = (size_t)(slots / 64 + 1);
  set->words = pages_alloc(set->count * sizeof *set->words);
  return set->words != NULL;
}

static inline void number_set_free(struct number_set *set) {
  if (set->words)
    pages_free(set->words, set->count * sizeof *set->words);
  set->words = NULL;
}

/* Relaxed throughout: threads meet between passes, which orders everything that bits stand for. */
static inline bool number_set_has(const struct number_set *set, uint64_t number) {
  return atomic_load_explicit(&set->words[number / 64], memory_order_relaxed) >> number % 64 & 1;
}
/* True: it was not in the set. */
static inline bool number_set_add(struct number_set *set, uint64_t number) {
  const uint64_t bit = (uint64_t)1 << number % 64;
  return !(atomic_fetch_or_explicit(&set->words[number / 64], bit, memory_order_relaxed) & bit);
}
/* True: it was in the set. */
static inline bool number_set_remove(struct number_set *set, uint64_t number) {
  const uint64_t bit = (uint64_t)1 << number % 64;
  return atomic_fetch_and_explicit(&set->words[number / 64], ~bit, memory_order_relaxed) & bit;
}

static inline uint64_t number_set_size(const struct number_set *set) {
  uint64_t size = 0;
  for (size_t w = 0; w < set->count; w++)
    size += (uint64_t)__builtin_popcountll(atomic_load_explicit(&set->words[w], memory_order_relaxed));
  return size;
}

/* Calls each(user, number) for the numbers in words first..end - 1, in their order. It may remove the number. */
static inline void number_set_each(const struct number_set *set, size_t first, size_t end,
                                   void (*each)(void *user, uint64_t number), void *user) {
  for (size_t w = first; w < end; w++)
    for (uint64_t rest = atomic_load_explicit(&set->words[w], memory_order_relaxed); rest; rest &= rest - 1)
      each(user, (uint64_t)w * 64 + (uint64_t)__builtin_ctzll(rest));
}

/* Growing; mem_free(items). */
struct number_list {
  uint64_t *items;
  size_t n, cap;
};

/* False: no memory. */
static inline bool number_list_add(struct number_list *list, uint64_t number) {
  if (list->n == list->cap) {
    const size_t larger = list->cap ? list->cap * 2 : 1024;
    uint64_t *items = mem_resize(list->items, larger * sizeof *items);
    if (!items)
      return false;
    list->items = items;
    list->cap = larger;
  }
  list->items[list->n++] = number;
  return true;
}

#endif
