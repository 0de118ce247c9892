/* Sizing decisions of the GPU engine, for devices of many sizes. */
#include "engine/sizing.h"
#include "gpu/engine/sizing_policy.h"

#include "gpu/kernel/base/control.h"
#include "tables/iceberg/iceberg_shape.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const uint64_t limits[] = {8 * MIB, 64 * MIB, 512 * MIB, 2 * GIB, 15 * GIB, 40 * GIB, 76 * GIB, 135 * GIB};
#define LIMITS ((int)(sizeof limits / sizeof *limits))

static const char *const schemes[] = {"iceberg", "linear"};
#define SCHEMES 2

static void check_linear_layout(const struct table_shape *shape) {
  ck_assert_uint_eq(shape->slot_bits, shape->key_bits <= 32 ? 32 : 64);
  ck_assert_uint_ge(shape->bytes, shape->slots * shape->slot_bits / 8);
  ck_assert_uint_lt(shape->bytes, shape->slots * shape->slot_bits / 8 + 64);
}

static void check_layout(const struct table_config *config, const struct table_shape *shape, uint64_t limit) {
  ck_assert_uint_le(shape->bytes, limit);
  if (config->scheme && strcmp(config->scheme, "linear") == 0) {
    check_linear_layout(shape);
    return;
  }
  ck_assert(gpu_table_fits(shape->buckets, shape->second_buckets));
  ck_assert_uint_eq(table_offsets(shape).end, shape->bytes);
  ck_assert_uint_eq(shape->bucket_slots, shape->slot_bits == 64 ? 16 : shape->slot_bits == 21 ? 24 : 32);
}

/* Key widths of a test of limits[i]: all at length, in `make check` each third, each for some limit. */
#define for_widths(bits, i)                                                                                            \
  for (unsigned bits = at_length() ? 1 : 1 + (unsigned)(i) % 3; (bits) <= 64; (bits) += at_length() ? 1 : 3)

START_TEST(test_first_table) {
  for_widths(bits, _i) {
    const struct table_config wanted = {.key_bits = bits};
    struct table_config config;
    struct table_shape shape;
    ck_assert_int_eq(policy_first_table(&wanted, 0, limits[_i], &config, &shape), FLOE_OK);
    check_layout(&config, &shape, limits[_i] / 2);
    ck_assert_uint_eq(shape.key_bits, bits);
    if (bits < 30)
      ck_assert_uint_le(shape.slots, (UINT64_C(5) << bits) / 2 + 4096);
    if (limits[_i] > 100 * GIB && bits <= 42)
      ck_assert_uint_eq(shape.slot_bits, 16);
  }
}
END_TEST

/* A sixteenth of the memory, or enough slots for all keys. */
START_TEST(test_first_linear_table) {
  for (unsigned bits = 1; bits <= 64; bits++) {
    const struct table_config wanted = {.scheme = "linear", .key_bits = bits};
    struct table_config config;
    struct table_shape shape;
    ck_assert_int_eq(policy_first_table(&wanted, 0, limits[_i], &config, &shape), FLOE_OK);
    ck_assert_str_eq(config.scheme, "linear");
    check_layout(&config, &shape, limits[_i] / 16);
    const bool large = shape.bytes > limits[_i] / 16 / 4 * 3;
    const bool for_all = bits < 40 && 0.75 * (double)shape.slots > (double)(UINT64_C(1) << bits);
    ck_assert_msg(large || for_all, "%u bits: %llu slots", bits, (unsigned long long)shape.slots);
  }
}
END_TEST

START_TEST(test_linear_table_as_asked) {
  struct table_config wanted = {.scheme = "linear", .key_bits = 30, .slots = 1000}, config;
  struct table_shape shape;
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slots, 1000);
  wanted.slot_bits = 64;
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 64);
  struct policy_growth growth = {.config = config, .shape = shape, .limit = GIB, .left = GIB};
  ck_assert(policy_larger_table(&growth, 0, &config, &shape));
  ck_assert_uint_eq(shape.slot_bits, 64);
  ck_assert_uint_eq(shape.slots, 4000);
  wanted.bucket_slots = 32; /* it has no buckets */
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_ERROR_USAGE);
  wanted = (struct table_config){.scheme = "linear", .key_bits = 33, .slot_bits = 32};
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_ERROR_USAGE);
  wanted.slot_bits = 16;
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_ERROR_USAGE);
}
END_TEST

