/* Transient states (struct transient in model.h) as states of their own. For products: each firing of a sequence takes
   an edge of the automaton. */
#ifndef FLOE_MODEL_TEMPORAL_TRANSIENT_STATES_H
#define FLOE_MODEL_TEMPORAL_TRANSIENT_STATES_H

#include "model/build.h"

/* The same model, whose states are those of the model and its transient ones, and whose steps are single firings, with
   the same numbers: guards test the holder, and statements set it to 0 where a sequence ends because nothing fires. A
   state in which a sequence must not end has no firing. `transient` is NULL. Memory from the builder's arena; the model
   must outlive the result. */
const struct model *model_with_transient_states(struct builder *b, const struct model *model);

/* Whether some transition has several choices, and may fire where only the first firing counts: then there is no such
   model. */
bool chooses_in_first_only(const struct model *model);

/* The holder's value is one where only the first firing counts: firings there do not take an edge. NULL: no value is.
 */
const struct expr *holder_is_first_only(struct builder *b, const struct model *model);

#endif
