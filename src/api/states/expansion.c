/* Expansion of a state by the interpreter: enabled steps, successors, descriptions. */
#include "api/states/expansion.h"

#include "api/trace/error_text.h"
#include "api/trace/printed.h"
#include "core/mem.h"
#include "core/usage.h"
#include "model/interpreter/interpreter.h"
#include "model/transitions/successor_bound.h"

#include <string.h>

/* ---- creation -------------------------------------------------------------------------------- */

static size_t most_temps(const struct model *model) {
  size_t most = 0;
  for (size_t i = 0; i < model->transition_count; i++)
    most = model->transitions[i].temp_count > most ? model->transitions[i].temp_count : most;
  return most;
}

/* A state from the arena. */
static floe_state *new_state(floe_expansion *expansion) {
  floe_state *state = arena_alloc(&expansion->arena, state_bytes(expansion->layout->words));
  state->check_number = expansion->check_number;
  state->words = expansion->layout->words;
  return state;
}

static void list_choices(floe_expansion *expansion, uint32_t number) {
  const struct transition *transition = &expansion->model->transitions[number];
  const uint32_t choices = (uint32_t)transition_choices(transition);
  for (uint32_t choice = 0; choice < choices; choice++) {
    uint32_t site;
    const struct interpreter_choice chosen = {.transition = transition, .number = choice};
    if (!interpreter_permits(expansion->model, (struct sequence_firing){number, choice}, expansion->values) ||
        !interpreter_fire_choice(expansion->model, chosen, expansion->values, expansion->after, NULL, &site))
      continue;
    if (site == NO_SITE)
      site = interpreter_settle(expansion->model, expansion->after);
    *ARENA_PUSH(&expansion->arena, expansion->edges, expansion->count, expansion->cap) =
        (struct step_edge){number, choice, site};
  }
}

struct creation {
  floe_expansion *expansion;
  const uint64_t *packed;
};

static void fill(void *data) {
  const struct creation *creation = data;
  floe_expansion *expansion = creation->expansion;
  const struct model *model = expansion->model;
  floe_state *state = new_state(expansion);
  int64_t *values = arena_array(&expansion->arena, model->value_count, sizeof *values);
  memcpy(state->packed, creation->packed, state->words * sizeof *state->packed);
  layout_unpack(model, expansion->layout, state->packed, values);
  expansion->state = state;
  expansion->values = values;
  expansion->after = arena_array(&expansion->arena, model->value_count, sizeof *expansion->after);
  for (uint32_t i = 0; i < model->transition_count; i++)
    if (interpreter_tests_hold(model, &model->transitions[i], values))
      list_choices(expansion, i);
  expansion->successors = arena_array(&expansion->arena, expansion->count, sizeof *expansion->successors);
}

floe_status expansion_create(const floe_model *model, const uint64_t *packed, floe_expansion **out) {
  floe_expansion *expansion = mem_alloc(sizeof *expansion);
  if (!expansion)
    return FLOE_ERROR_MEMORY;
  expansion->model = model->model;
  expansion->layout = model->layout;
  expansion->check_number = model->check_number;
  arena_init(&expansion->arena);
  if (arena_guard(&expansion->arena, fill, &(struct creation){expansion, packed}) != 0) {
    floe_expansion_free(expansion);
    return FLOE_ERROR_MEMORY;
  }
  *out = expansion;
  return FLOE_OK;
}

floe_status floe_expand(const floe_model *model, const floe_state *state, floe_log *log, floe_expansion **out) {
  REQUIRE(log, state);
  REQUIRE(log, out);
  FLOE_TRY(state_require_model(model, log));
  if (state->check_number != model->check_number) {
    diag_error(log, NULL, NOWHERE, "use floe_state_text and floe_state_parse", "the state is of another model");
    return FLOE_ERROR_USAGE;
  }
  const floe_status status = expansion_create(model, state->packed, out);
  return status == FLOE_ERROR_MEMORY ? no_memory(log) : status;
}

void floe_expansion_free(floe_expansion *expansion) {
  if (!expansion)
    return;
  arena_free(&expansion->arena);
  mem_free(expansion);
}

const floe_state *floe_expansion_state(const floe_expansion *expansion) { return expansion ? expansion->state : NULL; }

bool floe_expansion_is_transient(const floe_expansion *expansion) {
  return expansion && model_holder(expansion->model, expansion->values);
}

size_t floe_expansion_steps(const floe_expansion *expansion) { return expansion ? expansion->count : 0; }

bool floe_expansion_step_fails(const floe_expansion *expansion, size_t i) {
  return i < floe_expansion_steps(expansion) && expansion->edges[i].site != NO_SITE;
}

/* ---- queries --------------------------------------------------------------------------------- */

struct query {
  floe_expansion *expansion;
  void (*body)(void *);
  void *data;
};

/* Items and temporaries are needed for texts only. */
static void run_guarded(void *data) {
  const struct query *query = data;
  floe_expansion *expansion = query->expansion;
  if (!expansion->temps) {
    renderer_init(&expansion->renderer, expansion->model, &expansion->arena);
    expansion->temps = arena_array(&expansion->arena, most_temps(expansion->model), sizeof *expansion->temps);
  }
  query->body(query->data);
}

