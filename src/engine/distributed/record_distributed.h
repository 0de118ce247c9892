/* Visited-order recording in a distributed search: all members record into rank 0's file (engine/visit_recorder.h).
   The states that a member finds of a level wait to be expanded until the level ends; then it sends them to rank 0
   in a separate phase (engine/comm/exchange.h). So no member needs memory for the record, levels appear one after
   the other, and members wait only for rank 0, which waits only for the disk. */
#ifndef FLOE_ENGINE_DISTRIBUTED_RECORD_DISTRIBUTED_H
#define FLOE_ENGINE_DISTRIBUTED_RECORD_DISTRIBUTED_H

#include "engine/distributed/collective.h"

/* Per-thread context for recording; one thread at a time uses it. */
struct record_writer {
  struct collective *collective;
  unsigned number; /* less than the number of workers of the phase */
};

/* True: there is a file (engine_task.recorded), and the search has not ended with an error or with lost states. All
   members get the same answer after a collective decision. */
bool record_distributed_is_due(const struct collective *t);
/* Records the first level, after collective_begin. */
void record_distributed_initial(struct collective *t);

/* Begins the recording phase with so many workers, after a level that was expanded in full or in part, and whose
   collective decision is no error. */
void record_distributed_begin(struct collective *t, unsigned workers);
/* States of the next level; `context` is a struct record_writer. May wait until rank 0 receives packets. */
void record_writer_put(void *context, const uint64_t *states, size_t n);
/* Called by each worker after its last state: waits for the end of the phase. */
void record_writer_end(struct record_writer *writer);
/* Ends the phase. status: FLOE_ERROR_IO if waiting states could not be read; any error ends the search for all. */
void record_distributed_end(struct collective *t, unsigned workers, floe_status status);

#endif
