#include "api/trace/step_firings.h"

#include "core/mem.h"
#include "model/transitions/successor_bound.h"

#include <string.h>

struct step_search {
  const struct step_request *request;
  uint64_t *key; /* of the end of a sequence */
  struct step_firings *out;
  bool found;
};

/* The edge that steppers report for the sequence. */
static bool has_edge(const struct step_request *request, const struct sequence_end *end) {
  const struct sequence_firing shown = sequence_shown(end);
  return shown.transition == request->edge.transition && shown.choice == request->edge.choice &&
         end->site == request->edge.site;
}

/* Limits count all sequences of a state: they are listed up to the one with this edge and end. */
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
  search.key = arena_array(arena, request->layout->key_words, sizeof *search.key);
  struct sequences sequences = {.model = model,
                                .after = arena_array(arena, model->value_count, sizeof *sequences.after),
                                .visit = compare,
                                .user = &search};
  sequences.memory = pages_alloc(sequence_bytes(model));
  if (!sequences.memory)
    return FLOE_ERROR_MEMORY;
  sequences_of_state(&sequences, request->values);
  pages_free(sequences.memory, sequence_bytes(model));
  return search.found ? FLOE_OK : FLOE_ERROR_INTERNAL;
}
