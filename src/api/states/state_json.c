/* States, steps, blocked transitions and expansions as JSON. The command's files contain the same objects
   (doc/trace.schema.json, doc/result.schema.json). */
#include "api/states/expansion.h"
#include "api/states/json.h"
#include "core/mem.h"
#include "core/usage.h"

#include <string.h>

static floe_status end_of(const struct json *json) { return ferror(json->stream) ? FLOE_ERROR_IO : FLOE_OK; }

/* ---- states and steps ------------------------------------------------------------------------ */

static void put_values(struct json *json, const char *name, const floe_change *values, size_t count) {
  json_put_start(json, name, '{');
  for (size_t i = 0; i < count; i++)
    json_put_value(json, values[i].name, values[i].after);
  json_put_end(json, '}');
}

floe_status floe_values_write_json(const floe_change *values, size_t count, FILE *stream) {
  struct json json = {.stream = stream};
  REQUIRE(NULL, stream);
  if (count > 0)
    REQUIRE(NULL, values);
  put_values(&json, NULL, values, count);
  return end_of(&json);
}

static void put_place(struct json *json, unsigned line, const char *file) {
  json_put_integer(json, "line", line);
  if (file && *file)
    json_put_text(json, "file", file);
}

/* With the name of the value, if it has one. */
static void put_parameters(struct json *json, const floe_step *step) {
  json_put_start(json, "parameters", '[');
  for (size_t i = 0; i < step->selects; i++) {
    const floe_select *select = &step->select_list[i];
    json_put_start(json, NULL, '{');
    json_put_text(json, "name", select->name);
    json_put_integer(json, "value", select->value);
    if (strspn(select->text, "-0123456789") < strlen(select->text))
      json_put_text(json, "text", select->text);
    json_put_end(json, '}');
  }
  json_put_end(json, ']');
}

static void put_instance(struct json *json, const floe_participant *participant) {
  json_put_text(json, "name", participant->name);
  json_put_text(json, "process", participant->process);
  json_put_integer(json, "instance", participant->instance);
  json_put_text(json, "label", participant->label);
  json_put_text(json, "from", participant->from);
  json_put_text(json, "to", participant->to);
}

static void put_object(struct json *json, const floe_participant *participant) {
  json_put_text(json, "kind", participant->kind);
  json_put_text(json, "name", participant->name);
}

static void put_participants(struct json *json, const floe_step *step) {
  json_put_start(json, "participants", '[');
  for (size_t i = 0; i < step->participants; i++) {
    const floe_participant *participant = &step->participant_list[i];
    json_put_start(json, NULL, '{');
    (participant->kind[0] ? put_object : put_instance)(json, participant);
    put_place(json, participant->line, participant->file);
    json_put_end(json, '}');
  }
  json_put_end(json, ']');
}

static void put_changes(struct json *json, const floe_step *step) {
  json_put_start(json, "changes", '{');
  for (size_t i = 0; i < step->changes; i++) {
    json_put_start(json, step->change_list[i].name, '[');
    json_put_value(json, NULL, step->change_list[i].before);
    json_put_value(json, NULL, step->change_list[i].after);
    json_put_end(json, ']');
  }
  json_put_end(json, '}');
}

static void put_message(struct json *json, const floe_step *step) {
  if (!step->channel || !*step->channel)
    return;
  json_put_start(json, "message", '{');
  json_put_text(json, "channel", step->channel);
  json_put_text(json, "text", step->message);
  json_put_end(json, '}');
}

/* "assignment of 4 to n outside 0..3 (m.xml:6)" without the place, because the file may be moved. */
static void put_cause(struct json *json, const char *cause) {
  const size_t length = strlen(cause);
  size_t end = length;
  while (end > 0 && strncmp(cause + end, " (", 2) != 0)
    end--;
  if (length)
    json_put_text_part(json, "fails", cause, end ? end : length);
  else
    json_put_null(json, "fails");
}

/* All members of a step, without the brackets of the object. */
static void put_step_members(struct json *json, const floe_step *step) {
  const bool any = step->participants > 0;
  json_put_text(json, "action", step->action);
  json_put_text(json, "process", any ? step->participant_list[0].process : "");
  json_put_integer(json, "instance", any ? step->participant_list[0].instance : 0);
  json_put_text(json, "label", step->label);
  put_parameters(json, step);
  put_place(json, step->line, step->file);
  put_participants(json, step);
  put_changes(json, step);
  put_message(json, step);
  put_cause(json, step->cause);
}

