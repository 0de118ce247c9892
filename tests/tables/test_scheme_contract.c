/* Properties of the tables of every scheme: moving keys between tables, and counting
   slots. */
#include "table_set_suite.h"
#include "table_suite.h"

#include "tables/slot_count.h"

enum { KEYS = 600, FEW = 10, MOST_FORMS = 32 };

/* Every scheme, as a set and as maps, for keys of two widths. */
static size_t all_forms(struct table_config forms[MOST_FORMS], uint64_t slots) {
  size_t n = 0;
  for (const char *const *scheme = table_schemes(); *scheme; scheme++)
    for (unsigned value_bits = 0; value_bits <= 64; value_bits += 32)
      for (unsigned key_bits = 20; key_bits <= 24; key_bits += 4) {
        const struct table_config config = {
            .scheme = *scheme, .key_bits = key_bits, .value_bits = value_bits, .slots = slots};
        struct table_shape shape;
        ck_assert_uint_lt(n, MOST_FORMS);
        if (table_plan(&config, &shape) == FLOE_OK)
          forms[n++] = config;
      }
  return n;
}

/* ---- moving ------------------------------------------------------------------------------------------ */

static struct table *make_with_few(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t keys[FEW], values[FEW];
  uint8_t answers[FEW];
  for (uint64_t i = 0; i < FEW; i++)
    keys[i] = i * 1001, values[i] = i + 1;
  ck_assert_uint_eq(table_run(table, TABLE_PUT_NEW, keys, config->value_bits ? values : NULL, FEW, answers), 0);
  ck_assert_uint_eq(table_count(table), FEW);
  return table;
}

static void assert_few(struct table *table, bool values_too) {
  ck_assert_uint_eq(table_count(table), FEW);
  for (uint64_t i = 0; i < FEW; i++) {
    uint64_t key = i * 1001, value = 0;
    uint8_t answer;
    ck_assert_uint_eq(find_one(table, key), TABLE_FOUND);
    if (!values_too)
      continue;
    table_run(table, TABLE_GET, &key, &value, 1, &answer);
    ck_assert_uint_eq(value, i + 1);
  }
}

static bool same_form(const struct table_config *a, const struct table_config *b) {
  return strcmp(a->scheme, b->scheme) == 0 && a->key_bits == b->key_bits && a->value_bits == b->value_bits;
}

static void move(const struct table_config *a, const struct table_config *b) {
  struct table *from = make_with_few(a), *to = make_table(b);
  if (same_form(a, b)) {
    ck_assert_ptr_null(table_cannot_move(from, to));
    ck_assert_uint_eq(table_rehash(from, to, 0, 1), 0);
    assert_few(to, a->value_bits != 0);
  } else {
    ck_assert_msg(table_cannot_move(from, to) != NULL,
                  "%s, keys of %u, values of %u, into %s, keys of %u, values of %u", a->scheme, a->key_bits,
                  a->value_bits, b->scheme, b->key_bits, b->value_bits);
    ck_assert_uint_eq(table_rehash(from, to, 0, 1), UINT64_MAX);
    ck_assert_uint_eq(table_count(to), 0);
  }
  assert_few(from, a->value_bits != 0);
  table_free(from);
  table_free(to);
}

START_TEST(keys_move_to_their_like_only) {
  struct table_config forms[MOST_FORMS];
  const size_t n = all_forms(forms, 200);
  ck_assert_uint_ge(n, 4);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      move(&forms[i], &forms[j]);
}
END_TEST

START_TEST(a_table_does_not_take_its_own_keys) {
  struct table_config forms[MOST_FORMS];
  all_forms(forms, 200);
  struct table *table = make_with_few(&forms[0]);
  ck_assert_ptr_nonnull(table_cannot_move(table, table));
  ck_assert_uint_eq(table_rehash(table, table, 0, 1), UINT64_MAX);
  assert_few(table, false);
  table_free(table);
}
END_TEST

/* ---- counting ------------------------------------------------------------------------------------------ */

static uint64_t slot_at(const uint64_t *words, size_t i, unsigned bits) {
  return words[i * bits / 64] >> i * bits % 64 & largest_key(bits);
}

static void assert_counted(const uint64_t *words, size_t n_words, unsigned bits, uint64_t value) {
  const size_t n = n_words * 64 / bits;
  uint64_t unlike = 0;
  for (size_t i = 0; i < n; i++)
    unlike += slot_at(words, i, bits) != value;
  ck_assert_uint_eq(count_unlike(words, n, bits, value), unlike);
}

