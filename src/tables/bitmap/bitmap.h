/* The scheme "bitmap": a set with one bit for each possible key (tables/kernel/bitmap.h), on the host.

   A table for keys below table_config.keys takes keys / 8 bytes, rounded up to a cache line, whatever its content;
   keys 0 stands for 2^key_bits. Each slot is one bit; there are as many as keys, and a key's slot number is the key.
   With table_config.local_index the table takes only the part of the member, a slot number is a local index, and
   keys of other members must not be passed to it. So every key has a place (traits.every_key): puts never answer
   FULL, a table never grows, and table_config.slots, permutations and seeds are ignored. More than BITMAP_MOST_KEYS
   keys: no layout.

   Operations: FIND, FIND_OR_PUT, PUT_NEW, DELETE; there are no values. All may run concurrently in any number of
   threads, also on the same keys. Operations on the same key are linearizable, in any mix, because all are on one
   bit; the table does not order operations on different keys. A key that is put again after its deletion has the
   same number. */
#ifndef FLOE_TABLES_BITMAP_BITMAP_H
#define FLOE_TABLES_BITMAP_BITMAP_H

#include "tables/host_table.h"
#include "tables/kernel/bitmap.h"

/* 32 TiB of bits: more than any machine has. */
#define BITMAP_MOST_KEYS (UINT64_C(1) << 48)

static inline const struct bitmap *bitmap_of(const struct table *table) { return (const void *)table->state; }

/* bitmap_content.c, as the functions of struct table_scheme. Parts are whole cache lines; keys ascend in each. */
void bitmap_stats(const struct table *table, struct table_stats *out);
void bitmap_each(const struct table *table, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
uint64_t bitmap_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t bitmap_check(const struct table *table);

#endif
