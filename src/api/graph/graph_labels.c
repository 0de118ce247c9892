/* The parts of lines that come again and again: labels and the items of states. Each is made once by the interpreter
   and kept by what it depends on. */
#include "api/graph/graph_write.h"

#include "model/successor_bound.h"

#include <string.h>

#define MOST_LABELS 100000    /* that are kept */
#define MOST_WORDS (1u << 20) /* that tell what labels depend on */
#define GROUP_BITS 10         /* of items that are told as one */
#define ITEM_ID (UINT64_C(1) << 63)

/* ---- what labels depend on ------------------------------------------------------------------- */

/* Firings of broadcasts are told by who takes part, which depends on the state. */
static bool has_one_text(const struct transition *transition) {
  for (size_t i = 0; i < transition->participant_count; i++)
    if (transition->participants[i].taking_part)
      return false;
  return true;
}

/* The temporary is set before anything is changed. */
static bool is_set_first(const struct transition *transition, uint32_t temp) {
  for (size_t i = 0; i < transition->statement_count && transition->statements[i].op == ST_LET; i++)
    if (transition->statements[i].id == temp)
      return true;
  return false;
}

static bool all_are_set_first(const struct transition *transition) {
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct expr *taking_part = transition->participants[i].taking_part;
    if (taking_part && !is_set_first(transition, taking_part->id))
      return false;
  }
  return true;
}

/* Who takes part, and where those are that have no label. */
static void add_label_bits(const floe_graph *graph, const struct transition *transition, struct state_bits *bits) {
  const struct model *model = graph->model;
  state_bits_init(bits, graph->layout, &((floe_graph *)graph)->lasting);
  for (size_t i = 0; i < transition->statement_count && transition->statements[i].op == ST_LET; i++)
    state_bits_add_reads(bits, model, graph->layout, transition->statements[i].value);
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct participant *who = &transition->participants[i];
    if (!model->edges[who->edge].label[0])
      state_bits_add(bits, graph->layout, model->processes[who->process].location_variable, who->instance);
  }
}

static void make_label_bits(struct writer *writer) {
  floe_graph *graph = writer->graph;
  const struct model *model = graph->model;
  size_t words = 0;
  writer->label_bits = arena_array(&graph->lasting, model->transition_count, sizeof *writer->label_bits);
  for (size_t i = 0; i < model->transition_count && words < MOST_WORDS; i++) {
    const struct transition *transition = &model->transitions[i];
    if (has_one_text(transition) || !all_are_set_first(transition))
      continue;
    add_label_bits(graph, transition, &writer->label_bits[i]);
    words += graph->layout->words;
  }
}

