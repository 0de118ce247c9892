/* Kernels of a search: generates the text for a kind of table, compiles it and determines the grids. */
#ifndef FLOE_GPU_ENGINE_SEARCH_KERNELS_H
#define FLOE_GPU_ENGINE_SEARCH_KERNELS_H

#include "core/status.h"

#include <stdbool.h>

struct device_table;
struct geometry;
struct gpu_search;
struct host_lookup;
struct search_kernels;
struct stop;
struct table_kind;

struct table_kind kernels_kind(const struct device_table *table);
bool kernels_same_kind(const struct table_kind *a, const struct table_kind *b);

/* Exploration and insertion, for tables of that kind. Errors as engine_gpu's. */
floe_status kernels_make(struct gpu_search *self, const struct table_kind *kind, struct search_kernels *out);
/* A search that has taken some seconds compiles exploration for fewer resident blocks, if too much is spilled: shorter
   searches would take longer to compile than to explore. Between launches. */
floe_status kernels_improve(struct gpu_search *self);
/* Moves keys from tables of the kind `from`. */
floe_status kernels_make_rehash(struct gpu_search *self, const struct table_kind *kind, const struct table_kind *from,
                                struct search_kernels *out);
/* Keys of a table to and from arrays. */
floe_status kernels_make_transfer(struct gpu_search *self, const struct table_kind *kind, struct search_kernels *out);
/* floe_predecessors, as out->explore; `stop` cancels the compiler. cached_only: FLOE_ERROR_UNSUPPORTED, not logged, if
   it would have to be compiled. */
floe_status kernels_make_predecessors(struct gpu_search *self, const struct stop *stop, bool cached_only,
                                      struct search_kernels *out);
/* The passes for accepting cycles, for the table that the search has. */
floe_status kernels_make_cycles(struct gpu_search *self, struct search_kernels *out);
/* Host-backed visited set: exploration with the device cache of that geometry as table; and the kernels between device
   and host, for the table that the search has, or none. */
floe_status kernels_make_device_cache(struct gpu_search *self, const struct geometry *device_cache,
                                      struct search_kernels *out);
floe_status kernels_make_host_lookup(struct gpu_search *self, const struct geometry *device_cache,
                                     struct host_lookup *out);
void kernels_free(struct search_kernels *kernels);

/* Most blocks of floe_explore, so that the grids of all members on this GPU are resident at once. */
unsigned kernels_resident_blocks(const struct gpu_search *self);

#endif
