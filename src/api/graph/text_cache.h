/* Texts of parts of states, kept by what they depend on: some of the bits of a state. A thread has its own, of a
   bounded size: when it is full it is emptied. */
#ifndef FLOE_GRAPH_TEXTS_H
#define FLOE_GRAPH_TEXTS_H

#include "core/arena.h"
#include "model/model.h"
#include "step/layout/layout.h"

/* So many bytes behind the text of a piece may be read. */
#define PIECE_PADDING 32

/* Part of a line, as the format has it. */
struct piece {
  size_t length;
  char text[];
};

/* Bits of a state: words first..first + count - 1 have some. */
struct state_bits {
  uint64_t *bits; /* [words] */
  uint32_t first, count;
};

/* All memory is from `arena`, whose guard must be active. */
void state_bits_init(struct state_bits *set, const struct layout *layout, struct arena *arena);
void state_bits_add(struct state_bits *set, const struct layout *layout, uint32_t variable, uint32_t element);
void state_bits_add_all(struct state_bits *set, const struct model *model, const struct layout *layout,
                        uint32_t variable);
/* What `more` has as well. */
void state_bits_join(struct state_bits *set, const struct state_bits *more);
uint32_t state_bits_count(const struct state_bits *set);
/* What the expression may read. */
void state_bits_add_reads(struct state_bits *set, const struct model *model, const struct layout *layout,
                          const struct expr *expr);

struct graph_texts;
size_t graph_texts_bytes(void);
/* NULL: no memory. */
struct graph_texts *graph_texts_create(void);
void graph_texts_free(struct graph_texts *texts);
/* The text that was kept of `id` for a state that has the same values of these bits; NULL: none. Good until the next
   graph_texts_keep. `texts` NULL: none is kept. */
const struct piece *graph_texts_find(const struct graph_texts *texts, uint64_t id, const uint64_t *state,
                                     const struct state_bits *bits);
void graph_texts_keep(struct graph_texts *texts, uint64_t id, const uint64_t *state, const struct state_bits *bits,
                      const char *text, size_t length);

#endif
