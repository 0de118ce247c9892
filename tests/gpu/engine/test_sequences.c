/* Models with transient states (doc/design/transient.md) on the emulated GPU: the same results as by the interpreter,
   with traces; a GPU that cannot follow the sequences of a state ends the search, and `auto` continues on the CPU. */
#include "tests/gpu/device/emulated_gpu_api.h"
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/engine/same_on_gpu.h"
#include "tests/step/random_sequences.h"

#include "floe.h"

#include <stdlib.h>
#include <string.h>

static const struct gpu_search_options reference_search = {.engine = FLOE_ENGINE_INTERPRETER},
                                       automatic = {.engine = FLOE_ENGINE_AUTO}, on_gpu = {.engine = FLOE_ENGINE_GPU};

static floe_model *parse(const char *text) {
  floe_model *model;
  ck_assert_msg(floe_model_parse("m.processes", text, strlen(text), NULL, &model) == FLOE_OK, "%s", text);
  ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
  return model;
}

static bool agrees(const char *text) {
  floe_model *const model = parse(text);
  const bool same = same_on_gpu(model, &on_gpu);
  floe_model_free(model);
  return same;
}

/* ---- random models -------------------------------------------------------------------------------- */

static void explore_random(uint64_t first, unsigned count, const char *settings, unsigned *refused) {
  *refused = 0;
  setenv("FLOE_GPU_TEST", settings, 1);
  for (unsigned i = 0; i < count; i++) {
    char *const text = random_sequences_text(first + i, (first + i) % 3 == 2);
    *refused += !agrees(text);
    free(text);
  }
  unsetenv("FLOE_GPU_TEST");
}

START_TEST(random_models_agree) {
  const unsigned count = at_length() ? 60 : 4;
  unsigned refused;
  explore_random(at_length() ? 1000 : 1036, count, "blocks=2", &refused);
  printf("%u models, %u refused\n", count, refused);
  ck_assert_uint_lt(refused, count / 2);
}
END_TEST

/* Never a wrong result. */
START_TEST(small_stacks) {
  const unsigned count = at_length() ? 60 : 4;
  unsigned refused;
  explore_random(at_length() ? 1000 : 1036, count, "stack=3,sequences=4,queue=100,slice_us=200", &refused);
  printf("%u models, %u refused\n", count, refused);
  ck_assert_uint_gt(refused, 0);
  ck_assert_uint_lt(refused, count);
}
END_TEST

/* ---- models made by hand --------------------------------------------------------------------------- */

#define HEADER "processes\ntransient\nvalue x 0 3\n"

/* Sequences that end blocked, only the first firing, errors in sequences, nothing that fires; groups of transitions
   with more successors than a buffer, which begin sequences before and after them. */
static const char *const models[] = {
    HEADER "process P 1 a b c d e\nprocess Q 1 q\n"
           "P a b hold\nP b c for 0 1 hold\nP b c set x 0 hold\nP c d set x 1 hold\nP d e if x 2\n"
           "Q q q if x 1 set x 2\n",
    HEADER "process P 1 a b c d\nP a b hold first\nP b c if x 1 set x 3\nP b c set x 1\nP b d set x 2\n",
    HEADER "process P 1 a b c\nP a b hold first\nP b c if x 1\n",
    HEADER "value y 0 2\nprocess P 1 a b c d\nP a b set x 3 hold\nP b c hold\nP c d set y x\n",
    HEADER "process P 1 a b c\nprocess Q 1 q r\nP a c for 0 1 hold\nP a b for 0 3 set x i\nP a c for 0 2 hold\n"
           "P b a\nP c a for 0 2 set x i\nQ q r\n"};

START_TEST(models_made_by_hand) {
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (at_length() || i != 1)
      ck_assert(agrees(models[i]));
}
END_TEST

/* No end, and 16,384 sequences. */
static const char *const endless[] = {
    HEADER "process P 1 a b\nprocess Q 1 q r\nP a b hold\nP b b hold\nQ q r\n",
    HEADER "process P 1 a b c d e f g h\nP a b for 0 3 set x i hold\nP b c for 0 3 set x i hold\n"
           "P c d for 0 3 set x i hold\nP d e for 0 3 set x i hold\nP e f for 0 3 set x i hold\n"
           "P f g for 0 3 set x i hold\nP g h for 0 3 set x i\n"};

START_TEST(the_cpu_continues) {
  for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
    floe_model *const model = parse(endless[i]);
    floe_result *reference = NULL, *result = NULL;
    ck_assert(!agrees(endless[i]));
    ck_assert_int_eq(explore_with(model, &reference_search, NULL, &reference), FLOE_OK);
    ck_assert_int_eq(explore_with(model, &automatic, NULL, &result), FLOE_OK);
    same_results(model, reference, result);
    floe_result_free(result);
    floe_result_free(reference);
    floe_model_free(model);
  }
}
END_TEST

/* Four sequences that fail count as those that end: CPUs leave out what exceeds their limit. */
START_TEST(failing_sequences_count) {
  static const char text[] = HEADER "value y 0 2\nprocess P 1 a b c\nP a b set x 3 hold\nP b c for 0 3 set y x hold\n";
  setenv("FLOE_GPU_TEST", "sequences=4", 1);
  ck_assert(agrees(text));
  setenv("FLOE_GPU_TEST", "sequences=3", 1);
  ck_assert(!agrees(text));
  unsetenv("FLOE_GPU_TEST");
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  emulated_memory = UINT64_C(1) << 26;
  TCase *tests = tcase_create("sequences");
  add_tests(tests, random_models_agree, small_stacks, models_made_by_hand, the_cpu_continues, failing_sequences_count);
  return emulated_run("sequences on an emulated GPU", tests);
}
