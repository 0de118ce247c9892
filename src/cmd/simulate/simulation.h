/* A simulation that prints each step to standard output: the engine of floe simulate, random or interactive. */
#ifndef FLOE_CMD_SIMULATE_SIMULATION_H
#define FLOE_CMD_SIMULATE_SIMULATION_H

#include "floe.h"

#include <jansson.h>

struct simulation {
  const floe_model *model;
  floe_simulator *simulator;
  uint64_t random;    /* state of the random generator; initially the seed */
  uint64_t triggered; /* bit mask of the properties triggered in the state reported last */
  bool violated;      /* a reported state violated a property */
  json_t *initial;    /* for --trace, in the format of trace files: the first state */
  json_t *steps;      /* and the steps from it; NULL: not recorded */
};

/* Prints the model, the first state, and the properties triggered in it. All functions here return FLOE_OK or
   FLOE_ERROR_MEMORY. */
floe_status simulation_begin(struct simulation *simulation);
/* Prints the properties triggered in the present state, except those of the state reported before. */
floe_status simulation_report_properties(struct simulation *simulation);
floe_status simulation_print_state(struct simulation *simulation);
/* Fires enabled firing `i` and prints it. A failing one is printed and leaves the state unchanged. */
floe_status simulation_fire(struct simulation *simulation, size_t i);
/* Fires one of the firings that do not fail, uniformly at random. *taken: there was one. */
floe_status simulation_fire_random(struct simulation *simulation, bool *taken);
/* The same without printing or recording. `fired` (NULL: none) is counted as by floe_expansion_count_fired. */
floe_status simulation_fire_silently(struct simulation *simulation, uint64_t *fired, bool *taken);
floe_status simulation_undo(struct simulation *simulation);
/* Call after each step of a simulation without undo, to bound the memory of its history. */
void simulation_trim_history(struct simulation *simulation);
/* Records a step for --trace. `printed`: what it prints. */
floe_status simulation_record_step(struct simulation *simulation, const floe_step *step, const char *printed);
/* Writes the recorded steps as a trace file. False after a message. */
bool simulation_write_trace(const struct simulation *simulation, const char *path);

#endif
