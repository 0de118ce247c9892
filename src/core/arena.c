#include "core/arena.h"

#include "core/arena_limit.h"
#include "core/mem.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FIRST_BLOCK ((size_t)4096)
#define LARGEST_STEP ((size_t)1 << 20)

struct arena_block {
  struct arena_block *next;
  size_t size;
  alignas(max_align_t) char bytes[];
};

/* The limit of this thread; NULL: none. */
static _Thread_local struct arena_limit *current;

static bool is_within_limit(size_t bytes) {
  if (!current)
    return true;
  current->stopped |= current->stop(current->user);
  current->full |= bytes > current->bytes - current->taken;
  if (current->stopped || current->full)
    return false;
  current->taken += bytes;
  return true;
}

/* Blocks from before the limit can be freed, too. */
static void give_back(size_t bytes) {
  if (current)
    current->taken -= bytes < current->taken ? bytes : current->taken;
}

void arena_limited(struct arena_limit *limit, void (*body)(void *), void *data) {
  assert(!current);
  current = limit;
  body(data);
  current = NULL;
}

void arena_init(struct arena *arena) { memset(arena, 0, sizeof *arena); }

void arena_free(struct arena *arena) {
  struct arena_block *block = arena->blocks;
  while (block) {
    struct arena_block *next = block->next;
    give_back(block->size);
    mem_free(block);
    block = next;
  }
  jmp_buf *guard = arena->out_of_memory;
  arena_init(arena);
  arena->out_of_memory = guard;
}

static void fail(struct arena *arena) {
  assert(arena->out_of_memory);
  longjmp(*arena->out_of_memory, 1);
}

static void add_block(struct arena *arena, size_t bytes) {
  size_t size = arena->size ? arena->size * 2 : FIRST_BLOCK;
  if (size > LARGEST_STEP)
    size = LARGEST_STEP;
  if (size < bytes)
    size = bytes;
  struct arena_block *block = is_within_limit(size) ? mem_alloc(sizeof *block + size) : NULL;
  if (!block)
    fail(arena);
  block->next = arena->blocks;
  block->size = size;
  arena->blocks = block;
  arena->size = size;
  arena->used = 0;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
  const size_t align = alignof(max_align_t);
  if (bytes > SIZE_MAX / 2)
    fail(arena);
  bytes = (bytes + align - 1) / align * align;
  if (!arena->blocks || arena->size - arena->used < bytes)
    add_block(arena, bytes);
  assert(arena->used + bytes <= arena->size && arena->used % align == 0);
  void *p = arena->blocks->bytes + arena->used;
  arena->used += bytes;
  arena->total += bytes;
  return p;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    fail(arena);
  return arena_alloc(arena, bytes);
}

char *arena_copy(struct arena *arena, const char *text, size_t length) {
  char *copy = arena_alloc(arena, length + 1);
  memcpy(copy, text, length);
  return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  assert(length >= 0);
  char *text = arena_alloc(arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void *arena_grow(struct arena *arena, void *items, size_t n, size_t *cap, size_t size) {
  assert(n <= *cap);
  if (n < *cap)
    return items;
  size_t wider = *cap ? *cap * 2 : 4;
  void *copy = arena_array(arena, wider, size);
  if (n)
    memcpy(copy, items, n * size);
  *cap = wider;
  return copy;
}

int arena_guard(struct arena *arena, void (*body)(void *), void *data) {
  jmp_buf here;
  jmp_buf *outer = arena->out_of_memory;
  arena->out_of_memory = &here;
  int failed = setjmp(here);
  if (!failed)
    body(data);
  arena->out_of_memory = outer;
  return failed ? -1 : 0;
}
