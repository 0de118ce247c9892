/* Linear probing, many threads: sums exact, deletions and revivals counted; and histories of
   mixed operations on one key, which must be linearizable. In every form of the scan. */
#include "tests/tables/table_suite.h"

#include "tables/host_table.h"
#include "tables/linear/linear.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 4, CALL = 64 };

static const struct table_config sets[] = {{.scheme = "linear", .key_bits = 31},
                                           {.scheme = "linear", .key_bits = 32, .slot_bits = 32},
                                           {.scheme = "linear", .key_bits = 40, .permutation = "feistel"},
                                           {.scheme = "linear", .key_bits = 64}};
static const struct table_config maps[] = {{.scheme = "linear", .key_bits = 32, .value_bits = 32},
                                           {.scheme = "linear", .key_bits = 20, .value_bits = 32},
                                           {.scheme = "linear", .key_bits = 64, .value_bits = 64},
                                           {.scheme = "linear", .key_bits = 37, .value_bits = 64}};
enum { SETS = sizeof sets / sizeof *sets, MAPS = sizeof maps / sizeof *maps };

/* ---- threads on the same keys --------------------------------------------------------------------- */

struct task {
  struct table *table;
  uint64_t count;          /* of keys */
  atomic_uint *answers[3]; /* by key, of operations that put */
  atomic_uint *deleted;    /* by key */
  void (*call)(struct task *task, unsigned thread, uint64_t *numbers, size_t n);
  pthread_barrier_t start;
};

struct worker {
  struct task *task;
  unsigned number;
};

/* An odd factor gives different keys for different numbers below 2^key_bits; number 0 is the largest key. */
static uint64_t key_of(const struct task *task, uint64_t number) {
  return (number * UINT64_C(0x9e3779b97f4a7c15) - 1) & largest_key(table_shape(task->table)->key_bits);
}

