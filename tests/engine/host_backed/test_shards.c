/* The sharded set against a reference set: results of every batch, growth, limits of budget and memory. */
#include "tests/tables/table_suite.h"

#include "engine/host_backed/shards.h"

enum { MOST_SHARDS = 1 << SHARD_MOST_BITS };

/* ---- batches of keys ------------------------------------------------------------------------- */

struct work {
  struct shards_batch batch;
  uint64_t first[MOST_SHARDS], count[MOST_SHARDS];
  uint64_t words;  /* of the bitmaps */
  uint64_t *where; /* [n] index of each key's rest */
  void *rests;
};

static void count_keys(struct work *work, struct shard_rule rule, const uint64_t *keys, size_t n) {
  uint64_t rest;
  for (size_t i = 0; i < n; i++)
    work->count[shard_of(rule, keys[i], &rest)]++;
}

/* Shards with gaps between them, before the first one too. */
static uint64_t lay_out(struct work *work, unsigned shards, uint64_t gap) {
  uint64_t at = 64 * gap;
  for (unsigned i = 0; i < shards; i++) {
    work->first[i] = at;
    at += (work->count[i] + 63) / 64 * 64 + 64 * (i % 2 && i + 1 < shards ? gap : 0);
    work->count[i] = 0;
  }
  return at;
}

static void fill(struct work *work, struct shard_rule rule, const uint64_t *keys, size_t n) {
  uint64_t rest;
  for (size_t i = 0; i < n; i++) {
    const uint32_t shard = shard_of(rule, keys[i], &rest);
    const uint64_t at = work->where[i] = work->first[shard] + work->count[shard]++;
    if (work->batch.rest_bytes == 4)
      ((uint32_t *)work->rests)[at] = (uint32_t)rest;
    else
      ((uint64_t *)work->rests)[at] = rest;
  }
}

static struct work *create_batch(struct shard_rule rule, unsigned rest_bytes, uint64_t gap, const uint64_t *keys,
                                 size_t n) {
  struct work *work = calloc(1, sizeof *work);
  count_keys(work, rule, keys, n);
  const uint64_t room = lay_out(work, 1u << rule.bits, gap);
  work->words = room / 64;
  work->rests = malloc(room * rest_bytes + 1);
  work->where = malloc((n + 1) * sizeof *work->where);
  work->batch = (struct shards_batch){.rests = work->rests,
                                      .rest_bytes = rest_bytes,
                                      .first = work->first,
                                      .count = work->count,
                                      .fresh = malloc(work->words * 8 + 8),
                                      .refused = malloc(work->words * 8 + 8)};
  /* Fills the bitmaps with garbage; the word behind the last one must not change. */
  memset(work->batch.fresh, 0xa5, work->words * 8 + 8);
  memset(work->batch.refused, 0xa5, work->words * 8 + 8);
  fill(work, rule, keys, n);
  return work;
}

static void free_batch(struct work *work) {
  free(work->batch.fresh);
  free(work->batch.refused);
  free(work->where);
  free(work->rests);
  free(work);
}

static bool bit(const uint64_t *bitmap, uint64_t i) { return bitmap[i / 64] >> i % 64 & 1; }

/* ---- comparison with a reference set --------------------------------------------------------- */

struct checked {
  struct shards *set;
  struct thread_pool *pool;
  struct reference reference;
  struct budget budget;
  struct shard_rule rule;
  unsigned rest_bytes;
  uint64_t gap;
};

static void open_set(struct checked *checked, struct shards_config config, unsigned threads, uint64_t at_most) {
  if (!checked->budget.limit)
    checked->budget.limit = UINT64_C(1) << 40;
  config.budget = &checked->budget;
  ck_assert_int_eq(shards_create(&config, &checked->set), FLOE_OK);
  ck_assert_int_eq(pool_create(threads, &checked->pool), FLOE_OK);
  checked->reference = reference_make(at_most);
  checked->rule = shards_rule(checked->set);
  checked->rest_bytes = config.key_bits - checked->rule.bits <= 32 ? 4 : 8;
}

