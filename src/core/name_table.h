/* Distinct names in the order of their addition, found by hash. */
#ifndef FLOE_CORE_NAME_TABLE_H
#define FLOE_CORE_NAME_TABLE_H

#include "core/arena.h"

#include <stddef.h>
#include <stdint.h>

struct name_table {
  const char **names; /* [count], not copied */
  size_t count, cap;
  uint32_t *slots; /* place in `names` plus 1; 0: free */
  size_t slot_count;
};

#define NAME_ABSENT SIZE_MAX

/* Place of the name, or NAME_ABSENT. */
size_t name_table_find(const struct name_table *table, const char *name);
/* Place of the name, which is added at the end if it is absent. The guard of `arena`, always the same one, is active.
 */
size_t name_table_add(struct name_table *table, struct arena *arena, const char *name);

#endif