static void count(atomic_uint *counter) { /* relaxed: read after the threads have joined */
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* All threads start at the same place; every other one takes segments of its keys from the other end. */
static void *work(void *argument) {
  struct worker *worker = argument;
  struct task *task = worker->task;
  uint64_t numbers[CALL];
  pthread_barrier_wait(&task->start);
  for (uint64_t at = 0; at < task->count; at += CALL / 2) { /* calls overlap: each key occurs twice */
    size_t n = 0;
    for (uint64_t i = at; i < task->count && n < CALL; i++)
      numbers[n++] = worker->number & 1 && at & 64 ? task->count - 1 - i : i;
    task->call(task, worker->number, numbers, n);
  }
  return NULL;
}

static void run_threads(struct task *task) {
  pthread_t thread[THREADS];
  struct worker workers[THREADS];
  pthread_barrier_init(&task->start, NULL, THREADS);
  for (unsigned t = 0; t < THREADS; t++) {
    workers[t] = (struct worker){task, t};
    ck_assert_int_eq(pthread_create(&thread[t], NULL, work, &workers[t]), 0);
  }
  for (unsigned t = 0; t < THREADS; t++)
    pthread_join(thread[t], NULL);
  pthread_barrier_destroy(&task->start);
}

static struct task open_task(const struct table_config *config, uint64_t slots, uint64_t keys) {
  struct table_config sized = *config;
  sized.slots = slots;
  struct task task = {.table = make_table(&sized), .count = keys};
  for (unsigned i = 0; i < 3; i++)
    task.answers[i] = calloc(keys, sizeof(atomic_uint));
  task.deleted = calloc(keys, sizeof(atomic_uint));
  return task;
}

static void close_task(struct task *task) {
  for (unsigned i = 0; i < 3; i++)
    free(task->answers[i]);
  free(task->deleted);
  table_free(task->table);
}

static void operate(struct task *task, enum table_operation operation, const uint64_t *numbers, uint64_t *values,
                    uint8_t *answers, size_t n) {
  uint64_t keys[CALL];
  for (size_t i = 0; i < n; i++)
    keys[i] = key_of(task, numbers[i]);
  memset(answers, 99, n);
  table_run(task->table, operation, keys, values, n, answers);
}

static bool is_there(const struct task *task, uint64_t number) {
  return find_one(task->table, key_of(task, number)) == TABLE_FOUND;
}

/* ---- values ---------------------------------------------------------------------------------------- */

static uint64_t value_of(unsigned thread, uint64_t number) {
  uint64_t state = number * THREADS + thread;
  return splitmix64_next(&state) >> 40;
}

static void add_values(struct task *task, unsigned thread, uint64_t *numbers, size_t n) {
  uint64_t values[CALL];
  uint8_t answers[CALL];
  for (size_t i = 0; i < n; i++)
    values[i] = value_of(thread, numbers[i]);
  operate(task, TABLE_ADD, numbers, values, answers, n);
  for (size_t i = 0; i < n; i++)
    count(&task->answers[answers[i]][numbers[i]]);
}

/* Expected value of a key after all threads' calls; times[t]: number of calls of thread t for the key. */
static uint64_t expected_value(enum table_reduction reduction, uint64_t number, const unsigned *times) {
  uint64_t sum = 0, least = UINT64_MAX, most = 0;
  for (unsigned t = 0; t < THREADS; t++) {
    const uint64_t value = value_of(t, number);
    sum += value * times[t];
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  return reduction == TABLE_SUM ? sum : reduction == TABLE_MIN ? least : most;
}

/* Number of calls of `work` for a key: two, but one at the start and where a segment changes its direction. So it
   repeats the calls and counts them. */
static void count_calls(const struct task *task, unsigned thread, unsigned *times) {
  for (uint64_t at = 0; at < task->count; at += CALL / 2)
    for (uint64_t i = at, n = 0; i < task->count && n < CALL; i++, n++)
      times[(thread & 1 && at & 64 ? task->count - 1 - i : i) * THREADS + thread]++;
}

static void check_values(struct task *task, enum table_reduction reduction) {
  unsigned *times = calloc(task->count * THREADS, sizeof *times);
  uint64_t wrong = 0;
  for (unsigned t = 0; t < THREADS; t++)
    count_calls(task, t, times);
  for (uint64_t i = 0; i < task->count; i++) {
    uint64_t key = key_of(task, i), value = 0;
    uint8_t answer;
    table_run(task->table, TABLE_GET, &key, &value, 1, &answer);
    wrong += answer != TABLE_FOUND || value != expected_value(reduction, i, &times[i * THREADS]);
    wrong += task->answers[TABLE_PUT][i] != 1;
  }
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_eq(table_check(task->table), 0);
  free(times);
}

START_TEST(reductions_are_exact) {
  for (size_t m = 0; m < MAPS; m++)
    for (enum table_reduction r = TABLE_SUM; r <= TABLE_MAX; r++) {
      struct table_config config = maps[m];
      config.reduction = r;
      if (!falls_to_form(m + r))
        continue;
      struct task task = open_task(&config, 3000, 2900);
      task.call = add_values;
      run_threads(&task);
      check_values(&task, r);
      close_task(&task);
    }
}
END_TEST

/* ---- putting and deleting -------------------------------------------------------------------------- */

static void put_and_delete(struct task *task, unsigned thread, uint64_t *numbers, size_t n) {
  uint64_t values[CALL] = {0};
  uint8_t answers[CALL];
  operate(task, TABLE_FIND_OR_PUT, numbers, table_shape(task->table)->value_bits ? values : NULL, answers, n);
  for (size_t i = 0; i < n; i++)
    count(&task->answers[answers[i]][numbers[i]]);
  if (thread == 0)
    return; /* else nearly no key would be present */
  operate(task, TABLE_DELETE, numbers, NULL, answers, n);
  for (size_t i = 0; i < n; i++)
    if (answers[i] == TABLE_FOUND)
      count(&task->deleted[numbers[i]]);
}

/* Puts and deletions of a key alternate: it was put as often as deleted, or once more, and then is present. */
static void check_turns(const struct task *task) {
  uint64_t wrong = 0, there = 0, revived = 0;
  for (uint64_t i = 0; i < task->count; i++) {
    const unsigned put = task->answers[TABLE_PUT][i], deleted = task->deleted[i];
    wrong += task->answers[TABLE_FULL][i] != 0 || put - deleted > 1;
    wrong += is_there(task, i) != (put - deleted == 1);
    there += put - deleted == 1;
    revived += put > 1;
  }
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_gt(revived, 0);
  ck_assert_uint_eq(table_count(task->table), there);
  ck_assert_uint_eq(table_check(task->table), 0);
}

START_TEST(deletes_and_puts_take_turns) {
  for (size_t m = 0; m < MAPS; m++) {
    struct task task = open_task(&maps[m], 1600, 1500);
    task.call = put_and_delete;
    run_threads(&task);
    check_turns(&task);
    close_task(&task);
  }
  for (size_t s = 0; s < SETS; s++) {
    struct table_config config = sets[s];
    config.slots = 1;
    if (table_cannot(&config, TABLE_DELETE))
      continue;
    struct task task = open_task(&config, 16000, 1500); /* every deletion uses up a slot */
    task.call = put_and_delete;
    run_threads(&task);
    check_turns(&task);
    close_task(&task);
  }
}
END_TEST

/* ---- histories --------------------------------------------------------------------------------------- */

enum { ACTORS = 3, EACH = 5 };

/* One operation on the key: times of call and answer, by a clock that all threads share. */
struct event {
  enum table_operation operation;
  uint64_t given, got; /* values */
  unsigned answer;
  unsigned called, answered;
};

struct history {
  enum table_reduction reduction;
  bool is_map;
  struct event events[ACTORS][EACH];
};

struct state {
  unsigned done[ACTORS];
  bool present;
  uint64_t value;
};

/* Whether the event is possible as the next one in that state; *state becomes the state after it. */
static bool explains(const struct history *history, const struct event *event, struct state *state) {
  const unsigned found = state->present ? TABLE_FOUND : TABLE_FULL;
  const unsigned put = state->present ? TABLE_FOUND : TABLE_PUT;
  switch (event->operation) {
  case TABLE_FIND:
    return event->answer == found;
  case TABLE_GET:
    return event->answer == found && (!state->present || event->got == state->value);
  case TABLE_DELETE:
    state->present = false;
    return event->answer == found;
  case TABLE_ADD:
    state->value = state->present && history->reduction == TABLE_SUM ? state->value + event->given : event->given;
    state->present = true;
    return event->answer == put;
  default:
    if (!state->present)
      state->value = event->given;
    state->present = true;
    return event->answer == put;
  }
}

/* No remaining event was answered before this one was called. */
static bool may_be_next(const struct history *history, const struct state *state, const struct event *event) {
  for (unsigned a = 0; a < ACTORS; a++)
    if (state->done[a] < EACH && history->events[a][state->done[a]].answered < event->called)
      return false;
  return true;
}

/* Whether an order of the remaining events respects time and explains every answer. */
static bool is_explained(const struct history *history, struct state state) {
  bool over = true;
  for (unsigned a = 0; a < ACTORS; a++) {
    if (state.done[a] == EACH)
      continue;
    over = false;
    const struct event *event = &history->events[a][state.done[a]];
    struct state next = state;
    next.done[a]++;
    if (may_be_next(history, &state, event) && explains(history, event, &next) && is_explained(history, next))
      return true;
  }
  return over;
}

struct meeting_point {
  atomic_uint arrived;
};

static void meet(struct meeting_point *point, unsigned turn) {
  atomic_fetch_add(&point->arrived, 1);
  while (atomic_load(&point->arrived) < (turn + 1) * ACTORS)
    sched_yield();
}

struct play {
  struct table *table;
  uint64_t key;
  struct history history;
  atomic_uint clock;
  struct meeting_point begin, end;
  unsigned rounds;
  uint64_t unexplained, different; /* histories; with answers that show concurrency */
};

struct actor {
  struct play *play;
  unsigned number;
  uint64_t random;
};

static void act(struct play *play, struct event *event) {
  uint64_t key = play->key;
  uint8_t answer = 99;
  event->got = event->given;
  const bool values = play->history.is_map && event->operation != TABLE_FIND && event->operation != TABLE_DELETE;
  event->called = atomic_fetch_add(&play->clock, 1);
  table_run(play->table, event->operation, &key, values ? &event->got : NULL, 1, &answer);
  event->answered = atomic_fetch_add(&play->clock, 1);
  event->answer = answer;
}

static void draw_events(const struct play *play, struct actor *actor, struct event *events) {
  static const enum table_operation of_map[] = {TABLE_ADD, TABLE_ADD,  TABLE_DELETE,     TABLE_GET,
                                                TABLE_GET, TABLE_FIND, TABLE_FIND_OR_PUT};
  static const enum table_operation of_set[] = {TABLE_FIND_OR_PUT, TABLE_FIND_OR_PUT, TABLE_DELETE, TABLE_FIND};
  for (unsigned i = 0; i < EACH; i++) {
    const uint64_t word = splitmix64_next(&actor->random) >> 8;
    events[i].operation = play->history.is_map ? of_map[word % 7] : of_set[word % 4];
    events[i].given = (word >> 8) % 1000 * ACTORS + actor->number;
  }
}

/* Uses a new key for each round, among those of earlier rounds; the first actor starts and judges the rounds. */
static void begin_round(struct play *play, unsigned round) {
  play->key = round % 48 * 3 + (round % 48 ? 0 : largest_key(play->table->shape.key_bits));
  if (round % 48 == 0)
    memset(play->table->memory, 0, play->table->shape.bytes);
}

static void judge(struct play *play) {
  const struct state nothing = {.present = false};
  play->unexplained += !is_explained(&play->history, nothing);
  for (unsigned a = 0; a < ACTORS; a++)
    for (unsigned i = 0; i < EACH; i++) {
      const struct event *event = &play->history.events[a][i];
      play->different += event->operation == TABLE_GET && event->answer == TABLE_FOUND && event->got % ACTORS != a;
    }
}

static void *perform(void *argument) {
  struct actor *actor = argument;
  struct play *play = actor->play;
  for (unsigned round = 0; round < play->rounds; round++) {
    struct event events[EACH];
    draw_events(play, actor, events);
    if (actor->number == 0)
      begin_round(play, round);
    meet(&play->begin, round);
    for (unsigned i = 0; i < EACH; i++)
      act(play, &events[i]);
    memcpy(play->history.events[actor->number], events, sizeof events);
    meet(&play->end, round);
    if (actor->number == 0) /* the others wait for the next round */
      judge(play);
  }
  return NULL;
}

static void perform_all(struct play *play) {
  pthread_t thread[ACTORS];
  struct actor actors[ACTORS];
  for (unsigned a = 0; a < ACTORS; a++) {
    actors[a] = (struct actor){play, a, a + 1};
    ck_assert_int_eq(pthread_create(&thread[a], NULL, perform, &actors[a]), 0);
  }
  for (unsigned a = 0; a < ACTORS; a++)
    pthread_join(thread[a], NULL);
}

#if defined(__SANITIZE_THREAD__)
enum { ROUNDS = 500 };
#else
enum { ROUNDS = 4000 };
#endif

static void play_all(const struct table_config *config, enum table_reduction reduction) {
  struct table_config sized = *config;
  sized.reduction = reduction;
  /* Deletions from a set use up slots; none may be refused here. */
  sized.slots = config->value_bits ? 64 : 1024;
  struct play play = {.table = make_table(&sized), .rounds = ROUNDS / form_count};
  play.history.reduction = reduction;
  play.history.is_map = config->value_bits != 0;
  perform_all(&play);
  ck_assert_uint_eq(play.unexplained, 0);
  ck_assert(!play.history.is_map || play.different > 0); /* the actors did meet */
  table_free(play.table);
}

START_TEST(histories_are_linearizable) {
  for (size_t m = 0; m < MAPS; m++) {
    play_all(&maps[m], TABLE_REPLACE);
    play_all(&maps[m], TABLE_SUM);
  }
  for (size_t s = 0; s < SETS; s++)
    if (!table_cannot(&sets[s], TABLE_DELETE))
      play_all(&sets[s], TABLE_REPLACE);
}
END_TEST

/* The previous test needs this one: wrong histories must be detected. */
START_TEST(wrong_histories_are_not_explained) {
  struct history history = {.is_map = true};
  const struct state nothing = {.present = false};
  unsigned now = 0;
  for (unsigned i = 0; i < EACH; i++)
    for (unsigned a = 0; a < ACTORS; a++) {
      struct event *event = &history.events[a][i];
      *event = (struct event){.operation = TABLE_FIND, .answer = TABLE_FULL, .called = now};
      event->answered = now + 1;
      now += 2;
    }
  ck_assert(is_explained(&history, nothing));
  struct event *add = &history.events[0][1], *get = &history.events[1][2];
  add->operation = TABLE_ADD;
  add->given = 5;
  add->answer = TABLE_PUT;
  ck_assert(!is_explained(&history, nothing)); /* later finds miss the key */
  for (unsigned a = 0; a < ACTORS; a++)
    for (unsigned i = a ? 1 : 2; i < EACH; i++)
      history.events[a][i].answer = TABLE_FOUND;
  ck_assert(is_explained(&history, nothing));
  get->operation = TABLE_GET;
  get->got = 6;
  ck_assert(!is_explained(&history, nothing)); /* a value that was never given */
  get->got = 5;
  ck_assert(is_explained(&history, nothing));
  history.events[1][0].answer = TABLE_FOUND; /* before it was added ... */
  ck_assert(!is_explained(&history, nothing));
  history.events[1][0].answered = 100; /* ... unless the find took long, */
  ck_assert(is_explained(&history, nothing));
  history.events[1][0].answered = 3;
  add->called = 2; /* or the add did: then others may find it */
  history.events[2][0].answer = TABLE_FOUND;
  ck_assert(is_explained(&history, nothing));
  history.events[2][0].answer = TABLE_FULL; /* but finds that start later must not miss it */
  ck_assert(!is_explained(&history, nothing));
}
END_TEST

int main(void) {
  return RUN_IN_FORMS("linear, many threads", reductions_are_exact, deletes_and_puts_take_turns,
                      histories_are_linearizable, wrong_histories_are_not_explained);
}
