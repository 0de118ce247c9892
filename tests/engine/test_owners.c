/* The bits that say whose a state is: against all states of models, shares are even, and fewer transitions leave their
   owner than with all bits. */
#include "wide_models.h"

#include "core/mem.h"
#include "engine/owners.h"
#include "step/learned_facts.h"
#include "step/stepper.h"
#include "table/kernel/shim.h"

#include "step/kernel/owner.h"

#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MOST_WORDS 8

static const char counters[] =
    "<model name='counters'><constant name='K' value='6' range='2..100'/>"
    "<process name='Counter' instances='6'><variable name='n' range='0..K - 1'/><location name='run' initial='true'/>"
    "<transition from='run' label='tick' effect='n = n == K - 1 ? 0 : n + 1'/></process></model>";

struct shares {
  double greatest; /* of all states, by the mean */
  double leave;    /* of all transitions */
};

static struct stepper *stepper_of(const struct loaded *loaded) {
  struct stepper *stepper;
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  return stepper;
}

static struct shares deal(const struct loaded *loaded, const struct truth *truth, const uint64_t *mask, unsigned size) {
  struct stepper *stepper = stepper_of(loaded);
  const uint32_t words = truth->words;
  uint64_t *successors = mem_array((size_t)stepper->max_successors * words, sizeof *successors), of[64] = {0};
  struct step_edge *edges = mem_array(stepper->max_successors, sizeof *edges);
  uint64_t leave = 0, most = 0;
  ck_assert_uint_le(size, 64);
  for (uint64_t i = 0; i < truth->states; i++) {
    const uint64_t *state = truth->found + i * words;
    const unsigned owner = owner_of(state, mask, words, size);
    const size_t n = stepper->expand_one(stepper, state, successors, edges);
    ck_assert_uint_lt(owner, size);
    of[owner]++;
    for (size_t k = 0; k < n; k++)
      leave += owner_of(successors + k * words, mask, words, size) != owner;
  }
  for (unsigned i = 0; i < size; i++)
    most = of[i] > most ? of[i] : most;
  mem_free(successors);
  mem_free(edges);
  stepper->free(stepper);
  return (struct shares){(double)most * size / (double)truth->states, (double)leave / (double)truth->transitions};
}

static void choose(const struct loaded *loaded, unsigned size, const atomic_bool *needless, uint64_t *mask) {
  uint64_t initial[MOST_WORDS], again[MOST_WORDS];
  const uint32_t words = loaded->layout->key_words;
  ck_assert_uint_le(words, MOST_WORDS);
  ck_assert_int_eq(key_of_initial(loaded->model, loaded->layout, initial), FLOE_OK);
  ck_assert_int_eq(owners_choose(loaded->model, loaded->layout, initial, size, needless, mask), FLOE_OK);
  ck_assert_int_eq(owners_choose(loaded->model, loaded->layout, initial, size, needless, again), FLOE_OK);
  ck_assert_mem_eq(mask, again, words * sizeof *mask);
}

static bool has_all_bits(const uint64_t *mask, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (~mask[i])
      return false;
  return true;
}

/* `most`: that leave, of those that do with all bits. */
static void check_shares(const struct loaded *loaded, unsigned size, double most) {
  struct truth truth;
  uint64_t mask[MOST_WORDS];
  truth_find(loaded, &truth);
  choose(loaded, size, NULL, mask);
  ck_assert(!has_all_bits(mask, truth.words));
  const struct shares with = deal(loaded, &truth, mask, size), all = deal(loaded, &truth, NULL, size);
  ck_assert_msg(with.greatest < 1.15, "the greatest share of %u is %f", size, with.greatest);
  ck_assert_msg(with.leave < most * all.leave, "%f of the transitions leave, %f with all bits", with.leave, all.leave);
  truth_free(&truth);
}

static void load(struct loaded *loaded, const char *text, const char *name, const char *value) {
  const struct definition definition = {name, value};
  ck_assert_msg(loaded_from_text(loaded, "model", text, strlen(text), &definition, 1), "%s", loaded_message(loaded));
}

START_TEST(fewer_leave) {
  struct loaded loaded;
  load(&loaded, counters, "K", "6");
  check_shares(&loaded, 2, 0.8);
  check_shares(&loaded, 4, 0.95);
  loaded_free(&loaded);
}
END_TEST

START_TEST(fewer_leave_of_several_words) {
  const struct wide_model model = {WIDE_COUNTERS, 7, 4, UINT64_C(1) << 28, 3};
  struct loaded loaded;
  wide_model_load(&model, &loaded);
  check_shares(&loaded, 2, 0.95);
  loaded_free(&loaded);
}
END_TEST

/* The highest bits, and no others. */
START_TEST(ranks_have_high_bits) {
  struct loaded loaded;
  uint64_t mask;
  load(&loaded, counters, "K", "6");
  ck_assert(rank_keys(&loaded, learn_facts(&loaded, LEARN_DECLARED, 1u << 20)));
  choose(&loaded, 2, NULL, &mask);
  ck_assert_uint_ne(~mask, 0);
  ck_assert_uint_eq(~mask & (~mask + 1), 0);
  ck_assert_uint_ne(mask & ((UINT64_C(1) << loaded.layout->key_bits) - 1), 0);
  check_shares(&loaded, 2, 0.8);
  loaded_free(&loaded);
}
END_TEST

/* Too few states, so many members that it takes all that there is, or nobody who wants to know. */
START_TEST(else_all_bits) {
  const atomic_bool needless = true;
  struct loaded loaded;
  uint64_t mask;
  load(&loaded, counters, "K", "2");
  choose(&loaded, 2, NULL, &mask);
  ck_assert_uint_eq(mask, UINT64_MAX);
  loaded_free(&loaded);
  load(&loaded, counters, "K", "6");
  choose(&loaded, 100000, NULL, &mask);
  ck_assert_uint_eq(~mask & ((UINT64_C(1) << loaded.layout->key_bits) - 1), 0);
  choose(&loaded, 2, &needless, &mask);
  ck_assert_uint_eq(mask, UINT64_MAX);
  loaded_free(&loaded);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("owners of states");
  TCase *tcase = tcase_create("owners");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, fewer_leave);
  tcase_add_test(tcase, fewer_leave_of_several_words);
  tcase_add_test(tcase, ranks_have_high_bits);
  tcase_add_test(tcase, else_all_bits);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
