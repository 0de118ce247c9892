/* Interface of a table scheme to tables/table.h: each scheme is one `const struct table_scheme`, listed in
   schemes.c. No other code compares names of schemes. All memory of a table is one block of shape.bytes, zero when
   the table is empty, on the host or on a device. `place` makes the struct that kernels get by value, for memory at
   any address. */
#ifndef FLOE_TABLES_SCHEME_H
#define FLOE_TABLES_SCHEME_H

#include "tables/table.h"

struct table_scheme {
  const char *name;
  struct table_traits traits;
  size_t state_bytes; /* size of the scheme's state beside the table's memory (host_table.h); zero before `open` */
  double fill;        /* 0: TABLE_FILL; else the part of the slots to fill before a larger table is made (table_fill) */
  /* Why tables of this configuration lack the operation, as a phrase; NULL: they have it. */
  const char *(*cannot)(const struct table_config *config, enum table_operation operation);
  /* As table_plan; config->scheme is this one. */
  floe_status (*plan)(const struct table_config *config, struct table_shape *out);
  /* Sets up permutations and compiled forms. table->shape and the copied configuration are set; no memory yet. */
  floe_status (*open)(const struct table_config *config, struct table *table);
  /* Writes the kernels' struct for memory at `memory` to `out`, which has room for TABLE_VIEW_BYTES. Returns its
     size. */
  size_t (*place)(const struct table *table, void *memory, void *out);
  /* Prepares the operations once table->memory is set. */
  void (*start)(struct table *table);
  size_t (*run)(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                uint8_t *answers);
  void (*stats)(const struct table *table, struct table_stats *out);
  void (*each)(const struct table *table, unsigned part, unsigned parts,
               void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
  /* `to` is of the same scheme, with keys and values of the same widths. */
  uint64_t (*rehash)(const struct table *from, struct table *to, unsigned part, unsigned parts);
  uint64_t (*check)(const struct table *table);
  /* Optional, else NULL; as the functions of tables/table.h. */
  void (*distances)(const struct table *table, struct table_distances *out);
  floe_status (*sorted_find_or_put)(struct table *table, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                                    size_t *full);
  floe_status (*first_overflow)(const struct table_config *config, uint64_t seed, struct table_overflow *out);
  /* These two exactly for schemes whose traits have `stable`. */
  size_t (*find_or_put_slots)(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers, uint64_t *slots);
  uint64_t (*key_at)(const struct table *table, uint64_t slot);
};

enum { TABLE_VIEW_BYTES = 1024 };

extern const struct table_scheme iceberg_scheme, linear_scheme, bitmap_scheme, cuckoo_scheme, robin_hood_scheme;

/* The i-th scheme of the registry, the default one first; NULL after the last. */
const struct table_scheme *table_scheme_at(size_t i);
/* NULL for `name`: the default one. Returns NULL if no scheme has the name. */
const struct table_scheme *table_scheme_find(const char *name);
/* Adds a scheme of a test program, as the last one. Call it once, before any other function. */
void table_scheme_add(const struct table_scheme *scheme);

/* A table without memory of its own, for memory elsewhere (on a device): table_place gives the view. table_adopt
   sets memory for the functions that are not concurrent. The caller owns that memory, which begins at a cache line. */
floe_status table_open(const struct table_config *config, struct table **out);
/* As table_open, with a given shape of the configuration's scheme and keys. If the host has no compiled form for it
   (tables/iceberg/iceberg_forms.h), the table can only be placed. */
floe_status table_open_as(const struct table_config *config, const struct table_shape *shape, struct table **out);
/* table_create with a shape from table_plan: for many tables of one shape, because planning takes longer than
   creating one. */
floe_status table_create_as(const struct table_config *config, const struct table_shape *shape, struct table **out);
size_t table_place(const struct table *table, void *memory, void *out);
void table_adopt(struct table *table, void *memory);
/* The memory, shape.bytes long; NULL: none. The caller may fill it with the content of another table of the same
   configuration. */
void *table_memory(struct table *table);

#endif
