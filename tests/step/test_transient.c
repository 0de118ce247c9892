/* Transient states: all steppers agree with a recursion over single firings that is written here. */
#include "compare.h"
#include "random_model.h"
#include "random_sequences.h"
#include "tests/suite.h"

#include "api/api.h"
#include "model/interpreter/interpreter.h"
#include "model/interpreter/sequence.h"
#include "model/temporal/transient_states.h"
#include "model/transitions/successor_bound.h"

#include <inttypes.h>
#include <string.h>

#define MOST_STATES 300
#define MOST_WORK 20000 /* firings in the sequences of one state; models with more are left out */

static floe_model *parse(const char *text) {
  floe_model *model;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_msg(floe_model_parse("m.processes", text, strlen(text), log, &model) == FLOE_OK, "%s", text);
  ck_assert_int_eq(floe_model_check(model, log), FLOE_OK);
  floe_log_free(log);
  return model;
}

/* ---- the recursion ------------------------------------------------------------------------------ */

struct step {
  struct step_edge edge;
  int64_t *after;
};

struct expected {
  const struct model *model;
  struct step *steps;
  size_t count, capacity;
  uint64_t *fired;
  size_t work;
  bool endless; /* or too much work */
};

static void expect_step(struct expected *e, struct step_edge edge, const int64_t *after) {
  const size_t bytes = e->model->value_count * sizeof *after;
  if (e->count == e->capacity)
    e->steps = realloc(e->steps, (e->capacity = 2 * e->capacity + 8) * sizeof *e->steps);
  e->steps[e->count] = (struct step){edge, malloc(bytes)};
  memcpy(e->steps[e->count++].after, after, bytes);
}

/* Everything that happens after the firing `last` has led to `values`; `first` began the sequence. */
static void follow(struct expected *e, struct step_edge first, struct step_edge last, const int64_t *values,
                   size_t depth) {
  const struct model *model = e->model;
  const uint32_t at = model->variables[model->transient->variable].first;
  const int64_t value = values[at];
  int64_t *after = malloc(model->value_count * sizeof *after);
  size_t firings = 0;
  if (depth > 2000 || e->work++ > MOST_WORK)
    e->endless = true;
  for (uint32_t t = 0; value && !e->endless && t < model->transition_count; t++) {
    const struct holder *holder = &model->transient->holders[value - 1];
    if (model->transitions[t].initiator != holder->initiator)
      continue;
    for (uint32_t c = 0; c < transition_choices(&model->transitions[t]); c++) {
      struct step_edge edge = {t, c, NO_SITE};
      const struct interpreter_choice choice = {.transition = &model->transitions[t], .number = c};
      if (!interpreter_tests_hold(model, choice.transition, values) || (holder->first_only && firings) ||
          !interpreter_fire_choice(model, choice, values, after, NULL, &edge.site))
        continue;
      firings++;
      if (edge.site == NO_SITE)
        follow(e, first, edge, after, depth + 1);
      else
        expect_step(e, edge, after);
    }
  }
  memcpy(after, values, model->value_count * sizeof *after);
  after[at] = 0;
  const uint32_t blocked = value && !firings ? model->transient->holders[value - 1].blocked : NO_SITE;
  if (blocked == NO_SITE)
    e->fired[last.transition]++;
  if (blocked != NO_SITE)
    expect_step(e, (struct step_edge){last.transition, last.choice, blocked}, after);
  else if (!firings)
    expect_step(e, first, after);
  free(after);
}

static void expect_steps(struct expected *e, const int64_t *values) {
  const struct model *model = e->model;
  int64_t *after = malloc(model->value_count * sizeof *after);
  for (uint32_t t = 0; t < model->transition_count; t++)
    for (uint32_t c = 0; c < transition_choices(&model->transitions[t]); c++) {
      struct step_edge edge = {t, c, NO_SITE};
      const struct interpreter_choice choice = {.transition = &model->transitions[t], .number = c};
      if (!interpreter_tests_hold(model, choice.transition, values) ||
          !interpreter_fire_choice(model, choice, values, after, NULL, &edge.site))
        continue;
      if (edge.site == NO_SITE)
        follow(e, edge, edge, after, 0);
      else
        expect_step(e, edge, after);
    }
  free(after);
}

static void forget_steps(struct expected *e) {
  for (size_t i = 0; i < e->count; i++)
    free(e->steps[i].after);
  free(e->steps);
}

