/* libFuzzer harness: the bytes as a Murphi file through reading, checking and some hundred states of the interpreter.
   Half of the mutations change whole tokens. */
#include "api/api.h"
#include "core/mem.h"
#include "floe.h"
#include "frontend/murphi/murphi_language.h"
#include "tests/fuzz/mutate_tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- exploration --------------------------------------------------------------------------------- */

#define MOST_STATES 200
#define MOST_STEPS 20 /* of each state */

struct search {
  const floe_model *model;
  floe_state *states[MOST_STATES];
  size_t count;
};

static void add(struct search *s, const floe_state *state) {
  for (size_t i = 0; i < s->count; i++)
    if (floe_state_equal(s->states[i], state))
      return;
  if (s->count < MOST_STATES && floe_state_copy(state, &s->states[s->count]) == FLOE_OK)
    s->count++;
}

/* Everything that a trace or the browser shows of a state. */
static void look(floe_expansion *expansion, size_t steps) {
  const floe_change *values;
  size_t count;
  if (floe_expansion_values(expansion, &values, &count) != FLOE_OK)
    abort();
  for (size_t i = 0; i < steps; i++) {
    floe_step step;
    if (floe_expansion_step(expansion, i, &step) != FLOE_OK ||
        !step.cause[0] == floe_expansion_step_fails(expansion, i))
      abort();
  }
}

static void expand(struct search *s, const floe_state *state, bool shown) {
  floe_expansion *expansion;
  if (floe_expand(s->model, state, NULL, &expansion) != FLOE_OK)
    return; /* too many steps */
  const size_t all = floe_expansion_steps(expansion), steps = all < MOST_STEPS ? all : MOST_STEPS;
  for (size_t i = 0; i < floe_model_properties(s->model); i++) {
    floe_property_value value;
    if (floe_expansion_property(expansion, i, &value) != FLOE_OK)
      abort();
  }
  if (shown)
    look(expansion, steps);
  for (size_t i = 0; i < steps; i++) {
    const floe_state *next;
    if (!floe_expansion_step_fails(expansion, i) && floe_expansion_successor(expansion, i, &next) == FLOE_OK)
      add(s, next);
  }
  floe_expansion_free(expansion);
}

static void explore(const floe_model *model) {
  struct search s = {.model = model};
  floe_state *initial;
  if (floe_state_initial(model, NULL, &initial) != FLOE_OK)
    return;
  add(&s, initial);
  floe_state_free(initial);
  for (size_t i = 0; i < s.count; i++)
    expand(&s, s.states[i], i < 5);
  while (s.count > 0)
    floe_state_free(s.states[--s.count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  floe_model *model = NULL;
  floe_log *log;
  if (floe_log_create(&log) != FLOE_OK)
    return 0;
  murphi_language.recognise((const char *)data, size);
  floe_status status = floe_model_parse("fuzz.m", (const char *)data, size, log, &model);
  if (status == FLOE_OK)
    status = floe_model_check(model, log);
  /* exactly the failures are logged */
  if (status == FLOE_ERROR_INTERNAL || (status == FLOE_OK) != (floe_log_errors(log) == 0))
    abort();
  if (status == FLOE_OK)
    explore(model);
  floe_model_free(model);
  floe_log_free(log);
  if (mem_live() != 0)
    abort();
  return 0;
}
