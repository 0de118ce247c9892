/* Mutual exclusion of guards, by syntax: pairs of transitions that are never enabled in the same state. */
#ifndef FLOE_MODEL_TRANSITIONS_EXCLUSIVE_GUARDS_H
#define FLOE_MODEL_TRANSITIONS_EXCLUSIVE_GUARDS_H

#include "model/model.h"

/* True: no state in which all guards of both can be evaluated enables both. False: unknown. The analysis compares
   locations of the same instance, and guards that compare the same values, or one value with constants (y == 0 and
   y != 0; i < 3 and i == 3). *work: remaining budget of comparisons; at 0 the answer is false. */
bool transitions_exclude(const struct transition *a, const struct transition *b, uint64_t *work);

#endif
