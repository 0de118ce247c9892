#include "core/clock.h"
#include "core/mem.h"
#include "gpu/engine/gpu_search.h"

#include "tree/kernel/tree.h"

#include <assert.h>

#define COUNT_WORDS 16                 /* a line of the device's memory for each count */
#define STEEP_ROOM ((uint64_t)1 << 22) /* tables grow fourfold up to so many numbers */
#define MOST_ROOM ((uint64_t)1 << 32)  /* numbers have 32 bits */

/* ---- sizes --------------------------------------------------------------------------------------- */

/* Contents and slots, which are twice as many. */
static uint64_t bytes_for(uint64_t room) { return 3 * room * sizeof(uint64_t); }
static uint64_t room_of(const struct tree_table *table) { return (table->slot_mask + 1) / 2; }

static uint64_t most_users(const struct gpu_search *self) {
  uint64_t blocks = (uint64_t)GPU_MOST_RESIDENT * gpu_information(self->gpu)->multiprocessors;
  if (self->test_settings.blocks && self->test_settings.blocks < blocks)
    blocks = self->test_settings.blocks;
  return blocks * GPU_BLOCK;
}

/* A power of two: the root's numbers have its bits. */
static uint64_t first_room(const struct gpu_search *self) {
  uint64_t room = 1;
  while (room < self->tree.users + self->tree.users / 2 || room < self->tree.users + self->test_settings.names)
    room *= 2;
  return room;
}

static unsigned log_of(uint64_t power) { return (unsigned)__builtin_ctzll(power); }

unsigned gpu_tree_key_bits(const struct gpu_tree *tree) { return tree->bits[0] + tree->bits[1]; }

/* So many tables leave most of the memory to states, if need be with fewer lanes. */
static void choose_users(struct gpu_search *self) {
  struct gpu_tree *tree = &self->tree;
  tree->users = most_users(self);
  while (tree->users > GPU_BLOCK && tree->count * bytes_for(first_room(self)) > self->budget.limit / 8)
    tree->users = tree->users / 2 / GPU_BLOCK * GPU_BLOCK;
}

void gpu_tree_plan(struct gpu_search *self) {
  struct gpu_tree *tree = &self->tree;
  const struct layout *layout = self->search->task->layout;
  if (layout->key_words == 1)
    return;
  tree->words = layout->words;
  tree->count = tree_tables(layout->words);
  choose_users(self);
  tree->bits[0] = tree->bits[1] = log_of(first_room(self));
}

/* ---- memory -------------------------------------------------------------------------------------- */

#define ON_DEVICE(type, address) ((type *)(uintptr_t)(address))
#define ADDRESS(pointer) ((gpu_address)(uintptr_t)(pointer))

static floe_status take(struct gpu_search *self, uint64_t room, struct tree_table *table) {
  gpu_address memory;
  FLOE_TRY(gpu_search_take(self, bytes_for(room), &memory));
  table->contents = ON_DEVICE(uint64_t, memory);
  table->slots = table->contents + room;
  table->slot_mask = 2 * room - 1;
  table->limit = (room < TREE_MOST_NUMBERS ? room : TREE_MOST_NUMBERS) - self->tree.users;
  self->tree.bytes += bytes_for(room);
  return gpu_fill(self->gpu, ADDRESS(table->slots), 0, 2 * room * sizeof(uint64_t));
}

static void give(struct gpu_search *self, struct tree_table *table) {
  gpu_address memory = ADDRESS(table->contents);
  if (!memory)
    return;
  self->tree.bytes -= bytes_for(room_of(table));
  gpu_search_give(self, bytes_for(room_of(table)), &memory);
  table->contents = table->slots = NULL;
}

static uint64_t counts_bytes(const struct gpu_tree *tree) {
  return (uint64_t)tree->count * COUNT_WORDS * sizeof(uint64_t);
}
static uint64_t tables_bytes(const struct gpu_tree *tree) { return tree->count * sizeof *tree->tables; }

static floe_status upload_tables(struct gpu_search *self) {
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
  FLOE_TRY(gpu_search_take(self, self->slack * tree->words * sizeof(uint64_t), &tree->unnamed));
  for (uint32_t id = 0; id < tree->count; id++) {
    FLOE_TRY(take(self, first_room(self), &tree->tables[id]));
    tree->tables[id].count = ON_DEVICE(uint64_t, tree->counts_at) + (size_t)id * COUNT_WORDS;
  }
  return upload_tables(self);
}

void gpu_tree_close(struct gpu_search *self) {
  struct gpu_tree *tree = &self->tree;
  for (uint32_t id = 0; id < tree->count; id++) {
    if (tree->tables)
      give(self, &tree->tables[id]);
    if (tree->copies)
      mem_free(tree->copies[id]);
  }
  void *const parts[] = {tree->tables, tree->numbers, tree->copies, tree->copied,
                         tree->rooms,  tree->host,    tree->scratch};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    mem_free(parts[i]);
  gpu_free(self->gpu, tree->tables_at);
  gpu_free(self->gpu, tree->counts_at);
  gpu_free(self->gpu, tree->unnamed);
  *tree = (struct gpu_tree){0};
}

void gpu_tree_describe(const struct gpu_search *self, struct gpu_space *space) {
  const struct gpu_tree *tree = &self->tree;
  space->tables = ON_DEVICE(const struct tree_table, tree->tables_at);
  space->tree_pending = ON_DEVICE(uint64_t, tree->unnamed);
  space->low_bits = tree->bits[0];
  for (uint32_t id = 0; id < tree->count && id < GPU_TREE_NEAR; id++)
    space->near[id] = tree->tables[id];
}

/* ---- growth -------------------------------------------------------------------------------------- */

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

