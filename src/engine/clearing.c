/* The pages of a table are cleared by the system when they are first touched. Keys touch them everywhere: the first few
   hundred would have one thread clear a table of a gigabyte, and threads that meet in a page that is not there yet
   clear one each, of which one stays. So all threads ask for them first, each for its own. */
#include "core/mem.h"
#include "engine/run.h"
#include "table/scheme.h"

#define FEWEST_PAGES 2 /* huge ones; below that there is nothing to share out */
#define EARLY 8        /* before a state for every 8 pages is known the number of states expected may be all wrong */

static uint64_t huge_pages(const struct table *table) { return table_shape(table)->bytes / HUGE_PAGE; }

/* Pages begin at multiples of their size, not where the table does. Relaxed: tickets only have
   to differ. */
static void clear_pages(void *data, unsigned member) {
  struct run *run = data;
  const struct stop stop = engine_stop(run->task);
  char *begin = table_memory(run->table);
  char *end = begin + table_shape(run->table)->bytes;
  char *first = begin - (uintptr_t)begin % HUGE_PAGE;
  (void)member;
  while (!stop_wanted(&stop)) {
    size_t at = HUGE_PAGE * atomic_fetch_add_explicit(&run->clearing, 1, memory_order_relaxed);
    if (at >= (size_t)(end - first))
      break;
    char *page = first + at, *next = page + HUGE_PAGE;
    page = page < begin ? begin : page;
    pages_touch(page, (size_t)((next < end ? next : end) - page));
  }
}

static bool is_due(struct run *run) {
  return !run->cleared && run->growths == 0 && run->worker_count > 1 && huge_pages(run->table) >= FEWEST_PAGES &&
         run_states(run) >= huge_pages(run->table) / EARLY;
}

/* Tables that a run grows into are filled by all threads at once, in streams: they have their pages cleared so, each by
   who comes first. */
void clear_first_table(struct run *run) {
  if (!is_due(run))
    return;
  run->cleared = true;
  atomic_store_explicit(&run->clearing, 0, memory_order_relaxed);
  enum phase before = phases_enter(&run->phases, PHASE_CLEARING);
  crew_run(run->crew, clear_pages, run);
  phases_enter(&run->phases, before);
}
