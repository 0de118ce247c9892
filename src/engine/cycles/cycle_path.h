/* An accepting cycle as a path of keys. */
#ifndef FLOE_ENGINE_CYCLES_CYCLE_PATH_H
#define FLOE_ENGINE_CYCLES_CYCLE_PATH_H

#include "engine/cycles/cycles.h"

struct path;

/* state_of: the key, of `words` words, of a state; valid until the next call. NULL: no memory. For path_free and
   mem_free. */
struct path *cycle_path(const struct cycle *cycle, size_t words,
                        const uint64_t *(*state_of)(void *user, uint64_t number), void *user);

#endif
