/* Recent level in the host's memory: one thread, a doubly linked list of the pairs by use, and a hash table of
   places (linear probing, at most half full). A removal moves later entries up, so deleted keys leave nothing
   behind. Missing keys of a batch get a node too, outside the list, until the batch is done. */
#include "tables/working_set/recent_level.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX
enum { AHEAD = 16 }; /* operations whose memory is prefetched in advance */

struct node {
  struct workset_pair pair;
  uint32_t newer, older; /* links of the list; `older` also links free nodes */
  bool present;          /* the key is in the table, and on the list if it was used */
  bool listed;
};

struct recent_level {
  struct recent_level_config config;
  struct node *nodes;
  uint32_t *index; /* numbers of nodes; NONE: empty */
  uint64_t places; /* size of the index */
  size_t node_count;
  uint32_t newest, oldest, free_head; /* idle: first free node */
  uint64_t listed;
  struct workset_batch batch;
  uint32_t *of; /* [batch] nodes of the batch's keys */
  uint64_t *missing_keys, *missing_values;
  uint32_t *missing_nodes;
  uint8_t *missing_found;
  size_t missing;
  struct workset_pair *old[2]; /* [batch] evicted pairs of the last batch, and of the one being finished */
  size_t old_count[2];
  unsigned turn;
  size_t n; /* size of the last batch applied */
};

/* ---- the hash table ------------------------------------------------------------------------------ */

static uint64_t home_of(const struct recent_level *level, uint64_t key) {
  return workset_place(workset_hash(level->config.seed, key), level->places);
}

static uint64_t next_place(const struct recent_level *level, uint64_t at) {
  return at + 1 == level->places ? 0 : at + 1;
}

/* The place of the key, or the free place for it. */
static uint64_t seek(const struct recent_level *level, uint64_t key) {
  uint64_t at = home_of(level, key);
  while (level->index[at] != NONE && level->nodes[level->index[at]].pair.key != key)
    at = next_place(level, at);
  return at;
}

/* From `home` to `at`, in the direction of a search. */
static uint64_t distance(const struct recent_level *level, uint64_t home, uint64_t at) {
  return at >= home ? at - home : at + level->places - home;
}

/* Removes the key; later entries move up as far as their homes allow. */
static void unindex(struct recent_level *level, uint64_t key) {
  uint64_t hole = seek(level, key);
  assert(level->index[hole] != NONE);
  for (uint64_t at = next_place(level, hole); level->index[at] != NONE; at = next_place(level, at)) {
    const uint64_t home = home_of(level, level->nodes[level->index[at]].pair.key);
    if (distance(level, home, at) < distance(level, hole, at))
      continue;
    level->index[hole] = level->index[at];
    hole = at;
  }
  level->index[hole] = NONE;
}

/* ---- nodes and the list -------------------------------------------------------------------------- */

static uint32_t new_node(struct recent_level *level, uint64_t place, uint64_t key) {
  const uint32_t node = level->free_head;
  assert(node != NONE); /* the level and a batch never need more */
  level->free_head = level->nodes[node].older;
  level->nodes[node] = (struct node){.pair = {key, 0}, .newer = NONE, .older = NONE};
  level->index[place] = node;
  return node;
}

static void free_node(struct recent_level *level, uint32_t node) {
  unindex(level, level->nodes[node].pair.key);
  level->nodes[node].older = level->free_head;
  level->free_head = node;
}

static void remove_from_list(struct recent_level *level, struct node *node) {
  if (!node->listed)
    return;
  *(node->newer == NONE ? &level->newest : &level->nodes[node->newer].older) = node->older;
  *(node->older == NONE ? &level->oldest : &level->nodes[node->older].newer) = node->newer;
  node->listed = false;
  level->listed--;
}

static void mark_used(struct recent_level *level, uint32_t number) {
  struct node *node = &level->nodes[number];
  remove_from_list(level, node);
  node->newer = NONE;
  node->older = level->newest;
  *(level->newest == NONE ? &level->oldest : &level->nodes[level->newest].newer) = number;
  level->newest = number;
  node->listed = true;
  level->listed++;
}

/* ---- creating and freeing --------------------------------------------------------------------------- */

static void clear_content(struct recent_level *level) {
  memset(level->index, 0xff, level->places * sizeof *level->index);
  level->newest = level->oldest = level->free_head = NONE;
  for (size_t i = level->node_count; i-- > 0;) {
    level->nodes[i].older = level->free_head;
    level->free_head = (uint32_t)i;
  }
  level->listed = 0;
  level->old_count[0] = level->old_count[1] = 0;
}

static size_t nodes_for(const struct recent_level_config *config) { return config->capacity + config->batch; }

