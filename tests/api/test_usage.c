/* Every function of the headers with invalid arguments: NULL for each pointer in turn, indices past the end, values
   outside an enum. The rule is at the top of floe_common.h. Hash tables: test_usage_tables.c. */
#include "bench/floe_bench.h"
#include "core/mem.h"
#include "floe.h"
#include "floe_tables.h"

#include "tests/api/usage.h"
#include "tests/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "<model name=\"m\"><variable name=\"x\" range=\"0..3\"/><constant name=\"N\" value=\"1\"/>"
    "<process name=\"P\"><location name=\"a\" initial=\"true\"/>"
    "<transition from=\"a\" guard=\"x lt 3\" effect=\"x++\"/><transition from=\"a\" guard=\"x gt "
    "5\"/></process>"
    "<property id=\"p\" kind=\"invariant\">x lt N + 1</property><deadlock check=\"false\"/>"
    "<expect constants=\"N=1\" states=\"4\"><verdict property=\"p\" value=\"violated\"/></expect>"
    "</model>";

static floe_model *model;

static void begin(void) {
  ck_assert_int_eq(floe_log_create(&log_), FLOE_OK);
  floe_status status = floe_model_parse("m.xml", text, strlen(text), log_, &model);
  ck_assert_msg(status == FLOE_OK, "%s", status ? floe_log_at(log_, 0)->message : "");
}

static void end(void) {
  floe_model_free(model);
  floe_log_free(log_);
  ck_assert_uint_eq(mem_live(), 0);
}

static floe_options plain(void) {
  floe_options options;
  floe_options_init(&options);
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.memory = 64 << 20;
  options.threads = 1;
  return options;
}

START_TEST(names) {
  ck_assert_str_ne(floe_version(), "");
  ck_assert_uint_gt(floe_version_number(), 0);
  ck_assert_str_eq(floe_status_name((floe_status)BAD), "unknown");
  ck_assert_str_eq(floe_property_kind_name((floe_property_kind)BAD), "unknown");
  ck_assert_int_eq(floe_verdict_when_found((floe_property_kind)BAD), FLOE_UNDECIDED);
  ck_assert_str_eq(floe_verdict_name((floe_verdict_value)BAD), "unknown");
  ck_assert_str_eq(floe_obstacle_kind_name((floe_obstacle_kind)BAD), "unknown");
  ck_assert_str_eq(floe_undecided_name((floe_undecided)BAD), "unknown");
  ck_assert_str_eq(floe_vacuous_part_name((floe_vacuous_part)BAD), "unknown");
  ck_assert_str_eq(floe_end_name((floe_end)BAD), "unknown");
  ck_assert_str_eq(floe_order_kind_name((floe_order_kind)BAD), "unknown");
  ck_assert_str_eq(floe_encoding_name((floe_encoding)BAD), "unknown");
  ck_assert_str_eq(floe_encoding_name(FLOE_ENCODING_INDEX), "rank");
  ck_assert_str_eq(floe_bench_operation_name((floe_bench_operation)BAD), "unknown");
  ck_assert_str_eq(floe_bench_verdict_name((floe_bench_verdict)BAD), "unknown");
  ck_assert_str_eq(floe_hash_operation_name((floe_hash_operation)BAD), "unknown");
  ck_assert_str_eq(floe_status_name((floe_status)-1), "unknown");
  ck_assert_ptr_null(floe_bench_table(FAR));
  ZERO(floe_bench_traits, floe_bench_table_traits("none"));
  ZERO(floe_bench_traits, floe_bench_table_traits(NULL));
  ck_assert_ptr_null(floe_bench_permutation(FAR));
  ck_assert_ptr_null(floe_hash_scheme(FAR));
  ck_assert_ptr_null(floe_hash_permutation(FAR));
  ck_assert_ptr_null(floe_hash_variant(FAR));
  ck_assert(floe_memory_available() > 0);
}
END_TEST

