#include "frontend/pnml/id_table.h"

#include "core/diag.h"

#include <string.h>

/* Similar ids are sought among this many. */
#define MOST_COMPARED 20000

static size_t hash_of(const char *id) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *id; id++)
    hash = (hash ^ (unsigned char)*id) * 0x100000001b3u;
  return (size_t)(hash ^ hash >> 29);
}

/* The slot of the id, or the free one where it belongs. */
static uint32_t *slot_of(const struct id_table *table, const char *id) {
  size_t i = hash_of(id) & (table->slot_count - 1);
  while (table->slots[i] && strcmp(table->entries[table->slots[i] - 1].id, id) != 0)
    i = (i + 1) & (table->slot_count - 1);
  return &table->slots[i];
}

static void grow(struct id_table *table) {
  table->slot_count = table->slot_count ? 2 * table->slot_count : 64;
  table->slots = arena_array(table->arena, table->slot_count, sizeof *table->slots);
  for (size_t i = 0; i < table->count; i++)
    *slot_of(table, table->entries[i].id) = (uint32_t)i + 1;
}

bool id_table_add(struct id_table *table, const char *id, uint32_t number, uint32_t *previous) {
  if (2 * (table->count + 1) > table->slot_count)
    grow(table);
  uint32_t *slot = slot_of(table, id);
  if (*slot) {
    if (previous)
      *previous = table->entries[*slot - 1].number;
    return false;
  }
  *ARENA_PUSH(table->arena, table->entries, table->count, table->cap) = (struct id_entry){id, number};
  *slot = (uint32_t)table->count;
  return true;
}

bool id_table_find(const struct id_table *table, const char *id, uint32_t *number) {
  const uint32_t *slot = table->slot_count ? slot_of(table, id) : NULL;
  if (!slot || !*slot)
    return false;
  *number = table->entries[*slot - 1].number;
  return true;
}

const char *id_table_hint(const struct id_table *table, const char *id, struct arena *arena) {
  const size_t n = table->count < MOST_COMPARED ? table->count : MOST_COMPARED;
  const char **ids = arena_array(arena, n + 1, sizeof *ids);
  for (size_t i = 0; i < n; i++)
    ids[i] = table->entries[i].id;
  const char *near = most_similar_name(id, ids, n);
  return near ? arena_printf(arena, "did you mean '%s'?", near) : NULL;
}
