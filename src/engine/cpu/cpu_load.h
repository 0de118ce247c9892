/* Inserting the states of a checkpoint into the search; used by cpu_restore.c and cpu_restore_distributed.c. */
#ifndef FLOE_ENGINE_CPU_CPU_LOAD_H
#define FLOE_ENGINE_CPU_CPU_LOAD_H

#include "engine/cpu/cpu_search.h"

/* A list of chunks being filled. */
struct chunks {
  struct frontier *list;
  struct chunk *last; /* being filled; NULL: none */
};

/* In a worker: inserts n keys, at most a batch. Returns the number of refused keys, which are then at the start of
   `keys`; sets cpu_search.stop for these, and if the set should grow. Adds the number of new keys to *fresh. */
size_t restore_put_keys(struct cpu_search *self, uint64_t *keys, size_t n, uint64_t *fresh);
/* Handles cpu_search.stop, passed as `why`. FLOE_ERROR_UNSUPPORTED: the run must end. */
floe_status restore_handle_stop(struct cpu_search *self, unsigned why);

/* In the first worker; errors as multiword_root. */
floe_status restore_append(struct cpu_search *self, struct chunks *to, const uint64_t *states, size_t n);
floe_status restore_close_list(struct chunks *to);
/* Pending states, to restored.pending. */
floe_status restore_append_pending(struct cpu_search *self, const uint64_t *states, size_t n);

/* Stores the checkpoint's sums and the violations of its unfinished level in the first worker. */
void restore_take_sums(struct cpu_search *self);

#endif