static bool is_tight(const struct gpu_tree *tree, uint32_t id) {
  return tree->numbers[id] >= tree->tables[id].limit - tree->tables[id].limit / 8;
}

static floe_status fill_larger(struct gpu_search *self, uint32_t id, struct tree_table *larger) {
  const uint64_t n = self->tree.numbers[id];
  struct tree_table table = *larger;
  uint64_t numbers = n;
  void *arguments[] = {&table, &numbers};
  FLOE_TRY(gpu_copy(self->gpu, ADDRESS(larger->contents), ADDRESS(self->tree.tables[id].contents), n * sizeof n));
  FLOE_TRY(gpu_kernel_start(self->gpu, &self->code.tree_put, n, arguments));
  return gpu_wait(self->gpu);
}

static floe_status grow_table(struct gpu_search *self, uint32_t id) {
  struct tree_table *table = &self->tree.tables[id], larger = *table;
  const uint64_t room = room_of(table) * (room_of(table) < STEEP_ROOM ? 4 : 2);
  if (room > MOST_ROOM)
    return FLOE_ERROR_MEMORY;
  larger.contents = NULL;
  floe_status status = take(self, room, &larger);
  if (status == FLOE_OK)
    status = fill_larger(self, id, &larger);
  give(self, status == FLOE_OK ? table : &larger);
  if (status == FLOE_OK)
    *table = larger;
  return status;
}

/* The visited set's keys get wider with the root's tables. */
static floe_status widen_keys(struct gpu_search *self) {
  const struct gpu_tree *tree = &self->tree;
  const unsigned bits[2] = {log_of(room_of(&tree->tables[tree->count - 2])),
                            log_of(room_of(&tree->tables[tree->count - 1]))};
  if (bits[0] == tree->bits[0] && bits[1] == tree->bits[1])
    return FLOE_OK;
  return grow_keys(self, bits);
}

/* Those that are full have to; others stay as they are where memory has no room for larger ones. */
static floe_status grow_tight(struct gpu_search *self) {
  const struct gpu_tree *tree = &self->tree;
  for (uint32_t id = 0; id < tree->count; id++) {
    if (!is_tight(tree, id))
      continue;
    const floe_status status = grow_table(self, id);
    if (status != FLOE_OK && (status != FLOE_ERROR_MEMORY || tree->numbers[id] >= tree->tables[id].limit))
      return status;
  }
  return FLOE_OK;
}

static floe_status grow(struct gpu_search *self) {
  const double start = clock_seconds();
  FLOE_TRY(gpu_tree_count(self));
  floe_status status = grow_tight(self);
  self->tree.growths++;
  FLOE_TRY(upload_tables(self));
  if (status == FLOE_OK)
    status = widen_keys(self);
  self->grow_seconds += clock_seconds() - start;
  return status;
}

/* ---- from a checkpoint --------------------------------------------------------------------------- */

floe_status gpu_tree_fill(struct gpu_search *self, uint32_t id, const uint64_t *contents, uint64_t n) {
  struct gpu_tree *tree = &self->tree;
  struct tree_table *table = &tree->tables[id];
  uint64_t room = room_of(table);
  while (room < n + n / 4 + tree->users)
    room *= 2;
  if (room > MOST_ROOM)
    return FLOE_ERROR_MEMORY;
  if (room > room_of(table)) {
    give(self, table);
    FLOE_TRY(take(self, room, table));
  }
  tree->numbers[id] = n;
  void *arguments[] = {table, &n};
  FLOE_TRY(gpu_upload(self->gpu, ADDRESS(table->contents), contents, n * sizeof n));
  FLOE_TRY(gpu_upload(self->gpu, ADDRESS(table->count), &n, sizeof n));
  FLOE_TRY(gpu_kernel_start(self->gpu, &self->code.tree_put, n, arguments));
  return gpu_wait(self->gpu);
}

floe_status gpu_tree_use(struct gpu_search *self) {
  FLOE_TRY(upload_tables(self));
  return widen_keys(self);
}

/* ---- states without roots ------------------------------------------------------------------------ */

static floe_status name(struct gpu_search *self, uint64_t n) {
  struct gpu_space space = gpu_search_space(self);
  void *arguments[] = {&space};
  space.source = ON_DEVICE(const uint64_t, self->source);
  space.source_count = n;
  self->control.tree_pending_count = 0;
  FLOE_TRY(gpu_search_upload(self));
  const struct gpu_kernel kernel = {self->code.name.function,
                                    self->code.name.blocks < self->blocks ? self->code.name.blocks : self->blocks};
  FLOE_TRY(gpu_kernel_start(self->gpu, &kernel, n, arguments));
  return gpu_search_download(self);
}

floe_status gpu_tree_name(struct gpu_search *self, uint64_t n) {
  FLOE_TRY(name(self, n));
  while (self->control.tree_pending_count > 0) {
    FLOE_TRY(grow(self));
    FLOE_TRY(name(self, n));
  }
  return FLOE_OK;
}

void gpu_tree_place(struct gpu_search *self) {
  const uint64_t n = self->control.tree_pending_count;
  floe_status status = grow(self);
  if (status == FLOE_OK)
    status = gpu_tree_name(self, n);
  const bool named = status == FLOE_OK;
  if (named)
    status = grow_insert(self, n);
  else
    self->control.tree_pending_count = n; /* all of them are there as before */
  if (status == FLOE_OK) {
    download_take(self);
    return;
  }
  if (named)
    self->search->checkpoints.inexact = true; /* some are in no set and no queue */
  if (status == FLOE_ERROR_MEMORY)
    search_finish(self->search, FLOE_END_MEMORY);
  else if (!search_check_stop(self->search))
    search_fail(self->search, status);
}

/* ---- on the host --------------------------------------------------------------------------------- */

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
