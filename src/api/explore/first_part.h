/* Large models of which only temporal properties are selected: these are decided after a first part of the model is
   explored. If one is violated, the search ends with that part (FLOE_END_DECIDED); else the model is explored again, as
   a whole. Not with options that need all states or bound them, nor where a GPU may take over the model's search. */
#ifndef FLOE_API_EXPLORE_FIRST_PART_H
#define FLOE_API_EXPLORE_FIRST_PART_H

#include "api/explore/exploration.h"

extern uint64_t first_part_states; /* of a model that is large; tests change it */

/* Once options and properties are resolved, before the search: bounds it, if there is to be a first part. */
void first_part_begin(struct exploration *e);
/* The bounded search, in place of engine_select_run. Its messages wait in a log of their own. */
floe_status first_part_search(struct exploration *e);
/* After the search, in any case: does what is described above, up to the final outcome. `decide` adds the verdicts to
   e->result. */
floe_status first_part_end(struct exploration *e, floe_status (*decide)(struct exploration *e));
/* The verdict on a temporal property that is known since; NULL: it is to be decided. */
const floe_verdict *first_part_verdict(const struct exploration *e, uint32_t property);
/* Passes on the messages, after engine_select_end. */
void first_part_close(struct exploration *e);

#endif
