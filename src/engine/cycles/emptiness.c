#include "engine/cycles/cycles.h"
#include "engine/cycles/marked_components.h"
#include "engine/cycles/set_expansion.h"

#define WORDS_AT_ONCE 256 /* of a set, taken by a thread */
#define SHARED_QUEUE 512  /* states in a queue that are worth waking the other threads */
#define SATURATED UINT8_MAX

struct passes {
  const struct cycle_graph *graph;
  struct number_set z;
  struct number_set reached;
  struct number_set enabled; /* states in which the strong condition is; no words if there are no strong ones */
  _Atomic uint8_t *counts;   /* [slots] steps from Z to the state, up to SATURATED */
  uint64_t *queue;           /* [candidates] */
  _Atomic uint64_t tail;     /* states in the queue */
  uint64_t begin, end;       /* part of the queue that is expanded */
  _Atomic uint64_t ticket;   /* next words of a set, or next states of the queue */
  _Atomic uint64_t expanded;
  _Atomic uint64_t left; /* in Z */
  atomic_bool saturated;
  unsigned condition;
  cycle_visitor *visit;
};

/* ---- threads -------------------------------------------------------------------------------------- */

static void run(struct passes *p, void (*work)(void *user, unsigned thread), bool shared) {
  atomic_store_explicit(&p->ticket, 0, memory_order_relaxed);
  if (shared)
    p->graph->run(p->graph->self, work, p);
  else
    work(p, 0);
}

/* Takes the next `size` of `count`; false: there are none, or the stop condition holds. */
static bool take(struct passes *p, uint64_t size, uint64_t count, uint64_t *first, uint64_t *end) {
  *first = atomic_fetch_add_explicit(&p->ticket, size, memory_order_relaxed);
  *end = count - *first < size ? count : *first + size;
  return *first < count && !stop_requested(&p->graph->stop);
}

/* Calls each(user, number) for the states of Z; the threads share them. */
static void sweep(struct passes *p, void (*each)(void *user, uint64_t number), void *user) {
  uint64_t first, end;
  while (take(p, WORDS_AT_ONCE, p->z.count, &first, &end))
    number_set_each(&p->z, first, end, each, user);
}

static void push(struct passes *p, uint64_t number) {
  p->queue[atomic_fetch_add_explicit(&p->tail, 1, memory_order_relaxed)] = number;
}

/* ---- expansion ------------------------------------------------------------------------------------ */

static void expand(struct passes *p, unsigned thread, const uint64_t *numbers, size_t n) {
  p->graph->expand(p->graph->self, thread, numbers, n, p->visit, p);
  atomic_fetch_add_explicit(&p->expanded, n, memory_order_relaxed);
}

static void expand_queue_part(void *user, unsigned thread) {
  struct passes *p = user;
  uint64_t first, end;
  while (take(p, CYCLES_BATCH, p->end - p->begin, &first, &end))
    expand(p, thread, p->queue + p->begin + first, (size_t)(end - first));
}

static void expand_z(struct passes *p, cycle_visitor *visit) {
  const uint64_t expanded = set_expand(p->graph, &p->z, visit, p);
  atomic_fetch_add_explicit(&p->expanded, expanded, memory_order_relaxed);
}

/* Expands the states of the queue from `begin` on, and those that `visit` adds. */
static void expand_queue(struct passes *p, cycle_visitor *visit) {
  p->visit = visit;
  for (p->begin = 0;; p->begin = p->end) {
    p->end = atomic_load_explicit(&p->tail, memory_order_relaxed);
    if (p->begin == p->end || stop_requested(&p->graph->stop))
      return;
    run(p, expand_queue_part, p->end - p->begin >= SHARED_QUEUE);
  }
}

/* ---- trim ----------------------------------------------------------------------------------------- */

static void clear_counts(void *user, unsigned thread) {
  struct passes *p = user;
  uint64_t first, end;
  (void)thread;
  while (take(p, 64 * WORDS_AT_ONCE, p->graph->slots, &first, &end))
    for (uint64_t i = first; i < end; i++)
      atomic_store_explicit(&p->counts[i], 0, memory_order_relaxed);
}

static void count_targets(void *user, const struct cycle_step *steps, size_t n) {
  struct passes *p = user;
  for (size_t i = 0; i < n; i++) {
    _Atomic uint8_t *count = &p->counts[steps[i].to];
    uint8_t old = atomic_load_explicit(count, memory_order_relaxed);
    if (!number_set_has(&p->z, steps[i].to))
      continue;
    while (old != SATURATED && !atomic_compare_exchange_weak_explicit(count, &old, (uint8_t)(old + 1),
                                                                      memory_order_relaxed, memory_order_relaxed))
      ;
    if (old + 1 >= SATURATED)
      atomic_store_explicit(&p->saturated, true, memory_order_relaxed);
  }
}

static void remove_if_uncounted(void *user, uint64_t number) {
  struct passes *p = user;
  if (atomic_load_explicit(&p->counts[number], memory_order_relaxed) == 0) {
    number_set_remove(&p->z, number);
    push(p, number);
  }
}

