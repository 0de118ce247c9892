/* Layouts of all tables that exist on a GPU, for the tests. */
#ifndef FLOE_TEST_TABLE_LAYOUTS_H
#define FLOE_TEST_TABLE_LAYOUTS_H

#include "tables/permutation.h"
#include "tables/table.h"

#include <string.h>

struct layout {
  const char *scheme;
  unsigned slot_bits, bucket_slots;
  unsigned key_bits;       /* 0: derived from extra_bits */
  unsigned extra_bits;     /* of a key, beyond the logarithm of the slots */
  const char *permutation; /* NULL: the default one; "user": layout_permutation */
  unsigned value_bits, hashes;
  bool deletes;
};

static const struct layout layouts[] = {
    {"iceberg", 16, 32, 0, 10, NULL, 0, 0, false},       {"iceberg", 16, 16, 0, 10, "feistel", 0, 0, false},
    {"iceberg", 16, 8, 0, 9, "feistel1", 0, 0, false},   {"iceberg", 21, 24, 0, 16, NULL, 0, 0, false},
    {"iceberg", 21, 12, 0, 16, "feistel", 0, 0, false},  {"iceberg", 32, 32, 0, 24, NULL, 0, 0, false},
    {"iceberg", 32, 16, 0, 24, "feistel1", 0, 0, false}, {"iceberg", 32, 8, 0, 21, NULL, 0, 0, false},
    {"iceberg", 64, 32, 64, 0, NULL, 0, 0, false},       {"iceberg", 64, 16, 50, 0, "feistel", 0, 0, false},
    {"iceberg", 64, 8, 63, 0, NULL, 0, 0, false},        {"iceberg", 64, 8, 64, 0, "feistel1", 0, 0, false},
    {"iceberg", 16, 32, 0, 10, NULL, 32, 0, false},      {"iceberg", 16, 16, 0, 9, NULL, 0, 0, true},
    {"iceberg", 32, 32, 0, 24, NULL, 64, 0, true},       {"iceberg", 32, 16, 0, 24, "user", 0, 0, true},
    {"cuckoo", 32, 8, 0, 24, NULL, 0, 3, false},         {"cuckoo", 32, 16, 0, 24, "feistel", 0, 4, false},
    {"cuckoo", 32, 32, 0, 24, "feistel1", 0, 2, false},  {"cuckoo", 64, 8, 64, 0, NULL, 0, 3, false},
    {"cuckoo", 64, 16, 63, 0, NULL, 0, 8, false},        {"cuckoo", 64, 32, 50, 0, "feistel", 0, 3, false},
    {"cuckoo", 128, 8, 64, 0, NULL, 64, 3, false},       {"cuckoo", 128, 16, 40, 0, NULL, 64, 5, false},
    {"cuckoo", 128, 32, 60, 0, "feistel", 64, 3, false}, {"cuckoo", 32, 16, 0, 24, "user", 0, 4, false},
    {"linear", 32, 0, 0, 11, NULL, 0, 0, false},         {"linear", 64, 0, 64, 0, "feistel", 0, 0, false},
    {"linear", 64, 0, 40, 0, "feistel1", 0, 0, false},   {"linear", 32, 0, 32, 0, NULL, 32, 0, false},
    {"linear", 32, 0, 30, 0, NULL, 32, 0, false},        {"linear", 64, 0, 64, 0, NULL, 64, 0, false},
    {"linear", 64, 0, 45, 0, "feistel", 64, 0, false},   {"linear", 64, 0, 45, 0, "user", 64, 0, false},
    {"robin-hood", 64, 0, 32, 0, NULL, 32, 0, false},    {"robin-hood", 64, 0, 29, 0, "feistel", 32, 0, false},
    {"robin-hood", 128, 0, 64, 0, NULL, 64, 0, false},   {"robin-hood", 128, 0, 50, 0, "feistel1", 64, 0, false},
    {"robin-hood", 64, 0, 29, 0, "user", 32, 0, false},  {"bitmap", 1, 0, 0, 3, NULL, 0, 0, false},
    {"bitmap", 1, 0, 0, 5, NULL, 0, 0, false},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static inline bool is_first_of_scheme(size_t i) {
  return i == 0 || strcmp(layouts[i].scheme, layouts[i - 1].scheme) != 0;
}

/* Layouts of one kind have the same scheme and value width. */
static inline bool is_first_of_kind(size_t i) {
  return is_first_of_scheme(i) || layouts[i].value_bits != layouts[i - 1].value_bits;
}

static inline unsigned floor_log2(uint64_t x) {
  unsigned bits = 0;
  while (x >>= 1)
    bits++;
  return bits;
}

/* A user-defined permutation: functions, and texts for a device. */
#define LAYOUT_SPREAD(number, bits, key)                                                                               \
  (((key) + (number)*0x632be59bd9b4e019ull) * 0x9e3779b97f4a7c15ull & ~0ull >> (64 - (bits)))
#define LAYOUT_FOLD(bits, x) ((x) ^ (x) >> ((bits) + 1) / 2)
#define LAYOUT_GATHER(number, bits, x)                                                                                 \
  (((x)*0xf1de83e19937733dull - (number)*0x632be59bd9b4e019ull) & ~0ull >> (64 - (bits)))
#define LAYOUT_TEXT(...) LAYOUT_QUOTED(__VA_ARGS__)
#define LAYOUT_QUOTED(...) #__VA_ARGS__

static inline uint64_t layout_apply(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data;
  return LAYOUT_FOLD(bits, LAYOUT_SPREAD(number, bits, key));
}
static inline uint64_t layout_invert(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data;
  return LAYOUT_GATHER(number, bits, LAYOUT_FOLD(bits, key));
}
static const struct permutation_user layout_permutation = {
    layout_apply, layout_invert, NULL, LAYOUT_TEXT(LAYOUT_FOLD(bits, LAYOUT_SPREAD(number, bits, key))),
    LAYOUT_TEXT(LAYOUT_GATHER(number, bits, LAYOUT_FOLD(bits, key)))};

static inline struct table_config config_of(const struct layout *layout, uint64_t slots) {
  const bool user = layout->permutation && strcmp(layout->permutation, "user") == 0;
  return (struct table_config){.scheme = layout->scheme,
                               .permutation = user ? NULL : layout->permutation,
                               .permutation_user = user ? &layout_permutation : NULL,
                               .key_bits = layout->key_bits ? layout->key_bits : floor_log2(slots) + layout->extra_bits,
                               .slots = slots,
                               .slot_bits = layout->slot_bits,
                               .bucket_slots = layout->bucket_slots,
                               .value_bits = layout->value_bits,
                               .hashes = layout->hashes,
                               .deletes = layout->deletes,
                               .seed = 5};
}

#endif
