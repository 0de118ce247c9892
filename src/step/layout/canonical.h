/* Keys of a symmetric model: the canonical form of a state is one of its permutations, the same for all of them
   (step/kernel/canonical.h). For keys of fields. */
#ifndef FLOE_STEP_LAYOUT_CANONICAL_H
#define FLOE_STEP_LAYOUT_CANONICAL_H

#include "model/symmetry/symmetry.h"
#include "step/layout/layout.h"

/* Limits of symmetry reduction. */
#define CANONICAL_INSTANCES 250  /* of all sets */
#define CANONICAL_ELEMENTS 2048  /* of variables that refer to instances; the tables lie in a GPU's constant memory */
#define CANONICAL_WORDS 128      /* of a state */
#define CANONICAL_DIMENSIONS 4   /* of an array, whose indices are instances */
#define CANONICAL_SIGNATURE 60   /* bits; 4 more have the number in its set */
#define CANONICAL_ORDERS 3628800 /* permutations: 10! */

/* Neighbouring elements of the same instances are one element, if no value of theirs is an instance
   (step/layout/instances.h). A *family* are the elements of a variable with instances of the same sets as indices, and
   without such indices. Elements and instances have numbers of their own. */
struct canonical_tables {
  uint32_t instances, sets, words, elements, families, parts;
  uint32_t named_sets;          /* the first sets; of the others no value is an instance */
  const uint32_t *set_color;    /* [sets] equal for sets that are alike */
  const uint32_t *set_begin;    /* [sets + 1] first instance of a set */
  const uint64_t *fixed;        /* [words] bits that no permutation changes */
  const uint32_t *instance_set; /* [instances] */
  bool exact;  /* the signature of an instance is made of bits: they fit CANONICAL_SIGNATURE. Else of a hash */
  bool packed; /* `exact`, and signature and relations fit CANONICAL_SIGNATURE together */
  uint32_t relation_bits;
  bool refers; /* some element has an instance with a name as its index, and values that are instances */
  /* [elements] */
  const uint32_t *place; /* in the state: word * 64 + shift */
  const uint32_t *base;  /* the element of the same family with instances 0 of the sets */
  const uint32_t *family;
  const uint32_t *sign_shift, *relation_shift; /* if `exact`: where it is in the signature and the relations of its
                                                  instance; without indices: in the signatures of its values */
  const unsigned char *instance;               /* [* CANONICAL_DIMENSIONS] its indices that are instances */
  /* [own_begin[instance] .. own_begin[instance + 1]) elements that have this instance, of a set without names, as an
     index, and the distance to the same element of the next one */
  const uint32_t *own_begin, *own, *own_stride;
  /* [families] */
  const uint32_t *width;      /* bits of an element */
  const uint32_t *dimensions; /* indices that are instances */
  const uint32_t *stride;     /* [* CANONICAL_DIMENSIONS] from instance to instance */
  const uint32_t *part_begin; /* [families + 1] parts of the values */
  const uint32_t *origin;     /* first element of the variable, without instances or with the least ones */
  const uint32_t *per_word;   /* elements of the variable in a word */
  const uint32_t *bit_stride; /* bits between them */
  const uint32_t *words_of;   /* words of the variable */
  /* [parts] values that are instances: part_value .. part_value + part_size - 1 from part_instance on */
  const uint32_t *part_value, *part_size, *part_instance;
};

/* *out NULL: a limit is exceeded, which *why names. In the guard of `arena`. */
void canonical_tables_make(const struct model *model, const struct layout *layout, struct arena *arena,
                           const struct canonical_tables **out, const char **why);

/* Replaces a state in fields by its canonical form. */
void canonical_form(const struct canonical_tables *tables, uint64_t *state);

#endif
