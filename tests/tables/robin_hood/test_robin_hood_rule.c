/* Exhaustive test of the rule of Robin Hood hashing. Some threads add some pairs to a table of four or five slots,
   by the kernel's own code, and every interleaving of their reads and compare-and-swaps is explored. In every state:

   - no key is in two slots, and no slot's distance has decreased;
   - all slots from a key's home up to its place are closed to it, so that a lookup with early end finds it;

   and when all threads are done:

   - every key added is in the table or was returned, not both; values add up to the added ones, neither lost nor
     added twice; the number of PUT equals the number of new keys.

   No schedule is endless. Deliberately wrong rules are detected. A state is the slots and, for each thread, the pair
   in hand and the results of its reads since it came to its slot: the kernel's function is run again from there,
   with those results, up to the next read or swap. FLOE_TEST_ALL=1: ten times as many programs. */
#include "tests/tables/table_suite.h"

#include "tables/kernel/shim.h"

#include <setjmp.h>
#include <stdio.h>

/* ---- instead of tables/kernel/pair.h: reads and swaps that the exploration assigns out --------------------- */

#define FLOE_TABLES_KERNEL_PAIR_H
struct pair {
  uint8_t key, value;
};
static bool pair_same(struct pair a, struct pair b) { return a.key == b.key && a.value == b.value; }
static struct pair pair_load(const void *pairs, uint64_t i, unsigned bits);
static struct pair pair_swap(void *pairs, uint64_t i, unsigned bits, struct pair expected, struct pair pair);

/* Deliberately wrong rules. */
static enum { RIGHT, SWAPS_EQUALS, COMPARES_KEYS_ONLY, PUTS_WITHOUT_LOOKING } rule;

#define ROBIN_HOOD_GIVES_WAY(theirs, mine) ((theirs) < (mine) || (rule == SWAPS_EQUALS && (theirs) == (mine)))
#include "tables/kernel/robin_hood.h"

enum {
  MOST_SLOTS = 5,
  MOST_THREADS = 3,
  MOST_ADDS = 8, /* in total: the value of each is a bit */
  MOST_RESULTS = 10,
  BITS = 8
};

/* ---- states ----------------------------------------------------------------------------------------- */

struct thread {
  uint8_t next; /* index of its next add */
  bool busy;    /* with the add before `next` */
  bool displaced;
  uint8_t at, distance;
  struct pair hand;
  uint8_t count; /* of results since it came to `at` */
  struct pair results[MOST_RESULTS];
};

struct state {
  struct pair slots[MOST_SLOTS];
  struct thread threads[MOST_THREADS];
  uint8_t put;
  uint8_t back[2 * MOST_ADDS]; /* by key: sum of the returned values */
};

/* The adds of all threads. Permuted keys are the keys; home is key modulo slots. */
struct program {
  unsigned slots, probes, threads, reduction;
  unsigned before; /* adds by one thread before the others start */
  unsigned adds[MOST_THREADS];
  uint8_t keys[MOST_ADDS]; /* of all adds: those before, thread 0's, thread 1's, ... */
};

static struct robin_hood view;
static const struct program *program;

/* ---- one read or swap of one thread ------------------------------------------------------------------- */

static struct {
  struct state *state;
  struct thread *thread;
  unsigned replayed, allowed;
  jmp_buf out;
} turn;

/* True: the result is one from an earlier run. */
static bool replays(struct pair *result) {
  if (turn.replayed < turn.thread->count) {
    *result = turn.thread->results[turn.replayed++];
    return true;
  }
  if (turn.allowed == 0)
    _longjmp(turn.out, 1);
  turn.allowed--;
  return false;
}

static struct pair note(struct pair result) {
  ck_assert_uint_lt(turn.thread->count, MOST_RESULTS);
  turn.thread->results[turn.thread->count++] = result;
  turn.replayed++;
  return result;
}

static struct pair pair_load(const void *pairs, uint64_t i, unsigned bits) {
  struct pair result;
  (void)pairs, (void)bits;
  return replays(&result) ? result : note(turn.state->slots[i]);
}

