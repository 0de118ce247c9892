/* Engine selection: src/api/explore/engine_select.c with a fake GPU interface. Its engine is the CPU's under another
   name, so the results must be equal. */
#include "api/explore/engine_select.h"
#include "api/explore/make_stepper.h"
#include "core/diag.h"
#include "core/mem.h"

#include "tests/gpu/device/fake_gpu_api.h"
#include "tests/suite.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- models ---------------------------------------------------------------------------------- */

/* 12^N states, with a violation in the last one. The model states the number for N=7. It has no table of arcs. */
static const char model_text[] = "<model name='m'><constant name='N' value='1'/>"
                                 "<process name='P' instances='N'><variable name='x' range='0..11'/>"
                                 "<location name='a' initial='true'/>"
                                 "<transition from='a' guard='x * 2 &lt; 22' effect='x += 1'/></process>"
                                 "<deadlock check='false'/>"
                                 "<property id='top' kind='never'>all(i in P : P[i].x == 11)</property>"
                                 "<expect constants='N=7' states='35831808'/></model>";

static char folder[] = "/tmp/floe-test-XXXXXX";
static floe_log *log_of_test;
static floe_model *model;
static floe_options options;

static void setup(void) {
  memset(&fake, 0, sizeof fake);
  fake.there = true;
  fake.memory = 1000000;
  ck_assert_int_eq(floe_log_create(&log_of_test), FLOE_OK);
  ck_assert_int_eq(floe_model_parse("m", model_text, strlen(model_text), log_of_test, &model), FLOE_OK);
  floe_options_init(&options);
  options.cache_dir = folder;
  options.threads = 1;
  make_stepper_delay = engine_select_gpu_delay = 0;
}

static void teardown(void) {
  floe_model_free(model);
  floe_log_free(log_of_test);
  ck_assert_uint_eq(fake.acquired, fake.released);
  ck_assert_uint_eq(mem_live(), 0);
}

static void define(const char *n) { ck_assert_int_eq(floe_model_define(model, "N", n, log_of_test), FLOE_OK); }

static floe_result *explore(void) {
  floe_result *result;
  floe_status status = floe_explore(model, &options, log_of_test, &result);
  ck_assert_msg(status == FLOE_OK, "%s", floe_log_count(log_of_test) ? floe_log_at(log_of_test, 0)->message : "");
  return result;
}

/* Explores, and compares with the results of the CPU. */
static floe_summary explored_by(const char *engine) {
  floe_result *result = explore();
  floe_summary summary = *floe_result_summary(result);
  char certificate[300];
  snprintf(certificate, sizeof certificate, "%s", summary.certificate);
  ck_assert_str_eq(summary.engine, engine);
  int64_t depth = floe_result_verdict(result, 0).depth;
  bool traced = floe_result_verdict(result, 0).trace != NULL;
  ck_assert(!traced || (int64_t)floe_trace_steps(floe_result_verdict(result, 0).trace) == depth);
  floe_result_free(result);

  floe_options given = options;
  unsigned runs = fake.runs;
  options.engine = FLOE_ENGINE_CPU;
  options.visited_order = NULL;
  options.devices = NULL;
  result = explore();
  ck_assert_str_eq(floe_result_summary(result)->certificate, certificate);
  ck_assert_int_eq(floe_result_verdict(result, 0).depth, depth);
  ck_assert(!traced == !floe_result_verdict(result, 0).trace);
  floe_result_free(result);
  ck_assert_uint_eq(fake.runs, runs);
  options = given;
  return summary;
}

static const char *logged(size_t i) {
  ck_assert_uint_lt(i, floe_log_count(log_of_test));
  return floe_log_at(log_of_test, i)->message;
}

/* ---- engine GPU ------------------------------------------------------------------------------ */

