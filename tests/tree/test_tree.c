/* Tables of trees on the host: roots and states map to each other, for small initial tables, concurrent threads,
   contents copied into another tree, and out of memory. */
#include "base/splitmix64.h"
#include "core/mem.h"
#include "tests/suite.h"
#include "tree/tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1024, THREADS = 4 };

/* ---- states ------------------------------------------------------------------------------------------ */

/* Few contents per word, among them the extremes; many states share words, pairs of words and halves. */
static uint64_t random_word(uint64_t *seed, uint64_t contents) {
  static const uint64_t ends[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, UINT32_MAX, (uint64_t)UINT32_MAX << 32};
  const uint64_t which = splitmix64_next(seed) % contents;
  return which < 6 ? ends[which] : which * UINT64_C(0x2545f4914f6cdd1d);
}

struct states {
  uint32_t words;
  size_t n;
  uint64_t *of; /* [n * words] */
};

static const uint64_t *state_at(const struct states *states, size_t i) { return states->of + i * states->words; }

/* The first state is zero in all words; each fourth one is a duplicate; the others differ in one word from an earlier
   one. */
static struct states make_states(uint32_t words, size_t n, uint64_t contents, uint64_t seed) {
  struct states made = {.words = words, .n = n, .of = calloc(n * words, sizeof(uint64_t))};
  for (size_t i = 1; i < n; i++) {
    uint64_t *state = made.of + i * words;
    memcpy(state, state_at(&made, splitmix64_next(&seed) % i), words * sizeof *state);
    if (i % 4 == 1)
      for (uint32_t w = 0; w < words; w++)
        state[w] = random_word(&seed, contents);
    else if (i % 4 != 0)
      state[splitmix64_next(&seed) % words] = random_word(&seed, contents);
  }
  return made;
}

static uint32_t compared_words;

static int compare_states(const void *a, const void *b) {
  const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
  for (uint32_t w = 0; w < compared_words; w++)
    if (x[w] != y[w])
      return x[w] < y[w] ? -1 : 1;
  return 0;
}

static int compare_numbers(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Equal states have equal roots, and different states different ones. */
static void check_injective(const struct states *states, const uint64_t *roots) {
  const uint64_t **order = calloc(states->n, sizeof *order);
  uint64_t *different = calloc(states->n, sizeof *different);
  size_t count = 0;
  for (size_t i = 0; i < states->n; i++)
    order[i] = state_at(states, i);
  compared_words = states->words;
  qsort(order, states->n, sizeof *order, compare_states);
  for (size_t i = 0; i < states->n; i++) {
    const uint64_t root = roots[(size_t)(order[i] - states->of) / states->words];
    if (i > 0 && compare_states(&order[i - 1], &order[i]) == 0)
      ck_assert_uint_eq(root, different[count - 1]);
    else
      different[count++] = root;
  }
  ck_assert_uint_lt(count, states->n);
  qsort(different, count, sizeof *different, compare_numbers);
  for (size_t i = 1; i < count; i++)
    ck_assert_uint_ne(different[i - 1], different[i]);
  free(order);
  free(different);
}

/* In batches of several sizes. */
static void check_inverse(const struct tree *tree, const struct states *states, const uint64_t *roots, size_t n) {
  static uint32_t numbers[7 * 2 * MOST_WORDS];
  enum { AT_ONCE = 7 };
  static uint64_t found[AT_ONCE * MOST_WORDS];
  for (size_t i = 0, some; i < n; i += some) {
    some = n - i < AT_ONCE ? n - i : 1 + i % AT_ONCE;
    tree_states(tree, roots + i, some, numbers, found);
    ck_assert_mem_eq(found, state_at(states, i), some * states->words * sizeof(uint64_t));
  }
}

/* All numbers of the roots fit the reported bits, also side by side. */
static void check_bits(const struct tree *tree, const uint64_t *roots, size_t n) {
  unsigned bits[2];
  const uint32_t tables = tree_tables(tree_words(tree));
  tree_root_bits(tree, bits);
  for (unsigned i = 0; i < 2; i++) {
    ck_assert(bits[i] >= 1 && bits[i] <= 32);
    ck_assert_uint_le(tree_count(tree, tables - 2 + i), UINT64_C(1) << bits[i]);
  }
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_eq((roots[i] & UINT32_MAX) >> bits[0], 0);
    ck_assert_uint_eq(roots[i] >> 32 >> bits[1], 0);
    const uint64_t key = tree_key(roots[i], bits[0]);
    ck_assert(bits[0] + bits[1] == 64 || key >> (bits[0] + bits[1]) == 0);
    ck_assert_uint_eq(tree_root(key, bits[0]), roots[i]);
  }
}

