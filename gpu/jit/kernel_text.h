/* The text that NVRTC compiles: settings, the machine's shim, the table's kernel C, the generated code of a model,
   and the kernels around them (gpu/kernel/base/control.h tells their entry points). */
#ifndef FLOE_KERNEL_TEXT_H
#define FLOE_KERNEL_TEXT_H

#include "core/arena.h"
#include "core/status.h"
#include "gpu/jit/scheme.h"
#include "tables/kernel/iceberg.h"
#include "tables/kernel/local_index.h"
#include "tables/table.h"

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
  const char *from_scheme;  /* of that one, where `scheme` is the bitmap's; NULL: `scheme` */
  unsigned least_blocks;    /* resident blocks of floe_explore on a multiprocessor that the compiler must allow for:
                               4 (64 registers a thread), 3 (80) .. 1; 0: 4. The host tries fewer when many registers
                               spill */
  bool index_keys;              /* keys are ranks (step/layout/index_key.h) */
  uint32_t wide;   /* words of a state, where keys stand for roots of a tree (tree/kernel/tree.h): the kernels are
                      for keys of any number of bits. 0: they do not */
  bool log;        /* floe_explore and floe_insert record every key they look up */
  bool members;    /* floe_explore leaves states of other members of a group in outboxes; floe_receive */
  unsigned linked; /* members whose devices reach each other's memory: it sends keys, of less than 64 bits, to
                      mailboxes; 0: none do */
  bool elsewhere;  /* the group has members besides these */
  struct local_index shares; /* whose keys are, and the numbers of a member's own in a set with a place for each; without
                               members: by struct gpu_outboxes, and all are there */
  bool two_levels; /* floe_explore looks at the newest part of a visited set of two levels, of level 1 of an iceberg
                      table: `scheme` is that */
};

/* The settings alone: definitions at the beginning of the text. */
const char *gpu_kernel_settings(const struct gpu_kernel_config *config, struct arena *arena);

/* `code`: the model's generated text (codegen_text): floe_explore and floe_insert. NULL: floe_rehash and the kernels on
   arrays of keys. The text lives in `arena`, whose guard must be active. */
const char *gpu_kernel_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena);
/* floe_rehash alone: a run that does not grow needs none. */
const char *gpu_kernel_move_text(const struct gpu_kernel_config *config, struct arena *arena);
/* floe_export_keys and floe_import_keys, of tables of config.geometry. */
const char *gpu_kernel_content_text(const struct gpu_kernel_config *config, struct arena *arena);

/* The kernels between the levels of a visited set (gpu/kernel/host_backed/host_backed_set.h), for oldest keys in a table of `config`.
   `code`: where that is ranked, the model's text or that of codegen_key_text; else NULL. */
const char *gpu_kernel_ask_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena);

/* The kernels of a scheme for arrays of keys. `shape`: of table_plan with this configuration, whose permutation is one
   of permutation_names(), or the user's with its texts. The arena's guard must be active. */
const char *gpu_table_text(const struct gpu_scheme *scheme, const struct table_config *config,
                           const struct table_shape *shape, struct arena *arena);

/* The kernels of gpu/kernel/table/bench_keys.h and gpu/kernel/table/ceilings.h, for tables of all kinds. */
const char *gpu_bench_kernels_text(struct arena *arena);

/* The kernels of gpu/kernel/table/working_set.h. */
const char *gpu_workset_text(struct arena *arena);

#endif
