/* Reads model files. */
#ifndef FLOE_API_INPUT_H
#define FLOE_API_INPUT_H

#include "core/diag.h"
#include "core/threads/stop.h"

/* Reads the file, or standard input ("-"), to its end; it may be a pipe without a writer yet. The caller frees *text
   with mem_free. FLOE_ERROR_IO, logged: it cannot be opened or read, or has more than `most` bytes.
   FLOE_ERROR_INTERRUPTED, logged: `stop` came first. */
floe_status input_read(const char *path, size_t most, const struct stop *stop, floe_log *log, char **text,
                       size_t *length);

#endif
