/* The conditions of transitions that never fired, evaluated in every state by the interpreter. */
#include "api/trace/unfired.h"

#include "core/mem.h"
#include "core/threads/thread_pool.h"
#include "engine/comm/comm.h"
#include "engine/engine.h"
#include "engine/trace/level_archive.h"
#include "model/process.h"

#include <string.h>

#define TICKET 256 /* states that a thread takes at a time */

struct counter {
  const struct unfired_search *search;
  const struct conditions *goals;
  size_t goal_count;
  uint32_t level;
  struct counting_thread *threads;
  unsigned thread_count;
  atomic_uint_fast64_t ticket;
  atomic_bool stop; /* time limit, or a level cannot be read */
};

struct counting_thread {
  struct counter *counter;
  struct unfired_tally *tallies; /* [goal_count] */
  uint64_t *best;                /* their nearest states */
  uint64_t *states;              /* [TICKET] */
  int64_t *values, *selects, *scratch;
  uint64_t looked;
};

/* ---- transitions ----------------------------------------------------------------------------- */

struct conditions *unfired_goals(const struct model *model, const uint64_t *fired, struct arena *arena, size_t *count) {
  struct conditions *goals = NULL;
  size_t n = 0, cap = 0;
  for (uint32_t edge = 0; edge < model->edge_count; edge++)
    if (fired[edge] == 0)
      conditions_list(model, edge, arena, ARENA_PUSH(arena, goals, n, cap));
  *count = n;
  return goals;
}

static void set_candidate(struct attempt *attempt, uint64_t candidate) {
  const struct edge *edge = &attempt->model->edges[attempt->edge];
  attempt->instance = (uint32_t)(candidate / edge->location_count);
  attempt->location = edge->locations[candidate % edge->location_count];
}

void unfired_attempt(const struct conditions *goal, const struct unfired_tally *tally, int64_t *selects,
                     struct attempt *out) {
  out->edge = goal->edge;
  out->selects = selects;
  set_candidate(out, tally->candidate);
  edge_choice_values(&out->model->edges[goal->edge], out->instance, tally->choice, selects);
}

/* ---- one state ------------------------------------------------------------------------------- */

/* More conditions, then less depth, then the least key; of one state the nearest attempt, then the first. */
static bool is_better(const struct unfired_tally *a, const struct unfired_tally *b, uint32_t words) {
  if (!a->any || !b->any || a->met != b->met)
    return a->any && (!b->any || a->met > b->met);
  if (a->depth != b->depth)
    return a->depth < b->depth;
  if (memcmp(a->state, b->state, words * sizeof *a->state) == 0)
    return conditions_nearer(a->mask, b->mask);
  return words_less(a->state, b->state, words);
}

static void keep_best(const struct counting_thread *thread, struct unfired_tally *tally, uint64_t *state, uint64_t mask,
                      uint64_t candidate, uint64_t choice) {
  struct unfired_tally here = {.any = true,
                               .met = (unsigned)__builtin_popcountll(mask),
                               .mask = mask,
                               .depth = thread->counter->level,
                               .choice = choice,
                               .candidate = candidate,
                               .state = state};
  uint32_t words = thread->counter->search->layout->key_words;
  if (!is_better(&here, tally, words))
    return;
  tally->any = true;
  tally->met = here.met;
  tally->mask = mask;
  tally->depth = here.depth;
  tally->choice = choice;
  tally->candidate = candidate;
  memcpy(tally->state, state, words * sizeof *state);
}

/* Conditions that are true for some choice of the candidate. */
static uint64_t try_candidate(const struct counting_thread *thread, const struct conditions *goal,
                              struct unfired_tally *tally, uint64_t number, uint64_t *state) {
  const struct model *model = thread->counter->search->model;
  struct attempt attempt = {.model = model,
                            .values = thread->values,
                            .edge = goal->edge,
                            .selects = thread->selects,
                            .scratch = thread->scratch};
  uint64_t any = 0;
  set_candidate(&attempt, number);
  const uint64_t choices = edge_choices(model, goal->edge, attempt.instance);
  for (uint64_t choice = 0; choice < choices; choice++) {
    edge_choice_values(&model->edges[goal->edge], attempt.instance, choice, thread->selects);
    const uint64_t met = conditions_evaluate(goal, &attempt).met;
    keep_best(thread, tally, state, met, number, choice);
    any |= met;
  }
  return any;
}

static void evaluate(struct counting_thread *thread, uint64_t *state) {
  const struct unfired_search *search = thread->counter->search;
  key_values(search->model, search->layout, state, thread->values);
  for (size_t g = 0; g < thread->counter->goal_count; g++) {
    const struct conditions *goal = &thread->counter->goals[g];
    struct unfired_tally *tally = &thread->tallies[g];
    uint64_t any = 0;
    const struct edge *edge = &search->model->edges[goal->edge];
    const uint64_t candidates = process_of(search->model, edge->process)->instances * (uint64_t)edge->location_count;
    for (uint64_t i = 0; i < candidates; i++)
      any |= try_candidate(thread, goal, tally, i, state);
    for (uint8_t i = 0; i < goal->count; i++)
      tally->states[i] += any >> i & 1;
  }
  thread->looked++;
}

/* ---- all states ------------------------------------------------------------------------------ */

