#ifndef FLOE_API_DEVICE_MEMORY_AVAILABLE_H
#define FLOE_API_DEVICE_MEMORY_AVAILABLE_H

#include <stdint.h>

/* floe_memory_available, with /proc and /sys/fs/cgroup below `root` ("": the real ones). */
uint64_t memory_available_under(const char *root);

#endif
