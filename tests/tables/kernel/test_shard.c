/* Keys in partitions: a bijection, for every width and number of partitions, that spreads keys that are alike. */
#include "tests/tables/table_suite.h"

#include "tables/kernel/shard.h"

static void check_key(struct shard_rule rule, uint64_t key) {
  uint64_t rest = 0;
  const uint32_t shard = shard_of(rule, key, &rest);
  if (shard >> rule.bits || rest > largest_key(rule.key_bits - rule.bits) || shard_key(rule, shard, rest) != key)
    ck_abort_msg("key %llx of %u bits in 2^%u partitions", (unsigned long long)key, rule.key_bits, rule.bits);
}

/* What has an inverse on all keys is a bijection. */
START_TEST(every_key_of_small_widths) {
  for (uint32_t key_bits = 1; key_bits <= 16; key_bits++)
    for (uint32_t bits = 0; bits <= SHARD_MOST_BITS && bits < key_bits; bits++)
      for (uint64_t key = 0; key <= largest_key(key_bits); key++)
        check_key((struct shard_rule){key_bits, bits}, key);
}
END_TEST

START_TEST(some_keys_of_all_widths) {
  uint64_t state = 1;
  for (uint32_t key_bits = 1; key_bits <= 64; key_bits++)
    for (uint32_t bits = 0; bits <= SHARD_MOST_BITS && bits < key_bits; bits++) {
      const struct shard_rule rule = {key_bits, bits};
      const uint64_t largest = largest_key(key_bits);
      for (uint64_t i = 0; i < 100; i++) {
        check_key(rule, splitmix64_next(&state) & largest);
        check_key(rule, i & largest);
        check_key(rule, largest - (i & largest));
      }
      for (uint32_t i = 0; i < key_bits; i++)
        check_key(rule, UINT64_C(1) << i);
    }
}
END_TEST

START_TEST(one_partition_has_mixed_keys) {
  uint64_t rest;
  for (uint32_t key_bits = 1; key_bits <= 64; key_bits++)
    for (uint64_t key = 0; key < 10 && key <= largest_key(key_bits); key++) {
      ck_assert_uint_eq(shard_of((struct shard_rule){key_bits, 0}, key, &rest), 0);
      ck_assert_uint_eq(rest, shard_mix(key_bits, key));
    }
}
END_TEST

/* Keys that count, in any bits of theirs: no partition has clearly more than its part, as growth relies on. */
static void check_spread(uint32_t key_bits, unsigned shift) {
  enum { KEYS = 1 << 16, BITS = 8, MEAN = KEYS >> BITS };
  unsigned count[1 << BITS] = {0};
  uint64_t rest;
  for (uint64_t i = 0; i < KEYS; i++)
    count[shard_of((struct shard_rule){key_bits, BITS}, i << shift & largest_key(key_bits), &rest)]++;
  for (unsigned i = 0; i < 1 << BITS; i++)
    if (count[i] > MEAN + 6 * 16 || count[i] < MEAN - 6 * 16)
      ck_abort_msg("%u keys of %u in partition %u (%u bits, from bit %u)", count[i], MEAN, i, key_bits, shift);
}

START_TEST(keys_are_spread) {
  for (uint32_t key_bits = 20; key_bits <= 64; key_bits += 4)
    for (unsigned shift = 0; shift + 16 <= key_bits; shift += 4)
      check_spread(key_bits, shift);
}
END_TEST

int main(void) {
  return RUN_SUITE("partition", every_key_of_small_widths, some_keys_of_all_widths, one_partition_has_mixed_keys,
                   keys_are_spread);
}