START_TEST(gpu_explores_if_requested) {
  define("5"); /* enough states for a second pass on the GPU */
  options.engine = FLOE_ENGINE_GPU;
  options.gpu_device = 3;
  options.gpu_memory = 12345;
  explored_by("gpu");
  ck_assert_uint_eq(fake.runs, 2);      /* the second for the trace */
  ck_assert_uint_eq(fake.path_runs, 0); /* the levels do not fit in a quarter of its memory */
  ck_assert_uint_eq(fake.archived, 1);
  ck_assert_uint_eq(fake.acquired, 1);
  ck_assert_uint_eq(fake.device, 3);
  ck_assert_uint_eq(fake.gpu_memory, 12345);
  options.gpu_memory = 0;
  options.gpu_share = 0.25;
  options.traces = false;
  options.table = "linear";
  explored_by("gpu");
  ck_assert_uint_eq(fake.runs, 3);
  ck_assert_uint_eq(fake.gpu_memory, 250000);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

/* 12^9 bits are 645 MB: too many for one GPU of 400 MB, but not for each of three. */
START_TEST(encoding_is_chosen_for_all_gpus) {
  static const struct {
    const char *devices;
    floe_encoding encoding;
  } cases[] = {{"0", FLOE_ENCODING_FIELDS}, {"0,1,2", FLOE_ENCODING_INDEX}, {"all", FLOE_ENCODING_INDEX}};
  define("9");
  options.engine = FLOE_ENGINE_GPU;
  options.devices = cases[_i].devices;
  options.expected_states = UINT64_C(5159780352);
  options.memory = options.gpu_memory = 400000000;
  fake.memory = 400000000;
  fake.brief = true;
  floe_result *result = explore();
  ck_assert_int_eq(floe_result_summary(result)->encoding, cases[_i].encoding);
  floe_result_free(result);
}
END_TEST

START_TEST(several_gpus_explore_if_requested) {
  static const struct {
    const char *devices;
    unsigned count, last;
  } cases[] = {{"0,2", 2, 2}, {"all", 3, 2}, {"5", 1, 5}, {"", 1, 0}};
  define("3");
  options.engine = FLOE_ENGINE_GPU;
  options.devices = cases[_i].devices;
  explored_by("gpu");
  ck_assert_uint_eq(fake.acquired, cases[_i].count);
  ck_assert_uint_eq(fake.released, cases[_i].count);
  ck_assert_uint_eq(fake.devices, 1); /* the first one suffices */
  ck_assert_uint_eq(fake.device, cases[_i].last);
  floe_result *result = explore();
  const char *detail = floe_result_summary(result)->engine_detail;
  ck_assert_msg((strstr(detail, "2 x Imaginary (GPUs 0, 2), CUDA 13.0, the first one alone") != NULL) == (_i == 0),
                "%s", detail);
  floe_result_free(result);
}
END_TEST

START_TEST(devices_are_a_list) {
  static const char *const bad[] = {"0,",
                                    ",",
                                    "0,0",
                                    "x",
                                    "0 1",
                                    "all,1",
                                    "-1",
                                    "0,1024",
                                    "0,1,2,3,4,5,6,7,8,9,10,11,12,"
                                    "13,14,15,16"};
  floe_result *result;
  options.engine = FLOE_ENGINE_GPU;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    options.devices = bad[i];
    floe_log_clear(log_of_test);
    ck_assert_int_eq(floe_explore(model, &options, log_of_test, &result), FLOE_ERROR_USAGE);
    ck_assert_uint_eq(floe_log_count(log_of_test), 1);
  }
  options.devices = "0,1";
  options.engine = FLOE_ENGINE_CPU;
  ck_assert_int_eq(floe_explore(model, &options, log_of_test, &result), FLOE_ERROR_USAGE);
  options.engine = FLOE_ENGINE_GPU;
  const char *const host_backed[] = {SETTINGS_HOST_BACKED, SETTINGS_HOST_BACKED_ALIAS};
  for (size_t i = 0; i < 2; i++) {
    options.table = host_backed[i];
    floe_log_clear(log_of_test);
    ck_assert_int_eq(floe_explore(model, &options, log_of_test, &result), FLOE_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(floe_log_at(log_of_test, 0)->message, "host-backed"));
  }
  options.table = NULL;
  options.visited_order = "/tmp/never-written";
  options.order_kind = FLOE_ORDER_LOOKUPS;
  ck_assert_int_eq(floe_explore(model, &options, log_of_test, &result), FLOE_ERROR_USAGE);
  ck_assert_uint_eq(fake.acquired, 0);
}
END_TEST

START_TEST(a_small_second_pass_runs_on_the_cpu) {
  options.engine = FLOE_ENGINE_GPU;
  explored_by("gpu");
  ck_assert_uint_eq(fake.runs, 1);
  ck_assert_uint_eq(fake.archived, 0);
}
END_TEST