START_TEST(no_object) {
  size_t length = 1;
  const char *a = "", *b = "";
  REFUSED(floe_log_create(NULL));
  floe_log_free(NULL);
  floe_log_clear(NULL);
  ck_assert_uint_eq(floe_log_count(NULL) + floe_log_errors(NULL) + floe_log_dropped(NULL) + floe_log_similar(NULL, 0),
                    0);
  ck_assert_ptr_null(floe_log_at(NULL, 0));
  ck_assert_ptr_null(floe_log_at(log_, FAR));
  floe_model_free(NULL);
  floe_model_undefine_all(NULL);
  EMPTY(floe_model_name(NULL));
  EMPTY(floe_model_file(NULL));
  EMPTY(floe_model_text(NULL, &length));
  ck_assert_uint_eq(length, 0);
  EMPTY(floe_model_text(NULL, NULL));
  ck_assert_str_eq(floe_model_text(model, NULL), text);
  EMPTY(floe_model_included_file(NULL, 0));
  EMPTY(floe_model_included_text(NULL, 0, &length));
  EMPTY(floe_model_included_text(model, 0, NULL));
  ck_assert_uint_eq(length, 0);
  EMPTY(floe_model_description(NULL));
  EMPTY(floe_model_tool(NULL));
  EMPTY(floe_model_tool(model));
  EMPTY(floe_model_digest(NULL));
  ck_assert_uint_eq(floe_model_constants(NULL) + floe_model_properties(NULL) + floe_model_transitions(NULL) +
                        floe_model_includes(NULL) + floe_model_expectations(NULL) + floe_model_layout_entries(NULL) +
                        floe_model_start_steps(NULL) + floe_model_measures(NULL),
                    0);
  EMPTY(floe_model_measure(NULL, 0));
  ZERO(floe_constant, floe_model_constant(NULL, 0));
  ZERO(floe_property, floe_model_property(NULL, 0));
  ZERO(floe_transition, floe_model_transition(NULL, 0));
  ck_assert_uint_eq(floe_model_transition_groups(NULL), 0);
  ZERO(floe_transition_group, floe_model_transition_group(NULL, 0));
  ZERO(floe_expectation, floe_model_expectation(NULL, 0));
  ZERO(floe_expected_verdict, floe_model_expected_verdict(NULL, 0, 0));
  ZERO(floe_layout_entry, floe_model_layout_entry(NULL, 0));
  ZERO(floe_index_key_entry, floe_model_index_key_entry(NULL, 0));
  floe_model_expected_constant(NULL, 0, 0, &a, &b);
  ck_assert(!a && !b);
  ck_assert(floe_model_state_bound(NULL) == 0);
  floe_devices_free(NULL);
  EMPTY(floe_devices_cpu(NULL).name);
  ck_assert_uint_eq(floe_devices_gpus(NULL), 0);
  ZERO(floe_gpu, floe_devices_gpu(NULL, 0));
  ZERO(floe_link, floe_devices_link(NULL, 0, 1));
  EMPTY(floe_devices_no_gpu(NULL));
  EMPTY(floe_devices_driver(NULL));
  EMPTY(floe_devices_nvrtc(NULL));
  EMPTY(floe_devices_no_nvrtc(NULL));
  REFUSED(floe_devices_create(NULL));
  floe_options_init(NULL);
  floe_load_options_init(NULL);
  floe_bench_options_init(NULL);
  floe_bench_case_init(NULL);
  floe_bench_mixed_case_init(NULL);
  floe_bench_mixed_case_complete(NULL);
  floe_hash_options_init(NULL);
}
END_TEST

START_TEST(models) {
  floe_model *out;
  uint32_t bits, words;
  const char *code;
  floe_table_plan plan;
  floe_host_backed_plan two;
  floe_index_key_plan rank;
  floe_visited_plan visited;
  floe_temporal_plan temporal;
  floe_symmetry_plan symmetry;
  LOGGED(floe_model_load(NULL, log_, &out));
  LOGGED(floe_model_load("m.xml", log_, NULL));
  LOGGED(floe_model_parse(NULL, text, 1, log_, &out));
  LOGGED(floe_model_parse("m.xml", NULL, 1, log_, &out));
  LOGGED(floe_model_parse("m.xml", text, 1, log_, NULL));
  LOGGED(floe_model_load_with(NULL, NULL, log_, &out));
  LOGGED(floe_model_load_with("m.xml", NULL, log_, NULL));
  LOGGED(floe_model_parse_with(NULL, text, 1, NULL, log_, &out));
  LOGGED(floe_model_parse_with("m.xml", NULL, 1, NULL, log_, &out));
  LOGGED(floe_model_parse_with("m.xml", text, 1, NULL, log_, NULL));
  LOGGED(floe_model_define(NULL, "N", "1", log_));
  LOGGED(floe_model_define(model, NULL, "1", log_));
  LOGGED(floe_model_define(model, "N", NULL, log_));
  LOGGED(floe_model_check(NULL, log_));
  LOGGED(floe_model_reduce(NULL, NULL, 0, log_));
  LOGGED(floe_model_simplify(NULL, FLOE_SIMPLIFY_DEAD, NULL, 0, log_));
  LOGGED(floe_model_widen(NULL, log_));
  LOGGED(floe_model_layout_bits(NULL, log_, &bits, &words));
  LOGGED(floe_model_layout_bits(model, log_, NULL, &words));
  LOGGED(floe_model_layout_bits(model, log_, &bits, NULL));
  LOGGED(floe_model_generated_code(NULL, log_, &code));
  LOGGED(floe_model_write(NULL, "xml", log_, &code));
  LOGGED(floe_model_write(model, NULL, log_, &code));
  LOGGED(floe_model_write(model, "xml", log_, NULL));
  LOGGED(floe_model_write(model, "promela", log_, &code));
  LOGGED(floe_model_generated_code(model, log_, NULL));
  LOGGED(floe_model_index_key_plan(NULL, log_, &rank));
  LOGGED(floe_model_index_key_plan(model, log_, NULL));
  LOGGED(floe_model_temporal_plan(NULL, log_, 0, 1 << 20, &temporal));
  LOGGED(floe_model_temporal_plan(model, log_, 0, 1 << 20, NULL));
  LOGGED(floe_model_symmetry_plan(NULL, log_, &symmetry));
  LOGGED(floe_model_symmetry_plan(model, log_, NULL));
  REFUSED(floe_model_table_plan(NULL, 0, 1 << 20, &plan));
  REFUSED(floe_model_visited_plan(NULL, 1 << 20, 0, &visited));
  REFUSED(floe_model_visited_plan(model, 1 << 20, 0, NULL));
  REFUSED(floe_model_visited_plan(model, 1 << 20, 0, &visited)); /* before the check */
  REFUSED(floe_model_host_backed_plan(NULL, 1 << 20, 1 << 20, &two));
  REFUSED(floe_model_host_backed_plan(model, 1 << 20, 1 << 20, NULL));
}
END_TEST

