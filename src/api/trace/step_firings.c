#include "api/trace/step_firings.h"

#include "core/mem.h"
#include "model/transitions/successor_bound.h"

#include <string.h>

struct step_search {
  const struct step_request *request;
  int64_t *after; /* a successor */
  uint64_t *key;  /* of the end of a sequence */
  struct step_firings *out;
  bool found;
};

/* The edge that steppers report for the sequence. */
static bool has_edge(const struct step_request *request, const struct sequence_end *end) {
  const struct sequence_firing shown = end->firings[end->site == NO_SITE ? 0 : end->count - 1];
  return shown.transition == request->edge.transition && shown.choice == request->edge.choice &&
         end->site == request->edge.site;
}

static bool compare(void *user, const struct sequence_end *end) {
  struct step_search *search = user;
  const struct step_request *request = search->request;
  const size_t bytes = request->layout->key_words * sizeof *search->key;
  if (!has_edge(request, end) ||
      (end->site == NO_SITE && (!key_of_values(request->model, request->layout, end->after, search->key) ||
                                memcmp(search->key, request->end, bytes) != 0)))
    return true;
  memcpy(search->out->firings, end->firings, end->count * sizeof *end->firings);
  search->out->count = end->count;
  search->found = true;
  return false;
}

/* The firings of all sequences of the state: limits count all of them. */
static void search_sequences(struct step_search *search, struct sequences *sequences) {
  const struct step_request *request = search->request;
  const struct model *model = request->model;
  for (uint32_t t = 0; t < model->transition_count && !search->found; t++) {
    const struct transition *transition = &model->transitions[t];
    if (!interpreter_tests_hold(model, transition, request->values))
      continue;
    for (uint32_t choice = 0; choice < transition_choices(transition) && !search->found; choice++) {
      const struct interpreter_choice chosen = {.transition = transition, .number = choice};
      const struct sequence_firing firing = {t, choice};
      struct sequence_end end = {&firing, 1, NO_SITE, search->after};
      if (!interpreter_fire_choice(model, chosen, request->values, search->after, NULL, &end.site))
        continue;
      if (end.site == NO_SITE && model_holder(model, search->after))
        sequences_from(sequences, firing, search->after);
      else
        compare(search, &end);
    }
  }
}

static void reserve(struct step_firings *out, size_t count, struct arena *arena) {
  if (out->capacity >= count)
    return;
  out->firings = arena_array(arena, count, sizeof *out->firings);
  out->capacity = count;
}

floe_status step_firings_find(const struct step_request *request, struct arena *arena, struct step_firings *out) {
  const struct model *model = request->model;
  struct step_search search = {.request = request, .out = out};
  const bool single = request->single || !model->transient;
  reserve(out, single ? 1 : SEQUENCE_FIRINGS + 1, arena);
  if (single) {
    out->firings[0] = (struct sequence_firing){request->edge.transition, request->edge.choice};
    out->count = 1;
    return FLOE_OK;
  }
  search.after = arena_array(arena, model->value_count, sizeof *search.after);
  search.key = arena_array(arena, request->layout->key_words, sizeof *search.key);
  struct sequences sequences = {.model = model, .visit = compare, .user = &search};
  sequences.memory = pages_alloc(sequence_bytes(model));
  if (!sequences.memory)
    return FLOE_ERROR_MEMORY;
  search_sequences(&search, &sequences);
  pages_free(sequences.memory, sequence_bytes(model));
  return search.found ? FLOE_OK : FLOE_ERROR_INTERNAL;
}
