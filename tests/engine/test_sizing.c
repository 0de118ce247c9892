/* Sizes of visited sets: recorded decisions, so that none changes unnoticed. After a deliberate change record them
   again. tests/gpu/engine/test_sizing_policy.c has those for a GPU. */
#include "engine/sizing.h"
#include "tests/suite.h"

#include <stdlib.h>

#define MEBIBYTE (UINT64_C(1) << 20)

/* ---- recorded -------------------------------------------------------------------------------- */

/* Relative sizes of levels. */
static const struct course {
  uint32_t count;
  uint64_t states[20];
} courses[] = {
    {12, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}}, /* doubling */
    {19,
     {1, 6, 20, 60, 160, 400, 900, 1900, 3600, 6200, 9600, 13500, 17000, 19500, 20100, 18600, 15200, 10800,
      6500}},                                              /* a bell */
    {10, {1, 6, 20, 60, 160, 400, 900, 1900, 3600, 6200}}, /* the start of one */
    {15, {1, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}},
    {13, {1, 50, 900, 5000, 9000, 8800, 8000, 7000, 6000, 5000, 4000, 3000, 2000}},
    {2, {1, 70000}},
    {16, {1, 10, 8, 30, 26, 90, 70, 260, 200, 700, 600, 1800, 1500, 4000, 3600, 9000}}, /* ripples */
    {20, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39}},
};

