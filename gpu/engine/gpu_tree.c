#include "gpu/engine/gpu_tree.h"

#include "core/mem.h"
#include "gpu/engine/gpu_search.h"

#include "tree/kernel/tree.h"

#define COUNT_WORDS 16 /* a line of the device's memory for each count */
#define ADDRESS(pointer) ((gpu_address)(uintptr_t)(pointer))

/* ---- sizes --------------------------------------------------------------------------------------- */

/* Contents, and twice as many slots. */
static uint64_t bytes_for(uint64_t room) { return 3 * room * sizeof(uint64_t); }
uint64_t gpu_tree_room(const struct tree_table *table) { return (table->slot_mask + 1) / 2; }

static uint64_t most_users(const struct gpu_search *self) {
  uint64_t blocks = (uint64_t)GPU_MOST_RESIDENT * gpu_information(self->gpu)->multiprocessors;
  if (self->test_settings.blocks && self->test_settings.blocks < blocks)
    blocks = self->test_settings.blocks;
  return blocks * GPU_BLOCK;
}

static uint64_t least_room(const struct gpu_search *self) {
  uint64_t room = 1;
  while (room < self->tree.users + self->tree.users / 2 || room < self->tree.users + self->test_settings.names)
    room *= 2;
  return room;
}

/* Larger tables widen the root, so that the visited set must move all keys, with a kernel that must be compiled.
   Tables of so many numbers cost 24 MiB each, and roots of 40 bits suit the same slots as narrower ones. */
#define GENEROUS_ROOM ((uint64_t)1 << 20)

/* A power of two: it determines the bits of the root's numbers. */
static uint64_t first_room(const struct gpu_search *self) {
  uint64_t room = least_room(self);
  while (!self->test_settings.names && room < GENEROUS_ROOM &&
         self->tree.count * bytes_for(2 * room) <= self->budget.limit / 64)
    room *= 2;
  return room;
}

static unsigned log_of(uint64_t power) { return (unsigned)__builtin_ctzll(power); }

/* Reduces the number of lanes until the tables take an eighth of the memory at most. */
static void choose_users(struct gpu_search *self) {
  struct gpu_tree *tree = &self->tree;
  tree->users = most_users(self);
  while (tree->users > GPU_BLOCK && tree->count * bytes_for(least_room(self)) > self->budget.limit / 8)
    tree->users = tree->users / 2 / GPU_BLOCK * GPU_BLOCK;
}

void gpu_tree_plan(struct gpu_search *self) {
  struct gpu_tree *tree = &self->tree;
  const struct layout *layout = self->search.task->layout;
  if (layout->key_words == 1)
    return;
  tree->words = layout->words;
  tree->count = tree_tables(layout->words);
  choose_users(self);
  tree->bits[0] = tree->bits[1] = log_of(first_room(self));
}

/* ---- memory -------------------------------------------------------------------------------------- */

floe_status gpu_tree_allocate(struct gpu_search *self, uint64_t room, struct tree_table *table) {
  gpu_address memory;
  FLOE_TRY(gpu_search_take(self, bytes_for(room), &memory));
  table->contents = ON_DEVICE(uint64_t, memory);
  table->slots = table->contents + room;
  table->slot_mask = 2 * room - 1;
  table->limit = (room < TREE_MOST_NUMBERS ? room : TREE_MOST_NUMBERS) - self->tree.users;
  self->tree.bytes += bytes_for(room);
  return gpu_fill(self->gpu, ADDRESS(table->slots), 0, 2 * room * sizeof(uint64_t));
}

void gpu_tree_release(struct gpu_search *self, struct tree_table *table) {
  gpu_address memory = ADDRESS(table->contents);
  if (!memory)
    return;
  self->tree.bytes -= bytes_for(gpu_tree_room(table));
  gpu_search_give(self, bytes_for(gpu_tree_room(table)), &memory);
  table->contents = table->slots = NULL;
}

static uint64_t counts_bytes(const struct gpu_tree *tree) {
  return (uint64_t)tree->count * COUNT_WORDS * sizeof(uint64_t);
}
static uint64_t tables_bytes(const struct gpu_tree *tree) { return tree->count * sizeof *tree->tables; }

floe_status gpu_tree_upload(struct gpu_search *self) {
  return gpu_upload(self->gpu, self->tree.tables_at, self->tree.tables, tables_bytes(&self->tree));
}

