/* Message by which process 0 of an MPI job starts a search in the other processes (MSG_COMMAND, engine/comm/comm.h).

   After the struct come, each with its NUL, the texts: table, permutation ("": the table's default); then for each file
   of the model its name and the number of its bytes in decimal, each with its NUL, and its text without a NUL; then,
   each with its NUL, name and value of each constant that was given. */
#ifndef FLOE_API_EXPLORE_SEARCH_COMMAND_H
#define FLOE_API_EXPLORE_SEARCH_COMMAND_H

#include <stdint.h>

struct search_command {
  uint32_t command; /* COMMAND_EXPLORE_STATES */
  uint32_t constant_count;
  uint32_t interpreted; /* the CPU engine uses the interpreter */
  uint32_t index_keys;  /* keys are index keys; 0: fields */
  uint32_t any_table;   /* as in struct engine_task */
  uint32_t archived;    /* each process archives the levels of its states; such a search is a second pass */
  uint32_t keep_going;  /* the search does not stop at a violation */
  uint32_t max_depth;
  uint32_t slot_bits, bucket_slots;
  uint32_t on_cpus;        /* all processes search on the CPU, even where GPUs were requested */
  uint32_t checkpointed;   /* process 0 writes checkpoints */
  uint32_t recorded;       /* process 0 records the visited order */
  uint32_t files;          /* of the model, at least 1; included ones in the order of inclusion */
  uint64_t resumed_states; /* of the checkpoint that the search continues; 0: it begins at the initial state */
  uint64_t properties;     /* mask of the properties to check */
  uint64_t max_states, initial_slots, expected_states;
  double seconds_left; /* until the timeout; 0: there is none */
};

#endif
