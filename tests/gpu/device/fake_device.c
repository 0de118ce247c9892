#include "base/splitmix64.h"
#include "fake_parts.h"

#include "gpu/jit/gpu_api.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE 256

unsigned fake_chance(struct gpu *gpu) { return (unsigned)(splitmix64_next(&gpu->random) % 100); }

/* Numbers of the open devices. */
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
  snprintf(gpu->info.bus, sizeof gpu->info.bus, "%u", gpu->info.number);
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

/* ---- memory ---------------------------------------------------------------------------------- */

/* Header of each block; blocks have the alignment of CUDA. */
struct block {
  uint64_t bytes;
  const struct gpu *owner; /* device whose memory it is; NULL: host */
  struct block *next;
};

/* Shared by all devices, whose threads allocate and free concurrently. */
static pthread_mutex_t blocks_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;

static struct block *block_of(void *p) { return (struct block *)(void *)((char *)p - BEFORE); }

static void enlist(struct block *block) {
  pthread_mutex_lock(&blocks_mutex);
  block->next = blocks;
  blocks = block;
  pthread_mutex_unlock(&blocks_mutex);
}

static void unlist(const struct block *block) {
  pthread_mutex_lock(&blocks_mutex);
  struct block **at = &blocks;
  while (*at != block)
    at = &(*at)->next;
  *at = block->next;
  pthread_mutex_unlock(&blocks_mutex);
}

static void *take(const struct gpu *owner, uint64_t *used, uint64_t most, uint64_t bytes) {
  if (bytes > most || *used > most - bytes)
    return NULL;
  struct block *block = aligned_alloc(BEFORE, BEFORE + (bytes + BEFORE - 1) / BEFORE * BEFORE);
  memset(block, 0xa5, BEFORE + bytes);
  block->bytes = bytes;
  block->owner = owner;
  *used += bytes;
  if (owner)
    enlist(block);
  return (char *)block + BEFORE;
}

static void give(uint64_t *used, void *p) {
  if (!p)
    return;
  struct block *block = block_of(p);
  if (block->owner)
    unlist(block);
  *used -= block->bytes;
  free(block);
}

/* NULL: not an address of device memory. */
static const struct gpu *owner_of_address(uint64_t address) {
  const struct gpu *owner = NULL;
  pthread_mutex_lock(&blocks_mutex);
  for (const struct block *block = blocks; block && !owner; block = block->next) {
    const uint64_t begin = (uint64_t)(uintptr_t)block + BEFORE;
    if (address >= begin && address - begin < block->bytes)
      owner = block->owner;
  }
  pthread_mutex_unlock(&blocks_mutex);
  return owner;
}

static bool has_access(const struct gpu *gpu, const struct gpu *other) {
  for (unsigned i = 0; i < gpu->opened_count; i++)
    if (gpu->opened[i] == other)
      return true;
  return gpu == other;
}

bool fake_may_touch(const struct gpu *gpu, uint64_t address) {
  const struct gpu *owner = owner_of_address(address);
  return !owner || has_access(gpu, owner);
}

/* ---- the driver ------------------------------------------------------------------------------ */

const struct gpu_info *gpu_information(const struct gpu *gpu) { return &gpu->info; }
/* (Some tests define their own.) */
__attribute__((weak)) floe_status gpu_use(struct gpu *gpu) { return gpu->broken ? FLOE_ERROR_INTERNAL : FLOE_OK; }
floe_log *gpu_set_log(struct gpu *gpu, floe_log *log) {
  (void)gpu;
  return log;
}
bool gpu_is_usable(const struct gpu *gpu) { return !gpu->broken; }
uint64_t gpu_memory_budget(const struct gpu *gpu, uint64_t bytes, double share) {
  (void)share;
  return bytes && bytes < gpu->settings.memory ? bytes : gpu->settings.memory;
}
floe_status gpu_retain_context(struct gpu *gpu) { return gpu->broken ? FLOE_ERROR_INTERNAL : FLOE_OK; }
floe_status gpu_alloc(struct gpu *gpu, uint64_t bytes, gpu_address *out) {
  void *p = take(gpu, &gpu->used, gpu->settings.memory, bytes);
  *out = (gpu_address)(uintptr_t)p;
  return p ? FLOE_OK : FLOE_ERROR_MEMORY;
}
void gpu_free(struct gpu *gpu, gpu_address address) { give(&gpu->used, (void *)(uintptr_t)address); }
floe_status gpu_host_alloc(struct gpu *gpu, size_t bytes, void **out) {
  *out = take(NULL, &gpu->host_used, gpu->settings.host_memory, bytes);
  if (gpu->host_used > gpu->host_peak)
    gpu->host_peak = gpu->host_used;
  return *out ? FLOE_OK : FLOE_ERROR_MEMORY;
}
void gpu_host_free(struct gpu *gpu, void *p) { give(&gpu->host_used, p); }

/* As on a real device, an address of inaccessible memory is an error. */
static bool reaches(struct gpu *gpu, gpu_address address) {
  gpu->broken = gpu->broken || !fake_may_touch(gpu, address);
  return !gpu->broken;
}

