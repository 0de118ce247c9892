/* The second level of the paper's CPSS table (section 3.3): a circular array in as many partitions as there are
   threads, each with a buffer of queries that are to be worked on there. In rounds, between which all meet, each thread
   works on its partition's buffer; what it cannot settle goes to the buffer of the next partition. A partition has two
   halves with a hash function each. A pair goes to one of a few slots of the first half; where all are taken it takes
   the last one's, whose pair goes to the second half; and what leaves that goes to the next partition. A search looks
   at these few slots of both halves, in one partition after the other, so that an absent key takes as many rounds as
   there are partitions.

   Departures: a buffer is written by one thread in a round, the one before, and read in the next one, where the paper
   has one buffer and a compare-and-swap; and pairs that found no slot in many rounds, as happens in tables nearly full,
   go to chains beside, where the paper would go on for ever. */
#include "tables/working_set/host_level.h"

#include "core/mem.h"
#include "core/thread_pool.h"

#include <assert.h>
#include <string.h>

enum {
  PROBES = 16,
  LAPS = 4, /* that a pair goes round before it leaves the array */
  LEAST_FOR_POOL = 256
};

struct query {
  struct workset_pair pair;
  size_t number; /* of the batch */
  unsigned hops;
};

struct buffer {
  struct query *queries; /* [batch] */
  size_t n;
};

struct shard {
  struct workset_pair *pairs; /* [2 * half] */
  uint8_t *used;
  struct buffer buffers[2]; /* what is read in this round, what comes for the next one, in turn */
  _Alignas(64) uint64_t settled;
};

struct back {
  struct back_config config;
  unsigned parts;
  uint64_t half;
  struct shard *partitions;
  struct back *rest; /* back_chains */
  uint64_t count;    /* of all */
};

/* ---- slots --------------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct back *back, unsigned number, uint64_t key) {
  return workset_hash(~back->config.seed + number * UINT64_C(0x9e3779b97f4a7c15), key);
}

static unsigned shard_of(const struct back *back, uint64_t key) {
  return (unsigned)workset_place(hash_of(back, 2, key), back->parts);
}

static uint64_t slot_at(const struct back *back, unsigned half, uint64_t key, unsigned probe) {
  return half * back->half + (workset_place(hash_of(back, half, key), back->half) + probe) % back->half;
}

static unsigned probes(const struct back *back) { return back->half < PROBES ? (unsigned)back->half : PROBES; }

/* The pair is put into a free slot of its half; else it takes the last one's, whose pair it becomes. */
static bool put_in_half(const struct back *back, struct shard *shard, unsigned half,
                        struct workset_pair *pair) {
  uint64_t slot = 0;
  for (unsigned i = 0; i < probes(back); i++) {
    slot = slot_at(back, half, pair->key, i);
    if (shard->used[slot])
      continue;
    shard->pairs[slot] = *pair;
    shard->used[slot] = 1;
    return true;
  }
  const struct workset_pair left = shard->pairs[slot];
  shard->pairs[slot] = *pair;
  *pair = left;
  return false;
}

/* UINT64_MAX: it is not in the partition. */
static uint64_t seek(const struct back *back, const struct shard *shard, uint64_t key) {
  for (unsigned i = 0; i < 2 * probes(back); i++) {
    const uint64_t slot = slot_at(back, i % 2, key, i / 2);
    if (shard->used[slot] && shard->pairs[slot].key == key)
      return slot;
  }
  return UINT64_MAX;
}

/* ---- rounds -------------------------------------------------------------------------------------- */

struct work {
  struct back *back;
  unsigned turn; /* of the buffers */
  bool takes;
  uint8_t *found;
  uint64_t *values;
  struct query *left; /* pairs that leave the array, together; atomic count */
  size_t left_count;
};

static void hand_on(struct work *work, unsigned member, const struct query *query) {
  struct back *back = work->back;
  struct buffer *next = &back->partitions[(member + 1) % back->parts].buffers[!work->turn];
  assert(next->n < back->config.batch);
  next->queries[next->n] = *query;
  next->queries[next->n++].hops++;
}

