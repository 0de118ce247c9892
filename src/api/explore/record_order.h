/* File of the order in which an exploration visits states (floe_options.visited_order). */
#ifndef FLOE_API_EXPLORE_RECORD_ORDER_H
#define FLOE_API_EXPLORE_RECORD_ORDER_H

#include "api/explore/exploration.h"

/* Recorder that writes an engine's lookups to `file`, which must outlive it. */
struct recorder recorder_of_file(struct order_file *file, floe_order_kind kind);
/* Creates the file, if the options name one; else e->visited_order.file stays NULL. In the arena guard of
   e->result->arena; it takes no other resource. */
floe_status record_order_begin(struct exploration *e);
/* Completes the file and gives it its name; after a failed run (`status`) removes it. If the file cannot be completed,
   the error is logged and e->visited_order.lost is set; the result is valid all the same. */
void record_order_end(struct exploration *e, floe_status status);

#endif