static void close_set(struct checked *checked) {
  shards_free(checked->set);
  pool_free(checked->pool);
  reference_free(&checked->reference);
  ck_assert_uint_eq(budget_used(&checked->budget), 0);
  *checked = (struct checked){0};
}

/* Exactly the expected bits are 1. */
static void check_bits(const struct work *work, uint64_t fresh, uint64_t refused) {
  uint64_t fresh_bits = 0, refused_bits = 0;
  for (uint64_t i = 0; i < work->words; i++) {
    fresh_bits += (unsigned)__builtin_popcountll(work->batch.fresh[i]);
    refused_bits += (unsigned)__builtin_popcountll(work->batch.refused[i]);
  }
  ck_assert_uint_eq(fresh_bits, fresh);
  ck_assert_uint_eq(refused_bits, refused);
  ck_assert_uint_eq(work->batch.new_count, fresh);
  ck_assert_uint_eq(work->batch.refused_count, refused);
}

/* Compares results with the reference set, which gets the new keys. The refused ones are collected in `keys`;
   returns their number. A known key is neither fresh nor refused; of new equal ones one is fresh, or all are
   refused, or (if the table grew in between) some are refused before one is fresh. */
static size_t check_results(struct checked *checked, const struct work *work, uint64_t *keys, size_t n) {
  uint64_t fresh = 0;
  size_t refused = 0;
  for (size_t i = 0; i < n; i++) {
    const bool is_fresh = bit(work->batch.fresh, work->where[i]), is_refused = bit(work->batch.refused, work->where[i]);
    ck_assert(!(is_fresh && is_refused));
    if (is_fresh || is_refused)
      ck_assert_msg(!reference_has(&checked->reference, keys[i]), "a known key is not found");
  }
  for (size_t i = 0; i < n; i++)
    if (bit(work->batch.fresh, work->where[i])) {
      ck_assert_msg(!reference_has(&checked->reference, keys[i]), "a key is fresh twice");
      reference_put(&checked->reference, keys[i]);
      fresh++;
    }
  for (size_t i = 0; i < n; i++)
    if (bit(work->batch.refused, work->where[i]))
      keys[refused++] = keys[i];
    else
      ck_assert_msg(reference_has(&checked->reference, keys[i]), "a new key is not fresh");
  check_bits(work, fresh, refused);
  return refused;
}

/* Moves the refused keys to the front of `keys`; returns their number. */
static size_t lookup(struct checked *checked, uint64_t *keys, size_t n) {
  struct work *work = create_batch(checked->rule, checked->rest_bytes, checked->gap, keys, n);
  shards_find_or_put(checked->set, checked->pool, &work->batch);
  ck_assert_uint_eq(work->batch.fresh[work->words], UINT64_C(0xa5a5a5a5a5a5a5a5));
  ck_assert_uint_eq(work->batch.refused[work->words], UINT64_C(0xa5a5a5a5a5a5a5a5));
  const size_t refused = check_results(checked, work, keys, n);
  ck_assert_uint_eq(shards_keys(checked->set), checked->reference.count);
  free_batch(work);
  return refused;
}

/* ---- iteration ------------------------------------------------------------------------------- */

struct seen {
  const struct reference *reference;
  struct reference twice;
};

static void count_key(void *user, const uint64_t *keys, size_t n) {
  struct seen *seen = user;
  for (size_t i = 0; i < n; i++) {
    ck_assert(reference_has(seen->reference, keys[i]));
    ck_assert(!reference_has(&seen->twice, keys[i]));
    reference_put(&seen->twice, keys[i]);
  }
}

static void check_each(const struct checked *checked, unsigned parts) {
  struct seen seen = {&checked->reference, reference_make(checked->reference.count + 1)};
  for (unsigned part = 0; part < parts; part++)
    shards_each(checked->set, part, parts, count_key, &seen);
  ck_assert_uint_eq(seen.twice.count, checked->reference.count);
  reference_free(&seen.twice);
}

