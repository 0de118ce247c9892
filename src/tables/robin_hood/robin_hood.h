/* Robin Hood hashing behind the seam ("robin-hood"): a map of keys and values of 32 and 32 bits, or of 64 and 64. The
   algorithm and why it is right: tables/kernel/robin_hood.h, doc/robin-hood.md.

   ADD and PUT_NEW may go on in any number of threads at once, and mix.
     PUT: the table has one key more, FOUND: it has not. So the number of PUT is exactly that of the keys that came. Of
   a given key they tell whether it was new as long as no other thread adds: a displaced pair on its way is in no slot.
     FULL: keys[i] and values[i] are the pair in hand after the last slot that it may be in. That key is not in the
     table; if it was added more than once it may come back more than once, each time with a part of its value.
     What comes of values when the phase is over: of SUM, MIN and MAX, and of a user's reduction that is commutative and
     associative, exactly the reduction of all that was added (and came back FULL). Of REPLACE one of the values added;
     the last one where one thread adds. With several threads an earlier one, also from before the phase, may win from
     a later one while both are displaced.
   GET and FIND may go on with all others. Beside ADD they may miss a key (FULL) that is displaced at that moment, and
   get a value that is not complete yet; FOUND is always right.

   The others are not concurrent with ADD and PUT_NEW. */
#ifndef FLOE_TABLE_ROBIN_HOOD_H
#define FLOE_TABLE_ROBIN_HOOD_H

#include "tables/kernel/robin_hood.h"
#include "tables/host_table.h"

/* What a table has of its own. */
static inline const struct robin_hood *robin_hood_of(const struct table *table) { return (const void *)table->state; }

/* Slots that a key may be in, where the configuration does not say. (Of 2^22 slots filled to 0.99 the farthest key was
   337 to 465 slots from home; that grows with the logarithm of their number.) */
enum { ROBIN_HOOD_PROBES = 4096, ROBIN_HOOD_DISTANCES = 16 };

/* How far from home keys are: 0 for one in its home slot. Not concurrent with operations that write. */
struct robin_hood_distances {
  uint64_t keys;
  double mean, variance;
  uint64_t largest;
  uint64_t histogram[ROBIN_HOOD_DISTANCES]; /* [0]: distance 0; [i]: 2^(i - 1) to 2^i - 1; the last: and more */
};
void robin_hood_distances(const struct table *table, struct robin_hood_distances *out);

/* Calls `visit` with every key and its value of the part [part/parts) of the table, as table_each. */
void robin_hood_each_pair(const struct table *table, unsigned part, unsigned parts,
                          void (*visit)(void *user, uint64_t *keys, uint64_t *values, size_t n), void *user);

#endif
