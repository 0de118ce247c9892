/* Owner masks, checked on all states of models: the members' parts are nearly equal, and fewer transitions change
   the owner than with all bits. */
#include "tests/engine/multiword_models.h"

#include "core/mem.h"
#include "engine/distributed/owner_sampling.h"
#include "engine/distributed/state_owner.h"
#include "step/stepper.h"
#include "tests/step/learned_invariants.h"
#include "tests/suite.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MOST_WORDS 8

static const char counters[] =
    "<model name='counters'><constant name='K' value='6' range='2..100'/>"
    "<process name='Counter' instances='6'><variable name='n' range='0..K - 1'/><location name='run' initial='true'/>"
    "<transition from='run' label='tick' effect='n = n == K - 1 ? 0 : n + 1'/></process></model>";

struct distribution {
  double greatest; /* states of the largest part, divided by the mean */
  double leave;    /* fraction of the transitions that change the owner */
};

static struct stepper *stepper_of(const struct loaded *loaded) {
  struct stepper *stepper;
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  return stepper;
}

/* Each key has one owner and an unique number there, with few more numbers than possible keys. */
static void check_numbers(const struct layout *layout, const struct state_owner *state_owner) {
  const struct local_index *s = &state_owner->index;
  const uint64_t numbers = local_index_numbers(s, layout->keys);
  bool *taken = mem_array((size_t)(numbers * s->members), sizeof *taken);
  ck_assert_uint_eq(s->members, state_owner->size);
  ck_assert_uint_le(numbers, layout->keys / 4 * 5 / state_owner->size + 1);
  for (uint64_t key = 0; key < layout->keys; key++) {
    const unsigned owner = state_owner_of(state_owner, &key);
    const uint64_t number = local_index_number(s, key);
    ck_assert_uint_lt(owner, state_owner->size);
    ck_assert_uint_lt(number, numbers);
    ck_assert(!taken[owner * numbers + number]);
    ck_assert_uint_eq(local_index_key(s, owner, number), key);
    taken[owner * numbers + number] = true;
  }
  mem_free(taken);
}

static struct distribution distribute(const struct loaded *loaded, const struct truth *truth, const uint64_t *mask,
                                      unsigned size) {
  struct stepper *stepper = stepper_of(loaded);
  struct state_owner state_owner;
  const uint32_t words = truth->words;
  uint64_t *successors = mem_array((size_t)stepper->max_successors * words, sizeof *successors), of[64] = {0};
  struct step_edge *edges = mem_array(stepper->max_successors, sizeof *edges);
  uint64_t leave = 0, most = 0;
  ck_assert_uint_le(size, 64);
  state_owner_make(loaded->layout, mask, size, &state_owner);
  if (words == 1)
    check_numbers(loaded->layout, &state_owner);
  for (uint64_t i = 0; i < truth->states; i++) {
    const uint64_t *state = truth->found + i * words;
    const unsigned owner = state_owner_of(&state_owner, state);
    const size_t n = stepper->expand_one(stepper, state, successors, edges);
    ck_assert_uint_lt(owner, size);
    of[owner]++;
    for (size_t k = 0; k < n; k++)
      leave += state_owner_of(&state_owner, successors + k * words) != owner;
  }
  for (unsigned i = 0; i < size; i++)
    most = of[i] > most ? of[i] : most;
  mem_free(successors);
  mem_free(edges);
  stepper->free(stepper);
  return (struct distribution){(double)most * size / (double)truth->states, (double)leave / (double)truth->transitions};
}

static void choose(const struct loaded *loaded, unsigned size, uint64_t *mask) {
  uint64_t initial[MOST_WORDS], again[MOST_WORDS];
  const uint32_t words = loaded->layout->key_words;
  ck_assert_uint_le(words, MOST_WORDS);
  ck_assert_int_eq(key_of_initial(loaded->model, loaded->layout, initial), FLOE_OK);
  ck_assert_int_eq(owner_mask_choose(loaded->model, loaded->layout, initial, size, mask), FLOE_OK);
  ck_assert_int_eq(owner_mask_choose(loaded->model, loaded->layout, initial, size, again), FLOE_OK);
  ck_assert_mem_eq(mask, again, words * sizeof *mask);
}

