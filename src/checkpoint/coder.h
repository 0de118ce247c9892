/* Coding of blocks of states as bytes. A coder is used by one thread; all memory for coding is allocated with it. */
#ifndef FLOE_CHECKPOINT_CODER_H
#define FLOE_CHECKPOINT_CODER_H

#include "checkpoint/bucket_order.h"
#include "checkpoint/delta_coding.h"

struct coder {
  const struct bucket_order *bucket_order;
  uint32_t bits, words;
  uint64_t *states; /* [BLOCK_WORDS] */
  uint64_t *other;  /* [BLOCK_WORDS] for sorting and planes */
  uint8_t *bytes;   /* a part: PART_BYTES for its header, then its bytes */
  struct sorter *sorter;
  struct compressor *compressor; /* NULL: states have one word, or there is no libzstd */
};

/* Keeps a pointer to `bucket_order`. False: no memory; call coder_free even then. */
bool coder_init(struct coder *coder, const struct bucket_order *bucket_order, uint32_t bits, uint32_t words);
void coder_free(struct coder *coder);
size_t coder_memory(uint32_t words); /* approximate memory of a coder */
/* Largest size of a part, without its header. */
size_t coder_most(void);

/* Encodes n > 0 states of coder->states at bytes + PART_BYTES and returns the number of bytes. The states are
   overwritten. `in_bucket_order`: they are approximately in bucket order. */
size_t coder_encode(struct coder *coder, size_t n, bool in_bucket_order, unsigned *coding);
/* Decodes the `length` bytes at bytes + PART_BYTES to coder->states. False: they are not n encoded states. */
bool coder_decode(struct coder *coder, unsigned coding, size_t length, size_t n);

#endif
