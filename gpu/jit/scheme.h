/* What a table scheme has on a device: its text, and what that can do. Each is one `const struct gpu_scheme`
   (gpu/scheme_<scheme>.c), listed in schemes.c; a scheme without one is the host's alone. No GPU is needed for it. */
#ifndef FLOE_GPU_SCHEME_H
#define FLOE_GPU_SCHEME_H

#include "tables/scheme.h"

/* The kernels for arrays of keys: gpu/kernel/<scheme>_arrays.h with a table's settings in front (gpu_table_text). Entry
   points floe_table_<operation> (gpu_operation_word), of those in `has`, all with the parameters
     (struct VIEW table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers)
   of which the view is what table_place gives. Each does what table_run does with that operation. */
struct gpu_scheme {
  const struct table_scheme *scheme;
  const char *view;             /* "struct iceberg" */
  const unsigned char *text;    /* of gpu/kernel/<scheme>_arrays.h */
  const unsigned char *visited; /* what the text of an exploration has of it; NULL: the scheme does not explore there */
  const unsigned char *to_bitmap; /* floe_rehash from its tables to bitmaps; NULL: there is none */
  bool has[TABLE_OPERATIONS];     /* the text has that entry point */
  int least_arch_wide;            /* with slots or pairs of 128 bits; 0: it has none */
  bool counts_in_32_bits;         /* the kernels number buckets in 32 bits */
  bool has_reduce_text;           /* they add by table_config.reduce_text */
};

extern const struct gpu_scheme gpu_iceberg, gpu_linear, gpu_cuckoo, gpu_robin_hood, gpu_bitmap;

/* The i-th of the registry; NULL after the last. */
const struct gpu_scheme *gpu_scheme_at(size_t i);
/* NULL: the scheme has no kernels. `scheme`: NULL for the default one. */
const struct gpu_scheme *gpu_scheme_find(const char *scheme);
/* Can its tables hold a visited set on a device? */
bool gpu_scheme_explores(const char *scheme);

/* "find_or_put" of floe_table_find_or_put */
const char *gpu_operation_word(enum table_operation operation);

#endif
