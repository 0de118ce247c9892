/* The iceberg scheme's parts, for the files of this folder; each as the function of the seam. */
#ifndef FLOE_TABLE_ICEBERG_H
#define FLOE_TABLE_ICEBERG_H

#include "table/scheme.h"

floe_status iceberg_plan(const struct table_config *config, struct table_shape *out);
void iceberg_stats(const struct table *table, struct table_stats *out);
void iceberg_each(const struct table *table, unsigned part, unsigned parts,
                  void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
uint64_t iceberg_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t iceberg_check(const struct table *table);

#endif