/* Results of the check, before the check. */
START_TEST(unchecked) {
  floe_table_plan plan;
  ck_assert_uint_eq(floe_model_constants(model) + floe_model_properties(model) + floe_model_transitions(model) +
                        floe_model_layout_entries(model) + floe_model_start_steps(model),
                    0);
  ZERO(floe_constant, floe_model_constant(model, 0));
  ZERO(floe_layout_entry, floe_model_layout_entry(model, 0));
  ZERO(floe_index_key_entry, floe_model_index_key_entry(model, 0));
  ck_assert(floe_model_state_bound(model) == 0);
  REFUSED(floe_model_table_plan(model, 0, 1 << 20, &plan));
  ck_assert_int_eq(floe_model_check(model, log_), FLOE_OK);
  ck_assert_uint_eq(floe_model_constants(model), 1);
  REFUSED(floe_model_table_plan(model, 0, 1 << 20, NULL));
  REFUSED(floe_model_table_plan(model, FAR, 1 << 20, &plan));
  ck_assert_int_eq(floe_model_table_plan(model, 0, 1 << 20, &plan), FLOE_OK);
}
END_TEST

START_TEST(past_the_end) {
  const char *a = "", *b = "";
  ck_assert_ptr_null(floe_written_language(FAR));
  ck_assert_ptr_null(floe_written_language_of(NULL));
  ck_assert_ptr_null(floe_written_language_of("m.promela"));
  ck_assert_str_eq(floe_written_language_of("folder/m.dve"), "dve");
  ck_assert_int_eq(floe_model_check(model, log_), FLOE_OK);
  ck_assert_uint_eq(floe_model_expectations(model), 1);
  ZERO(floe_constant, floe_model_constant(model, FAR));
  ZERO(floe_property, floe_model_property(model, FAR));
  ZERO(floe_transition, floe_model_transition(model, FAR));
  ZERO(floe_transition_group, floe_model_transition_group(model, FAR));
  ZERO(floe_expectation, floe_model_expectation(model, FAR));
  ZERO(floe_expected_verdict, floe_model_expected_verdict(model, FAR, 0));
  ZERO(floe_expected_verdict, floe_model_expected_verdict(model, 0, FAR));
  ZERO(floe_layout_entry, floe_model_layout_entry(model, FAR));
  ZERO(floe_index_key_entry, floe_model_index_key_entry(model, 0)); /* before the plan */
  floe_index_key_plan rank;
  ck_assert_int_eq(floe_model_index_key_plan(model, log_, &rank), FLOE_OK);
  ck_assert_uint_ge(rank.keys, 4);
  ck_assert(floe_model_index_key_entry(model, 0).bits <= rank.exact_bits);
  ZERO(floe_index_key_entry, floe_model_index_key_entry(model, FAR));
  floe_model_expected_constant(model, 0, FAR, &a, &b);
  ck_assert(!a && !b);
  floe_model_expected_constant(model, 0, 0, NULL, NULL);
  floe_devices *devices;
  ck_assert_int_eq(floe_devices_create(&devices), FLOE_OK);
  ZERO(floe_gpu, floe_devices_gpu(devices, FAR));
  ZERO(floe_link, floe_devices_link(devices, 0, FAR));
  ZERO(floe_link, floe_devices_link(devices, 0, 0));
  floe_devices_free(devices);
}
END_TEST

