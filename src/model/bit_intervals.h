/* Bitwise operators and shifts on 64-bit two's complement numbers: values, and interval bounds of results. */
#ifndef FLOE_MODEL_BIT_INTERVALS_H
#define FLOE_MODEL_BIT_INTERVALS_H

#include "model/model.h"

#define SHIFT_MAX 63 /* the largest number that a value is shifted by */

struct bits_interval {
  int64_t lo, hi;
};

static inline bool is_shift(enum expr_op op) { return op == EXPR_SHL || op == EXPR_SHR; }
static inline bool is_bitwise(enum expr_op op) { return op == EXPR_BITAND || op == EXPR_BITXOR || op == EXPR_BITOR; }

/* Value of EXPR_BITAND, EXPR_BITXOR, EXPR_BITOR, or of EXPR_SHL and EXPR_SHR with 0 <= b <= SHIFT_MAX. `<<` drops bits
   that leave 64 bits, `>>` rounds down. */
int64_t bits_value(enum expr_op op, int64_t a, int64_t b);
/* The least and the greatest value of EXPR_BITAND, EXPR_BITXOR or EXPR_BITOR over operands in a and b, which are not
   empty. The bounds are exact: both values occur. */
struct bits_interval bits_hull(enum expr_op op, struct bits_interval a, struct bits_interval b);

#endif
