#include "cmd/simulate/simulation.h"

#include "base/splitmix64.h"
#include "cmd/console/message.h"
#include "cmd/report/report.h"
#include "cmd/simulate/deadlock.h"
#include "cmd/simulate/trace_file.h"

#include <inttypes.h>

#define KEPT 1024 /* steps of history between two trims */

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    floe_status try_status_ = (call);                                                                                  \
    if (try_status_ != FLOE_OK)                                                                                        \
      return try_status_;                                                                                              \
  } while (0)

/* 0..n-1; the bias is negligible, as n is far below 2^64. */
static size_t random_below(struct simulation *simulation, size_t n) { return splitmix64_next(&simulation->random) % n; }

/* ---- printing ------------------------------------------------------------------------------ */

static void print_property(const floe_property *property, const char *cause) {
  printf("     %s %s", property->id, floe_verdict_name(floe_verdict_when_found(property->kind)));
  if (cause[0])
    printf(": %s", printable(cause));
  else if (property->text[0]) {
    printf(": %s%s ", floe_property_kind_name(property->kind), property->kind == FLOE_DEADLOCK ? " unless" : "");
    put_printable(stdout, property->text);
  }
  putchar('\n');
}

/* In a deadlock, the blocked transitions of every instance. */
static floe_status print_blocked_instances(const struct simulation *simulation) {
  const floe_trace *blocked;
  floe_expansion *state;
  TRY(floe_simulator_expansion(simulation->simulator, &state));
  TRY(deadlock_explain(simulation->model, state, &blocked));
  report_blocked(stdout, blocked, floe_model_file(simulation->model));
  return FLOE_OK;
}

/* The properties of a model, `errors` and `deadlock` included, fit a mask of 64 bits. */
static floe_status evaluate_properties(struct simulation *simulation, bool report, uint64_t *triggered) {
  floe_expansion *state;
  *triggered = 0;
  TRY(floe_simulator_expansion(simulation->simulator, &state));
  for (size_t i = 0; i < floe_model_properties(simulation->model); i++) {
    floe_property_value observation;
    TRY(floe_expansion_property(state, i, &observation));
    if (!observation.triggered)
      continue;
    *triggered |= (uint64_t)1 << i;
    floe_property property = floe_model_property(simulation->model, i);
    if (report && !(simulation->triggered >> i & 1)) {
      print_property(&property, observation.cause);
      if (property.kind == FLOE_DEADLOCK)
        TRY(print_blocked_instances(simulation));
    }
    if (report && floe_verdict_when_found(property.kind) == FLOE_VIOLATED)
      simulation->violated = true;
  }
  return FLOE_OK;
}

floe_status simulation_report_properties(struct simulation *simulation) {
  uint64_t triggered;
  TRY(evaluate_properties(simulation, true, &triggered));
  simulation->triggered = triggered;
  return FLOE_OK;
}

static floe_status current_values(const struct simulation *simulation, const floe_change **values, size_t *count) {
  floe_expansion *state;
  TRY(floe_simulator_expansion(simulation->simulator, &state));
  return floe_expansion_values(state, values, count);
}

floe_status simulation_print_state(struct simulation *simulation) {
  const floe_change *values;
  size_t count;
  TRY(current_values(simulation, &values, &count));
  report_state(stdout, floe_simulator_depth(simulation->simulator) ? "state" : "start", values, count);
  return FLOE_OK;
}

/* ---- recording ----------------------------------------------------------------------------- */

static floe_status record_start(struct simulation *simulation) {
  const floe_change *values;
  size_t count;
  if (!simulation->steps)
    return FLOE_OK;
  TRY(current_values(simulation, &values, &count));
  simulation->initial = state_record(values, count);
  return simulation->initial ? FLOE_OK : FLOE_ERROR_MEMORY;
}

floe_status simulation_record_step(struct simulation *simulation, const floe_step *step, const char *printed) {
  if (!simulation->steps || step->cause[0])
    return FLOE_OK;
  json_t *record = step_record(step);
  add_printed(record, printed);
  return json_array_append_new(simulation->steps, record) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

bool simulation_write_trace(const struct simulation *simulation, const char *path) {
  return put_json(
      path, traces_file(json_pack("[o]", walk_record(simulation->model, simulation->initial, simulation->steps))));
}

floe_status simulation_begin(struct simulation *simulation) {
  report_model(simulation->model);
  TRY(simulation_print_state(simulation));
  TRY(record_start(simulation));
  return simulation_report_properties(simulation);
}

/* ---- steps --------------------------------------------------------------------------------- */

floe_status simulation_fire(struct simulation *simulation, size_t i) {
  const char *file = floe_model_file(simulation->model);
  floe_expansion *state;
  floe_step step;
  const char *printed;
  TRY(floe_simulator_expansion(simulation->simulator, &state));
  TRY(floe_expansion_step(state, i, &step));
  report_step(stdout, &step, floe_simulator_depth(simulation->simulator) + 1, file);
  TRY(floe_expansion_printed(state, i, &printed));
  report_printed(stdout, printed);
  if (step.cause[0]) {
    printf("     %s\n", printable(step.cause));
    return FLOE_OK;
  }
  TRY(simulation_record_step(simulation, &step, printed));
  TRY(floe_simulator_fire(simulation->simulator, i));
  return simulation_report_properties(simulation);
}

static size_t count_firable(const floe_expansion *state) {
  size_t firable = 0;
  for (size_t i = 0; i < floe_expansion_steps(state); i++)
    firable += !floe_expansion_step_fails(state, i);
  return firable;
}

/* Selects one of the firings that do not fail, uniformly at random. False: there is none. */
static bool choose_firing(struct simulation *simulation, const floe_expansion *state, size_t *firing) {
  const size_t firable = count_firable(state);
  if (firable == 0)
    return false;
  size_t left = random_below(simulation, firable);
  for (*firing = 0; floe_expansion_step_fails(state, *firing) || left-- > 0;)
    ++*firing;
  return true;
}

floe_status simulation_fire_random(struct simulation *simulation, bool *taken) {
  floe_expansion *state;
  size_t firing;
  TRY(floe_simulator_expansion(simulation->simulator, &state));
  *taken = choose_firing(simulation, state, &firing);
  return *taken ? simulation_fire(simulation, firing) : FLOE_OK;
}

floe_status simulation_fire_silently(struct simulation *simulation, uint64_t *fired, bool *taken) {
  floe_expansion *state;
  size_t firing;
  TRY(floe_simulator_expansion(simulation->simulator, &state));
  *taken = choose_firing(simulation, state, &firing);
  if (*taken && fired)
    TRY(floe_expansion_count_fired(state, firing, fired));
  return *taken ? floe_simulator_fire(simulation->simulator, firing) : FLOE_OK;
}

/* Reports nothing: the state was reported before. */
floe_status simulation_undo(struct simulation *simulation) {
  TRY(floe_simulator_undo(simulation->simulator));
  if (simulation->steps)
    json_array_remove(simulation->steps, json_array_size(simulation->steps) - 1);
  return evaluate_properties(simulation, false, &simulation->triggered);
}

void simulation_trim_history(struct simulation *simulation) {
  if (floe_simulator_depth(simulation->simulator) % KEPT == 0)
    floe_simulator_forget(simulation->simulator);
}
