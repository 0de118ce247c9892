/* Some states of a product on the host, with the steps among them: the graph in which cycles_extract finds an accepting
   cycle. A state's number is its place in `states`. */
#ifndef FLOE_GPU_CYCLES_HOST_GRAPH_H
#define FLOE_GPU_CYCLES_HOST_GRAPH_H

#include "engine/cycles/product_steps.h"
#include "engine/engine.h"

struct host_graph {
  const struct engine_task *task;
  struct product_conditions conditions;
  uint64_t *states; /* [n * key_words] keys */
  size_t n;
  uint32_t *index; /* [index_mask + 1] hash table: 1 + number of a state; 0: empty */
  size_t index_mask;
  uint64_t *successors; /* buffers of a state's steps */
  struct step_edge *edges;
  struct cycle_step *steps;
  uint64_t *scratch; /* of key_state */
};

/* Most states, and bytes for n of them, those of cycles_extract included. */
#define HOST_GRAPH_MOST (UINT32_MAX / 4)
uint64_t host_graph_bytes(const struct engine_task *task, uint64_t n);

/* Room for n states. FLOE_ERROR_MEMORY: then, too, host_graph_close. */
floe_status host_graph_open(const struct engine_task *task, const struct product_conditions *conditions, size_t n,
                            struct host_graph *out);
void host_graph_close(struct host_graph *graph);
/* After all `states` are set. */
void host_graph_make_index(struct host_graph *graph);

/* For struct cycle_graph, whose `self` is the graph. */
void host_graph_expand(void *self, unsigned thread, const uint64_t *numbers, size_t n, cycle_visitor *visit,
                       void *user);
bool host_graph_precedes(void *self, uint64_t a, uint64_t b);
/* For cycle_path. */
const uint64_t *host_graph_state(void *self, uint64_t number);

#endif