/* ---- all states --------------------------------------------------------------------------------- */

struct states {
  uint64_t *keys;
  size_t count;
};

static void add_state(struct states *states, const uint64_t *key, uint32_t words) {
  for (size_t i = 0; i < states->count; i++)
    if (memcmp(states->keys + i * words, key, words * sizeof *key) == 0)
      return;
  if (states->count < MOST_STATES)
    memcpy(states->keys + states->count++ * words, key, words * sizeof *key);
}

struct totals {
  size_t models, states, sequences, endless, failures, lowered;
} totals;

/* The steps of one state. False: they have no end. */
static bool check_state(const floe_model *m, const struct stepper *stepper, const uint64_t *state,
                        struct states *states, uint64_t *fired) {
  const struct model *model = m->model;
  const uint32_t words = stepper->words;
  struct expected e = {.model = model, .fired = fired};
  int64_t *values = malloc(model->value_count * sizeof *values);
  uint64_t *found = malloc((size_t)stepper->max_successors * words * sizeof *found), key[8];
  struct step_edge *edges = malloc(stepper->max_successors * sizeof *edges);
  key_values(model, m->layout, state, values);
  expect_steps(&e, values);
  const size_t count = e.endless ? 0 : stepper->expand_one(stepper, state, found, edges);
  ck_assert_uint_eq(count, e.endless ? 0 : e.count);
  for (size_t i = 0; i < count; i++) {
    const struct step_edge *x = &e.steps[i].edge, *y = &edges[i];
    ck_assert_msg(x->transition == y->transition && x->choice == y->choice && x->site == y->site, "step %zu", i);
    totals.failures += x->site != NO_SITE;
    if (x->site != NO_SITE)
      continue;
    ck_assert(key_of_values(model, m->layout, e.steps[i].after, key));
    ck_assert_int_eq(memcmp(key, found + i * words, words * sizeof *key), 0);
    add_state(states, key, words);
  }
  totals.sequences += e.work;
  forget_steps(&e);
  free(values), free(found), free(edges);
  return !e.endless;
}

static void note_nothing(void *user, size_t index, uint64_t properties, struct step_error error) {
  (void)user, (void)index, (void)properties, (void)error;
}

/* Firings of all transitions are counted as the recursion does, and the number of successors is the same. */
static void check_counts(const floe_model *m, struct stepper *stepper, const struct states *states,
                         const uint64_t *expected, size_t steps) {
  const size_t transitions = m->model->transition_count;
  struct step_block block = {.states = states->keys,
                             .count = states->count,
                             .capacity = stepper->max_successors + steps,
                             .fired = calloc(transitions, sizeof *block.fired),
                             .on_trigger = note_nothing};
  block.successors = malloc(block.capacity * stepper->words * sizeof *block.successors);
  stepper->expand_block(stepper, &block);
  ck_assert_uint_eq(block.next, states->count);
  ck_assert_uint_eq(block.produced, steps);
  ck_assert_int_eq(memcmp(block.fired, expected, transitions * sizeof *expected), 0);
  free(block.fired), free(block.successors);
}

/* Number of states; 0: some sequence has no end. *steps: those without an error. */
static size_t check_reachable(const floe_model *m, struct stepper *stepper, size_t *steps) {
  const uint32_t words = stepper->words;
  struct states states = {malloc(MOST_STATES * words * sizeof(uint64_t)), 0};
  uint64_t *fired = calloc(m->model->transition_count, sizeof *fired), initial[8];
  ck_assert_int_eq(key_of_initial(m->model, m->layout, initial), FLOE_OK);
  add_state(&states, initial, words);
  const size_t failures = totals.failures;
  bool ends = true;
  *steps = 0;
  for (size_t i = 0; ends && i < states.count; i++)
    ends = check_state(m, stepper, states.keys + i * words, &states, fired);
  if (ends) {
    struct step_edge *edges = malloc(stepper->max_successors * sizeof *edges);
    uint64_t *found = malloc((size_t)stepper->max_successors * words * sizeof *found);
    for (size_t i = 0; i < states.count; i++)
      *steps += stepper->expand_one(stepper, states.keys + i * words, found, edges);
    *steps -= totals.failures - failures;
    check_counts(m, stepper, &states, fired, *steps);
    free(edges), free(found);
  }
  free(fired), free(states.keys);
  totals.states += states.count;
  return ends ? states.count : 0;
}

