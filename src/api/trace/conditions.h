/* Conditions of a transition as written, evaluated in a state by the interpreter. doc/traces.md, "Explanations",
   defines them. */
#ifndef FLOE_API_TRACE_CONDITIONS_H
#define FLOE_API_TRACE_CONDITIONS_H

#include "model/model.h"

#define CONDITIONS_MOST 60

enum condition_kind {
  CONDITION_PLACE,    /* the instance is at the location that the transition leaves */
  CONDITION_PRIORITY, /* no committed location has priority */
  CONDITION_GUARD,    /* part of its guard */
  CONDITION_PARTNER,  /* an instance at the other end of the channel can take part */
  CONDITION_READY,    /* the buffer is not full (sending), or not empty (receiving) */
  CONDITION_MATCH     /* a message matches */
};

/* The conditions of a transition of the model. */
struct conditions {
  uint32_t edge;
  uint8_t count;
  const char *texts[CONDITIONS_MOST];
  enum condition_kind kinds[CONDITIONS_MOST];
  size_t first[CONDITIONS_MOST], end[CONDITIONS_MOST]; /* CONDITION_GUARD: these conjuncts of the guard */
  bool *listed;                                        /* [guard_count] the conjunct belongs to a CONDITION_GUARD */
};

/* A way to fire a transition: an instance leaves a location with these values of the selects. */
struct attempt {
  const struct model *model;
  const int64_t *values; /* state */
  uint32_t edge, instance, location;
  const int64_t *selects;
  int64_t *scratch; /* [conditions_scratch(model)] */
};

/* An instance at the other end of the channel that can take part, the one that comes nearest to firing. */
struct partner {
  bool any;
  uint32_t edge, instance;
};

/* True and false conditions, as bits. A condition that fails to be evaluated is neither. */
struct condition_truth {
  uint64_t met, unmet;
  struct partner partner;
};

/* Lists the conditions. Texts may be the model's; other memory from `arena`, whose guard is active. */
void conditions_list(const struct model *model, uint32_t edge, struct arena *arena, struct conditions *out);
/* Evaluates each condition, also after a false one. */
struct condition_truth conditions_evaluate(const struct conditions *conditions, const struct attempt *attempt);
size_t conditions_scratch(const struct model *model);
/* An attempt that meets `a` comes nearer to firing than one that meets `b`: it meets more conditions, or as many, and
   the first one of which they differ. */
bool conditions_nearer(uint64_t a, uint64_t b);

/* Subexpressions of a guard: the message that the transition would receive from a buffer. NULL: there is none. */
const int64_t *attempt_message(const struct attempt *attempt);
/* False if no transition of another instance can use the other end of the channel, in any state: by the ranges of their
   elements. */
bool attempt_has_opposite(const struct attempt *attempt);
/* A receive of a message whose guard reads a field. */
bool edge_tests_message(const struct edge *edge);
bool edge_is_buffered(const struct model *model, const struct edge *edge);
bool edge_leaves(const struct edge *edge, uint32_t location);

/* Choices of select values of an instance; 0: a select has no values, or there are more than CHOICES_MOST, which only
   a transition that can never fire may have. */
#define CHOICES_MOST (UINT64_C(1) << 20)
uint64_t edge_choices(const struct model *model, uint32_t edge, uint32_t instance);
/* Values of a choice; the last select varies fastest. selects[edge->select_count]. */
void edge_choice_values(const struct edge *edge, uint32_t instance, uint64_t choice, int64_t *selects);

#endif