/* ---- trees ------------------------------------------------------------------------------------------- */

static struct tree *make_tree(uint32_t words, unsigned users, uint64_t numbers) {
  struct tree *tree;
  ck_assert_int_eq(tree_create(words, users, numbers, &tree), FLOE_OK);
  ck_assert_uint_eq(tree_words(tree), words);
  ck_assert_uint_eq(tree_bytes(tree), tree_first_bytes(words, users, numbers));
  ck_assert_uint_eq(tree_count_all(tree), 0);
  return tree;
}

static struct tree_user *make_user(const struct tree *tree) {
  struct tree_user *user;
  ck_assert_int_eq(tree_user_create(tree, &user), FLOE_OK);
  return user;
}

static void grow(struct tree *tree) {
  const uint64_t before = tree_bytes(tree), more = tree_growth_bytes(tree, false);
  unsigned old[2], bits[2];
  ck_assert(tree_is_tight(tree));
  tree_root_bits(tree, old);
  ck_assert_int_eq(tree_grow(tree, false), FLOE_OK);
  tree_root_bits(tree, bits);
  ck_assert(!tree_is_tight(tree));
  ck_assert(bits[0] >= old[0] && bits[1] >= old[1]);
  ck_assert_uint_gt(tree_bytes(tree), before);
  ck_assert_uint_lt(tree_bytes(tree), before + more);
}

/* Computes the roots of all states; returns how often the tree grew. */
static unsigned put_all(struct tree *tree, struct tree_user *user, const struct states *states, uint64_t *roots) {
  unsigned growths = 0;
  for (size_t done = 0;; growths++) {
    done += tree_roots(tree, user, state_at(states, done), states->n - done, roots + done);
    if (done == states->n)
      return growths;
    grow(tree);
    check_inverse(tree, states, roots, done);
  }
}

static void check_same_roots(struct tree *tree, const struct states *states, const uint64_t *roots) {
  struct tree_user *user = make_user(tree);
  uint64_t *again = calloc(states->n, sizeof *again);
  const uint64_t count = tree_count_all(tree);
  ck_assert_uint_eq(tree_roots(tree, user, states->of, states->n, again), states->n);
  ck_assert_mem_eq(again, roots, states->n * sizeof *roots);
  ck_assert_uint_eq(tree_count_all(tree), count);
  free(again);
  tree_user_free(user);
}

/* Tables of the first `parts`-th of the contents, up to all. */
static void restore(struct tree *to, const struct tree *from, uint64_t parts) {
  for (uint64_t part = 1; part <= parts; part++)
    for (uint32_t id = 0; id < tree_tables(tree_words(from)); id++) {
      const uint64_t n = tree_count(from, id) * part / parts;
      ck_assert_int_eq(tree_restore(to, id, tree_contents(from, id), n), FLOE_OK);
      ck_assert_uint_eq(tree_count(to, id), n);
      ck_assert_mem_eq(tree_contents(to, id), tree_contents(from, id), n * sizeof(uint64_t));
    }
}

/* Numbers are dense, and no content has two. */
static void check_contents(const struct tree *tree) {
  uint64_t all = 0;
  for (uint32_t id = 0; id < tree_tables(tree_words(tree)); id++) {
    const uint64_t n = tree_count(tree, id);
    uint64_t *sorted = calloc(n + 1, sizeof *sorted);
    memcpy(sorted, tree_contents(tree, id), n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_numbers);
    for (uint64_t i = 1; i < n; i++)
      ck_assert_uint_ne(sorted[i - 1], sorted[i]);
    free(sorted);
    all += n;
  }
  ck_assert_uint_eq(tree_count_all(tree), all);
}

