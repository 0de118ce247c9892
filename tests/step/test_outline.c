/* Functions of repeated parts (codegen/outline) agree with the interpreter on random statements, and unchanged values
   that are not stored. The statements come from few shapes, so that many are repeated, with variables in all roles. */
#include "compare.h"
#include "handmade.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

/* FRESH: further temporaries of a transition, which one place only uses. */
enum { TRANSITIONS = 3, TEMPS = 5, FRESH = 30, ELEMENTS = 5, MOST = 7, SITES = 50 };

static struct compile_options quick = {"cc -O0", "", NULL};
static size_t functions, by_address, insides, within, failures, firings;

struct draw {
  struct arena *arena;
  uint64_t state;
  uint32_t next_site, next_temp;
};

static uint32_t below(struct draw *draw, uint32_t bound) {
  draw->state = draw->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(draw->state >> 33) % bound;
}

static uint32_t site(struct draw *draw) { return draw->next_site = (draw->next_site + 1) % SITES; }

static const struct expr *some_temp(struct draw *draw) { return temp(draw->arena, below(draw, TEMPS)); }

/* In the range of the elements. */
static const struct expr *low_bits(struct draw *draw, const struct expr *e) {
  return binary(draw->arena, EXPR_BITAND, e, constant(draw->arena, MOST));
}

static const struct expr *element(struct draw *draw) { return constant(draw->arena, below(draw, ELEMENTS)); }

static struct statement in_if(struct draw *draw, const struct expr *condition, const struct statement *then,
                              size_t then_count, size_t else_count) {
  struct statement *copy = arena_array(draw->arena, then_count + else_count, sizeof *copy);
  memcpy(copy, then, (then_count + else_count) * sizeof *copy);
  return (struct statement){.op = ST_IF,
                            .at = NOWHERE,
                            .site = NO_SITE,
                            .value = condition,
                            .then = copy,
                            .then_count = then_count,
                            .else_count = else_count};
}

/* Adds the statements of one of the shapes; x is variable 0. */
static size_t add_shape(struct draw *draw, struct statement *to, unsigned depth) {
  struct arena *arena = draw->arena;
  const uint32_t a = below(draw, TEMPS), b = below(draw, TEMPS);
  switch (below(draw, depth ? 11 : 9)) {
  case 0: /* swaps two elements */
    to[0] = let(a, get(arena, 0, element(draw)), NO_SITE);
    to[1] = assign(0, element(draw), get(arena, 0, element(draw)), site(draw));
    to[2] = assign(0, element(draw), temp(arena, a), site(draw));
    return 3;
  case 1: /* reads one temporary behind the change of another one */
    to[0] = let(a, low_bits(draw, binary(arena, EXPR_ADD, temp(arena, a), constant(arena, 1))), site(draw));
    to[1] = assign(0, element(draw), temp(arena, b), site(draw));
    to[2] = assign(0, element(draw), temp(arena, a), site(draw));
    return 3;
  case 2:
    to[0] = let(a, low_bits(draw, binary(arena, EXPR_MUL, some_temp(draw), some_temp(draw))), NO_SITE);
    to[1] = let(b,
                below(draw, 9) ? low_bits(draw, binary(arena, EXPR_ADD, some_temp(draw), temp(arena, a)))
                               : binary(arena, EXPR_ADD, some_temp(draw), temp(arena, a)),
                site(draw));
    return 2;
  case 3: /* an element that is written back */
    to[0] = let(a, get(arena, 0, constant(arena, b)), NO_SITE);
    to[1] = let(a == 0, get(arena, 0, element(draw)), NO_SITE);
    to[2] = assign(0, constant(arena, b), temp(arena, a), NO_SITE);
    return 3;
  case 4:
    to[0] = let(a,
                divide(arena, EXPR_DIV, constant(arena, MOST),
                       binary(arena, EXPR_BITOR, some_temp(draw), constant(arena, below(draw, 3))), site(draw)),
                NO_SITE);
    to[1] = assign(0, bounded(arena, temp(arena, b), ELEMENTS, site(draw)), temp(arena, a), site(draw));
    return 2;
  case 5: { /* written back, but read in one case only */
    const struct statement read = let(a, get(arena, 0, constant(arena, b)), NO_SITE);
    to[0] = in_if(draw, binary(arena, EXPR_LT, some_temp(draw), constant(arena, 4)), &read, 1, 0);
    to[1] = assign(0, constant(arena, b), temp(arena, a), NO_SITE);
    return 2;
  }
  case 6:
  case 8:
  case 7: { /* one or two temporaries of its own, and a change of one */
    const uint32_t c = TEMPS + draw->next_temp, d = c + (below(draw, 6) > 0);
    draw->next_temp = (draw->next_temp + 2) % FRESH;
    to[0] = let(c, get(arena, 0, element(draw)), NO_SITE);
    to[1] = let(d, low_bits(draw, binary(arena, EXPR_ADD, temp(arena, c), some_temp(draw))), NO_SITE);
    to[2] = assign(0, element(draw), temp(arena, c), NO_SITE);
    to[3] = assign(0, element(draw), temp(arena, d), site(draw));
    return 4;
  }
  default: {
    struct statement inner[8];
    const struct expr *condition = binary(arena, EXPR_LT, some_temp(draw), constant(arena, below(draw, MOST)));
    const size_t then = add_shape(draw, inner, depth - 1), other = add_shape(draw, inner + then, depth - 1);
    to[0] = in_if(draw, condition, inner, then, other);
    return 1;
  }
  }
}

