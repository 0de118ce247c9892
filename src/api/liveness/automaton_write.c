/* Automata of temporal properties as files. */
#include "api/states/state.h"
#include "core/diag.h"
#include "core/usage.h"
#include "logic/hoa.h"
#include "model/temporal/violating_runs.h"

struct automaton_request {
  const struct property *property;
  struct arena arena;
  struct hoa hoa; /* automaton NULL: it is too large */
};

static void make_automaton(void *data) {
  struct automaton_request *request = data;
  const struct temporal *temporal = request->property->temporal;
  request->hoa = (struct hoa){
      .name = arena_printf(&request->arena, "runs that violate %s: %s", request->property->id, request->property->text),
      .automaton = violating_runs(temporal, &request->arena),
      .atoms = temporal->atom_texts,
      .atom_count = (uint32_t)temporal->atom_count};
}

static floe_status write_automaton(struct automaton_request *request, floe_automaton_format format, FILE *stream,
                                   floe_log *log) {
  if (arena_guard(&request->arena, make_automaton, request) != 0)
    return no_memory(log);
  if (request->hoa.automaton)
    return (format == FLOE_AUTOMATON_DOT ? hoa_write_dot : hoa_write)(&request->hoa, stream);
  diag_error(log, NULL, NOWHERE, "divide it into several properties", "the automaton of property '%s' is too large",
             request->property->id);
  return FLOE_ERROR_UNSUPPORTED;
}

__attribute__((format(printf, 2, 0))) static floe_status wrong_usage(floe_log *log, const char *format, size_t number) {
  diag_error(log, NULL, NOWHERE, NULL, format, number);
  return FLOE_ERROR_USAGE;
}

floe_status floe_automaton_write(const floe_model *model, size_t i, floe_automaton_format format, FILE *stream,
                                 floe_log *log) {
  REQUIRE(log, stream);
  FLOE_TRY(state_require_model(model, log));
  if ((unsigned)format > FLOE_AUTOMATON_DOT)
    return wrong_usage(log, "there is no format %zu of automata", (size_t)format);
  if (i >= model->model->property_count || !model->model->properties[i].temporal)
    return wrong_usage(log, "property %zu is not temporal", i);
  struct automaton_request request = {.property = &model->model->properties[i]};
  arena_init(&request.arena);
  const floe_status status = write_automaton(&request, format, stream, log);
  arena_free(&request.arena);
  return status;
}
