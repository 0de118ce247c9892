/* States from values by name, from a trace, from a text. The values are in the form of render_state
 * (api/trace/render.h).
 */
#include "api/states/state.h"
#include "api/trace/render.h"
#include "core/mem.h"
#include "core/usage.h"

#include <inttypes.h>
#include <string.h>

struct reader {
  const floe_model *checked;
  const struct model *model;
  floe_log *log;
  struct arena *arena;
  struct renderer renderer;
  int64_t *values;
  size_t next; /* the item after the one found last: callers often follow the order of the items */
};

/* ---- values of elements ---------------------------------------------------------------------- */

static bool is_within(const struct variable *variable, uint32_t element, int64_t value) {
  if (!variable->assigned)
    return value == variable->init[element];
  const struct value_range *range = variable->ranges ? &variable->ranges[element % variable->length] : NULL;
  return variable->lo <= value && value <= variable->hi && (!range || (range->lo <= value && value <= range->hi));
}

static bool set_element(struct reader *reader, uint32_t number, uint32_t element, const char *text) {
  const struct variable *variable = &reader->model->variables[number];
  int64_t value;
  if (!value_of_text(reader->model, number, text, &value) || !is_within(variable, element, value))
    return false;
  reader->values[variable->first + element] = value;
  return true;
}

/* ---- contents of channels -------------------------------------------------------------------- */

/* Position in "[(0, true), (1, false)]". */
struct contents {
  struct reader *reader;
  const struct channel *channel;
  uint32_t element;
  const char *at;
};

static bool take(struct contents *contents, char wanted) {
  contents->at += strspn(contents->at, " ");
  if (*contents->at != wanted)
    return false;
  contents->at++;
  return true;
}

static bool take_field(struct contents *contents, size_t field, uint32_t position) {
  const struct channel *channel = contents->channel;
  contents->at += strspn(contents->at, " ");
  const size_t length = strcspn(contents->at, " ,()[]");
  const char *text = arena_copy(contents->reader->arena, contents->at, length);
  contents->at += length;
  return set_element(contents->reader, channel->field_variables[field],
                     contents->element * channel->capacity + position, text);
}

static bool take_message(struct contents *contents, uint32_t position) {
  const size_t fields = contents->channel->field_count;
  if (fields == 1)
    return take_field(contents, 0, position);
  bool good = take(contents, '(');
  for (size_t f = 0; f < fields && good; f++)
    good = (f == 0 || take(contents, ',')) && take_field(contents, f, position);
  return good && take(contents, ')');
}

static void clear_messages(struct contents *contents) {
  const struct channel *channel = contents->channel;
  for (size_t f = 0; f < channel->field_count; f++) {
    const struct variable *variable = &contents->reader->model->variables[channel->field_variables[f]];
    for (uint32_t i = 0; i < channel->capacity; i++)
      contents->reader->values[variable->first + contents->element * channel->capacity + i] = variable->init[0];
  }
}

static bool set_contents(struct reader *reader, const struct variable *length, uint32_t element, const char *text) {
  struct contents contents = {reader, &reader->model->channels[length->owner], element, text};
  uint32_t count = 0;
  clear_messages(&contents);
  if (!take(&contents, '['))
    return false;
  while (!take(&contents, ']')) {
    if (count == contents.channel->capacity || (count > 0 && !take(&contents, ',')) || !take_message(&contents, count))
      return false;
    count++;
  }
  reader->values[length->first + element] = count;
  return is_within(length, element, count) && contents.at[strspn(contents.at, " ")] == 0;
}

/* ---- items ----------------------------------------------------------------------------------- */

static const struct render_item *find_item(struct reader *reader, const char *name) {
  const size_t count = reader->renderer.item_count;
  for (size_t i = 0; i < count; i++) {
    const size_t at = (reader->next + i) % count;
    if (strcmp(reader->renderer.items[at].name, name) != 0)
      continue;
    reader->next = at + 1;
    return &reader->renderer.items[at];
  }
  return NULL;
}

static floe_status unknown_name(struct reader *reader, const char *name) {
  const size_t count = reader->renderer.item_count;
  const char **names = arena_array(reader->arena, count, sizeof *names);
  for (size_t i = 0; i < count; i++)
    names[i] = reader->renderer.items[i].name;
  const char *near = most_similar_name(name, names, count);
  diag_error(reader->log, NULL, NOWHERE, near ? arena_printf(reader->arena, "did you mean '%s'?", near) : NULL,
             "no variable '%s' that can change", name);
  return FLOE_ERROR_USAGE;
}

