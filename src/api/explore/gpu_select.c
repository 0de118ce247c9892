#include "api/explore/gpu_select.h"

#include "api/processes.h"
#include "core/diag.h"
#include "gpu/engine/sizing_policy.h"
#include "gpu/engine/test_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NUMBER 1023

/* ---- which ones ------------------------------------------------------------------------------ */

/* What is wrong with it the engine says. */
static struct gpu_test_settings read_tuning(void) {
  struct gpu_test_settings test_settings = {0};
  floe_log *log;
  if (!getenv("FLOE_GPU_TEST") || floe_log_create(&log) != FLOE_OK)
    return test_settings;
  test_settings_read(getenv("FLOE_GPU_TEST"), log, &test_settings);
  floe_log_free(log);
  return test_settings;
}

/* A device may be named twice where a test has no other. */
static bool may_repeat(void) { return read_tuning().twice; }

static floe_status refuse(floe_log *log, const char *text, const char *what) {
  diag_error(log, NULL, NOWHERE, "--devices=0,1,2,3, or all: numbers as floe devices lists them", "devices '%s': %s",
             text, what);
  return FLOE_ERROR_USAGE;
}

static bool is_among(unsigned number, const unsigned *numbers, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (numbers[i] == number)
      return true;
  return false;
}

static bool are_all(const char *text) { return strcmp(text, "all") == 0; }

/* Numbers with commas between them. */
static floe_status read_numbers(const char *text, floe_log *log, unsigned numbers[MOST_DEVICES], unsigned *count) {
  const bool repeat = may_repeat();
  *count = 0;
  for (const char *at = text;; at++) {
    char *end;
    const unsigned long number = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : MOST_NUMBER + 1ul;
    if (number > MOST_NUMBER || (*end && *end != ','))
      return refuse(log, text, "that is no list of numbers from 0 to 1023");
    if (!repeat && is_among((unsigned)number, numbers, *count))
      return refuse(log, text, "a device is named twice");
    if (*count == MOST_DEVICES)
      return refuse(log, text, "these are more than 16");
    numbers[(*count)++] = (unsigned)number;
    at = end;
    if (!*at)
      return FLOE_OK;
  }
}

bool gpus_are_several(const floe_options *options) {
  return options->devices && *options->devices && (are_all(options->devices) || strchr(options->devices, ','));
}

unsigned gpus_named(const floe_options *options, const struct stop *stop) {
  const char *text = options->devices;
  unsigned count = 1;
  if (!text || !*text)
    return 0;
  if (are_all(text)) {
    count = gpu_devices_there(stop);
    return count < MOST_DEVICES ? count : MOST_DEVICES;
  }
  for (; *text; text++)
    count += *text == ',';
  return count;
}

floe_status gpus_check(const floe_options *options, floe_log *log) {
  unsigned numbers[MOST_DEVICES], count;
  const char *text = options->devices;
  if (!text || !*text)
    return FLOE_OK;
  if (options->engine == FLOE_ENGINE_CPU || options->engine == FLOE_ENGINE_INTERPRETER)
    return refuse(log, text, "the engine uses no GPU");
  if (!are_all(text))
    FLOE_TRY(read_numbers(text, log, numbers, &count));
  if (!gpus_are_several(options))
    return FLOE_OK;
  if (options->visited_order && options->order_kind == FLOE_ORDER_LOOKUPS)
    return refuse(log, text, "several devices record no lookups: one does");
  return FLOE_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Keeps the first so many. */
static void keep(struct gpus *gpus, unsigned count) {
  while (gpus->count > count)
    gpu_release(gpus->gpu[--gpus->count]);
}

void gpus_release(struct gpus *gpus) {
  keep(gpus, 0);
  gpus->expected = 0;
}

void gpus_keep_first(struct gpus *gpus) { keep(gpus, 1); }

static floe_status open_one(unsigned number, const struct stop *stop, floe_log *log, struct gpus *gpus,
                            struct reason *reason) {
  FLOE_TRY(gpu_acquire(number, stop, log, &gpus->gpu[gpus->count], reason));
  gpus->count++;
  return FLOE_OK;
}

static floe_status open_all(const struct stop *stop, floe_log *log, struct gpus *gpus, struct reason *reason) {
  FLOE_TRY(open_one(0, stop, log, gpus, reason));
  const unsigned there = gpu_devices_beside(gpus->gpu[0]);
  while (gpus->count < there && gpus->count < MOST_DEVICES)
    FLOE_TRY(open_one(gpus->count, stop, log, gpus, reason));
  return FLOE_OK;
}

static floe_status open_listed(const char *text, const struct stop *stop, floe_log *log, struct gpus *gpus,
                               struct reason *reason) {
  unsigned numbers[MOST_DEVICES], count;
  FLOE_TRY(read_numbers(text, log, numbers, &count)); /* which has been looked at */
  for (unsigned i = 0; i < count; i++)
    FLOE_TRY(open_one(numbers[i], stop, log, gpus, reason));
  return FLOE_OK;
}

/* The least of what each allows, so that all come to their end at about the same time. */
static uint64_t memory_allowed(const struct gpus *gpus, const floe_options *options) {
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < gpus->count; i++) {
    const unsigned number = gpu_information(gpus->gpu[i])->number;
    unsigned same = 0;
    for (unsigned k = 0; k < gpus->count; k++)
      same += gpu_information(gpus->gpu[k])->number == number;
    const uint64_t allowed = gpu_memory_allowed(gpus->gpu[i], options->gpu_memory, options->gpu_share) / same;
    least = allowed < least ? allowed : least;
  }
  return least;
}