static bool has_all_bits(const uint64_t *mask, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (~mask[i])
      return false;
  return true;
}

/* `most`: transitions that change the owner, relative to those with all bits. */
static void check_shares(const struct loaded *loaded, unsigned size, double most) {
  struct truth truth;
  uint64_t mask[MOST_WORDS];
  truth_find(loaded, &truth);
  choose(loaded, size, mask);
  ck_assert(!has_all_bits(mask, truth.words));
  const struct distribution with = distribute(loaded, &truth, mask, size), all = distribute(loaded, &truth, NULL, size);
  ck_assert_msg(with.greatest < 1.15, "the greatest share of %u is %f", size, with.greatest);
  ck_assert_msg(with.leave < most * all.leave, "%f of the transitions leave, %f with all bits", with.leave, all.leave);
  truth_free(&truth);
}

static void load(struct loaded *loaded, const char *text, const char *name, const char *value) {
  const struct loaded_constant definition = {name, value};
  ck_assert_msg(loaded_from_text(loaded, "model", text, strlen(text), &definition, 1), "%s", loaded_message(loaded));
}

START_TEST(fewer_owner_changes) {
  struct loaded loaded;
  load(&loaded, counters, "K", "6");
  check_shares(&loaded, 2, 0.8);
  check_shares(&loaded, 4, 0.95);
  loaded_free(&loaded);
}
END_TEST

START_TEST(fewer_owner_changes_of_several_words) {
  const struct wide_model model = {WIDE_COUNTERS, 7, 4, UINT64_C(1) << 28, 3};
  struct loaded loaded;
  wide_model_load(&model, &loaded);
  check_shares(&loaded, 2, 0.95);
  loaded_free(&loaded);
}
END_TEST

/* Chooses exactly the highest bits. */
START_TEST(index_keys_use_high_bits) {
  struct loaded loaded;
  uint64_t mask;
  load(&loaded, counters, "K", "6");
  ck_assert(use_index_keys(&loaded, learn_invariants(&loaded, LEARN_DECLARED, 1u << 20)));
  choose(&loaded, 2, &mask);
  ck_assert_uint_ne(~mask, 0);
  ck_assert_uint_eq(~mask & (~mask + 1), 0);
  ck_assert_uint_ne(mask & ((UINT64_C(1) << loaded.layout->key_bits) - 1), 0);
  check_shares(&loaded, 2, 0.8);
  loaded_free(&loaded);
}
END_TEST

/* Chooses all bits: too few states, or too many members. */
START_TEST(all_bits_if_not_chosen) {
  struct loaded loaded;
  uint64_t mask;
  load(&loaded, counters, "K", "2");
  choose(&loaded, 2, &mask);
  ck_assert_uint_eq(mask, UINT64_MAX);
  loaded_free(&loaded);
  load(&loaded, counters, "K", "6");
  choose(&loaded, 100000, &mask);
  ck_assert_uint_eq(~mask & ((UINT64_C(1) << loaded.layout->key_bits) - 1), 0);
  loaded_free(&loaded);
}
END_TEST

