/* The compiled forms of a cuckoo table's batches: one per geometry and instruction set. */
#ifndef FLOE_TABLES_CUCKOO_CUCKOO_FORMS_H
#define FLOE_TABLES_CUCKOO_CUCKOO_FORMS_H

#include <stddef.h>
#include <stdint.h>

struct cuckoo;

/* X(bits of a slot, slots of a bucket) */
#define CUCKOO_INSTANCES(X) X(32, 8) X(32, 16) X(32, 32) X(64, 8) X(64, 16) X(64, 32) X(128, 8) X(128, 16) X(128, 32)
#define CUCKOO_COUNT(BITS, SLOTS) +1
enum { CUCKOO_INSTANCE_COUNT = 0 CUCKOO_INSTANCES(CUCKOO_COUNT) };

/* `values`: to put into a map, or written by a get; else NULL. */
struct cuckoo_batch {
  const struct cuckoo *table;
  uint64_t *keys, *values;
  uint8_t *answers;
  size_t n;
};

/* Sets all answers; returns the number of FULL. With values a find is a get. */
struct cuckoo_instance {
  unsigned slot_bits, bucket_slots;
  size_t (*put)(const struct cuckoo_batch *batch);
  size_t (*find)(const struct cuckoo_batch *batch);
};

struct cuckoo_operations {
  const char *simd;
  struct cuckoo_instance instance[CUCKOO_INSTANCE_COUNT];
};

extern const struct cuckoo_operations cuckoo_portable;
#ifdef __x86_64__
extern const struct cuckoo_operations cuckoo_avx2;
#endif

#endif