/* A copy of the transition with random statements. */
static struct transition randomised(struct draw *draw, const struct transition *from) {
  enum { SHAPES = 12 };
  struct transition transition = *from;
  struct statement *statements = arena_array(draw->arena, TEMPS + 4 * SHAPES, sizeof *statements);
  size_t count = 0;
  for (uint32_t i = 0; i < TEMPS; i++)
    statements[count++] = let(i, get(draw->arena, 0, constant(draw->arena, i)), NO_SITE);
  for (unsigned i = 0; i < SHAPES; i++)
    count += add_shape(draw, statements + count, 2);
  transition.statements = statements;
  transition.statement_count = count;
  transition.temp_count = TEMPS + FRESH;
  return transition;
}

static struct model *random_statements(const struct model *from, struct draw *draw) {
  struct model *model = arena_alloc(draw->arena, sizeof *model);
  struct transition *transitions = arena_array(draw->arena, TRANSITIONS, sizeof *transitions);
  struct site *sites = arena_array(draw->arena, SITES, sizeof *sites);
  *model = *from;
  ck_assert_uint_eq(from->transition_count, TRANSITIONS);
  for (size_t i = 0; i < SITES; i++)
    sites[i] =
        (struct site){.kind = SITE_RANGE, .at = NOWHERE, .what = "x", .lo = 0, .hi = MOST}; /* so of all temporaries */
  for (size_t i = 0; i < TRANSITIONS; i++)
    transitions[i] = randomised(draw, &from->transitions[i]);
  model->transitions = transitions;
  model->sites = sites;
  return model;
}

static size_t times(const char *text, const char *part) {
  size_t count = 0;
  for (; (text = strstr(text, part)); text++)
    count++;
  return count;
}

static void compare_random(uint64_t seed) {
  static const char text[] = "<model name='m'><variable name='x' range='0..7' size='5'/><process name='P'>"
                             "<location name='l' initial='true'/>"
                             "<transition from='l' select='i in 0..4, v in 0..7' effect='x[i] = v'/>"
                             "<transition from='l' effect='x[0] = 1'/><transition from='l' effect='x[0] = 2'/>"
                             "</process></model>";
  struct loaded loaded;
  const char *code;
  ck_assert_msg(loaded_from_text(&loaded, "outline", text, sizeof text - 1, NULL, 0), "%s", loaded_message(&loaded));
  struct draw draw = {.arena = &loaded.arena, .state = seed};
  loaded.model = random_statements(loaded.model, &draw);
  struct comparison comparison = {.loaded = &loaded, .max_states = 300, .random_states = 300, .seed = seed};
  ck_assert_int_eq(codegen_text(loaded.model, loaded.layout, CODEGEN_CPU, NULL, &loaded.arena, &code), FLOE_OK);
  ck_assert_int_eq(compiled_create(loaded.model, loaded.layout, &quick, loaded.log, &comparison.other), FLOE_OK);
  ck_assert_int_eq(interpreter_create(loaded.model, loaded.layout, &comparison.reference), FLOE_OK);
  const bool same = compare_steppers(&comparison);
  ck_assert_msg(same, "seed %llu: %s", (unsigned long long)seed, comparison.difference);
  comparison.other->free(comparison.other);
  comparison.reference->free(comparison.reference);
  functions += times(code, "\nFLOE_DEVICE_SPLIT ");
  by_address += times(code, "*const p");
  insides += times(code, "int32_t l");
  firings += comparison.edges;
  within += times(code, "return failed_; }"); /* calls in functions */
  failures += comparison.failures;
  loaded_free(&loaded);
}

/* A soak runs more: FLOE_TEST_SEEDS=1000 FLOE_TEST_FIRST=100 */
static void compare_all(void) {
  const char *given = getenv("FLOE_TEST_SEEDS"), *first = getenv("FLOE_TEST_FIRST");
  const uint64_t from = first ? strtoull(first, NULL, 10) : 1, count = given ? strtoull(given, NULL, 10) : 6;
  for (uint64_t seed = from; seed < from + count; seed++)
    compare_random(seed);
}

START_TEST(random_statements_agree) {
  setenv("FLOE_OUTLINE", "0", true);
  compare_all();
  unsetenv("FLOE_OUTLINE");
  ck_assert_uint_gt(functions, 0);
  ck_assert_uint_gt(by_address, 0);
  ck_assert_uint_gt(insides, 0);
  ck_assert_uint_gt(failures, 0);
  ck_assert_uint_gt(firings, failures + failures / 4);
  ck_assert_uint_gt(within, 0);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  if (getenv("FLOE_TEST_CC"))
    quick.compiler = getenv("FLOE_TEST_CC");
  const int status = run_tests("outline", CK_NOFORK, random_statements_agree, nothing_leaks);
  printf("%zu functions, %zu addresses, %zu local variables, %zu firings, %zu failing\n", functions, by_address,
         insides, firings, failures);
  return status;
}
