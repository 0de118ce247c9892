/* Layout of a model's states, and the number of states that each table holds in a given memory. */
#include "api/api.h"
#include "api/explore/key_encoding.h"
#include "api/explore/settings.h"
#include "core/usage.h"

#include "engine/engine.h"
#include "engine/host_backed/shards.h"
#include "engine/sizing.h"
#include "gpu/jit/gpu_api.h"
#include "model/transitions/successor_bound.h"
#include "step/stepper.h"
#include "tables/table.h"

#include <math.h>

floe_status floe_model_layout_bits(floe_model *model, floe_log *log, uint32_t *bits, uint32_t *words) {
  REQUIRE(log, model);
  REQUIRE(log, bits);
  REQUIRE(log, words);
  FLOE_TRY(floe_model_check(model, log));
  *bits = model->layout->bits;
  *words = model->layout->words;
  return FLOE_OK;
}

size_t floe_model_layout_entries(const floe_model *model) {
  size_t n = model && model->model ? model->model->variable_count : 0;
  while (n > 0 && model->model->variables[n - 1].kind == VARIABLE_TABLE)
    n--;
  return n;
}

static bool is_first_of_set(const struct model *model, size_t variable) {
  for (size_t i = 0; i < model->exclusive_count; i++)
    if (model->exclusive[i].variables[0] == variable)
      return true;
  return false;
}

floe_layout_entry floe_model_layout_entry(const floe_model *model, size_t i) {
  if (i >= floe_model_layout_entries(model))
    return (floe_layout_entry){0};
  const struct variable *variable = &model->model->variables[i];
  const struct field *field = &model->plain->fields[i];
  const struct value_set *set = variable->values;
  const bool first = !field->shared || is_first_of_set(model->model, i);
  return (floe_layout_entry){.name = model->variable_names[i],
                             .elements = variable->count,
                             .bits_each = field->width,
                             .bits = first ? variable->count * field->width : 0,
                             .word = field->word,
                             .shift = field->shift,
                             .per_word = field->per_word < variable->count ? field->per_word : variable->count,
                             .low = set ? set->values[0] : variable->lo,
                             .high = set ? set->values[set->count - 1] : variable->hi,
                             .values = set ? set->text : ""};
}

double floe_model_state_bound(const floe_model *model) {
  return model && model->model ? layout_state_bound(model->model) : 0;
}

/* The layout that an exploration would use. */
static const struct layout *layout_of(const floe_model *model) {
  return model->layout->key_words > 1 && model->index_keys ? model->index_keys : model->layout;
}

floe_status floe_model_table_plan(const floe_model *model, size_t i, uint64_t bytes, floe_table_plan *out) {
  const char *const *schemes = table_schemes();
  if (!model || !model->model || !out || layout_of(model)->key_words > 1)
    return FLOE_ERROR_USAGE;
  unsigned bits = layout_of(model)->key_bits;
  for (size_t s = 0; schemes[s]; s++) {
    const struct table_config plain = {.scheme = schemes[s], .key_bits = bits, .keys = layout_of(model)->keys};
    if (table_cannot(&plain, TABLE_FIND_OR_PUT))
      continue;
    const unsigned *widths = table_traits(schemes[s])->slot_bits;
    for (size_t w = 0; widths[w]; w++) {
      struct table_config wanted = plain, config;
      struct table_shape shape;
      wanted.slot_bits = widths[w];
      if (!sizing_largest(&wanted, bytes, &config, &shape) || i-- > 0)
        continue;
      double keys = ldexp(1, (int)bits);
      double states = (double)shape.slots < keys ? floor(table_fill(schemes[s]) * (double)shape.slots) : keys;
      *out = (floe_table_plan){schemes[s], widths[w], shape.slots, (uint64_t)states, (double)shape.bytes / states};
      return FLOE_OK;
    }
  }
  return FLOE_ERROR_USAGE;
}

/* ---- visited set ---------------------------------------------------------------------------------- */

static const char *table_reason(enum sizing_bitmap first, const floe_visited_plan *plan, uint64_t memory) {
  static const char *const words[] = {
      [SIZING_BITMAP_TINY] = "a bitmap of all keys is tiny",
      [SIZING_BITMAP_NO_LARGER] = "a bitmap of all keys takes no more than a hash table",
      [SIZING_BITMAP_FOR_EXPECTED] = "a bitmap of all keys takes at most twice as much as a hash table for the "
                                     "expected states, and is faster",
  };
  if (first)
    return words[first];
  if (!plan->bitmap_bytes)
    return "there are too many keys for a bitmap";
  return plan->bitmap_bytes > memory ? "a bitmap of all keys does not fit in memory"
                                     : "a bitmap of all keys is larger, until the table has grown";
}

/* As an exploration decides; index keys only after floe_model_index_key_plan. */
static enum encoding_reason decide_encoding(const floe_model *model, const floe_options *options) {
  const struct encoding_input input = {.model = model->model,
                                       .fields = model->layout,
                                       .options = options,
                                       .any_table = true,
                                       .on_gpu = gpu_driver_may_exist()};
  return model->index_keys ? encoding_decide(&input, model->index_keys) : ENCODING_FIELDS_SUFFICE;
}