static struct pair pair_swap(void *pairs, uint64_t i, unsigned bits, struct pair expected, struct pair pair) {
  struct pair result;
  (void)pairs, (void)bits;
  if (replays(&result))
    return result;
  result = turn.state->slots[i];
  const bool fits = rule == COMPARES_KEYS_ONLY     ? result.key == expected.key
                    : rule == PUTS_WITHOUT_LOOKING ? expected.key == 0 || pair_same(result, expected)
                                                   : pair_same(result, expected);
  if (!fits)
    return note(result);
  turn.state->slots[i] = pair;
  return note(expected);
}

static unsigned first_add(unsigned thread) {
  unsigned first = program->before;
  for (unsigned t = 0; t < thread; t++)
    first += program->adds[t];
  return first;
}

static void start_next(struct thread *thread, unsigned number) {
  const unsigned add = first_add(number) + thread->next;
  const struct robin_hood_hand hand = robin_hood_start(&view, BITS, program->keys[add], UINT64_C(1) << add);
  *thread =
      (struct thread){.next = (uint8_t)(thread->next + 1), .busy = true, .at = (uint8_t)hand.at, .hand = hand.pair};
}

static unsigned __attribute__((noinline)) until_answered(struct thread *thread) {
  struct robin_hood_hand hand;
  unsigned answer;
  do {
    hand = (struct robin_hood_hand){thread->hand, thread->at, thread->distance, thread->displaced};
    turn.replayed = 0;
    answer = robin_hood_add_here(&view, &hand, BITS, program->reduction);
    thread->hand = hand.pair;
    thread->at = (uint8_t)hand.at;
    thread->distance = (uint8_t)hand.distance;
    thread->displaced = hand.displaced;
    thread->count = 0;
    memset(thread->results, 0, sizeof thread->results);
  } while (answer == ROBIN_HOOD_ON);
  return answer;
}

/* Runs the thread's function with at most so many new results. Returns its answer; ROBIN_HOOD_ON: it needs its next
   read or swap, and was left by a jump (so this frame must not be used again). */
static unsigned run(struct state *state, struct thread *thread, unsigned allowed) {
  turn.state = state;
  turn.thread = thread;
  turn.allowed = allowed;
  if (_setjmp(turn.out))
    return ROBIN_HOOD_ON;
  return until_answered(thread);
}

static void finish(struct state *state, struct thread *thread, unsigned answer) {
  const uint8_t next = thread->next;
  if (answer == ROBIN_HOOD_FULL)
    state->back[thread->hand.key - 1] += thread->hand.value;
  state->put += answer == ROBIN_HOOD_PUT;
  *thread = (struct thread){.next = next};
}

static bool has_more(const struct state *state, unsigned t) {
  return state->threads[t].busy || state->threads[t].next < program->adds[t];
}

static void take_turn(struct state *state, unsigned t) {
  struct thread *thread = &state->threads[t];
  if (!thread->busy)
    start_next(thread, t);
  const unsigned answer = run(state, thread, 1);
  if (answer != ROBIN_HOOD_ON)
    finish(state, thread, answer);
}

/* ---- what is checked ---------------------------------------------------------------------------------- */

static const char *violation; /* the first violation found */
/* States in which a key present before is in no slot and was not returned; final states in which a value from before
   remains although another was added. */
static uint64_t absences, reversals;

static void hold(bool is_so, const char *what) {
  if (!is_so && !violation)
    violation = what;
}

static uint64_t distance_at(const struct state *state, uint64_t slot) {
  return robin_hood_distance(&view, state->slots[slot].key, slot);
}

/* A lookup with early end reaches the pair in `slot`. */
static void check_reach(const struct state *state, uint64_t slot) {
  const uint8_t key = state->slots[slot].key;
  const uint64_t distance = distance_at(state, slot);
  hold(distance < view.probes, "a key is beyond its slots");
  for (uint64_t d = 0; d < distance; d++) {
    const uint64_t at = (robin_hood_home(&view, key) + d) % program->slots;
    hold(state->slots[at].key != key, "a key is in two slots");
    hold(state->slots[at].key != 0, "an empty slot before a key");
    hold(state->slots[at].key == 0 || distance_at(state, at) >= d, "a richer pair before a key");
  }
}

static void check_slots(const struct state *state) {
  for (uint64_t i = 0; i < program->slots; i++)
    if (state->slots[i].key)
      check_reach(state, i);
}

