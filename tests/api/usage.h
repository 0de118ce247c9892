/* Shared by test_usage.c and test_usage_tables.c: checks of calls with invalid arguments. */
#ifndef FLOE_TESTS_API_USAGE_H
#define FLOE_TESTS_API_USAGE_H

#include "floe.h"

#include <check.h>
#include <string.h>

enum { FAR = 99, BAD = 77 }; /* an index past every end, a number of no enum */

static floe_log *log_;

#define REFUSED(call) ck_assert_int_eq((call), FLOE_ERROR_USAGE)
/* and logs one error */
#define LOGGED(call)                                                                                                   \
  do {                                                                                                                 \
    floe_log_clear(log_);                                                                                              \
    REFUSED(call);                                                                                                     \
    ck_assert_uint_eq(floe_log_errors(log_), 1);                                                                       \
  } while (0)
#define EMPTY(string) ck_assert_str_eq((string), "")

static inline void all_zero(const void *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    ck_assert_msg(((const char *)bytes)[i] == 0, "byte %zu of %zu", i, n);
}
/* The returned struct is zero. */
#define ZERO(type, call)                                                                                               \
  do {                                                                                                                 \
    type value_;                                                                                                       \
    memset(&value_, 0, sizeof value_);                                                                                 \
    value_ = (call);                                                                                                   \
    all_zero(&value_, sizeof value_);                                                                                  \
  } while (0)

#endif
