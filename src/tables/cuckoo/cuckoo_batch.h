/* Batches of cuckoo tables on the CPU: many keys are on their way side by side, so that their cache misses overlap.
   Whenever a key has been looked for in one bucket, its next bucket, or that of the next key, is asked for, and it
   is another one's turn. */
#ifndef FLOE_TABLE_CUCKOO_BATCH_H
#define FLOE_TABLE_CUCKOO_BATCH_H

#include "tables/cuckoo/cuckoo_forms.h"
#include "tables/kernel/cuckoo.h"

#include <stddef.h>

enum { FLIGHTS = 32, LINE = 64 };

struct flight {
  struct cuckoo_hand hand;
  struct cuckoo_target target;
  size_t number; /* of the key that was given */
};

KERNEL_FN void flight_aim(const struct cuckoo *table, struct flight *flight, struct cuckoo_geometry g) {
  flight->target = cuckoo_aim(table, flight->hand.key, flight->hand.hash, g);
  const unsigned char *bucket = cuckoo_bucket(table, flight->target.bucket, g);
  for (unsigned at = 0; at < cuckoo_bytes(g.bucket_slots, g.slot_bits); at += LINE)
    KERNEL_PREFETCH(bucket + at);
}

KERNEL_FN void flight_begin(const struct cuckoo_batch *batch, size_t number, struct flight *flight,
                            struct cuckoo_geometry g, bool put) {
  flight->hand.key = batch->keys[number];
  flight->hand.value = put && batch->values ? batch->values[number] : 0;
  flight->hand.hash = flight->hand.steps = 0;
  flight->number = number;
  flight_aim(batch->table, flight, g);
}

/* Slot by slot up to the entry or the first empty slot. */
KERNEL_FN struct scan pair_scan(const void *bucket, unsigned slots, uint64_t wanted) {
  struct scan scan = {0, 0};
  for (unsigned i = 0; i < slots && !scan.match && !scan.empty; i++) {
    const uint64_t entry = entry_load(bucket, i, CUCKOO_PAIR_BITS);
    if (entry == wanted)
      scan.match = UINT32_C(1) << i;
    else if (entry == 0)
      scan.empty = (UINT32_MAX >> (32 - slots)) & (UINT32_MAX << i);
  }
  return scan;
}

KERNEL_FN struct scan flight_scan(const struct cuckoo *table, const struct flight *flight, struct cuckoo_geometry g) {
  const unsigned char *bucket = cuckoo_bucket(table, flight->target.bucket, g);
  if (g.slot_bits == CUCKOO_PAIR_BITS)
    return pair_scan(bucket, g.bucket_slots, flight->target.wanted);
  return scan_bucket(bucket, g.bucket_slots, g.slot_bits, flight->target.wanted);
}

KERNEL_FN unsigned flight_find(const struct cuckoo_batch *batch, struct flight *flight, struct cuckoo_geometry g) {
  const struct scan scan = flight_scan(batch->table, flight, g);
  if (!scan.match)
    return cuckoo_missed(&flight->hand, scan.empty != 0, g);
  if (g.slot_bits == CUCKOO_PAIR_BITS && batch->values)
    flight->hand.value = value_load(cuckoo_bucket(batch->table, flight->target.bucket, g), lowest_bit(scan.match));
  return CUCKOO_FOUND;
}

KERNEL_FN unsigned flight_put(const struct cuckoo_batch *batch, struct flight *flight, struct cuckoo_geometry g) {
  const struct scan scan = flight_scan(batch->table, flight, g);
  return cuckoo_flush(batch->table, &flight->hand, flight->target, scan.empty, g);
}

KERNEL_FN void flight_end(const struct cuckoo_batch *batch, const struct flight *flight, unsigned answer, bool put) {
  batch->answers[flight->number] = (uint8_t)answer;
  if (put && answer == CUCKOO_FULL)
    batch->keys[flight->number] = flight->hand.key;
  if (batch->values && answer == (put ? CUCKOO_FULL : CUCKOO_FOUND))
    batch->values[flight->number] = flight->hand.value;
}

/* Returns the number of CUCKOO_FULL. */
KERNEL_FN size_t batch_answer(const struct cuckoo_batch *batch, struct cuckoo_geometry g, bool put) {
  struct flight flights[FLIGHTS];
  size_t next = 0, full = 0;
  unsigned live = 0;
  while (live < FLIGHTS && next < batch->n)
    flight_begin(batch, next++, &flights[live++], g, put);
  for (unsigned at = 0; live; at = at + 1 < live ? at + 1 : 0) {
    struct flight *flight = &flights[at];
    const unsigned answer = put ? flight_put(batch, flight, g) : flight_find(batch, flight, g);
    if (answer == CUCKOO_GO_ON) {
      flight_aim(batch->table, flight, g);
      continue;
    }
    flight_end(batch, flight, answer, put);
    full += answer == CUCKOO_FULL;
    if (next < batch->n)
      flight_begin(batch, next++, flight, g, put);
    else
      *flight = flights[--live];
  }
  return full;
}

#endif
