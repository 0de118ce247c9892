#include "base/utf8.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/similar_names.h"
#include "tests/suite.h"

#include <string.h>

static floe_log *log_new(void) {
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  return log;
}

static struct source source_of(const char *text) {
  return (struct source){.name = "m.xml", .text = text, .length = strlen(text)};
}

static void assert_position(const char *text, source_at at, unsigned line, unsigned column) {
  struct source source = source_of(text);
  unsigned found_line, found_column;
  source_position(&source, at, &found_line, &found_column);
  ck_assert_uint_eq(found_line, line);
  ck_assert_uint_eq(found_column, column);
}

START_TEST(positions_count_characters) {
  assert_position("abc", 0, 1, 1);
  assert_position("abc", 3, 1, 4);
  assert_position("abc", 99, 1, 4);
  assert_position("a\nbc", 1, 1, 2);
  assert_position("a\nbc", 2, 2, 1);
  assert_position("a\r\n\r\nbc", 6, 3, 2);
  assert_position("\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9Ex", 9, 1, 4);
  assert_position("\xEF\xBB\xBFx", 3, 1, 1);
  assert_position("\x80\xFFx", 2, 1, 3);
}
END_TEST

START_TEST(message_has_place_and_line) {
  floe_log *log = log_new();
  struct source source = source_of("first\r\n  \xC3\xA4 second\r\nthird");
  diag_error(log, &source, 12, "a hint", "wrong: %d", 7);
  const floe_message *m = floe_log_at(log, 0);
  ck_assert_int_eq(m->severity, FLOE_ERROR);
  ck_assert_str_eq(m->file, "m.xml");
  ck_assert_uint_eq(m->line, 2);
  ck_assert_uint_eq(m->column, 5);
  ck_assert_str_eq(m->message, "wrong: 7");
  ck_assert_str_eq(m->hint, "a hint");
  ck_assert_str_eq(m->excerpt, "  \xC3\xA4 second");
  floe_log_free(log);
}
END_TEST

START_TEST(message_names_the_included_file) {
  floe_log *log = log_new();
  const struct source last = {.name = "last.xml", .text = "x\ny", .length = 3, .base = 7};
  const struct source empty = {.name = "empty.xml", .text = "", .base = 6, .next = &last};
  const struct source own = {.name = "m.xml", .text = "own\n!", .length = 5, .next = &empty};
  static const struct {
    source_at at;
    unsigned line, column;
    const char *file, *included;
  } places[] = {{0, 1, 1, "m.xml", ""},
                {4, 2, 1, "m.xml", ""},
                {5, 2, 2, "m.xml", ""},
                {6, 1, 1, "empty.xml", "empty.xml"},
                {7, 1, 1, "last.xml", "last.xml"},
                {9, 2, 1, "last.xml", "last.xml"},
                {10, 2, 2, "last.xml", "last.xml"}};
  ck_assert_uint_eq(source_end(&own), 11);
  ck_assert_str_eq(source_included_file(&own, NOWHERE), "");
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    diag_warning(log, &own, places[i].at, NULL, "here");
    const floe_message *m = floe_log_at(log, i);
    ck_assert_str_eq(m->file, places[i].file);
    ck_assert_str_eq(source_included_file(&own, places[i].at), places[i].included);
    ck_assert_uint_eq(m->line, places[i].line);
    ck_assert_uint_eq(m->column, places[i].column);
  }
  ck_assert_str_eq(floe_log_at(log, 5)->excerpt, "y");
  floe_log_free(log);
}
END_TEST

START_TEST(message_without_place) {
  floe_log *log = log_new();
  struct source source = source_of("text");
  diag_error(log, NULL, NOWHERE, NULL, "no file");
  diag_warning(log, &source, NOWHERE, NULL, "no place");
  ck_assert_ptr_null(floe_log_at(log, 0)->file);
  ck_assert_uint_eq(floe_log_at(log, 0)->line, 0);
  ck_assert_ptr_null(floe_log_at(log, 0)->hint);
  ck_assert_str_eq(floe_log_at(log, 1)->file, "m.xml");
  ck_assert_ptr_null(floe_log_at(log, 1)->excerpt);
  ck_assert_uint_eq(floe_log_errors(log), 1);
  floe_log_free(log);
}
END_TEST

