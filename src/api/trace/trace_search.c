/* Traces of violations: replay of the paths to them. Engines find paths while they have all levels; else a second pass
   archives the levels, and paths are searched backward through them. */
#include "api/explore/explore.h"

#include "api/explore/engine_select.h"
#include "api/explore/second_pass.h"
#include "api/processes.h"
#include "api/trace/error_text.h"
#include "api/trace/step_firings.h"
#include "api/trace/trace.h"
#include "api/trace/whole_trace.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "engine/path.h"
#include "engine/trace/witness_path.h"

#include <assert.h>
#include <string.h>

/* The failing firing of a violation of `errors`. */
struct failure_call {
  const struct exploration *e;
  const struct engine_violation *violation;
  struct step_edge failing;
  bool found;
  const char *cause;
  floe_status status;
};

/* ---- causes ---------------------------------------------------------------------------------- */

static void find_failing(struct failure_call *call, struct arena *scratch) {
  const struct stepper *stepper = call->e->code.stepper;
  struct step_error error = call->violation->error;
  call->failing = (struct step_edge){.transition = NO_TRANSITION, .site = error.site};
  call->found = error.transition == NO_TRANSITION;
  if (call->found)
    return;
  uint64_t *successors = arena_array(scratch, stepper->max_successors, stepper->words * sizeof *successors);
  struct step_edge *edges = arena_array(scratch, stepper->max_successors, sizeof *edges);
  size_t n = stepper->expand_one(stepper, call->violation->state, successors, edges);
  for (size_t i = 0; i < n && !call->found; i++) {
    call->found = edges[i].transition == error.transition && edges[i].site == error.site;
    call->failing = edges[i];
  }
}

/* Fires what precedes the failing firing in its step. */
static floe_status go_to_failing(const struct failure_call *call, int64_t *values) {
  const struct model *model = call->e->model;
  const struct step_request request = {
      .model = model, .layout = call->e->layout, .values = values, .edge = call->failing};
  struct step_firings found = {0};
  FLOE_TRY(step_firings_find(&request, &call->e->result->arena, &found));
  for (size_t i = 0; i + 1 < found.count; i++) {
    uint32_t site;
    if (!interpreter_fire(model, found.firings[i].transition, found.firings[i].choice, values, NULL, &site))
      return FLOE_ERROR_INTERNAL;
  }
  return FLOE_OK;
}

static void set_cause(void *data) {
  struct failure_call *call = data;
  const struct exploration *e = call->e;
  struct arena *arena = &e->result->arena;
  int64_t *values = arena_array(arena, e->model->value_count, sizeof *values);
  find_failing(call, arena);
  key_values(e->model, e->layout, call->violation->state, values);
  if (call->found && e->model->transient && call->failing.transition != NO_TRANSITION)
    call->status = go_to_failing(call, values);
  if (call->found && call->status == FLOE_OK)
    call->cause = cause_text(e->model, values, call->failing, arena);
  call->found = call->cause != NULL;
}

static floe_status add_cause(struct exploration *e, floe_verdict *verdict, const struct engine_violation *violation,
                             struct step_edge *failing) {
  struct failure_call call = {.e = e, .violation = violation};
  if (arena_guard(&e->result->arena, set_cause, &call) != 0)
    return no_memory(e->log);
  if (call.status == FLOE_ERROR_MEMORY)
    return no_memory(e->log);
  if (!call.found)
    return second_pass_wrong(e->log, "the failing step was not found again");
  verdict->cause = call.cause;
  *failing = call.failing;
  return FLOE_OK;
}

/* ---- warnings -------------------------------------------------------------------------------- */

struct purpose_call {
  const struct exploration *e;
  uint64_t properties;
  const char *what;
  struct second_pass_purpose purpose;
};

/* "no trace for `a`, `b`" */
static void make_purpose(void *data) {
  struct purpose_call *call = data;
  struct arena *arena = &call->e->result->arena;
  const char *separator = " ";
  call->purpose.missing = call->what;
  for (uint64_t rest = call->properties; rest; rest &= rest - 1) {
    const char *id = call->e->model->properties[__builtin_ctzll(rest)].id;
    call->purpose.missing = arena_printf(arena, "%s%s`%s`", call->purpose.missing, separator, id);
    separator = ", ";
  }
}

static floe_status name_purpose(struct purpose_call *call) {
  return arena_guard(&call->e->result->arena, make_purpose, call) == 0 ? FLOE_OK : no_memory(call->e->log);
}

