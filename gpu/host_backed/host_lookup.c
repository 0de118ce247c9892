#include "gpu/host_backed/host_lookup.h"

#include "core/mem.h"
#include "tables/scheme.h"

#include "gpu/kernel/base/control.h"

#include <assert.h>

/* Each partition's bits begin in a word of their own (engine/host_backed/shards.h). */
enum { APART = 64 };

static uint64_t partitions_of(struct partition_rule rule) { return UINT64_C(1) << rule.bits; }
static uint64_t places_for(struct partition_rule rule, uint64_t room) { return room + APART * partitions_of(rule); }
static void *pointer(gpu_address address) { return (void *)(uintptr_t)address; }

/* ---- buffers ------------------------------------------------------------------------------------- */

uint64_t asking_bytes(struct partition_rule rule, uint64_t room) {
  const uint64_t places = places_for(rule, room), word = sizeof(uint64_t);
  return 2 * room * word + (ASKING_BATCHES + 1) * places * word + places / 8 + (partitions_of(rule) + 1) * word;
}

static unsigned rest_bytes_of(struct partition_rule rule) { return rule.key_bits - rule.bits <= 32 ? 4 : 8; }

uint64_t asking_host_bytes(struct partition_rule rule, uint64_t room) {
  const uint64_t places = places_for(rule, room), word = sizeof(uint64_t);
  return ASKING_BATCHES * (places * rest_bytes_of(rule) + 2 * (places / 8) + 2 * partitions_of(rule) * word);
}

static floe_status take(struct asking *asking, uint64_t bytes, gpu_address *out) {
  FLOE_TRY(gpu_budget_take(asking->gpu, asking->device, bytes, out));
  asking->device_bytes += bytes;
  return FLOE_OK;
}

static floe_status make_batch(struct asking *asking, struct asking_batch *batch) {
  const uint64_t partitions = partitions_of(asking->rule), places = asking->places;
  void *pinned;
  batch->first = mem_array(partitions, sizeof *batch->first);
  batch->count = mem_array(partitions, sizeof *batch->count);
  if (!batch->first || !batch->count)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(take(asking, places * sizeof(uint64_t), &batch->keys));
  FLOE_TRY(gpu_host_alloc(asking->gpu, places * asking->rest_bytes, &batch->rests));
  FLOE_TRY(gpu_host_alloc(asking->gpu, places / 8, &pinned));
  batch->fresh = pinned;
  batch->refused = mem_array(places / 64, sizeof *batch->refused);
  return batch->refused ? FLOE_OK : FLOE_ERROR_MEMORY;
}

floe_status asking_make(struct gpu *gpu, struct gpu_budget *budget, struct partition_rule rule, uint64_t room,
                        struct asking *asking) {
  const uint64_t word = sizeof(uint64_t), partitions = partitions_of(rule);
  assert(room);
  asking->gpu = gpu;
  asking->device = budget;
  asking->rule = rule;
  asking->rest_bytes = rest_bytes_of(rule);
  asking->room = room;
  asking->places = places_for(rule, room);
  asking->counts_read = mem_array(partitions + 1, word);
  if (!asking->counts_read)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(take(asking, room * word, &asking->found));
  FLOE_TRY(take(asking, room * word, &asking->asked));
  FLOE_TRY(take(asking, (partitions + 1) * word, &asking->counts));
  FLOE_TRY(take(asking, asking->places * word, &asking->rests));
  FLOE_TRY(take(asking, asking->places / 8, &asking->fresh));
  for (unsigned i = 0; i < ASKING_BATCHES; i++)
    FLOE_TRY(make_batch(asking, &asking->batches[i]));
  return FLOE_OK;
}

static void free_batch(struct asking *asking, struct asking_batch *batch) {
  gpu_free(asking->gpu, batch->keys);
  gpu_host_free(asking->gpu, batch->rests);
  gpu_host_free(asking->gpu, batch->fresh);
  mem_free(batch->refused);
  mem_free(batch->first);
  mem_free(batch->count);
}

