/* What a device's time goes to in the first level of working-set tables: kernels, and copies over the bus. One batch in
   WORKSET_SAMPLED is looked at, since marking it takes the host some microseconds. (What kernels write to the host's
   memory by themselves, the keys that are missing and the pairs that make room, is theirs.) */
#ifndef FLOE_GPU_WORKSET_CLOCK_H
#define FLOE_GPU_WORKSET_CLOCK_H

#include "gpu/driver.h"

enum { WORKSET_SAMPLED = 16 };

/* Points in the stream that a batch comes by. */
enum workset_mark {
  WORKSET_ASK,      /* ... kernels that make room for it */
  WORKSET_ROOM,     /* ... the host's work */
  WORKSET_PACKED,   /* ... copy */
  WORKSET_UPLOADED, /* ... kernel */
  WORKSET_ASKED,    /* ... the host's work, and the second level's */
  WORKSET_SETTLE,   /* ... copy */
  WORKSET_FOUND,    /* ... kernel */
  WORKSET_SETTLED,  /* ... copy */
  WORKSET_DONE,
  WORKSET_MARKS
};

struct workset_clock {
  struct gpu_event *marks[WORKSET_MARKS];
  uint64_t asked, finished; /* batches */
  uint64_t looked_at;       /* of these */
  bool complete;            /* the marks are of one batch up to WORKSET_ASKED */
  double kernels, copies;   /* seconds, of those looked at */
};

/* Freed also after an error. */
floe_status workset_clock_create(struct gpu *gpu, struct workset_clock *clock);
void workset_clock_free(struct gpu *gpu, struct workset_clock *clock);
void workset_clock_clear(struct workset_clock *clock);
/* The batch that is asked for (up to WORKSET_ASKED), or settled, comes by in the stream. */
floe_status workset_clock_mark(struct gpu *gpu, struct workset_clock *clock, enum workset_mark mark);
/* A batch has come by all marks. */
floe_status workset_clock_finish(struct gpu *gpu, struct workset_clock *clock);
/* Of all batches, as far as those looked at tell. */
void workset_clock_read(const struct workset_clock *clock, double *kernels, double *copies);

#endif