/* ---- batches --------------------------------------------------------------------------------- */

/* About a third of the keys repeat in the batch or were there before. */
static void draw(uint64_t *keys, size_t n, unsigned key_bits, uint64_t *state, uint64_t range) {
  const uint64_t largest = largest_key(key_bits);
  for (size_t i = 0; i < n; i++)
    keys[i] = splitmix64_next(state) % range * UINT64_C(0x9e3779b97f4a7c15) & largest;
}

enum { BATCH = 20000, BATCHES = 6 };

static void check_batches(struct shards_config config, unsigned threads, uint64_t gap) {
  struct checked checked = {.gap = gap};
  uint64_t *keys = malloc(BATCH * sizeof *keys), state = config.key_bits;
  open_set(&checked, config, threads, BATCH * BATCHES);
  for (unsigned i = 0; i < BATCHES; i++) {
    draw(keys, BATCH / (i + 1), config.key_bits, &state, 2 * BATCH);
    ck_assert_uint_eq(lookup(&checked, keys, BATCH / (i + 1)), 0);
  }
  ck_assert_uint_eq(lookup(&checked, keys, 0), 0);
  ck_assert_uint_ge(shards_slots(checked.set), shards_keys(checked.set));
  ck_assert_uint_eq(shards_bytes(checked.set), budget_used(&checked.budget));
  check_each(&checked, 1);
  check_each(&checked, 7);
  check_each(&checked, (2u << checked.rule.bits) + 3);
  close_set(&checked);
  free(keys);
}

/* Under ThreadSanitizer allocating and freeing takes a hundred times as long: a few widths suffice there. */
#ifdef __SANITIZE_THREAD__
enum { WIDTH_STEP = 9 };
#else
enum { WIDTH_STEP = 1 };
#endif

START_TEST(every_width) {
  for (unsigned key_bits = 1; key_bits <= 64; key_bits += WIDTH_STEP)
    if (falls_to_form(key_bits))
      check_batches((struct shards_config){.key_bits = key_bits}, 1 + key_bits % 3, key_bits % 4);
}
END_TEST

START_TEST(every_number_of_shards) {
  for (unsigned bits = 1; bits <= SHARD_MOST_BITS; bits += WIDTH_STEP)
    if (falls_to_form(bits))
      check_batches((struct shards_config){.key_bits = 30 + bits, .bits = bits}, 2, 1);
}
END_TEST

START_TEST(every_scheme_that_explores) {
  for (const char *const *scheme = table_schemes(); *scheme; scheme++)
    for (const char *const *name = permutation_names(); *name; name++) {
      const struct table_config table = {.scheme = *scheme, .key_bits = 37};
      const unsigned key_bits = table_traits(*scheme)->every_key ? 25 : 45;
      const struct shards_config config = {.scheme = *scheme, .permutation = *name, .key_bits = key_bits};
      if (!table_cannot(&table, TABLE_FIND_OR_PUT) && table_traits(*scheme)->sets) {
        check_batches(config, 2, 0);
        continue;
      }
      struct budget budget = {.limit = UINT64_C(1) << 40};
      struct shards_config refused = config;
      struct shards *set;
      refused.budget = &budget;
      ck_assert_int_eq(shards_create(&refused, &set), FLOE_ERROR_USAGE);
    }
}
END_TEST

START_TEST(duplicates_in_one_batch) {
  struct checked checked = {0};
  uint64_t keys[5000];
  open_set(&checked, (struct shards_config){.key_bits = 40}, 3, 5000);
  for (unsigned i = 0; i < 5000; i++)
    keys[i] = i % 7;
  ck_assert_uint_eq(lookup(&checked, keys, 5000), 0);
  ck_assert_uint_eq(shards_keys(checked.set), 7);
  close_set(&checked);
}
END_TEST

