#ifndef FLOE_CORE_SYSTEM_CLOCK_H
#define FLOE_CORE_SYSTEM_CLOCK_H

/* CLOCK_MONOTONIC in seconds. */
double clock_seconds(void);

#endif
