/* Accepting cycles in the states of a search, finished or between levels, and closed sets of a finished one: the graph
   of engine/cycles/cycles.h. */
#include "engine/cpu/cpu_search.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/cycles/attempts.h"
#include "engine/cycles/closed_set.h"
#include "engine/cycles/cycle_path.h"
#include "engine/cycles/nearest_state.h"
#include "engine/cycles/product_steps.h"
#include "engine/path.h"
#include "engine/sizing.h"
#include "model/property_kind.h"
#include "step/state_properties.h"

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
  int64_t *values;          /* [value_count] of a state */
  size_t count;             /* of steps */
};

struct cpu_cycles {
  struct cpu_search *search;
  const struct model_automaton *automaton; /* NULL: a closed set is sought, */
  const struct expr *condition;            /* of states in which this is false */
  const struct layout *layout;
  struct product_conditions conditions;
  size_t capacity; /* of the buffers */
  struct cycle_thread *threads;
  bool partial;                 /* between levels: */
  struct number_set unexpanded; /* the frontier, whose steps may lead to states that are not in the set yet */
  atomic_bool unreadable;       /* part of the frontier, which is on disk */
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
  thread->values = mem_array(self->search->search.task->model->value_count, sizeof *thread->values);
  return thread->states && thread->successors && thread->elements && thread->edges && thread->steps &&
         thread->numbers && thread->answers && thread->scratch && thread->values;
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
  mem_free(thread->values);
}

/* ---- states --------------------------------------------------------------------------------------- */

