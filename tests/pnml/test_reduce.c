/* Structural reductions: random nets with random formulas. Verdicts, largest numbers of tokens and deadlocks of reduced
   nets are those of the nets as read, for all formulas together and for each alone. Their traces are runs of the nets
   as read: the library executes them there, and they end where the public functions evaluate the formula as violated.
 */
#include "core/mem.h"
#include "floe.h"
#include "tests/pnml/written_net.h"
#include "tests/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  PLACES = 8,
  TRANSITIONS = 8,
  STATE_FORMULAS = 4, /* ids a0.. */
  RUN_FORMULAS = 4,   /* ids l0..: of linear time, without `next` but for the last one */
  BOUNDS = 2,         /* ids b0.. */
  FORMULAS = STATE_FORMULAS + RUN_FORMULAS + BOUNDS,
  MOST_STATES = 300, /* larger and unbounded nets are left out */
  NETS = 8,
  NETS_AT_LENGTH = 3000
};
/* Nets at which faulty rules (tests/mutants/nets.txt) give wrong answers. */
static const uint64_t telling[] = {91, 92, 159, 169, 220, 242, 283, 299, 314, 1315, 1722};

static const char *const deadlock = "deadlock";
static const char *const ids[FORMULAS] = {"a0", "a1", "a2", "a3", "l0", "l1", "l2", "l3", "b0", "b1"};
/* Names of rules in the note, and how many nets each was applied to. */
static const char *const rules[] = {"constant", "dead",       "duplicate",          "implicit",
                                    "endless",  "irrelevant", "post-agglomeration", "pre-agglomeration"};
enum { RULES = sizeof rules / sizeof *rules };
static size_t applied[RULES], nets, verdicts[2], traces[3]; /* to a state, to a deadlock, of a run */
static uint64_t states, reduced_states;

/* What is compared. */
struct answers {
  bool complete;
  uint64_t states;
  floe_verdict_value values[FORMULAS];
  int64_t bounds[BOUNDS];
  floe_verdict_value deadlock;
};

/* ---- random nets and formulas ------------------------------------------------------------------ */

static void write_arc(FILE *f, uint64_t *seed, bool input, unsigned t) {
  static unsigned number;
  const unsigned p = below(seed, PLACES), weight = below(seed, 8) == 0 ? 2 : 1, kind = below(seed, 16);
  const char *type = kind == 0 ? "inhibitor" : kind == 1 ? "reset" : kind == 2 ? "test" : "normal";
  if (input)
    fprintf(f, "<arc id='i%u' source='p%u' target='t%u' type='%s'>", number++, p, t, type);
  else
    fprintf(f, "<arc id='o%u' source='t%u' target='p%u'>", number++, t, p);
  fprintf(f, "<inscription><text>%u</text></inscription></arc>", weight);
}

/* Few arcs: long chains, which can be agglomerated. */
static void write_net(FILE *f, uint64_t *seed) {
  const unsigned start = below(seed, PLACES);
  fputs("<pnml><net id='n'><page id='g'>", f);
  for (unsigned p = 0; p < PLACES; p++)
    fprintf(f, "<place id='p%u'><initialMarking><text>%u</text></initialMarking></place>", p,
            p == start ? 1 + below(seed, 2) : below(seed, 5) == 0);
  for (unsigned t = 0; t < TRANSITIONS; t++) {
    fprintf(f, "<transition id='t%u'/>", t);
    for (unsigned k = below(seed, 20) ? 1 + (below(seed, 4) == 0) : 0; k > 0; k--)
      write_arc(f, seed, true, t);
    for (unsigned k = below(seed, 5) ? 1 + (below(seed, 6) == 0) : 0; k > 0; k--)
      write_arc(f, seed, false, t);
  }
  fputs("</page></net></pnml>", f);
}

static void write_condition(FILE *f, uint64_t *seed) {
  switch (below(seed, 12)) {
  case 0:
    fputs("<deadlock/>", f);
    break;
  case 1:
  case 2:
  case 3:
    fprintf(f, "<is-fireable><transition>t%u</transition></is-fireable>", below(seed, TRANSITIONS));
    break;
  case 4:
    fputs("<conjunction>", f);
    write_condition(f, seed);
    write_condition(f, seed);
    fputs("</conjunction>", f);
    break;
  case 5:
    fputs("<negation>", f);
    write_condition(f, seed);
    fputs("</negation>", f);
    break;
  default:
    fprintf(f,
            "<integer-le><integer-constant>%u</integer-constant><tokens-count><place>p%u</place></tokens-count>"
            "</integer-le>",
            below(seed, 2) + 1, below(seed, PLACES));
  }
}

