/* Random nets that claim units (NUPN), often wrongly, with weights and inhibitor arcs. An explorer of this file finds
   all markings. floe must agree with it, whatever it guesses: with guessed units and tokens, with one or both of them
   given, and reduced for properties of each kind. */
#include "core/mem.h"
#include "floe.h"
#include "tests/pnml/written_net.h"
#include "tests/suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  UNITS = 2,
  UNIT_PLACES = 3,
  PLACES = UNITS * UNIT_PLACES + 2, /* the last two are in no unit */
  TRANSITIONS = 8,
  MOST_STATES = 400, /* larger and unbounded nets are left out */
  SLOTS = 1024,
  NETS = 60,
  NETS_AT_LENGTH = 1500,
  STATE_FORMULAS = 4, /* e0.. are reachable, g0.. invariants */
  RUN_FORMULAS = 2,
  BOUNDS = UNITS + 2, /* of the units, of the other places */
  FORMULAS = STATE_FORMULAS + RUN_FORMULAS + BOUNDS
};
static const char *const ids[FORMULAS] = {"e0", "e1", "g0", "g1", "l0", "l1", "u0", "u1", "b0", "b1"};
static const char *const deadlock = "deadlock";

static size_t nets, wrong_claims, right_claims, more_tokens, both, verdicts[2];

/* ---- the net ----------------------------------------------------------------------------------- */

struct transition {
  int takes[PLACES], puts[PLACES], below[PLACES]; /* below 0: no inhibitor arc */
};
struct condition {
  unsigned place, least; /* at least so many tokens; place PLACES: `least` is a transition that is fireable */
};
static struct {
  int initial[PLACES];
  struct transition transitions[TRANSITIONS];
  struct condition conditions[STATE_FORMULAS + RUN_FORMULAS];
} net;

static unsigned place_of_unit(uint64_t *seed, unsigned unit) { return unit * UNIT_PLACES + below(seed, UNIT_PLACES); }

/* kind 0: starts the unit; 1: ends it; others move its token. A start without all inhibitor arcs can be wrong. */
static void act_on_unit(struct transition *t, uint64_t *seed, unsigned unit, unsigned kind) {
  if (kind > 0)
    t->takes[place_of_unit(seed, unit)] = 1;
  if (kind != 1)
    t->puts[place_of_unit(seed, unit)] = 1 + (below(seed, 40) == 0);
  const unsigned without = below(seed, 2) ? PLACES : place_of_unit(seed, unit);
  for (unsigned p = unit * UNIT_PLACES; kind == 0 && p < (unit + 1) * UNIT_PLACES; p++)
    t->below[p] = p != without;
}

/* The other places: more tokens only while the other one has few. */
static void act_outside(struct transition *t, uint64_t *seed) {
  const unsigned p = PLACES - 2 + below(seed, 2), other = 2 * PLACES - 3 - p;
  switch (below(seed, 3)) {
  case 0:
    t->puts[p] = 1 + (int)below(seed, 2);
    t->puts[other] = (int)below(seed, 2);
    t->below[other] = 1 + (int)below(seed, 6);
    break;
  case 1:
    t->takes[p] = 1 + (int)below(seed, 3);
    break;
  default:
    t->takes[p] = 1;
    t->puts[other] = 1;
  }
}

