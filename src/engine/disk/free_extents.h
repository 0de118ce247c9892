/* Which parts of a file are free: places are given back in any order and taken again, so that the file becomes as long
   as what lies in it at one time. Parts that meet become one. Not for several threads at once. */
#ifndef FLOE_EXTENTS_H
#define FLOE_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extent {
  uint64_t at, bytes;
};

struct extents {
  struct extent *free; /* [count], by their places; none touches another or the end */
  size_t count, cap;
  uint64_t end; /* of the file: nothing behind it was ever taken, or it came back */
};

/* A place of so many bytes, the first that has room for them, at the end where none has. */
uint64_t extents_allocate(struct extents *extents, uint64_t bytes);
/* What was taken there, all of it or a part; without memory for the list it stays taken: false. */
bool extents_release(struct extents *extents, uint64_t at, uint64_t bytes);
void extents_free(struct extents *extents); /* the list; zeros are allowed */

#endif
