/* The second level, ours: open addressing in cells of 31 pairs, filled by all threads at once, full to the last place.
   A cell's first cache line has a tag of 16 bits of each pair's hash, 0 for a free place, and the number of keys that
   passed by: whose home is this cell or one before it and that lie further on. A key lies in the first cell from its
   home on that had a free place when it came; a search ends where nobody passed by. So a key that leaves leaves nothing
   behind, a look-up reads one line of tags (1.3 at a load of 0.9, where one cell in four is full), and mostly one pair.
   Each call does one thing only (host_level.h), and of different keys; hence no locks:
   - put: places are claimed by a compare-and-swap of the tag, and read by others only after the call. Nothing is freed
     meanwhile, so that a cell seen full is full.
   - take: a key that is looked for is there until its own thread takes it, and so are its marks of passing. Tags that
     others free, and marks that they take back, are not its own. */
#include "tables/working_set/host_level.h"

#include "core/mem.h"
#include "core/thread_pool.h"

#include <assert.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
  CELL = 31,             /* pairs of a cell */
  BLOCK = 32,            /* keys whose memory is asked for at once */
  LEAST_FOR_POOL = 1024, /* keys of a call; fewer are done before others are awake */
  MOST_PASSED = UINT16_MAX
};

/* One cache line: tags, and at the end how many passed by. MOST_PASSED stands for that and more, and stays. */
union marks {
  uint16_t tag[CELL + 1];
  uint64_t word[8];
};
#define PASSED CELL

struct back {
  struct back_config config;
  union marks *marks;
  struct workset_pair *pairs; /* [CELL] of each cell */
  uint64_t cells;
  uint64_t count;
};

/* ---- a cell -------------------------------------------------------------------------------------- */

/* All relaxed: a phase's end (thread_pool.h) orders pairs and tags for those who come later; within one nobody reads a pair
   that another wrote. */
static uint16_t load_mark(const union marks *marks, unsigned i) {
  return __atomic_load_n(&marks->tag[i], __ATOMIC_RELAXED);
}