/* An iceberg table with keys of this width, after a course whose sizes are multiplied by `scale`. */
static const struct decision {
  unsigned course;
  uint64_t scale;
  unsigned key_bits;
  uint64_t slots, bytes, limit, left, frontier;
  double bound, usual, last; /* steps; last 0: not the last one */
  uint64_t grow_at;
} decisions[] = {
    {0, 1, 22, 3032, 7552, 755200, 747648, 0, 1e+06, 4, 0, 2819},
    {0, 1, 22, 3032, 7552, 45312, 35243, 2517, 1e+06, 4, 4.5001489720925614, 2819},
    {0, 147, 22, 600128, 1211520, 121152000, 119940480, 0, 1e+06, 1.8007974965340727, 0, 558119},
    {0, 147, 22, 600128, 1211520, 3634560, 2019200, 403840, 1e+06, 1.8007974965340727, 1.6166666666666667, 558119},
    {0, 1154, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+06, 1.25, 0, 4393074},
    {0, 1154, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+06, 1.25, 1.6166666666666667, 4393074},
    {0, 1154, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+30, 2, 0, 4393074},
    {0, 1154, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+30, 2, 1.6166666666666667, 4393074},
    {0, 1, 36, 3000, 12544, 1254400, 1241856, 0, 1e+06, 4, 0, 2790},
    {0, 1, 36, 3000, 12544, 75264, 58539, 4181, 1e+06, 4, 4.5000896860986543, 2790},
    {0, 148, 36, 602023, 1669440, 166944000, 165274560, 0, 1e+06, 1.7951290897523848, 0, 559881},
    {0, 148, 36, 602023, 1669440, 5008320, 2782400, 556480, 1e+06, 1.7951290897523848, 1.6166666666666667, 559881},
    {0, 1222, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+06, 1.25, 0, 4650799},
    {0, 1222, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+06, 1.25, 1.6166666908602663, 4650799},
    {0, 1222, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+30, 2, 0, 4650799},
    {0, 1222, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+30, 2, 1.6166666908602663, 4650799},
    {0, 1, 60, 3080, 24640, 2464000, 2439360, 0, 1e+06, 4, 0, 2618},
    {0, 1, 60, 3080, 24640, 147840, 114987, 8213, 1e+06, 4, 4.5000456579307828, 2618},
    {1, 1, 22, 61304, 126208, 12620800, 12494592, 0, 1e+06, 2.9792509461046586, 0, 57012},
    {1, 1, 22, 61304, 126208, 757248, 588971, 42069, 1e+06, 2.9792509461046586, 4.5000089138741481, 57012},
    {1, 5, 22, 600128, 1211520, 121152000, 119940480, 0, 1e+06, 1.5212504665671323, 0, 558119},
    {1, 5, 22, 600128, 1211520, 3634560, 2019200, 403840, 1e+06, 1.5212504665671323, 1.6166666666666667, 558119},
    {1, 33, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+06, 1.25, 0, 4393074},
    {1, 33, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+06, 1.25, 1.6166666666666667, 4393074},
    {1, 33, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+30, 1.2754914753915121, 0, 4393074},
    {1, 33, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+30, 1.2754914753915121, 1.6166666666666667, 4393074},
    {1, 1, 36, 61304, 247616, 24761600, 24513984, 0, 1e+06, 2.9792509461046586, 0, 57012},
    {1, 1, 36, 61304, 247616, 1485696, 1155542, 82538, 1e+06, 2.9792509461046586, 4.500009086668646, 57012},
    {1, 5, 36, 602023, 1669440, 166944000, 165274560, 0, 1e+06, 1.5164619956380405, 0, 559881},
    {1, 5, 36, 602023, 1669440, 5008320, 2782400, 556480, 1e+06, 1.5164619956380405, 1.6166666666666667, 559881},
    {1, 35, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+06, 1.25, 0, 4650799},
    {1, 35, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+06, 1.25, 1.6166666908602663, 4650799},
    {1, 35, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+30, 1.2778278136160581, 0, 4650799},
    {1, 35, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+30, 1.2778278136160581, 1.6166666908602663, 4650799},
    {2, 46, 22, 600128, 1211520, 121152000, 119940480, 0, 1e+06, 1.8007974965340727, 0, 558119},
    {2, 46, 22, 600128, 1211520, 3634560, 2019200, 403840, 1e+06, 1.8007974965340727, 1.6166666666666667, 558119},
    {2, 357, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+06, 1.25, 0, 4393074},
    {2, 357, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+06, 1.25, 1.6166666666666667, 4393074},
    {2, 46, 36, 602023, 1669440, 166944000, 165274560, 0, 1e+06, 1.7951290897523848, 0, 559881},
    {2, 46, 36, 602023, 1669440, 5008320, 2782400, 556480, 1e+06, 1.7951290897523848, 1.6166666666666667, 559881},
    {2, 378, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+06, 1.25, 0, 4650799},
    {2, 378, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+06, 1.25, 1.6166666908602663, 4650799},
    {3, 429, 22, 600128, 1211520, 121152000, 119940480, 0, 1e+06, 1.8007974965340727, 0, 558119},
    {3, 429, 22, 600128, 1211520, 3634560, 2019200, 403840, 1e+06, 1.8007974965340727, 1.6166666666666667, 558119},
    {3, 3372, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+06, 1.25, 0, 4393074},
    {3, 3372, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+06, 1.25, 1.6166666666666667, 4393074},
    {3, 430, 36, 602023, 1669440, 166944000, 165274560, 0, 1e+06, 1.7951290897523848, 0, 559881},
    {3, 430, 36, 602023, 1669440, 5008320, 2782400, 556480, 1e+06, 1.7951290897523848, 1.6166666666666667, 559881},
    {3, 3570, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+06, 1.25, 0, 4650799},
    {3, 3570, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+06, 1.25, 1.6166666908602663, 4650799},
    {4, 2, 22, 61304, 126208, 12620800, 12494592, 0, 1e+06, 2.451536604463004, 0, 57012},
    {4, 2, 22, 61304, 126208, 757248, 588971, 42069, 1e+06, 2.451536604463004, 4.5000089138741481, 57012},
    {4, 11, 22, 600128, 1211520, 121152000, 119940480, 0, 1e+06, 1.3768845979524369, 0, 558119},
    {4, 11, 22, 600128, 1211520, 3634560, 2019200, 403840, 1e+06, 1.3768845979524369, 1.6166666666666667, 558119},
    {4, 81, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+06, 1.25, 0, 4393074},
    {4, 81, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+06, 1.25, 1.6166666666666667, 4393074},
    {4, 81, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+30, 1.2880105916164664, 0, 4393074},
    {4, 81, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+30, 1.2880105916164664, 1.6166666666666667, 4393074},
    {4, 2, 36, 61304, 247616, 24761600, 24513984, 0, 1e+06, 2.451536604463004, 0, 57012},
    {4, 2, 36, 61304, 247616, 1485696, 1155542, 82538, 1e+06, 2.451536604463004, 4.500009086668646, 57012},
    {4, 11, 36, 602023, 1669440, 166944000, 165274560, 0, 1e+06, 1.3725505503942541, 0, 559881},
    {4, 11, 36, 602023, 1669440, 5008320, 2782400, 556480, 1e+06, 1.3725505503942541, 1.6166666666666667, 559881},
    {4, 86, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+06, 1.25, 0, 4650799},
    {4, 86, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+06, 1.25, 1.6166666908602663, 4650799},
    {4, 86, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+30, 1.2917354215075008, 0, 4650799},
    {4, 86, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+30, 1.2917354215075008, 1.6166666908602663, 4650799},
    {5, 9, 22, 600128, 1211520, 121152000, 119940480, 0, 1e+06, 1.8007974965340727, 0, 558119},
    {5, 9, 22, 600128, 1211520, 3634560, 2019200, 403840, 1e+06, 1.8007974965340727, 1.6166666666666667, 558119},
    {5, 68, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+06, 1.25, 0, 4393074},
    {5, 68, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+06, 1.25, 1.6166666666666667, 4393074},
    {5, 9, 36, 602023, 1669440, 166944000, 165274560, 0, 1e+06, 1.7951290897523848, 0, 559881},
    {5, 9, 36, 602023, 1669440, 5008320, 2782400, 556480, 1e+06, 1.7951290897523848, 1.6166666666666667, 559881},
    {5, 72, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+06, 1.25, 0, 4650799},
    {5, 72, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+06, 1.25, 1.6166666908602663, 4650799},
    {6, 28, 22, 600128, 1211520, 121152000, 119940480, 0, 1e+06, 1.8007974965340727, 0, 558119},
    {6, 28, 22, 600128, 1211520, 3634560, 2019200, 403840, 1e+06, 1.8007974965340727, 1.6166666666666667, 558119},
    {6, 216, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+06, 1.25, 0, 4393074},
    {6, 216, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+06, 1.25, 1.6166666666666667, 4393074},
    {6, 28, 36, 602023, 1669440, 166944000, 165274560, 0, 1e+06, 1.7951290897523848, 0, 559881},
    {6, 28, 36, 602023, 1669440, 5008320, 2782400, 556480, 1e+06, 1.7951290897523848, 1.6166666666666667, 559881},
    {6, 229, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+06, 1.25, 0, 4650799},
    {6, 229, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+06, 1.25, 1.6166666908602663, 4650799},
    {7, 1501, 22, 600128, 1211520, 121152000, 119940480, 0, 1e+06, 1.8007974965340727, 0, 558119},
    {7, 1501, 22, 600128, 1211520, 3634560, 2019200, 403840, 1e+06, 1.8007974965340727, 1.6166666666666667, 558119},
    {7, 11810, 22, 4723736, 9478272, 947827200, 938348928, 0, 1e+06, 1.25, 0, 4393074},
    {7, 11810, 22, 4723736, 9478272, 28434816, 15797120, 3159424, 1e+06, 1.25, 1.6166666666666667, 4393074},
    {7, 1506, 36, 602023, 1669440, 166944000, 165274560, 0, 1e+06, 1.7951290897523848, 0, 559881},
    {7, 1506, 36, 602023, 1669440, 5008320, 2782400, 556480, 1e+06, 1.7951290897523848, 1.6166666666666667, 559881},
    {7, 12503, 36, 5000860, 13364416, 1336441600, 1323077184, 0, 1e+06, 1.25, 0, 4650799},
    {7, 12503, 36, 5000860, 13364416, 40093248, 22274027, 4454805, 1e+06, 1.25, 1.6166666908602663, 4650799},
};
#define DECISIONS (sizeof decisions / sizeof *decisions)

