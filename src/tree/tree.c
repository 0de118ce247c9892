#include "tree/tree.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

#define LINE_WORDS 8                      /* of a cache line: each count has its own */
#define STEEP_NUMBERS ((uint64_t)1 << 20) /* tables grow fourfold up to this size */

struct tree {
  uint32_t words, table_count;
  unsigned users;
  uint64_t bytes;
  struct tree_table *tables;
  uint64_t *counts; /* [table_count * LINE_WORDS] */
};

/* ---- memory of a table --------------------------------------------------------------------------- */

static uint64_t room_of(const struct tree *tree, uint64_t limit) { return limit + tree->users; }

static uint64_t slots_for(uint64_t room) {
  uint64_t slots = 64;
  while (slots < 2 * room)
    slots *= 2;
  return slots;
}

static uint64_t bytes_for(uint64_t room) { return (room + slots_for(room)) * sizeof(uint64_t); }
static void release(struct tree *tree, struct tree_table *table) {
  const uint64_t room = room_of(tree, table->limit);
  if (table->contents)
    pages_free(table->contents, room * sizeof *table->contents);
  if (table->slots)
    pages_free(table->slots, slots_for(room) * sizeof *table->slots);
  tree->bytes -= table->contents && table->slots ? bytes_for(room) : 0;
  table->contents = table->slots = NULL;
}

static bool allocate(struct tree *tree, struct tree_table *table, uint64_t limit) {
  const uint64_t room = room_of(tree, limit), slots = slots_for(room);
  table->limit = limit;
  table->slot_mask = slots - 1;
  table->contents = pages_alloc(room * sizeof *table->contents);
  table->slots = table->contents ? pages_alloc(slots * sizeof *table->slots) : NULL;
  tree->bytes += table->slots ? bytes_for(room) : 0;
  if (!table->slots)
    release(tree, table);
  return table->slots != NULL;
}

/* ---- creation ------------------------------------------------------------------------------------ */

static uint64_t first_limit(uint64_t numbers) { return numbers ? numbers : TREE_FIRST_NUMBERS; }

uint64_t tree_first_bytes(uint32_t words, unsigned users, uint64_t numbers) {
  const uint64_t tables = tree_tables(words);
  return tables * (bytes_for(first_limit(numbers) + users) + LINE_WORDS * sizeof(uint64_t) + sizeof(struct tree_table));
}

floe_status tree_create(uint32_t words, unsigned users, uint64_t numbers, struct tree **out) {
  assert(words >= 2 && users > 0 && first_limit(numbers) + users < TREE_MOST_NUMBERS);
  struct tree *tree = mem_alloc(sizeof *tree);
  if (!tree)
    return FLOE_ERROR_MEMORY;
  tree->words = words;
  tree->users = users;
  tree->table_count = tree_tables(words);
  tree->tables = mem_array(tree->table_count, sizeof *tree->tables);
  tree->counts = mem_array((size_t)tree->table_count * LINE_WORDS, sizeof *tree->counts);
  bool made = tree->tables && tree->counts;
  for (uint32_t id = 0; made && id < tree->table_count; id++) {
    tree->tables[id].count = &tree->counts[(size_t)id * LINE_WORDS];
    made = allocate(tree, &tree->tables[id], first_limit(numbers));
  }
  if (!made) {
    tree_free(tree);
    return FLOE_ERROR_MEMORY;
  }
  *out = tree;
  return FLOE_OK;
}

void tree_free(struct tree *tree) {
  if (!tree)
    return;
  for (uint32_t id = 0; tree->tables && id < tree->table_count; id++)
    release(tree, &tree->tables[id]);
  mem_free(tree->tables);
  mem_free(tree->counts);
  mem_free(tree);
}

uint32_t tree_words(const struct tree *tree) { return tree->words; }
const struct tree_table *tree_tables_of(const struct tree *tree) { return tree->tables; }

uint64_t tree_bytes(const struct tree *tree) {
  return tree->bytes + tree->table_count * (LINE_WORDS * sizeof(uint64_t) + sizeof(struct tree_table));
}

/* States that are close share nodes, and so cache lines. */
void tree_states(const struct tree *tree, const uint64_t *roots, size_t n, uint32_t *numbers, uint64_t *states) {
  for (size_t i = 0; i < n; i++)
    tree_numbers_of(tree->tables, tree->words, roots[i], numbers + i * tree->table_count, states + i * tree->words);
}

/* ---- growth ---------------------------------------------------------------------------------------- */

