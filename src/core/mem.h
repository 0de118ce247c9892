/* Heap memory, counted: every suite ends with mem_live() == 0, and the engine's figures come from here.
   Thread-safe. All functions return NULL when memory (or the limit set) is exhausted. */
#ifndef FLOE_MEM_H
#define FLOE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t bytes);              /* zeroed; bytes may be 0 (a unique pointer then) */
void *mem_array(size_t count, size_t size); /* zeroed; NULL also when count * size overflows */
void *mem_resize(void *p, size_t bytes);    /* as realloc; new bytes are not zeroed */
char *mem_strdup(const char *text);
void mem_free(void *p); /* NULL is allowed */

/* Page-aligned zeroed memory for tables and frontiers, taken from the system lazily; asks for huge
   pages from 4 MiB on. `bytes` must be repeated to pages_free. Counted by mem_live as well. */
void *pages_alloc(size_t bytes);
void pages_free(void *p, size_t bytes);
/* Has the system clear pages of such memory now, not at their first touch: `p` at the begin of a page. Advice only. */
void pages_touch(void *p, size_t bytes);
#define HUGE_PAGE ((size_t)2 << 20)

size_t mem_live(void); /* bytes now held through this interface */
size_t mem_peak(void); /* the largest value mem_live had */

/* Fault injection for tests: the n-th allocation from now on fails (0: off). */
void mem_fail_after(long n);

#endif
