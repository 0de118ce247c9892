/* Batch lookup: every thread takes shard after shard, and processes its rests in chunks. */
#include "engine/host_backed/shards.h"
#include "engine/host_backed/shards_state.h"

#include <assert.h>
#include <string.h>

struct lookup_job {
  struct shards *set;
  struct shards_batch *batch;
  _Atomic unsigned ticket; /* relaxed, as the counts: tickets only have to differ, the rest is read after pool_run */
  _Atomic uint64_t new_count, refused_count;
};

static uint64_t bitmap_words(uint64_t bits) { return bits / 64 + (bits % 64 != 0); }

/* Rests `at` to `at + n` of the batch as keys of 64 bits. */
static const uint64_t *load_rests(const struct shards_batch *batch, uint64_t at, size_t n, uint64_t *keys) {
  if (batch->rest_bytes == 8)
    return (const uint64_t *)batch->rests + at;
  const uint32_t *rests = (const uint32_t *)batch->rests + at;
  for (size_t i = 0; i < n; i++)
    keys[i] = rests[i];
  return keys;
}

/* Bit i of the result is the lowest bit of byte i of the word. The used bits of the partial products do not overlap,
   so there is no carry. */
static uint64_t gather_bits(uint64_t bytes) {
  return (bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}

/* Bits of 64 results: those that are PUT, or (with shift 1) FULL. */
static uint64_t result_word(const uint8_t *answers, unsigned shift) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; i++) {
    uint64_t bytes;
    memcpy(&bytes, answers + 8 * (size_t)i, sizeof bytes);
    word |= gather_bits(bytes >> shift) << 8 * i;
  }
  return word;
}

/* Writes the bitmaps of a chunk that begins with a word; results behind the n-th are set to FOUND. */
static uint64_t write_bits(uint8_t *answers, size_t n, size_t full, uint64_t *fresh, uint64_t *refused) {
  static_assert(TABLE_FOUND == 0 && TABLE_PUT == 1 && TABLE_FULL == 2, "the bits of a result are those of the bitmaps");
  const size_t words = (size_t)bitmap_words(n);
  uint64_t count = 0;
  memset(answers + n, TABLE_FOUND, 64 * words - n);
  for (size_t i = 0; i < words; i++) {
    fresh[i] = result_word(answers + 64 * i, 0);
    refused[i] = full ? result_word(answers + 64 * i, 1) : 0;
    count += (unsigned)__builtin_popcountll(fresh[i]);
  }
  return count;
}

/* Clears the words from the shard's end up to the begin of the next one, and those before the first shard. */
static void clear_gaps(const struct lookup_job *lookup_job, unsigned shard) {
  const struct shards_batch *batch = lookup_job->batch;
  const uint64_t end = batch->first[shard] / 64 + bitmap_words(batch->count[shard]);
  const uint64_t next = shard + 1 < lookup_job->set->count ? batch->first[shard + 1] / 64 : end;
  assert(end <= next);
  memset(batch->fresh + end, 0, (next - end) * sizeof *batch->fresh);
  memset(batch->refused + end, 0, (next - end) * sizeof *batch->refused);
  if (shard == 0) {
    memset(batch->fresh, 0, batch->first[0] / 64 * sizeof *batch->fresh);
    memset(batch->refused, 0, batch->first[0] / 64 * sizeof *batch->refused);
  }
}

static void lookup_shard(struct lookup_job *lookup_job, unsigned number) {
  const struct shards_batch *batch = lookup_job->batch;
  struct shard *shard = &lookup_job->set->shard[number];
  const uint64_t first = batch->first[number], end = first + batch->count[number];
  uint64_t keys[SHARD_CHUNK], new_count = 0, refused_count = 0;
  uint8_t answers[SHARD_CHUNK];
  assert(first % 64 == 0);
  if (first < end)
    shard_may_grow(lookup_job->set, shard);
  for (uint64_t at = first; at < end; at += SHARD_CHUNK) {
    const size_t n = end - at < SHARD_CHUNK ? end - at : SHARD_CHUNK;
    const size_t full = shard_put(lookup_job->set, shard, load_rests(batch, at, n, keys), n, answers);
    new_count += write_bits(answers, n, full, batch->fresh + at / 64, batch->refused + at / 64);
    refused_count += full;
  }
  clear_gaps(lookup_job, number);
  atomic_fetch_add_explicit(&lookup_job->new_count, new_count, memory_order_relaxed);
  atomic_fetch_add_explicit(&lookup_job->refused_count, refused_count, memory_order_relaxed);
}

static void lookup_shards(void *user, unsigned member) {
  struct lookup_job *lookup_job = user;
  unsigned number;
  (void)member;
  while ((number = atomic_fetch_add_explicit(&lookup_job->ticket, 1, memory_order_relaxed)) < lookup_job->set->count)
    lookup_shard(lookup_job, number);
}

void shards_find_or_put(struct shards *set, struct thread_pool *pool, struct shards_batch *batch) {
  struct lookup_job lookup_job = {.set = set, .batch = batch};
  assert(batch->rest_bytes == 8 || (batch->rest_bytes == 4 && shard_rest_bits(set->rule) <= 32));
  set->threads = pool_size(pool);
  pool_run(pool, lookup_shards, &lookup_job);
  batch->new_count = atomic_load_explicit(&lookup_job.new_count, memory_order_relaxed);
  batch->refused_count = atomic_load_explicit(&lookup_job.refused_count, memory_order_relaxed);
}
