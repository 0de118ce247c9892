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
  default: /* C leaves it open what a negative number shifted to the right is */
    assert(op == EXPR_SHR);
    return a < 0 ? ~(~a >> b) : a >> b;
  }
}

/* ---- hulls ----------------------------------------------------------------------------------- */

/* The operands' bits are chosen from the highest down, so that the result's highest ones are the best. What matters of
   the bits chosen so far is which ends of the operands' intervals they are the beginnings of: that bounds the next one.
   A set of such states is a word with a bit for each of the 16. */
enum { AT_A_LO = 1, AT_A_HI = 2, AT_B_LO = 4, AT_B_HI = 8, STATES = 16 };

/* Ends of intervals as unsigned numbers in the same order. */
struct ends {
  uint64_t lo, hi;
};

#define SIGN ((uint64_t)1 << 63)

static struct ends unsigned_ends(struct bits_interval i) {
  return (struct ends){(uint64_t)i.lo ^ SIGN, (uint64_t)i.hi ^ SIGN};
}

/* The state of an operand after one more bit, of the two states AT_A_LO and AT_A_HI alone; -1: the bit leaves the
   interval. */
static int narrowed(int state, struct ends ends, unsigned place, unsigned bit) {
  const unsigned lo = ends.lo >> place & 1, hi = ends.hi >> place & 1;
  if (((state & AT_A_LO) && bit < lo) || ((state & AT_A_HI) && bit > hi))
    return -1;
  return ((state & AT_A_LO) && bit == lo ? AT_A_LO : 0) | ((state & AT_A_HI) && bit == hi ? AT_A_HI : 0);
}

/* next[r]: the states after one more bit of each operand where the result's bit is r. */
static void step(enum expr_op op, unsigned from, struct ends a, struct ends b, unsigned place, unsigned next[2]) {
  const unsigned sign = place == 63; /* stands for 1 - itself: the order of unsigned numbers is that of signed ones */
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

static int64_t extreme(enum expr_op op, struct ends a, struct ends b, unsigned wanted) {
  unsigned states = 1u << (AT_A_LO | AT_A_HI | AT_B_LO | AT_B_HI);
  uint64_t result = 0;
  for (unsigned place = 64; place-- > 0;) {
    unsigned next[2];
    step(op, states, a, b, place, next);
    const unsigned bit = next[wanted] ? wanted : 1 - wanted;
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
  return (struct bits_interval){extreme(op, of_a, of_b, 0), extreme(op, of_a, of_b, 1)};
}
