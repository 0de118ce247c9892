/* The state graph of a model: what the files that make it and write it share. */
#ifndef FLOE_GRAPH_H
#define FLOE_GRAPH_H

#include "api/api.h"
#include "api/trace/render.h"
#include "core/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>

/* Numbers of states and 1 are below it; slots have more while states are being numbered (src/api/graph/graph_search.c). */
#define GRAPH_PROVISIONAL (UINT32_MAX - ((uint32_t)1 << 27) + 1)

#define TARGET_STATES 256

/* What a thread needs for itself. */
struct graph_member {
  struct step_edge *edges;   /* [graph_room] */
  uint64_t *successors;      /* [graph_room][words] */
  uint64_t *slots;           /* [graph_room] where the successors are looked for */
  int64_t *before, *after;   /* [value_count] */
  int64_t *temps;            /* [most_temps] */
  struct arena passing;      /* a text in work */
  struct graph_texts *texts; /* while the graph is written; NULL: none are kept */
};

struct floe_graph {
  const struct model *model;
  const struct layout *layout;
  floe_options options;
  floe_log *log;
  double started;
  struct stop stop;     /* that the stepper looks at */
  struct arena lasting; /* options, labels */
  struct renderer renderer;
  struct stepper *stepper;
  size_t most_temps;
  unsigned threads;             /* at most */
  struct thread_pool *pool;            /* NULL: nobody but the caller has worked */
  struct graph_member *members; /* [member_count] */
  unsigned member_count;
  uint64_t *states; /* [count][words] */
  uint64_t count, capacity;
  _Atomic uint32_t *slots;       /* [slot_count], number of a state and 1; 0: empty */
  uint64_t slot_count;           /* a power of two */
  uint64_t transitions, failing; /* firings, and those that fail */
  /* Where the transitions lead, in their order, and the first of state TARGET_STATES * i. NULL: there is no room, and
     who writes looks the states up. */
  uint32_t *targets;
  uint64_t target_capacity;
  uint64_t *target_begins; /* [capacity / TARGET_STATES] */
  bool ended;
  floe_end end;
  struct graph_search *search;
};

/* Successors that a member has room for: those of some states, or of one that has many. */
size_t graph_room(const floe_graph *graph);

/* Calls work(user, member) for as many members as there are and want to be; the caller is member 0. */
void graph_together(floe_graph *graph, void (*work)(void *user, unsigned member), void *user);

/* Numbers all states breadth first, from state 0, which is there; sets `end`. */
floe_status graph_search_run(floe_graph *graph);

/* Without them the graph is the same. */
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
