/* Resolves the options of an exploration: checks them, and replaces automatic values by actual ones. */
#ifndef FLOE_API_EXPLORE_SETTINGS_H
#define FLOE_API_EXPLORE_SETTINGS_H

#include "core/arena.h"
#include "floe.h"
#include "model/model.h"

/* Value of options.table: the host-backed visited set, in GPU and host memory, from the start. Its tables use the
   default scheme; without a GPU it is a single table. */
#define SETTINGS_HOST_BACKED "host-backed"
#define SETTINGS_HOST_BACKED_ALIAS "working-set" /* accepted on input, never printed */

/* Value of options.table: like NULL, automatic (engine_task.any_table); the first table uses the default scheme. */
#define SETTINGS_ANY_TABLE "auto"

/* `options` may be NULL (defaults), or from a program built for an older floe.h. New strings live in `arena`.
   FLOE_ERROR_USAGE, logged. */
floe_status settings_resolve(const floe_options *options, struct arena *arena, floe_log *log, floe_options *out);

/* All options, with defaults where the caller knows none. `options` as above. */
floe_options settings_complete(const floe_options *options);

/* The table is automatic, and no option of hash tables is set. `options` as above. */
bool settings_leave_table(const floe_options *options);

/* Mask of the model's temporal properties. */
uint64_t settings_temporal(const struct model *model);
/* Mask of the properties that passes over all states decide. */
uint64_t settings_passes(const struct model *model);
/* Mask of its properties of kind `reachable`. */
uint64_t settings_reachable(const struct model *model);

/* Masks of properties: *selected get a verdict; *checked has `errors` as well, as a failed firing is missing in the
   search, and no temporal property. FLOE_ERROR_USAGE, logged: no such property, or none selected. */
floe_status settings_properties(const floe_options *options, const struct model *model, floe_log *log,
                                uint64_t *selected, uint64_t *checked);

/* Number of states in the model's <expect> block for exactly the constants in use; 0: none. */
uint64_t settings_expected_states(const struct model *model);

#endif
