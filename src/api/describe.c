/* Contents of a model: names, constants, properties, transitions, expected results. */
#include "api/api.h"
#include "model/notation.h"
#include "model/process.h"

static const char *or_empty(const char *text) { return text ? text : ""; }

const char *floe_model_name(const floe_model *model) { return model ? model->outline->name : ""; }
const char *floe_model_file(const floe_model *model) { return model ? model->source.name : ""; }
const char *floe_model_text(const floe_model *model, size_t *length) {
  if (length)
    *length = model ? model->source.length : 0;
  return model ? model->source.text : "";
}

static const struct source *included(const floe_model *model, size_t i) {
  const struct source *source = model ? model->source.next : NULL;
  while (source && i-- > 0)
    source = source->next;
  return source;
}

size_t floe_model_includes(const floe_model *model) {
  size_t n = 0;
  for (const struct source *source = included(model, 0); source; source = source->next)
    n++;
  return n;
}

const char *floe_model_included_file(const floe_model *model, size_t i) {
  const struct source *source = included(model, i);
  return source ? source->name : "";
}

const char *floe_model_included_text(const floe_model *model, size_t i, size_t *length) {
  const struct source *source = included(model, i);
  if (length)
    *length = source ? source->length : 0;
  return source ? source->text : "";
}

const char *floe_model_description(const floe_model *model) { return model ? model->outline->description : ""; }

const char *floe_model_digest(const floe_model *model) { return model ? model->digest : ""; }

/* NULL: no model, or not checked. */
static const struct model *checked_model(const floe_model *model) { return model ? model->model : NULL; }

size_t floe_model_constants(const floe_model *model) { return checked_model(model) ? model->model->constant_count : 0; }

floe_constant floe_model_constant(const floe_model *model, size_t i) {
  if (i >= floe_model_constants(model))
    return (floe_constant){0};
  const struct constant *constant = &model->model->constants[i];
  return (floe_constant){constant->name, constant->value, constant->given, constant->guessed};
}

size_t floe_model_properties(const floe_model *model) {
  return checked_model(model) ? model->model->property_count : 0;
}

floe_property floe_model_property(const floe_model *model, size_t i) {
  if (i >= floe_model_properties(model))
    return (floe_property){0};
  const struct property *property = &model->model->properties[i];
  return (floe_property){property->id,
                         property->kind,
                         or_empty(property->description),
                         line_number(&model->lines, property->at),
                         property->text,
                         source_included_file(&model->source, property->at)};
}

size_t floe_model_transitions(const floe_model *model) { return checked_model(model) ? model->model->edge_count : 0; }

floe_transition floe_model_transition(const floe_model *model, size_t i) {
  if (i >= floe_model_transitions(model))
    return (floe_transition){0};
  const struct edge *edge = &model->model->edges[i];
  return (floe_transition){process_of(model->model, edge->process)->name,
                           or_empty(edge->label),
                           edge->from,
                           edge->to,
                           line_number(&model->lines, edge->at),
                           source_included_file(&model->source, edge->at)};
}

size_t floe_model_transition_groups(const floe_model *model) {
  if (!checked_model(model))
    return 0;
  return model->model->edge_groups ? model->model->edge_group_count : model->model->edge_count;
}

floe_transition_group floe_model_transition_group(const floe_model *model, size_t i) {
  if (i >= floe_model_transition_groups(model))
    return (floe_transition_group){0};
  if (!model->model->edge_groups)
    return (floe_transition_group){or_empty(model->model->edges[i].label), i, 1};
  const struct edge_group *group = &model->model->edge_groups[i];
  return (floe_transition_group){group->name, group->first, group->count};
}

size_t floe_model_start_steps(const floe_model *model) {
  return model && model->model ? model_first_level(model->model) : 0;
}

size_t floe_model_measures(const floe_model *model) { return model && model->model ? model->model->measure_count : 0; }

const char *floe_model_measure(const floe_model *model, size_t i) {
  return i < floe_model_measures(model) ? model->model->measures[i].id : "";
}

size_t floe_model_expectations(const floe_model *model) { return model ? model->outline->expectation_count : 0; }

static const struct expectation *find_expectation(const floe_model *model, size_t i) {
  return i < floe_model_expectations(model) ? &model->outline->expectations[i] : NULL;
}

floe_expectation floe_model_expectation(const floe_model *model, size_t i) {
  const struct expectation *expect = find_expectation(model, i);
  if (!expect)
    return (floe_expectation){0};
  return (floe_expectation){expect->constant_count,
                            expect->states,
                            expect->transitions,
                            expect->levels,
                            expect->deadlocks,
                            expect->verdict_count,
                            line_number(&model->lines, expect->at)};
}

void floe_model_expected_constant(const floe_model *model, size_t i, size_t j, const char **name, const char **value) {
  const struct expectation *expect = find_expectation(model, i);
  bool exists = expect && j < expect->constant_count;
  if (name)
    *name = exists ? expect->constants[j].name : NULL;
  if (value)
    *value = exists ? expect->constants[j].value : NULL;
}

floe_expected_verdict floe_model_expected_verdict(const floe_model *model, size_t i, size_t j) {
  const struct expectation *expect = find_expectation(model, i);
  if (!expect || j >= expect->verdict_count)
    return (floe_expected_verdict){0};
  const struct expected_verdict *verdict = &expect->verdicts[j];
  return (floe_expected_verdict){verdict->property, verdict->value, verdict->depth};
}

/* ---- names of variables ---------------------------------------------------------------------- */

static const char *variable_name(const struct model *model, const struct variable *variable, struct arena *arena) {
  switch (variable->kind) {
  case VARIABLE_LOCAL:
    return arena_printf(arena, "%s%s%s", model->processes[variable->owner].name, model->notation->member,
                        variable->name);
  case VARIABLE_LENGTH:
    return arena_printf(arena, "len(%s)", variable->name);
  case VARIABLE_FIELD:
    return arena_printf(arena, "%s: field %u", variable->name, variable->field + 1);
  case VARIABLE_GLOBAL:
  case VARIABLE_LOCATION:
  case VARIABLE_TABLE:
    break;
  }
  return variable->name;
}

const char *const *describe_variables(const struct model *model, struct arena *arena) {
  const char **names = arena_array(arena, model->variable_count, sizeof *names);
  for (size_t i = 0; i < model->variable_count; i++)
    names[i] = variable_name(model, &model->variables[i], arena);
  return names;
}
