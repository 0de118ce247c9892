#include "gpu/cycles/host_graph.h"

#include "core/mem.h"
#include "engine/cycles/marked_components.h"
#include "model/model.h"
#include "step/layout/state_key.h"
#include "step/stepper.h"

#include <assert.h>
#include <string.h>

/* Of cycles_extract for each state, at most: components; queue and parents of a long cycle. */
#define LASSO_BYTES (MARKED_COMPONENTS_BYTES + 40)

static size_t words_of(const struct host_graph *graph) { return graph->task->layout->key_words; }

/* A power of two, at least twice the states. */
static size_t index_size(uint64_t n) {
  size_t size = 4;
  while (size < 2 * n)
    size *= 2;
  return size;
}

uint64_t host_graph_bytes(const struct engine_task *task, uint64_t n) {
  return n * (task->layout->key_words * sizeof(uint64_t) + LASSO_BYTES) + index_size(n) * sizeof(uint32_t);
}

floe_status host_graph_open(const struct engine_task *task, const struct product_conditions *conditions, size_t n,
                            struct host_graph *out) {
  const size_t words = task->layout->key_words, most = task->stepper->max_successors;
  *out = (struct host_graph){.task = task, .conditions = *conditions, .n = n, .index_mask = index_size(n) - 1};
  out->states = mem_array(n, words * sizeof *out->states);
  out->index = mem_array(out->index_mask + 1, sizeof *out->index);
  out->successors = mem_array(most, words * sizeof *out->successors);
  out->edges = mem_array(most, sizeof *out->edges);
  out->steps = mem_array(most, sizeof *out->steps);
  out->scratch = mem_array(key_scratch(task->layout), sizeof *out->scratch);
  const bool opened = out->states && out->index && out->successors && out->edges && out->steps &&
                      (out->scratch || !task->layout->encoding);
  return opened ? FLOE_OK : FLOE_ERROR_MEMORY;
}

void host_graph_close(struct host_graph *graph) {
  void *const memory[] = {graph->states, graph->index, graph->successors, graph->edges, graph->steps, graph->scratch};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    mem_free(memory[i]);
}

/* ---- numbers of keys ------------------------------------------------------------------------------ */

static size_t hash_of(const struct host_graph *graph, const uint64_t *key) {
  uint64_t hash = 0;
  for (size_t w = 0; w < words_of(graph); w++)
    hash = (hash ^ hash >> 29 ^ key[w]) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(hash ^ hash >> 32) & graph->index_mask;
}

/* Place in the index of the key, or the empty place where it belongs. */
static uint32_t *place_of(const struct host_graph *graph, const uint64_t *key) {
  const size_t words = words_of(graph);
  size_t at = hash_of(graph, key);
  while (graph->index[at] && memcmp(graph->states + (graph->index[at] - 1) * words, key, words * sizeof *key) != 0)
    at = (at + 1) & graph->index_mask;
  return &graph->index[at];
}

void host_graph_make_index(struct host_graph *graph) {
  for (size_t i = 0; i < graph->n; i++)
    *place_of(graph, graph->states + i * words_of(graph)) = (uint32_t)i + 1;
}

/* ---- the graph's operations ----------------------------------------------------------------------- */

const uint64_t *host_graph_state(void *self, uint64_t number) {
  const struct host_graph *graph = self;
  assert(number < graph->n);
  return graph->states + number * words_of(graph);
}

bool host_graph_precedes(void *self, uint64_t a, uint64_t b) {
  const struct host_graph *graph = self;
  return words_less(host_graph_state(self, a), host_graph_state(self, b), (uint32_t)words_of(graph));
}

/* Steps that stay among the states. */
static size_t steps_of(struct host_graph *graph, uint64_t from, const uint64_t *key) {
  const struct engine_task *task = graph->task;
  const struct stepper *stepper = task->stepper;
  const struct product_state state = product_state(task->model->automaton, task->layout, from, key, graph->scratch);
  const size_t firings = stepper->expand_one(stepper, key, graph->successors, graph->edges);
  const size_t all = product_steps(&graph->conditions, &state, graph->edges, firings, graph->successors,
                                   words_of(graph), graph->steps);
  size_t count = 0;
  for (size_t i = 0; i < all; i++) {
    const uint32_t to = *place_of(graph, graph->successors + i * words_of(graph));
    if (to == 0)
      continue;
    graph->steps[count] = graph->steps[i];
    graph->steps[count++].to = to - 1;
  }
  return count;
}

void host_graph_expand(void *self, unsigned thread, const uint64_t *numbers, size_t n, cycle_visitor *visit,
                       void *user) {
  struct host_graph *graph = self;
  (void)thread;
  for (size_t i = 0; i < n; i++) {
    const size_t count = steps_of(graph, numbers[i], host_graph_state(self, numbers[i]));
    if (count > 0)
      visit(user, graph->steps, count);
  }
}
