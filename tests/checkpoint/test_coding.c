/* Coding of blocks of states: sorted words, differences, positions, planes; each decodes to its input. */
#include "base/splitmix64.h"
#include "checkpoint/coder.h"
#include "checkpoint/format.h"
#include "checkpoint/word_sort.h"
#include "core/mem.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static uint64_t random_word(void) { return splitmix64_next(&seed); }

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Key distributions, each a different path through sorting and coding. */
enum likeness { SPREAD, IN_ORDER, BACKWARDS, EQUAL, CROWDED, FAR_APART, NEARLY, LIKENESSES };

static uint64_t key_like(enum likeness likeness, size_t i, size_t n, uint64_t mask) {
  switch (likeness) {
  case IN_ORDER:
    return mask / n * i;
  case BACKWARDS:
    return mask - mask / n * i;
  case EQUAL:
    return mask;
  case CROWDED: /* nearly all at one end */
    return i % 1000 == 7 ? mask : (random_word() & 0xff & mask);
  case FAR_APART:
    return i % 2 ? mask - i % (mask / 2 + 1) : i % (mask / 2 + 1);
  case NEARLY: /* sorted except for a few from anywhere */
    return i % 16 == 3 ? random_word() & mask : (mask / n * i + random_word() % 64) & mask;
  default:
    return random_word() & mask;
  }
}

static void make_keys(uint64_t *keys, size_t n, unsigned bits, enum likeness likeness) {
  for (size_t i = 0; i < n; i++)
    keys[i] = key_like(likeness, i, n, UINT64_MAX >> (64 - bits));
}

static const size_t sizes[] = {1, 2, 3, 127, 128, 129, 130, 257, 5000, 65536};
#define SIZES (sizeof sizes / sizeof *sizes)

START_TEST(test_sort) {
  struct sorter *sorter = malloc(sizeof *sorter);
  uint64_t *keys = malloc(BLOCK_WORDS * 8), *other = malloc(BLOCK_WORDS * 8), *expected = malloc(BLOCK_WORDS * 8);
  for (unsigned bits = 1; bits <= 64; bits += bits < 60 ? 7 : 1)
    for (size_t s = 0; s < SIZES; s++) {
      size_t n = sizes[s];
      make_keys(keys, n, bits, (enum likeness)_i);
      memcpy(expected, keys, n * 8);
      qsort(expected, n, 8, compare);
      ck_assert_mem_eq(sort_words(sorter, keys, other, n), expected, n * 8);
    }
  free(expected), free(other), free(keys), free(sorter);
}
END_TEST

/* Nothing is written beyond the returned size, and one byte less is rejected. */
static void check_differences(const uint64_t *words, size_t n) {
  size_t most = delta_most(n);
  uint8_t *bytes = malloc(most + DELTA_SLACK);
  uint64_t *back = malloc(n * 8);
  memset(bytes, 0, most + DELTA_SLACK);
  size_t length = delta_encode(words, n, bytes);
  ck_assert_uint_le(length + 8, most);
  memset(bytes + length, 0xff, DELTA_SLACK);
  ck_assert(delta_decode(bytes, length, back, n));
  ck_assert_mem_eq(back, words, n * 8);
  ck_assert(!delta_decode(bytes, length - 1, back, n));
  ck_assert(!delta_decode(bytes, length + 1, back, n));
  free(back), free(bytes);
}

START_TEST(test_differences) {
  uint64_t *keys = malloc(BLOCK_WORDS * 8);
  for (unsigned bits = 1; bits <= 64; bits++)
    for (size_t s = 0; s < SIZES - (bits % 8 != 0); s++) {
      make_keys(keys, sizes[s], bits, (enum likeness)_i);
      qsort(keys, sizes[s], 8, compare);
      check_differences(keys, sizes[s]);
    }
  free(keys);
}
END_TEST

/* Each bit length of a difference at each place in a group, beside small and large ones. */
START_TEST(test_each_difference) {
  uint64_t words[130];
  for (unsigned length = 0; length < 64; length++)
    for (unsigned usual = 0; usual <= 56; usual += 4) {
      words[0] = random_word() & 0xffff;
      for (size_t i = 1; i < 130; i++) {
        uint64_t step = i == 1 + length % 129 ? UINT64_C(1) << length : random_word() >> (63 - usual) >> 1;
        words[i] = words[i - 1] + step < words[i - 1] ? UINT64_MAX : words[i - 1] + step;
      }
      check_differences(words, 130);
    }
}
END_TEST

