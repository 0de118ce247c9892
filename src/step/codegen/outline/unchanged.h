/* Assignments that leave an element as it is, like those of a record's copy that is written back: x = t where t was
   read from x, and x has not changed since. The code of the transition lacks them. */
#ifndef FLOE_STEP_CODEGEN_OUTLINE_UNCHANGED_H
#define FLOE_STEP_CODEGEN_OUTLINE_UNCHANGED_H

#include "core/arena.h"
#include "model/model.h"

struct unchanged {
  const struct statement **statements; /* in ascending order of addresses */
  size_t count, capacity;
};

void find_unchanged(const struct model *model, const struct transition *transition, struct arena *arena,
                    struct unchanged *out);
bool is_unchanged(const struct unchanged *unchanged, const struct statement *statement);

#endif