/* ---- one thread -------------------------------------------------------------------------------------- */

static const struct {
  uint32_t words;
  size_t states;
  uint64_t contents;
} sizes[] = {{2, 4000, 60}, {2, 4000, 100000}, {3, 4000, 25},    {4, 2000, 12},   {5, 4000, 9},
             {16, 999, 7},  {17, 1000, 400},   {31, 1000, 3000}, {1024, 160, 40}, {1023, 60, 7}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct states states_of_size(int i, uint64_t seed) {
  return make_states(sizes[i].words, sizes[i].states, sizes[i].contents, seed);
}

/* Tables with initial room for 1, 2, 7 numbers, or enough for all. */
START_TEST(roots_and_states) {
  static const uint64_t first[] = {1, 2, 7, 0, 10000};
  const struct states states = states_of_size(_i, 1);
  uint64_t *roots = calloc(states.n, sizeof *roots);
  for (size_t f = 0; f < sizeof first / sizeof *first; f++) {
    if (states.words > 100 && first[f] != 2 && first[f] != 7)
      continue; /* takes gigabytes, or long */
    struct tree *tree = make_tree(states.words, 1, first[f]);
    struct tree_user *user = make_user(tree);
    const unsigned growths = put_all(tree, user, &states, roots);
    ck_assert(first[f] < 10000 || growths == 0);
    ck_assert(first[f] == 0 || first[f] > 2 || growths > 1);
    check_injective(&states, roots);
    check_inverse(tree, &states, roots, states.n);
    check_same_roots(tree, &states, roots);
    check_bits(tree, roots, states.n);
    check_contents(tree);
    tree_user_free(user);
    tree_free(tree);
  }
  free(roots);
  free(states.of);
}
END_TEST

/* The buffers of a user hold nothing of other users or other states: two users alternate. */
START_TEST(users_in_turns) {
  const struct states states = states_of_size(_i, 2);
  struct tree *tree = make_tree(states.words, 2, 3);
  struct tree_user *users[] = {make_user(tree), make_user(tree)};
  uint64_t *roots = calloc(states.n, sizeof *roots), seed = 3;
  for (size_t i = 0; i < states.n; i++)
    while (!tree_roots(tree, users[splitmix64_next(&seed) % 2], state_at(&states, i), 1, &roots[i]))
      grow(tree);
  check_injective(&states, roots);
  check_inverse(tree, &states, roots, states.n);
  check_bits(tree, roots, states.n);
  check_contents(tree);
  tree_user_free(users[0]);
  tree_user_free(users[1]);
  tree_free(tree);
  free(roots);
  free(states.of);
}
END_TEST

/* A full table refuses contents and reports that it is nearly full until it grows; its contents stay readable. */
START_TEST(full_tables_refuse) {
  struct tree *tree = make_tree(2, 1, 10);
  struct tree_user *user = make_user(tree);
  uint64_t states[40][2], roots[40], again[10];
  for (uint64_t i = 0; i < 40; i++)
    states[i][0] = i, states[i][1] = 7;
  ck_assert(!tree_is_tight(tree));
  ck_assert_uint_eq(tree_growth_bytes(tree, false), 0);
  ck_assert_uint_eq(tree_roots(tree, user, *states, 40, roots), 10);
  ck_assert_uint_eq(tree_count(tree, 0), 10);
  ck_assert_uint_eq(tree_count(tree, 1), 1);
  ck_assert(tree_is_tight(tree));
  ck_assert_uint_eq(tree_roots(tree, user, states[10], 30, roots + 10), 0);
  ck_assert_uint_eq(tree_roots(tree, user, *states, 40, again), 10);
  ck_assert_mem_eq(again, roots, sizeof again);
  grow(tree);
  ck_assert_uint_eq(tree_roots(tree, user, states[10], 30, roots + 10), 30);
  for (uint64_t i = 0; i < 40; i++)
    ck_assert_uint_eq(roots[i], i); /* dense, and the only content of the other word has 0 */
  tree_user_free(user);
  tree_free(tree);
}
END_TEST

static uint64_t content_of_hash(uint64_t hash) {
  hash = (hash ^ hash >> 31 ^ hash >> 62) * UINT64_C(0x319642b2d24d8ec3); /* the inverses modulo 2^64 */
  hash = (hash ^ hash >> 27 ^ hash >> 54) * UINT64_C(0x96de1b173f119089);
  return hash ^ hash >> 30 ^ hash >> 60;
}

/* Contents with the same probe sequence and the same hash bits in the slots: only contents distinguish them. */
START_TEST(hashes_that_are_alike) {
  enum { CONTENTS = 400 };
  uint64_t of[CONTENTS + 1][2], roots[CONTENTS + 1];
  for (uint64_t i = 0; i <= CONTENTS; i++) {
    of[i][0] = of[i][1] = content_of_hash(0x123456789abc | i % CONTENTS << 52);
    ck_assert_uint_eq(tree_hash(of[i][0]), 0x123456789abc | i % CONTENTS << 52);
  }
  const struct states states = {.words = 2, .n = CONTENTS + 1, .of = *of};
  struct tree *tree = make_tree(2, 1, 1), *other = make_tree(2, 1, 9);
  struct tree_user *user = make_user(tree);
  put_all(tree, user, &states, roots);
  restore(other, tree, 2);
  check_injective(&states, roots);
  check_inverse(other, &states, roots, states.n);
  check_same_roots(tree, &states, roots);
  check_same_roots(other, &states, roots);
  tree_user_free(user);
  tree_free(other);
  tree_free(tree);
}
END_TEST

/* Each user may have found the last number free. */
START_TEST(bits_are_enough_and_few) {
  for (unsigned users = 1; users < 6; users++)
    for (uint64_t numbers = 1; numbers < 70; numbers++) {
      struct tree *tree = make_tree(3, users, numbers);
      unsigned bits[2];
      tree_root_bits(tree, bits);
      for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_ge(UINT64_C(1) << bits[i], numbers + users);
        ck_assert(bits[i] == 1 || UINT64_C(1) << (bits[i] - 1) < numbers + users);
      }
      tree_free(tree);
    }
}
END_TEST

