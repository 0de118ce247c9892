/* Verdicts on temporal properties, after the search of the model: for each property the product of the model and the
   automaton of its negation is explored, and its states are searched for an accepting cycle. One is a violation; a
   second search of the product finds the path to it. If GPUs explored the model, the first of them decides; the CPU, if
   that GPU cannot. */
#include "api/explore/explore.h"
#include "api/explore/first_part.h"
#include "api/explore/second_pass.h"
#include "api/liveness/lasso.h"
#include "api/liveness/product_checkpoint.h"
#include "api/liveness/vacuity.h"
#include "api/processes.h"
#include "api/trace/fair_run.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "engine/cycles/attempts.h"
#include "engine/cycles/depth_first.h"
#include "gpu/jit/gpu_api.h"
#include "model/build.h"
#include "model/property_kind.h"
#include "model/temporal/product.h"
#include "model/temporal/transient_states.h"
#include "model/temporal/violating_runs.h"
#include "step/arcs/arc_stepper.h"
#include "tables/table.h"

#include <string.h>

uint64_t liveness_first_attempt = CYCLE_ATTEMPTS_FROM;
uint64_t liveness_first_round = UINT64_C(1) << 16;

#define ROUND_GROWTH 8
#define MOST_DEPTH_FIRST (UINT64_C(1) << 21)      /* states: 100 MB or more */
#define VERDICT_ATTEMPTS_FROM (UINT64_C(1) << 10) /* where only verdicts matter: no trace depends on the attempts */

/* Bounds of searches of products. */
struct round {
  uint64_t most;        /* states; UINT64_MAX: all */
  uint64_t depth_first; /* states of the depth-first search before; 0: none */
  int properties;
};

/* The search of one property. */
struct liveness {
  struct exploration *e; /* of the model */
  uint32_t property;
  floe_verdict *verdict;
  floe_model product; /* a copy of e->api_model, with the product */
  floe_options options;
  struct exploration search;
  struct checkpoint_reader *from; /* the checkpoint that the search continues; NULL: none */
  floe_log *log; /* of the searches of the product: a compilation beside one writes to it when the search is closed */
  struct fairness fairness;
  bool finds_states; /* the product has all reachable states of the model, and properties for its antecedents */
  uint64_t reached;  /* mask of these properties; all, if it has not */
  struct round round;
  bool ended;         /* by its bound, without a verdict */
  floe_status status; /* of a guarded part */
};

/* ---- automata ------------------------------------------------------------------------------------- */

static const struct property *property_of(const struct exploration *e, uint32_t number) {
  return &e->model->properties[number];
}

/* Of the option, the property, or the model. False: the option is wrong, logged. */
static bool fairness_of(const struct exploration *e, uint32_t number, struct arena *arena, struct fairness *out) {
  return fairness_of_list(e->model, number, e->options.fairness, arena, e->log, out);
}

/* NULL: it is too large, logged. */
static const struct automaton *automaton_of(const struct exploration *e, uint32_t number, struct arena *arena) {
  const struct property *property = property_of(e, number);
  const struct automaton *automaton = violating_runs(property->temporal, arena);
  if (automaton && product_degree(automaton) <= PRODUCT_MAX_DEGREE)
    return automaton;
  diag_error(e->log, e->model->source, property->at, "divide it into several properties",
             "the automaton of property '%s' is too large", property->id);
  return NULL;
}

struct automaton_call {
  const struct exploration *e;
  struct arena arena;
  bool done;
};

/* False: a reason is logged. */
static bool can_decide(const struct exploration *e, uint32_t number, struct arena *arena) {
  const struct property *property = property_of(e, number);
  const struct automaton *automaton = automaton_of(e, number, arena);
  struct fairness fairness;
  if (!automaton || !fairness_of(e, number, arena, &fairness))
    return false;
  if (automaton->sets + fairness.count <= PRODUCT_MAX_CONDITIONS)
    return true;
  diag_error(e->log, e->model->source, property->at, "name processes, instances or labels: --fair='weak Client'",
             "property '%s' has %zu constraints of fairness; at most %zu are possible", property->id, fairness.count,
             (size_t)(PRODUCT_MAX_CONDITIONS - automaton->sets));
  return false;
}

