/* States of the levels of a search, in parts that threads read one at a time. */
#ifndef FLOE_ENGINE_TRACE_LEVEL_SOURCE_H
#define FLOE_ENGINE_TRACE_LEVEL_SOURCE_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

#define LEVEL_PART 2048 /* most states in a part */

struct level_source {
  const void *self;
  uint64_t (*states)(const void *self, uint32_t level);
  size_t (*parts)(const void *self, uint32_t level);
  /* *states: the part's *count states, in `buffer` (room for LEVEL_PART states) or in memory of the source. Thread-safe
     if each thread, numbered from 0 on, has its own buffer. FLOE_ERROR_IO. */
  floe_status (*read)(const void *self, uint32_t level, size_t part, unsigned thread, uint64_t *buffer,
                      const uint64_t **states, size_t *count);
};

#endif
