/* Bitwise operators and shifts on 64-bit two's complement numbers: values, and interval bounds of results. */
#ifndef FLOE_BITS_H
#define FLOE_BITS_H

#include "model/model.h"

#define SHIFT_MAX 63 /* the largest number that a value is shifted by */

struct bits_interval {
  int64_t lo, hi;
};

static inline bool is_shift(enum expr_op op) { return op == EXPR_SHL || op == EXPR_SHR; }
static inline bool is_bitwise(enum expr_op op) { return op == EXPR_BITAND || op == EXPR_BITXOR || op == EXPR_BITOR; }

/* Of EXPR_BITAND, EXPR_BITXOR and EXPR_BITOR; of EXPR_SHL and EXPR_SHR with 0 <= b <= SHIFT_MAX. `<<` drops what leaves
   64 bits, `>>` rounds down. */
int64_t bits_value(enum expr_op op, int64_t a, int64_t b);
/* The least and the greatest value of EXPR_BITAND, EXPR_BITXOR and EXPR_BITOR over operands in a and b, both not empty:
   both are values that occur. */
struct bits_interval bits_hull(enum expr_op op, struct bits_interval a, struct bits_interval b);

#endif
