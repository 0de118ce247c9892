/* floe plan: the layout of a model's states, and how many of them fit in memory. */
#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/quantity.h"
#include "cmd/report/report.h"
#include "cmd/session.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct plan {
  const floe_model *model;
  uint32_t bits, words; /* of fields */
  bool index_keys;      /* there are keys by rank: */
  floe_index_key_plan rank;
  double bound;
  uint64_t memory, gpu_memory; /* bytes; gpu_memory 0: not asked for */
};

static int name_width(const floe_model *model) {
  size_t width = strlen("variable");
  for (size_t i = 0; i < floe_model_layout_entries(model); i++) {
    size_t length = strlen(floe_model_layout_entry(model, i).name);
    width = length > width ? length : width;
  }
  return (int)width;
}

static void put_rank_bits(const struct plan *plan, size_t i) {
  const floe_index_key_entry entry = floe_model_index_key_entry(plan->model, i);
  if (!plan->index_keys)
    printf("  %9s", "-");
  else
    printf("  %9.2f", entry.bits);
}

static void put_layout(const struct plan *plan) {
  int width = name_width(plan->model);
  printf("%-*s  elements  bits each   bits  word  bit  rank bits  range\n", width, "variable");
  for (size_t i = 0; i < floe_model_layout_entries(plan->model); i++) {
    floe_layout_entry entry = floe_model_layout_entry(plan->model, i);
    printf("%-*s  %8" PRIu32 "  %9" PRIu32 "  %5" PRIu32, width, entry.name, entry.elements, entry.bits_each,
           entry.bits);
    if (entry.bits)
      printf("  %4" PRIu32 "  %3" PRIu32, entry.word, entry.shift);
    else
      fputs("     -    -", stdout);
    put_rank_bits(plan, i);
    if (entry.values[0])
      printf("  %s\n", entry.values);
    else
      printf("  %" PRId64 "..%" PRId64 "\n", entry.low, entry.high);
  }
}

static void put_ranks(const struct plan *plan) {
  if (!plan->index_keys)
    puts("by rank: more than 63 bits: there are no such keys");
  else
    printf("by rank: %.2f bits, in keys of %u\n", plan->rank.exact_bits, plan->rank.bits);
}

static bool has_one_bit(const floe_table_plan *table) { return table->slot_bits == 1; }

static void put_table(const struct plan *plan, const floe_table_plan *table) {
  if (has_one_bit(table))
    printf("  %s of all keys: ", table->table);
  else
    printf("  %s with slots of %u bits: ", table->table, table->slot_bits);
  printf("%" PRIu64 "%s, %.2f bytes each\n", table->states, (double)table->states >= plan->bound ? " (all)" : "",
         table->bytes_per_state);
}

static void put_tables(const struct plan *plan, uint64_t bytes, bool gpu) {
  char memory[QUANTITY];
  floe_table_plan table;
  printf("states that fit in %s%s:\n", byte_text(bytes, memory), gpu ? " of a GPU's memory" : "");
  if (floe_model_table_plan(plan->model, 0, bytes, &table) != FLOE_OK)
    puts("none: no table is that small");
  for (size_t i = 0; floe_model_table_plan(plan->model, i, bytes, &table) == FLOE_OK; i++)
    put_table(plan, &table);
}

static void put_visited(const struct plan *plan) {
  char bytes[QUANTITY];
  floe_visited_plan visited;
  if (floe_model_visited_plan(plan->model, plan->memory, 0, &visited) != FLOE_OK)
    return;
  printf("keys: %s, since %s\n", visited.encoding == FLOE_ENCODING_INDEX ? "by rank" : "fields", visited.why_keys);
  printf("visited set on the CPU: %s, %s at first; %s", visited.table, byte_text(visited.bytes, bytes), visited.why);
  if (visited.becomes_bitmap)
    printf(" to %s", byte_text(visited.bitmap_bytes, bytes));
  putchar('\n');
}

/* All that there can be, or so many. */
static uint64_t at_most(const struct plan *plan, uint64_t states) {
  return (double)states < plan->bound ? states : (uint64_t)plan->bound;
}

