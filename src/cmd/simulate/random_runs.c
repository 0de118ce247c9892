#define _GNU_SOURCE
#include "cmd/simulate/random_runs.h"

#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/signals.h"
#include "cmd/simulate/deadlock.h"
#include "cmd/simulate/simulation.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PROPERTIES 64
/* HyperLogLog (Flajolet, Fusy, Gandouet and Meunier 2007), with linear counting for small numbers: an error of
   1.04 / sqrt(2^14), 0.8 %, is usual. */
#define INDEX_BITS 14
#define REGISTERS (1 << INDEX_BITS)

/* Runs in which a property was triggered. */
struct occurrence {
  uint64_t runs, first_run, first_step;
};

/* A thread and the statistics of its runs: sums, maxima and minima, which do not depend on the distribution of runs. */
struct worker {
  struct random_runs *all;
  pthread_t thread;
  struct simulation simulation;
  uint64_t runs, steps, ended; /* ended: runs that reached a state in which no firing succeeds */
  uint64_t *fired;             /* [transitions] */
  struct occurrence occurrences[MOST_PROPERTIES];
  uint8_t registers[REGISTERS];
  floe_status status;
};

struct random_runs {
  floe_model *model;
  uint64_t seed, count, steps;
  size_t transitions;
  atomic_uint_fast64_t next;
  atomic_bool failed; /* a worker is out of memory: all end */
  struct worker *workers;
  unsigned threads;
  const floe_trace *blocked; /* of the first deadlock; NULL: none */
};

/* ---- one run --------------------------------------------------------------------------------- */

static void add_distinct_state(struct worker *worker, const floe_expansion *state) {
  uint64_t hash = floe_state_hash(floe_expansion_state(state));
  uint64_t rest = hash << INDEX_BITS | (uint64_t)1 << (INDEX_BITS - 1);
  uint8_t first_one = (uint8_t)(__builtin_clzll(rest) + 1);
  uint8_t *place = &worker->registers[hash >> (64 - INDEX_BITS)];
  if (*place < first_one)
    *place = first_one;
}

static floe_status count_occurrences(struct worker *worker, floe_expansion *state, uint64_t run, uint64_t *seen) {
  for (size_t i = 0; i < floe_model_properties(worker->all->model); i++) {
    floe_property_value observation;
    if (*seen >> i & 1)
      continue;
    floe_status status = floe_expansion_property(state, i, &observation);
    if (status != FLOE_OK)
      return status;
    if (!observation.triggered)
      continue;
    struct occurrence *occurrence = &worker->occurrences[i];
    *seen |= (uint64_t)1 << i;
    if (occurrence->runs++ == 0 || run < occurrence->first_run)
      *occurrence = (struct occurrence){occurrence->runs, run, floe_simulator_depth(worker->simulation.simulator)};
  }
  return FLOE_OK;
}

static floe_status observe_state(struct worker *worker, uint64_t run, uint64_t *seen) {
  floe_expansion *state;
  const floe_status status = floe_simulator_expansion(worker->simulation.simulator, &state);
  if (status != FLOE_OK)
    return status;
  add_distinct_state(worker, state);
  return count_occurrences(worker, state, run, seen);
}

/* Simulates until the run ends or a signal interrupts it; an interrupted run is not counted. */
static floe_status simulate_run(struct worker *worker, uint64_t run) {
  struct simulation *simulation = &worker->simulation;
  uint64_t seen = 0;
  bool any = true;
  simulation->random = worker->all->seed + run;
  floe_simulator_restart(simulation->simulator);
  floe_status status = observe_state(worker, run, &seen);
  uint64_t taken = 0;
  for (; status == FLOE_OK && taken < worker->all->steps && !signals_received(); taken++) {
    status = simulation_fire_silently(simulation, worker->fired, &any);
    if (status != FLOE_OK || !any)
      break;
    worker->steps++;
    status = observe_state(worker, run, &seen);
    simulation_trim_history(simulation);
  }
  worker->ended += !any;
  worker->runs += status == FLOE_OK && (!any || taken == worker->all->steps);
  return status;
}

static void *worker_thread(void *data) {
  struct worker *worker = data;
  struct random_runs *runs = worker->all;
  uint64_t run;
  while (!atomic_load(&runs->failed) && !signals_received() && (run = atomic_fetch_add(&runs->next, 1)) < runs->count) {
    worker->status = simulate_run(worker, run);
    if (worker->status != FLOE_OK)
      atomic_store(&runs->failed, true);
  }
  return NULL;
}

/* ---- all runs -------------------------------------------------------------------------------- */