static void make_automata(void *data) {
  struct automaton_call *call = data;
  call->done = true;
  for (uint32_t i = 0; call->done && i < call->e->model->property_count; i++)
    if (call->e->temporal_mask >> i & 1)
      call->done = can_decide(call->e, i, &call->arena);
}

static floe_status check_automata(const struct exploration *e) {
  struct automaton_call call = {.e = e};
  arena_init(&call.arena);
  const int guard = arena_guard(&call.arena, make_automata, &call);
  arena_free(&call.arena);
  return guard != 0 ? no_memory(e->log) : call.done ? FLOE_OK : FLOE_ERROR_UNSUPPORTED;
}

floe_status liveness_check(const struct exploration *e) {
  if (processes_comm()) {
    diag_error(e->log, NULL, NOWHERE, "run one process, or select the other properties",
               "an MPI job cannot decide temporal properties");
    return FLOE_ERROR_USAGE;
  }
  if (chooses_in_first_only(e->model)) {
    diag_error(e->log, NULL, NOWHERE, "select the other properties with --property",
               "temporal properties of models with selects in deterministic sequences cannot be decided");
    return FLOE_ERROR_UNSUPPORTED;
  }
  return check_automata(e);
}

/* ---- searches of the product ---------------------------------------------------------------------- */

static bool on_gpu(const struct liveness *l) { return l->options.engine == FLOE_ENGINE_GPU; }

/* The first GPU that explored the model, if any did. A host-backed set has no numbers of keys. */
static void choose_engine(struct liveness *l) {
  const struct exploration *e = l->e;
  if (e->device.gpus.count > 0 && !e->host_backed && e->engine == engine_gpu.name) {
    l->options.engine = FLOE_ENGINE_GPU;
    l->options.gpu_device = gpu_information(e->device.gpus.gpu[0])->number;
  } else if (l->options.engine == FLOE_ENGINE_GPU) {
    l->options.engine = FLOE_ENGINE_CPU;
  }
}

/* Options of the caller, for a search without files but the product's checkpoint (set_checkpoint). */
static void set_options(struct liveness *l) {
  const floe_options *given = l->e->given_options;
  floe_options_init(&l->options);
  if (given)
    memcpy(&l->options, given, given->struct_size < sizeof l->options ? given->struct_size : sizeof l->options);
  l->options.struct_size = sizeof l->options;
  choose_engine(l);
  l->options.keep_going = true; /* states of antecedents end nothing */
  l->options.count_only = false;
  l->options.traces = false;
  l->options.properties = NULL;
  l->options.explain_unfired = false;
  l->options.measures = false;
  l->options.decided = NULL;
  l->options.visited_order = NULL;
  l->options.checkpoint = NULL;
  l->options.devices = NULL;
  l->options.expected_states = 0;
  l->options.max_states = on_gpu(l) ? UINT64_MAX : l->round.most; /* that of the caller bounds states of the model */
  if (l->e->host_backed /* of GPUs */ || !table_traits(l->e->options.table)->stable) {
    l->options.table = l->options.permutation = NULL;
    l->options.slot_bits = l->options.bucket_slots = 0;
    l->options.initial_slots = 0;
  }
}

/* Neither a trace, nor a hint, nor vacuity. */
static bool only_verdict(const struct liveness *l) { return l->e->options.decide_all && !l->e->options.traces; }

/* The time that the timeout leaves; false: none. */
static bool set_timeout(struct liveness *l) {
  if (l->e->options.timeout == 0)
    return true;
  l->options.timeout = l->e->started + l->e->options.timeout - clock_seconds();
  return l->options.timeout > 0;
}

static const char *checkpoint_of(const struct exploration *e) {
  return e->options.checkpoint && *e->options.checkpoint ? e->options.checkpoint : NULL;
}

