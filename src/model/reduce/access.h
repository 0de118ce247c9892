/* Which elements an expression reads, and at which locations of the processes its value depends on them. For reductions
   of ground models. */
#ifndef FLOE_MODEL_REDUCE_ACCESS_H
#define FLOE_MODEL_REDUCE_ACCESS_H

#include "model/model.h"

#define NO_INSTANCE UINT32_MAX
#define ANY_LOCATION UINT32_MAX

/* The instances of all processes, numbered. */
struct instances {
  const struct model *model;
  uint32_t count;
  uint32_t *process, *number; /* [count] */
  uint32_t *owner;            /* [value_count] the instance whose local the element is; NO_INSTANCE: none */
  uint32_t *located;          /* [value_count] the instance whose location the element is; NO_INSTANCE: none */
};

struct instances instances_of(const struct model *model, struct arena *arena);
uint32_t instance_locations(const struct instances *all, uint32_t instance);
/* Its location in the initial state. */
uint32_t instance_initial(const struct instances *all, uint32_t instance);

/* The instance is at the location, in the state before the step. A list. */
struct fact {
  uint32_t instance, location;
  const struct fact *outer;
};
/* ANY_LOCATION: no fact is about the instance. */
uint32_t fact_location(const struct fact *facts, uint32_t instance);

/* Indices in a state's value array. */
struct elements {
  uint32_t first, last;
};
/* Those that a read or an assignment may mean; `index` NULL: element 0 of the variable. */
struct elements elements_of(const struct model *model, uint32_t variable, const struct expr *index);

struct access_visitor {
  const struct instances *all;
  struct arena *arena;
  bool after; /* the expression is evaluated after some effects of the step: it shows no further facts */
  /* The value depends on the elements, in states in which all facts hold. Not called for locations. */
  void (*read)(void *user, struct elements elements, const struct fact *facts);
  /* It depends on whether the instance is at the location (ANY_LOCATION: on where it is). */
  void (*test)(void *user, uint32_t instance, uint32_t location);
  void *user;
};
/* Calls read and test, either of which may be NULL. `facts`: without them the expression is not evaluated. */
void access_visit(const struct access_visitor *visitor, const struct expr *expr, const struct fact *facts);

/* Facts without which the transition does not fire, and reads nothing that matters. */
const struct fact *transition_facts(const struct instances *all, const struct transition *transition,
                                    struct arena *arena);

/* Calls `excluded` for locations at which the instance is not if the expression is true; as transition_facts not where
   an operand evaluated before can fail. *total: none can so far. */
void access_excluded(const struct instances *all, const struct expr *expr, bool truth, bool *total,
                     void (*excluded)(void *user, uint32_t instance, uint32_t location), void *user);

/* Calls `visit` for each expression that the property evaluates. */
void property_expressions(const struct property *property, void (*visit)(void *user, const struct expr *expr),
                          void *user);

#endif
