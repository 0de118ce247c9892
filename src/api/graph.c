/* The state graph of a model: all states in memory, numbered breadth first; its transitions are
   computed anew when they are written. */
#include "api/api.h"
#include "api/render.h"
#include "api/settings.h"
#include "core/mem.h"
#include "core/running.h"
#include "core/usage.h"
#include "engine/engine.h"
#include "step/bound.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define FIRST_STATES 1024
#define MOST_STATES UINT32_MAX
#define LOOK_EVERY 1024    /* states, between two looks at clock and interrupt */
#define MOST_LABELS 100000 /* that are kept */

struct floe_graph {
  const struct model *model;
  const struct layout *layout;
  floe_options options;
  floe_log *log;
  double started;
  struct arena lasting; /* options, labels, arrays */
  struct renderer renderer;
  struct stepper *stepper;
  uint64_t *successors;
  struct step_edge *edges; /* both [max_successors] */
  uint64_t *states;        /* [count][words] */
  uint64_t count, capacity;
  uint32_t *slots;               /* [2 * capacity], number of a state and 1; 0: empty */
  uint64_t transitions, failing; /* firings, and those that fail */
  bool ended;
  floe_end end;
  int64_t *before, *after, *temps;
  const char **labels;  /* of the firings whose text depends on nothing else; NULL: not kept */
  size_t *first_label;  /* [transition_count] */
  struct arena passing; /* the text in work */
};

/* ---- the states ------------------------------------------------------------------------------ */

static uint64_t *state_at(const floe_graph *graph, uint64_t number) {
  return graph->states + number * graph->layout->words;
}

static uint64_t hash(const floe_graph *graph, const uint64_t *state) {
  return engine_state_mix(state, graph->layout->words);
}

/* The slot of a state, or the empty one where it belongs. */
static uint32_t *find(const floe_graph *graph, const uint64_t *state) {
  uint64_t mask = 2 * graph->capacity - 1;
  uint64_t at = hash(graph, state) & mask;
  size_t bytes = graph->layout->words * sizeof *state;
  while (graph->slots[at] && memcmp(state_at(graph, graph->slots[at] - 1), state, bytes) != 0)
    at = (at + 1) & mask;
  return &graph->slots[at];
}