/* The product is checked. */
static void set_checkpoint(void *data) {
  struct liveness *l = data;
  const struct exploration *e = l->e;
  struct arena *arena = &l->product.checked_arena;
  const struct product_checkpoint resumed = {.file = e->checkpoint.file,
                                             .property = property_of(e, l->property)->id,
                                             .product = &l->product,
                                             .max_depth = e->options.max_depth,
                                             .arena = arena,
                                             .log = e->log};
  if (checkpoint_of(e))
    l->options.checkpoint = product_checkpoint_path(checkpoint_of(e), resumed.property, arena);
  if (!e->checkpoint.from)
    return;
  floe_encoding encoding;
  l->status = product_checkpoint_open(&resumed, &l->from, &encoding);
  if (l->from)
    l->options.encoding = encoding;
}

static void use_model(floe_model *wrapper, const struct model *model) {
  wrapper->model = model;
  wrapper->index_keys = NULL;
  wrapper->no_index_keys = false;
  wrapper->index_key_bits = NULL;
  wrapper->variable_names = describe_variables(model, &wrapper->checked_arena);
}

static void make_product(void *data) {
  struct liveness *l = data;
  struct arena *arena = &l->product.checked_arena;
  const struct automaton *automaton = automaton_of(l->e, l->property, arena);
  const bool made = automaton && fairness_of(l->e, l->property, arena, &l->fairness);
  l->status = made ? FLOE_OK : FLOE_ERROR_UNSUPPORTED;
  if (!made)
    return;
  const struct temporal *temporal = property_of(l->e, l->property)->temporal;
  const struct product_atoms atoms = {temporal->atoms, temporal->taken};
  const struct model *product =
      product_create(l->e->model, automaton, &atoms, &l->fairness, !l->e->options.ignore_finite_runs, arena);
  l->finds_states = !only_verdict(l) && permits_all_runs(automaton, arena);
  use_model(&l->product, l->finds_states ? vacuity_add_properties(product, temporal, arena) : product);
  l->status = layout_make(l->product.model, arena, &l->product.layout);
}

static floe_status guarded(struct liveness *l, struct arena *arena, void (*body)(void *data)) {
  l->status = FLOE_OK;
  return arena_guard(arena, body, l) != 0 ? no_memory(l->e->log) : l->status;
}

/* Without memory to start, or interrupted before, the property is undecided. */
static floe_status search_once(struct liveness *l) {
  FLOE_TRY(floe_log_create(&l->log));
  l->search = (struct exploration){.part = PART_PRODUCT,
                                   .api_model = &l->product,
                                   .given_options = &l->options,
                                   .log = l->log,
                                   .checkpoint = {.from = l->from, .product = property_of(l->e, l->property)->id},
                                   .without_gpus = true}; /* unless the options name one */
  l->search.only_existence = only_verdict(l);
  if (!l->e->options.keep_going)
    l->search.first_attempt = only_verdict(l) && liveness_first_attempt > VERDICT_ATTEMPTS_FROM
                                  ? VERDICT_ATTEMPTS_FROM
                                  : liveness_first_attempt;
  floe_status status = explore_open(&l->search);
  if (status == FLOE_OK)
    status = explore_search(&l->search);
  (status == FLOE_ERROR_MEMORY ? diag_pass_on_as_warnings : diag_pass_on)(l->log, l->e->log);
  floe_log_clear(l->log);
  l->search.log = l->e->log;
  return status;
}

static void close_search(struct liveness *l) {
  explore_close(&l->search);
  if (l->log)
    diag_pass_on(l->log, l->e->log);
  floe_log_free(l->log);
  l->log = NULL;
}

/* The GPU has no memory for the product, or for its passes, without the host's. */
static bool gpu_is_too_small(const struct liveness *l, floe_status status) {
  const struct engine_outcome *o = &l->search.outcome;
  if (status != FLOE_OK)
    return status == FLOE_ERROR_MEMORY;
  return o->end == FLOE_END_MEMORY || o->cycles.status == FLOE_ERROR_MEMORY ||
         o->cycles.status == FLOE_ERROR_UNSUPPORTED;
}

