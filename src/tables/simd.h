/* The forms of the tables' scans: "avx512", "avx2", "portable". A table has the best one that the machine runs, unless
   its configuration names another, or the environment's FLOE_TEST_SIMD does, with which tests run in each of them. */
#ifndef FLOE_TABLE_SIMD_H
#define FLOE_TABLE_SIMD_H

#include "core/status.h"

#define SIMD_VARIABLE "FLOE_TEST_SIMD"

/* Those that this machine runs, the best first; NULL-terminated. */
const char *const *simd_forms(void);

/* What the environment asks for, whatever it is; NULL: nothing (unset, or empty). */
const char *simd_asked(void);

/* The form of a table whose configuration says `name`, NULL: does not say. NULL: there is no such form here. */
const char *simd_choose(const char *name);

/* FLOE_ERROR_USAGE, told: the environment asks for a form that is not to be had. */
floe_status simd_check(floe_log *log);

#endif
