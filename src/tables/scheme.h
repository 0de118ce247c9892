/* What a scheme gives the seam (tables/table.h); each is one `const struct table_scheme`, listed in schemes.c. It says
   everything about itself: nobody else compares names.
   All memory of a table is one piece of shape.bytes that is zero when the table is empty, on the host or on a device:
   `place` makes the struct that kernels get by value, for memory at any address. */
#ifndef FLOE_TABLE_SCHEME_H
#define FLOE_TABLE_SCHEME_H

#include "tables/table.h"

struct table_scheme {
  const char *name;
  struct table_traits traits;
  size_t state_bytes; /* of what it keeps for a table beside the table's memory (host_table.h); zero before `open` */
  double fill; /* 0: TABLE_FILL; else the part of the slots to be filled before a larger table is made (table_fill) */
  /* NULL: tables of this configuration have it; else why not, as a phrase. */
  const char *(*cannot)(const struct table_config *config, enum table_operation operation);
  /* As table_plan; config->scheme is this one. */
  floe_status (*plan)(const struct table_config *config, struct table_shape *out);
  /* table->shape and the copied configuration are set, there is no memory yet: permutations, compiled forms. */
  floe_status (*open)(const struct table_config *config, struct table *table);
  /* The kernels' struct for memory at `memory`: `out` has room for TABLE_VIEW_BYTES. Returns its size. */
  size_t (*place)(const struct table *table, void *memory, void *out);
  /* The memory is there: what the operations need. */
  void (*start)(struct table *table);
  size_t (*run)(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                uint8_t *answers);
  void (*stats)(const struct table *table, struct table_stats *out);
  void (*each)(const struct table *table, unsigned part, unsigned parts,
               void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
  /* `to` can take them: of the same scheme, with keys and values of the same widths. */
  uint64_t (*rehash)(const struct table *from, struct table *to, unsigned part, unsigned parts);
  uint64_t (*check)(const struct table *table);
  /* What not every scheme has, else NULL; as the functions of tables/table.h. */
  void (*distances)(const struct table *table, struct table_distances *out);
  floe_status (*sorted_find_or_put)(struct table *table, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                                    size_t *full);
  floe_status (*first_overflow)(const struct table_config *config, uint64_t seed, struct table_overflow *out);
  /* These two: of schemes whose traits say `stable`, and of no others. */
  size_t (*find_or_put_slots)(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers, uint64_t *slots);
  uint64_t (*key_at)(const struct table *table, uint64_t slot);
};

enum { TABLE_VIEW_BYTES = 1024 };

extern const struct table_scheme iceberg_scheme, linear_scheme, bitmap_scheme, cuckoo_scheme, robin_hood_scheme;

/* The i-th of the registry, the default one first; NULL after the last. */
const struct table_scheme *table_scheme_at(size_t i);
/* NULL for `name`: the default one. NULL: there is none of that name. */
const struct table_scheme *table_scheme_find(const char *name);
/* A scheme of a test program's own takes part from now on, as the last one. Once, before the first other call. */
void table_scheme_add(const struct table_scheme *scheme);

/* A table without memory of its own, to plan and fill one elsewhere (on a device): table_place gives the view, and
   table_adopt the memory for the functions that are not concurrent (the caller's, not freed with the table; it begins
   at a cache line). */
floe_status table_open(const struct table_config *config, struct table **out);
/* The same in a shape that is chosen already, of the configuration's scheme and keys. Where the host has no compiled
   form for it (tables/iceberg/iceberg_forms.h) it can only be placed. */
floe_status table_open_as(const struct table_config *config, const struct table_shape *shape, struct table **out);
/* table_create in a shape that table_plan gave for the configuration: for many tables alike, as planning takes longer
   than making one. */
floe_status table_create_as(const struct table_config *config, const struct table_shape *shape, struct table **out);
size_t table_place(const struct table *table, void *memory, void *out);
void table_adopt(struct table *table, void *memory);
/* shape.bytes of them; NULL: it has none. To be filled with what another table of the same configuration holds. */
void *table_memory(struct table *table);

#endif
