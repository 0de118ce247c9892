#include "gpu/kernel_text.h"

#include "gpu/kernel/explore_text.h"
#include "gpu/kernel/iceberg_arrays_text.h"
#include "gpu/kernel/machine_text.h"
#include "gpu/kernel/sink_text.h"
#include "gpu/kernel/table_text.h"

#include <assert.h>

#define LEAST_BLOCKS 3

static const char *geometry_settings(struct arena *arena, const char *prefix,
                                     const struct geometry *g) {
  return arena_printf(arena,
                      "#define %sSLOT_BITS %u\n"
                      "#define %sBUCKET_SLOTS %u\n"
                      "#define %sSECOND_SLOT_BITS %u\n"
                      "#define %sSECOND_BUCKET_SLOTS %u\n",
                      prefix, g->slot_bits, prefix, g->bucket_slots, prefix, g->second_slot_bits,
                      prefix, g->second_bucket_slots);
}

const char *gpu_kernel_settings(const struct gpu_kernel_config *config, struct arena *arena) {
  assert(config->key_bits >= 1 && config->key_bits <= 64);
  assert(config->permutation < PERMUTATION_USER);
  assert((config->filter & (config->filter - 1)) == 0 && !(config->filter && config->log));
  const struct geometry *from = config->from.slot_bits ? &config->from : &config->geometry;
  return arena_printf(arena,
                      "#define FLOE_KEY_BITS %u\n"
                      "#define FLOE_PERMUTATION %u\n"
                      "#define FLOE_LEAST_BLOCKS %u\n"
                      "#define FLOE_FILTER %u\n"
                      "%s%s%s%s\n",
                      config->key_bits, config->permutation,
                      config->least_blocks ? config->least_blocks : LEAST_BLOCKS,
                      config->filter, config->log ? "#define FLOE_LOG\n" : "",
                      config->claim_words ? "#define FLOE_CLAIM_WORDS\n" : "",
                      geometry_settings(arena, "FLOE_", &config->geometry),
                      geometry_settings(arena, "FLOE_FROM_", from));
}

const char *gpu_kernel_text(const struct gpu_kernel_config *config, const char *code,
                            struct arena *arena) {
  const char *settings = gpu_kernel_settings(config, arena);
  const char *machine = (const char *)machine_text, *table = (const char *)table_text;
  if (!code)
    return arena_printf(arena, "%s%s%s%s", settings, machine, table,
                        (const char *)iceberg_arrays_text);
  /* The table's kernels for arrays take a fifth of the compiler's time. */
  return arena_printf(arena, "#define FLOE_EXPLORES\n%s%s%s%s%s\n%s", settings, machine, table,
                      (const char *)sink_text, code, (const char *)explore_text);
}
