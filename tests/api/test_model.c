/* The model half of the public API: loading, constants, queries, memory
 * that ends. */
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ring[] =
    "<model name='ring'>\n<description>a ring</description>\n<constant name='N' range='2..9'/>\n"
    "<constant name='TWICE' value='2 * N'/>\n<variable name='token' range='0..N-1'/>\n"
    "<process name='S' instances='N'>\n<variable name='seen' range='0..3' size='2'/>\n"
    "<location name='idle' initial='true'/><location name='busy'/>\n"
    "<transition from='idle' to='busy' guard='token == self' label='take' effect='seen[0] = 1'/>\n"
    "<transition from='busy' to='idle' effect='token = (token + 1) % N; seen[1] = 3'/>\n"
    "</process>\n"
    "<property id='safe' kind='invariant' description='one at a time'>count(i in S : S[i].busy) le "
    "1</property>\n"
    "<property id='last' kind='reachable'>\n S[N - 1].busy\t \n and 0 &lt; 1 &amp;&amp; true\n</property>\n"
    "<expect constants='N=2' states='4' levels='3'><verdict property='last' value='reachable' "
    "depth='3'/></expect>\n"
    "<expect constants='N=3, TWICE=6'/>\n</model>\n";

static floe_log *messages;
static floe_model *model;

static void load(const char *text) {
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  ck_assert_int_eq(floe_model_parse("ring.xml", text, strlen(text), messages, &model), FLOE_OK);
}

static void done(void) {
  floe_model_free(model);
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

START_TEST(test_constants) {
  load(ring);
  ck_assert_str_eq(floe_model_name(model), "ring");
  ck_assert_str_eq(floe_model_file(model), "ring.xml");
  ck_assert_str_eq(floe_model_description(model), "a ring");
  ck_assert_uint_eq(strlen(floe_model_digest(model)), strlen("sha256:") + 64);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_ERROR_MODEL); /* N has no value */
  floe_log_clear(messages);
  ck_assert_int_eq(floe_model_define(model, "N", "3", messages), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  ck_assert_uint_eq(floe_model_constants(model), 2);
  ck_assert_int_eq(floe_model_constant(model, 0).value, 3);
  ck_assert(floe_model_constant(model, 0).given);
  ck_assert_int_eq(floe_model_constant(model, 1).value, 6);
  ck_assert(!floe_model_constant(model, 1).given);
  ck_assert_int_eq(floe_model_define(model, "N", "4", messages), FLOE_OK); /* instead of 3 */
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  ck_assert_int_eq(floe_model_constant(model, 1).value, 8);
  floe_model_undefine_all(model);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_ERROR_MODEL);
  done();
}
END_TEST

