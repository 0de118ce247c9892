#include "api/device/gpus.h"

#include "api/device/device_list.h"
#include "api/processes.h"

#include <stdio.h>
#include <string.h>

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

/* ---- opening ------------------------------------------------------------------------------------- */

struct member_range gpus_of_process(unsigned devices, unsigned processes, unsigned process) {
  const unsigned first = process * devices / processes, end = (process + 1) * devices / processes;
  return devices < processes ? (struct member_range){process % devices, 1} : (struct member_range){first, end - first};
}

struct opening {
  const struct stop *stop;
  floe_log *log;
  struct gpus *gpus;
  struct reason *reason;
  unsigned numbers[MOST_DEVICES], count; /* of the devices to open */
};

/* Lists all devices. Opens this one, to count them. */
static floe_status list_all(struct opening *opening, unsigned number) {
  FLOE_TRY(gpus_open(opening->gpus, number, opening->stop, opening->log, opening->reason));
  const unsigned there = gpu_driver_device_count(opening->gpus->gpu[0]);
  for (opening->count = 0; opening->count < there && opening->count < MOST_DEVICES; opening->count++)
    opening->numbers[opening->count] = opening->count;
  return FLOE_OK;
}

/* The devices of this process in a job. Without a list the processes of a machine use its GPUs in turn, unless
   gpu_device names one. */
static void take_share(struct opening *opening, const floe_options *options, bool listed) {
  const unsigned processes = processes_local_size(), process = processes_local_rank();
  opening->gpus->sharers = (processes + opening->count - 1) / opening->count;
  if (!listed) {
    opening->numbers[0] = options->gpu_device ? options->gpu_device : process % opening->count;
    opening->count = 1;
    return;
  }
  const struct member_range share = gpus_of_process(opening->count, processes, process);
  memmove(opening->numbers, opening->numbers + share.first, share.count * sizeof *opening->numbers);
  opening->count = share.count;
}

/* The first may be open already: opening a GPU takes some tenths of a second. */
static floe_status open_listed(struct opening *opening) {
  struct gpus *gpus = opening->gpus;
  if (gpus->count > 0 && gpu_information(gpus->gpu[0])->number != opening->numbers[0])
    gpus_keep(gpus, 0);
  for (unsigned i = gpus->count; i < opening->count; i++)
    FLOE_TRY(gpus_open(gpus, opening->numbers[i], opening->stop, opening->log, opening->reason));
  return FLOE_OK;
}

floe_status gpus_acquire(floe_options *options, const struct stop *stop, floe_log *log, struct gpus *out,
                         struct reason *reason) {
  const bool in_job = processes_comm() != NULL, listed = options->devices && *options->devices;
  const unsigned one = listed ? 0 : options->gpu_device;
  struct opening opening = {.stop = stop, .log = log, .gpus = out, .reason = reason, .numbers = {one}, .count = 1};
  floe_status status = FLOE_OK;
  *out = (struct gpus){.sharers = 1};
  if (listed ? device_list_is_all(options->devices) : in_job)
    status = list_all(&opening, one);
  else if (listed) /* it has passed device_list_check */
    status = device_list_read(options->devices, log, opening.numbers, &opening.count);
  if (status == FLOE_OK && in_job)
    take_share(&opening, options, listed);
  if (status == FLOE_OK)
    status = open_listed(&opening);
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