static void make_net(uint64_t *seed) {
  memset(&net, 0, sizeof net);
  for (unsigned unit = 0; unit < UNITS; unit++)
    net.initial[place_of_unit(seed, unit)] = (int)below(seed, 2) + (below(seed, 60) == 0);
  for (unsigned p = PLACES - 2; p < PLACES; p++)
    net.initial[p] = (int)below(seed, 3);
  act_on_unit(&net.transitions[0], seed, 0, 0); /* its claim is hardly proved */
  for (unsigned t = 1; t < TRANSITIONS; t++) {
    const unsigned what = below(seed, 6);
    if (what < 2 * UNITS)
      act_on_unit(&net.transitions[t], seed, what % UNITS, below(seed, 5));
    if (what >= 2 * UNITS - 1)
      act_outside(&net.transitions[t], seed);
    if (below(seed, 6) == 0)
      act_on_unit(&net.transitions[t], seed, below(seed, UNITS), 1 + below(seed, 4));
  }
  for (unsigned i = 0; i < STATE_FORMULAS + RUN_FORMULAS; i++) {
    net.conditions[i].place = below(seed, PLACES + 2);
    net.conditions[i].least = 1 + below(seed, 3);
    if (net.conditions[i].place >= PLACES)
      net.conditions[i] = (struct condition){PLACES, below(seed, TRANSITIONS)};
  }
}

static void write_arc(FILE *f, const char *from, unsigned a, const char *to, unsigned b, const char *type, int weight) {
  if (weight)
    fprintf(
        f,
        "<arc id='%s%u%s%u%s' source='%s%u' target='%s%u' type='%s'><inscription><text>%d</text></inscription></arc>\n",
        from, a, to, b, type, from, a, to, b, type, weight);
}

static void write_net(FILE *f, uint64_t *seed) {
  make_net(seed);
  fputs("<pnml><net id='n'><page id='g'>\n", f);
  for (unsigned p = 0; p < PLACES; p++)
    fprintf(f, "<place id='p%u'><initialMarking><text>%d</text></initialMarking></place>\n", p, net.initial[p]);
  for (unsigned t = 0; t < TRANSITIONS; t++) {
    fprintf(f, "<transition id='t%u'/>\n", t);
    for (unsigned p = 0; p < PLACES; p++) {
      write_arc(f, "p", p, "t", t, "normal", net.transitions[t].takes[p]);
      write_arc(f, "t", t, "p", p, "normal", net.transitions[t].puts[p]);
      write_arc(f, "p", p, "t", t, "inhibitor", net.transitions[t].below[p]);
    }
  }
  fprintf(f,
          "</page><toolspecific tool='nupn' version='1.1'><structure root='r' safe='true'>"
          "<unit id='r'><places>p%u p%u</places><subunits>",
          PLACES - 2, PLACES - 1);
  for (unsigned unit = 0; unit < UNITS; unit++)
    fprintf(f, " v%u", unit);
  fputs("</subunits></unit>", f);
  for (unsigned unit = 0; unit < UNITS; unit++) {
    fprintf(f, "<unit id='v%u'><places>", unit);
    for (unsigned k = 0; k < UNIT_PLACES; k++)
      fprintf(f, " p%u", unit * UNIT_PLACES + k);
    fputs("</places><subunits/></unit>\n", f);
  }
  fputs("</structure></toolspecific></net></pnml>", f);
}

static void write_condition(FILE *f, const struct condition *c) {
  if (c->place == PLACES)
    fprintf(f, "<is-fireable><transition>t%u</transition></is-fireable>", c->least);
  else
    fprintf(f,
            "<integer-le><integer-constant>%u</integer-constant><tokens-count><place>p%u</place></tokens-count></"
            "integer-le>",
            c->least, c->place);
}

static void write_bound(FILE *f, unsigned first, unsigned count) {
  fputs("<place-bound>", f);
  for (unsigned p = first; p < first + count; p++)
    fprintf(f, "<place>p%u</place>", p);
  fputs("</place-bound>", f);
}

