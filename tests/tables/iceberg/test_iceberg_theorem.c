/* Appendix A of the paper, part by part, with level 3, for every slot width and bucket size.

     definition 1   the order of a key's slots         definition_1_keys_take_the_least_empty_slot
     definition 2   well-formedness                    damage_is_found and those after it: the check can fail
     lemma 1        no key is there twice              lemma_1_no_key_is_there_twice
     lemma 2        full slots do not change           lemma_2_full_slots_do_not_change
                    (with deletion: what is full and different stays so)
     lemma 3        each step keeps the table
                    well-formed                        lemma_3_each_step_keeps_the_table_well_formed
     lemma 4        every call ends                    b_every_call_ends_with_an_answer; against a thread that is always
                                                       faster: test_first_empty_slot.c
     theorem 1      (a) to (e), one thread             a_..., b_..., c_d_e_...
                    in parallel, with its corollary    theorem_1_in_parallel, and test_stress.c
   What deletion adds is in test_iceberg_delete.c; that it keeps lemmas 1 to 3 here. */
#include "tests/tables/table_suite.h"

#include "tables/iceberg/iceberg.h"
#include "tables/kernel/slot_number.h"

#include "tables/host_table.h"
#include "tables/iceberg/iceberg_overflow.h"

#include <math.h>
#include <pthread.h>

/* Tables small enough to be filled many times, with keys wide enough for slots of every width: at least 30. */
static void each_geometry(void (*check)(const struct table_config *config)) {
  unsigned tables = 0;
  static const unsigned key_bits[] = {18, 24, 33, 36, 64};
  for (size_t k = 0; k < sizeof key_bits / sizeof *key_bits; k++)
    for (size_t w = 0; w < SLOT_WIDTHS; w++)
      for (size_t b = 0; b < BUCKET_SIZES; b++) {
        struct table_config config = {
            .key_bits = key_bits[k], .slot_bits = slot_widths[w], .bucket_slots = bucket_sizes[b], .seed = k};
        if (!plan_at_least(&config, 1000))
          continue;
        check(&config);
        tables++;
      }
  ck_assert_uint_ge(tables, 30);
}

static uint64_t key_of(const struct table *table, uint64_t i) {
  uint64_t state = i;
  return splitmix64_next(&state) & largest_key(table_shape(table)->key_bits);
}

/* ---- one thread: theorem 1 ----------------------------------------------------------------------- */

/* By definition, from the slots alone: whether the table holds the key, and whether every slot of its order is full. */
struct slots_of_key {
  bool holds, all_full;
};

static void look(struct slots_of_key *out, struct target target, unsigned slots, unsigned bits) {
  for (unsigned i = 0; i < slots; i++) {
    uint64_t slot = slot_load(target.bucket, i, bits);
    out->holds |= slot == target.wanted;
    out->all_full &= slot != 0;
  }
}

static struct slots_of_key slots_of_key(const struct table *table, uint64_t key) {
  const struct iceberg *view = &iceberg_of(table)->view;
  const struct geometry g = iceberg_of(table)->instance->geometry;
  uint64_t p[3];
  for (unsigned i = 0; i < 3; i++)
    p[i] = permutation_apply(&view->permutation[i], key);
  struct slots_of_key out = {false, true};
  look(&out, first_target(view, p[0], g), g.bucket_slots, g.slot_bits);
  look(&out, second_target(view, p[1], 0, g), g.second_bucket_slots, g.second_slot_bits);
  look(&out, second_target(view, p[2], 1, g), g.second_bucket_slots, g.second_slot_bits);
  uint64_t home = third_home(view, p[1], p[2]);
  for (uint64_t n = 0; n < third_probes(view); n++) {
    uint64_t at = (home + n) % view->third_buckets;
    struct target target = {view->third + at * THIRD_BUCKET_SLOTS, third_encode(key)};
    look(&out, target, THIRD_BUCKET_SLOTS, THIRD_SLOT_BITS);
  }
  return out;
}

/* (a) The table stays well-formed: checked repeatedly up to the full table. */
static void stays_well_formed(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t slots = table_shape(table)->slots, step = slots / 8 + 1, wrong = 0;
  for (uint64_t i = 0; i < 2 * slots; i++) {
    put_one(table, key_of(table, i));
    if (i % step == 0)
      wrong += table_check(table);
  }
  ck_assert_uint_eq(wrong + table_check(table), 0);
  table_free(table);
}

START_TEST(a_well_formedness_is_preserved) { each_geometry(stays_well_formed); }
END_TEST

