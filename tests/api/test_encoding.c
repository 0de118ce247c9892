/* Field keys and index keys give the same results: every model of models/, through the public interface. */
#include "api/explore/key_encoding.h"
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_STATES 2000 /* up to the end of the level; FLOE_TEST_LONG: 10 times as many, FLOE_TEST_ALL: 100 times */

static glob_t models;

static const char *source(void) { return getenv("top_srcdir") ? getenv("top_srcdir") : "."; }

static void find_models(void) {
  char pattern[4096];
  snprintf(pattern, sizeof pattern, "%s/models/*.xml", source());
  ck_assert_int_eq(glob(pattern, 0, NULL, &models), 0);
  snprintf(pattern, sizeof pattern, "%s/models/protocols/*.xml", source());
  ck_assert_int_eq(glob(pattern, GLOB_APPEND, NULL, &models), 0);
  ck_assert_uint_ge(models.gl_pathc, 20);
}

static floe_model *load(const char *path) {
  floe_model *model;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_msg(floe_model_load(path, log, &model) == FLOE_OK, "%s", path);
  ck_assert_msg(floe_model_check(model, log) == FLOE_OK, "%s", path);
  floe_log_free(log);
  return model;
}

static floe_options options_for(floe_engine engine, floe_encoding encoding) {
  floe_options options;
  floe_options_init(&options);
  options.engine = engine;
  options.encoding = encoding;
  options.threads = 2;
  options.memory = UINT64_C(1) << 28;
  options.max_states = everything() ? 100 * MOST_STATES : at_length() ? 10 * MOST_STATES : MOST_STATES;
  options.keep_going = true;
  options.checkpoint = "";
  return options;
}

static floe_result *explore(floe_model *model, const floe_options *options) {
  floe_result *result;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  const floe_status status = floe_explore(model, options, log, &result);
  ck_assert_msg(status == FLOE_OK, "%s: %s", floe_model_file(model),
                floe_log_count(log) ? floe_log_at(log, 0)->message : floe_status_name(status));
  floe_log_free(log);
  return result;
}

/* Counts, levels, the sum over the states, verdicts, depths, lengths of traces, firings of each transition. */
static void compare(const floe_model *model, const floe_result *a, const floe_result *b) {
  const floe_summary *x = floe_result_summary(a), *y = floe_result_summary(b);
  const char *file = floe_model_file(model);
  ck_assert_msg(strcmp(x->certificate, y->certificate) == 0, "%s: %s, %s", file, x->certificate, y->certificate);
  ck_assert_int_eq(x->end, y->end);
  ck_assert_uint_eq(x->max_out_degree, y->max_out_degree);
  ck_assert_uint_eq(floe_result_verdicts(a), floe_result_verdicts(b));
  for (size_t i = 0; i < floe_result_verdicts(a); i++) {
    const floe_verdict v = floe_result_verdict(a, i), w = floe_result_verdict(b, i);
    ck_assert_msg(v.value == w.value && v.depth == w.depth, "%s: %s", file, v.property.id);
    ck_assert_msg(!v.trace == !w.trace, "%s: %s: a trace is missing", file, v.property.id);
    if (v.trace)
      ck_assert_uint_eq(floe_trace_steps(v.trace), floe_trace_steps(w.trace));
  }
  for (size_t i = 0; i < floe_model_transitions(model); i++)
    ck_assert_uint_eq(floe_result_fired(a, i), floe_result_fired(b, i));
}

static void compare_encodings(const char *path, floe_engine engine) {
  floe_model *model = load(path);
  floe_index_key_plan plan;
  const floe_options fields = options_for(engine, FLOE_ENCODING_FIELDS),
                     rank = options_for(engine, FLOE_ENCODING_INDEX);
  ck_assert_int_eq(floe_model_index_key_plan(model, NULL, &plan), FLOE_OK);
  floe_result *a = explore(model, &fields), *b = explore(model, &rank);
  ck_assert_int_eq(floe_result_summary(a)->encoding, FLOE_ENCODING_FIELDS);
  ck_assert_int_eq(floe_result_summary(b)->encoding, FLOE_ENCODING_INDEX);
  ck_assert_uint_eq(floe_result_summary(b)->key_bits, plan.bits);
  ck_assert_uint_le(floe_result_summary(b)->key_bits, floe_result_summary(a)->key_bits);
  compare(model, a, b);
  floe_result_free(a);
  floe_result_free(b);
  floe_model_free(model);
}

START_TEST(interpreted) {
  for (size_t i = 0; i < models.gl_pathc; i++)
    compare_encodings(models.gl_pathv[i], FLOE_ENGINE_INTERPRETER);
}
END_TEST