static void write_formulas(FILE *f, uint64_t *seed) {
  static const char *const begin[] = {"<exists-path><finally>", "<all-paths><globally><negation>",
                                      "<all-paths><globally><finally>", "<all-paths><finally><globally>"};
  static const char *const end[] = {"</finally></exists-path>", "</negation></globally></all-paths>",
                                    "</finally></globally></all-paths>", "</globally></finally></all-paths>"};
  (void)seed;
  fputs("<property-set>\n", f);
  for (unsigned i = 0; i < FORMULAS; i++) {
    fprintf(f, "<property><id>%s</id><formula>", ids[i]);
    if (i < STATE_FORMULAS + RUN_FORMULAS) {
      const unsigned kind = i < STATE_FORMULAS ? i / 2 : i - STATE_FORMULAS + 2;
      fputs(begin[kind], f);
      write_condition(f, &net.conditions[i]);
      fputs(end[kind], f);
    } else if (i < STATE_FORMULAS + RUN_FORMULAS + UNITS) {
      write_bound(f, (i - STATE_FORMULAS - RUN_FORMULAS) * UNIT_PLACES, UNIT_PLACES);
    } else {
      write_bound(f, i - STATE_FORMULAS - RUN_FORMULAS - UNITS + UNITS * UNIT_PLACES, 1);
    }
    fputs("</formula></property>\n", f);
  }
  fputs("</property-set>", f);
}

/* ---- the explorer ------------------------------------------------------------------------------ */

/* What is compared. Formulas of runs are compared with the first search of floe. */
struct answers {
  bool complete, known_runs;
  uint64_t states, transitions, deadlocks;
  bool holds[STATE_FORMULAS];
  floe_verdict_value runs[RUN_FORMULAS];
  int64_t bounds[BOUNDS], most; /* most: in one place */
};

static int markings[MOST_STATES][PLACES];
static unsigned slots[SLOTS]; /* number of a marking, plus 1 */

static bool is_enabled(const struct transition *t, const int *m) {
  for (unsigned p = 0; p < PLACES; p++)
    if (m[p] < t->takes[p] || (t->below[p] && m[p] >= t->below[p]))
      return false;
  return true;
}

/* False: too many states. */
static bool add_marking(const int *m, struct answers *found) {
  uint64_t hash = 0;
  for (unsigned p = 0; p < PLACES; p++)
    hash = hash * 31 + (unsigned)m[p];
  unsigned slot = (unsigned)((hash * 0x9e3779b97f4a7c15) >> 54) % SLOTS;
  for (; slots[slot]; slot = (slot + 1) % SLOTS)
    if (memcmp(markings[slots[slot] - 1], m, sizeof markings[0]) == 0)
      return true;
  if (found->states == MOST_STATES)
    return false;
  memcpy(markings[found->states], m, sizeof markings[0]);
  slots[slot] = (unsigned)++found->states;
  return true;
}

static bool satisfies(const struct condition *c, const int *m) {
  return c->place == PLACES ? is_enabled(&net.transitions[c->least], m) : m[c->place] >= (int)c->least;
}

static void evaluate(const int *m, struct answers *found) {
  for (unsigned i = 0; i < STATE_FORMULAS; i++)
    if (satisfies(&net.conditions[i], m))
      found->holds[i] = i < 2;
  for (unsigned i = 0; i < BOUNDS; i++) {
    const unsigned first = i < UNITS ? i * UNIT_PLACES : UNITS * UNIT_PLACES + i - UNITS;
    int64_t sum = 0;
    for (unsigned p = first; p < first + (i < UNITS ? UNIT_PLACES : 1); p++)
      sum += m[p];
    found->bounds[i] = sum > found->bounds[i] ? sum : found->bounds[i];
  }
  for (unsigned p = 0; p < PLACES; p++)
    found->most = m[p] > found->most ? m[p] : found->most;
}

static bool expand(const int *m, struct answers *found) {
  const uint64_t before = found->transitions;
  for (unsigned i = 0; i < TRANSITIONS; i++) {
    const struct transition *t = &net.transitions[i];
    int next[PLACES];
    if (!is_enabled(t, m))
      continue;
    for (unsigned p = 0; p < PLACES; p++)
      next[p] = m[p] - t->takes[p] + t->puts[p];
    found->transitions++;
    if (!add_marking(next, found))
      return false;
  }
  found->deadlocks += found->transitions == before;
  return true;
}