START_TEST(test_first_table_as_asked) {
  struct table_config wanted = {.key_bits = 40, .slots = 1000}, config;
  struct table_shape shape;
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_OK);
  ck_assert_uint_lt(shape.bytes, MIB);
  wanted.slot_bits = 32; /* needs more slots than requested */
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 32);
  wanted.key_bits = 64; /* and here more than are possible */
  wanted.slot_bits = 16;
  ck_assert_int_ne(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_OK);
  wanted = (struct table_config){.key_bits = 40, .slots = UINT64_C(1) << 40};
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &config, &shape), FLOE_OK);
  ck_assert_uint_le(shape.bytes, GIB / 2);
  ck_assert_int_eq(policy_first_table(&wanted, 0, 1000, &config, &shape), FLOE_ERROR_MEMORY);
}
END_TEST

/* A table for a known number of states holds them with few spare slots, more if that is a small part of memory; a
 * number that is too large takes all memory. `make check`: each second width for each limit. */
static void expect(const char *scheme, int i) {
  const uint64_t limit = limits[i];
  for (unsigned bits = at_length() ? 24 : 24 + 8 * (unsigned)(i % 2); bits <= 64; bits += at_length() ? 8 : 16)
    for (uint64_t states = 1000; states < UINT64_C(1) << 50; states *= 10) {
      const struct table_config wanted = {.scheme = scheme, .key_bits = bits};
      struct table_config config;
      struct table_shape shape;
      ck_assert_int_eq(policy_first_table(&wanted, states, limit, &config, &shape), FLOE_OK);
      check_layout(&config, &shape, limit / 4 * 3);
      const bool all = bits < 64 && shape.slots >= UINT64_C(1) << bits;
      const bool holds = (double)states <= table_fill(scheme) * (double)shape.slots;
      ck_assert_msg(all || holds || shape.bytes > limit / 3, "%u bits %llu states: %llu slots of %u, %llu bytes", bits,
                    (unsigned long long)states, (unsigned long long)shape.slots, shape.slot_bits,
                    (unsigned long long)shape.bytes);
      const uint64_t needed = scheme == schemes[0] ? states / 4 * 5 : states / 2 * 3;
      const double times = shape.bytes <= limit / 4 ? 2 : shape.bytes <= limit / 2 ? 1.5 : 1;
      if (shape.bytes > limit / 1000 && !all && holds)
        ck_assert_double_le((double)shape.slots, times * (double)needed + 64);
    }
}

/* If memory is plentiful, a table for known states has spare slots, as it is faster. */
START_TEST(test_first_table_has_room) {
  static const struct {
    uint64_t states;
    double least, most; /* slots per state */
  } cases[] = {{500000000, 2, 2.3}, {2500000000, 1.5, 1.75}, {5000000000, 1, 1.2}};
  const struct table_config wanted = {.scheme = schemes[0], .key_bits = 60};
  struct table_config config;
  struct table_shape shape;
  ck_assert_int_eq(policy_first_table(&wanted, cases[_i].states, 64 * GIB, &config, &shape), FLOE_OK);
  ck_assert_double_ge((double)shape.slots / (double)cases[_i].states, cases[_i].least);
  ck_assert_double_le((double)shape.slots / (double)cases[_i].states, cases[_i].most);
}
END_TEST

START_TEST(test_first_table_expected) { expect(schemes[_i % SCHEMES], _i / SCHEMES); }
END_TEST

/* Every larger table fits beside the previous one, the last one fills the memory, and there are few steps. */
static void grow_to_the_end(const char *scheme, unsigned bits, uint64_t limit) {
  const struct table_config wanted = {.scheme = scheme, .key_bits = bits, .slots = 4096};
  struct policy_growth growth = {.limit = limit};
  struct table_shape before;
  unsigned steps = 0, recompiled = 0;
  ck_assert_int_eq(policy_first_table(&wanted, 0, limit, &growth.config, &growth.shape), FLOE_OK);
  const uint64_t queue = limit / 32;
  for (;; steps++) {
    before = growth.shape;
    growth.left = limit - queue - before.bytes;
    struct table_config config;
    struct table_shape shape;
    if (!policy_larger_table(&growth, 0, &config, &shape))
      break;
    growth.config = config;
    growth.shape = shape;
    check_layout(&config, &growth.shape, growth.left);
    ck_assert_uint_gt(growth.shape.slots, before.slots + before.slots / 8);
    recompiled +=
        growth.shape.slot_bits != before.slot_bits || growth.shape.second_slot_bits != before.second_slot_bits;
    if (growth.shape.slot_bits != before.slot_bits)
      ck_assert_uint_gt(growth.shape.bytes, limit / 30);
  }
  ck_assert_uint_le(steps, 24);
  ck_assert_uint_le(recompiled, 4);
  if (bits >= 48)
    ck_assert_uint_gt(growth.shape.bytes, limit / 10 * 4);
}

