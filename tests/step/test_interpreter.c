/* Reference semantics, case by case: order of evaluation, the first error, reads within a firing. */
#include "handmade.h"
#include "model/transitions/successor_bound.h"
#include "step/stepper.h"
#include "tests/suite.h"

#include <string.h>

/* Variables 0: a[3] of 0..5, 1: x of 0..9, 2: y of -1..3, 3: location of P[0..1] */
enum { A, X, Y, P, VARIABLES };
enum { VALUE_A = 0, VALUE_X = 3, VALUE_Y = 4, VALUE_P = 5, VALUES = 7 };

struct world {
  struct arena arena;
  struct model model;
  struct variable variables[VARIABLES];
  struct process process;
  struct location locations[3];
  struct participant participant;
  struct transition transition;
  struct initiator_transitions initiator;
  struct property properties[4];
  struct site sites[10];
  int64_t values[VALUES];
};

static void world_build(struct world *w) {
  static const int64_t start[VALUES] = {3, 1, 4, 2, 0, 0, 1};
  w->variables[A] = variable(&w->arena, "a", VARIABLE_GLOBAL, 3, (struct value_range){0, 5}, true);
  w->variables[X] = variable(&w->arena, "x", VARIABLE_GLOBAL, 1, (struct value_range){0, 9}, true);
  w->variables[Y] = variable(&w->arena, "y", VARIABLE_GLOBAL, 1, (struct value_range){-1, 3}, true);
  w->variables[P] = variable(&w->arena, "P", VARIABLE_LOCATION, 2, (struct value_range){0, 2}, true);
  for (int i = 0; i < 3; i++)
    w->locations[i] = (struct location){.name = "abc", .committed = i == 2, .at = NOWHERE};
  w->process = (struct process){
      .name = "P", .instances = 2, .location_variable = P, .locations = w->locations, .location_count = 3};
  w->transition.participants = &w->participant;
  w->transition.participant_count = 1;
  w->initiator.end = 1;
  w->model = (struct model){.name = "world",
                            .variables = w->variables,
                            .variable_count = VARIABLES,
                            .processes = &w->process,
                            .process_count = 1,
                            .transitions = &w->transition,
                            .transition_count = 1,
                            .initiators = &w->initiator,
                            .initiator_count = 1,
                            .sites = w->sites,
                            .site_count = 10};
  number_elements(&w->model);
  memcpy(w->values, start, sizeof start);
}

struct body {
  struct world *world;
  void (*run)(struct world *w, struct arena *arena);
};

static void build_and_run(void *data) {
  struct body *body = data;
  world_build(body->world);
  body->run(body->world, &body->world->arena);
}

static void in_world(void (*run)(struct world *, struct arena *)) {
  struct world *world = mem_alloc(sizeof *world);
  struct body body = {world, run};
  arena_init(&world->arena);
  ck_assert_int_eq(arena_guard(&world->arena, build_and_run, &body), 0);
  arena_free(&world->arena);
  mem_free(world);
}

static int64_t value_of(const struct world *w, const struct expr *e) {
  int64_t value = -12345;
  ck_assert_uint_eq(interpreter_eval(&w->model, e, w->values, NULL, NULL, &value), NO_SITE);
  return value;
}

