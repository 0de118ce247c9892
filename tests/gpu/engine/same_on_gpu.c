#include "tests/gpu/engine/same_on_gpu.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

floe_status explore_with(floe_model *model, const struct gpu_search_options *how, floe_log *log, floe_result **result) {
  floe_options options;
  floe_options_init(&options);
  options.engine = how->engine;
  options.devices = how->devices;
  options.table = how->table;
  options.fairness = how->fairness;
  options.threads = 1;
  options.compiler = "cc -O0";
  options.memory = UINT64_C(64) << 20;
  options.keep_going = true;
  return floe_explore(model, &options, log, result);
}

static void same_summaries(const floe_summary *a, const floe_summary *b) {
  ck_assert_uint_eq(a->states, b->states);
  ck_assert_uint_eq(a->transitions, b->transitions);
  ck_assert_uint_eq(a->levels, b->levels);
  ck_assert_uint_eq(a->deadlocks, b->deadlocks);
  ck_assert_uint_eq(a->max_out_degree, b->max_out_degree);
  ck_assert_str_eq(a->certificate, b->certificate);
}

static void same_verdicts(const floe_result *a, const floe_result *b) {
  ck_assert_uint_eq(floe_result_verdicts(a), floe_result_verdicts(b));
  for (size_t i = 0; i < floe_result_verdicts(a); i++) {
    const floe_verdict x = floe_result_verdict(a, i), y = floe_result_verdict(b, i);
    ck_assert_int_eq(x.value, y.value);
    ck_assert_int_eq(x.depth, y.depth);
    ck_assert(!x.trace == !y.trace);
    ck_assert(!x.trace || floe_trace_steps(x.trace) == floe_trace_steps(y.trace));
    if (x.cause || y.cause)
      ck_assert_str_eq(x.cause, y.cause);
  }
}

void same_results(const floe_model *model, const floe_result *a, const floe_result *b) {
  same_summaries(floe_result_summary(a), floe_result_summary(b));
  same_verdicts(a, b);
  for (size_t i = 0; i < floe_model_transitions(model); i++)
    ck_assert_uint_eq(floe_result_fired(a, i), floe_result_fired(b, i));
}

bool same_on_gpu(floe_model *model, const struct gpu_search_options *how) {
  floe_result *reference = NULL, *gpu = NULL;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(
      explore_with(model, &(struct gpu_search_options){.engine = FLOE_ENGINE_INTERPRETER, .fairness = how->fairness},
                   NULL, &reference),
      FLOE_OK);
  const floe_status status = explore_with(model, how, log, &gpu);
  if (status == FLOE_OK) {
    ck_assert_str_eq(floe_result_summary(gpu)->engine, "gpu");
    same_results(model, reference, gpu);
    const floe_summary *const summary = floe_result_summary(gpu);
    printf("%s: %" PRIu64 " states, %u bits, table %s, %" PRIu64 " growths, %" PRIu64 " spilled, %s\n", summary->engine,
           summary->states, summary->key_bits, summary->table, summary->growths, summary->spilled_states,
           floe_verdict_name(floe_result_verdict(gpu, 0).value));
  } else {
    ck_assert_int_eq(status, FLOE_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(floe_log_at(log, 0)->message, "atomic sequences"));
    const floe_verdict errors = floe_result_verdict(reference, floe_result_verdicts(reference) - 1);
    printf("refused: %" PRIu64 " states, %" PRIu64 " transitions, %s\n", floe_result_summary(reference)->states,
           floe_result_summary(reference)->transitions, errors.cause ? errors.cause : "no error");
  }
  floe_result_free(gpu);
  floe_result_free(reference);
  floe_log_free(log);
  return status == FLOE_OK;
}
