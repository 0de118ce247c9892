/* Per-thread writer of a snapshot (engine/snapshot/snapshot.h): writes to the file, or, in a group on a member other
   than rank 0, sends packets to rank 0. Sending is a phase (engine/comm/exchange.h) of snapshot_save
   (engine/snapshot/snapshot_engine.h). */
#ifndef FLOE_ENGINE_SNAPSHOT_SNAPSHOT_WRITER_H
#define FLOE_ENGINE_SNAPSHOT_SNAPSHOT_WRITER_H

#include "checkpoint/checkpoint.h"
#include "engine/distributed/collective.h"

/* One thread at a time uses a writer; writers are independent of each other. */
struct snapshot_writer {
  struct collective *collective;
  struct checkpoint_writer *file; /* NULL: only rank 0 has it */
  unsigned number;                /* number of the context of `file` */
  enum checkpoint_section section;
  struct message *packet; /* packet for rank 0 being written; NULL: none */
};

/* Section of the states that follow. A packet holds one section, and so does a block: change it seldom. */
void snapshot_writer_section(struct snapshot_writer *writer, enum checkpoint_section section);
/* Writes n states of the section; `writer` is a struct snapshot_writer. May wait until rank 0 receives packets. */
void snapshot_writer_put(void *writer, const uint64_t *states, size_t n);
/* In a group: sends the states written so far. */
void snapshot_writer_flush(struct snapshot_writer *writer);
/* In a group: waits until the phase is over or the other members are lost; rank 0 writes the states that they send. */
void snapshot_writer_await(struct snapshot_writer *writer);

#endif