floe_status floe_step_write_json(const floe_step *step, FILE *stream) {
  struct json json = {.stream = stream};
  REQUIRE(NULL, step);
  REQUIRE(NULL, stream);
  json_put_start(&json, NULL, '{');
  put_step_members(&json, step);
  json_put_end(&json, '}');
  return end_of(&json);
}

/* ---- blocked transitions --------------------------------------------------------------------- */

static void put_obstacles(struct json *json, const floe_blocked_transition *blocked) {
  json_put_start(json, "obstacles", '[');
  for (size_t i = 0; i < blocked->obstacles; i++) {
    const floe_obstacle *obstacle = &blocked->obstacle_list[i];
    json_put_start(json, NULL, '{');
    json_put_text(json, "kind", floe_obstacle_kind_name(obstacle->kind));
    json_put_text(json, "text", obstacle->text);
    put_values(json, "values", obstacle->value_list, obstacle->values);
    json_put_end(json, '}');
  }
  json_put_end(json, ']');
}

static void put_blocked(struct json *json, const floe_blocked_transition *blocked) {
  json_put_start(json, NULL, '{');
  json_put_text(json, "process", blocked->process);
  json_put_text(json, "location", blocked->location);
  json_put_text(json, "label", blocked->label);
  if (blocked->label[0] || blocked->to[0]) {
    json_put_text(json, "to", blocked->to);
    put_place(json, blocked->line, blocked->file);
  } else {
    json_put_null(json, "to");
    json_put_null(json, "line");
  }
  json_put_start(json, "parameters", '{');
  for (size_t i = 0; i < blocked->selects; i++)
    json_put_integer(json, blocked->select_list[i].name, blocked->select_list[i].value);
  json_put_end(json, '}');
  put_obstacles(json, blocked);
  json_put_end(json, '}');
}

floe_status floe_blocked_write_json(const floe_trace *trace, FILE *stream) {
  struct json json = {.stream = stream};
  REQUIRE(NULL, stream);
  json_put_start(&json, NULL, '[');
  for (size_t i = 0; i < floe_trace_blocked_transitions(trace); i++) {
    const floe_blocked_transition blocked = floe_trace_blocked_transition(trace, i);
    put_blocked(&json, &blocked);
  }
  json_put_end(&json, ']');
  return end_of(&json);
}

/* ---- expansions ------------------------------------------------------------------------------ */

static floe_status put_state_text(struct json *json, const char *name, const floe_state *state) {
  const size_t length = floe_state_text(state, NULL, 0);
  char *text = mem_alloc(length + 1);
  if (!text)
    return FLOE_ERROR_MEMORY;
  floe_state_text(state, text, length + 1);
  json_put_text(json, name, text);
  mem_free(text);
  return FLOE_OK;
}

/* A step and the state after it. */
static floe_status put_successor(struct json *json, floe_expansion *expansion, size_t i) {
  floe_step step;
  const floe_state *successor;
  FLOE_TRY(floe_expansion_step(expansion, i, &step));
  json_put_start(json, NULL, '{');
  put_step_members(json, &step);
  if (floe_expansion_step_fails(expansion, i)) {
    json_put_null(json, "successor");
  } else {
    FLOE_TRY(floe_expansion_successor(expansion, i, &successor));
    FLOE_TRY(put_state_text(json, "successor", successor));
  }
  json_put_end(json, '}');
  return FLOE_OK;
}

floe_status floe_expansion_write_json(floe_expansion *expansion, FILE *stream) {
  struct json json = {.stream = stream};
  const floe_change *values;
  size_t count;
  REQUIRE(NULL, expansion);
  REQUIRE(NULL, stream);
  FLOE_TRY(floe_expansion_values(expansion, &values, &count));
  json_put_start(&json, NULL, '{');
  FLOE_TRY(put_state_text(&json, "state", expansion->state));
  put_values(&json, "values", values, count);
  json_put_start(&json, "steps", '[');
  for (size_t i = 0; i < expansion->count; i++)
    FLOE_TRY(put_successor(&json, expansion, i));
  json_put_end(&json, ']');
  json_put_end(&json, '}');
  return end_of(&json);
}