START_TEST(test_growth) {
  for (unsigned bits = 8; bits <= 64; bits += 4)
    grow_to_the_end(schemes[_i % SCHEMES], bits, limits[_i / SCHEMES]);
}
END_TEST

/* Attempts become smaller, so that one fits even if the device has less memory than reported. */
START_TEST(test_attempts) {
  const struct table_config wanted = {.key_bits = 50, .slots = 1 << 20};
  struct policy_growth growth = {.limit = GIB};
  struct table_config config;
  struct table_shape shape;
  uint64_t first = 0;
  unsigned n = 0;
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB, &growth.config, &growth.shape), FLOE_OK);
  growth.left = GIB / 2;
  for (; policy_larger_table(&growth, n, &config, &shape); n++) {
    if (n == 0)
      first = shape.bytes;
    ck_assert_uint_le(shape.bytes, first);
  }
  ck_assert_uint_ge(n, 3);
  growth.left = growth.shape.bytes;
  ck_assert(!policy_larger_table(&growth, 0, &config, &shape));
}
END_TEST

START_TEST(test_queue) {
  for (uint64_t slack = 100; slack < 100000000; slack *= 10) {
    uint64_t words = policy_first_queue(slack, limits[_i]);
    if (!words) {
      ck_assert_uint_gt(8 * 8 * slack, limits[_i] / 4);
      continue;
    }
    ck_assert_uint_eq(words & (words - 1), 0);
    ck_assert_uint_ge(words, 4 * slack);
    ck_assert_uint_le(8 * words, limits[_i] / 4);
    ck_assert_uint_ge(words / 4, policy_segment(words));
    uint64_t larger = policy_larger_queue(words, limits[_i], limits[_i] / 2, false);
    ck_assert(larger == 0 || (larger == 2 * words && 8 * larger <= limits[_i] / 4));
    ck_assert_uint_eq(policy_larger_queue(words, limits[_i], 16 * words, true), 2 * words);
    ck_assert_uint_eq(policy_larger_queue(words, limits[_i], 16 * words - 1, true), 0);
  }
}
END_TEST

/* Each spill makes enough room that few are needed; after some, at most a quarter of the queue is in use. */
START_TEST(test_spill) {
  const uint64_t words = 1 << 16, slack = _i ? words / 4 : 100;
  for (uint64_t current = 0; current <= words; current += 1000)
    for (uint64_t next = 0; current + next <= words; next += 1000) {
      uint64_t left = current, rest = next, spills = 0;
      while (left + rest > words / 4) {
        const struct policy_spill spill = policy_spill(words, slack, left, rest);
        ck_assert_uint_le(spill.current, left);
        ck_assert_uint_le(spill.next, rest);
        ck_assert(spill.current >= slack || (spill.current == 0 && spill.next == rest && rest > 0));
        left -= spill.current;
        rest -= spill.next;
        spills++;
      }
      ck_assert_uint_le(spills, 8);
    }
}
END_TEST

/* States of a resumed search: a table holds them, or the set is host-backed. */
START_TEST(test_holds) {
  const struct table_config wanted = {.scheme = schemes[_i], .key_bits = 60};
  struct table_config config;
  struct table_shape shape;
  ck_assert(policy_holds(&wanted, 1, GIB));
  ck_assert(policy_holds(&wanted, GIB / 16, GIB));
  ck_assert(!policy_holds(&wanted, GIB / 8, GIB)); /* slots of 64 bits in three quarters */
  ck_assert_int_eq(policy_first_table(&wanted, GIB / 16, GIB, &config, &shape), FLOE_OK);
  ck_assert_uint_gt(shape.slots, GIB / 16);
  const struct table_config narrow = {.scheme = schemes[_i], .key_bits = 10};
  ck_assert(policy_holds(&narrow, 1 << 10, GIB)); /* all possible keys */
}
END_TEST

