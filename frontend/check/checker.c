/* Order of the checker's steps: names, constants, state variables, transitions. */
#include "frontend/check/checker.h"

#include "frontend/check/check_constants.h"
#include "frontend/check/check_properties.h"
#include "frontend/check/check_variables.h"
#include "frontend/check/check_warnings.h"
#include "frontend/expr/check_define.h"
#include "frontend/expr/check_enumerations.h"
#include "frontend/expr/check_expr.h"
#include "frontend/expr/check_firings.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_values.h"
#include "frontend/lower/check_conditions.h"
#include "frontend/lower/check_else.h"
#include "frontend/lower/lowered_part.h"
#include "model/compose/compose.h"
#include "model/notation.h"
#include "model/symmetry/find_symmetry.h"

static void start_check(struct check *c) {
  const struct syntax_model *m = c->syntax;
  size_t edges = 0;
  c->lower = lower;
  build_start(&c->build);
  c->build.model = arena_alloc(c->build.arena, sizeof *c->build.model);
  c->processes = arena_array(c->build.arena, m->process_count, sizeof *c->processes);
  c->templates = arena_array(c->build.arena, m->process_count, sizeof *c->templates);
  c->channels = arena_array(c->build.arena, m->channel_count, sizeof *c->channels);
  c->channel_infos = arena_array(c->build.arena, m->channel_count, sizeof *c->channel_infos);
  c->compose = (struct compose){.build = &c->build, .operations = &lowered_part_operations, .language = c};
  c->compose.processes = arena_array(c->build.arena, m->process_count, sizeof *c->compose.processes);
  c->compose.channels = arena_array(c->build.arena, m->channel_count, sizeof *c->compose.channels);
  for (size_t i = 0; i < m->process_count; i++) {
    c->templates[i].syntax = &m->processes[i];
    c->templates[i].id = (uint32_t)i;
    c->templates[i].process = &c->processes[i];
    c->templates[i].composed = &c->compose.processes[i];
    c->compose.processes[i] =
        (struct compose_process){.number = (uint32_t)i, .process = &c->processes[i], .at = m->processes[i].at};
    edges += m->processes[i].transition_count;
  }
  c->edges = arena_array(c->build.arena, edges, sizeof *c->edges);
}

static void declare_names(struct check *c) {
  variables_declare(c);
  names_declare_globals(c);
  defines_declare(c);
  enumerations_declare(c);
  constants_evaluate(c);
  processes_size(c);
  globals_shape(c);
  channels_declare(c);
  for (size_t i = 0; i < c->syntax->process_count; i++) {
    struct template *process = &c->templates[i];
    names_declare_locals(c, process);
    parameters_evaluate(c, process);
    locations_declare(c, process);
    locals_shape(c, process);
  }
  defines_check(c);
  values_tables(c);
}

static void declare_state(struct check *c) {
  for (size_t i = 0; i < c->syntax->process_count; i++)
    edges_resolve(c, &c->templates[i]);
  for (size_t i = 0; i < c->syntax->process_count; i++)
    else_check(c, &c->templates[i]);
  build_places(&c->build);
  if (c->build.stop)
    return;
  variables_initialise(c);
  compose_priority(&c->compose);
}

static void complete_model(struct check *c) {
  struct model *model = c->build.model;
  model->name = c->syntax->name;
  model->description = c->syntax->description ? c->syntax->description : "";
  model->source = c->build.source;
  model->notation = &default_notation;
  model->constant_count = c->syntax->constant_count;
  model->processes = c->processes;
  model->process_count = c->syntax->process_count;
  model->channels = c->channels;
  model->channel_count = c->syntax->channel_count;
  model->edges = c->edges;
  model->expectations = c->syntax->expects;
  model->expectation_count = c->syntax->expect_count;
}

void declarations_check(struct check *c) {
  start_check(c);
  complete_model(c);
  declare_names(c);
  declare_state(c);
}

/* Processes that are declared symmetric. */
static void check_claims(struct check *c) {
  bool claimed = false;
  for (size_t i = 0; i < c->syntax->process_count; i++)
    claimed = claimed || c->processes[i].symmetric;
  if (claimed)
    c->claims = symmetry_check_claims(c->build.model, c->build.arena, c->build.log);
}

static void run_checker(void *data) {
  struct check *c = data;
  declarations_check(c);
  for (size_t i = 0; i < c->syntax->process_count && !c->build.stop; i++)
    compose_edges(&c->compose, &c->compose.processes[i]);
  properties_lower(c);
  expects_check(c);
  if (!c->build.errors)
    compose_transitions(&c->compose);
  firings_complete(c);
  if (!c->build.errors)
    conditions_lower(c);
  build_finish(&c->build);
  if (!c->build.errors)
    check_claims(c);
  if (!c->build.errors && c->claims == FLOE_OK)
    warnings_log(c);
}

floe_status model_check(const struct syntax_model *syntax, const struct definition *definitions,
                        size_t definition_count, struct arena *arena, floe_log *log, const struct model **out) {
  struct check c = {.syntax = syntax,
                    .build = {.arena = arena, .log = log, .source = syntax->source},
                    .definitions = definitions,
                    .definition_count = definition_count};
  if (arena_guard(arena, run_checker, &c) != 0)
    return FLOE_ERROR_MEMORY;
  if (c.build.errors)
    return FLOE_ERROR_MODEL;
  FLOE_TRY(c.claims);
  *out = c.build.model;
  return FLOE_OK;
}
