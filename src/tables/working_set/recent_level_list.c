/* The first level in the host's memory: one thread, a doubly linked list of the pairs by use, and a hash table of
   places beside it (linear probing, half full at most; a place that is left is filled by those behind it, so that
   nothing is left of deleted keys). The keys of a batch that are not here get a node too, off the list, until the batch
   is done. */
#include "tables/working_set/recent_level.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX
enum { AHEAD = 16 }; /* operations whose memory is asked for before it is needed */

struct node {
  struct workset_pair pair;
  uint32_t newer, older; /* of the list; `older` also of the free nodes */
  bool present;          /* the key is in the table, and on the list if it was used */
  bool listed;
};

struct front {
  struct front_config config;
  struct node *nodes;
  uint32_t *index; /* numbers of nodes; NONE: nothing */
  uint64_t places; /* of the index */
  size_t node_count;
  uint32_t newest, oldest, idle; /* idle: the first free node */
  uint64_t listed;
  struct workset_batch batch;
  uint32_t *of; /* [batch] the nodes of the batch's keys */
  uint64_t *missing_keys, *missing_values;
  uint32_t *missing_nodes;
  uint8_t *missing_found;
  size_t missing;
  struct workset_pair *old[2]; /* [batch] of the last batch, and of the one that is finished */
  size_t old_count[2];
  unsigned turn;
  size_t n; /* of the last batch that was settled */
};

/* ---- the hash table ------------------------------------------------------------------------------ */

static uint64_t home_of(const struct front *front, uint64_t key) {
  return workset_place(workset_hash(front->config.seed, key), front->places);
}

static uint64_t next_place(const struct front *front, uint64_t at) { return at + 1 == front->places ? 0 : at + 1; }

/* The place of the key, or the free one where it would be put. */
static uint64_t seek(const struct front *front, uint64_t key) {
  uint64_t at = home_of(front, key);
  while (front->index[at] != NONE && front->nodes[front->index[at]].pair.key != key)
    at = next_place(front, at);
  return at;
}

/* From `home` to `at`, in the direction of a search. */
static uint64_t distance(const struct front *front, uint64_t home, uint64_t at) {
  return at >= home ? at - home : at + front->places - home;
}

/* Those behind move up, as far as their homes allow. */
static void unindex(struct front *front, uint64_t key) {
  uint64_t hole = seek(front, key);
  assert(front->index[hole] != NONE);
  for (uint64_t at = next_place(front, hole); front->index[at] != NONE; at = next_place(front, at)) {
    const uint64_t home = home_of(front, front->nodes[front->index[at]].pair.key);
    if (distance(front, home, at) < distance(front, hole, at))
      continue;
    front->index[hole] = front->index[at];
    hole = at;
  }
  front->index[hole] = NONE;
}

/* ---- nodes and the list -------------------------------------------------------------------------- */

static uint32_t take_node(struct front *front, uint64_t place, uint64_t key) {
  const uint32_t node = front->idle;
  assert(node != NONE); /* there are as many as the level and a batch can have */
  front->idle = front->nodes[node].older;
  front->nodes[node] = (struct node){.pair = {key, 0}, .newer = NONE, .older = NONE};
  front->index[place] = node;
  return node;
}

static void give_node(struct front *front, uint32_t node) {
  unindex(front, front->nodes[node].pair.key);
  front->nodes[node].older = front->idle;
  front->idle = node;
}

static void unlist(struct front *front, struct node *node) {
  if (!node->listed)
    return;
  *(node->newer == NONE ? &front->newest : &front->nodes[node->newer].older) = node->older;
  *(node->older == NONE ? &front->oldest : &front->nodes[node->older].newer) = node->newer;
  node->listed = false;
  front->listed--;
}

static void use(struct front *front, uint32_t number) {
  struct node *node = &front->nodes[number];
  unlist(front, node);
  node->newer = NONE;
  node->older = front->newest;
  *(front->newest == NONE ? &front->oldest : &front->nodes[front->newest].newer) = number;
  front->newest = number;
  node->listed = true;
  front->listed++;
}

/* ---- owning -------------------------------------------------------------------------------------- */

static void empty(struct front *front) {
  memset(front->index, 0xff, front->places * sizeof *front->index);
  front->newest = front->oldest = front->idle = NONE;
  for (size_t i = front->node_count; i-- > 0;) {
    front->nodes[i].older = front->idle;
    front->idle = (uint32_t)i;
  }
  front->listed = 0;
  front->old_count[0] = front->old_count[1] = 0;
}

static size_t nodes_for(const struct front_config *config) { return config->capacity + config->batch; }