static unsigned cores(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static floe_status worker_init(struct random_runs *runs, struct worker *worker) {
  worker->all = runs;
  worker->simulation.model = runs->model;
  worker->fired = calloc(runs->transitions + 1, sizeof *worker->fired);
  return worker->fired ? floe_simulator_create(runs->model, NULL, &worker->simulation.simulator) : FLOE_ERROR_MEMORY;
}

static void add_worker(struct worker *to, const struct worker *from) {
  to->runs += from->runs;
  to->steps += from->steps;
  to->ended += from->ended;
  for (size_t i = 0; i < to->all->transitions; i++)
    to->fired[i] += from->fired[i];
  for (size_t i = 0; i < REGISTERS; i++)
    if (to->registers[i] < from->registers[i])
      to->registers[i] = from->registers[i];
  for (size_t i = 0; i < MOST_PROPERTIES; i++) {
    struct occurrence *a = &to->occurrences[i];
    const struct occurrence *b = &from->occurrences[i];
    if (b->runs > 0 && (a->runs == 0 || b->first_run < a->first_run))
      *a = (struct occurrence){a->runs, b->first_run, b->first_step};
    a->runs += b->runs;
  }
  if (to->status == FLOE_OK)
    to->status = from->status;
}

/* If a thread cannot be started, the others do its work. */
static floe_status simulate_all(struct random_runs *runs) {
  unsigned opened = 0, started = 1;
  floe_status status = FLOE_OK;
  while (opened < runs->threads && (status = worker_init(runs, &runs->workers[opened])) == FLOE_OK)
    opened++;
  if (opened == 0)
    return status;
  while (started < opened &&
         pthread_create(&runs->workers[started].thread, NULL, worker_thread, &runs->workers[started]) == 0)
    started++;
  worker_thread(&runs->workers[0]);
  for (unsigned i = 1; i < started; i++) {
    pthread_join(runs->workers[i].thread, NULL);
    add_worker(&runs->workers[0], &runs->workers[i]);
  }
  return runs->workers[0].status;
}

/* Repeats the run up to the first occurrence. */
static floe_status simulate_to(struct random_runs *runs, const struct occurrence *occurrences) {
  struct simulation *simulation = &runs->workers[0].simulation;
  bool any = true;
  simulation->random = runs->seed + occurrences->first_run;
  floe_simulator_restart(simulation->simulator);
  for (uint64_t i = 0; i < occurrences->first_step && any; i++) {
    floe_status status = simulation_fire_silently(simulation, NULL, &any);
    if (status != FLOE_OK)
      return status;
    simulation_trim_history(simulation);
  }
  return FLOE_OK;
}

static floe_status explain_first_deadlock(struct random_runs *runs) {
  for (size_t i = 0; i < floe_model_properties(runs->model); i++) {
    const struct occurrence *occurrences = &runs->workers[0].occurrences[i];
    if (floe_model_property(runs->model, i).kind != FLOE_DEADLOCK || occurrences->runs == 0)
      continue;
    floe_expansion *state;
    floe_status status = simulate_to(runs, occurrences);
    if (status == FLOE_OK)
      status = floe_simulator_expansion(runs->workers[0].simulation.simulator, &state);
    return status == FLOE_OK ? deadlock_explain(runs->model, state, &runs->blocked) : status;
  }
  return FLOE_OK;
}

static uint64_t estimate_states(const struct worker *worker) {
  double sum = 0, empty = 0;
  for (size_t i = 0; i < REGISTERS; i++) {
    sum += ldexp(1, -worker->registers[i]);
    empty += worker->registers[i] == 0;
  }
  double all = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / sum;
  if (all <= 2.5 * REGISTERS && empty > 0)
    all = REGISTERS * log(REGISTERS / empty);
  return (uint64_t)(all + 0.5);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_occurrences(const struct random_runs *runs) {
  const struct worker *worker = &runs->workers[0];
  for (size_t i = 0; i < floe_model_properties(runs->model); i++) {
    floe_property property = floe_model_property(runs->model, i);
    const struct occurrence *occurrences = &worker->occurrences[i];
    if (occurrences->runs == 0)
      continue;
    printf("%s: %s in %" PRIu64 " run%s, first with --seed=%" PRIu64 " at step %" PRIu64 "\n", property.id,
           floe_verdict_name(floe_verdict_when_found(property.kind)), occurrences->runs,
           occurrences->runs == 1 ? "" : "s", runs->seed + occurrences->first_run, occurrences->first_step);
    if (property.kind == FLOE_DEADLOCK && runs->blocked)
      report_blocked(stdout, runs->blocked, floe_model_file(runs->model));
  }
}

static void print_transitions(const struct random_runs *runs) {
  size_t taken = 0;
  for (size_t i = 0; i < runs->transitions; i++)
    taken += runs->workers[0].fired[i] > 0;
  printf("transitions fired: %zu of %zu\n", taken, runs->transitions);
  for (size_t i = 0; i < runs->transitions; i++) {
    floe_transition transition = floe_model_transition(runs->model, i);
    if (runs->workers[0].fired[i] > 0)
      continue;
    fputs("  never fired: ", stdout);
    report_transition(stdout, &transition, " ");
    report_place(stdout, transition.file, floe_model_file(runs->model), transition.line);
    putchar('\n');
  }
}

static void print_statistics(const struct random_runs *runs) {
  const struct worker *worker = &runs->workers[0];
  printf("seed: %" PRIu64 "\n", runs->seed);
  report_model(runs->model);
  printf("runs: %" PRIu64 " of at most %" PRIu64 " steps%s\n", worker->runs, runs->steps,
         signals_received() ? ", interrupted" : "");
  printf("steps: %" PRIu64 "; %" PRIu64 " run%s ended early because no step was possible\n", worker->steps,
         worker->ended, worker->ended == 1 ? "" : "s");
  printf("distinct states: about %" PRIu64 " (an estimate)\n", estimate_states(worker));
  print_occurrences(runs);
  print_transitions(runs);
}

static json_t *occurrences_json(const struct random_runs *runs) {
  json_t *list = json_array();
  for (size_t i = 0; i < floe_model_properties(runs->model); i++) {
    floe_property property = floe_model_property(runs->model, i);
    const struct occurrence *occurrences = &runs->workers[0].occurrences[i];
    json_t *object =
        json_pack("{s:s, s:s, s:I, s:n, s:n, s:o}", "id", property.id, "kind", floe_property_kind_name(property.kind),
                  "runs", (json_int_t)occurrences->runs, "first_seed", "first_step", "waiting",
                  blocked_json(property.kind == FLOE_DEADLOCK ? runs->blocked : NULL));
    if (occurrences->runs > 0) {
      json_object_set_new(object, "first_seed", json_integer((json_int_t)(runs->seed + occurrences->first_run)));
      json_object_set_new(object, "first_step", json_integer((json_int_t)occurrences->first_step));
    }
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *transitions_json(const struct random_runs *runs) {
  json_t *list = json_array();
  for (size_t i = 0; i < runs->transitions; i++) {
    floe_transition transition = floe_model_transition(runs->model, i);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:i, s:I}", "process", transition.process, "label",
                               transition.label, "from", transition.from, "to", transition.to, "line",
                               (int)transition.line, "taken", (json_int_t)runs->workers[0].fired[i]);
    json_array_append_new(list, with_file(object, transition.file));
  }
  return list;
}

static json_t *runs_json(const struct random_runs *runs) {
  const struct worker *worker = &runs->workers[0];
  json_t *object = model_json(runs->model, "simulate");
  json_t *rest =
      json_pack("{s:o, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:o, s:o}", "constants", constants_json(runs->model), "seed",
                (json_int_t)runs->seed, "runs", (json_int_t)worker->runs, "most_steps", (json_int_t)runs->steps,
                "interrupted", (int)signals_received(), "steps", (json_int_t)worker->steps, "ended",
                (json_int_t)worker->ended, "states_estimate", (json_int_t)estimate_states(worker), "properties",
                occurrences_json(runs), "transitions", transitions_json(runs));
  if (object && json_object_update(object, rest) != 0) {
    json_decref(object);
    object = NULL;
  }
  json_decref(rest);
  return object;
}

static int exit_code_of(const struct random_runs *runs) {
  for (size_t i = 0; i < floe_model_properties(runs->model); i++)
    if (runs->workers[0].occurrences[i].runs > 0 &&
        floe_verdict_when_found(floe_model_property(runs->model, i).kind) == FLOE_VIOLATED)
      return EXIT_VIOLATED;
  return signals_received() ? EXIT_UNDECIDED : EXIT_SATISFIED;
}

static int report_statistics(const struct random_runs *runs, const struct options *options) {
  int code = exit_code_of(runs);
  if (!json_replaces_text(options))
    print_statistics(runs);
  return !options->json.given || put_json(options->json.text, runs_json(runs)) ? code : output_failed(code);
}

int random_runs_simulate(floe_model *model, const struct options *options, uint64_t seed, uint64_t steps) {
  struct random_runs runs = {.model = model,
                             .seed = seed,
                             .steps = steps,
                             .count = GIVEN(options, runs) ? options->runs : 1,
                             .transitions = floe_model_transitions(model)};
  runs.threads = GIVEN(options, threads) ? (unsigned)options->threads : cores();
  if (runs.threads > runs.count)
    runs.threads = (unsigned)runs.count;
  runs.workers = calloc(runs.threads, sizeof *runs.workers);
  signals_catch();
  floe_status status = runs.workers ? simulate_all(&runs) : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    status = explain_first_deadlock(&runs);
  int code = EXIT_UNDECIDED;
  if (status == FLOE_OK)
    code = report_statistics(&runs, options);
  else
    print_error("use fewer threads (--threads)", "%s", floe_status_name(status));
  for (unsigned i = 0; runs.workers && i < runs.threads; i++) {
    floe_simulator_free(runs.workers[i].simulation.simulator);
    free(runs.workers[i].fired);
  }
  free(runs.workers);
  return code;
}