static floe_status search_product(struct liveness *l) {
  const floe_status status = search_once(l);
  if (!on_gpu(l) || !gpu_is_too_small(l, status) || !set_timeout(l))
    return status;
  diag_note(l->e->log, NULL, NOWHERE, NULL, "property '%s' is decided on the CPU: the GPU's memory does not suffice",
            property_of(l->e, l->property)->id);
  l->options.engine = FLOE_ENGINE_CPU;
  close_search(l);
  return search_once(l);
}

/* ---- the depth-first search ------------------------------------------------------------------------ */

/* A quarter of the property's part of the time that is left, if that is limited. */
static double depth_first_deadline(const struct liveness *l) {
  const double now = clock_seconds();
  const double left = l->e->started + l->e->options.timeout - now;
  return l->e->options.timeout > 0 ? now + left / (4 * l->round.properties) : 0;
}

static enum depth_first_result search_depth_first(const struct liveness *l) {
  struct depth_first_task task = {.model = l->product.model,
                                  .layout = l->product.layout,
                                  .most = l->round.depth_first,
                                  .stop = {.interrupt = interruptible_flag(), .deadline = depth_first_deadline(l)}};
  struct stepper *stepper;
  if (arc_stepper_create(task.model, task.layout, &stepper) != FLOE_OK)
    return DEPTH_FIRST_UNKNOWN;
  task.stepper = stepper;
  const enum depth_first_result result = depth_first_search(&task);
  stepper->free(stepper);
  return result;
}

/* Where only verdicts matter, and the model needs no compiler: a long run is found before all shorter ones. */
static bool decide_depth_first(struct liveness *l) {
  if (!only_verdict(l) || l->round.depth_first == 0 || l->options.engine == FLOE_ENGINE_INTERPRETER)
    return false;
  const enum depth_first_result result = search_depth_first(l);
  if (result == DEPTH_FIRST_UNKNOWN)
    return false;
  l->verdict->undecided = FLOE_UNDECIDED_NONE;
  l->verdict->value = result == DEPTH_FIRST_CYCLE ? property_kinds[FLOE_LTL].found : property_kinds[FLOE_LTL].absent;
  l->verdict->satisfied = result == DEPTH_FIRST_NONE;
  l->e->first_part.reached[l->property] = l->reached = UINT64_MAX;
  return true;
}

/* ---- the trace ------------------------------------------------------------------------------------ */

/* The path to the first state of the cycle. */
struct prefix {
  struct liveness *liveness;
  floe_model model; /* the product, with a property of the temporal one's name that the state has */
  struct exploration search;
  struct arena scratch;
  const floe_trace *trace;
  floe_status status;
};

/* All elements of the state have these values. */
static const struct expr *is_state(struct builder *b, const struct model *model, const int64_t *values) {
  const struct expr **equal = arena_array(b->arena, model->value_count + (size_t)1, sizeof *equal);
  size_t n = 0;
  equal[n++] = build_const(b, 1);
  for (uint32_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; model->variables[v].assigned && i < model->variables[v].count; i++) {
      const struct expr *read = build_read(b, NOWHERE, v, build_const(b, i));
      equal[n++] = build_binary(b, EXPR_EQ, NOWHERE, read, build_const(b, values[model->variables[v].first + i]));
    }
  return build_all(b, EXPR_AND, NOWHERE, equal, n);
}

static void add_goal(void *data) {
  struct prefix *p = data;
  const struct exploration *search = &p->liveness->search;
  struct arena *arena = &p->model.checked_arena;
  struct model *model = arena_alloc(arena, sizeof *model);
  struct property *properties = arena_array(arena, 2, sizeof *properties);
  int64_t *values = arena_array(arena, search->model->value_count, sizeof *values);
  *model = *search->model;
  struct builder b = {.arena = arena, .source = model->source, .model = model, .here = NOWHERE};
  build_start(&b);
  key_values(search->model, search->layout, search->outcome.cycles.cycle->states, values);
  properties[0] = (struct property){.id = property_of(p->liveness->e, p->liveness->property)->id,
                                    .description = "",
                                    .kind = FLOE_REACHABLE,
                                    .expr = is_state(&b, model, values),
                                    .text = "",
                                    .at = NOWHERE};
  properties[1] = search->model->properties[search->model->property_count - 1];
  model->properties = properties;
  model->property_count = 2;
  use_model(&p->model, model);
}

