/* Where the wall time of an exploration on the CPU goes. The clock is read where the phase changes, so that a million
   small levels in a row cost nothing. */
#ifndef FLOE_PHASES_H
#define FLOE_PHASES_H

#include "core/clock.h"

enum phase {
  PHASE_BETWEEN,  /* one thread begins the run, begins and closes the levels that all expand */
  PHASE_TOGETHER, /* all threads expand a level */
  PHASE_CLEARING, /* all threads have the pages of a table cleared */
  PHASE_MOVING,   /* all threads move keys to a larger table */
  PHASE_ALONE,    /* one thread expands small levels, and closes them */
  PHASE_GROWING,  /* one thread makes a larger table or drops the smaller one; moves keys while they are few */
  PHASE_COUNT
};

struct phases {
  enum phase now;
  double since;
  double seconds[PHASE_COUNT];
};

static inline void phases_begin(struct phases *phases, double now) {
  *phases = (struct phases){.now = PHASE_BETWEEN, .since = now};
}

/* Returns the phase before, for who wants to go back to it. */
static inline enum phase phases_enter(struct phases *phases, enum phase next) {
  enum phase before = phases->now;
  if (next == before)
    return before;
  double now = clock_seconds();
  phases->seconds[before] += now - phases->since;
  phases->since = now;
  phases->now = next;
  return before;
}

/* Closes the account; their sum is what lies between begin and `now`. */
static inline void phases_end(struct phases *phases, double now) {
  phases->seconds[phases->now] += now - phases->since;
  phases->since = now;
}

#endif