START_TEST(summary_has_the_name_of_the_gpu) {
  options.engine = FLOE_ENGINE_GPU;
  floe_result *result = explore();
  const floe_summary *summary = floe_result_summary(result);
  ck_assert_str_eq(summary->engine_detail, "Imaginary, 2 blocks of 256 threads, kernels compiled");
  ck_assert_uint_eq(summary->threads, 512);
  floe_result_free(result);
}
END_TEST

/* Many states precede the violation: compiled code searches the path. */
START_TEST(traces_of_large_models_need_a_compiler) {
  options.engine = FLOE_ENGINE_GPU;
  options.keep_going = true;
  options.encoding = FLOE_ENCODING_FIELDS; /* of the code that the comparison with the CPU leaves in the cache */
  define("5");
  floe_summary summary = explored_by("gpu");
  /* The interpreter may find the path before the code is loaded, but not every time. */
  for (int i = 0; i < 5 && !(summary.compile_seconds > 0); i++)
    summary = explored_by("gpu");
  ck_assert(summary.compile_seconds > 0);
  ck_assert_uint_eq(summary.states, 248832);
  options.compiler = "";
  summary = explored_by("gpu"); /* the interpreter searches it without a compiler */
  ck_assert_uint_eq(summary.states, 248832);
}
END_TEST

START_TEST(requested_gpu_records_the_visited_order) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/order", folder);
  options.engine = FLOE_ENGINE_GPU;
  options.devices = _i ? "0,1" : NULL;
  options.visited_order = path;
  explored_by("gpu");
  ck_assert_uint_eq(fake.acquired, _i ? 2 : 1);
  floe_order *order;
  ck_assert_int_eq(floe_order_open(path, log_of_test, &order), FLOE_OK);
  ck_assert(!floe_order_information(order)->canonical);
  ck_assert_uint_eq(floe_order_information(order)->count, 12);
  floe_order_close(order);
  unlink(path);
}
END_TEST

static floe_status refused(void) {
  floe_result *result;
  options.engine = FLOE_ENGINE_GPU;
  floe_status status = floe_explore(model, &options, log_of_test, &result);
  ck_assert_int_ne(status, FLOE_OK);
  return status;
}

START_TEST(failures_of_a_requested_gpu_are_errors) {
  fake.refuses = true;
  ck_assert_int_eq(refused(), FLOE_ERROR_UNSUPPORTED);
  ck_assert_str_eq(logged(0), "made up: no GPU");
  floe_log_clear(log_of_test);
  fake.refuses = false;
  fake.status = FLOE_ERROR_INTERNAL;
  fake.error = "made up: a fault";
  ck_assert_int_eq(refused(), FLOE_ERROR_INTERNAL);
  ck_assert_str_eq(logged(0), "made up: a fault");
  ck_assert_int_eq(floe_log_at(log_of_test, 0)->severity, FLOE_ERROR);
  ck_assert_str_eq(floe_log_at(log_of_test, 0)->hint, "a hint");
  floe_log_clear(log_of_test);
  fake.status = FLOE_ERROR_MEMORY;
  fake.error = NULL;
  options.gpu_memory = 77;
  ck_assert_int_eq(refused(), FLOE_ERROR_MEMORY);
  ck_assert_str_eq(logged(0), "not enough memory to start on Imaginary: the limit is 77 bytes of its "
                              "memory");
}
END_TEST

/* ---- auto ------------------------------------------------------------------------------------ */

/* The GPU is ready at once, before the CPU has finished. */
static void use_large_model(void) {
  define("8");
  options.max_states = 100000;
  options.traces = false;
}

static floe_summary auto_is(const char *engine) {
  floe_result *result = explore();
  floe_summary summary = *floe_result_summary(result);
  ck_assert_str_eq(summary.engine, engine);
  if (strcmp(engine, "gpu") == 0)
    ck_assert_msg(strstr(summary.engine_detail, "; the CPU had not finished after ") != NULL, "%s",
                  summary.engine_detail);
  floe_result_free(result);
  return summary;
}

