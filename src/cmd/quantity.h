/* Byte counts with units, for text output. */
#ifndef FLOE_CMD_QUANTITY_H
#define FLOE_CMD_QUANTITY_H

#include <stdint.h>

#define QUANTITY 32 /* size of `out` */
/* "812 B", "3.4 MiB" */
const char *byte_text(uint64_t bytes, char out[QUANTITY]);

#endif
