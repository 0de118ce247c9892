#define _GNU_SOURCE
#include "cmd/simulate/random_runs.h"

#include "cmd/command.h"
#include "cmd/message.h"
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

/* Where a property was met. */
struct meeting {
  uint64_t runs, first_run, first_step;
};

/* What some of the runs come to. Sums, maxima and minima: it does not matter who made which run. */
struct tally {
  struct runs *all;
  pthread_t thread;
  struct simulation simulation;
  uint64_t runs, steps, ended; /* ended: runs in which nothing more could be done */
  uint64_t *fired;             /* [transitions] */
  struct meeting met[MOST_PROPERTIES];
  uint8_t registers[REGISTERS];
  floe_status status;
};

struct runs {
  floe_model *model;
  uint64_t seed, count, steps;
  size_t transitions;
  atomic_uint_fast64_t next;
  atomic_bool failed; /* somebody has no memory: the others end too */
  struct tally *tallies;
  unsigned threads;
  const floe_trace *waits; /* in the deadlock that was met first; NULL: none was */
};

/* ---- one run --------------------------------------------------------------------------------- */

static void note_state(struct tally *tally) {
  uint64_t hash = floe_simulator_hash(tally->simulation.simulator);
  uint64_t rest = hash << INDEX_BITS | (uint64_t)1 << (INDEX_BITS - 1);
  uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);
  uint8_t *place = &tally->registers[hash >> (64 - INDEX_BITS)];
  if (*place < rank)
    *place = rank;
}

static floe_status note_properties(struct tally *tally, uint64_t run, uint64_t *met) {
  floe_simulator *simulator = tally->simulation.simulator;
  for (size_t i = 0; i < floe_model_properties(tally->all->model); i++) {
    floe_property_value observation;
    if (*met >> i & 1)
      continue;
    floe_status status = floe_simulator_property(simulator, i, &observation);
    if (status != FLOE_OK)
      return status;
    if (!observation.triggered)
      continue;
    struct meeting *meeting = &tally->met[i];
    *met |= (uint64_t)1 << i;
    if (meeting->runs++ == 0 || run < meeting->first_run)
      *meeting = (struct meeting){meeting->runs, run, floe_simulator_depth(simulator)};
  }
  return FLOE_OK;
}

/* Until the walk ends, or floe is to end: then the run does not count as one. */
static floe_status run_once(struct tally *tally, uint64_t run) {
  struct simulation *simulation = &tally->simulation;
  uint64_t met = 0;
  bool any = true;
  simulation->random = tally->all->seed + run;
  floe_simulator_restart(simulation->simulator);
  note_state(tally);
  floe_status status = note_properties(tally, run, &met);
  uint64_t taken = 0;
  for (; status == FLOE_OK && taken < tally->all->steps && !signals_came(); taken++) {
    status = simulation_step(simulation, &any);
    if (status != FLOE_OK || !any)
      break;
    floe_simulator_count(simulation->simulator, tally->fired);
    tally->steps++;
    note_state(tally);
    status = note_properties(tally, run, &met);
    simulation_forget(simulation);
  }
  tally->ended += !any;
  tally->runs += status == FLOE_OK && (!any || taken == tally->all->steps);
  return status;
}