/* (b) Every call ends and answers FOUND, PUT or FULL; also when the table is full. */
static void always_answers(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t count[3] = {0, 0, 0}, n = 3 * table_shape(table)->slots;
  for (uint64_t i = 0; i < n; i++) {
    unsigned answer = put_one(table, key_of(table, i % (n / 2)));
    ck_assert_uint_le(answer, TABLE_FULL);
    count[answer]++;
  }
  ck_assert_uint_eq(count[TABLE_FOUND] + count[TABLE_PUT] + count[TABLE_FULL], n);
  ck_assert_uint_eq(count[TABLE_PUT], table_count(table));
  table_free(table);
}

START_TEST(b_every_call_ends_with_an_answer) { each_geometry(always_answers); }
END_TEST

/* (c) FOUND or PUT if and only if the key is in the table afterwards. (d) PUT if and only if this call put it.
   (e) FULL only when all slots of the key's order are full and none holds it. */
static void answers_mean_what_they_say(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t n = 2 * table_shape(table)->slots, wrong_c = 0, wrong_d = 0, wrong_e = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t key = key_of(table, i % 3 ? i : i / 2);
    struct slots_of_key before = slots_of_key(table, key);
    unsigned answer = put_one(table, key);
    struct slots_of_key after = slots_of_key(table, key);
    wrong_c += (answer != TABLE_FULL) != after.holds;
    wrong_d += (answer == TABLE_PUT) != (!before.holds && after.holds);
    wrong_e += (answer == TABLE_FULL) != (before.all_full && !before.holds);
  }
  ck_assert_uint_eq(wrong_c, 0);
  ck_assert_uint_eq(wrong_d, 0);
  ck_assert_uint_eq(wrong_e, 0);
  table_free(table);
}

START_TEST(c_d_e_answers_mean_what_they_say) { each_geometry(answers_mean_what_they_say); }
END_TEST

/* Fill of a table when the first key gets FULL: level 3 takes the overflow of levels 1 and 2. (Its size leaves a
   margin for variation; of many small tables some fill less.) */
static void fills_up(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t put = 0;
  while (put_one(table, key_of(table, put)) != TABLE_FULL && put < table_shape(table)->slots)
    put++;
  double fill = (double)table_count(table) / (double)table_shape(table)->slots;
  ck_assert_double_ge(fill, TABLE_FILL - 0.03);
  table_free(table);
}

START_TEST(tables_fill_up) { each_geometry(fills_up); }
END_TEST

/* The number of keys at level 3 matches the expectation that determined its size. */
static void overflows_as_expected(const struct table_config *config) {
  struct table *table = make_table(config);
  const struct table_shape *shape = table_shape(table);
  struct table_stats stats;
  uint64_t keys = (uint64_t)(TABLE_FILL * (double)shape->slots), refused = 0;
  for (uint64_t i = 0; i < keys; i++)
    refused += put_one(table, key_of(table, i)) == TABLE_FULL;
  table_stats(table, &stats);
  double third = (double)(stats.level_used[2] + refused), expected = overflow_expected(shape, (double)keys);
  ck_assert_uint_le(refused, keys / 1000);
  ck_assert_double_le(third, 1.1 * expected + 2 * sqrt((double)keys));
  ck_assert_double_ge(third, 0.9 * expected - 2 * sqrt((double)keys));
  table_free(table);
}

START_TEST(level_3_is_as_large_as_needed) {
  static const unsigned key_bits[] = {24, 27, 30, 33, 60};
  unsigned tables = 0;
  for (size_t k = 0; k < sizeof key_bits / sizeof *key_bits; k++)
    for (size_t w = 0; w < SLOT_WIDTHS; w++)
      for (size_t b = 0; b < BUCKET_SIZES; b++) {
        const struct table_config config = {
            .key_bits = key_bits[k], .slot_bits = slot_widths[w], .bucket_slots = bucket_sizes[b], .slots = 100000};
        struct table_shape shape;
        if (table_plan(&config, &shape) != FLOE_OK || shape.slots > 110000)
          continue;
        overflows_as_expected(&config);
        tables++;
      }
  ck_assert_uint_ge(tables, 20);
}
END_TEST

/* table_check detects damage; a check that cannot fail would be useless. */
START_TEST(damage_is_found) {
  struct table *table = make_table(&(struct table_config){.key_bits = 40, .slots = 2000, .slot_bits = 64});
  for (uint64_t i = 0; i < 2000; i++)
    put_one(table, key_of(table, i));
  ck_assert_uint_eq(table_check(table), 0);
  uint64_t *slots = (uint64_t *)(void *)iceberg_of(table)->view.first, kept = slots[0];
  slots[0] = slots[1]; /* a duplicate */
  ck_assert_uint_ge(table_check(table), 1);
  slots[0] = 0; /* a hole */
  ck_assert_uint_ge(table_check(table), 1);
  slots[0] = UINT64_MAX; /* no key's remainder */
  ck_assert_uint_ge(table_check(table), 1);
  slots[0] = kept;
  ck_assert_uint_eq(table_check(table), 0);
  iceberg_of(table)->view.third[0] = third_encode(key_of(table, 0)); /* in level 1 already */
  ck_assert_uint_ge(table_check(table), 1);
  table_free(table);
}
END_TEST

