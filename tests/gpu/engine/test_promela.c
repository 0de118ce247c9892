/* Promela with atomic and d_step on the emulated GPU: with states of one word and of several, two linked
   GPUs, a linear table, and the host-backed set. Arguments: models to compare instead. */
#include "tests/gpu/device/emulated_gpu_api.h"
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/engine/same_on_gpu.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *wide;
  const char *settings, *devices, *table;
} cases[] = {
    {"0", "blocks=2", NULL, NULL},
    {"1000000", "blocks=1,queue=300", NULL, NULL},
    {"0", "twice=1,tell=1,alone=20,mailboxes=2", "0,1", NULL},
    {"0", "batch=500", NULL, "host-backed"},
    {"0", "fill=50,slice_us=300", NULL, "linear"},
};

static char **files;
static int file_count;

static void compare(floe_model *model, const struct gpu_search_options *how, const char *name) {
  ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
  printf("%s: %s\n", name, same_on_gpu(model, how) ? "the same" : "refused");
  floe_model_free(model);
}

START_TEST(given_models_agree) {
  const struct gpu_search_options how = {
      .engine = FLOE_ENGINE_GPU, .devices = getenv("FLOE_TEST_DEVICES"), .table = getenv("FLOE_TEST_TABLE")};
  for (int i = 0; i < file_count; i++) {
    floe_model *model;
    ck_assert_msg(floe_model_load(files[i], NULL, &model) == FLOE_OK, "%s", files[i]);
    compare(model, &how, files[i]);
  }
}
END_TEST

static floe_model *ring(const char *wide) {
  char path[4096];
  floe_model *model;
  snprintf(path, sizeof path, "%s/tests/gpu/engine/ring.pml", getenv("top_srcdir"));
  ck_assert_int_eq(floe_model_load(path, NULL, &model), FLOE_OK);
  ck_assert_int_eq(floe_model_define(model, "MOST", "1", NULL), FLOE_OK);
  ck_assert_int_eq(floe_model_define(model, "WIDE", wide, NULL), FLOE_OK);
  return model;
}

START_TEST(models_agree) {
  const struct gpu_search_options how = {
      .engine = FLOE_ENGINE_GPU, .devices = cases[_i].devices, .table = cases[_i].table};
  setenv("FLOE_GPU_TEST", cases[_i].settings, 1);
  compare(ring(cases[_i].wide), &how, cases[_i].settings);
}
END_TEST

/* A search that is saved and continued on GPUs. */
START_TEST(continued_search) {
  static const char file[] = "promela.checkpoint";
  floe_model *const model = ring("0");
  floe_options options;
  floe_result *result, *reference;
  floe_options_init(&options);
  options.engine = FLOE_ENGINE_GPU;
  options.threads = 1;
  options.memory = UINT64_C(64) << 20;
  options.keep_going = true;
  options.checkpoint = file;
  options.max_states = 1000;
  unsetenv("FLOE_GPU_TEST");
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  ck_assert_uint_ge(floe_result_summary(result)->states, 1000);
  floe_result_free(result);
  options.checkpoint = NULL;
  options.max_states = UINT64_MAX - 1; /* not that of the file */
  ck_assert_int_eq(floe_resume(model, file, &options, NULL, &result), FLOE_OK);
  ck_assert_str_eq(floe_result_summary(result)->engine, "gpu");
  ck_assert_uint_gt(floe_result_summary(result)->resumed_states, 0);
  const struct gpu_search_options how = {.engine = FLOE_ENGINE_INTERPRETER};
  ck_assert_int_eq(explore_with(model, &how, NULL, &reference), FLOE_OK);
  same_results(model, reference, result);
  floe_result_free(reference);
  floe_result_free(result);
  floe_model_free(model);
  remove(file);
  remove("promela.checkpoint.previous");
}
END_TEST

/* Q is enabled in all states outside of the sequences of P, so it fires. */
START_TEST(sequences_do_not_disable) {
  static const char text[] = "byte x; bool done;\n"
                             "active proctype P() { do :: atomic { x = 1; x = 0 } od }\n"
                             "active proctype Q() { done = true }\n"
                             "ltl fires { <>done }\n";
  static const char *const fairness[] = {"weak", NULL};
  static const floe_verdict_value values[] = {FLOE_HOLDS, FLOE_VIOLATED};
  for (size_t i = 0; i < 2; i++) {
    const struct gpu_search_options how = {.engine = FLOE_ENGINE_GPU, .fairness = fairness[i]};
    floe_model *model;
    floe_result *result;
    unsetenv("FLOE_GPU_TEST");
    ck_assert_int_eq(floe_model_parse("fair.pml", text, strlen(text), NULL, &model), FLOE_OK);
    ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
    ck_assert(same_on_gpu(model, &how));
    ck_assert_int_eq(explore_with(model, &how, NULL, &result), FLOE_OK);
    ck_assert_int_eq(floe_result_verdict(result, 1).value, values[i]);
    floe_result_free(result);
    floe_model_free(model);
  }
}
END_TEST

int main(int argc, char **argv) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  emulated_memory = UINT64_C(1) << 26;
  files = argv + 1;
  file_count = argc - 1;
  TCase *tests = tcase_create("promela");
  tcase_set_timeout(tests, 0);
  if (file_count > 0)
    add_tests(tests, given_models_agree);
  else
    tcase_add_loop_test(tests, models_agree, 0, (int)(sizeof cases / sizeof *cases) - !at_length());
  add_tests(tests, continued_search, sequences_do_not_disable);
  return emulated_run("Promela on an emulated GPU", tests);
}
