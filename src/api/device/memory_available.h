#ifndef FLOE_MEMORY_H
#define FLOE_MEMORY_H

#include <stdint.h>

/* floe_memory_available with the files of /proc and /sys/fs/cgroup looked for below `root` ("" :
 * the machine's). */
uint64_t memory_available_under(const char *root);

#endif