static void write_runs(FILE *f, uint64_t *seed, unsigned depth, bool next) {
  static const char *const unary[] = {"globally", "finally", "negation", "next"};
  const unsigned kind = depth == 0 ? 0 : below(seed, next ? 7 : 6);
  if (kind < 2) {
    write_condition(f, seed);
  } else if (kind == 2) {
    fputs("<until><before>", f);
    write_runs(f, seed, depth - 1, next);
    fputs("</before><reach>", f);
    write_runs(f, seed, depth - 1, next);
    fputs("</reach></until>", f);
  } else {
    fprintf(f, "<%s>", unary[kind - 3]);
    write_runs(f, seed, depth - 1, next);
    fprintf(f, "</%s>", unary[kind - 3]);
  }
}

static void write_formula(FILE *f, uint64_t *seed, unsigned number) {
  if (number >= STATE_FORMULAS + RUN_FORMULAS) {
    fprintf(f, "<place-bound><place>p%u</place>", below(seed, PLACES));
    if (below(seed, 2))
      fprintf(f, "<place>p%u</place>", below(seed, PLACES));
    fputs("</place-bound>", f);
    return;
  }
  const char *path = number < STATE_FORMULAS && number % 2 ? "exists-path" : "all-paths";
  const char *time = number == STATE_FORMULAS + RUN_FORMULAS - 1 ? "next" : number % 2 ? "finally" : "globally";
  fprintf(f, "<%s><%s>", path, time);
  if (number < STATE_FORMULAS)
    write_condition(f, seed);
  else
    write_runs(f, seed, 2, number == STATE_FORMULAS + RUN_FORMULAS - 1);
  fprintf(f, "</%s></%s>", time, path);
}

static void write_formulas(FILE *f, uint64_t *seed) {
  fputs("<property-set>", f);
  for (unsigned i = 0; i < FORMULAS; i++) {
    fprintf(f, "<property><id>%s</id><formula>", ids[i]);
    write_formula(f, seed, i);
    fputs("</formula></property>", f);
  }
  fputs("</property-set>", f);
}

/* ---- answers ----------------------------------------------------------------------------------- */

static size_t number_of(const char *id) {
  size_t i = 0;
  while (i < FORMULAS && strcmp(ids[i], id) != 0)
    i++;
  return i;
}

static void note_answers(const floe_result *result, struct answers *found) {
  const floe_summary *summary = floe_result_summary(result);
  *found = (struct answers){.complete = summary->complete, .states = summary->states, .deadlock = FLOE_UNDECIDED};
  for (size_t i = 0; i < FORMULAS; i++)
    found->values[i] = FLOE_UNDECIDED;
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    const floe_verdict verdict = floe_result_verdict(result, i);
    const size_t number = number_of(verdict.property.id);
    if (number < FORMULAS)
      found->values[number] = verdict.value;
    else if (verdict.property.kind == FLOE_DEADLOCK)
      found->deadlock = verdict.value;
  }
  for (size_t i = 0; i < floe_result_measures(result); i++) {
    const floe_measure measure = floe_result_measure(result, i);
    found->bounds[number_of(measure.id) - STATE_FORMULAS - RUN_FORMULAS] = measure.greatest;
  }
}

/* Each violation has a trace, which shows it by the steps of the model as read. */
static void check_traces(const floe_result *result, uint64_t seed) {
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    const floe_verdict verdict = floe_result_verdict(result, i);
    if (verdict.value != FLOE_VIOLATED && verdict.value != FLOE_IS_REACHABLE)
      continue;
    ck_assert_msg(verdict.trace, "net %" PRIu64 ", %s: no trace", seed, verdict.property.id);
    ck_assert_int_eq(verdict.depth, (int64_t)floe_trace_steps(verdict.trace));
    traces[verdict.property.kind == FLOE_LTL ? 2 : verdict.property.kind == FLOE_DEADLOCK]++;
    for (size_t k = 0; k < floe_trace_steps(verdict.trace); k++)
      ck_assert_msg(strncmp(floe_trace_step(verdict.trace, k).action, "t", 1) == 0, "net %" PRIu64 ": step %s", seed,
                    floe_trace_step(verdict.trace, k).action);
  }
}

