/* State graph of a model: all states in memory (src/api/graph/graph_search.c). Its transitions are not stored, but
   computed again when they are written (src/api/graph/graph_write.c). */
#include "api/graph/graph.h"

#include "api/explore/make_stepper.h"
#include "api/explore/settings.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"
#include "model/guess.h"
#include "model/transitions/successor_bound.h"

#include <inttypes.h>
#include <string.h>

#define EXTRA_SUCCESSORS 512 /* in the buffers of a thread, beside those of one state */
#define SHARE 8              /* the buffers of all threads take at most 1 / SHARE of the memory */

/* ---- threads --------------------------------------------------------------------------------- */

size_t graph_buffer_length(const floe_graph *graph) { return graph->stepper->max_successors + EXTRA_SUCCESSORS; }

static size_t buffer_bytes(const floe_graph *graph) {
  return graph_buffer_length(graph) *
         (sizeof(struct step_edge) + sizeof(uint64_t) + graph->layout->words * sizeof(uint64_t));
}

static bool open_worker(const floe_graph *graph, struct graph_thread *worker) {
  const size_t room = graph_buffer_length(graph), values = graph->model->value_count;
  arena_init(&worker->scratch);
  worker->edges = mem_array(room, sizeof *worker->edges);
  worker->successors = mem_array(room, graph->layout->words * sizeof *worker->successors);
  worker->slots = mem_array(room, sizeof *worker->slots);
  worker->before = mem_array(values, sizeof *worker->before);
  worker->after = mem_array(values, sizeof *worker->after);
  worker->temps = mem_array(graph->most_temps, sizeof *worker->temps);
  return worker->edges && worker->successors && worker->slots && worker->before && worker->after && worker->temps;
}

static void close_worker(struct graph_thread *worker) {
  arena_free(&worker->scratch);
  mem_free(worker->edges);
  mem_free(worker->successors);
  mem_free(worker->slots);
  mem_free(worker->before);
  mem_free(worker->after);
  mem_free(worker->temps);
}

/* Sets the number of threads, fewer if memory is short, and allocates the buffers of the first. */
static floe_status open_first_worker(floe_graph *graph) {
  const uint64_t most = graph->options.memory / SHARE / buffer_bytes(graph);
  graph->threads = most < graph->options.threads ? (unsigned)most : graph->options.threads;
  if (graph->threads < 1)
    graph->threads = 1;
  graph->workers = mem_array(graph->threads, sizeof *graph->workers);
  if (!graph->workers)
    return FLOE_ERROR_MEMORY;
  graph->worker_count = 1;
  return open_worker(graph, &graph->workers[0]) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* Small graphs need a single thread. */
static void open_other_workers(floe_graph *graph) {
  while (graph->worker_count < graph->threads) {
    struct graph_thread *worker = &graph->workers[graph->worker_count];
    if (!open_worker(graph, worker)) {
      close_worker(worker);
      break;
    }
    graph->worker_count++;
  }
  if (pool_create(graph->worker_count, &graph->pool) != FLOE_OK)
    graph->threads = 1;
}

void graph_parallel(floe_graph *graph, void (*work)(void *user, unsigned worker), void *user) {
  if (graph->threads > 1 && !graph->pool)
    open_other_workers(graph);
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

struct graph_creation {
  floe_graph *graph;
  const floe_options *given;
  floe_status status;
};

static void resolve_options(void *data) {
  struct graph_creation *creation = data;
  floe_graph *graph = creation->graph;
  creation->status = settings_resolve(creation->given, &graph->permanent, graph->log, &graph->options);
  graph->most_temps = most_temps(graph->model);
  renderer_init(&graph->renderer, graph->model, &graph->permanent);
  renderer_add_names(&graph->renderer, &graph->permanent);
}

/* The graph itself does not show that steps are missing. */
static void log_failing(const floe_graph *graph) {
  if (graph->failing > 0)
    diag_warning(graph->log, NULL, NOWHERE, "'floe check' shows the first failing step",
                 "failing steps (%" PRIu64 ") and their successors are not in the graph", graph->failing);
}

static floe_status build(floe_graph *graph, const floe_options *options) {
  struct graph_creation creation = {graph, options, FLOE_OK};
  if (arena_guard(&graph->permanent, resolve_options, &creation) != 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(creation.status);
  graph->stop.interrupt = interruptible_flag();
  if (graph->options.timeout > 0)
    graph->stop.deadline = graph->started + graph->options.timeout;
  if (graph->options.engine == FLOE_ENGINE_GPU)
    graph->options.engine = FLOE_ENGINE_CPU;
  /* With AUTO a missing compiler is no message; with the CPU engine the log has a note. */
  FLOE_TRY(make_stepper(&graph->options, graph->model, graph->layout, &graph->stop,
                        graph->options.engine == FLOE_ENGINE_AUTO ? NULL : graph->log, &graph->stepper));
  FLOE_TRY(open_first_worker(graph));
  return graph_search_run(graph);
}

static floe_status create(floe_model *model, const floe_options *options, double started, floe_log *log,
                          floe_graph **out) {
  uint32_t bound;
  FLOE_TRY(floe_model_check(model, log));
  FLOE_TRY(successor_bound(model->model, log, &bound));
  floe_graph *graph = mem_alloc(sizeof *graph);
  if (!graph)
    return no_memory(log);
  graph->model = model->model;
  graph->layout = model->layout;
  graph->log = log;
  graph->started = started;
  arena_init(&graph->permanent);
  interruptible_begin();
  floe_status status = build(graph, options);
  interruptible_end();
  if (status == FLOE_OK)
    *out = graph;
  else
    floe_graph_free(graph);
  return status == FLOE_ERROR_MEMORY ? no_memory(log) : status;
}

/* If steps fail because a range was guessed too small: again, with the next guess. */
floe_status floe_graph_create(floe_model *model, const floe_options *options, floe_log *log, floe_graph **out) {
  const double started = clock_seconds();
  floe_graph *graph;
  REQUIRE(log, model);
  REQUIRE(log, out);
  FLOE_TRY(create(model, options, started, log, &graph));
  while (graph->failing > 0 && graph->model->guess) {
    const struct guess guess = *guess_of_error(graph->model, graph->failed_site); /* texts of the checked model */
    floe_graph_free(graph);
    FLOE_TRY(model_set_guess(model, guess.constant, guess.next, log));
    FLOE_TRY(create(model, options, started, log, &graph));
  }
  log_failing(graph);
  *out = graph;
  return FLOE_OK;
}

void graph_drop_targets(floe_graph *graph) {
  mem_free(graph->targets.list);
  mem_free(graph->targets.begins);
  graph->targets.list = NULL;
  graph->targets.begins = NULL;
  graph->targets.capacity = 0;
}

void floe_graph_free(floe_graph *graph) {
  if (!graph)
    return;
  pool_free(graph->pool);
  if (graph->stepper)
    graph->stepper->free(graph->stepper);
  for (unsigned i = 0; i < graph->worker_count; i++)
    close_worker(&graph->workers[i]);
  mem_free(graph->workers);
  mem_free(graph->states);
  mem_free(graph->slots);
  graph_drop_targets(graph);
  arena_free(&graph->permanent);
  mem_free(graph);
}

floe_end floe_graph_end(const floe_graph *graph) { return graph ? graph->end : FLOE_END_COMPLETE; }
uint64_t floe_graph_states(const floe_graph *graph) { return graph ? graph->count : 0; }
uint64_t floe_graph_transitions(const floe_graph *graph) { return graph ? graph->transitions : 0; }
