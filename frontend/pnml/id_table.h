/* Numbers of the ids of a file. */
#ifndef FLOE_FRONTEND_PNML_ID_TABLE_H
#define FLOE_FRONTEND_PNML_ID_TABLE_H

#include "core/name_table.h"

#include <stdbool.h>
#include <stdint.h>

struct id_table {
  struct arena *arena; /* set by the caller; its guard is active */
  struct name_table ids;
  uint32_t *numbers; /* [count] */
  size_t count, cap;
};

/* False: the id is in the table already; *previous (may be NULL) is its number. */
bool id_table_add(struct id_table *table, const char *id, uint32_t number, uint32_t *previous);
/* False: unknown. */
bool id_table_find(const struct id_table *table, const char *id, uint32_t *number);
/* "did you mean 'p1'?", or NULL. */
const char *id_table_hint(const struct id_table *table, const char *id, struct arena *arena);

#endif