static void find_all(struct answers *found) {
  *found = (struct answers){.holds = {false, false, true, true}};
  memset(slots, 0, sizeof slots);
  found->complete = add_marking(net.initial, found);
  for (unsigned i = 0; found->complete && i < found->states; i++) {
    evaluate(markings[i], found);
    found->complete = expand(markings[i], found);
  }
}

/* ---- floe -------------------------------------------------------------------------------------- */

struct search {
  floe_model *model;
  uint64_t seed;
  const char *how; /* for messages */
  struct answers *right;
  bool reduced;
};

static size_t number_of(const char *id) {
  size_t i = 0;
  while (i < FORMULAS && strcmp(ids[i], id) != 0)
    i++;
  return i;
}

static int64_t constant_of(const floe_model *model, const char *name, int64_t otherwise) {
  for (size_t i = 0; i < floe_model_constants(model); i++)
    if (strcmp(floe_model_constant(model, i).name, name) == 0)
      return floe_model_constant(model, i).value;
  return otherwise;
}

#define AGREE(what) ck_assert_msg(what, "net %" PRIu64 " %s: %s", s->seed, s->how, #what)

static void compare_verdict(const struct search *s, const floe_verdict *verdict) {
  const size_t i = number_of(verdict->property.id);
  const bool holds = verdict->value == FLOE_HOLDS || verdict->value == FLOE_IS_REACHABLE;
  AGREE(verdict->value != FLOE_UNDECIDED);
  if (i < STATE_FORMULAS) {
    AGREE(holds == s->right->holds[i]);
    verdicts[holds]++;
  } else if (i < FORMULAS) {
    if (!s->right->known_runs)
      s->right->runs[i - STATE_FORMULAS] = verdict->value;
    AGREE(verdict->value == s->right->runs[i - STATE_FORMULAS]);
  } else if (verdict->property.kind == FLOE_DEADLOCK) {
    AGREE(holds == (s->right->deadlocks == 0));
  } else {
    AGREE(verdict->property.kind == FLOE_ERRORS && holds);
  }
}

static void compare_result(const struct search *s, const floe_result *result) {
  const floe_summary *summary = floe_result_summary(result);
  AGREE(summary->complete);
  if (!s->reduced) {
    AGREE(summary->states == s->right->states);
    AGREE(summary->transitions == s->right->transitions);
    AGREE(summary->deadlocks == s->right->deadlocks);
  }
  for (size_t i = 0; i < floe_result_measures(result); i++) {
    const floe_measure measure = floe_result_measure(result, i);
    AGREE(measure.greatest == s->right->bounds[number_of(measure.id) - STATE_FORMULAS - RUN_FORMULAS]);
  }
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    const floe_verdict verdict = floe_result_verdict(result, i);
    compare_verdict(s, &verdict);
  }
}

static void explore(const struct search *s, floe_result **result) {
  floe_options options;
  floe_options_init(&options);
  options.memory = 4 << 20;
  options.threads = 1;
  options.traces = s->reduced;
  options.keep_going = options.measures = true;
  options.expected_states = MOST_STATES;
  options.engine = s->seed % 2 ? FLOE_ENGINE_CPU : FLOE_ENGINE_INTERPRETER;
  options.compiler = options.cache_dir = "";
  ck_assert_msg(floe_explore(s->model, &options, NULL, result) == FLOE_OK, "net %" PRIu64 " %s", s->seed, s->how);
}

static void search(const struct search *s) {
  floe_result *result;
  explore(s, &result);
  compare_result(s, result);
  floe_result_free(result);
}

/* The claim is given up only if it is wrong, and more tokens are guessed only if a place has them. */
static void check_guesses(const struct search *s) {
  static const int64_t guesses[] = {1, 3, 15, 255, 65535, INT32_MAX};
  const int64_t units = constant_of(s->model, "units", 1), tokens = constant_of(s->model, "tokens", 1);
  const bool claim = s->right->bounds[0] <= 1 && s->right->bounds[1] <= 1;
  for (size_t i = 1; i < sizeof guesses / sizeof *guesses; i++)
    AGREE(tokens != guesses[i] || s->right->most > guesses[i - 1]);
  AGREE(units == 1 || !claim);
  right_claims += claim && constant_of(s->model, "units", 0) == 1;
  wrong_claims += units == 0;
  more_tokens += tokens > 1;
  both += units == 0 && tokens > 1;
}

