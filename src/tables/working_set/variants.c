/* The variants of working-set tables, one line each. */
#include "tables/working_set/working_set.h"

#include <string.h>

static const struct workset_variant variants[] = {
    {.name = "log", .form = WORKSET_LOG, .host_level = &host_level_cells},
    {.name = "s", .form = WORKSET_INDEXED, .host_level = &host_level_chains, .serial = true},
    {.name = "ss", .form = WORKSET_SEARCHED, .host_level = &host_level_cells},
    {.name = "cpss", .form = WORKSET_SEARCHED, .host_level = &host_level_ripple},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

const struct workset_variant *workset_variant_at(size_t i) { return i < VARIANTS ? &variants[i] : NULL; }

const struct workset_variant *workset_variant_find(const char *name) {
  for (size_t i = 0; i < VARIANTS; i++)
    if (!name || strcmp(name, variants[i].name) == 0)
      return &variants[i];
  return NULL;
}
