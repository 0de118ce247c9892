#include "gpu/table/sorted_find_or_put.h"

#include <assert.h>

floe_status gpu_sorted_create(struct gpu *gpu, unsigned key_bits, uint64_t most, struct gpu_sorted *out,
                              struct reason *reason) {
  struct gpu_sorted sorted = {.gpu = gpu, .key_bits = key_bits, .most = most};
  assert(most && key_bits >= 1 && key_bits <= 64);
  FLOE_TRY(gpu_sort_open(&sorted.sort, reason));
  floe_status status = gpu_sort_room(sorted.sort, gpu, most, key_bits, &sorted.room_bytes);
  if (status == FLOE_OK)
    status = gpu_alloc(gpu, sorted.room_bytes, &sorted.room);
  if (status == FLOE_OK)
    status = gpu_alloc(gpu, most * sizeof(uint64_t), &sorted.alternate);
  if (status == FLOE_OK)
    *out = sorted;
  else
    gpu_sorted_free(&sorted);
  return status;
}

void gpu_sorted_free(struct gpu_sorted *sorted) {
  gpu_free(sorted->gpu, sorted->alternate);
  gpu_free(sorted->gpu, sorted->room);
  gpu_sort_close(sorted->sort);
  *sorted = (struct gpu_sorted){0};
}

floe_status gpu_sorted_find_or_put(const struct gpu_sorted *sorted, struct gpu_table *table, gpu_address keys,
                                   uint64_t n, gpu_address answers) {
  assert(n <= sorted->most && !gpu_table_shape(table)->value_bits);
  const struct gpu_sort_job job = {keys, sorted->alternate, n, sorted->key_bits, sorted->room, sorted->room_bytes};
  FLOE_TRY(gpu_sort_keys(sorted->sort, sorted->gpu, &job));
  FLOE_TRY(gpu_table_start(table, "floe_table_find_unique", keys, 0, n, answers));
  return gpu_table_start(table, "floe_table_put_absent", keys, 0, n, answers);
}
