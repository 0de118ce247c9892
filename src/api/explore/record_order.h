/* The file of the order in which an exploration visits states. */
#ifndef FLOE_RECORD_H
#define FLOE_RECORD_H

#include "api/explore/exploration.h"

/* Has the states that an exploration looks up recorded in a file of that kind, which lives as long. */
struct recorder record_to(struct order_file *file, floe_order_kind kind);
/* Begins the file where the options ask for one; e->visited_order.file stays NULL where they do not. In the
   arena guard of e->result->arena it takes no resource but that. */
floe_status record_begin(struct exploration *e);
/* What the run left is written and gets its name; a run that failed (`status`) leaves no file.
   Where that is impossible it is told, and e->visited_order.lost says so: what was explored is right all
   the same. */
void record_end(struct exploration *e, floe_status status);

#endif
