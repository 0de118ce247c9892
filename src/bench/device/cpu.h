/* Parts that the files of the CPU device share. */
#ifndef FLOE_BENCH_CPU_H
#define FLOE_BENCH_CPU_H

#include "bench/device/device.h"
#include "core/threads/thread_pool.h"

#include <stdatomic.h>

#define NO_ANSWER 0xff

struct bench_engine {
  struct thread_pool *pool;
};

/* Work that threads take in segments. */
struct segments {
  atomic_uint_fast64_t next;
  uint64_t end, size;
};
/* Takes the segment [*from, *to); false: no work is left. */
bool segments_next(struct segments *segments, uint64_t *from, uint64_t *to);

floe_status bench_cpu_ceilings(struct bench_engine *engine, enum bench_place place, uint64_t footprint, unsigned needed,
                               struct bench_ceilings *out);

#endif
