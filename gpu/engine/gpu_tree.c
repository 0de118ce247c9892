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

static uint64_t most_users(const struct gpu_rank *rank) {
  uint64_t blocks = (uint64_t)GPU_MOST_RESIDENT * gpu_information(rank->gpu)->multiprocessors;
  if (rank->tuning.blocks && rank->tuning.blocks < blocks)
    blocks = rank->tuning.blocks;
  return blocks * GPU_BLOCK;
}

/* A power of two: the root's numbers have its bits. */
static uint64_t first_room(const struct gpu_rank *rank) {
  uint64_t room = 1;
  while (room < rank->tree.users + rank->tree.users / 2 || room < rank->tree.users + rank->tuning.names)
    room *= 2;
  return room;
}

static unsigned log_of(uint64_t power) { return (unsigned)__builtin_ctzll(power); }

unsigned gpu_tree_key_bits(const struct gpu_tree *tree) { return tree->bits[0] + tree->bits[1]; }

/* So many tables leave most of the memory to states, if need be with fewer lanes. */
static void choose_users(struct gpu_rank *rank) {
  struct gpu_tree *tree = &rank->tree;
  tree->users = most_users(rank);
  while (tree->users > GPU_BLOCK && tree->count * bytes_for(first_room(rank)) > rank->budget.limit / 8)
    tree->users = tree->users / 2 / GPU_BLOCK * GPU_BLOCK;
}

void gpu_tree_plan(struct gpu_rank *rank) {
  struct gpu_tree *tree = &rank->tree;
  const struct layout *layout = rank->search->task->layout;
  if (layout->key_words == 1)
    return;
  tree->words = layout->words;
  tree->count = tree_tables(layout->words);
  choose_users(rank);
  tree->bits[0] = tree->bits[1] = log_of(first_room(rank));
}

/* ---- memory -------------------------------------------------------------------------------------- */

#define ON_DEVICE(type, address) ((type *)(uintptr_t)(address))
#define ADDRESS(pointer) ((gpu_address)(uintptr_t)(pointer))

static floe_status take(struct gpu_rank *rank, uint64_t room, struct tree_table *table) {
  gpu_address memory;
  FLOE_TRY(rank_take(rank, bytes_for(room), &memory));
  table->contents = ON_DEVICE(uint64_t, memory);
  table->slots = table->contents + room;
  table->slot_mask = 2 * room - 1;
  table->limit = (room < TREE_MOST_NUMBERS ? room : TREE_MOST_NUMBERS) - rank->tree.users;
  rank->tree.bytes += bytes_for(room);
  return gpu_fill(rank->gpu, ADDRESS(table->slots), 0, 2 * room * sizeof(uint64_t));
}

static void give(struct gpu_rank *rank, struct tree_table *table) {
  gpu_address memory = ADDRESS(table->contents);
  if (!memory)
    return;
  rank->tree.bytes -= bytes_for(room_of(table));
  rank_give(rank, bytes_for(room_of(table)), &memory);
  table->contents = table->slots = NULL;
}

static uint64_t counts_bytes(const struct gpu_tree *tree) {
  return (uint64_t)tree->count * COUNT_WORDS * sizeof(uint64_t);
}
static uint64_t tables_bytes(const struct gpu_tree *tree) { return tree->count * sizeof *tree->tables; }

