/* JSON of check and count, as doc/result.schema.json defines it. */
#include "cmd/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *integer(uint64_t value) { return json_integer((json_int_t)value); }

static json_t *step_json(const floe_trace *trace, size_t i) {
  floe_step step = floe_trace_step(trace, i);
  json_t *record = step_record(&step);
  json_t *object = json_pack("{s:s, s:s, s:i, s:s, s:O}", "process", step.process, "label", step.label, "line",
                             (int)step.line, "action", step.action, "changes", json_object_get(record, "changes"));
  json_decref(record);
  add_printed(object, floe_trace_printed(trace, i));
  return with_file(object, step.file);
}

json_t *parts_json(const floe_trace *trace) {
  json_t *parts = json_array();
  for (size_t i = 0; i < floe_trace_subexpressions(trace); i++) {
    const char *text, *value;
    floe_trace_subexpression(trace, i, &text, &value);
    json_array_append_new(parts, json_pack("{s:s, s:o}", "text", text, "value", value_json(value)));
  }
  return parts;
}

json_t *constraint_json(const floe_fair *fair) {
  static const char *const reasons[] = {[FLOE_FAIR_TAKEN] = "taken",
                                        [FLOE_FAIR_DISABLED] = "disabled",
                                        [FLOE_FAIR_NEVER] = "never",
                                        [FLOE_FAIR_VIOLATED] = "violated"};
  const bool is_at = fair->reason == FLOE_FAIR_TAKEN || fair->reason == FLOE_FAIR_DISABLED;
  return json_pack("{s:s, s:s, s:b, s:s, s:o}", "name", fair->name, "kind", fair->strong ? "strong" : "weak",
                   "required", fair->required, "reason", reasons[fair->reason], "at",
                   is_at ? json_integer((json_int_t)fair->at) : json_null());
}

void add_loop(json_t *record, const floe_trace *trace) {
  const size_t loop = floe_trace_loop(trace);
  if (!record || loop == FLOE_NO_LOOP)
    return;
  json_t *constraints = json_array();
  for (size_t i = 0; i < floe_trace_constraints(trace); i++) {
    const floe_fair fair = floe_trace_constraint(trace, i);
    json_array_append_new(constraints, constraint_json(&fair));
  }
  json_object_set_new(record, "loop", json_integer((json_int_t)loop));
  json_object_set_new(record, "fairness", constraints);
}

json_t *trace_json(const floe_trace *trace, bool full_states) {
  size_t count = floe_trace_variables(trace);
  floe_change *values = trace ? calloc(count + 1, sizeof *values) : NULL;
  if (!values)
    return trace ? NULL : json_null();
  trace_first_state(trace, values);
  json_t *initial = state_record(values, count), *steps = json_array();
  for (size_t i = 0; i < floe_trace_steps(trace); i++) {
    json_t *step = step_json(trace, i);
    trace_apply_step(trace, i, values);
    if (full_states)
      json_object_set_new(step, "state", state_record(values, count));
    json_array_append_new(steps, step);
  }
  json_t *last = state_record(values, count);
  free(values);
  json_t *record = json_pack("{s:o, s:o, s:o, s:o, s:o}", "initial", initial, "steps", steps, "last", last, "parts",
                             parts_json(trace), "waiting", blocked_json(trace));
  add_loop(record, trace);
  return record;
}

static json_t *undecided_json(floe_undecided why) {
  return why == FLOE_UNDECIDED_NONE ? json_null() : json_string(floe_undecided_name(why));
}

static json_t *vacuous_json(const floe_verdict *verdict) {
  json_t *parts = json_array();
  for (size_t i = 0; i < verdict->vacuous_count; i++)
    json_array_append_new(parts, json_pack("{s:s, s:s}", "part", floe_vacuous_part_name(verdict->vacuous[i].part),
                                           "text", verdict->vacuous[i].text));
  return parts;
}