static uint64_t automaton_state(const struct cpu_cycles *self, const uint64_t *key, uint64_t *scratch) {
  return product_automaton_state(self->automaton, self->layout, key, scratch);
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

/* Numbers of the steps' targets. All are in the set, as the states are expanded. */
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

/* Sets the steps of a state of a model without automaton. One that fails leads to an unknown state: it has a mark, and
   the state's own key as target. */
static void model_steps(uint64_t from, const uint64_t *state, const struct step_edge *edges, size_t firings,
                        uint64_t *targets, size_t words, struct cycle_step *steps) {
  for (size_t i = 0; i < firings; i++) {
    const bool fails = edges[i].site != NO_SITE;
    if (fails)
      memcpy(targets + i * words, state, words * sizeof *targets);
    steps[i] = (struct cycle_step){.from = from, .marks = fails};
  }
}

/* Appends the steps of the state. */
static void add_steps(const struct cpu_cycles *self, struct cycle_thread *thread, uint64_t from,
                      const uint64_t *state) {
  const size_t words = self->layout->key_words;
  const struct stepper *stepper = self->search->stepper;
  uint64_t *successors = thread->successors + thread->count * words;
  const size_t firings = stepper->expand_one(stepper, state, successors, thread->edges);
  if (!self->automaton) {
    model_steps(from, state, thread->edges, firings, successors, words, thread->steps + thread->count);
    thread->count += firings;
    return;
  }
  const struct product_state expanded = product_state(self->automaton, self->layout, from, state, thread->scratch);
  thread->count += product_steps(&self->conditions, &expanded, thread->edges, firings, successors, words,
                                 thread->steps + thread->count);
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

/* Whether the state may lie on an accepting cycle, or in the closed set. A condition that cannot be evaluated is none
   that is false. */
static bool is_candidate(const struct cpu_cycles *self, const uint64_t *state, struct cycle_thread *thread) {
  const struct model *model = self->search->search.task->model;
  int64_t value;
  if (self->automaton)
    return self->automaton->candidates[automaton_state(self, state, thread->scratch)];
  key_values(model, self->layout, state, thread->values);
  return interpreter_eval(model, self->condition, thread->values, NULL, NULL, &value) == NO_SITE && value == 0;
}

/* At most a batch of the set's elements. */
static void add_candidates(const struct candidates *c, const uint64_t *elements, size_t n) {
  const struct cpu_cycles *self = c->self;
  struct cycle_thread *thread = &self->threads[c->thread];
  const size_t words = self->layout->key_words;
  const uint64_t *states = words > 1 ? multiword_peek(&self->search->workers[c->thread], elements, n) : elements;
  uint64_t chosen[CYCLES_BATCH];
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    if (is_candidate(self, states + i * words, thread))
      chosen[count++] = elements[i];
  if (count == 0)
    return;
  visited_find_or_put_numbered(self->search->visited.set, chosen, count, thread->answers, thread->numbers);
  for (size_t i = 0; i < count; i++)
    if (!self->partial || !number_set_has(&self->unexpanded, thread->numbers[i]))
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

static const uint64_t *state_of(void *user, uint64_t number) { return states_of(user, 0, &number, 1); }

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
  const uint64_t left = budget_left(&self->search->budget), own = self->unexpanded.count * sizeof(uint64_t);
  return (struct cycle_graph){.initial = initial_number(self),
                              .slots = self->search->visited.set->shape.slots,
                              .conditions = self->automaton ? product_all_conditions(&self->conditions) : 0,
                              .strong = self->conditions.strong,
                              .memory = left > own ? left - own : 0,
                              .run = run,
                              .candidates = candidates,
                              .expand = expand,
                              .precedes = precedes,
                              .self = self,
                              .stop = self->search->search.stop};
}

static bool none_with(void *user, const struct product_conditions *conditions) {
  struct cpu_cycles *self = user;
  struct cycle_result result;
  self->conditions = *conditions;
  const struct cycle_graph graph = graph_of(self);
  return cycles_exist(&graph, &result) == FLOE_OK && !result.exists;
}

/* ---- the frontier --------------------------------------------------------------------------------- */

/* Of one thread. */
struct unexpanded {
  struct cpu_cycles *self;
  unsigned thread;
};

static void add_unexpanded(void *user, const uint64_t *elements, size_t n) {
  const struct unexpanded *to = user;
  struct cycle_thread *thread = &to->self->threads[to->thread];
  for (size_t at = 0; at < n; at += CYCLES_BATCH) {
    const size_t some = n - at < CYCLES_BATCH ? n - at : CYCLES_BATCH;
    visited_find_or_put_numbered(to->self->search->visited.set, elements + at, some, thread->answers, thread->numbers);
    for (size_t i = 0; i < some; i++)
      number_set_add(&to->self->unexpanded, thread->numbers[i]);
  }
}

static void add_unexpanded_part(void *user, unsigned thread) {
  struct unexpanded to = {user, thread};
  /* Relaxed: read after the threads have met. */
  if (waiting_level(&to.self->search->workers[thread], add_unexpanded, &to) != FLOE_OK)
    atomic_store_explicit(&to.self->unreadable, true, memory_order_relaxed);
}

/* False: no memory, or states on disk cannot be read, which the search will notice. */
static bool note_unexpanded(struct cpu_cycles *self) {
  const uint64_t slots = self->search->visited.set->shape.slots;
  if (!self->partial)
    return true;
  if (slots / 8 > budget_left(&self->search->budget) || !number_set_create(&self->unexpanded, slots))
    return false;
  pool_run(self->search->pool, add_unexpanded_part, self);
  return !atomic_load_explicit(&self->unreadable, memory_order_relaxed);
}

/* ---- the search of the set ------------------------------------------------------------------------ */

static floe_status find(struct cpu_cycles *self, struct outcome_cycles *out) {
  const struct cycle_graph graph = graph_of(self);
  const bool extract = !self->search->search.task->only_existence;
  struct cycle_result result;
  const floe_status status = extract ? cycles_find(&graph, &result) : cycles_exist(&graph, &result);
  out->exists = status == FLOE_OK && result.exists;
  out->candidates = result.candidates;
  out->passes = result.passes;
  out->expanded = result.expanded;
  if (out->exists && extract)
    out->cycle = cycle_path(&result.cycle, self->layout->key_words, state_of, self);
  cycle_free(&result.cycle);
  if (out->cycle && !self->partial && out->candidates <= MOST_FOR_FAIRNESS)
    product_fair_processes(self->automaton, none_with, self, &out->fair_processes, &out->fair_strong);
  return out->exists && extract && !out->cycle ? FLOE_ERROR_MEMORY : status;
}

/* False: no memory; close_threads frees what there is. */
static bool open_threads(struct cpu_cycles *self) {
  const struct cpu_search *search = self->search;
  assert(search->visited.set->numbered && !search->search.task->group.comm);
  self->threads = mem_array(search->worker_count, sizeof *self->threads);
  bool opened = self->threads;
  for (unsigned i = 0; opened && i < search->worker_count; i++)
    opened = open_thread(self, &self->threads[i]);
  return opened;
}

static void close_threads(struct cpu_cycles *self) {
  for (unsigned i = 0; self->threads && i < self->search->worker_count; i++)
    close_thread(&self->threads[i]);
  mem_free(self->threads);
}

static void find_with_buffers(struct cpu_cycles *self, struct outcome_cycles *out) {
  const double begun = clock_seconds();
  out->status = open_threads(self) && note_unexpanded(self) ? find(self, out) : FLOE_ERROR_MEMORY;
  number_set_free(&self->unexpanded);
  close_threads(self);
  out->seconds = clock_seconds() - begun;
}

static void find_cycles(struct cpu_search *search, bool partial, struct outcome_cycles *out) {
  const struct engine_task *task = search->search.task;
  struct cpu_cycles self = {.search = search,
                            .automaton = task->model->automaton,
                            .layout = task->layout,
                            .conditions = product_conditions(task->model->automaton),
                            .capacity = LEAST_STEPS + (size_t)search->stepper->max_successors,
                            .partial = partial};
  *out = (struct outcome_cycles){.exists = false};
  find_with_buffers(&self, out);
}

/* Without memory, or interrupted, the search continues, which notices the interrupt. */
void cpu_attempt_cycles(struct cpu_search *self) {
  struct search *search = &self->search;
  const struct sizing_levels levels = {search->levels.states, search->levels.count, search->levels.expanded};
  if (search->ended || !cycle_attempt_due(&levels, &self->cycles.next_attempt))
    return;
  find_cycles(self, true, &self->cycles.found);
  if (self->cycles.found.status == FLOE_OK && self->cycles.found.exists)
    search_finish(search, FLOE_END_DECIDED);
}

void cpu_conclude_cycles(struct cpu_search *self, struct engine_outcome *out) {
  if (out->end == FLOE_END_COMPLETE)
    find_cycles(self, false, &out->cycles);
  else if (out->end == FLOE_END_DECIDED)
    out->cycles = self->cycles.found;
  if (out->end == FLOE_END_DECIDED)
    self->cycles.found.cycle = NULL; /* the outcome owns it */
}

void cpu_free_cycles(struct cpu_search *self) {
  if (self->cycles.found.cycle)
    path_free(self->cycles.found.cycle);
  mem_free(self->cycles.found.cycle);
}

/* ---- closed sets ---------------------------------------------------------------------------------- */

static bool is_in_set(const void *user, uint64_t number) { return number_set_has(user, number); }

/* Notes the nearest state of the set, which is not empty, as the violation. */
static floe_status note_nearest(struct cpu_cycles *self, const struct cycle_graph *graph, const struct number_set *set,
                                struct engine_violation *violation) {
  const struct nearest_request request = {.graph = graph,
                                          .is_goal = is_in_set,
                                          .user = set,
                                          .first_level = model_first_level(self->search->search.task->model)};
  struct nearest_state nearest;
  FLOE_TRY(nearest_state_find(&request, &nearest));
  assert(nearest.found);
  violation_keep_least(violation, state_of(self, nearest.number), self->layout->key_words, nearest.depth,
                       no_step_error);
  return FLOE_OK;
}

static floe_status decide_by_passes(struct cpu_cycles *self, struct engine_violation *violation) {
  const struct cycle_graph graph = graph_of(self);
  struct number_set set;
  uint64_t size;
  floe_status status = closed_set_find(&graph, &set, &size);
  if (status == FLOE_OK && size > 0)
    status = note_nearest(self, &graph, &set, violation);
  number_set_free(&set);
  return status;
}

static void decide_property(struct cpu_cycles *self, uint32_t i, struct engine_outcome *out) {
  const struct engine_task *task = self->search->search.task;
  const struct property *property = &task->model->properties[i];
  self->condition = property->expr;
  if (decide_by_passes(self, &out->violations[i]) != FLOE_OK)
    out->passes_ended |= UINT64_C(1) << i;
  else if (out->violations[i].violation && task->options->decided)
    task->options->decided(property->id, property_kinds[property->kind].found, task->options->user);
}

void cpu_conclude_passes(struct cpu_search *search, struct engine_outcome *out) {
  const struct engine_task *task = search->search.task;
  struct cpu_cycles self = {
      .search = search, .layout = task->layout, .capacity = LEAST_STEPS + (size_t)search->stepper->max_successors};
  if (open_threads(&self))
    for (uint64_t rest = task->passes; rest; rest &= rest - 1)
      decide_property(&self, (uint32_t)__builtin_ctzll(rest), out);
  else
    out->passes_ended = task->passes;
  close_threads(&self);
}
