/* Repeated sequences of parts: those whose text is equal except for their holes. */
#ifndef FLOE_STEP_CODEGEN_OUTLINE_REPEATS_H
#define FLOE_STEP_CODEGEN_OUTLINE_REPEATS_H

#include "core/arena.h"
#include "step/codegen/outline/parts.h"

/* Consecutive parts of one block. */
struct sequence {
  uint32_t first_part, end_part; /* parts first_part..end_part-1 are in it, or inside one of it */
  uint32_t first_hole, end_hole;
  size_t begin, end; /* in the text */
};

/* Sequences of one shape, which do not overlap, in the order of the text. */
struct repeat {
  size_t size; /* bytes of each, except for holes and indentation */
  struct sequence *at;
  size_t count;
};

/* First and last hole with a temporary. */
struct temp_range {
  uint32_t first, last;
};

struct repeats {
  struct temp_range *temps; /* [parts->next_temps] */
  struct repeat *items;     /* in descending order of size: a sequence inside another one comes after it */
  size_t count, capacity;
};

/* `any`: also repeats that save no text, for tests. */
void find_repeats(const struct parts *parts, const char *text, bool any, struct arena *arena, struct repeats *out);
/* True if both texts without their holes are equal. */
bool same_shape(const struct parts *parts, const char *text, const struct sequence *a, const struct sequence *b);
/* True if nothing outside of the sequence uses the temporary. */
static inline bool used_inside(const struct repeats *repeats, const struct sequence *sequence,
                               const struct hole *temporary) {
  const struct temp_range *range = &repeats->temps[temporary->number];
  return range->first >= sequence->first_hole && range->last < sequence->end_hole;
}
/* A local variable declared in the sequence. */
static inline bool declared_inside(const struct parts *parts, const struct sequence *sequence,
                                   const struct hole *hole) {
  return hole->kind == HOLE_LOCAL && hole->number >= parts->parts[sequence->first_part].first_local;
}

#endif
