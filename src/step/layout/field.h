/* Bit field of a variable in a packed state: element i lies in `word` + i / per_word, at bit
   shift + i % per_word * width, and stores value - lo. No element crosses a word. */
#ifndef FLOE_STEP_LAYOUT_FIELD_H
#define FLOE_STEP_LAYOUT_FIELD_H

#include <stdint.h>

struct field {
  uint32_t word, shift;
  uint32_t width;    /* bits of one element; 0: not stored (constant, or a range of one value) */
  uint32_t per_word; /* elements in each word; >= count when it lies in one word */
};

#endif