START_TEST(compiled) {
  for (size_t i = 0; i < models.gl_pathc; i += at_length() ? 3 : 10)
    compare_encodings(models.gl_pathv[i], FLOE_ENGINE_CPU);
}
END_TEST

/* The bits of the variables add up to those of the keys, and no index key has more bits than the fields. */
START_TEST(costs) {
  for (size_t i = 0; i < models.gl_pathc; i++) {
    floe_model *model = load(models.gl_pathv[i]);
    floe_index_key_plan plan;
    uint32_t bits, words;
    double sum = 0;
    ck_assert_int_eq(floe_model_index_key_plan(model, NULL, &plan), FLOE_OK);
    ck_assert_int_eq(floe_model_layout_bits(model, NULL, &bits, &words), FLOE_OK);
    for (size_t v = 0; v < floe_model_layout_entries(model); v++) {
      const floe_index_key_entry entry = floe_model_index_key_entry(model, v);
      const floe_layout_entry field = floe_model_layout_entry(model, v);
      ck_assert_uint_le(entry.constant + entry.dependent, field.elements);
      ck_assert(entry.bits >= 0 && entry.bits <= field.bits + 1e-9);
      sum += entry.bits;
    }
    ck_assert_msg(fabs(sum - plan.exact_bits) < 1e-6, "%s: %f, %f", models.gl_pathv[i], sum, plan.exact_bits);
    ck_assert_double_le(plan.exact_bits, plan.bits);
    ck_assert_uint_le(plan.bits, bits);
    floe_model_free(model);
  }
}
END_TEST

static floe_status resume(floe_model *model, const char *file, floe_encoding encoding, floe_result **out) {
  floe_options options = options_for(FLOE_ENGINE_INTERPRETER, encoding);
  options.max_states = UINT64_MAX;
  return floe_resume(model, file, &options, NULL, out);
}

/* A resumed search keeps the encoding of its file, and rejects others. */
START_TEST(checkpoints) {
  static const floe_encoding both[] = {FLOE_ENCODING_FIELDS, FLOE_ENCODING_INDEX};
  char path[4096], file[] = "/tmp/floe-encoding-XXXXXX", previous[64];
  snprintf(path, sizeof path, "%s/models/peterson.xml", source());
  floe_model *model = load(path);
  const int descriptor = mkstemp(file);
  ck_assert_int_ge(descriptor, 0);
  close(descriptor);
  snprintf(previous, sizeof previous, "%s.previous", file);
  floe_options options = options_for(FLOE_ENGINE_INTERPRETER, FLOE_ENCODING_FIELDS);
  options.max_states = UINT64_MAX;
  floe_result *whole = explore(model, &options), *part, *rest;
  for (int i = 0; i < 2; i++) {
    options = options_for(FLOE_ENGINE_INTERPRETER, both[i]);
    options.max_states = 1000;
    options.checkpoint = file;
    part = explore(model, &options);
    ck_assert_int_eq(floe_result_summary(part)->end, FLOE_END_STATES);
    floe_result_free(part);
    ck_assert_int_eq(resume(model, file, both[!i], &rest), FLOE_ERROR_USAGE);
    options = options_for(FLOE_ENGINE_INTERPRETER, FLOE_ENCODING_AUTO);
    options.max_states = UINT64_C(1) << 40;
    ck_assert_int_eq(floe_resume(model, file, &options, NULL, &rest), FLOE_OK);
    ck_assert_int_eq(floe_result_summary(rest)->encoding, both[i]);
    compare(model, whole, rest);
    floe_result_free(rest);
  }
  floe_result_free(whole);
  floe_model_free(model);
  unlink(file);
  unlink(previous);
}
END_TEST