static void remove_uncounted(void *user, unsigned thread) {
  (void)thread;
  sweep(user, remove_if_uncounted, user);
}

/* The steps of a removed state do not count any more. */
static void uncount_targets(void *user, const struct cycle_step *steps, size_t n) {
  struct passes *p = user;
  for (size_t i = 0; i < n; i++) {
    _Atomic uint8_t *count = &p->counts[steps[i].to];
    if (atomic_load_explicit(count, memory_order_relaxed) == SATURATED || !number_set_has(&p->z, steps[i].to))
      continue;
    if (atomic_fetch_sub_explicit(count, 1, memory_order_relaxed) == 1 && number_set_remove(&p->z, steps[i].to))
      push(p, steps[i].to);
  }
}

static floe_status count(void *self, bool *saturated) {
  struct passes *p = self;
  atomic_store_explicit(&p->saturated, false, memory_order_relaxed);
  run(p, clear_counts, true);
  expand_z(p, count_targets);
  *saturated = atomic_load_explicit(&p->saturated, memory_order_relaxed);
  return FLOE_OK;
}

static floe_status remove_states(void *self) {
  struct passes *p = self;
  atomic_store_explicit(&p->tail, 0, memory_order_relaxed);
  run(p, remove_uncounted, true);
  return FLOE_OK;
}

static floe_status uncount(void *self, uint64_t *removed) {
  struct passes *p = self;
  expand_queue(p, uncount_targets);
  *removed = atomic_load_explicit(&p->tail, memory_order_relaxed);
  return FLOE_OK;
}

/* ---- closure -------------------------------------------------------------------------------------- */

static void clear_sets(void *user, unsigned thread) {
  struct passes *p = user;
  uint64_t first, end;
  (void)thread;
  while (take(p, WORDS_AT_ONCE, p->reached.count, &first, &end))
    for (uint64_t w = first; w < end; w++) {
      atomic_store_explicit(&p->reached.words[w], 0, memory_order_relaxed);
      if (p->enabled.words)
        atomic_store_explicit(&p->enabled.words[w], 0, memory_order_relaxed);
    }
}

static void reach(struct passes *p, uint64_t number) {
  if (number_set_has(&p->z, number) && number_set_add(&p->reached, number))
    push(p, number);
}

static void reach_marked(void *user, const struct cycle_step *steps, size_t n) {
  struct passes *p = user;
  for (size_t i = 0; i < n; i++) {
    if (steps[i].marks >> p->condition & 1)
      reach(p, steps[i].to);
    if (steps[i].enabled >> p->condition & 1)
      number_set_add(&p->enabled, steps[i].from);
  }
}

static void reach_all(void *user, const struct cycle_step *steps, size_t n) {
  for (size_t i = 0; i < n; i++)
    reach(user, steps[i].to);
}

/* Of a strong condition also the states in which it is not enabled. */
static void keep_reached(void *user, unsigned thread) {
  struct passes *p = user;
  const bool strong = p->graph->strong >> p->condition & 1;
  uint64_t first, end, left = 0;
  (void)thread;
  while (take(p, WORDS_AT_ONCE, p->z.count, &first, &end))
    for (uint64_t w = first; w < end; w++) {
      const uint64_t reached = atomic_load_explicit(&p->reached.words[w], memory_order_relaxed);
      const uint64_t kept =
          strong ? reached | ~atomic_load_explicit(&p->enabled.words[w], memory_order_relaxed) : reached;
      const uint64_t before = atomic_fetch_and_explicit(&p->z.words[w], kept, memory_order_relaxed);
      left += (uint64_t)__builtin_popcountll(before & kept);
    }
  atomic_fetch_add_explicit(&p->left, left, memory_order_relaxed);
}

static floe_status reach_from_marked(void *self, unsigned condition) {
  struct passes *p = self;
  p->condition = condition;
  atomic_store_explicit(&p->tail, 0, memory_order_relaxed);
  run(p, clear_sets, true);
  expand_z(p, reach_marked);
  return FLOE_OK;
}

static floe_status reach_rest(void *self) {
  expand_queue(self, reach_all);
  return FLOE_OK;
}

static floe_status keep(void *self, unsigned condition, uint64_t *size) {
  struct passes *p = self;
  p->condition = condition;
  atomic_store_explicit(&p->left, 0, memory_order_relaxed);
  run(p, keep_reached, true);
  *size = atomic_load_explicit(&p->left, memory_order_relaxed);
  return FLOE_OK;
}

/* ---- candidates ----------------------------------------------------------------------------------- */

static void add_candidate(void *user, uint64_t number) {
  struct passes *p = user;
  if (number_set_add(&p->z, number))
    atomic_fetch_add_explicit(&p->tail, 1, memory_order_relaxed);
}

static void add_candidates(void *user, unsigned thread) {
  struct passes *p = user;
  p->graph->candidates(p->graph->self, thread, add_candidate, p);
}

