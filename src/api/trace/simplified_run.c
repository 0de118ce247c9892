#include "api/trace/simplified_run.h"

#include "api/trace/step_firings.h"
#include "core/status.h"
#include "model/interpreter/interpreter.h"

#include <string.h>

struct execution {
  struct simplified_run *run;
  struct arena *arena;
  int64_t *simplified;    /* values of both models */
  struct step_edge first; /* of the step that has begun */
  bool begun;
  size_t state_cap, edge_cap; /* capacities of run->run */
  size_t state_words, edge_count;
  struct step_firings firings;
};

static bool add_state(struct execution *x) {
  const struct layout *layout = x->run->layout;
  uint64_t *key = arena_array(x->arena, layout->key_words, sizeof *key);
  if (!key_of_values(x->run->simplified->original, layout, x->run->values, key))
    return false;
  for (uint32_t w = 0; w < layout->key_words; w++)
    *ARENA_PUSH(x->arena, x->run->run.states, x->state_words, x->state_cap) = key[w];
  return true;
}

/* A firing of the model as checked. False: there is none. */
static bool fire(struct execution *x, struct sequence_firing firing) {
  const struct model *model = x->run->simplified->original;
  uint32_t site;
  if (!interpreter_fire(model, firing.transition, firing.choice, x->run->values, NULL, &site) || site != NO_SITE)
    return false;
  if (!x->begun)
    x->first = (struct step_edge){firing.transition, firing.choice, NO_SITE};
  x->begun = true;
  if (!x->run->single && model_holder(model, x->run->values))
    return true;
  *ARENA_PUSH(x->arena, x->run->run.edges, x->edge_count, x->edge_cap) = x->first;
  x->run->run.steps++;
  x->begun = false;
  return add_state(x);
}

/* A firing of both models, with those merged with it. */
static bool fire_both(struct execution *x, struct sequence_firing firing) {
  const struct simplified *simplified = x->run->simplified;
  uint32_t site;
  if (firing.transition >= simplified->model->transition_count ||
      !interpreter_fire(simplified->model, firing.transition, firing.choice, x->simplified, NULL, &site) ||
      site != NO_SITE || !fire(x, firing))
    return false;
  const size_t more = simplified->followers ? simplified->followers[firing.transition].count : 0;
  for (size_t i = 0; i < more; i++)
    if (!fire(x, (struct sequence_firing){simplified->followers[firing.transition].transitions[i], 0}))
      return false;
  return true;
}

/* Step i of the path. */
static floe_status execute_step(struct execution *x, size_t i) {
  const struct simplified_run *run = x->run;
  const struct step_request step = {.model = run->simplified->model,
                                    .layout = run->simplified_layout,
                                    .values = x->simplified,
                                    .single = run->single,
                                    .edge = run->path->edges[i],
                                    .end = run->path->states + (i + 1) * run->simplified_layout->key_words};
  FLOE_TRY(step_firings_find(&step, x->arena, &x->firings));
  for (size_t k = 0; k < x->firings.count; k++)
    if (!fire_both(x, x->firings.firings[k]))
      return FLOE_ERROR_INTERNAL;
  return x->begun ? FLOE_ERROR_INTERNAL : FLOE_OK;
}

static bool is_closed(const struct simplified_run *run) {
  const size_t words = run->layout->key_words;
  return memcmp(run->run.states + run->run_loop * words, run->run.states + run->run.steps * words,
                words * sizeof *run->run.states) == 0;
}

floe_status simplified_run_make(struct simplified_run *run, struct arena *arena) {
  struct execution x = {.run = run, .arena = arena};
  const size_t steps = run->path->steps;
  run->values = arena_array(arena, run->simplified->original->value_count, sizeof *run->values);
  x.simplified = arena_array(arena, run->simplified->model->value_count, sizeof *x.simplified);
  model_initial_values(run->simplified->original, run->values);
  model_initial_values(run->simplified->model, x.simplified);
  if (!add_state(&x))
    return FLOE_ERROR_INTERNAL;
  for (size_t i = 0; i < steps; i++) {
    run->run_loop = i <= run->loop ? run->run.steps : run->run_loop;
    FLOE_TRY(execute_step(&x, i));
  }
  run->run_loop = run->loop == steps ? run->run.steps : run->run_loop;
  if (!run->repeats || is_closed(run))
    return FLOE_OK;
  run->run_loop = run->run.steps;
  for (size_t i = run->loop; i < steps; i++)
    FLOE_TRY(execute_step(&x, i));
  return is_closed(run) ? FLOE_OK : FLOE_ERROR_INTERNAL;
}