/* Room for a segment, and as much for its successors. */
START_TEST(test_room_for_pieces) {
  for (uint64_t words = 1024; words <= GIB; words *= 2) {
    const uint64_t piece = policy_segment(words);
    uint64_t most = words;
    while (!policy_segment_has_room(words, piece, most))
      most -= words / 64;
    ck_assert_uint_le(most + 2 * piece, words);
    ck_assert_uint_ge(most, words / 2);
    ck_assert(policy_segment_has_room(words, piece, 0));
  }
}
END_TEST

/* ---- several devices ---------------------------------------------------------------------------- */

START_TEST(test_parts) {
  ck_assert_uint_ge(sizing_part(1, 16), 1);
  ck_assert_uint_eq(sizing_part(0, 16), 0);
  ck_assert_uint_eq(sizing_part(GIB, 1), GIB);
  for (unsigned devices = 2; devices <= 16; devices++) {
    ck_assert_uint_gt(sizing_part(GIB, devices) * devices, GIB);
    ck_assert_uint_lt(sizing_part(GIB, devices) * devices, GIB + GIB / 7);
  }
}
END_TEST

/* With more and more expected states: one device as long as it holds them, then all, then one again if all do not
 * suffice. */
START_TEST(test_devices) {
  struct policy_search search = {.table = {.scheme = schemes[_i], .key_bits = 50, .keys = UINT64_C(1) << 50}};
  const uint64_t limit = 15 * GIB;
  uint64_t several = 0;
  unsigned last = 1, changes = 0;
  ck_assert_uint_eq(policy_devices(&search, 4, limit), 1); /* expected states unknown */
  for (search.expected = GIB / 8; search.expected < 256 * GIB; search.expected += search.expected / 4) {
    const unsigned count = policy_devices(&search, 4, limit);
    ck_assert_uint_eq(policy_devices(&search, 1, limit), 1);
    ck_assert(count == 1 || count == 4);
    ck_assert(count == 4 || last == 1 || search.expected > several);
    ck_assert(count == 1 || !policy_holds(&search.table, search.expected, limit));
    changes += count != last;
    several = count == 4 ? search.expected : several;
    last = count;
  }
  ck_assert_uint_eq(changes, 2);
  ck_assert_uint_eq(last, 1);
}
END_TEST

/* One device would suffice. */
START_TEST(test_devices_that_are_faster) {
  struct policy_search search = {.table = {.scheme = schemes[_i], .key_bits = 50, .keys = UINT64_C(1) << 50}};
  const uint64_t many = UINT64_C(4000000000), limit = 1024 * GIB;
  search.expected = many;
  ck_assert_uint_eq(policy_devices(&search, 4, limit), 1); /* no access to each other's memory */
  search.linked = true;
  ck_assert_uint_eq(policy_devices(&search, 4, limit), 4);
  ck_assert(policy_one_holds(&search, limit));
  ck_assert_uint_eq(policy_devices(&search, 16, limit), 1); /* more devices than can have mailboxes */
  search.expected = many - 1;
  ck_assert_uint_eq(policy_devices(&search, 4, limit), 1);
  search.expected = many;
  search.table.key_bits = 64;
  ck_assert_uint_eq(policy_devices(&search, 4, limit), 1);
}
END_TEST

/* The search starts on one device. */
START_TEST(test_devices_for_later) {
  struct policy_search search = {.table = {.scheme = schemes[_i], .key_bits = 50, .keys = UINT64_C(1) << 50}};
  ck_assert_uint_eq(policy_others_from(&search, 4), UINT64_MAX);
  search.linked = true;
  const uint64_t from = policy_others_from(&search, 4);
  search.expected = from;
  ck_assert_uint_eq(policy_devices(&search, 4, 1024 * GIB), 4); /* if the number were known */
  search.expected = from - 1;
  ck_assert_uint_eq(policy_devices(&search, 4, 1024 * GIB), 1);
  ck_assert_uint_eq(policy_others_from(&search, 16), UINT64_MAX);
  search.multiword = true;
  ck_assert_uint_eq(policy_others_from(&search, 4), UINT64_MAX);
  search.expected = 4 * from;
  ck_assert_uint_eq(policy_devices(&search, 4, 15 * GIB), 1);
}
END_TEST

START_TEST(test_host_helps) {
  ck_assert(!policy_host_holds_more(4, 10 * GIB, 30 * GIB - 1));
  ck_assert(policy_host_holds_more(4, 10 * GIB, 30 * GIB));
  ck_assert(policy_host_holds_more(2, 10 * GIB, 11 * GIB));
}
END_TEST

