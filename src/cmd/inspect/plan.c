/* floe plan: show the layout of a model's states, and how many states fit in memory. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/quantity.h"
#include "cmd/report/report.h"
#include "cmd/session.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct plan {
  struct session *session;
  const floe_model *model;
  uint32_t bits, words; /* of a state encoded as fields */
  bool index_keys;      /* states can be encoded as index keys: */
  floe_index_key_plan index;
  double bound;
  uint64_t memory, gpu_memory; /* bytes; gpu_memory 0: not requested */
  floe_status visited_status;  /* FLOE_ERROR_USAGE: the keys are roots of a tree, also if there are index keys */
  floe_symmetry_plan symmetry;
  floe_visited_plan visited; /* if visited_status is FLOE_OK */
};

static bool has_roots(const struct plan *plan) { return plan->visited_status == FLOE_ERROR_USAGE; }

static int name_width(const floe_model *model) {
  size_t width = strlen("variable");
  for (size_t i = 0; i < floe_model_layout_entries(model); i++) {
    size_t length = strlen(floe_model_layout_entry(model, i).name);
    width = length > width ? length : width;
  }
  return (int)width;
}

static void print_index_bits(const struct plan *plan, size_t i) {
  const floe_index_key_entry entry = floe_model_index_key_entry(plan->model, i);
  if (!plan->index_keys)
    printf("  %10s", "-");
  else
    printf("  %10.2f", entry.bits);
}

static void print_layout(const struct plan *plan) {
  int width = name_width(plan->model);
  printf("%-*s  elements  bits each   bits  word  bit  index bits  range\n", width, "variable");
  for (size_t i = 0; i < floe_model_layout_entries(plan->model); i++) {
    floe_layout_entry entry = floe_model_layout_entry(plan->model, i);
    printf("%-*s  %8" PRIu32 "  %9" PRIu32 "  %5" PRIu32, width, entry.name, entry.elements, entry.bits_each,
           entry.bits);
    if (entry.bits_each)
      printf("  %4" PRIu32 "  %3" PRIu32, entry.word, entry.shift);
    else
      fputs("     -    -", stdout);
    print_index_bits(plan, i);
    if (entry.values[0])
      printf("  %s\n", entry.values);
    else
      printf("  %" PRId64 "..%" PRId64 "\n", entry.low, entry.high);
  }
}

static void print_index_keys(const struct plan *plan) {
  if (!plan->index_keys)
    puts("index keys: none, they would need more than 63 bits");
  else
    printf("index keys: %.2f bits, stored in %u\n", plan->index.exact_bits, plan->index.bits);
}

static bool is_bitmap(const floe_table_plan *table) { return table->slot_bits == 1; }

static void print_table_plan(const struct plan *plan, const floe_table_plan *table) {
  if (is_bitmap(table))
    printf("  %s of all keys: ", table->table);
  else
    printf("  %s with slots of %u bits: ", table->table, table->slot_bits);
  printf("%" PRIu64 "%s, %.2f bytes per state\n", table->states, (double)table->states >= plan->bound ? " (all)" : "",
         table->bytes_per_state);
}

static void print_table_plans(const struct plan *plan, uint64_t bytes, bool gpu) {
  char memory[QUANTITY];
  floe_table_plan table;
  printf("states that fit in %s%s%s:\n", byte_text(bytes, memory), gpu ? " of GPU memory" : "",
         has_roots(plan) ? " with --encoding=rank" : "");
  if (floe_model_table_plan(plan->model, 0, bytes, &table) != FLOE_OK)
    puts("  none: every table needs more memory");
  for (size_t i = 0; floe_model_table_plan(plan->model, i, bytes, &table) == FLOE_OK; i++)
    print_table_plan(plan, &table);
}

static void print_roots(const struct plan *plan) {
  printf("keys: roots of a tree over %" PRIu32
         " words; their width, and the number of states that fit, depend on the states\n",
         plan->words);
}

