/* Interface between the host and the kernels of a working-set table's device level, and the kernels' entry points.
   Text shared by host C and CUDA C, which the host includes after "tables/working_set/pairs.h".

   The level is a log: each batch appends the pairs that it used, in the order of their last use, so the order of
   places is the order of use. A pair that is used again, or deleted, leaves a hole at its old place; `live` has a bit
   for each occupied place. The index maps a key to its place. The oldest pairs are those after `tail`. When the log
   is full, the pairs move to the start of another log (compaction).

   All kernels are cooperative: grids of at most WORKSET_BLOCKS resident blocks of GPU_BLOCK threads.

   __global__ void floe_workset_lookup(struct workset_view view, struct workset_work work)
     Groups the batch's operations by key and looks the keys up; writes the missing keys to work.missing and their
     number to
     work.result->missing.

   __global__ void floe_workset_apply(struct workset_view view, struct workset_work work)
     Second step, with the second level's content for the missing keys (found, found_values): computes answers and
     values of
     all operations, appends the pairs used to the log, and writes evicted pairs to work.old, their number to
     work.result->old.

   __global__ void floe_workset_compact(struct workset_view from, struct workset_view to)
     Between batches: copies all pairs of `from` in order to the start of the log of `to`, whose bits and index are
     all 0.
     Both share everything else. */
#ifndef FLOE_GPU_WORKSET_VIEW_H
#define FLOE_GPU_WORKSET_VIEW_H

enum { WORKSET_BLOCKS = 1024, WORKSET_WORD = 32 /* places of a word of `live` */ };

#ifdef KERNEL_MACHINE
struct workset_pair {
  uint64_t key, value;
};
#endif

/* All operations of a batch on one key. 0 between batches; operation numbers are stored plus one, 0 is none. */
struct workset_group {
  uint32_t owner; /* the operation that arrived first */
  uint32_t last;
  uint32_t writers;      /* puts and deletes */
  uint32_t last_writer;  /* the last of these */
  uint32_t first_writer; /* the complement of the first writer's number, not plus one */
  uint32_t segment;      /* two or more writers: where their numbers begin in view.writers */
  uint32_t filled;       /* number of entries written there */
  uint32_t at;           /* the key's place in the log, plus one */
  uint32_t missing;      /* absent: its number among the missing keys, plus one */
  uint32_t slot;         /* of the index, if the key has a place */
};

struct workset_control {
  uint32_t arrived; /* of the grid's barrier */
  uint32_t apart0[31];
  uint32_t generation;
  uint32_t apart1[31];
  uint64_t head;                                /* next place to be written: places from here on are free */
  uint64_t tail;                                /* no pair is before it */
  uint64_t live;                                /* pairs */
  uint32_t missing, segments, appended, apart2; /* of the current batch; 0 between batches */
};

/* In page-locked memory. */
struct workset_result {
  uint64_t live, head, old;
  uint64_t missing;
};

/* By value. Pointers are device addresses. */
struct workset_view {
  struct workset_control *control;
  struct workset_pair *log;     /* [places] */
  uint32_t *live;               /* a bit for each place */
  uint64_t *index;              /* [slots] tag and place of a key; WORKSET_EMPTY, WORKSET_GONE */
  struct workset_group *groups; /* [group_count] */
  uint32_t *writers;            /* [batch] */
  uint32_t *group_of;           /* [batch] */
  uint64_t *ends;               /* [batch] values with which pairs are appended */
  uint8_t *end_kinds;           /* [batch] */
  uint32_t *tiles;              /* [batch / GPU_BLOCK + 1] pairs that a tile of operations appends */
  uint32_t *sums;               /* [2][WORKSET_BLOCKS] */
  uint32_t *ranks;              /* [WORKSET_BLOCKS * GPU_BLOCK] */
  uint64_t places, slots, group_count;
  uint64_t capacity; /* pairs that remain after a batch */
  uint64_t seed;
  uint64_t searched; /* there is no index: each batch searches the log */
};

struct workset_work {
  const uint64_t *keys;
  uint64_t *values;          /* 0: none */
  const uint8_t *operations; /* 0: all are `operation` */
  uint8_t *answers;
  uint64_t *missing;            /* [n] page-locked */
  const uint64_t *found_values; /* of the missing keys */
  const uint8_t *found;
  struct workset_pair *old; /* [n] page-locked; least recently used first */
  struct workset_result *result;
  uint64_t n;
  uint64_t operation;
};

/* Entries of the index: the key's tag in the high half, its place plus 2 in the low half. */
#define WORKSET_EMPTY UINT64_C(0)
#define WORKSET_GONE UINT64_C(1)
#define WORKSET_ENTRY(hash, place) ((uint64_t)(hash) << 32 | ((uint64_t)(place) + 2))
#define WORKSET_PLACE(entry) ((uint64_t)(uint32_t)(entry)-2)

#endif
