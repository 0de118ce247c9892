/* A graph as text. Its states are told in blocks, by all members at once; the caller writes the blocks of one round, in
   their order, while the others are at the next. */
#include "api/graph.h"

#include "core/mem.h"
#include "core/usage.h"
#include "engine/engine.h"
#include "step/bound.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define BLOCK_STATES 256
#define BLOCKS 8           /* for each member, in a round */
#define MOST_LABELS 100000 /* that are kept */
#define DIGITS 20

/* A text that grows. */
struct out {
  char *text;
  size_t n, capacity;
};

/* Part of an edge, as the format has it. */
struct piece {
  size_t length;
  char text[];
};

struct format {
  void (*begin)(const floe_graph *graph, struct out *out);
  /* Of the text of a label; has room for 2 * length + 32. */
  size_t (*piece)(const char *label, char *text);
  bool tells_states;
  char *(*edge)(char *to, uint64_t from, const struct piece *piece, uint64_t target);
  const char *end;
};

struct telling {
  uint64_t first;
  uint32_t states;
  struct out out;
};

struct round {
  struct telling *tellings; /* [writer->blocks] */
  unsigned count;
};

struct writer {
  floe_graph *graph;
  const struct format *format;
  FILE *stream;
  struct round rounds[2], *now, *before; /* told now; to be written */
  unsigned blocks;
  uint64_t told; /* states */
  atomic_uint next;
  atomic_bool no_memory;
  struct piece *_Atomic *pieces; /* of the firings whose text depends on nothing else; NULL: not kept */
  size_t *first_piece;           /* [transition_count] */
  pthread_mutex_t lock;          /* of the arena that they are in */
};

/* ---- text ------------------------------------------------------------------------------------ */

static char *room(struct out *out, size_t more) {
  if (out->capacity - out->n < more) {
    size_t capacity = 2 * out->capacity + more;
    char *text = mem_resize(out->text, capacity);
    if (!text)
      return NULL;
    out->text = text;
    out->capacity = capacity;
  }
  return out->text + out->n;
}

static char *put_text(char *to, const char *text) {
  size_t length = strlen(text);
  memcpy(to, text, length);
  return to + length;
}

static char *put_number(char *to, uint64_t number) {
  char digits[DIGITS];
  int n = DIGITS;
  do
    digits[--n] = (char)('0' + number % 10);
  while (number /= 10);
  memcpy(to, digits + n, (size_t)(DIGITS - n));
  return to + DIGITS - n;
}

/* Aldebaran's labels are quoted and know no escape. */
static char *put_aut_text(char *to, const char *text) {
  for (; *text; text++)
    *to++ = *text == '"' ? '\'' : (unsigned char)*text < ' ' ? ' ' : *text;
  return to;
}

static char *put_dot_text(char *to, const char *text) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      *to++ = '\\';
    *to++ = (unsigned char)*text < ' ' ? ' ' : *text;
  }
  return to;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Firings of broadcasts are told by who takes part, which depends on the state. */
static bool has_one_text(const struct transition *transition) {
  for (size_t i = 0; i < transition->participant_count; i++)
    if (transition->participants[i].taking_part)
      return false;
  return true;
}

static void make_pieces(void *data) {
  struct writer *writer = data;
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

struct question {
  struct writer *writer;
  struct graph_member *member;
  struct step_edge edge;
  struct arena *arena;
  const struct piece *piece;
  const floe_change *items;
};

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
  struct piece *piece = arena_alloc(question->arena, sizeof *piece + 2 * strlen(label) + 32);
  piece->length = question->writer->format->piece(label, piece->text);
  question->piece = piece;
}

/* In an arena of its own: what is rendered on the way is not kept. */
static void copy_piece(void *data) {
  struct question *question = data;
  struct piece *piece = arena_alloc(question->arena, sizeof *piece + question->piece->length);
  piece->length = question->piece->length;
  memcpy(piece->text, question->piece->text, piece->length);
  question->piece = piece;
}

