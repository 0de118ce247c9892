#include "engine/cycles/nearest_state.h"

#include <string.h>

struct nearest_search {
  const struct nearest_request *request;
  struct nearest_state *out;
  struct number_set seen;
  struct number_list queue;
  bool no_memory;
};

static void add(struct nearest_search *s, uint64_t number) {
  if (number_set_add(&s->seen, number))
    s->no_memory = !number_list_add(&s->queue, number) || s->no_memory;
}

static void add_targets(void *user, const struct cycle_step *steps, size_t n) {
  for (size_t i = 0; i < n; i++)
    add(user, steps[i].to);
}

/* Chooses the state if it is a goal, and less than the one chosen before. */
static void consider(struct nearest_search *s, uint64_t number) {
  const struct cycle_graph *graph = s->request->graph;
  struct nearest_state *out = s->out;
  if (!s->request->is_goal(s->request->user, number))
    return;
  if (!out->found || graph->precedes(graph->self, number, out->number))
    out->number = number;
  out->found = true;
}

static bool stopped(const struct nearest_search *s) { return s->no_memory || stop_requested(&s->request->graph->stop); }

static void expand_level(struct nearest_search *s, size_t begin, size_t end) {
  const struct cycle_graph *graph = s->request->graph;
  for (size_t i = begin; i < end && !stopped(s); i += CYCLES_BATCH) {
    uint64_t numbers[CYCLES_BATCH]; /* the queue moves when it grows */
    const size_t n = end - i < CYCLES_BATCH ? end - i : CYCLES_BATCH;
    memcpy(numbers, s->queue.items + i, n * sizeof *numbers);
    graph->expand(graph->self, 0, numbers, n, add_targets, s);
  }
}

/* To the first level with a goal. */
static void search_levels(struct nearest_search *s) {
  add(s, s->request->graph->initial);
  for (size_t begin = 0, end; begin < s->queue.n && !stopped(s); begin = end, s->out->depth++) {
    end = s->queue.n;
    for (size_t i = begin; i < end && s->out->depth >= s->request->first_level; i++)
      consider(s, s->queue.items[i]);
    if (s->out->found)
      return;
    expand_level(s, begin, end);
  }
}

floe_status nearest_state_find(const struct nearest_request *request, struct nearest_state *out) {
  struct nearest_search s = {.request = request, .out = out};
  *out = (struct nearest_state){.found = false};
  if (!number_set_create(&s.seen, request->graph->slots))
    return FLOE_ERROR_MEMORY;
  search_levels(&s);
  number_set_free(&s.seen);
  mem_free(s.queue.items);
  return s.no_memory ? FLOE_ERROR_MEMORY : stop_requested(&request->graph->stop) ? FLOE_ERROR_INTERRUPTED : FLOE_OK;
}
