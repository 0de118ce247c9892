/* Host side of the permutations: names, constants from a seed, permutations of the library's user. */
#ifndef FLOE_TABLES_PERMUTATION_H
#define FLOE_TABLES_PERMUTATION_H

#include "core/status.h"
#include "tables/kernel/permutation.h"

/* A permutation given by the library's user: for each `number` (0, 1, 2; of a cuckoo table those below
   table_shape.hashes) a bijection of [0, 2^bits) and its inverse. Several threads call it at once. */
struct permutation_user {
  uint64_t (*apply)(void *data, unsigned number, unsigned bits, uint64_t key);
  uint64_t (*invert)(void *data, unsigned number, unsigned bits, uint64_t key);
  void *data;
  const char *apply_text,
      *invert_text; /* the same for a device: C expressions of `number`, `bits` and `key`; NULL: none */
};

/* The kind (enum permutation_kind) of a family; arguments and errors as permutation_make. */
floe_status permutation_kind(const char *name, const struct permutation_user *user, unsigned *kind);

/* Makes permutation `number` of a family: `name` of permutation_names(), NULL: the default, "user": `user`. bits:
   1..64. FLOE_ERROR_USAGE: no such name, or "user" without one. Keeps a pointer to `user`. */
floe_status permutation_make(const char *name, unsigned bits, uint64_t seed, unsigned number,
                             const struct permutation_user *user, struct permutation *out);

#endif
