/* Index keys in kernel C (step/layout/index_key.h): conversion of a key to the packed state on which transitions
   compute, and back. The generated text defines
     floe_index_key        type of key arithmetic, which is modulo 2^32 or 2^64
     raw_NAME              raw number of a variable's element: its bits
     floe_decode           state of a key
     floe_number_<g>       number of index group g, one with several cases
     floe_dependent_<e>    raw number that dependent element e must have
     floe_encode           key of a state
   The last three set bits of *wrong if the state has no key. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_INDEX_KEY_H
#define FLOE_STEP_CODEGEN_CODEGEN_INDEX_KEY_H

#include "step/codegen/codegen_writer.h"
#include "step/layout/index_key.h"

enum element_key_role {
  KEY_NO_BITS,  /* has no bits: never changes */
  KEY_FIXED,    /* one value in all reachable states */
  KEY_DIGIT,    /* a digit of the group without a selector */
  KEY_IN_CASES, /* selector or digit of a group with several cases */
  KEY_DEPENDENT /* dependent on other elements */
};

/* Position of an element in state and key. Its raw number is value - lo of the variable: the content of its bits, if
   they are its own. */
struct element_position {
  enum element_key_role kind;
  uint32_t variable, index;
  uint32_t word, shift, width; /* of a shared field the width is 1, that of the raw number */
  const struct field *shared;  /* NULL: the bits are its own */
  uint32_t group;              /* KEY_IN_CASES */
  uint64_t weight;             /* KEY_DIGIT: weight in the key */
  uint64_t first;              /* KEY_DIGIT, KEY_FIXED: the lowest raw number */
  uint64_t radix;              /* KEY_DIGIT: how many raw numbers */
  uint32_t dependent;          /* KEY_DEPENDENT: index into invariants->dependent */
};

struct codegen_index_key {
  const struct encoding *encoding;
  struct element_position *elements; /* [model->value_count] */
  const char *suffix;                /* suffix of constants of type floe_index_key */
};

/* Sets gen->key if the layout has an encoding; else it stays NULL. */
void codegen_index_key_prepare(struct codegen *gen);
/* Members of floe_state besides the fields. */
void codegen_index_key_members(struct codegen *gen);
/* Writes the text above; after codegen_state. */
void codegen_index_key(struct codegen *gen);

/* Writes the raw number of an element of the state in the C variable `state`. */
void codegen_raw_bits(struct codegen *gen, uint32_t element, const char *state);
/* True if an assignment can give an element a raw number outside first..first+radix-1. False if this is its whole
   declared range: the model's own checks guarantee it. */
bool codegen_may_leave_range(const struct codegen *gen, uint32_t element, uint64_t first, uint64_t radix);
/* Writes "FLAG |= raw - first >= radix;": an error if the raw number of the element in `state` is outside
   first..first+radix-1. Writes nothing if that is impossible. */
void codegen_raw_check(struct codegen *gen, uint32_t element, uint64_t first, uint64_t radix, const char *state,
                       const char *flag);
/* The lowest raw number of a digit. */
uint64_t codegen_digit_first(const struct codegen *gen, const struct index_digit *digit);
/* The name of an element in comments: x[2]. */
const char *codegen_element_name(struct codegen *gen, uint32_t element);

#endif
