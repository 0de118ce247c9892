/* Tables of the public interface in the host's memory. */
#ifndef FLOE_HASH_CPU_H
#define FLOE_HASH_CPU_H

#include "tables/api/backend.h"

/* `threads`: of clearing and moving. */
floe_status hash_cpu_open(unsigned threads, struct hash_engine **out);
extern const struct hash_machine hash_cpu;

#endif