/* The expected number of keys needs no growth; many more do. */
START_TEST(expected_keys_fit) {
  enum { KEYS = 300000 };
  struct checked checked = {0};
  uint64_t *keys = malloc(KEYS * sizeof *keys), state = 5;
  open_set(&checked, (struct shards_config){.key_bits = 40, .bits = 4, .expected = KEYS}, 2, KEYS);
  for (unsigned i = 0; i < KEYS; i++)
    keys[i] = splitmix64_next(&state) & largest_key(40);
  ck_assert_uint_eq(lookup(&checked, keys, KEYS), 0);
  ck_assert_uint_eq(shards_growths(checked.set), 0);
  close_set(&checked);
  open_set(&checked, (struct shards_config){.key_bits = 40, .bits = 4, .expected = 100}, 2, KEYS);
  ck_assert_uint_eq(lookup(&checked, keys, KEYS), 0);
  ck_assert_uint_gt(shards_growths(checked.set), 16);
  close_set(&checked);
  free(keys);
}
END_TEST

/* A bitmap, if tables for the expected keys would be as large. */
START_TEST(small_key_sets_are_bitmaps) {
  enum { BITS = 17 };
  const uint64_t bytes = (UINT64_C(1) << BITS) / 8;
  const struct shards_config dense = {.key_bits = BITS, .bits = 1, .expected = bytes};
  struct shards_config sparse = dense, named = dense;
  struct checked checked = {0};
  sparse.expected = bytes / 4;
  named.scheme = "iceberg";
  check_batches(dense, 3, 1);
  open_set(&checked, dense, 1, 1);
  ck_assert_uint_eq(shards_bytes(checked.set), bytes);
  ck_assert_uint_eq(shards_slots(checked.set), UINT64_C(1) << BITS);
  close_set(&checked);
  checked.budget.limit = bytes; /* which must leave room for more than that */
  open_set(&checked, dense, 1, 1);
  ck_assert_uint_lt(shards_bytes(checked.set), bytes);
  close_set(&checked);
  open_set(&checked, sparse, 1, 1);
  ck_assert_uint_lt(shards_slots(checked.set), UINT64_C(1) << BITS);
  close_set(&checked);
  open_set(&checked, named, 1, 1);
  ck_assert_uint_ne(shards_bytes(checked.set), bytes);
  close_set(&checked);
}
END_TEST

/* A bitmap replaces a hash table that would be as large; a named scheme is kept. */
START_TEST(large_key_sets_become_bitmaps) {
  enum { BITS = 20, KEYS = 400000 };
  const uint64_t bytes = (UINT64_C(1) << BITS) / 8;
  struct shards_config config = {.key_bits = BITS, .bits = 2, .expected = bytes / 8};
  struct checked checked = {0};
  uint64_t *keys = malloc(KEYS * sizeof *keys), state = 11;
  for (unsigned i = 0; i < KEYS; i++)
    keys[i] = splitmix64_next(&state) & largest_key(BITS);
  for (unsigned named = 0; named < 2; named++) {
    config.scheme = named ? "iceberg" : NULL;
    open_set(&checked, config, 2, KEYS);
    for (unsigned done = 0; done < KEYS; done += KEYS / 8) /* some keys are known, in each batch */
      ck_assert_uint_eq(lookup(&checked, keys + done / 2, KEYS / 8), 0);
    ck_assert_uint_ge(shards_growths(checked.set), 4);
    ck_assert_int_eq(shards_bytes(checked.set) == bytes, !named);
    check_each(&checked, 3);
    close_set(&checked);
  }
  free(keys);
}
END_TEST

/* ---- out of memory --------------------------------------------------------------------------- */

/* Inserts until keys are refused; then those, others and known ones again, within the same budget and then in a
   larger one. */