struct member_range gpus_part(unsigned devices, unsigned processes, unsigned process) {
  const unsigned first = process * devices / processes, end = (process + 1) * devices / processes;
  return devices < processes ? (struct member_range){process % devices, 1} : (struct member_range){first, end - first};
}

/* The first of them may be open: to open one takes some tenths of a second. */
static floe_status open_part(const unsigned *numbers, unsigned count, const struct stop *stop, floe_log *log,
                             struct gpus *gpus, struct reason *reason) {
  const struct member_range part = gpus_part(count, processes_local_size(), processes_local_rank());
  if (part.first > 0)
    keep(gpus, 0);
  for (unsigned i = gpus->count; i < part.count; i++)
    FLOE_TRY(open_one(numbers[part.first + i], stop, log, gpus, reason));
  gpus->sharers = (processes_local_size() + count - 1) / count;
  return FLOE_OK;
}

static floe_status open_listed_part(const char *text, const struct stop *stop, floe_log *log, struct gpus *gpus,
                                    struct reason *reason) {
  unsigned numbers[MOST_DEVICES], count;
  FLOE_TRY(read_numbers(text, log, numbers, &count)); /* which has been looked at */
  return open_part(numbers, count, stop, log, gpus, reason);
}

static floe_status open_part_of_all(const struct stop *stop, floe_log *log, struct gpus *gpus, struct reason *reason) {
  unsigned numbers[MOST_DEVICES], count;
  FLOE_TRY(open_one(0, stop, log, gpus, reason));
  const unsigned there = gpu_devices_beside(gpus->gpu[0]);
  for (count = 0; count < there && count < MOST_DEVICES; count++)
    numbers[count] = count;
  return open_part(numbers, count, stop, log, gpus, reason);
}

/* Processes of this machine take its devices in turn, unless one is named. */
static floe_status open_in_turn(const floe_options *options, const struct stop *stop, floe_log *log, struct gpus *gpus,
                                struct reason *reason) {
  FLOE_TRY(open_one(options->gpu_device, stop, log, gpus, reason));
  const unsigned there = gpu_devices_beside(gpus->gpu[0]), number = processes_local_rank() % there;
  gpus->sharers = (processes_local_size() + there - 1) / there;
  if (options->gpu_device > 0 || number == 0)
    return FLOE_OK;
  keep(gpus, 0);
  return open_one(number, stop, log, gpus, reason);
}

static floe_status open_of_rank(const floe_options *options, const struct stop *stop, floe_log *log, struct gpus *gpus,
                                struct reason *reason) {
  const char *text = options->devices;
  if (!text || !*text)
    return open_in_turn(options, stop, log, gpus, reason);
  return are_all(text) ? open_part_of_all(stop, log, gpus, reason) : open_listed_part(text, stop, log, gpus, reason);
}

floe_status gpus_acquire(floe_options *options, const struct stop *stop, floe_log *log, struct gpus *out,
                         struct reason *reason) {
  const char *text = options->devices;
  floe_status status;
  *out = (struct gpus){.sharers = 1};
  if (processes_comm())
    status = open_of_rank(options, stop, log, out, reason);
  else if (!text || !*text)
    status = open_one(options->gpu_device, stop, log, out, reason);
  else
    status = are_all(text) ? open_all(stop, log, out, reason) : open_listed(text, stop, log, out, reason);
  if (status == FLOE_OK)
    status = gpu_use(out->gpu[0]);
  if (status == FLOE_OK)
    options->gpu_memory = memory_allowed(out, options) / out->sharers;
  else
    gpus_release(out);
  return status;
}

