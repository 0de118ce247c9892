#include "engine/disk/free_extents.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

static void remove_at(struct extents *extents, size_t i) {
  extents->count--;
  memmove(&extents->free[i], &extents->free[i + 1], (extents->count - i) * sizeof *extents->free);
}

static bool insert_at(struct extents *extents, size_t i, struct extent extent) {
  if (extents->count == extents->cap) {
    size_t cap = extents->cap ? 2 * extents->cap : 64;
    struct extent *list = mem_resize(extents->free, cap * sizeof *list);
    if (!list)
      return false;
    extents->free = list;
    extents->cap = cap;
  }
  memmove(&extents->free[i + 1], &extents->free[i], (extents->count - i) * sizeof *extents->free);
  extents->free[i] = extent;
  extents->count++;
  return true;
}

uint64_t extents_allocate(struct extents *extents, uint64_t bytes) {
  for (size_t i = 0; i < extents->count; i++) {
    struct extent *extent = &extents->free[i];
    const uint64_t at = extent->at;
    if (extent->bytes < bytes)
      continue;
    extent->at += bytes;
    extent->bytes -= bytes;
    if (extent->bytes == 0)
      remove_at(extents, i);
    return at;
  }
  extents->end += bytes;
  return extents->end - bytes;
}

/* Index of the first free extent behind `at`. */
static size_t first_behind(const struct extents *extents, uint64_t at) {
  size_t low = 0, high = extents->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (extents->free[middle].at > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Moves the end of the file back to `at`, and over a free extent that touches it. */
static void shrink_end(struct extents *extents, uint64_t at) {
  extents->end = at;
  if (extents->count > 0 && extents->free[extents->count - 1].at + extents->free[extents->count - 1].bytes == at)
    extents->end = extents->free[--extents->count].at;
}

bool extents_release(struct extents *extents, uint64_t at, uint64_t bytes) {
  const size_t i = first_behind(extents, at);
  struct extent *before = i > 0 ? &extents->free[i - 1] : NULL;
  struct extent *behind = i < extents->count ? &extents->free[i] : NULL;
  assert(bytes > 0 && at + bytes <= extents->end);
  assert((!before || before->at + before->bytes <= at) && (!behind || at + bytes <= behind->at));
  if (at + bytes == extents->end) {
    shrink_end(extents, at);
    return true;
  }
  const bool joins_before = before && before->at + before->bytes == at;
  const bool joins_behind = behind && behind->at == at + bytes;
  if (!joins_before && !joins_behind)
    return insert_at(extents, i, (struct extent){at, bytes});
  if (joins_before)
    before->bytes += bytes;
  else
    *behind = (struct extent){at, behind->bytes + bytes};
  if (joins_before && joins_behind) {
    before->bytes += behind->bytes;
    remove_at(extents, i);
  }
  return true;
}

void extents_free(struct extents *extents) {
  mem_free(extents->free);
  *extents = (struct extents){0};
}
