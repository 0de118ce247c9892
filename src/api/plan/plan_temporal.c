/* Memory to decide a temporal property: keys of the product, its table, and the passes over it. */
#include "api/api.h"
#include "core/usage.h"
#include "engine/sizing.h"
#include "logic/automaton.h"
#include "model/temporal/fairness.h"
#include "model/temporal/product.h"
#include "model/temporal/violating_runs.h"
#include "step/layout/layout.h"
#include "tables/table.h"

#include <string.h>

/* Bytes for each slot: Z and `reached`, of a bit each, and a counter of a byte; of strong conditions another bit
   (engine/cycles/emptiness.c). Bytes for each candidate: its number in the queue. */
#define SLOT_BYTES 1.25
#define STRONG_SLOT_BYTES 0.125
#define QUEUE_BYTES 8

struct temporal_call {
  floe_model *model;
  floe_log *log;
  size_t property;
  uint64_t memory;
  floe_temporal_plan *out;
  floe_status status;
};

static double pass_bytes(const floe_temporal_plan *plan) {
  return SLOT_BYTES + (plan->strong_conditions ? STRONG_SLOT_BYTES : 0);
}

/* Bytes with a table of this shape, if all states are candidates. */
static double bytes_with(const floe_temporal_plan *plan, const struct table_shape *shape, double fill) {
  const double slots = (double)shape->slots;
  return (double)shape->bytes + slots * pass_bytes(plan) + fill * slots * QUEUE_BYTES;
}

/* The largest table that leaves room for the passes, if it holds more states than that of the plan. */
static void use_table(floe_temporal_plan *plan, struct table_config wanted, uint64_t memory) {
  const double fill = table_fill(wanted.scheme);
  struct table_config config;
  struct table_shape shape;
  for (uint64_t low = 0, high = memory; high - low > memory / 1024;) {
    const uint64_t bytes = low + (high - low) / 2;
    const bool exists = sizing_largest(&wanted, bytes, &config, &shape);
    if (exists && bytes_with(plan, &shape, fill) > (double)memory) {
      high = bytes;
      continue;
    }
    low = bytes;
    const uint64_t states = exists ? (uint64_t)(fill * (double)shape.slots) : 0; /* 0: no table is that small */
    if (states <= plan->states)
      continue;
    plan->states = states;
    plan->table_bytes = (double)shape.bytes / (double)plan->states;
    plan->pass_bytes = (double)shape.slots * pass_bytes(plan) / (double)plan->states;
  }
}

/* With the default scheme, and slots of any width. */
static void set_capacity(floe_temporal_plan *plan, const struct layout *layout, uint64_t memory) {
  struct table_config wanted = {.scheme = table_schemes()[0], .key_bits = layout->key_bits, .keys = layout->keys};
  const unsigned *widths = table_traits(wanted.scheme)->slot_bits;
  for (size_t w = 0; widths[w]; w++) {
    wanted.slot_bits = widths[w];
    use_table(plan, wanted, memory);
  }
}

static void plan_property(void *data) {
  struct temporal_call *call = data;
  const struct model *model = call->model->model;
  struct arena *arena = &call->model->checked_arena;
  const struct property *property = &model->properties[call->property];
  const struct temporal *temporal = property->temporal;
  const struct automaton *automaton = violating_runs(temporal, arena);
  struct fairness fairness;
  struct fairness_error error;
  const struct layout *layout;
  call->status = FLOE_ERROR_UNSUPPORTED;
  if (!automaton || product_degree(automaton) > PRODUCT_MAX_DEGREE)
    return;
  if (!fairness_parse(model, temporal->fairness, arena, &fairness, &error))
    return;
  if (automaton->sets + fairness.count > PRODUCT_MAX_CONDITIONS)
    return;
  const struct product_atoms atoms = {temporal->atoms, temporal->taken};
  const struct model *product = product_create(model, automaton, &atoms, &fairness, true, arena);
  call->status = layout_make(product, arena, &layout);
  if (call->status != FLOE_OK)
    return;
  *call->out = (floe_temporal_plan){.id = property->id,
                                    .automaton_states = automaton->states,
                                    .conditions = automaton->sets + (uint32_t)fairness.count,
                                    .key_bits = layout->bits,
                                    .words = layout->words,
                                    .queue_bytes = QUEUE_BYTES};
  for (size_t i = 0; i < fairness.count; i++)
    call->out->strong_conditions += fairness.constraints[i].strong;
  call->out->state_bound = layout_state_bound(product);
  if (layout->key_words == 1)
    set_capacity(call->out, layout, call->memory);
}

floe_status floe_model_temporal_plan(floe_model *model, floe_log *log, size_t i, uint64_t memory,
                                     floe_temporal_plan *out) {
  REQUIRE(log, model);
  REQUIRE(log, out);
  FLOE_TRY(floe_model_check(model, log));
  if (i >= model->model->property_count || !model->model->properties[i].temporal)
    return FLOE_ERROR_USAGE;
  struct temporal_call call = {model, log, i, memory, out, FLOE_OK};
  if (arena_guard(&model->checked_arena, plan_property, &call) != 0)
    return no_memory(log);
  return call.status;
}
