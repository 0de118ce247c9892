/* Nets whose places share fields: the same states and firings as with a field for each place, by the interpreter, by
   the table of arcs and by compiled code, with keys of fields and with index keys. */
#include "compare.h"
#include "learned_invariants.h"
#include "random_machines.h"
#include "random_net.h"
#include "tests/suite.h"

#include "core/mem.h"
#include "step/arcs/arc_stepper.h"
#include "step/layout/state_key.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 250, MOST_WORDS = 16, MOST_VALUES = 1024 };

static struct compile_options quick = {"cc -O0", "", NULL};

static void load(struct loaded *loaded, uint64_t seed) {
  size_t length;
  char *const text = random_machines_text(seed, &length);
  net_from_text(loaded, text, length, "3");
  free(text);
}

/* ---- the same states as without sets ------------------------------------------------------------ */

struct side {
  const struct model *model;
  const struct layout *layout;
  struct stepper *stepper;
  uint64_t states[MOST_STATES][MOST_WORDS];
};

static struct side shared, apart; /* of one state each at the same index */
static size_t found, firings, refused, codes, bits_shared, bits_apart, words_of_states;

static void side_make(struct side *side, const struct model *model, const struct layout *layout) {
  side->model = model;
  side->layout = layout;
  ck_assert_uint_le(layout->words, MOST_WORDS);
  ck_assert_int_eq(interpreter_create(model, layout, &side->stepper), FLOE_OK);
  layout_initial(model, layout, side->states[0]);
}

/* Also of sets that the net does not prove. */
static void assert_exclusive(const int64_t *values) {
  for (size_t i = 0; i < shared.model->exclusive_count; i++) {
    const struct exclusive_set *set = &shared.model->exclusive[i];
    int64_t tokens = 0;
    for (size_t k = 0; k < set->count; k++)
      tokens += values[shared.model->variables[set->variables[k]].first];
    ck_assert_int_le(tokens, 1);
  }
}

static void assert_same_values(const uint64_t *a, const uint64_t *b) {
  static int64_t x[MOST_VALUES], y[MOST_VALUES];
  uint64_t packed[MOST_WORDS];
  ck_assert_uint_le(shared.model->value_count, MOST_VALUES);
  layout_unpack(shared.model, shared.layout, a, x);
  layout_unpack(apart.model, apart.layout, b, y);
  assert_exclusive(y);
  ck_assert_mem_eq(x, y, shared.model->value_count * sizeof *x);
  layout_pack(shared.model, shared.layout, x, packed);
  ck_assert_mem_eq(packed, a, shared.layout->words * sizeof *packed);
}

static void add_state(const uint64_t *a, const uint64_t *b) {
  const size_t width = shared.layout->words * sizeof *a, other = apart.layout->words * sizeof *b;
  for (size_t i = 0; i < found; i++) {
    const bool known = memcmp(shared.states[i], a, width) == 0;
    ck_assert_int_eq(known, memcmp(apart.states[i], b, other) == 0);
    if (known)
      return;
  }
  if (found == MOST_STATES)
    return;
  memcpy(shared.states[found], a, width);
  memcpy(apart.states[found++], b, other);
}

static void expand(size_t i) {
  const size_t most = shared.stepper->max_successors;
  uint64_t *const a = calloc(most + 1, shared.layout->words * sizeof *a);
  uint64_t *const b = calloc(most + 1, apart.layout->words * sizeof *b);
  struct step_edge *const x = calloc(most + 1, sizeof *x), *const y = calloc(most + 1, sizeof *y);
  const size_t n = shared.stepper->expand_one(shared.stepper, shared.states[i], a, x);
  ck_assert_uint_eq(apart.stepper->expand_one(apart.stepper, apart.states[i], b, y), n);
  for (size_t k = 0; k < n; k++) {
    ck_assert_uint_eq(x[k].transition, y[k].transition);
    ck_assert_uint_eq(x[k].site, y[k].site);
    if (x[k].site != NO_SITE) { /* more tokens in a counter than are possible here, or a second one in a unit */
      refused += shared.model->sites[x[k].site].kind == SITE_ASSERT;
      continue;
    }
    assert_same_values(a + k * shared.layout->words, b + k * apart.layout->words);
    add_state(a + k * shared.layout->words, b + k * apart.layout->words);
  }
  firings += n;
  free(a);
  free(b);
  free(x);
  free(y);
}

