/* Roots of successors that are described by their changes equal the roots of the same states in full: for any widths
   and degrees, tables that become full in the middle of a node and grow, and more calls than an inserter's stamps
   have values. */
#include "base/splitmix64.h"
#include "core/mem.h"
#include "tests/suite.h"
#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64, PARENTS = 40, MOST_DEGREE = 30, MOST = PARENTS * MOST_DEGREE, WIDTHS = 7 };

static const uint32_t widths[WIDTHS] = {2, 3, 4, 5, 8, 17, MOST_WORDS};

/* Some states with their successors, both in full and as changes. */
struct block {
  uint32_t words;
  size_t parents, n;
  uint64_t states[PARENTS * MOST_WORDS], successors[MOST * MOST_WORDS];
  uint32_t ends[PARENTS], numbers[PARENTS * (2 * MOST_WORDS - 2)];
  uint64_t contents[MOST_WORDS][MOST];
  uint32_t whose[MOST_WORDS][MOST];
  struct tree_change changes[MOST_WORDS];
};

static void change(struct block *block, uint32_t w, uint64_t content) {
  uint64_t *word = &block->successors[block->n * block->words + w];
  const size_t count = block->changes[w].count;
  const bool again = count && block->whose[w][count - 1] == block->n;
  if (again || *word == content)
    return;
  *word = block->contents[w][count] = content;
  block->whose[w][count] = (uint32_t)block->n;
  block->changes[w].count++;
}

/* No successors, few, and more than are written unconditionally; most change one or two words, some none or all. */
static void add_successors(struct block *block, size_t parent, uint64_t range, uint64_t *seed) {
  const size_t degree =
      splitmix64_next(seed) % 5 ? splitmix64_next(seed) % 6 : splitmix64_next(seed) % (MOST_DEGREE + 1);
  for (size_t i = 0; i < degree; i++, block->n++) {
    memcpy(&block->successors[block->n * block->words], &block->states[parent * block->words],
           block->words * sizeof(uint64_t));
    const uint64_t kind = splitmix64_next(seed) % 16;
    const uint32_t changed = kind == 0 ? 0 : kind == 1 ? block->words : kind < 9 ? 1 : 2;
    for (uint32_t k = 0; k < changed; k++)
      change(block, kind == 1 ? k : (uint32_t)(splitmix64_next(seed) % block->words), splitmix64_next(seed) % range);
  }
  block->ends[parent] = (uint32_t)block->n;
}

static void make_block(struct block *block, uint32_t words, size_t parents, uint64_t range, uint64_t *seed) {
  block->words = words;
  block->parents = parents;
  block->n = 0;
  for (uint32_t w = 0; w < words; w++)
    block->changes[w] = (struct tree_change){block->contents[w], block->whose[w], 0};
  for (size_t i = 0; i < parents * words; i++)
    block->states[i] = splitmix64_next(seed) % range;
  for (size_t parent = 0; parent < parents; parent++)
    add_successors(block, parent, range, seed);
}

static size_t roots_in_full(struct tree *tree, struct tree_user *user, const uint64_t *states, size_t n,
                            uint64_t *roots) {
  size_t done = 0, growths = 0;
  while ((done += tree_roots(tree, user, states + done * tree_words(tree), n - done, roots + done)) < n) {
    ck_assert_int_eq(tree_grow(tree, false), FLOE_OK);
    growths++;
  }
  return growths;
}

/* Returns how often a table was full. */
static size_t check_block(struct tree *tree, struct tree_user *user, struct tree_inserter *inserter,
                          struct block *block) {
  static uint64_t roots[MOST], wanted[MOST], state[MOST_WORDS * PARENTS];
  size_t growths = 0;
  roots_in_full(tree, user, block->states, block->parents, roots);
  tree_states(tree, roots, block->parents, block->numbers, state);
  ck_assert_mem_eq(state, block->states, block->parents * block->words * sizeof *state);
  const struct tree_changes changes = {block->numbers, block->ends, block->parents, block->changes};
  tree_inserter_begin(inserter);
  while (!tree_successors(tree, inserter, &changes, roots)) {
    ck_assert_int_eq(tree_grow(tree, true), FLOE_OK);
    growths++;
  }
  ck_assert_uint_eq(roots_in_full(tree, user, block->successors, block->n, wanted), 0); /* all are present */
  ck_assert_mem_eq(roots, wanted, block->n * sizeof *roots);
  return growths;
}

START_TEST(successors_and_states) {
  static struct block block;
  const uint32_t words = widths[_i];
  uint64_t seed = (uint64_t)_i + 1;
  struct tree *tree;
  struct tree_user *user;
  struct tree_inserter *inserter;
  size_t growths = 0;
  ck_assert_int_eq(tree_create(words, 1, 2, &tree), FLOE_OK);
  ck_assert_int_eq(tree_user_create(tree, &user), FLOE_OK);
  ck_assert_int_eq(tree_inserter_create(tree, MOST, &inserter), FLOE_OK);
  for (unsigned round = 0; round < 60; round++) {
    make_block(&block, words, round % 7 ? 1 + splitmix64_next(&seed) % PARENTS : 0, 3 + round * round, &seed);
    growths += check_block(tree, user, inserter, &block);
  }
  ck_assert_uint_gt(growths, 2);
  tree_inserter_free(inserter);
  tree_user_free(user);
  tree_free(tree);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

/* Three inner nodes per call, each with a stamp of 16 bits: large blocks are used when stamps of an earlier one
   recur. */
START_TEST(many_calls) {
  static struct block block;
  enum { WORDS = 5, CALLS = 70000, APART = 65535 / 3 };
  uint64_t seed = 11;
  struct tree *tree;
  struct tree_user *user;
  struct tree_inserter *inserter;
  ck_assert_int_eq(tree_create(WORDS, 1, 0, &tree), FLOE_OK);
  ck_assert_int_eq(tree_user_create(tree, &user), FLOE_OK);
  ck_assert_int_eq(tree_inserter_create(tree, MOST, &inserter), FLOE_OK);
  for (unsigned call = 0; call < CALLS; call++) {
    make_block(&block, WORDS, call % APART == 100 ? PARENTS : 1, 4, &seed);
    check_block(tree, user, inserter, &block);
  }
  tree_inserter_free(inserter);
  tree_user_free(user);
  tree_free(tree);
}
END_TEST

START_TEST(no_memory) {
  struct tree *tree;
  struct tree_inserter *inserter = NULL;
  ck_assert_int_eq(tree_create(5, 1, 0, &tree), FLOE_OK);
  const size_t before = mem_live();
  floe_status status = FLOE_ERROR_MEMORY;
  long n = 0;
  while (status != FLOE_OK) {
    ck_assert_uint_eq(mem_live(), before);
    mem_fail_after(++n);
    status = tree_inserter_create(tree, MOST, &inserter);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK || (status == FLOE_ERROR_MEMORY && !inserter));
  }
  ck_assert_int_gt(n, 5);
  ck_assert_uint_eq(mem_live() - before, tree_inserter_bytes(tree, MOST));
  tree_inserter_free(inserter);
  tree_inserter_free(NULL);
  tree_free(tree);
}
END_TEST

int main(void) {
  TCase *test = tcase_create("successors");
  tcase_set_timeout(test, 300);
  tcase_add_loop_test(test, successors_and_states, 0, WIDTHS);
  add_tests(test, many_calls, no_memory);
  return run_suite("successors", CK_FORK_GETENV, test);
}