static void check_step(const struct state *from, const struct state *to) {
  for (uint64_t i = 0; i < program->slots; i++) {
    if (!from->slots[i].key)
      continue;
    hold(to->slots[i].key != 0, "a slot was emptied");
    hold(to->slots[i].key == 0 || distance_at(to, i) >= distance_at(from, i), "a slot's distance became less");
    hold(to->slots[i].key == from->slots[i].key || to->slots[i].key == 0 || distance_at(to, i) > distance_at(from, i),
         "a pair gave way to one as far from home");
  }
}

static unsigned all_adds(void) { return first_add(program->threads); }

static void check_values(const struct state *state) {
  unsigned given[256] = {0}, got[256] = {0}, present[256] = {0};
  for (unsigned i = 0; i < all_adds(); i++)
    given[program->keys[i]] += 1u << i;
  for (uint64_t i = 0; i < program->slots; i++)
    if (state->slots[i].key) {
      got[state->slots[i].key - 1] += state->slots[i].value;
      present[state->slots[i].key - 1]++;
    }
  for (unsigned key = 0; key < 2 * MOST_ADDS; key++) {
    hold(!present[key] || !state->back[key], "a key is in the table and was handed back");
    got[key] += state->back[key];
    if (program->reduction == ROBIN_HOOD_SUM)
      hold(got[key] == given[key], "a value is lost, or was added twice");
    else if (!state->back[key])
      hold((got[key] & (got[key] - 1)) == 0 && (got[key] & given[key]) == got[key] && !given[key] == !got[key],
           "a value that was not added");
  }
}

static uint64_t count_keys(const struct state *state) {
  uint64_t n = 0;
  for (unsigned i = 0; i < program->slots; i++)
    n += state->slots[i].key != 0;
  return n;
}

static bool has_key(const struct state *state, uint8_t key, uint8_t value) {
  for (unsigned i = 0; i < program->slots; i++)
    if (state->slots[i].key == key + 1 && (!value || state->slots[i].value == value))
      return true;
  return false;
}

static bool is_added_again(unsigned add) {
  for (unsigned i = program->before; i < all_adds(); i++)
    if (program->keys[i] == program->keys[add])
      return true;
  return false;
}

static void count_absences(const struct state *state) {
  for (unsigned i = 0; i < program->before; i++)
    absences += !state->back[program->keys[i]] && !has_key(state, program->keys[i], 0);
}

static void count_reversals(const struct state *state) {
  for (unsigned i = 0; i < program->before; i++)
    reversals += is_added_again(i) && has_key(state, program->keys[i], (uint8_t)(1u << i));
}

static void check_end(const struct state *state, uint64_t before) {
  check_values(state);
  hold(state->put == count_keys(state) - before, "PUT was not answered once for each key that came");
}

/* ---- all schedules ------------------------------------------------------------------------------------ */

/* States met, in an open table; `open`: the state is on the current path. */
struct met {
  struct state state;
  bool used, open;
};
enum { MET = 1 << 16 };
static struct met *met;
static uint64_t states, most_states, all_states, programs;
static uint32_t *met_list;

static uint64_t hash_of(const struct state *state) {
  uint64_t words[sizeof *state / 8 + 1] = {0}, hash = 0;
  memcpy(words, state, sizeof *state);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    uint64_t mixed = hash ^ words[i];
    hash = splitmix64_next(&mixed);
  }
  return hash;
}

static struct met *look_up(const struct state *state) {
  uint64_t i = hash_of(state) % MET;
  while (met[i].used && memcmp(&met[i].state, state, sizeof *state) != 0)
    i = (i + 1) % MET;
  return &met[i];
}

static void explore(const struct state *state, uint64_t before) {
  struct met *here = look_up(state);
  hold(!here->used || !here->open, "a schedule has no end");
  if (here->used || violation)
    return;
  ck_assert_uint_lt(states, MET / 2);
  met_list[states++] = (uint32_t)(here - met);
  here->state = *state;
  here->used = here->open = true;
  check_slots(state);
  count_absences(state);
  bool more = false;
  for (unsigned t = 0; t < program->threads; t++) {
    if (!has_more(state, t))
      continue;
    more = true;
    struct state next = *state;
    take_turn(&next, t);
    if (rule == RIGHT) /* wrong rules must be detected by their effects */
      check_step(state, &next);
    explore(&next, before);
  }
  if (!more) {
    check_end(state, before);
    count_reversals(state);
  }
  here->open = false;
}

