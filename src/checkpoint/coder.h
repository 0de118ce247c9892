/* Blocks of states as bytes. A coder is one thread's: all memory that coding takes is got with it. */
#ifndef FLOE_CHECKPOINT_CODER_H
#define FLOE_CHECKPOINT_CODER_H

#include "checkpoint/bucket_order.h"
#include "checkpoint/delta_coding.h"

struct coder {
  const struct bucket_order *bucket_order;
  uint32_t bits, words;
  uint64_t *states; /* [BLOCK_WORDS] */
  uint64_t *other;  /* as many, for sorting and planes */
  uint8_t *bytes;   /* coder_room(); after PART_BYTES for a header those of a part */
  struct sorter *sorter;
  struct block_compressor *block_compressor; /* NULL: states have one word, or there is no compression */
};

/* `ranking` is referred to. False: no memory; coder_free even so. */
bool coder_init(struct coder *coder, const struct bucket_order *bucket_order, uint32_t bits, uint32_t words);
void coder_free(struct coder *coder);
size_t coder_memory(uint32_t words); /* that it takes, about */
/* Bytes that a part may have, its header aside. */
size_t coder_most(void);

/* coder->states, n > 0 of them, become bytes + PART_BYTES; returns their number. The states are lost. `ranked`: they
   come in the order of their ranks, about. */
size_t coder_encode(struct coder *coder, size_t n, bool index_keys, unsigned *coding);
/* The `length` bytes at bytes + PART_BYTES become coder->states. False: they are not what n states become. */
bool coder_decode(struct coder *coder, unsigned coding, size_t length, size_t n);

#endif
