/* Forms of the tables' scans: "avx512", "avx2", "portable". A table uses the best form of the machine, unless its
   configuration or the environment variable FLOE_TEST_SIMD names another. With the variable, tests run in each form. */
#ifndef FLOE_TABLES_SIMD_H
#define FLOE_TABLES_SIMD_H

#include "core/status.h"

#define SIMD_VARIABLE "FLOE_TEST_SIMD"

/* The forms of this machine, the best first; NULL-terminated. */
const char *const *simd_forms(void);

/* The value of the environment variable, even if unknown; NULL: unset or empty. */
const char *simd_requested(void);

/* The form for a table whose configuration has `name` (NULL: none given). NULL: this machine lacks the form. */
const char *simd_choose(const char *name);

/* FLOE_ERROR_USAGE, logged: the environment names a form that this machine lacks. */
floe_status simd_check(floe_log *log);

#endif