START_TEST(packed_damage_is_found) {
  struct table *table = make_table(&(struct table_config){.key_bits = 26, .slots = 2000, .slot_bits = 21});
  uint64_t *words = (uint64_t *)(void *)iceberg_of(table)->view.first;
  for (uint64_t i = 0; i < 1900; i++)
    put_one(table, key_of(table, i));
  ck_assert_uint_eq(table_check(table), 0);
  const uint64_t kept = words[0];
  words[0] |= UINT64_C(1) << 63; /* the top bit belongs to no slot */
  ck_assert_uint_eq(table_check(table), 1);
  words[0] = (kept & ~PACKED_MASK) | (kept >> PACKED_BITS & PACKED_MASK); /* a duplicate */
  ck_assert_uint_ge(table_check(table), 1);
  words[0] = kept & ~PACKED_MASK; /* a hole */
  ck_assert_uint_ge(table_check(table), 1);
  words[0] = kept | PACKED_MASK; /* no key's remainder */
  ck_assert_uint_ge(table_check(table), 1);
  words[0] = kept;
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
}
END_TEST

/* Keys at level 2 and 3 although level 1 has a place for them. */
START_TEST(keys_at_too_high_a_level_are_found) {
  struct table *table = make_table(&(struct table_config){.key_bits = 64, .slots = 2000});
  uint64_t *second = (uint64_t *)(void *)iceberg_of(table)->view.second;
  for (unsigned which = 0; which < 2; which++) {
    second[0] = second_encode(5, which);
    ck_assert_uint_eq(table_check(table), 1);
  }
  second[0] = 0;
  iceberg_of(table)->view.third[0] = third_encode(77);
  ck_assert_uint_eq(table_check(table), 1);
  iceberg_of(table)->view.third[0] = 0;
  *iceberg_of(table)->view.last_key = 1;
  ck_assert_uint_eq(table_check(table), 1);
  table_free(table);
}
END_TEST

/* ---- definition 1, lemmas 1 to 3 ------------------------------------------------------------------- */

/* The numbers of the key's slots in their order; returns how many. */
static unsigned order_of(const struct table *table, uint64_t key, uint64_t *slots) {
  const struct iceberg *view = &iceberg_of(table)->view;
  const struct table_shape *shape = table_shape(table);
  uint64_t address[3], p[3];
  unsigned n = 0;
  for (unsigned i = 0; i < 3; i++) {
    p[i] = permutation_apply(&view->permutation[i], key);
    address[i] = p[i] % (i ? shape->second_buckets : shape->buckets);
  }
  for (unsigned i = 0; i < shape->bucket_slots; i++) /* (0, x) before all (1, y) and (2, y) */
    slots[n++] = address[0] * shape->bucket_slots + i;
  const uint64_t second = shape->buckets * shape->bucket_slots;
  for (unsigned i = 0; i < shape->second_bucket_slots; i++) { /* (1, x) before (2, y) only if x < y */
    slots[n++] = second + address[2] * shape->second_bucket_slots + i;
    slots[n++] = second + address[1] * shape->second_bucket_slots + i;
  }
  const uint64_t third = second + shape->second_buckets * shape->second_bucket_slots;
  const uint64_t home = third_home(view, p[1], p[2]);
  for (uint64_t probe = 0; probe < third_probes(view); probe++)
    for (unsigned i = 0; i < THIRD_BUCKET_SLOTS; i++)
      slots[n++] = third + (home + probe) % view->third_buckets * THIRD_BUCKET_SLOTS + i;
  return n;
}
enum { MOST_IN_ORDER = 32 + 32 + THIRD_PROBES * THIRD_BUCKET_SLOTS };

static uint64_t content_of(const struct table *table, uint64_t slot) {
  const struct position at = slot_position(&iceberg_of(table)->view, slot, iceberg_of(table)->instance->geometry);
  return slot_load(at.level, at.i, at.bits);
}

