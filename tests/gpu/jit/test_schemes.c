/* The schemes' descriptions agree with their kernel texts. Needs no GPU. */
#include "gpu/jit/scheme.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_has(const unsigned char *text, const char *before, const char *word, const char *after) {
  char wanted[96];
  snprintf(wanted, sizeof wanted, "%s%s%s", before, word, after);
  return strstr((const char *)text, wanted) != NULL;
}

START_TEST(operations_are_those_of_the_text) {
  const struct gpu_scheme *scheme;
  size_t n = 0;
  for (; (scheme = gpu_scheme_at(n)); n++)
    for (unsigned i = 0; i < TABLE_OPERATIONS; i++)
      ck_assert_msg(scheme->has[i] == text_has(scheme->text, "GPU_KERNEL(floe_table_", gpu_operation_word(i), ","),
                    "%s: %s", scheme->scheme->name, gpu_operation_word(i));
  ck_assert_uint_ge(n, 4);
}
END_TEST

START_TEST(views_are_those_of_the_texts) {
  const struct gpu_scheme *scheme;
  for (size_t n = 0; (scheme = gpu_scheme_at(n)); n++) {
    ck_assert_msg(text_has(scheme->text, "\n", scheme->view, " {"), "%s", scheme->scheme->name);
    if (scheme->visited)
      ck_assert_msg(text_has(scheme->visited, "\n", scheme->view, " {"), "%s", scheme->scheme->name);
  }
}
END_TEST

/* A visited set defines these functions (gpu/kernel/base/warp.h). */
START_TEST(what_explores_has_the_text_of_it) {
  const struct gpu_scheme *scheme;
  unsigned explorers = 0;
  for (size_t n = 0; (scheme = gpu_scheme_at(n)); n++) {
    ck_assert_int_eq(gpu_scheme_explores(scheme->scheme->name), scheme->visited != NULL);
    if (!scheme->visited)
      continue;
    ck_assert(text_has(scheme->visited, "KERNEL_FN unsigned visited_single_lane(const ", scheme->view, " *table,"));
    ck_assert(text_has(scheme->visited, "KERNEL_FN bool visited_find(const ", scheme->view, " *table,"));
    ck_assert(text_has(scheme->visited, "KERNEL_FN void warp_flush(", "struct warp", " *w,"));
    explorers++;
  }
  ck_assert_uint_ge(explorers, 3);
}
END_TEST

/* A set that explores and can become full moves its keys to a larger one, and to a bitmap, which cannot become full. */
START_TEST(what_explores_moves_its_keys) {
  const struct gpu_scheme *scheme;
  for (size_t n = 0; (scheme = gpu_scheme_at(n)); n++) {
    const bool every_key = scheme->scheme->traits.every_key;
    ck_assert_int_eq(scheme->to_bitmap != NULL, scheme->visited && !every_key);
    ck_assert(!scheme->to_bitmap || text_has(scheme->to_bitmap, "#define FLOE_FROM ", scheme->view, "\n"));
    if (scheme->visited)
      ck_assert_int_eq(text_has(scheme->visited, "KERNEL_FN void ", "move_content", "(struct warp *w,"), !every_key);
  }
}
END_TEST

START_TEST(each_scheme_is_found_by_its_name) {
  const struct gpu_scheme *scheme;
  for (size_t n = 0; (scheme = gpu_scheme_at(n)); n++)
    ck_assert_ptr_eq(gpu_scheme_find(scheme->scheme->name), scheme);
  ck_assert_ptr_eq(gpu_scheme_find(NULL), gpu_scheme_find(table_scheme_at(0)->name));
  ck_assert_ptr_null(gpu_scheme_find("no such scheme"));
  ck_assert(!gpu_scheme_explores("no such scheme"));
}
END_TEST

int main(void) {
  return run_tests("schemes of a device", CK_FORK_GETENV, operations_are_those_of_the_text,
                   views_are_those_of_the_texts, what_explores_has_the_text_of_it, what_explores_moves_its_keys,
                   each_scheme_is_found_by_its_name);
}