/* ---- transient states as states ------------------------------------------------------------------ */

struct lowering {
  const struct model *model, *lowered;
  struct arena arena;
};

static void lower(void *data) {
  struct lowering *l = data;
  struct model *model = arena_alloc(&l->arena, sizeof *model);
  *model = *l->model;
  struct builder b = {.arena = &l->arena, .source = model->source, .model = model, .here = NOWHERE};
  build_start(&b);
  l->lowered = model_with_transient_states(&b, l->model);
}

/* Each firing of a state, transient or not, is one of the other model, with the same result. Firings after which the
   sequence must not end, which fail, have no error there: their successor has no firing. */
static void compare_lowered(const struct lowering *l, const int64_t *values, int64_t *after, int64_t *other,
                            struct states *states) {
  const struct model *model = l->model;
  const size_t bytes = model->value_count * sizeof *values;
  for (uint32_t t = 0; t < model->transition_count; t++)
    for (uint32_t c = 0; c < transition_choices(&model->transitions[t]); c++) {
      uint32_t site = NO_SITE, other_site = NO_SITE;
      memcpy(after, values, bytes);
      memcpy(other, values, bytes);
      const bool fires = interpreter_fire(model, t, c, after, NULL, &site);
      ck_assert_int_eq(fires, interpreter_fire(l->lowered, t, c, other, NULL, &other_site));
      const bool stuck = site != NO_SITE && site == model->transient->holders[1].blocked;
      if (!fires || stuck)
        continue;
      ck_assert_uint_eq(site, other_site);
      if (site != NO_SITE)
        continue;
      ck_assert_int_eq(memcmp(after, other, bytes), 0);
      add_state(states, (const uint64_t *)after, (uint32_t)model->value_count);
    }
}

static void check_lowered(const struct model *model) {
  struct lowering l = {.model = model};
  const size_t values = model->value_count;
  if (chooses_in_first_only(model))
    return;
  struct states states = {calloc(MOST_STATES * values, sizeof(uint64_t)), 1};
  int64_t *after = calloc(2 * values, sizeof *after);
  model_initial_values(model, (int64_t *)states.keys);
  arena_init(&l.arena);
  ck_assert_int_eq(arena_guard(&l.arena, lower, &l), 0);
  for (size_t i = 0; i < states.count; i++)
    compare_lowered(&l, (const int64_t *)states.keys + i * values, after, after + values, &states);
  totals.lowered += states.count;
  arena_free(&l.arena);
  free(states.keys), free(after);
}

/* ---- tests -------------------------------------------------------------------------------------- */

static void explored(floe_model *model, floe_engine engine, size_t states, size_t steps, char *checksum) {
  floe_options options;
  floe_result *result;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  floe_options_init(&options);
  options.engine = engine;
  options.keep_going = true;
  ck_assert_int_eq(floe_explore(model, &options, log, &result), FLOE_OK);
  const floe_summary *summary = floe_result_summary(result);
  ck_assert_uint_eq(summary->states, states);
  ck_assert_uint_eq(summary->transitions, steps);
  if (*checksum)
    ck_assert_str_eq(summary->certificate, checksum);
  snprintf(checksum, 200, "%s", summary->certificate);
  floe_result_free(result);
  floe_log_free(log);
}

static void compare_compiled(floe_model *model, struct stepper *interpreter, uint64_t seed) {
  const struct compile_options options = {.compiler = "cc -O0", .cache_dir = ""};
  struct loaded loaded = {.model = model->model, .layout = model->layout};
  struct comparison comparison = {
      .loaded = &loaded, .reference = interpreter, .max_states = 300, .random_states = 40, .seed = seed};
  arena_init(&loaded.arena);
  ck_assert_int_eq(floe_log_create(&loaded.log), FLOE_OK);
  const floe_status status = compiled_create(model->model, model->layout, &options, loaded.log, &comparison.other);
  ck_assert_msg(status == FLOE_OK, "%s", floe_log_at(loaded.log, 0)->message);
  ck_assert_msg(compare_steppers(&comparison), "seed %" PRIu64 ": %s", seed, comparison.difference);
  comparison.other->free(comparison.other);
  floe_log_free(loaded.log);
  arena_free(&loaded.arena);
}