/* A log is optional; loading an invalid model fails again, even if the log has all its errors. */
START_TEST(without_a_log) {
  static const char wrong[] = "<model name=\"m\"><variable name=\"x\" range=\"0..\"/></model>";
  floe_model *out;
  floe_result *result;
  floe_order *order;
  const floe_options options = plain();
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(floe_model_parse("w", wrong, strlen(wrong), log_, &out), FLOE_ERROR_MODEL);
  ck_assert_int_eq(floe_model_parse("w", wrong, strlen(wrong), NULL, &out), FLOE_ERROR_MODEL);
  ck_assert_int_eq(floe_model_load("/nowhere", NULL, &out), FLOE_ERROR_IO);
  ck_assert_int_eq(floe_model_parse("m", text, strlen(text), NULL, &out), FLOE_OK);
  ck_assert_int_eq(floe_model_define(out, "M", "1", NULL), FLOE_ERROR_MODEL);
  ck_assert_int_eq(floe_model_check(out, NULL), FLOE_OK);
  REFUSED(floe_model_check(NULL, NULL));
  ck_assert_int_eq(floe_explore(out, &options, NULL, &result), FLOE_OK);
  ck_assert_uint_eq(floe_result_summary(result)->states, 4);
  floe_result_free(result);
  floe_model_free(out);
  ck_assert_int_eq(floe_order_open("/nowhere", NULL, &order), FLOE_ERROR_IO);
}
END_TEST

START_TEST(explorations) {
  floe_result *result;
  floe_options options = plain();
  LOGGED(floe_explore(NULL, &options, log_, &result));
  LOGGED(floe_explore(model, &options, log_, NULL));
  options.engine = (floe_engine)FAR;
  LOGGED(floe_explore(model, &options, log_, &result));
  options.engine = (floe_engine)-1;
  LOGGED(floe_explore(model, &options, log_, &result));
  options = plain();
  options.order_kind = (floe_order_kind)BAD;
  LOGGED(floe_explore(model, &options, log_, &result));
  options = plain();
  options.encoding = (floe_encoding)BAD;
  LOGGED(floe_explore(model, &options, log_, &result));
  options = plain();
  options.timeout = NAN;
  LOGGED(floe_explore(model, &options, log_, &result));
  options = plain();
  options.threads = 1 << 20;
  LOGGED(floe_explore(model, &options, log_, &result));
  options = plain();
  options.table = "no such";
  LOGGED(floe_explore(model, &options, log_, &result));
  options = plain();
  options.properties = (const char *const[]){NULL};
  options.property_count = 1;
  LOGGED(floe_explore(model, &options, log_, &result));
  options = plain();
  options.checkpoint = "kept";
  options.checkpoint_every = -1;
  LOGGED(floe_explore(model, &options, log_, &result));
  options = plain();
  options.checkpoint = options.visited_order = "kept";
  LOGGED(floe_explore(model, &options, log_, &result));
}
END_TEST

START_TEST(resumptions) {
  floe_result *result;
  floe_model *other;
  floe_options options = plain();
  LOGGED(floe_resume(NULL, "/nowhere", &options, log_, &result));
  LOGGED(floe_resume(model, NULL, &options, log_, &result));
  LOGGED(floe_resume(model, "/nowhere", &options, log_, NULL));
  options.visited_order = "order";
  LOGGED(floe_resume(model, "/nowhere", &options, log_, &result));
  LOGGED(floe_resume_model(NULL, NULL, NULL, log_, &other, NULL));
  LOGGED(floe_resume_model("/nowhere", NULL, NULL, log_, NULL, NULL));
  ck_assert_int_eq(floe_resume(model, "/nowhere", NULL, NULL, &result), FLOE_ERROR_IO);
  ck_assert_int_eq(floe_resume_model("/nowhere", NULL, NULL, NULL, &other, NULL), FLOE_ERROR_IO);
}
END_TEST

START_TEST(results) {
  floe_result *result;
  floe_options options = plain();
  const char *a = "", *b = "";
  options.explain_unfired = options.keep_going = true;
  ck_assert_int_eq(floe_explore(model, &options, log_, &result), FLOE_OK);
  ck_assert_uint_eq(floe_result_level_states(result, FAR) + floe_result_fired(result, FAR), 0);
  ZERO(floe_statistic, floe_result_statistic(result, FAR));
  ZERO(floe_verdict, floe_result_verdict(result, FAR));
  ck_assert_uint_eq(floe_result_members(result), 0);
  ZERO(floe_member, floe_result_member(result, FAR));
  ck_assert_uint_eq(floe_result_unfired_transitions(result), 1);
  ZERO(floe_unfired, floe_result_unfired(result, FAR));
  ZERO(floe_unfired_condition, floe_result_unfired_condition(result, FAR, 0));
  ZERO(floe_unfired_condition, floe_result_unfired_condition(result, 0, FAR));
  ZERO(floe_change, floe_result_unfired_value(result, 0, FAR));
  const floe_trace *trace = floe_result_verdict(result, 0).trace;
  ck_assert_uint_eq(floe_trace_steps(trace), 2);
  ZERO(floe_change, floe_trace_initial_value(trace, FAR));
  ZERO(floe_change, floe_trace_last_value(trace, FAR));
  ZERO(floe_blocked_transition, floe_trace_blocked_transition(trace, FAR));
  ZERO(floe_step, floe_trace_step(trace, FAR));
  EMPTY(floe_trace_printed(trace, FAR));
  ck_assert_int_eq(floe_result_write_tool(result, model, stdout), FLOE_ERROR_UNSUPPORTED);
  ck_assert_int_eq(floe_trace_write_tool(trace, stdout), FLOE_ERROR_UNSUPPORTED);
  ck_assert_int_eq(floe_trace_write_trail(trace, stdout), FLOE_ERROR_UNSUPPORTED);
  ck_assert_str_ne(floe_trace_unplayable(trace), "");
  ZERO(floe_change, floe_trace_change(trace, FAR, 0));
  ZERO(floe_change, floe_trace_change(trace, 0, FAR));
  floe_trace_subexpression(trace, FAR, &a, &b);
  ck_assert(!a && !b);
  floe_trace_subexpression(trace, 0, NULL, NULL);
  /* the result may outlive the model */
  const floe_property own = floe_result_verdict(result, 0).property, of_model = floe_model_property(model, 0);
  ck_assert(own.id != of_model.id && own.text != of_model.text && own.description != of_model.description);
  ck_assert_str_eq(own.text, of_model.text);
  floe_result_free(result);
}
END_TEST