static void check_budget(unsigned key_bits, unsigned threads, uint64_t limit) {
  enum { KEYS = 60000 };
  struct checked checked = {.budget.limit = limit};
  uint64_t *keys = malloc(KEYS * sizeof *keys), *known = malloc(KEYS * sizeof *known), state = 9;
  open_set(&checked, (struct shards_config){.key_bits = key_bits, .bits = 3}, threads, 10 * KEYS);
  draw(known, KEYS, key_bits, &state, UINT64_MAX);
  memcpy(keys, known, KEYS * sizeof *keys);
  size_t refused = lookup(&checked, keys, KEYS);
  ck_assert_uint_gt(refused, 0);
  ck_assert_uint_le(budget_used(&checked.budget), limit);
  ck_assert_uint_ge(shards_keys(checked.set) * 4, shards_slots(checked.set) * 3);
  const uint64_t before = shards_keys(checked.set);
  ck_assert_uint_gt(lookup(&checked, known, KEYS), 0); /* known keys are found */
  ck_assert_uint_ge(shards_keys(checked.set), before);
  checked.budget.limit = UINT64_C(1) << 40;
  ck_assert_uint_eq(lookup(&checked, keys, refused), 0);
  check_each(&checked, 3);
  close_set(&checked);
  free(keys);
  free(known);
}

START_TEST(exhausted_budgets) {
  check_budget(32, 1, 120000);
  check_budget(40, 3, 150000);
  check_budget(64, 2, 300000);
}
END_TEST

/* The planned number of keys fits in that memory, allocated from the start. */
START_TEST(planned_keys_fit) {
  for (unsigned key_bits = 24; key_bits <= 64; key_bits += 8)
    for (uint64_t bytes = 1 << 20; bytes <= 1 << 24; bytes <<= 2) {
      struct budget budget = {.limit = bytes};
      struct shards_config config = {.key_bits = key_bits, .bits = 4, .budget = &budget};
      struct shards_plan plan;
      struct shards *set;
      ck_assert_int_eq(shards_plan(&config, bytes, &plan), FLOE_OK);
      ck_assert_uint_le(plan.bytes, bytes);
      ck_assert_uint_eq(plan.shards, 16);
      config.expected = plan.keys;
      ck_assert_int_eq(shards_create(&config, &set), FLOE_OK);
      ck_assert_uint_ge(shards_slots(set), plan.keys - plan.keys / 50);
      ck_assert_uint_le(shards_bytes(set), bytes);
      shards_free(set);
    }
  struct shards_plan plan;
  ck_assert_int_eq(shards_plan(&(struct shards_config){.key_bits = 40}, 1000, &plan), FLOE_ERROR_MEMORY);
  ck_assert_int_eq(shards_plan(&(struct shards_config){.key_bits = 65}, 1 << 20, &plan), FLOE_ERROR_USAGE);
}
END_TEST

static void expect_creation_error(struct shards_config config, uint64_t limit, floe_status expected) {
  struct budget budget = {.limit = limit};
  struct shards *set;
  config.budget = &budget;
  ck_assert_int_eq(shards_create(&config, &set), expected);
  ck_assert_uint_eq(budget_used(&budget), 0);
}

START_TEST(invalid_configurations) {
  const uint64_t much = UINT64_C(1) << 40;
  expect_creation_error((struct shards_config){.key_bits = 0}, much, FLOE_ERROR_USAGE);
  expect_creation_error((struct shards_config){.key_bits = 65}, much, FLOE_ERROR_USAGE);
  expect_creation_error((struct shards_config){.key_bits = 8, .bits = 8}, much, FLOE_ERROR_USAGE);
  expect_creation_error((struct shards_config){.key_bits = 30, .bits = SHARD_MOST_BITS + 1}, much, FLOE_ERROR_USAGE);
  expect_creation_error((struct shards_config){.key_bits = 30, .scheme = "toy"}, much, FLOE_ERROR_USAGE);
  expect_creation_error((struct shards_config){.key_bits = 30, .permutation = "toy"}, much, FLOE_ERROR_USAGE);
  expect_creation_error((struct shards_config){.key_bits = 30}, 1000, FLOE_ERROR_MEMORY);
}
END_TEST