START_TEST(same_message_is_kept_once) {
  floe_log *log = log_new();
  struct source source = source_of("text");
  for (int i = 0; i < 3; i++)
    diag_error(log, &source, 1, NULL, "again");
  diag_error(log, &source, 2, NULL, "again");
  diag_warning(log, &source, 1, NULL, "again");
  ck_assert_uint_eq(floe_log_count(log), 3);
  ck_assert_uint_eq(floe_log_errors(log), 2);
  floe_log_free(log);
}
END_TEST

START_TEST(errors_after_twenty_are_counted) {
  floe_log *log = log_new();
  for (int i = 0; i < 30; i++)
    diag_error(log, NULL, NOWHERE, NULL, "error %d", i);
  for (int i = 0; i < 200; i++)
    diag_warning(log, NULL, NOWHERE, NULL, "warning %d", i);
  ck_assert_uint_eq(floe_log_count(log), 20 + 100);
  ck_assert_uint_eq(floe_log_errors(log), 30);
  ck_assert_uint_eq(diag_errors(log), 30);
  ck_assert_uint_eq(floe_log_dropped(log), 10);
  floe_log_clear(log);
  ck_assert_uint_eq(floe_log_count(log), 0);
  ck_assert_uint_eq(floe_log_dropped(log), 0);
  floe_log_free(log);
}
END_TEST

/* Those that are not kept are counted with the first one of their kind, once each; a kind that comes later is kept. */
START_TEST(warnings_after_a_hundred_are_counted) {
  static char text[3000];
  floe_log *log = log_new();
  memset(text, 'x', sizeof text - 1);
  struct source source = source_of(text);
  diag_warning(log, &source, 0, NULL, "of another kind");
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < 1000; i++)
      diag_warning(log, &source, (source_at)i, NULL, "'v%d' is never read", i);
    ck_assert_uint_eq(floe_log_count(log), 100);
    ck_assert_uint_eq(floe_log_similar(log, 0), 0);
    ck_assert_uint_eq(floe_log_similar(log, 1), 1000 - 99);
    ck_assert_uint_eq(floe_log_similar(log, 2), 0);
  }
  diag_warning(log, &source, 1, NULL, "'late' is never assigned");
  diag_warning(log, &source, 2, NULL, "'later' is never assigned");
  ck_assert_uint_eq(floe_log_count(log), 100);
  ck_assert_str_eq(floe_log_at(log, 99)->message, "'late' is never assigned");
  ck_assert_uint_eq(floe_log_similar(log, 1), 1000 - 98);
  ck_assert_uint_eq(floe_log_similar(log, 99), 1);
  ck_assert_uint_eq(floe_log_similar(log, 100), 0);
  floe_log_clear(log);
  ck_assert_uint_eq(floe_log_similar(log, 0), 0);
  floe_log_free(log);
}
END_TEST

/* An excerpt begins at the start of its line, so that the column is right, and has a bounded length. */
START_TEST(long_lines_are_cut) {
  static char text[5000];
  floe_log *log = log_new();
  memset(text, 'x', sizeof text - 1);
  struct source source = source_of(text);
  diag_error(log, &source, 150, NULL, "near");
  diag_error(log, &source, 4000, NULL, "far");
  ck_assert_uint_eq(strlen(floe_log_at(log, 0)->excerpt), 200);
  ck_assert_uint_eq(floe_log_at(log, 1)->column, 4001);
  ck_assert_ptr_null(floe_log_at(log, 1)->excerpt);
  floe_log_free(log);
}
END_TEST

START_TEST(controls_do_not_reach_the_terminal) {
  floe_log *log = log_new();
  struct source source = source_of("\ta\x1B[31m\xC2\x9B\xFF");
  diag_error(log, &source, 0, NULL, "found '%s'", "\x1B[31m");
  ck_assert_str_eq(floe_log_at(log, 0)->excerpt, "\ta?[31m??");
  ck_assert_str_eq(floe_log_at(log, 0)->message, "found '?[31m'");
  floe_log_free(log);
}
END_TEST