static struct checkpoint_head head_of(unsigned bits, uint32_t words, const char *permutation, uint64_t buckets) {
  return (struct checkpoint_head){
      .bits = bits, .words = words, .order = {.permutation = permutation, .seed = 5, .buckets = buckets}};
}

static const char *const families[] = {"mix", "feistel", "feistel1"};

START_TEST(test_positions) {
  for (unsigned bits = 1; bits < 64; bits++)
    for (int turn = 0; turn < 6; turn++) {
      uint64_t mask = UINT64_MAX >> (64 - bits);
      uint64_t buckets = turn == 0 ? 1 : turn == 1 ? mask + 1 : 1 + (random_word() & mask);
      struct checkpoint_head head = head_of(bits, 1, families[_i], buckets);
      struct bucket_order bucket_order = bucket_order_make(&head);
      ck_assert(bucket_order.used);
      for (int i = 0; i < 200; i++) {
        uint64_t p = i == 0 ? 0 : i == 1 ? mask : random_word() & mask, rank = bucket_order_position(&bucket_order, p);
        ck_assert_uint_eq(bucket_order_permuted(&bucket_order, rank), p);
        ck_assert_uint_eq(rank / bucket_order.remainders.divisor, p % buckets);
      }
    }
}
END_TEST

START_TEST(test_no_positions) {
  struct checkpoint_head heads[] = {head_of(64, 1, "mix", 9), head_of(40, 2, "mix", 9), head_of(40, 1, NULL, 9),
                                    head_of(40, 1, "user", 9), head_of(3, 1, "mix", 9)};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    ck_assert(!bucket_order_make(&heads[i]).used);
}
END_TEST

/* Words are decoded in any order, states of several words in their order. */
static void check_same_states(const uint64_t *states, const uint64_t *back, size_t n, uint32_t words) {
  uint64_t *expected = malloc(n * words * 8);
  memcpy(expected, states, n * words * 8);
  if (words == 1)
    qsort(expected, n, 8, compare);
  ck_assert_mem_eq(expected, back, n * words * 8);
  free(expected);
}

static void round_trip(struct coder *coder, const uint64_t *states, size_t n, bool index_keys) {
  unsigned coding;
  memcpy(coder->states, states, n * coder->words * 8);
  size_t length = coder_encode(coder, n, index_keys, &coding);
  ck_assert_uint_le(length, coder_most());
  memset(coder->states, 0xee, n * coder->words * 8);
  ck_assert(coder_decode(coder, coding, length, n));
  if (coder->words == 1)
    qsort(coder->states, n, 8, compare);
  check_same_states(states, coder->states, n, coder->words);
  for (unsigned other = 0; other < CODINGS; other++) /* rejected or wrong, never a crash */
    if (other != coding)
      coder_decode(coder, other, length, n);
}

START_TEST(test_one_word) {
  uint64_t *keys = malloc(BLOCK_WORDS * 8);
  for (unsigned bits = 1; bits <= 64; bits += bits < 40 ? 3 : 8)
    for (int family = 0; family < 4; family++) {
      struct checkpoint_head head = head_of(bits, 1, family < 3 ? families[family] : NULL, 1 + bits / 2);
      struct bucket_order bucket_order = bucket_order_make(&head);
      struct coder coder;
      ck_assert(coder_init(&coder, &bucket_order, bits, 1));
      for (size_t s = 0; s < SIZES - 1; s++) {
        make_keys(keys, sizes[s], bits, (enum likeness)_i);
        round_trip(&coder, keys, sizes[s], family % 2 == 0);
        round_trip(&coder, keys, sizes[s], true);
      }
      coder_free(&coder);
    }
  free(keys);
}
END_TEST

