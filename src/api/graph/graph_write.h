/* Output of a state graph as text, shared by graph_write.c and graph_labels.c. */
#ifndef FLOE_API_GRAPH_GRAPH_WRITE_H
#define FLOE_API_GRAPH_GRAPH_WRITE_H

#include "api/graph/graph.h"
#include "api/graph/text_cache.h"

/* Growing text buffer. */
struct out {
  char *text;
  size_t n, capacity;
};

struct format {
  void (*begin)(const floe_graph *graph, struct out *out);
  /* Writes the quoted label; `text` has room for 3 * length + 32 bytes. Returns the length. */
  size_t (*piece)(const char *label, char *text);
  char *(*item)(char *to, const char *name,
                const char *value); /* writes an item of a state; NULL: states are not written */
  /* Writes the common start of all edges of a state. */
  char *(*source)(char *to, uint64_t from);
  char *(*edge)(char *to, const struct piece *piece, uint64_t target);
  const char *end;
  bool states_are_labels; /* items are the label of a state, else its tooltip */
};

struct text_block {
  uint64_t first;
  uint32_t states;
  struct out out;
};

struct round {
  struct text_block *text_blocks; /* [writer->blocks] */
  unsigned count;
};

/* Consecutive items of a state with a common text. */
struct item_run {
  size_t first, end;
  struct state_bits bits;
};

struct writer {
  floe_graph *graph;
  const struct format *format;
  FILE *stream;
  struct round rounds[2], *now, *before; /* being formatted; to be written */
  unsigned blocks;
  uint64_t assigned; /* states given to blocks so far */
  atomic_uint next;
  atomic_bool no_memory;
  struct piece *_Atomic *pieces; /* of firings whose text does not depend on the state; NULL: not stored */
  size_t *first_piece;           /* [transition_count] */
  struct state_bits *label_bits; /* [transition_count] bits that other texts depend on; NULL: unknown */
  struct item_run *item_runs;
  size_t item_run_count;
  pthread_mutex_t lock; /* of the arena of the pieces */
};

/* Reserves `more` bytes at the end, which it returns; NULL: no memory. */
char *reserve(struct out *out, size_t more);

/* Sets pieces, label_bits and item_runs of the writer `data`, in the graph's arena, whose guard is active. */
void graph_dependencies_find(void *data);

/* Label of a firing in a state; NULL: no memory. Valid until the next call in this thread. */
const struct piece *graph_label(struct writer *writer, struct graph_thread *worker, uint64_t state,
                                struct step_edge edge);

/* Appends all items of the state; false: no memory. */
bool graph_items(struct writer *writer, struct graph_thread *worker, uint64_t state, struct out *out);

/* Mask of the properties that the state violates. `edges` are its firings, [degree], with those that fail. */
uint64_t graph_violations(const floe_graph *graph, struct graph_thread *worker, uint64_t state,
                          const struct step_edge *edges, size_t degree);

#endif
