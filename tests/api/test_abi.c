/* Compatibility with programs built for other versions of the headers: version numbers, options of another
   size, and the layout of structs without a size member (doc/design/public-api.md, "The public interface"). */
#include "floe.h"
#include "floe_tables.h"
#include "tests/suite.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

START_TEST(versions) {
  char text[40];
  snprintf(text, sizeof text, "%d.%d.%d", FLOE_VERSION_MAJOR, FLOE_VERSION_MINOR, FLOE_VERSION_PATCH);
  ck_assert_str_eq(floe_version(), text);
  ck_assert_uint_eq(floe_version_number(), FLOE_VERSION);
  ck_assert(FLOE_VERSION_OF(1, 2, 3) > FLOE_VERSION_OF(1, 1, 999));
}
END_TEST

/* ---- options ----------------------------------------------------------------------------------- */

static const char text[] = "<model name=\"m\"><variable name=\"x\" range=\"0..9\"/><process name=\"P\">"
                           "<location name=\"a\" initial=\"true\"/>"
                           "<transition from=\"a\" guard=\"x lt 9\" effect=\"x++\"/></process>"
                           "<deadlock check=\"false\"/></model>";

/* A block of `size` bytes that begins like `options`; the bytes beyond are garbage. */
static void *cut(const void *options, size_t known, size_t size) {
  char *block = malloc(size);
  ck_assert_ptr_nonnull(block);
  memset(block, 0xee, size);
  memcpy(block, options, known < size ? known : size);
  memcpy(block, &size, sizeof size); /* struct_size comes first */
  return block;
}

static uint64_t states_with(const void *options) {
  floe_model *model;
  floe_result *result;
  ck_assert_int_eq(floe_model_parse("m.xml", text, strlen(text), NULL, &model), FLOE_OK);
  ck_assert_int_eq(floe_explore(model, options, NULL, &result), FLOE_OK);
  uint64_t states = floe_result_summary(result)->states;
  floe_result_free(result);
  floe_model_free(model);
  return states;
}

static floe_options plain(void) {
  floe_options options;
  floe_options_init(&options);
  ck_assert_uint_eq(options.struct_size, sizeof options);
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.memory = 64 << 20;
  options.threads = 1;
  return options;
}

/* A program built before max_states, and one built with more members. */
START_TEST(options_of_another_size) {
  const size_t sizes[] = {offsetof(floe_options, max_depth), offsetof(floe_options, max_states),
                          offsetof(floe_options, visited_order), sizeof(floe_options) + 64};
  floe_options options = plain();
  options.max_depth = 3;
  ck_assert_uint_eq(states_with(&options), 4); /* states at the bound are not expanded */
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    void *block = cut(&options, sizeof options, sizes[i]);
    ck_assert_uint_eq(states_with(block), i == 0 ? 10 : 4);
    free(block);
  }
}
END_TEST

START_TEST(graph_options_of_another_size) {
  floe_options options = plain();
  floe_model *model;
  floe_graph *graph;
  void *block = cut(&options, sizeof options, offsetof(floe_options, max_states));
  ck_assert_int_eq(floe_model_parse("m.xml", text, strlen(text), NULL, &model), FLOE_OK);
  ck_assert_int_eq(floe_graph_create(model, block, NULL, &graph), FLOE_OK);
  ck_assert_uint_eq(floe_graph_states(graph), 10);
  floe_graph_free(graph);
  floe_model_free(model);
  free(block);
}
END_TEST

START_TEST(table_options_of_another_size) {
  floe_hash_options options;
  floe_hash_info info;
  floe_hash_options_init(&options);
  ck_assert_uint_eq(options.struct_size, sizeof options);
  options.slots = 4096;
  options.value_bits = 64;
  const size_t sizes[] = {offsetof(floe_hash_options, value_bits), offsetof(floe_hash_options, reduction),
                          sizeof(floe_hash_options) + 64};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    floe_hash_options *block = cut(&options, sizeof options, sizes[i]);
    floe_hash_table *table;
    ck_assert_int_eq(floe_hash_plan(block, NULL, &info), FLOE_OK);
    ck_assert_uint_eq(info.value_bits, i == 0 ? 0 : 64);
    ck_assert_int_eq(floe_hash_create(block, NULL, &table), FLOE_OK);
    ck_assert_uint_eq(floe_hash_information(table).value_bits, i == 0 ? 0 : 64);
    floe_hash_free(table);
    free(block);
  }
}
END_TEST

/* ---- structs without a size member ---------------------------------------------------------------- */

/* Structs that are returned by value, filled in the caller's memory or handed out in arrays. To change one of these
   numbers requires a new soname of the library. */
