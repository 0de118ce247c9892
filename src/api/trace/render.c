#include "api/trace/render.h"

#include "api/trace/error_text.h"

#include <string.h>

/* The values that are told, and where the words go. */
struct words {
  const struct model *model;
  const int64_t *values;
  struct arena *arena;
};

static const char *own(struct arena *arena, const char *text) { return arena_copy(arena, text, strlen(text)); }

/* ---- items --------------------------------------------------------------------------------- */

static bool is_shown(const struct model *model, const struct variable *variable) {
  switch (variable->kind) {
  case VARIABLE_FIELD:
    return false; /* told with the channel's length */
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
      *ARENA_PUSH(arena, renderer->items, renderer->item_count, renderer->item_cap) =
          (struct render_item){own(arena, element_name(model, v, i, arena)), v, i};
  }
}

static uint32_t field_at(const struct model *model, const struct channel *channel, size_t field, uint32_t element,
                         uint32_t position) {
  const struct variable *variable = &model->variables[channel->field_variables[field]];
  return variable->first + element * channel->capacity + position;
}

static const char *message_text(const struct words *words, const struct channel *channel, uint32_t element,
                                uint32_t position) {
  const char *text = "";
  for (size_t f = 0; f < channel->field_count; f++) {
    int64_t value = words->values[field_at(words->model, channel, f, element, position)];
    const char *field = value_text(words->model, channel->field_variables[f], value, words->arena);
    text = arena_printf(words->arena, "%s%s%s", text, f ? ", " : "", field);
  }
  return channel->field_count == 1 ? text : arena_printf(words->arena, "(%s)", text);
}

/* "[(0, true), (1, false)]", the oldest message first. */
static const char *channel_text(const struct words *words, const struct channel *channel, uint32_t element) {
  uint32_t first = words->model->variables[channel->length_variable].first;
  const char *text = "";
  for (uint32_t i = 0; i < words->values[first + element]; i++)
    text = arena_printf(words->arena, "%s%s%s", text, i ? ", " : "", message_text(words, channel, element, i));
  return arena_printf(words->arena, "[%s]", text);
}

static const char *item_text(const struct words *words, const struct render_item *item) {
  const struct variable *variable = &words->model->variables[item->variable];
  if (variable->kind == VARIABLE_LENGTH)
    return channel_text(words, &words->model->channels[variable->owner], item->element);
  int64_t value = words->values[variable->first + item->element];
  return own(words->arena, value_text(words->model, item->variable, value, words->arena));
}

const char *render_item(const struct renderer *renderer, size_t item, const int64_t *values, struct arena *arena) {
  const struct words words = {renderer->model, values, arena};
  return item_text(&words, &renderer->items[item]);
}