static uint32_t site_of(const struct world *w, const struct expr *e) {
  int64_t value = -12345;
  uint32_t site = interpreter_eval(&w->model, e, w->values, NULL, NULL, &value);
  if (site != NO_SITE)
    ck_assert_int_eq(value, -12345);
  return site;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void operators(struct world *w, struct arena *m) {
  static const struct {
    enum expr_op op;
    int64_t a, b, result;
  } cases[] = {{EXPR_ADD, 2, -5, -3},        {EXPR_SUB, 2, -5, 7},    {EXPR_MUL, -2, 5, -10},
               {EXPR_DIV, -7, 2, -3},        {EXPR_DIV, 7, -2, -3},   {EXPR_MOD, -7, 2, -1},
               {EXPR_MOD, 7, -2, 1},         {EXPR_MOD, 7, -1, 0},    {EXPR_MOD, INT64_MIN, -1, 0},
               {EXPR_MIN, 3, -3, -3},        {EXPR_MAX, 3, -3, 3},    {EXPR_LT, 1, 1, 0},
               {EXPR_LE, 1, 1, 1},           {EXPR_EQ, 1, 2, 0},      {EXPR_NE, 1, 2, 1},
               {EXPR_AND, 7, 8, 1},          {EXPR_AND, 7, 0, 0},     {EXPR_OR, 0, -4, 1},
               {EXPR_OR, 0, 0, 0},           {EXPR_BITAND, -2, 5, 4}, {EXPR_BITXOR, -1, 5, -6},
               {EXPR_BITOR, -8, 5, -3},      {EXPR_SHL, -3, 4, -48},  {EXPR_SHL, -1, 63, INT64_MIN},
               {EXPR_SHL, 0, 63, 0},         {EXPR_SHR, -3, 1, -2},   {EXPR_SHR, INT64_MIN, 63, -1},
               {EXPR_SHR, INT64_MAX, 62, 1}, {EXPR_SHR, 5, 0, 5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_int_eq(value_of(w, binary(m, cases[i].op, constant(m, cases[i].a), constant(m, cases[i].b))),
                     cases[i].result);
  ck_assert_int_eq(value_of(w, unary(m, EXPR_NEG, constant(m, 4))), -4);
  ck_assert_int_eq(value_of(w, unary(m, EXPR_BITNOT, constant(m, 4))), -5);
  ck_assert_int_eq(value_of(w, unary(m, EXPR_NOT, constant(m, 4))), 0);
  ck_assert_int_eq(value_of(w, unary(m, EXPR_NOT, constant(m, 0))), 1);
}

static void reads(struct world *w, struct arena *m) {
  ck_assert_int_eq(value_of(w, get(m, X, NULL)), 2);
  ck_assert_int_eq(value_of(w, get(m, A, get(m, X, NULL))), 4);
  ck_assert_int_eq(value_of(w, get(m, A, bounded(m, get(m, Y, NULL), 3, 1))), 3);
  w->values[VALUE_Y] = -1;
  ck_assert_uint_eq(site_of(w, get(m, A, bounded(m, get(m, Y, NULL), 3, 1))), 1);
  w->values[VALUE_X] = 3;
  ck_assert_uint_eq(site_of(w, get(m, A, bounded(m, get(m, X, NULL), 3, 2))), 2);
}

/* Errors of three kinds, each with its own site. */
static const struct expr *failing(struct arena *m, uint32_t site) {
  return divide(m, EXPR_DIV, constant(m, 1), constant(m, 0), site);
}

static void left_to_right(struct world *w, struct arena *m) {
  ck_assert_uint_eq(site_of(w, binary(m, EXPR_ADD, failing(m, 3), failing(m, 4))), 3);
  ck_assert_uint_eq(site_of(w, binary(m, EXPR_LT, constant(m, 1), failing(m, 4))), 4);
  /* operands come before the operator's own error */
  ck_assert_uint_eq(site_of(w, divide(m, EXPR_MOD, constant(m, 1), failing(m, 5), 6)), 5);
  ck_assert_uint_eq(site_of(w, divide(m, EXPR_MOD, failing(m, 7), constant(m, 0), 6)), 7);
  ck_assert_uint_eq(site_of(w, divide(m, EXPR_MOD, constant(m, 1), constant(m, 0), 6)), 6);
  ck_assert_uint_eq(site_of(w, divide(m, EXPR_SHL, constant(m, 1), constant(m, 64), 6)), 6);
  ck_assert_uint_eq(site_of(w, divide(m, EXPR_SHR, constant(m, 1), constant(m, -1), 6)), 6);
  ck_assert_uint_eq(site_of(w, divide(m, EXPR_SHR, failing(m, 7), constant(m, -1), 6)), 7);
  ck_assert_uint_eq(site_of(w, get(m, A, bounded(m, failing(m, 8), 3, 9))), 8);
  ck_assert_uint_eq(site_of(w, unary(m, EXPR_NOT, failing(m, 8))), 8);
}

static void short_circuits(struct world *w, struct arena *m) {
  const struct expr *no = constant(m, 0), *yes = constant(m, 5), *bad = failing(m, 3);
  ck_assert_int_eq(value_of(w, binary(m, EXPR_AND, no, bad)), 0);
  ck_assert_uint_eq(site_of(w, binary(m, EXPR_AND, yes, bad)), 3);
  ck_assert_int_eq(value_of(w, binary(m, EXPR_OR, yes, bad)), 1);
  ck_assert_uint_eq(site_of(w, binary(m, EXPR_OR, no, bad)), 3);
  ck_assert_uint_eq(site_of(w, binary(m, EXPR_OR, bad, yes)), 3);
  ck_assert_int_eq(value_of(w, choice(m, yes, constant(m, 7), bad)), 7);
  ck_assert_int_eq(value_of(w, choice(m, no, bad, constant(m, 8))), 8);
  ck_assert_uint_eq(site_of(w, choice(m, no, constant(m, 7), bad)), 3);
  ck_assert_uint_eq(site_of(w, choice(m, failing(m, 4), bad, bad)), 4);
}

/* ---- firings --------------------------------------------------------------------------------- */

static void set_statements(struct world *w, const struct statement *statements, size_t n) {
  w->transition.statements = statements;
  w->transition.statement_count = n;
}

static uint32_t fire(struct world *w, uint32_t number, int64_t *temps) {
  uint32_t site = 77;
  ck_assert(interpreter_fire(&w->model, 0, number, w->values, temps, &site));
  return site;
}

static void tests_come_first(struct world *w, struct arena *m) {
  const struct location_test tests[] = {{P, 0, 0}, {P, 1, 2}};
  const struct expr *guards[] = {failing(m, 1)};
  uint32_t site;
  w->transition.tests = tests;
  w->transition.test_count = 2;
  w->transition.guards = guards;
  w->transition.guard_count = 1;
  ck_assert(!interpreter_fire(&w->model, 0, 0, w->values, NULL, &site));
  w->values[VALUE_P + 1] = 2;
  ck_assert_uint_eq(fire(w, 0, NULL), 1);
}

static void guards_in_order(struct world *w, struct arena *m) {
  const struct expr *guards[] = {get(m, X, NULL), failing(m, 1), failing(m, 2)};
  uint32_t site;
  w->transition.guards = guards;
  w->transition.guard_count = 3;
  ck_assert_uint_eq(fire(w, 0, NULL), 1);
  w->values[VALUE_X] = 0;
  ck_assert(!interpreter_fire(&w->model, 0, 0, w->values, NULL, &site));
}

static void choices_are_mixed_radix(struct world *w, struct arena *m) {
  const struct select selects[] = {{.name = "i", .lo = -1, .hi = 1}, {.name = "j", .lo = 2, .hi = 3}};
  const struct statement statements[] = {assign(Y, NULL, chosen(m, 0), NO_SITE),
                                         assign(X, NULL, chosen(m, 1), NO_SITE)};
  w->transition.selects = selects;
  w->transition.select_count = 2;
  set_statements(w, statements, 2);
  for (uint32_t number = 0; number < 6; number++) {
    ck_assert_uint_eq(fire(w, number, NULL), NO_SITE);
    ck_assert_int_eq(w->values[VALUE_Y], -1 + (int64_t)number / 2);
    ck_assert_int_eq(w->values[VALUE_X], 2 + (int64_t)number % 2);
  }
}

static void statements_in_sequence(struct world *w, struct arena *m) {
  const struct statement inner[] = {assign(A, constant(m, 0), get(m, X, NULL), NO_SITE)};
  const struct statement statements[] = {let(1, get(m, X, NULL), NO_SITE),
                                         assign(X, NULL, binary(m, EXPR_ADD, get(m, X, NULL), constant(m, 3)), 0),
                                         assign(Y, NULL, temp(m, 1), 1), /* the old x */
                                         {.op = ST_IF, .value = get(m, X, NULL), .then = inner, .then_count = 1},
                                         {.op = ST_IF, .value = constant(m, 0), .then = statements, .then_count = 1}};
  int64_t temps[2] = {9, 9};
  w->transition.temp_count = 2;
  set_statements(w, statements, 5);
  ck_assert_uint_eq(fire(w, 0, temps), NO_SITE);
  ck_assert_int_eq(w->values[VALUE_X], 5);
  ck_assert_int_eq(w->values[VALUE_Y], 2);
  ck_assert_int_eq(w->values[VALUE_A], 5);
  ck_assert_int_eq(temps[0], 0);
  ck_assert_int_eq(temps[1], 2);
}

static void branches(struct world *w, struct arena *m) {
  const struct statement inner[] = {assign(X, NULL, constant(m, 0), NO_SITE), assign(Y, NULL, constant(m, 1), NO_SITE),
                                    assign(A, NULL, get(m, X, NULL), NO_SITE)};
  struct statement branch = {.op = ST_IF, .value = get(m, X, NULL), .then = inner, .then_count = 2, .else_count = 1};
  set_statements(w, &branch, 1);
  ck_assert_uint_eq(fire(w, 0, NULL), NO_SITE); /* its assignments do not change the decision */
  ck_assert_int_eq(w->values[VALUE_X], 0);
  ck_assert_int_eq(w->values[VALUE_Y], 1);
  w->values[VALUE_X] = 4;
  branch.value = constant(m, 0);
  ck_assert_uint_eq(fire(w, 0, NULL), NO_SITE);
  ck_assert_int_eq(w->values[VALUE_X], 4);
  ck_assert_int_eq(w->values[VALUE_A], 4);
  branch.value = failing(m, 2);
  ck_assert_uint_eq(fire(w, 0, NULL), 2);
}

static void errors_of_an_assignment(struct world *w, struct arena *m) {
  const struct expr *bad_index = bounded(m, constant(m, 3), 3, 1);
  struct statement statements[] = {assign(A, bad_index, failing(m, 2), 3)};
  set_statements(w, statements, 1);
  ck_assert_uint_eq(fire(w, 0, NULL), 1);
  statements[0] = assign(A, constant(m, 2), failing(m, 2), 3);
  ck_assert_uint_eq(fire(w, 0, NULL), 2);
  statements[0] = assign(A, constant(m, 2), constant(m, 6), 3);
  ck_assert_uint_eq(fire(w, 0, NULL), 3);
  statements[0] = assign(A, constant(m, 2), constant(m, -1), 3);
  ck_assert_uint_eq(fire(w, 0, NULL), 3);
  statements[0] = assign(A, constant(m, 2), constant(m, 5), 3);
  ck_assert_uint_eq(fire(w, 0, NULL), NO_SITE);
  ck_assert_int_eq(w->values[VALUE_A + 2], 5);
}

static void other_errors(struct world *w, struct arena *m) {
  struct statement statements[] = {assertion(get(m, X, NULL), 4), assertion(constant(m, 0), 5)};
  set_statements(w, statements, 2);
  ck_assert_uint_eq(fire(w, 0, NULL), 5);
  w->values[VALUE_X] = 0;
  ck_assert_uint_eq(fire(w, 0, NULL), 4);
  statements[0] = assertion(failing(m, 6), 4);
  ck_assert_uint_eq(fire(w, 0, NULL), 6);
  w->sites[7] = (struct site){.kind = SITE_RANGE, .lo = 1, .hi = 2};
  w->transition.temp_count = 1;
  statements[0] = let(0, constant(m, 3), 7);
  ck_assert_uint_eq(fire(w, 0, NULL), 7);
  statements[0] = let(0, constant(m, 2), 7);
  ck_assert_uint_eq(fire(w, 0, NULL), 5);
}

static void committed_locations(struct world *w, struct arena *m) {
  struct expr committed = {.op = EXPR_COMMITTED, .hi = 1};
  ck_assert_int_eq(value_of(w, &committed), 0);
  w->model.committed = binary(m, EXPR_EQ, get(m, P, constant(m, 1)), constant(m, 2));
  ck_assert_int_eq(value_of(w, &committed), 0);
  w->values[VALUE_P + 1] = 2;
  ck_assert_int_eq(value_of(w, &committed), 1);
}

/* ---- the stepper ----------------------------------------------------------------------------- */

struct seen {
  size_t calls, index;
  uint64_t properties;
  struct step_error error;
};

static void see(void *user, size_t index, uint64_t properties, struct step_error error) {
  struct seen *seen = user;
  *seen = (struct seen){seen->calls + 1, index, properties, error};
}

/* x++ with range error at site 2 beyond 9; invariant x < 5, never 1/y (site 3 where y is 0),
 * deadlock, errors */
static void make_counter(struct world *w, struct arena *m, struct statement *increment) {
  *increment = assign(X, NULL, binary(m, EXPR_ADD, get(m, X, NULL), constant(m, 1)), 2);
  set_statements(w, increment, 1);
  w->properties[0] =
      (struct property){.kind = FLOE_INVARIANT, .expr = binary(m, EXPR_LT, get(m, X, NULL), constant(m, 5))};
  w->properties[1] =
      (struct property){.kind = FLOE_NEVER, .expr = divide(m, EXPR_DIV, constant(m, 1), get(m, Y, NULL), 3)};
  w->properties[2] = (struct property){.kind = FLOE_DEADLOCK};
  w->properties[3] = (struct property){.kind = FLOE_ERRORS};
  w->model.properties = w->properties;
  w->model.property_count = 4;
}

struct bench {
  const struct layout *layout;
  struct stepper *stepper;
  uint64_t state, successors[4], fired[1];
  struct step_block block;
  struct seen seen;
};

static void expand(struct world *w, struct bench *b, uint64_t requested) {
  layout_pack(&w->model, b->layout, w->values, &b->state);
  memset(&b->seen, 0, sizeof b->seen);
  memset(b->fired, 0, sizeof b->fired);
  b->block = (struct step_block){.states = &b->state,
                                 .count = 1,
                                 .successors = b->successors,
                                 .capacity = 4,
                                 .fired = b->fired,
                                 .requested_properties = requested,
                                 .on_trigger = see,
                                 .user = &b->seen};
  b->stepper->expand_block(b->stepper, &b->block);
  ck_assert_uint_eq(b->block.next, 1);
}

static void blocks(struct world *w, struct arena *m) {
  struct statement increment;
  struct bench b;
  make_counter(w, m, &increment);
  ck_assert_int_eq(layout_make(&w->model, m, &b.layout), FLOE_OK);
  ck_assert_int_eq(interpreter_create(&w->model, b.layout, &b.stepper), FLOE_OK);
  ck_assert_uint_eq(b.stepper->max_successors, 1);
  w->values[VALUE_Y] = 3;
  expand(w, &b, 15); /* nothing to report */
  ck_assert_uint_eq(b.seen.calls, 0);
  ck_assert_uint_eq(b.block.produced, 1);
  ck_assert_uint_eq(b.fired[0], 1);
  w->values[VALUE_X] = 9; /* invariant violated; the only firing fails: no deadlock */
  expand(w, &b, 15);
  ck_assert_uint_eq(b.seen.properties, 1 | 8);
  ck_assert_uint_eq(b.seen.error.transition, 0);
  ck_assert_uint_eq(b.seen.error.site, 2);
  ck_assert_uint_eq(b.block.deadlocks, 0);
  ck_assert_uint_eq(b.fired[0], 0);
  w->values[VALUE_Y] = 0; /* the property's own error comes first */
  expand(w, &b, 15);
  ck_assert_uint_eq(b.seen.properties, 1 | 8);
  ck_assert_uint_eq(b.seen.error.transition, NO_TRANSITION);
  ck_assert_uint_eq(b.seen.error.site, 3);
  expand(w, &b, 8); /* a property that is not requested is not evaluated */
  ck_assert_uint_eq(b.seen.properties, 8);
  ck_assert_uint_eq(b.seen.error.site, 2);
  expand(w, &b, 0);
  ck_assert_uint_eq(b.seen.calls, 0);
  b.stepper->free(b.stepper);
}

static void deadlocks(struct world *w, struct arena *m) {
  struct statement increment;
  struct bench b;
  const struct expr *guards[] = {constant(m, 0)};
  make_counter(w, m, &increment);
  w->transition.guards = guards;
  w->transition.guard_count = 1;
  ck_assert_int_eq(layout_make(&w->model, m, &b.layout), FLOE_OK);
  ck_assert_int_eq(interpreter_create(&w->model, b.layout, &b.stepper), FLOE_OK);
  expand(w, &b, 4 | 8);
  ck_assert_uint_eq(b.seen.properties, 4);
  ck_assert_uint_eq(b.block.deadlocks, 1);
  w->properties[2].expr = get(m, X, NULL); /* excused */
  expand(w, &b, 4 | 8);
  ck_assert_uint_eq(b.seen.calls, 0);
  ck_assert_uint_eq(b.block.deadlocks, 1);
  w->properties[2].expr = failing(m, 9);
  expand(w, &b, 4 | 8);
  ck_assert_uint_eq(b.seen.properties, 8);
  ck_assert_uint_eq(b.seen.error.transition, NO_TRANSITION);
  ck_assert_uint_eq(b.seen.error.site, 9);
  b.stepper->free(b.stepper);
}

static void too_many_successors(struct world *w, struct arena *m) {
  const struct select selects[] = {{.name = "i", .lo = 1, .hi = 3000}, {.name = "j", .lo = 1, .hi = 3000}};
  const struct layout *layout;
  struct stepper *stepper;
  w->transition.selects = selects;
  w->transition.select_count = 2;
  ck_assert_int_eq(layout_make(&w->model, m, &layout), FLOE_OK);
  ck_assert_int_eq(interpreter_create(&w->model, layout, &stepper), FLOE_ERROR_MODEL);
}

static void too_complex(struct world *w, struct arena *m) {
  const struct layout *layout;
  struct stepper *stepper;
  w->transition.temp_count = MAX_TEMPS + 1;
  ck_assert_int_eq(layout_make(&w->model, m, &layout), FLOE_OK);
  ck_assert_int_eq(interpreter_create(&w->model, layout, &stepper), FLOE_ERROR_MODEL);
}

/* Without memory, the stepper uses the buffer reserved at creation. */
static void works_without_memory(struct world *w, struct arena *m) {
  struct statement increment;
  struct bench b;
  make_counter(w, m, &increment);
  ck_assert_int_eq(layout_make(&w->model, m, &b.layout), FLOE_OK);
  for (long n = 1; n < 4; n++) {
    mem_fail_after(n);
    floe_status status = interpreter_create(&w->model, b.layout, &b.stepper);
    mem_fail_after(0);
    ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
  }
  ck_assert_int_eq(interpreter_create(&w->model, b.layout, &b.stepper), FLOE_OK);
  mem_fail_after(1);
  expand(w, &b, 0);
  mem_fail_after(0);
  ck_assert_uint_eq(b.block.produced, 1);
  b.stepper->free(b.stepper);
}

START_TEST(evaluates) {
  in_world(operators);
  in_world(reads);
  in_world(left_to_right);
  in_world(short_circuits);
  in_world(committed_locations);
}
END_TEST

START_TEST(fires) {
  in_world(tests_come_first);
  in_world(guards_in_order);
  in_world(choices_are_mixed_radix);
  in_world(statements_in_sequence);
  in_world(branches);
  in_world(errors_of_an_assignment);
  in_world(other_errors);
}
END_TEST

START_TEST(steps) {
  in_world(blocks);
  in_world(deadlocks);
  in_world(too_many_successors);
  in_world(too_complex);
  in_world(works_without_memory);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) { return run_tests("interpreter", CK_NOFORK, evaluates, fires, steps, nothing_leaks); }
