/* A walk that is told on standard output as it goes: what floe simulate does, at random or as it is
 * bidden. */
#ifndef FLOE_CMD_SIMULATION_H
#define FLOE_CMD_SIMULATION_H

#include "floe.h"

#include <jansson.h>

struct simulation {
  const floe_model *model;
  floe_simulator *simulator;
  uint64_t random;    /* state of the generator: the seed at first */
  uint64_t triggered; /* mask of properties: of the state told last */
  bool violated;      /* some property was, in a state that was told */
  json_t *initial;    /* for --trace, as trace files have it: the first state, */
  json_t *steps;      /* and the way from there; NULL: not kept */
};

/* Model, first state, and what holds there. Everything here returns FLOE_ERROR_MEMORY or FLOE_OK. */
floe_status simulation_begin(struct simulation *simulation);
/* What the present state means for the properties, as far as it did not of the state told before. */
floe_status simulation_tell_properties(struct simulation *simulation);
floe_status simulation_tell_state(struct simulation *simulation);
/* Takes firing `i`, which is there. A failing one is told, and the walk stays. */
floe_status simulation_fire(struct simulation *simulation, size_t i);
/* One of the firings that do not fail, each as likely. *taken: there was one. */
floe_status simulation_random(struct simulation *simulation, bool *taken);
/* The same, and nothing is told or kept. */
floe_status simulation_step(struct simulation *simulation, bool *taken);
floe_status simulation_undo(struct simulation *simulation);
/* After a step of a walk that never goes back, so that its length takes no memory. */
void simulation_forget(struct simulation *simulation);
/* The step that was taken last, where the way is kept. */
floe_status simulation_keep(struct simulation *simulation, const floe_step *step);
/* Writes the way as a trace file. False after a message. */
bool simulation_write(const struct simulation *simulation, const char *path);

#endif
