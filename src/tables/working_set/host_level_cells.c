/* Host level of floe: open addressing in cells of 31 pairs, filled by all threads in parallel, up to the last place.
   A cell's first cache line has a 16-bit tag of each pair's hash, 0 for a free place, and a pass count: the number
   of keys whose home is this cell or an earlier one and that are stored in a later one. A key is stored in the first
   cell from its home on that had a free place when it was put. A search ends at a cell with pass count 0. So a
   removed key leaves nothing behind. A lookup reads one line of tags (1.3 at a load of 0.9, where one cell in four
   is full), and mostly one pair.

   Each call does one kind of operation (host_level.h), on different keys; so there are no locks:

   - put: places are claimed by a compare-and-swap of the tag, and other threads read them only after the call.
     Nothing is freed meanwhile, so a cell that was read as full is full.
   - take: a key stays until its own thread takes it, and so do its pass counts. Tags that other threads free, and
     pass counts that they decrease, belong to other keys. */
#include "tables/working_set/host_level.h"

#include "core/mem.h"
#include "core/threads/thread_pool.h"

#include <assert.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
  CELL = 31,             /* pairs of a cell */
  BLOCK = 32,            /* keys prefetched together */
  LEAST_FOR_POOL = 1024, /* keys of a call; fewer are processed before other threads wake up */
  MOST_PASSED = UINT16_MAX
};

/* One cache line: tags, and the pass count at the end. It saturates at MOST_PASSED and then stays. */
union marks {
  uint16_t tag[CELL + 1];
  uint64_t word[8];
};
#define PASSED CELL

struct host_level {
  struct host_level_config config;
  union marks *marks;
  struct workset_pair *pairs; /* [CELL] of each cell */
  uint64_t cells;
  uint64_t count;
};

/* ---- a cell -------------------------------------------------------------------------------------- */

/* Relaxed order everywhere: the end of pool_run (thread_pool.h) orders pairs and tags for later calls. Within a call
   no thread reads a pair that another wrote. */
static uint16_t load_mark(const union marks *marks, unsigned i) {
  return __atomic_load_n(&marks->tag[i], __ATOMIC_RELAXED);
}

/* Mask of the places with this tag. */
static uint32_t places_of_tag(const union marks *marks, uint16_t tag) {
  uint32_t mask = 0;
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi16((short)tag);
  __m128i same[4];
  for (unsigned i = 0; i < 4; i++)
    same[i] = _mm_cmpeq_epi16(_mm_set_epi64x((long long)__atomic_load_n(&marks->word[2 * i + 1], __ATOMIC_RELAXED),
                                             (long long)__atomic_load_n(&marks->word[2 * i], __ATOMIC_RELAXED)),
                              wanted);
  mask = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(same[0], same[1])) |
         (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(same[2], same[3])) << 16;
#else
  for (unsigned i = 0; i < CELL; i++)
    mask |= (uint32_t)(load_mark(marks, i) == tag) << i;
#endif
  return mask & ((UINT32_C(1) << CELL) - 1);
}

