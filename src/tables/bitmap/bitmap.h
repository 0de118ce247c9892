/* The scheme "bitmap": a set with one bit for each key that there can be (tables/kernel/bitmap.h), on the host.

   A table for keys below table_config.keys takes keys / 8 bytes, rounded up to a cache line, whatever is in it; keys 0
   are 2^key_bits. Slots are of one bit, as many as keys, and the number of a key's slot is the key. One for a member's
   share of them (table_config.shares) takes that part of the bytes, and the number of a slot is the key's number in the
   share; the keys of other members are not to come to it. So every key has a
   place (traits.every_key): FULL is never the answer to one that is to be put, a table never grows, and
   table_config.slots, permutations and seeds are of no meaning to it. More than BITMAP_MOST_KEYS keys: there is no
   layout.

   Operations: FIND, FIND_OR_PUT, PUT_NEW, DELETE; there are no values. All may go on at the same time in any number of
   threads, also on the same keys. Operations on the same key are linearizable, in any mix, as all are of one bit;
   those on different keys are not ordered by the table. A key that is put again after its deletion has the number that
   it had. */
#ifndef FLOE_TABLE_BITMAP_H
#define FLOE_TABLE_BITMAP_H

#include "tables/kernel/bitmap.h"
#include "tables/host_table.h"

/* 32 TiB of bits: beyond any machine. */
#define BITMAP_MOST_KEYS (UINT64_C(1) << 48)

static inline const struct bitmap *bitmap_of(const struct table *table) { return (const void *)table->state; }

/* bitmap_content.c, as the functions of the seam. Parts are of whole cache lines, and keys ascend in each. */
void bitmap_stats(const struct table *table, struct table_stats *out);
void bitmap_each(const struct table *table, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
uint64_t bitmap_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t bitmap_check(const struct table *table);

#endif
