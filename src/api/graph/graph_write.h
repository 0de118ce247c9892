/* A state graph as text: what the files that write it share. */
#ifndef FLOE_GRAPH_WRITE_H
#define FLOE_GRAPH_WRITE_H

#include "api/graph/graph.h"
#include "api/graph/text_cache.h"

/* A text that grows. */
struct out {
  char *text;
  size_t n, capacity;
};

struct format {
  void (*begin)(const floe_graph *graph, struct out *out);
  /* Of the text of a label; has room for 2 * length + 32. */
  size_t (*piece)(const char *label, char *text);
  char *(*item)(char *to, const char *name, const char *value); /* of a state; NULL: states are not told */
  /* What stands in each edge of a state before that which is its own. */
  char *(*source)(char *to, uint64_t from);
  char *(*edge)(char *to, const struct piece *piece, uint64_t target);
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

/* Items of a state that are told as one. */
struct item_group {
  size_t first, end;
  struct state_bits bits;
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
  struct state_bits *label_bits; /* [transition_count] what the text depends on else; NULL: not known */
  struct item_group *groups;
  size_t group_count;
  pthread_mutex_t lock; /* of the arena that the pieces are in */
};

/* So many bytes more; NULL: no memory. */
char *room(struct out *out, size_t more);

/* What labels and states depend on, in the graph's arena, whose guard is active; `data`: the writer. */
void graph_parts_make(void *data);

/* Of a firing in a state; NULL: no memory. Good until the next is asked for. */
const struct piece *graph_label(struct writer *writer, struct graph_member *member, uint64_t state,
                                struct step_edge edge);

/* Tells all items of the state; false: no memory. */
bool graph_items(struct writer *writer, struct graph_member *member, uint64_t state, struct out *out);

#endif