static void put_one(struct work *work, unsigned member, struct query *query) {
  struct back *back = work->back;
  struct shard *shard = &back->partitions[member];
  if (put_in_half(back, shard, 0, &query->pair) || put_in_half(back, shard, 1, &query->pair))
    shard->settled++;
  else if (query->hops < LAPS * back->parts)
    hand_on(work, member, query);
  else
    work->left[__atomic_fetch_add(&work->left_count, 1, __ATOMIC_RELAXED)] = *query;
}

static void take_one(struct work *work, unsigned member, struct query *query) {
  struct back *back = work->back;
  struct shard *shard = &back->partitions[member];
  const uint64_t slot = seek(back, shard, query->pair.key);
  if (slot != UINT64_MAX) {
    shard->used[slot] = 0;
    shard->settled++;
    work->found[query->number] = 1;
    work->values[query->number] = shard->pairs[slot].value;
  } else if (query->hops + 1 < back->parts) {
    hand_on(work, member, query);
  } else {
    work->left[__atomic_fetch_add(&work->left_count, 1, __ATOMIC_RELAXED)] = *query;
  }
}

static void do_buffer(void *user, unsigned member) {
  struct work *work = user;
  struct buffer *mine = &work->back->partitions[member].buffers[work->turn];
  for (size_t i = 0; i < mine->n; i++)
    (work->takes ? take_one : put_one)(work, member, &mine->queries[i]);
  mine->n = 0;
}

static bool has_queries(const struct back *back, unsigned turn) {
  for (unsigned i = 0; i < back->parts; i++)
    if (back->partitions[i].buffers[turn].n)
      return true;
  return false;
}

/* Until nobody has anything left. Few queries are done before others are awake. */
static void go_round(struct work *work, size_t n) {
  struct back *back = work->back;
  for (work->turn = 0; has_queries(back, work->turn); work->turn ^= 1)
    if (n < LEAST_FOR_POOL)
      for (unsigned i = 0; i < back->parts; i++)
        do_buffer(work, i);
    else
      pool_run(back->config.pool, do_buffer, work);
}

static void assign(struct back *back, const struct workset_pair *pair, size_t number) {
  struct buffer *buffer = &back->partitions[shard_of(back, pair->key)].buffers[0];
  assert(buffer->n < back->config.batch);
  buffer->queries[buffer->n++] = (struct query){*pair, number, 0};
}

static uint64_t sum_settled(struct back *back) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < back->parts; i++) {
    sum += back->partitions[i].settled;
    back->partitions[i].settled = 0;
  }
  return sum;
}

/* ---- many keys ----------------------------------------------------------------------------------- */

static struct query *room_for_left(const struct back *back) { return back->partitions[back->parts].buffers[0].queries; }

static void put_in_ripple(struct back *back, const struct workset_pair *pairs, size_t n) {
  struct work work = {.back = back, .left = room_for_left(back)};
  assert(back->count + n <= back->config.capacity);
  for (size_t i = 0; i < n; i++)
    assign(back, &pairs[i], i);
  go_round(&work, n);
  const uint64_t settled = sum_settled(back);
  assert(settled + work.left_count == n);
  (void)settled;
  for (size_t i = 0; i < work.left_count; i++)
    back_chains.put(back->rest, &work.left[i].pair, 1);
  back->count += n;
}

static void take_from_ripple(struct back *back, const uint64_t *keys, size_t n, uint8_t *found, uint64_t *values) {
  struct work work = {.back = back, .takes = true, .found = found, .values = values, .left = room_for_left(back)};
  for (size_t i = 0; i < n; i++) {
    const struct workset_pair pair = {.key = keys[i]};
    assign(back, &pair, i);
  }
  go_round(&work, n);
  back->count -= sum_settled(back);
  for (size_t i = 0; i < work.left_count; i++) {
    const size_t at = work.left[i].number;
    back_chains.take(back->rest, &work.left[i].pair.key, 1, &found[at], &values[at]);
    back->count -= found[at];
  }
}

/* ---- owning -------------------------------------------------------------------------------------- */

static uint64_t half_for(uint64_t capacity, unsigned parts) { return (capacity + 2 * parts - 1) / (2 * parts); }

/* (Pages of the chains are taken when they are written.) */
static uint64_t bytes_of_ripple(uint64_t capacity) {
  return 2 * half_for(capacity, 1) * (sizeof(struct workset_pair) + 1) + back_chains.bytes(capacity);
}

