/* Reads visited-order files from a stream; implements that part of the public API (floe.h), and is used by the
   fuzzer. */
#ifndef FLOE_ORDER_READER_H
#define FLOE_ORDER_READER_H

#include "core/status.h"
#include "floe.h"

/* As floe_order_open; owns the stream, even on failure. `name` replaces the path in messages. */
floe_status order_open_stream(FILE *stream, const char *name, floe_log *log, floe_order **out);

#endif