static void make_lasso(void *data) {
  struct prefix *p = data;
  struct liveness *l = p->liveness;
  const struct lasso_request request = {.e = l->e,
                                        .property = l->property,
                                        .product = l->search.model,
                                        .fairness = &l->fairness,
                                        .prefix = p->search.outcome.paths,
                                        .cycle = l->search.outcome.cycles.cycle,
                                        .scratch = &p->scratch};
  p->status = lasso_trace(&request, &p->trace);
}

static void make_lasso_in_result(void *data) {
  struct prefix *p = data;
  if (arena_guard(&p->scratch, make_lasso, p) != 0)
    p->status = FLOE_ERROR_MEMORY;
}

static floe_status search_prefix(struct prefix *p, floe_options *options) {
  const char *const id = property_of(p->liveness->e, p->liveness->property)->id;
  *options = p->liveness->options;
  options->keep_going = false;
  options->traces = true;
  options->checkpoint = NULL;
  options->properties = &id;
  options->property_count = 1;
  options->timeout = 0;    /* the path has the time of traces */
  if (on_gpu(p->liveness)) /* most paths are short */
    options->engine = FLOE_ENGINE_AUTO;
  p->search = (struct exploration){
      .part = PART_PREFIX, .api_model = &p->model, .given_options = options, .log = p->liveness->e->log};
  FLOE_TRY(explore_open(&p->search));
  return explore_paths(&p->search);
}

static floe_status trace_from(struct prefix *p) {
  struct exploration *e = p->liveness->e;
  floe_options options;
  p->status = FLOE_OK;
  if (arena_guard(&p->model.checked_arena, add_goal, p) != 0)
    return no_memory(e->log);
  FLOE_TRY(search_prefix(p, &options));
  if (!p->search.outcome.paths || !p->search.outcome.paths->edges)
    return FLOE_OK; /* a warning is logged */
  if (arena_guard(&e->result->arena, make_lasso_in_result, p) != 0 || p->status == FLOE_ERROR_MEMORY)
    return no_memory(e->log);
  if (p->status == FLOE_ERROR_MODEL)
    return p->status; /* of the model as read, if this one is reduced; logged */
  if (p->status != FLOE_OK)
    return second_pass_wrong(e->log, "the interpreter does not confirm the trace of a temporal property");
  if (!p->trace) /* a warning is logged */
    return FLOE_OK;
  p->liveness->verdict->trace = p->trace;
  p->liveness->verdict->depth = (int64_t)floe_trace_steps(p->trace);
  return FLOE_OK;
}

static floe_status add_trace(struct liveness *l) {
  struct prefix p = {.liveness = l, .model = l->product};
  if (!l->search.outcome.cycles.cycle || !l->e->options.traces)
    return FLOE_OK;
  arena_init(&p.model.checked_arena);
  arena_init(&p.scratch);
  const floe_status status = trace_from(&p);
  explore_close(&p.search);
  arena_free(&p.scratch);
  arena_free(&p.model.checked_arena);
  return status;
}

/* ---- verdicts ------------------------------------------------------------------------------------- */

static void set_undecided(struct liveness *l, floe_undecided why) {
  l->verdict->value = FLOE_UNDECIDED;
  l->verdict->undecided = why;
}

static void judge(struct liveness *l) {
  const struct engine_outcome *o = &l->search.outcome;
  l->verdict->undecided = FLOE_UNDECIDED_NONE;
  l->ended = o->end == FLOE_END_STATES && !o->cycles.exists && l->options.max_states != UINT64_MAX;
  if (o->cycles.exists) {
    l->verdict->value = property_kinds[FLOE_LTL].found;
  } else if (o->end != FLOE_END_COMPLETE || o->cycles.status != FLOE_OK) {
    set_undecided(l, FLOE_UNDECIDED_PRODUCT);
  } else if (o->firing_failed) {
    set_undecided(l, FLOE_UNDECIDED_STEP);
  } else {
    l->verdict->value = property_kinds[FLOE_LTL].absent;
    l->verdict->satisfied = true;
  }
}