START_TEST(sizes) {
  static const struct {
    const char *name;
    size_t size, wanted;
  } all[] = {
#define SIZE(type, wanted) {#type, sizeof(type), wanted}
      SIZE(floe_cpu, 32),
      SIZE(floe_gpu, 64),
      SIZE(floe_link, 8),
      SIZE(floe_constant, 24),
      SIZE(floe_property, 48),
      SIZE(floe_transition, 48),
      SIZE(floe_transition_group, 24),
      SIZE(floe_expected_verdict, 24),
      SIZE(floe_expectation, 56),
      SIZE(floe_layout_entry, 56),
      SIZE(floe_table_plan, 40),
      SIZE(floe_statistic, 48),
      SIZE(floe_verdict, 120),
      SIZE(floe_vacuous, 16),
      SIZE(floe_change, 24),
      SIZE(floe_select, 24),
      SIZE(floe_participant, 72),
      SIZE(floe_step, 112),
      SIZE(floe_unfired_condition, 24),
      SIZE(floe_unfired, 56),
      SIZE(floe_obstacle, 32),
      SIZE(floe_blocked_transition, 80),
      SIZE(floe_property_value, 16),
      SIZE(floe_evaluation, 24),
      SIZE(floe_hash_info, 80),
      SIZE(floe_hash_stats, 880),
      SIZE(floe_hash_traffic, 88),
      SIZE(floe_hash_own_permutation, 40),
      SIZE(floe_checkpoint_section, 32),
      SIZE(floe_host_backed_plan, 32),
      SIZE(floe_index_key_plan, 24),
      SIZE(floe_index_key_entry, 16),
      SIZE(floe_visited_plan, 48),
      SIZE(floe_temporal_plan, 72),
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ck_assert_msg(all[i].size == all[i].wanted, "%s: %zu bytes instead of %zu", all[i].name, all[i].size,
                  all[i].wanted);
}
END_TEST

/* The last value of every enum: new values follow it, and these stay. */
START_TEST(enums) {
  ck_assert_int_eq(FLOE_ERROR_INTERRUPTED, 7);
  ck_assert_int_eq(FLOE_ERROR, 2);
  ck_assert_int_eq(FLOE_ENGINE_INTERPRETER, 3);
  ck_assert_int_eq(FLOE_ERRORS, 4);
  ck_assert_int_eq(FLOE_LTL, 5);
  ck_assert_int_eq(FLOE_RECOVERABLE, 6);
  ck_assert_int_eq(FLOE_UNDECIDED, 4);
  ck_assert_int_eq(FLOE_ORDER_LOOKUPS, 1);
  ck_assert_int_eq(FLOE_ENCODING_INDEX, 2);
  ck_assert_int_eq(FLOE_END_INTERRUPT, 6);
  ck_assert_int_eq(FLOE_END_DISK, 7);
  ck_assert_int_eq(FLOE_UNDECIDED_STEP, 3);
  ck_assert_int_eq(FLOE_DEADLOCKS_STUTTERING, 3);
  ck_assert_int_eq(FLOE_OBSTACLE_NO_CHANGE, 7);
  ck_assert_int_eq(FLOE_OBSTACLE_STATEMENT, 8);
  ck_assert_int_eq(FLOE_GRAPH_DOT, 1);
  ck_assert_int_eq(FLOE_GRAPH_DOT_STATES, 2);
  ck_assert_int_eq(FLOE_HASH_ADD, 5);
  ck_assert_int_eq(FLOE_HASH_NONE, 2);
  ck_assert_int_eq(FLOE_HASH_OWN, 4);
}
END_TEST

/* Passed by pointer, these grow at their ends only: the last member of today keeps its offset. */
START_TEST(last_members) {
  ck_assert_uint_eq(offsetof(floe_options, gpu_share), 192);
  ck_assert_uint_eq(offsetof(floe_load_options, deadlocks), 32);
  ck_assert_uint_eq(offsetof(floe_hash_options, cache_dir), 136);
  ck_assert_uint_eq(offsetof(floe_message, excerpt), 40);
  ck_assert_uint_eq(offsetof(floe_progress, activity), 72);
  ck_assert_uint_eq(offsetof(floe_summary, phases) + offsetof(floe_phases, waiting), 272);
  ck_assert_uint_eq(offsetof(floe_order_info, constants), 64);
  ck_assert_uint_eq(offsetof(floe_checkpoint_info, bytes), 112);
}
END_TEST

int main(void) {
  return run_tests("abi", CK_FORK_GETENV, versions, options_of_another_size, graph_options_of_another_size,
                   table_options_of_another_size, sizes, enums, last_members);
}
