/* A table on the host: configuration, shape and memory; shared by the files of this folder. */
#ifndef FLOE_TABLES_HOST_TABLE_H
#define FLOE_TABLES_HOST_TABLE_H

#include "tables/permutation.h"
#include "tables/scheme.h"
#include "tables/table.h"

#include <stddef.h>

struct table {
  const struct table_scheme *scheme;
  struct table_config config; /* its strings belong to the caller and may be gone */
  struct table_shape shape;
  const char *simd;
  struct permutation_user user; /* copied from the configuration; permutations in `state` refer to it */
  void *memory;                 /* shape.bytes; all zero: every slot is empty */
  bool borrowed;                /* the caller owns it (table_adopt) */
  max_align_t state[];          /* the scheme's state: scheme->state_bytes */
};

/* For a scheme's `open`: the first n permutations of the configuration. A user's permutation is copied into the
   table. Errors as permutation_make. */
floe_status table_permutations(const struct table_config *config, struct table *table, unsigned n,
                               struct permutation *out);

#endif
