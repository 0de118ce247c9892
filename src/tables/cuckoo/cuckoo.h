/* Compact cuckoo hashing on the host: parts of the scheme, and its rules of use.

   A table is built by a phase of puts and then searched. Any number of threads may put concurrently, if the keys are
   all different and not in the table (TABLE_PUT_NEW). Finds may run concurrently with finds, but not with puts.

   Fill: chains stay short up to a sharp threshold. With 3 permutations and random keys, put one after the other, the
   first key without a place came at a fill of at least (lowest of several seeds; a chain visits CUCKOO_STEPS
   buckets, 128)

                               32 steps   128 steps           512 steps
       slots                   2^20       2^20      2^24      2^20
       buckets of 8 slots      0.902      0.980     0.975     0.993
       16                      0.943      0.987     0.986     0.998
       32                      0.959      0.994     0.993     0.998

   So 128 steps give 0.95 with a margin; more steps gain little and cost as many steps for every key. */
#ifndef FLOE_TABLES_CUCKOO_CUCKOO_H
#define FLOE_TABLES_CUCKOO_CUCKOO_H

#include "tables/host_table.h"
#include "tables/kernel/cuckoo.h"

/* The scheme's state of a table. */
struct cuckoo_state {
  struct cuckoo view;
  const struct cuckoo_instance *instance;
};
static inline const struct cuckoo_state *cuckoo_of(const struct table *table) { return (const void *)table->state; }

floe_status cuckoo_plan(const struct table_config *config, struct table_shape *out);
void cuckoo_stats(const struct table *table, struct table_stats *out);
void cuckoo_each(const struct table *table, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
uint64_t cuckoo_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t cuckoo_check(const struct table *table);

floe_status cuckoo_sorted_find_or_put(struct table *table, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                                      size_t *full);

#endif
