/* Traces of violations: a second pass archives the levels, paths are searched backward through them, and replayed. */
#include "api/explore/explore.h"

#include "api/explore/engine_select.h"
#include "api/explore/second_pass.h"
#include "api/processes.h"
#include "api/trace/error_text.h"
#include "api/trace/trace.h"
#include "core/mem.h"

#include <assert.h>
#include <string.h>

#define NO_TRACE "no trace: the second pass, which finds it, failed"

/* The failing firing of a violation of `errors`. */
struct failure_call {
  const struct exploration *e;
  const struct engine_violation *violation;
  struct step_edge failing;
  bool found;
  const char *cause;
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

static void set_cause(void *data) {
  struct failure_call *call = data;
  const struct exploration *e = call->e;
  struct arena *arena = &e->result->arena;
  int64_t *values = arena_array(arena, e->model->value_count, sizeof *values);
  find_failing(call, arena);
  key_values(e->model, e->layout, call->violation->state, values);
  if (call->found)
    call->cause = cause_text(e->model, values, call->failing, arena);
  call->found = call->cause != NULL;
}

static floe_status add_cause(struct exploration *e, floe_verdict *verdict, const struct engine_violation *violation,
                             struct step_edge *failing) {
  struct failure_call call = {.e = e, .violation = violation};
  if (arena_guard(&e->result->arena, set_cause, &call) != 0)
    return no_memory(e->log);
  if (!call.found)
    return second_pass_wrong(e->log, "the failing step was not found again");
  verdict->cause = call.cause;
  *failing = call.failing;
  return FLOE_OK;
}

/* ---- one trace ------------------------------------------------------------------------------- */

struct trace_call {
  struct exploration *e;
  struct trace_request request;
  const floe_trace *trace;
  floe_status status;
};

static void make_trace(void *data) {
  struct trace_call *call = data;
  call->status = trace_make(&call->request, &call->e->result->arena, &call->trace);
}

static floe_status replay_path(struct exploration *e, const struct stepper *interpreter, uint32_t property,
                               struct step_edge failing, const struct path *path, floe_verdict *verdict) {
  struct arena scratch;
  const struct engine_task task = exploration_task(e);
  struct trace_call call = {.e = e,
                            .request = {.scratch = &scratch,
                                        .stop = engine_stop(&task),
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
  if (call.status != FLOE_OK)
    return second_pass_wrong(e->log, "the interpreter does not confirm a trace");
  if (call.trace->blocked_incomplete)
    second_pass_give_up(e, "not all blocked transitions are listed", "time limit reached");
  verdict->trace = call.trace;
  return FLOE_OK;
}

struct tracer {
  struct exploration *e;
  struct stepper *interpreter;
  struct path_search search;
};

/* *found: the paths; else a warning is logged. */
static floe_status find_paths(const struct tracer *tracer, const struct path_target *targets, unsigned count,
                              struct path *paths, bool *found) {
  const floe_status status = paths_find(&tracer->search, targets, count, paths);
  *found = status == FLOE_OK;
  if (status == FLOE_ERROR_INTERNAL)
    return second_pass_wrong(tracer->e->log, "a state without a predecessor");
  if (status != FLOE_OK)
    second_pass_give_up(tracer->e, NO_TRACE,
                        status == FLOE_ERROR_UNSUPPORTED ? "it was interrupted"
                        : status == FLOE_ERROR_IO        ? "a file could not be read"
                                                         : "out of memory");
  return FLOE_OK;
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

/* Targets of the verdicts with a violation, in their order. Returns their number. */
static unsigned set_targets(const struct exploration *e, struct path_target *targets) {
  const floe_result *result = e->result;
  unsigned count = 0;
  for (size_t i = 0; i < result->verdict_count; i++) {
    const struct engine_violation *violation = &e->outcome.violations[property_of(e, &result->verdicts[i])];
    if (violation->violation)
      targets[count++] = (struct path_target){violation->depth, violation->state};
  }
  return count;
}

static floe_status replay_paths(const struct tracer *tracer, const struct path *paths,
                                const struct step_edge *failing) {
  floe_result *result = tracer->e->result;
  unsigned next = 0;
  for (size_t i = 0; i < result->verdict_count; i++) {
    const uint32_t property = property_of(tracer->e, &result->verdicts[i]);
    if (tracer->e->outcome.violations[property].violation)
      FLOE_TRY(replay_path(tracer->e, tracer->interpreter, property, failing[i], &paths[next++], &result->verdicts[i]));
  }
  return FLOE_OK;
}

static floe_status add_traces(const struct tracer *tracer, const struct step_edge *failing) {
  struct path_target targets[PATHS_MOST];
  struct path paths[PATHS_MOST];
  const unsigned count = set_targets(tracer->e, targets);
  bool found;
  FLOE_TRY(find_paths(tracer, targets, count, paths, &found));
  if (!found)
    return FLOE_OK;
  const floe_status status = replay_paths(tracer, paths, failing);
  for (unsigned i = 0; i < count; i++)
    path_free(&paths[i]);
  return status;
}

static floe_status trace_all(struct exploration *e, const struct archive *archive, const struct step_edge *failing) {
  struct tracer tracer = {.e = e};
  struct thread_pool *pool = NULL;
  uint64_t states = 0;
  for (uint32_t i = 0; i < archive_levels(archive); i++)
    states += archive_states(archive, i);
  engine_select_expect_work(e, states);
  floe_status status = pool_create(e->options.threads, &pool);
  if (status == FLOE_OK)
    status = interpreter_create(e->model, e->layout, &tracer.interpreter);
  if (status == FLOE_OK) {
    tracer.search = (struct path_search){.levels = archive_source(archive),
                                         .stepper = e->code.stepper,
                                         .pool = pool,
                                         .transition_count = e->model->transition_count,
                                         .stop = {.interrupt = exploration_task(e).limits.interrupt},
                                         .comm = processes_comm(),
                                         .interrupt = exploration_task(e).limits.interrupt};
    status = add_traces(&tracer, failing);
    tracer.interpreter->free(tracer.interpreter);
  } else {
    second_pass_give_up(e, NO_TRACE, "out of memory");
    status = FLOE_OK;
  }
  pool_free(pool);
  return status;
}

static floe_status trace_to_depth(struct exploration *e, uint32_t depth, const struct step_edge *failing) {
  struct archive *archive;
  bool kept = true;
  if (archive_create(e->layout->key_words, e->options.memory / ARCHIVE_SHARE, e->log, &archive) != FLOE_OK) {
    second_pass_give_up(e, NO_TRACE, "out of memory");
    return FLOE_OK;
  }
  floe_status status = depth ? second_pass_keep_levels(e, depth, archive, NO_TRACE, &kept) : FLOE_OK;
  if (status == FLOE_OK && kept)
    status = trace_all(e, archive, failing);
  archive_free(archive);
  return status;
}

floe_status traces_make(struct exploration *e) {
  struct step_edge failing[MODEL_MAX_PROPERTIES + 2];
  floe_result *result = e->result;
  double start = clock_seconds();
  uint32_t depth = 0;
  bool any = false;
  for (size_t i = 0; i < result->verdict_count; i++) {
    const struct engine_violation *violation = &e->outcome.violations[property_of(e, &result->verdicts[i])];
    if (!violation->violation)
      continue;
    any = true;
    depth = violation->depth > depth ? violation->depth : depth;
    if (result->verdicts[i].property.kind == FLOE_ERRORS)
      FLOE_TRY(add_cause(e, &result->verdicts[i], violation, &failing[i]));
  }
  if (any && e->options.traces)
    FLOE_TRY(trace_to_depth(e, depth, failing));
  result->summary.trace_seconds = clock_seconds() - start;
  return FLOE_OK;
}
