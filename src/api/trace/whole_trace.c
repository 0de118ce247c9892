#include "api/trace/whole_trace.h"

#include "api/explore/explore.h"
#include "api/explore/second_pass.h"
#include "api/trace/fair_run.h"
#include "api/trace/simplified_run.h"
#include "api/trace/trace.h"
#include "core/arena_limit.h"
#include "core/diag.h"
#include "core/mem.h"
#include "model/interpreter/interpreter.h"
#include "model/temporal/violating_runs.h"

#include <string.h>

/* Checked, with the largest values for guesses. */
struct whole_model {
  floe_model model;
  struct stepper *interpreter;
  struct arena scratch, blocked; /* of one trace; blocked: trace_request.scratch */
};

/* ---- the model as read ------------------------------------------------------------------------ */

/* It has no definitions but guesses, which it makes itself. */
static struct whole_model *whole_model_new(const floe_model *reduced) {
  struct whole_model *whole = mem_alloc(sizeof *whole);
  if (!whole)
    return NULL;
  *whole = (struct whole_model){.model = {.source = reduced->source,
                                          .language = reduced->language,
                                          .outline = reduced->whole,
                                          .loaded_deadlocks = reduced->loaded_deadlocks,
                                          .deadlocks = reduced->deadlocks}};
  arena_init(&whole->model.arena);
  arena_init(&whole->model.checked_arena);
  arena_init(&whole->model.reduced_arena);
  arena_init(&whole->scratch);
  arena_init(&whole->blocked);
  return whole;
}

static bool must_stop(void *user) {
  const struct stop stop = exploration_trace_stop(user);
  return stop_requested(&stop);
}

struct opening {
  struct exploration *e;
  floe_status status;
};

/* Warnings were logged if the model was checked before it was reduced. If it was not, it can have errors in properties
   that are not asked for: then the second check logs them. */
static void check_whole(void *data) {
  struct opening *opening = data;
  floe_model *model = &opening->e->whole->model;
  opening->status = floe_model_widen(model, NULL);
  if (opening->status == FLOE_ERROR_MODEL)
    opening->status = floe_model_check(model, opening->e->log);
}

/* The model before it was simplified is that of the same check. */
static void open_original(void *data) {
  struct opening *opening = data;
  floe_model *whole = &opening->e->whole->model;
  whole->model = opening->e->api_model->simplified->original;
  opening->status = layout_make(whole->model, &whole->checked_arena, &whole->layout);
}

/* Checks of a large model take seconds. *why FLOE_END_COMPLETE: it is open, else a limit was reached. */
static floe_status whole_model_open(struct exploration *e, floe_end *why) {
  struct opening opening = {.e = e};
  struct arena_limit limit = {.stop = must_stop, .user = e, .bytes = e->options.memory};
  *why = FLOE_END_COMPLETE;
  if (e->whole && e->whole->interpreter)
    return FLOE_OK;
  if (!e->whole)
    e->whole = whole_model_new(e->api_model);
  if (!e->whole)
    return FLOE_ERROR_MEMORY;
  if (!e->api_model->simplified)
    arena_limited(&limit, check_whole, &opening);
  else if (arena_guard(&e->whole->model.checked_arena, open_original, &opening) != 0)
    return FLOE_ERROR_MEMORY;
  if (limit.stopped || limit.full) {
    *why = second_pass_end(e, limit.full ? FLOE_ERROR_MEMORY : FLOE_OK);
    return FLOE_OK;
  }
  FLOE_TRY(opening.status);
  return interpreter_create(e->whole->model.model, e->whole->model.layout, &e->whole->interpreter);
}

void whole_model_free(struct whole_model *whole) {
  if (!whole)
    return;
  if (whole->interpreter)
    whole->interpreter->free(whole->interpreter);
  arena_free(&whole->blocked);
  arena_free(&whole->scratch);
  arena_free(&whole->model.reduced_arena);
  arena_free(&whole->model.checked_arena);
  arena_free(&whole->model.arena);
  mem_free(whole);
}

/* ---- the run ---------------------------------------------------------------------------------- */

struct whole_run {
  struct exploration *e;
  uint32_t property; /* in e->model */
  const struct path *reduced;
  struct step_edge failing;  /* trace_request.failing */
  struct transition_run run; /* of the reduced model, then of the model as read */
  struct arena *scratch;
  struct path path;                /* of the model as read */
  int64_t *values;                 /* after the steps so far */
  const struct fairness *fairness; /* of a run that repeats */
  const char *reason;              /* why there is no trace; NULL: there is one */
  const floe_trace *trace;
  floe_status status;
};

static const struct model *model_of(const struct whole_run *w) { return w->e->whole->model.model; }

static uint32_t property_in_whole(const struct whole_run *w) {
  const struct model *model = model_of(w);
  uint32_t i = 0;
  while (i < model->property_count && strcmp(model->properties[i].id, w->e->model->properties[w->property].id) != 0)
    i++;
  return i;
}

