/* The options of an exploration with every "chosen" replaced by the choice. */
#ifndef FLOE_SETTINGS_H
#define FLOE_SETTINGS_H

#include "core/arena.h"
#include "floe.h"
#include "model/model.h"

/* Of options.table: a visited set of two levels, in the memory of a device and of the host, from the beginning. Its
   tables are of the default scheme; where there is no device it is one table. */
#define SETTINGS_HOST_BACKED "host-backed"
#define SETTINGS_HOST_BACKED_ALIAS "working-set" /* accepted on input, never printed */

/* Of options.table: as NULL, any that is good (engine_task.any_table); it begins as one of the default scheme. */
#define SETTINGS_ANY_TABLE "auto"

/* `options` may be NULL (defaults) or from an older floe.h. Texts that are made live in `arena`. */
floe_status settings_resolve(const floe_options *options, struct arena *arena, floe_log *log, floe_options *out);

/* No table is named, and nothing said that only hash tables have. `options` as above. */
bool settings_leave_table(const floe_options *options);

/* Masks of the properties: `selected` for verdicts, `wanted` with `errors` in any case, since a
   firing that fails is missing in the exploration. FLOE_ERROR_USAGE: no such property, or none. */
floe_status settings_properties(const floe_options *options, const struct model *model, floe_log *log,
                                uint64_t *selected, uint64_t *wanted);

/* The number of states that the model's <expected> block for the very constants in use names; 0: none. */
uint64_t settings_expected_states(const struct model *model);

#endif
