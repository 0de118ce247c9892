/* The conditions of transitions that never fired, evaluated in every state by the interpreter. */
#include "api/trace/unfired.h"

#include "api/trace/error_text.h"
#include "core/mem.h"
#include "core/threads/thread_pool.h"
#include "engine/comm/comm.h"
#include "engine/engine.h"
#include "engine/trace/level_archive.h"
#include "model/successor_bound.h"

#include <string.h>

#define TICKET 256 /* states that a thread takes at a time */

struct counter {
  const struct unfired_search *search;
  const struct unfired_goal *goals;
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
  int64_t *values, *selects;
  uint64_t looked;
};

/* ---- one state ------------------------------------------------------------------------------- */

static uint64_t bit(uint8_t condition) { return condition == UNFIRED_NO_CONDITION ? 0 : UINT64_C(1) << condition; }

uint64_t unfired_failed_tests(const struct model *model, const struct unfired_candidate *candidate,
                              const int64_t *values) {
  uint64_t failed = 0;
  for (size_t i = 0; i < candidate->transition->test_count; i++) {
    const struct location_test *test = &candidate->transition->tests[i];
    if (values[model->variables[test->variable].first + test->element] != test->location)
      failed |= bit(candidate->test_condition[i]);
  }
  return failed;
}

uint64_t unfired_failed_guards(const struct model *model, const struct unfired_candidate *candidate,
                               const int64_t *values, const int64_t *selects, uint64_t failed) {
  for (size_t i = 0; i < candidate->transition->guard_count; i++) {
    uint64_t condition = bit(candidate->guard_condition[i]);
    int64_t value = 0;
    if (!(failed & condition) && condition &&
        (interpreter_eval(model, candidate->transition->guards[i], values, selects, NULL, &value) != NO_SITE ||
         value == 0))
      failed |= condition;
  }
  return failed;
}

/* More conditions, then less depth, then the least key; of one state the first candidate and choice. */
static bool is_better(const struct unfired_tally *a, const struct unfired_tally *b, uint32_t words) {
  if (!a->any || !b->any || a->met != b->met)
    return a->any && (!b->any || a->met > b->met);
  if (a->depth != b->depth)
    return a->depth < b->depth;
  return words_less(a->state, b->state, words);
}

static void keep_best(const struct counting_thread *thread, struct unfired_tally *tally, uint64_t *state, uint64_t mask,
                      size_t candidate, uint32_t choice) {
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
static uint64_t try_candidate(const struct counting_thread *thread, const struct unfired_goal *goal,
                              struct unfired_tally *tally, size_t number, uint64_t *state) {
  const struct unfired_candidate *candidate = &goal->candidates[number];
  uint64_t all = (UINT64_C(1) << goal->condition_count) - 1, any = 0;
  const struct model *model = thread->counter->search->model;
  uint64_t failed = unfired_failed_tests(model, candidate, thread->values);
  uint64_t choices = transition_choices(candidate->transition);
  for (uint64_t choice = 0; choice < choices; choice++) {
    choice_values(candidate->transition, (uint32_t)choice, thread->selects);
    uint64_t met = all & ~unfired_failed_guards(model, candidate, thread->values, thread->selects, failed);
    keep_best(thread, tally, state, met, number, (uint32_t)choice);
    any |= met;
  }
  return any;
}

static void evaluate(struct counting_thread *thread, uint64_t *state) {
  const struct unfired_search *search = thread->counter->search;
  key_values(search->model, search->layout, state, thread->values);
  for (size_t g = 0; g < thread->counter->goal_count; g++) {
    const struct unfired_goal *goal = &thread->counter->goals[g];
    struct unfired_tally *tally = &thread->tallies[g];
    uint64_t any = 0;
    for (size_t i = 0; i < goal->candidate_count; i++)
      any |= try_candidate(thread, goal, tally, i, state);
    for (uint8_t i = 0; i < goal->condition_count; i++)
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

void unfired_add(const struct unfired_tally *tally, const struct unfired_goal *goal, uint32_t words,
                 struct unfired_tally *sum) {
  for (uint8_t i = 0; i < goal->condition_count; i++)
    sum->states[i] += tally->states[i];
  if (!is_better(tally, sum, words))
    return;
  uint64_t *state = sum->state;
  memcpy(state, tally->state, words * sizeof *state);
  uint64_t counts[UNFIRED_MOST_CONDITIONS];
  memcpy(counts, sum->states, sizeof counts);
  *sum = *tally;
  memcpy(sum->states, counts, sizeof counts);
  sum->state = state;
}

/* ---- threads --------------------------------------------------------------------------------- */

static size_t most_selects(const struct model *model) {
  size_t most = 0;
  for (size_t i = 0; i < model->transition_count; i++)
    most = model->transitions[i].select_count > most ? model->transitions[i].select_count : most;
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
  if (!thread->tallies || !thread->best || !thread->states || !thread->values || !thread->selects)
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

floe_status unfired_count(const struct unfired_search *search, const struct unfired_goal *goals, size_t count,
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
