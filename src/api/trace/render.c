#include "api/trace/render.h"

#include "api/trace/error_text.h"
#include "model/interpreter/interpreter.h"
#include "model/notation.h"
#include "model/process.h"

#include <inttypes.h>
#include <string.h>

/* The values of a state, and the memory for their texts. */
struct state_text {
  const struct model *model;
  const int64_t *values;
  struct arena *arena;
};

static const char *own(struct arena *arena, const char *text) { return arena_copy(arena, text, strlen(text)); }

/* ---- items --------------------------------------------------------------------------------- */

static bool is_shown(const struct model *model, const struct variable *variable) {
  switch (variable->kind) {
  case VARIABLE_FIELD:
    return false; /* shown with the channel's length */
  case VARIABLE_LENGTH:
    return true;
  case VARIABLE_LOCATION:
    return model->processes[variable->owner].location_count > 1;
  default:
    return variable->assigned;
  }
}

void renderer_init(struct renderer *renderer, const struct model *model, struct arena *arena) {
  *renderer = (struct renderer){.model = model};
  for (uint32_t v = 0; v < model->variable_count; v++) {
    if (!is_shown(model, &model->variables[v]))
      continue;
    for (uint32_t i = 0; i < model->variables[v].count; i++)
      *ARENA_PUSH(arena, renderer->items, renderer->item_count, renderer->item_cap) = (struct render_item){NULL, v, i};
  }
}

static const char *item_name(const struct renderer *renderer, const struct render_item *item, struct arena *arena) {
  return item->name ? item->name : own(arena, element_name(renderer->model, item->variable, item->element, arena));
}

void renderer_add_names(struct renderer *renderer, struct arena *arena) {
  for (size_t i = 0; i < renderer->item_count; i++)
    renderer->items[i].name = item_name(renderer, &renderer->items[i], arena);
}

static uint32_t field_at(const struct model *model, const struct channel *channel, size_t field, uint32_t element,
                         uint32_t position) {
  const struct variable *variable = &model->variables[channel->field_variables[field]];
  return variable->first + element * channel->capacity + position;
}

static const char *message_text(const struct state_text *state, const struct channel *channel, uint32_t element,
                                uint32_t position) {
  const char *text = "";
  for (size_t f = 0; f < channel->field_count; f++) {
    int64_t value = state->values[field_at(state->model, channel, f, element, position)];
    const char *field = value_text(state->model, channel->field_variables[f], value, state->arena);
    text = arena_printf(state->arena, "%s%s%s", text, f ? ", " : "", field);
  }
  return channel->field_count == 1 ? text : arena_printf(state->arena, "(%s)", text);
}

/* "[(0, true), (1, false)]", the oldest message first. */
static const char *channel_text(const struct state_text *state, const struct channel *channel, uint32_t element) {
  uint32_t first = state->model->variables[channel->length_variable].first;
  const char *text = "";
  for (uint32_t i = 0; i < state->values[first + element]; i++)
    text = arena_printf(state->arena, "%s%s%s", text, i ? ", " : "", message_text(state, channel, element, i));
  return arena_printf(state->arena, "[%s]", text);
}

static const char *item_text(const struct state_text *state, const struct render_item *item) {
  const struct variable *variable = &state->model->variables[item->variable];
  if (variable->kind == VARIABLE_LENGTH)
    return channel_text(state, &state->model->channels[variable->owner], item->element);
  int64_t value = state->values[variable->first + item->element];
  return own(state->arena, value_text(state->model, item->variable, value, state->arena));
}

const char *render_item(const struct renderer *renderer, size_t item, const int64_t *values, struct arena *arena) {
  const struct state_text state = {renderer->model, values, arena};
  return item_text(&state, &renderer->items[item]);
}

floe_change *render_state(const struct renderer *renderer, const int64_t *values, struct arena *arena) {
  const struct state_text state = {renderer->model, values, arena};
  floe_change *changes = arena_array(arena, renderer->item_count, sizeof *changes);
  for (size_t i = 0; i < renderer->item_count; i++)
    changes[i] =
        (floe_change){item_name(renderer, &renderer->items[i], arena), "", item_text(&state, &renderer->items[i])};
  return changes;
}

/* ---- changes ------------------------------------------------------------------------------- */

static bool channel_changed(const struct model *model, const struct firing *firing, const struct channel *channel,
                            uint32_t element) {
  for (size_t f = 0; f < channel->field_count; f++) {
    uint32_t first = field_at(model, channel, f, element, 0);
    if (memcmp(firing->before + first, firing->after + first, channel->capacity * sizeof *firing->after) != 0)
      return true;
  }
  return false;
}