static floe_status copy(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
  return FLOE_OK;
}
floe_status gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes) {
  return reaches(gpu, to) ? copy((void *)(uintptr_t)to, from, bytes) : FLOE_ERROR_INTERNAL;
}
floe_status gpu_download(struct gpu *gpu, void *to, gpu_address from, size_t bytes) {
  return reaches(gpu, from) ? copy(to, (const void *)(uintptr_t)from, bytes) : FLOE_ERROR_INTERNAL;
}
floe_status gpu_upload_start(struct gpu *gpu, gpu_address to, const void *from, size_t bytes) {
  return gpu_upload(gpu, to, from, bytes);
}
floe_status gpu_download_start(struct gpu *gpu, void *to, gpu_address from, size_t bytes) {
  return gpu_download(gpu, to, from, bytes);
}
floe_status gpu_download_on_side_stream(struct gpu *gpu, void *to, gpu_address from, size_t bytes) {
  assert(gpu->beside_count < FAKE_BESIDE);
  gpu->beside[gpu->beside_count++] = (struct fake_copy){to, from, bytes};
  memset(to, 0x5a, bytes);
  return gpu_wait(gpu);
}
floe_status gpu_copy_on_side_stream(struct gpu *gpu, gpu_address to, gpu_address from, uint64_t bytes) {
  gpu->counts.beside_copies++;
  return reaches(gpu, to) ? gpu_download_on_side_stream(gpu, (void *)(uintptr_t)to, from, bytes) : FLOE_ERROR_INTERNAL;
}
floe_status gpu_wait_for_side_stream(struct gpu *gpu) {
  floe_status status = gpu_wait(gpu);
  for (unsigned i = 0; i < gpu->beside_count && status == FLOE_OK; i++)
    status = gpu_download(gpu, gpu->beside[i].to, gpu->beside[i].from, gpu->beside[i].bytes);
  gpu->beside_count = 0;
  return status;
}
floe_status gpu_is_done(struct gpu *gpu, bool *done) {
  *done = fake_chance(gpu) < 50;
  return gpu_wait(gpu);
}
floe_status gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, uint64_t bytes) {
  if (!reaches(gpu, to) || !reaches(gpu, from))
    return FLOE_ERROR_INTERNAL;
  return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
}
/* Works without access, as both contexts are given. */
floe_status gpu_copy_peer(struct gpu *gpu, gpu_address to, struct gpu *other, gpu_address from, uint64_t bytes) {
  if (!reaches(gpu, to) || owner_of_address(from) != other)
    return FLOE_ERROR_INTERNAL;
  gpu->counts.peer_copies++;
  gpu->counts.staged += !has_access(gpu, other);
  return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
}
floe_status gpu_peer_open(struct gpu *gpu, struct gpu *other, bool *possible) {
  *possible = gpu == other || !(gpu->settings.apart && other->settings.apart);
  if (*possible && !has_access(gpu, other)) {
    assert(gpu->opened_count < FAKE_PEERS);
    gpu->opened[gpu->opened_count++] = other;
  }
  return FLOE_OK;
}
/* Processes are threads here: the shared handle is the address and its owner. */
floe_status gpu_share(struct gpu *gpu, gpu_address memory, unsigned char out[GPU_SHARED_BYTES], bool *possible) {
  const struct gpu *owner = owner_of_address(memory);
  assert(owner == gpu);
  memset(out, 0, GPU_SHARED_BYTES);
  memcpy(out, &memory, sizeof memory);
  *possible = true;
  return FLOE_OK;
}
floe_status gpu_shared_open(struct gpu *gpu, const unsigned char shared[GPU_SHARED_BYTES], gpu_address *out,
                            bool *possible) {
  gpu_address memory;
  memcpy(&memory, shared, sizeof memory);
  const struct gpu *other = owner_of_address(memory);
  assert(other && other != gpu && !has_access(gpu, other));
  *possible = !(gpu->settings.apart && other->settings.apart);
  *out = *possible ? memory : 0;
  if (*possible)
    gpu->opened[gpu->opened_count++] = other;
  return FLOE_OK;
}
void gpu_shared_close(struct gpu *gpu, gpu_address address) {
  const struct gpu *other = owner_of_address(address);
  unsigned at = 0;
  if (!address)
    return;
  assert(has_access(gpu, other)); /* and it has not been freed */
  while (gpu->opened[at] != other)
    at++;
  gpu->opened[at] = gpu->opened[--gpu->opened_count];
}
floe_status gpu_fill(struct gpu *gpu, gpu_address to, unsigned char value, uint64_t bytes) {
  if (!reaches(gpu, to))
    return FLOE_ERROR_INTERNAL;
  memset((void *)(uintptr_t)to, value, bytes);
  return FLOE_OK;
}
floe_status gpu_wait(struct gpu *gpu) { return gpu->broken ? FLOE_ERROR_INTERNAL : FLOE_OK; }
