/* What a bench on a GPU keeps of one measurement for the next one: a table with its kernels, room for keys, what
   sorting needs, and the memory of the host in which a table is looked at. Presets measure the same table again and
   again, at other fill factors; making all that anew takes longer than most of the measurements.

   It is there for who asks next, and makes way where memory does not suffice. */
#ifndef FLOE_BENCH_GPU_POOL_H
#define FLOE_BENCH_GPU_POOL_H

#include "gpu/table/device_arrays.h"
#include "gpu/table/sorted_find_or_put.h"
#include "gpu/table/tables.h"

struct gpu_pool {
  struct gpu *gpu;
  floe_log *log;
  char *cache_dir;             /* as for gpu_table_create */
  struct gpu_table *tables[2]; /* by enum gpu_table_place */
  struct gpu_table *in_use;    /* the one that pool_table gave last */
  struct gpu_arrays arrays;
  struct gpu_sorted sorted; /* sort NULL: not there */
  void *copy;               /* page-locked */
  uint64_t copy_bytes;
};

void pool_release(struct gpu_pool *pool); /* all of it */
/* Frees what the table in use and its keys do not need: for who has found too little memory, before the second try. */
void pool_make_way(struct gpu_pool *pool);
/* Of the device's memory, which pool_table and pool_room have beside what is free. */
uint64_t pool_bytes(const struct gpu_pool *pool);

/* An empty table. Errors as gpu_table_create. The one before it at the same place is gone or the same. */
floe_status pool_table(struct gpu_pool *pool, const struct table_config *config, enum gpu_table_place place,
                       struct gpu_table **out);
/* Room for `most` keys and answers, and values where they are wanted. FLOE_ERROR_MEMORY: not told. */
floe_status pool_room(struct gpu_pool *pool, uint64_t most, bool values);
/* For the keys that there is room for. Errors as gpu_sorted_create. */
floe_status pool_sorted(struct gpu_pool *pool, unsigned key_bits, struct reason *reason);
/* A copy of the table in use (table_free), until the next one is made. */
floe_status pool_copy(struct gpu_pool *pool, struct table **out);

#endif