static void check_random(uint64_t seed, bool wide, bool compile) {
  char *text = random_sequences_text(seed, wide), checksum[200] = "";
  floe_model *model = parse(text);
  struct stepper *interpreter;
  size_t steps;
  ck_assert_int_eq(interpreter_create(model->model, model->layout, &interpreter), FLOE_OK);
  const size_t states = check_reachable(model, interpreter, &steps);
  totals.models++;
  totals.endless += states == 0;
  if (states && states < MOST_STATES) {
    explored(model, FLOE_ENGINE_INTERPRETER, states, steps, checksum);
    if (compile)
      explored(model, FLOE_ENGINE_CPU, states, steps, checksum);
  }
  check_lowered(model->model);
  if (compile)
    compare_compiled(model, interpreter, seed);
  interpreter->free(interpreter);
  floe_model_free(model);
  free(text);
}

START_TEST(sequences_are_as_in_the_recursion) {
  const unsigned seeds = random_seeds(at_length() ? 400 : 40), compiled = at_length() ? 40 : 1;
  for (unsigned i = 0; i < seeds; i++)
    check_random(1000 + i, i % 3 == 1, i % (seeds / compiled) == 4);
  printf("%zu models, %zu without an end, %zu states, %zu firings in sequences, %zu failures\n", totals.models,
         totals.endless, totals.states, totals.sequences, totals.failures);
  ck_assert_uint_gt(totals.models, 2 * totals.endless);
  ck_assert_uint_gt(totals.sequences, 5 * totals.models);
  ck_assert_uint_gt(totals.failures, 0);
  ck_assert_uint_gt(totals.lowered, 2 * totals.models);
}
END_TEST

/* ---- models made by hand ------------------------------------------------------------------------ */

struct outcome {
  uint64_t states, transitions, deadlocks;
  const char *cause; /* of `errors`; NULL: there is none */
  size_t steps;      /* of its trace */
};

/* Interpreted and, some of them, compiled, which takes time. */
static void has(const char *text, const struct outcome *expected) {
  static const floe_engine engines[] = {FLOE_ENGINE_INTERPRETER, FLOE_ENGINE_CPU};
  static unsigned calls;
  const size_t count = calls++ % 4 == 0 || at_length() ? 2 : 1;
  for (size_t i = 0; i < count; i++) {
    floe_model *model = parse(text);
    floe_options options;
    floe_result *result;
    floe_log *log;
    ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
    floe_options_init(&options);
    options.engine = engines[i];
    options.compiler = "cc -O0";
    options.keep_going = true;
    options.threads = 2;
    ck_assert_int_eq(floe_explore(model, &options, log, &result), FLOE_OK);
    const floe_summary *summary = floe_result_summary(result);
    const floe_verdict errors = floe_result_verdict(result, floe_result_verdicts(result) - 1);
    ck_assert_uint_eq(summary->states, expected->states);
    ck_assert_uint_eq(summary->transitions, expected->transitions);
    ck_assert_uint_eq(summary->deadlocks, expected->deadlocks);
    ck_assert_int_eq(errors.value, expected->cause ? FLOE_VIOLATED : FLOE_HOLDS);
    if (expected->cause) {
      ck_assert_str_eq(errors.cause, expected->cause);
      ck_assert_uint_eq(floe_trace_steps(errors.trace), expected->steps);
    }
    floe_result_free(result);
    floe_model_free(model);
    floe_log_free(log);
  }
}

#define HEADER "processes\ntransient\nvalue x 0 3\n"

/* Three ways through the sequence, two of which lead to the same state. At d the sequence is blocked; then Q may fire.
 */
START_TEST(each_way_is_a_step) {
  has(HEADER "process P 1 a b c d e\nprocess Q 1 q\n"
             "P a b hold\nP b c for 0 1 hold\nP b c set x 0 hold\nP c d set x 1 hold\nP d e if x 2\n"
             "Q q q if x 1 set x 2\n",
      &(struct outcome){.states = 4, .transitions = 3 + 1 + 1, .deadlocks = 1});
}
END_TEST

START_TEST(only_the_first_firing) {
  has(HEADER "process P 1 a b c d\n"
             "P a b hold first\nP b c if x 1 set x 3\nP b c set x 1\nP b d set x 2\n",
      &(struct outcome){.states = 2, .transitions = 1, .deadlocks = 1});
}
END_TEST