/* Mask of the product's properties that were reached. */
static uint64_t reached_states(const struct engine_outcome *o) {
  uint64_t mask = 0;
  for (size_t i = 0; i < o->property_count; i++)
    mask |= (uint64_t)o->violations[i].violation << i;
  return mask;
}

static void note_product(struct liveness *l) {
  struct exploration_first_part *first = &l->e->first_part;
  judge(l);
  l->reached = l->finds_states ? reached_states(&l->search.outcome) : UINT64_MAX;
  if (first->bounded)
    first->reached[l->property] = l->reached;
}

/* The list with which it holds: that of the property, and what the search of the set found. Where transitions are
   merged, a process may be enabled in all states that are left. */
static const char *holds_fairness(const struct liveness *l, struct arena *arena) {
  const struct outcome_cycles *cycles = &l->search.outcome.cycles;
  const struct model *model = l->e->model;
  const char *list = l->fairness.text, *const kind = cycles->fair_strong ? "strong" : "weak";
  const bool merged = l->e->api_model->simplified && l->e->api_model->simplified->merged;
  if (merged || l->verdict->value != FLOE_VIOLATED || !cycles->fair_processes || l->search.outcome.firing_failed)
    return "";
  const char *const start = *list ? arena_printf(arena, "%s, ", list) : "";
  if (cycles->fair_processes == acceptance_mask((uint32_t)model->process_count))
    return arena_printf(arena, "%s%s", start, kind);
  list = start;
  for (size_t i = 0; i < model->process_count; i++)
    if (cycles->fair_processes >> i & 1)
      list = arena_printf(arena, "%s%s%s %s", list, list == start ? "" : ", ", kind, model->processes[i].name);
  return list;
}

static void describe_vacuity(struct liveness *l) {
  const struct temporal *temporal = property_of(l->e, l->property)->temporal;
  vacuity_describe(&(struct vacuity_request){l->e, temporal, &l->fairness, l->reached}, l->verdict);
}

static void describe_fairness(void *data) {
  struct liveness *l = data;
  struct arena *arena = &l->e->result->arena;
  l->verdict->fairness = arena_copy(arena, l->fairness.text, strlen(l->fairness.text));
  l->verdict->holds_fairness = holds_fairness(l, arena);
  describe_vacuity(l);
}

static floe_status decide_by_levels(struct liveness *l) {
  floe_status status = guarded(l, &l->product.checked_arena, set_checkpoint);
  if (status == FLOE_OK)
    status = set_timeout(l) ? search_product(l) : FLOE_ERROR_INTERRUPTED;
  l->e->outcome.checkpoint_failed = l->e->outcome.checkpoint_failed || l->search.outcome.checkpoint_failed;
  if (status == FLOE_OK)
    note_product(l);
  else if (status == FLOE_ERROR_MEMORY || status == FLOE_ERROR_INTERRUPTED)
    set_undecided(l, FLOE_UNDECIDED_PRODUCT);
  else /* FLOE_ERROR_IO would mean that the model's checkpoint is damaged */
    return l->e->checkpoint.from && status == FLOE_ERROR_IO ? FLOE_ERROR_USAGE : status;
  return FLOE_OK;
}

static floe_status decide(struct liveness *l) {
  FLOE_TRY(guarded(l, &l->product.checked_arena, make_product));
  if (!decide_depth_first(l))
    FLOE_TRY(decide_by_levels(l));
  if (l->verdict->value != FLOE_UNDECIDED && l->e->options.decided)
    l->e->options.decided(l->verdict->property.id, l->verdict->value, l->e->options.user);
  FLOE_TRY(guarded(l, &l->e->result->arena, describe_fairness));
  return l->verdict->value == FLOE_VIOLATED ? add_trace(l) : FLOE_OK;
}

static bool is_known(const struct exploration *e) {
  return e->outcome.end == FLOE_END_COMPLETE || e->first_part.bounded;
}

static void describe_vacuity_again(void *data) {
  struct liveness *l = data;
  if (fairness_of(l->e, l->property, &l->e->result->arena, &l->fairness))
    describe_vacuity(l);
}

