/* State graph of a model in memory (floe_graph), shared by the files that build and write it. */
#ifndef FLOE_API_GRAPH_GRAPH_H
#define FLOE_API_GRAPH_GRAPH_H

#include "api/api.h"
#include "api/trace/render.h"
#include "core/threads/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>

/* State numbers + 1 are less than this; during a batch, slots also hold GRAPH_PROVISIONAL + position of a successor
   (src/api/graph/graph_search.c). */
#define GRAPH_PROVISIONAL (UINT32_MAX - ((uint32_t)1 << 27) + 1)

#define TARGET_STATES 256

/* Buffers of a thread. */
struct graph_thread {
  struct step_edge *edges;   /* [graph_buffer_length] */
  uint64_t *successors;      /* [graph_buffer_length][words] */
  uint64_t *slots;           /* [graph_buffer_length] hash slots of the successors, then their numbers */
  int64_t *before, *after;   /* [value_count] */
  int64_t *temps;            /* [most_temps] */
  struct arena scratch;      /* for one text */
  struct graph_texts *texts; /* cache while the graph is written; NULL: no cache */
};

/* Targets of the transitions in their order. list NULL: no memory; the writer looks the states up in floe_graph.slots.
 */
struct graph_targets {
  uint32_t *list;
  uint64_t capacity;
  uint64_t *begins; /* [graph->capacity / TARGET_STATES] position of the first target of state TARGET_STATES * i */
};

struct floe_graph {
  const struct model *model;
  const struct layout *layout;
  floe_options options;
  floe_log *log;
  double started;
  struct stop stop;       /* of the stepper and the search */
  struct arena permanent; /* options, labels */
  struct renderer renderer;
  struct stepper *stepper;
  size_t most_temps;
  unsigned threads;             /* most threads */
  struct thread_pool *pool;     /* NULL: only the caller has worked so far */
  struct graph_thread *workers; /* [worker_count] */
  unsigned worker_count;
  uint64_t *states; /* [count][words] */
  uint64_t count, capacity;
  _Atomic uint32_t *slots;       /* [slot_count] hash table: number of a state + 1; 0: empty */
  uint64_t slot_count;           /* a power of two */
  uint64_t transitions, failing; /* firings, and those that fail */
  uint32_t failed_site;          /* if some fail: the site of one of them */
  struct graph_targets targets;
  bool ended;
  floe_end end;
  struct graph_search *search;
};

/* Successors that fit in the buffers of a thread: those of several states, or of one with many. */
size_t graph_buffer_length(const floe_graph *graph);

/* Calls work(user, i) in every thread; the caller is thread 0. Creates the other threads at the first call. */
void graph_parallel(floe_graph *graph, void (*work)(void *user, unsigned worker), void *user);

/* Finds all states and numbers them breadth first; sets `end`. */
floe_status graph_search_run(floe_graph *graph);

/* Frees the targets, to save memory. */
void graph_drop_targets(floe_graph *graph);

static inline uint64_t *graph_state(const floe_graph *graph, uint64_t number) {
  return graph->states + number * graph->layout->words;
}

static inline bool graph_equal(const uint64_t *a, const uint64_t *b, uint32_t words) {
  uint32_t i = 0;
  while (i < words && a[i] == b[i])
    i++;
  return i == words;
}

#endif