static floe_status start(void *self, uint64_t *size) {
  struct passes *p = self;
  const uint64_t slots = p->graph->slots, memory = p->graph->memory;
  const uint64_t fixed = slots + slots / 4 + (p->graph->strong ? slots / 8 : 0);
  if (fixed > memory || !number_set_create(&p->z, slots) || !number_set_create(&p->reached, slots) ||
      (p->graph->strong && !number_set_create(&p->enabled, slots)))
    return FLOE_ERROR_MEMORY;
  run(p, add_candidates, true);
  *size = atomic_load_explicit(&p->tail, memory_order_relaxed);
  if (*size > (memory - fixed) / sizeof *p->queue)
    return FLOE_ERROR_MEMORY;
  p->queue = mem_array((size_t)*size, sizeof *p->queue);
  p->counts = pages_alloc((size_t)slots);
  return p->queue && p->counts ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static const struct cycle_machine threads = {.start = start,
                                             .count = count,
                                             .remove = remove_states,
                                             .uncount = uncount,
                                             .reach_marked = reach_from_marked,
                                             .reach = reach_rest,
                                             .keep = keep};

/* ---- the passes of any machine -------------------------------------------------------------------- */

struct reduction {
  const struct cycle_machine *machine;
  void *self;
  const struct stop *stop;
  struct cycle_result *figures;
  uint64_t size; /* of Z */
  uint64_t most_divided;
};

/* A saturated count stays so, and is computed again as long as other states are removed. */
static floe_status trim(struct reduction *r) {
  uint64_t now;
  bool saturated;
  do {
    r->figures->passes++;
    FLOE_TRY(r->machine->count(r->self, &saturated));
    FLOE_TRY(r->machine->remove(r->self));
    FLOE_TRY(r->machine->uncount(r->self, &now));
    r->size -= now;
  } while (now > 0 && saturated && !stop_requested(r->stop));
  return FLOE_OK;
}

static floe_status close_condition(struct reduction *r, unsigned condition) {
  r->figures->passes++;
  FLOE_TRY(r->machine->reach_marked(r->self, condition));
  FLOE_TRY(r->machine->reach(r->self));
  return r->machine->keep(r->self, condition, &r->size);
}

static floe_status reduce(struct reduction *r, uint64_t conditions) {
  uint64_t before = UINT64_MAX; /* size of Z at the start of the last round */
  for (unsigned round = 0; r->size > 0 && r->size < before && !stop_requested(r->stop); round++) {
    r->figures->unfinished = round >= CYCLES_LEAST_ROUNDS && r->size <= r->most_divided && r->size > before / 2;
    if (r->figures->unfinished)
      return FLOE_OK;
    before = r->size;
    FLOE_TRY(trim(r));
    if (!conditions)
      return FLOE_OK;
    for (unsigned i = 0; i < CYCLES_MAX_CONDITIONS && r->size > 0; i++)
      if (conditions >> i & 1)
        FLOE_TRY(close_condition(r, i));
  }
  return FLOE_OK;
}

floe_status cycles_reduce(const struct cycle_machine *machine, void *self, uint64_t conditions, uint64_t most_divided,
                          const struct stop *stop, struct cycle_result *figures, uint64_t *size) {
  struct reduction r = {
      .machine = machine, .self = self, .stop = stop, .figures = figures, .most_divided = most_divided};
  FLOE_TRY(machine->start(self, &r.size));
  figures->candidates = r.size;
  FLOE_TRY(reduce(&r, conditions));
  *size = r.size;
  return FLOE_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

/* States for whose components there is memory. */
static uint64_t most_divided(const struct cycle_graph *graph) {
  const uint64_t most = graph->memory / 2 / MARKED_COMPONENTS_BYTES;
  return most < CYCLES_MOST_DIVIDED ? most : CYCLES_MOST_DIVIDED;
}

static floe_status find(struct passes *p, struct cycle_result *out) {
  const struct cycle_graph *graph = p->graph;
  uint64_t size;
  FLOE_TRY(cycles_reduce(&threads, p, graph->conditions, most_divided(graph), &graph->stop, out, &size));
  if (stop_requested(&graph->stop))
    return FLOE_ERROR_INTERRUPTED;
  if (out->unfinished)
    FLOE_TRY(components_keep_accepting(graph, &p->z, &size));
  out->exists = size > 0;
  return FLOE_OK;
}

static floe_status find_and_extract(const struct cycle_graph *graph, bool extract, struct cycle_result *out) {
  struct passes p = {.graph = graph};
  *out = (struct cycle_result){.exists = false};
  floe_status status = find(&p, out);
  if (status == FLOE_OK && out->exists && extract)
    status = cycles_extract(graph, &p.z, &out->cycle);
  out->expanded = atomic_load_explicit(&p.expanded, memory_order_relaxed);
  number_set_free(&p.z);
  number_set_free(&p.reached);
  number_set_free(&p.enabled);
  mem_free(p.queue);
  if (p.counts)
    pages_free((void *)p.counts, (size_t)graph->slots);
  if (status != FLOE_OK)
    cycle_free(&out->cycle);
  return status;
}

floe_status cycles_find(const struct cycle_graph *graph, struct cycle_result *out) {
  return find_and_extract(graph, true, out);
}

floe_status cycles_exist(const struct cycle_graph *graph, struct cycle_result *out) {
  return find_and_extract(graph, false, out);
}
