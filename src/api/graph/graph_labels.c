/* Repeated parts of lines: labels of edges and items of states. Each is formatted once by the interpreter and stored
   under the part of the state that it depends on. */
#include "api/graph/graph_write.h"

#include "model/transitions/successor_bound.h"

#include <string.h>

#define MOST_LABELS 100000    /* stored labels */
#define MOST_WORDS (1u << 20) /* of label_bits */
#define RUN_BITS 10           /* of a run of items */
#define ITEM_ID (UINT64_C(1) << 63)

/* ---- what labels depend on ------------------------------------------------------------------- */

/* The label of a broadcast contains its participants, which depend on the state. */
static bool has_fixed_label(const struct transition *transition) {
  for (size_t i = 0; i < transition->participant_count; i++)
    if (transition->participants[i].participates)
      return false;
  return true;
}

/* The temporary is set before the state changes. */
static bool is_set_first(const struct transition *transition, uint32_t temp) {
  for (size_t i = 0; i < transition->statement_count && transition->statements[i].op == ST_LET; i++)
    if (transition->statements[i].id == temp)
      return true;
  return false;
}

static bool all_are_set_first(const struct transition *transition) {
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct expr *participates = transition->participants[i].participates;
    if (participates && !is_set_first(transition, participates->id))
      return false;
  }
  return true;
}

/* The label depends on the participants, and on the locations of those without a label. */
static void add_label_bits(const floe_graph *graph, const struct transition *transition, struct state_bits *bits) {
  const struct model *model = graph->model;
  state_bits_init(bits, graph->layout, &((floe_graph *)graph)->permanent);
  for (size_t i = 0; i < transition->statement_count && transition->statements[i].op == ST_LET; i++)
    state_bits_add_reads(bits, model, graph->layout, transition->statements[i].value);
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct participant *participant = &transition->participants[i];
    if (!model->edges[participant->edge].label[0])
      state_bits_add(bits, graph->layout, model->processes[participant->process].location_variable,
                     participant->instance);
  }
}

static void make_label_bits(struct writer *writer) {
  floe_graph *graph = writer->graph;
  const struct model *model = graph->model;
  size_t words = 0;
  writer->label_bits = arena_array(&graph->permanent, model->transition_count, sizeof *writer->label_bits);
  for (size_t i = 0; i < model->transition_count && words < MOST_WORDS; i++) {
    const struct transition *transition = &model->transitions[i];
    if (has_fixed_label(transition) || !all_are_set_first(transition))
      continue;
    add_label_bits(graph, transition, &writer->label_bits[i]);
    words += graph->layout->words;
  }
}

static void make_pieces(struct writer *writer) {
  const struct model *model = writer->graph->model;
  uint64_t labels = 0;
  writer->first_piece = arena_array(&writer->graph->permanent, model->transition_count, sizeof(size_t));
  for (size_t i = 0; i < model->transition_count && labels <= MOST_LABELS; i++) {
    writer->first_piece[i] = (size_t)labels;
    labels += transition_choices(&model->transitions[i]);
  }
  if (labels <= MOST_LABELS)
    writer->pieces = arena_array(&writer->graph->permanent, (size_t)labels, sizeof *writer->pieces);
}

/* ---- what items depend on -------------------------------------------------------------------- */

static void add_channel(const floe_graph *graph, const struct channel *channel, uint32_t element,
                        struct state_bits *bits) {
  for (size_t f = 0; f < channel->field_count; f++)
    for (uint32_t i = 0; i < channel->capacity; i++)
      state_bits_add(bits, graph->layout, channel->field_variables[f], element * channel->capacity + i);
}

static void add_item(const floe_graph *graph, const struct render_item *item, struct state_bits *bits) {
  const struct variable *variable = &graph->model->variables[item->variable];
  state_bits_add(bits, graph->layout, item->variable, item->element);
  if (variable->kind == VARIABLE_LENGTH)
    add_channel(graph, &graph->model->channels[variable->owner], item->element, bits);
}

/* Joins consecutive items that have few bits together. */
static void make_item_runs(struct writer *writer) {
  floe_graph *graph = writer->graph;
  size_t cap = 0;
  for (size_t i = 0; i < graph->renderer.item_count; i++) {
    struct state_bits bits;
    struct item_run *last = writer->item_run_count ? &writer->item_runs[writer->item_run_count - 1] : NULL;
    state_bits_init(&bits, graph->layout, &graph->permanent);
    add_item(graph, &graph->renderer.items[i], &bits);
    if (last && state_bits_count(&last->bits) + state_bits_count(&bits) <= RUN_BITS) {
      state_bits_join(&last->bits, &bits);
      last->end = i + 1;
    } else {
      *ARENA_PUSH(&graph->permanent, writer->item_runs, writer->item_run_count, cap) =
          (struct item_run){i, i + 1, bits};
    }
  }
}

void graph_dependencies_find(void *data) {
  struct writer *writer = data;
  make_pieces(writer);
  make_label_bits(writer);
  if (writer->format->item)
    make_item_runs(writer);
}

/* ---- labels ---------------------------------------------------------------------------------- */

struct label_job {
  struct writer *writer;
  struct graph_thread *worker;
  struct step_edge edge;
  struct arena *arena;
  const struct piece *piece;
};

static struct piece *new_piece(struct arena *arena, size_t length) {
  return arena_alloc(arena, sizeof(struct piece) + length + PIECE_PADDING);
}

