#include "gpu/host_backed/host_lookup.h"

#include "core/mem.h"
#include "tables/scheme.h"

#include "gpu/kernel/base/control.h"

#include <assert.h>

/* The bits of each shard begin in a word of their own (engine/host_backed/shards.h). */
enum { APART = 64 };

static uint64_t shards_of(struct shard_rule rule) { return UINT64_C(1) << rule.bits; }
static uint64_t places_for(struct shard_rule rule, uint64_t room) { return room + APART * shards_of(rule); }
static void *pointer(gpu_address address) { return (void *)(uintptr_t)address; }

/* ---- buffers ------------------------------------------------------------------------------------- */

uint64_t host_lookup_bytes(struct shard_rule rule, uint64_t room) {
  const uint64_t places = places_for(rule, room), word = sizeof(uint64_t);
  return 2 * room * word + (HOST_LOOKUP_BATCHES + 1) * places * word + places / 8 + (shards_of(rule) + 1) * word;
}

static unsigned rest_bytes_of(struct shard_rule rule) { return rule.key_bits - rule.bits <= 32 ? 4 : 8; }

uint64_t host_lookup_host_bytes(struct shard_rule rule, uint64_t room) {
  const uint64_t places = places_for(rule, room), word = sizeof(uint64_t);
  return HOST_LOOKUP_BATCHES * (places * rest_bytes_of(rule) + 2 * (places / 8) + 2 * shards_of(rule) * word);
}

static floe_status allocate(struct host_lookup *host_lookup, uint64_t bytes, gpu_address *out) {
  FLOE_TRY(gpu_budget_take(host_lookup->gpu, host_lookup->device, bytes, out));
  host_lookup->device_bytes += bytes;
  return FLOE_OK;
}

static floe_status make_batch(struct host_lookup *host_lookup, struct host_lookup_batch *batch) {
  const uint64_t shards = shards_of(host_lookup->rule), places = host_lookup->places;
  void *pinned;
  batch->first = mem_array(shards, sizeof *batch->first);
  batch->count = mem_array(shards, sizeof *batch->count);
  if (!batch->first || !batch->count)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(allocate(host_lookup, places * sizeof(uint64_t), &batch->keys));
  FLOE_TRY(gpu_host_alloc(host_lookup->gpu, places * host_lookup->rest_bytes, &batch->rests));
  FLOE_TRY(gpu_host_alloc(host_lookup->gpu, places / 8, &pinned));
  batch->fresh = pinned;
  batch->refused = mem_array(places / 64, sizeof *batch->refused);
  return batch->refused ? FLOE_OK : FLOE_ERROR_MEMORY;
}

floe_status host_lookup_make(struct gpu *gpu, struct gpu_budget *budget, struct shard_rule rule, uint64_t room,
                             struct host_lookup *host_lookup) {
  const uint64_t word = sizeof(uint64_t), shards = shards_of(rule);
  assert(room);
  host_lookup->gpu = gpu;
  host_lookup->device = budget;
  host_lookup->rule = rule;
  host_lookup->rest_bytes = rest_bytes_of(rule);
  host_lookup->room = room;
  host_lookup->places = places_for(rule, room);
  host_lookup->counts_read = mem_array(shards + 1, word);
  if (!host_lookup->counts_read)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(allocate(host_lookup, room * word, &host_lookup->candidates));
  FLOE_TRY(allocate(host_lookup, room * word, &host_lookup->unresolved));
  FLOE_TRY(allocate(host_lookup, (shards + 1) * word, &host_lookup->counts));
  FLOE_TRY(allocate(host_lookup, host_lookup->places * word, &host_lookup->rests));
  FLOE_TRY(allocate(host_lookup, host_lookup->places / 8, &host_lookup->fresh));
  for (unsigned i = 0; i < HOST_LOOKUP_BATCHES; i++)
    FLOE_TRY(make_batch(host_lookup, &host_lookup->batches[i]));
  return FLOE_OK;
}

static void free_batch(struct host_lookup *host_lookup, struct host_lookup_batch *batch) {
  gpu_free(host_lookup->gpu, batch->keys);
  gpu_host_free(host_lookup->gpu, batch->rests);
  gpu_host_free(host_lookup->gpu, batch->fresh);
  mem_free(batch->refused);
  mem_free(batch->first);
  mem_free(batch->count);
}

void host_lookup_free(struct host_lookup *host_lookup) {
  const gpu_address parts[] = {host_lookup->candidates, host_lookup->unresolved, host_lookup->counts,
                               host_lookup->rests, host_lookup->fresh};
  if (!host_lookup->gpu)
    return;
  for (unsigned i = 0; i < HOST_LOOKUP_BATCHES; i++)
    free_batch(host_lookup, &host_lookup->batches[i]);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gpu_free(host_lookup->gpu, parts[i]);
  host_lookup->device->used -= host_lookup->device_bytes;
  mem_free(host_lookup->counts_read);
  *host_lookup = (struct host_lookup){0};
}