START_TEST(auto_ends_with_the_cpu) {
  fake.waits = true;
  options.compiler = _i ? "" : options.compiler;
  floe_result *result = explore();
  ck_assert_str_ne(floe_result_summary(result)->engine, "gpu");
  floe_result_free(result);
  make_stepper_delay = 100;
  explored_by("interpreter");
  ck_assert_uint_eq(fake.runs, 0);
  ck_assert_uint_eq(floe_log_errors(log_of_test), 0);
}
END_TEST

START_TEST(auto_opens_no_gpu_for_small_models) {
  engine_select_gpu_delay = make_stepper_delay = 100;
  explored_by("interpreter");
  ck_assert_uint_eq(fake.acquired, 0);
}
END_TEST

/* Compiled code continues the search, which would take the interpreter minutes. */
START_TEST(auto_continues_as_compiled_code) {
  define("7");
  options.max_states = 8000000;
  options.traces = fake.there = false;
  ck_assert_uint_gt(auto_is("cpu").states, 8000000);
}
END_TEST

START_TEST(auto_restarts_large_models_on_the_gpu) {
  define("6");
  options.traces = false;
  floe_summary summary = explored_by("gpu");
  ck_assert_uint_eq(fake.acquired, 1);
  ck_assert_uint_eq(fake.gpu_memory, 1000000);
  ck_assert(summary.start_seconds > 0);
  ck_assert_uint_eq(summary.states, 2985984);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

/* The CPU does not finish before the sizes of tables are planned; then the GPU explores three levels. */
static void slow_cpu_down(void) {
  make_stepper_delay = 100;
  options.traces = false;
  options.max_states = 500000;
  fake.brief = true;
}

static unsigned gpus_in(const char *detail) {
  unsigned count;
  return sscanf(detail, "%u x", &count) == 1 ? count : 1;
}

/* Several of three GPUs, if one would not hold the expected states and all do; else one. */
static const struct {
  const char *n;
  uint64_t expected, mebibytes; /* states, 0: number in the model; memory of each GPU */
  const char *table, *devices;
  unsigned device, busy, count;
} shared[] = {
    {"6", 2985984, 6, "iceberg", NULL, 0, 0, 3},
    {"6", 2985984, 8, "linear", NULL, 0, 0, 3},
    {"7", 0, 72, "iceberg", NULL, 0, 0, 3},
    {"6", 2985984, 6, "iceberg", NULL, 0, 1, 2},    /* one GPU cannot be opened */
    {"6", 2985984, 8, "linear", NULL, 0, 1, 1},     /* and the others do not suffice */
    {"6", 2985984, 64, "iceberg", NULL, 0, 0, 1},   /* one GPU suffices */
    {"6", 0, 6, "iceberg", NULL, 0, 0, 1},          /* unknown number */
    {"6", 1000000000, 6, "iceberg", NULL, 0, 0, 1}, /* all GPUs together do not suffice */
    {"6", 2985984, 6, NULL, NULL, 0, 0, 1},         /* a bitmap of all keys fits */
    {"6", 2985984, 6, "iceberg", "0", 0, 0, 1},     /* one GPU is requested */
    {"6", 2985984, 6, "iceberg", NULL, 2, 0, 1},
};
enum { SHARED = sizeof shared / sizeof *shared };

START_TEST(auto_takes_several_for_memory) {
  define(shared[_i].n);
  slow_cpu_down();
  options.expected_states = shared[_i].expected;
  options.table = shared[_i].table;
  options.devices = shared[_i].devices;
  options.gpu_device = shared[_i].device;
  fake.memory = shared[_i].mebibytes << 20;
  fake.busy = shared[_i].busy;
  floe_result *result = explore();
  const floe_summary *summary = floe_result_summary(result);
  const char *why = strstr(summary->engine_detail, "; one GPU would not hold the ");
  ck_assert_str_eq(summary->engine, "gpu");
  ck_assert_uint_eq(gpus_in(summary->engine_detail), shared[_i].count);
  ck_assert_uint_eq(fake.gpu_memory, fake.memory);
  ck_assert_msg((why != NULL) == (shared[_i].count > 1), "%s", summary->engine_detail);
  if (why)
    ck_assert_uint_eq(strtoull(why + strlen("; one GPU would not hold the "), NULL, 10),
                      shared[_i].expected ? shared[_i].expected : 35831808);
  floe_result_free(result);
  ck_assert_uint_eq(floe_log_errors(log_of_test), 0);
}
END_TEST

/* Several, if they can access each other's memory and the expected states justify opening them. */
static const struct {
  uint64_t expected;
  bool linked;
  unsigned count;
} paying[] = {{UINT64_C(5000000000), true, 3}, {UINT64_C(5000000000), false, 1}, {100000000, true, 1}, {0, true, 1}};
enum { PAYING = sizeof paying / sizeof *paying };

START_TEST(auto_takes_several_if_it_pays) {
  define("9");
  slow_cpu_down();
  options.expected_states = paying[_i].expected;
  options.table = "iceberg";
  options.memory = UINT64_C(64) << 20; /* of the CPU engine that stands for the GPU */
  fake.memory = UINT64_C(1) << 36;
  fake.linked = paying[_i].linked;
  floe_result *result = explore();
  const floe_summary *summary = floe_result_summary(result);
  const char *why = strstr(summary->engine_detail, "; several GPUs are faster for the 5000000000 states expected");
  ck_assert_str_eq(summary->engine, "gpu");
  ck_assert_uint_eq(gpus_in(summary->engine_detail), paying[_i].count);
  ck_assert_msg((why != NULL) == (paying[_i].count > 1), "%s", summary->engine_detail);
  floe_result_free(result);
}
END_TEST

/* The others are opened once the search needs them, and used for the second pass as well. */
static const struct {
  uint64_t expected;
  const char *devices;
  bool linked, needs_others, host_backed;
  unsigned busy, used, count; /* a GPU that cannot be opened; one whose memory is in use; GPUs that explore */
  bool restarts;              /* at a number of states, not only when memory is full */
  const char *detail;         /* NULL: a single GPU */
} opened_later[] = {
    {0, NULL, true, true, false, 0, 0, 3, true,
     "3 x Imaginary (GPUs 0, 1, 2), CUDA 13.0, all together, after the first one had found 77 states, "},
    {0, NULL, false, true, false, 0, 0, 3, false,
     "3 x Imaginary (GPUs 0, 1, 2), CUDA 13.0, all together, after the first one had found 77 states, "},
    {0, NULL, true, true, false, 0, 1, 2, true,
     "2 x Imaginary (GPUs 0, 2), CUDA 13.0, all together, after the first one had found 77 states, "},
    {248832, NULL, true, true, false, 2, 0, 2, true,
     "2 x Imaginary (GPUs 0, 1), CUDA 13.0, all together, after the first one had found 77 states, "},
    {0, NULL, true, false, false, 0, 0, 1, true, NULL},
    {0, NULL, true, true, true, 0, 0, 3, true,
     "3 x Imaginary (GPUs 0, 1, 2), CUDA 13.0, the first one alone, with host memory, after all GPUs were full with 88 "
     "states, "},
    {0, "0", true, true, false, 0, 0, 1, false, NULL},
};
enum { OPENED_LATER = sizeof opened_later / sizeof *opened_later };

START_TEST(auto_adds_gpus_during_the_search) {
  define("5");
  options.keep_going = true;
  options.expected_states = opened_later[_i].expected;
  options.devices = opened_later[_i].devices;
  options.table = "iceberg";
  make_stepper_delay = 100;
  fake.memory = opened_later[_i].host_backed ? UINT64_C(1) << 26 : UINT64_C(1) << 36;
  fake.linked = opened_later[_i].linked;
  fake.needs_others = opened_later[_i].needs_others;
  fake.host_backed = opened_later[_i].host_backed;
  fake.busy = opened_later[_i].busy;
  fake.used = opened_later[_i].used;
  fake.brief = true;
  options.memory = UINT64_C(256) << 20; /* of the CPU engine that stands for the GPU */
  options.traces = false;
  floe_result *result = explore();
  const char *detail = floe_result_summary(result)->engine_detail, *expected_detail = opened_later[_i].detail;
  ck_assert_str_eq(floe_result_summary(result)->engine, "gpu");
  if (expected_detail)
    ck_assert_msg(strncmp(detail, expected_detail, strlen(expected_detail)) == 0, "%s", detail);
  else
    ck_assert_msg(strncmp(detail, "Imaginary, 2 blocks", strlen("Imaginary, 2 blocks")) == 0, "%s", detail);
  ck_assert_uint_eq(fake.devices, opened_later[_i].host_backed ? 1 : opened_later[_i].count);
  ck_assert_uint_eq(fake.gpu_memory, fake.memory);
  ck_assert_uint_eq(fake.from, opened_later[_i].devices    ? 0
                               : opened_later[_i].restarts ? UINT64_C(4000000000)
                                                           : UINT64_MAX);
  floe_result_free(result);
  ck_assert_uint_eq(floe_log_errors(log_of_test), 0);
}
END_TEST

/* The second pass uses the GPUs that the first pass ended with. */
START_TEST(auto_uses_the_same_gpus_for_the_trace) {
  define("5");
  options.table = "iceberg";
  make_stepper_delay = 100;
  fake.memory = _i ? UINT64_C(1) << 26 : UINT64_C(1) << 36;
  fake.linked = fake.needs_others = true;
  fake.host_backed = _i;
  explored_by("gpu");
  ck_assert_uint_eq(fake.runs, 2);
  ck_assert_uint_eq(fake.path_runs, !_i);
  ck_assert_uint_eq(fake.archived, 1);
  ck_assert_uint_eq(fake.from, _i ? UINT64_C(4000000000) : 0);
  ck_assert_uint_eq(fake.devices, _i ? 1 : 3);
}
END_TEST

/* Several GPUs write checkpoints only if they are requested. */
START_TEST(auto_writes_checkpoints_with_one_gpu) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/checkpoint", folder);
  define("6");
  slow_cpu_down();
  options.expected_states = 2985984;
  options.table = "iceberg";
  options.checkpoint = path;
  fake.memory = 6 << 20;
  auto_is("gpu");
  ck_assert_uint_eq(fake.devices, 1);
  ck_assert_uint_eq(fake.from, 0);
}
END_TEST

