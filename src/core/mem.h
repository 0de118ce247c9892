/* Heap memory with accounting: every test suite ends with mem_live() == 0, and the engines' memory figures come from
   here. Thread-safe. All functions return NULL when memory (or a limit set) is exhausted. */
#ifndef FLOE_CORE_MEM_H
#define FLOE_CORE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t bytes);              /* zeroed; bytes may be 0 (a unique pointer then) */
void *mem_array(size_t count, size_t size); /* zeroed; NULL also when count * size overflows */
void *mem_resize(void *p, size_t bytes);    /* as realloc; new bytes are not zeroed */
char *mem_strdup(const char *text);
void mem_free(void *p); /* NULL is allowed */

/* Page-aligned zeroed memory for tables and frontiers, allocated lazily by the system, with huge pages from 4 MiB
   on. `bytes` must be passed to pages_free again. Counted by mem_live. */
void *pages_alloc(size_t bytes);
void pages_free(void *p, size_t bytes);
/* Makes the system clear these pages now, not at their first access; `p` is the start of a page. Advice only. */
void pages_touch(void *p, size_t bytes);
#define HUGE_PAGE ((size_t)2 << 20)

size_t mem_live(void); /* bytes now held through this interface */
size_t mem_peak(void); /* maximum of mem_live so far */

/* Fault injection for tests: the n-th allocation from now on fails (0: off). */
void mem_fail_after(long n);

#endif