void asking_free(struct asking *asking) {
  const gpu_address parts[] = {asking->found, asking->asked, asking->counts, asking->rests, asking->fresh};
  if (!asking->gpu)
    return;
  for (unsigned i = 0; i < ASKING_BATCHES; i++)
    free_batch(asking, &asking->batches[i]);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gpu_free(asking->gpu, parts[i]);
  asking->device->used -= asking->device_bytes;
  mem_free(asking->counts_read);
  *asking = (struct asking){0};
}

/* ---- asking -------------------------------------------------------------------------------------- */

static struct gpu_asking arguments_of(const struct asking *asking, const void *view, uint64_t count,
                                      const struct asking_batch *batch) {
  return (struct gpu_asking){.found = pointer(asking->found),
                             .count = count,
                             .asked = pointer(asking->asked),
                             .asked_count = (uint64_t *)pointer(asking->counts) + partitions_of(asking->rule),
                             .counts = pointer(asking->counts),
                             .keys = pointer(batch->keys),
                             .rests = pointer(asking->rests),
                             .rest_bytes = asking->rest_bytes,
                             .has_oldest = view != NULL,
                             .rule = asking->rule};
}

/* How many of each partition there are; keys of the device's oldest level are gone. */
static floe_status count(struct asking *asking, const void *view, const struct gpu_asking *arguments) {
  static const unsigned char none[TABLE_VIEW_BYTES];
  const uint64_t bytes = (partitions_of(asking->rule) + 1) * sizeof(uint64_t);
  void *all[] = {(void *)(view ? view : none), (void *)arguments};
  FLOE_TRY(gpu_fill(asking->gpu, asking->counts, 0, bytes));
  FLOE_TRY(gpu_kernel_start(asking->gpu, &asking->ask, arguments->count, all));
  FLOE_TRY(gpu_wait(asking->gpu));
  return gpu_download(asking->gpu, asking->counts_read, asking->counts, bytes);
}

static void lay_out(const struct asking *asking, struct asking_batch *batch) {
  const uint64_t partitions = partitions_of(asking->rule);
  uint64_t at = 0, all = 0;
  for (uint64_t i = 0; i < partitions; i++) {
    batch->first[i] = at;
    batch->count[i] = asking->counts_read[i];
    all += batch->count[i];
    at += (batch->count[i] + APART - 1) / APART * APART;
  }
  batch->end = at;
  batch->asked = all;
  assert(all == asking->counts_read[partitions] && at <= asking->places);
  batch->answers = (struct partitions_batch){.rests = batch->rests,
                                             .rest_bytes = asking->rest_bytes,
                                             .first = batch->first,
                                             .count = batch->count,
                                             .fresh = batch->fresh,
                                             .refused = batch->refused};
}

floe_status asking_ask(struct asking *asking, const void *view, uint64_t candidates, struct asking_batch *batch) {
  struct gpu_asking arguments = arguments_of(asking, view, candidates, batch);
  void *all[] = {&arguments};
  assert(candidates <= asking->room);
  FLOE_TRY(count(asking, view, &arguments));
  lay_out(asking, batch);
  if (batch->asked == 0)
    return FLOE_OK;
  FLOE_TRY(gpu_upload(asking->gpu, asking->counts, batch->first, partitions_of(asking->rule) * sizeof(uint64_t)));
  FLOE_TRY(gpu_kernel_start(asking->gpu, &asking->bin, batch->asked, all));
  FLOE_TRY(gpu_download_start(asking->gpu, batch->rests, asking->rests, batch->end * asking->rest_bytes));
  return gpu_wait(asking->gpu);
}

/* ---- answers ------------------------------------------------------------------------------------- */

floe_status asking_sift(struct asking *asking, const struct asking_batch *batch, gpu_address control, gpu_address ring,
                        uint64_t ring_mask) {
  struct gpu_sifting arguments = {.control = pointer(control),
                                  .keys = pointer(batch->keys),
                                  .fresh = pointer(asking->fresh),
                                  .count = batch->end,
                                  .ring = pointer(ring),
                                  .ring_mask = ring_mask};
  void *all[] = {&arguments};
  FLOE_TRY(gpu_upload_start(asking->gpu, asking->fresh, batch->fresh, batch->end / 8));
  return gpu_kernel_start(asking->gpu, &asking->sift, batch->end, all);
}
