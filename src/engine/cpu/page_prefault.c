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
  struct rank *rank = data;
  const struct stop stop = rank->search->stop;
  char *begin = visited_memory(rank->visited);
  char *end = begin + rank->visited->shape.bytes;
  char *first = begin - (uintptr_t)begin % HUGE_PAGE;
  (void)member;
  while (!stop_wanted(&stop)) {
    size_t at = HUGE_PAGE * atomic_fetch_add_explicit(&rank->clearing, 1, memory_order_relaxed);
    if (at >= (size_t)(end - first))
      break;
    char *page = first + at, *next = page + HUGE_PAGE;
    page = page < begin ? begin : page;
    pages_touch(page, (size_t)((next < end ? next : end) - page));
  }
}

static bool is_due(struct rank *rank) {
  return !rank->cleared && rank->growths == 0 && rank->worker_count > 1 && huge_pages(rank->visited) >= FEWEST_PAGES &&
         rank_states(rank) >= huge_pages(rank->visited) / EARLY;
}

/* Tables that a run grows into are filled by all threads at once, in streams: they have their pages cleared so, each by
   who comes first. */
void clear_first_set(struct rank *rank) {
  if (!is_due(rank))
    return;
  rank->cleared = true;
  atomic_store_explicit(&rank->clearing, 0, memory_order_relaxed);
  enum phase before = phases_enter(&rank->phases, PHASE_CLEARING);
  crew_run(rank->crew, clear_pages, rank);
  phases_enter(&rank->phases, before);
}