static bool must_stop(const struct counter *counter) {
  struct comm *comm = counter->search->comm;
  struct message *packet = comm ? comm_poll(comm, MSG_STOP) : NULL;
  const bool stopped = packet != NULL;
  message_free(packet);
  return stopped || stop_requested(&counter->search->stop);
}

static void count_level(void *data, unsigned number) {
  struct counter *counter = data;
  struct counting_thread *thread = &counter->threads[number];
  uint32_t words = counter->search->layout->key_words;
  uint64_t states = archive_states(counter->search->archive, counter->level);
  /* Relaxed: tickets only have to differ, and the flag has no data. */
  while (!atomic_load_explicit(&counter->stop, memory_order_relaxed)) {
    uint64_t first = TICKET * atomic_fetch_add_explicit(&counter->ticket, 1, memory_order_relaxed);
    if (first >= states)
      return;
    size_t count = states - first < TICKET ? (size_t)(states - first) : TICKET;
    if (must_stop(counter) ||
        archive_read(counter->search->archive, counter->level, first, count, thread->states) != FLOE_OK) {
      atomic_store_explicit(&counter->stop, true, memory_order_relaxed);
      return;
    }
    for (size_t i = 0; i < count; i++)
      evaluate(thread, thread->states + i * words);
  }
}

static void count_levels(struct counter *counter, struct thread_pool *pool) {
  uint32_t levels = archive_levels(counter->search->archive);
  for (counter->level = 0; counter->level < levels; counter->level++) {
    atomic_store(&counter->ticket, 0);
    if (archive_states(counter->search->archive, counter->level) <= TICKET)
      count_level(counter, 0);
    else
      pool_run(pool, count_level, counter);
  }
}

void unfired_add(const struct unfired_tally *tally, const struct conditions *goal, uint32_t words,
                 struct unfired_tally *sum) {
  for (uint8_t i = 0; i < goal->count; i++)
    sum->states[i] += tally->states[i];
  if (!is_better(tally, sum, words))
    return;
  uint64_t *state = sum->state;
  memcpy(state, tally->state, words * sizeof *state);
  uint64_t counts[CONDITIONS_MOST];
  memcpy(counts, sum->states, sizeof counts);
  *sum = *tally;
  memcpy(sum->states, counts, sizeof counts);
  sum->state = state;
}

/* ---- threads --------------------------------------------------------------------------------- */

static size_t most_selects(const struct model *model) {
  size_t most = 0;
  for (size_t i = 0; i < model->edge_count; i++)
    most = model->edges[i].select_count > most ? model->edges[i].select_count : most;
  return most;
}

static bool create_thread(struct counter *counter, struct counting_thread *thread) {
  const struct unfired_search *search = counter->search;
  uint32_t words = search->layout->key_words;
  thread->counter = counter;
  thread->tallies = mem_array(counter->goal_count, sizeof *thread->tallies);
  thread->best = mem_array(counter->goal_count, words * sizeof *thread->best);
  thread->states = mem_array(TICKET, words * sizeof *thread->states);
  thread->values = mem_array(search->model->value_count, sizeof *thread->values);
  thread->selects = mem_array(most_selects(search->model) + 1, sizeof *thread->selects);
  thread->scratch = mem_array(conditions_scratch(search->model) + 1, sizeof *thread->scratch);
  if (!thread->tallies || !thread->best || !thread->states || !thread->values || !thread->selects || !thread->scratch)
    return false;
  for (size_t i = 0; i < counter->goal_count; i++)
    thread->tallies[i].state = thread->best + i * words;
  return true;
}

static void free_threads(struct counter *counter) {
  for (unsigned i = 0; counter->threads && i < counter->thread_count; i++) {
    struct counting_thread *thread = &counter->threads[i];
    mem_free(thread->tallies);
    mem_free(thread->best);
    mem_free(thread->states);
    mem_free(thread->values);
    mem_free(thread->selects);
    mem_free(thread->scratch);
  }
  mem_free(counter->threads);
}

static bool create_threads(struct counter *counter) {
  counter->threads = mem_array(counter->thread_count, sizeof *counter->threads);
  for (unsigned i = 0; counter->threads && i < counter->thread_count; i++)
    if (!create_thread(counter, &counter->threads[i]))
      return false;
  return counter->threads != NULL;
}

struct unfired_tally *unfired_tallies(size_t count, uint32_t words, struct arena *arena) {
  struct unfired_tally *tallies = arena_array(arena, count, sizeof *tallies);
  for (size_t i = 0; i < count; i++)
    tallies[i].state = arena_array(arena, words, sizeof(uint64_t));
  return tallies;
}

floe_status unfired_count(const struct unfired_search *search, const struct conditions *goals, size_t count,
                          struct unfired_tally *tallies, uint64_t *looked) {
  struct thread_pool *pool;
  FLOE_TRY(pool_create(search->threads, &pool));
  struct counter counter = {.search = search, .goals = goals, .goal_count = count, .thread_count = pool_size(pool)};
  bool enough = create_threads(&counter);
  if (enough)
    count_levels(&counter, pool);
  *looked = 0;
  for (unsigned m = 0; enough && m < counter.thread_count; m++) {
    *looked += counter.threads[m].looked;
    for (size_t g = 0; g < count; g++)
      unfired_add(&counter.threads[m].tallies[g], &goals[g], search->layout->key_words, &tallies[g]);
  }
  free_threads(&counter);
  pool_free(pool);
  return enough ? FLOE_OK : FLOE_ERROR_MEMORY;
}