static void free_partition(const struct back *back, struct shard *shard) {
  if (shard->pairs)
    pages_free(shard->pairs, 2 * back->half * sizeof *shard->pairs);
  if (shard->used)
    pages_free(shard->used, 2 * back->half);
  mem_free(shard->buffers[0].queries);
  mem_free(shard->buffers[1].queries);
}

static void free_ripple(struct back *back) {
  if (!back)
    return;
  for (unsigned i = 0; back->partitions && i <= back->parts; i++)
    free_partition(back, &back->partitions[i]);
  if (back->partitions)
    pages_free(back->partitions, (back->parts + 1) * sizeof *back->partitions);
  back_chains.free(back->rest);
  mem_free(back);
}

static bool take_buffer(const struct back *back, struct buffer *buffer) {
  return (buffer->queries = mem_array(back->config.batch, sizeof *buffer->queries)) != NULL;
}

static bool take_partition(const struct back *back, struct shard *shard) {
  return (shard->pairs = pages_alloc(2 * back->half * sizeof *shard->pairs)) &&
         (shard->used = pages_alloc(2 * back->half)) && take_buffer(back, &shard->buffers[0]) &&
         take_buffer(back, &shard->buffers[1]);
}

/* One more than there are threads has a buffer only, for what is left. */
static floe_status take_memory(struct back *back) {
  FLOE_TRY(back_chains.create(&back->config, &back->rest));
  back->partitions = pages_alloc((back->parts + 1) * sizeof *back->partitions);
  if (!back->partitions)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < back->parts; i++)
    if (!take_partition(back, &back->partitions[i]))
      return FLOE_ERROR_MEMORY;
  return take_buffer(back, &back->partitions[back->parts].buffers[0]) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status create_ripple(const struct back_config *config, struct back **out) {
  struct back *back = mem_alloc(sizeof *back);
  if (!back)
    return FLOE_ERROR_MEMORY;
  back->config = *config;
  back->parts = pool_size(config->pool);
  back->half = half_for(config->capacity, back->parts);
  floe_status status = take_memory(back);
  if (status == FLOE_OK)
    *out = back;
  else
    free_ripple(back);
  return status;
}

static uint64_t count_of_ripple(const struct back *back) { return back->count; }

static void clear_ripple(struct back *back, uint64_t seed) {
  for (unsigned i = 0; i < back->parts; i++)
    memset(back->partitions[i].used, 0, 2 * back->half);
  back_chains.clear(back->rest, seed);
  back->config.seed = seed;
  back->count = 0;
}

/* ---- looking at it ------------------------------------------------------------------------------- */

static void each_of_ripple(const struct back *back, unsigned part, unsigned parts, workset_visit *visit, void *user) {
  for (unsigned i = part; i < back->parts; i += parts) {
    const struct shard *shard = &back->partitions[i];
    for (uint64_t slot = 0; slot < 2 * back->half; slot++)
      if (shard->used[slot])
        visit(user, &shard->pairs[slot].key, &shard->pairs[slot].value, 1);
  }
  back_chains.each(back->rest, part, parts, visit, user);
}

static uint64_t check_partition(const struct back *back, const struct shard *shard, uint64_t *n) {
  uint64_t wrong = shard->buffers[0].n + shard->buffers[1].n + shard->settled;
  for (uint64_t slot = 0; slot < 2 * back->half; slot++) {
    if (!shard->used[slot])
      continue;
    ++*n;
    wrong += seek(back, shard, shard->pairs[slot].key) != slot;
  }
  return wrong;
}

static uint64_t check_ripple(const struct back *back) {
  uint64_t n = back_chains.count(back->rest), wrong = back_chains.check(back->rest);
  for (unsigned i = 0; i < back->parts; i++)
    wrong += check_partition(back, &back->partitions[i], &n);
  return wrong + (n != back->count);
}

const struct back_kind back_ripple = {.create = create_ripple,
                                      .free = free_ripple,
                                      .put = put_in_ripple,
                                      .take = take_from_ripple,
                                      .count = count_of_ripple,
                                      .bytes = bytes_of_ripple,
                                      .clear = clear_ripple,
                                      .each = each_of_ripple,
                                      .check = check_ripple};