static void expand(struct whole_run *w) {
  const floe_model *reduced = w->e->api_model;
  struct transition_run run = w->run;
  uint32_t *steps = arena_array(w->scratch, w->reduced->steps, sizeof *steps);
  for (size_t i = 0; i < w->reduced->steps; i++)
    steps[i] = w->reduced->edges[i].transition;
  run.steps = steps;
  run.count = w->reduced->steps;
  w->reason = reduced->language->expand_run(reduced->outline, &run, w->scratch, &w->run);
}

static bool put_state(struct whole_run *w, size_t i) {
  const struct layout *layout = w->e->whole->model.layout;
  return key_of_values(model_of(w), layout, w->values, w->path.states + i * layout->key_words);
}

/* False: a step does not fire. */
static bool execute(struct whole_run *w) {
  const struct model *model = model_of(w);
  const size_t words = w->e->whole->model.layout->key_words;
  w->path.steps = (uint32_t)w->run.count;
  w->path.edges = arena_array(w->scratch, w->run.count, sizeof *w->path.edges);
  w->path.states = arena_array(w->scratch, (w->run.count + 1) * words, sizeof *w->path.states);
  w->values = arena_array(w->scratch, model->value_count, sizeof *w->values);
  model_initial_values(model, w->values);
  for (size_t i = 0; put_state(w, i); i++) {
    uint32_t site;
    if (i == w->run.count)
      return true;
    w->path.edges[i] = (struct step_edge){w->run.steps[i], 0, NO_SITE};
    if (w->run.steps[i] >= model->transition_count ||
        !interpreter_fire(model, w->run.steps[i], 0, w->values, NULL, &site) || site != NO_SITE)
      return false;
  }
  return false;
}

/* The steps of the simplified model, with those that were merged. */
static floe_status execute_simplified(struct whole_run *w) {
  struct simplified_run run = {.simplified = w->e->api_model->simplified,
                               .simplified_layout = w->e->layout,
                               .layout = w->e->whole->model.layout,
                               .path = w->reduced,
                               .single = w->run.repeats,
                               .repeats = w->run.repeats,
                               .loop = w->run.loop};
  FLOE_TRY(simplified_run_make(&run, w->scratch));
  w->path = run.run;
  w->values = run.values;
  w->run.count = run.run.steps;
  w->run.loop = run.run_loop;
  return FLOE_OK;
}

/* Sets path and values, or the reason why there is no run. */
static floe_status make_run(struct whole_run *w) {
  if (w->e->api_model->simplified)
    return execute_simplified(w);
  expand(w);
  return w->reason || execute(w) ? FLOE_OK : FLOE_ERROR_INTERNAL;
}

/* ---- a trace to a state ------------------------------------------------------------------------- */

static struct trace_request request_of(struct whole_run *w) {
  const floe_model *whole = &w->e->whole->model;
  return (struct trace_request){.model = whole->model,
                                .layout = whole->layout,
                                .interpreter = w->e->whole->interpreter,
                                .property = property_in_whole(w),
                                .path = &w->path,
                                .single = w->run.repeats,
                                .failing = w->failing,
                                .scratch = &w->e->whole->blocked,
                                .stop = exploration_trace_stop(w->e)};
}

static void make_trace(void *data) {
  struct whole_run *w = data;
  struct trace_request request = request_of(w);
  const size_t words = w->e->whole->model.layout->key_words;
  w->status = make_run(w);
  if (w->status != FLOE_OK || w->reason)
    return;
  const struct engine_violation violation = {
      .violation = true, .depth = w->path.steps, .state = w->path.states + w->path.steps * words};
  request.violation = &violation;
  w->status = trace_make(&request, &w->e->result->arena, &w->trace);
}

/* ---- a run that repeats ------------------------------------------------------------------------- */

static bool is_deadlock(const struct whole_run *w) {
  const struct model *model = model_of(w);
  for (size_t t = 0; t < model->transition_count; t++)
    if (interpreter_fires(model, &model->transitions[t], w->values))
      return false;
  return true;
}

/* NULL: the run stays. */
static const struct transition *step_after(const struct whole_run *w, size_t i) {
  return i < w->run.count ? &model_of(w)->transitions[w->path.edges[i].transition] : NULL;
}

/* `next`: the transition of the step after the state; NULL: the run stays. */
static bool valuation(const struct whole_run *w, const struct temporal *temporal, const int64_t *values,
                      const struct transition *next, uint64_t *out) {
  *out = 0;
  for (size_t atom = 0; atom < temporal->atom_count; atom++) {
    bool holds;
    if (!interpreter_atom(model_of(w), temporal, atom, values, next, &holds))
      return false;
    *out |= (uint64_t)holds << atom;
  }
  return true;
}

