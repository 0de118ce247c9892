/* The state graph of a model: all states in memory (src/api/graph/graph_search.c); its transitions are computed anew when
   they are written (src/api/graph/graph_write.c). */
#include "api/graph/graph.h"

#include "api/explore/settings.h"
#include "core/mem.h"
#include "core/interruptible.h"
#include "core/usage.h"
#include "model/successor_bound.h"
#include "step/compile/tiered_stepper.h"

#include <inttypes.h>
#include <string.h>

#define ROOM 512                 /* successors of several states, beside those of one */
#define SHARE 8                  /* the members' part of the memory is at most one of so many */
#define INTERPRETED_SECONDS 0.03 /* before the model is compiled: most are done by then */

/* ---- who works ------------------------------------------------------------------------------- */

size_t graph_room(const floe_graph *graph) { return graph->stepper->max_successors + ROOM; }

static size_t member_bytes(const floe_graph *graph) {
  return graph_room(graph) * (sizeof(struct step_edge) + sizeof(uint64_t) + graph->layout->words * sizeof(uint64_t));
}

static bool open_member(const floe_graph *graph, struct graph_member *member) {
  const size_t room = graph_room(graph), values = graph->model->value_count;
  arena_init(&member->passing);
  member->edges = mem_array(room, sizeof *member->edges);
  member->successors = mem_array(room, graph->layout->words * sizeof *member->successors);
  member->slots = mem_array(room, sizeof *member->slots);
  member->before = mem_array(values, sizeof *member->before);
  member->after = mem_array(values, sizeof *member->after);
  member->temps = mem_array(graph->most_temps, sizeof *member->temps);
  return member->edges && member->successors && member->slots && member->before && member->after && member->temps;
}

static void close_member(struct graph_member *member) {
  arena_free(&member->passing);
  mem_free(member->edges);
  mem_free(member->successors);
  mem_free(member->slots);
  mem_free(member->before);
  mem_free(member->after);
  mem_free(member->temps);
}

/* Fewer than the threads where memory ends, but always one. */
static floe_status open_first(floe_graph *graph) {
  const uint64_t most = graph->options.memory / SHARE / member_bytes(graph);
  graph->threads = most < graph->options.threads ? (unsigned)most : graph->options.threads;
  if (graph->threads < 1)
    graph->threads = 1;
  graph->members = mem_array(graph->threads, sizeof *graph->members);
  if (!graph->members)
    return FLOE_ERROR_MEMORY;
  graph->member_count = 1;
  return open_member(graph, &graph->members[0]) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* When there is work for them: small graphs are done by one. */
static void call_others(floe_graph *graph) {
  while (graph->member_count < graph->threads) {
    struct graph_member *member = &graph->members[graph->member_count];
    if (!open_member(graph, member)) {
      close_member(member);
      break;
    }
    graph->member_count++;
  }
  if (pool_create(graph->member_count, &graph->pool) != FLOE_OK)
    graph->threads = 1;
}

void graph_together(floe_graph *graph, void (*work)(void *user, unsigned member), void *user) {
  if (graph->threads > 1 && !graph->pool)
    call_others(graph);
  if (graph->pool)
    pool_run(graph->pool, work, user);
  else
    work(user, 0);
}

/* ---- creation -------------------------------------------------------------------------------- */

static size_t most_temps(const struct model *model) {
  size_t temps = 0;
  for (size_t i = 0; i < model->transition_count; i++)
    if (model->transitions[i].temp_count > temps)
      temps = model->transitions[i].temp_count;
  return temps;
}

struct making {
  floe_graph *graph;
  const floe_options *given;
  floe_status status;
};

static void prepare(void *data) {
  struct making *making = data;
  floe_graph *graph = making->graph;
  making->status = settings_resolve(making->given, &graph->lasting, graph->log, &graph->options);
  graph->most_temps = most_temps(graph->model);
  renderer_init(&graph->renderer, graph->model, &graph->lasting);
}

/* AUTO has nothing to say of a compiler that is missing; where compiled code is asked for, the log has a note. */
static floe_status make_stepper(floe_graph *graph) {
  const floe_options *options = &graph->options;
  const struct compile_options how = {options->compiler, options->cache_dir, &graph->stop};
  if (options->engine == FLOE_ENGINE_AUTO)
    return tiered_stepper_create(graph->model, graph->layout, &how, INTERPRETED_SECONDS, NULL, &graph->stepper);
  if (options->engine != FLOE_ENGINE_INTERPRETER) {
    floe_status status = compiled_create(graph->model, graph->layout, &how, graph->log, &graph->stepper);
    if (status != FLOE_ERROR_UNSUPPORTED)
      return status;
  }
  return interpreter_create(graph->model, graph->layout, &graph->stepper);
}

/* Who reads the graph does not see what is not in it. */
static void tell_failing(const floe_graph *graph) {
  if (graph->failing > 0)
    diag_warning(graph->log, NULL, NOWHERE, "floe check shows the first",
                 "steps that fail, %" PRIu64
                 " of them, are not in the graph, and what would follow them is not explored",
                 graph->failing);
}

static floe_status make(floe_graph *graph, const floe_options *options) {
  struct making making = {graph, options, FLOE_OK};
  if (arena_guard(&graph->lasting, prepare, &making) != 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(making.status);
  graph->stop.interrupt = interruptible_flag();
  if (graph->options.timeout > 0)
    graph->stop.deadline = graph->started + graph->options.timeout;
  FLOE_TRY(make_stepper(graph));
  FLOE_TRY(open_first(graph));
  FLOE_TRY(graph_search_run(graph));
  tell_failing(graph);
  return FLOE_OK;
}

floe_status floe_graph_create(floe_model *model, const floe_options *options, floe_log *log, floe_graph **out) {
  double started = clock_seconds();
  uint32_t bound;
  WANT(log, model);
  WANT(log, out);
  FLOE_TRY(floe_model_check(model, log));
  FLOE_TRY(successor_bound(model->model, log, &bound));
  floe_graph *graph = mem_alloc(sizeof *graph);
  if (!graph)
    return no_memory(log);
  graph->model = model->model;
  graph->layout = model->layout;
  graph->log = log;
  graph->started = started;
  arena_init(&graph->lasting);
  interruptible_begin();
  floe_status status = make(graph, options);
  interruptible_end();
  if (status == FLOE_OK)
    *out = graph;
  else
    floe_graph_free(graph);
  return status == FLOE_ERROR_MEMORY ? no_memory(log) : status;
}

void graph_drop_targets(floe_graph *graph) {
  mem_free(graph->targets);
  mem_free(graph->target_begins);
  graph->targets = NULL;
  graph->target_begins = NULL;
  graph->target_capacity = 0;
}

void floe_graph_free(floe_graph *graph) {
  if (!graph)
    return;
  pool_free(graph->pool);
  if (graph->stepper)
    graph->stepper->free(graph->stepper);
  for (unsigned i = 0; i < graph->member_count; i++)
    close_member(&graph->members[i]);
  mem_free(graph->members);
  mem_free(graph->states);
  mem_free(graph->slots);
  graph_drop_targets(graph);
  arena_free(&graph->lasting);
  mem_free(graph);
}

floe_end floe_graph_end(const floe_graph *graph) { return graph ? graph->end : FLOE_END_COMPLETE; }
uint64_t floe_graph_states(const floe_graph *graph) { return graph ? graph->count : 0; }
uint64_t floe_graph_transitions(const floe_graph *graph) { return graph ? graph->transitions : 0; }