/* The purpose of finding the traces of these properties. */
static struct purpose_call traces_of(const struct exploration *e, uint64_t properties) {
  const bool one = (properties & (properties - 1)) == 0;
  return (struct purpose_call){.e = e,
                               .properties = properties,
                               .what = "no trace for",
                               .purpose.activity = one ? "reconstructing it" : "reconstructing them"};
}

/* The verdicts stay valid. */
static floe_status give_up(struct purpose_call call, floe_end why) {
  FLOE_TRY(name_purpose(&call));
  second_pass_give_up(call.e, &call.purpose, why);
  return FLOE_OK;
}

static floe_status warn_blocked(const struct exploration *e, uint32_t property) {
  return give_up((struct purpose_call){.e = e,
                                       .properties = UINT64_C(1) << property,
                                       .what = "not all blocked transitions are listed for",
                                       .purpose.activity = "listing them"},
                 second_pass_end(e, FLOE_ERROR_UNSUPPORTED));
}

static uint64_t violated_properties(const struct exploration *e) {
  uint64_t mask = 0;
  for (size_t i = 0; i < e->outcome.property_count; i++)
    mask |= (uint64_t)e->outcome.violations[i].violation << i;
  return mask;
}

static floe_status give_up_all(const struct exploration *e, floe_status status) {
  return give_up(traces_of(e, violated_properties(e)), second_pass_end(e, status));
}

/* ---- one trace ------------------------------------------------------------------------------- */

struct trace_call {
  struct exploration *e;
  struct trace_request request;
  const floe_trace *trace;
  int64_t depth; /* of a reduced model: in the model as read */
  floe_status status;
};

static void make_trace(void *data) {
  struct trace_call *call = data;
  call->status = is_reduced(call->e) ? whole_trace(call->e, &call->request, &call->trace, &call->depth)
                                     : trace_make(&call->request, &call->e->result->arena, &call->trace);
}