START_TEST(huge_messages_are_cut) {
  floe_log *log = log_new();
  static char name[100000];
  memset(name, 'n', sizeof name - 1);
  diag_error(log, NULL, NOWHERE, NULL, "name %s", name);
  ck_assert_uint_lt(strlen(floe_log_at(log, 0)->message), 5000);
  floe_log_free(log);
}
END_TEST

START_TEST(without_memory_errors_still_count) {
  floe_log *log = log_new();
  mem_fail_after(1);
  ck_assert_int_eq(floe_log_create(&(floe_log *){NULL}), FLOE_ERROR_MEMORY);
  mem_fail_after(1);
  diag_error(log, NULL, NOWHERE, NULL, "lost");
  mem_fail_after(0);
  ck_assert_uint_eq(floe_log_count(log), 0);
  ck_assert_uint_eq(floe_log_errors(log), 1);
  ck_assert_uint_eq(floe_log_dropped(log), 1);
  floe_log_free(log);
}
END_TEST

START_TEST(nearest_names) {
  static const char *const names[] = {"instances", "name", "x", "flag", "turn"};
  const size_t count = sizeof names / sizeof *names;
  ck_assert_str_eq(most_similar_name("instance", names, count), "instances");
  ck_assert_str_eq(most_similar_name("instnaces", names, count), "instances");
  ck_assert_str_eq(most_similar_name("nam", names, count), "name");
  ck_assert_str_eq(most_similar_name("flga", names, count), "flag");
  ck_assert_ptr_null(most_similar_name("colour", names, count));
  ck_assert_ptr_null(most_similar_name("y", names, count));
  ck_assert_ptr_null(most_similar_name("", names, count));
  ck_assert_ptr_null(most_similar_name("name", names, 0));
  static char huge[1000];
  memset(huge, 'n', sizeof huge - 1);
  ck_assert_ptr_null(most_similar_name(huge, names, count));
}
END_TEST

START_TEST(nearest_come_first) {
  const char *names[] = {"alpha", "mutex", "errors", "mutes"};
  char list[64];
  sort_by_similarity("mutx", names, 4);
  similar_names_list(list, sizeof list, names, 4, 4);
  ck_assert_str_eq(list, "'mutex', 'mutes', 'alpha' and 'errors'");
  similar_names_list(list, sizeof list, names, 4, 1);
  ck_assert_str_eq(list, "'mutex' and 3 more");
  similar_names_list(list, sizeof list, names, 1, 4);
  ck_assert_str_eq(list, "'mutex'");
  similar_names_list(list, 10, names, 4, 4);
  ck_assert_str_eq(list, "'mutex', ");
  ck_assert_str_eq(most_similar_name("ALPHA", names, 4), "alpha");
}
END_TEST

START_TEST(utf8_lengths) {
  static const struct {
    const char *bytes;
    size_t length;
  } cases[] = {
      {"a", 1},
      {"\xC2\x80", 2},
      {"\xDF\xBF", 2},
      {"\xE0\xA0\x80", 3},
      {"\xEF\xBF\xBF", 3},
      {"\xF0\x90\x80\x80", 4},
      {"\xF4\x8F\xBF\xBF", 4},
      {"\x80", 0},
      {"\xC0\x80", 0},
      {"\xC1\xBF", 0},
      {"\xE0\x9F\xBF", 0},
      {"\xED\xA0\x80", 0},
      {"\xF0\x8F\xBF\xBF", 0},
      {"\xF4\x90\x80\x80", 0},
      {"\xF5\x80\x80\x80", 0},
      {"\xFF", 0},
      {"\xC3", 0},
      {"\xE2\x82", 0},
      {"\xE2\x82x", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_uint_eq(utf8_length(cases[i].bytes, strlen(cases[i].bytes)), cases[i].length);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("diag", CK_NOFORK, positions_count_characters, message_has_place_and_line,
                   message_names_the_included_file, message_without_place, same_message_is_kept_once,
                   errors_after_twenty_are_counted, warnings_after_a_hundred_are_counted, long_lines_are_cut,
                   controls_do_not_reach_the_terminal, huge_messages_are_cut, without_memory_errors_still_count,
                   nearest_names, nearest_come_first, utf8_lengths, nothing_leaks);
}