static void print_visited(const struct plan *plan) {
  const floe_visited_plan *visited = &plan->visited;
  char bytes[QUANTITY];
  printf("keys: %s, because %s\n", visited->encoding == FLOE_ENCODING_INDEX ? "index keys" : "fields",
         visited->encoding_reason);
  printf("visited set on the CPU: %s, initially %s; %s", visited->table, byte_text(visited->bytes, bytes),
         visited->reason);
  if (visited->becomes_bitmap)
    printf(" to %s", byte_text(visited->bitmap_bytes, bytes));
  putchar('\n');
}

/* `states`, at most the upper bound of the model. */
static uint64_t bounded_states(const struct plan *plan, uint64_t states) {
  return (double)states < plan->bound ? states : (uint64_t)plan->bound;
}

static void print_host_backed(const struct plan *plan) {
  char memory[QUANTITY], gpu_memory[QUANTITY];
  floe_host_backed_plan host_backed;
  printf("states that fit in a host-backed set (--table=host-backed, or when the GPU is full): ");
  if (floe_model_host_backed_plan(plan->model, plan->memory, plan->gpu_memory, &host_backed) != FLOE_OK) {
    printf("none, %s of host memory is too little\n", byte_text(plan->memory, memory));
    return;
  }
  const uint64_t states = bounded_states(plan, host_backed.host_states + host_backed.gpu_states);
  printf("%" PRIu64 "%s\n", states, (double)states >= plan->bound ? " (all)" : "");
  printf("  about %" PRIu64 " in %s of GPU memory, which also caches the newest states\n",
         bounded_states(plan, host_backed.gpu_states), byte_text(plan->gpu_memory, gpu_memory));
  printf("  %" PRIu64 " in %s of host memory, in %u tables with slots of %u bits, %.2f bytes per state\n",
         bounded_states(plan, host_backed.host_states), byte_text(plan->memory, memory), host_backed.shards,
         host_backed.slot_bits, host_backed.bytes_per_state);
}

/* The first temporal property from *i on; false: there is none, or it cannot be decided, which a search reports. */
static bool next_temporal(const struct plan *plan, size_t *i, floe_temporal_plan *temporal) {
  for (; *i < floe_model_properties(plan->model); ++*i)
    if (floe_model_temporal_plan(plan->session->model, plan->session->log, *i, plan->memory, temporal) == FLOE_OK)
      return true;
  return false;
}

static void print_temporal(const struct plan *plan) {
  char memory[QUANTITY];
  floe_temporal_plan temporal;
  bool first = true;
  for (size_t i = 0; next_temporal(plan, &i, &temporal); i++) {
    if (first)
      printf("temporal properties, each with a product explored after the model, in %s on the CPU:\n",
             byte_text(plan->memory, memory));
    first = false;
    printf("  %s: automaton of %" PRIu32 " states, %" PRIu32 " condition%s, keys of %" PRIu32 " bits; ", temporal.id,
           temporal.automaton_states, temporal.conditions, temporal.conditions == 1 ? "" : "s", temporal.key_bits);
    if (temporal.words > 1)
      puts("the number of states that fit depends on the states");
    else if (temporal.states == 0)
      puts("no states fit");
    else
      printf("%" PRIu64
             "%s states fit, %.2f bytes each in the table, %.2f in sets and counters, up to %.2f in a queue\n",
             (double)temporal.states < temporal.state_bound ? temporal.states : (uint64_t)temporal.state_bound,
             (double)temporal.states < temporal.state_bound ? "" : " (all)", temporal.table_bytes, temporal.pass_bytes,
             temporal.queue_bytes);
  }
}

static void print_symmetry(const struct plan *plan) {
  const floe_symmetry_plan *symmetry = &plan->symmetry;
  if (*symmetry->sets)
    printf("--symmetry=on: at most %.7g times fewer states: %s; each successor costs a sort of %" PRIu32
           " instances by %" PRIu32 " elements\n",
           symmetry->factor, printable(symmetry->sets), symmetry->instances, symmetry->elements);
}

static json_t *symmetry_json(const struct plan *plan) {
  const floe_symmetry_plan *symmetry = &plan->symmetry;
  if (!*symmetry->sets)
    return json_null();
  return json_pack("{s:s, s:f, s:I, s:I}", "sets", symmetry->sets, "factor", symmetry->factor, "instances",
                   (json_int_t)symmetry->instances, "elements", (json_int_t)symmetry->elements);
}