static uint64_t bytes_for(const floe_graph *graph, uint64_t capacity) {
  return capacity * (graph->layout->words * sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

static bool grow(floe_graph *graph) {
  uint64_t capacity = graph->capacity ? 2 * graph->capacity : FIRST_STATES;
  uint32_t words = graph->layout->words;
  if (bytes_for(graph, capacity) + bytes_for(graph, graph->capacity) > graph->options.memory)
    return false;
  uint64_t *states = mem_resize(graph->states, capacity * words * sizeof *states);
  if (states)
    graph->states = states;
  uint32_t *slots = mem_array(2 * capacity, sizeof *slots);
  if (!states || !slots) {
    mem_free(slots);
    return false;
  }
  mem_free(graph->slots);
  graph->slots = slots;
  graph->capacity = capacity;
  for (uint64_t i = 0; i < graph->count; i++)
    *find(graph, state_at(graph, i)) = (uint32_t)i + 1;
  return true;
}

static bool add(floe_graph *graph, const uint64_t *state) {
  if (graph->count == graph->capacity && (graph->count == MOST_STATES || !grow(graph)))
    return false;
  uint32_t *slot = find(graph, state);
  if (*slot)
    return true;
  memcpy(state_at(graph, graph->count), state, graph->layout->words * sizeof *state);
  *slot = (uint32_t)++graph->count;
  return true;
}

static void finish(floe_graph *graph, floe_end end) {
  graph->ended = true;
  graph->end = end;
}

static void look_around(floe_graph *graph) {
  if (running_interrupted())
    finish(graph, FLOE_END_INTERRUPT);
  else if (graph->options.timeout > 0 && clock_seconds() - graph->started >= graph->options.timeout)
    finish(graph, FLOE_END_TIMEOUT);
}

static size_t expand(floe_graph *graph, uint64_t number) {
  return graph->stepper->expand_one(graph->stepper, state_at(graph, number), graph->successors, graph->edges);
}

static void add_successors(floe_graph *graph, uint64_t number) {
  size_t n = expand(graph, number);
  for (size_t i = 0; i < n && !graph->ended; i++) {
    if (graph->edges[i].site != NO_SITE) {
      graph->failing++; /* it leads nowhere */
      continue;
    }
    graph->transitions++;
    if (!add(graph, graph->successors + i * graph->layout->words))
      finish(graph, FLOE_END_MEMORY);
  }
  if (graph->count > graph->options.max_states && !graph->ended)
    finish(graph, FLOE_END_STATES);
}

static void search(floe_graph *graph) {
  uint64_t next = 0;
  for (; next < graph->count && !graph->ended; next++) {
    if (next % LOOK_EVERY == 0)
      look_around(graph);
    if (!graph->ended)
      add_successors(graph, next);
  }
}

/* Who reads the graph does not see what is not in it. */
static void tell_failing(const floe_graph *graph) {
  if (graph->failing > 0)
    diag_warning(graph->log, NULL, NOWHERE, "floe check shows the first",
                 "steps that fail, %" PRIu64
                 " of them, are not in the graph, and what would follow them is not explored",
                 graph->failing);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Firings of broadcasts are told by who takes part, which depends on the state. */
static bool has_one_text(const struct transition *transition) {
  for (size_t i = 0; i < transition->participant_count; i++)
    if (transition->participants[i].taking_part)
      return false;
  return true;
}

static void make_labels(floe_graph *graph) {
  const struct model *model = graph->model;
  uint64_t labels = 0;
  graph->first_label = arena_array(&graph->lasting, model->transition_count, sizeof(size_t));
  for (size_t i = 0; i < model->transition_count && labels <= MOST_LABELS; i++) {
    graph->first_label[i] = (size_t)labels;
    labels += transition_choices(&model->transitions[i]);
  }
  if (labels <= MOST_LABELS)
    graph->labels = arena_array(&graph->lasting, (size_t)labels, sizeof *graph->labels);
}

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
  struct arena *arena = &graph->lasting;
  const struct model *model = graph->model;
  making->status = settings_resolve(making->given, arena, graph->log, &graph->options);
  graph->before = arena_array(arena, model->value_count, sizeof *graph->before);
  graph->after = arena_array(arena, model->value_count, sizeof *graph->after);
  graph->temps = arena_array(arena, most_temps(model), sizeof *graph->temps);
  renderer_init(&graph->renderer, model, arena);
  make_labels(graph);
}

static floe_status make_stepper(floe_graph *graph) {
  FLOE_TRY(interpreter_create(graph->model, graph->layout, &graph->stepper));
  size_t most = graph->stepper->max_successors;
  graph->successors = mem_array(most, graph->layout->words * sizeof *graph->successors);
  graph->edges = mem_array(most, sizeof *graph->edges);
  return graph->successors && graph->edges ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status make(floe_graph *graph, const floe_options *options) {
  struct making making = {graph, options, FLOE_OK};
  if (arena_guard(&graph->lasting, prepare, &making) != 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(making.status);
  FLOE_TRY(make_stepper(graph));
  if (!grow(graph))
    return FLOE_ERROR_MEMORY;
  layout_initial(graph->model, graph->layout, graph->successors);
  add(graph, graph->successors);
  search(graph);
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
  arena_init(&graph->passing);
  running_begin();
  floe_status status = make(graph, options);
  running_end();
  if (status == FLOE_OK)
    *out = graph;
  else
    floe_graph_free(graph);
  return status == FLOE_ERROR_MEMORY ? no_memory(log) : status;
}

void floe_graph_free(floe_graph *graph) {
  if (!graph)
    return;
  if (graph->stepper)
    graph->stepper->free(graph->stepper);
  mem_free(graph->successors);
  mem_free(graph->edges);
  mem_free(graph->states);
  mem_free(graph->slots);
  arena_free(&graph->passing);
  arena_free(&graph->lasting);
  mem_free(graph);
}

floe_end floe_graph_end(const floe_graph *graph) { return graph ? graph->end : FLOE_END_COMPLETE; }
uint64_t floe_graph_states(const floe_graph *graph) { return graph ? graph->count : 0; }
uint64_t floe_graph_transitions(const floe_graph *graph) { return graph ? graph->transitions : 0; }

/* ---- labels ---------------------------------------------------------------------------------- */

struct question {
  floe_graph *graph;
  struct step_edge edge;
  const char *label;
  const floe_change *items;
};

static const char *tell(floe_graph *graph, struct step_edge edge, struct arena *arena) {
  struct firing firing = {edge, graph->before, graph->after, graph->temps, NULL};
  uint32_t site;
  memcpy(graph->after, graph->before, graph->model->value_count * sizeof *graph->after);
  interpreter_fire(graph->model, edge.transition, edge.choice, graph->after, graph->temps, &site);
  return render_step(&graph->renderer, &firing, arena).action;
}

static void tell_lasting(void *data) {
  struct question *question = data;
  question->label = tell(question->graph, question->edge, &question->graph->lasting);
}

static void tell_passing(void *data) {
  struct question *question = data;
  question->label = tell(question->graph, question->edge, &question->graph->passing);
}

/* Of a firing in the state graph->before. NULL: no memory. */
static const char *label_of(floe_graph *graph, struct step_edge edge) {
  struct question question = {.graph = graph, .edge = edge};
  if (!graph->labels || !has_one_text(&graph->model->transitions[edge.transition])) {
    arena_free(&graph->passing);
    return arena_guard(&graph->passing, tell_passing, &question) == 0 ? question.label : NULL;
  }
  const char **label = &graph->labels[graph->first_label[edge.transition] + edge.choice];
  if (!*label && arena_guard(&graph->lasting, tell_lasting, &question) == 0)
    *label = question.label;
  return *label;
}

static void tell_values(void *data) {
  struct question *question = data;
  floe_graph *graph = question->graph;
  question->items = render_state(&graph->renderer, graph->before, &graph->passing);
}

/* ---- formats --------------------------------------------------------------------------------- */

/* Aldebaran's labels are quoted and know no escape. */
static void put_aut_text(FILE *stream, const char *text) {
  for (; *text; text++)
    putc(*text == '"' ? '\'' : (unsigned char)*text < ' ' ? ' ' : *text, stream);
}

static void put_dot_text(FILE *stream, const char *text) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      putc('\\', stream);
    putc((unsigned char)*text < ' ' ? ' ' : *text, stream);
  }
}

static void aut_begin(floe_graph *graph, FILE *stream) {
  fprintf(stream, "des (0, %" PRIu64 ", %" PRIu64 ")\n", graph->transitions, graph->count);
}

static bool aut_state(floe_graph *graph, FILE *stream, uint64_t number, size_t degree) {
  (void)graph, (void)stream, (void)number, (void)degree;
  return true;
}

static void aut_edge(FILE *stream, uint64_t from, const char *label, uint64_t to) {
  fprintf(stream, "(%" PRIu64 ", \"", from);
  put_aut_text(stream, label);
  fprintf(stream, "\", %" PRIu64 ")\n", to);
}

static void nothing(FILE *stream) { (void)stream; }

static void dot_begin(floe_graph *graph, FILE *stream) {
  fputs("digraph \"", stream);
  put_dot_text(stream, graph->model->name);
  fputs("\" {\n  node [shape=circle];\n", stream);
}

/* The values of the variables are the tool tip; a deadlock has two rings, the initial state is
 * filled. */
static bool dot_state(floe_graph *graph, FILE *stream, uint64_t number, size_t degree) {
  struct question question = {.graph = graph};
  arena_free(&graph->passing);
  if (arena_guard(&graph->passing, tell_values, &question) != 0)
    return false;
  fprintf(stream, "  %" PRIu64 " [%s%stooltip=\"", number, number == 0 ? "style=filled, " : "",
          degree == 0 ? "peripheries=2, " : "");
  for (size_t i = 0; i < graph->renderer.item_count; i++) {
    put_dot_text(stream, question.items[i].name);
    fputs(" = ", stream);
    put_dot_text(stream, question.items[i].after);
    fputs("\\n", stream);
  }
  fputs("\"];\n", stream);
  return true;
}

static void dot_edge(FILE *stream, uint64_t from, const char *label, uint64_t to) {
  fprintf(stream, "  %" PRIu64 " -> %" PRIu64 " [label=\"", from, to);
  put_dot_text(stream, label);
  fputs("\"];\n", stream);
}

static void dot_end(FILE *stream) { fputs("}\n", stream); }

struct format {
  void (*begin)(floe_graph *graph, FILE *stream);
  bool (*state)(floe_graph *graph, FILE *stream, uint64_t number, size_t degree); /* false: no memory */
  void (*edge)(FILE *stream, uint64_t from, const char *label, uint64_t to);
  void (*end)(FILE *stream);
};

static const struct format formats[] = {
    [FLOE_GRAPH_AUT] = {aut_begin, aut_state, aut_edge, nothing},
    [FLOE_GRAPH_DOT] = {dot_begin, dot_state, dot_edge, dot_end},
};

static floe_status write_state(floe_graph *graph, const struct format *format, FILE *stream, uint64_t number) {
  size_t n = expand(graph, number);
  layout_unpack(graph->model, graph->layout, state_at(graph, number), graph->before);
  if (!format->state(graph, stream, number, n))
    return no_memory(graph->log);
  for (size_t i = 0; i < n; i++) {
    if (graph->edges[i].site != NO_SITE)
      continue;
    const char *label = label_of(graph, graph->edges[i]);
    if (!label)
      return no_memory(graph->log);
    uint32_t to = *find(graph, graph->successors + i * graph->layout->words);
    assert(to > 0);
    format->edge(stream, number, label, to - 1);
  }
  return FLOE_OK;
}

floe_status floe_graph_write(floe_graph *graph, floe_graph_format kind, FILE *stream) {
  if (!graph || !stream || graph->end != FLOE_END_COMPLETE || (unsigned)kind > FLOE_GRAPH_DOT)
    return FLOE_ERROR_USAGE;
  const struct format *format = &formats[kind];
  format->begin(graph, stream);
  for (uint64_t i = 0; i < graph->count && !ferror(stream); i++)
    FLOE_TRY(write_state(graph, format, stream, i));
  format->end(stream);
  return ferror(stream) ? FLOE_ERROR_IO : FLOE_OK;
}