static void find_answers(floe_model *model, uint64_t seed, bool reduced, struct answers *found) {
  floe_options options;
  floe_result *result;
  floe_options_init(&options);
  options.memory = 64 << 20;
  options.threads = 1;
  options.traces = reduced;
  options.keep_going = true;
  options.measures = true;
  options.max_states = options.expected_states = MOST_STATES;
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.compiler = options.cache_dir = "";
  ck_assert_msg(floe_explore(model, &options, NULL, &result) == FLOE_OK, "net %" PRIu64, seed);
  note_answers(result, found);
  if (reduced)
    check_traces(result, seed);
  floe_result_free(result);
}

static void note_rules(const floe_log *log) {
  for (size_t i = 0; i < floe_log_count(log); i++)
    for (size_t k = 0; k < RULES; k++)
      applied[k] += strstr(floe_log_at(log, i)->message, rules[k]) != NULL;
}

/* Reduces for the formulas and compares the answers to them. `which`: their number, or FORMULAS for all. */
static void compare(floe_model *model, uint64_t seed, const char *const *asked, size_t count,
                    const struct answers *right) {
  struct answers found;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(floe_model_reduce(model, asked, count, log), FLOE_OK);
  note_rules(log);
  floe_log_free(log);
  find_answers(model, seed, true, &found);
  ck_assert_msg(found.complete, "net %" PRIu64 ": more states", seed);
  ck_assert_msg(found.states <= right->states, "net %" PRIu64 ": more states", seed);
  states += right->states;
  reduced_states += found.states;
  for (size_t k = 0; k < count; k++) {
    const size_t i = number_of(asked[k]);
    if (i < STATE_FORMULAS + RUN_FORMULAS)
      ck_assert_msg(found.values[i] == right->values[i], "net %" PRIu64 ", %s of %zu: %s instead of %s", seed, ids[i],
                    count, floe_verdict_name(found.values[i]), floe_verdict_name(right->values[i]));
    else if (i < FORMULAS)
      ck_assert_msg(found.bounds[i - STATE_FORMULAS - RUN_FORMULAS] == right->bounds[i - STATE_FORMULAS - RUN_FORMULAS],
                    "net %" PRIu64 ", %s of %zu", seed, ids[i], count);
    else
      ck_assert_msg(found.deadlock == right->deadlock, "net %" PRIu64 ", deadlock: %s", seed,
                    floe_verdict_name(found.deadlock));
  }
}

/* False: the net is too large. */
static bool compare_net(uint64_t seed) {
  floe_model *model = load_written(write_net, write_formulas, seed);
  struct answers right;
  find_answers(model, seed, false, &right);
  if (right.complete) {
    for (size_t i = 0; i < STATE_FORMULAS + RUN_FORMULAS; i++)
      verdicts[right.values[i] == FLOE_HOLDS || right.values[i] == FLOE_IS_REACHABLE]++;
    compare(model, seed, ids, STATE_FORMULAS, &right);
    compare(model, seed, &ids[STATE_FORMULAS], RUN_FORMULAS - 1, &right);
    compare(model, seed, &ids[STATE_FORMULAS + RUN_FORMULAS], BOUNDS, &right);
    compare(model, seed, &deadlock, 1, &right);
    for (size_t i = 0; i < FORMULAS; i++)
      compare(model, seed, &ids[i], 1, &right);
  }
  floe_model_free(model);
  return right.complete;
}

START_TEST(answers_stay) {
  const char *from = getenv("FLOE_TEST_SEED"); /* to repeat a failure */
  const uint64_t first = from ? strtoull(from, NULL, 10) : 0, most = at_length() ? NETS_AT_LENGTH : NETS;
  for (uint64_t seed = first; nets < most; seed++)
    nets += compare_net(seed);
  for (size_t i = 0; !at_length() && i < sizeof telling / sizeof *telling; i++)
    nets += compare_net(telling[i]);
  ck_assert_uint_gt(verdicts[0], nets);
  ck_assert_uint_gt(verdicts[1], nets);
  ck_assert_uint_lt(4 * reduced_states, 3 * states);
  for (size_t k = 0; k < sizeof traces / sizeof *traces; k++)
    ck_assert_uint_gt(traces[k], 0);
  for (size_t k = 0; k < RULES; k++)
    ck_assert_msg(applied[k] > 0, "the rule '%s' was applied in %zu nets only", rules[k], applied[k]);
}
END_TEST

/* ---- interface --------------------------------------------------------------------------------- */

