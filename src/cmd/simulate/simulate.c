/* floe simulate: one way through the states of a model. */
#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "cmd/simulate/random_runs.h"
#include "cmd/simulate/repl.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_STEPS 100
#define DEFAULT_SEED 1

/* A bound on the steps, or a model that comes by the terminal, is for a walk that nobody leads. */
static bool is_interactive(const struct options *options, const char *model) {
  if (GIVEN(options, runs) || options->json.given)
    return false;
  return options->interactive || (isatty(STDIN_FILENO) && !GIVEN(options, steps) && strcmp(model, "-") != 0);
}

static floe_status walk_randomly(struct simulation *simulation, uint64_t steps) {
  uint64_t taken = 0;
  bool any = true;
  while (any && taken < steps) {
    floe_status status = simulation_random(simulation, &any);
    if (status != FLOE_OK)
      return status;
    taken += any;
    simulation_forget(simulation);
  }
  printf("end: %" PRIu64 " step%s%s\n", taken, taken == 1 ? "" : "s", any ? "" : ", nothing more can be done");
  return FLOE_OK;
}

static int simulate_as_asked(struct simulation *simulation, const struct options *options, bool interactive) {
  printf("seed: %" PRIu64 "\n", simulation->random);
  floe_status status = simulation_begin(simulation);
  if (status == FLOE_OK && interactive)
    status = dialogue(simulation);
  else if (status == FLOE_OK)
    status = walk_randomly(simulation, GIVEN(options, steps) ? options->steps : DEFAULT_STEPS);
  if (status != FLOE_OK) {
    complain(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  if (simulation->steps && !simulation_write(simulation, options->trace))
    return output_lost(!interactive && simulation->violated ? EXIT_VIOLATED : EXIT_AS_WANTED);
  return !interactive && simulation->violated ? EXIT_VIOLATED : EXIT_AS_WANTED;
}

/* Of many walks none is told or led. */
static bool go_together(const struct options *options) {
  const char *many = GIVEN(options, runs) ? "runs" : options->json.given ? "json" : NULL;
  const char *one = options->interactive ? "interactive" : options->trace ? "trace" : NULL;
  if (!many || !one)
    return true;
  complain("run k of --runs, from 0, is the walk of --seed=SEED+k", "--%s does not go with --%s", one, many);
  return false;
}

static int simulate(struct session *session, const struct options *options, const char *path) {
  floe_simulator *simulator;
  if (GIVEN(options, runs) || options->json.given)
    return runs_simulate(session->model, options, GIVEN(options, seed) ? options->seed : DEFAULT_SEED,
                         GIVEN(options, steps) ? options->steps : DEFAULT_STEPS);
  floe_status status = floe_simulator_create(session->model, session->log, &simulator);
  if (status != FLOE_OK)
    return explain(status, session->log);
  struct simulation simulation = {
      .model = session->model, .simulator = simulator, .random = GIVEN(options, seed) ? options->seed : DEFAULT_SEED};
  simulation.steps = options->trace ? json_array() : NULL;
  int code = simulate_as_asked(&simulation, options, is_interactive(options, path));
  json_decref(simulation.initial);
  json_decref(simulation.steps);
  floe_simulator_free(simulator);
  return code;
}

static int run_simulate(const struct options *options, char *const *operands, int count) {
  (void)count;
  if (options->interactive && strcmp(operands[0], "-") == 0) {
    complain(NULL, "commands and model cannot both come from standard input");
    return EXIT_USAGE;
  }
  if (!go_together(options))
    return EXIT_USAGE;
  struct session session;
  int code = session_begin(&session, operands[0], &options->define);
  if (code == EXIT_AS_WANTED)
    code = simulate(&session, options, operands[0]);
  session_close(&session);
  return code;
}

const struct command command_simulate = {
    .name = "simulate",
    .bit = IN(simulate),
    .operands = "MODEL",
    .summary = "Simulate a model, at random or step by step",
    .description = "On a terminal, or with --interactive, it lists the enabled transitions of each\n"
                   "state and prompts; h lists the commands. Otherwise, or with --steps, it fires\n"
                   "random transitions; equal seeds give equal runs. It reports violated properties,\n"
                   "deadlocks and run-time errors; the exit code of a random simulation is then 1.\n"
                   "--runs=N runs N simulations on all cores and reports statistics: properties,\n"
                   "transitions fired and never fired, estimated number of states.\n",
    .least = 1,
    .most = 1,
    .reads = 1,
    .run = run_simulate,
};