#define MOST_NAMES 12 /* in a hint */

static const char *listed(struct arena *arena, size_t i, size_t count, const char *text, const char *name) {
  if (i == MOST_NAMES)
    return arena_printf(arena, "%s, ...", text);
  return i > MOST_NAMES ? text : arena_printf(arena, "%s%s%s", text, i == 0 ? "" : i + 1 < count ? ", " : " or ", name);
}

static const char *locations_text(struct arena *arena, const struct process *process) {
  const char *text = "";
  for (size_t i = 0; i < process->location_count; i++)
    text = listed(arena, i, process->location_count, text, process->locations[i].name);
  return text;
}

static const char *names_text(struct arena *arena, const struct enumeration *type) {
  const char *text = "";
  for (size_t i = 0; i < type->count; i++)
    text = listed(arena, i, type->count, text, type->values[i]);
  return text;
}

static const char *allowed_text(const struct reader *reader, const struct render_item *item) {
  const struct variable *variable = &reader->model->variables[item->variable];
  const struct value_range *range = variable->ranges ? &variable->ranges[item->element % variable->length] : NULL;
  if (variable->kind == VARIABLE_LENGTH)
    return arena_printf(reader->arena, "[message, ...] with at most %" PRIu32 " messages, the oldest first",
                        reader->model->channels[variable->owner].capacity);
  if (variable->kind == VARIABLE_LOCATION)
    return locations_text(reader->arena, &reader->model->processes[variable->owner]);
  if (variable->is_bool)
    return arena_printf(reader->arena, "%s or %s", value_text(reader->model, item->variable, 0, reader->arena),
                        value_text(reader->model, item->variable, 1, reader->arena));
  if (variable->type)
    return names_text(reader->arena, variable->type);
  if (variable->values)
    return variable->values->text;
  return arena_printf(reader->arena, "%s..%s",
                      value_text(reader->model, item->variable, range ? range->lo : variable->lo, reader->arena),
                      value_text(reader->model, item->variable, range ? range->hi : variable->hi, reader->arena));
}

static floe_status set_item(struct reader *reader, const floe_change *change) {
  REQUIRE(reader->log, change->name);
  REQUIRE(reader->log, change->after);
  const struct render_item *item = find_item(reader, change->name);
  if (!item)
    return unknown_name(reader, change->name);
  const struct variable *variable = &reader->model->variables[item->variable];
  if (variable->kind == VARIABLE_LENGTH ? set_contents(reader, variable, item->element, change->after)
                                        : set_element(reader, item->variable, item->element, change->after))
    return FLOE_OK;
  diag_error(reader->log, NULL, NOWHERE, allowed_text(reader, item), "'%s' is no value of %s", change->after,
             change->name);
  return FLOE_ERROR_USAGE;
}

/* ---- from values and traces ------------------------------------------------------------------ */

/* One of the two sources of values. */
struct request {
  struct reader reader;
  const floe_change *values; /* [count]; NULL: from the trace */
  size_t count;
  const floe_trace *trace;
  size_t steps; /* of the trace */
  floe_state **out;
  floe_status status;
};

static floe_status read_trace(struct request *request) {
  struct reader *reader = &request->reader;
  if (floe_trace_variables(request->trace) != reader->renderer.item_count) {
    diag_error(reader->log, NULL, NOWHERE, NULL, "the trace is of another model, or of other constants");
    return FLOE_ERROR_USAGE;
  }
  for (size_t i = 0; i < floe_trace_variables(request->trace); i++) {
    const floe_change value = floe_trace_initial_value(request->trace, i);
    FLOE_TRY(set_item(reader, &value));
  }
  for (size_t step = 0; step < request->steps; step++) {
    const floe_step taken = floe_trace_step(request->trace, step);
    for (size_t i = 0; i < taken.changes; i++)
      FLOE_TRY(set_item(reader, &taken.change_list[i]));
  }
  return FLOE_OK;
}

static floe_status read_values(struct request *request) {
  for (size_t i = 0; i < request->count; i++)
    FLOE_TRY(set_item(&request->reader, &request->values[i]));
  return FLOE_OK;
}

static floe_status make_state(struct request *request) {
  struct reader *reader = &request->reader;
  const struct model *model = reader->model;
  reader->values = arena_array(reader->arena, model->value_count, sizeof *reader->values);
  model_initial_values(model, reader->values);
  renderer_init(&reader->renderer, model, reader->arena);
  renderer_add_names(&reader->renderer, reader->arena);
  FLOE_TRY(request->trace ? read_trace(request) : read_values(request));
  FLOE_TRY(state_create(reader->checked, reader->log, request->out));
  layout_pack(model, reader->checked->layout, reader->values, (*request->out)->packed);
  return FLOE_OK;
}