static void free_list(struct front *front) {
  if (!front)
    return;
  if (front->nodes)
    pages_free(front->nodes, front->node_count * sizeof *front->nodes);
  if (front->index)
    pages_free(front->index, front->places * sizeof *front->index);
  mem_free(front->of);
  mem_free(front->missing_keys);
  mem_free(front->missing_values);
  mem_free(front->missing_nodes);
  mem_free(front->missing_found);
  mem_free(front->old[0]);
  mem_free(front->old[1]);
  mem_free(front);
}

static bool take_memory(struct front *front) {
  const size_t n = front->config.batch;
  return (front->nodes = pages_alloc(front->node_count * sizeof *front->nodes)) &&
         (front->index = pages_alloc(front->places * sizeof *front->index)) &&
         (front->of = mem_array(n, sizeof *front->of)) &&
         (front->missing_keys = mem_array(n, sizeof *front->missing_keys)) &&
         (front->missing_values = mem_array(n, sizeof *front->missing_values)) &&
         (front->missing_nodes = mem_array(n, sizeof *front->missing_nodes)) &&
         (front->missing_found = mem_array(n, sizeof *front->missing_found)) &&
         (front->old[0] = mem_array(n, sizeof **front->old)) && (front->old[1] = mem_array(n, sizeof **front->old));
}

static floe_status create_list(void *machine, const struct front_config *config, struct front **out) {
  (void)machine;
  assert(config->capacity && config->capacity <= WORKSET_MOST_RECENT && config->batch);
  struct front *front = mem_alloc(sizeof *front);
  if (!front)
    return FLOE_ERROR_MEMORY;
  front->config = *config;
  front->node_count = nodes_for(config);
  front->places = 2 * front->node_count;
  if (!take_memory(front)) {
    free_list(front);
    return FLOE_ERROR_MEMORY;
  }
  empty(front);
  *out = front;
  return FLOE_OK;
}

static uint64_t bytes_of_list(const struct front_config *config) {
  return nodes_for(config) * (sizeof(struct node) + 2 * sizeof(uint32_t)) +
         config->batch * (2 * sizeof(uint32_t) + 2 * sizeof(uint64_t) + 1 + 2 * sizeof(struct workset_pair));
}

static floe_status clear_list(struct front *front, uint64_t seed) {
  front->config.seed = seed;
  empty(front);
  return FLOE_OK;
}

/* ---- a batch ------------------------------------------------------------------------------------- */

/* First a key's home, some operations later the node that is told there, which mostly is the key's. */
static void ask_for_home(const struct front *front, const struct workset_batch *batch, size_t i) {
  if (i < batch->n)
    __builtin_prefetch(&front->index[home_of(front, batch->keys[i])]);
}

static void ask_for_node(const struct front *front, const struct workset_batch *batch, size_t i) {
  if (i >= batch->n)
    return;
  const uint32_t node = front->index[home_of(front, batch->keys[i])];
  if (node != NONE)
    __builtin_prefetch(&front->nodes[node]);
}

/* And for its neighbours in the list, which it leaves. */
static void ask_for_neighbours(const struct front *front, size_t i) {
  if (i >= front->batch.n)
    return;
  const struct node *node = &front->nodes[front->of[i]];
  if (node->newer != NONE)
    __builtin_prefetch(&front->nodes[node->newer], 1);
  if (node->older != NONE)
    __builtin_prefetch(&front->nodes[node->older], 1);
}

static uint32_t look_up(struct front *front, uint64_t key) {
  const uint64_t place = seek(front, key);
  if (front->index[place] != NONE)
    return front->index[place];
  const uint32_t node = take_node(front, place, key);
  front->missing_nodes[front->missing] = node;
  front->missing_keys[front->missing++] = key;
  return node;
}

static floe_status ask_list(struct front *front, const struct workset_batch *batch) {
  assert(batch->n && batch->n <= front->config.batch);
  front->batch = *batch;
  front->missing = 0;
  for (size_t i = 0; i < 2 * AHEAD; i++)
    ask_for_home(front, batch, i);
  for (size_t i = 0; i < batch->n; i++) {
    ask_for_home(front, batch, i + 2 * AHEAD);
    ask_for_node(front, batch, i + AHEAD);
    front->of[i] = look_up(front, batch->keys[i]);
  }
  return FLOE_OK;
}

static floe_status missing_of_list(struct front *front, struct workset_missing *out) {
  *out = (struct workset_missing){front->missing_keys, front->missing_found, front->missing_values, front->missing};
  return FLOE_OK;
}

static void bring_up(struct front *front) {
  for (size_t i = 0; i < front->missing; i++) {
    struct node *node = &front->nodes[front->missing_nodes[i]];
    node->present = front->missing_found[i];
    node->pair.value = node->present ? front->missing_values[i] : 0;
  }
}

