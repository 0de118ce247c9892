/* Wall time of an exploration on the CPU by phase. The clock is read when the phase changes, so that a million small
   levels in a row cost nothing. */
#ifndef FLOE_ENGINE_PHASES_H
#define FLOE_ENGINE_PHASES_H

#include "core/system/clock.h"

enum phase {
  PHASE_BETWEEN,  /* one thread starts the run, starts and closes levels that all threads expand */
  PHASE_TOGETHER, /* all threads expand a level */
  PHASE_CLEARING, /* all threads touch the pages of a table */
  PHASE_MOVING,   /* all threads move keys to a larger table */
  PHASE_ALONE,    /* one thread expands and closes small levels */
  PHASE_GROWING,  /* one thread creates a larger table or frees the old one; moves keys while they are few */
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

/* Returns the previous phase, to return to it later. */
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

/* Ends the last phase; the sum is the time between phases_begin and `now`. */
static inline void phases_end(struct phases *phases, double now) {
  phases->seconds[phases->now] += now - phases->since;
  phases->since = now;
}

#endif
