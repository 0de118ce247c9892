#include "checkpoint/coder.h"

#include "base/numbers.h"
#include "checkpoint/format.h"
#include "checkpoint/word_sort.h"
#include "core/mem.h"
#include "core/system/compress.h"

#include <assert.h>
#include <string.h>

#define LEVEL 1 /* of zstd */

size_t coder_most(void) { return greatest(delta_most(BLOCK_WORDS), BLOCK_WORDS * sizeof(uint64_t)); }

static size_t room(void) { return PART_BYTES + coder_most() + DELTA_SLACK; }

size_t coder_memory(uint32_t words) {
  const size_t compressor = words > 1 ? (size_t)2 << 20 : 0;
  return 2 * BLOCK_WORDS * sizeof(uint64_t) + room() + sizeof(struct sorter) + compressor;
}

bool coder_init(struct coder *coder, const struct bucket_order *bucket_order, uint32_t bits, uint32_t words) {
  *coder = (struct coder){.bucket_order = bucket_order, .bits = bits, .words = words};
  coder->states = mem_array(BLOCK_WORDS, sizeof *coder->states);
  coder->other = mem_array(BLOCK_WORDS, sizeof *coder->other);
  coder->bytes = mem_alloc(room());
  coder->sorter = mem_alloc(sizeof *coder->sorter);
  if (words > 1 && compress_available())
    coder->compressor = compressor_create(LEVEL);
  return coder->states && coder->other && coder->bytes && coder->sorter &&
         (coder->compressor || words == 1 || !compress_available());
}

void coder_free(struct coder *coder) {
  compressor_free(coder->compressor);
  mem_free(coder->sorter);
  mem_free(coder->bytes);
  mem_free(coder->other);
  mem_free(coder->states);
  *coder = (struct coder){.words = 0};
}

/* ---- states of one word ---------------------------------------------------------------------- */

/* The permutation is chosen outside of the loops, so that the compiler specialises them. */
static inline __attribute__((always_inline)) void
keys_to_positions_by(uint64_t (*apply)(const struct permutation *, uint64_t), const struct bucket_order *bucket_order,
                     uint64_t *keys, size_t n) {
  const struct bucket_order r = *bucket_order;
  for (size_t i = 0; i < n; i++)
    keys[i] = bucket_order_position(&r, apply(&r.permutation, keys[i]));
}

static inline __attribute__((always_inline)) void
positions_to_keys_by(uint64_t (*invert)(const struct permutation *, uint64_t), const struct bucket_order *bucket_order,
                     uint64_t *positions, size_t n) {
  const struct bucket_order r = *bucket_order;
  for (size_t i = 0; i < n; i++)
    positions[i] = invert(&r.permutation, bucket_order_permuted(&r, positions[i]) & r.permutation.mask);
}

static void keys_to_positions(const struct bucket_order *bucket_order, uint64_t *keys, size_t n) {
  if (bucket_order->permutation.kind == PERMUTATION_MIX)
    keys_to_positions_by(mix_apply, bucket_order, keys, n);
  else
    keys_to_positions_by(permutation_apply, bucket_order, keys, n);
}

static void positions_to_keys(const struct bucket_order *bucket_order, uint64_t *positions, size_t n) {
  if (bucket_order->permutation.kind == PERMUTATION_MIX)
    positions_to_keys_by(mix_invert, bucket_order, positions, n);
  else
    positions_to_keys_by(permutation_invert, bucket_order, positions, n);
}

static size_t encode_words(struct coder *coder, const uint64_t *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    store64(coder->bytes + PART_BYTES + 8 * i, words[i]);
  return 8 * n;
}

static size_t encode_one_word(struct coder *coder, size_t n, bool in_bucket_order, unsigned *coding) {
  in_bucket_order = in_bucket_order && coder->bucket_order->used;
  if (in_bucket_order)
    keys_to_positions(coder->bucket_order, coder->states, n);
  uint64_t *sorted = sort_words(coder->sorter, coder->states, coder->other, n);
  *coding = in_bucket_order ? CODING_POSITIONS : CODING_DIFFERENCES;
  return delta_encode(sorted, n, coder->bytes + PART_BYTES);
}

static bool within(const uint64_t *keys, size_t n, unsigned bits) {
  uint64_t all = 0;
  for (size_t i = 0; i < n; i++)
    all |= keys[i];
  return bits == 64 || all >> bits == 0;
}