static void put(struct front *front, uint32_t number, size_t i) {
  struct node *node = &front->nodes[number];
  front->batch.answers[i] = node->present ? TABLE_FOUND : TABLE_PUT;
  node->present = true;
  node->pair.value = front->batch.values ? front->batch.values[i] : 0;
  use(front, number);
}

static void find(struct front *front, uint32_t number, size_t i, bool get) {
  const struct node *node = &front->nodes[number];
  front->batch.answers[i] = node->present ? TABLE_FOUND : TABLE_FULL;
  if (!node->present)
    return;
  if (get && front->batch.values)
    front->batch.values[i] = node->pair.value;
  use(front, number);
}

static void drop(struct front *front, uint32_t number, size_t i) {
  struct node *node = &front->nodes[number];
  front->batch.answers[i] = node->present ? TABLE_FOUND : TABLE_FULL;
  node->present = false;
  unlist(front, node);
}

static void do_one(struct front *front, size_t i) {
  const unsigned operation = workset_operation(&front->batch, i);
  if (workset_puts(operation))
    put(front, front->of[i], i);
  else if (operation == TABLE_DELETE)
    drop(front, front->of[i], i);
  else
    find(front, front->of[i], i, operation == TABLE_GET);
}

/* Nodes of keys that are in the table no more, or never were; a key may come in the batch several times. */
static void give_nodes(struct front *front) {
  for (size_t i = 0; i < front->batch.n; i++) {
    const uint32_t number = front->of[i];
    struct node *node = &front->nodes[number];
    if (node->listed || node->pair.key != front->batch.keys[i] || front->index[seek(front, node->pair.key)] != number)
      continue;
    give_node(front, number);
  }
}

static void make_room(struct front *front) {
  size_t n = 0;
  for (; front->listed > front->config.capacity; n++) {
    const uint32_t number = front->oldest;
    assert(n < front->batch.n);
    front->old[front->turn][n] = front->nodes[number].pair;
    unlist(front, &front->nodes[number]);
    give_node(front, number);
  }
  front->old_count[front->turn] = n;
}

static floe_status settle_list(struct front *front) {
  bring_up(front);
  for (size_t i = 0; i < front->batch.n; i++) {
    if (i + 2 * AHEAD < front->batch.n)
      __builtin_prefetch(&front->nodes[front->of[i + 2 * AHEAD]], 1);
    ask_for_neighbours(front, i + AHEAD);
    do_one(front, i);
  }
  give_nodes(front);
  front->turn ^= 1;
  make_room(front);
  return FLOE_OK;
}

static floe_status finish_list(struct front *front, struct workset_old *out) {
  *out = (struct workset_old){front->old[front->turn], front->old_count[front->turn]};
  return FLOE_OK;
}

/* ---- looking at it ------------------------------------------------------------------------------- */

static floe_status count_of_list(struct front *front, uint64_t *out) {
  *out = front->listed;
  return FLOE_OK;
}

static floe_status each_of_list(struct front *front, workset_visit *visit, void *user) {
  enum { SOME = 256 };
  uint64_t keys[SOME], values[SOME];
  size_t n = 0;
  for (uint32_t at = front->newest; at != NONE; at = front->nodes[at].older) {
    keys[n] = front->nodes[at].pair.key;
    values[n] = front->nodes[at].pair.value;
    if (++n == SOME || front->nodes[at].older == NONE) {
      visit(user, keys, values, n);
      n = 0;
    }
  }
  return FLOE_OK;
}

static floe_status check_list(struct front *front, uint64_t *wrong) {
  uint64_t bad = 0, n = 0, indexed = 0;
  uint32_t newer = NONE;
  for (uint32_t at = front->newest; at != NONE; newer = at, at = front->nodes[at].older, n++) {
    const struct node *node = &front->nodes[at];
    bad += !node->present || !node->listed || node->newer != newer || front->index[seek(front, node->pair.key)] != at;
  }
  for (uint64_t i = 0; i < front->places; i++)
    indexed += front->index[i] != NONE;
  *wrong = bad + (n != front->listed) + (indexed != n) + (newer != front->oldest) + (n > front->config.capacity);
  return FLOE_OK;
}

const struct front_kind front_list = {.create = create_list,
                                      .free = free_list,
                                      .ask = ask_list,
                                      .missing = missing_of_list,
                                      .settle = settle_list,
                                      .finish = finish_list,
                                      .count = count_of_list,
                                      .bytes = bytes_of_list,
                                      .clear = clear_list,
                                      .each = each_of_list,
                                      .check = check_list};