START_TEST(test_refused_constants) {
  static const char *const values[] = {"", "-", "three", "3x", "1.5", "0x3", " 3", "+3", "9223372036854775808"};
  load(ring);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    ck_assert_int_eq(floe_model_define(model, "N", values[i], messages), FLOE_ERROR_MODEL);
  ck_assert_int_eq(floe_model_define(model, "TWCE", "3", messages), FLOE_ERROR_MODEL);
  const floe_message *last = floe_log_at(messages, floe_log_count(messages) - 1);
  ck_assert_str_eq(last->hint, "did you mean 'TWICE'?");
  ck_assert_int_eq(floe_model_define(model, "X", "3", messages), FLOE_ERROR_MODEL);
  last = floe_log_at(messages, floe_log_count(messages) - 1);
  ck_assert_str_eq(last->hint, "its constants: N, TWICE");
  ck_assert_int_eq(floe_model_define(model, "N", "-9223372036854775808", messages), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_ERROR_MODEL); /* out of its range */
  ck_assert_int_eq(floe_model_define(model, "N", "2", messages), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  done();
}
END_TEST

START_TEST(test_description) {
  load(ring);
  ck_assert_int_eq(floe_model_define(model, "N", "3", messages), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  ck_assert_uint_eq(floe_model_properties(model), 4);
  floe_property property = floe_model_property(model, 0);
  ck_assert_str_eq(property.id, "safe");
  ck_assert_int_eq(property.kind, FLOE_INVARIANT);
  ck_assert_str_eq(property.description, "one at a time");
  ck_assert_uint_eq(property.line, 12);
  ck_assert_str_eq(property.text, "count(i in S : S[i].busy) le 1");
  ck_assert_str_eq(floe_model_property(model, 1).text, "S[N - 1].busy and 0 < 1 && true");
  ck_assert_str_eq(floe_model_property(model, 2).text, "");
  ck_assert_str_eq(floe_model_property(model, 1).description, "");
  ck_assert_str_eq(floe_model_property(model, 2).id, "deadlock");
  ck_assert_uint_eq(floe_model_property(model, 2).line, 0);
  ck_assert_int_eq(floe_model_property(model, 3).kind, FLOE_ERRORS);
  ck_assert_uint_eq(floe_model_transitions(model), 2);
  floe_transition transition = floe_model_transition(model, 1);
  ck_assert_str_eq(transition.process, "S");
  ck_assert_str_eq(transition.label, "");
  ck_assert_str_eq(transition.from, "busy");
  ck_assert_str_eq(transition.to, "idle");
  ck_assert_uint_eq(transition.line, 10);
  done();
}
END_TEST

START_TEST(test_expectations) {
  const char *name, *value;
  load(ring);
  ck_assert_uint_eq(floe_model_expectations(model), 2); /* no check needed */
  floe_expectation expected = floe_model_expectation(model, 0);
  ck_assert_int_eq(expected.states, 4);
  ck_assert_int_eq(expected.transitions, -1);
  ck_assert_int_eq(expected.levels, 3);
  ck_assert_uint_eq(expected.line, 17);
  ck_assert_uint_eq(expected.verdicts, 1);
  floe_expected_verdict verdict = floe_model_expected_verdict(model, 0, 0);
  ck_assert_str_eq(verdict.property, "last");
  ck_assert_int_eq(verdict.value, FLOE_IS_REACHABLE);
  ck_assert_int_eq(verdict.depth, 3);
  ck_assert_uint_eq(floe_model_expectation(model, 1).constants, 2);
  floe_model_expected_constant(model, 1, 1, &name, &value);
  ck_assert_str_eq(name, "TWICE");
  ck_assert_str_eq(value, "6");
  done();
}
END_TEST

START_TEST(test_plan) {
  uint32_t bits, words, sum = 0;
  floe_table_plan plan, larger;
  load(ring);
  ck_assert_int_eq(floe_model_define(model, "N", "4", messages), FLOE_OK);
  ck_assert_int_eq(floe_model_layout_bits(model, messages, &bits, &words), FLOE_OK);
  ck_assert_uint_eq(words, 1);
  ck_assert_uint_eq(bits, 2 + 4 + 4 * 2 * 2); /* token, four locations, four arrays of two */
  for (size_t i = 0; i < floe_model_layout_entries(model); i++) {
    floe_layout_entry entry = floe_model_layout_entry(model, i);
    ck_assert_uint_eq(entry.bits, entry.elements * entry.bits_each);
    ck_assert_uint_eq(entry.per_word, entry.elements);
    sum += entry.bits;
    if (strcmp(entry.name, "S.seen") == 0)
      ck_assert_uint_eq(entry.elements, 8);
  }
  ck_assert_uint_eq(sum, bits);
  ck_assert(floe_model_state_bound(model) == 4.0 * 16 * 65536);
  size_t n = 0;
  for (; floe_model_table_plan(model, n, 1 << 20, &plan) == FLOE_OK; n++) {
    ck_assert_uint_gt(plan.states, 0);
    ck_assert_uint_ge(plan.slots, plan.states);
    ck_assert(plan.bytes_per_state * (double)plan.states <= 1 << 20);
    ck_assert_int_eq(floe_model_table_plan(model, n, 2 << 20, &larger), FLOE_OK);
    if (plan.slot_bits > 1) /* a bitmap has room for all */
      ck_assert_uint_gt(larger.states, plan.states);
  }
  ck_assert_uint_ge(n, 2);
  ck_assert_int_eq(floe_model_table_plan(model, 0, 8, &plan), FLOE_ERROR_USAGE);
  floe_visited_plan visited;
  ck_assert_int_eq(floe_model_visited_plan(model, 64 << 20, 0, &visited), FLOE_OK);
  ck_assert(visited.bitmap_bytes > 0 && visited.bytes > 0 && *visited.reason);
  if (strcmp(visited.table, "bitmap") == 0)
    ck_assert_uint_eq(visited.bytes, visited.bitmap_bytes);
  ck_assert_int_eq(floe_model_visited_plan(model, 64 << 20, visited.bitmap_bytes * 4, &visited), FLOE_OK);
  ck_assert_str_eq(visited.table, "bitmap");
  ck_assert(!visited.becomes_bitmap);
  ck_assert_int_eq(floe_model_visited_plan(model, visited.bitmap_bytes, 0, &visited), FLOE_OK);
  ck_assert_str_eq(visited.table, "iceberg"); /* a bitmap would take all memory */
  floe_host_backed_plan two, more;
  ck_assert_int_eq(floe_model_host_backed_plan(model, 1 << 20, 1 << 16, &two), FLOE_OK);
  ck_assert_int_eq(floe_model_host_backed_plan(model, 2 << 20, 1 << 17, &more), FLOE_OK);
  ck_assert(two.bytes_per_state * (double)two.host_states <= 1 << 20);
  ck_assert_uint_gt(more.host_states, two.host_states);
  ck_assert_uint_gt(more.gpu_states, two.gpu_states);
  ck_assert_int_eq(floe_model_host_backed_plan(model, 8, 1 << 20, &two), FLOE_ERROR_MEMORY);
  done();
}
END_TEST

START_TEST(test_code) {
  const char *text;
  load(ring);
  ck_assert_int_eq(floe_model_generated_code(model, messages, &text), FLOE_ERROR_MODEL); /* N has no value */
  ck_assert_int_eq(floe_model_define(model, "N", "2", messages), FLOE_OK);
  ck_assert_int_eq(floe_model_generated_code(model, messages, &text), FLOE_OK);
  ck_assert_ptr_nonnull(strstr(text, "token"));
  done();
}
END_TEST

START_TEST(test_files) {
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  ck_assert_int_eq(floe_model_load("/nonexistent/m.xml", messages, &model), FLOE_ERROR_IO);
  ck_assert_int_eq(floe_model_load("/", messages, &model), FLOE_ERROR_IO);
  ck_assert_int_eq(floe_model_load("/dev/zero", messages, &model), FLOE_ERROR_IO); /* too large */
  ck_assert_int_eq(floe_model_load("/dev/null", messages, &model), FLOE_ERROR_MODEL);
  ck_assert_uint_ge(floe_log_errors(messages), 4);
  model = NULL;
  done();
}
END_TEST

/* Every allocation of loading, checking and generating fails once: an error each time, nothing
 * leaks. */
START_TEST(test_memory) {
  const char *text;
  int failures = 0;
  for (long n = 1;; n++) {
    ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
    model = NULL;
    mem_fail_after(n);
    floe_status status = floe_model_parse("ring.xml", ring, strlen(ring), messages, &model);
    if (status == FLOE_OK)
      status = floe_model_define(model, "N", "3", messages);
    if (status == FLOE_OK)
      status = floe_model_generated_code(model, messages, &text);
    mem_fail_after(0);
    done();
    if (status == FLOE_OK)
      break;
    ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
    failures++;
  }
  ck_assert_int_gt(failures, 5);
}
END_TEST

/* ---- included files ---- */

static const char including[] = "<model name='m'>\n<include href='part.xml'/>\n"
                                "<process name='P'><location name='a' initial='true'/></process>\n</model>\n";
static char folder[] = "/tmp/floe-test-XXXXXX", part[64];

static void write_part(const char *range) {
  FILE *file = fopen(part, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file,
          "<fragment>\n<variable name='x' range='%s'/>\n<property id='p' kind='reachable'>x == 0</property>\n"
          "</fragment>\n",
          range);
  ck_assert_int_eq(fclose(file), 0);
}

static floe_status parse_including(const floe_load_options *options) {
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  model = NULL;
  return floe_model_parse_with("m.xml", including, strlen(including), options, messages, &model);
}

static void refuse_including(const floe_load_options *options, const char *reason) {
  ck_assert_int_eq(parse_including(options), FLOE_ERROR_MODEL);
  ck_assert_uint_eq(floe_log_at(messages, 0)->line, 2);
  ck_assert_msg(strstr(floe_log_at(messages, 0)->message, reason), "%s", floe_log_at(messages, 0)->message);
  done();
}

static void assert_including(void) {
  size_t length;
  ck_assert_uint_eq(floe_model_includes(model), 1);
  ck_assert_str_eq(floe_model_included_file(model, 0), part);
  ck_assert_uint_eq(strlen(floe_model_included_text(model, 0, &length)), length);
  ck_assert_str_eq(floe_model_included_text(model, 1, &length), "");
  ck_assert_str_eq(floe_model_text(model, NULL), including);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  ck_assert_str_eq(floe_model_property(model, 0).file, part);
  ck_assert_uint_eq(floe_model_property(model, 0).line, 3);
  ck_assert_str_eq(floe_model_property(model, 1).file, ""); /* deadlock */
  floe_expression *expression;
  ck_assert_int_eq(floe_expression_create(model, "x + y", messages, &expression), FLOE_ERROR_MODEL);
  const floe_message *message = floe_log_at(messages, floe_log_count(messages) - 1);
  ck_assert_str_eq(message->file, "expression");
  ck_assert_uint_eq(message->column, 5);
}

static void fail_each_allocation(const floe_load_options *options) {
  int failures = 0;
  floe_status status = FLOE_ERROR_MEMORY;
  for (long n = 1; status != FLOE_OK; n++) {
    ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
    model = NULL;
    mem_fail_after(n);
    status = floe_model_parse_with("m.xml", including, strlen(including), options, messages, &model);
    mem_fail_after(0);
    done();
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    failures += status != FLOE_OK;
  }
  ck_assert_int_gt(failures, 2);
}

START_TEST(test_includes) {
  char digest[100];
  floe_load_options options;
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(part, sizeof part, "%s/part.xml", folder);
  write_part("0..3");
  floe_load_options_init(&options);
  ck_assert_uint_eq(options.struct_size, sizeof options);
  refuse_including(NULL, "not read from a file");
  refuse_including(&options, "not read from a file");
  options.include_folder = folder;
  options.no_includes = true;
  refuse_including(&options, "turned off");
  options.no_includes = false;
  options.struct_size = offsetof(floe_load_options, include_folder); /* a program without this member */
  refuse_including(&options, "not read from a file");
  options.struct_size = sizeof options;
  options.deadlocks = (floe_deadlocks)4;
  ck_assert_int_eq(parse_including(&options), FLOE_ERROR_USAGE);
  done();
  options.deadlocks = FLOE_DEADLOCKS_OF_LANGUAGE;
  ck_assert_int_eq(parse_including(&options), FLOE_OK);
  assert_including();
  snprintf(digest, sizeof digest, "%s", floe_model_digest(model));
  done();
  fail_each_allocation(&options);
  write_part("0..4");
  ck_assert_int_eq(parse_including(&options), FLOE_OK);
  ck_assert_str_ne(floe_model_digest(model), digest);
  done();
  remove(part);
  remove(folder);
}
END_TEST

int main(void) {
  return run_tests("model", CK_NOFORK, test_constants, test_refused_constants, test_description, test_expectations,
                   test_plan, test_code, test_files, test_memory, test_includes);
}