static void forget(void) {
  programs++;
  all_states += states;
  most_states = states > most_states ? states : most_states;
  for (uint64_t i = 0; i < states; i++)
    met[met_list[i]].used = false;
  states = 0;
}

/* Adds of one thread alone, before the others. */
static struct state prepare(void) {
  struct state state;
  memset(&state, 0, sizeof state);
  for (unsigned i = 0; i < program->before; i++) {
    struct thread alone = {.busy = true};
    const struct robin_hood_hand hand = robin_hood_start(&view, BITS, program->keys[i], UINT64_C(1) << i);
    alone.hand = hand.pair;
    alone.at = (uint8_t)hand.at;
    if (run(&state, &alone, 100) == ROBIN_HOOD_FULL)
      state.back[alone.hand.key - 1] += alone.hand.value;
  }
  return state;
}

/* NULL, or the violation. */
static const char *try_all(const struct program *given) {
  program = given;
  memset(&view, 0, sizeof view);
  view.homes = quotient_make(program->slots);
  view.probes = program->probes;
  /* The identity. */
  view.permutation = (struct permutation){
      .kind = PERMUTATION_MIX, .bits = BITS, .shift = 63, .mask = 255, .factor = {1, 1}, .inverse = {1, 1}};
  violation = NULL;
  const struct state state = prepare();
  explore(&state, count_keys(&state));
  forget();
  return violation;
}

/* ---- all programs -------------------------------------------------------------------------------------- */

/* Keys by home, for 4 and for 5 slots: three at home in slot 0, two in slot 1, two or three in the last one, so that
   they wrap around. */
static const uint8_t keys4[] = {0, 4, 8, 1, 5, 3, 7}, keys5[] = {0, 5, 10, 1, 6, 4, 9};

static unsigned stride_now(unsigned usual) { return getenv("FLOE_TEST_ALL") ? usual / 10 + 1 : usual; }

/* Every choice of keys for the adds, or one of each `stride` of them: the first violation, or NULL. */
static const char *try_programs(struct program given, unsigned keys, unsigned stride) {
  const uint8_t *pool = given.slots == 4 ? keys4 : keys5;
  uint64_t choices = 1;
  program = &given;
  for (unsigned i = 0; i < all_adds(); i++)
    choices *= keys;
  const char *wrong = NULL;
  for (uint64_t choice = 0; choice < choices && !wrong; choice += stride) {
    uint64_t left = choice;
    for (unsigned i = 0; i < all_adds(); i++, left /= keys)
      given.keys[i] = pool[left % keys];
    wrong = try_all(&given);
  }
  program = NULL;
  return wrong;
}

static void expect_right(struct program given, unsigned keys, unsigned stride) {
  const uint64_t states_before = all_states, programs_before = programs;
  rule = RIGHT;
  const char *wrong = try_programs(given, keys, stride_now(stride));
  ck_assert_msg(wrong == NULL, "%s", wrong);
  printf("%u slots, %u probes, %u before, adds %u %u %u: %llu programs, %llu states\n", given.slots, given.probes,
         given.before, given.adds[0], given.adds[1], given.adds[2], (unsigned long long)(programs - programs_before),
         (unsigned long long)(all_states - states_before));
}

START_TEST(three_threads_add_one_key) {
  for (unsigned before = 0; before <= 2; before++)
    expect_right(
        (struct program){
            .slots = 4, .probes = 4, .threads = 3, .adds = {1, 1, 1}, .before = before, .reduction = ROBIN_HOOD_SUM},
        7,
        before == 2   ? 23
        : before == 1 ? 5
                      : 1);
}
END_TEST

START_TEST(two_threads_add_two_keys) {
  for (unsigned before = 0; before <= 2; before++)
    expect_right(
        (struct program){
            .slots = 4, .probes = 4, .threads = 2, .adds = {2, 2}, .before = before, .reduction = ROBIN_HOOD_SUM},
        7,
        before == 2   ? 131
        : before == 1 ? 11
                      : 1);
}
END_TEST

