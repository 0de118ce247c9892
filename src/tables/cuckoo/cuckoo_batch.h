/* Batches of cuckoo tables on the CPU: many keys are processed in turn, so that their cache misses overlap. After
   each scan of a bucket the key's next bucket, or that of the next key, is prefetched, and another key is processed. */
#ifndef FLOE_TABLES_CUCKOO_CUCKOO_BATCH_H
#define FLOE_TABLES_CUCKOO_CUCKOO_BATCH_H

#include "tables/cuckoo/cuckoo_forms.h"
#include "tables/kernel/cuckoo.h"

#include <stddef.h>

enum { PROBES = 32, LINE = 64 };

struct probe {
  struct cuckoo_hand hand;
  struct cuckoo_target target;
  size_t number; /* index of the given key */
};

KERNEL_FN void probe_aim(const struct cuckoo *table, struct probe *probe, struct cuckoo_geometry g) {
  probe->target = cuckoo_aim(table, probe->hand.key, probe->hand.hash, g);
  const unsigned char *bucket = cuckoo_bucket(table, probe->target.bucket, g);
  for (unsigned at = 0; at < cuckoo_bytes(g.bucket_slots, g.slot_bits); at += LINE)
    KERNEL_PREFETCH(bucket + at);
}

KERNEL_FN void probe_begin(const struct cuckoo_batch *batch, size_t number, struct probe *probe,
                           struct cuckoo_geometry g, bool put) {
  probe->hand.key = batch->keys[number];
  probe->hand.value = put && batch->values ? batch->values[number] : 0;
  probe->hand.hash = probe->hand.steps = 0;
  probe->number = number;
  probe_aim(batch->table, probe, g);
}

/* Slot by slot, up to the entry or the first empty slot. */
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

KERNEL_FN struct scan probe_scan(const struct cuckoo *table, const struct probe *probe, struct cuckoo_geometry g) {
  const unsigned char *bucket = cuckoo_bucket(table, probe->target.bucket, g);
  if (g.slot_bits == CUCKOO_PAIR_BITS)
    return pair_scan(bucket, g.bucket_slots, probe->target.wanted);
  return scan_bucket(bucket, g.bucket_slots, g.slot_bits, probe->target.wanted);
}

KERNEL_FN unsigned probe_find(const struct cuckoo_batch *batch, struct probe *probe, struct cuckoo_geometry g) {
  const struct scan scan = probe_scan(batch->table, probe, g);
  if (!scan.match)
    return cuckoo_missed(&probe->hand, scan.empty != 0, g);
  if (g.slot_bits == CUCKOO_PAIR_BITS && batch->values)
    probe->hand.value = value_load(cuckoo_bucket(batch->table, probe->target.bucket, g), lowest_bit(scan.match));
  return CUCKOO_FOUND;
}

KERNEL_FN unsigned probe_put(const struct cuckoo_batch *batch, struct probe *probe, struct cuckoo_geometry g) {
  const struct scan scan = probe_scan(batch->table, probe, g);
  return cuckoo_flush(batch->table, &probe->hand, probe->target, scan.empty, g);
}

KERNEL_FN void probe_end(const struct cuckoo_batch *batch, const struct probe *probe, unsigned answer, bool put) {
  batch->answers[probe->number] = (uint8_t)answer;
  if (put && answer == CUCKOO_FULL)
    batch->keys[probe->number] = probe->hand.key;
  if (batch->values && answer == (put ? CUCKOO_FULL : CUCKOO_FOUND))
    batch->values[probe->number] = probe->hand.value;
}

/* Returns the number of CUCKOO_FULL. */
KERNEL_FN size_t batch_answer(const struct cuckoo_batch *batch, struct cuckoo_geometry g, bool put) {
  struct probe probes[PROBES];
  size_t next = 0, full = 0;
  unsigned live = 0;
  while (live < PROBES && next < batch->n)
    probe_begin(batch, next++, &probes[live++], g, put);
  for (unsigned at = 0; live; at = at + 1 < live ? at + 1 : 0) {
    struct probe *probe = &probes[at];
    const unsigned answer = put ? probe_put(batch, probe, g) : probe_find(batch, probe, g);
    if (answer == CUCKOO_GO_ON) {
      probe_aim(batch->table, probe, g);
      continue;
    }
    probe_end(batch, probe, answer, put);
    full += answer == CUCKOO_FULL;
    if (next < batch->n)
      probe_begin(batch, next++, probe, g, put);
    else
      *probe = probes[--live];
  }
  return full;
}

#endif
