/* The result is cached: cpuid traps in a virtual machine, which takes long. (__builtin_cpu_supports would do, but
   not every compiler's supports cmpxchg16b.) */
#include "tables/slot128.h"

#include "tables/kernel/shim.h"

#ifdef __x86_64__
#include <cpuid.h>

static bool detect(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_CMPXCHG16B);
}
#elif defined(KERNEL_HAS_SLOT128)
static bool detect(void) { return true; }
#else
static bool detect(void) { return false; }
#endif

enum { UNKNOWN, NO, YES };

/* Relaxed order: all threads compute the same answer, and nothing else is published. */
bool has_slot128_swap(void) {
  static int known = UNKNOWN;
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer == UNKNOWN) {
    answer = detect() ? YES : NO;
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer == YES;
}