static floe_status replay_path(struct exploration *e, const struct stepper *interpreter, uint32_t property,
                               struct step_edge failing, const struct path *path, floe_verdict *verdict) {
  struct arena scratch;
  struct trace_call call = {.e = e,
                            .request = {.scratch = &scratch,
                                        .stop = exploration_trace_stop(e),
                                        .model = e->model,
                                        .layout = e->layout,
                                        .interpreter = interpreter,
                                        .property = property,
                                        .violation = &e->outcome.violations[property],
                                        .path = path,
                                        .failing = failing}};
  arena_init(&scratch);
  int guard = arena_guard(&e->result->arena, make_trace, &call);
  arena_free(&scratch);
  if (guard != 0 || call.status == FLOE_ERROR_MEMORY)
    return no_memory(e->log);
  if (call.status == FLOE_ERROR_MODEL)
    return call.status; /* logged */
  if (call.status != FLOE_OK)
    return second_pass_wrong(e->log, "the interpreter does not confirm a trace");
  if (!call.trace) /* a warning is logged */
    return FLOE_OK;
  verdict->trace = call.trace;
  if (is_reduced(e))
    verdict->depth = call.depth;
  const bool fails = e->model->properties[property].kind == FLOE_ERRORS && failing.transition != NO_TRANSITION;
  if (e->layout->canonical && fails) /* the cause in the run, not in the canonical form of its state */
    verdict->cause = call.trace->steps[call.trace->step_count - 1].cause;
  return call.trace->blocked_incomplete ? warn_blocked(e, property) : FLOE_OK;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Searches the archived levels. Sets e->outcome.paths, or logs a warning. */
static floe_status search_archive(struct exploration *e, const struct archive *archive, struct thread_pool *pool) {
  const struct path_search search = {.levels = archive_source(archive),
                                     .stepper = e->code.stepper,
                                     .pool = pool,
                                     .transition_count = e->model->transition_count,
                                     .stop = exploration_trace_stop(e),
                                     .comm = processes_comm(),
                                     .interrupt = traces_interrupt_flag()};
  struct path_target targets[PATHS_MOST];
  struct path paths[PATHS_MOST];
  const unsigned count = outcome_path_targets(&e->outcome, targets);
  floe_status status = paths_find(&search, targets, count, paths);
  if (status == FLOE_OK)
    status = outcome_set_paths(&e->outcome, paths, count);
  if (status == FLOE_ERROR_INTERNAL)
    return second_pass_wrong(e->log, "a state without a predecessor");
  return status == FLOE_OK ? FLOE_OK : give_up_all(e, status);
}

static floe_status find_in_archive(struct exploration *e, const struct archive *archive) {
  struct thread_pool *pool;
  uint64_t states = 0;
  for (uint32_t i = 0; i < archive_levels(archive); i++)
    states += archive_states(archive, i);
  engine_select_expect_work(e, states);
  floe_status status = pool_create(e->options.threads, &pool);
  if (status != FLOE_OK)
    return give_up_all(e, status);
  status = search_archive(e, archive, pool);
  pool_free(pool);
  return status;
}

/* A second pass archives the levels before the greatest depth of a violation. */
static floe_status archive_and_search(struct exploration *e, uint32_t depth) {
  struct archive *archive;
  bool kept = true;
  struct purpose_call call = traces_of(e, violated_properties(e));
  FLOE_TRY(name_purpose(&call));
  floe_status status = archive_create(e->layout->key_words, second_pass_archive_memory(e), e->log, &archive);
  if (status != FLOE_OK)
    return give_up_all(e, status);
  if (depth)
    status = second_pass_keep_levels(e, depth, archive, &call.purpose, &kept);
  if (status == FLOE_OK && kept)
    status = find_in_archive(e, archive);
  archive_free(archive);
  return status;
}

static floe_status find_paths(struct exploration *e) {
  struct path_target targets[PATHS_MOST];
  const unsigned count = outcome_path_targets(&e->outcome, targets);
  uint32_t depth = 0;
  for (unsigned i = 0; i < count; i++)
    depth = targets[i].depth > depth ? targets[i].depth : depth;
  if (depth) {
    struct task_paths request = exploration_paths(e);
    request.targets = targets;
    request.count = count;
    request.states = second_pass_states(e, depth);
    second_pass_find_paths(e, &request, depth);
  }
  return e->outcome.paths ? FLOE_OK : archive_and_search(e, depth);
}

/* ---- all traces ------------------------------------------------------------------------------ */

/* Index of the property of a verdict. */
static uint32_t property_of(const struct exploration *e, const floe_verdict *verdict) {
  uint32_t i = 0;
  while (strcmp(e->model->properties[i].id, verdict->property.id) != 0)
    i++;
  assert(i < e->model->property_count);
  return i;
}

/* Paths are in the order of the properties with a violation. */
static struct path *path_to(const struct exploration *e, uint32_t property) {
  struct path *path = e->outcome.paths;
  for (uint32_t i = 0; i < property; i++)
    path += e->outcome.violations[i].violation;
  return path;
}

static floe_status add_trace(struct exploration *e, const struct stepper *interpreter, uint32_t property,
                             struct step_edge failing, floe_verdict *verdict) {
  struct path *path = path_to(e, property);
  const struct purpose_call call = traces_of(e, UINT64_C(1) << property);
  if (stop_is_set(exploration_trace_stop(e).interrupt))
    return give_up(call, FLOE_END_INTERRUPT);
  const floe_status status = path->edges ? FLOE_OK : path_add_edges(e->code.stepper, path);
  if (status == FLOE_ERROR_INTERNAL)
    return second_pass_wrong(e->log, "a step of a trace was not found");
  return status == FLOE_OK ? replay_path(e, interpreter, property, failing, path, verdict)
                           : give_up(call, second_pass_end(e, status));
}

static floe_status add_traces(struct exploration *e, const struct step_edge *failing) {
  floe_result *result = e->result;
  struct stepper *interpreter;
  floe_status status = interpreter_create(e->model, e->layout, &interpreter);
  if (status != FLOE_OK)
    return give_up_all(e, status);
  for (size_t i = 0; status == FLOE_OK && i < result->verdict_count; i++) {
    const uint32_t property = property_of(e, &result->verdicts[i]);
    if (e->outcome.violations[property].violation)
      status = add_trace(e, interpreter, property, failing[i], &result->verdicts[i]);
  }
  interpreter->free(interpreter);
  return status;
}

floe_status traces_make(struct exploration *e) {
  struct step_edge failing[MODEL_MAX_PROPERTIES + 2];
  floe_result *result = e->result;
  double start = clock_seconds();
  bool any = false;
  for (size_t i = 0; i < result->verdict_count; i++) {
    const struct engine_violation *violation = &e->outcome.violations[property_of(e, &result->verdicts[i])];
    any = any || violation->violation;
    if (violation->violation && result->verdicts[i].property.kind == FLOE_ERRORS)
      FLOE_TRY(add_cause(e, &result->verdicts[i], violation, &failing[i]));
  }
  if (any && e->options.traces) {
    if (!e->traces.begun)
      exploration_begin_traces(e, "reconstructing traces");
    if (!e->outcome.paths)
      FLOE_TRY(find_paths(e));
    if (e->outcome.paths)
      FLOE_TRY(add_traces(e, failing));
  }
  result->summary.trace_seconds = e->outcome.paths_seconds + clock_seconds() - start;
  return FLOE_OK;
}
