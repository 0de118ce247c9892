/* First-fit allocator of extents of a file: extents are released in any order and reused, so that the file grows
   only to the largest amount stored at one time. Adjacent free extents are merged. Not thread-safe. */
#ifndef FLOE_ENGINE_DISK_FREE_EXTENTS_H
#define FLOE_ENGINE_DISK_FREE_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extent {
  uint64_t at, bytes;
};

struct extents {
  struct extent *free; /* [count], by offset; none touches another or the end */
  size_t count, cap;
  uint64_t end; /* end of the allocated part of the file */
};

/* Allocates `bytes` in the first free extent that is large enough, or at the end. Returns the offset. */
uint64_t extents_allocate(struct extents *extents, uint64_t bytes);
/* Releases an allocation or a part of it. False: no memory for the list; it stays allocated. */
bool extents_release(struct extents *extents, uint64_t at, uint64_t bytes);
void extents_free(struct extents *extents); /* frees the list; zeros are allowed */

#endif
