#include "model/symmetry/tuple_table.h"

#include "base/splitmix64.h"

#include <string.h>

static uint64_t hash_of(const uint64_t *words, size_t n) {
  uint64_t hash = n;
  for (size_t i = 0; i < n; i++)
    hash = splitmix64_mix(hash + UINT64_C(0x9e3779b97f4a7c15)) ^ words[i];
  return splitmix64_mix(hash);
}

/* The slot of the tuple, or the free one for it. */
static uint32_t *slot_of(const struct tuple_table *table, const uint64_t *words, size_t n) {
  size_t i = hash_of(words, n) & (table->slot_count - 1);
  for (; table->slots[i]; i = (i + 1) & (table->slot_count - 1)) {
    const struct tuple *item = &table->items[table->slots[i] - 1];
    if (item->n == n && memcmp(item->words, words, n * sizeof *words) == 0)
      break;
  }
  return &table->slots[i];
}

/* At most half of the slots are used. */
static void grow(struct tuple_table *table) {
  if (table->count * 2 < table->slot_count)
    return;
  table->slot_count = table->slot_count ? table->slot_count * 2 : 1024;
  table->slots = arena_array(table->arena, table->slot_count, sizeof *table->slots);
  for (size_t i = 0; i < table->count; i++)
    *slot_of(table, table->items[i].words, table->items[i].n) = (uint32_t)i + 1;
}

uint32_t tuple_number(struct tuple_table *table, const uint64_t *words, size_t n) {
  grow(table);
  uint32_t *slot = slot_of(table, words, n);
  if (!*slot) {
    uint64_t *copy = arena_array(table->arena, n + 1, sizeof *copy);
    memcpy(copy, words, n * sizeof *words);
    *ARENA_PUSH(table->arena, table->items, table->count, table->cap) = (struct tuple){copy, n};
    *slot = (uint32_t)table->count;
  }
  return *slot - 1;
}
