/* floe mcc: one examination of a folder of the Model Checking Contest. The folder has the net in model.pnml and the
   formulas in EXAMINATION.xml. */
#define _GNU_SOURCE /* asprintf */
#include "cmd/clock.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/mcc/answers.h"
#include "cmd/mcc/rounds.h"
#include "cmd/session.h"
#include "cmd/signals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct contest {
  struct session session;
  floe_options settings;
  floe_result *result; /* NULL: the exploration failed, after messages */
  struct answers answers;
  bool reduces; /* the net may be reduced */
  double begun; /* clock_now */
};

struct examination {
  const char *name;
  bool has_formulas;
  bool measures;
  const char *property; /* the only one to be checked; NULL: all of the file, or none */
  /* Prints the answers; false: something was not decided. NULL: it has formulas. */
  bool (*answer)(struct contest *c);
};

static const char *truth(bool value) { return value ? "TRUE" : "FALSE"; }

/* All reachable states were explored, and no firing is missing. */
static bool is_complete(const struct contest *c) {
  const floe_summary *summary = floe_result_summary(c->result);
  return summary->complete && !summary->firing_failed;
}

static bool cannot_compute(const char *id) {
  if (id)
    print_formula(id, "CANNOT_COMPUTE", false);
  else
    puts("CANNOT_COMPUTE");
  fflush(stdout);
  return false;
}

static bool answer(const char *id, bool value) {
  print_formula(id, truth(value), false);
  return true;
}

/* ---- state space -------------------------------------------------------------------------------- */

static void print_number(const char *what, uint64_t number) {
  printf("STATE_SPACE %s %" PRIu64 " TECHNIQUES EXPLICIT\n", what, number);
}

/* Measures of a net without properties: the tokens of all places, then of each. */
static bool answer_state_space(struct contest *c) {
  const floe_summary *summary = floe_result_summary(c->result);
  int64_t most = 0;
  if (!is_complete(c))
    return cannot_compute(NULL);
  print_number("STATES", summary->states);
  print_number("TRANSITIONS", summary->transitions);
  if (!floe_result_measure(c->result, 0).known)
    return true;
  for (size_t i = 1; i < floe_result_measures(c->result); i++) {
    const floe_measure measure = floe_result_measure(c->result, i);
    if (measure.terms == 1 && measure.greatest > most)
      most = measure.greatest;
  }
  print_number("MAX_TOKEN_PER_MARKING", (uint64_t)floe_result_measure(c->result, 0).greatest);
  print_number("MAX_TOKEN_IN_PLACE", (uint64_t)most);
  return true;
}

/* ---- global properties -------------------------------------------------------------------------- */

static bool answer_deadlock(struct contest *c) {
  const floe_verdict_value value = floe_result_verdict(c->result, 0).value;
  if (value == FLOE_UNDECIDED)
    return cannot_compute("ReachabilityDeadlock");
  print_formula("ReachabilityDeadlock", truth(value == FLOE_VIOLATED), c->answers.reduced);
  return true;
}

static bool answer_one_safe(struct contest *c) {
  bool safe = true;
  if (!is_complete(c) || !floe_result_measure(c->result, 0).known)
    return cannot_compute("OneSafe");
  for (size_t i = 1; i < floe_result_measures(c->result); i++)
    safe = safe && floe_result_measure(c->result, i).greatest <= 1;
  return answer("OneSafe", safe);
}

static bool is_constant(const struct contest *c, size_t measure) {
  const floe_measure found = floe_result_measure(c->result, measure);
  return found.least == found.greatest;
}

/* The number of tokens counts, not their colours: the places that one was unfolded to are followed by their sum. */
static bool answer_stable_marking(struct contest *c) {
  const size_t n = floe_result_measures(c->result);
  bool stable = false;
  if (!is_complete(c) || !floe_result_measure(c->result, 0).known)
    return cannot_compute("StableMarking");
  for (size_t end = 1, first = 1; end < n; first = ++end) {
    while (end < n && floe_result_measure(c->result, end).terms == 1)
      end++;
    const size_t unfolded = end < n ? floe_result_measure(c->result, end).terms : 0;
    for (; first < end - unfolded; first++)
      stable = stable || is_constant(c, first);
    stable = stable || (unfolded && is_constant(c, end));
  }
  return answer("StableMarking", stable);
}

