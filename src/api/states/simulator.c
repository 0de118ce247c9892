/* Simulator: the path of states to a current state, and the expansion of that state. */
#include "api/states/expansion.h"
#include "core/mem.h"
#include "core/usage.h"

#include <string.h>

#define FIRST_STATES 64

struct floe_simulator {
  const floe_model *model;
  uint64_t *states; /* [steps - forgotten + 1][words], packed: the first is the state before the first recorded step */
  size_t steps, forgotten;   /* number of steps; the first `forgotten` ones are not recorded */
  size_t capacity;           /* of `states` */
  floe_expansion *expansion; /* of the current state; NULL: not made */
};

static uint32_t words_of(const floe_simulator *simulator) { return simulator->model->layout->words; }

static uint64_t *state_at(const floe_simulator *simulator, size_t step) {
  return simulator->states + (step - simulator->forgotten) * words_of(simulator);
}

static void drop_expansion(floe_simulator *simulator) {
  floe_expansion_free(simulator->expansion);
  simulator->expansion = NULL;
}

static bool reserve_step(floe_simulator *simulator) {
  if (simulator->steps - simulator->forgotten + 1 < simulator->capacity)
    return true;
  const size_t capacity = simulator->capacity ? 2 * simulator->capacity : FIRST_STATES;
  uint64_t *states = mem_resize(simulator->states, capacity * words_of(simulator) * sizeof *states);
  if (!states)
    return false;
  simulator->states = states;
  simulator->capacity = capacity;
  return true;
}

floe_status floe_simulator_create(floe_model *model, floe_log *log, floe_simulator **out) {
  REQUIRE(log, model);
  REQUIRE(log, out);
  FLOE_TRY(floe_model_check(model, log));
  FLOE_TRY(state_require_bound(model, log));
  floe_simulator *simulator = mem_alloc(sizeof *simulator);
  if (!simulator)
    return no_memory(log);
  simulator->model = model;
  if (!reserve_step(simulator)) {
    floe_simulator_free(simulator);
    return no_memory(log);
  }
  floe_simulator_restart(simulator);
  *out = simulator;
  return FLOE_OK;
}

void floe_simulator_free(floe_simulator *simulator) {
  if (!simulator)
    return;
  drop_expansion(simulator);
  mem_free(simulator->states);
  mem_free(simulator);
}

size_t floe_simulator_depth(const floe_simulator *simulator) { return simulator ? simulator->steps : 0; }

floe_status floe_simulator_expansion(floe_simulator *simulator, floe_expansion **out) {
  REQUIRE(NULL, simulator);
  REQUIRE(NULL, out);
  if (!simulator->expansion)
    FLOE_TRY(expansion_create(simulator->model, state_at(simulator, simulator->steps), &simulator->expansion));
  *out = simulator->expansion;
  return FLOE_OK;
}

floe_status floe_simulator_fire(floe_simulator *simulator, size_t i) {
  floe_expansion *expansion;
  const floe_state *successor;
  FLOE_TRY(floe_simulator_expansion(simulator, &expansion));
  FLOE_TRY(floe_expansion_successor(expansion, i, &successor));
  if (!reserve_step(simulator))
    return FLOE_ERROR_MEMORY;
  simulator->steps++;
  memcpy(state_at(simulator, simulator->steps), successor->packed, words_of(simulator) * sizeof *successor->packed);
  drop_expansion(simulator);
  return FLOE_OK;
}

floe_status floe_simulator_undo(floe_simulator *simulator) {
  REQUIRE(NULL, simulator);
  if (simulator->steps == simulator->forgotten)
    return FLOE_ERROR_USAGE;
  simulator->steps--;
  drop_expansion(simulator);
  return FLOE_OK;
}

void floe_simulator_restart(floe_simulator *simulator) {
  if (!simulator)
    return;
  simulator->steps = simulator->forgotten = 0;
  layout_initial(simulator->model->model, simulator->model->layout, simulator->states);
  drop_expansion(simulator);
}

void floe_simulator_forget(floe_simulator *simulator) {
  if (!simulator)
    return;
  memmove(simulator->states, state_at(simulator, simulator->steps), words_of(simulator) * sizeof *simulator->states);
  simulator->forgotten = simulator->steps;
}