static void put_two_levels(const struct plan *plan) {
  char memory[QUANTITY], gpu_memory[QUANTITY];
  floe_host_backed_plan two;
  printf("states that fit in both, with --table=working-set or when the GPU is full: ");
  if (floe_model_host_backed_plan(plan->model, plan->memory, plan->gpu_memory, &two) != FLOE_OK) {
    printf("none, %s is too little\n", byte_text(plan->memory, memory));
    return;
  }
  const uint64_t states = at_most(plan, two.host_states + two.gpu_states);
  printf("%" PRIu64 "%s\n", states, (double)states >= plan->bound ? " (all)" : "");
  printf("  about %" PRIu64 " of them in %s of the GPU's memory, which has the newest ones as well\n",
         at_most(plan, two.gpu_states), byte_text(plan->gpu_memory, gpu_memory));
  printf("  %" PRIu64 " in %s of the host's, in %u tables with slots of %u bits, %.2f bytes each\n",
         at_most(plan, two.host_states), byte_text(plan->memory, memory), two.shards, two.slot_bits,
         two.bytes_per_state);
}

static void put_plan(const struct plan *plan) {
  report_model(plan->model);
  put_layout(plan);
  printf("bits per state: %" PRIu32 ", in %" PRIu32 " word%s\n", plan->bits, plan->words, plan->words == 1 ? "" : "s");
  put_ranks(plan);
  printf("states: at most %.*g\n", plan->bound < 1e15 ? 15 : 4, plan->bound);
  if (plan->words > 1 && !plan->index_keys) {
    printf("keys: roots of a tree over %" PRIu32
           " words, of as many bits as its contents need; how many states fit depends "
           "on these\n",
           plan->words);
    return;
  }
  put_visited(plan);
  put_tables(plan, plan->memory, false);
  if (!plan->gpu_memory)
    return;
  put_tables(plan, plan->gpu_memory, true);
  put_two_levels(plan);
}

static json_t *layout_json(const floe_model *model) {
  json_t *layout = json_array();
  for (size_t i = 0; i < floe_model_layout_entries(model); i++) {
    floe_layout_entry entry = floe_model_layout_entry(model, i);
    floe_index_key_entry rank = floe_model_index_key_entry(model, i);
    json_array_append_new(
        layout, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:f, s:I, s:I}", "name", entry.name,
                          "elements", (json_int_t)entry.elements, "bits_each", (json_int_t)entry.bits_each, "bits",
                          (json_int_t)entry.bits, "word", (json_int_t)entry.word, "shift", (json_int_t)entry.shift,
                          "per_word", (json_int_t)entry.per_word, "low", (json_int_t)entry.low, "high",
                          (json_int_t)entry.high, "values", entry.values, "rank_bits", rank.bits, "constant",
                          (json_int_t)rank.constant, "determined", (json_int_t)rank.dependent));
  }
  return layout;
}

static json_t *tables_json(const struct plan *plan, uint64_t bytes) {
  json_t *tables = json_array();
  floe_table_plan table;
  for (size_t i = 0; bytes && floe_model_table_plan(plan->model, i, bytes, &table) == FLOE_OK; i++)
    json_array_append_new(tables, json_pack("{s:s, s:i, s:I, s:I, s:f}", "table", table.table, "slot_bits",
                                            (int)table.slot_bits, "slots", (json_int_t)table.slots, "states",
                                            (json_int_t)table.states, "bytes_per_state", table.bytes_per_state));
  return tables;
}

static json_t *visited_json(const struct plan *plan) {
  floe_visited_plan visited;
  if (floe_model_visited_plan(plan->model, plan->memory, 0, &visited) != FLOE_OK)
    return json_null();
  return json_pack("{s:s, s:I, s:o, s:b, s:s, s:s, s:s}", "table", visited.table, "bytes", (json_int_t)visited.bytes,
                   "bitmap_bytes", visited.bitmap_bytes ? json_integer((json_int_t)visited.bitmap_bytes) : json_null(),
                   "becomes_bitmap", visited.becomes_bitmap, "why", visited.why, "encoding",
                   floe_encoding_name(visited.encoding), "why_keys", visited.why_keys);
}

static json_t *host_backed_json(const struct plan *plan) {
  floe_host_backed_plan two;
  if (!plan->gpu_memory || floe_model_host_backed_plan(plan->model, plan->memory, plan->gpu_memory, &two) != FLOE_OK)
    return json_null();
  return json_pack("{s:I, s:I, s:I, s:i, s:i, s:f}", "states",
                   (json_int_t)at_most(plan, two.host_states + two.gpu_states), "gpu_states",
                   (json_int_t)two.gpu_states, "host_states", (json_int_t)two.host_states, "partitions",
                   (int)two.shards, "slot_bits", (int)two.slot_bits, "bytes_per_state", two.bytes_per_state);
}

