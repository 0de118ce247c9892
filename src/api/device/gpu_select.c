#include "api/device/gpu_select.h"

#include "api/device/device_list.h"
#include "gpu/engine/sizing_policy.h"

/* The engine is automatic, no device was chosen, and several GPUs support all that the task needs. */
static bool may_use_several(const floe_options *options, const struct engine_task *task) {
  return options->engine == FLOE_ENGINE_AUTO && !(options->devices && *options->devices) && options->gpu_device == 0 &&
         !task->group.comm && !task->recorder && !task->snapshot.policy && !task->snapshot.from &&
         !task->devices.host_backed;
}

static unsigned available_count(const struct gpus *gpus) {
  const unsigned there = gpu_driver_device_count(gpus->gpu[0]);
  return there == 1 && device_test_settings().twice ? 2 : there < MOST_DEVICES ? there : MOST_DEVICES;
}

/* All GPUs get the limit of the smallest: one whose memory is in use could leave all with less than the first alone. */
static bool has_enough_memory(const struct gpu *gpu, const struct gpu *first, const floe_options *options) {
  const uint64_t allowed = gpu_memory_budget(gpu, options->gpu_memory, options->gpu_share);
  return allowed >= gpu_memory_budget(first, options->gpu_memory, options->gpu_share) / 4 * 3;
}

static void open_usable(const floe_options *options, const struct stop *stop, floe_log *log, struct gpus *gpus) {
  const unsigned there = available_count(gpus);
  struct reason reason;
  for (unsigned number = 1; number < there && !stop_requested(stop); number++)
    if (gpus_open(gpus, number % gpu_driver_device_count(gpus->gpu[0]), stop, log, &reason) == FLOE_OK &&
        !has_enough_memory(gpus->gpu[gpus->count - 1], gpus->gpu[0], options))
      gpus_keep(gpus, gpus->count - 1);
}

unsigned gpu_select_add_others(struct gpus *gpus, floe_options *options, const struct stop *stop, floe_log *log) {
  const uint64_t memory_of_first = options->gpu_memory;
  options->gpu_memory = gpus->requested_memory;
  open_usable(options, stop, log, gpus);
  options->gpu_memory = gpus->count > 1 ? gpus_memory_limit(gpus, options) : memory_of_first;
  gpu_use(gpus->gpu[0]); /* an error appears at the next use */
  return gpus->count;
}

/* Several from the start; the first is open. */
static floe_status add_now(floe_options *options, const struct policy_search *search, const struct stop *stop,
                           floe_log *log, struct gpus *gpus) {
  const uint64_t memory_of_first = options->gpu_memory;
  gpu_select_add_others(gpus, options, stop, log);
  gpus_keep(gpus, policy_devices(search, gpus->count, options->gpu_memory));
  if (gpus->count > 1) {
    gpus->expected_states = search->expected;
    gpus->one_suffices = policy_one_holds(search, options->gpu_memory);
  } else {
    options->gpu_memory = memory_of_first;
  }
  return gpu_use(gpus->gpu[0]);
}

/* Allows more GPUs later, unless all together would not hold the expected states: then a single GPU uses the host's
   memory from the start. */
static void plan_for_later(const struct policy_search *search, uint64_t memory, struct gpus *gpus) {
  if (search->expected && !policy_one_holds(search, memory))
    return;
  const uint64_t many = device_test_settings().many;
  gpus->max_count = available_count(gpus);
  gpus->others_from = many ? many : policy_others_from(search, gpus->max_count);
}

floe_status gpu_select(floe_options *options, const struct engine_task *task, const struct stop *stop, floe_log *log,
                       struct gpus *out, struct reason *reason) {
  const uint64_t requested_memory = options->gpu_memory;
  FLOE_TRY(gpus_acquire(options, stop, log, out, reason));
  if (!may_use_several(options, task))
    return FLOE_OK;
  out->requested_memory = requested_memory;
  const struct policy_search search = {.table = {.scheme = options->table,
                                                 .permutation = options->permutation,
                                                 .key_bits = task->layout->key_bits,
                                                 .keys = task->layout->keys,
                                                 .slot_bits = options->slot_bits,
                                                 .bucket_slots = options->bucket_slots},
                                       .any_table = task->any_table,
                                       .multiword = task->layout->key_words > 1,
                                       .expected = options->expected_states,
                                       .linked = gpu_all_linked(out->gpu[0])};
  if (policy_devices(&search, available_count(out), options->gpu_memory) > 1)
    return add_now(options, &search, stop, log, out);
  plan_for_later(&search, options->gpu_memory, out);
  return FLOE_OK;
}
