/* Serialisation of the fields of a checkpoint's head and search. */
#ifndef FLOE_CHECKPOINT_FIELDS_H
#define FLOE_CHECKPOINT_FIELDS_H

#include "checkpoint/checkpoint.h"
#include "core/arena.h"

/* Growing byte buffer; its content is invalid once memory ran out. */
struct byte_buffer {
  uint8_t *bytes; /* mem_free */
  size_t n, capacity;
  bool failed; /* memory ran out */
};
void byte_buffer_add(struct byte_buffer *byte_buffer, const void *bytes, size_t n);

void head_encode(const struct checkpoint_head *head, struct byte_buffer *byte_buffer);
void search_encode(const struct checkpoint_search *search, uint32_t words, struct byte_buffer *byte_buffer);

/* False: the bytes are invalid. The contents of *out are allocated in `arena`, whose guard must be active; at most a
   few times `n` bytes. */
bool head_decode(const uint8_t *bytes, size_t n, struct arena *arena, struct checkpoint_head *out);
bool search_decode(const uint8_t *bytes, size_t n, uint32_t words, struct arena *arena, struct checkpoint_search *out);
/* The same with a guard of its own. FLOE_ERROR_MEMORY. FLOE_ERROR_INTERNAL: the bytes are invalid. */
floe_status search_decode_guarded(const uint8_t *bytes, size_t n, uint32_t words, struct arena *arena,
                                  struct checkpoint_search *out);

#endif
