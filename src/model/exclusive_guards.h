/* Transitions of which at most one is enabled in a state, as far as that can be seen from their text. */
#ifndef FLOE_EXCLUSIVE_H
#define FLOE_EXCLUSIVE_H

#include "model/model.h"

/* Where all guards of both can be evaluated, not both are enabled. False: that is not known. Seen are locations of the
   same instance, and guards that compare the same values, or one value with constants (y == 0 and y != 0; i < 3 and
   i == 3). *work: comparisons that may still be made; when there are none, nothing more is known. */
bool transitions_exclude(const struct transition *a, const struct transition *b, uint64_t *work);

#endif
