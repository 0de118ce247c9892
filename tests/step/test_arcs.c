/* The table of arcs agrees with the interpreter: on random nets and on a model with every form of guard and statement
   that it knows. Other models have none. */
#include "compare.h"
#include "random_net.h"
#include "random_product.h"
#include "tests/suite.h"

#include "core/mem.h"
#include "step/arcs/arc_index.h"
#include "step/arcs/arc_stepper.h"

#include <stdlib.h>
#include <string.h>

static size_t states, edges, failures, triggers, by_changes;

static void compare(struct loaded *loaded, const char *name, uint64_t seed, size_t random_states) {
  struct comparison comparison = {.loaded = loaded, .max_states = 300, .random_states = random_states, .seed = seed};
  ck_assert_msg(arc_stepper_create(loaded->model, loaded->layout, &comparison.other) == FLOE_OK, "%s: no table", name);
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &comparison.reference), FLOE_OK);
  const bool same = compare_steppers(&comparison);
  ck_assert_msg(same, "%s %llu: %s", name, (unsigned long long)seed, comparison.difference);
  comparison.other->free(comparison.other);
  comparison.reference->free(comparison.reference);
  states += comparison.states;
  edges += comparison.edges;
  failures += comparison.failures;
  triggers += comparison.triggers;
  by_changes += comparison.by_changes;
}

/* FLOE_TEST_SEEDS: more nets. */
START_TEST(random_nets_agree) {
  const char *seeds = getenv("FLOE_TEST_SEEDS");
  const uint64_t n = seeds ? strtoull(seeds, NULL, 10) : 60;
  for (uint64_t seed = 0; seed < n; seed++) {
    struct loaded loaded;
    random_net(&loaded, seed);
    compare(&loaded, "net", seed, 0);
    loaded_free(&loaded);
  }
  ck_assert_uint_gt(states, 20 * n);
  ck_assert_uint_gt(edges, states);
  ck_assert_uint_gt(failures, n);
  ck_assert_uint_ge(by_changes, n / 10);
}
END_TEST

/* Products with automata: the interpreter has the same firings. False: edges are about steps, so that there is no
   table, or the product is too large. */
static bool compare_product(const struct model *net, uint64_t seed) {
  struct random_product product;
  struct stepper *stepper;
  bool compared = random_product_make(&product, net, seed);
  if (compared) {
    const floe_status status = arc_stepper_create(product.loaded.model, product.loaded.layout, &stepper);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_UNSUPPORTED);
    compared = status == FLOE_OK;
    if (compared) {
      stepper->free(stepper);
      compare(&product.loaded, "product", seed, 0);
    }
  }
  random_product_free(&product);
  return compared;
}

START_TEST(products_of_random_nets_agree) {
  const char *seeds = getenv("FLOE_TEST_SEEDS");
  const uint64_t n = seeds ? strtoull(seeds, NULL, 10) : 30;
  size_t products = 0;
  states = edges = failures = by_changes = 0;
  for (uint64_t seed = 0; seed < n; seed++) {
    struct loaded loaded;
    random_net(&loaded, seed);
    products += compare_product(loaded.model, seed);
    loaded_free(&loaded);
  }
  ck_assert_uint_gt(products, n / 4);
  ck_assert_uint_gt(states, 10 * n);
  ck_assert_uint_gt(edges, states);
  ck_assert_uint_gt(failures, 0);
  ck_assert_uint_gt(by_changes, 0);
}
END_TEST

/* ---- forms ------------------------------------------------------------------------------------ */

#define MODEL(transitions, properties)                                                                                 \
  "<model name='m'><variable name='a' range='0..6' init='2'/><variable name='b' range='-3..4' init='0'/>"              \
  "<variable name='f' type='bool'/><variable name='l' range='0..3' size='3' init='1'/>"                                \
  "<process name='P'><location name='x' initial='true'/><location name='y'/><location name='z'/>" transitions          \
  "</process>" properties "</model>"
#define STEP(from, to, guard, effect) "<transition from='" from "' to='" to "' guard='" guard "' effect='" effect "'/>"

static void load(struct loaded *loaded, const char *text) {
  const bool ok = loaded_from_text(loaded, "m.xml", text, strlen(text), NULL, 0);
  ck_assert_msg(ok, "%s", loaded_message(loaded));
}