static void explore_both(struct loaded *loaded) {
  struct model without = *loaded->model;
  const struct layout *layout;
  without.exclusive_count = 0;
  ck_assert_int_eq(layout_make(&without, &loaded->arena, &layout), FLOE_OK);
  side_make(&shared, loaded->model, loaded->layout);
  side_make(&apart, &without, layout);
  assert_same_values(shared.states[0], apart.states[0]);
  found = 1;
  for (size_t i = 0; i < found; i++)
    expand(i);
  for (size_t i = 0; i < loaded->model->exclusive_count; i++)
    codes += loaded->model->exclusive[i].one;
  bits_shared += loaded->layout->bits;
  bits_apart += layout->bits;
  words_of_states += loaded->layout->words;
  shared.stepper->free(shared.stepper);
  apart.stepper->free(apart.stepper);
}

START_TEST(states_are_the_same) {
  const unsigned n = at_length() ? 300 : 9;
  size_t all = 0, sets = 0;
  for (uint64_t seed = 0; seed < n; seed++) {
    struct loaded loaded;
    load(&loaded, seed);
    explore_both(&loaded);
    sets += loaded.model->exclusive_count;
    all += found;
    loaded_free(&loaded);
  }
  ck_assert_uint_gt(all, 20 * n);
  ck_assert_uint_gt(firings, all);
  ck_assert_uint_gt(refused, 0);
  ck_assert_uint_gt(codes, 0);
  ck_assert_uint_gt(sets, codes); /* sets of both kinds */
  ck_assert_uint_lt(3 * bits_shared, 2 * bits_apart);
  ck_assert_uint_gt(words_of_states, n);
}
END_TEST

/* ---- other ways to execute them ------------------------------------------------------------------ */

static size_t states, edges;

static void compare(struct loaded *loaded, struct stepper *other, uint64_t seed) {
  struct comparison comparison = {.loaded = loaded, .max_states = 300, .seed = seed, .other = other};
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &comparison.reference), FLOE_OK);
  const bool same = compare_steppers(&comparison);
  ck_assert_msg(same, "net %llu: %s", (unsigned long long)seed, comparison.difference);
  other->free(other);
  comparison.reference->free(comparison.reference);
  states += comparison.states;
  edges += comparison.edges;
}

START_TEST(tables_of_arcs_agree) {
  const unsigned n = at_length() ? 300 : 9;
  states = edges = 0;
  for (uint64_t seed = 0; seed < n; seed++) {
    struct loaded loaded;
    struct stepper *table;
    load(&loaded, seed);
    ck_assert_int_eq(arc_stepper_create(loaded.model, loaded.layout, &table), FLOE_OK);
    compare(&loaded, table, seed);
    loaded_free(&loaded);
  }
  ck_assert_uint_gt(states, 20 * n);
}
END_TEST

static void compare_code(struct loaded *loaded, uint64_t seed) {
  struct stepper *code;
  ck_assert_msg(compiled_create(loaded->model, loaded->layout, &quick, loaded->log, &code) == FLOE_OK, "net %llu: %s",
                (unsigned long long)seed, loaded_message(loaded));
  compare(loaded, code, seed);
}

/* Small nets, which compile quickly. */
START_TEST(compiled_code_agrees) {
  const unsigned n = at_length() ? 60 : 1;
  size_t dependent = 0;
  states = 0;
  for (uint64_t seed = 1; seed < 3 * n; seed += 3) {
    struct loaded loaded;
    load(&loaded, seed);
    compare_code(&loaded, seed);
    struct invariants *const invariants = learn_invariants(&loaded, seed % 2 ? LEARN_ALL : LEARN_PROVED, 20000);
    if (invariants && use_index_keys(&loaded, invariants)) {
      dependent += invariants->dependent_count;
      compare_code(&loaded, seed);
    }
    loaded_free(&loaded);
  }
  ck_assert_uint_gt(states, 5 * n);
  ck_assert_uint_ge(dependent, n);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("exclusive sets", CK_NOFORK, states_are_the_same, tables_of_arcs_agree, compiled_code_agrees,
                   nothing_leaks);
}
