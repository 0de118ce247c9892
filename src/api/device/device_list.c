#include "api/device/device_list.h"

#include "core/diag.h"
#include "gpu/jit/gpu_api.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NUMBER 1023

/* The engine logs errors in the variable. */
struct gpu_test_settings device_test_settings(void) {
  struct gpu_test_settings settings = {0};
  floe_log *log;
  if (!getenv("FLOE_GPU_TEST") || floe_log_create(&log) != FLOE_OK)
    return settings;
  test_settings_read(getenv("FLOE_GPU_TEST"), log, &settings);
  floe_log_free(log);
  return settings;
}

static floe_status log_wrong_list(floe_log *log, const char *text, const char *what) {
  diag_error(log, NULL, NOWHERE, "--devices=0,1,2,3 or --devices=all; 'floe devices' lists the numbers",
             "devices '%s': %s", text, what);
  return FLOE_ERROR_USAGE;
}

static bool contains(const unsigned *numbers, unsigned count, unsigned number) {
  for (unsigned i = 0; i < count; i++)
    if (numbers[i] == number)
      return true;
  return false;
}

bool device_list_is_all(const char *text) { return strcmp(text, "all") == 0; }

floe_status device_list_read(const char *text, floe_log *log, unsigned numbers[MOST_DEVICES], unsigned *count) {
  const bool repeat = device_test_settings().twice;
  *count = 0;
  for (const char *at = text;; at++) {
    char *end;
    const unsigned long number = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : MOST_NUMBER + 1ul;
    if (number > MOST_NUMBER || (*end && *end != ','))
      return log_wrong_list(log, text, "not a list of numbers from 0 to 1023");
    if (!repeat && contains(numbers, *count, (unsigned)number))
      return log_wrong_list(log, text, "a device is listed twice");
    if (*count == MOST_DEVICES)
      return log_wrong_list(log, text, "more than 16 devices");
    numbers[(*count)++] = (unsigned)number;
    at = end;
    if (!*at)
      return FLOE_OK;
  }
}

bool device_list_has_several(const floe_options *options) {
  return options->devices && *options->devices &&
         (device_list_is_all(options->devices) || strchr(options->devices, ','));
}

unsigned device_list_count(const floe_options *options, const struct stop *stop) {
  const char *text = options->devices;
  unsigned count = 1;
  if (!text || !*text)
    return 0;
  if (device_list_is_all(text)) {
    count = gpu_count_devices(stop);
    return count < MOST_DEVICES ? count : MOST_DEVICES;
  }
  for (; *text; text++)
    count += *text == ',';
  return count;
}

floe_status device_list_check(const floe_options *options, floe_log *log) {
  unsigned numbers[MOST_DEVICES], count;
  const char *text = options->devices;
  if (!text || !*text)
    return FLOE_OK;
  if (options->engine == FLOE_ENGINE_CPU || options->engine == FLOE_ENGINE_INTERPRETER)
    return log_wrong_list(log, text, "the engine uses no GPU");
  if (!device_list_is_all(text))
    FLOE_TRY(device_list_read(text, log, numbers, &count));
  if (!device_list_has_several(options))
    return FLOE_OK;
  if (options->visited_order && options->order_kind == FLOE_ORDER_LOOKUPS)
    return log_wrong_list(log, text, "lookups are recorded on a single device only");
  return FLOE_OK;
}