static struct sizing_growth growth_of(const struct decision *d, uint64_t *states) {
  const struct course *course = &courses[d->course];
  struct sizing_growth growth = {.slots = d->slots,
                                 .bytes = d->bytes,
                                 .small = sizing_small(d->key_bits),
                                 .limit = d->limit,
                                 .left = d->left,
                                 .frontier = d->frontier,
                                 .bound = d->bound,
                                 .fill = table_fill("iceberg")};
  if (sizing_has_wide_keys(d->key_bits))
    return growth;
  growth.levels = (struct sizing_levels){.states = states, .count = course->count};
  for (uint32_t i = 0; i < course->count; i++)
    states[i] = d->scale * course->states[i];
  for (uint32_t i = 0; i + 1 < course->count; i++)
    growth.levels.expanded += states[i];
  return growth;
}

static void check_near(double found, double wanted, size_t row) {
  ck_assert_msg(found > wanted * (1 - 1e-9) && found < wanted * (1 + 1e-9), "row %zu: %.17g instead of %.17g", row,
                found, wanted);
}

START_TEST(test_recorded) {
  static const double others[] = {2, 1.75, 1.5, 1.25, 3, 6};
  for (size_t row = 0; row < DECISIONS; row++) {
    const struct decision *d = &decisions[row];
    const struct table_shape shape = {.key_bits = d->key_bits, .slots = d->slots, .bytes = d->bytes};
    uint64_t states[20];
    const struct sizing_growth growth = growth_of(d, states);
    check_near(sizing_step(&sizing_host, &growth, 0), d->last > 0 ? d->last : d->usual, row);
    for (unsigned i = 0; i < 6; i++)
      check_near(sizing_step(&sizing_host, &growth, i + 1), others[i], row);
    ck_assert(sizing_step(&sizing_host, &growth, 7) == 0);
    ck_assert_uint_eq(sizing_grow_at(&shape, growth.fill, false), d->grow_at);
  }
}
END_TEST

