/* A thread's way into the file of a moment (engine/snapshot/snapshot.h): the writer, or, of a member of a group that is
   not rank 0, letters to it. These are a phase (engine/comm/exchange.h), which begins when all have agreed on the
   moment (engine/snapshot/snapshot_group.h). */
#ifndef FLOE_MOMENT_LANE_H
#define FLOE_MOMENT_LANE_H

#include "checkpoint/checkpoint.h"
#include "engine/distributed/collective.h"

/* One thread at a time uses a lane; different ones are independent of each other. */
struct snapshot_writer {
  struct collective *collective;
  struct checkpoint_writer *writer; /* NULL: rank 0 has it */
  unsigned number;                  /* of the writer's lanes */
  enum checkpoint_section section;
  struct message *draft; /* of a letter for rank 0; NULL: none */
};

/* What is put from now on is of that section. A letter is of one, and so is a block: they should change seldom. */
void snapshot_writer_section(struct snapshot_writer *lane, enum checkpoint_section section);
/* n states of the section; `lane` is the struct. It may wait until rank 0 takes what was sent. */
void snapshot_writer_put(void *lane, const uint64_t *states, size_t n);
/* Of a group: what is put is sent. */
void snapshot_writer_flush(struct snapshot_writer *lane);
/* The same: until the phase is over, or there is nobody to wait for any more; rank 0 puts what the others send. */
void snapshot_writer_await(struct snapshot_writer *lane);

#endif