/* Rejects positions that no key has: they would decode to some key. */
static bool are_positions(const struct bucket_order *bucket_order, const uint64_t *positions, size_t n) {
  bool sound = bucket_order->used;
  for (size_t i = 0; i < n && sound; i++) {
    struct place place = quotient_split(bucket_order->remainders, positions[i]);
    sound = place.remainder < bucket_order->buckets.divisor &&
            quotient_join(bucket_order->buckets, place.remainder, place.address) <= bucket_order->permutation.mask;
  }
  return sound;
}

static bool decode_differences(struct coder *coder, size_t length, size_t n, bool in_bucket_order) {
  if (coder->words != 1 || !delta_decode(coder->bytes + PART_BYTES, length, coder->states, n))
    return false;
  if (!in_bucket_order)
    return within(coder->states, n, coder->bits);
  if (!are_positions(coder->bucket_order, coder->states, n))
    return false;
  positions_to_keys(coder->bucket_order, coder->states, n);
  return true;
}

/* ---- states of several words ----------------------------------------------------------------- */

/* Stores byte b of word w of all states together: bytes that seldom change are not mixed with those that do. */
static void to_planes(const uint64_t *states, uint8_t *planes, size_t n, uint32_t words) {
  for (uint32_t w = 0; w < words; w++)
    for (unsigned b = 0; b < 8; b++, planes += n)
      for (size_t i = 0; i < n; i++)
        planes[i] = (uint8_t)(states[i * words + w] >> 8 * b);
}

static void from_planes(const uint8_t *planes, uint64_t *states, size_t n, uint32_t words) {
  memset(states, 0, n * words * sizeof *states);
  for (uint32_t w = 0; w < words; w++)
    for (unsigned b = 0; b < 8; b++, planes += n)
      for (size_t i = 0; i < n; i++)
        states[i * words + w] |= (uint64_t)planes[i] << 8 * b;
}

static size_t encode_several(struct coder *coder, size_t n, unsigned *coding) {
  size_t plain = n * coder->words * sizeof(uint64_t), length = 0;
  if (coder->compressor) {
    to_planes(coder->states, (uint8_t *)coder->other, n, coder->words);
    length = compressor_pack(coder->compressor, coder->other, plain, coder->bytes + PART_BYTES, plain - 1);
  }
  *coding = length ? CODING_PLANES : CODING_WORDS;
  return length ? length : encode_words(coder, coder->states, n * coder->words);
}

static bool decode_words(struct coder *coder, size_t length, size_t n) {
  size_t words = n * coder->words;
  if (length != words * sizeof(uint64_t))
    return false;
  for (size_t i = 0; i < words; i++)
    coder->states[i] = load64(coder->bytes + PART_BYTES + 8 * i);
  return coder->words > 1 || within(coder->states, n, coder->bits);
}

static bool decode_planes(struct coder *coder, size_t length, size_t n) {
  size_t plain = n * coder->words * sizeof(uint64_t);
  if (!coder->compressor ||
      !compressor_unpack(coder->compressor, coder->bytes + PART_BYTES, length, coder->other, plain))
    return false;
  from_planes((const uint8_t *)coder->other, coder->states, n, coder->words);
  return true;
}

/* ---- public interface ------------------------------------------------------------------------ */

size_t coder_encode(struct coder *coder, size_t n, bool in_bucket_order, unsigned *coding) {
  assert(n > 0 && n <= block_states(coder->words));
  return coder->words == 1 ? encode_one_word(coder, n, in_bucket_order, coding) : encode_several(coder, n, coding);
}

bool coder_decode(struct coder *coder, unsigned coding, size_t length, size_t n) {
  assert(length <= coder_most());
  if (n == 0 || n > block_states(coder->words))
    return false;
  memset(coder->bytes + PART_BYTES + length, 0, DELTA_SLACK);
  switch (coding) {
  case CODING_WORDS:
    return decode_words(coder, length, n);
  case CODING_PLANES:
    return decode_planes(coder, length, n);
  case CODING_DIFFERENCES:
    return decode_differences(coder, length, n, false);
  default:
    return coding == CODING_POSITIONS && decode_differences(coder, length, n, true);
  }
}
