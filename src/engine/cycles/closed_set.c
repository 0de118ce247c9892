#include "engine/cycles/closed_set.h"

#include "engine/cycles/marked_components.h"
#include "engine/cycles/set_expansion.h"

struct passes {
  const struct cycle_graph *graph;
  struct number_set *set;
  _Atomic uint64_t size; /* of the set */
};

/* ---- passes --------------------------------------------------------------------------------------- */

static void remove_leaving(void *user, const struct cycle_step *steps, size_t n) {
  struct passes *p = user;
  for (size_t i = 0; i < n; i++)
    if ((steps[i].marks || !number_set_has(p->set, steps[i].to)) && number_set_remove(p->set, steps[i].from))
      atomic_fetch_sub_explicit(&p->size, 1, memory_order_relaxed);
}

/* Returns the size of the set. */
static uint64_t pass(struct passes *p) {
  set_expand(p->graph, p->set, remove_leaving, p);
  return atomic_load_explicit(&p->size, memory_order_relaxed);
}

static void add_candidate(void *user, uint64_t number) {
  struct passes *p = user;
  if (number_set_add(p->set, number))
    atomic_fetch_add_explicit(&p->size, 1, memory_order_relaxed);
}

static void add_candidates(void *user, unsigned thread) {
  struct passes *p = user;
  p->graph->candidates(p->graph->self, thread, add_candidate, p);
}

/* ---- components ----------------------------------------------------------------------------------- */

struct division {
  struct marked_components c;
  bool *removed;   /* [components] */
  uint32_t *first; /* [components + 2] positions in `order` */
  uint32_t *order; /* [states] places by component */
  uint32_t own;    /* component that is looked at */
};

static void note_leaving(void *user, const struct cycle_step *steps, size_t n) {
  struct division *d = user;
  for (size_t i = 0; i < n; i++) {
    const uint32_t to = component_of(&d->c, steps[i].to);
    if (steps[i].marks || to == NO_COMPONENT || d->removed[to])
      d->removed[d->own] = true;
  }
}

/* Counting sort. False: no memory. */
static bool order_by_component(struct division *d) {
  const struct marked_components *c = &d->c;
  d->removed = mem_array(c->components, sizeof *d->removed);
  d->first = mem_array((size_t)c->components + 2, sizeof *d->first);
  d->order = mem_array(c->states, sizeof *d->order);
  if (!d->removed || !d->first || !d->order)
    return false;
  for (uint32_t i = 0; i < c->states; i++)
    d->first[c->component[i] + 2]++;
  for (uint32_t i = 0; i < c->components; i++)
    d->first[i + 2] += d->first[i + 1];
  for (uint32_t i = 0; i < c->states; i++)
    d->order[d->first[c->component[i] + 1]++] = i;
  return true;
}

static void find_removed(struct division *d) {
  const struct cycle_graph *graph = d->c.graph;
  for (d->own = 0; d->own < d->c.components && !stop_requested(&graph->stop); d->own++)
    for (uint32_t i = d->first[d->own]; i < d->first[d->own + 1] && !d->removed[d->own]; i++)
      graph->expand(graph->self, 0, &d->c.numbers[d->order[i]], 1, note_leaving, d);
}

static floe_status divide(const struct passes *p) {
  struct division d = {.own = 0};
  floe_status status = components_mark(p->graph, p->set, &d.c);
  if (status == FLOE_OK && !order_by_component(&d))
    status = FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    find_removed(&d);
  for (uint32_t i = 0; status == FLOE_OK && i < d.c.states; i++)
    if (d.removed[d.c.component[i]])
      number_set_remove(p->set, d.c.numbers[i]);
  components_unmark(&d.c);
  mem_free(d.removed);
  mem_free(d.first);
  mem_free(d.order);
  return status;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool has_memory(const struct cycle_graph *graph, uint64_t size) {
  return size < NO_COMPONENT && size <= graph->memory / 2 / (MARKED_COMPONENTS_BYTES + 3 * sizeof(uint32_t));
}

static floe_status reduce(struct passes *p) {
  uint64_t size = atomic_load_explicit(&p->size, memory_order_relaxed), before = 0, expanded = 0;
  for (unsigned passes = 0; size > 0 && size != before; passes++) {
    const bool slow = passes >= CYCLES_LEAST_ROUNDS && size > before / 2;
    if (slow && has_memory(p->graph, size) &&
        (size <= CYCLES_MOST_DIVIDED || expanded / size >= CLOSED_SET_MOST_EXPANDED))
      return divide(p);
    before = size;
    expanded += size;
    size = pass(p);
    if (stop_requested(&p->graph->stop))
      return FLOE_ERROR_INTERRUPTED;
  }
  return FLOE_OK;
}

floe_status closed_set_find(const struct cycle_graph *graph, struct number_set *set, uint64_t *size) {
  struct passes p = {.graph = graph, .set = set};
  *set = (struct number_set){.words = NULL};
  if (graph->slots / 8 > graph->memory || !number_set_create(set, graph->slots))
    return FLOE_ERROR_MEMORY;
  graph->run(graph->self, add_candidates, &p);
  FLOE_TRY(reduce(&p));
  if (stop_requested(&graph->stop))
    return FLOE_ERROR_INTERRUPTED;
  *size = number_set_size(set);
  return FLOE_OK;
}
