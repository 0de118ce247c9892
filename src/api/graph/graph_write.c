/* A graph as text. Its states are told in blocks, by all members at once; the caller writes the blocks of one round, in
   their order, while the others are at the next. */
#include "api/graph/graph_write.h"

#include "base/utf8.h"
#include "core/mem.h"
#include "core/usage.h"
#include "engine/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define BLOCK_STATES TARGET_STATES
#define BLOCKS 8 /* for each member, in a round */
#define DIGITS 20
#define SOURCE (DIGITS + 8)
#define SHARE 8 /* the texts' part of the memory is at most one of so many */

/* ---- text ------------------------------------------------------------------------------------ */

char *room(struct out *out, size_t more) {
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

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

static unsigned digits_of(uint64_t number) {
  unsigned n = 1;
  for (; number >= 10000; number /= 10000)
    n += 4;
  return n + (number >= 10) + (number >= 100) + (number >= 1000);
}

static char *put_number(char *to, uint64_t number) {
  char *const end = to + digits_of(number), *at = end;
  for (; number >= 100; number /= 100)
    memcpy(at -= 2, pairs + 2 * (number % 100), 2);
  if (number >= 10)
    memcpy(at - 2, pairs + 2 * number, 2);
  else
    *--at = (char)('0' + number);
  return end;
}

/* The next character of a text, in which a control character is a blank. */
static char next_printable(const char **text) {
  const size_t control = utf8_control(*text);
  const char next = control ? ' ' : **text;
  *text += control ? control : 1;
  return next;
}

/* Aldebaran's labels are quoted and know no escape. */
static char *put_aut_text(char *to, const char *text) {
  while (*text) {
    const char next = next_printable(&text);
    *to++ = next == '"' ? '\'' : next;
  }
  return to;
}

static char *put_dot_text(char *to, const char *text) {
  while (*text) {
    const char next = next_printable(&text);
    if (next == '"' || next == '\\')
      *to++ = '\\';
    *to++ = next;
  }
  return to;
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

/* Most pieces are short: copying them takes no call. What is too much is overwritten by what follows. */
static char *put_piece(char *to, const struct piece *piece) {
  memcpy(to, piece->text, PIECE_PADDING);
  if (piece->length > PIECE_PADDING)
    memcpy(to + PIECE_PADDING, piece->text + PIECE_PADDING, piece->length - PIECE_PADDING);
  return to + piece->length;
}

static char *aut_source(char *to, uint64_t from) {
  *to++ = '(';
  return put_number(to, from);
}

static char *aut_edge(char *to, const struct piece *piece, uint64_t target) {
  to = put_number(put_piece(to, piece), target);
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

static char *dot_source(char *to, uint64_t from) { return put_text(put_number(put_text(to, "  "), from), " -> "); }

static char *dot_edge(char *to, const struct piece *piece, uint64_t target) {
  return put_piece(put_number(to, target), piece);
}

static char *dot_item(char *to, const char *name, const char *value) {
  to = put_text(put_dot_text(to, name), " = ");
  return put_text(put_dot_text(to, value), "\\n");
}

static const struct format formats[] = {
    [FLOE_GRAPH_AUT] = {aut_begin, aut_piece, NULL, aut_source, aut_edge, ""},
    [FLOE_GRAPH_DOT] = {dot_begin, dot_piece, dot_item, dot_source, dot_edge, "}\n"},
};

static bool tell_state(struct writer *writer, struct graph_member *member, struct out *out, uint64_t number,
                       size_t degree) {
  char *to = room(out, 100);
  if (!to)
    return false;
  to = put_text(put_number(put_text(to, "  "), number), " [");
  to = put_text(to, number == 0 ? "style=filled, " : "");
  out->n = (size_t)(put_text(put_text(to, degree == 0 ? "peripheries=2, " : ""), "tooltip=\"") - out->text);
  if (!graph_items(writer, member, number, out))
    return false;
  to = room(out, 8);
  if (!to)
    return false;
  out->n = (size_t)(put_text(to, "\"];\n") - out->text);
  return true;
}

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
static void look_targets_up(const floe_graph *graph, struct graph_member *member, const struct group *group) {
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
           !graph_equal(graph_state(graph, held - 1), member->successors + i * words, words))
      at = (at + 1) & mask;
    assert(held > 0);
    member->slots[i] = held - 1;
  }
}

/* The same from those that were kept; returns the next group's. */
static const uint32_t *take_targets(struct graph_member *member, const struct group *group, const uint32_t *targets) {
  for (size_t i = 0; i < group->n; i++)
    if (member->edges[i].site == NO_SITE)
      member->slots[i] = *targets++;
  return targets;
}

/* What an edge has of its state, before that which is its own. */
struct line_begin {
  size_t length;
  char text[SOURCE];
};

static bool tell_edge(struct writer *writer, struct graph_member *member, struct out *out, uint64_t from,
                      const struct line_begin *source, size_t i) {
  if (member->edges[i].site != NO_SITE)
    return true;
  const struct piece *piece = graph_label(writer, member, from, member->edges[i]);
  char *to = piece ? room(out, SOURCE + piece->length + PIECE_PADDING + DIGITS + 2) : NULL;
  if (!to)
    return false;
  memcpy(to, source->text, SOURCE);
  out->n = (size_t)(writer->format->edge(to + source->length, piece, member->slots[i]) - out->text);
  return true;
}

static bool tell_group(struct writer *writer, struct graph_member *member, const struct group *group, struct out *out) {
  size_t at = 0;
  struct line_begin source;
  for (size_t s = 0; s < group->states; s++) {
    const uint64_t number = group->first + s;
    if (writer->format->item && !tell_state(writer, member, out, number, group->degrees[s]))
      return false;
    source.length = (size_t)(writer->format->source(source.text, number) - source.text);
    for (size_t end = at + group->degrees[s]; at < end; at++)
      if (!tell_edge(writer, member, out, number, &source, at))
        return false;
  }
  return true;
}

static bool tell_block(struct writer *writer, struct graph_member *member, struct telling *telling) {
  struct group group = {.first = telling->first};
  const uint64_t end = telling->first + telling->states;
  const uint32_t *targets = NULL;
  if (writer->graph->targets)
    targets = writer->graph->targets + writer->graph->target_begins[telling->first / TARGET_STATES];
  telling->out.n = 0;
  for (; group.first < end; group.first += group.states) {
    expand_group(writer->graph, member, &group, end);
    if (writer->graph->targets)
      targets = take_targets(member, &group, targets);
    else
      look_targets_up(writer->graph, member, &group);
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

/* Where the texts of all members take more than an eighth of the memory, each is made anew. */
static void open_texts(struct writer *writer, struct graph_member *member) {
  const floe_graph *graph = writer->graph;
  if (!member->texts && graph->threads * (uint64_t)graph_texts_bytes() <= graph->options.memory / SHARE)
    member->texts = graph_texts_create();
}

static void work(void *user, unsigned member) {
  struct writer *writer = user;
  unsigned i;
  open_texts(writer, &writer->graph->members[member]);
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
  if (arena_guard(&graph->lasting, graph_parts_make, writer) != 0 || !room(&head, 2 * strlen(graph->model->name) + 100))
    return no_memory(graph->log);
  writer->format->begin(graph, &head);
  fwrite(head.text, 1, head.n, writer->stream);
  mem_free(head.text);
  FLOE_TRY(write_states(writer));
  fputs(writer->format->end, writer->stream);
  return ferror(writer->stream) ? FLOE_ERROR_IO : FLOE_OK;
}

static void close_texts(floe_graph *graph) {
  for (unsigned i = 0; i < graph->member_count; i++) {
    graph_texts_free(graph->members[i].texts);
    graph->members[i].texts = NULL;
  }
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
  close_texts(graph);
  return status;
}