static json_t *property_json(const floe_verdict *verdict, bool full_states) {
  json_t *record = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "id", verdict->property.id, "kind",
                             floe_property_kind_name(verdict->property.kind), "description",
                             verdict->property.description, "text", verdict->property.text, "verdict",
                             floe_verdict_name(verdict->value), "undecided", undecided_json(verdict->undecided),
                             "depth", verdict->depth < 0 ? json_null() : json_integer(verdict->depth), "cause",
                             verdict->cause[0] ? json_string(verdict->cause) : json_null(), "trace",
                             trace_json(verdict->trace, full_states));
  if (record && verdict->property.kind == FLOE_LTL) {
    json_object_set_new(record, "fairness", json_string(verdict->fairness));
    json_object_set_new(record, "holds_fairness",
                        verdict->holds_fairness[0] ? json_string(verdict->holds_fairness) : json_null());
    json_object_set_new(record, "vacuous", vacuous_json(verdict));
  }
  return record;
}

static json_t *properties_json(const floe_result *result, bool full_states) {
  json_t *properties = json_array();
  for (size_t i = 0; i < floe_result_verdicts(result); i++) {
    floe_verdict verdict = floe_result_verdict(result, i);
    json_array_append_new(properties, property_json(&verdict, full_states));
  }
  return properties;
}

static json_t *conditions_json(const floe_result *result, size_t i, size_t count) {
  json_t *conditions = json_array();
  for (size_t j = 0; j < count; j++) {
    floe_unfired_condition condition = floe_result_unfired_condition(result, i, j);
    json_array_append_new(conditions, json_pack("{s:s, s:o, s:b}", "text", condition.text, "states",
                                                integer(condition.states), "met", (int)condition.met));
  }
  return conditions;
}

static json_t *unfired_json(const floe_result *result, size_t i) {
  floe_unfired unfired = floe_result_unfired(result, i);
  json_t *state = json_object();
  for (size_t j = 0; j < unfired.values; j++) {
    floe_change value = floe_result_unfired_value(result, i, j);
    json_object_set_new(state, value.name, value_json(value.after));
  }
  return json_pack("{s:o, s:o, s:I, s:s, s:I, s:o}", "states", integer(unfired.states), "conditions",
                   conditions_json(result, i, unfired.conditions), "met", (json_int_t)unfired.met, "who",
                   unfired.participants, "depth", (json_int_t)unfired.depth, "state", state);
}

/* The member "why", present only with --why-never. */
static void add_why(json_t *object, const floe_result *result, size_t transition) {
  for (size_t i = 0; i < floe_result_unfired_transitions(result); i++)
    if (floe_result_unfired(result, i).transition == transition)
      json_object_set_new(object, "why", unfired_json(result, i));
}

static json_t *unfired_list_json(const struct report *report) {
  json_t *transitions = json_array();
  const bool reduced = floe_result_summary(report->result)->reduced; /* it has other transitions */
  for (size_t i = 0; !reduced && i < floe_model_transitions(report->model); i++) {
    if (floe_result_fired(report->result, i) > 0)
      continue;
    floe_transition transition = floe_model_transition(report->model, i);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:i}", "process", transition.process, "label", transition.label,
                               "from", transition.from, "to", transition.to, "line", (int)transition.line);
    add_why(object, report->result, i);
    json_array_append_new(transitions, with_file(object, transition.file));
  }
  return transitions;
}

static json_t *levels_json(const floe_result *result, uint32_t levels) {
  json_t *counts = json_array();
  for (uint32_t i = 0; i < levels; i++)
    json_array_append_new(counts, integer(floe_result_level_states(result, i)));
  return counts;
}

json_t *constants_json(const floe_model *model) {
  json_t *constants = json_object();
  for (size_t i = 0; i < floe_model_constants(model); i++) {
    floe_constant constant = floe_model_constant(model, i);
    json_object_set_new(constants, constant.name, json_integer(constant.value));
  }
  return constants;
}

json_t *model_json(const floe_model *model, const char *command) {
  return json_pack("{s:s, s:s, s:s, s:o}", "version", floe_version(), "command", command, "model",
                   floe_model_name(model), "file", text_json(floe_model_file(model)));
}