/* ---- rules ----------------------------------------------------------------------------------- */

/* In a last step both tables and the frontier, which grows with the table, stay within the limit. */
START_TEST(test_last_step_fits) {
  for (uint64_t share = 1; share < 64; share++)
    for (uint64_t frontier = 0; frontier < 3; frontier++) {
      struct sizing_growth growth = {.slots = 5000000, .bytes = 10 * MEBIBYTE, .limit = share * 10 * MEBIBYTE};
      growth.frontier = frontier * growth.bytes / 2;
      if (growth.bytes + growth.frontier > growth.limit)
        continue;
      growth.left = growth.limit - growth.bytes - growth.frontier;
      const double last = sizing_host.last_step(&growth, 2), table = (double)growth.bytes;
      ck_assert(last == 0 || last > SIZING_LEAST_STEP);
      ck_assert(last * table <= (double)growth.left);
      ck_assert(last * (table + (double)growth.frontier) <= 1.000001 * (double)growth.limit);
    }
}
END_TEST

START_TEST(test_device_steps) {
  struct sizing_growth growth = {.slots = 1000, .bytes = MEBIBYTE, .small = MEBIBYTE, .limit = 64 * MEBIBYTE};
  growth.left = growth.limit - growth.bytes;
  static const double small[] = {4, 2, 1.75, 1.5, 1.25, 0}, large[] = {2, 2, 1.75, 1.5, 1.25, 0};
  for (unsigned i = 0; i < 6; i++)
    ck_assert(sizing_step(&sizing_device, &growth, i) == small[i]);
  growth.small--;
  for (unsigned i = 0; i < 6; i++)
    ck_assert(sizing_step(&sizing_device, &growth, i) == large[i]);
  growth.bytes = 8 * MEBIBYTE; /* more than a twelfth: everything but an eighth, then fractions of it */
  growth.left = growth.limit - growth.bytes;
  static const double last[] = {6, 0.97 * 6, 0.75 * 6, 3, 2, 2, 1.75, 1.5, 1.25, 0};
  for (unsigned i = 0; i < 10; i++)
    ck_assert(sizing_step(&sizing_device, &growth, i) == last[i]);
}
END_TEST

