#include "step/analysis/random_walk.h"

#include "base/splitmix64.h"
#include "model/interpreter/interpreter.h"
#include "model/transitions/successor_bound.h"

#define MAX_STEPS 3000
#define MAX_TRIES 3000000u /* transitions tried and values copied */
#define RESTART_STEPS 150  /* steps until the walk restarts */

struct walk {
  const struct model *model;
  uint64_t state; /* of the random number generator */
  uint64_t tries;
};

static bool try_transition(struct walk *walk, const struct transition *transition, const int64_t *before,
                           int64_t *after) {
  uint32_t site;
  if (never_fires(transition) || !interpreter_tests_hold(walk->model, transition, before))
    return false;
  const uint64_t choices = transition_choices(transition);
  const uint32_t count = choices > UINT32_MAX ? UINT32_MAX : (uint32_t)choices;
  const uint32_t first = (uint32_t)(splitmix64_next(&walk->state) % count);
  for (uint32_t i = 0; i < count && i < 64; i++) {
    walk->tries += walk->model->value_count / 8 + 1;
    const struct interpreter_choice choice = {.transition = transition,
                                              .number = (uint32_t)(((uint64_t)first + i) % count)};
    if (interpreter_fire_choice(walk->model, choice, before, after, NULL, &site) && site == NO_SITE)
      return true;
  }
  return false;
}

/* Fires the first enabled transition, starting at a random one. */
static bool fire_random_transition(struct walk *walk, const int64_t *before, int64_t *after) {
  const size_t count = walk->model->transition_count;
  const size_t first = count ? splitmix64_next(&walk->state) % count : 0;
  for (size_t i = 0; i < count && walk->tries++ < MAX_TRIES; i++)
    if (try_transition(walk, &walk->model->transitions[(first + i) % count], before, after))
      return true;
  return false;
}

bool random_walk_steps(const struct model *model, const struct stop *stop, struct arena *arena,
                       bool (*visit)(void *user, const int64_t *before, const int64_t *after), void *user) {
  struct walk walk = {.model = model, .state = 1};
  int64_t *before = arena_array(arena, model->value_count, sizeof *before);
  int64_t *after = arena_array(arena, model->value_count, sizeof *after);
  model_initial_values(model, before);
  bool more = visit(user, before, before);
  for (int i = 0; i < MAX_STEPS && more && walk.tries < MAX_TRIES && !stop_requested(stop); i++) {
    walk.tries += model->value_count;
    const bool moved = i % RESTART_STEPS != RESTART_STEPS - 1 && fire_random_transition(&walk, before, after);
    if (!moved) {
      model_initial_values(model, before);
      continue;
    }
    more = visit(user, before, after);
    int64_t *swapped = before;
    before = after;
    after = swapped;
  }
  return more;
}