static void takes_the_least(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t wrong = 0, order[MOST_IN_ORDER], slot;
  for (uint64_t i = 0; i < 2 * table_shape(table)->slots; i++) {
    const uint64_t key = key_of(table, i);
    const unsigned n = order_of(table, key, order);
    unsigned least = 0;
    while (least < n && content_of(table, order[least]) != 0)
      least++;
    if (put_one(table, key) == TABLE_PUT) {
      wrong += iceberg_find_slots(table, &key, 1, &slot) != 0;
      wrong += least == n || slot != order[least];
    } else {
      wrong += least != n && find_one(table, key) != TABLE_FOUND;
    }
  }
  ck_assert_uint_eq(wrong, 0);
  table_free(table);
}

START_TEST(definition_1_keys_take_the_least_empty_slot) { each_geometry(takes_the_least); }
END_TEST

/* Number of slots of its order that hold the key. */
static unsigned copies_of(const struct table *table, uint64_t key) {
  const struct iceberg *view = &iceberg_of(table)->view;
  const struct geometry g = iceberg_of(table)->instance->geometry;
  uint64_t order[MOST_IN_ORDER];
  const unsigned n = order_of(table, key, order);
  const uint64_t first = first_target(view, permutation_apply(&view->permutation[0], key), g).wanted;
  const uint64_t one = second_target(view, permutation_apply(&view->permutation[1], key), 0, g).wanted;
  const uint64_t two = second_target(view, permutation_apply(&view->permutation[2], key), 1, g).wanted;
  unsigned copies = 0;
  for (unsigned i = 0; i < n; i++) {
    const unsigned later = i - g.bucket_slots;
    const uint64_t wanted = i < g.bucket_slots                  ? first
                            : later < 2 * g.second_bucket_slots ? (later & 1 ? one : two)
                                                                : third_encode(key);
    copies += content_of(table, order[i]) == wanted;
  }
  return copies;
}

static unsigned delete_one(struct table *table, uint64_t key) {
  uint8_t answer;
  table_run(table, TABLE_DELETE, &key, NULL, 1, &answer);
  return answer;
}

/* One step of a random history: a key is put, or deleted if the table has deletion. */
static uint64_t random_step(struct table *table, uint64_t *state) {
  const uint64_t word = splitmix64_next(state);
  const uint64_t key = key_of(table, word % (table_shape(table)->slots * 5 / 4));
  if (table_shape(table)->deletes && word >> 60 < 4)
    delete_one(table, key);
  else
    put_one(table, key);
  return key;
}

static void with_and_without_deletion(const struct table_config *config,
                                      void (*check)(const struct table_config *config)) {
  struct table_config other = *config;
  check(config);
  other.deletes = true;
  if (plan_at_least(&other, 100))
    check(&other);
}

static void never_twice_in(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t state = 1, wrong = 0;
  for (uint64_t i = 0; i < 4 * table_shape(table)->slots; i++) {
    const uint64_t key = random_step(table, &state);
    wrong += copies_of(table, key) != (find_one(table, key) == TABLE_FOUND ? 1 : 0);
  }
  for (uint64_t i = 0; i < table_shape(table)->slots * 5 / 4; i++)
    wrong += copies_of(table, key_of(table, i)) > 1;
  ck_assert_uint_eq(wrong, 0);
  table_free(table);
}
static void never_twice(const struct table_config *config) { with_and_without_deletion(config, never_twice_in); }

START_TEST(lemma_1_no_key_is_there_twice) { each_geometry(never_twice); }
END_TEST

/* Tables of about a hundred slots, at least 8 tables, so that each step can be checked completely. */
static void each_small(void (*check)(const struct table_config *config)) {
  static const unsigned key_bits[] = {14, 17, 18, 36, 64};
  unsigned tables = 0;
  for (size_t k = 0; k < sizeof key_bits / sizeof *key_bits; k++)
    for (size_t w = 0; w < SLOT_WIDTHS; w++)
      for (size_t b = 0; b < BUCKET_SIZES; b++) {
        struct table_config config = {
            .key_bits = key_bits[k], .slot_bits = slot_widths[w], .bucket_slots = bucket_sizes[b], .seed = k};
        struct table_shape shape;
        if (!plan_at_least(&config, 100) || table_plan(&config, &shape) != FLOE_OK || shape.slots > 1000)
          continue;
        with_and_without_deletion(&config, check);
        tables++;
      }
  ck_assert_uint_ge(tables, 8);
}