/* A single process. */
START_TEST(no_ranks) {
  unsigned rank = 7, count = 7;
  int code = 7;
  LOGGED(floe_mpi_init(log_, NULL, &count));
  LOGGED(floe_mpi_init(log_, &rank, NULL));
  ck_assert_uint_eq(floe_mpi_job_size(), 1);
  ck_assert_int_eq(floe_mpi_init(log_, &rank, &count), FLOE_OK);
  ck_assert(rank == 0 && count == 1);
  ck_assert_int_eq(floe_mpi_worker(NULL, NULL), FLOE_ERROR_USAGE);
  ck_assert_int_eq(floe_mpi_worker(NULL, &code), FLOE_ERROR_USAGE);
  floe_mpi_finalize(0);
}
END_TEST

START_TEST(no_results) {
  const char *a = "", *b = "";
  floe_result_free(NULL);
  ck_assert_ptr_null(floe_result_summary(NULL));
  ck_assert_uint_eq(floe_result_statistics(NULL), 0);
  ZERO(floe_statistic, floe_result_statistic(NULL, 0));
  ck_assert_uint_eq(floe_result_level_states(NULL, 0) + floe_result_fired(NULL, 0) + floe_result_verdicts(NULL) +
                        floe_result_unfired_transitions(NULL) + floe_trace_steps(NULL) + floe_trace_variables(NULL) +
                        floe_trace_subexpressions(NULL) + floe_trace_blocked_transitions(NULL) +
                        floe_trace_blocked_incomplete(NULL) + floe_result_members(NULL) + floe_result_measures(NULL),
                    0);
  ck_assert_uint_eq(floe_trace_loop(NULL), FLOE_NO_LOOP);
  ck_assert_uint_eq(floe_trace_constraints(NULL), 0);
  ZERO(floe_fair, floe_trace_constraint(NULL, 0));
  ZERO(floe_member, floe_result_member(NULL, 0));
  ZERO(floe_measure, floe_result_measure(NULL, 0));
  ZERO(floe_verdict, floe_result_verdict(NULL, 0));
  ZERO(floe_unfired, floe_result_unfired(NULL, 0));
  ZERO(floe_unfired_condition, floe_result_unfired_condition(NULL, 0, 0));
  ZERO(floe_change, floe_result_unfired_value(NULL, 0, 0));
  ZERO(floe_change, floe_trace_initial_value(NULL, 0));
  ZERO(floe_change, floe_trace_last_value(NULL, 0));
  ZERO(floe_blocked_transition, floe_trace_blocked_transition(NULL, 0));
  ZERO(floe_step, floe_trace_step(NULL, 0));
  EMPTY(floe_trace_printed(NULL, 0));
  EMPTY(floe_trace_unplayable(NULL));
  REFUSED(floe_result_write_tool(NULL, model, stdout));
  REFUSED(floe_trace_write_tool(NULL, stdout));
  REFUSED(floe_trace_write_trail(NULL, stdout));
  ZERO(floe_change, floe_trace_change(NULL, 0, 0));
  floe_trace_subexpression(NULL, 0, &a, &b);
}
END_TEST

START_TEST(interrupted) {
  floe_result *result;
  floe_options options = plain();
  options.explain_unfired = options.keep_going = true;
  floe_interrupt(); /* the next exploration ends at once */
  ck_assert_int_eq(floe_explore(model, &options, log_, &result), FLOE_OK);
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_INTERRUPT);
  floe_result_free(result);
  ck_assert_uint_eq(floe_abandoned_calls(), 0);
  ck_assert(!floe_traces_running());
}
END_TEST