START_TEST(test_several_words) {
  const uint32_t words = (uint32_t)_i;
  struct bucket_order bucket_order = {.used = false};
  struct coder coder;
  ck_assert(coder_init(&coder, &bucket_order, 64 * words - 5, words));
  uint64_t *states = malloc(BLOCK_WORDS * 8);
  for (unsigned bits = 1; bits <= 64; bits += 9)
    for (size_t s = 0; s < SIZES; s++) {
      size_t n = sizes[s] * words <= BLOCK_WORDS ? sizes[s] : BLOCK_WORDS / words;
      make_keys(states, n * words, bits, SPREAD);
      round_trip(&coder, states, n, true);
    }
  free(states);
  coder_free(&coder);
}
END_TEST

/* Keys of a table in bucket order, unordered within a bucket, a few percent from elsewhere: nearly the number of
   bits of a random subset of keys of that density, log2(e * 2^bits / n). */
START_TEST(test_density) {
  enum { BITS = 40, N = 65536, BUCKET = 32 };
  const uint64_t buckets = UINT64_C(1) << 25; /* with 30 keys each: 10^9 keys, 1024 times as far apart as they are */
  struct checkpoint_head head = head_of(BITS, 1, "mix", buckets);
  struct bucket_order bucket_order = bucket_order_make(&head);
  struct coder coder;
  unsigned coding;
  ck_assert(coder_init(&coder, &bucket_order, BITS, 1));
  for (size_t i = 0; i < N; i++) {
    uint64_t address = i % 20 == 7 ? random_word() % buckets : 12345 + i / 30;
    uint64_t p = quotient_join(bucket_order.buckets, address, random_word() % bucket_order.remainders.divisor);
    coder.states[i] = permutation_invert(&bucket_order.permutation, p);
  }
  size_t length = coder_encode(&coder, N, true, &coding);
  ck_assert_uint_eq(coding, CODING_POSITIONS);
  /* 11.5 bits for 95 %, and 40 - log2(N / 20) + 1.5 = 30 for the others: 12.4 */
  ck_assert_uint_le(length * 8, (size_t)(12.8 * N));
  coder_free(&coder);
}
END_TEST

/* Invalid codes are rejected: positions that no key has, bits beyond the width of a key, no states. */
START_TEST(test_invalid_codes) {
  struct checkpoint_head head = head_of(5, 1, "mix", 3); /* 3 * 11 positions for 32 keys */
  struct bucket_order bucket_order = bucket_order_make(&head);
  struct coder coder;
  ck_assert(coder_init(&coder, &bucket_order, 5, 1));
  unsigned refused = 0;
  for (uint64_t rank = 0; rank < 40; rank++) {
    size_t length = delta_encode(&rank, 1, coder.bytes + PART_BYTES);
    refused += !coder_decode(&coder, CODING_POSITIONS, length, 1);
    delta_encode(&rank, 1, coder.bytes + PART_BYTES);
    ck_assert(coder_decode(&coder, CODING_DIFFERENCES, length, 1) == (rank < 32));
    store64(coder.bytes + PART_BYTES, rank);
    ck_assert(coder_decode(&coder, CODING_WORDS, 8, 1) == (rank < 32));
  }
  ck_assert_uint_eq(refused, 8);
  ck_assert(!coder_decode(&coder, CODING_WORDS, 0, 0));
  ck_assert(!coder_decode(&coder, CODING_WORDS, 16, 1));
  ck_assert(!coder_decode(&coder, CODING_FIELDS, 8, 1));
  ck_assert(!coder_decode(&coder, CODING_PLANES, 8, 1));
  coder_free(&coder);
}
END_TEST

static void no_leaks(void) { ck_assert_uint_eq(mem_live(), 0); }

int main(void) {
  TCase *tests = tcase_create("coding");
  tcase_add_checked_fixture(tests, NULL, no_leaks);
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_sort, 0, LIKENESSES);
  tcase_add_loop_test(tests, test_differences, 0, LIKENESSES);
  tcase_add_test(tests, test_each_difference);
  tcase_add_loop_test(tests, test_positions, 0, 3);
  tcase_add_test(tests, test_no_positions);
  tcase_add_loop_test(tests, test_one_word, 0, LIKENESSES);
  tcase_add_loop_test(tests, test_several_words, 2, 6);
  add_tests(tests, test_density, test_invalid_codes);
  return run_suite("checkpoint coding", CK_FORK_GETENV, tests);
}
