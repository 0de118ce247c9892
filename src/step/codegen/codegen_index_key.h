/* Keys by rank in kernel C (step/layout/index_key.h): how a key becomes the packed state that transitions work on, and
   how the numbers of which a key is the sum are read from it. The text has floe_index_key         the type of a key's
   arithmetic, which is modulo 2^32 or 2^64 raw_NAME          the bits of a variable's element floe_decode       the
   state of a key floe_number_<g>   the number of group g, one of several cases floe_derived_<e>  the bits that element
   e must have by what others have floe_encode       the key of a state The last three look whether the state is one
   that the encoding can tell: what is wrong adds to *wrong. */
#ifndef FLOE_CODEGEN_KEY_H
#define FLOE_CODEGEN_KEY_H

#include "step/codegen/codegen_writer.h"
#include "step/layout/index_key.h"

enum key_kind {
  KEY_NOTHING, /* takes no bits: never changes */
  KEY_FIXED,   /* one value in all reachable states */
  KEY_DIGIT,   /* a number of its own in the sum */
  KEY_GROUPED, /* selector or digit of a group of several cases */
  KEY_DERIVED  /* by others */
};

/* Where an element is in state and key. "Raw" numbers are what its bits hold: value - lo of the variable. */
struct key_element {
  enum key_kind kind;
  uint32_t variable, index;
  uint32_t word, shift, width;
  uint32_t group;   /* KEY_GROUPED */
  uint64_t weight;  /* KEY_DIGIT: in the key */
  uint64_t first;   /* KEY_DIGIT, KEY_FIXED: the least raw number */
  uint64_t radix;   /* KEY_DIGIT: how many there are */
  uint32_t derived; /* KEY_DERIVED: number among facts->determined */
};

struct codegen_key {
  const struct encoding *encoding;
  struct key_element *elements; /* [model->value_count] */
  const char *suffix;           /* of a constant of type floe_index_key */
};

/* gen->key, where the layout has an encoding; else NULL. */
void codegen_key_prepare(struct codegen *gen);
/* What floe_state has beside the fields. */
void codegen_key_members(struct codegen *gen);
/* All of the text above; after codegen_state. */
void codegen_key(struct codegen *gen);

/* The bits of an element of the state in the C variable `state`. */
void codegen_raw(struct codegen *gen, uint32_t element, const char *state);
/* Can an assignment give an element a raw number that is none of first..first+radix-1? Not where these are all of its
   declared range: the model's own checks keep it there. */
bool codegen_can_be_wrong(const struct codegen *gen, uint32_t element, uint64_t first, uint64_t radix);
/* What says that a raw number is none of first..first+radix-1: "raw - first >= radix"; false: that cannot be, and
   nothing is written. */
bool codegen_raw_check(struct codegen *gen, uint32_t element, uint64_t first, uint64_t radix, const char *state,
                       const char *before, const char *after);
/* The least raw number of a digit. */
uint64_t codegen_digit_first(const struct codegen *gen, const struct encoding_digit *digit);
/* The name of an element in comments: x[2]. */
const char *codegen_element_name(struct codegen *gen, uint32_t element);

#endif
