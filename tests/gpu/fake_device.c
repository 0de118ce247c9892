#include "fake_parts.h"

#include "gpu/seam.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <string.h>

#define BEFORE 256

unsigned fake_chance(struct gpu *gpu) {
  uint64_t z = gpu->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (unsigned)((z ^ z >> 31) % 100);
}

/* Numbers of those that are open. */
static atomic_uint numbers;

static unsigned take_number(void) {
  unsigned taken = atomic_load(&numbers);
  while (!atomic_compare_exchange_weak(&numbers, &taken, taken | (taken + 1)))
    ;
  return (unsigned)__builtin_ctz(~taken);
}

struct gpu *fake_open(const struct fake_settings *settings) {
  struct gpu *gpu = calloc(1, sizeof *gpu);
  gpu->info.number = take_number();
  gpu->settings = *settings;
  gpu->random = settings->seed;
  gpu->info.multiprocessors = settings->multiprocessors;
  return gpu;
}

uint64_t fake_close(struct gpu *gpu) {
  uint64_t left = gpu->used + gpu->host_used;
  atomic_fetch_and(&numbers, ~(1u << gpu->info.number));
  free(gpu);
  return left;
}

bool fake_launches(struct gpu *gpu) {
  gpu->broken = gpu->broken || ++gpu->launches == gpu->settings.fail_launch;
  return !gpu->broken;
}

struct fake_counts fake_counts(const struct gpu *gpu) {
  return gpu->counts;
}

/* ---- the driver ------------------------------------------------------------------------------ */

/* Sizes stand before the blocks, which are aligned as CUDA's are. */
static void *take(uint64_t *used, uint64_t most, uint64_t bytes) {
  if (bytes > most || *used > most - bytes)
    return NULL;
  uint64_t *block = aligned_alloc(BEFORE, BEFORE + (bytes + BEFORE - 1) / BEFORE * BEFORE);
  memset(block, 0xa5, BEFORE + bytes);
  *block = bytes;
  *used += bytes;
  return (char *)block + BEFORE;
}

static void give(uint64_t *used, void *p) {
  if (!p)
    return;
  uint64_t *block = (uint64_t *)(void *)((char *)p - BEFORE);
  *used -= *block;
  free(block);
}

const struct gpu_info *gpu_information(const struct gpu *gpu) { return &gpu->info; }
/* (Tests that look at it have their own.) */
__attribute__((weak)) floe_status gpu_use(struct gpu *gpu) { return gpu->broken ? FLOE_ERROR_INTERNAL : FLOE_OK; }
floe_log *gpu_tell_in(struct gpu *gpu, floe_log *log) {
  (void)gpu;
  return log;
}
bool gpu_sound(const struct gpu *gpu) { return !gpu->broken; }
uint64_t gpu_memory_allowed(const struct gpu *gpu, uint64_t bytes, double share) {
  (void)share;
  return bytes && bytes < gpu->settings.memory ? bytes : gpu->settings.memory;
}
floe_status gpu_alloc(struct gpu *gpu, uint64_t bytes, gpu_address *out) {
  void *p = take(&gpu->used, gpu->settings.memory, bytes);
  *out = (gpu_address)(uintptr_t)p;
  return p ? FLOE_OK : FLOE_ERROR_MEMORY;
}
void gpu_free(struct gpu *gpu, gpu_address address) { give(&gpu->used, (void *)(uintptr_t)address); }
floe_status gpu_host_alloc(struct gpu *gpu, size_t bytes, void **out) {
  *out = take(&gpu->host_used, gpu->settings.host_memory, bytes);
  if (gpu->host_used > gpu->host_peak)
    gpu->host_peak = gpu->host_used;
  return *out ? FLOE_OK : FLOE_ERROR_MEMORY;
}
void gpu_host_free(struct gpu *gpu, void *p) { give(&gpu->host_used, p); }

static floe_status copy(struct gpu *gpu, void *to, const void *from, size_t bytes) {
  if (gpu->broken)
    return FLOE_ERROR_INTERNAL;
  memcpy(to, from, bytes);
  return FLOE_OK;
}
floe_status gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes) {
  return copy(gpu, (void *)(uintptr_t)to, from, bytes);
}
floe_status gpu_download(struct gpu *gpu, void *to, gpu_address from, size_t bytes) {
  return copy(gpu, to, (const void *)(uintptr_t)from, bytes);
}
floe_status gpu_upload_start(struct gpu *gpu, gpu_address to, const void *from, size_t bytes) {
  return gpu_upload(gpu, to, from, bytes);
}
floe_status gpu_download_start(struct gpu *gpu, void *to, gpu_address from, size_t bytes) {
  return gpu_download(gpu, to, from, bytes);
}
floe_status gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, uint64_t bytes) {
  return copy(gpu, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
}
floe_status gpu_copy_peer(struct gpu *gpu, gpu_address to, struct gpu *other, gpu_address from, uint64_t bytes) {
  (void)other;
  return copy(gpu, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
}
floe_status gpu_peer_open(struct gpu *gpu, struct gpu *other, bool *possible) {
  *possible = gpu != other;
  return FLOE_OK;
}
floe_status gpu_fill(struct gpu *gpu, gpu_address to, unsigned char value, uint64_t bytes) {
  (void)gpu;
  memset((void *)(uintptr_t)to, value, bytes);
  return FLOE_OK;
}
floe_status gpu_wait(struct gpu *gpu) { return gpu->broken ? FLOE_ERROR_INTERNAL : FLOE_OK; }
