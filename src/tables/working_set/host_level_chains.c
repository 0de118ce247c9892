/* The second level of the paper's S table (section 3.1): a hash table with chains, one thread, one key at a time, as
   the Boost library's unordered_map that they took. (Its pairs come from one array instead of malloc's.) */
#include "tables/working_set/host_level.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

/* Numbers of pairs plus one; 0: none. */
struct link {
  struct workset_pair pair;
  uint64_t next;
};

struct back {
  struct back_config config;
  struct link *links; /* [capacity] */
  uint64_t *heads;    /* [capacity] */
  uint64_t idle;      /* the first link that was given back */
  uint64_t fresh;     /* links never used begin here */
  uint64_t count;
};

static uint64_t *chain_of(const struct back *back, uint64_t key) {
  return &back->heads[workset_place(workset_hash(~back->config.seed, key), back->config.capacity)];
}

/* ---- one key ------------------------------------------------------------------------------------- */

static uint64_t take_link(struct back *back) {
  const uint64_t link = back->idle;
  if (!link)
    return ++back->fresh;
  back->idle = back->links[link - 1].next;
  return link;
}

static void put_one(struct back *back, const struct workset_pair *pair) {
  uint64_t *chain = chain_of(back, pair->key);
  const uint64_t link = take_link(back);
  assert(link <= back->config.capacity);
  back->links[link - 1] = (struct link){*pair, *chain};
  *chain = link;
}

/* Where the key's link is told; 0 there: it is in none. */
static uint64_t *seek(const struct back *back, uint64_t key) {
  uint64_t *at = chain_of(back, key);
  while (*at && back->links[*at - 1].pair.key != key)
    at = &back->links[*at - 1].next;
  return at;
}

static bool take_one(struct back *back, uint64_t key, uint64_t *value) {
  uint64_t *at = seek(back, key);
  const uint64_t link = *at;
  if (!link)
    return false;
  *value = back->links[link - 1].pair.value;
  *at = back->links[link - 1].next;
  back->links[link - 1].next = back->idle;
  back->idle = link;
  return true;
}

/* ---- many keys ----------------------------------------------------------------------------------- */

static void put_in_chains(struct back *back, const struct workset_pair *pairs, size_t n) {
  assert(back->count + n <= back->config.capacity);
  for (size_t i = 0; i < n; i++)
    put_one(back, &pairs[i]);
  back->count += n;
}

static void take_from_chains(struct back *back, const uint64_t *keys, size_t n, uint8_t *found, uint64_t *values) {
  for (size_t i = 0; i < n; i++)
    back->count -= found[i] = take_one(back, keys[i], &values[i]);
}

/* ---- owning -------------------------------------------------------------------------------------- */

static uint64_t bytes_of_chains(uint64_t capacity) { return capacity * (sizeof(struct link) + sizeof(uint64_t)); }

static void free_chains(struct back *back) {
  if (!back)
    return;
  if (back->links)
    pages_free(back->links, back->config.capacity * sizeof *back->links);
  if (back->heads)
    pages_free(back->heads, back->config.capacity * sizeof *back->heads);
  mem_free(back);
}

static floe_status create_chains(const struct back_config *config, struct back **out) {
  struct back *back = mem_alloc(sizeof *back);
  if (!back)
    return FLOE_ERROR_MEMORY;
  back->config = *config;
  back->links = pages_alloc(config->capacity * sizeof *back->links);
  back->heads = pages_alloc(config->capacity * sizeof *back->heads);
  if (!back->links || !back->heads) {
    free_chains(back);
    return FLOE_ERROR_MEMORY;
  }
  *out = back;
  return FLOE_OK;
}

static uint64_t count_of_chains(const struct back *back) { return back->count; }

static void clear_chains(struct back *back, uint64_t seed) {
  memset(back->heads, 0, back->config.capacity * sizeof *back->heads);
  back->idle = back->fresh = back->count = 0;
  back->config.seed = seed;
}

/* ---- looking at it ------------------------------------------------------------------------------- */

static void each_of_chains(const struct back *back, unsigned part, unsigned parts, workset_visit *visit, void *user) {
  const uint64_t n = back->config.capacity, end = (uint64_t)((unsigned __int128)n * (part + 1) / parts);
  for (uint64_t i = (uint64_t)((unsigned __int128)n * part / parts); i < end; i++)
    for (uint64_t at = back->heads[i]; at; at = back->links[at - 1].next)
      visit(user, &back->links[at - 1].pair.key, &back->links[at - 1].pair.value, 1);
}

static uint64_t check_chains(const struct back *back) {
  uint64_t n = 0, wrong = 0, idle = 0;
  for (uint64_t i = 0; i < back->config.capacity; i++)
    for (uint64_t at = back->heads[i]; at && n <= back->count; at = back->links[at - 1].next, n++)
      wrong += *seek(back, back->links[at - 1].pair.key) != at;
  for (uint64_t at = back->idle; at && idle <= back->fresh; at = back->links[at - 1].next)
    idle++;
  return wrong + (n != back->count) + (n + idle != back->fresh);
}

const struct back_kind back_chains = {.create = create_chains,
                                      .free = free_chains,
                                      .put = put_in_chains,
                                      .take = take_from_chains,
                                      .count = count_of_chains,
                                      .bytes = bytes_of_chains,
                                      .clear = clear_chains,
                                      .each = each_of_chains,
                                      .check = check_chains};