/* NULL: no memory. Acquire and release: who finds a piece finds its text. Two members may make the same one: the
   texts are equal. */
static const struct piece *piece_of(struct writer *writer, struct graph_member *member, uint64_t state,
                                    struct step_edge edge) {
  floe_graph *graph = writer->graph;
  bool lasting = writer->pieces && has_one_text(&graph->model->transitions[edge.transition]);
  struct piece *_Atomic *place = lasting ? &writer->pieces[writer->first_piece[edge.transition] + edge.choice] : NULL;
  struct piece *there = lasting ? atomic_load_explicit(place, memory_order_acquire) : NULL;
  if (there)
    return there;
  struct question question = {.writer = writer, .member = member, .edge = edge, .arena = &member->passing};
  arena_free(&member->passing);
  layout_unpack(graph->model, graph->layout, graph_state(graph, state), member->before);
  if (arena_guard(&member->passing, tell, &question) != 0)
    return NULL;
  if (!lasting)
    return question.piece;
  question.arena = &graph->lasting;
  pthread_mutex_lock(&writer->lock);
  bool kept = arena_guard(&graph->lasting, copy_piece, &question) == 0;
  if (kept)
    atomic_store_explicit(place, (struct piece *)question.piece, memory_order_release);
  pthread_mutex_unlock(&writer->lock);
  return kept ? question.piece : NULL;
}

/* ---- formats --------------------------------------------------------------------------------- */

static void aut_begin(const floe_graph *graph, struct out *out) {
  char *to = put_text(out->text, "des (0, ");
  to = put_text(put_number(to, graph->transitions), ", ");
  out->n = (size_t)(put_text(put_number(to, graph->count), ")\n") - out->text);
}

static size_t aut_piece(const char *label, char *text) {
  return (size_t)(put_text(put_aut_text(put_text(text, ", \""), label), "\", ") - text);
}

static char *put_piece(char *to, const struct piece *piece) {
  memcpy(to, piece->text, piece->length);
  return to + piece->length;
}

static char *aut_edge(char *to, uint64_t from, const struct piece *piece, uint64_t target) {
  *to++ = '(';
  to = put_number(put_piece(put_number(to, from), piece), target);
  *to++ = ')';
  *to++ = '\n';
  return to;
}

static void dot_begin(const floe_graph *graph, struct out *out) {
  char *to = put_dot_text(put_text(out->text, "digraph \""), graph->model->name);
  out->n = (size_t)(put_text(to, "\" {\n  node [shape=circle];\n") - out->text);
}

static size_t dot_piece(const char *label, char *text) {
  return (size_t)(put_text(put_dot_text(put_text(text, " [label=\""), label), "\"];\n") - text);
}

static char *dot_edge(char *to, uint64_t from, const struct piece *piece, uint64_t target) {
  to = put_number(put_text(to, "  "), from);
  return put_piece(put_number(put_text(to, " -> "), target), piece);
}

static void tell_values(void *data) {
  struct question *question = data;
  question->items = render_state(&question->writer->graph->renderer, question->member->before, question->arena);
}

/* The values of the variables are the tool tip; a deadlock has two rings, the initial state is filled. */
static bool tell_state(struct writer *writer, struct graph_member *member, struct out *out, uint64_t number,
                       size_t degree) {
  floe_graph *graph = writer->graph;
  struct question question = {.writer = writer, .member = member, .arena = &member->passing};
  arena_free(&member->passing);
  layout_unpack(graph->model, graph->layout, graph_state(graph, number), member->before);
  if (arena_guard(&member->passing, tell_values, &question) != 0)
    return false;
  size_t length = 100;
  for (size_t i = 0; i < graph->renderer.item_count; i++)
    length += 2 * (strlen(question.items[i].name) + strlen(question.items[i].after)) + 8;
  char *to = room(out, length);
  if (!to)
    return false;
  to = put_text(put_number(put_text(to, "  "), number), " [");
  to = put_text(to, number == 0 ? "style=filled, " : "");
  to = put_text(put_text(to, degree == 0 ? "peripheries=2, " : ""), "tooltip=\"");
  for (size_t i = 0; i < graph->renderer.item_count; i++) {
    to = put_text(put_dot_text(to, question.items[i].name), " = ");
    to = put_text(put_dot_text(to, question.items[i].after), "\\n");
  }
  out->n = (size_t)(put_text(to, "\"];\n") - out->text);
  return true;
}

