/* Defaults of options for explorations, hash tables and benchmarks, and the check of options that name one of
   several things. */
#ifndef FLOE_CORE_SYSTEM_DEFAULTS_H
#define FLOE_CORE_SYSTEM_DEFAULTS_H

#include "core/arena.h"
#include "core/status.h"

#define MOST_THREADS 1024

/* Number of cores that this process may use, at most MOST_THREADS. */
unsigned defaults_threads(void);

/* Folder of the code cache for `given` from floe_options; "": none. A new string is allocated in `arena`. */
const char *defaults_cache(const char *given, struct arena *arena);

/* FLOE_ERROR_USAGE, logged: `name` is not one of `names` (NULL-terminated), which are `kind`s. */
floe_status defaults_check_name(floe_log *log, struct arena *arena, const char *kind, const char *name,
                                const char *const *names);

#endif