static void add_run(json_t *object, const floe_summary *summary) {
  json_object_set_new(object, "engine", json_string(summary->engine));
  json_object_set_new(object, "engine_detail", text_json(summary->engine_detail));
  json_object_set_new(object, "threads", integer(summary->threads));
  json_object_set_new(object, "simd", *summary->simd ? json_string(summary->simd) : json_null());
  json_object_set_new(object, "table", json_string(summary->table));
  json_object_set_new(object, "table_detail", json_string(summary->table_detail));
  json_object_set_new(object, "key_bits", integer(summary->key_bits));
  json_object_set_new(object, "encoding", json_string(floe_encoding_name(summary->encoding)));
  if (*summary->symmetry)
    json_object_set_new(object, "symmetry", text_json(summary->symmetry));
  if (summary->reduced)
    json_object_set_new(object, "reduced", json_true());
  if (summary->merged_transitions)
    json_object_set_new(object, "merged_transitions", integer(summary->merged_transitions));
  if (summary->reset_transitions) {
    json_object_set_new(object, "reset_transitions", integer(summary->reset_transitions));
    json_object_set_new(object, "reset_variables", integer(summary->reset_variables));
  }
  json_object_set_new(object, "slot_bits", integer(summary->slot_bits));
  json_object_set_new(object, "bucket_slots", integer(summary->bucket_slots));
}

/* The object that contains member `name` of the result: "seconds" for "seconds.explore". Creates it if necessary. */
static json_t *holder(json_t *object, const char *name, const char **member) {
  const char *dot = strchr(name, '.');
  *member = dot ? dot + 1 : name;
  if (!dot)
    return object;
  char group[32];
  snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
  if (!json_object_get(object, group))
    json_object_set_new(object, group, json_object());
  return json_object_get(object, group);
}

/* The exact statistics (`exact`: counts of the state space), or the others (time and memory). */
static void add_statistics(json_t *object, const floe_result *result, bool exact) {
  for (size_t i = 0; i < floe_result_statistics(result); i++) {
    const floe_statistic figure = floe_result_statistic(result, i);
    const char *member;
    if (figure.exact != exact)
      continue;
    json_t *into = holder(object, figure.name, &member);
    json_object_set_new(into, member, figure.is_integer ? integer(figure.count) : json_real(figure.real));
  }
}

static void add_counts(json_t *object, const struct report *report, const floe_summary *summary) {
  json_object_set_new(object, "end", json_string(floe_end_name(summary->end)));
  json_object_set_new(object, "complete", json_boolean(summary->complete));
  json_object_set_new(object, "complete_depth", summary->any_complete ? integer(summary->complete_depth) : json_null());
  json_object_set_new(object, "cut_depth",
                      summary->firing_failed ? integer(summary->firing_failed_depth) : json_null());
  add_statistics(object, report->result, true);
  json_object_set_new(object, "states_per_level", levels_json(report->result, summary->levels));
  json_object_set_new(object, "certificate", json_string(summary->certificate));
  json_object_set_new(object, "never_enabled", unfired_list_json(report));
}

/* The member "ranks", present only for several processes or devices. */
static void add_ranks(json_t *object, const floe_result *result) {
  json_t *ranks = json_array();
  for (size_t i = 0; i < floe_result_members(result); i++) {
    const floe_member rank = floe_result_member(result, i);
    json_array_append_new(ranks,
                          json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "states", integer(rank.states),
                                    "transitions", integer(rank.transitions), "table_bytes", integer(rank.table_bytes),
                                    "threads", integer(rank.threads), "messages", integer(rank.messages), "sent",
                                    integer(rank.sent), "waiting", rank.waiting_seconds));
  }
  if (floe_result_members(result))
    json_object_set_new(object, "ranks", ranks);
  else
    json_decref(ranks);
}

json_t *report_json(const struct report *report) {
  const floe_summary *summary = floe_result_summary(report->result);
  json_t *object = model_json(report->model, report->command);
  json_object_set_new(object, "constants", constants_json(report->model));
  add_run(object, summary);
  add_counts(object, report, summary);
  add_statistics(object, report->result, false);
  add_ranks(object, report->result);
  if (strcmp(summary->engine, "gpu") == 0)
    json_object_set_new(object, "phases", json_null()); /* the CPU engine has them */
  json_object_set_new(object, "properties", properties_json(report->result, report->options->full_states));
  return object;
}
