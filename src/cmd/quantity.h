/* Quantities as people read them. */
#ifndef FLOE_CMD_QUANTITY_H
#define FLOE_CMD_QUANTITY_H

#include <stdint.h>

#define QUANTITY 32 /* characters that `out` has room for */
/* "812 B", "3.4 MiB" */
const char *byte_text(uint64_t bytes, char out[QUANTITY]);

#endif
