/* find-or-put of whole arrays in cuckoo tables on a device, by sorting: the baseline that the paper compares with. The
   host has tables/cuckoo/cuckoo.h. */
#ifndef FLOE_GPU_SORTED_H
#define FLOE_GPU_SORTED_H

#include "gpu/table/sort.h"
#include "gpu/table/tables.h"

/* Memory of the device for n keys: all is taken before the first operation, so that none of it is in the times. */
struct gpu_sorted {
  struct gpu_sort *sort;
  struct gpu *gpu;
  unsigned key_bits;
  uint64_t most; /* keys */
  gpu_address alternate, room;
  uint64_t room_bytes;
};
/* FLOE_ERROR_UNSUPPORTED with a reason: there is no module that sorts (gpu/table/sort.h). FLOE_ERROR_MEMORY: not told. */
floe_status gpu_sorted_create(struct gpu *gpu, unsigned key_bits, uint64_t most, struct gpu_sorted *out,
                              struct reason *reason);
void gpu_sorted_free(struct gpu_sorted *sorted);

/* In the stream, n <= most. The keys are left sorted, and answers[i] is for keys[i] then: of equal keys the first one's
   is FOUND, PUT or FULL, the others' FOUND. As with TABLE_PUT_NEW keys[i] of a FULL is the key without a place, which
   may be one that was put or found before. The table is a set: values would not be sorted with their keys.
   FLOE_ERROR_INTERNAL, told: it is no cuckoo table. */
floe_status gpu_sorted_find_or_put(const struct gpu_sorted *sorted, struct gpu_table *table, gpu_address keys,
                                   uint64_t n, gpu_address answers);

#endif
