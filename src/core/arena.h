/* Arena: memory that is freed as a whole; syntax trees and checked models are allocated in one. Allocation never
   returns NULL: out of memory, it jumps back to the arena's ARENA_GUARD. */
#ifndef FLOE_CORE_ARENA_H
#define FLOE_CORE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

struct arena {
  struct arena_block *blocks;
  size_t used, size; /* of the newest block */
  size_t total;      /* bytes allocated from it */
  jmp_buf *out_of_memory;
};

void arena_init(struct arena *arena);
void arena_free(struct arena *arena); /* leaves an empty, usable arena */

/* Zeroed memory, aligned for any type. An ARENA_GUARD must be active. */
void *arena_alloc(struct arena *arena, size_t bytes);
void *arena_array(struct arena *arena, size_t count, size_t size);
char *arena_copy(struct arena *arena, const char *text, size_t length); /* adds the final NUL */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Grow-only vector in an arena: element type is free, `n` counts, capacity doubles.
     struct foo *items; size_t n, cap;   *ARENA_PUSH(arena, items, n, cap) = value; */
#define ARENA_PUSH(arena, items, n, cap)                                                                               \
  ((items) = arena_grow((arena), (items), (n), &(cap), sizeof *(items)), &(items)[(n)++])
void *arena_grow(struct arena *arena, void *items, size_t n, size_t *cap, size_t size);

/* Runs `body` (a function) under a guard: returns 0, or -1 when out of memory. Guards nest. The body must not hold
   resources outside the arena that `data` does not reach. */
int arena_guard(struct arena *arena, void (*body)(void *data), void *data);

#endif
