/* List of GPUs in floe_options.devices: "0,1,2,3", or "all". NULL or "": no list. */
#ifndef FLOE_API_DEVICE_DEVICE_LIST_H
#define FLOE_API_DEVICE_DEVICE_LIST_H

#include "core/threads/stop.h"
#include "engine/engine.h"
#include "floe.h"
#include "gpu/engine/test_settings.h"

/* FLOE_ERROR_USAGE, logged: the text is not such a list, or another option excludes it. */
floe_status device_list_check(const floe_options *options, floe_log *log);
/* The list is "all", or names more than one GPU. */
bool device_list_has_several(const floe_options *options);
/* Number of GPUs in the list, at most MOST_DEVICES; 0: no list. Counting "all" starts the driver; `stop` ends that. */
unsigned device_list_count(const floe_options *options, const struct stop *stop);

bool device_list_is_all(const char *text);
/* Parses a list other than "all". FLOE_ERROR_USAGE, logged. */
floe_status device_list_read(const char *text, floe_log *log, unsigned numbers[MOST_DEVICES], unsigned *count);

/* $FLOE_GPU_TEST; zeros where it is not set or wrong. `twice`: a list may repeat a device, for tests on one GPU. */
struct gpu_test_settings device_test_settings(void);

#endif
