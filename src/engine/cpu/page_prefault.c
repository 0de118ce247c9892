/* The pages of a table are cleared by the system when they are first touched. Keys touch them everywhere: the first few
   hundred would have one thread clear a table of a gigabyte, and threads that meet in a page that is not there yet
   clear one each, of which one stays. So all threads ask for them first, each for its own. */
#include "core/mem.h"
#include "engine/cpu/cpu_search.h"

#define FEWEST_PAGES 2 /* huge ones; below that there is nothing to share out */
#define EARLY 8        /* before a state for every 8 pages is known the number of states expected may be all wrong */

static uint64_t huge_pages(const struct visited *set) { return set->shape.bytes / HUGE_PAGE; }

/* Pages begin at multiples of their size, not where the table does. Relaxed: tickets only have
   to differ. */
static void clear_pages(void *data, unsigned member) {
  struct cpu_search *self = data;
  const struct stop stop = self->search->stop;
  char *begin = visited_memory(self->visited);
  char *end = begin + self->visited->shape.bytes;
  char *first = begin - (uintptr_t)begin % HUGE_PAGE;
  (void)member;
  while (!stop_wanted(&stop)) {
    size_t at = HUGE_PAGE * atomic_fetch_add_explicit(&self->clearing, 1, memory_order_relaxed);
    if (at >= (size_t)(end - first))
      break;
    char *page = first + at, *next = page + HUGE_PAGE;
    page = page < begin ? begin : page;
    pages_touch(page, (size_t)((next < end ? next : end) - page));
  }
}

static bool is_due(struct cpu_search *self) {
  return !self->cleared && self->growths == 0 && self->worker_count > 1 && huge_pages(self->visited) >= FEWEST_PAGES &&
         cpu_states(self) >= huge_pages(self->visited) / EARLY;
}

/* Tables that a run grows into are filled by all threads at once, in streams: they have their pages cleared so, each by
   who comes first. */
void clear_first_set(struct cpu_search *self) {
  if (!is_due(self))
    return;
  self->cleared = true;
  atomic_store_explicit(&self->clearing, 0, memory_order_relaxed);
  enum phase before = phases_enter(&self->phases, PHASE_CLEARING);
  pool_run(self->pool, clear_pages, self);
  phases_enter(&self->phases, before);
}
