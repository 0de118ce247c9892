/* Nets on the emulated GPU, whose kernels read the table of arcs: the same results as by the interpreter, with all
   paths to deadlocks and failing firings. */
#include "tests/gpu/device/emulated_suite.h"
#include "tests/step/random_machines.h"
#include "tests/step/random_net.h"

#include "floe.h"

#include <stdlib.h>
#include <string.h>

/* Of each two nets, one is small and has places that share fields. */
static floe_model *parse(uint64_t seed) {
  floe_model *model;
  const char *tokens;
  size_t length;
  char *const text = seed % 2 ? random_machines_text(seed + 1, &length) : random_net_text(seed, &length, &tokens);
  ck_assert_int_eq(floe_model_parse("n.pnml", text, length, NULL, &model), FLOE_OK);
  free(text);
  ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
  return model;
}

static floe_result *explore(floe_model *model, floe_engine engine) {
  floe_options options;
  floe_result *result = NULL;
  floe_options_init(&options);
  options.engine = engine;
  options.threads = 1;
  options.encoding = FLOE_ENCODING_FIELDS;
  options.memory = UINT64_C(64) << 20;
  options.max_depth = 6; /* the nets may have any number of states */
  options.keep_going = true;
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  return result;
}

static void same_summaries(const floe_summary *a, const floe_summary *b) {
  ck_assert_uint_eq(a->states, b->states);
  ck_assert_uint_eq(a->transitions, b->transitions);
  ck_assert_uint_eq(a->levels, b->levels);
  ck_assert_uint_eq(a->deadlocks, b->deadlocks);
  ck_assert_uint_eq(a->max_out_degree, b->max_out_degree);
  ck_assert_str_eq(a->certificate, b->certificate);
}

static void same_results(const floe_model *model, const floe_result *a, const floe_result *b) {
  same_summaries(floe_result_summary(a), floe_result_summary(b));
  for (size_t i = 0; i < floe_result_verdicts(a); i++) {
    const floe_verdict x = floe_result_verdict(a, i), y = floe_result_verdict(b, i);
    ck_assert_int_eq(x.value, y.value);
    ck_assert_int_eq(x.depth, y.depth);
    ck_assert(!x.trace == !y.trace);
  }
  for (size_t i = 0; i < floe_model_transitions(model); i++)
    ck_assert_uint_eq(floe_result_fired(a, i), floe_result_fired(b, i));
}

/* Words of states and sizes of the sets of transitions vary with the seed. */
START_TEST(random_nets_agree) {
  const uint64_t n = at_length() ? 40 : 5;
  uint64_t states = 0;
  for (uint64_t seed = 0; seed < n; seed++) {
    floe_model *const model = parse(3 * seed);
    floe_result *const reference = explore(model, FLOE_ENGINE_INTERPRETER);
    floe_result *const gpu = explore(model, FLOE_ENGINE_GPU);
    ck_assert_str_eq(floe_result_summary(gpu)->engine, "gpu");
    same_results(model, reference, gpu);
    states += floe_result_summary(gpu)->states;
    floe_result_free(gpu);
    floe_result_free(reference);
    floe_model_free(model);
  }
  ck_assert_uint_gt(states, 100 * n);
  printf("%llu nets, %llu states\n", (unsigned long long)n, (unsigned long long)states);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  setenv("FLOE_GPU_TEST", "arcs=1", 1);
  TCase *tests = tcase_create("arcs");
  add_tests(tests, random_nets_agree);
  return emulated_run("arcs on an emulated GPU", tests);
}
