/* Symmetry of a model: sets of instances that can be exchanged. If a permutation of the instances of a set is applied
   to a state, then its successors and the properties that it violates are those of the state, permuted. So one state of
   each orbit (all permutations of a state) needs to be explored.

   A language states that its model is symmetric, and which parts of the state refer to instances: an array has an
   element for each instance, or a variable has an instance as its value. */
#ifndef FLOE_MODEL_SYMMETRY_H
#define FLOE_MODEL_SYMMETRY_H

#include "model/model.h"

struct symmetric_set {
  const char *name;
  uint32_t size; /* instances, at least 1 */
  /* 0: the instances have names: others may refer to them. Else they are places whose order has no meaning, as of the
     elements of a multiset: no value refers to them. Sets of the same number other than 0 are alike: one for each
     element of an array. They follow the sets with names. */
  uint32_t places;
};

/* The numbers first, first + 1, ... stand for the instances 0, 1, ... of a set. */
struct symmetric_part {
  uint32_t set, first;
  bool nested; /* of an index: `set` is the first of several sets, one for each value of the indices before it */
};

/* Numbers of which some stand for instances: disjoint parts. */
struct symmetric_range {
  const struct symmetric_part *parts;
  size_t count;
};

struct symmetric_variable {
  const struct symmetric_range *dimensions; /* [variable_dimensions] of the indices, from 0; NULL: none has instances */
  struct symmetric_range values;            /* of value - lo */
  struct symmetric_range owners;            /* of element / length: instances of processes, elements of channels */
};

struct symmetry {
  const struct symmetric_set *sets;
  size_t set_count;
  const struct symmetric_variable *variables; /* [model->variable_count] */
  /* The initial state may differ from its permutations: then states are permutations of reachable ones. */
  bool any_initial;
  uint64_t asymmetric_properties; /* a bit for each property that permutations change */
};

/* Instances of all sets. A permutation has a number for each, set after set: the new number of the instance in its set.
 */
uint32_t symmetry_instances(const struct symmetry *symmetry);
/* Sets with names. */
uint32_t symmetry_named_sets(const struct symmetry *symmetry);
/* Number of permutations of the sets with names; HUGE_VAL: more than a double can have. */
double symmetry_permutations(const struct symmetry *symmetry);
/* to[value_count] = the permuted state; from and to differ. */
void symmetry_apply(const struct model *model, const uint32_t *permutation, const int64_t *from, int64_t *to);
/* The initial state is the same after each permutation of the sets with names: needed, because only it is a state of
   the model from the beginning. */
bool symmetry_keeps_initial(const struct model *model, struct arena *arena);

#endif