/* Fields of two words and index keys of one: a CPU keeps fields. */
START_TEST(chosen) {
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/cmd/models/wide_rank.xml", source());
  floe_model *model = load(path);
  floe_options options = options_for(FLOE_ENGINE_INTERPRETER, FLOE_ENCODING_AUTO);
  floe_result *result = explore(model, &options);
  ck_assert_int_eq(floe_result_summary(result)->encoding, FLOE_ENCODING_FIELDS);
  ck_assert_uint_eq(floe_result_summary(result)->states, 23);
  floe_result_free(result);
  options.encoding = FLOE_ENCODING_INDEX;
  result = explore(model, &options);
  ck_assert_int_eq(floe_result_summary(result)->encoding, FLOE_ENCODING_INDEX);
  ck_assert_uint_eq(floe_result_summary(result)->states, 23);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

static floe_encoding chosen_for(floe_model *model, uint64_t expected_states, uint64_t memory) {
  floe_options options = options_for(FLOE_ENGINE_INTERPRETER, FLOE_ENCODING_AUTO);
  options.expected_states = expected_states;
  options.memory = memory;
  options.max_states = 1;
  options.table = "iceberg";
  floe_result *result = explore(model, &options);
  const floe_encoding encoding = floe_result_summary(result)->encoding;
  floe_result_free(result);
  return encoding;
}

/* 13 counters of 5 values: fields of 39 bits, index keys of 31, which need slots half as wide. */
START_TEST(chosen_for_memory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/models/counters.xml", source());
  floe_model *model = load(path);
  floe_index_key_plan plan;
  ck_assert_int_eq(floe_model_define(model, "N", "13", NULL), FLOE_OK);
  ck_assert_int_eq(floe_model_define(model, "K", "5", NULL), FLOE_OK);
  ck_assert_int_eq(floe_model_index_key_plan(model, NULL, &plan), FLOE_OK);
  ck_assert_uint_eq(plan.keys, 1220703125);
  ck_assert_uint_eq(plan.bits, 31);
  ck_assert_int_eq(chosen_for(model, 1000, 64 << 20), FLOE_ENCODING_FIELDS);
  ck_assert_int_eq(chosen_for(model, UINT64_C(24) << 20, 64 << 20), FLOE_ENCODING_INDEX);
  ck_assert_int_eq(chosen_for(model, UINT64_C(1000) << 20, 64 << 20), FLOE_ENCODING_FIELDS); /* neither does */
  floe_model_free(model);
}
END_TEST

/* 10 counters of 5 values: a bit for each of 9,765,625 index keys, or for 2^30 field keys. */
START_TEST(chosen_for_bitmap) {
  char path[4096];
  snprintf(path, sizeof path, "%s/models/counters.xml", source());
  floe_model *model = load(path);
  floe_options options = options_for(FLOE_ENGINE_INTERPRETER, FLOE_ENCODING_AUTO);
  floe_visited_plan plan;
  floe_index_key_plan rank;
  ck_assert_int_eq(floe_model_define(model, "N", "10", NULL), FLOE_OK);
  ck_assert_int_eq(floe_model_define(model, "K", "5", NULL), FLOE_OK);
  ck_assert_int_eq(floe_model_index_key_plan(model, NULL, &rank), FLOE_OK);
  options.max_states = 1;
  for (int hash = 0; hash < 2; hash++) {
    options.table = hash ? "iceberg" : NULL;
    options.expected_states = rank.keys;
    floe_result *result = explore(model, &options);
    ck_assert_int_eq(floe_result_summary(result)->encoding, hash ? FLOE_ENCODING_FIELDS : FLOE_ENCODING_INDEX);
    ck_assert_str_eq(floe_result_summary(result)->table, hash ? "iceberg" : "bitmap");
    floe_result_free(result);
  }
  ck_assert_int_eq(floe_model_visited_plan(model, options.memory, rank.keys, &plan), FLOE_OK);
  ck_assert_int_eq(plan.encoding, FLOE_ENCODING_INDEX);
  ck_assert_str_eq(plan.table, "bitmap");
  ck_assert_uint_ge(plan.bytes, rank.keys / 8);
  ck_assert_int_eq(floe_model_visited_plan(model, options.memory, 1000, &plan), FLOE_OK);
  ck_assert_int_eq(plan.encoding, FLOE_ENCODING_FIELDS);
  floe_model_free(model);
}
END_TEST

/* The decision for a model, without a search. */
struct case_of_model {
  const char *name, *n, *k; /* k NULL: the model has no K */
  const char *terms;        /* TERMS, with the model's N; NULL: none */
};
static enum encoding_reason decide_of(const struct case_of_model *of, floe_engine engine, uint64_t expected_states,
                                      bool any_table, unsigned members) {
  char path[4096];
  snprintf(path, sizeof path, "%s/models/%s.xml", source(), of->name);
  floe_model *model = load(path);
  const struct layout *index_keys;
  floe_options options = options_for(engine, FLOE_ENCODING_AUTO);
  options.memory = UINT64_C(1) << 34;
  options.table = "iceberg";
  options.expected_states = expected_states;
  if (of->n)
    ck_assert_int_eq(floe_model_define(model, "N", of->n, NULL), FLOE_OK);
  if (of->terms)
    ck_assert_int_eq(floe_model_define(model, "TERMS", of->terms, NULL), FLOE_OK);
  if (of->k)
    ck_assert_int_eq(floe_model_define(model, "K", of->k, NULL), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
  const struct encoding_input question = {.model = model->model,
                                          .fields = model->layout,
                                          .options = &options,
                                          .any_table = any_table,
                                          .on_gpu = engine == FLOE_ENGINE_GPU,
                                          .members = members};
  ck_assert_int_eq(index_key_layout(model, &index_keys), FLOE_OK);
  const enum encoding_reason reason = encoding_decide(&question, index_keys);
  ck_assert(reason == ENCODING_FIELDS_SUFFICE || encoding_considers_index_keys(&question));
  floe_model_free(model);
  return reason;
}

static enum encoding_reason decision_for(const char *name, const char *n, const char *k, floe_engine engine,
                                         uint64_t expected_states, bool any_table) {
  const struct case_of_model of = {.name = name, .n = n, .k = k};
  return decide_of(&of, engine, expected_states, any_table, 0);
}

/* On a GPU: a bitmap no larger than the first hash table, of index keys if one of fields is twice as large. */
START_TEST(chosen_on_a_gpu) {
  const floe_engine gpu = FLOE_ENGINE_GPU, cpu = FLOE_ENGINE_CPU;
  ck_assert_int_eq(decision_for("counters", "8", "12", gpu, 0, true), ENCODING_INDEX_FOR_BITMAP);
  ck_assert_int_eq(decision_for("counters", "8", "12", gpu, 429981696, true), ENCODING_INDEX_FOR_BITMAP);
  ck_assert_int_eq(decision_for("counters", "8", "12", gpu, 0, false),
                   ENCODING_FIELDS_SUFFICE); /* a table was requested */
  ck_assert_int_eq(decision_for("counters", "8", "12", cpu, 0, true), ENCODING_FIELDS_SUFFICE);
  ck_assert_int_eq(decision_for("counters", "8", "16", gpu, 0, true),
                   ENCODING_FIELDS_SUFFICE); /* fields equal index keys */
  ck_assert_int_eq(decision_for("counters", "12", "12", gpu, 0, true),
                   ENCODING_FIELDS_SUFFICE); /* too many of either */
  ck_assert_int_eq(decision_for("bakery", "4", NULL, gpu, 0, true), ENCODING_INDEX_FOR_BITMAP);
  ck_assert_int_eq(decision_for("peterson", "8", NULL, gpu, 0, true), ENCODING_FIELDS_SUFFICE);
}
END_TEST

/* Fields of 71 and 65 bits: the code for index keys is short in vote, and many times longer in raft. */
START_TEST(chosen_for_width) {
  const struct case_of_model vote = {.name = "vote", .terms = "3"}, raft = {.name = "raft", .terms = "3"};
  ck_assert_int_eq(decide_of(&vote, FLOE_ENGINE_GPU, 0, true, 0), ENCODING_INDEX_FOR_WIDTH);
  ck_assert_int_eq(decide_of(&vote, FLOE_ENGINE_CPU, 0, true, 2), ENCODING_INDEX_FOR_WIDTH);
  ck_assert_int_eq(decide_of(&raft, FLOE_ENGINE_GPU, 0, true, 0), ENCODING_FIELDS_SUFFICE);
}
END_TEST

/* 26^8 bits are 26 GB: too many for one GPU of 16 GiB, but not for each of four. The same holds for hash tables. */
START_TEST(chosen_for_members) {
  const uint64_t states = UINT64_C(208827064576);
  const floe_engine engines[] = {FLOE_ENGINE_GPU, FLOE_ENGINE_CPU};
  const struct case_of_model counters = {.name = "counters", .n = "8", .k = "26"};
  for (unsigned i = 0; i < 2; i++) {
    ck_assert_int_eq(decide_of(&counters, engines[i], states, true, 0), ENCODING_FIELDS_SUFFICE);
    ck_assert_int_eq(decide_of(&counters, engines[i], states, true, 2), ENCODING_FIELDS_SUFFICE);
    ck_assert_int_eq(decide_of(&counters, engines[i], states, true, 4), ENCODING_INDEX_FOR_BITMAP);
    ck_assert_int_eq(decide_of(&counters, engines[i], states, false, 4), ENCODING_FIELDS_SUFFICE);
  }
}
END_TEST

START_TEST(nothing_left) {
  globfree(&models);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

int main(void) {
  find_models();
  return run_tests("encoding", CK_NOFORK, interpreted, compiled, costs, checkpoints, chosen, chosen_for_memory,
                   chosen_for_bitmap, chosen_on_a_gpu, chosen_for_width, chosen_for_members, nothing_left);
}