/* Fails each allocation in turn: no set, or keys are refused and fit afterwards. */
START_TEST(failing_allocations) {
  enum { KEYS = 4000 };
  struct budget budget = {.limit = UINT64_C(1) << 40};
  const struct shards_config config = {.key_bits = 40, .bits = 1, .budget = &budget};
  struct shards *set = NULL;
  uint64_t keys[KEYS], state = 3;
  for (long n = 1; !set; n++) {
    mem_fail_after(n);
    const floe_status status = shards_create(&config, &set);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK ? set != NULL : status == FLOE_ERROR_MEMORY && !set);
    ck_assert(set || budget_used(&budget) == 0);
  }
  shards_free(set);
  bool grown = false;
  for (long n = 1; !grown; n++) {
    struct checked checked = {0};
    open_set(&checked, (struct shards_config){.key_bits = 40, .bits = 1}, 1, KEYS);
    draw(keys, KEYS, 40, &state, UINT64_MAX);
    mem_fail_after(n);
    const size_t refused = lookup(&checked, keys, KEYS);
    mem_fail_after(0);
    grown = n > 20;
    ck_assert_uint_eq(lookup(&checked, keys, refused), 0);
    close_set(&checked);
  }
}
END_TEST

/* ---- loading --------------------------------------------------------------------------------- */

struct loader {
  struct shards *set;
  bool all;
};

static void load(void *user, const uint64_t *keys, size_t n) {
  struct loader *loader = user;
  loader->all &= shards_put(loader->set, keys, n);
}

struct loading {
  const struct shards *from;
  struct shards *to;
};

/* Each thread inserts all keys: they meet in every shard. */
static void load_all(void *user, unsigned member) {
  struct loading *loading = user;
  struct loader loader = {loading->to, true};
  shards_each(loading->from, member % 2, 2, load, &loader);
  shards_each(loading->from, 1 - member % 2, 2, load, &loader);
  ck_assert(loader.all);
}

START_TEST(keys_are_loaded) {
  enum { KEYS = 50000 };
  struct checked checked = {0};
  uint64_t *keys = malloc(KEYS * sizeof *keys), state = 5;
  open_set(&checked, (struct shards_config){.key_bits = 48}, 3, KEYS);
  draw(keys, KEYS, 48, &state, UINT64_MAX);
  lookup(&checked, keys, KEYS);
  struct shards *to;
  ck_assert_int_eq(shards_create(&(struct shards_config){.key_bits = 48, .bits = 5, .budget = &checked.budget}, &to),
                   FLOE_OK);
  pool_run(checked.pool, load_all, &(struct loading){checked.set, to});
  ck_assert_uint_eq(shards_keys(to), checked.reference.count);
  shards_free(checked.set);
  checked.set = to;
  check_each(&checked, 5);
  close_set(&checked);
  free(keys);
}
END_TEST

START_TEST(refused_keys_are_reported) {
  enum { KEYS = 50000 };
  struct checked checked = {.budget.limit = 100000};
  uint64_t *keys = malloc(KEYS * sizeof *keys), state = 5;
  open_set(&checked, (struct shards_config){.key_bits = 48, .bits = 2}, 1, KEYS);
  draw(keys, KEYS, 48, &state, UINT64_MAX);
  ck_assert(shards_put(checked.set, keys, 100));
  ck_assert(!shards_put(checked.set, keys, KEYS));
  checked.budget.limit = UINT64_C(1) << 40;
  ck_assert(shards_put(checked.set, keys, KEYS));
  ck_assert_uint_eq(shards_keys(checked.set), KEYS);
  close_set(&checked);
  free(keys);
}
END_TEST

int main(void) {
  return RUN_IN_FORMS("shards", every_width, every_number_of_shards, every_scheme_that_explores,
                      small_key_sets_are_bitmaps, expected_keys_fit, large_key_sets_become_bitmaps,
                      duplicates_in_one_batch, exhausted_budgets, invalid_configurations, failing_allocations,
                      keys_are_loaded, refused_keys_are_reported, planned_keys_fit);
}
