/* What a model needs: its layout, and how many of its states each table holds in a given memory. */
#include "api/api.h"
#include "core/usage.h"

#include "engine/engine.h"
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

static bool fits(struct table_config *config, uint64_t slots, uint64_t bytes, struct table_shape *shape) {
  config->slots = slots;
  return table_plan(config, shape) == FLOE_OK && shape->bytes <= bytes;
}

static bool too_large(struct table_config *config, uint64_t slots, uint64_t bytes) {
  struct table_shape shape;
  config->slots = slots;
  return table_plan(config, &shape) == FLOE_OK && shape.bytes > bytes;
}

/* The most slots that fit. A small table may be no layout at all, its remainders being wider than
   its slots: such ones are too small, not too large. */
static bool largest(struct table_config *config, uint64_t bytes, struct table_shape *shape) {
  uint64_t least = 1, most = bytes * 8 / config->slot_bits + 1;
  uint64_t useful = config->key_bits < 60 ? UINT64_C(4) << config->key_bits : UINT64_MAX;
  if (most > useful)
    most = useful;
  while (least < most) {
    uint64_t middle = least + (most - least + 1) / 2;
    if (too_large(config, middle, bytes))
      most = middle - 1;
    else
      least = middle;
  }
  return fits(config, least, bytes, shape);
}

floe_status floe_model_table_plan(const floe_model *model, size_t i, uint64_t bytes, floe_table_plan *out) {
  const char *const *schemes = table_schemes();
  if (!model || !model->model || !out || model->layout->words > 1)
    return FLOE_ERROR_USAGE;
  unsigned bits = model->layout->bits;
  for (size_t s = 0; schemes[s]; s++) {
    if (table_cannot(&(struct table_config){.scheme = schemes[s], .key_bits = bits}, TABLE_FIND_OR_PUT))
      continue;
    const unsigned *widths = table_traits(schemes[s])->slot_bits;
    for (size_t w = 0; widths[w]; w++) {
      struct table_config config = {.scheme = schemes[s], .key_bits = bits, .slot_bits = widths[w]};
      struct table_shape shape;
      if (!largest(&config, bytes, &shape) || i-- > 0)
        continue;
      double keys = ldexp(1, (int)bits);
      double states = (double)shape.slots < keys ? floor(table_fill(schemes[s]) * (double)shape.slots) : keys;
      *out = (floe_table_plan){schemes[s], widths[w], shape.slots, (uint64_t)states, (double)shape.bytes / states};
      return FLOE_OK;
    }
  }
  return FLOE_ERROR_USAGE;
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