/* The property of the model as read is violated. */
static bool violates(struct whole_run *w, uint32_t property) {
  const struct temporal *temporal = model_of(w)->properties[property].temporal;
  const struct layout *layout = w->e->whole->model.layout;
  struct periodic_word word = {.loop = w->run.loop, .count = w->run.count + (w->run.loop == w->run.count)};
  int64_t *values = arena_array(w->scratch, model_of(w)->value_count, sizeof *values);
  uint64_t *valuations = arena_array(w->scratch, word.count, sizeof *valuations);
  for (size_t i = 0; i < word.count; i++) {
    key_values(model_of(w), layout, w->path.states + i * layout->key_words, values);
    if (!valuation(w, temporal, values, step_after(w, i), &valuations[i]))
      return false;
  }
  word.valuations = valuations;
  return run_violates(temporal, &word, w->scratch);
}

/* The values of each state of the run, and the step after it. */
static struct fair_run fair_run_of(struct whole_run *w) {
  const struct model *model = model_of(w);
  const struct layout *layout = w->e->whole->model.layout;
  struct fair_run run = {.model = model, .stride = model->value_count, .loop = w->run.loop};
  run.count = w->run.count + (w->run.loop == w->run.count);
  const struct transition **transitions = arena_array(w->scratch, run.count, sizeof *transitions);
  int64_t *values = arena_array(w->scratch, run.count * run.stride, sizeof *values);
  for (size_t i = 0; i < run.count; i++) {
    key_values(model, layout, w->path.states + i * layout->key_words, values + i * run.stride);
    transitions[i] = step_after(w, i);
  }
  run.values = values;
  run.transitions = transitions;
  return run;
}

static void make_loop(void *data) {
  struct whole_run *w = data;
  struct floe_trace *trace;
  const struct trace_request request = request_of(w);
  w->status = make_run(w);
  if (w->status != FLOE_OK || w->reason)
    return;
  w->status = FLOE_ERROR_INTERNAL;
  if ((w->run.ends && !is_deadlock(w)) || !violates(w, request.property))
    return;
  w->status = trace_make_loop(&request, (uint32_t)w->run.loop, &w->e->result->arena, &trace);
  if (w->status != FLOE_OK)
    return;
  if (w->e->api_model->simplified) {
    const struct fair_run run = fair_run_of(w);
    trace->constraints = judge_fairness(&run, w->fairness, w->scratch, &w->e->result->arena, &trace->constraint_count);
  }
  if (unsatisfied_constraint(trace->constraints, trace->constraint_count))
    w->status = FLOE_ERROR_INTERNAL;
  w->trace = trace;
}

/* ---- both --------------------------------------------------------------------------------------- */

static void warn(const struct whole_run *w) {
  diag_warning(w->e->log, NULL, NOWHERE, "explore the model without reductions", "no trace for `%s`: %s",
               w->e->model->properties[w->property].id, w->reason);
}

/* In the guard of the result's arena. */
static floe_status give_up(const struct whole_run *w, floe_end why) {
  const char *id = w->e->model->properties[w->property].id;
  const struct second_pass_purpose purpose = {
      .missing = arena_printf(&w->e->result->arena, "no trace for `%s`", id),
      .activity = "checking the model as read",
  };
  second_pass_give_up(w->e, &purpose, why);
  return FLOE_OK;
}

static floe_status make(struct whole_run *w, void (*body)(void *data), const floe_trace **out) {
  floe_end why;
  *out = NULL;
  FLOE_TRY(whole_model_open(w->e, &why));
  if (why != FLOE_END_COMPLETE)
    return give_up(w, why);
  w->scratch = &w->e->whole->scratch;
  if (arena_guard(w->scratch, body, w) != 0)
    w->status = FLOE_ERROR_MEMORY;
  arena_free(w->scratch);
  arena_free(&w->e->whole->blocked);
  if (w->status == FLOE_OK && w->reason)
    warn(w);
  *out = w->trace;
  return w->status;
}

floe_status whole_trace(struct exploration *e, const struct trace_request *request, const floe_trace **out,
                        int64_t *depth) {
  const uint32_t property = request->property;
  const floe_property_kind kind = e->model->properties[property].kind;
  struct whole_run w = {.e = e,
                        .property = property,
                        .reduced = request->path,
                        .failing = request->failing,
                        .run = {.ends = kind == FLOE_DEADLOCK}};
  if (kind != FLOE_ERRORS || e->api_model->simplified) {
    FLOE_TRY(make(&w, make_trace, out));
    *depth = w.path.steps;
    return FLOE_OK;
  }
  w.reason = "the error is one of a step of the reduced model";
  warn(&w);
  *out = NULL;
  return FLOE_OK;
}

floe_status whole_trace_loop(struct exploration *e, const struct whole_loop *of, const floe_trace **out) {
  const struct path *const path = of->path;
  const size_t loop = of->loop;
  struct whole_run w = {.e = e,
                        .property = of->property,
                        .reduced = path,
                        .fairness = of->fairness,
                        .run = {.ends = loop == path->steps, .repeats = true, .loop = loop}};
  exploration_begin_traces(e, "reconstructing traces"); /* liveness_decide has ended those of states */
  const floe_status status = make(&w, make_loop, out);
  exploration_end_traces(e);
  return status;
}
