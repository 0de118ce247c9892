/* What a model says about itself: names, constants, properties, transitions, expected results. */
#include "api/api.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

static const char *or_empty(const char *text) { return text ? text : ""; }

const char *floe_model_name(const floe_model *model) { return model ? model->syntax->name : ""; }
const char *floe_model_file(const floe_model *model) { return model ? model->syntax->source.name : ""; }
const char *floe_model_text(const floe_model *model, size_t *length) {
  if (length)
    *length = model ? model->syntax->source.length : 0;
  return model ? model->syntax->source.text : "";
}
const char *floe_model_description(const floe_model *model) {
  return model ? or_empty(model->syntax->description) : "";
}

const char *floe_model_digest(const floe_model *model) { return model ? model->digest : ""; }

/* NULL: there is none, or it was not checked. */
static const struct model *checked(const floe_model *model) { return model ? model->model : NULL; }

size_t floe_model_constants(const floe_model *model) { return checked(model) ? model->model->constant_count : 0; }

floe_constant floe_model_constant(const floe_model *model, size_t i) {
  if (i >= floe_model_constants(model))
    return (floe_constant){0};
  const struct constant *constant = &model->model->constants[i];
  return (floe_constant){constant->name, constant->value, constant->given};
}

size_t floe_model_properties(const floe_model *model) { return checked(model) ? model->model->property_count : 0; }

floe_property floe_model_property(const floe_model *model, size_t i) {
  if (i >= floe_model_properties(model))
    return (floe_property){0};
  const struct property *property = &model->model->properties[i];
  return (floe_property){property->id, property->kind, or_empty(property->description),
                         line_number(&model->lines, property->at), model->property_texts[i]};
}

size_t floe_model_transitions(const floe_model *model) { return checked(model) ? model->model->edge_count : 0; }

floe_transition floe_model_transition(const floe_model *model, size_t i) {
  if (i >= floe_model_transitions(model))
    return (floe_transition){0};
  const struct edge *edge = &model->model->edges[i];
  return (floe_transition){model->model->processes[edge->process].name, or_empty(edge->label), edge->from, edge->to,
                           line_number(&model->lines, edge->at)};
}

size_t floe_model_expectations(const floe_model *model) { return model ? model->syntax->expect_count : 0; }

static const struct syntax_expect *expectation(const floe_model *model, size_t i) {
  return i < floe_model_expectations(model) ? &model->syntax->expects[i] : NULL;
}

floe_expectation floe_model_expectation(const floe_model *model, size_t i) {
  const struct syntax_expect *expect = expectation(model, i);
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
  const struct syntax_expect *expect = expectation(model, i);
  bool there = expect && j < expect->constant_count;
  if (name)
    *name = there ? expect->constants[j].name : NULL;
  if (value)
    *value = there ? expect->constants[j].value : NULL;
}

floe_expected_verdict floe_model_expected_verdict(const floe_model *model, size_t i, size_t j) {
  const struct syntax_expect *expect = expectation(model, i);
  if (!expect || j >= expect->verdict_count)
    return (floe_expected_verdict){0};
  const struct syntax_verdict *verdict = &expect->verdicts[j];
  return (floe_expected_verdict){verdict->property, verdict->value, verdict->depth};
}

/* ---- made once for each check ---------------------------------------------------------------- */

static const char *variable_name(const struct model *model, const struct variable *variable, struct arena *arena) {
  switch (variable->kind) {
  case VARIABLE_LOCAL:
    return arena_printf(arena, "%s.%s", model->processes[variable->owner].name, variable->name);
  case VARIABLE_LENGTH:
    return arena_printf(arena, "len(%s)", variable->name);
  case VARIABLE_FIELD:
    return arena_printf(arena, "%s: field %u", variable->name, variable->field + 1);
  case VARIABLE_GLOBAL:
  case VARIABLE_LOCATION:
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

/* The character that an XML entity at `text` stands for, and its length; 0: there is none. */
static size_t entity(const char *text, char *out) {
  static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strncmp(text, names[i], strlen(names[i])) == 0) {
      *out = "<>&\"'"[i];
      return strlen(names[i]);
    }
  }
  return 0;
}

/* The file's text of an expression on one line: entities decoded, any blank space one blank. */
const char *describe_expression(const struct source *source, const struct syntax_expr *expr, struct arena *arena) {
  char *text = arena_alloc(arena, expr->end - expr->start + 1);
  size_t n = 0;
  for (source_at at = expr->start; at < expr->end; n++) {
    size_t length = entity(source->text + at, &text[n]);
    at += (source_at)(length ? length : 1);
    if (length)
      continue;
    text[n] = source->text[at - 1];
    if (!isspace((unsigned char)text[n]))
      continue;
    text[n] = ' ';
    while (at < expr->end && isspace((unsigned char)source->text[at]))
      at++;
  }
  return text;
}

const char *const *describe_properties(const struct syntax_model *syntax, const struct model *model,
                                       struct arena *arena) {
  const char **texts = arena_array(arena, model->property_count, sizeof *texts);
  assert(syntax->property_count <= model->property_count);
  for (size_t i = 0; i < model->property_count; i++)
    texts[i] =
        i < syntax->property_count ? describe_expression(&syntax->source, syntax->properties[i].expr, arena) : "";
  return texts;
}