static const struct format formats[] = {
    [FLOE_GRAPH_AUT] = {aut_begin, aut_piece, false, aut_edge, ""},
    [FLOE_GRAPH_DOT] = {dot_begin, dot_piece, true, dot_edge, "}\n"},
};

/* ---- blocks ---------------------------------------------------------------------------------- */

/* States in a row whose successors a member holds. */
struct group {
  uint64_t first;
  size_t states, n;
  size_t degrees[BLOCK_STATES]; /* failing firings included */
};

static void expand_group(const floe_graph *graph, struct graph_member *member, struct group *group, uint64_t end) {
  const size_t room = graph_room(graph), most = graph->stepper->max_successors;
  group->n = group->states = 0;
  for (uint64_t i = group->first; i < end && group->n + most <= room; i++) {
    size_t n =
        graph->stepper->expand_one(graph->stepper, graph_state(graph, i),
                                   member->successors + group->n * graph->layout->words, member->edges + group->n);
    group->degrees[group->states++] = n;
    group->n += n;
  }
}

/* In passes, so that the memory is asked for many places at once. member->slots becomes the states' numbers. */
static void find_targets(const floe_graph *graph, struct graph_member *member, const struct group *group) {
  const uint32_t words = graph->layout->words;
  const uint64_t mask = graph->slot_count - 1;
  for (size_t i = 0; i < group->n; i++) {
    member->slots[i] = engine_state_mix(member->successors + i * words, words) & mask;
    __builtin_prefetch((const void *)&graph->slots[member->slots[i]]);
  }
  for (size_t i = 0; i < group->n; i++) {
    uint32_t held = atomic_load_explicit(&graph->slots[member->slots[i]], memory_order_relaxed);
    __builtin_prefetch(graph_state(graph, held ? held - 1 : 0));
  }
  for (size_t i = 0; i < group->n; i++) {
    uint64_t at = member->slots[i];
    uint32_t held;
    if (member->edges[i].site != NO_SITE)
      continue;
    while ((held = atomic_load_explicit(&graph->slots[at], memory_order_relaxed)) != 0 &&
           memcmp(graph_state(graph, held - 1), member->successors + i * words, words * sizeof(uint64_t)) != 0)
      at = (at + 1) & mask;
    assert(held > 0);
    member->slots[i] = held - 1;
  }
}

static bool tell_edge(struct writer *writer, struct graph_member *member, struct out *out, uint64_t from, size_t i) {
  if (member->edges[i].site != NO_SITE)
    return true;
  const struct piece *piece = piece_of(writer, member, from, member->edges[i]);
  char *to = piece ? room(out, piece->length + 2 * DIGITS + 16) : NULL;
  if (!to)
    return false;
  out->n = (size_t)(writer->format->edge(to, from, piece, member->slots[i]) - out->text);
  return true;
}

static bool tell_group(struct writer *writer, struct graph_member *member, const struct group *group, struct out *out) {
  size_t at = 0;
  for (size_t s = 0; s < group->states; s++) {
    const uint64_t number = group->first + s;
    if (writer->format->tells_states && !tell_state(writer, member, out, number, group->degrees[s]))
      return false;
    for (size_t end = at + group->degrees[s]; at < end; at++)
      if (!tell_edge(writer, member, out, number, at))
        return false;
  }
  return true;
}

