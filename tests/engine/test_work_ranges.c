/* Work distribution: each ticket is drawn once; a thread draws neighbours as long as it keeps up. */
#include "engine/cpu/work_ranges.h"

#include "core/mem.h"
#include "tests/suite.h"

#include <string.h>

enum { MOST_DRAWERS = 9, MOST_TICKETS = 3000 };

static struct ranges ranges;
static struct drawer drawers[MOST_DRAWERS];

static void deal(size_t tickets) {
  ranges_deal(&ranges, tickets);
  for (unsigned i = 0; i < ranges.drawers; i++)
    drawers[i] = ranges_drawer(&ranges, i);
}

/* All draw in turns, number i `pace[i]` times each turn; owner[t]: the number that drew t. */
static void draw_all(size_t tickets, const unsigned *pace, int *owner) {
  size_t ticket, drawn = 0;
  memset(owner, -1, tickets * sizeof *owner);
  for (bool any = true; any;) {
    any = false;
    for (unsigned i = 0; i < ranges.drawers; i++)
      for (unsigned k = 0; k < pace[i] && ranges_draw(&ranges, &drawers[i], &ticket); k++) {
        ck_assert_uint_lt(ticket, tickets);
        ck_assert_int_eq(owner[ticket], -1);
        owner[ticket] = (int)i;
        drawn++;
        any = true;
      }
  }
  ck_assert_uint_eq(drawn, tickets);
}

static size_t changes(const int *owner, size_t tickets) {
  size_t n = 0;
  for (size_t t = 1; t < tickets; t++)
    n += owner[t] != owner[t - 1];
  return n;
}

START_TEST(test_each_once) {
  static int owner[MOST_TICKETS];
  static const unsigned even[MOST_DRAWERS] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (unsigned n = 1; n <= MOST_DRAWERS; n++) {
    ck_assert_int_eq(ranges_create(n, &ranges), FLOE_OK);
    for (size_t tickets = 0; tickets < 200; tickets++) {
      deal(tickets);
      ck_assert_uint_le(ranges.count, n);
      draw_all(tickets, even, owner);
    }
    ranges_free(&ranges);
  }
}
END_TEST

/* A thread as fast as the others draws only neighbours: two hundred and more in a row. */
START_TEST(test_neighbours) {
  static int owner[MOST_TICKETS];
  static const unsigned even[MOST_DRAWERS] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (unsigned n = 1; n <= MOST_DRAWERS; n++) {
    ck_assert_int_eq(ranges_create(n, &ranges), FLOE_OK);
    deal(MOST_TICKETS);
    ck_assert_uint_eq(ranges.count, n);
    draw_all(MOST_TICKETS, even, owner);
    ck_assert_uint_le(changes(owner, MOST_TICKETS), 2 * n);
    ranges_free(&ranges);
  }
}
END_TEST

/* If a thread comes late, or never, all tickets are still drawn. */
START_TEST(test_late) {
  static int owner[MOST_TICKETS];
  static const unsigned paces[][4] = {{1, 0, 0, 0}, {0, 0, 0, 3}, {0, 7, 1, 0}, {1, 2, 3, 4}};
  for (size_t p = 0; p < sizeof paces / sizeof *paces; p++) {
    ck_assert_int_eq(ranges_create(4, &ranges), FLOE_OK);
    deal(1000);
    draw_all(1000, paces[p], owner);
    ranges_free(&ranges);
  }
}
END_TEST

/* A few tickets form one range: no thread searches many ranges. */
START_TEST(test_few) {
  ck_assert_int_eq(ranges_create(MOST_DRAWERS, &ranges), FLOE_OK);
  deal(7);
  ck_assert_uint_eq(ranges.count, 1);
  for (unsigned i = 0; i < MOST_DRAWERS; i++)
    ck_assert_uint_eq(drawers[i].home, 0);
  ranges_free(&ranges);
}
END_TEST

int main(void) {
  return suite_end(run_tests("ranges", CK_NOFORK, test_each_once, test_neighbours, test_late, test_few));
}
