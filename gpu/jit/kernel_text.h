/* Source text of kernels, for NVRTC: settings, the CUDA shim, the table's kernel C, the generated code of a model, and
   the kernels around them (gpu/kernel/base/control.h describes their entry points). */
#ifndef FLOE_GPU_JIT_KERNEL_TEXT_H
#define FLOE_GPU_JIT_KERNEL_TEXT_H

#include "core/arena.h"
#include "core/status.h"
#include "gpu/jit/scheme.h"
#include "tables/kernel/iceberg.h"
#include "tables/kernel/local_index.h"
#include "tables/table.h"

/* Most bytes per thread that floe_explore may spill to memory. Fewer resident blocks leave more registers, which pays
   only if many values are spilled: HAVi spilled some 60 bytes with 4 blocks per multiprocessor and explored 1.27 G
   states/s; 1.05 with 3 blocks and no spills, 0.86 with 2. */
enum { GPU_MOST_SPILLED = 128 };

struct gpu_kernel_config {
  const char *scheme; /* of the visited set, one that explores; NULL: the default one */
  unsigned key_bits;
  unsigned permutation;     /* enum permutation_kind of all three; not PERMUTATION_USER */
  struct geometry geometry; /* of the table; of a linear set slot_bits counts */
  struct geometry from;     /* of the table that floe_rehash reads; slot_bits 0: the same */
  const char *from_scheme;  /* of that table, if `scheme` is the bitmap's; NULL: `scheme` */
  unsigned least_blocks; /* resident blocks of floe_explore per multiprocessor that the compiler must allow for: 4 (64
                            registers per thread), 3 (80) .. 1; 0: 4. The host tries fewer if many registers spill */
  bool index_keys;       /* keys are index keys (step/layout/index_key.h) */
  uint32_t multiword;    /* words of a state, if keys stand for roots of a tree (tree/kernel/tree.h): the kernels accept
                            keys    of any number of bits. 0: keys are states or index keys */
  bool transient;        /* the model has transient states */
  bool log;              /* floe_explore and floe_insert record every key they look up */
  bool members;    /* one of several members: floe_explore writes states of other members to outboxes; floe_receive */
  unsigned linked; /* members whose devices reach each other's memory: keys, of less than 64 bits, go to mailboxes;
                      0: none */
  bool elsewhere;  /* the group has members besides these */
  struct local_index
      local_index;   /* owners of keys, and the numbers of a member's own keys in a set with a slot for every
                        key. Without members: struct gpu_outboxes determines owners, and every key is present */
  bool device_cache; /* floe_explore looks up keys in the device cache of a host-backed visited set, level 1 of an
                        iceberg table: `scheme` is iceberg */
};

/* The settings alone: definitions at the start of the text. */
const char *gpu_kernel_settings(const struct gpu_kernel_config *config, struct arena *arena);

/* `code`: the model's generated text (codegen_text): floe_explore and floe_insert. NULL: floe_rehash and the kernels on
   arrays of keys. The text lives in `arena`, whose guard must be active. */
const char *gpu_kernel_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena);
/* floe_rehash alone: a run that does not grow needs none. */
const char *gpu_kernel_rehash_text(const struct gpu_kernel_config *config, struct arena *arena);
/* floe_export_keys and floe_import_keys, for tables of config.geometry. */
const char *gpu_kernel_key_transfer_text(const struct gpu_kernel_config *config, struct arena *arena);

/* floe_predecessors; of the configuration only index_keys and multiword count. `code` as for gpu_kernel_text. */
const char *gpu_kernel_predecessors_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena);

/* The kernels of gpu/kernel/cycles/passes.h, for a table whose scheme has numbers of keys. `code` as for
   gpu_kernel_text, of a product (model/temporal/product.h). */
const char *gpu_kernel_cycles_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena);

/* The kernels that look up candidates of a host-backed visited set (gpu/kernel/host_backed/host_backed_set.h); `config`
   describes the device base's table. `code`: with index keys the model's text or that of codegen_key_text; else NULL.
 */
const char *gpu_kernel_host_lookup_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena);

/* The kernels of a scheme for arrays of keys. `shape`: of table_plan with this configuration, whose permutation is
   one of permutation_names(), or a user-defined one with its texts. The arena's guard must be active. */
const char *gpu_table_text(const struct gpu_scheme *scheme, const struct table_config *config,
                           const struct table_shape *shape, struct arena *arena);

/* The kernels of gpu/kernel/table/bench_keys.h and gpu/kernel/table/ceilings.h, for tables of all kinds. */
const char *gpu_bench_kernels_text(struct arena *arena);

/* The kernels of gpu/kernel/table/working_set.h. */
const char *gpu_workset_text(struct arena *arena);

#endif
