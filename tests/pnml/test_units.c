/* Bounds of places by the units of a file: only sums that no transition increases bound their places. */
#include "core/mem.h"
#include "frontend/pnml/exclusive_places.h"
#include "frontend/pnml/place_bounds.h"
#include "frontend/pnml/read_net.h"
#include "tests/suite.h"

#include <string.h>

/* `run` takes the token of `main` and starts two units in which `step` moves a token; `more` would add a token to c. */
static const char parts[] = "<place id='main'><initialMarking><text>1</text></initialMarking></place>"
                            "<place id='a'/><place id='b'/><place id='c'/><place id='d'/>"
                            "<transition id='run'/><transition id='step'/><transition id='more'/>"
                            "<arc id='a1' source='main' target='run'/>"
                            "<arc id='a2' source='run' target='a'/><arc id='a3' source='run' target='c'/>"
                            "<arc id='a4' source='a' target='step'/><arc id='a5' source='step' target='b'/>"
                            "<arc id='a6' source='b' target='more'/><arc id='a7' source='more' target='b'/>"
                            "<arc id='a8' source='more' target='c'/>";

static const char units[] = "<unit id='u'><places>main</places><subunits>v w</subunits></unit>"
                            "<unit id='v'><places>a b</places><subunits/></unit>"
                            "<unit id='w'><places>c d</places></unit>";

struct reading {
  const char *units;
  struct arena *arena;
  struct net *net;
};

static void read(void *user) {
  struct reading *r = user;
  const char *text = arena_printf(r->arena,
                                  "<pnml><net id='n'><page id='p'>%s</page><toolspecific tool='nupn' version='1.1'>"
                                  "<structure safe='true'>%s</structure></toolspecific></net></pnml>",
                                  parts, r->units);
  struct source *source = arena_alloc(r->arena, sizeof *source);
  *source = (struct source){.name = "n.pnml", .text = text, .length = strlen(text)};
  ck_assert_int_eq(net_read(source, r->arena, NULL, &r->net), FLOE_OK);
  for (size_t p = 0; p < r->net->place_count; p++)
    r->net->places[p].bound = NO_BOUND;
  unit_bounds(r->net, r->arena);
  exclusive_choose(r->net, r->arena);
}

/* `together`: places that share a field; 0: none. `one`: one of them always has a token. */
static void assert_bounds(const char *with, const int64_t *bounds, size_t together, bool one) {
  struct arena arena;
  struct reading r = {.units = with, .arena = &arena};
  arena_init(&arena);
  ck_assert_int_eq(arena_guard(&arena, read, &r), 0);
  for (size_t p = 0; p < r.net->place_count; p++)
    ck_assert_msg(r.net->places[p].bound == bounds[p], "%s: %lld", r.net->places[p].id,
                  (long long)r.net->places[p].bound);
  ck_assert_uint_eq(r.net->exclusive_count, together > 0);
  if (together) {
    ck_assert_uint_eq(r.net->exclusive[0].count, together);
    ck_assert_int_eq(r.net->exclusive[0].one, one);
  }
  arena_free(&arena);
}

/* v is started from the unit around it: the sum with `main` is constant. That of w grows: its claim is not proved. */
START_TEST(sums_of_units) { assert_bounds(units, (const int64_t[]){1, 1, 1, NO_BOUND, NO_BOUND}, 3, true); }
END_TEST

START_TEST(no_units) {
  assert_bounds("", (const int64_t[]){NO_BOUND, NO_BOUND, NO_BOUND, NO_BOUND, NO_BOUND}, 0, false);
}
END_TEST

/* Units that contain each other, and a subunit that does not exist */
START_TEST(strange_units) {
  assert_bounds("<unit id='u'><places>a</places><subunits>v</subunits></unit>"
                "<unit id='v'><places>main</places><subunits>u nothing</subunits></unit>",
                (const int64_t[]){1, NO_BOUND, NO_BOUND, NO_BOUND, NO_BOUND}, 0, false);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) { return run_tests("units", CK_NOFORK, sums_of_units, no_units, strange_units, nothing_leaks); }