static bool item_changed(const struct model *model, const struct firing *firing, const struct render_item *item) {
  const struct variable *variable = &model->variables[item->variable];
  uint32_t at = variable->first + item->element;
  if (firing->before[at] != firing->after[at])
    return true;
  return variable->kind == VARIABLE_LENGTH &&
         channel_changed(model, firing, &model->channels[variable->owner], item->element);
}

static void set_changes(const struct renderer *renderer, const struct firing *firing, struct arena *arena,
                        floe_step *step) {
  const struct state_text before = {renderer->model, firing->before, arena};
  const struct state_text after = {renderer->model, firing->after, arena};
  floe_change *changes = NULL;
  size_t cap = 0;
  for (size_t i = 0; i < renderer->item_count; i++) {
    const struct render_item *item = &renderer->items[i];
    if (item_changed(renderer->model, firing, item))
      *ARENA_PUSH(arena, changes, step->changes, cap) =
          (floe_change){item_name(renderer, item, arena), item_text(&before, item), item_text(&after, item)};
  }
  step->change_list = changes;
}

/* The values of the transition's selects. */
static const int64_t *selects_of(const struct state_text *state, const struct firing *firing) {
  const struct transition *transition = &state->model->transitions[firing->edge.transition];
  int64_t *values = arena_array(state->arena, transition->select_count, sizeof *values);
  choice_values(transition, firing->edge.choice, values);
  return values;
}

/* ---- participants -------------------------------------------------------------------------- */

static const char *location_text(const struct state_text *state, const struct participant *participant,
                                 const int64_t *values) {
  const uint32_t location = instance_location(state->model, participant->process, participant->instance, values);
  return own(state->arena, location_name(state->model, participant->process, location, state->arena));
}

unsigned line_at(const struct model *model, source_at at) {
  unsigned line = 0, column;
  if (at != NOWHERE)
    source_position(model->source, at, &line, &column);
  return line;
}

/* A failing firing has not changed the locations: then `to` is as written. */
static floe_participant describe_participant(const struct state_text *state, const struct firing *firing,
                                             const struct participant *participant) {
  const struct model *model = state->model;
  const struct edge *edge = &model->edges[participant->edge];
  return (floe_participant){.name = own(state->arena, actor_name(model, edge, participant->instance, state->arena)),
                            .kind = edge->process == NO_PROCESS ? "transition" : "",
                            .process = own(state->arena, process_of(model, participant->process)->name),
                            .instance = participant->instance,
                            .label = own(state->arena, edge->label),
                            .from = location_text(state, participant, firing->before),
                            .to = firing->cause ? own(state->arena, edge->to)
                                                : location_text(state, participant, firing->after),
                            .line = line_at(model, edge->at),
                            .file = own(state->arena, source_included_file(model->source, edge->at))};
}

/* Name of an object with its index; NULL: the index cannot be evaluated. */
static const char *object_name(const struct state_text *state, const struct object *object, const int64_t *selects) {
  int64_t index;
  if (!object->index)
    return own(state->arena, object->name);
  if (interpreter_eval(state->model, object->index, state->values, selects, NULL, &index) != NO_SITE)
    return NULL;
  return arena_printf(state->arena, "%s[%" PRId64 "]", object->name, index);
}

static floe_participant describe_object(const struct state_text *state, const struct object *object, const char *name) {
  return (floe_participant){.name = name,
                            .kind = own(state->arena, object->kind),
                            .process = "",
                            .label = "",
                            .from = "",
                            .to = "",
                            .line = line_at(state->model, object->at),
                            .file = own(state->arena, source_included_file(state->model->source, object->at))};
}

struct participants {
  floe_participant *items;
  size_t n, cap;
};

static void add_objects(const struct state_text *state, const struct firing *firing, struct participants *list) {
  const struct transition *transition = &state->model->transitions[firing->edge.transition];
  const int64_t *selects = selects_of(state, firing);
  for (size_t i = 0; i < transition->object_count; i++) {
    const struct object *object = &transition->objects[i];
    const char *name = object_name(state, object, selects);
    if (name)
      *ARENA_PUSH(state->arena, list->items, list->n, list->cap) = describe_object(state, object, name);
  }
}