/* Label of a firing in the state worker->before. */
static void make_label(void *data) {
  struct label_job *job = data;
  struct graph_thread *worker = job->worker;
  const floe_graph *graph = job->writer->graph;
  struct firing firing = {job->edge, worker->before, worker->after, worker->temps, NULL};
  uint32_t site;
  memcpy(worker->after, worker->before, graph->model->value_count * sizeof *worker->after);
  interpreter_fire(graph->model, job->edge.transition, job->edge.choice, worker->after, worker->temps, &site);
  const char *label = render_step(&graph->renderer, &firing, job->arena).action;
  struct piece *piece = new_piece(job->arena, 3 * strlen(label) + 32);
  piece->length = job->writer->format->piece(label, piece->text);
  job->piece = piece;
}

/* To another arena, without the intermediate texts. */
static void copy_piece(void *data) {
  struct label_job *job = data;
  struct piece *piece = new_piece(job->arena, job->piece->length);
  piece->length = job->piece->length;
  memcpy(piece->text, job->piece->text, piece->length);
  job->piece = piece;
}

static bool make_label_in_state(struct label_job *job, uint64_t state) {
  const floe_graph *graph = job->writer->graph;
  struct graph_thread *worker = job->worker;
  arena_free(&worker->scratch);
  layout_unpack(graph->model, graph->layout, graph_state(graph, state), worker->before);
  return arena_guard(&worker->scratch, make_label, job) == 0;
}

/* A label that depends on the state. */
static const struct piece *label_of_state(struct writer *writer, struct graph_thread *worker, uint64_t state,
                                          struct step_edge edge) {
  const uint64_t id = (uint64_t)edge.transition << 32 | edge.choice;
  const struct state_bits *bits = &writer->label_bits[edge.transition];
  const bool known = bits->bits || has_fixed_label(&writer->graph->model->transitions[edge.transition]);
  const uint64_t *words = graph_state(writer->graph, state);
  const struct piece *there = known ? graph_texts_find(worker->texts, id, words, bits) : NULL;
  if (there)
    return there;
  struct label_job job = {.writer = writer, .worker = worker, .edge = edge, .arena = &worker->scratch};
  if (!make_label_in_state(&job, state))
    return NULL;
  if (known)
    graph_texts_keep(worker->texts, id, words, bits, job.piece->text, job.piece->length);
  return job.piece;
}

/* Acquire and release: a thread that finds a piece sees its text. Two threads may make the same one, with equal texts.
 */
const struct piece *graph_label(struct writer *writer, struct graph_thread *worker, uint64_t state,
                                struct step_edge edge) {
  floe_graph *graph = writer->graph;
  struct piece *_Atomic *place =
      writer->pieces ? &writer->pieces[writer->first_piece[edge.transition] + edge.choice] : NULL;
  struct piece *there = place ? atomic_load_explicit(place, memory_order_acquire) : NULL;
  if (there)
    return there;
  if (!place || !has_fixed_label(&graph->model->transitions[edge.transition]))
    return label_of_state(writer, worker, state, edge);
  struct label_job job = {.writer = writer, .worker = worker, .edge = edge, .arena = &worker->scratch};
  if (!make_label_in_state(&job, state))
    return NULL;
  job.arena = &graph->permanent;
  pthread_mutex_lock(&writer->lock);
  bool kept = arena_guard(&graph->permanent, copy_piece, &job) == 0;
  if (kept)
    atomic_store_explicit(place, (struct piece *)job.piece, memory_order_release);
  pthread_mutex_unlock(&writer->lock);
  return kept ? job.piece : NULL;
}

/* ---- items ----------------------------------------------------------------------------------- */

struct item_job {
  struct writer *writer;
  struct graph_thread *worker;
  const struct item_run *run;
  struct piece *piece;
};

/* Text of a run in the state worker->before. */
static void make_run_text(void *data) {
  struct item_job *job = data;
  const struct item_run *run = job->run;
  const struct renderer *renderer = &job->writer->graph->renderer;
  struct arena *arena = &job->worker->scratch;
  const char **values = arena_array(arena, run->end - run->first, sizeof *values);
  size_t length = 0;
  for (size_t i = run->first; i < run->end; i++) {
    values[i - run->first] = render_item(renderer, i, job->worker->before, arena);
    length += 2 * (strlen(renderer->items[i].name) + strlen(values[i - run->first])) + 8;
  }
  job->piece = new_piece(arena, length);
  char *to = job->piece->text;
  for (size_t i = run->first; i < run->end; i++)
    to = job->writer->format->item(to, renderer->items[i].name, values[i - run->first]);
  job->piece->length = (size_t)(to - job->piece->text);
}

static const struct piece *items_of(struct writer *writer, struct graph_thread *worker, size_t run, uint64_t state) {
  floe_graph *graph = writer->graph;
  const uint64_t *words = graph_state(graph, state);
  const struct state_bits *bits = &writer->item_runs[run].bits;
  const struct piece *there = graph_texts_find(worker->texts, ITEM_ID | run, words, bits);
  if (there)
    return there;
  struct item_job job = {writer, worker, &writer->item_runs[run], NULL};
  arena_free(&worker->scratch);
  layout_unpack(graph->model, graph->layout, words, worker->before);
  if (arena_guard(&worker->scratch, make_run_text, &job) != 0)
    return NULL;
  graph_texts_keep(worker->texts, ITEM_ID | run, words, bits, job.piece->text, job.piece->length);
  return job.piece;
}

bool graph_items(struct writer *writer, struct graph_thread *worker, uint64_t state, struct out *out) {
  for (size_t i = 0; i < writer->item_run_count; i++) {
    const struct piece *piece = items_of(writer, worker, i, state);
    char *to = piece ? reserve(out, piece->length) : NULL;
    if (!to)
      return false;
    memcpy(to, piece->text, piece->length);
    out->n += piece->length;
  }
  return true;
}
