/* Processes that explore together record one order of states, in rank 0's file (engine/visit_recorder.h): what a member
   found of a level stays where it waits to be expanded until the level ends, and then goes to rank 0 in letters, which
   is a phase of its own (engine/comm/exchange.h). So no member keeps anything for the record, levels come one after the
   other, and nobody waits for anybody but rank 0, who waits for the disk alone. */
#ifndef FLOE_RECORD_GROUP_H
#define FLOE_RECORD_GROUP_H

#include "engine/distributed/collective.h"

/* A thread's way to the file; one thread at a time uses it. */
struct record_writer {
  struct collective *collective;
  unsigned number; /* below the phase's workers */
};

/* That there is such a file (engine_task.recorded), and the search has not ended with an error or with states lost: for
   all members alike, after they have agreed. */
bool record_distributed_is_due(const struct collective *t);
/* Once all have begun: the first level. */
void record_distributed_initial(struct collective *t);

/* After a level that was expanded, in full or in part, and was agreed on without an error: a phase of so many
   workers. */
void record_distributed_begin(struct collective *t, unsigned workers);
/* States of the next level; `lane` is the struct. It may wait until rank 0 takes what was sent. */
void record_writer_put(void *lane, const uint64_t *states, size_t n);
/* By each worker, with nothing more to put: waits for the end of the phase. */
void record_writer_end(struct record_writer *lane);
/* FLOE_ERROR_IO: states that wait here could not be read, which ends the search for all. So does any other error. */
void record_distributed_end(struct collective *t, unsigned workers, floe_status status);

#endif
