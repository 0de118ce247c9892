/* What an iceberg table has of its own, beside its memory. */
#ifndef FLOE_TABLE_ICEBERG_STATE_H
#define FLOE_TABLE_ICEBERG_STATE_H

#include "tables/iceberg/iceberg_forms.h"
#include "tables/host_table.h"

struct iceberg_state {
  struct iceberg view;
  const struct iceberg_instance *instance; /* NULL: the host has no compiled form for the shape */
};
static inline const struct iceberg_state *iceberg_of(const struct table *table) { return (const void *)table->state; }

#endif
