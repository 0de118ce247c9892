/* The options of an exploration with every "chosen" replaced by the choice. */
#ifndef FLOE_SETTINGS_H
#define FLOE_SETTINGS_H

#include "core/arena.h"
#include "frontend/model.h"

/* `options` may be NULL (defaults) or from an older floe.h. Texts that are made live in `arena`. */
floe_status settings_resolve(const floe_options *options, struct arena *arena, floe_log *log, floe_options *out);

/* The folder of compiled code for `given` of a floe_options; "": none. A text that is made lives in
   `arena`. */
const char *settings_cache(const char *given, struct arena *arena);

/* FLOE_ERROR_USAGE, told: `name` is not one of `names` (NULL at the end), which are `kind`s. */
floe_status settings_check_name(floe_log *log, struct arena *arena, const char *kind, const char *name,
                                const char *const *names);

/* FLOE_ERROR_USAGE, told: the environment asks for a form of the tables' scans that is not to be had (table/simd.h). */
floe_status settings_check_simd(floe_log *log);

/* Cores that this process may use. */
unsigned settings_cores(void);

/* Masks of the properties: `selected` for verdicts, `wanted` with `errors` in any case, since a
   firing that fails is missing in the exploration. FLOE_ERROR_USAGE: no such property, or none. */
floe_status settings_properties(const floe_options *options, const struct model *model, floe_log *log,
                                uint64_t *selected, uint64_t *wanted);

/* The number of states that the model's <expected> block for the very constants in use names; 0: none. */
uint64_t settings_expected_states(const struct syntax_model *syntax, const struct model *model);

#endif
