/* Bounds of successors: reserved and expected ones; transitions that exclude each other count once. */
#include "loaded.h"
#include "model/transitions/exclusive_guards.h"
#include "model/transitions/successor_bound.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void expect(const char *text, uint64_t bound, uint64_t expected) {
  struct loaded loaded;
  uint32_t said;
  ck_assert_msg(loaded_from_text(&loaded, "model", text, strlen(text), NULL, 0), "%s", loaded_message(&loaded));
  ck_assert_int_eq(successor_bound(loaded.model, loaded.log, &said), FLOE_OK);
  ck_assert_msg(said == bound, "%u for %s", said, text);
  const uint64_t found = loaded_expected(&loaded);
  ck_assert_msg(found == expected, "%llu expected for %s", (unsigned long long)found, text);
  loaded_free(&loaded);
}

/* Two transitions at one location. */
static void expect_of_pair(const char *guard, const char *other, uint64_t expected) {
  char text[2000];
  snprintf(text, sizeof text,
           "<model name=\"m\"><variable name=\"x\" range=\"0..9\"/><variable name=\"y\" range=\"0..9\"/>"
           "<variable name=\"b\" range=\"0..1\"/><variable name=\"q\" type=\"bool\"/><variable name=\"a\" size=\"3\" "
           "range=\"0..9\"/>"
           "<process name=\"P\"><location name=\"l\" initial=\"true\"/>"
           "<transition from=\"l\" guard=\"%s\" effect=\"x = 1; y = 1; b = 1; q = true\"/>"
           "<transition from=\"l\" guard=\"%s\" effect=\"a[0] = 1; a[1] = 1\"/></process></model>",
           guard, other);
  expect(text, 2, expected);
}

/* In both orders. */
static void expect_of_pairs(const char *const (*pairs)[2], size_t n, uint64_t expected) {
  for (size_t i = 0; i < n; i++) {
    expect_of_pair(pairs[i][0], pairs[i][1], expected);
    expect_of_pair(pairs[i][1], pairs[i][0], expected);
  }
}

START_TEST(guards_that_exclude) {
  static const char *const pairs[][2] = {{"x == 0", "x != 0"},
                                         {"x lt 3", "x == 3"},
                                         {"x le 3", "x gt 3"},
                                         {"x lt 3", "x ge 3"},
                                         {"x == 2", "x == 5"},
                                         {"3 == x", "x lt 3"},
                                         {"x gt 2", "x lt 3"},
                                         {"x lt y", "y le x"},
                                         {"x lt y", "x == y"},
                                         {"x == y", "y != x"},
                                         {"b != 0", "not (b != 0)"},
                                         {"q", "not q"},
                                         {"not (x le 3)", "x lt 4"},
                                         {"a[0] == 1", "a[0] == 2"},
                                         {"y gt 3 and x == 0", "x gt 0 and y gt 3"},
                                         {"x == 0 or x == 2", "x == 1 or x gt 4"},
                                         {"x + y == 3", "x + y gt 3"}};
  expect_of_pairs(pairs, sizeof pairs / sizeof *pairs, 1);
}
END_TEST

START_TEST(guards_that_do_not) {
  static const char *const pairs[][2] = {
      {"x == 0", "y != 0"},      {"x lt 4", "x == 3"},       {"x le 3", "x ge 3"},
      {"x lt 3", "x lt 5"},      {"x gt 1", "x lt 3"},       {"x lt y", "x le y"},
      {"x lt y", "y gt x"},      {"x == y", "x le y"},       {"x != 2", "x != 3"},
      {"true", "x == 0"},        {"a[0] == 1", "a[1] == 2"}, {"x == 0 or x == 2", "x == 1 or x gt 1"},
      {"x lt 3", "not (x gt 5)"}};
  expect_of_pairs(pairs, sizeof pairs / sizeof *pairs, 2);
}
END_TEST

