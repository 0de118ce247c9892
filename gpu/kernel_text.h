/* The text that NVRTC compiles: settings, the machine's shim, the table's kernel C, the generated code of a model,
   and the kernels around them (gpu/kernel/control.h tells their entry points). */
#ifndef FLOE_KERNEL_TEXT_H
#define FLOE_KERNEL_TEXT_H

#include "core/arena.h"
#include "core/status.h"
#include "table/kernel/iceberg.h"
#include "table/table.h"

/* Bytes a thread that floe_explore may keep in memory for want of registers. Fewer resident blocks leave more
   registers, but that is worth it only where it takes many values out of memory: HAVi had some 60 bytes there with 4
   blocks a multiprocessor, and explored 1.27 G states/s; 1.05 with 3 blocks and none, 0.86 with 2. */
enum { GPU_MOST_SPILLED = 128 };

struct gpu_kernel_config {
  const char *scheme; /* of the visited set, one that explores; NULL: the default one */
  unsigned key_bits;
  unsigned permutation;     /* enum permutation_kind of all three; not PERMUTATION_USER */
  struct geometry geometry; /* of the table; of a linear set slot_bits counts */
  struct geometry from;     /* of the one that floe_rehash reads; slot_bits 0: the same */
  unsigned least_blocks;    /* resident blocks of floe_explore on a multiprocessor that the compiler must allow for:
                               4 (64 registers a thread), 3 (80) .. 1; 0: 4. The host tries fewer when many registers
                               spill */
  bool log;                 /* floe_explore and floe_insert record every key they look up */
};

/* The settings alone: definitions at the beginning of the text. */
const char *gpu_kernel_settings(const struct gpu_kernel_config *config, struct arena *arena);

/* `code`: the model's generated text (codegen_text): floe_explore and floe_insert. NULL: floe_rehash and the kernels on
   arrays of keys. The text lives in `arena`, whose guard must be active. */
const char *gpu_kernel_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena);
/* floe_rehash alone: a run that does not grow needs none. */
const char *gpu_kernel_move_text(const struct gpu_kernel_config *config, struct arena *arena);

/* The kernels for arrays of keys of one scheme: gpu/kernel/<scheme>_arrays.h with this table's settings in front. Entry
   points floe_table_<operation>, of those that the scheme has on a GPU, all with the parameters
     (struct VIEW table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers)
   of which the view is what table_place gives. Each does what table_run does with that operation. */
struct gpu_scheme {
  const char *scheme;
  const char *view;             /* "struct iceberg" */
  const unsigned char *text;    /* of gpu/kernel/<scheme>_arrays.h */
  const unsigned char *visited; /* what the text of an exploration has of it; NULL: the scheme does not explore */
  int least_arch_wide;          /* with slots or pairs of 128 bits; 0: it has none */
  bool counts_in_32_bits;       /* the kernels number buckets in 32 bits */
  bool has_reduce_text;         /* they add by table_config.reduce_text */
};
/* NULL: the scheme has no kernels. `scheme`: NULL for the default one. */
const struct gpu_scheme *gpu_scheme_find(const char *scheme);
/* "find_or_put" of floe_table_find_or_put */
const char *gpu_operation_word(enum table_operation operation);
/* The text has that entry point. */
bool gpu_scheme_has(const struct gpu_scheme *scheme, enum table_operation operation);
/* `shape`: of table_plan with this configuration, whose permutation is one of permutation_names(), or the user's with
   its texts. The arena's guard must be active. */
const char *gpu_table_text(const struct gpu_scheme *scheme, const struct table_config *config,
                           const struct table_shape *shape, struct arena *arena);

/* The kernels of gpu/kernel/keys.h and gpu/kernel/ceilings.h, for tables of all kinds. */
const char *gpu_tools_text(struct arena *arena);

#endif