START_TEST(errors_in_sequences) {
  has(HEADER "process P 1 a b c\nP a b hold first\nP b c if x 1\n",
      &(struct outcome){1, 0, 0, "nothing fires in the state (m.processes:2)", 1});
  has(HEADER "value y 0 2\nprocess P 1 a b c d\nP a b set x 3 hold\nP b c hold\nP c d set y x\n",
      &(struct outcome){1, 0, 0, "assignment of 3 to y outside 0..2 (m.processes:8)", 3});
}
END_TEST

/* The formulas are about all states of an atomic sequence, and about none within one that is a single step. */
START_TEST(temporal_properties) {
  static const struct {
    const char *text;
    floe_verdict_value value;
    int64_t depth;
  } cases[] = {
      {HEADER "process P 1 a b c\nP a b set x 1 hold\nP b c set x 2\nabsent x 1\n", FLOE_VIOLATED, 2},
      {HEADER "process P 1 a b c\nP a b set x 1 hold first\nP b c set x 2\nabsent x 1\n", FLOE_HOLDS, -1},
      {HEADER "process P 1 a b c\nP a b set x 1 hold first\nP b c set x 2\nabsent x 2\n", FLOE_VIOLATED, 2},
      /* P is blocked, so Q fires: its x is seen */
      {HEADER "process P 1 a b c\nprocess Q 1 q\nP a b set x 1 hold\nP b a if x 2 set x 0\nQ q q if x 1 set x 2\n"
              "repeated x 2\n",
       FLOE_HOLDS, -1},
      /* it does not fire within the sequence */
      {HEADER "process P 1 a b c\nprocess Q 1 q\nP a b set x 1 hold\nP b a set x 0\nQ q q if x 1 set x 2\n"
              "repeated x 2\n",
       FLOE_VIOLATED, -1},
      {HEADER "process P 1 a b c\nP a b set x 1 hold first\nP b a set x 0\nrepeated x 0\n", FLOE_HOLDS, -1},
      {HEADER "process P 1 a b c\nP a b set x 1 hold first\nP b a set x 0\nrepeated x 1\n", FLOE_VIOLATED, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    floe_model *model = parse(cases[i].text);
    floe_options options;
    floe_result *result;
    floe_log *log;
    ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
    floe_options_init(&options);
    options.engine = FLOE_ENGINE_INTERPRETER;
    ck_assert_int_eq(floe_explore(model, &options, log, &result), FLOE_OK);
    const floe_verdict verdict = floe_result_verdict(result, 0);
    ck_assert_msg(verdict.value == cases[i].value, "case %zu: %s", i, floe_verdict_name(verdict.value));
    if (cases[i].depth >= 0)
      ck_assert_msg(verdict.depth == cases[i].depth, "case %zu: depth %" PRId64, i, verdict.depth);
    floe_result_free(result);
    floe_model_free(model);
    floe_log_free(log);
  }
}
END_TEST

/* A sequence without an end, also one with branches, and one state with more sequences than are allowed. The other
   process is not affected. */
START_TEST(limits) {
  has(HEADER "process P 1 a b\nprocess Q 1 q r\nP a b hold\nP b b hold\nQ q r\n",
      &(struct outcome){2, 1, 0, "the sequence of firings has no end (m.processes:2)", SEQUENCE_FIRINGS + 1});
  has(HEADER "process P 1 a b\nP a b hold\nP b b for 0 2 hold\nP b b set x i for 0 3 hold\n",
      &(struct outcome){1, 0, 0, "the sequence of firings has no end (m.processes:2)", SEQUENCE_FIRINGS + 1});
#define SEVEN                                                                                                          \
  HEADER "process P 1 a b c d e f g h i\nP a b for 0 3 set x i hold\nP b c for 0 3 set x i hold\n"                     \
         "P c d for 0 3 set x i hold\nP d e for 0 3 set x i hold\nP e f for 0 3 set x i hold\n"                        \
         "P f g for 0 3 set x i hold\nP g h for 0 3 set x i hold\nP h i for 0 "
  has(SEVEN "2 set x i\n", &(struct outcome){4, 4 * 4096 * 3, 3, NULL, 0});
  has(SEVEN "3 set x i\n",
      &(struct outcome){5, SEQUENCE_SUCCESSORS - 4, 4, "the sequence of firings has no end (m.processes:2)", 8});
}
END_TEST

int main(void) {
  return run_tests("transient", CK_NOFORK, sequences_are_as_in_the_recursion, each_way_is_a_step, only_the_first_firing,
                   errors_in_sequences, limits, temporal_properties);
}
