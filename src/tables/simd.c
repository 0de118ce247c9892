#include "tables/simd.h"

#include "core/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ThreadSanitizer reports vector loads of slots that are written concurrently: portable form only. */
#if defined(__SANITIZE_THREAD__)
#define ONLY_PORTABLE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ONLY_PORTABLE 1
#endif
#endif

/* All lists end with the portable form, so that each machine's list is the end of this one. */
static const char *const names[] = {"avx512", "avx2", "portable", NULL};
enum { FROM_AVX512, FROM_AVX2, FROM_PORTABLE };

#if defined(__x86_64__) && !defined(ONLY_PORTABLE)
static int first_form(void) {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? FROM_AVX512 : avx2 ? FROM_AVX2 : FROM_PORTABLE;
}
#else
static int first_form(void) { return FROM_PORTABLE; }
#endif

const char *const *simd_forms(void) { return &names[first_form()]; }

const char *simd_requested(void) {
  const char *name = getenv(SIMD_VARIABLE);
  return name && *name ? name : NULL;
}

const char *simd_choose(const char *name) {
  const char *const *form = simd_forms();
  if (!name)
    name = simd_requested();
  while (name && *form && strcmp(*form, name) != 0)
    form++;
  return *form;
}

floe_status simd_check(floe_log *log) {
  char hint[80] = "available: ";
  if (simd_choose(NULL))
    return FLOE_OK;
  for (const char *const *form = simd_forms(); *form; form++) {
    const size_t used = strlen(hint);
    snprintf(hint + used, sizeof hint - used, "%s%s", *form, form[1] ? ", " : "");
  }
  diag_error(log, NULL, NOWHERE, hint, "%s: this machine has no table scan '%s'", SIMD_VARIABLE, simd_requested());
  return FLOE_ERROR_USAGE;
}