/* One of many tables: the usual steps, until its whole part is the last one. */
START_TEST(test_partitions_steps) {
  struct sizing_growth growth = {.slots = 1000, .bytes = MEBIBYTE, .left = 64 * MEBIBYTE};
  static const double usual[] = {2, 2, 1.75, 1.5, 1.25, 3, 6, 0};
  for (unsigned i = 0; i < 8; i++)
    ck_assert(sizing_step(&sizing_partitions, &growth, i) == usual[i]);
  growth.left = 2 * MEBIBYTE;
  static const double last[] = {0.98 * 2, 0.97 * 0.98 * 2, 0.9 * 0.98 * 2, 2, 1.75, 1.5, 1.25, 3, 6, 0};
  for (unsigned i = 0; i < 10; i++)
    check_near(1 + sizing_step(&sizing_partitions, &growth, i), 1 + last[i], i);
}
END_TEST

START_TEST(test_largest) {
  struct table_config config, wanted = {.scheme = "iceberg", .key_bits = 40, .slot_bits = 32};
  struct table_shape shape, larger;
  for (uint64_t bytes = 16384; bytes <= 64 * MEBIBYTE; bytes = bytes * 3 / 2) {
    ck_assert(sizing_largest(&wanted, bytes, &config, &shape));
    ck_assert_uint_le(shape.bytes, bytes);
    config.slots += config.slots / 50 + 100;
    ck_assert_int_eq(table_plan(&config, &larger), FLOE_OK);
    ck_assert_uint_gt(larger.bytes, bytes);
  }
  ck_assert(!sizing_largest(&wanted, 100, &config, &shape));
}
END_TEST

/* ---- the first table ------------------------------------------------------------------------- */

static struct table_shape first_shape(uint64_t initial, uint64_t expected, double bound, uint64_t room) {
  const struct sizing_first first = {.requested = {.scheme = "iceberg", .key_bits = 30, .packed = true},
                                     .initial_slots = initial,
                                     .expected_states = expected,
                                     .bound = bound,
                                     .room = room};
  struct table_config config;
  struct table_shape shape;
  ck_assert_int_eq(sizing_first_table(&first, &config, &shape), FLOE_OK);
  return shape;
}

START_TEST(test_first_table) {
  const uint64_t room = 256 * MEBIBYTE;
  ck_assert_uint_ge(first_shape(0, 0, 1e30, room).slots, 65536);
  ck_assert_uint_lt(first_shape(0, 0, 1e30, room).slots, 80000);
  ck_assert_uint_lt(first_shape(0, 0, 100, room).slots, 1000); /* the model has no more states */
  ck_assert_uint_ge(first_shape(300, 0, 1e30, room).slots, 300);
  ck_assert_uint_lt(first_shape(300, 0, 1e30, room).slots, 1000);
  ck_assert_uint_ge(first_shape(0, 10000000, 1e30, room).slots, 10000000);
  ck_assert_uint_ge(first_shape(300, 10000000, 1e30, room).slots, 300); /* the number of slots decides */
  ck_assert_uint_lt(first_shape(300, 10000000, 1e30, room).slots, 1000);
  /* A table that does not fit takes up to 0.75 of the memory if it is the last one, otherwise half. */
  ck_assert_uint_le(first_shape(0, 1000000000, 1e30, room).bytes, room / 4 * 3);
  ck_assert_uint_gt(first_shape(0, 1000000000, 1e30, room).bytes, room / 2);
  ck_assert_uint_le(first_shape(1000000000, 0, 1e30, room).bytes, room / 2);
}
END_TEST