static void *work(void *data) {
  struct tally *tally = data;
  struct runs *runs = tally->all;
  uint64_t run;
  while (!atomic_load(&runs->failed) && !signals_came() && (run = atomic_fetch_add(&runs->next, 1)) < runs->count) {
    tally->status = run_once(tally, run);
    if (tally->status != FLOE_OK)
      atomic_store(&runs->failed, true);
  }
  return NULL;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static unsigned cores(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static floe_status open_tally(struct runs *runs, struct tally *tally) {
  tally->all = runs;
  tally->simulation.model = runs->model;
  tally->fired = calloc(runs->transitions + 1, sizeof *tally->fired);
  return tally->fired ? floe_simulator_create(runs->model, NULL, &tally->simulation.simulator) : FLOE_ERROR_MEMORY;
}

static void add(struct tally *to, const struct tally *from) {
  to->runs += from->runs;
  to->steps += from->steps;
  to->ended += from->ended;
  for (size_t i = 0; i < to->all->transitions; i++)
    to->fired[i] += from->fired[i];
  for (size_t i = 0; i < REGISTERS; i++)
    if (to->registers[i] < from->registers[i])
      to->registers[i] = from->registers[i];
  for (size_t i = 0; i < MOST_PROPERTIES; i++) {
    struct meeting *a = &to->met[i];
    const struct meeting *b = &from->met[i];
    if (b->runs > 0 && (a->runs == 0 || b->first_run < a->first_run))
      *a = (struct meeting){a->runs, b->first_run, b->first_step};
    a->runs += b->runs;
  }
  if (to->status == FLOE_OK)
    to->status = from->status;
}

/* Where a thread cannot be had, the others do its work. */
static floe_status walk_all(struct runs *runs) {
  unsigned open = 0, started = 1;
  floe_status status = FLOE_OK;
  while (open < runs->threads && (status = open_tally(runs, &runs->tallies[open])) == FLOE_OK)
    open++;
  if (open == 0)
    return status;
  while (started < open && pthread_create(&runs->tallies[started].thread, NULL, work, &runs->tallies[started]) == 0)
    started++;
  work(&runs->tallies[0]);
  for (unsigned i = 1; i < started; i++) {
    pthread_join(runs->tallies[i].thread, NULL);
    add(&runs->tallies[0], &runs->tallies[i]);
  }
  return runs->tallies[0].status;
}

/* Goes the way to where a property was met first once more. */
static floe_status go_to(struct runs *runs, const struct meeting *met) {
  struct simulation *simulation = &runs->tallies[0].simulation;
  bool any = true;
  simulation->random = runs->seed + met->first_run;
  floe_simulator_restart(simulation->simulator);
  for (uint64_t i = 0; i < met->first_step && any; i++) {
    floe_status status = simulation_step(simulation, &any);
    if (status != FLOE_OK)
      return status;
    simulation_forget(simulation);
  }
  return FLOE_OK;
}

static floe_status find_waits(struct runs *runs) {
  for (size_t i = 0; i < floe_model_properties(runs->model); i++) {
    const struct meeting *met = &runs->tallies[0].met[i];
    if (floe_model_property(runs->model, i).kind != FLOE_DEADLOCK || met->runs == 0)
      continue;
    floe_status status = go_to(runs, met);
    return status == FLOE_OK ? deadlock_waits(runs->model, runs->tallies[0].simulation.simulator, &runs->waits)
                             : status;
  }
  return FLOE_OK;
}

static uint64_t estimate(const struct tally *tally) {
  double sum = 0, empty = 0;
  for (size_t i = 0; i < REGISTERS; i++) {
    sum += ldexp(1, -tally->registers[i]);
    empty += tally->registers[i] == 0;
  }
  double all = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / sum;
  if (all <= 2.5 * REGISTERS && empty > 0)
    all = REGISTERS * log(REGISTERS / empty);
  return (uint64_t)(all + 0.5);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void put_meetings(const struct runs *runs) {
  const struct tally *tally = &runs->tallies[0];
  for (size_t i = 0; i < floe_model_properties(runs->model); i++) {
    floe_property property = floe_model_property(runs->model, i);
    const struct meeting *met = &tally->met[i];
    if (met->runs == 0)
      continue;
    printf("%s: %s in %" PRIu64 " run%s, first with --seed=%" PRIu64 " at step %" PRIu64 "\n", property.id,
           floe_verdict_name(floe_property_kind_found(property.kind)), met->runs, met->runs == 1 ? "" : "s",
           runs->seed + met->first_run, met->first_step);
    if (property.kind == FLOE_DEADLOCK && runs->waits)
      report_waits(runs->waits, floe_model_file(runs->model));
  }
}

static void put_never(const struct runs *runs) {
  size_t taken = 0;
  for (size_t i = 0; i < runs->transitions; i++)
    taken += runs->tallies[0].fired[i] > 0;
  printf("transitions taken: %zu of %zu\n", taken, runs->transitions);
  for (size_t i = 0; i < runs->transitions; i++) {
    floe_transition transition = floe_model_transition(runs->model, i);
    if (runs->tallies[0].fired[i] == 0)
      printf("  never: %s %s%s%s -> %s (%s:%u)\n", transition.process, printable(transition.label),
             *transition.label ? " " : "", transition.from, transition.to, printable(floe_model_file(runs->model)),
             transition.line);
  }
}

static void tell(const struct runs *runs) {
  const struct tally *tally = &runs->tallies[0];
  printf("seed: %" PRIu64 "\n", runs->seed);
  report_model(runs->model);
  printf("runs: %" PRIu64 " of at most %" PRIu64 " steps%s\n", tally->runs, runs->steps,
         signals_came() ? ", then interrupted" : "");
  printf("steps: %" PRIu64 "; in %" PRIu64 " run%s nothing more could be done\n", tally->steps, tally->ended,
         tally->ended == 1 ? "" : "s");
  printf("distinct states: about %" PRIu64 " (an estimate)\n", estimate(tally));
  put_meetings(runs);
  put_never(runs);
}

static json_t *meetings_json(const struct runs *runs) {
  json_t *list = json_array();
  for (size_t i = 0; i < floe_model_properties(runs->model); i++) {
    floe_property property = floe_model_property(runs->model, i);
    const struct meeting *met = &runs->tallies[0].met[i];
    json_t *object =
        json_pack("{s:s, s:s, s:I, s:n, s:n, s:o}", "id", property.id, "kind", floe_property_kind_name(property.kind),
                  "runs", (json_int_t)met->runs, "first_seed", "first_step", "waiting",
                  waits_json(property.kind == FLOE_DEADLOCK ? runs->waits : NULL));
    if (met->runs > 0) {
      json_object_set_new(object, "first_seed", json_integer((json_int_t)(runs->seed + met->first_run)));
      json_object_set_new(object, "first_step", json_integer((json_int_t)met->first_step));
    }
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *transitions_json(const struct runs *runs) {
  json_t *list = json_array();
  for (size_t i = 0; i < runs->transitions; i++) {
    floe_transition transition = floe_model_transition(runs->model, i);
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:i, s:I}", "process", transition.process, "label",
                                          transition.label, "from", transition.from, "to", transition.to, "line",
                                          (int)transition.line, "taken", (json_int_t)runs->tallies[0].fired[i]));
  }
  return list;
}

static json_t *runs_json(const struct runs *runs) {
  const struct tally *tally = &runs->tallies[0];
  json_t *object = model_json(runs->model, "simulate");
  json_t *rest = json_pack(
      "{s:o, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:o, s:o}", "constants", constants_json(runs->model), "seed",
      (json_int_t)runs->seed, "runs", (json_int_t)tally->runs, "most_steps", (json_int_t)runs->steps, "interrupted",
      (int)signals_came(), "steps", (json_int_t)tally->steps, "ended", (json_int_t)tally->ended, "states_estimate",
      (json_int_t)estimate(tally), "properties", meetings_json(runs), "transitions", transitions_json(runs));
  if (object && json_object_update(object, rest) != 0) {
    json_decref(object);
    object = NULL;
  }
  json_decref(rest);
  return object;
}

static int code_of(const struct runs *runs) {
  for (size_t i = 0; i < floe_model_properties(runs->model); i++)
    if (runs->tallies[0].met[i].runs > 0 &&
        floe_property_kind_found(floe_model_property(runs->model, i).kind) == FLOE_VIOLATED)
      return EXIT_VIOLATED;
  return signals_came() ? EXIT_UNDECIDED : EXIT_AS_WANTED;
}

static int tell_all(const struct runs *runs, const struct options *options) {
  int code = code_of(runs);
  if (!json_instead(options))
    tell(runs);
  return !options->json.given || put_json(options->json.text, runs_json(runs)) ? code : output_lost(code);
}

int runs_simulate(floe_model *model, const struct options *options, uint64_t seed, uint64_t steps) {
  struct runs runs = {.model = model,
                      .seed = seed,
                      .steps = steps,
                      .count = GIVEN(options, runs) ? options->runs : 1,
                      .transitions = floe_model_transitions(model)};
  runs.threads = GIVEN(options, threads) ? (unsigned)options->threads : cores();
  if (runs.threads > runs.count)
    runs.threads = (unsigned)runs.count;
  runs.tallies = calloc(runs.threads, sizeof *runs.tallies);
  signals_catch();
  floe_status status = runs.tallies ? walk_all(&runs) : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    status = find_waits(&runs);
  int code = EXIT_UNDECIDED;
  if (status == FLOE_OK)
    code = tell_all(&runs, options);
  else
    complain("fewer --threads", "%s", floe_status_name(status));
  for (unsigned i = 0; runs.tallies && i < runs.threads; i++) {
    floe_simulator_free(runs.tallies[i].simulation.simulator);
    free(runs.tallies[i].fired);
  }
  free(runs.tallies);
  return code;
}
