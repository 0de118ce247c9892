#include "gpu/jit/kernel_text.h"

#include "gpu/kernel/base/emitter_text.h"
#include "gpu/kernel/base/machine_text.h"
#include "gpu/kernel/cycles/passes_text.h"
#include "gpu/kernel/cycles/step_emitter_text.h"
#include "gpu/kernel/explore/explore_text.h"
#include "gpu/kernel/explore/predecessors_text.h"
#include "gpu/kernel/host_backed/host_backed_set_text.h"
#include "gpu/kernel/table/ceilings_text.h"
#include "gpu/kernel/table/working_set_text.h"

#include "tables/permutation.h"

#include <assert.h>
#include <inttypes.h>

#define LEAST_BLOCKS 4

/* ---- explorations ------------------------------------------------------------------------------- */

static const char *geometry_settings(struct arena *arena, const char *prefix, const struct geometry *g) {
  return arena_printf(arena,
                      "#define %sSLOT_BITS %u\n"
                      "#define %sBUCKET_SLOTS %u\n"
                      "#define %sSECOND_SLOT_BITS %u\n"
                      "#define %sSECOND_BUCKET_SLOTS %u\n",
                      prefix, g->slot_bits, prefix, g->bucket_slots, prefix, g->second_slot_bits, prefix,
                      g->second_bucket_slots);
}

/* `user` NULL: there is no user-defined permutation, and these definitions are not used. */
static const char *permutation_settings(const struct permutation_user *user, struct arena *arena) {
  return arena_printf(arena,
                      "#define FLOE_PERMUTE(number, bits, key) (%s)\n"
                      "#define FLOE_UNPERMUTE(number, bits, key) (%s)\n",
                      user ? user->apply_text : "key", user ? user->invert_text : "key");
}

static const char *local_index_settings(const struct local_index *s, struct arena *arena) {
  if (!s->members)
    return "";
  return arena_printf(arena, "#define FLOE_LOCAL_INDEX {UINT64_C(%" PRIu64 "), UINT64_C(%" PRIu64 "), %u, %u, %u}\n",
                      s->mask, s->quotients, s->members, s->below, s->width);
}

const char *gpu_kernel_settings(const struct gpu_kernel_config *config, struct arena *arena) {
  assert(config->key_bits >= 1 && config->key_bits <= 64);
  assert(config->permutation < PERMUTATION_USER);
  const struct geometry *from = config->from.slot_bits ? &config->from : &config->geometry;
  return arena_printf(
      arena,
      "#define FLOE_KEY_BITS %u\n"
      "#define FLOE_PERMUTATION %u\n"
      "#define FLOE_LEAST_BLOCKS %u\n"
      "%s%s%s%s%s%s%s%s%s%s%s\n",
      config->multiword ? 63 : config->key_bits, config->permutation,
      config->least_blocks ? config->least_blocks : LEAST_BLOCKS,
      config->multiword ? arena_printf(arena, "#define FLOE_MULTIWORD %u\n", config->multiword) : "",
      config->index_keys ? "#define FLOE_INDEX_KEYS\n" : "", config->log ? "#define FLOE_LOG\n" : "",
      config->members ? "#define FLOE_MEMBERS\n" : "", local_index_settings(&config->local_index, arena),
      config->linked ? arena_printf(arena, "#define FLOE_LINKED %u\n", config->linked) : "",
      config->elsewhere ? "#define FLOE_ELSEWHERE\n" : "", config->device_cache ? "#define FLOE_DEVICE_CACHE\n" : "",
      permutation_settings(NULL, arena), geometry_settings(arena, "FLOE_", &config->geometry),
      geometry_settings(arena, "FLOE_FROM_", from));
}

static const struct gpu_scheme *explorer(const struct gpu_kernel_config *config) {
  const struct gpu_scheme *scheme = gpu_scheme_find(config->scheme);
  assert(scheme && scheme->visited);
  return scheme;
}

/* Before the emitter of a model's text. */
static const char *transient_setting(const struct gpu_kernel_config *config) {
  return config->transient ? "#define FLOE_TRANSIENT\n" : "";
}

/* Successors get their canonical forms in the buffer (flush_buffer). */
#define LATER "#define FLOE_CANONICAL(t) ((void)0)\n"

const char *gpu_kernel_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena) {
  const struct gpu_scheme *scheme = explorer(config);
  const char *settings = gpu_kernel_settings(config, arena);
  const char *machine = (const char *)machine_text, *visited = (const char *)scheme->visited;
  if (!code)
    return arena_printf(arena, "#define FLOE_TABLE_VIEW %s\n#define FLOE_REHASHES\n%s%s%s%s", scheme->view, settings,
                        machine, visited, (const char *)scheme->text);
  return arena_printf(arena, "%s%s%s%s" LATER "%s%s\n%s", settings, machine, visited, transient_setting(config),
                      (const char *)emitter_text, code, (const char *)explore_text);
}

