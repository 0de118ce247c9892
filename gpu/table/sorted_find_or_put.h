/* find-or-put of whole arrays in cuckoo tables on a device, by sorting: the baseline of the paper's comparison. For
   the host see tables/cuckoo/cuckoo.h. */
#ifndef FLOE_GPU_SORTED_H
#define FLOE_GPU_SORTED_H

#include "gpu/table/sort.h"
#include "gpu/table/tables.h"

/* Device memory for n keys, allocated before the first operation, so that times do not include it. */
struct gpu_sorted {
  struct gpu_sort *sort;
  struct gpu *gpu;
  unsigned key_bits;
  uint64_t most; /* keys */
  gpu_address alternate, room;
  uint64_t room_bytes;
};
/* FLOE_ERROR_UNSUPPORTED with a reason: there is no sort module (gpu/table/sort.h). FLOE_ERROR_MEMORY: not logged. */
floe_status gpu_sorted_create(struct gpu *gpu, unsigned key_bits, uint64_t most, struct gpu_sorted *out,
                              struct reason *reason);
void gpu_sorted_free(struct gpu_sorted *sorted);

/* In the stream, n <= most. Sorts the keys; answers[i] is for keys[i] after that: of equal keys the first one's
   answer is FOUND, PUT or FULL, the others' FOUND. As with TABLE_PUT_NEW, keys[i] of a FULL is the key without a
   slot, which may be one that was put or found before. The table is a set: values would not be sorted with their
   keys. FLOE_ERROR_INTERNAL, logged: it is not a cuckoo table. */
floe_status gpu_sorted_find_or_put(const struct gpu_sorted *sorted, struct gpu_table *table, gpu_address keys,
                                   uint64_t n, gpu_address answers);

#endif
