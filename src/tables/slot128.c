/* Asked once, as the instruction cpuid leaves a virtual machine, which takes long. (__builtin_cpu_supports would do,
   but not every compiler's knows of cmpxchg16b.) */
#include "tables/slot128.h"

#include "tables/kernel/shim.h"

#ifdef __x86_64__
#include <cpuid.h>

static bool ask(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_CMPXCHG16B);
}
#elif defined(KERNEL_HAS_WIDE)
static bool ask(void) { return true; }
#else
static bool ask(void) { return false; }
#endif

enum { NOT_ASKED, NO, YES };

/* Relaxed order: whoever asks gets the same answer, and nothing else is published. */
bool has_wide_swap(void) {
  static int known = NOT_ASKED;
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer == NOT_ASKED) {
    answer = ask() ? YES : NO;
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer == YES;
}