/* ---- several threads --------------------------------------------------------------------------------- */

struct putter {
  pthread_t thread;
  struct tree *tree;
  struct tree_user *user;
  const struct states *states;
  size_t *order; /* of all states, its own */
  size_t done;
  uint64_t *roots; /* [done], in its order */
};

static void *put_some(void *data) {
  struct putter *putter = data;
  while (putter->done < putter->states->n &&
         tree_roots(putter->tree, putter->user, state_at(putter->states, putter->order[putter->done]), 1,
                    &putter->roots[putter->done]))
    putter->done++;
  return NULL;
}

/* Each thread has its own order, except for the first half, in which all have the same states at the same time. */
static void begin_putter(struct putter *putter, struct tree *tree, const struct states *states, uint64_t seed) {
  *putter = (struct putter){.tree = tree,
                            .user = make_user(tree),
                            .states = states,
                            .order = calloc(states->n, sizeof *putter->order),
                            .roots = calloc(states->n, sizeof *putter->roots)};
  for (size_t i = 0; i < states->n; i++)
    putter->order[i] = i;
  for (size_t i = states->n - 1; i > states->n / 2; i--) {
    const size_t other = states->n / 2 + splitmix64_next(&seed) % (i - states->n / 2 + 1), kept = putter->order[i];
    putter->order[i] = putter->order[other];
    putter->order[other] = kept;
  }
}

/* All unfinished threads continue together until each has finished or met a full table. False: all have finished. */
static bool run_putters(struct putter *putters) {
  bool again = false;
  for (unsigned t = 0; t < THREADS; t++)
    ck_assert_int_eq(pthread_create(&putters[t].thread, NULL, put_some, &putters[t]), 0);
  for (unsigned t = 0; t < THREADS; t++) {
    pthread_join(putters[t].thread, NULL);
    again = again || putters[t].done < putters[t].states->n;
  }
  return again;
}

