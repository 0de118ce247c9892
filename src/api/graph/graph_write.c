/* Writes a graph as text. All threads format its states in blocks; the caller writes the blocks of a round, in their
   order, while the others format the next round. */
#include "api/graph/graph_write.h"

#include "base/utf8.h"
#include "core/mem.h"
#include "core/usage.h"
#include "engine/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define BLOCK_STATES TARGET_STATES
#define BLOCKS 8 /* per thread and round */
#define DIGITS 20
#define SOURCE (DIGITS + 8)
#define SHARE 8 /* the caches of all threads take at most 1 / SHARE of the memory */

/* ---- text ------------------------------------------------------------------------------------ */

char *reserve(struct out *out, size_t more) {
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

/* The next character of a text, with a blank for a control character. */
static char next_printable(const char **text) {
  const size_t control = utf8_control(*text);
  const char next = control ? ' ' : **text;
  *text += control ? control : 1;
  return next;
}

/* Aldebaran: ASCII without escapes; mCRL2 ends a label at the next quote. So other bytes are encoded as in URLs. */
static char *put_aut_text(char *to, const char *text) {
  static const char digits[] = "0123456789ABCDEF";
  for (; *text; text++) {
    const unsigned char next = (unsigned char)*text;
    if (next >= ' ' && next < 0x7f && next != '"' && next != '%') {
      *to++ = (char)next;
      continue;
    }
    *to++ = '%';
    *to++ = digits[next >> 4];
    *to++ = digits[next & 15];
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

/* Most pieces are short: a copy of fixed size needs no call. Excess bytes are overwritten by the next text. */
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

static void dot_begin_with(const floe_graph *graph, struct out *out, const char *shape) {
  char *to = put_dot_text(put_text(out->text, "digraph \""), graph->model->name);
  to = put_text(put_text(to, "\" {\n  node [shape="), shape);
  out->n = (size_t)(put_text(to, "];\n") - out->text);
}

static void dot_begin(const floe_graph *graph, struct out *out) { dot_begin_with(graph, out, "circle"); }
static void dot_states_begin(const floe_graph *graph, struct out *out) { dot_begin_with(graph, out, "box"); }

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
    [FLOE_GRAPH_AUT] = {aut_begin, aut_piece, NULL, aut_source, aut_edge, "", false},
    [FLOE_GRAPH_DOT] = {dot_begin, dot_piece, dot_item, dot_source, dot_edge, "}\n", false},
    [FLOE_GRAPH_DOT_STATES] = {dot_states_begin, dot_piece, dot_item, dot_source, dot_edge, "}\n", true},
};

/* The line "violates" with the identifiers of the properties in the mask. */
static bool put_violations(const floe_graph *graph, uint64_t violated, struct out *out) {
  const char *between = "violates ";
  for (size_t i = 0; i < graph->model->property_count; i++) {
    const char *id = graph->model->properties[i].id;
    if (!(violated >> i & 1))
      continue;
    char *to = reserve(out, 2 * strlen(id) + 12);
    if (!to)
      return false;
    to = put_dot_text(put_text(to, between), id);
    out->n = (size_t)((violated >> i == 1 ? put_text(to, "\\n") : to) - out->text);
    between = ", ";
  }
  return true;
}

/* `edges` are the firings of the state, [degree]. */
static bool put_state(struct writer *writer, struct graph_thread *worker, struct out *out, uint64_t number,
                      const struct step_edge *edges, size_t degree) {
  const uint64_t violated = graph_violations(writer->graph, worker, number, edges, degree);
  char *to = reserve(out, 150);
  if (!to)
    return false;
  to = put_text(put_number(put_text(to, "  "), number), " [");
  to = put_text(to, number == 0 ? "style=filled, " : "");
  to = put_text(to, degree == 0 ? "peripheries=2, " : "");
  to = put_text(to, violated ? "color=red, penwidth=3, " : "");
  if (writer->format->states_are_labels)
    to = put_text(put_number(put_text(to, "label=\""), number), "\\n");
  else
    to = put_text(to, "tooltip=\"");
  out->n = (size_t)(to - out->text);
  if (!put_violations(writer->graph, violated, out) || !graph_items(writer, worker, number, out))
    return false;
  to = reserve(out, 8);
  if (!to)
    return false;
  out->n = (size_t)(put_text(to, "\"];\n") - out->text);
  return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Consecutive states whose successors are in the buffers of a thread. */
struct state_batch {
  uint64_t first;
  size_t states, n;
  size_t degrees[BLOCK_STATES]; /* failing firings included */
};

static void expand_batch(const floe_graph *graph, struct graph_thread *worker, struct state_batch *batch,
                         uint64_t end) {
  const size_t room = graph_buffer_length(graph), most = graph->stepper->max_successors;
  batch->n = batch->states = 0;
  for (uint64_t i = batch->first; i < end && batch->n + most <= room; i++) {
    size_t n =
        graph->stepper->expand_one(graph->stepper, graph_state(graph, i),
                                   worker->successors + batch->n * graph->layout->words, worker->edges + batch->n);
    batch->degrees[batch->states++] = n;
    batch->n += n;
  }
}

/* In passes, so that many memory accesses overlap. worker->slots becomes the states' numbers. */
static void look_up_targets(const floe_graph *graph, struct graph_thread *worker, const struct state_batch *batch) {
  const uint32_t words = graph->layout->words;
  const uint64_t mask = graph->slot_count - 1;
  for (size_t i = 0; i < batch->n; i++) {
    worker->slots[i] = engine_state_mix(worker->successors + i * words, words) & mask;
    __builtin_prefetch((const void *)&graph->slots[worker->slots[i]]);
  }
  for (size_t i = 0; i < batch->n; i++) {
    uint32_t held = atomic_load_explicit(&graph->slots[worker->slots[i]], memory_order_relaxed);
    __builtin_prefetch(graph_state(graph, held ? held - 1 : 0));
  }
  for (size_t i = 0; i < batch->n; i++) {
    uint64_t at = worker->slots[i];
    uint32_t held;
    if (worker->edges[i].site != NO_SITE)
      continue;
    while ((held = atomic_load_explicit(&graph->slots[at], memory_order_relaxed)) != 0 &&
           !graph_equal(graph_state(graph, held - 1), worker->successors + i * words, words))
      at = (at + 1) & mask;
    assert(held > 0);
    worker->slots[i] = held - 1;
  }
}

/* The same from the stored targets; returns those of the next batch. */
static const uint32_t *copy_targets(struct graph_thread *worker, const struct state_batch *batch,
                                    const uint32_t *targets) {
  for (size_t i = 0; i < batch->n; i++)
    if (worker->edges[i].site == NO_SITE)
      worker->slots[i] = *targets++;
  return targets;
}

/* Common start of all edges of a state. */
struct line_begin {
  size_t length;
  char text[SOURCE];
};

static bool put_edge(struct writer *writer, struct graph_thread *worker, struct out *out, uint64_t from,
                     const struct line_begin *source, size_t i) {
  if (worker->edges[i].site != NO_SITE)
    return true;
  const struct piece *piece = graph_label(writer, worker, from, worker->edges[i]);
  char *to = piece ? reserve(out, SOURCE + piece->length + PIECE_PADDING + DIGITS + 2) : NULL;
  if (!to)
    return false;
  memcpy(to, source->text, SOURCE);
  out->n = (size_t)(writer->format->edge(to + source->length, piece, worker->slots[i]) - out->text);
  return true;
}

static bool put_batch(struct writer *writer, struct graph_thread *worker, const struct state_batch *batch,
                      struct out *out) {
  size_t at = 0;
  struct line_begin source;
  for (size_t s = 0; s < batch->states; s++) {
    const uint64_t number = batch->first + s;
    if (writer->format->item && !put_state(writer, worker, out, number, worker->edges + at, batch->degrees[s]))
      return false;
    source.length = (size_t)(writer->format->source(source.text, number) - source.text);
    for (size_t end = at + batch->degrees[s]; at < end; at++)
      if (!put_edge(writer, worker, out, number, &source, at))
        return false;
  }
  return true;
}

static bool format_block(struct writer *writer, struct graph_thread *worker, struct text_block *block) {
  struct state_batch batch = {.first = block->first};
  const uint64_t end = block->first + block->states;
  const uint32_t *targets = NULL;
  if (writer->graph->targets.list)
    targets = writer->graph->targets.list + writer->graph->targets.begins[block->first / TARGET_STATES];
  block->out.n = 0;
  for (; batch.first < end; batch.first += batch.states) {
    expand_batch(writer->graph, worker, &batch, end);
    if (writer->graph->targets.list)
      targets = copy_targets(worker, &batch, targets);
    else
      look_up_targets(writer->graph, worker, &batch);
    if (!put_batch(writer, worker, &batch, &block->out))
      return false;
  }
  return true;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void write_round(struct writer *writer, struct round *round) {
  for (unsigned i = 0; i < round->count && !ferror(writer->stream); i++)
    fwrite(round->text_blocks[i].out.text, 1, round->text_blocks[i].out.n, writer->stream);
  round->count = 0;
}

/* Without a cache, if those of all threads took more than an eighth of the memory. */
static void open_cache(struct writer *writer, struct graph_thread *worker) {
  const floe_graph *graph = writer->graph;
  if (!worker->texts && graph->threads * (uint64_t)graph_texts_bytes() <= graph->options.memory / SHARE)
    worker->texts = graph_texts_create();
}

static void format_round(void *user, unsigned worker) {
  struct writer *writer = user;
  unsigned i;
  open_cache(writer, &writer->graph->workers[worker]);
  if (worker == 0)
    write_round(writer, writer->before);
  while ((i = atomic_fetch_add_explicit(&writer->next, 1, memory_order_relaxed)) < writer->now->count)
    if (!format_block(writer, &writer->graph->workers[worker], &writer->now->text_blocks[i]))
      atomic_store_explicit(&writer->no_memory, true, memory_order_relaxed); /* read after the round */
}

static void assign_blocks(struct writer *writer) {
  struct round *round = writer->now;
  for (round->count = 0; round->count < writer->blocks && writer->assigned < writer->graph->count; round->count++) {
    const uint64_t left = writer->graph->count - writer->assigned;
    struct text_block *block = &round->text_blocks[round->count];
    block->first = writer->assigned;
    block->states = left < BLOCK_STATES ? (uint32_t)left : BLOCK_STATES;
    writer->assigned += block->states;
  }
}

static floe_status write_states(struct writer *writer) {
  writer->now = &writer->rounds[0];
  writer->before = &writer->rounds[1];
  do {
    assign_blocks(writer);
    atomic_store_explicit(&writer->next, 0, memory_order_relaxed);
    if (writer->now->count > 1)
      graph_parallel(writer->graph, format_round, writer);
    else
      format_round(writer, 0);
    if (atomic_load_explicit(&writer->no_memory, memory_order_relaxed))
      return no_memory(writer->graph->log);
    struct round *formatted = writer->now;
    writer->now = writer->before;
    writer->before = formatted;
  } while (writer->before->count > 0 && !ferror(writer->stream));
  return FLOE_OK;
}

static floe_status write_all(struct writer *writer) {
  floe_graph *graph = writer->graph;
  struct out head = {0};
  if (arena_guard(&graph->permanent, graph_dependencies_find, writer) != 0 ||
      !reserve(&head, 2 * strlen(graph->model->name) + 100))
    return no_memory(graph->log);
  writer->format->begin(graph, &head);
  fwrite(head.text, 1, head.n, writer->stream);
  mem_free(head.text);
  FLOE_TRY(write_states(writer));
  fputs(writer->format->end, writer->stream);
  return ferror(writer->stream) ? FLOE_ERROR_IO : FLOE_OK;
}

static void close_caches(floe_graph *graph) {
  for (unsigned i = 0; i < graph->worker_count; i++) {
    graph_texts_free(graph->workers[i].texts);
    graph->workers[i].texts = NULL;
  }
}

static void free_round(struct round *round, unsigned blocks) {
  for (unsigned i = 0; round->text_blocks && i < blocks; i++)
    mem_free(round->text_blocks[i].out.text);
  mem_free(round->text_blocks);
}

floe_status floe_graph_write(floe_graph *graph, floe_graph_format kind, FILE *stream) {
  if (!graph || !stream || graph->end != FLOE_END_COMPLETE || (unsigned)kind > FLOE_GRAPH_DOT_STATES)
    return FLOE_ERROR_USAGE;
  struct writer writer = {.graph = graph, .format = &formats[kind], .stream = stream};
  writer.blocks = graph->threads * BLOCKS;
  writer.rounds[0].text_blocks = mem_array(writer.blocks, sizeof(struct text_block));
  writer.rounds[1].text_blocks = mem_array(writer.blocks, sizeof(struct text_block));
  pthread_mutex_init(&writer.lock, NULL);
  floe_status status =
      writer.rounds[0].text_blocks && writer.rounds[1].text_blocks ? write_all(&writer) : no_memory(graph->log);
  pthread_mutex_destroy(&writer.lock);
  free_round(&writer.rounds[0], writer.blocks);
  free_round(&writer.rounds[1], writer.blocks);
  close_caches(graph);
  return status;
}