static void make_guarded(void *data) {
  struct request *request = data;
  request->status = make_state(request);
}

static floe_status run_request(const floe_model *model, floe_log *log, struct request *request) {
  struct arena arena;
  FLOE_TRY(state_require_bound(model, log));
  arena_init(&arena);
  request->reader = (struct reader){.checked = model, .model = model->model, .log = log, .arena = &arena};
  if (arena_guard(&arena, make_guarded, request) != 0)
    request->status = no_memory(log);
  arena_free(&arena);
  return request->status;
}

floe_status floe_state_from_values(const floe_model *model, const floe_change *values, size_t count, floe_log *log,
                                   floe_state **out) {
  REQUIRE(log, out);
  if (count > 0)
    REQUIRE(log, values);
  return run_request(model, log, &(struct request){.values = values, .count = count, .out = out});
}

floe_status floe_state_of_trace(const floe_model *model, const floe_trace *trace, size_t i, floe_log *log,
                                floe_state **out) {
  REQUIRE(log, trace);
  REQUIRE(log, out);
  const size_t steps = floe_trace_steps(trace);
  if (i > steps || (i == steps && steps > 0 && floe_trace_step(trace, steps - 1).cause[0])) {
    diag_error(log, NULL, NOWHERE, NULL, "the trace has no state %zu", i);
    return FLOE_ERROR_USAGE;
  }
  return run_request(model, log, &(struct request){.trace = trace, .steps = i, .out = out});
}

/* ---- from a text ----------------------------------------------------------------------------- */

/* Positions of a channel that hold no message are `lo`. */
static bool is_clear(const struct model *model, const struct channel *channel, const int64_t *values) {
  const struct variable *lengths = &model->variables[channel->length_variable];
  for (size_t f = 0; channel->capacity > 0 && f < channel->field_count; f++) {
    const struct variable *variable = &model->variables[channel->field_variables[f]];
    for (uint32_t i = 0; i < variable->count; i++)
      if (i % channel->capacity >= values[lengths->first + i / channel->capacity] &&
          values[variable->first + i] != variable->lo)
        return false;
  }
  return true;
}

static bool is_state(const struct model *model, const int64_t *values) {
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count; i++)
      if (!is_within(&model->variables[v], i, values[model->variables[v].first + i]))
        return false;
  for (size_t c = 0; c < model->channel_count; c++)
    if (!is_clear(model, &model->channels[c], values))
      return false;
  return true;
}

/* Exactly the digits that floe_state_text writes. */
static bool read_words(const char *text, floe_state *state) {
  const size_t length = floe_state_text(state, NULL, 0);
  if (strlen(text) != length || strspn(text, "0123456789abcdef") != length)
    return false;
  for (size_t i = 0; i < length; i++) {
    const char digit = text[i];
    uint64_t *word = &state->packed[i / (length / state->words)];
    *word = *word << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  return true;
}

/* Unpacks the state; packing gives the same bits again if it sets none but those of variables. */
static bool is_packed_state(const floe_model *model, const floe_state *state, int64_t *values, uint64_t *again) {
  layout_unpack(model->model, model->layout, state->packed, values);
  if (!is_state(model->model, values))
    return false;
  layout_pack(model->model, model->layout, values, again);
  return memcmp(again, state->packed, state->words * sizeof *again) == 0;
}

static floe_status parse_text(const floe_model *model, const char *text, floe_log *log, floe_state *state) {
  int64_t *values = mem_array(model->model->value_count, sizeof *values);
  uint64_t *again = mem_array(state->words, sizeof *again);
  floe_status status = FLOE_OK;
  if (!values || !again) {
    status = no_memory(log);
  } else if (!read_words(text, state) || !is_packed_state(model, state, values, again)) {
    diag_error(log, NULL, NOWHERE, NULL, "'%.80s' is not the text of a state of this model", text);
    status = FLOE_ERROR_USAGE;
  }
  mem_free(values);
  mem_free(again);
  return status;
}

floe_status floe_state_parse(const floe_model *model, const char *text, floe_log *log, floe_state **out) {
  floe_state *state;
  REQUIRE(log, text);
  REQUIRE(log, out);
  FLOE_TRY(state_require_bound(model, log));
  FLOE_TRY(state_create(model, log, &state));
  const floe_status status = parse_text(model, text, log, state);
  if (status == FLOE_OK)
    *out = state;
  else
    floe_state_free(state);
  return status;
}
