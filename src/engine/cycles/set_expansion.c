#include "engine/cycles/set_expansion.h"

#define WORDS_AT_ONCE 256 /* of the set, taken by a thread */

struct expansion {
  const struct cycle_graph *graph;
  const struct number_set *set;
  cycle_visitor *visit;
  void *user;
  _Atomic uint64_t ticket; /* next words of the set */
  _Atomic uint64_t expanded;
};

/* States of a thread, to be expanded together. */
struct batch {
  struct expansion *e;
  unsigned thread;
  size_t n;
  uint64_t numbers[CYCLES_BATCH];
};

static void expand_batch(struct batch *batch) {
  struct expansion *e = batch->e;
  if (batch->n > 0)
    e->graph->expand(e->graph->self, batch->thread, batch->numbers, batch->n, e->visit, e->user);
  atomic_fetch_add_explicit(&e->expanded, batch->n, memory_order_relaxed);
  batch->n = 0;
}

static void add_to_batch(void *user, uint64_t number) {
  struct batch *batch = user;
  batch->numbers[batch->n++] = number;
  if (batch->n == CYCLES_BATCH)
    expand_batch(batch);
}

/* Relaxed: the threads share nothing but sets, and meet after it. */
static void expand_part(void *user, unsigned thread) {
  struct expansion *e = user;
  struct batch batch = {.e = e, .thread = thread};
  for (;;) {
    const uint64_t first = atomic_fetch_add_explicit(&e->ticket, WORDS_AT_ONCE, memory_order_relaxed);
    if (first >= e->set->count || stop_requested(&e->graph->stop))
      break;
    const uint64_t left = e->set->count - first;
    number_set_each(e->set, first, first + (left < WORDS_AT_ONCE ? left : WORDS_AT_ONCE), add_to_batch, &batch);
  }
  expand_batch(&batch);
}

uint64_t set_expand(const struct cycle_graph *graph, const struct number_set *set, cycle_visitor *visit, void *user) {
  struct expansion e = {.graph = graph, .set = set, .visit = visit, .user = user};
  graph->run(graph->self, expand_part, &e);
  return atomic_load_explicit(&e.expanded, memory_order_relaxed);
}
