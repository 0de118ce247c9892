/* What stands for options that are not given, of explorations, hash tables and benches alike; and the check of those
   that name one of several things. */
#ifndef FLOE_DEFAULTS_H
#define FLOE_DEFAULTS_H

#include "core/arena.h"
#include "core/status.h"

#define MOST_THREADS 1024

/* Cores that this process may use, at most MOST_THREADS. */
unsigned defaults_threads(void);

/* The folder of compiled code for `given` of a floe_options; "": none. A text that is made lives in `arena`. */
const char *defaults_cache(const char *given, struct arena *arena);

/* FLOE_ERROR_USAGE, told: `name` is not one of `names` (NULL at the end), which are `kind`s. */
floe_status defaults_check_name(floe_log *log, struct arena *arena, const char *kind, const char *name,
                                const char *const *names);

#endif
