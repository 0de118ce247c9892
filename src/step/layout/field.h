/* Bit field of a variable in a packed state: element i lies in `word` + i / per_word, at bit
   shift + i % per_word * stride, and stores value - lo. No element crosses a word.

   The variables of an exclusive set (model/model.h) share one field. It holds the code of the one that is 1. If all can
   be 0, no code is 0. */
#ifndef FLOE_STEP_LAYOUT_FIELD_H
#define FLOE_STEP_LAYOUT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

struct field {
  uint32_t word, shift;
  uint32_t width;    /* bits of one element; 0: not stored (constant, or a range of one value) */
  uint32_t per_word; /* elements in each word; >= count when it lies in one word */
  uint32_t stride;   /* bits from an element to the next one: width, or more if other variables' elements are between */
  bool shared;
  uint32_t code; /* shared: of this variable */
};

static inline uint32_t field_word(const struct field *field, uint32_t element) {
  return field->word + element / field->per_word;
}

static inline uint32_t field_shift(const struct field *field, uint32_t element) {
  return field->shift + element % field->per_word * field->stride;
}

/* value - lo, from the bits of an element */
static inline uint64_t field_value(const struct field *field, uint64_t bits) {
  return field->shared ? bits == field->code : bits;
}

/* The bits of an element, from value - lo. Those of a shared field are the sum over its variables. */
static inline uint64_t field_bits(const struct field *field, uint64_t value) {
  return field->shared ? value * field->code : value;
}

#endif