/* ---- lookup -------------------------------------------------------------------------------------- */

static struct gpu_host_lookup arguments_of(const struct host_lookup *host_lookup, const void *view, uint64_t count,
                                           const struct host_lookup_batch *batch) {
  return (struct gpu_host_lookup){.candidates = pointer(host_lookup->candidates),
                                  .count = count,
                                  .unresolved = pointer(host_lookup->unresolved),
                                  .unresolved_count =
                                      (uint64_t *)pointer(host_lookup->counts) + shards_of(host_lookup->rule),
                                  .counts = pointer(host_lookup->counts),
                                  .keys = pointer(batch->keys),
                                  .rests = pointer(host_lookup->rests),
                                  .rest_bytes = host_lookup->rest_bytes,
                                  .has_base = view != NULL,
                                  .rule = host_lookup->rule};
}

/* Counts the keys of each shard that are not in the base table. */
static floe_status count_unresolved(struct host_lookup *host_lookup, const void *view,
                                    const struct gpu_host_lookup *arguments) {
  static const unsigned char none[TABLE_VIEW_BYTES];
  const uint64_t bytes = (shards_of(host_lookup->rule) + 1) * sizeof(uint64_t);
  void *all[] = {(void *)(view ? view : none), (void *)arguments};
  FLOE_TRY(gpu_fill(host_lookup->gpu, host_lookup->counts, 0, bytes));
  FLOE_TRY(gpu_kernel_start(host_lookup->gpu, &host_lookup->select, arguments->count, all));
  FLOE_TRY(gpu_wait(host_lookup->gpu));
  return gpu_download(host_lookup->gpu, host_lookup->counts_read, host_lookup->counts, bytes);
}

static void assign_positions(const struct host_lookup *host_lookup, struct host_lookup_batch *batch) {
  const uint64_t shards = shards_of(host_lookup->rule);
  uint64_t at = 0, all = 0;
  for (uint64_t i = 0; i < shards; i++) {
    batch->first[i] = at;
    batch->count[i] = host_lookup->counts_read[i];
    all += batch->count[i];
    at += (batch->count[i] + APART - 1) / APART * APART;
  }
  batch->end = at;
  batch->unresolved = all;
  assert(all == host_lookup->counts_read[shards] && at <= host_lookup->places);
  batch->answers = (struct shards_batch){.rests = batch->rests,
                                         .rest_bytes = host_lookup->rest_bytes,
                                         .first = batch->first,
                                         .count = batch->count,
                                         .fresh = batch->fresh,
                                         .refused = batch->refused};
}

floe_status host_lookup_select(struct host_lookup *host_lookup, const void *view, uint64_t candidates,
                               struct host_lookup_batch *batch) {
  struct gpu_host_lookup arguments = arguments_of(host_lookup, view, candidates, batch);
  void *all[] = {&arguments};
  assert(candidates <= host_lookup->room);
  FLOE_TRY(count_unresolved(host_lookup, view, &arguments));
  assign_positions(host_lookup, batch);
  if (batch->unresolved == 0)
    return FLOE_OK;
  FLOE_TRY(
      gpu_upload(host_lookup->gpu, host_lookup->counts, batch->first, shards_of(host_lookup->rule) * sizeof(uint64_t)));
  FLOE_TRY(gpu_kernel_start(host_lookup->gpu, &host_lookup->bin, batch->unresolved, all));
  FLOE_TRY(
      gpu_download_start(host_lookup->gpu, batch->rests, host_lookup->rests, batch->end * host_lookup->rest_bytes));
  return gpu_wait(host_lookup->gpu);
}

/* ---- answers ------------------------------------------------------------------------------------- */

floe_status host_lookup_apply(struct host_lookup *host_lookup, const struct host_lookup_batch *batch,
                              gpu_address control, gpu_address ring, uint64_t ring_mask) {
  struct gpu_host_answers arguments = {.control = pointer(control),
                                       .keys = pointer(batch->keys),
                                       .fresh = pointer(host_lookup->fresh),
                                       .count = batch->end,
                                       .ring = pointer(ring),
                                       .ring_mask = ring_mask};
  void *all[] = {&arguments};
  FLOE_TRY(gpu_upload_start(host_lookup->gpu, host_lookup->fresh, batch->fresh, batch->end / 8));
  return gpu_kernel_start(host_lookup->gpu, &host_lookup->apply_answers, batch->end, all);
}