/* Transitions of a set exclude each other; the one with the most choices counts. */
START_TEST(sets) {
#define MODEL(transitions)                                                                                             \
  "<model name=\"m\"><variable name=\"x\" range=\"0..9\"/><process name=\"P\" instances=\"3\">"                        \
  "<location name=\"l\" initial=\"true\"/><location name=\"k\"/>" transitions "</process></model>"
#define TO(guard) "<transition from=\"l\" to=\"k\" guard=\"" guard "\" effect=\"x++\"/>"
  expect(MODEL(TO("x == 0") TO("x == 1") TO("x == 2")), 9, 3);
  expect(MODEL(TO("x == 0") TO("x == 1") TO("x lt 2")), 9, 6);
  expect(MODEL(TO("x == 0") TO("x lt 2") TO("x == 1") TO("x gt 4")), 12, 6);
  expect(MODEL(TO("x == 0") "<transition from=\"k\" to=\"l\"/><transition from=\"k\" effect=\"x = 1\"/>"), 6, 6);
  expect(MODEL("<transition from=\"l\" select=\"i in 1..4\" guard=\"x == 0\" effect=\"x = i\"/>" TO("x == 1")), 15, 12);
#define CHOOSE(guard) "<transition from=\"l\" to=\"k\" select=\"i in 0..1\" guard=\"" guard "\" effect=\"x++\"/>"
  expect(MODEL(CHOOSE("x == i") CHOOSE("x != i")), 12, 12);
}
END_TEST

/* Too many at one location to be compared. */
START_TEST(many) {
  static char text[20000];
  size_t n = (size_t)snprintf(text, sizeof text,
                              "<model name=\"m\"><variable name=\"x\" range=\"0..99\"/><process name=\"P\">"
                              "<location name=\"l\" initial=\"true\"/>");
  for (int i = 0; i < 65; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "<transition from=\"l\" guard=\"x == %d\" effect=\"x = 0\"/>", i);
  snprintf(text + n, sizeof text - n, "</process></model>");
  expect(text, 65, 65);
}
END_TEST

/* 30 transitions that all exclude each other, by the last of 201 parts of their guards. */
static void load_long_guards(struct loaded *loaded, int instances) {
  static char text[400000];
  size_t n = (size_t)snprintf(text, sizeof text,
                              "<model name=\"m\"><variable name=\"x\" range=\"0..99\"/>"
                              "<variable name=\"y\" range=\"0..999\"/><process name=\"P\" instances=\"%d\">"
                              "<location name=\"l\" initial=\"true\"/>",
                              instances);
  for (int i = 0; i < 30; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "<transition from=\"l\" effect=\"x = 0; y++\" guard=\"");
    for (int k = 0; k < 200; k++)
      n += (size_t)snprintf(text + n, sizeof text - n, "y != %d and ", k);
    n += (size_t)snprintf(text + n, sizeof text - n, "x == %d\"/>", i);
  }
  snprintf(text + n, sizeof text - n, "</process></model>");
  ck_assert_msg(loaded_from_text(loaded, "model", text, strlen(text), NULL, 0), "%s", loaded_message(loaded));
}

/* Not all pairs are compared; transitions not known to exclude each other count. */
START_TEST(long_guards) {
  struct loaded loaded;
  load_long_guards(&loaded, 1);
  const uint64_t found = loaded_expected(&loaded);
  ck_assert_msg(found > 1 && found < 30, "%llu", (unsigned long long)found);
  loaded_free(&loaded);
}
END_TEST

/* Work ends with the last comparison. It once continued through the guards, for 13 s. */
START_TEST(work_ends) {
  struct loaded loaded;
  uint64_t enough = 1 << 20, little = 100;
  load_long_guards(&loaded, 20);
  const struct transition *const transitions = loaded.model->transitions;
  ck_assert(transitions_exclude(&transitions[0], &transitions[1], &enough));
  ck_assert_uint_gt(enough, 0);
  ck_assert(!transitions_exclude(&transitions[0], &transitions[1], &little));
  ck_assert_uint_eq(little, 0);
  const clock_t begun = clock(); /* processor time */
  ck_assert_uint_gt(loaded_expected(&loaded), 570);
  ck_assert_int_lt(clock() - begun, 4 * CLOCKS_PER_SEC);
  loaded_free(&loaded);
}
END_TEST

int main(void) {
  return run_tests("bound", CK_NOFORK, guards_that_exclude, guards_that_do_not, sets, many, long_guards, work_ends);
}
