/* The scheme "robin-hood": Robin Hood hashing on the host, a map of keys and values of 32 and 32 bits, or of 64 and
   64. Algorithm and proof: tables/kernel/robin_hood.h, doc/robin-hood.md.

   ADD and PUT_NEW may run concurrently, in any number of threads, and mix.

   - PUT: the table has one key more; FOUND: it has not. So the number of PUT is exactly the number of new keys. For
     a given key the answer states whether it was new only if no other thread adds: a displaced pair in hand is in no
     slot.
   - FULL: keys[i] and values[i] are the pair in hand after its last possible slot. That key is not in the table; if
     it was added more than once, it may be returned more than once, each time with a part of its value.
   - Values after the phase: for SUM, MIN and MAX, and a user's reduction that is commutative and associative,
     exactly the reduction of all values added (including those returned with FULL). For REPLACE one of the values
     added; the last one if one thread adds. With several threads an earlier one, also from before the phase, may
     replace a later one if both are displaced.

   GET and FIND may run concurrently with all others. Beside ADD they may miss a key (FULL) that is displaced at that
   time, and return a partial value; FOUND is always right. The other operations are not concurrent with ADD and
   PUT_NEW. */
#ifndef FLOE_TABLES_ROBIN_HOOD_ROBIN_HOOD_H
#define FLOE_TABLES_ROBIN_HOOD_ROBIN_HOOD_H

#include "tables/host_table.h"
#include "tables/kernel/robin_hood.h"

/* The scheme's state of a table. */
static inline const struct robin_hood *robin_hood_of(const struct table *table) { return (const void *)table->state; }

/* Default length of a probe order. (Of 2^22 slots filled to 0.99 the farthest key was 337 to 465 slots from home;
   that grows with the logarithm of their number.) */
enum { ROBIN_HOOD_PROBES = 4096, ROBIN_HOOD_DISTANCES = 16 };

/* Distances of keys from home: 0 for a key in its home slot. Not concurrent with operations that write. */
struct robin_hood_distances {
  uint64_t keys;
  double mean, variance;
  uint64_t largest;
  uint64_t histogram[ROBIN_HOOD_DISTANCES]; /* [0]: distance 0; [i]: 2^(i - 1) to 2^i - 1; the last: that and more */
};
void robin_hood_distances(const struct table *table, struct robin_hood_distances *out);

/* Calls `visit` with every key and its value of part [part/parts) of the table, as table_each. */
void robin_hood_each_pair(const struct table *table, unsigned part, unsigned parts,
                          void (*visit)(void *user, uint64_t *keys, uint64_t *values, size_t n), void *user);

#endif
