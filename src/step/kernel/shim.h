/* Definitions that generated code uses on every machine. Precedes it in the compiler's input; includes nothing, so
   that compiling a model does not read the C library's headers. */
#if defined(__CUDACC_RTC__)
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#elif defined(__CUDACC__) || !defined(__UINT64_TYPE__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#else
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;
#define bool _Bool
#define true 1
#define false 0
#define NULL ((void *)0)
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define FLOE_DEVICE static __device__ inline
#define FLOE_DEVICE_SPLIT static __device__ __noinline__
#define FLOE_DEVICE_INLINE static __device__ __forceinline__
#define FLOE_CONSTANT static __constant__ const
#define FLOE_ROLLED _Pragma("unroll 1")
#elif defined(__GNUC__)
#define FLOE_DEVICE static inline
#define FLOE_DEVICE_SPLIT static __attribute__((noinline))
#define FLOE_DEVICE_INLINE static inline __attribute__((always_inline))
#define FLOE_CONSTANT static const __attribute__((unused))
#define FLOE_ROLLED
#else
#define FLOE_DEVICE static inline
#define FLOE_DEVICE_SPLIT static
#define FLOE_DEVICE_INLINE static inline
#define FLOE_CONSTANT static const
#define FLOE_ROLLED
#endif

#define FLOE_NO_SITE 0xffffffffu
#define FLOE_BROKEN_SITE 0xfffffffeu /* of a step_edge */
#define FLOE_NO_TRANSITION 0xffffffffu

/* `width` bits from bit `shift` of a word of the state */
#define FLOE_MASK(width) (((uint64_t)1 << (width)) - 1)
#define FLOE_GET(s, word, shift, width) ((s).w[word] >> (shift)&FLOE_MASK(width))
#define FLOE_PUT(t, word, shift, width, value)                                                                         \
  ((t).w[word] = ((t).w[word] & ~(FLOE_MASK(width) << (shift))) | (uint64_t)(value) << (shift))

/* The word with the code in a field, if `value` is not 0. */
FLOE_DEVICE uint64_t floe_with_code(uint64_t word, uint32_t shift, uint32_t width, uint64_t code, uint64_t value) {
  return value ? (word & ~(FLOE_MASK(width) << shift)) | code << shift : word;
}

/* An error in the evaluation of a property, and of a deadlock's excuse: the first one is kept. */
#define FLOE_FAIL_PROPERTY(property, number)                                                                           \
  (*failed |= (uint64_t)1 << (property), *site = *site == FLOE_NO_SITE ? (number) : *site)
#define FLOE_FAIL_UNLESS(number) (*site = (number))

FLOE_DEVICE int32_t floe_min32(int32_t a, int32_t b) { return a < b ? a : b; }
FLOE_DEVICE int32_t floe_max32(int32_t a, int32_t b) { return a > b ? a : b; }
FLOE_DEVICE int64_t floe_min64(int64_t a, int64_t b) { return a < b ? a : b; }
FLOE_DEVICE int64_t floe_max64(int64_t a, int64_t b) { return a > b ? a : b; }
/* a % b where b may be -1 and a the least number */
FLOE_DEVICE int64_t floe_mod64(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }
/* a * 2^b, and a / 2^b rounded down, for 0 <= b <= 31 and 0 <= b <= 63, where the result fits the type */
FLOE_DEVICE int32_t floe_shl32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a << b); }
FLOE_DEVICE int64_t floe_shl64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a << b); }
FLOE_DEVICE int32_t floe_shr32(int32_t a, int32_t b) { return a < 0 ? ~(~a >> b) : a >> b; }
FLOE_DEVICE int64_t floe_shr64(int64_t a, int64_t b) { return a < 0 ? ~(~a >> b) : a >> b; }
/* a % b where 0 <= a < 2 * b */
FLOE_DEVICE int32_t floe_wrap(int32_t a, int32_t b) { return a < b ? a : a - b; }
