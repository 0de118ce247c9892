/* Page prefault. The system clears a table's page when it is first touched, and keys touch pages at random. So the
   first few hundred keys would have one thread clear a table of a gigabyte; and if several threads fault on the same
   page, each clears one and all but one are discarded. Therefore all threads touch the pages first, each its own. */
#include "core/mem.h"
#include "engine/cpu/cpu_search.h"

#define FEWEST_PAGES 2 /* huge pages; fewer are not worth sharing */
#define EARLY 8        /* before one state per 8 pages is found, the expected number of states may be wrong */

static uint64_t huge_pages(const struct visited *set) { return set->shape.bytes / HUGE_PAGE; }

/* Pages start at multiples of their size; the table may not. Relaxed: tickets must only differ. */
static void clear_pages(void *data, unsigned number) {
  struct cpu_search *self = data;
  const struct stop stop = self->search.stop;
  char *begin = visited_memory(self->visited.set);
  char *end = begin + self->visited.set->shape.bytes;
  char *first = begin - (uintptr_t)begin % HUGE_PAGE;
  (void)number;
  while (!stop_requested(&stop)) {
    size_t at = HUGE_PAGE * atomic_fetch_add_explicit(&self->visited.prefault_page, 1, memory_order_relaxed);
    if (at >= (size_t)(end - first))
      break;
    char *page = first + at, *next = page + HUGE_PAGE;
    page = page < begin ? begin : page;
    pages_touch(page, (size_t)((next < end ? next : end) - page));
  }
}

static bool is_due(struct cpu_search *self) {
  return !self->visited.prefaulted && self->visited.growths == 0 && self->worker_count > 1 &&
         huge_pages(self->visited.set) >= FEWEST_PAGES && cpu_states(self) >= huge_pages(self->visited.set) / EARLY;
}

/* Larger tables of a run need no prefault: all threads fill them in streams, and each page is touched by one thread
   first. */
void prefault_first_set(struct cpu_search *self) {
  if (!is_due(self))
    return;
  self->visited.prefaulted = true;
  atomic_store_explicit(&self->visited.prefault_page, 0, memory_order_relaxed);
  enum phase before = phases_enter(&self->phases, PHASE_CLEARING);
  pool_run(self->pool, clear_pages, self);
  phases_enter(&self->phases, before);
}
