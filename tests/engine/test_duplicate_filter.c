/* The duplicate filter, compared with an exact set. */
#include "core/mem.h"
#include "engine/cpu/duplicate_filter.h"
#include "tests/suite.h"

#include <stdbool.h>
#include <string.h>

#define UNIVERSE 4096
#define BLOCK 300

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void) { /* xorshift64 */
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* Keys, with the extremes 0, 1 and the greatest ones. */
static void fill_universe(uint64_t *keys) {
  for (size_t i = 0; i < UNIVERSE; i++)
    keys[i] = i < 8 ? i : i < 16 ? UINT64_MAX - (i - 8) : next_random() >> i % 50;
}

static size_t find(const uint64_t *keys, size_t n, uint64_t key) {
  size_t i = 0;
  while (i < n && keys[i] != key)
    i++;
  return i;
}

/* The remaining keys are a subsequence, and each missing key was seen before or earlier in the block. Returns how
   many remain. */
static size_t check_block(uint64_t *slots, const uint64_t *given, bool *entered, const uint64_t *universe) {
  uint64_t keys[BLOCK];
  memcpy(keys, given, sizeof keys);
  size_t left = duplicate_filter_drop(slots, keys, BLOCK), next = 0;
  for (size_t i = 0; i < BLOCK; i++) {
    size_t number = find(universe, UNIVERSE, given[i]);
    if (next < left && keys[next] == given[i])
      next++;
    else
      ck_assert_msg(entered[number], "key %zu is dropped that never was entered", number);
    entered[number] = true;
  }
  ck_assert_uint_eq(next, left);
  return left;
}

START_TEST(test_random_blocks) {
  uint64_t *slots = mem_array(DUPLICATE_FILTER_SLOTS, sizeof *slots);
  uint64_t *universe = mem_array(UNIVERSE, sizeof *universe);
  bool *entered = mem_array(UNIVERSE, sizeof *entered);
  fill_universe(universe);
  duplicate_filter_begin(slots);
  size_t left = 0, blocks = 400;
  for (size_t block = 0; block < blocks; block++) {
    uint64_t given[BLOCK];
    for (size_t i = 0; i < BLOCK; i++)
      given[i] = universe[next_random() % UNIVERSE];
    left += check_block(slots, given, entered, universe);
  }
  /* 4,096 keys in 32,768 slots: one in sixteen shares its slot, and may pass the filter each time. */
  ck_assert_uint_ge(left, UNIVERSE * 99 / 100 - 16);
  ck_assert_uint_lt(left, blocks * BLOCK / 4);
  mem_free(slots);
  mem_free(universe);
  mem_free(entered);
}
END_TEST

/* An empty filter contains no key, not even the one that equals an empty slot. */
START_TEST(test_first) {
  uint64_t *slots = mem_array(DUPLICATE_FILTER_SLOTS, sizeof *slots);
  const uint64_t first[] = {0, 1, UINT64_MAX, 2, 3};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
    memset(slots, 0, DUPLICATE_FILTER_BYTES);
    duplicate_filter_begin(slots);
    uint64_t keys[3] = {first[i], first[i], first[i]};
    ck_assert_uint_eq(duplicate_filter_drop(slots, keys, 3), 1);
    ck_assert(keys[0] == first[i]);
    ck_assert_uint_eq(duplicate_filter_drop(slots, keys, 1), 0);
  }
  mem_free(slots);
}
END_TEST

int main(void) { return suite_end(run_tests("recent", CK_NOFORK, test_first, test_random_blocks)); }
