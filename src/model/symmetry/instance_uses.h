/* Which parts of a model can stand for instances of a process: indices and values of variables, selects, temporaries.
   Parts that are compared with each other, or assigned to each other, or index the same array belong to one class. A
   class whose values are used as numbers is *plain*. The others may refer to the instances of a process.

   This only proposes; model/symmetry/automorphism.h proves. */
#ifndef FLOE_MODEL_SYMMETRY_INSTANCE_USES_H
#define FLOE_MODEL_SYMMETRY_INSTANCE_USES_H

#include "model/model.h"

#define USES_MAX_AXES 9 /* of a variable: its owners and its dimensions */
#define USES_NONE UINT32_MAX
#define USES_NUMBER 0u          /* the part of every result of arithmetic: a plain class */
#define USES_MAX_STEPS 20000000 /* expressions visited */

/* An index of an element: `expr`, or `value` if that is NULL. */
struct digit {
  const struct expr *expr;
  int64_t value;
};

struct part_class {
  uint32_t parent;
  uint32_t set;    /* number of the first process with these instances; USES_NONE: none */
  uint32_t base;   /* number of the first instance */
  uint32_t size;   /* of indices and selects; 0: there are none, USES_NONE: they have different sizes */
  uint32_t values; /* the values 0..values - 1 are possible */
  bool plain;
  source_at at; /* plain: where it is used as a number; `why`: how */
  const char *why;
  bool blamed; /* of a process: a plain class, which may hold its instances, has this place and reason */
  source_at blamed_at;
  const char *blamed_why;
};

/* Parts have numbers. Those of a transition: selects, then temporaries. */
struct instance_uses {
  const struct model *model;
  struct arena *arena;
  struct part_class *classes; /* by part */
  uint32_t *values;           /* [variable_count] part of the values */
  uint32_t *axes;             /* [variable_count] part of the owners; those of the dimensions follow */
  uint32_t *of_transition;    /* [transition_count] first part */
  size_t steps;               /* expressions visited */
};

/* Number of axes: owners, then dimensions (a scalar has one of size 1). */
uint32_t uses_axes(const struct variable *variable);
uint32_t uses_axis_size(const struct variable *variable, uint32_t axis);
/* Splits the index of an element (NULL: 0) into one for each axis; false: it has another form. */
bool uses_split(const struct variable *variable, const struct expr *index, struct digit *digits);

/* `many`: of two proposals, the one with more instances. NULL: the model is too large. */
struct instance_uses *instance_uses_find(const struct model *model, struct arena *arena, bool many);
/* The part of the value in transition `t` (of a property: any); USES_NONE: a constant. */
uint32_t uses_part(const struct instance_uses *uses, size_t t, const struct expr *expr);
const struct part_class *uses_class(const struct instance_uses *uses, uint32_t part);
/* The set that the part refers to; USES_NONE: none. */
uint32_t uses_set(const struct instance_uses *uses, uint32_t part);
/* The part of the instances of a process. */
uint32_t uses_process(const struct instance_uses *uses, size_t process);

#endif