static const char all_forms[] =
    MODEL(STEP("x", "y", "a != 0 and b lt 4", "a = a - 1; b = b + 1")
              STEP("y", "x", "not f and not (a == 6)", "f = true; a = a + 1")
                  STEP("x y", "z", "f", "f = false; l[1] = l[1] + 1")
                      STEP("z", "x", "l[1] ge 2 or false", "l[1] = 0; l[2] = 3")
                          STEP("z", "y", "l[0] + 1 le 3 and -2 lt b", "l[0] = l[0] + 1; b = b - 3")
                              STEP("z", "z", "not (a gt 4) and 2 le a", "a = a + 2; a = a + 2; a = a - 3")
                                  STEP("x", "z", "a ge 4 and a le 5", "b = -3; b = b + 1")
                                      STEP("y", "z", "2 gt b and not (a lt 1)", "b = 4; a = 6"),
          "<property id='i' kind='invariant'>a + b lt 9</property>"
          "<property id='n' kind='never'>f and l[a % 3] == 3</property>");

/* Random states are used, because every range is declared and every assignment checked. */
START_TEST(all_forms_agree) {
  struct loaded loaded;
  load(&loaded, all_forms);
  triggers = failures = 0;
  for (uint64_t seed = 0; seed < 8; seed++)
    compare(&loaded, "forms", seed, 200);
  ck_assert_uint_gt(triggers, 0);
  ck_assert_uint_gt(failures, 0);
  loaded_free(&loaded);
}
END_TEST

static void has_no_table(const char *text) {
  struct loaded loaded;
  struct stepper *stepper;
  load(&loaded, text);
  ck_assert_msg(arc_stepper_create(loaded.model, loaded.layout, &stepper) == FLOE_ERROR_UNSUPPORTED, "%s", text);
  bool suffices = true;
  ck_assert_int_eq(uncompiled_create(loaded.model, loaded.layout, &suffices, &stepper), FLOE_OK);
  ck_assert_str_eq(stepper->name, "interpreter");
  ck_assert(!suffices);
  stepper->free(stepper);
  loaded_free(&loaded);
}

START_TEST(other_forms_have_no_table) {
  has_no_table(MODEL(STEP("x", "y", "a lt b", "a = 0; b = 1"), ""));
  has_no_table(MODEL(STEP("x", "y", "b != 2", "b = 3"), ""));
  has_no_table(MODEL(STEP("x", "y", "f or a == 1", "a = 0; f = true"), ""));
  has_no_table(MODEL(STEP("x", "y", "a ge 1", "a = b; b = 1"), ""));
  has_no_table(MODEL(STEP("x", "y", "a ge 1", "l[0] = (l[0] + 1) % 4"), ""));
  has_no_table(MODEL(STEP("x", "y", "a lt 3", "a = 1; l[a] = 1"), ""));
  has_no_table(MODEL(STEP("x", "y", "a ge 1", "if (a == 1) { a = 2; }"), ""));
}
END_TEST

START_TEST(memory_may_end) {
  struct loaded loaded;
  random_net(&loaded, 1);
  const size_t before = mem_live();
  long allocations = 0;
  for (floe_status status = FLOE_ERROR_MEMORY; status == FLOE_ERROR_MEMORY; allocations++) {
    struct stepper *stepper;
    mem_fail_after(allocations + 1);
    status = arc_stepper_create(loaded.model, loaded.layout, &stepper);
    mem_fail_after(0);
    if (status == FLOE_OK)
      stepper->free(stepper);
    ck_assert_uint_eq(mem_live(), before);
  }
  ck_assert_int_gt(allocations, 2);
  loaded_free(&loaded);
}
END_TEST

/* ---- index ------------------------------------------------------------------------------------ */

/* Places that many transitions need are not chosen if others are possible: the lists are short. */
START_TEST(index_lists_each_transition_once) {
  struct loaded loaded;
  size_t listed = 0, always = 0, transitions = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    const struct arcs *arcs;
    struct arc_index index;
    random_net(&loaded, 4 * seed); /* fields of one bit */
    ck_assert_int_eq(arc_table_make(loaded.model, loaded.layout, &loaded.arena, &arcs), FLOE_OK);
    arc_index_make(arcs, loaded.model, loaded.layout, &loaded.arena, &index);
    for (uint32_t i = 0; i < index.first[64 * index.bit_words]; i++)
      listed += (size_t)__builtin_popcountll(index.list[i].mask);
    for (uint32_t w = 0; w < index.set_words; w++)
      always += (size_t)__builtin_popcountll(index.always[w]);
    transitions += arcs->table.transitions;
    loaded_free(&loaded);
  }
  ck_assert_uint_gt(listed, transitions / 3); /* many need more tokens than a place takes */
  ck_assert_uint_lt(always, transitions / 8);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  TCase *tests = tcase_create("arcs");
  add_tests(tests, random_nets_agree, products_of_random_nets_agree, all_forms_agree, other_forms_have_no_table,
            memory_may_end, index_lists_each_transition_once, nothing_leaks);
  const int status = run_suite("arcs", CK_NOFORK, tests);
  printf("%zu states, %zu firings, %zu of them failing\n", states, edges, failures);
  return status;
}