static bool tell_block(struct writer *writer, struct graph_member *member, struct telling *telling) {
  struct group group = {.first = telling->first};
  const uint64_t end = telling->first + telling->states;
  telling->out.n = 0;
  for (; group.first < end; group.first += group.states) {
    expand_group(writer->graph, member, &group, end);
    find_targets(writer->graph, member, &group);
    if (!tell_group(writer, member, &group, &telling->out))
      return false;
  }
  return true;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void write_round(struct writer *writer, struct round *round) {
  for (unsigned i = 0; i < round->count && !ferror(writer->stream); i++)
    fwrite(round->tellings[i].out.text, 1, round->tellings[i].out.n, writer->stream);
  round->count = 0;
}

static void work(void *user, unsigned member) {
  struct writer *writer = user;
  unsigned i;
  if (member == 0)
    write_round(writer, writer->before);
  while ((i = atomic_fetch_add_explicit(&writer->next, 1, memory_order_relaxed)) < writer->now->count)
    if (!tell_block(writer, &writer->graph->members[member], &writer->now->tellings[i]))
      atomic_store_explicit(&writer->no_memory, true, memory_order_relaxed); /* read when the round is over */
}

static void deal(struct writer *writer) {
  struct round *round = writer->now;
  for (round->count = 0; round->count < writer->blocks && writer->told < writer->graph->count; round->count++) {
    const uint64_t left = writer->graph->count - writer->told;
    struct telling *telling = &round->tellings[round->count];
    telling->first = writer->told;
    telling->states = left < BLOCK_STATES ? (uint32_t)left : BLOCK_STATES;
    writer->told += telling->states;
  }
}

static floe_status write_states(struct writer *writer) {
  writer->now = &writer->rounds[0];
  writer->before = &writer->rounds[1];
  do {
    deal(writer);
    atomic_store_explicit(&writer->next, 0, memory_order_relaxed);
    if (writer->now->count > 1)
      graph_together(writer->graph, work, writer);
    else
      work(writer, 0);
    if (atomic_load_explicit(&writer->no_memory, memory_order_relaxed))
      return no_memory(writer->graph->log);
    struct round *told = writer->now;
    writer->now = writer->before;
    writer->before = told;
  } while (writer->before->count > 0 && !ferror(writer->stream));
  return FLOE_OK;
}

static floe_status write_all(struct writer *writer) {
  floe_graph *graph = writer->graph;
  struct out head = {0};
  if (arena_guard(&graph->lasting, make_pieces, writer) != 0 || !room(&head, 2 * strlen(graph->model->name) + 100))
    return no_memory(graph->log);
  writer->format->begin(graph, &head);
  fwrite(head.text, 1, head.n, writer->stream);
  mem_free(head.text);
  FLOE_TRY(write_states(writer));
  fputs(writer->format->end, writer->stream);
  return ferror(writer->stream) ? FLOE_ERROR_IO : FLOE_OK;
}

static void free_round(struct round *round, unsigned blocks) {
  for (unsigned i = 0; round->tellings && i < blocks; i++)
    mem_free(round->tellings[i].out.text);
  mem_free(round->tellings);
}

floe_status floe_graph_write(floe_graph *graph, floe_graph_format kind, FILE *stream) {
  if (!graph || !stream || graph->end != FLOE_END_COMPLETE || (unsigned)kind > FLOE_GRAPH_DOT)
    return FLOE_ERROR_USAGE;
  struct writer writer = {.graph = graph, .format = &formats[kind], .stream = stream};
  writer.blocks = graph->threads * BLOCKS;
  writer.rounds[0].tellings = mem_array(writer.blocks, sizeof(struct telling));
  writer.rounds[1].tellings = mem_array(writer.blocks, sizeof(struct telling));
  pthread_mutex_init(&writer.lock, NULL);
  floe_status status =
      writer.rounds[0].tellings && writer.rounds[1].tellings ? write_all(&writer) : no_memory(graph->log);
  pthread_mutex_destroy(&writer.lock);
  free_round(&writer.rounds[0], writer.blocks);
  free_round(&writer.rounds[1], writer.blocks);
  return status;
}
