/* Translation of LTL to automata: random formulas on random words against direct evaluation, sizes and strengths of
   known formulas. FLOE_TEST_LONG=1: 50,000 formulas. */
#include "logic/evaluate.h"
#include "logic/translate.h"
#include "tests/logic/words.h"
#include "tests/suite.h"

enum { ATOMS = 3, WORDS = 40 };

struct call {
  void (*body)(struct formulas *set, void *data);
  void *data;
  struct arena arena;
};

static void run_call(void *data) {
  struct call *call = data;
  call->body(formulas_create(&call->arena), call->data);
}

static void guarded(void (*body)(struct formulas *set, void *data), void *data) {
  struct call call = {.body = body, .data = data};
  arena_init(&call.arena);
  ck_assert_int_eq(arena_guard(&call.arena, run_call, &call), 0);
  arena_free(&call.arena);
}

struct sample {
  uint64_t seed;
  unsigned size;
};

static void compare_formula(struct formulas *set, void *data) {
  const struct sample *sample = data;
  uint64_t seed = sample->seed;
  const struct trees trees = random_trees(&seed, sample->size, ATOMS);
  const struct formula *formula = tree_formula(set, &trees);
  const struct automaton *automaton = translate(set, formula), *inverse = translate(set, formula_not(set, formula));
  ck_assert(automaton && inverse);
  struct formulas *other = formulas_create(formulas_arena(set));
  ck_assert_str_eq(
      formula_text(formula_not(other, formula_not(other, formula_copy(other, formula))), NULL, formulas_arena(set)),
      formula_text(formula_copy(other, formula), NULL, formulas_arena(set)));
  for (unsigned i = 0; i < WORDS; i++) {
    const struct word word = random_word(&seed, ATOMS);
    const bool right = word_satisfies(&word, &trees);
    const struct periodic_word periodic = {word.valuations, word.length, word.loop};
    ck_assert_int_eq(formula_holds(formula, &periodic, formulas_arena(set)), right);
    ck_assert_msg(automaton_accepts(automaton, &word) == right, "seed %llu, word %u: %s is %d",
                  (unsigned long long)sample->seed, i, formula_text(formula, NULL, formulas_arena(set)), !right);
    ck_assert_msg(automaton_accepts(inverse, &word) != right, "seed %llu, word %u: not %s is %d",
                  (unsigned long long)sample->seed, i, formula_text(formula, NULL, formulas_arena(set)), right);
  }
}

START_TEST(random_formulas) {
  const unsigned count = at_length() ? 50000 : 600;
  for (unsigned i = 0; i < count; i++)
    guarded(compare_formula, &(struct sample){i, 2 + i % 16});
}
END_TEST

static void compare_entailment(struct formulas *set, void *data) {
  const struct sample *sample = data;
  uint64_t seed = sample->seed;
  const struct trees a = random_trees(&seed, sample->size, 2), b = random_trees(&seed, sample->size, 2);
  if (!formula_entails(set, tree_formula(set, &a), tree_formula(set, &b)))
    return;
  for (unsigned i = 0; i < WORDS; i++) {
    const struct word word = random_word(&seed, 2);
    ck_assert_msg(!word_satisfies(&word, &a) || word_satisfies(&word, &b), "seed %llu",
                  (unsigned long long)sample->seed);
  }
}

START_TEST(entailment_is_right) {
  for (unsigned i = 0; i < (at_length() ? 200000u : 5000u); i++)
    guarded(compare_entailment, &(struct sample){i, 2 + i % 8});
}
END_TEST

static const struct formula *a_formula(struct formulas *set, char name) {
  return formula_atom(set, (uint32_t)(name - 'a'));
}

/* The formula in prefix notation: F G X ! with one operand, U R & | with two. */
static const struct formula *parsed(struct formulas *set, const char **text) {
  const char op = *(*text)++;
  if (op >= 'a' && op <= 'z')
    return a_formula(set, op);
  const struct formula *left = parsed(set, text);
  switch (op) {
  case 'F':
    return formula_eventually(set, left);
  case 'G':
    return formula_always(set, left);
  case 'X':
    return formula_next(set, left);
  case '!':
    return formula_not(set, left);
  case 'U':
    return formula_until(set, left, parsed(set, text));
  case 'R':
    return formula_release(set, left, parsed(set, text));
  case '&':
    return formula_and(set, left, parsed(set, text));
  default:
    return formula_or(set, left, parsed(set, text));
  }
}

struct known {
  const char *text;
  uint32_t states, sets;
  enum automaton_strength strength;
};

static void check_size(struct formulas *set, void *data) {
  const struct known *known = data;
  const char *text = known->text;
  const struct automaton *automaton = translate(set, parsed(set, &text));
  ck_assert(automaton && *text == '\0');
  const struct automaton_shape shape = automaton_shape(formulas_arena(set), automaton);
  ck_assert_msg(automaton->states == known->states && automaton->sets == known->sets &&
                    shape.strength == known->strength,
                "%s: %u states, %u sets, strength %d", known->text, automaton->states, automaton->sets, shape.strength);
}

START_TEST(sizes_of_known_formulas) {
  static const struct known all[] = {
      {"Ga", 1, 0, AUTOMATON_WEAK},        {"Fa", 2, 1, AUTOMATON_TERMINAL},     {"Uab", 2, 1, AUTOMATON_TERMINAL},
      {"Rab", 2, 0, AUTOMATON_WEAK},       {"GFa", 1, 1, AUTOMATON_GENERAL},     {"FGa", 2, 1, AUTOMATON_WEAK},
      {"G|!aFb", 2, 1, AUTOMATON_GENERAL}, {"&GFaGFb", 1, 2, AUTOMATON_GENERAL}, {"|GFaFGb", 4, 1, AUTOMATON_GENERAL},
      {"&FaFb", 4, 1, AUTOMATON_TERMINAL}, {"XXa", 4, 0, AUTOMATON_TERMINAL},    {"&a!a", 1, 0, AUTOMATON_TERMINAL},
      {"|a!a", 1, 0, AUTOMATON_TERMINAL},  {"F&aXFb", 3, 1, AUTOMATON_TERMINAL},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    guarded(check_size, (void *)&all[i]);
}
END_TEST

int main(void) {
  return suite_end(run_tests("translate", CK_NOFORK, random_formulas, entailment_is_right, sizes_of_known_formulas));
}