START_TEST(test_no_layout) {
  struct sizing_first first = {
      .requested = {.scheme = "linear", .key_bits = 33, .slot_bits = 32}, .bound = 1e30, .room = 256 * MEBIBYTE};
  struct table_config config;
  struct table_shape shape;
  ck_assert_int_eq(sizing_first_table(&first, &config, &shape), FLOE_ERROR_USAGE);
}
END_TEST

/* ---- a bitmap in place of a hash table ------------------------------------------------------------- */

START_TEST(test_bitmap_plan) {
  struct table_config hash = {
      .scheme = "iceberg", .permutation = "mix", .key_bits = 30, .slots = 5000, .slot_bits = 32};
  struct table_config config;
  struct table_shape shape;
  ck_assert(sizing_bitmap_plan(&hash, &config, &shape));
  ck_assert(table_traits(config.scheme)->every_key);
  ck_assert_uint_eq(shape.slots, UINT64_C(1) << 30);
  ck_assert_uint_eq(shape.bytes, UINT64_C(1) << 27);
  hash.keys = 1000000;
  ck_assert(sizing_bitmap_plan(&hash, &config, &shape));
  ck_assert_uint_eq(shape.slots, 1000000);
  ck_assert_uint_eq(shape.bytes, 125056);
  hash.value_bits = 32;
  ck_assert(!sizing_bitmap_plan(&hash, &config, &shape));
  hash = (struct table_config){.scheme = "iceberg", .key_bits = 63};
  ck_assert(!sizing_bitmap_plan(&hash, &config, &shape));
}
END_TEST

static void check_first(uint64_t bitmap, uint64_t hash, bool expected, uint64_t room, enum sizing_bitmap wanted) {
  ck_assert_int_eq(sizing_bitmap_first(bitmap, hash, expected, room), wanted);
}

START_TEST(test_bitmap_first) {
  const uint64_t room = 1024 * MEBIBYTE, tiny = SIZING_TINY_BITMAP;
  check_first(tiny, 1000, false, room, SIZING_BITMAP_TINY);
  check_first(tiny + 64, 1000, false, room, SIZING_NO_BITMAP);
  check_first(2 * tiny, 2 * tiny, false, room, SIZING_BITMAP_NO_LARGER);
  check_first(2 * tiny + 64, 2 * tiny, false, room, SIZING_NO_BITMAP);
  check_first(4 * tiny, 2 * tiny, true, room, SIZING_BITMAP_FOR_EXPECTED);
  check_first(4 * tiny + 128, 2 * tiny, true, room, SIZING_NO_BITMAP);
  check_first(room / 2, room, true, room, SIZING_BITMAP_NO_LARGER);      /* room for the frontier */
  check_first(room / 2 + 64, room, true, room, SIZING_BITMAP_NO_LARGER); /* not smaller than the alternative */
  check_first(room / 2 + 64, room / 2, true, room, SIZING_NO_BITMAP);
  check_first(tiny, tiny - 64, true, tiny, SIZING_NO_BITMAP);
}
END_TEST

START_TEST(test_bitmap_instead) {
  ck_assert(sizing_bitmap_instead(1000, 1000, 1000));
  ck_assert(!sizing_bitmap_instead(1001, 1000, 5000));
  ck_assert(!sizing_bitmap_instead(1001, 5000, 1000));
  ck_assert(sizing_bitmap_instead(1000, UINT64_MAX, 1000));
}
END_TEST

int main(void) {
  return run_tests("sizing", CK_NOFORK, test_recorded, test_last_step_fits, test_device_steps, test_partitions_steps,
                   test_largest, test_first_table, test_no_layout, test_bitmap_plan, test_bitmap_first,
                   test_bitmap_instead);
}