uint64_t tree_count(const struct tree *tree, uint32_t id) { return slot_load(tree->tables[id].count, 0, 64); }
uint64_t tree_count_all(const struct tree *tree) {
  uint64_t sum = 0;
  for (uint32_t id = 0; id < tree->table_count; id++)
    sum += tree_count(tree, id);
  return sum;
}

const uint64_t *tree_contents(const struct tree *tree, uint32_t id) { return tree->tables[id].contents; }

static bool is_tight(const struct tree *tree, uint32_t id) {
  const uint64_t limit = tree->tables[id].limit;
  return tree_count(tree, id) >= limit - limit / 8;
}

bool tree_is_tight(const struct tree *tree) {
  for (uint32_t id = 0; id < tree->table_count; id++)
    if (is_tight(tree, id))
      return true;
  return false;
}

/* 0: it already has room for the largest possible number of contents. */
static uint64_t next_limit(const struct tree *tree, uint64_t limit) {
  const uint64_t most = TREE_MOST_NUMBERS - tree->users, wanted = limit * (limit < STEEP_NUMBERS ? 4 : 2);
  return limit == most ? 0 : wanted < most ? wanted : most;
}

static bool is_full(const struct tree *tree, uint32_t id) { return tree_count(tree, id) >= tree->tables[id].limit; }

static bool is_to_grow(const struct tree *tree, uint32_t id, bool full_only) {
  return full_only ? is_full(tree, id) : is_tight(tree, id);
}

uint64_t tree_growth_bytes(const struct tree *tree, bool full_only) {
  uint64_t bytes = 0;
  for (uint32_t id = 0; id < tree->table_count; id++)
    if (is_to_grow(tree, id, full_only) && next_limit(tree, tree->tables[id].limit))
      bytes += bytes_for(room_of(tree, next_limit(tree, tree->tables[id].limit)));
  return bytes;
}

/* False: the content was present. */
static bool put_number(struct tree_table *table, uint64_t content, uint32_t number) {
  const uint64_t hash = tree_hash(content);
  uint64_t at = hash >> 30 & table->slot_mask;
  for (; table->slots[at]; at = (at + 1) & table->slot_mask)
    if (table->slots[at] >> 32 == (hash & UINT32_MAX) && table->contents[(uint32_t)table->slots[at] - 1] == content)
      return false;
  table->slots[at] = hash << 32 | ((uint64_t)number + 1);
  return true;
}

static floe_status grow_to(struct tree *tree, struct tree_table *table, uint64_t limit) {
  const uint64_t count = *table->count;
  struct tree_table larger = {.count = table->count};
  if (!allocate(tree, &larger, limit))
    return FLOE_ERROR_MEMORY;
  memcpy(larger.contents, table->contents, count * sizeof *larger.contents);
  for (uint64_t number = 0; number < count; number++)
    put_number(&larger, larger.contents[number], (uint32_t)number);
  release(tree, table);
  *table = larger;
  return FLOE_OK;
}

floe_status tree_grow(struct tree *tree, bool full_only) {
  for (uint32_t id = 0; id < tree->table_count; id++) {
    const uint64_t limit = next_limit(tree, tree->tables[id].limit);
    if (!is_to_grow(tree, id, full_only) || (!limit && !is_full(tree, id)))
      continue;
    if (!limit)
      return FLOE_ERROR_UNSUPPORTED;
    FLOE_TRY(grow_to(tree, &tree->tables[id], limit));
  }
  return FLOE_OK;
}

static unsigned bits_of(uint64_t numbers) { return numbers > 1 ? 64 - (unsigned)__builtin_clzll(numbers - 1) : 1; }

void tree_root_bits(const struct tree *tree, unsigned bits[2]) {
  for (unsigned i = 0; i < 2; i++)
    bits[i] = bits_of(room_of(tree, tree->tables[tree->table_count - 2 + i].limit));
}

floe_status tree_restore(struct tree *tree, uint32_t id, const uint64_t *contents, uint64_t n) {
  struct tree_table *table = &tree->tables[id];
  uint64_t limit = table->limit;
  while (limit < n + n / 4 && next_limit(tree, limit))
    limit = next_limit(tree, limit);
  if (limit > table->limit)
    FLOE_TRY(grow_to(tree, table, limit));
  for (uint64_t number = *table->count; number < n; number++) {
    table->contents[number] = contents[number];
    if (!put_number(table, contents[number], (uint32_t)number))
      return FLOE_ERROR_USAGE;
    *table->count = number + 1;
  }
  return FLOE_OK;
}