/* Of the transitions that one of the file was unfolded to. */
static uint64_t fired_of_group(const struct contest *c, size_t number) {
  const floe_transition_group group = floe_model_transition_group(c->session.model, number);
  uint64_t fired = 0;
  for (size_t i = 0; i < group.count; i++)
    fired += floe_result_fired(c->result, group.first + i);
  return fired;
}

static bool all_fired(const struct contest *c) {
  for (size_t i = 0; i < floe_model_transition_groups(c->session.model); i++)
    if (fired_of_group(c, i) == 0)
      return false;
  return true;
}

static bool answer_quasi_liveness(struct contest *c) {
  if (!all_fired(c) && !is_complete(c))
    return cannot_compute("QuasiLiveness");
  return answer("QuasiLiveness", all_fired(c));
}

/* Every transition can fire again from every state of the graph. FLOE_OK: *all is set. */
static floe_status find_all_live(const struct contest *c, floe_graph *graph, bool *all) {
  const size_t groups = floe_model_transition_groups(c->session.model);
  bool *live = calloc(groups + 1, sizeof *live);
  const floe_status status = live ? floe_graph_live(graph, live) : FLOE_ERROR_MEMORY;
  *all = true;
  for (size_t i = 0; status == FLOE_OK && i < groups; i++)
    *all = *all && live[i];
  free(live);
  return status;
}

/* Once more, with all steps in memory. */
static bool answer_liveness_by_graph(struct contest *c) {
  const floe_summary *summary = floe_result_summary(c->result);
  floe_options settings = c->settings;
  floe_graph *graph;
  bool all;
  if (settings.timeout > 0 && (settings.timeout -= clock_now() - c->begun) <= 0)
    return cannot_compute("Liveness");
  if (session_graph(&c->session, &settings, &graph) != EXIT_SATISFIED)
    return cannot_compute("Liveness");
  const bool known = floe_graph_end(graph) == FLOE_END_COMPLETE && floe_graph_states(graph) == summary->states &&
                     floe_graph_transitions(graph) == summary->transitions && find_all_live(c, graph, &all) == FLOE_OK;
  floe_graph_free(graph);
  return known ? answer("Liveness", all) : cannot_compute("Liveness");
}

/* Not live: a transition that never fires, or a deadlock. Of no transitions, all are live. */
static bool answer_liveness(struct contest *c) {
  if (!is_complete(c))
    return cannot_compute("Liveness");
  if (floe_model_transition_groups(c->session.model) == 0)
    return answer("Liveness", true);
  if (!all_fired(c) || floe_result_summary(c->result)->deadlocks > 0)
    return answer("Liveness", false);
  return answer_liveness_by_graph(c);
}

/* ---- formulas ----------------------------------------------------------------------------------- */

static void decided(const char *property, floe_verdict_value value, void *user) {
  struct contest *c = user;
  answer_verdict(&c->answers, property, value);
}

/* ---- examinations ------------------------------------------------------------------------------- */

static const struct examination examinations[] = {
    {"StateSpace", false, true, NULL, answer_state_space},
    {"OneSafe", false, true, NULL, answer_one_safe},
    {"StableMarking", false, true, NULL, answer_stable_marking},
    {"QuasiLiveness", false, true, NULL, answer_quasi_liveness},
    {"Liveness", false, true, NULL, answer_liveness},
    {"ReachabilityDeadlock", false, false, "deadlock", answer_deadlock},
    {"UpperBounds", true, true, NULL, NULL},
    {"ReachabilityCardinality", true, false, NULL, NULL},
    {"ReachabilityFireability", true, false, NULL, NULL},
    {"LTLCardinality", true, false, NULL, NULL},
    {"LTLFireability", true, false, NULL, NULL},
};
#define EXAMINATIONS (sizeof examinations / sizeof *examinations)

static const struct examination *find_examination(const char *name) {
  for (size_t i = 0; i < EXAMINATIONS; i++)
    if (strcmp(examinations[i].name, name) == 0)
      return &examinations[i];
  print_error("StateSpace, OneSafe, StableMarking, QuasiLiveness, Liveness, ReachabilityDeadlock, UpperBounds, "
              "ReachabilityCardinality, ReachabilityFireability, LTLCardinality, LTLFireability",
              "'%s' is no examination that floe takes", name);
  return NULL;
}