/* Slots of zeros, ones, the highest bit alone, and others. */
START_TEST(slots_are_counted_by_words) {
  enum { WORDS = 64 };
  uint64_t words[WORDS], state = 3, first = 0, low = 0;
  for (unsigned round = 0; round < 200; round++) {
    first = low = 0;
    for (unsigned i = 0; i < WORDS; i++) {
      words[i] = 0;
      for (unsigned at = 0; at < 64; at += 16) {
        const uint64_t random = splitmix64_next(&state), kind = random >> 60 & 7;
        words[i] |= (kind < 3    ? 0
                     : kind == 3 ? 0xffff
                     : kind == 4 ? 0x8000
                     : kind == 5 ? 0x7fff
                                 : random & 0xffff)
                    << at;
      }
      if (round % 4 == 0 && i % 3 == 0)
        words[i] = round % 8 ? UINT64_MAX : 0;
      first += i % 2 == 0 && words[i] != 0;
      low += words[i] << 32 != 0;
    }
    for (unsigned bits = 16; bits <= 64; bits *= 2) {
      assert_counted(words, WORDS, bits, 0);
      assert_counted(words, WORDS, bits, largest_key(bits));
    }
    for (unsigned bits = 32; bits <= 64; bits *= 2)
      ck_assert_uint_eq(count_living(words, WORDS * 64 / bits, bits),
                        count_unlike(words, WORDS * 64 / bits, bits, 0) +
                            count_unlike(words, WORDS * 64 / bits, bits, largest_key(bits)) - WORDS * 64 / bits);
    ck_assert_uint_eq(count_pairs(words, WORDS / 2), first);
    ck_assert_uint_eq(count_low_halves(words, WORDS), low);
  }
}
END_TEST

/* ---- every scheme ------------------------------------------------------------------------------------ */

START_TEST(sets_are_sets) {
  unsigned sets = 0;
  for (const char *const *scheme = table_schemes(); *scheme; scheme++) {
    if (!set_is_one(*scheme))
      continue;
    set_by_threads(*scheme);
    sets++;
  }
  ck_assert_uint_ge(sets, 2);
}
END_TEST

START_TEST(keys_have_numbers) {
  unsigned stable = 0;
  for (const char *const *scheme = table_schemes(); *scheme; scheme++) {
    set_with_numbers(*scheme);
    set_with_numbers_by_threads(*scheme);
    stable += table_traits(*scheme)->stable;
  }
  ck_assert_uint_ge(stable, 1);
}
END_TEST

START_TEST(schemes_are_as_they_say) {
  for (const char *const *scheme = table_schemes(); *scheme; scheme++) {
    set_like_its_traits(*scheme);
    ck_assert_str_eq(table_scheme_name(*scheme), *scheme);
  }
  ck_assert_str_eq(table_scheme_name(NULL), table_schemes()[0]);
  ck_assert_ptr_null(table_traits("no such scheme"));
}
END_TEST

/* ---- forms of the scan ------------------------------------------------------------------------------- */

static const char *const schemes[] = {"iceberg", "linear", "cuckoo", "robin-hood"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static struct table_config plain(const char *scheme) {
  return (struct table_config){
      .scheme = scheme, .key_bits = 30, .slots = 500, .value_bits = strcmp(scheme, "robin-hood") == 0 ? 32 : 0};
}

/* Cuckoo tables have no form for AVX-512; Robin Hood tables have one form for all. */
static const char *form_of(const char *scheme, const char *asked) {
  if (strcmp(scheme, "robin-hood") == 0)
    return "portable";
  return strcmp(scheme, "cuckoo") == 0 && strcmp(asked, "avx512") == 0 ? "avx2" : asked;
}

static void has_form(const char *asked) {
  for (size_t i = 0; i < SCHEMES; i++) {
    const struct table_config config = plain(schemes[i]);
    struct table *table = make_table(&config);
    ck_assert_str_eq(table_simd(table), form_of(schemes[i], asked));
    table_free(table);
  }
}

static char *environment_asks(void) { return simd_requested() ? strdup(simd_requested()) : NULL; }

static void environment_asks_again(char *before) {
  setenv(SIMD_VARIABLE, before ? before : "", 1); /* empty: no request */
  free(before);
}

START_TEST(the_environment_chooses_a_form) {
  char *before = environment_asks();
  unsetenv(SIMD_VARIABLE);
  has_form(simd_forms()[0]);
  setenv(SIMD_VARIABLE, "", 1);
  has_form(simd_forms()[0]);
  for (const char *const *form = simd_forms(); *form; form++) {
    setenv(SIMD_VARIABLE, *form, 1);
    has_form(*form);
    struct table_config config = plain("linear"); /* the configuration's form has priority */
    config.simd = "portable";
    struct table *table = make_table(&config);
    ck_assert_str_eq(table_simd(table), "portable");
    table_free(table);
  }
  environment_asks_again(before);
}
END_TEST

START_TEST(an_unknown_form_is_refused) {
  char *before = environment_asks();
  setenv(SIMD_VARIABLE, "mmx", 1);
  ck_assert_ptr_null(simd_choose(NULL));
  for (size_t i = 0; i < SCHEMES; i++) {
    const struct table_config config = plain(schemes[i]);
    struct table *table;
    ck_assert_int_eq(table_create(&config, &table), FLOE_ERROR_UNSUPPORTED);
  }
  environment_asks_again(before);
}
END_TEST

int main(void) {
  return RUN_SUITE("seam", the_environment_chooses_a_form, an_unknown_form_is_refused, keys_move_to_their_like_only,
                   a_table_does_not_take_its_own_keys, slots_are_counted_by_words, sets_are_sets, keys_have_numbers,
                   schemes_are_as_they_say);
}