static void make_pieces(struct writer *writer) {
  const struct model *model = writer->graph->model;
  uint64_t labels = 0;
  writer->first_piece = arena_array(&writer->graph->lasting, model->transition_count, sizeof(size_t));
  for (size_t i = 0; i < model->transition_count && labels <= MOST_LABELS; i++) {
    writer->first_piece[i] = (size_t)labels;
    labels += transition_choices(&model->transitions[i]);
  }
  if (labels <= MOST_LABELS)
    writer->pieces = arena_array(&writer->graph->lasting, (size_t)labels, sizeof *writer->pieces);
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

/* Neighbours that have few bits together. */
static void make_groups(struct writer *writer) {
  floe_graph *graph = writer->graph;
  size_t cap = 0;
  for (size_t i = 0; i < graph->renderer.item_count; i++) {
    struct state_bits bits;
    struct item_group *last = writer->group_count ? &writer->groups[writer->group_count - 1] : NULL;
    state_bits_init(&bits, graph->layout, &graph->lasting);
    add_item(graph, &graph->renderer.items[i], &bits);
    if (last && state_bits_count(&last->bits) + state_bits_count(&bits) <= GROUP_BITS) {
      state_bits_join(&last->bits, &bits);
      last->end = i + 1;
    } else {
      *ARENA_PUSH(&graph->lasting, writer->groups, writer->group_count, cap) = (struct item_group){i, i + 1, bits};
    }
  }
}

void graph_parts_make(void *data) {
  struct writer *writer = data;
  make_pieces(writer);
  make_label_bits(writer);
  if (writer->format->item)
    make_groups(writer);
}

/* ---- labels ---------------------------------------------------------------------------------- */

struct question {
  struct writer *writer;
  struct graph_member *member;
  struct step_edge edge;
  struct arena *arena;
  const struct piece *piece;
};

static struct piece *new_piece(struct arena *arena, size_t length) {
  return arena_alloc(arena, sizeof(struct piece) + length + PIECE_PADDING);
}

/* Of a firing in the state member->before. */
static void tell(void *data) {
  struct question *question = data;
  struct graph_member *member = question->member;
  const floe_graph *graph = question->writer->graph;
  struct firing firing = {question->edge, member->before, member->after, member->temps, NULL};
  uint32_t site;
  memcpy(member->after, member->before, graph->model->value_count * sizeof *member->after);
  interpreter_fire(graph->model, question->edge.transition, question->edge.choice, member->after, member->temps, &site);
  const char *label = render_step(&graph->renderer, &firing, question->arena).action;
  struct piece *piece = new_piece(question->arena, 2 * strlen(label) + 32);
  piece->length = question->writer->format->piece(label, piece->text);
  question->piece = piece;
}

/* In an arena of its own: what is rendered on the way is not kept. */
static void copy_piece(void *data) {
  struct question *question = data;
  struct piece *piece = new_piece(question->arena, question->piece->length);
  piece->length = question->piece->length;
  memcpy(piece->text, question->piece->text, piece->length);
  question->piece = piece;
}

static bool tell_label(struct question *question, uint64_t state) {
  const floe_graph *graph = question->writer->graph;
  struct graph_member *member = question->member;
  arena_free(&member->passing);
  layout_unpack(graph->model, graph->layout, graph_state(graph, state), member->before);
  return arena_guard(&member->passing, tell, question) == 0;
}

/* Of the state, too. */
static const struct piece *label_of_state(struct writer *writer, struct graph_member *member, uint64_t state,
                                          struct step_edge edge) {
  const uint64_t id = (uint64_t)edge.transition << 32 | edge.choice;
  const struct state_bits *bits = &writer->label_bits[edge.transition];
  const bool known = bits->bits || has_one_text(&writer->graph->model->transitions[edge.transition]);
  const uint64_t *words = graph_state(writer->graph, state);
  const struct piece *there = known ? graph_texts_find(member->texts, id, words, bits) : NULL;
  if (there)
    return there;
  struct question question = {.writer = writer, .member = member, .edge = edge, .arena = &member->passing};
  if (!tell_label(&question, state))
    return NULL;
  if (known)
    graph_texts_keep(member->texts, id, words, bits, question.piece->text, question.piece->length);
  return question.piece;
}

/* Acquire and release: who finds a piece finds its text. Two members may make the same one: the texts are equal. */
const struct piece *graph_label(struct writer *writer, struct graph_member *member, uint64_t state,
                                struct step_edge edge) {
  floe_graph *graph = writer->graph;
  struct piece *_Atomic *place =
      writer->pieces ? &writer->pieces[writer->first_piece[edge.transition] + edge.choice] : NULL;
  struct piece *there = place ? atomic_load_explicit(place, memory_order_acquire) : NULL;
  if (there)
    return there;
  if (!place || !has_one_text(&graph->model->transitions[edge.transition]))
    return label_of_state(writer, member, state, edge);
  struct question question = {.writer = writer, .member = member, .edge = edge, .arena = &member->passing};
  if (!tell_label(&question, state))
    return NULL;
  question.arena = &graph->lasting;
  pthread_mutex_lock(&writer->lock);
  bool kept = arena_guard(&graph->lasting, copy_piece, &question) == 0;
  if (kept)
    atomic_store_explicit(place, (struct piece *)question.piece, memory_order_release);
  pthread_mutex_unlock(&writer->lock);
  return kept ? question.piece : NULL;
}

/* ---- items ----------------------------------------------------------------------------------- */

struct item_question {
  struct writer *writer;
  struct graph_member *member;
  const struct item_group *group;
  struct piece *piece;
};

/* Of the state member->before. */
static void tell_group_of_items(void *data) {
  struct item_question *question = data;
  const struct item_group *group = question->group;
  const struct renderer *renderer = &question->writer->graph->renderer;
  struct arena *arena = &question->member->passing;
  const char **values = arena_array(arena, group->end - group->first, sizeof *values);
  size_t length = 0;
  for (size_t i = group->first; i < group->end; i++) {
    values[i - group->first] = render_item(renderer, i, question->member->before, arena);
    length += 2 * (strlen(renderer->items[i].name) + strlen(values[i - group->first])) + 8;
  }
  question->piece = new_piece(arena, length);
  char *to = question->piece->text;
  for (size_t i = group->first; i < group->end; i++)
    to = question->writer->format->item(to, renderer->items[i].name, values[i - group->first]);
  question->piece->length = (size_t)(to - question->piece->text);
}

static const struct piece *items_of(struct writer *writer, struct graph_member *member, size_t group, uint64_t state) {
  floe_graph *graph = writer->graph;
  const uint64_t *words = graph_state(graph, state);
  const struct state_bits *bits = &writer->groups[group].bits;
  const struct piece *there = graph_texts_find(member->texts, ITEM_ID | group, words, bits);
  if (there)
    return there;
  struct item_question question = {writer, member, &writer->groups[group], NULL};
  arena_free(&member->passing);
  layout_unpack(graph->model, graph->layout, words, member->before);
  if (arena_guard(&member->passing, tell_group_of_items, &question) != 0)
    return NULL;
  graph_texts_keep(member->texts, ITEM_ID | group, words, bits, question.piece->text, question.piece->length);
  return question.piece;
}

bool graph_items(struct writer *writer, struct graph_member *member, uint64_t state, struct out *out) {
  for (size_t i = 0; i < writer->group_count; i++) {
    const struct piece *piece = items_of(writer, member, i, state);
    char *to = piece ? room(out, piece->length) : NULL;
    if (!to)
      return false;
    memcpy(to, piece->text, piece->length);
    out->n += piece->length;
  }
  return true;
}