floe_status expansion_run(floe_expansion *expansion, void (*body)(void *), void *data) {
  struct query query = {expansion, body, data};
  return arena_guard(&expansion->arena, run_guarded, &query) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static void show_values(void *data) {
  floe_expansion *expansion = data;
  renderer_add_names(&expansion->renderer, &expansion->arena);
  expansion->shown = render_state(&expansion->renderer, expansion->values, &expansion->arena);
}

floe_status floe_expansion_values(floe_expansion *expansion, const floe_change **values, size_t *count) {
  REQUIRE(NULL, expansion);
  REQUIRE(NULL, values);
  REQUIRE(NULL, count);
  if (!expansion->shown)
    FLOE_TRY(expansion_run(expansion, show_values, expansion));
  *values = expansion->shown;
  *count = expansion->renderer.item_count;
  return FLOE_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

struct step_query {
  floe_expansion *expansion;
  size_t i;
  floe_step step;
};

/* Fires step i; `after` becomes the successor, unless the step fails. */
static void fire(const floe_expansion *expansion, size_t i, int64_t *temps) {
  const struct model *model = expansion->model;
  const struct step_edge edge = expansion->edges[i];
  uint32_t site;
  memcpy(expansion->after, expansion->values, model->value_count * sizeof *expansion->after);
  interpreter_fire(model, edge.transition, edge.choice, expansion->after, temps, &site);
}

static void describe_step(void *data) {
  struct step_query *query = data;
  floe_expansion *expansion = query->expansion;
  const struct step_edge edge = expansion->edges[query->i];
  struct firing firing = {edge, expansion->values, expansion->after, expansion->temps, NULL};
  fire(expansion, query->i, expansion->temps);
  if (edge.site != NO_SITE)
    firing.cause = cause_text(expansion->model, expansion->values, edge, &expansion->arena);
  query->step = render_step(&expansion->renderer, &firing, &expansion->arena);
}

floe_status floe_expansion_step(floe_expansion *expansion, size_t i, floe_step *step) {
  struct step_query query = {.expansion = expansion, .i = i};
  REQUIRE(NULL, expansion);
  REQUIRE(NULL, step);
  if (i >= expansion->count)
    return FLOE_ERROR_USAGE;
  FLOE_TRY(expansion_run(expansion, describe_step, &query));
  *step = query.step;
  return FLOE_OK;
}

struct print_query {
  floe_expansion *expansion;
  size_t i;
  const char *text;
};

static void describe_printed(void *data) {
  struct print_query *query = data;
  floe_expansion *expansion = query->expansion;
  const struct transition *transition = &expansion->model->transitions[expansion->edges[query->i].transition];
  query->text = printed_text(expansion->model, transition, expansion->values, &expansion->arena);
}

floe_status floe_expansion_printed(floe_expansion *expansion, size_t i, const char **text) {
  struct print_query query = {.expansion = expansion, .i = i};
  REQUIRE(NULL, expansion);
  REQUIRE(NULL, text);
  if (i >= expansion->count)
    return FLOE_ERROR_USAGE;
  FLOE_TRY(expansion_run(expansion, describe_printed, &query));
  *text = query.text;
  return FLOE_OK;
}

static void add_successor(void *data) {
  const struct step_query *query = data;
  floe_expansion *expansion = query->expansion;
  floe_state *state = new_state(expansion);
  fire(expansion, query->i, NULL);
  layout_pack(expansion->model, expansion->layout, expansion->after, state->packed);
  expansion->successors[query->i] = state;
}

floe_status floe_expansion_successor(floe_expansion *expansion, size_t i, const floe_state **out) {
  struct step_query query = {.expansion = expansion, .i = i};
  REQUIRE(NULL, expansion);
  REQUIRE(NULL, out);
  if (i >= expansion->count)
    return FLOE_ERROR_USAGE;
  if (floe_expansion_step_fails(expansion, i))
    return FLOE_ERROR_MODEL;
  if (!expansion->successors[i] && arena_guard(&expansion->arena, add_successor, &query) != 0)
    return FLOE_ERROR_MEMORY;
  *out = expansion->successors[i];
  return FLOE_OK;
}

/* Several instances of a process may participate with the same transition, which counts once. */
static bool transition_counted(const struct transition *transition, size_t i) {
  for (size_t j = 0; j < i; j++)
    if (transition->participants[j].edge == transition->participants[i].edge)
      return true;
  return false;
}

floe_status floe_expansion_count_fired(const floe_expansion *expansion, size_t i, uint64_t *fired) {
  REQUIRE(NULL, fired);
  if (i >= floe_expansion_steps(expansion))
    return FLOE_ERROR_USAGE;
  const struct transition *transition = &expansion->model->transitions[expansion->edges[i].transition];
  for (size_t p = 0; p < transition->participant_count; p++)
    if (!transition_counted(transition, p))
      fired[transition->participants[p].edge]++;
  return FLOE_OK;
}
