/* Text output of the command: excerpts with carets, suggestions, quantities. */
#include "cmd/console/excerpt.h"
#include "cmd/console/suggest.h"
#include "cmd/quantity.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

static char *excerpt(const char *line, unsigned column) {
  static char *text; /* static: gcc warns that open_memstream keeps the address of a local variable */
  static size_t length;
  FILE *stream = open_memstream(&text, &length);
  ck_assert_ptr_nonnull(stream);
  put_excerpt(stream, line, column);
  fclose(stream);
  return text;
}

static void is(const char *line, unsigned column, const char *wanted) {
  char *text = excerpt(line, column);
  ck_assert_str_eq(text, wanted);
  free(text);
}

START_TEST(test_caret) {
  is("abc", 1, "  abc\n  ^\n");
  is("abc", 3, "  abc\n    ^\n");
  is("abc", 4, "  abc\n     ^\n"); /* the end of the line */
  is("abc", 9, "  abc\n     ^\n"); /* beyond it */
  is("", 1, "  \n  ^\n");
  is("\ta\tb", 4, "  \ta\tb\n  \t \t^\n");
}
END_TEST

START_TEST(test_unicode) {
  is("\303\251x", 2, "  \303\251x\n   ^\n");                  /* e acute: one cell */
  is("\346\274\242x", 2, "  \346\274\242x\n    ^\n");         /* a Chinese character: two */
  is("e\314\201x", 3, "  e\314\201x\n   ^\n");                /* a combining accent: none */
  is("\360\237\230\200x", 2, "  \360\237\230\200x\n    ^\n"); /* an emoji: two */
}
END_TEST

START_TEST(test_unprintable) {
  is("a\033[1mb", 6, "  a?[1mb\n       ^\n");
  is("\377\376x", 3, "  ??x\n    ^\n"); /* no UTF-8 */
  is("\303", 1, "  ?\n  ^\n");          /* cut off */
  is("\302\233x", 2, "  ?x\n   ^\n");   /* a control character of two bytes */
}
END_TEST

START_TEST(test_long_line) {
  char line[2001];
  memset(line, 'x', sizeof line - 1);
  line[sizeof line - 1] = 0;
  line[999] = 'Y';
  char *text = excerpt(line, 1000);
  ck_assert_uint_lt(strlen(text), 400);
  char *caret = strchr(text, '\n') + 1;
  ck_assert_ptr_nonnull(strchr(caret, '^'));
  ck_assert_int_eq(text[strchr(caret, '^') - caret], 'Y');
  ck_assert(strncmp(text, "  ...x", 6) == 0);
  free(text);
}
END_TEST

START_TEST(test_nearest) {
  static const char *const words[] = {"threads", "timeout", "table", "json"};
  ck_assert_str_eq(nearest_word("treads", 6, words, 4), "threads");
  ck_assert_str_eq(nearest_word("tiemout", 7, words, 4), "timeout"); /* neighbours swapped */
  ck_assert_str_eq(nearest_word("jsn", 3, words, 4), "json");
  ck_assert_str_eq(nearest_word("table", 5, words, 4), "table");
  ck_assert_ptr_null(nearest_word("blargh", 6, words, 4));
  ck_assert_ptr_null(nearest_word("", 0, words, 4));
  ck_assert_str_eq(nearest_word("tablexyz", 5, words, 4), "table"); /* its first five */
  char monster[200];
  memset(monster, 't', sizeof monster);
  ck_assert_ptr_null(nearest_word(monster, sizeof monster, words, 4));
}
END_TEST

START_TEST(test_bytes) {
  char text[QUANTITY];
  ck_assert_str_eq(byte_text(0, text), "0 B");
  ck_assert_str_eq(byte_text(1023, text), "1023 B");
  ck_assert_str_eq(byte_text(1536, text), "1.5 KiB");
  ck_assert_str_eq(byte_text(UINT64_MAX, text), "16.0 EiB");
}
END_TEST

int main(void) {
  return run_tests("words", CK_FORK_GETENV, test_caret, test_unicode, test_unprintable, test_long_line, test_nearest,
                   test_bytes);
}
