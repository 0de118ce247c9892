#include "api/device/gpus.h"

#include "api/device/device_list.h"
#include "api/processes.h"

#include <stdio.h>

floe_status gpus_open(struct gpus *gpus, unsigned number, const struct stop *stop, floe_log *log,
                      struct reason *reason) {
  FLOE_TRY(gpu_acquire(number, stop, log, &gpus->gpu[gpus->count], reason));
  gpus->count++;
  return FLOE_OK;
}

void gpus_keep(struct gpus *gpus, unsigned count) {
  while (gpus->count > count)
    gpu_release(gpus->gpu[--gpus->count]);
}

void gpus_release(struct gpus *gpus) {
  gpus_keep(gpus, 0);
  gpus->expected_states = 0;
}

uint64_t gpus_memory_limit(const struct gpus *gpus, const floe_options *options) {
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < gpus->count; i++) {
    const unsigned number = gpu_information(gpus->gpu[i])->number;
    unsigned same = 0;
    for (unsigned k = 0; k < gpus->count; k++)
      same += gpu_information(gpus->gpu[k])->number == number;
    const uint64_t allowed = gpu_memory_budget(gpus->gpu[i], options->gpu_memory, options->gpu_share) / same;
    least = allowed < least ? allowed : least;
  }
  return least;
}

/* ---- one process --------------------------------------------------------------------------------- */

static floe_status open_all(const struct stop *stop, floe_log *log, struct gpus *gpus, struct reason *reason) {
  FLOE_TRY(gpus_open(gpus, 0, stop, log, reason));
  const unsigned there = gpu_driver_device_count(gpus->gpu[0]);
  while (gpus->count < there && gpus->count < MOST_DEVICES)
    FLOE_TRY(gpus_open(gpus, gpus->count, stop, log, reason));
  return FLOE_OK;
}

/* The list has passed device_list_check. */
static floe_status open_listed(const char *text, const struct stop *stop, floe_log *log, struct gpus *gpus,
                               struct reason *reason) {
  unsigned numbers[MOST_DEVICES], count;
  FLOE_TRY(device_list_read(text, log, numbers, &count));
  for (unsigned i = 0; i < count; i++)
    FLOE_TRY(gpus_open(gpus, numbers[i], stop, log, reason));
  return FLOE_OK;
}

/* ---- processes of an MPI job --------------------------------------------------------------------- */

struct member_range gpus_of_process(unsigned devices, unsigned processes, unsigned process) {
  const unsigned first = process * devices / processes, end = (process + 1) * devices / processes;
  return devices < processes ? (struct member_range){process % devices, 1} : (struct member_range){first, end - first};
}

/* The first of `numbers` may be open already: opening a GPU takes some tenths of a second. */
static floe_status open_share(const unsigned *numbers, unsigned count, const struct stop *stop, floe_log *log,
                              struct gpus *gpus, struct reason *reason) {
  const struct member_range share = gpus_of_process(count, processes_local_size(), processes_local_rank());
  if (share.first > 0)
    gpus_keep(gpus, 0);
  for (unsigned i = gpus->count; i < share.count; i++)
    FLOE_TRY(gpus_open(gpus, numbers[share.first + i], stop, log, reason));
  gpus->sharers = (processes_local_size() + count - 1) / count;
  return FLOE_OK;
}

static floe_status open_share_of_list(const char *text, const struct stop *stop, floe_log *log, struct gpus *gpus,
                                      struct reason *reason) {
  unsigned numbers[MOST_DEVICES], count;
  FLOE_TRY(device_list_read(text, log, numbers, &count));
  return open_share(numbers, count, stop, log, gpus, reason);
}

static floe_status open_share_of_all(const struct stop *stop, floe_log *log, struct gpus *gpus, struct reason *reason) {
  unsigned numbers[MOST_DEVICES], count;
  FLOE_TRY(gpus_open(gpus, 0, stop, log, reason));
  const unsigned there = gpu_driver_device_count(gpus->gpu[0]);
  for (count = 0; count < there && count < MOST_DEVICES; count++)
    numbers[count] = count;
  return open_share(numbers, count, stop, log, gpus, reason);
}

/* Without a list the processes of a machine use its GPUs in turn, unless gpu_device names one. */
static floe_status open_in_turn(const floe_options *options, const struct stop *stop, floe_log *log, struct gpus *gpus,
                                struct reason *reason) {
  FLOE_TRY(gpus_open(gpus, options->gpu_device, stop, log, reason));
  const unsigned there = gpu_driver_device_count(gpus->gpu[0]), number = processes_local_rank() % there;
  gpus->sharers = (processes_local_size() + there - 1) / there;
  if (options->gpu_device > 0 || number == 0)
    return FLOE_OK;
  gpus_keep(gpus, 0);
  return gpus_open(gpus, number, stop, log, reason);
}

static floe_status open_for_rank(const floe_options *options, const struct stop *stop, floe_log *log, struct gpus *gpus,
                                 struct reason *reason) {
  const char *text = options->devices;
  if (!text || !*text)
    return open_in_turn(options, stop, log, gpus, reason);
  return device_list_is_all(text) ? open_share_of_all(stop, log, gpus, reason)
                                  : open_share_of_list(text, stop, log, gpus, reason);
}

floe_status gpus_acquire(floe_options *options, const struct stop *stop, floe_log *log, struct gpus *out,
                         struct reason *reason) {
  const char *text = options->devices;
  floe_status status;
  *out = (struct gpus){.sharers = 1};
  if (processes_comm())
    status = open_for_rank(options, stop, log, out, reason);
  else if (!text || !*text)
    status = gpus_open(out, options->gpu_device, stop, log, reason);
  else
    status = device_list_is_all(text) ? open_all(stop, log, out, reason) : open_listed(text, stop, log, out, reason);
  if (status == FLOE_OK)
    status = gpu_use(out->gpu[0]);
  if (status == FLOE_OK)
    options->gpu_memory = gpus_memory_limit(out, options) / out->sharers;
  else
    gpus_release(out);
  return status;
}

/* ---- name ---------------------------------------------------------------------------------------- */

void gpus_title(const struct gpus *gpus, char *out, size_t size) {
  if (gpus->count == 1) {
    gpu_title(gpus->gpu[0], out, size);
    return;
  }
  const int version = gpu_cuda_version(gpus->gpu[0]);
  size_t length = (size_t)snprintf(out, size, "%u x %s (GPUs ", gpus->count, gpu_information(gpus->gpu[0])->name);
  for (unsigned i = 0; i < gpus->count && length < size; i++)
    length +=
        (size_t)snprintf(out + length, size - length, "%s%u", i ? ", " : "", gpu_information(gpus->gpu[i])->number);
  if (length < size)
    snprintf(out + length, size - length, "), CUDA %d.%d", version / 1000, version % 1000 / 10);
}
