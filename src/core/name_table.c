#include "core/name_table.h"

#include <string.h>

static size_t hash_of(const char *name) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * 1099511628211u;
  return (size_t)(hash ^ hash >> 32);
}

/* The slot of the name, or the free one where it belongs. */
static uint32_t *slot_of(const struct name_table *table, const char *name) {
  size_t i = hash_of(name) & (table->slot_count - 1);
  while (table->slots[i] && strcmp(table->names[table->slots[i] - 1], name) != 0)
    i = (i + 1) & (table->slot_count - 1);
  return &table->slots[i];
}

static void grow(struct name_table *table, struct arena *arena) {
  table->slot_count = table->slot_count ? 2 * table->slot_count : 16;
  table->slots = arena_array(arena, table->slot_count, sizeof *table->slots);
  for (size_t i = 0; i < table->count; i++)
    *slot_of(table, table->names[i]) = (uint32_t)i + 1;
}

size_t name_table_find(const struct name_table *table, const char *name) {
  const uint32_t slot = table->slot_count ? *slot_of(table, name) : 0;
  return slot ? slot - 1 : NAME_ABSENT;
}

size_t name_table_add(struct name_table *table, struct arena *arena, const char *name) {
  if (2 * (table->count + 1) > table->slot_count)
    grow(table, arena);
  uint32_t *slot = slot_of(table, name);
  if (*slot == 0) {
    *ARENA_PUSH(arena, table->names, table->count, table->cap) = name;
    *slot = (uint32_t)table->count;
  }
  return *slot - 1;
}