static void print_plan(const struct plan *plan) {
  report_model(plan->model);
  print_layout(plan);
  printf("bits per state: %" PRIu32 " in %" PRIu32 " word%s\n", plan->bits, plan->words, plan->words == 1 ? "" : "s");
  print_index_keys(plan);
  printf("states: at most %.*g\n", plan->bound < 1e15 ? 15 : 4, plan->bound);
  print_symmetry(plan);
  if (has_roots(plan))
    print_roots(plan);
  else if (plan->visited_status == FLOE_OK)
    print_visited(plan);
  if (!has_roots(plan) || plan->index_keys)
    print_table_plans(plan, plan->memory, false);
  print_temporal(plan);
  if (!plan->gpu_memory || (has_roots(plan) && !plan->index_keys))
    return;
  print_table_plans(plan, plan->gpu_memory, true);
  print_host_backed(plan);
}

static json_t *layout_json(const floe_model *model) {
  json_t *layout = json_array();
  for (size_t i = 0; i < floe_model_layout_entries(model); i++) {
    floe_layout_entry entry = floe_model_layout_entry(model, i);
    floe_index_key_entry index_key = floe_model_index_key_entry(model, i);
    json_array_append_new(
        layout, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:f, s:I, s:I}", "name", entry.name,
                          "elements", (json_int_t)entry.elements, "bits_each", (json_int_t)entry.bits_each, "bits",
                          (json_int_t)entry.bits, "word", (json_int_t)entry.word, "shift", (json_int_t)entry.shift,
                          "per_word", (json_int_t)entry.per_word, "low", (json_int_t)entry.low, "high",
                          (json_int_t)entry.high, "values", entry.values, "rank_bits", index_key.bits, "constant",
                          (json_int_t)index_key.constant, "determined", (json_int_t)index_key.dependent));
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
  const floe_visited_plan *visited = &plan->visited;
  if (plan->visited_status != FLOE_OK)
    return json_null();
  return json_pack("{s:s, s:I, s:o, s:b, s:s, s:s, s:s}", "table", visited->table, "bytes", (json_int_t)visited->bytes,
                   "bitmap_bytes",
                   visited->bitmap_bytes ? json_integer((json_int_t)visited->bitmap_bytes) : json_null(),
                   "becomes_bitmap", visited->becomes_bitmap, "why", visited->reason, "encoding",
                   floe_encoding_name(visited->encoding), "why_keys", visited->encoding_reason);
}

static json_t *host_backed_json(const struct plan *plan) {
  floe_host_backed_plan host_backed;
  if (!plan->gpu_memory ||
      floe_model_host_backed_plan(plan->model, plan->memory, plan->gpu_memory, &host_backed) != FLOE_OK)
    return json_null();
  return json_pack("{s:I, s:I, s:I, s:i, s:i, s:f}", "states",
                   (json_int_t)bounded_states(plan, host_backed.host_states + host_backed.gpu_states), "gpu_states",
                   (json_int_t)host_backed.gpu_states, "host_states", (json_int_t)host_backed.host_states, "partitions",
                   (int)host_backed.shards, "slot_bits", (int)host_backed.slot_bits, "bytes_per_state",
                   host_backed.bytes_per_state);
}

static json_t *index_keys_json(const struct plan *plan) {
  if (!plan->index_keys)
    return json_null();
  return json_pack("{s:I, s:i, s:f}", "keys", (json_int_t)plan->index.keys, "bits", (int)plan->index.bits, "exact_bits",
                   plan->index.exact_bits);
}

static json_t *temporal_json(const struct plan *plan) {
  json_t *list = json_array();
  floe_temporal_plan temporal;
  for (size_t i = 0; next_temporal(plan, &i, &temporal); i++)
    json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "property", temporal.id,
                                          "automaton_states", (json_int_t)temporal.automaton_states, "conditions",
                                          (json_int_t)temporal.conditions, "key_bits", (json_int_t)temporal.key_bits,
                                          "words", (json_int_t)temporal.words, "states", (json_int_t)temporal.states,
                                          "table_bytes", temporal.table_bytes, "pass_bytes", temporal.pass_bytes,
                                          "queue_bytes", temporal.queue_bytes));
  return list;
}

