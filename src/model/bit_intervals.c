#include "model/bit_intervals.h"

#include <assert.h>

int64_t bits_value(enum expr_op op, int64_t a, int64_t b) {
  switch (op) {
  case EXPR_BITAND:
    return a & b;
  case EXPR_BITXOR:
    return a ^ b;
  case EXPR_BITOR:
    return a | b;
  case EXPR_SHL:
    return (int64_t)((uint64_t)a << b);
  default: /* in C, the right shift of a negative number is implementation-defined */
    assert(op == EXPR_SHR);
    return a < 0 ? ~(~a >> b) : a >> b;
  }
}

/* ---- intervals of results --------------------------------------------------------------------- */

/* Exact bounds, bit by bit from the highest: choose the operands' bits so that the highest bits of the result are
   extreme. The bits chosen so far limit the next bit only if they equal the beginning of an operand's lower or upper
   bound. So a state is a set of such flags (16 combinations), and a word holds a set of states. */
enum { AT_A_LO = 1, AT_A_HI = 2, AT_B_LO = 4, AT_B_HI = 8, STATES = 16 };

/* Interval bounds as unsigned numbers in the same order. */
struct ends {
  uint64_t lo, hi;
};

#define SIGN ((uint64_t)1 << 63)

static struct ends unsigned_ends(struct bits_interval i) {
  return (struct ends){(uint64_t)i.lo ^ SIGN, (uint64_t)i.hi ^ SIGN};
}

/* The state of an operand after one more bit, from its state (AT_A_LO and AT_A_HI only); -1: the bit leaves the
   interval. */
static int narrowed(int state, struct ends ends, unsigned place, unsigned bit) {
  const unsigned lo = ends.lo >> place & 1, hi = ends.hi >> place & 1;
  if (((state & AT_A_LO) && bit < lo) || ((state & AT_A_HI) && bit > hi))
    return -1;
  return ((state & AT_A_LO) && bit == lo ? AT_A_LO : 0) | ((state & AT_A_HI) && bit == hi ? AT_A_HI : 0);
}

/* next[r]: the set of states after one more bit of each operand for which the result's bit is r. */
static void add_bit(enum expr_op op, unsigned from, struct ends a, struct ends b, unsigned place, unsigned next[2]) {
  const unsigned sign = place == 63; /* the sign bit is inverted: unsigned order then equals signed order */
  next[0] = next[1] = 0;
  for (unsigned state = 0; state < STATES; state++) {
    if (!(from >> state & 1))
      continue;
    for (unsigned bits = 0; bits < 4; bits++) {
      const int after_a = narrowed((int)state & 3, a, place, bits & 1);
      const int after_b = narrowed((int)state >> 2, b, place, bits >> 1);
      if (after_a < 0 || after_b < 0)
        continue;
      const int64_t result = bits_value(op, (bits & 1) ^ sign, (bits >> 1) ^ sign);
      next[(unsigned)result ^ sign] |= 1u << (after_a | after_b << 2);
    }
  }
}

static int64_t extreme_result(enum expr_op op, struct ends a, struct ends b, unsigned preferred) {
  unsigned states = 1u << (AT_A_LO | AT_A_HI | AT_B_LO | AT_B_HI);
  uint64_t result = 0;
  for (unsigned place = 64; place-- > 0;) {
    unsigned next[2];
    add_bit(op, states, a, b, place, next);
    const unsigned bit = next[preferred] ? preferred : 1 - preferred;
    states = next[bit];
    assert(states);
    result |= (uint64_t)bit << place;
  }
  return (int64_t)(result ^ SIGN);
}

struct bits_interval bits_hull(enum expr_op op, struct bits_interval a, struct bits_interval b) {
  assert(is_bitwise(op) && a.lo <= a.hi && b.lo <= b.hi);
  if (a.lo == a.hi && b.lo == b.hi) {
    const int64_t value = bits_value(op, a.lo, b.lo);
    return (struct bits_interval){value, value};
  }
  const struct ends of_a = unsigned_ends(a), of_b = unsigned_ends(b);
  return (struct bits_interval){extreme_result(op, of_a, of_b, 0), extreme_result(op, of_a, of_b, 1)};
}