static bool claim(union marks *marks, unsigned place, uint16_t tag) {
  uint16_t free = 0;
  return __atomic_compare_exchange_n(&marks->tag[place], &free, tag, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void increase_passed(union marks *marks) {
  uint16_t seen = load_mark(marks, PASSED);
  while (seen != MOST_PASSED && !__atomic_compare_exchange_n(&marks->tag[PASSED], &seen, (uint16_t)(seen + 1), false,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

static void decrease_passed(union marks *marks) {
  uint16_t seen = load_mark(marks, PASSED);
  while (seen != MOST_PASSED && !__atomic_compare_exchange_n(&marks->tag[PASSED], &seen, (uint16_t)(seen - 1), false,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

static uint64_t hash_of(const struct host_level *level, uint64_t key) { return workset_hash(~level->config.seed, key); }
static uint64_t home_of(const struct host_level *level, uint64_t hash) { return workset_place(hash, level->cells); }
static uint16_t tag_of(uint64_t hash) { return (uint16_t)hash ? (uint16_t)hash : 1; }
static uint64_t cell_after(const struct host_level *level, uint64_t cell) {
  return cell + 1 == level->cells ? 0 : cell + 1;
}

/* ---- one key ------------------------------------------------------------------------------------- */

static bool put_in_cell(struct host_level *level, uint64_t cell, uint16_t tag, const struct workset_pair *pair) {
  union marks *marks = &level->marks[cell];
  for (uint32_t free = places_of_tag(marks, 0); free; free &= free - 1) {
    const unsigned place = (unsigned)__builtin_ctz(free);
    if (!claim(marks, place, tag))
      continue;
    level->pairs[cell * CELL + place] = *pair;
    return true;
  }
  return false;
}

static void put_one(struct host_level *level, uint64_t hash, const struct workset_pair *pair) {
  uint64_t cell = home_of(level, hash);
  while (!put_in_cell(level, cell, tag_of(hash), pair)) {
    increase_passed(&level->marks[cell]);
    cell = cell_after(level, cell);
  }
}

/* The key's place in the cell; CELL: absent. */
static unsigned find_in_cell(const struct host_level *level, uint64_t cell, uint16_t tag, uint64_t key) {
  for (uint32_t same = places_of_tag(&level->marks[cell], tag); same; same &= same - 1) {
    const unsigned place = (unsigned)__builtin_ctz(same);
    if (level->pairs[cell * CELL + place].key == key)
      return place;
  }
  return CELL;
}

static bool find_one(const struct host_level *level, uint64_t hash, uint64_t key, uint64_t *cell, unsigned *place) {
  *cell = home_of(level, hash);
  for (uint64_t i = 0; i < level->cells; i++, *cell = cell_after(level, *cell)) {
    *place = find_in_cell(level, *cell, tag_of(hash), key);
    if (*place < CELL)
      return true;
    if (load_mark(&level->marks[*cell], PASSED) == 0)
      return false;
  }
  return false;
}

static bool take_one(struct host_level *level, uint64_t hash, uint64_t key, uint64_t *value) {
  uint64_t cell;
  unsigned place;
  if (!find_one(level, hash, key, &cell, &place))
    return false;
  *value = level->pairs[cell * CELL + place].value;
  __atomic_store_n(&level->marks[cell].tag[place], 0, __ATOMIC_RELAXED);
  for (uint64_t at = home_of(level, hash); at != cell; at = cell_after(level, at))
    decrease_passed(&level->marks[at]);
  return true;
}

/* ---- many keys ----------------------------------------------------------------------------------- */

struct work {
  struct host_level *level;
  const struct workset_pair *pairs;
  const uint64_t *keys;
  uint8_t *found;
  uint64_t *values;
  size_t n;
  unsigned members;
  uint64_t taken; /* atomic */
};

static void put_block(struct host_level *level, const struct workset_pair *pairs, size_t n) {
  uint64_t hashes[BLOCK];
  for (size_t i = 0; i < n; i++) {
    hashes[i] = hash_of(level, pairs[i].key);
    __builtin_prefetch(&level->marks[home_of(level, hashes[i])], 1);
  }
  for (size_t i = 0; i < n; i++) {
    const uint64_t cell = home_of(level, hashes[i]);
    const uint32_t free = places_of_tag(&level->marks[cell], 0);
    if (free)
      __builtin_prefetch(&level->pairs[cell * CELL + (unsigned)__builtin_ctz(free)], 1);
    else
      __builtin_prefetch(&level->marks[cell_after(level, cell)], 1);
  }
  for (size_t i = 0; i < n; i++)
    put_one(level, hashes[i], &pairs[i]);
}

static uint64_t take_block(struct host_level *level, const uint64_t *keys, size_t n, uint8_t *found, uint64_t *values) {
  uint64_t hashes[BLOCK], taken = 0;
  for (size_t i = 0; i < n; i++) {
    hashes[i] = hash_of(level, keys[i]);
    __builtin_prefetch(&level->marks[home_of(level, hashes[i])], 1);
  }
  for (size_t i = 0; i < n; i++) {
    const uint64_t cell = home_of(level, hashes[i]);
    const uint32_t same = places_of_tag(&level->marks[cell], tag_of(hashes[i]));
    if (same)
      __builtin_prefetch(&level->pairs[cell * CELL + (unsigned)__builtin_ctz(same)]);
    else if (load_mark(&level->marks[cell], PASSED))
      __builtin_prefetch(&level->marks[cell_after(level, cell)]);
  }
  for (size_t i = 0; i < n; i++)
    taken += found[i] = take_one(level, hashes[i], keys[i], &values[i]);
  return taken;
}

static size_t slice(const struct work *work, unsigned member) { return work->n * member / work->members; }

static void put_slice(void *user, unsigned member) {
  struct work *work = user;
  const size_t end = slice(work, member + 1);
  for (size_t at = slice(work, member); at < end; at += BLOCK)
    put_block(work->level, work->pairs + at, end - at < BLOCK ? end - at : (size_t)BLOCK);
}

static void take_slice(void *user, unsigned member) {
  struct work *work = user;
  const size_t end = slice(work, member + 1);
  uint64_t taken = 0;
  for (size_t at = slice(work, member); at < end; at += BLOCK)
    taken += take_block(work->level, work->keys + at, end - at < BLOCK ? end - at : (size_t)BLOCK, work->found + at,
                        work->values + at);
  __atomic_fetch_add(&work->taken, taken, __ATOMIC_RELAXED);
}

static void run_in_pool(struct work *work, void (*part)(void *user, unsigned member)) {
  struct thread_pool *pool = work->level->config.pool;
  work->members = work->n < LEAST_FOR_POOL ? 1 : pool_size(pool);
  if (work->members == 1)
    part(work, 0);
  else
    pool_run(pool, part, work);
}

static void put_in_cells(struct host_level *level, const struct workset_pair *pairs, size_t n) {
  struct work work = {.level = level, .pairs = pairs, .n = n};
  assert(level->count + n <= level->config.capacity);
  run_in_pool(&work, put_slice);
  level->count += n;
}

static void take_from_cells(struct host_level *level, const uint64_t *keys, size_t n, uint8_t *found,
                            uint64_t *values) {
  struct work work = {.level = level, .keys = keys, .n = n, .found = found, .values = values};
  run_in_pool(&work, take_slice);
  assert(work.taken <= level->count);
  level->count -= work.taken;
}

/* ---- creating and freeing --------------------------------------------------------------------------- */

static uint64_t cells_for(uint64_t capacity) { return (capacity + CELL - 1) / CELL; }

static uint64_t bytes_of_cells(uint64_t capacity) {
  return cells_for(capacity) * (sizeof(union marks) + CELL * sizeof(struct workset_pair));
}

static void free_cells(struct host_level *level) {
  if (!level)
    return;
  if (level->marks)
    pages_free(level->marks, level->cells * sizeof *level->marks);
  if (level->pairs)
    pages_free(level->pairs, level->cells * CELL * sizeof *level->pairs);
  mem_free(level);
}

static floe_status create_cells(const struct host_level_config *config, struct host_level **out) {
  struct host_level *level = mem_alloc(sizeof *level);
  if (!level)
    return FLOE_ERROR_MEMORY;
  level->config = *config;
  level->cells = cells_for(config->capacity);
  level->marks = pages_alloc(level->cells * sizeof *level->marks);
  level->pairs = pages_alloc(level->cells * CELL * sizeof *level->pairs);
  if (!level->marks || !level->pairs) {
    free_cells(level);
    return FLOE_ERROR_MEMORY;
  }
  *out = level;
  return FLOE_OK;
}

static uint64_t count_of_cells(const struct host_level *level) { return level->count; }

static void clear_cells(struct host_level *level, uint64_t seed) {
  memset(level->marks, 0, level->cells * sizeof *level->marks);
  level->config.seed = seed;
  level->count = 0;
}

/* ---- inspection ------------------------------------------------------------------------------------- */

static size_t list_cell(const struct host_level *level, uint64_t cell, uint64_t keys[CELL], uint64_t values[CELL]) {
  size_t n = 0;
  for (unsigned i = 0; i < CELL; i++)
    if (level->marks[cell].tag[i]) {
      keys[n] = level->pairs[cell * CELL + i].key;
      values[n++] = level->pairs[cell * CELL + i].value;
    }
  return n;
}

static void each_of_cells(const struct host_level *level, unsigned part, unsigned parts, workset_visit *visit,
                          void *user) {
  const uint64_t end = (uint64_t)((unsigned __int128)level->cells * (part + 1) / parts);
  uint64_t keys[CELL], values[CELL];
  for (uint64_t cell = (uint64_t)((unsigned __int128)level->cells * part / parts); cell < end; cell++) {
    const size_t n = list_cell(level, cell, keys, values);
    if (n)
      visit(user, keys, values, n);
  }
}

/* Number of keys that a search does not find at their place; *passed: sum of the cells that keys passed. */
static uint64_t check_cell(const struct host_level *level, uint64_t cell, uint64_t *passed) {
  uint64_t wrong = 0, found;
  unsigned place;
  for (unsigned i = 0; i < CELL; i++) {
    if (!level->marks[cell].tag[i])
      continue;
    const uint64_t hash = hash_of(level, level->pairs[cell * CELL + i].key), home = home_of(level, hash);
    *passed += cell >= home ? cell - home : cell + level->cells - home;
    wrong += !find_one(level, hash, level->pairs[cell * CELL + i].key, &found, &place) || found != cell || place != i;
  }
  return wrong;
}

static uint64_t check_cells(const struct host_level *level) {
  uint64_t wrong = 0, passed = 0, recorded = 0, keys[CELL], values[CELL], n = 0;
  bool more = false;
  for (uint64_t cell = 0; cell < level->cells; cell++) {
    wrong += check_cell(level, cell, &passed);
    recorded += level->marks[cell].tag[PASSED];
    more |= level->marks[cell].tag[PASSED] == MOST_PASSED;
    n += list_cell(level, cell, keys, values);
  }
  return wrong + (n != level->count) + (!more && passed != recorded);
}

const struct host_level_kind host_level_cells = {.create = create_cells,
                                                 .free = free_cells,
                                                 .put = put_in_cells,
                                                 .take = take_from_cells,
                                                 .count = count_of_cells,
                                                 .bytes = bytes_of_cells,
                                                 .clear = clear_cells,
                                                 .each = each_of_cells,
                                                 .check = check_cells};