/* For masks of all bits, of the highest, and of fields below the top. */
START_TEST(numbers_are_dense) {
  enum { FIRST_FEW = 5 }; /* masks from here on may have too few adjacent bits for so many members */
  static const uint64_t masks[] = {UINT64_MAX, 0xfff0, 0xff00, 0x0ff0, 0x3f3c, 0x00f0, 0x7f80f, 0x1c};
  static const uint64_t bounds[] = {1, 0x10000, 0xabcd, 50000, 0x40001};
  for (unsigned b = 0; b < sizeof bounds / sizeof *bounds; b++)
    for (unsigned m = 0; m < sizeof masks / sizeof *masks; m++)
      for (unsigned size = 2; size < 18; size += 1 + size / 5) {
        struct layout layout = {.key_words = 1, .key_bits = 1, .keys = bounds[b]};
        struct state_owner state_owner;
        while (bounds[b] > UINT64_C(1) << layout.key_bits)
          layout.key_bits++;
        state_owner_make(&layout, m ? &masks[m] : NULL, size, &state_owner);
        if (state_owner.index.members)
          check_numbers(&layout, &state_owner);
        else
          ck_assert_msg(bounds[b] < 1000 || size > 12 || (m >= FIRST_FEW && size > 4),
                        "no shares of %llu keys by %llx for %u", (unsigned long long)bounds[b],
                        (unsigned long long)masks[m], size);
      }
}
END_TEST

START_TEST(hash_if_no_digit) {
  const uint64_t every_other = 0x5555555555555555, none = 0;
  const struct layout one = {.key_words = 1, .key_bits = 20, .keys = 1 << 20},
                      many = {.key_words = 1, .key_bits = 49, .keys = (UINT64_C(1) << 48) + 1},
                      any = {.key_words = 1, .key_bits = 64, .keys = 0}, wide = {.key_words = 2};
  struct state_owner state_owner;
  state_owner_make(&one, NULL, 3, &state_owner);
  ck_assert_uint_eq(state_owner.index.members, 3);
  state_owner_make(&one, &every_other, 3, &state_owner);
  ck_assert_uint_eq(state_owner.index.members, 0);
  state_owner_make(&one, &none, 3, &state_owner);
  ck_assert_uint_eq(state_owner.index.members, 0);
  state_owner_make(&one, NULL, 1, &state_owner);
  ck_assert_uint_eq(state_owner.index.members, 0);
  state_owner_make(&many, NULL, 3, &state_owner);
  ck_assert_uint_eq(state_owner.index.members, 0);
  state_owner_make(&any, NULL, 3, &state_owner);
  ck_assert_uint_eq(state_owner.index.members, 0);
  state_owner_make(&wide, NULL, 3, &state_owner);
  ck_assert_uint_eq(state_owner.index.members, 0);
}
END_TEST

/* Large key sets are tested at the edges and at random keys. */
START_TEST(numbers_of_large_keys) {
  for (unsigned bits = 30; bits <= 48; bits += 3)
    for (unsigned size = 2; size <= 11; size += 3) {
      const struct layout layout = {
          .key_words = 1, .key_bits = bits, .keys = (UINT64_C(1) << bits) - (bits % 2 ? 12345 : 0)};
      const uint64_t mask = UINT64_MAX << (bits - 13);
      struct state_owner state_owner;
      state_owner_make(&layout, &mask, size, &state_owner);
      ck_assert_uint_eq(state_owner.index.members, size);
      const uint64_t numbers = local_index_numbers(&state_owner.index, layout.keys);
      ck_assert_uint_le(numbers, layout.keys / size / 50 * 51);
      for (uint64_t i = 0, key = 1; i < 100000; i++, key = key * 0x5851f42d4c957f2d + 1) {
        const uint64_t one = i < 10 ? layout.keys - 1 - i : (key >> (64 - bits)) % layout.keys;
        const uint64_t number = local_index_number(&state_owner.index, one);
        ck_assert_uint_lt(number, numbers);
        ck_assert_uint_eq(local_index_key(&state_owner.index, state_owner_of(&state_owner, &one), number), one);
      }
    }
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("owners");
  tcase_set_timeout(tcase, 60);
  add_tests(tcase, fewer_owner_changes, fewer_owner_changes_of_several_words, index_keys_use_high_bits,
            all_bits_if_not_chosen, numbers_are_dense, hash_if_no_digit, numbers_of_large_keys);
  return run_suite("state owners", CK_FORK_GETENV, tcase);
}
