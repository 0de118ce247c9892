/* Accepting cycles in the states of a finished search: the graph of engine/cycles/cycles.h. */
#include "engine/cpu/cpu_search.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/cycles/cycles.h"
#include "engine/path.h"
#include "logic/automaton.h"

#include <assert.h>
#include <string.h>

#define LEAST_STEPS 256                       /* looked up together */
#define MOST_FOR_FAIRNESS (UINT64_C(1) << 18) /* candidates, for a search under more fairness */

/* Buffers of a thread. */
struct cycle_thread {
  uint64_t roots[CYCLES_BATCH];
  uint64_t *states;         /* [CYCLES_BATCH] keys of the states being expanded */
  uint64_t *successors;     /* [capacity] keys of targets */
  uint64_t *elements;       /* [capacity] of the visited set; the targets themselves if states have one word */
  struct step_edge *edges;  /* [capacity] */
  struct cycle_step *steps; /* [capacity] */
  uint64_t *numbers;        /* [capacity] */
  uint8_t *answers;         /* [capacity] */
  uint64_t *scratch;        /* of key_state */
  size_t count;             /* of steps */
};

struct cpu_cycles {
  struct cpu_search *search;
  const struct model_automaton *automaton;
  const struct layout *layout;
  const struct field *field; /* of the automaton's state */
  uint64_t weak, strong;     /* constraints of fairness */
  size_t capacity;           /* of the buffers */
  struct cycle_thread *threads;
};

/* ---- buffers -------------------------------------------------------------------------------------- */

static bool open_thread(const struct cpu_cycles *self, struct cycle_thread *thread) {
  const size_t words = self->layout->key_words, capacity = self->capacity;
  thread->states = mem_array(CYCLES_BATCH, words * sizeof *thread->states);
  thread->successors = mem_array(capacity, words * sizeof *thread->successors);
  thread->elements = words > 1 ? mem_array(capacity, sizeof *thread->elements) : thread->successors;
  thread->edges = mem_array(capacity, sizeof *thread->edges);
  thread->steps = mem_array(capacity, sizeof *thread->steps);
  thread->numbers = mem_array(capacity, sizeof *thread->numbers);
  thread->answers = mem_array(capacity, sizeof *thread->answers);
  thread->scratch = mem_array(key_scratch(self->layout), sizeof *thread->scratch);
  return thread->states && thread->successors && thread->elements && thread->edges && thread->steps &&
         thread->numbers && thread->answers && thread->scratch;
}

static void close_thread(struct cycle_thread *thread) {
  if (thread->elements != thread->successors)
    mem_free(thread->elements);
  mem_free(thread->states);
  mem_free(thread->successors);
  mem_free(thread->edges);
  mem_free(thread->steps);
  mem_free(thread->numbers);
  mem_free(thread->answers);
  mem_free(thread->scratch);
}

/* ---- states --------------------------------------------------------------------------------------- */

static uint64_t automaton_state(const struct cpu_cycles *self, const uint64_t *key, uint64_t *scratch) {
  const struct field *field = self->field;
  if (field->width == 0)
    return 0;
  return key_state(self->layout, key, scratch)[field->word] >> field->shift & (((uint64_t)1 << field->width) - 1);
}

/* Keys of n states, at most a batch; valid until the thread's next call. */
static const uint64_t *states_of(const struct cpu_cycles *self, unsigned number, const uint64_t *numbers, size_t n) {
  struct cycle_thread *thread = &self->threads[number];
  const size_t words = self->layout->key_words;
  uint64_t *elements = words > 1 ? thread->roots : thread->states;
  for (size_t i = 0; i < n; i++)
    visited_state_of(self->search->visited.set, numbers[i], &elements[i]);
  if (words > 1)
    memcpy(thread->states, multiword_peek(&self->search->workers[number], elements, n), n * words * sizeof(uint64_t));
  return thread->states;
}

/* Numbers of the steps' targets. All are in the set, as the search is complete. */
static void number_targets(const struct cpu_cycles *self, unsigned number) {
  struct cycle_thread *thread = &self->threads[number];
  if (self->layout->key_words > 1)
    multiword_roots(&self->search->workers[number], thread->successors, thread->count, thread->elements);
  visited_find_or_put_numbered(self->search->visited.set, thread->elements, thread->count, thread->answers,
                               thread->numbers);
  for (size_t i = 0; i < thread->count; i++) {
    assert(thread->answers[i] == VISITED_KNOWN);
    thread->steps[i].to = thread->numbers[i];
  }
}

static void visit_steps(const struct cpu_cycles *self, unsigned number, cycle_visitor *visit, void *user) {
  struct cycle_thread *thread = &self->threads[number];
  if (thread->count == 0)
    return;
  number_targets(self, number);
  visit(user, thread->steps, thread->count);
  thread->count = 0;
}

