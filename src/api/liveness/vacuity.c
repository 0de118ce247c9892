#include "api/liveness/vacuity.h"

#include "model/build.h"
#include "model/transition_set.h"

#include <string.h>

/* ---- antecedents ---------------------------------------------------------------------------------- */

const struct model *vacuity_add_properties(const struct model *product, const struct temporal *temporal,
                                           struct arena *arena) {
  struct model *result = arena_alloc(arena, sizeof *result);
  struct builder b = {.arena = arena, .source = product->source, .model = result, .here = NOWHERE};
  struct property *properties =
      arena_array(arena, temporal->antecedent_count + product->property_count, sizeof *properties);
  size_t n = 0;
  *result = *product;
  build_start(&b);
  for (size_t i = 0; i < temporal->antecedent_count; i++)
    if (temporal->antecedents[i].holds)
      properties[n++] = (struct property){.id = arena_printf(arena, "antecedent %zu", i),
                                          .description = "",
                                          .kind = FLOE_REACHABLE,
                                          .expr = build_total(&b, temporal->antecedents[i].holds),
                                          .text = "",
                                          .at = NOWHERE};
  memcpy(properties + n, product->properties, product->property_count * sizeof *properties);
  result->properties = properties;
  result->property_count += n;
  return result;
}

/* ---- what was found ------------------------------------------------------------------------------- */

/* No transition of the set fired in the search of the model, which was complete and without failing firings: none is
   ever enabled. */
static bool never_fires_in(const struct exploration *e, const struct transition_set *set) {
  for (size_t t = 0; t < e->model->transition_count; t++)
    if (e->outcome.fired[t] > 0 && transition_in_set(e->model, &e->model->transitions[t], set))
      return false;
  return true;
}

struct found {
  floe_vacuous *list;
  size_t count, cap;
};

static void add(struct found *found, struct arena *arena, floe_vacuous_part part, const char *text) {
  *ARENA_PUSH(arena, found->list, found->count, found->cap) =
      (floe_vacuous){part, arena_copy(arena, text, strlen(text))};
}

static void find_antecedents(const struct vacuity_request *request, struct found *found) {
  size_t property = 0; /* of the product */
  for (size_t i = 0; i < request->temporal->antecedent_count; i++) {
    const struct antecedent *antecedent = &request->temporal->antecedents[i];
    const bool never =
        antecedent->taken ? never_fires_in(request->e, antecedent->taken) : !(request->reached >> property & 1);
    property += !antecedent->taken;
    if (never)
      add(found, &request->e->result->arena, FLOE_VACUOUS_ANTECEDENT, antecedent->text);
  }
}

static void find_fairness(const struct vacuity_request *request, struct found *found) {
  struct arena *arena = &request->e->result->arena;
  for (size_t i = 0; i < request->fairness->count; i++) {
    const struct fairness_constraint *constraint = &request->fairness->constraints[i];
    if (never_fires_in(request->e, &constraint->set))
      add(found, arena, FLOE_VACUOUS_FAIRNESS,
          arena_printf(arena, "%s %s", constraint->strong ? "strong" : "weak", constraint->name));
  }
}

void vacuity_describe(const struct vacuity_request *request, floe_verdict *verdict) {
  struct found found = {NULL, 0, 0};
  const bool complete = request->e->outcome.end == FLOE_END_COMPLETE && !request->e->outcome.firing_failed;
  if (complete && verdict->value == FLOE_HOLDS)
    find_antecedents(request, &found);
  if (complete && verdict->value != FLOE_UNDECIDED)
    find_fairness(request, &found);
  verdict->vacuous = found.list;
  verdict->vacuous_count = found.count;
}