START_TEST(checkpoints) {
  floe_checkpoint *checkpoint;
  LOGGED(floe_checkpoint_open(NULL, log_, &checkpoint));
  LOGGED(floe_checkpoint_open("x", log_, NULL));
  ck_assert_int_eq(floe_checkpoint_open("/nowhere", NULL, &checkpoint), FLOE_ERROR_IO);
  floe_checkpoint_close(NULL);
  ck_assert_ptr_null(floe_checkpoint_information(NULL));
  ZERO(floe_constant, floe_checkpoint_constant(NULL, 0));
  ck_assert_str_eq(floe_checkpoint_option(NULL, 0), "");
  ck_assert_uint_eq(floe_checkpoint_level(NULL, 0), 0);
  ZERO(floe_checkpoint_section, floe_checkpoint_section_at(NULL, 0));
  REFUSED(floe_checkpoint_verify(NULL, 1));
}
END_TEST

START_TEST(orders) {
  floe_order *order;
  uint64_t key;
  size_t count;
  LOGGED(floe_order_open(NULL, log_, &order));
  LOGGED(floe_order_open("x", log_, NULL));
  floe_order_close(NULL);
  ck_assert_ptr_null(floe_order_information(NULL));
  ZERO(floe_constant, floe_order_constant(NULL, 0));
  REFUSED(floe_order_read(NULL, &key, 1, &count));

  char path[] = "/tmp/floe-usage-XXXXXX";
  int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  floe_options options = plain();
  floe_result *result;
  options.visited_order = path;
  ck_assert_int_eq(floe_explore(model, &options, log_, &result), FLOE_OK);
  floe_result_free(result);
  ck_assert_int_eq(floe_order_open(path, log_, &order), FLOE_OK);
  LOGGED(floe_order_read(order, NULL, 1, &count));
  LOGGED(floe_order_read(order, &key, 1, NULL));
  ZERO(floe_constant, floe_order_constant(order, FAR));
  floe_order_close(order);
  remove(path);
}
END_TEST

START_TEST(graphs) {
  const floe_options options = plain();
  floe_graph *graph;
  LOGGED(floe_graph_create(NULL, &options, log_, &graph));
  LOGGED(floe_graph_create(model, &options, log_, NULL));
  ck_assert_int_eq(floe_graph_create(model, NULL, log_, &graph), FLOE_OK);
  REFUSED(floe_graph_write(NULL, FLOE_GRAPH_AUT, stdout));
  REFUSED(floe_graph_write(graph, FLOE_GRAPH_AUT, NULL));
  REFUSED(floe_graph_live(NULL, &(bool){false}));
  LOGGED(floe_graph_live(graph, NULL));
  REFUSED(floe_graph_write(graph, (floe_graph_format)BAD, stdout));
  REFUSED(floe_graph_write(graph, (floe_graph_format)-1, stdout));
  floe_graph_free(graph);
  floe_graph_free(NULL);
  ck_assert_uint_eq(floe_graph_end(NULL) + floe_graph_states(NULL) + floe_graph_transitions(NULL), 0);
}
END_TEST

START_TEST(automata) {
  LOGGED(floe_automaton_write(NULL, 0, FLOE_AUTOMATON_HOA, stdout, log_));
  LOGGED(floe_automaton_write(model, 0, FLOE_AUTOMATON_HOA, stdout, log_)); /* not checked */
  ck_assert_int_eq(floe_model_check(model, log_), FLOE_OK);
  LOGGED(floe_automaton_write(model, 0, FLOE_AUTOMATON_HOA, NULL, log_));
  LOGGED(floe_automaton_write(model, 0, (floe_automaton_format)BAD, stdout, log_));
  LOGGED(floe_automaton_write(model, 0, FLOE_AUTOMATON_HOA, stdout, log_)); /* not temporal */
  LOGGED(floe_automaton_write(model, FAR, FLOE_AUTOMATON_HOA, stdout, log_));
}
END_TEST