static floe_status upload_tables(struct gpu_rank *rank) {
  return gpu_upload(rank->gpu, rank->tree.tables_at, rank->tree.tables, tables_bytes(&rank->tree));
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

floe_status gpu_tree_open(struct gpu_rank *rank) {
  struct gpu_tree *tree = &rank->tree;
  if (!tree->words)
    return FLOE_OK;
  if (!open_host(tree))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(rank_take(rank, counts_bytes(tree), &tree->counts_at));
  FLOE_TRY(gpu_fill(rank->gpu, tree->counts_at, 0, counts_bytes(tree)));
  FLOE_TRY(rank_take(rank, tables_bytes(tree), &tree->tables_at));
  FLOE_TRY(rank_take(rank, rank->slack * tree->words * sizeof(uint64_t), &tree->unnamed));
  for (uint32_t id = 0; id < tree->count; id++) {
    FLOE_TRY(take(rank, first_room(rank), &tree->tables[id]));
    tree->tables[id].count = ON_DEVICE(uint64_t, tree->counts_at) + (size_t)id * COUNT_WORDS;
  }
  return upload_tables(rank);
}

void gpu_tree_close(struct gpu_rank *rank) {
  struct gpu_tree *tree = &rank->tree;
  for (uint32_t id = 0; id < tree->count; id++) {
    if (tree->tables)
      give(rank, &tree->tables[id]);
    if (tree->copies)
      mem_free(tree->copies[id]);
  }
  void *const parts[] = {tree->tables, tree->numbers, tree->copies, tree->copied,
                         tree->rooms,  tree->host,    tree->scratch};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    mem_free(parts[i]);
  gpu_free(rank->gpu, tree->tables_at);
  gpu_free(rank->gpu, tree->counts_at);
  gpu_free(rank->gpu, tree->unnamed);
  *tree = (struct gpu_tree){0};
}

void gpu_tree_describe(const struct gpu_rank *rank, struct gpu_space *space) {
  const struct gpu_tree *tree = &rank->tree;
  space->tables = ON_DEVICE(const struct tree_table, tree->tables_at);
  space->unnamed = ON_DEVICE(uint64_t, tree->unnamed);
  space->low_bits = tree->bits[0];
  for (uint32_t id = 0; id < tree->count && id < GPU_TREE_NEAR; id++)
    space->near[id] = tree->tables[id];
}

/* ---- growth -------------------------------------------------------------------------------------- */

floe_status gpu_tree_count(struct gpu_rank *rank) {
  struct gpu_tree *tree = &rank->tree;
  if (!tree->words)
    return FLOE_OK;
  uint64_t *counts = mem_array((size_t)tree->count * COUNT_WORDS, sizeof *counts);
  if (!counts)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_download(rank->gpu, counts, tree->counts_at, counts_bytes(tree));
  for (uint32_t id = 0; status == FLOE_OK && id < tree->count; id++)
    tree->numbers[id] = counts[(size_t)id * COUNT_WORDS];
  mem_free(counts);
  return status;
}

static bool is_tight(const struct gpu_tree *tree, uint32_t id) {
  return tree->numbers[id] >= tree->tables[id].limit - tree->tables[id].limit / 8;
}

static floe_status fill_larger(struct gpu_rank *rank, uint32_t id, struct tree_table *larger) {
  const uint64_t n = rank->tree.numbers[id];
  struct tree_table table = *larger;
  uint64_t numbers = n;
  void *arguments[] = {&table, &numbers};
  FLOE_TRY(gpu_copy(rank->gpu, ADDRESS(larger->contents), ADDRESS(rank->tree.tables[id].contents), n * sizeof n));
  FLOE_TRY(gpu_kernel_start(rank->gpu, &rank->code.tree_put, n, arguments));
  return gpu_wait(rank->gpu);
}

static floe_status grow_table(struct gpu_rank *rank, uint32_t id) {
  struct tree_table *table = &rank->tree.tables[id], larger = *table;
  const uint64_t room = room_of(table) * (room_of(table) < STEEP_ROOM ? 4 : 2);
  if (room > MOST_ROOM)
    return FLOE_ERROR_MEMORY;
  larger.contents = NULL;
  floe_status status = take(rank, room, &larger);
  if (status == FLOE_OK)
    status = fill_larger(rank, id, &larger);
  give(rank, status == FLOE_OK ? table : &larger);
  if (status == FLOE_OK)
    *table = larger;
  return status;
}

/* The visited set's keys get wider with the root's tables. */
static floe_status widen_keys(struct gpu_rank *rank) {
  const struct gpu_tree *tree = &rank->tree;
  const unsigned bits[2] = {log_of(room_of(&tree->tables[tree->count - 2])),
                            log_of(room_of(&tree->tables[tree->count - 1]))};
  if (bits[0] == tree->bits[0] && bits[1] == tree->bits[1])
    return FLOE_OK;
  return grow_keys(rank, bits);
}

/* Those that are full have to; others stay as they are where memory has no room for larger ones. */
static floe_status grow_tight(struct gpu_rank *rank) {
  const struct gpu_tree *tree = &rank->tree;
  for (uint32_t id = 0; id < tree->count; id++) {
    if (!is_tight(tree, id))
      continue;
    const floe_status status = grow_table(rank, id);
    if (status != FLOE_OK && (status != FLOE_ERROR_MEMORY || tree->numbers[id] >= tree->tables[id].limit))
      return status;
  }
  return FLOE_OK;
}

static floe_status grow(struct gpu_rank *rank) {
  const double start = clock_seconds();
  FLOE_TRY(gpu_tree_count(rank));
  floe_status status = grow_tight(rank);
  rank->tree.growths++;
  FLOE_TRY(upload_tables(rank));
  if (status == FLOE_OK)
    status = widen_keys(rank);
  rank->grow_seconds += clock_seconds() - start;
  return status;
}

/* ---- from a checkpoint --------------------------------------------------------------------------- */

floe_status gpu_tree_fill(struct gpu_rank *rank, uint32_t id, const uint64_t *contents, uint64_t n) {
  struct gpu_tree *tree = &rank->tree;
  struct tree_table *table = &tree->tables[id];
  uint64_t room = room_of(table);
  while (room < n + n / 4 + tree->users)
    room *= 2;
  if (room > MOST_ROOM)
    return FLOE_ERROR_MEMORY;
  if (room > room_of(table)) {
    give(rank, table);
    FLOE_TRY(take(rank, room, table));
  }
  tree->numbers[id] = n;
  void *arguments[] = {table, &n};
  FLOE_TRY(gpu_upload(rank->gpu, ADDRESS(table->contents), contents, n * sizeof n));
  FLOE_TRY(gpu_upload(rank->gpu, ADDRESS(table->count), &n, sizeof n));
  FLOE_TRY(gpu_kernel_start(rank->gpu, &rank->code.tree_put, n, arguments));
  return gpu_wait(rank->gpu);
}

floe_status gpu_tree_use(struct gpu_rank *rank) {
  FLOE_TRY(upload_tables(rank));
  return widen_keys(rank);
}

/* ---- states without roots ------------------------------------------------------------------------ */

static floe_status name(struct gpu_rank *rank, uint64_t n) {
  struct gpu_space space = rank_space(rank);
  void *arguments[] = {&space};
  space.source = ON_DEVICE(const uint64_t, rank->source);
  space.source_count = n;
  rank->control.unnamed_count = 0;
  FLOE_TRY(rank_upload(rank));
  const struct gpu_kernel kernel = {rank->code.name.function,
                                    rank->code.name.blocks < rank->blocks ? rank->code.name.blocks : rank->blocks};
  FLOE_TRY(gpu_kernel_start(rank->gpu, &kernel, n, arguments));
  return rank_download(rank);
}

floe_status gpu_tree_name(struct gpu_rank *rank, uint64_t n) {
  FLOE_TRY(name(rank, n));
  while (rank->control.unnamed_count > 0) {
    FLOE_TRY(grow(rank));
    FLOE_TRY(name(rank, n));
  }
  return FLOE_OK;
}

void gpu_tree_place(struct gpu_rank *rank) {
  const uint64_t n = rank->control.unnamed_count;
  floe_status status = grow(rank);
  if (status == FLOE_OK)
    status = gpu_tree_name(rank, n);
  const bool named = status == FLOE_OK;
  if (named)
    status = grow_insert(rank, n);
  else
    rank->control.unnamed_count = n; /* all of them are there as before */
  if (status == FLOE_OK) {
    harvest_take(rank);
    return;
  }
  if (named)
    rank->search->kept.inexact = true; /* some are in no set and no queue */
  if (status == FLOE_ERROR_MEMORY)
    search_finish(rank->search, FLOE_END_MEMORY);
  else if (!search_look(rank->search))
    search_fail(rank->search, status);
}

/* ---- on the host --------------------------------------------------------------------------------- */

static floe_status copy_table(struct gpu_rank *rank, uint32_t id) {
  struct gpu_tree *tree = &rank->tree;
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
                    : gpu_download(rank->gpu, tree->copies[id] + known,
                                   ADDRESS(tree->tables[id].contents) + known * sizeof(uint64_t),
                                   (n - known) * sizeof(uint64_t));
}

floe_status gpu_tree_copy(struct gpu_rank *rank) {
  FLOE_TRY(gpu_tree_count(rank));
  for (uint32_t id = 0; id < rank->tree.count; id++)
    FLOE_TRY(copy_table(rank, id));
  return FLOE_OK;
}

void gpu_tree_states(const struct gpu_rank *rank, const uint64_t *roots, uint64_t n, uint64_t *states) {
  const struct gpu_tree *tree = &rank->tree;
  for (uint64_t i = 0; i < n; i++)
    tree_numbers_of(tree->host, tree->words, roots[i], tree->scratch, states + i * tree->words);
}