static const char ring[] =
    "<pnml><net id='n'><page id='g'><place id='p'><initialMarking><text>1</text></initialMarking>"
    "</place><place id='q'/><transition id='t'/><transition id='u'/><arc id='a' source='p' "
    "target='t'/><arc id='b' source='t' target='q'/><arc id='c' source='q' target='u'/>"
    "<arc id='d' source='u' target='p'/></page></net></pnml>";

static floe_options without_traces(void) {
  floe_options options;
  floe_options_init(&options);
  options.traces = false;
  options.compiler = options.cache_dir = "";
  return options;
}

static void refuse(floe_model *model, const floe_options *options, const char *reason) {
  floe_result *result;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(floe_explore(model, options, log, &result), FLOE_ERROR_USAGE);
  ck_assert_msg(strstr(floe_log_at(log, 0)->message, reason), "%s", floe_log_at(log, 0)->message);
  floe_log_free(log);
}

static uint64_t count(floe_model *model) {
  const floe_options options = without_traces();
  floe_result *result;
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  const uint64_t found = floe_result_summary(result)->states;
  floe_result_free(result);
  return found;
}

START_TEST(reduced_models) {
  floe_options options = without_traces();
  floe_model *model;
  ck_assert_int_eq(floe_model_parse("ring.pnml", ring, strlen(ring), NULL, &model), FLOE_OK);
  ck_assert_uint_eq(count(model), 2);
  ck_assert_int_eq(floe_model_reduce(model, &deadlock, 1, NULL), FLOE_OK);
  ck_assert_uint_eq(count(model), 1);
  ck_assert_uint_eq(floe_model_properties(model), 2); /* deadlock, errors */
  ck_assert_int_eq(floe_model_reduce(model, NULL, 0, NULL), FLOE_OK);
  ck_assert_uint_eq(floe_model_properties(model), 0); /* it must be checked again */
  ck_assert_uint_eq(count(model), 1);
  options.checkpoint = "reduced.fcp";
  refuse(model, &options, "does not support checkpoints");
  options.checkpoint = NULL;
  options.visited_order = "reduced.order";
  refuse(model, &options, "does not support a visited order");
  options.visited_order = NULL;
  options.explain_unfired = true;
  refuse(model, &options, "does not support explanations of transitions");
  options.explain_unfired = false;
  options.fairness = "weak";
  refuse(model, &options, "does not support fairness");
  options.fairness = NULL;
  options.ignore_finite_runs = true;
  refuse(model, &options, "does not support runs without those that end");
  options.ignore_finite_runs = false;
  ck_assert_int_eq(floe_model_define(model, "deadlock-mode", "2", NULL), FLOE_OK);
  refuse(model, &options, "does not support a choice of deadlocks");
  floe_model_free(model);
}
END_TEST

/* A model of another language; one whose constant is defined. */
START_TEST(models_that_are_not_reduced) {
  static const char other[] = "<model name='m'><variable name='x' range='0..1'/><process name='P'><location name='a' "
                              "initial='true'/></process></model>";
  static const char open[] = "<pnml><net id='n'><page id='g'><place id='p'/><transition id='t'/><arc id='a' source='t' "
                             "target='p'/></page></net></pnml>";
  floe_model *model;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(floe_model_reduce(NULL, NULL, 0, log), FLOE_ERROR_USAGE);
  floe_log_clear(log);
  ck_assert_int_eq(floe_model_parse("m.xml", other, strlen(other), log, &model), FLOE_OK);
  ck_assert_int_eq(floe_model_reduce(model, NULL, 0, log), FLOE_ERROR_UNSUPPORTED);
  ck_assert_uint_eq(floe_log_count(log), 0);
  floe_model_free(model);
  ck_assert_int_eq(floe_model_parse("open.pnml", open, strlen(open), log, &model), FLOE_OK);
  ck_assert_int_eq(floe_model_define(model, "tokens", "4", log), FLOE_OK);
  ck_assert_int_eq(floe_model_reduce(model, NULL, 0, log), FLOE_ERROR_USAGE);
  ck_assert_ptr_nonnull(strstr(floe_log_at(log, 0)->message, "a model with defined constants is not reduced"));
  floe_model_undefine_all(model);
  ck_assert_int_eq(floe_model_reduce(model, &deadlock, 1, log), FLOE_OK);
  ck_assert_uint_eq(count(model), 1);
  floe_model_free(model);
  floe_log_free(log);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("reduce", CK_NOFORK, answers_stay, reduced_models, models_that_are_not_reduced, nothing_leaks);
}
