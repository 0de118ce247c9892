/* Linear probing compiled for AVX2; run only where the machine has it. */
#ifdef __x86_64__
#ifdef __clang__
// clang-format off
#pragma clang attribute push(__attribute__((target( \
    "avx2,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
// clang-format on
#else
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif
#define KERNEL_SCAN "tables/kernel/scan_avx2.h"
#define LINEAR_WINDOWS
#define LINEAR_OPERATIONS linear_avx2
#define SIMD_NAME "avx2"
#include "tables/linear/linear_batch.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int linear_avx2_is_for_x86_64;
#endif
