/* Proof of symmetry: whether a permutation of the instances of a set maps the ground transitions of a model to
   themselves. Each transition gets a number in a normal form that leaves out what has no meaning: the order of operands
   that commute, of statements that do not depend on each other, the numbers of temporaries. Numbers are equal only if
   the forms are. */
#ifndef FLOE_MODEL_SYMMETRY_AUTOMORPHISM_H
#define FLOE_MODEL_SYMMETRY_AUTOMORPHISM_H

#include "model/symmetry/instance_uses.h"
#include "model/symmetry/tuple_table.h"

#define AUTOMORPHISM_IDENTITY (USES_NONE - 1) /* a set that does not exist */

struct automorphism {
  const struct instance_uses *uses;
  struct tuple_table *table;
  uint32_t set;       /* the set that is permuted, or AUTOMORPHISM_IDENTITY */
  const uint32_t *to; /* [instances of the set] */
  /* Results of the last call: */
  bool failed;        /* there is no number: the part uses instances as numbers, or has a form that is not supported */
  source_at named_at; /* it names an instance that takes no part in the transition; NOWHERE: none */
  /* For the call: */
  size_t t, steps;
  source_at at;
  uint32_t *temps; /* [temp_count] number of the definition of each temporary */
};

/* The number of the permuted transition. */
uint32_t automorphism_transition(struct automorphism *a, size_t t);
/* The number of an expression over the state, permuted; of a property, or of the model. */
uint32_t automorphism_expression(struct automorphism *a, const struct expr *expr);

#endif