/* A bitmap of 8 GiB, a fourth on each device. */
START_TEST(test_devices_share_a_bitmap) {
  struct policy_search search = {
      .table = {.scheme = "iceberg", .key_bits = 36, .keys = 64 * GIB}, .any_table = true, .expected = 4 * GIB};
  ck_assert_uint_eq(policy_devices(&search, 4, 8 * GIB), 4);
  ck_assert_uint_eq(policy_devices(&search, 4, 11 * GIB), 1);
  search.expected = 60 * GIB; /* more than the hash tables of all devices hold */
  ck_assert_uint_eq(policy_devices(&search, 4, 8 * GIB), 4);
  ck_assert_uint_eq(policy_devices(&search, 4, 11 * GIB), 1);
  search.any_table = false;
  ck_assert_uint_eq(policy_devices(&search, 4, 9 * GIB), 1);
  search.table.scheme = "bitmap";
  ck_assert_uint_eq(policy_devices(&search, 4, 9 * GIB), 1);
  ck_assert_uint_eq(policy_devices(&search, 4, 8 * GIB), 4);
  ck_assert_uint_eq(policy_devices(&search, 4, 2 * GIB), 1); /* nothing is left for queues */
}
END_TEST

/* ---- bitmaps ----------------------------------------------------------------------------------- */

START_TEST(test_bitmap_as_asked) {
  struct table_config wanted = {.scheme = "bitmap", .key_bits = 40, .keys = 8 * GIB}, config;
  struct table_shape shape;
  ck_assert_int_eq(policy_first_table(&wanted, 0, 2 * GIB, &config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.bytes, GIB);
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB + GIB / 15 + 64, &config, &shape), FLOE_OK);
  ck_assert_int_eq(policy_first_table(&wanted, 0, GIB + GIB / 16, &config, &shape), FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(shape.bytes, GIB); /* for the error message */
  wanted.keys = 0;
  wanted.key_bits = 64;
  ck_assert_int_eq(policy_first_table(&wanted, 0, limits[LIMITS - 1], &config, &shape), FLOE_ERROR_USAGE);
}
END_TEST

/* 10^12 keys on a device of 139 GiB leave a queue of 2^31 words. */
START_TEST(test_bitmap_of_all_memory) {
  const uint64_t limit = 138 * GIB, slack = UINT64_C(8) * 4 * 132 * (2 * 32 * 4 + 160);
  const struct table_config wanted = {.scheme = "bitmap", .key_bits = 40, .keys = UINT64_C(1000000000000)};
  struct table_config config;
  struct table_shape shape;
  ck_assert_int_eq(policy_first_table(&wanted, 0, limit, &config, &shape), FLOE_OK);
  const uint64_t left = limit - shape.bytes - 4 * 8 * slack;
  ck_assert_uint_eq(policy_lasting_queue(slack, limit, left, 0), UINT64_C(1) << 31);
  ck_assert_uint_eq(policy_lasting_queue(slack, limit, (UINT64_C(8) << 31) - 1, 0), UINT64_C(1) << 30);
  ck_assert_uint_eq(policy_lasting_queue(slack, limit, 8 * slack, 0), 0);
  ck_assert_uint_eq(policy_lasting_queue(slack, limit, limit / 2, 0), policy_first_queue(slack, limit));
}
END_TEST

/* A queue of 64 GiB cannot grow from 32 GiB: it is allocated at once if as many states are expected, or replaces a
 * smaller one. */
START_TEST(test_last_queue) {
  const uint64_t limit = 138 * GIB, slack = 1 << 20, words = 8 * GIB, first = policy_first_queue(slack, limit);
  ck_assert_uint_lt(first, words);
  ck_assert_uint_eq(policy_lasting_queue(slack, limit, 90 * GIB, 17 * GIB), words);
  ck_assert_uint_eq(policy_lasting_queue(slack, limit, 90 * GIB, 15 * GIB), first);
  ck_assert_uint_eq(policy_lasting_queue(slack, limit, 97 * GIB, 17 * GIB), first);
  ck_assert_uint_eq(policy_lasting_queue(slack, limit, 47 * GIB, 17 * GIB), words / 2);
  ck_assert_uint_eq(policy_larger_queue(words / 2, limit, 58 * GIB, true), 0);
  ck_assert_uint_eq(policy_queue_instead(words / 2, 58 * GIB), words);
  ck_assert_uint_eq(policy_queue_instead(words / 2, 31 * GIB), 0);
  ck_assert_uint_eq(policy_queue_instead(words, 58 * GIB), 0);
}
END_TEST