static void set_participants(const struct state_text *state, const struct firing *firing, floe_step *step) {
  const struct transition *transition = &state->model->transitions[firing->edge.transition];
  struct participants list = {NULL, 0, 0};
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct participant *participant = &transition->participants[i];
    if (i == 0 || !participant->participates || firing->temps[participant->participates->id])
      *ARENA_PUSH(state->arena, list.items, list.n, list.cap) = describe_participant(state, firing, participant);
  }
  if (transition->object_count > 0)
    add_objects(state, firing, &list);
  step->participants = list.n;
  step->participant_list = list.items;
}

static void set_selects(const struct state_text *state, const struct firing *firing, floe_step *step) {
  const struct transition *transition = &state->model->transitions[firing->edge.transition];
  const int64_t *values = selects_of(state, firing);
  floe_select *list = NULL;
  size_t cap = 0;
  for (size_t i = 0; i < transition->select_count; i++)
    if (transition->selects[i].name[0])
      *ARENA_PUSH(state->arena, list, step->selects, cap) =
          (floe_select){own(state->arena, transition->selects[i].name), values[i],
                        own(state->arena, named_value(transition->selects[i].type, values[i], state->arena))};
  step->select_list = list;
}

/* ---- messages ------------------------------------------------------------------------------- */

static int64_t value_of(const struct state_text *state, const struct expr *expr, const int64_t *selects,
                        const int64_t *temps) {
  int64_t value = 0;
  interpreter_eval(state->model, expr, state->values, selects, temps, &value);
  return value;
}

/* The message of a handshake or a broadcast. */
static void set_message(const struct state_text *state, const struct firing *firing, floe_step *step) {
  const struct transition *transition = &state->model->transitions[firing->edge.transition];
  const struct sent_message *message = transition->message;
  if (!message || firing->cause)
    return;
  const struct edge *edge = &state->model->edges[transition->participants[0].edge];
  const struct channel *channel = &state->model->channels[edge->channel_number];
  const int64_t *selects = selects_of(state, firing);
  step->channel = own(state->arena, channel->name);
  if (channel->is_array)
    step->channel = arena_printf(state->arena, "%s[%" PRId64 "]", channel->name,
                                 value_of(state, message->element, selects, firing->temps));
  for (size_t i = 0; i < message->field_count; i++) {
    const struct sent_field *field = &message->fields[i];
    const int64_t value = value_of(state, field->value, selects, firing->temps);
    const char *text =
        field->is_bool ? state->model->notation->truths[value != 0] : named_value(field->type, value, state->arena);
    step->message = arena_printf(state->arena, "%s%s%s", step->message, i ? ", " : "", text);
  }
}

/* ---- steps --------------------------------------------------------------------------------- */

static const char *selects_text(const floe_step *step, struct arena *arena) {
  const char *text = "";
  for (size_t i = 0; i < step->selects; i++)
    text = arena_printf(arena, "%s%s%s=%s", text, i ? ", " : "", step->select_list[i].name, step->select_list[i].text);
  return *text ? arena_printf(arena, " {%s}", text) : "";
}

/* A transition without a label is named by its locations, one without a process by its name. */
static const char *participant_text(const floe_participant *participant, struct arena *arena) {
  if (participant->kind[0])
    return participant->name;
  if (participant->label[0])
    return arena_printf(arena, "%s %s", participant->name, participant->label);
  return arena_printf(arena, "%s %s -> %s", participant->name, participant->from, participant->to);
}

/* "S[0] send {i=2} -> R[0] get, R[1] get"; objects are not part of it. */
static const char *action_text(const floe_step *step, struct arena *arena) {
  const char *text =
      arena_printf(arena, "%s%s", participant_text(&step->participant_list[0], arena), selects_text(step, arena));
  for (size_t i = 1; i < step->participants && !step->participant_list[i].kind[0]; i++)
    text =
        arena_printf(arena, "%s%s%s", text, i > 1 ? ", " : " -> ", participant_text(&step->participant_list[i], arena));
  return text;
}

floe_step render_step(const struct renderer *renderer, const struct firing *firing, struct arena *arena) {
  const struct state_text state = {renderer->model, firing->before, arena};
  floe_step step = {.cause = firing->cause ? firing->cause : "", .channel = "", .message = ""};
  set_participants(&state, firing, &step);
  set_selects(&state, firing, &step);
  if (!firing->cause)
    set_changes(renderer, firing, arena, &step);
  set_message(&state, firing, &step);
  step.process = step.participant_list[0].kind[0] ? "" : step.participant_list[0].name;
  step.label = step.participant_list[0].label;
  step.line = step.participant_list[0].line;
  step.file = step.participant_list[0].file;
  step.action = action_text(&step, arena);
  return step;
}
