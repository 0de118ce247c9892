/* States as handles: creation, text, comparison. */
#include "api/states/state.h"

#include "core/mem.h"
#include "core/usage.h"
#include "engine/engine.h"
#include "model/transitions/successor_bound.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORD_DIGITS 16 /* of a word in a state's text */

floe_status state_require_model(const floe_model *model, floe_log *log) {
  REQUIRE(log, model);
  if (model->model)
    return FLOE_OK;
  diag_error(log, NULL, NOWHERE, "call floe_model_check first", "the model is not checked");
  return FLOE_ERROR_USAGE;
}

floe_status state_require_bound(const floe_model *model, floe_log *log) {
  uint32_t bound;
  FLOE_TRY(state_require_model(model, log));
  return successor_bound(model->model, log, &bound);
}

size_t state_bytes(uint32_t words) { return sizeof(floe_state) + words * sizeof(uint64_t); }

floe_status state_create(const floe_model *model, floe_log *log, floe_state **out) {
  floe_state *state = mem_alloc(state_bytes(model->layout->words));
  if (!state)
    return no_memory(log);
  state->check_number = model->check_number;
  state->words = model->layout->words;
  *out = state;
  return FLOE_OK;
}

floe_status floe_state_initial(const floe_model *model, floe_log *log, floe_state **out) {
  REQUIRE(log, out);
  FLOE_TRY(state_require_bound(model, log));
  FLOE_TRY(state_create(model, log, out));
  layout_initial(model->model, model->layout, (*out)->packed);
  return FLOE_OK;
}

floe_status floe_state_copy(const floe_state *state, floe_state **out) {
  REQUIRE(NULL, state);
  REQUIRE(NULL, out);
  floe_state *copy = mem_alloc(state_bytes(state->words));
  if (!copy)
    return FLOE_ERROR_MEMORY;
  memcpy(copy, state, state_bytes(state->words));
  *out = copy;
  return FLOE_OK;
}

void floe_state_free(floe_state *state) { mem_free(state); }

bool floe_state_equal(const floe_state *a, const floe_state *b) {
  return a && b && a->words == b->words && memcmp(a->packed, b->packed, a->words * sizeof *a->packed) == 0;
}

uint64_t floe_state_hash(const floe_state *state) { return state ? engine_state_mix(state->packed, state->words) : 0; }

size_t floe_state_text(const floe_state *state, char *text, size_t size) {
  const size_t length = state ? (size_t)state->words * WORD_DIGITS : 0;
  if (!text || size == 0)
    return length;
  text[0] = 0;
  for (size_t i = 0; i < length / WORD_DIGITS && i * WORD_DIGITS < size; i++)
    snprintf(text + i * WORD_DIGITS, size - i * WORD_DIGITS, "%016" PRIx64, state->packed[i]);
  return length;
}