static const char *set_text(const char *which, const struct gpu_kernel_config *config, struct arena *arena) {
  return arena_printf(arena, "#define %s\n%s%s%s", which, gpu_kernel_settings(config, arena),
                      (const char *)machine_text, (const char *)explorer(config)->visited);
}

/* If the scheme changes, the slot settings describe the source table. */
static const char *to_bitmap_text(const struct gpu_kernel_config *config, struct arena *arena) {
  const struct gpu_scheme *from = gpu_scheme_find(config->from_scheme);
  struct gpu_kernel_config reading = *config;
  assert(from && from->to_bitmap);
  reading.geometry = config->from;
  return arena_printf(arena, "#define FLOE_REHASHES\n%s%s%s", gpu_kernel_settings(&reading, arena),
                      (const char *)machine_text, (const char *)from->to_bitmap);
}

const char *gpu_kernel_rehash_text(const struct gpu_kernel_config *config, struct arena *arena) {
  if (config->from_scheme && gpu_scheme_find(config->from_scheme) != explorer(config))
    return to_bitmap_text(config, arena);
  return set_text("FLOE_REHASHES", config, arena);
}

const char *gpu_kernel_key_transfer_text(const struct gpu_kernel_config *config, struct arena *arena) {
  return set_text("FLOE_KEY_TRANSFER", config, arena);
}

const char *gpu_kernel_predecessors_text(const struct gpu_kernel_config *config, const char *code,
                                         struct arena *arena) {
  return arena_printf(arena, "%s%s%s%s%s%s\n%s",
                      config->multiword ? arena_printf(arena, "#define FLOE_MULTIWORD %u\n", config->multiword) : "",
                      config->index_keys ? "#define FLOE_INDEX_KEYS\n" : "", (const char *)machine_text,
                      transient_setting(config), (const char *)emitter_text, code, (const char *)predecessors_text);
}

const char *gpu_kernel_cycles_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena) {
  const struct gpu_scheme *scheme = explorer(config);
  assert(scheme->slots);
  return arena_printf(arena, "%s%s%s%s%s%s\n%s", gpu_kernel_settings(config, arena), (const char *)machine_text,
                      (const char *)scheme->visited, (const char *)scheme->slots, (const char *)step_emitter_text, code,
                      (const char *)passes_text);
}

const char *gpu_kernel_host_lookup_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena) {
  assert(!config->device_cache); /* floe_explore is compiled for the device cache, these kernels for the base */
  assert(config->index_keys == (code != NULL));
  return arena_printf(arena, "%s%s%s%s%s%s%s", gpu_kernel_settings(config, arena), (const char *)machine_text,
                      (const char *)explorer(config)->visited, code ? (const char *)emitter_text : "", code ? code : "",
                      code ? "\n" : "", (const char *)host_backed_set_text);
}

/* ---- tables alone ------------------------------------------------------------------------------- */

static unsigned permutation_kind_of(const struct table_config *config) {
  const struct permutation_user *user = config->permutation_user;
  unsigned kind = PERMUTATION_USER;
  floe_status status = permutation_kind(user ? "user" : config->permutation, user, &kind);
  assert(status == FLOE_OK);
  (void)status;
  return kind;
}

static const char *reduction_settings(const struct table_config *config, struct arena *arena) {
  const char *settings = arena_printf(arena, "#define FLOE_REDUCTION %u\n", (unsigned)config->reduction);
  if (config->reduction != TABLE_USER_REDUCTION || !config->reduce_text)
    return settings;
  return arena_printf(arena, "%s#define FLOE_REDUCE(present, added) (%s)\n", settings, config->reduce_text);
}

const char *gpu_table_text(const struct gpu_scheme *scheme, const struct table_config *config,
                           const struct table_shape *shape, struct arena *arena) {
  const struct geometry g = {shape->slot_bits, shape->bucket_slots, shape->second_slot_bits,
                             shape->second_bucket_slots};
  return arena_printf(arena,
                      "#define FLOE_TABLE_VIEW %s\n"
                      "#define FLOE_KEY_BITS %u\n"
                      "#define FLOE_PERMUTATION %u\n"
                      "#define FLOE_VALUE_BITS %u\n"
                      "#define FLOE_HASHES %u\n"
                      "#define FLOE_DELETES %u\n"
                      "%s%s%s%s%s",
                      scheme->view, shape->key_bits, permutation_kind_of(config), shape->value_bits, shape->hashes,
                      (unsigned)shape->deletes, reduction_settings(config, arena),
                      permutation_settings(config->permutation_user, arena), geometry_settings(arena, "FLOE_", &g),
                      (const char *)machine_text, (const char *)scheme->text);
}

const char *gpu_bench_kernels_text(struct arena *arena) {
  return arena_printf(arena, "%s%s", (const char *)machine_text, (const char *)ceilings_text);
}

const char *gpu_workset_text(struct arena *arena) {
  return arena_printf(arena, "%s%s", (const char *)machine_text, (const char *)working_set_text);
}