START_TEST(states) {
  const floe_change nothing = {NULL, NULL, "0"};
  floe_state *state, *other;
  floe_fairness *fairness;
  const size_t stays = FLOE_NO_FIRING;
  bool satisfied;
  char digits[200];
  LOGGED(floe_state_initial(NULL, log_, &state));
  LOGGED(floe_state_initial(model, log_, &state)); /* not checked */
  ck_assert_int_eq(floe_model_check(model, log_), FLOE_OK);
  LOGGED(floe_state_initial(model, log_, NULL));
  LOGGED(floe_state_from_values(NULL, NULL, 0, log_, &state));
  LOGGED(floe_state_from_values(model, NULL, 1, log_, &state));
  LOGGED(floe_state_from_values(model, &nothing, 1, log_, &state));
  LOGGED(floe_state_from_values(model, NULL, 0, log_, NULL));
  LOGGED(floe_state_of_trace(model, NULL, 0, log_, &state));
  LOGGED(floe_state_parse(NULL, "0", log_, &state));
  LOGGED(floe_state_parse(model, NULL, log_, &state));
  LOGGED(floe_state_parse(model, "0", log_, NULL));
  ck_assert_int_eq(floe_state_from_values(model, NULL, 0, log_, &state), FLOE_OK);
  LOGGED(floe_run_satisfies(NULL, 0, (const floe_state *const *)&state, 1, 0, NULL, log_, &satisfied));
  LOGGED(floe_run_satisfies(model, 0, NULL, 1, 0, NULL, log_, &satisfied));
  LOGGED(floe_run_satisfies(model, 0, (const floe_state *const *)&state, 1, 1, NULL, log_,
                            &satisfied)); /* no such state */
  LOGGED(
      floe_run_satisfies(model, 0, (const floe_state *const *)&state, 1, 0, NULL, log_, &satisfied)); /* not temporal */
  LOGGED(floe_run_satisfies(model, 0, (const floe_state *const *)&state, 1, 0, NULL, log_, NULL));
  LOGGED(floe_run_fairness(NULL, 0, NULL, (const floe_state *const *)&state, 1, 0, &stays, log_, &fairness));
  LOGGED(floe_run_fairness(model, 0, NULL, NULL, 1, 0, &stays, log_, &fairness));
  LOGGED(floe_run_fairness(model, 0, NULL, (const floe_state *const *)&state, 1, 0, NULL, log_, &fairness));
  LOGGED(floe_run_fairness(model, 0, NULL, (const floe_state *const *)&state, 1, 0, &stays, log_, NULL));
  LOGGED(floe_run_fairness(model, 0, NULL, (const floe_state *const *)&state, 1, 0, &stays, log_,
                           &fairness)); /* not temporal */
  ZERO(floe_fair, floe_fairness_constraint(NULL, 0));
  ck_assert_uint_eq(floe_fairness_constraints(NULL), 0);
  floe_fairness_free(NULL);
  REFUSED(floe_state_copy(NULL, &other));
  REFUSED(floe_state_copy(state, NULL));
  ck_assert_int_eq(floe_state_copy(state, &other), FLOE_OK);
  ck_assert(floe_state_equal(state, other) && !floe_state_equal(state, NULL) && !floe_state_equal(NULL, NULL));
  ck_assert_uint_eq(floe_state_hash(NULL) + floe_state_text(NULL, digits, sizeof digits), 0);
  EMPTY(digits);
  floe_state_free(other);
  floe_state_free(state);
  floe_state_free(NULL);
}
END_TEST

START_TEST(expansions) {
  floe_state *state;
  floe_expansion *expansion;
  const floe_change *values;
  const floe_state *next;
  const floe_trace *blocked;
  const char *printed;
  floe_expression *expression;
  floe_evaluation evaluation;
  floe_property_value observation;
  floe_step step;
  size_t count;
  uint64_t fired[64] = {0};
  ck_assert_int_eq(floe_model_check(model, log_), FLOE_OK);
  ck_assert_int_eq(floe_state_initial(model, log_, &state), FLOE_OK);
  LOGGED(floe_expand(NULL, state, log_, &expansion));
  LOGGED(floe_expand(model, NULL, log_, &expansion));
  LOGGED(floe_expand(model, state, log_, NULL));
  ck_assert_int_eq(floe_expand(model, state, log_, &expansion), FLOE_OK);
  floe_state_free(state);
  ck_assert_ptr_null(floe_expansion_state(NULL));
  REFUSED(floe_expansion_values(NULL, &values, &count));
  REFUSED(floe_expansion_values(expansion, NULL, &count));
  REFUSED(floe_expansion_values(expansion, &values, NULL));
  ck_assert(floe_expansion_steps(NULL) == 0 && !floe_expansion_step_fails(NULL, 0) &&
            !floe_expansion_is_transient(NULL));
  ck_assert(!floe_expansion_step_fails(expansion, FAR));
  REFUSED(floe_expansion_step(NULL, 0, &step));
  REFUSED(floe_expansion_step(expansion, 0, NULL));
  REFUSED(floe_expansion_step(expansion, FAR, &step));
  REFUSED(floe_expansion_printed(NULL, 0, &printed));
  REFUSED(floe_expansion_printed(expansion, 0, NULL));
  REFUSED(floe_expansion_printed(expansion, FAR, &printed));
  REFUSED(floe_expansion_successor(NULL, 0, &next));
  REFUSED(floe_expansion_successor(expansion, 0, NULL));
  REFUSED(floe_expansion_successor(expansion, FAR, &next));
  REFUSED(floe_expansion_count_fired(NULL, 0, fired));
  REFUSED(floe_expansion_count_fired(expansion, 0, NULL));
  REFUSED(floe_expansion_count_fired(expansion, FAR, fired));
  REFUSED(floe_expansion_property(NULL, 0, &observation));
  REFUSED(floe_expansion_property(expansion, FAR, &observation));
  REFUSED(floe_expansion_property(expansion, 0, NULL));
  REFUSED(floe_expansion_blocked(NULL, 0, &blocked));
  REFUSED(floe_expansion_blocked(expansion, 0, NULL));
  LOGGED(floe_expression_create(NULL, "x", log_, &expression));
  LOGGED(floe_expression_create(model, NULL, log_, &expression));
  LOGGED(floe_expression_create(model, "x", log_, NULL));
  ck_assert_int_eq(floe_expression_create(model, "x", log_, &expression), FLOE_OK);
  REFUSED(floe_expansion_evaluate(NULL, expression, &evaluation));
  REFUSED(floe_expansion_evaluate(expansion, NULL, &evaluation));
  REFUSED(floe_expansion_evaluate(expansion, expression, NULL));
  floe_expression_free(expression);
  floe_expression_free(NULL);
  REFUSED(floe_values_write_json(NULL, 1, stdout));
  REFUSED(floe_values_write_json(NULL, 0, NULL));
  REFUSED(floe_step_write_json(NULL, stdout));
  ck_assert_int_eq(floe_expansion_step(expansion, 0, &step), FLOE_OK);
  REFUSED(floe_step_write_json(&step, NULL));
  REFUSED(floe_blocked_write_json(NULL, NULL));
  REFUSED(floe_expansion_write_json(NULL, stdout));
  REFUSED(floe_expansion_write_json(expansion, NULL));
  floe_expansion_free(expansion);
  floe_expansion_free(NULL);
}
END_TEST