static bool open_host(struct gpu_tree *tree) {
  tree->tables = mem_array(tree->count, sizeof *tree->tables);
  tree->numbers = mem_array(tree->count, sizeof *tree->numbers);
  tree->copies = mem_array(tree->count, sizeof *tree->copies);
  tree->copied = mem_array(tree->count, sizeof *tree->copied);
  tree->rooms = mem_array(tree->count, sizeof *tree->rooms);
  tree->host = mem_array(tree->count, sizeof *tree->host);
  tree->scratch = mem_array(tree->count, sizeof *tree->scratch);
  return tree->tables && tree->numbers && tree->copies && tree->copied && tree->rooms && tree->host && tree->scratch;
}

floe_status gpu_tree_open(struct gpu_search *self) {
  struct gpu_tree *tree = &self->tree;
  if (!tree->words)
    return FLOE_OK;
  if (!open_host(tree))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(gpu_search_take(self, counts_bytes(tree), &tree->counts_at));
  FLOE_TRY(gpu_fill(self->gpu, tree->counts_at, 0, counts_bytes(tree)));
  FLOE_TRY(gpu_search_take(self, tables_bytes(tree), &tree->tables_at));
  FLOE_TRY(gpu_search_take(self, self->grid.slack * tree->words * sizeof(uint64_t), &tree->pending));
  for (uint32_t id = 0; id < tree->count; id++) {
    FLOE_TRY(gpu_tree_allocate(self, first_room(self), &tree->tables[id]));
    tree->tables[id].count = ON_DEVICE(uint64_t, tree->counts_at) + (size_t)id * COUNT_WORDS;
  }
  return gpu_tree_upload(self);
}

void gpu_tree_close(struct gpu_search *self) {
  struct gpu_tree *tree = &self->tree;
  for (uint32_t id = 0; id < tree->count; id++) {
    if (tree->tables)
      gpu_tree_release(self, &tree->tables[id]);
    if (tree->copies)
      mem_free(tree->copies[id]);
  }
  void *const parts[] = {tree->tables, tree->numbers, tree->copies, tree->copied,
                         tree->rooms,  tree->host,    tree->scratch};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    mem_free(parts[i]);
  gpu_free(self->gpu, tree->tables_at);
  gpu_free(self->gpu, tree->counts_at);
  gpu_free(self->gpu, tree->pending);
  *tree = (struct gpu_tree){0};
}

/* ---- on the host --------------------------------------------------------------------------------- */

floe_status gpu_tree_count(struct gpu_search *self) {
  struct gpu_tree *tree = &self->tree;
  if (!tree->words)
    return FLOE_OK;
  uint64_t *counts = mem_array((size_t)tree->count * COUNT_WORDS, sizeof *counts);
  if (!counts)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_download(self->gpu, counts, tree->counts_at, counts_bytes(tree));
  for (uint32_t id = 0; status == FLOE_OK && id < tree->count; id++)
    tree->numbers[id] = counts[(size_t)id * COUNT_WORDS];
  mem_free(counts);
  return status;
}

/* Copies the entries that the host does not have yet. */
static floe_status copy_table(struct gpu_search *self, uint32_t id) {
  struct gpu_tree *tree = &self->tree;
  const uint64_t n = tree->numbers[id], known = tree->copied[id];
  if (n > tree->rooms[id]) {
    uint64_t *larger = mem_resize(tree->copies[id], 2 * n * sizeof *larger);
    if (!larger)
      return FLOE_ERROR_MEMORY;
    tree->copies[id] = larger;
    tree->rooms[id] = 2 * n;
    tree->host[id].contents = larger;
  }
  tree->copied[id] = n;
  return n == known ? FLOE_OK
                    : gpu_download(self->gpu, tree->copies[id] + known,
                                   ADDRESS(tree->tables[id].contents) + known * sizeof(uint64_t),
                                   (n - known) * sizeof(uint64_t));
}

floe_status gpu_tree_copy(struct gpu_search *self) {
  FLOE_TRY(gpu_tree_count(self));
  for (uint32_t id = 0; id < self->tree.count; id++)
    FLOE_TRY(copy_table(self, id));
  return FLOE_OK;
}

void gpu_tree_states(const struct gpu_search *self, const uint64_t *roots, uint64_t n, uint64_t *states) {
  const struct gpu_tree *tree = &self->tree;
  for (uint64_t i = 0; i < n; i++)
    tree_numbers_of(tree->host, tree->words, roots[i], tree->scratch, states + i * tree->words);
}
