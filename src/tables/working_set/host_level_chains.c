/* Host level of the paper's S table (section 3.1): a hash table with chains, one thread, one key at a time, as
   Boost's unordered_map that the paper uses. (Pairs come from one array instead of malloc.) */
#include "tables/working_set/host_level.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

/* Numbers of pairs plus one; 0: none. */
struct link {
  struct workset_pair pair;
  uint64_t next;
};

struct host_level {
  struct host_level_config config;
  struct link *links; /* [capacity] */
  uint64_t *heads;    /* [capacity] */
  uint64_t released;  /* head of the list of released links */
  uint64_t fresh;     /* number of links ever used */
  uint64_t count;
};

static uint64_t *chain_of(const struct host_level *level, uint64_t key) {
  return &level->heads[workset_place(workset_hash(~level->config.seed, key), level->config.capacity)];
}

/* ---- one key ------------------------------------------------------------------------------------- */

static uint64_t new_link(struct host_level *level) {
  const uint64_t link = level->released;
  if (!link)
    return ++level->fresh;
  level->released = level->links[link - 1].next;
  return link;
}

static void put_one(struct host_level *level, const struct workset_pair *pair) {
  uint64_t *chain = chain_of(level, pair->key);
  const uint64_t link = new_link(level);
  assert(link <= level->config.capacity);
  level->links[link - 1] = (struct link){*pair, *chain};
  *chain = link;
}

/* The reference to the key's link; 0 there: the key is absent. */
static uint64_t *find_link(const struct host_level *level, uint64_t key) {
  uint64_t *at = chain_of(level, key);
  while (*at && level->links[*at - 1].pair.key != key)
    at = &level->links[*at - 1].next;
  return at;
}

static bool take_one(struct host_level *level, uint64_t key, uint64_t *value) {
  uint64_t *at = find_link(level, key);
  const uint64_t link = *at;
  if (!link)
    return false;
  *value = level->links[link - 1].pair.value;
  *at = level->links[link - 1].next;
  level->links[link - 1].next = level->released;
  level->released = link;
  return true;
}

/* ---- many keys ----------------------------------------------------------------------------------- */

static void put_in_chains(struct host_level *level, const struct workset_pair *pairs, size_t n) {
  assert(level->count + n <= level->config.capacity);
  for (size_t i = 0; i < n; i++)
    put_one(level, &pairs[i]);
  level->count += n;
}

static void take_from_chains(struct host_level *level, const uint64_t *keys, size_t n, uint8_t *found,
                             uint64_t *values) {
  for (size_t i = 0; i < n; i++)
    level->count -= found[i] = take_one(level, keys[i], &values[i]);
}

/* ---- creating and freeing --------------------------------------------------------------------------- */

static uint64_t bytes_of_chains(uint64_t capacity) { return capacity * (sizeof(struct link) + sizeof(uint64_t)); }

static void free_chains(struct host_level *level) {
  if (!level)
    return;
  if (level->links)
    pages_free(level->links, level->config.capacity * sizeof *level->links);
  if (level->heads)
    pages_free(level->heads, level->config.capacity * sizeof *level->heads);
  mem_free(level);
}

static floe_status create_chains(const struct host_level_config *config, struct host_level **out) {
  struct host_level *level = mem_alloc(sizeof *level);
  if (!level)
    return FLOE_ERROR_MEMORY;
  level->config = *config;
  level->links = pages_alloc(config->capacity * sizeof *level->links);
  level->heads = pages_alloc(config->capacity * sizeof *level->heads);
  if (!level->links || !level->heads) {
    free_chains(level);
    return FLOE_ERROR_MEMORY;
  }
  *out = level;
  return FLOE_OK;
}

static uint64_t count_of_chains(const struct host_level *level) { return level->count; }

static void clear_chains(struct host_level *level, uint64_t seed) {
  memset(level->heads, 0, level->config.capacity * sizeof *level->heads);
  level->released = level->fresh = level->count = 0;
  level->config.seed = seed;
}

/* ---- inspection ------------------------------------------------------------------------------------- */

static void each_of_chains(const struct host_level *level, unsigned part, unsigned parts, workset_visit *visit,
                           void *user) {
  const uint64_t n = level->config.capacity, end = (uint64_t)((unsigned __int128)n * (part + 1) / parts);
  for (uint64_t i = (uint64_t)((unsigned __int128)n * part / parts); i < end; i++)
    for (uint64_t at = level->heads[i]; at; at = level->links[at - 1].next)
      visit(user, &level->links[at - 1].pair.key, &level->links[at - 1].pair.value, 1);
}

static uint64_t check_chains(const struct host_level *level) {
  uint64_t n = 0, wrong = 0, released = 0;
  for (uint64_t i = 0; i < level->config.capacity; i++)
    for (uint64_t at = level->heads[i]; at && n <= level->count; at = level->links[at - 1].next, n++)
      wrong += *find_link(level, level->links[at - 1].pair.key) != at;
  for (uint64_t at = level->released; at && released <= level->fresh; at = level->links[at - 1].next)
    released++;
  return wrong + (n != level->count) + (n + released != level->fresh);
}

const struct host_level_kind host_level_chains = {.create = create_chains,
                                                  .free = free_chains,
                                                  .put = put_in_chains,
                                                  .take = take_from_chains,
                                                  .count = count_of_chains,
                                                  .bytes = bytes_of_chains,
                                                  .clear = clear_chains,
                                                  .each = each_of_chains,
                                                  .check = check_chains};
