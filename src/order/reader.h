/* Reading order files: the half of the public API (floe.h) that fuzzing wants to reach with a
 * stream. */
#ifndef FLOE_ORDER_READER_H
#define FLOE_ORDER_READER_H

#include "core/status.h"
#include "floe.h"

/* As floe_order_open; takes the stream over, also when it fails. `name` stands for it in messages. */
floe_status order_open_stream(FILE *stream, const char *name, floe_log *log, floe_order **out);

#endif