floe_change *render_state(const struct renderer *renderer, const int64_t *values, struct arena *arena) {
  const struct words words = {renderer->model, values, arena};
  floe_change *state = arena_array(arena, renderer->item_count, sizeof *state);
  for (size_t i = 0; i < renderer->item_count; i++)
    state[i] = (floe_change){renderer->items[i].name, "", item_text(&words, &renderer->items[i])};
  return state;
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

static void tell_changes(const struct renderer *renderer, const struct firing *firing, struct arena *arena,
                         floe_step *step) {
  const struct words before = {renderer->model, firing->before, arena};
  const struct words after = {renderer->model, firing->after, arena};
  floe_change *changes = NULL;
  size_t cap = 0;
  for (size_t i = 0; i < renderer->item_count; i++) {
    const struct render_item *item = &renderer->items[i];
    if (item_changed(renderer->model, firing, item))
      *ARENA_PUSH(arena, changes, step->changes, cap) =
          (floe_change){item->name, item_text(&before, item), item_text(&after, item)};
  }
  step->change_list = changes;
}

/* ---- who takes part ------------------------------------------------------------------------ */

static const char *instance_text(const struct words *words, const struct participant *who) {
  uint32_t variable = words->model->processes[who->process].location_variable;
  return own(words->arena, element_name(words->model, variable, who->instance, words->arena));
}

static const char *location_text(const struct words *words, const struct participant *who, const int64_t *values) {
  uint32_t variable = words->model->processes[who->process].location_variable;
  int64_t location = values[words->model->variables[variable].first + who->instance];
  return own(words->arena, value_text(words->model, variable, location, words->arena));
}

static unsigned edge_line(const struct model *model, const struct edge *edge) {
  unsigned line, column;
  source_position(model->source, edge->at, &line, &column);
  return line;
}

/* A failing firing has not changed the locations: then `to` is as written. */
static floe_participant tell_participant(const struct words *words, const struct firing *firing,
                                         const struct participant *who) {
  const struct model *model = words->model;
  const struct edge *edge = &model->edges[who->edge];
  return (floe_participant){.name = instance_text(words, who),
                            .process = own(words->arena, model->processes[who->process].name),
                            .instance = who->instance,
                            .label = own(words->arena, edge->label),
                            .from = location_text(words, who, firing->before),
                            .to =
                                firing->cause ? own(words->arena, edge->to) : location_text(words, who, firing->after),
                            .line = edge_line(model, edge)};
}

static void tell_participants(const struct words *words, const struct firing *firing, floe_step *step) {
  const struct transition *transition = &words->model->transitions[firing->edge.transition];
  floe_participant *list = NULL;
  size_t cap = 0;
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct participant *who = &transition->participants[i];
    if (i == 0 || !who->taking_part || firing->temps[who->taking_part->id])
      *ARENA_PUSH(words->arena, list, step->participants, cap) = tell_participant(words, firing, who);
  }
  step->participant_list = list;
}

static void tell_selects(const struct words *words, const struct firing *firing, floe_step *step) {
  const struct transition *transition = &words->model->transitions[firing->edge.transition];
  int64_t *values = arena_array(words->arena, transition->select_count, sizeof *values);
  floe_select *list = NULL;
  size_t cap = 0;
  choice_values(transition, firing->edge.choice, values);
  for (size_t i = 0; i < transition->select_count; i++)
    if (transition->selects[i].name[0])
      *ARENA_PUSH(words->arena, list, step->selects, cap) =
          (floe_select){own(words->arena, transition->selects[i].name), values[i],
                        own(words->arena, named_value(transition->selects[i].type, values[i], words->arena))};
  step->select_list = list;
}

/* ---- the step ------------------------------------------------------------------------------ */

static const char *selects_text(const floe_step *step, struct arena *arena) {
  const char *text = "";
  for (size_t i = 0; i < step->selects; i++)
    text = arena_printf(arena, "%s%s%s=%s", text, i ? ", " : "", step->select_list[i].name, step->select_list[i].text);
  return *text ? arena_printf(arena, " {%s}", text) : "";
}

/* A transition without a label is known by the locations that it leads from and to. */
static const char *deed_text(const floe_participant *who, struct arena *arena) {
  if (who->label[0])
    return arena_printf(arena, "%s %s", who->name, who->label);
  return arena_printf(arena, "%s %s -> %s", who->name, who->from, who->to);
}

/* "S[0] send {i=2} -> R[0] get, R[1] get" */
static const char *action_text(const floe_step *step, struct arena *arena) {
  const char *text =
      arena_printf(arena, "%s%s", deed_text(&step->participant_list[0], arena), selects_text(step, arena));
  for (size_t i = 1; i < step->participants; i++)
    text = arena_printf(arena, "%s%s%s", text, i > 1 ? ", " : " -> ", deed_text(&step->participant_list[i], arena));
  return text;
}

floe_step render_step(const struct renderer *renderer, const struct firing *firing, struct arena *arena) {
  const struct words words = {renderer->model, firing->before, arena};
  floe_step step = {.cause = firing->cause ? firing->cause : ""};
  tell_participants(&words, firing, &step);
  tell_selects(&words, firing, &step);
  if (!firing->cause)
    tell_changes(renderer, firing, arena, &step);
  step.process = step.participant_list[0].name;
  step.label = step.participant_list[0].label;
  step.line = step.participant_list[0].line;
  step.action = action_text(&step, arena);
  return step;
}
