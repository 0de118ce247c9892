/* Model files as bytes. */
#ifndef FLOE_INPUT_H
#define FLOE_INPUT_H

#include "core/diag.h"
#include "core/stop.h"

/* Reads the file to its end ("-": standard input), which may be a pipe that somebody has still to open and to write;
   *text is to be freed with mem_free. FLOE_ERROR_IO, told: it cannot be opened or read, or is larger than `most` bytes.
   FLOE_ERROR_INTERRUPTED, told: `stop` came first. */
floe_status input_read(const char *path, size_t most, const struct stop *stop, floe_log *log, char **text,
                       size_t *length);

#endif
