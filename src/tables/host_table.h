/* The host owner of a table, for the files of this folder. */
#ifndef FLOE_TABLE_OWNER_H
#define FLOE_TABLE_OWNER_H

#include "tables/permutation.h"
#include "tables/scheme.h"
#include "tables/table.h"

#include <stddef.h>

struct table {
  const struct table_scheme *scheme;
  struct table_config config; /* without strings, which are the caller's and gone */
  struct table_shape shape;
  const char *simd;
  struct permutation_user user; /* copied from the configuration; permutations in `state` refer to it */
  void *memory;                 /* shape.bytes; all zero: every slot empty */
  bool borrowed;                /* it is the caller's (table_adopt) */
  max_align_t state[];          /* the scheme's own: scheme->state_bytes */
};

/* For a scheme's open: the first n permutations that the configuration asks for. One of the library's user is copied
   into the table. Errors as permutation_make. */
floe_status table_permutations(const struct table_config *config, struct table *table, unsigned n,
                               struct permutation *out);

#endif
