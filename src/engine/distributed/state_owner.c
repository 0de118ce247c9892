#include "engine/distributed/state_owner.h"

#define MOST_KEYS (UINT64_C(1) << 48) /* of a set with a bit for each key (tables/bitmap/bitmap.h) */
#define HASHED_BELOW_DIGIT 3          /* hashed bits between the digit and the bits that are not hashed */
#define LEAST_BLOCKS 64               /* for each member, so that rounding up wastes little */
#define DIGIT_BITS 6    /* of a digit within the mask: each member then gets nearly as many of its values */
#define WASTE_DIVISOR 4 /* at most 1 in so many numbers may be unused */

/* Lowest bit of the digit if all bits from `from` on determine the owner: `from`, or a little above. The bits between
   are hashed, so that a change of the lowest bit of the mask does not always move the key to the next member. */
static uint32_t digit_above(uint32_t from, uint64_t keys, unsigned size) {
  uint32_t below = from;
  while (below < from + HASHED_BELOW_DIGIT && keys >> (below + 1) >= (uint64_t)LEAST_BLOCKS * size)
    below++;
  return below;
}

/* Length of the longest run of adjacent bits in `mask`, the highest of equally long ones; it begins at bit *from. */
static uint32_t longest_run(uint64_t mask, uint32_t *from) {
  uint32_t most = 0, run = 0;
  for (uint32_t i = 0; i < 64; i++) {
    run = mask >> i & 1 ? run + 1 : 0;
    if (run && run >= most) {
      most = run;
      *from = i + 1 - run;
    }
  }
  return most;
}

/* False: the mask has no such digit. */
static bool choose_digit(const struct layout *layout, uint64_t bits, struct local_index *out) {
  const uint64_t keys = layout->keys;
  uint32_t from = 0;
  const uint32_t run = longest_run(bits, &from);
  if (from + run == layout->key_bits && bits >> from << from == bits) {
    out->below = digit_above(from, keys, out->members);
    out->width = 64 - out->below;
  } else {
    out->width = run < DIGIT_BITS ? run : DIGIT_BITS;
    out->below = from + run - out->width;
    out->quotients = ((UINT64_C(1) << out->width) + out->members - 1) / out->members;
    if (UINT64_C(1) << out->width < out->members)
      return false;
  }
  return local_index_numbers(out, keys) <= (keys + keys / WASTE_DIVISOR) / out->members + 1;
}

void state_owner_make(const struct layout *layout, const uint64_t *mask, unsigned size, struct state_owner *out) {
  *out = (struct state_owner){.mask = mask, .words = layout->key_words, .size = size};
  if (layout->key_words > 1 || size < 2 || layout->keys == 0 || layout->keys > MOST_KEYS)
    return;
  const uint64_t all = UINT64_MAX >> (64 - layout->key_bits);
  struct local_index index = {.mask = mask ? *mask & all : all, .members = size};
  if (choose_digit(layout, index.mask, &index))
    out->index = index;
}