/* The CPU runs out of memory before the GPU, which has its own, is ready. */
START_TEST(auto_uses_the_gpu_for_memory) {
  define("6");
  options.traces = false;
  options.memory = 4 << 20;
  fake.brief = true;
  ck_assert_uint_gt(auto_is("gpu").states, 0);
}
END_TEST

/* The GPU ends before it has found what the CPU had found. */
START_TEST(auto_keeps_what_the_cpu_found) {
  use_large_model();
  options.max_states = UINT64_MAX;
  engine_select_gpu_delay = 0.1;
  fake.cut = true;
  floe_result *result = explore();
  const floe_summary *summary = floe_result_summary(result);
  ck_assert_str_ne(summary->engine, "gpu");
  ck_assert_int_eq(summary->end, FLOE_END_INTERRUPT);
  ck_assert_uint_gt(summary->levels, 3);
  floe_result_free(result);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

START_TEST(auto_stays_on_the_cpu_without_a_gpu) {
  use_large_model();
  fake.refuses = true;
  floe_result *result = explore();
  ck_assert_str_ne(floe_result_summary(result)->engine, "gpu");
  ck_assert_uint_gt(floe_result_summary(result)->states, options.max_states);
  floe_result_free(result);
  ck_assert_str_eq(logged(0), "explored on the CPU: made up: no GPU");
  ck_assert_uint_eq(floe_log_errors(log_of_test), 0);
}
END_TEST

START_TEST(auto_falls_back_if_the_gpu_fails) {
  use_large_model();
  floe_status status = _i % 2 ? FLOE_ERROR_MEMORY : FLOE_ERROR_INTERNAL;
  *(_i / 2 ? &fake.unready : &fake.status) = status;
  fake.error = _i % 2 ? NULL : "made up: a fault";
  floe_result *result = explore();
  ck_assert_str_ne(floe_result_summary(result)->engine, "gpu");
  ck_assert_uint_gt(floe_result_summary(result)->states, options.max_states);
  floe_result_free(result);
  ck_assert(_i / 2 ? fake.runs == 0 : fake.runs > 0); /* a lack of memory is no failure: all devices are tried */
  ck_assert_ptr_nonnull(strstr(logged(0), _i % 2 ? "the limit is 1000000 bytes of its memory" : "made up: a fault"));
  ck_assert_int_eq(floe_log_at(log_of_test, 0)->severity, FLOE_WARNING);
  ck_assert_str_eq(logged(1),
                   _i / 2 ? "the GPU failed: explored on the CPU" : "the GPU failed: explored again on the CPU");
  ck_assert_uint_eq(floe_log_errors(log_of_test), 0);
}
END_TEST

START_TEST(auto_does_not_use_the_gpu) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/order", folder);
  use_large_model();
  fake.there = _i != 0; /* no driver */
  if (_i == 1)
    options.permutation = "feistel"; /* not supported by the kernels */
  if (_i == 2)
    options.visited_order = path; /* a recorded run cannot restart */
  floe_result *result = explore();
  ck_assert_str_ne(floe_result_summary(result)->engine, "gpu");
  floe_result_free(result);
  unlink(path);
  ck_assert_uint_eq(fake.acquired, 0);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

/* ---- ends during initialisation of the GPU --------------------------------------------------- */

static void *interrupt(void *unused) {
  while (!fake.prepares)
    usleep(1000);
  floe_interrupt();
  return unused;
}

START_TEST(an_interrupt_ends_initialisation) {
  pthread_t thread;
  fake.waits = true;
  use_large_model();
  options.max_states = UINT64_MAX;
  options.engine = _i ? FLOE_ENGINE_AUTO : FLOE_ENGINE_GPU;
  ck_assert_int_eq(pthread_create(&thread, NULL, interrupt, NULL), 0);
  floe_result *result = explore();
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_INTERRUPT);
  floe_result_free(result);
  pthread_join(thread, NULL);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

START_TEST(a_timeout_ends_initialisation) {
  fake.waits = true;
  use_large_model();
  options.max_states = UINT64_MAX;
  options.engine = _i ? FLOE_ENGINE_AUTO : FLOE_ENGINE_GPU;
  options.timeout = 0.05;
  floe_result *result = explore();
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_TIMEOUT);
  floe_result_free(result);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- */

static void remove_folder(void) {
  char path[PATH_MAX];
  DIR *stream = opendir(folder);
  for (struct dirent *entry; stream && (entry = readdir(stream));) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    unlink(path);
  }
  if (stream)
    closedir(stream);
  rmdir(folder);
}