static void free_list(struct recent_level *level) {
  if (!level)
    return;
  if (level->nodes)
    pages_free(level->nodes, level->node_count * sizeof *level->nodes);
  if (level->index)
    pages_free(level->index, level->places * sizeof *level->index);
  mem_free(level->of);
  mem_free(level->missing_keys);
  mem_free(level->missing_values);
  mem_free(level->missing_nodes);
  mem_free(level->missing_found);
  mem_free(level->old[0]);
  mem_free(level->old[1]);
  mem_free(level);
}

static bool allocate(struct recent_level *level) {
  const size_t n = level->config.batch;
  return (level->nodes = pages_alloc(level->node_count * sizeof *level->nodes)) &&
         (level->index = pages_alloc(level->places * sizeof *level->index)) &&
         (level->of = mem_array(n, sizeof *level->of)) &&
         (level->missing_keys = mem_array(n, sizeof *level->missing_keys)) &&
         (level->missing_values = mem_array(n, sizeof *level->missing_values)) &&
         (level->missing_nodes = mem_array(n, sizeof *level->missing_nodes)) &&
         (level->missing_found = mem_array(n, sizeof *level->missing_found)) &&
         (level->old[0] = mem_array(n, sizeof **level->old)) && (level->old[1] = mem_array(n, sizeof **level->old));
}

static floe_status create_list(void *device, const struct recent_level_config *config, struct recent_level **out) {
  (void)device;
  assert(config->capacity && config->capacity <= WORKSET_MOST_RECENT && config->batch);
  struct recent_level *level = mem_alloc(sizeof *level);
  if (!level)
    return FLOE_ERROR_MEMORY;
  level->config = *config;
  level->node_count = nodes_for(config);
  level->places = 2 * level->node_count;
  if (!allocate(level)) {
    free_list(level);
    return FLOE_ERROR_MEMORY;
  }
  clear_content(level);
  *out = level;
  return FLOE_OK;
}

static uint64_t bytes_of_list(const struct recent_level_config *config) {
  return nodes_for(config) * (sizeof(struct node) + 2 * sizeof(uint32_t)) +
         config->batch * (2 * sizeof(uint32_t) + 2 * sizeof(uint64_t) + 1 + 2 * sizeof(struct workset_pair));
}

static floe_status clear_list(struct recent_level *level, uint64_t seed) {
  level->config.seed = seed;
  clear_content(level);
  return FLOE_OK;
}

/* ---- a batch ------------------------------------------------------------------------------------- */

/* Prefetches a key's home, and some operations later the node stored there, which mostly is the key's. */
static void prefetch_home(const struct recent_level *level, const struct workset_batch *batch, size_t i) {
  if (i < batch->n)
    __builtin_prefetch(&level->index[home_of(level, batch->keys[i])]);
}

static void prefetch_node(const struct recent_level *level, const struct workset_batch *batch, size_t i) {
  if (i >= batch->n)
    return;
  const uint32_t node = level->index[home_of(level, batch->keys[i])];
  if (node != NONE)
    __builtin_prefetch(&level->nodes[node]);
}

/* Prefetches the neighbours in the list, which change when the node moves. */
static void prefetch_neighbours(const struct recent_level *level, size_t i) {
  if (i >= level->batch.n)
    return;
  const struct node *node = &level->nodes[level->of[i]];
  if (node->newer != NONE)
    __builtin_prefetch(&level->nodes[node->newer], 1);
  if (node->older != NONE)
    __builtin_prefetch(&level->nodes[node->older], 1);
}

static uint32_t find_or_add_node(struct recent_level *level, uint64_t key) {
  const uint64_t place = seek(level, key);
  if (level->index[place] != NONE)
    return level->index[place];
  const uint32_t node = new_node(level, place, key);
  level->missing_nodes[level->missing] = node;
  level->missing_keys[level->missing++] = key;
  return node;
}

static floe_status lookup_list(struct recent_level *level, const struct workset_batch *batch) {
  assert(batch->n && batch->n <= level->config.batch);
  level->batch = *batch;
  level->missing = 0;
  for (size_t i = 0; i < 2 * AHEAD; i++)
    prefetch_home(level, batch, i);
  for (size_t i = 0; i < batch->n; i++) {
    prefetch_home(level, batch, i + 2 * AHEAD);
    prefetch_node(level, batch, i + AHEAD);
    level->of[i] = find_or_add_node(level, batch->keys[i]);
  }
  return FLOE_OK;
}

static floe_status missing_of_list(struct recent_level *level, struct workset_missing *out) {
  *out = (struct workset_missing){level->missing_keys, level->missing_found, level->missing_values, level->missing};
  return FLOE_OK;
}

static void take_found(struct recent_level *level) {
  for (size_t i = 0; i < level->missing; i++) {
    struct node *node = &level->nodes[level->missing_nodes[i]];
    node->present = level->missing_found[i];
    node->pair.value = node->present ? level->missing_values[i] : 0;
  }
}

