/* Every family is a bijection of [0, 2^M) for every M, with its inverse. */
#include "tests/tables/table_suite.h"

#include "tables/permutation.h"

/* A user's permutation: addition of a number, different for each of the table's three. */
static uint64_t add(void *data, unsigned number, unsigned bits, uint64_t key) {
  return (key + *(uint64_t *)data + number) & largest_key(bits);
}
static uint64_t subtract(void *data, unsigned number, unsigned bits, uint64_t key) {
  return (key - *(uint64_t *)data - number) & largest_key(bits);
}
static uint64_t added = 12345;
static const struct permutation_user user = {add, subtract, &added, NULL, NULL};

static struct permutation make_permutation(const char *name, unsigned bits, uint64_t seed, unsigned number) {
  struct permutation p;
  ck_assert_int_eq(permutation_make(name, bits, seed, number, &user, &p), FLOE_OK);
  return p;
}

static void check_exhaustively(const char *name, unsigned bits, uint64_t seed, uint8_t *seen) {
  struct permutation p = make_permutation(name, bits, seed, (unsigned)seed % 3);
  uint64_t wrong = 0;
  memset(seen, 0, (size_t)1 << bits);
  for (uint64_t x = 0; x <= p.mask; x++) {
    uint64_t y = permutation_apply(&p, x);
    if (y > p.mask)
      ck_abort_msg("%s of %u bits leaves its range", name, bits);
    wrong += seen[y] || permutation_invert(&p, y) != x;
    seen[y] = 1;
  }
  ck_assert_uint_eq(wrong, 0);
}

static void check_at_random(const char *name, unsigned bits) {
  uint64_t state = bits, wrong = 0;
  for (uint64_t seed = 0; seed < 4; seed++) {
    struct permutation p = make_permutation(name, bits, seed, (unsigned)seed % 3);
    for (int i = 0; i < 500; i++) {
      uint64_t x = i == 0 ? 0 : i == 1 ? p.mask : splitmix64_next(&state) & p.mask;
      uint64_t y = permutation_apply(&p, x);
      wrong += y > p.mask || permutation_invert(&p, y) != x;
      wrong += permutation_apply(&p, permutation_invert(&p, x)) != x;
    }
  }
  ck_assert_uint_eq(wrong, 0);
}

static const char *const families[] = {"mix", "feistel", "feistel1", "user"};

START_TEST(narrow_ones_are_bijections) {
  uint8_t *seen = malloc(1 << 16);
  for (size_t f = 0; f < 4; f++)
    for (unsigned bits = 1; bits <= 16; bits++)
      for (uint64_t seed = 0; seed < 3; seed++)
        check_exhaustively(families[f], bits, seed, seen);
  free(seen);
}
END_TEST

START_TEST(wide_ones_have_inverses) {
  for (size_t f = 0; f < 4; f++)
    for (unsigned bits = 1; bits <= 64; bits++)
      check_at_random(families[f], bits);
}
END_TEST

START_TEST(names_are_known) {
  struct permutation p;
  for (const char *const *name = permutation_names(); *name; name++)
    ck_assert_int_eq(permutation_make(*name, 20, 0, 0, NULL, &p), FLOE_OK);
  ck_assert_int_eq(permutation_make(NULL, 20, 0, 0, NULL, &p), FLOE_OK);
  ck_assert_int_eq(p.kind, PERMUTATION_MIX);
  ck_assert_int_eq(permutation_make("md5", 20, 0, 0, NULL, &p), FLOE_ERROR_USAGE);
  ck_assert_int_eq(permutation_make("user", 20, 0, 0, NULL, &p), FLOE_ERROR_USAGE);
}
END_TEST

/* Keys that differ in few bits must not pile up: the counters of a model, times a stride, fill buckets about as evenly
   as chance does. (feistel1 is the paper's and is not held to it.) */
static double worst_bucket(const char *name, unsigned bits, uint64_t stride) {
  enum { KEYS = 1 << 14, BUCKETS = 1 << 10 };
  static unsigned load[BUCKETS];
  struct permutation p = make_permutation(name, bits, 1, 0);
  unsigned worst = 0;
  memset(load, 0, sizeof load);
  for (uint64_t i = 0; i < KEYS; i++) {
    unsigned at = (unsigned)(permutation_apply(&p, i * stride & p.mask) % BUCKETS);
    if (++load[at] > worst)
      worst = load[at];
  }
  return (double)worst * BUCKETS / KEYS;
}

START_TEST(regular_keys_spread) {
  for (unsigned bits = 20; bits <= 64; bits += 4)
    for (unsigned shift = 0; shift + 15 <= bits; shift += 5)
      for (size_t f = 0; f < 2; f++)
        ck_assert_double_le(worst_bucket(families[f], bits, UINT64_C(1) << shift), 3.0);
}
END_TEST

int main(void) {
  return RUN_SUITE("permutation", narrow_ones_are_bijections, wide_ones_have_inverses, names_are_known,
                   regular_keys_spread);
}
