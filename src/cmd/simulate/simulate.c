/* floe simulate: random or interactive simulation of a model. */
#include "cmd/command.h"
#include "cmd/console/message.h"
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

/* Not interactive if --steps bounds the run, or if the model comes from the terminal. */
static bool is_interactive(const struct options *options, const char *model) {
  if (GIVEN(options, runs) || options->json.given)
    return false;
  return options->interactive || (isatty(STDIN_FILENO) && !GIVEN(options, steps) && strcmp(model, "-") != 0);
}

static floe_status simulate_randomly(struct simulation *simulation, uint64_t steps) {
  uint64_t taken = 0;
  bool any = true;
  while (any && taken < steps) {
    floe_status status = simulation_fire_random(simulation, &any);
    if (status != FLOE_OK)
      return status;
    taken += any;
    simulation_trim_history(simulation);
  }
  printf("end: %" PRIu64 " step%s%s\n", taken, taken == 1 ? "" : "s", any ? "" : ", no further step is possible");
  return FLOE_OK;
}

static int run_simulation(struct simulation *simulation, const struct options *options, bool interactive) {
  printf("seed: %" PRIu64 "\n", simulation->random);
  floe_status status = simulation_begin(simulation);
  if (status == FLOE_OK && interactive)
    status = repl_run(simulation);
  else if (status == FLOE_OK)
    status = simulate_randomly(simulation, GIVEN(options, steps) ? options->steps : DEFAULT_STEPS);
  if (status != FLOE_OK) {
    print_error(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  if (simulation->steps && !simulation_write_trace(simulation, options->trace))
    return output_failed(!interactive && simulation->violated ? EXIT_VIOLATED : EXIT_SATISFIED);
  return !interactive && simulation->violated ? EXIT_VIOLATED : EXIT_SATISFIED;
}

/* --runs and --json report statistics only: there are no single steps to choose or to write. */
static bool check_simulate_options(const struct options *options) {
  const char *many = GIVEN(options, runs) ? "runs" : options->json.given ? "json" : NULL;
  const char *one = options->interactive ? "interactive" : options->trace ? "trace" : NULL;
  if (!many || !one)
    return true;
  print_error("run k of --runs, from 0, equals a single run with --seed=SEED+k", "--%s cannot be combined with --%s",
              one, many);
  return false;
}

static int simulate_model(struct session *session, const struct options *options, const char *path) {
  floe_simulator *simulator;
  if (GIVEN(options, runs) || options->json.given)
    return random_runs_simulate(session->model, options, GIVEN(options, seed) ? options->seed : DEFAULT_SEED,
                                GIVEN(options, steps) ? options->steps : DEFAULT_STEPS);
  floe_status status = floe_simulator_create(session->model, session->log, &simulator);
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  struct simulation simulation = {
      .model = session->model, .simulator = simulator, .random = GIVEN(options, seed) ? options->seed : DEFAULT_SEED};
  simulation.steps = options->trace ? json_array() : NULL;
  int code = run_simulation(&simulation, options, is_interactive(options, path));
  json_decref(simulation.initial);
  json_decref(simulation.steps);
  floe_simulator_free(simulator);
  return code;
}

static int run_simulate(const struct options *options, char *const *operands, int count) {
  (void)count;
  if (options->interactive && strcmp(operands[0], "-") == 0) {
    print_error("name a model file", "--interactive reads commands from standard input, which is also the model");
    return EXIT_USAGE;
  }
  if (!check_simulate_options(options))
    return EXIT_USAGE;
  struct session session;
  int code = session_begin(&session, operands[0], options);
  if (code == EXIT_SATISFIED)
    code = session_widen(&session);
  if (code == EXIT_SATISFIED)
    code = simulate_model(&session, options, operands[0]);
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
    .min_operands = 1,
    .max_operands = 1,
    .input_operands = 1,
    .run = run_simulate,
};
