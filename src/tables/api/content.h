/* Content of a table on the host, for the public interface: iteration and statistics. */
#ifndef FLOE_TABLES_API_CONTENT_H
#define FLOE_TABLES_API_CONTENT_H

#include "floe_tables.h"
#include "tables/table.h"

/* Calls `visit` with every key of part [part/parts) of the table, and its value; `values` NULL: it is a set. Not
   concurrent with operations that write. */
void hash_each(struct table *table, unsigned part, unsigned parts,
               void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n), void *user);

void hash_stats(const struct table *table, floe_hash_stats *out);

#endif
