#define _GNU_SOURCE
#include "core/mem.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Every block is preceded by its size, padded so that the block keeps malloc's alignment. */
#define HEADER 16

static atomic_size_t live, peak;
static atomic_long countdown;

/* All counters are statistics: relaxed order, no other data depends on them. */
static void count(size_t bytes) {
  size_t now = atomic_fetch_add_explicit(&live, bytes, memory_order_relaxed) + bytes;
  size_t top = atomic_load_explicit(&peak, memory_order_relaxed);
  while (now > top &&
         !atomic_compare_exchange_weak_explicit(&peak, &top, now, memory_order_relaxed, memory_order_relaxed))
    ;
}

static void uncount(size_t bytes) {
  size_t before = atomic_fetch_sub_explicit(&live, bytes, memory_order_relaxed);
  assert(before >= bytes);
  (void)before;
}

static int must_fail(void) {
  if (atomic_load_explicit(&countdown, memory_order_relaxed) <= 0)
    return 0;
  return atomic_fetch_sub_explicit(&countdown, 1, memory_order_relaxed) == 1;
}

void mem_fail_after(long n) { atomic_store_explicit(&countdown, n, memory_order_relaxed); }

void *mem_alloc(size_t bytes) {
  if (must_fail() || bytes > SIZE_MAX - HEADER)
    return NULL;
  size_t *block = calloc(1, bytes + HEADER);
  if (!block)
    return NULL;
  block[0] = bytes;
  count(bytes);
  return (char *)block + HEADER;
}

void *mem_array(size_t n, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes))
    return NULL;
  return mem_alloc(bytes);
}

void *mem_resize(void *p, size_t bytes) {
  if (!p)
    return mem_alloc(bytes);
  if (must_fail() || bytes > SIZE_MAX - HEADER)
    return NULL;
  size_t *block = (size_t *)((char *)p - HEADER);
  size_t before = block[0];
  block = realloc(block, bytes + HEADER);
  if (!block)
    return NULL;
  block[0] = bytes;
  uncount(before);
  count(bytes);
  return (char *)block + HEADER;
}

char *mem_strdup(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = mem_alloc(bytes);
  return copy ? memcpy(copy, text, bytes) : NULL;
}

void mem_free(void *p) {
  if (!p)
    return;
  size_t *block = (size_t *)((char *)p - HEADER);
  uncount(block[0]);
  free(block);
}

/* The system rounds lengths itself. ThreadSanitizer does not: of a length that is no multiple of the page size munmap()
   leaves it accesses that it then takes for accesses to what the dynamic linker maps at the same address. */
static size_t whole_pages(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return bytes > SIZE_MAX - page ? bytes : (bytes + page - 1) & ~(page - 1);
}

void *pages_alloc(size_t bytes) {
  if (must_fail() || bytes == 0)
    return NULL;
  void *p = mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  if (bytes >= 2 * HUGE_PAGE)
    madvise(p, bytes, MADV_HUGEPAGE); /* advice only: the memory is usable without it */
  count(bytes);
  return p;
}

void pages_free(void *p, size_t bytes) {
  if (!p)
    return;
  munmap(p, whole_pages(bytes));
  uncount(bytes);
}

void pages_touch(void *p, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  madvise(p, bytes, MADV_POPULATE_WRITE);
#else
  (void)p, (void)bytes;
#endif
}

size_t mem_live(void) { return atomic_load_explicit(&live, memory_order_relaxed); }
size_t mem_peak(void) { return atomic_load_explicit(&peak, memory_order_relaxed); }