static void end_putter(struct putter *putter, const uint64_t *roots) {
  for (size_t i = 0; i < putter->states->n; i++)
    ck_assert_uint_eq(putter->roots[i], roots[putter->order[i]]);
  tree_user_free(putter->user);
  free(putter->order);
  free(putter->roots);
}

START_TEST(threads_agree) {
  static const uint64_t first[] = {1, 5, 300, 9000};
  const struct states states = states_of_size(_i, 4);
  uint64_t *roots = calloc(states.n, sizeof *roots);
  for (size_t f = 0; f < sizeof first / sizeof *first; f++) {
    struct putter putters[THREADS];
    if (states.words > 100 && first[f] != 5)
      continue; /* takes gigabytes, or long */
    struct tree *tree = make_tree(states.words, THREADS, first[f]);
    for (unsigned t = 0; t < THREADS; t++)
      begin_putter(&putters[t], tree, &states, t);
    while (run_putters(putters)) {
      for (unsigned t = 0; t < THREADS; t++)
        check_bits(tree, putters[t].roots, putters[t].done);
      grow(tree);
    }
    for (size_t i = 0; i < states.n; i++)
      roots[putters[0].order[i]] = putters[0].roots[i];
    for (unsigned t = 0; t < THREADS; t++)
      end_putter(&putters[t], roots);
    check_injective(&states, roots);
    check_inverse(tree, &states, roots, states.n);
    check_same_roots(tree, &states, roots);
    check_bits(tree, roots, states.n);
    check_contents(tree);
    tree_free(tree);
  }
  free(roots);
  free(states.of);
}
END_TEST

/* ---- from one tree to another ------------------------------------------------------------------------ */

START_TEST(restored) {
  const struct states states = states_of_size(_i, 5);
  uint64_t *roots = calloc(states.n, sizeof *roots);
  struct tree *tree = make_tree(states.words, 1, 4);
  struct tree_user *user = make_user(tree);
  put_all(tree, user, &states, roots);
  for (unsigned parts = 1; parts < 4; parts++) {
    struct tree *other = make_tree(states.words, parts, parts == 2 ? 0 : 1);
    restore(other, tree, parts);
    check_inverse(other, &states, roots, states.n);
    check_same_roots(other, &states, roots);
    check_bits(other, roots, states.n);
    ck_assert_uint_eq(tree_count_all(other), tree_count_all(tree));
    tree_free(other);
  }
  tree_user_free(user);
  tree_free(tree);
  free(roots);
  free(states.of);
}
END_TEST

/* New states get numbers after those copied from another tree; a duplicate content is refused. */
START_TEST(restored_goes_on) {
  static const uint64_t contents[] = {5, 6, 7, 6};
  struct tree *tree = make_tree(2, 1, 2);
  ck_assert_int_eq(tree_restore(tree, 0, contents, 0), FLOE_OK);
  ck_assert_int_eq(tree_restore(tree, 0, contents, 3), FLOE_OK);
  ck_assert_int_eq(tree_restore(tree, 1, contents + 1, 1), FLOE_OK);
  struct tree_user *user = make_user(tree);
  const uint64_t states[][2] = {{7, 6}, {8, 5}, {5, 6}};
  uint64_t roots[3];
  const struct states all = {.words = 2, .n = 3, .of = (uint64_t *)states};
  put_all(tree, user, &all, roots);
  ck_assert_uint_eq(roots[0], 2);
  ck_assert_uint_eq(roots[1], 3 | UINT64_C(1) << 32);
  ck_assert_uint_eq(roots[2], 0);
  tree_user_free(user);
  tree_free(tree);
  tree = make_tree(2, 1, 2);
  ck_assert_int_eq(tree_restore(tree, 0, contents, 4), FLOE_ERROR_USAGE);
  ck_assert_int_eq(tree_restore(tree, 1, contents, 2), FLOE_OK);
  ck_assert_int_eq(tree_restore(tree, 1, contents + 2, 2), FLOE_OK); /* it has two: nothing is new */
  ck_assert_uint_eq(tree_count(tree, 1), 2);
  tree_free(tree);
}
END_TEST

/* ---- without memory ---------------------------------------------------------------------------------- */

