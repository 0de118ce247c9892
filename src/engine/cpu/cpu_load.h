/* What the CPU's rank does with states of a checkpoint, whoever reads them: cpu_restore.c, for itself; cpu_restore_distributed.c, for
   all members of a group. */
#ifndef FLOE_RANK_LOADING_H
#define FLOE_RANK_LOADING_H

#include "engine/cpu/cpu_search.h"

/* A list that is being filled. */
struct chunks {
  struct frontier *list;
  struct chunk *last; /* not in the list yet; NULL: none */
};

/* In a worker: puts n keys, a batch at most, into the set. Returns the number of those that found no place: they are at
   the beginning of `keys` then, and rank->stop is set, as it is where the set should grow. *fresh: those that are new
   are added. */
size_t loading_put(struct cpu_search *self, uint64_t *keys, size_t n, uint64_t *fresh);
/* What is to be done before the workers can go on; `why`: was rank->stop. FLOE_ERROR_UNSUPPORTED: the run is to end. */
floe_status loading_handle_stop(struct cpu_search *self, unsigned why);

/* By the first worker alone; errors as multiword_root. */
floe_status loading_append(struct cpu_search *self, struct chunks *to, const uint64_t *states, size_t n);
floe_status loading_close(struct chunks *to);
/* Pending states, which wait in rank->unplaced. */
floe_status loading_keep_unplaced(struct cpu_search *self, const uint64_t *states, size_t n);

/* The sums so far become those of the first worker. */
void loading_take_sums(struct cpu_search *self);

#endif
