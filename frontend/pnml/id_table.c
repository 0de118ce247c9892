#include "frontend/pnml/id_table.h"

#include "core/diag.h"

/* Similar ids are sought among this many. */
#define MOST_COMPARED 20000

bool id_table_add(struct id_table *table, const char *id, uint32_t number, uint32_t *previous) {
  const size_t place = name_table_add(&table->ids, table->arena, id);
  if (place < table->count) {
    if (previous)
      *previous = table->numbers[place];
    return false;
  }
  *ARENA_PUSH(table->arena, table->numbers, table->count, table->cap) = number;
  return true;
}

bool id_table_find(const struct id_table *table, const char *id, uint32_t *number) {
  const size_t place = name_table_find(&table->ids, id);
  if (place == NAME_ABSENT)
    return false;
  *number = table->numbers[place];
  return true;
}

const char *id_table_hint(const struct id_table *table, const char *id, struct arena *arena) {
  const size_t n = table->count < MOST_COMPARED ? table->count : MOST_COMPARED;
  const char *near = most_similar_name(id, table->ids.names, n);
  return near ? arena_printf(arena, "did you mean '%s'?", near) : NULL;
}