/* The places with this tag. */
static uint32_t places_with(const union marks *marks, uint16_t tag) {
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

static void pass_by(union marks *marks) {
  uint16_t seen = load_mark(marks, PASSED);
  while (seen != MOST_PASSED && !__atomic_compare_exchange_n(&marks->tag[PASSED], &seen, (uint16_t)(seen + 1), false,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

static void unpass(union marks *marks) {
  uint16_t seen = load_mark(marks, PASSED);
  while (seen != MOST_PASSED && !__atomic_compare_exchange_n(&marks->tag[PASSED], &seen, (uint16_t)(seen - 1), false,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

static uint64_t hash_of(const struct back *back, uint64_t key) { return workset_hash(~back->config.seed, key); }
static uint64_t home_of(const struct back *back, uint64_t hash) { return workset_place(hash, back->cells); }
static uint16_t tag_of(uint64_t hash) { return (uint16_t)hash ? (uint16_t)hash : 1; }
static uint64_t cell_after(const struct back *back, uint64_t cell) { return cell + 1 == back->cells ? 0 : cell + 1; }

/* ---- one key ------------------------------------------------------------------------------------- */

static bool put_in_cell(struct back *back, uint64_t cell, uint16_t tag, const struct workset_pair *pair) {
  union marks *marks = &back->marks[cell];
  for (uint32_t free = places_with(marks, 0); free; free &= free - 1) {
    const unsigned place = (unsigned)__builtin_ctz(free);
    if (!claim(marks, place, tag))
      continue;
    back->pairs[cell * CELL + place] = *pair;
    return true;
  }
  return false;
}

static void put_one(struct back *back, uint64_t hash, const struct workset_pair *pair) {
  uint64_t cell = home_of(back, hash);
  while (!put_in_cell(back, cell, tag_of(hash), pair)) {
    pass_by(&back->marks[cell]);
    cell = cell_after(back, cell);
  }
}

/* The key's place in the cell; CELL: it is not there. */
static unsigned find_in_cell(const struct back *back, uint64_t cell, uint16_t tag, uint64_t key) {
  for (uint32_t same = places_with(&back->marks[cell], tag); same; same &= same - 1) {
    const unsigned place = (unsigned)__builtin_ctz(same);
    if (back->pairs[cell * CELL + place].key == key)
      return place;
  }
  return CELL;
}

static bool find_one(const struct back *back, uint64_t hash, uint64_t key, uint64_t *cell, unsigned *place) {
  *cell = home_of(back, hash);
  for (uint64_t i = 0; i < back->cells; i++, *cell = cell_after(back, *cell)) {
    *place = find_in_cell(back, *cell, tag_of(hash), key);
    if (*place < CELL)
      return true;
    if (load_mark(&back->marks[*cell], PASSED) == 0)
      return false;
  }
  return false;
}

static bool take_one(struct back *back, uint64_t hash, uint64_t key, uint64_t *value) {
  uint64_t cell;
  unsigned place;
  if (!find_one(back, hash, key, &cell, &place))
    return false;
  *value = back->pairs[cell * CELL + place].value;
  __atomic_store_n(&back->marks[cell].tag[place], 0, __ATOMIC_RELAXED);
  for (uint64_t at = home_of(back, hash); at != cell; at = cell_after(back, at))
    unpass(&back->marks[at]);
  return true;
}

/* ---- many keys ----------------------------------------------------------------------------------- */

struct work {
  struct back *back;
  const struct workset_pair *pairs;
  const uint64_t *keys;
  uint8_t *found;
  uint64_t *values;
  size_t n;
  unsigned members;
  uint64_t taken; /* atomic */
};

static void put_block(struct back *back, const struct workset_pair *pairs, size_t n) {
  uint64_t hashes[BLOCK];
  for (size_t i = 0; i < n; i++) {
    hashes[i] = hash_of(back, pairs[i].key);
    __builtin_prefetch(&back->marks[home_of(back, hashes[i])], 1);
  }
  for (size_t i = 0; i < n; i++) {
    const uint64_t cell = home_of(back, hashes[i]);
    const uint32_t free = places_with(&back->marks[cell], 0);
    if (free)
      __builtin_prefetch(&back->pairs[cell * CELL + (unsigned)__builtin_ctz(free)], 1);
    else
      __builtin_prefetch(&back->marks[cell_after(back, cell)], 1);
  }
  for (size_t i = 0; i < n; i++)
    put_one(back, hashes[i], &pairs[i]);
}

static uint64_t take_block(struct back *back, const uint64_t *keys, size_t n, uint8_t *found, uint64_t *values) {
  uint64_t hashes[BLOCK], taken = 0;
  for (size_t i = 0; i < n; i++) {
    hashes[i] = hash_of(back, keys[i]);
    __builtin_prefetch(&back->marks[home_of(back, hashes[i])], 1);
  }
  for (size_t i = 0; i < n; i++) {
    const uint64_t cell = home_of(back, hashes[i]);
    const uint32_t same = places_with(&back->marks[cell], tag_of(hashes[i]));
    if (same)
      __builtin_prefetch(&back->pairs[cell * CELL + (unsigned)__builtin_ctz(same)]);
    else if (load_mark(&back->marks[cell], PASSED))
      __builtin_prefetch(&back->marks[cell_after(back, cell)]);
  }
  for (size_t i = 0; i < n; i++)
    taken += found[i] = take_one(back, hashes[i], keys[i], &values[i]);
  return taken;
}

static size_t slice(const struct work *work, unsigned member) { return work->n * member / work->members; }

static void put_slice(void *user, unsigned member) {
  struct work *work = user;
  const size_t end = slice(work, member + 1);
  for (size_t at = slice(work, member); at < end; at += BLOCK)
    put_block(work->back, work->pairs + at, end - at < BLOCK ? end - at : (size_t)BLOCK);
}

static void take_slice(void *user, unsigned member) {
  struct work *work = user;
  const size_t end = slice(work, member + 1);
  uint64_t taken = 0;
  for (size_t at = slice(work, member); at < end; at += BLOCK)
    taken += take_block(work->back, work->keys + at, end - at < BLOCK ? end - at : (size_t)BLOCK, work->found + at,
                        work->values + at);
  __atomic_fetch_add(&work->taken, taken, __ATOMIC_RELAXED);
}

static void share(struct work *work, void (*part)(void *user, unsigned member)) {
  struct thread_pool *pool = work->back->config.pool;
  work->members = work->n < LEAST_FOR_POOL ? 1 : pool_size(pool);
  if (work->members == 1)
    part(work, 0);
  else
    pool_run(pool, part, work);
}

static void put_in_cells(struct back *back, const struct workset_pair *pairs, size_t n) {
  struct work work = {.back = back, .pairs = pairs, .n = n};
  assert(back->count + n <= back->config.capacity);
  share(&work, put_slice);
  back->count += n;
}

static void take_from_cells(struct back *back, const uint64_t *keys, size_t n, uint8_t *found, uint64_t *values) {
  struct work work = {.back = back, .keys = keys, .n = n, .found = found, .values = values};
  share(&work, take_slice);
  assert(work.taken <= back->count);
  back->count -= work.taken;
}

/* ---- owning -------------------------------------------------------------------------------------- */

static uint64_t cells_for(uint64_t capacity) { return (capacity + CELL - 1) / CELL; }

static uint64_t bytes_of_cells(uint64_t capacity) {
  return cells_for(capacity) * (sizeof(union marks) + CELL * sizeof(struct workset_pair));
}

static void free_cells(struct back *back) {
  if (!back)
    return;
  if (back->marks)
    pages_free(back->marks, back->cells * sizeof *back->marks);
  if (back->pairs)
    pages_free(back->pairs, back->cells * CELL * sizeof *back->pairs);
  mem_free(back);
}

static floe_status create_cells(const struct back_config *config, struct back **out) {
  struct back *back = mem_alloc(sizeof *back);
  if (!back)
    return FLOE_ERROR_MEMORY;
  back->config = *config;
  back->cells = cells_for(config->capacity);
  back->marks = pages_alloc(back->cells * sizeof *back->marks);
  back->pairs = pages_alloc(back->cells * CELL * sizeof *back->pairs);
  if (!back->marks || !back->pairs) {
    free_cells(back);
    return FLOE_ERROR_MEMORY;
  }
  *out = back;
  return FLOE_OK;
}

static uint64_t count_of_cells(const struct back *back) { return back->count; }

static void clear_cells(struct back *back, uint64_t seed) {
  memset(back->marks, 0, back->cells * sizeof *back->marks);
  back->config.seed = seed;
  back->count = 0;
}

/* ---- looking at it ------------------------------------------------------------------------------- */

static size_t list_cell(const struct back *back, uint64_t cell, uint64_t keys[CELL], uint64_t values[CELL]) {
  size_t n = 0;
  for (unsigned i = 0; i < CELL; i++)
    if (back->marks[cell].tag[i]) {
      keys[n] = back->pairs[cell * CELL + i].key;
      values[n++] = back->pairs[cell * CELL + i].value;
    }
  return n;
}

static void each_of_cells(const struct back *back, unsigned part, unsigned parts, workset_visit *visit, void *user) {
  const uint64_t end = (uint64_t)((unsigned __int128)back->cells * (part + 1) / parts);
  uint64_t keys[CELL], values[CELL];
  for (uint64_t cell = (uint64_t)((unsigned __int128)back->cells * part / parts); cell < end; cell++) {
    const size_t n = list_cell(back, cell, keys, values);
    if (n)
      visit(user, keys, values, n);
  }
}

/* Keys that are not found where they are; *passed: the cells that keys passed by. */
static uint64_t check_cell(const struct back *back, uint64_t cell, uint64_t *passed) {
  uint64_t wrong = 0, found;
  unsigned place;
  for (unsigned i = 0; i < CELL; i++) {
    if (!back->marks[cell].tag[i])
      continue;
    const uint64_t hash = hash_of(back, back->pairs[cell * CELL + i].key), home = home_of(back, hash);
    *passed += cell >= home ? cell - home : cell + back->cells - home;
    wrong += !find_one(back, hash, back->pairs[cell * CELL + i].key, &found, &place) || found != cell || place != i;
  }
  return wrong;
}

static uint64_t check_cells(const struct back *back) {
  uint64_t wrong = 0, passed = 0, told = 0, keys[CELL], values[CELL], n = 0;
  bool more = false;
  for (uint64_t cell = 0; cell < back->cells; cell++) {
    wrong += check_cell(back, cell, &passed);
    told += back->marks[cell].tag[PASSED];
    more |= back->marks[cell].tag[PASSED] == MOST_PASSED;
    n += list_cell(back, cell, keys, values);
  }
  return wrong + (n != back->count) + (!more && passed != told);
}

const struct back_kind back_cells = {.create = create_cells,
                                     .free = free_cells,
                                     .put = put_in_cells,
                                     .take = take_from_cells,
                                     .count = count_of_cells,
                                     .bytes = bytes_of_cells,
                                     .clear = clear_cells,
                                     .each = each_of_cells,
                                     .check = check_cells};
