/* The fields of a checkpoint's head and search, as bytes. */
#ifndef FLOE_CHECKPOINT_FACTS_H
#define FLOE_CHECKPOINT_FACTS_H

#include "checkpoint/checkpoint.h"
#include "core/arena.h"

/* Bytes that grow; all of them are lost when memory ends. */
struct byte_buffer {
  uint8_t *bytes; /* mem_free */
  size_t n, room;
  bool failed; /* no memory */
};
void byte_buffer_add(struct byte_buffer *byte_buffer, const void *bytes, size_t n);

void head_encode(const struct checkpoint_head *head, struct byte_buffer *byte_buffer);
void search_encode(const struct checkpoint_search *search, uint32_t words, struct byte_buffer *byte_buffer);

/* False: the bytes make no sense. What is in *out comes from `arena`, whose guard must be active; no more of it is
   taken than a few times `n`. */
bool head_decode(const uint8_t *bytes, size_t n, struct arena *arena, struct checkpoint_head *out);
bool search_decode(const uint8_t *bytes, size_t n, uint32_t words, struct arena *arena, struct checkpoint_search *out);

#endif
