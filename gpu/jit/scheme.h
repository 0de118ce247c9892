/* Device support of a table scheme: its kernel text and capabilities. Each is one `const struct gpu_scheme`
   (gpu/jit/scheme_<scheme>.c), listed in schemes.c; a scheme without one runs on the host only. Needs no GPU. */
#ifndef FLOE_GPU_SCHEME_H
#define FLOE_GPU_SCHEME_H

#include "tables/scheme.h"

/* The kernels for arrays of keys: gpu/kernel/table/<scheme>_arrays.h after a table's settings (gpu_table_text). Entry
   points floe_table_<operation> (gpu_operation_word), for the operations in `has`, all with the parameters
     (struct VIEW table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers)
   where the view is that of table_place. Each performs the operation as table_run does. */
struct gpu_scheme {
  const struct table_scheme *scheme;
  const char *view;             /* "struct iceberg" */
  const unsigned char *text;    /* of gpu/kernel/table/<scheme>_arrays.h */
  const unsigned char *visited; /* the scheme's part of an exploration's text; NULL: the scheme does not explore on a
                                   device */
  const unsigned char *slots;   /* of gpu/kernel/cycles/<scheme>_slots.h: numbers of keys; NULL: they are not stable */
  const unsigned char *to_bitmap; /* floe_rehash from its tables to bitmaps; NULL: none */
  bool has[TABLE_OPERATIONS];     /* whether the text has that entry point */
  int least_arch_wide;            /* least compute capability for slots or pairs of 128 bits; 0: it has none */
  bool counts_in_32_bits;         /* the kernels number buckets in 32 bits */
  bool has_reduce_text;           /* they add by table_config.reduce_text */
};

extern const struct gpu_scheme gpu_iceberg, gpu_linear, gpu_cuckoo, gpu_robin_hood, gpu_bitmap;

/* The i-th of the registry; NULL after the last. */
const struct gpu_scheme *gpu_scheme_at(size_t i);
/* NULL: the scheme has no kernels. `scheme`: NULL for the default one. */
const struct gpu_scheme *gpu_scheme_find(const char *scheme);
/* Whether its tables can hold a visited set on a device. */
bool gpu_scheme_explores(const char *scheme);

/* "find_or_put" of floe_table_find_or_put */
const char *gpu_operation_word(enum table_operation operation);

#endif