int main(void) {
  if (!mkdtemp(folder))
    return 99;
  TCase *tcase = tcase_create("engine selection");
  tcase_set_timeout(tcase, 240);
  tcase_add_checked_fixture(tcase, setup, teardown);
  add_tests(tcase, gpu_explores_if_requested, a_small_second_pass_runs_on_the_cpu, summary_has_the_name_of_the_gpu,
            traces_of_large_models_need_a_compiler);
  tcase_add_loop_test(tcase, requested_gpu_records_the_visited_order, 0, 2);
  tcase_add_test(tcase, failures_of_a_requested_gpu_are_errors);
  tcase_add_loop_test(tcase, auto_ends_with_the_cpu, 0, 2);
  add_tests(tcase, auto_opens_no_gpu_for_small_models, auto_continues_as_compiled_code,
            auto_restarts_large_models_on_the_gpu);
  tcase_add_loop_test(tcase, auto_takes_several_for_memory, 0, SHARED);
  tcase_add_loop_test(tcase, auto_takes_several_if_it_pays, 0, PAYING);
  tcase_add_loop_test(tcase, auto_adds_gpus_during_the_search, 0, OPENED_LATER);
  tcase_add_loop_test(tcase, auto_uses_the_same_gpus_for_the_trace, 0, 2);
  add_tests(tcase, auto_writes_checkpoints_with_one_gpu, auto_uses_the_gpu_for_memory, auto_keeps_what_the_cpu_found,
            auto_stays_on_the_cpu_without_a_gpu);
  tcase_add_loop_test(tcase, auto_falls_back_if_the_gpu_fails, 0, 4);
  tcase_add_loop_test(tcase, encoding_is_chosen_for_all_gpus, 0, 3);
  tcase_add_loop_test(tcase, several_gpus_explore_if_requested, 0, 4);
  tcase_add_test(tcase, devices_are_a_list);
  tcase_add_loop_test(tcase, auto_does_not_use_the_gpu, 0, 3);
  tcase_add_loop_test(tcase, an_interrupt_ends_initialisation, 0, 2);
  tcase_add_loop_test(tcase, a_timeout_ends_initialisation, 0, 2);
  int failed = run_suite("engine selection", CK_FORK_GETENV, tcase);
  remove_folder();
  return failed ? 1 : 0;
}