static void apply_put(struct recent_level *level, uint32_t number, size_t i) {
  struct node *node = &level->nodes[number];
  level->batch.answers[i] = node->present ? TABLE_FOUND : TABLE_PUT;
  node->present = true;
  node->pair.value = level->batch.values ? level->batch.values[i] : 0;
  mark_used(level, number);
}

static void apply_find(struct recent_level *level, uint32_t number, size_t i, bool get) {
  const struct node *node = &level->nodes[number];
  level->batch.answers[i] = node->present ? TABLE_FOUND : TABLE_FULL;
  if (!node->present)
    return;
  if (get && level->batch.values)
    level->batch.values[i] = node->pair.value;
  mark_used(level, number);
}

static void apply_delete(struct recent_level *level, uint32_t number, size_t i) {
  struct node *node = &level->nodes[number];
  level->batch.answers[i] = node->present ? TABLE_FOUND : TABLE_FULL;
  node->present = false;
  remove_from_list(level, node);
}

static void apply_one(struct recent_level *level, size_t i) {
  const unsigned operation = workset_operation(&level->batch, i);
  if (workset_puts(operation))
    apply_put(level, level->of[i], i);
  else if (operation == TABLE_DELETE)
    apply_delete(level, level->of[i], i);
  else
    apply_find(level, level->of[i], i, operation == TABLE_GET);
}

/* Frees nodes of absent keys; a key may occur in the batch several times. */
static void free_absent_nodes(struct recent_level *level) {
  for (size_t i = 0; i < level->batch.n; i++) {
    const uint32_t number = level->of[i];
    struct node *node = &level->nodes[number];
    if (node->listed || node->pair.key != level->batch.keys[i] || level->index[seek(level, node->pair.key)] != number)
      continue;
    free_node(level, number);
  }
}

static void evict_oldest(struct recent_level *level) {
  size_t n = 0;
  for (; level->listed > level->config.capacity; n++) {
    const uint32_t number = level->oldest;
    assert(n < level->batch.n);
    level->old[level->turn][n] = level->nodes[number].pair;
    remove_from_list(level, &level->nodes[number]);
    free_node(level, number);
  }
  level->old_count[level->turn] = n;
}

static floe_status apply_list(struct recent_level *level) {
  take_found(level);
  for (size_t i = 0; i < level->batch.n; i++) {
    if (i + 2 * AHEAD < level->batch.n)
      __builtin_prefetch(&level->nodes[level->of[i + 2 * AHEAD]], 1);
    prefetch_neighbours(level, i + AHEAD);
    apply_one(level, i);
  }
  free_absent_nodes(level);
  level->turn ^= 1;
  evict_oldest(level);
  return FLOE_OK;
}

static floe_status finish_list(struct recent_level *level, struct workset_old *out) {
  *out = (struct workset_old){level->old[level->turn], level->old_count[level->turn]};
  return FLOE_OK;
}

/* ---- inspection ------------------------------------------------------------------------------------- */

static floe_status count_of_list(struct recent_level *level, uint64_t *out) {
  *out = level->listed;
  return FLOE_OK;
}

static floe_status each_of_list(struct recent_level *level, workset_visit *visit, void *user) {
  enum { SOME = 256 };
  uint64_t keys[SOME], values[SOME];
  size_t n = 0;
  for (uint32_t at = level->newest; at != NONE; at = level->nodes[at].older) {
    keys[n] = level->nodes[at].pair.key;
    values[n] = level->nodes[at].pair.value;
    if (++n == SOME || level->nodes[at].older == NONE) {
      visit(user, keys, values, n);
      n = 0;
    }
  }
  return FLOE_OK;
}

static floe_status check_list(struct recent_level *level, uint64_t *wrong) {
  uint64_t bad = 0, n = 0, indexed = 0;
  uint32_t newer = NONE;
  for (uint32_t at = level->newest; at != NONE; newer = at, at = level->nodes[at].older, n++) {
    const struct node *node = &level->nodes[at];
    bad += !node->present || !node->listed || node->newer != newer || level->index[seek(level, node->pair.key)] != at;
  }
  for (uint64_t i = 0; i < level->places; i++)
    indexed += level->index[i] != NONE;
  *wrong = bad + (n != level->listed) + (indexed != n) + (newer != level->oldest) + (n > level->config.capacity);
  return FLOE_OK;
}

const struct recent_level_kind recent_level_list = {.create = create_list,
                                                    .free = free_list,
                                                    .lookup = lookup_list,
                                                    .missing = missing_of_list,
                                                    .apply = apply_list,
                                                    .finish = finish_list,
                                                    .count = count_of_list,
                                                    .bytes = bytes_of_list,
                                                    .clear = clear_list,
                                                    .each = each_of_list,
                                                    .check = check_list};