/* Appends the steps of the state. Firings that fail lead nowhere, but a constraint of fairness is enabled by them. */
static void add_steps(const struct cpu_cycles *self, struct cycle_thread *thread, uint64_t from,
                      const uint64_t *state) {
  const size_t words = self->layout->key_words, first = thread->count;
  const struct model_automaton *automaton = self->automaton;
  const uint32_t degree = automaton->degree;
  const uint64_t *accepting = automaton->accepting + automaton_state(self, state, thread->scratch) * degree;
  const struct stepper *stepper = self->search->stepper;
  uint64_t *successors = thread->successors + thread->count * words, enabled = 0;
  const size_t firings = stepper->expand_one(stepper, state, successors, thread->edges);
  for (size_t i = 0; i < firings; i++) {
    const struct step_edge edge = thread->edges[i];
    const uint64_t fair = automaton->fairness[edge.transition];
    enabled |= fair;
    if (edge.site != NO_SITE)
      continue;
    memmove(thread->successors + thread->count * words, successors + i * words, words * sizeof *successors);
    thread->steps[thread->count++] = (struct cycle_step){.from = from,
                                                         .marks = accepting[edge.choice % degree] | fair,
                                                         .transition = edge.transition,
                                                         .choice = edge.choice};
  }
  for (size_t i = first; i < thread->count; i++) {
    thread->steps[i].marks |= self->weak & ~enabled;
    thread->steps[i].enabled = self->strong & enabled;
  }
}

/* ---- the graph ------------------------------------------------------------------------------------ */

static void run(void *user, void (*work)(void *user, unsigned thread), void *data) {
  const struct cpu_cycles *self = user;
  pool_run(self->search->pool, work, data);
}

static void expand(void *user, unsigned number, const uint64_t *numbers, size_t n, cycle_visitor *visit, void *data) {
  const struct cpu_cycles *self = user;
  struct cycle_thread *thread = &self->threads[number];
  const uint64_t *states = states_of(self, number, numbers, n);
  for (size_t i = 0; i < n; i++) {
    if (self->capacity - thread->count < self->search->stepper->max_successors)
      visit_steps(self, number, visit, data);
    add_steps(self, thread, numbers[i], states + i * self->layout->key_words);
  }
  visit_steps(self, number, visit, data);
}

struct candidates {
  const struct cpu_cycles *self;
  unsigned thread;
  void (*visit)(void *user, uint64_t number);
  void *user;
};

/* At most a batch of the set's elements. */
static void add_candidates(const struct candidates *c, const uint64_t *elements, size_t n) {
  const struct cpu_cycles *self = c->self;
  struct cycle_thread *thread = &self->threads[c->thread];
  const size_t words = self->layout->key_words;
  const uint64_t *states = words > 1 ? multiword_peek(&self->search->workers[c->thread], elements, n) : elements;
  uint64_t chosen[CYCLES_BATCH];
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    if (self->automaton->candidates[automaton_state(self, states + i * words, thread->scratch)])
      chosen[count++] = elements[i];
  if (count == 0)
    return;
  visited_find_or_put_numbered(self->search->visited.set, chosen, count, thread->answers, thread->numbers);
  for (size_t i = 0; i < count; i++)
    c->visit(c->user, thread->numbers[i]);
}

static void add_elements(void *user, const uint64_t *elements, size_t n) {
  for (size_t at = 0; at < n; at += CYCLES_BATCH)
    add_candidates(user, elements + at, n - at < CYCLES_BATCH ? n - at : CYCLES_BATCH);
}

static void candidates(void *user, unsigned thread, void (*visit)(void *user, uint64_t number), void *data) {
  const struct cpu_cycles *self = user;
  struct candidates candidates = {self, thread, visit, data};
  visited_each(self->search->visited.set, thread, self->search->worker_count, add_elements, &candidates);
}

static bool precedes(void *user, uint64_t a, uint64_t b) {
  const struct cpu_cycles *self = user;
  const uint32_t words = self->layout->key_words;
  const uint64_t numbers[] = {a, b};
  const uint64_t *states = states_of(self, 0, numbers, 2);
  return words_less(states, states + words, words);
}

/* ---- the search ----------------------------------------------------------------------------------- */

static struct path *path_of(const struct cpu_cycles *self, const struct cycle *cycle) {
  const size_t words = self->layout->key_words;
  struct path *path = mem_alloc(sizeof *path);
  if (!path)
    return NULL;
  path->steps = (uint32_t)cycle->steps;
  path->states = mem_array(cycle->steps + 1, words * sizeof *path->states);
  path->edges = mem_array(cycle->steps, sizeof *path->edges);
  for (size_t i = 0; path->states && path->edges && i <= cycle->steps; i++) {
    memcpy(path->states + i * words, states_of(self, 0, &cycle->states[i], 1), words * sizeof *path->states);
    if (i < cycle->steps)
      path->edges[i] = (struct step_edge){cycle->transitions[i], cycle->choices[i], NO_SITE};
  }
  if (path->states && path->edges)
    return path;
  path_free(path);
  mem_free(path);
  return NULL;
}