/* One of the guesses is given: what exceeds it is an error, and the other one is guessed. */
static void search_given(const struct search *s, const char *name, const char *value) {
  floe_result *result;
  bool errors = false;
  if (constant_of(s->model, name, -1) < 0)
    return;
  ck_assert_int_eq(floe_model_define(s->model, name, value, NULL), FLOE_OK);
  explore(s, &result);
  for (size_t i = 0; i < floe_result_verdicts(result); i++)
    if (floe_result_verdict(result, i).property.kind == FLOE_ERRORS)
      errors = floe_result_verdict(result, i).value == FLOE_VIOLATED;
  if (!errors)
    compare_result(s, result);
  else if (strcmp(name, "units") == 0)
    AGREE(*value == '1' && (s->right->bounds[0] > 1 || s->right->bounds[1] > 1));
  else
    AGREE(s->right->most > 1);
  floe_result_free(result);
  floe_model_undefine_all(s->model);
}

static void search_reduced(struct search *s, const char *const *asked, size_t count) {
  ck_assert_int_eq(floe_model_reduce(s->model, asked, count, NULL), FLOE_OK);
  s->reduced = true;
  search(s);
}

static void compare_net(uint64_t seed) {
  struct answers right;
  struct search s = {.seed = seed, .right = &right, .how = "as read"};
  s.model = load_written(write_net, write_formulas, seed);
  find_all(&right);
  if (right.complete && right.states > 1) {
    nets++;
    search(&s);
    right.known_runs = true;
    check_guesses(&s);
    floe_model_undefine_all(s.model);
    ck_assert_int_eq(floe_model_check(s.model, NULL), FLOE_OK);
    search_given(&s, "units", "0");
    ck_assert_int_eq(floe_model_check(s.model, NULL), FLOE_OK);
    search_given(&s, "units", "1");
    ck_assert_int_eq(floe_model_check(s.model, NULL), FLOE_OK);
    search_given(&s, "tokens", "1");
    s.how = "reduced";
    search_reduced(&s, ids, STATE_FORMULAS);
    floe_model_undefine_all(s.model);
    search_reduced(&s, &ids[STATE_FORMULAS], RUN_FORMULAS);
    search_reduced(&s, &ids[STATE_FORMULAS + RUN_FORMULAS], BOUNDS);
    search_reduced(&s, &deadlock, 1);
    search_reduced(&s, &ids[seed % FORMULAS], 1);
  }
  floe_model_free(s.model);
}

START_TEST(guesses_are_checked) {
  const char *from = getenv("FLOE_TEST_SEED"); /* to repeat a failure */
  const size_t most = at_length() ? NETS_AT_LENGTH : NETS;
  for (uint64_t seed = from ? strtoull(from, NULL, 10) : 0; nets < most; seed++)
    compare_net(seed);
  if (at_length())
    printf("%zu nets: %zu right claims, %zu wrong ones; %zu with more tokens, %zu with both; %zu verdicts true, %zu "
           "false\n",
           nets, right_claims, wrong_claims, more_tokens, both, verdicts[1], verdicts[0]);
  if (from)
    return;
  ck_assert_uint_gt(right_claims, nets / 20);
  ck_assert_uint_gt(wrong_claims, nets / 20);
  ck_assert_uint_gt(more_tokens, nets / 10);
  ck_assert_uint_gt(both, 0);
  ck_assert_uint_gt(verdicts[0], nets);
  ck_assert_uint_gt(verdicts[1], nets);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) { return run_tests("guesses", CK_NOFORK, guesses_are_checked, nothing_leaks); }