static json_t *plan_json(const struct plan *plan) {
  json_t *object = model_json(plan->model, "plan");
  json_object_set_new(object, "constants", constants_json(plan->model));
  json_object_set_new(object, "key_bits", json_integer(plan->bits));
  json_object_set_new(object, "words", json_integer(plan->words));
  json_object_set_new(object, "rank", index_keys_json(plan));
  json_object_set_new(object, "state_bound", isfinite(plan->bound) ? json_real(plan->bound) : json_null());
  json_object_set_new(object, "symmetry", symmetry_json(plan));
  json_object_set_new(object, "memory", json_integer((json_int_t)plan->memory));
  json_object_set_new(object, "layout", layout_json(plan->model));
  json_object_set_new(object, "visited", visited_json(plan));
  json_object_set_new(object, "tables", tables_json(plan, plan->memory));
  json_object_set_new(object, "temporal", temporal_json(plan));
  json_object_set_new(object, "gpu_memory",
                      plan->gpu_memory ? json_integer((json_int_t)plan->gpu_memory) : json_null());
  json_object_set_new(object, "gpu_tables", tables_json(plan, plan->gpu_memory));
  json_object_set_new(object, "two_levels", host_backed_json(plan));
  return object;
}

/* A percentage refers to the free memory of the GPU of --device. */
static int find_gpu_memory(const struct options *options, uint64_t *bytes) {
  floe_devices *devices;
  *bytes = options->gpu_memory.bytes;
  if (options->gpu_memory.share <= 0)
    return EXIT_SATISFIED;
  floe_status status = floe_devices_create(&devices);
  if (status != FLOE_OK) {
    print_error(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  for (size_t i = 0; i < floe_devices_gpus(devices); i++) {
    floe_gpu gpu = floe_devices_gpu(devices, i);
    if (gpu.number == options->device)
      *bytes = (uint64_t)(options->gpu_memory.share * (double)gpu.memory_free);
  }
  if (!*bytes)
    print_error("give bytes, for example --gpu-memory=80G", "the memory of GPU %u is unknown: %s",
                (unsigned)options->device,
                floe_devices_gpus(devices) ? "'floe devices' lists the GPUs" : floe_devices_no_gpu(devices));
  floe_devices_free(devices);
  return *bytes ? EXIT_SATISFIED : EXIT_USAGE;
}

static int make_plan(struct session *session, const struct options *options) {
  struct plan plan = {.session = session, .model = session->model};
  floe_status status = floe_model_symmetry_plan(session->model, session->log, &plan.symmetry);
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  status = floe_model_layout_bits(session->model, session->log, &plan.bits, &plan.words);
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  status = floe_model_index_key_plan(session->model, session->log, &plan.index);
  if (status != FLOE_OK && status != FLOE_ERROR_UNSUPPORTED)
    return print_failure(status, session->log);
  plan.index_keys = status == FLOE_OK;
  plan.bound = floe_model_state_bound(session->model);
  plan.memory = memory_limit(options);
  plan.visited_status = floe_model_visited_plan(session->model, plan.memory, 0, &plan.visited);
  int code = find_gpu_memory(options, &plan.gpu_memory);
  if (code != EXIT_SATISFIED)
    return code;
  if (!json_replaces_text(options))
    print_plan(&plan);
  if (options->json.given && !put_json(options->json.text, plan_json(&plan)))
    return EXIT_OUTPUT;
  return EXIT_SATISFIED;
}

static int run_plan(const struct options *options, char *const *operands, int count) {
  struct session session;
  (void)count;
  int code = session_begin(&session, operands[0], options);
  if (code == EXIT_SATISFIED)
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
    .min_operands = 1,
    .max_operands = 1,
    .input_operands = 1,
    .run = run_plan,
};