START_TEST(three_threads_five_slots) {
  for (unsigned before = 0; before <= 3; before++)
    expect_right(
        (struct program){
            .slots = 5, .probes = 5, .threads = 3, .adds = {2, 1, 1}, .before = before, .reduction = ROBIN_HOOD_SUM},
        7,
        before == 0   ? 11
        : before == 1 ? 61
        : before == 2 ? 499
                      : 2999);
}
END_TEST

START_TEST(few_probes) {
  for (unsigned probes = 1; probes <= 3; probes++)
    expect_right(
        (struct program){
            .slots = 4, .probes = probes, .threads = 3, .adds = {1, 1, 1}, .before = 2, .reduction = ROBIN_HOOD_SUM},
        7, 31);
}
END_TEST

START_TEST(other_reductions) {
  const unsigned reductions[] = {ROBIN_HOOD_REPLACE, ROBIN_HOOD_MIN, ROBIN_HOOD_MAX};
  for (unsigned i = 0; i < 3; i++)
    expect_right(
        (struct program){
            .slots = 4, .probes = 4, .threads = 3, .adds = {1, 1, 1}, .before = 2, .reduction = reductions[i]},
        7, 53);
}
END_TEST

static void expect_wrong(const char *expected) {
  const struct program given = {
      .slots = 4, .probes = 4, .threads = 3, .adds = {1, 1, 1}, .before = 2, .reduction = ROBIN_HOOD_SUM};
  const char *wrong = try_programs(given, 7, 1);
  rule = RIGHT;
  ck_assert_msg(wrong && strcmp(wrong, expected) == 0, "%s", wrong ? wrong : "nothing is wrong");
}

/* Pairs at equal distance are displaced as well; slots are swapped by their keys alone; an empty slot is written,
   not claimed. */
START_TEST(equals_do_not_give_way) {
  rule = SWAPS_EQUALS;
  expect_wrong("a key is in two slots");
}
END_TEST

START_TEST(values_are_compared_too) {
  rule = COMPARES_KEYS_ONLY;
  expect_wrong("a value is lost, or was added twice");
}
END_TEST

START_TEST(empty_slots_are_claimed) {
  rule = PUTS_WITHOUT_LOOKING;
  expect_wrong("a value is lost, or was added twice");
}
END_TEST

/* Known limits: a displaced key is in no slot for a while, so find-or-put is not available. */
START_TEST(a_displaced_key_is_absent_for_a_while) {
  absences = 0;
  expect_right(
      (struct program){.slots = 4, .probes = 4, .threads = 2, .adds = {1, 1}, .before = 2, .reduction = ROBIN_HOOD_SUM},
      7, 1);
  ck_assert_uint_gt(absences, 0);
}
END_TEST

/* With one thread the last value remains; with two that add one pair each as well. With more, an earlier value may
   return: both are displaced, and the later one meets the earlier one in a slot. */
START_TEST(an_earlier_value_may_replace_a_later_one) {
  const struct program given = {
      .slots = 5, .probes = 5, .threads = 1, .adds = {2}, .before = 3, .reduction = ROBIN_HOOD_REPLACE};
  struct program two = given, more = given;
  two.threads = 2;
  two.adds[0] = two.adds[1] = 1;
  more.threads = 2;
  more.adds[0] = 1;
  more.adds[1] = 2;
  reversals = 0;
  expect_right(given, 7, 5);
  ck_assert_uint_eq(reversals, 0);
  expect_right(two, 7, 5);
  ck_assert_uint_eq(reversals, 0);
  expect_right(more, 7, 37);
  ck_assert_uint_gt(reversals, 0);
}
END_TEST

int main(void) {
  met = calloc(MET, sizeof *met);
  met_list = calloc(MET, sizeof *met_list);
  if (!met || !met_list)
    return 99;
  const int failed =
      RUN_SUITE("Robin Hood rule", three_threads_add_one_key, two_threads_add_two_keys, three_threads_five_slots,
                few_probes, other_reductions, equals_do_not_give_way, values_are_compared_too, empty_slots_are_claimed,
                a_displaced_key_is_absent_for_a_while, an_earlier_value_may_replace_a_later_one);
  printf("%llu programs, %llu states, %llu of one program at most\n", (unsigned long long)programs,
         (unsigned long long)all_states, (unsigned long long)most_states);
  free(met);
  free(met_list);
  return failed;
}
