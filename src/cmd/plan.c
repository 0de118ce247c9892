/* floe plan: the layout of a model's states, and how many of them fit in memory. */
#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/quantity.h"
#include "cmd/report.h"
#include "cmd/session.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct plan {
  const floe_model *model;
  uint32_t bits, words;
  double bound;
  uint64_t memory;
};

static int name_width(const floe_model *model) {
  size_t width = strlen("variable");
  for (size_t i = 0; i < floe_model_layout_entries(model); i++) {
    size_t length = strlen(floe_model_layout_entry(model, i).name);
    width = length > width ? length : width;
  }
  return (int)width;
}

static void put_layout(const struct plan *plan) {
  int width = name_width(plan->model);
  printf("%-*s  elements  bits each   bits  word  bit  range\n", width, "variable");
  for (size_t i = 0; i < floe_model_layout_entries(plan->model); i++) {
    floe_layout_entry entry = floe_model_layout_entry(plan->model, i);
    printf("%-*s  %8" PRIu32 "  %9" PRIu32 "  %5" PRIu32, width, entry.name, entry.elements,
           entry.bits_each, entry.bits);
    if (entry.bits)
      printf("  %4" PRIu32 "  %3" PRIu32, entry.word, entry.shift);
    else
      fputs("     -    -", stdout);
    printf("  %" PRId64 "..%" PRId64 "\n", entry.low, entry.high);
  }
}

static void put_tables(const struct plan *plan) {
  char memory[QUANTITY];
  floe_table_plan table;
  if (plan->words > 1) {
    puts("wider than 64 bits: this version cannot explore it");
    return;
  }
  printf("states that fit in %s:\n", byte_text(plan->memory, memory));
  if (floe_model_table_plan(plan->model, 0, plan->memory, &table) != FLOE_OK)
    puts("none: no table is that small");
  for (size_t i = 0; floe_model_table_plan(plan->model, i, plan->memory, &table) == FLOE_OK; i++)
    printf("  %s with slots of %u bits: %" PRIu64 "%s, %.2f bytes each\n", table.table,
           table.slot_bits, table.states, (double)table.states >= plan->bound ? " (all)" : "",
           table.bytes_per_state);
}

static void put_plan(const struct plan *plan) {
  report_model(plan->model);
  put_layout(plan);
  printf("bits per state: %" PRIu32 ", in %" PRIu32 " word%s\n", plan->bits, plan->words,
         plan->words == 1 ? "" : "s");
  printf("states: at most %.*g\n", plan->bound < 1e15 ? 15 : 4, plan->bound);
  put_tables(plan);
}

static json_t *layout_json(const floe_model *model) {
  json_t *layout = json_array();
  for (size_t i = 0; i < floe_model_layout_entries(model); i++) {
    floe_layout_entry entry = floe_model_layout_entry(model, i);
    json_array_append_new(layout, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
                                            entry.name, "elements", (json_int_t)entry.elements,
                                            "bits_each", (json_int_t)entry.bits_each, "bits",
                                            (json_int_t)entry.bits, "word", (json_int_t)entry.word,
                                            "shift", (json_int_t)entry.shift, "low",
                                            (json_int_t)entry.low, "high", (json_int_t)entry.high));
  }
  return layout;
}

static json_t *tables_json(const struct plan *plan) {
  json_t *tables = json_array();
  floe_table_plan table;
  for (size_t i = 0;
       plan->words == 1 && floe_model_table_plan(plan->model, i, plan->memory, &table) == FLOE_OK;
       i++)
    json_array_append_new(
        tables, json_pack("{s:s, s:i, s:I, s:I, s:f}", "table", table.table, "slot_bits",
                          (int)table.slot_bits, "slots", (json_int_t)table.slots, "states",
                          (json_int_t)table.states, "bytes_per_state", table.bytes_per_state));
  return tables;
}

static json_t *plan_json(const struct plan *plan) {
  json_t *object = model_json(plan->model, "plan");
  json_object_set_new(object, "constants", constants_json(plan->model));
  json_object_set_new(object, "key_bits", json_integer(plan->bits));
  json_object_set_new(object, "words", json_integer(plan->words));
  json_object_set_new(object, "state_bound",
                      isfinite(plan->bound) ? json_real(plan->bound) : json_null());
  json_object_set_new(object, "memory", json_integer((json_int_t)plan->memory));
  json_object_set_new(object, "layout", layout_json(plan->model));
  json_object_set_new(object, "tables", tables_json(plan));
  return object;
}

static int make_plan(struct session *session, const struct options *options) {
  struct plan plan = {.model = session->model};
  floe_status status =
      floe_model_layout_bits(session->model, session->log, &plan.bits, &plan.words);
  if (status != FLOE_OK)
    return explain(status, session->log);
  plan.bound = floe_model_state_bound(session->model);
  plan.memory = memory_allowed(options);
  if (options->json.given) {
    int code = put_json(&options->json, plan_json(&plan));
    if (code != EXIT_AS_WANTED)
      return code;
  }
  if (!json_instead(options))
    put_plan(&plan);
  return EXIT_AS_WANTED;
}

static int run(const struct options *options, char *const *operands, int count) {
  struct session session;
  (void)count;
  int code = session_begin(&session, operands[0], &options->define);
  if (code == EXIT_AS_WANTED)
    code = options->dump_code.given ? session_dump_code(&session, &options->dump_code)
                                    : make_plan(&session, options);
  session_close(&session);
  return code;
}

const struct command command_plan = {
    .name = "plan",
    .bit = IN(plan),
    .operands = "MODEL",
    .summary = "Show how a model's states are laid out, and how many fit in memory",
    .description = "Explores nothing. --memory asks about other memory than there is here.\n",
    .least = 1,
    .most = 1,
    .run = run,
};