START_TEST(simulators) {
  floe_simulator *simulator;
  floe_expansion *expansion;
  LOGGED(floe_simulator_create(NULL, log_, &simulator));
  LOGGED(floe_simulator_create(model, log_, NULL));
  ck_assert_int_eq(floe_simulator_create(model, log_, &simulator), FLOE_OK);
  REFUSED(floe_simulator_expansion(NULL, &expansion));
  REFUSED(floe_simulator_expansion(simulator, NULL));
  REFUSED(floe_simulator_fire(NULL, 0));
  REFUSED(floe_simulator_fire(simulator, FAR));
  REFUSED(floe_simulator_undo(NULL));
  REFUSED(floe_simulator_undo(simulator));
  floe_simulator_restart(NULL), floe_simulator_forget(NULL);
  floe_simulator_free(simulator);
  floe_simulator_free(NULL);
  ck_assert_uint_eq(floe_simulator_depth(NULL), 0);
}
END_TEST

/* ---- completeness ---------------------------------------------------------------------------- */

static char *read_source(const char *name) {
  char path[1024];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/%s", top ? top : ".", name);
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s", path);
  char *bytes = calloc(1, 200001);
  ck_assert(fread(bytes, 1, 200000, file) < 200000);
  fclose(file);
  return bytes;
}

/* The name of the function declared at `at`, with its parenthesis. */
static void name_of(const char *at, char name[80]) {
  const char *end = strchr(at, '(');
  const char *start = end;
  while (start > at && strchr("abcdefghijklmnopqrstuvwxyz_0123456789", start[-1]))
    start--;
  snprintf(name, 80, "%.*s(", (int)(end - start), start);
}

/* Counts the functions of a header; each is called in one of the two tests. */
static unsigned functions_of(const char *path, const char *const tests[2]) {
  char *header = read_source(path);
  unsigned count = 0;
  for (char *at = header; (at = strstr(at, "\nFLOE_API ")); at++, count++) {
    char name[80];
    name_of(at + strlen("\nFLOE_API "), name);
    ck_assert_msg(strncmp(name, "floe_", 5) == 0, "%s", name);
    ck_assert_msg(strstr(tests[0], name) || strstr(tests[1], name), "%s...) has no test", name);
  }
  free(header);
  return count;
}

START_TEST(every_function_is_tested) {
  char *here = read_source("tests/api/test_usage.c"), *tables = read_source("tests/api/test_usage_tables.c");
  const char *const tests[] = {here, tables};
  ck_assert_uint_gt(functions_of("src/floe_common.h", tests), 15);
  ck_assert_uint_gt(functions_of("src/floe_model.h", tests), 25);
  ck_assert_uint_gt(functions_of("src/floe_states.h", tests), 30);
  ck_assert_uint_gt(functions_of("src/floe.h", tests), 40);
  ck_assert_uint_gt(functions_of("src/floe_tables.h", tests), 10);
  ck_assert_uint_gt(functions_of("src/bench/floe_bench.h", tests), 10);
  free(here);
  free(tables);
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("usage");
  tcase_add_checked_fixture(tests, begin, end);
  tcase_set_timeout(tests, 120);
  add_tests(tests, names, no_object, models, unchecked, past_the_end, without_a_log, checkpoints, orders, explorations,
            resumptions, results, no_results, no_ranks, interrupted, graphs, automata, states, expansions, simulators,
            every_function_is_tested);
  return run_suite("usage", CK_FORK_GETENV, tests);
}
