/* Fake sorter (gpu/table/sort.h) for a device in host memory. Included by one file of a test. */
#ifndef FLOE_TEST_FAKE_SORTER_H
#define FLOE_TEST_FAKE_SORTER_H

#include "gpu/table/sort.h"

#include <check.h>
#include <stdlib.h>

struct gpu_sort {
  int unused;
};
static struct gpu_sort sorter;
static bool unsorted; /* no sorter is available */

floe_status gpu_sort_open(struct gpu_sort **out, struct reason *reason) {
  if (unsorted) {
    reason_set(reason, "made up: nothing sorts");
    return FLOE_ERROR_UNSUPPORTED;
  }
  *out = &sorter;
  return FLOE_OK;
}

void gpu_sort_close(struct gpu_sort *sort) { ck_assert(!sort || sort == &sorter); }

floe_status gpu_sort_room(const struct gpu_sort *sort, struct gpu *gpu, uint64_t n, unsigned bits, uint64_t *bytes) {
  (void)sort, (void)gpu, (void)n, (void)bits;
  *bytes = 8;
  return FLOE_OK;
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Device memory is host memory. */
floe_status gpu_sort_keys(const struct gpu_sort *sort, struct gpu *gpu, const struct gpu_sort_job *job) {
  (void)sort, (void)gpu;
  qsort((void *)(uintptr_t)job->keys, job->n, sizeof(uint64_t), by_value);
  return FLOE_OK;
}

#endif
