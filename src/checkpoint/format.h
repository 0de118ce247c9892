/* Container format of a checkpoint file (doc/checkpoint.md): a prelude, then parts, each with a header and its
   bytes. */
#ifndef FLOE_CHECKPOINT_FORMAT_H
#define FLOE_CHECKPOINT_FORMAT_H

#include "base/little_endian.h"
#include "checkpoint/checkpoint.h"

#define CHECKPOINT_VERSION 1
enum { PRELUDE_BYTES = 16, PART_BYTES = 32, END_PAYLOAD = 128, END_BYTES = PART_BYTES + END_PAYLOAD };

/* Words of the states in a block, at most; also the greatest size of one state. */
#define BLOCK_WORDS ((size_t)1 << 16)
#define MOST_STATE_WORDS BLOCK_WORDS

static inline size_t block_states(uint32_t words) { return BLOCK_WORDS / words; }

enum part_kind { PART_HEAD = CHECKPOINT_SECTIONS, PART_SEARCH, PART_END, PART_KINDS };
/* Coding of the bytes of a part. */
enum part_coding {
  CODING_FIELDS,      /* fields (checkpoint/fields.h): head, search, end */
  CODING_WORDS,       /* plain words of the states */
  CODING_DIFFERENCES, /* differences of sorted words (checkpoint/delta_coding.h) */
  CODING_POSITIONS,   /* differences of sorted positions (checkpoint/bucket_order.h) */
  CODING_PLANES,      /* byte planes of the words, compressed by zstd */
  CODINGS
};

struct part {
  unsigned kind;   /* enum checkpoint_section or part_kind */
  unsigned coding; /* enum part_coding */
  uint32_t states; /* 0: the part has no states */
  uint32_t length; /* bytes after the header */
  uint64_t file;   /* random number, the same in all parts of a file */
  uint32_t checksum;
};

/* Totals of all parts before the end, independent of the order in which they were written. */
struct totals {
  struct checkpoint_sizes sections[CHECKPOINT_SECTIONS];
  uint64_t parts;
  uint64_t sum; /* sum of a mix of the header and offset of each part, modulo 2^64 */
};

struct trailer {
  struct totals totals;
  uint64_t search_at; /* offset of the search part, which ends where the end begins */
  uint64_t bytes;     /* size of the file */
};

void prelude_encode(uint8_t bytes[PRELUDE_BYTES]);
/* NULL: a prelude of this version; otherwise a description of the error. *unsupported: it has another version. */
const char *prelude_flaw(const uint8_t bytes[PRELUDE_BYTES], bool *unsupported);

void part_encode(const struct part *part, uint8_t bytes[PART_BYTES]);
/* False: the bytes are not a header of a part. */
bool part_decode(const uint8_t bytes[PART_BYTES], struct part *out);
const char *part_name(unsigned kind); /* "keys", "head" */

void totals_add(struct totals *totals, const struct part *part, const uint8_t header[PART_BYTES], uint64_t at);
void totals_join(struct totals *totals, const struct totals *more);
bool totals_same(const struct totals *a, const struct totals *b);

void trailer_encode(const struct trailer *trailer, uint8_t bytes[END_PAYLOAD]);
void trailer_decode(const uint8_t bytes[END_PAYLOAD], struct trailer *out);

/* CRC-32 of zlib. */
uint32_t checksum_of(const void *bytes, size_t n);

#endif
