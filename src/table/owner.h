/* The host owner of a table, for the files of this folder. */
#ifndef FLOE_TABLE_OWNER_H
#define FLOE_TABLE_OWNER_H

#include "table/instances.h"
#include "table/kernel/cuckoo.h"
#include "table/kernel/linear.h"
#include "table/kernel/robin_hood.h"
#include "table/permutation.h"
#include "table/scheme.h"
#include "table/shape.h"
#include "table/table.h"

struct table {
  const struct table_scheme *scheme;
  struct table_config config; /* without strings, which are the caller's and gone */
  struct table_shape shape;
  struct iceberg view;
  struct linear linear;
  const struct linear_operations *linear_operations; /* table/linear.h */
  struct robin_hood robin_hood;
  const char *simd;
  const struct iceberg_instance *instance;
  struct cuckoo cuckoo;
  const struct cuckoo_instance *cuckoo_instance; /* table/cuckoo.c */
  struct permutation_user user;                  /* copied from the configuration; view.permutation refers to it */
  void *memory;                                  /* shape.bytes; all zero: every slot empty */
  bool borrowed;                                 /* it is the caller's (table_adopt) */
};

/* For a scheme's open: the first n permutations that the configuration asks for. One of the library's user is copied
   into the table. Errors as permutation_make. */
floe_status table_permutations(const struct table_config *config, struct table *table, unsigned n,
                               struct permutation *out);

#endif