static const char *const key_reasons[] = {
    [ENCODING_FIELDS_SUFFICE] = "they are faster",
    [ENCODING_INDEX_FOR_WIDTH] = "fields take more than one word, and the code for index keys is short",
    [ENCODING_INDEX_FOR_MEMORY] = "the expected states would not fit in memory with fields",
    [ENCODING_INDEX_FOR_BITMAP] = "a bitmap of all index keys replaces a hash table",
};

floe_status floe_model_visited_plan(const floe_model *model, uint64_t memory, uint64_t expected_states,
                                    floe_visited_plan *out) {
  if (!model || !model->model || !out)
    return FLOE_ERROR_USAGE;
  floe_options options;
  floe_options_init(&options);
  options.table = table_schemes()[0];
  options.memory = memory;
  options.expected_states = expected_states ? expected_states : settings_expected_states(model->model);
  const enum encoding_reason why = decide_encoding(model, &options);
  const struct layout *layout = why == ENCODING_FIELDS_SUFFICE ? model->layout : model->index_keys;
  if (layout->key_words > 1)
    return FLOE_ERROR_USAGE;
  const struct sizing_first first = {
      .requested = {.scheme = options.table, .key_bits = layout->key_bits, .keys = layout->keys, .packed = true},
      .expected_states = options.expected_states,
      .bound = key_bound(model->model, layout),
      .room = memory};
  struct table_config config, bitmap;
  struct table_shape shape, bits;
  enum sizing_bitmap chosen = SIZING_NO_BITMAP;
  FLOE_TRY(sizing_first_table(&first, &config, &shape));
  floe_visited_plan plan = {.table = table_scheme_name(config.scheme),
                            .bytes = shape.bytes,
                            .encoding = why == ENCODING_FIELDS_SUFFICE ? FLOE_ENCODING_FIELDS : FLOE_ENCODING_INDEX,
                            .encoding_reason = key_reasons[why]};
  if (sizing_bitmap_plan(&config, &bitmap, &bits)) {
    plan.bitmap_bytes = bits.bytes;
    chosen = sizing_bitmap_first(bits.bytes, shape.bytes, first.expected_states > 0, memory);
    plan.becomes_bitmap = !chosen && sizing_bitmap_instead(bits.bytes, UINT64_MAX, memory);
  }
  if (chosen) {
    plan.table = table_scheme_name(bitmap.scheme);
    plan.bytes = bits.bytes;
  }
  plan.reason = table_reason(chosen, &plan, memory);
  *out = plan;
  return FLOE_OK;
}

/* Bytes of GPU memory for the table, beside the queue and the newest states. */
#define GPU_SHARE(bytes) ((bytes) / 4 * 3)

/* In hash tables, as the host-backed set has them. */
static uint64_t most_states(const floe_model *model, uint64_t bytes) {
  floe_table_plan plan;
  uint64_t most = 0;
  for (size_t i = 0; floe_model_table_plan(model, i, bytes, &plan) == FLOE_OK; i++)
    most = plan.states > most && !table_traits(plan.table)->every_key ? plan.states : most;
  return most;
}

floe_status floe_model_host_backed_plan(const floe_model *model, uint64_t memory, uint64_t gpu_memory,
                                        floe_host_backed_plan *out) {
  if (!model || !model->model || !out || layout_of(model)->key_words > 1)
    return FLOE_ERROR_USAGE;
  const struct shards_config config = {.key_bits = layout_of(model)->key_bits};
  struct shards_plan plan;
  FLOE_TRY(shards_plan(&config, memory, &plan));
  *out = (floe_host_backed_plan){.shards = plan.shards,
                                 .slot_bits = plan.shape.slot_bits,
                                 .host_states = plan.keys,
                                 .gpu_states = most_states(model, GPU_SHARE(gpu_memory)),
                                 .bytes_per_state = (double)plan.bytes / (double)plan.keys};
  return FLOE_OK;
}

struct code_call {
  floe_model *model;
  floe_log *log;
  const char *text;
  floe_status status;
};

static void generate(void *data) {
  struct code_call *call = data;
  floe_model *model = call->model;
  uint32_t bound;
  call->status = successor_bound(model->model, call->log, &bound);
  if (call->status == FLOE_OK)
    call->status = codegen_text(model->model, model->layout, CODEGEN_CPU, NULL, &model->checked_arena, &call->text);
}

floe_status floe_model_generated_code(floe_model *model, floe_log *log, const char **text) {
  REQUIRE(log, model);
  REQUIRE(log, text);
  FLOE_TRY(floe_model_check(model, log));
  struct code_call call = {model, log, NULL, FLOE_OK};
  if (arena_guard(&model->checked_arena, generate, &call) != 0)
    return no_memory(log);
  if (call.status == FLOE_OK)
    *text = call.text;
  return call.status;
}