static void set_settings(struct contest *c, const struct examination *examination, const struct options *options) {
  make_settings(options, &c->settings);
  c->settings.traces = false;
  c->settings.decide_all = true;
  c->settings.measures = examination->measures;
  c->settings.count_only = !examination->property && (!examination->has_formulas || examination->measures);
  c->settings.properties = examination->property ? &examination->property : NULL;
  c->settings.property_count = examination->property ? 1 : 0;
  if (examination->has_formulas) {
    c->settings.decided = decided;
    c->settings.user = c;
    c->settings.progress = NULL;
  }
}

static int explore_and_answer(struct contest *c, const struct examination *examination) {
  int code = EXIT_SATISFIED;
  if (c->reduces && examination->property)
    code = reduce_model(&c->session, &examination->property, 1, false, &c->answers.reduced);
  if (code == EXIT_SATISFIED)
    code = session_explore(&c->session, &c->settings, &c->result);
  if (code != EXIT_SATISFIED) {
    cannot_compute(NULL);
    return code;
  }
  print_log(c->session.log);
  return examination->answer(c) ? EXIT_SATISFIED : EXIT_UNDECIDED;
}

static int answer_all_formulas(struct contest *c, const struct examination *examination) {
  struct rounds rounds = {.session = &c->session,
                          .answers = &c->answers,
                          .settings = c->settings,
                          .reduces = c->reduces,
                          .temporal = strncmp(examination->name, "LTL", strlen("LTL")) == 0,
                          .begun = clock_now()};
  const int code = answer_in_rounds(&rounds);
  const bool all = answer_rest(&c->answers);
  return code != EXIT_SATISFIED ? code : all ? EXIT_SATISFIED : EXIT_UNDECIDED;
}

static int examine(struct contest *c, const struct examination *examination, const struct options *options,
                   const char *folder) {
  struct options with = *options;
  char *net, *formulas;
  if (asprintf(&net, "%s/model.pnml", folder) < 0)
    return EXIT_UNDECIDED;
  if (asprintf(&formulas, "%s/%s.xml", folder, examination->name) < 0) {
    free(net);
    return EXIT_UNDECIDED;
  }
  with.properties = examination->has_formulas ? formulas : NULL;
  int code = session_begin(&c->session, net, &with);
  free(formulas);
  free(net);
  if (code != EXIT_SATISFIED) {
    cannot_compute(NULL);
    return code;
  }
  if (!answers_create(c->session.model, examination->measures, &c->answers)) {
    cannot_compute(NULL);
    return EXIT_UNDECIDED;
  }
  set_settings(c, examination, options);
  return examination->has_formulas ? answer_all_formulas(c, examination) : explore_and_answer(c, examination);
}

static int run_mcc(const struct options *options, char *const *operands, int count) {
  /* a defined constant is a limit of tokens, which all places have to keep */
  struct contest c = {.reduces = !(options->reduce && strcmp(options->reduce, "none") == 0) && options->define.n == 0,
                      .begun = clock_now()};
  (void)count;
  const struct examination *examination = find_examination(operands[1]);
  if (!examination)
    return EXIT_USAGE;
  signals_begin_reading_for("CANNOT_COMPUTE\n", options->timeout);
  const int code = examine(&c, examination, options, operands[0]);
  floe_result_free(c.result);
  answers_free(&c.answers);
  session_close(&c.session);
  return code;
}

const struct command command_mcc = {
    .name = "mcc",
    .bit = IN(mcc),
    .operands = "FOLDER EXAMINATION",
    .summary = "Answer an examination of the Model Checking Contest",
    .description = "FOLDER has the net in model.pnml and formulas in EXAMINATION.xml. Answers are\n"
                   "lines of the contest, printed as soon as they are sure; CANNOT_COMPUTE: memory\n"
                   "or time did not suffice, or floe has no algorithm for the question.\n",
    .min_operands = 2,
    .max_operands = 2,
    .input_operands = 0,
    .run = run_mcc,
};
