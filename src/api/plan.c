/* What a model needs: its layout, and how many of its states each table holds in a given memory. */
#include "api/api.h"
#include "core/usage.h"

#include "engine/engine.h"
#include "engine/partitions.h"
#include "engine/sizing.h"
#include "step/bound.h"
#include "step/stepper.h"
#include "table/table.h"

#include <math.h>

floe_status floe_model_layout_bits(floe_model *model, floe_log *log, uint32_t *bits, uint32_t *words) {
  WANT(log, model);
  WANT(log, bits);
  WANT(log, words);
  FLOE_TRY(floe_model_check(model, log));
  *bits = model->layout->bits;
  *words = model->layout->words;
  return FLOE_OK;
}

size_t floe_model_layout_entries(const floe_model *model) {
  return model && model->model ? model->model->variable_count : 0;
}

floe_layout_entry floe_model_layout_entry(const floe_model *model, size_t i) {
  if (i >= floe_model_layout_entries(model))
    return (floe_layout_entry){0};
  const struct variable *variable = &model->model->variables[i];
  const struct field *field = &model->layout->fields[i];
  return (floe_layout_entry){.name = model->variable_names[i],
                             .elements = variable->count,
                             .bits_each = field->width,
                             .bits = variable->count * field->width,
                             .word = field->word,
                             .shift = field->shift,
                             .low = variable->lo,
                             .high = variable->hi};
}

double floe_model_state_bound(const floe_model *model) {
  return model && model->model ? layout_state_bound(model->model) : 0;
}

/* That which an exploration would have. */
static const struct layout *layout_of(const floe_model *model) {
  return model->layout->key_words > 1 && model->ranked ? model->ranked : model->layout;
}

floe_status floe_model_table_plan(const floe_model *model, size_t i, uint64_t bytes, floe_table_plan *out) {
  const char *const *schemes = table_schemes();
  if (!model || !model->model || !out || layout_of(model)->key_words > 1)
    return FLOE_ERROR_USAGE;
  unsigned bits = layout_of(model)->key_bits;
  for (size_t s = 0; schemes[s]; s++) {
    if (table_cannot(&(struct table_config){.scheme = schemes[s], .key_bits = bits}, TABLE_FIND_OR_PUT))
      continue;
    const unsigned *widths = table_traits(schemes[s])->slot_bits;
    for (size_t w = 0; widths[w]; w++) {
      const struct table_config wanted = {.scheme = schemes[s], .key_bits = bits, .slot_bits = widths[w]};
      struct table_config config;
      struct table_shape shape;
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

/* What the host takes of the search's states, and a GPU's table beside its queue and the newest states. */
#define GPU_SHARE(bytes) ((bytes) / 4 * 3)

static uint64_t most_states(const floe_model *model, uint64_t bytes) {
  floe_table_plan plan;
  uint64_t most = 0;
  for (size_t i = 0; floe_model_table_plan(model, i, bytes, &plan) == FLOE_OK; i++)
    most = plan.states > most ? plan.states : most;
  return most;
}

floe_status floe_model_two_levels_plan(const floe_model *model, uint64_t memory, uint64_t gpu_memory,
                                       floe_two_levels_plan *out) {
  if (!model || !model->model || !out || layout_of(model)->key_words > 1)
    return FLOE_ERROR_USAGE;
  const struct partitions_config config = {.key_bits = layout_of(model)->key_bits};
  struct partitions_plan plan;
  FLOE_TRY(partitions_plan(&config, memory, &plan));
  *out = (floe_two_levels_plan){.partitions = plan.partitions,
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
    call->status = codegen_text(model->model, model->layout, NULL, &model->checked_arena, &call->text);
}

floe_status floe_model_code(floe_model *model, floe_log *log, const char **text) {
  WANT(log, model);
  WANT(log, text);
  FLOE_TRY(floe_model_check(model, log));
  struct code_call call = {model, log, NULL, FLOE_OK};
  if (arena_guard(&model->checked_arena, generate, &call) != 0)
    return no_memory(log);
  if (call.status == FLOE_OK)
    *text = call.text;
  return call.status;
}