/* A full slot stays unchanged, or it held the deleted key and becomes a tombstone, which stays. */
static void full_slots_stay(const struct table_config *config) {
  struct table *table = make_table(config);
  const uint64_t slots = table_shape(table)->slots;
  uint64_t *before = calloc(slots, sizeof *before), state = 2, wrong = 0, changed = 0;
  for (uint64_t i = 0; i < 3 * slots; i++) {
    random_step(table, &state);
    uint64_t at_once = 0;
    for (uint64_t slot = 0; slot < slots; slot++) {
      const uint64_t now = content_of(table, slot);
      const struct position at = slot_position(&iceberg_of(table)->view, slot, iceberg_of(table)->instance->geometry);
      const bool buried = config->deletes && now == slot_tombstone(at.bits);
      wrong += before[slot] != 0 && now != before[slot] && !buried;
      wrong += before[slot] == 0 && buried;
      at_once += now != before[slot];
      before[slot] = now;
    }
    wrong += at_once > 1;
    changed += at_once;
  }
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_ge(changed, slots / 2);
  free(before);
  table_free(table);
}

START_TEST(lemma_2_full_slots_do_not_change) { each_small(full_slots_stay); }
END_TEST

static void each_step(const struct table_config *config) {
  struct table *table = make_table(config);
  uint64_t state = 3, wrong = 0;
  for (uint64_t i = 0; i < 3 * table_shape(table)->slots; i++) {
    random_step(table, &state);
    wrong += table_check(table);
  }
  ck_assert_uint_eq(wrong, 0);
  table_free(table);
}

START_TEST(lemma_3_each_step_keeps_the_table_well_formed) { each_small(each_step); }
END_TEST

/* ---- theorem 1 in parallel -------------------------------------------------------------------------- */

enum { PROCESSES = 4 };

struct process {
  struct table *table;
  uint64_t count;
  pthread_barrier_t *start;
  uint8_t *answers;
};

/* Different keys for different numbers. */
static uint64_t odd_key(const struct table *table, uint64_t i) {
  return i * UINT64_C(0x9e3779b97f4a7c15) & largest_key(table_shape(table)->key_bits);
}

/* FOP(k_0) || ... || FOP(k_n) on the same keys. */
static void *find_or_put_all(void *argument) {
  struct process *process = argument;
  pthread_barrier_wait(process->start);
  for (uint64_t i = 0; i < process->count; i++)
    process->answers[i] = (uint8_t)put_one(process->table, odd_key(process->table, i));
  return NULL;
}

static void composed(const struct table_config *config) {
  struct table *table = make_table(config);
  const uint64_t count = table_shape(table)->slots * 6 / 5;
  struct process process[PROCESSES];
  pthread_t thread[PROCESSES];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, PROCESSES);
  for (unsigned t = 0; t < PROCESSES; t++) {
    process[t] = (struct process){table, count, &start, malloc(count)};
    memset(process[t].answers, 0xff, count);
    ck_assert_int_eq(pthread_create(&thread[t], NULL, find_or_put_all, &process[t]), 0);
  }
  for (unsigned t = 0; t < PROCESSES; t++)
    pthread_join(thread[t], NULL); /* (b): they end */
  uint64_t wrong = 0, put = 0;
  for (uint64_t i = 0; i < count; i++) {
    const struct slots_of_key after = slots_of_key(table, odd_key(table, i));
    unsigned answers[256] = {0};
    for (unsigned t = 0; t < PROCESSES; t++)
      answers[process[t].answers[i]]++;
    wrong += answers[TABLE_FOUND] + answers[TABLE_PUT] + answers[TABLE_FULL] != PROCESSES; /* (b) */
    wrong += answers[TABLE_PUT] != after.holds;         /* (d), and the corollary: at most one */
    wrong += (answers[TABLE_FULL] == 0) != after.holds; /* (c) */
    wrong += answers[TABLE_FULL] && (!after.all_full || answers[TABLE_FULL] != PROCESSES); /* (e) */
    put += answers[TABLE_PUT];
  }
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_eq(table_check(table), 0); /* (a) */
  ck_assert_uint_eq(table_count(table), put);
  for (unsigned t = 0; t < PROCESSES; t++)
    free(process[t].answers);
  pthread_barrier_destroy(&start);
  table_free(table);
}

START_TEST(theorem_1_in_parallel) { each_geometry(composed); }
END_TEST

int main(void) {
  return RUN_SUITE("theorem", definition_1_keys_take_the_least_empty_slot, lemma_1_no_key_is_there_twice,
                   lemma_2_full_slots_do_not_change, lemma_3_each_step_keeps_the_table_well_formed,
                   theorem_1_in_parallel, a_well_formedness_is_preserved, b_every_call_ends_with_an_answer,
                   c_d_e_answers_mean_what_they_say, tables_fill_up, level_3_is_as_large_as_needed, damage_is_found,
                   packed_damage_is_found, keys_at_too_high_a_level_are_found);
}