/* ---- one, or several ------------------------------------------------------------------------- */

/* Nobody named a device, and the search is one that several can do. */
static bool may_be_several(const floe_options *options, const struct engine_task *task) {
  return !(options->devices && *options->devices) && options->gpu_device == 0 && !task->group.comm && !task->recorder &&
         !task->snapshot.policy && !task->snapshot.from && !task->devices.host_backed;
}

static unsigned there_beside(const struct gpus *gpus) {
  const unsigned there = gpu_devices_beside(gpus->gpu[0]);
  return there == 1 && may_repeat() ? 2 : there < MOST_DEVICES ? there : MOST_DEVICES;
}

/* All have as much as the least of them: one whose memory others use might leave them less than the first alone has. */
static bool has_memory(const struct gpu *gpu, const struct gpu *first, const floe_options *options) {
  const uint64_t allowed = gpu_memory_allowed(gpu, options->gpu_memory, options->gpu_share);
  return allowed >= gpu_memory_allowed(first, options->gpu_memory, options->gpu_share) / 4 * 3;
}

/* Those that are not to be had, or cannot be used, are left out. */
static void open_others(const floe_options *options, const struct stop *stop, floe_log *log, struct gpus *gpus) {
  const unsigned there = there_beside(gpus);
  struct reason reason;
  for (unsigned number = 1; number < there && !stop_wanted(stop); number++)
    if (open_one(number % gpu_devices_beside(gpus->gpu[0]), stop, log, gpus, &reason) == FLOE_OK &&
        !has_memory(gpus->gpu[gpus->count - 1], gpus->gpu[0], options))
      keep(gpus, gpus->count - 1);
}

unsigned gpus_open_others(struct gpus *gpus, floe_options *options, const struct stop *stop, floe_log *log) {
  const uint64_t memory_of_first = options->gpu_memory;
  options->gpu_memory = gpus->memory_wanted;
  open_others(options, stop, log, gpus);
  options->gpu_memory = gpus->count > 1 ? memory_allowed(gpus, options) : memory_of_first;
  gpu_use(gpus->gpu[0]); /* what fails is told by whoever uses it next */
  return gpus->count;
}

/* For so many states, with the first device at hand. */
static floe_status choose_at_once(floe_options *options, const struct policy_search *search, const struct stop *stop,
                                  floe_log *log, struct gpus *gpus) {
  const uint64_t memory_of_first = options->gpu_memory;
  gpus_open_others(gpus, options, stop, log);
  keep(gpus, policy_devices(search, gpus->count, options->gpu_memory));
  if (gpus->count > 1) {
    gpus->expected = search->expected;
    gpus->one_holds = policy_one_holds(search, options->gpu_memory);
  } else {
    options->gpu_memory = memory_of_first;
  }
  return gpu_use(gpus->gpu[0]);
}

/* Where all would not hold the states expected one has the host's memory from the beginning. */
static void choose_for_later(const struct policy_search *search, uint64_t memory, struct gpus *gpus) {
  if (search->expected && !policy_one_holds(search, memory))
    return;
  const uint64_t many = read_tuning().many;
  gpus->most = there_beside(gpus);
  gpus->others_from = many ? many : policy_others_from(search, gpus->most);
}

floe_status gpus_choose(floe_options *options, const struct engine_task *task, const struct stop *stop, floe_log *log,
                        struct gpus *out, struct reason *reason) {
  const uint64_t memory_wanted = options->gpu_memory;
  FLOE_TRY(gpus_acquire(options, stop, log, out, reason));
  if (!may_be_several(options, task))
    return FLOE_OK;
  out->memory_wanted = memory_wanted;
  const struct policy_search search = {.wanted = {.scheme = options->table,
                                                  .permutation = options->permutation,
                                                  .key_bits = task->layout->key_bits,
                                                  .keys = task->layout->keys,
                                                  .slot_bits = options->slot_bits,
                                                  .bucket_slots = options->bucket_slots},
                                       .any_table = task->any_table,
                                       .wide = task->layout->key_words > 1,
                                       .expected = options->expected_states,
                                       .linked = gpu_beside_are_linked(out->gpu[0])};
  if (policy_devices(&search, there_beside(out), options->gpu_memory) > 1)
    return choose_at_once(options, &search, stop, log, out);
  choose_for_later(&search, options->gpu_memory, out);
  return FLOE_OK;
}

/* ---- their names ----------------------------------------------------------------------------- */

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