/* Number of the initial state, which is in the set. */
static uint64_t initial_number(const struct cpu_cycles *self) {
  const struct cpu_search *search = self->search;
  uint64_t element = *search->search.task->initial, number;
  uint8_t answer;
  if (self->layout->key_words > 1)
    multiword_roots(&search->workers[0], search->search.task->initial, 1, &element);
  visited_find_or_put_numbered(search->visited.set, &element, 1, &answer, &number);
  assert(answer == VISITED_KNOWN);
  return number;
}

static struct cycle_graph graph_of(struct cpu_cycles *self) {
  const struct model_automaton *automaton = self->automaton;
  return (struct cycle_graph){.initial = initial_number(self),
                              .slots = self->search->visited.set->shape.slots,
                              .conditions = (automaton->weak ? 0 : automaton->sets) | self->weak | self->strong,
                              .strong = self->strong,
                              .memory = budget_left(&self->search->budget),
                              .run = run,
                              .candidates = candidates,
                              .expand = expand,
                              .precedes = precedes,
                              .self = self,
                              .stop = self->search->search.stop};
}

/* ---- fairness under which none exists --------------------------------------------------------------- */

static bool none_with(struct cpu_cycles *self, uint64_t processes, bool strong) {
  const struct model_automaton *automaton = self->automaton;
  struct cycle_result result;
  uint64_t constraints = 0;
  for (uint32_t i = 0; i < automaton->fair_processes; i++)
    if (processes >> i & 1)
      constraints |= automaton->instance_constraints[i];
  self->strong = automaton->strong_fair | (strong ? constraints : 0);
  self->weak = (automaton->weak_fair | constraints) & ~self->strong;
  const struct cycle_graph graph = graph_of(self);
  return cycles_exist(&graph, &result) == FLOE_OK && !result.exists;
}

/* Weak fairness of all processes, or else strong one; then of fewer processes. */
static void find_fair_processes(struct cpu_cycles *self, struct outcome_cycles *out) {
  const uint32_t count = self->automaton->fair_processes;
  const uint64_t all = acceptance_mask(count);
  if (!all || out->candidates > MOST_FOR_FAIRNESS)
    return;
  out->fair_strong = !none_with(self, all, false);
  if (out->fair_strong && !none_with(self, all, true))
    return;
  uint64_t needed = all;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t without = needed & ~(UINT64_C(1) << i);
    if (without && none_with(self, without, out->fair_strong))
      needed = without;
  }
  out->fair_processes = needed;
}

/* ---- the search of the set ------------------------------------------------------------------------ */

static floe_status find(struct cpu_cycles *self, struct outcome_cycles *out) {
  const struct cycle_graph graph = graph_of(self);
  struct cycle_result result;
  const floe_status status = cycles_find(&graph, &result);
  out->exists = status == FLOE_OK && result.exists;
  out->candidates = result.candidates;
  out->passes = result.passes;
  out->expanded = result.expanded;
  if (out->exists)
    out->cycle = path_of(self, &result.cycle);
  cycle_free(&result.cycle);
  if (out->cycle)
    find_fair_processes(self, out);
  return out->exists && !out->cycle ? FLOE_ERROR_MEMORY : status;
}

void cpu_find_cycles(struct cpu_search *search, struct outcome_cycles *out) {
  const struct engine_task *task = search->search.task;
  struct cpu_cycles self = {.search = search,
                            .automaton = task->model->automaton,
                            .layout = task->layout,
                            .field = &task->layout->fields[task->model->automaton->variable],
                            .weak = task->model->automaton->weak_fair,
                            .strong = task->model->automaton->strong_fair,
                            .capacity = LEAST_STEPS + (size_t)search->stepper->max_successors};
  const double begun = clock_seconds();
  assert(search->visited.set->numbered && !task->group.comm);
  self.threads = mem_array(search->worker_count, sizeof *self.threads);
  bool opened = self.threads;
  for (unsigned i = 0; opened && i < search->worker_count; i++)
    opened = open_thread(&self, &self.threads[i]);
  out->status = opened ? find(&self, out) : FLOE_ERROR_MEMORY;
  for (unsigned i = 0; self.threads && i < search->worker_count; i++)
    close_thread(&self.threads[i]);
  mem_free(self.threads);
  out->seconds = clock_seconds() - begun;
}
