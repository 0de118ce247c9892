/* One --sweep option, parsed. */
#ifndef FLOE_CMD_CHECK_SWEEP_AXIS_H
#define FLOE_CMD_CHECK_SWEEP_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AXIS_MOST_VALUES 4096

struct axis {
  char *name;
  int64_t *values; /* in the order written */
  size_t n;
};

/* Reads "N=2..7", "N=2,4,8" or "N=1..3,8". False after a message. */
bool axis_read(const char *text, struct axis *out);
void axis_free(struct axis *axis);

#endif
