#include "cmd/simulate/trace_file.h"

#include <string.h>

static json_t *participants_record(const floe_step *step) {
  json_t *list = json_array();
  for (size_t i = 0; i < step->participants; i++) {
    const floe_participant *participant = &step->participant_list[i];
    json_array_append_new(list, json_pack("{s:s, s:I, s:s, s:s, s:s, s:i}", "process", participant->process, "instance",
                                          (json_int_t)participant->instance, "label", participant->label, "from",
                                          participant->from, "to", participant->to, "line", (int)participant->line));
  }
  return list;
}

/* With the name of the value, if it has one. */
static json_t *parameter_record(const floe_select *select) {
  json_t *record = json_pack("{s:s, s:I}", "name", select->name, "value", (json_int_t)select->value);
  if (strspn(select->text, "-0123456789") < strlen(select->text))
    json_object_set_new(record, "text", json_string(select->text));
  return record;
}

static json_t *parameters_record(const floe_step *step) {
  json_t *list = json_array();
  for (size_t i = 0; i < step->selects; i++)
    json_array_append_new(list, parameter_record(&step->select_list[i]));
  return list;
}

static json_t *changes_record(const floe_step *step) {
  json_t *changes = json_object();
  for (size_t i = 0; i < step->changes; i++) {
    const floe_change *change = &step->change_list[i];
    json_object_set_new(changes, change->name,
                        json_pack("[o, o]", value_json(change->before), value_json(change->after)));
  }
  return changes;
}

/* "assignment of 4 to n outside 0..3 (m.xml:6)" without the place, because the file may be moved. */
static json_t *cause_record(const char *cause) {
  size_t length = strlen(cause), end = length;
  while (end > 0 && strncmp(cause + end, " (", 2) != 0)
    end--;
  return length ? json_stringn(cause, end ? end : length) : json_null();
}

json_t *step_record(const floe_step *step) {
  const floe_participant *first = &step->participant_list[0];
  return json_pack("{s:s, s:s, s:I, s:s, s:o, s:i, s:o, s:o, s:o}", "action", step->action, "process", first->process,
                   "instance", (json_int_t)first->instance, "label", first->label, "parameters",
                   parameters_record(step), "line", (int)step->line, "participants", participants_record(step),
                   "changes", changes_record(step), "fails", cause_record(step->cause));
}

json_t *state_record(const floe_change *values, size_t count) {
  json_t *state = json_object();
  for (size_t i = 0; i < count; i++)
    json_object_set_new(state, values[i].name, value_json(values[i].after));
  return state;
}
