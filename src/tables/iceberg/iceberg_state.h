/* State of an iceberg table beside its memory. */
#ifndef FLOE_TABLES_ICEBERG_ICEBERG_STATE_H
#define FLOE_TABLES_ICEBERG_ICEBERG_STATE_H

#include "tables/host_table.h"
#include "tables/iceberg/iceberg_forms.h"

struct iceberg_state {
  struct iceberg view;
  const struct iceberg_instance *instance; /* NULL: the host has no compiled form for the shape */
};
static inline const struct iceberg_state *iceberg_of(const struct table *table) { return (const void *)table->state; }

#endif