/* The verdict that was found when the first part of the model was known. If its conditions can fail, it needs the rest
   of the states, too. */
static floe_status confirm(struct exploration *e, const floe_verdict *first, uint32_t property, floe_verdict *verdict) {
  struct liveness l = {.e = e, .property = property, .verdict = verdict};
  const floe_property own = verdict->property;
  *verdict = *first;
  verdict->property = own;
  if (!verdict->satisfied)
    return FLOE_OK;
  if (e->outcome.failed >> property & 1)
    set_undecided(&l, FLOE_UNDECIDED_EVALUATION);
  else if (e->outcome.end != FLOE_END_COMPLETE && property_is_evaluated(property_of(e, property)))
    set_undecided(&l, FLOE_UNDECIDED_END);
  verdict->satisfied = verdict->value == FLOE_HOLDS;
  l.reached = e->first_part.reached[property];
  return guarded(&l, &e->result->arena, describe_vacuity_again);
}

/* *ended: the bound ended the search. */
static floe_status decide_one(struct exploration *e, uint32_t property, floe_verdict *verdict, struct round round,
                              bool *ended) {
  const floe_verdict *const first = first_part_verdict(e, property);
  struct liveness l = {.e = e, .property = property, .verdict = verdict, .product = *e->api_model, .round = round};
  *ended = false;
  if (first)
    return confirm(e, first, property, verdict);
  verdict->satisfied = false;
  set_options(&l);
  if (e->outcome.failed >> property & 1) {
    set_undecided(&l, FLOE_UNDECIDED_EVALUATION);
    return FLOE_OK;
  }
  if (!is_known(e) || !set_timeout(&l)) {
    set_undecided(&l, is_known(e) ? FLOE_UNDECIDED_PRODUCT : FLOE_UNDECIDED_END);
    return FLOE_OK;
  }
  arena_init(&l.product.checked_arena);
  const floe_status status = decide(&l);
  close_search(&l);
  checkpoint_close(l.from);
  arena_free(&l.product.checked_arena);
  *ended = l.ended;
  return status;
}

/* Properties of the mask; then those that the bound has left undecided. */
static floe_status decide_round(struct exploration *e, struct round round, uint64_t *mask) {
  const uint64_t properties = *mask;
  size_t next = 0;
  *mask = 0;
  for (uint32_t i = 0; i < e->model->property_count; i++) {
    bool ended;
    if (!(properties >> i & 1))
      continue;
    while (strcmp(e->result->verdicts[next].property.id, e->model->properties[i].id) != 0)
      next++;
    FLOE_TRY(decide_one(e, i, &e->result->verdicts[next], round, &ended));
    *mask |= (uint64_t)ended << i;
  }
  return FLOE_OK;
}

/* Rounds with larger bounds: a property with a large product does not take the time of the others. All rounds but the
   last one explore at most a seventh of its states. */
static floe_status decide_in_rounds(struct exploration *e) {
  struct round round = {.most = liveness_first_round, .depth_first = 2 * liveness_first_round};
  uint64_t left = e->temporal_mask;
  if (checkpoint_of(e) || e->checkpoint.from) /* a checkpoint is continued once */
    round = (struct round){.most = UINT64_MAX};
  while (left) {
    round.properties = __builtin_popcountll(left);
    if (round.properties == 1 || round.most > UINT64_MAX / ROUND_GROWTH)
      round.most = UINT64_MAX;
    FLOE_TRY(decide_round(e, round, &left));
    round.most *= ROUND_GROWTH;
    round.depth_first = 2 * round.most < MOST_DEPTH_FIRST ? 2 * round.most : 0;
  }
  return FLOE_OK;
}

floe_status liveness_decide(struct exploration *e) {
  if (!e->temporal_mask)
    return FLOE_OK;
  exploration_end_traces(e);
  if (e->engine == engine_gpu.name && e->host_backed)
    diag_note(e->log, NULL, NOWHERE, NULL,
              "temporal properties are decided on the CPU: a host-backed visited set cannot decide them");
  return decide_in_rounds(e);
}