static json_t *rank_json(const struct plan *plan) {
  if (!plan->index_keys)
    return json_null();
  return json_pack("{s:I, s:i, s:f}", "keys", (json_int_t)plan->rank.keys, "bits", (int)plan->rank.bits, "exact_bits",
                   plan->rank.exact_bits);
}

static json_t *plan_json(const struct plan *plan) {
  json_t *object = model_json(plan->model, "plan");
  json_object_set_new(object, "constants", constants_json(plan->model));
  json_object_set_new(object, "key_bits", json_integer(plan->bits));
  json_object_set_new(object, "words", json_integer(plan->words));
  json_object_set_new(object, "rank", rank_json(plan));
  json_object_set_new(object, "state_bound", isfinite(plan->bound) ? json_real(plan->bound) : json_null());
  json_object_set_new(object, "memory", json_integer((json_int_t)plan->memory));
  json_object_set_new(object, "layout", layout_json(plan->model));
  json_object_set_new(object, "visited", visited_json(plan));
  json_object_set_new(object, "tables", tables_json(plan, plan->memory));
  json_object_set_new(object, "gpu_memory",
                      plan->gpu_memory ? json_integer((json_int_t)plan->gpu_memory) : json_null());
  json_object_set_new(object, "gpu_tables", tables_json(plan, plan->gpu_memory));
  json_object_set_new(object, "two_levels", host_backed_json(plan));
  return object;
}

/* A share is of what is free on the GPU that --device names. */
static int find_gpu_memory(const struct options *options, uint64_t *bytes) {
  floe_devices *devices;
  *bytes = options->gpu_memory.bytes;
  if (options->gpu_memory.share <= 0)
    return EXIT_AS_WANTED;
  floe_status status = floe_devices_create(&devices);
  if (status != FLOE_OK) {
    complain(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  for (size_t i = 0; i < floe_devices_gpus(devices); i++) {
    floe_gpu gpu = floe_devices_gpu(devices, i);
    if (gpu.number == options->device)
      *bytes = (uint64_t)(options->gpu_memory.share * (double)gpu.memory_free);
  }
  if (!*bytes)
    complain("--gpu-memory=80G needs none", "there is no GPU %u whose memory is known: %s", (unsigned)options->device,
             floe_devices_gpus(devices) ? "floe devices lists them" : floe_devices_no_gpu(devices));
  floe_devices_free(devices);
  return *bytes ? EXIT_AS_WANTED : EXIT_USAGE;
}

static int make_plan(struct session *session, const struct options *options) {
  struct plan plan = {.model = session->model};
  floe_status status = floe_model_layout_bits(session->model, session->log, &plan.bits, &plan.words);
  if (status != FLOE_OK)
    return explain(status, session->log);
  status = floe_model_index_key_plan(session->model, session->log, &plan.rank);
  if (status != FLOE_OK && status != FLOE_ERROR_UNSUPPORTED)
    return explain(status, session->log);
  plan.index_keys = status == FLOE_OK;
  plan.bound = floe_model_state_bound(session->model);
  plan.memory = memory_allowed(options);
  int code = find_gpu_memory(options, &plan.gpu_memory);
  if (code != EXIT_AS_WANTED)
    return code;
  if (!json_instead(options))
    put_plan(&plan);
  if (options->json.given && !put_json(options->json.text, plan_json(&plan)))
    return EXIT_OUTPUT;
  return EXIT_AS_WANTED;
}

static int run(const struct options *options, char *const *operands, int count) {
  struct session session;
  (void)count;
  int code = session_begin(&session, operands[0], &options->define);
  if (code == EXIT_AS_WANTED)
    code = options->dump_code.given ? session_dump_code(&session, &options->dump_code) : make_plan(&session, options);
  session_close(&session);
  return code;
}

const struct command command_plan = {
    .name = "plan",
    .bit = IN(plan),
    .operands = "MODEL",
    .summary = "Show the state layout and how many states fit in memory",
    .description = "Explores nothing. --memory and --gpu-memory set the sizes to plan for, which may\n"
                   "differ from those of this machine.\n",
    .least = 1,
    .most = 1,
    .reads = 1,
    .run = run,
};
