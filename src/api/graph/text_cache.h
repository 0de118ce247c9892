/* Cache of texts of parts of states; the key is an id and the values of some of a state's bits. Each thread has one, of
   fixed size: when it is full it is cleared. */
#ifndef FLOE_API_GRAPH_TEXT_CACHE_H
#define FLOE_API_GRAPH_TEXT_CACHE_H

#include "core/arena.h"
#include "model/model.h"
#include "step/layout/layout.h"

/* Bytes after the text of a piece that may be read. */
#define PIECE_PADDING 32

/* Part of an output line. */
struct piece {
  size_t length;
  char text[];
};

/* Mask of bits of a state; only words first..first + count - 1 are not 0. */
struct state_bits {
  uint64_t *bits; /* [words] */
  uint32_t first, count;
};

/* All memory is from `arena`, whose guard must be active. */
void state_bits_init(struct state_bits *set, const struct layout *layout, struct arena *arena);
void state_bits_add(struct state_bits *set, const struct layout *layout, uint32_t variable, uint32_t element);
void state_bits_add_all(struct state_bits *set, const struct model *model, const struct layout *layout,
                        uint32_t variable);
/* Union. */
void state_bits_join(struct state_bits *set, const struct state_bits *more);
uint32_t state_bits_count(const struct state_bits *set);
/* All bits that the expression may read. */
void state_bits_add_reads(struct state_bits *set, const struct model *model, const struct layout *layout,
                          const struct expr *expr);

struct graph_texts;
size_t graph_texts_bytes(void);
/* NULL: no memory. */
struct graph_texts *graph_texts_create(void);
void graph_texts_free(struct graph_texts *texts);
/* The cached text of `id` for a state with the same values of `bits`; NULL: none. Valid until the next
   graph_texts_keep. `texts` may be NULL. */
const struct piece *graph_texts_find(const struct graph_texts *texts, uint64_t id, const uint64_t *state,
                                     const struct state_bits *bits);
void graph_texts_keep(struct graph_texts *texts, uint64_t id, const uint64_t *state, const struct state_bits *bits,
                      const char *text, size_t length);

#endif
