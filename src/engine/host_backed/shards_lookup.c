/* Batches: every thread takes partition after partition, and its rests piece by piece. */
#include "engine/host_backed/shards.h"
#include "engine/host_backed/shards_state.h"

#include <assert.h>
#include <string.h>

struct job {
  struct shards *set;
  struct shards_batch *batch;
  _Atomic unsigned ticket; /* relaxed, as the counts: tickets only have to differ, the rest is read after the phase */
  _Atomic uint64_t new_count, refused_count;
};

static uint64_t bitmap_words(uint64_t bits) { return bits / 64 + (bits % 64 != 0); }

/* Rests as keys: rests `at` to `at + n` of the batch. */
static const uint64_t *load(const struct shards_batch *batch, uint64_t at, size_t n, uint64_t *keys) {
  if (batch->rest_bytes == 8)
    return (const uint64_t *)batch->rests + at;
  const uint32_t *rests = (const uint32_t *)batch->rests + at;
  for (size_t i = 0; i < n; i++)
    keys[i] = rests[i];
  return keys;
}

/* Bit i: the lowest bit of byte i of the word. No two of the products' bits that are looked at meet, so nothing is
   carried. */
static uint64_t gather_bits(uint64_t bytes) {
  return (bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}

/* 64 answers: those that are PUT, or (with shift) FULL. */
static uint64_t word_of(const uint8_t *answers, unsigned shift) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; i++) {
    uint64_t bytes;
    memcpy(&bytes, answers + 8 * (size_t)i, sizeof bytes);
    word |= gather_bits(bytes >> shift) << 8 * i;
  }
  return word;
}

/* Bitmaps of a piece that begins with a word; the answers behind the n-th are set to FOUND. */
static uint64_t write_bits(uint8_t *answers, size_t n, size_t full, uint64_t *fresh, uint64_t *refused) {
  static_assert(TABLE_FOUND == 0 && TABLE_PUT == 1 && TABLE_FULL == 2, "an answer's bits are the bitmaps'");
  const size_t words = (size_t)bitmap_words(n);
  uint64_t count = 0;
  memset(answers + n, TABLE_FOUND, 64 * words - n);
  for (size_t i = 0; i < words; i++) {
    fresh[i] = word_of(answers + 64 * i, 0);
    refused[i] = full ? word_of(answers + 64 * i, 1) : 0;
    count += (unsigned)__builtin_popcountll(fresh[i]);
  }
  return count;
}

/* The words from the partition's end up to the next one's begin; and those before the first one's. */
static void clear_gaps(const struct job *job, unsigned shard) {
  const struct shards_batch *batch = job->batch;
  const uint64_t end = batch->first[shard] / 64 + bitmap_words(batch->count[shard]);
  const uint64_t next = shard + 1 < job->set->count ? batch->first[shard + 1] / 64 : end;
  assert(end <= next);
  memset(batch->fresh + end, 0, (next - end) * sizeof *batch->fresh);
  memset(batch->refused + end, 0, (next - end) * sizeof *batch->refused);
  if (shard == 0) {
    memset(batch->fresh, 0, batch->first[0] / 64 * sizeof *batch->fresh);
    memset(batch->refused, 0, batch->first[0] / 64 * sizeof *batch->refused);
  }
}

static void answer_partition(struct job *job, unsigned number) {
  const struct shards_batch *batch = job->batch;
  struct shard *shard = &job->set->shard[number];
  const uint64_t first = batch->first[number], end = first + batch->count[number];
  uint64_t keys[SHARD_CHUNK], new_count = 0, refused_count = 0;
  uint8_t answers[SHARD_CHUNK];
  assert(first % 64 == 0);
  if (first < end)
    shard_may_grow(job->set, shard);
  for (uint64_t at = first; at < end; at += SHARD_CHUNK) {
    const size_t n = end - at < SHARD_CHUNK ? end - at : SHARD_CHUNK;
    const size_t full = shard_put(job->set, shard, load(batch, at, n, keys), n, answers);
    new_count += write_bits(answers, n, full, batch->fresh + at / 64, batch->refused + at / 64);
    refused_count += full;
  }
  clear_gaps(job, number);
  atomic_fetch_add_explicit(&job->new_count, new_count, memory_order_relaxed);
  atomic_fetch_add_explicit(&job->refused_count, refused_count, memory_order_relaxed);
}

static void answer_partitions(void *user, unsigned member) {
  struct job *job = user;
  unsigned number;
  (void)member;
  while ((number = atomic_fetch_add_explicit(&job->ticket, 1, memory_order_relaxed)) < job->set->count)
    answer_partition(job, number);
}

void shards_find_or_put(struct shards *set, struct thread_pool *pool, struct shards_batch *batch) {
  struct job job = {.set = set, .batch = batch};
  assert(batch->rest_bytes == 8 || (batch->rest_bytes == 4 && shard_rest_bits(set->rule) <= 32));
  set->threads = pool_size(pool);
  pool_run(pool, answer_partitions, &job);
  batch->new_count = atomic_load_explicit(&job.new_count, memory_order_relaxed);
  batch->refused_count = atomic_load_explicit(&job.refused_count, memory_order_relaxed);
}