/* A bitmap replaces the first table if it takes no more memory, or at most twice as much for a known number of states.
 */
START_TEST(test_first_bitmap) {
  const uint64_t limit = limits[_i];
  for_widths(bits, _i) for (unsigned known = 0; known < 2; known++) {
    const struct table_config wanted = {.key_bits = bits};
    struct table_config config;
    struct table_shape shape;
    ck_assert_int_eq(policy_first_table(&wanted, known ? 1000000 : 0, limit, &config, &shape), FLOE_OK);
    const uint64_t hash = shape.bytes;
    policy_first_bitmap(known, 1, limit, &config, &shape);
    const double bytes = bits < 60 ? (double)(UINT64_C(1) << bits) / 8 : 1e18;
    const bool is_bitmap = table_traits(config.scheme)->every_key;
    if (is_bitmap)
      ck_assert(bytes <= (double)limit && (bytes <= 2 * (double)hash || bytes <= (double)MIB));
    else
      ck_assert(shape.bytes == hash && bytes > (double)hash);
    ck_assert_uint_eq(config.key_bits, bits);
  }
}
END_TEST

START_TEST(test_bitmap_instead_of_growth) {
  const struct table_config wanted = {.key_bits = 33, .keys = 8 * GIB, .slots = 1 << 20}; /* 1 GiB of bits */
  const uint64_t limit = 8 * GIB;
  struct policy_growth growth = {.limit = limit};
  struct table_config config, hash;
  struct table_shape shape, larger;
  ck_assert_int_eq(policy_first_table(&wanted, 0, limit, &growth.config, &growth.shape), FLOE_OK);
  unsigned steps = 0;
  for (;; steps++) {
    growth.left = limit - limit / 32 - growth.shape.bytes;
    ck_assert(policy_bitmap_instead(&growth, true, &config, &shape));
    ck_assert(policy_larger_table(&growth, 0, &hash, &larger));
    const bool instead = policy_bitmap_instead(&growth, false, &config, &shape);
    ck_assert_int_eq(instead, larger.bytes >= GIB);
    if (instead)
      break;
    growth.config = hash;
    growth.shape = larger;
  }
  ck_assert_uint_ge(steps, 3);
  ck_assert_uint_eq(shape.bytes, GIB);
  ck_assert_str_eq(config.scheme, "bitmap");
  ck_assert_uint_eq(config.keys, wanted.keys);
  growth.left = GIB - 1;
  ck_assert(!policy_bitmap_instead(&growth, true, &config, &shape));
}
END_TEST

int main(void) {
  TCase *test = tcase_create("policy");
  tcase_set_timeout(test, 60);
  tcase_add_loop_test(test, test_first_table, 0, LIMITS);
  tcase_add_test(test, test_first_table_as_asked);
  tcase_add_loop_test(test, test_first_linear_table, 0, LIMITS);
  tcase_add_test(test, test_linear_table_as_asked);
  tcase_add_loop_test(test, test_first_table_expected, 0, LIMITS * SCHEMES);
  tcase_add_loop_test(test, test_first_table_has_room, 0, 3);
  tcase_add_loop_test(test, test_growth, 0, LIMITS * SCHEMES);
  tcase_add_loop_test(test, test_holds, 0, SCHEMES);
  tcase_add_test(test, test_attempts);
  tcase_add_loop_test(test, test_queue, 0, LIMITS);
  tcase_add_loop_test(test, test_spill, 0, 2);
  add_tests(test, test_room_for_pieces, test_parts);
  tcase_add_loop_test(test, test_devices, 0, SCHEMES);
  tcase_add_loop_test(test, test_devices_that_are_faster, 0, SCHEMES);
  tcase_add_loop_test(test, test_devices_for_later, 0, SCHEMES);
  add_tests(test, test_host_helps, test_devices_share_a_bitmap, test_bitmap_as_asked, test_bitmap_of_all_memory,
            test_last_queue);
  tcase_add_loop_test(test, test_first_bitmap, 0, LIMITS);
  tcase_add_test(test, test_bitmap_instead_of_growth);
  return run_suite("policy", CK_FORK_GETENV, test);
}