START_TEST(no_memory_to_create) {
  struct tree *tree = NULL;
  struct tree_user *user = NULL;
  floe_status status = FLOE_ERROR_MEMORY;
  long n = 0;
  while (status != FLOE_OK) {
    ck_assert_uint_eq(mem_live(), 0);
    mem_fail_after(++n);
    status = tree_create(5, 2, 10, &tree);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK || (status == FLOE_ERROR_MEMORY && !tree));
  }
  ck_assert_int_gt(n, 2 * 8); /* 8 tables */
  mem_fail_after(1);
  ck_assert_int_eq(tree_user_create(tree, &user), FLOE_ERROR_MEMORY);
  mem_fail_after(0);
  ck_assert_ptr_null(user);
  tree_user_free(NULL);
  tree_free(tree);
  tree_free(NULL);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

/* The n-th allocation fails: existing roots stay valid; refused operations fail until there is memory. */
START_TEST(no_memory_to_grow) {
  const struct states states = states_of_size(_i, 6);
  uint64_t *roots = calloc(states.n, sizeof *roots);
  struct tree *tree = make_tree(states.words, 1, 2);
  struct tree_user *user = make_user(tree);
  size_t done = 0, failures = 0;
  while ((done += tree_roots(tree, user, state_at(&states, done), states.n - done, roots + done)) < states.n) {
    const size_t held = mem_live() - tree_bytes(tree);
    floe_status status = FLOE_ERROR_MEMORY;
    for (long n = 1; status != FLOE_OK; n = n < 8 ? n + 1 : n * 2) {
      const uint64_t more = tree_growth_bytes(tree, false), before = tree_bytes(tree);
      mem_fail_after(n);
      status = tree_grow(tree, false);
      mem_fail_after(0);
      ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
      ck_assert_uint_le(tree_bytes(tree), before + more);
      ck_assert_uint_eq(mem_live() - tree_bytes(tree), held);
      ck_assert(n > 1 || tree_is_tight(tree));
      failures += status != FLOE_OK;
      check_inverse(tree, &states, roots, done);
      uint64_t again;
      for (size_t i = 0; i < done; i += 1 + done / 50) {
        ck_assert_uint_eq(tree_roots(tree, user, state_at(&states, i), 1, &again), 1);
        ck_assert_uint_eq(again, roots[i]);
      }
    }
  }
  ck_assert_uint_gt(failures, 1);
  check_injective(&states, roots);
  check_same_roots(tree, &states, roots);
  check_contents(tree);
  tree_user_free(user);
  tree_free(tree);
  free(roots);
  free(states.of);
}
END_TEST

START_TEST(no_memory_to_restore) {
  static const uint64_t contents[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  struct tree *tree = make_tree(3, 1, 4);
  ck_assert_int_eq(tree_restore(tree, 2, contents, 2), FLOE_OK);
  for (long n = 1; n < 3; n++) {
    mem_fail_after(n);
    ck_assert_int_eq(tree_restore(tree, 2, contents, 9), FLOE_ERROR_MEMORY);
    mem_fail_after(0);
    ck_assert_uint_eq(tree_count(tree, 2), 2);
  }
  ck_assert_int_eq(tree_restore(tree, 2, contents, 9), FLOE_OK);
  ck_assert_uint_eq(tree_count(tree, 2), 9);
  ck_assert_mem_eq(tree_contents(tree, 2), contents, sizeof contents);
  tree_free(tree);
}
END_TEST

int main(void) {
  TCase *test = tcase_create("tree");
  tcase_set_timeout(test, 60);
  tcase_add_loop_test(test, roots_and_states, 0, SIZES);
  tcase_add_loop_test(test, users_in_turns, 0, SIZES);
  add_tests(test, full_tables_refuse, hashes_that_are_alike, bits_are_enough_and_few);
  tcase_add_loop_test(test, threads_agree, 0, SIZES);
  tcase_add_loop_test(test, restored, 0, SIZES);
  add_tests(test, restored_goes_on, no_memory_to_create);
  tcase_add_loop_test(test, no_memory_to_grow, 0, SIZES);
  tcase_add_test(test, no_memory_to_restore);
  return suite_end(run_suite("tree", CK_NOFORK, test));
}
