#include "fake_parts.h"

#include "engine/engine.h"
#include "gpu/jit/build.h"
#include "gpu/jit/kernel_text.h"
#include "tables/bitmap/bitmap.h"
#include "tables/iceberg/iceberg.h"
#include "tables/linear/linear.h"

#include "gpu/kernel/base/control.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum kernel { EXPLORE, INSERT, REHASH, EXPORT, LOAD, KERNELS };

struct gpu_function {
  enum kernel kernel;
  const struct gpu_module *module;
};

struct gpu_module {
  struct gpu_kernel_config config;
  bool explores;
  struct gpu_function functions[KERNELS];
};

/* ---- modules --------------------------------------------------------------------------------- */

/* The kernel text is the configuration itself. */
struct fake_text {
  struct gpu_kernel_config config;
  bool explores;
};

const char *gpu_kernel_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena) {
  struct fake_text *text = arena_alloc(arena, sizeof *text);
  text->config = *config;
  text->explores = code != NULL;
  return (const char *)text;
}

const char *gpu_kernel_rehash_text(const struct gpu_kernel_config *config, struct arena *arena) {
  return gpu_kernel_text(config, NULL, arena);
}

const char *gpu_kernel_key_transfer_text(const struct gpu_kernel_config *config, struct arena *arena) {
  return gpu_kernel_text(config, NULL, arena);
}

/* No such kernel here: paths are found on the host. */
const char *gpu_kernel_predecessors_text(const struct gpu_kernel_config *config, const char *code,
                                         struct arena *arena) {
  (void)config, (void)code, (void)arena;
  return NULL;
}

/* No such kernels here: no product is searched. */
const char *gpu_kernel_cycles_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena) {
  (void)config, (void)code, (void)arena;
  return NULL;
}

/* No such kernels here: the search ends when the device is full. */
const char *gpu_kernel_host_lookup_text(const struct gpu_kernel_config *config, const char *code, struct arena *arena) {
  (void)config, (void)code, (void)arena;
  return NULL;
}

/* Outside of groups, exploration spills less with fewer resident blocks, and enough less with two. */
static char *report(const struct gpu_kernel_config *config) {
  static char reports[][80] = {[0] = "'floe_explore' 400 bytes spill stores",
                               [1] = "'floe_explore' 0 bytes spill stores",
                               [2] = "'floe_explore' 100 bytes spill stores",
                               [3] = "'floe_explore' 200 bytes spill stores"};
  return config->members || config->least_blocks > 3 ? NULL : reports[config->least_blocks];
}

floe_status gpu_build(struct gpu *gpu, const struct gpu_source *source, const char *cache_dir, floe_log *log,
                      struct gpu_module **out, struct gpu_binary *binary) {
  (void)cache_dir, (void)log;
  const struct fake_text *text = (const struct fake_text *)(const void *)source->texts[0];
  if (!text) /* floe_predecessors */
    return source->cached_only ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_MEMORY;
  if (gpu->settings.stop_build && gpu->counts.builds + 1 == gpu->settings.stop_build) {
    atomic_store(gpu->settings.interrupt, true);
    return FLOE_ERROR_UNSUPPORTED;
  }
  struct gpu_module *module = calloc(1, sizeof *module);
  *module = (struct gpu_module){.config = text->config, .explores = text->explores};
  if (!module->config.from.slot_bits)
    module->config.from = module->config.geometry;
  for (unsigned i = 0; i < KERNELS; i++)
    module->functions[i] = (struct gpu_function){(enum kernel)i, module};
  *binary = (struct gpu_binary){.cached = gpu->counts.builds % 2 == 0, .report = report(&text->config)};
  gpu->counts.builds++;
  *out = module;
  return FLOE_OK;
}
void gpu_binary_free(struct gpu_binary *binary) { (void)binary; }
void gpu_module_free(struct gpu_module *module) { free(module); }

floe_status gpu_function_find(struct gpu_module *module, const char *name, struct gpu_function **out) {
  static const char *const names[] = {"floe_explore", "floe_insert", "floe_rehash", "floe_export_keys",
                                      "floe_import_keys"};
  for (unsigned i = 0; i < KERNELS; i++)
    if (strcmp(name, names[i]) == 0 && (module->explores || i >= REHASH)) {
      *out = &module->functions[i];
      return FLOE_OK;
    }
  return FLOE_ERROR_INTERNAL;
}
floe_status gpu_function_describe(struct gpu *gpu, struct gpu_function *function, struct gpu_function_info *out) {
  (void)gpu, (void)function;
  *out = (struct gpu_function_info){.local_bytes = 16};
  return FLOE_OK;
}
floe_status gpu_occupancy(struct gpu *gpu, struct gpu_function *function, unsigned threads, size_t shared_bytes,
                          unsigned *blocks) {
  (void)gpu, (void)function, (void)shared_bytes;
  assert(threads == GPU_BLOCK);
  *blocks = 2;
  return FLOE_OK;
}

/* ---- the kernels ----------------------------------------------------------------------------- */

/* Visited set in the form passed to kernels. */
struct visited {
  bool is_linear, is_bitmap;
  struct geometry geometry;
  struct iceberg iceberg;
  struct linear linear;
  struct bitmap bitmap;
};

struct launch {
  struct gpu *gpu;
  struct visited table;
  struct gpu_space space;
  struct gpu_control *control;
  bool logs;
  unsigned blocks;
  bool refuses;  /* this round may refuse keys although there is room */
  uint64_t room; /* for states and refused keys in this round */
};

static struct visited visited_at(const void *argument, const char *scheme, struct geometry geometry) {
  struct visited table = {
      .is_linear = strcmp(scheme, "linear") == 0, .is_bitmap = strcmp(scheme, "bitmap") == 0, .geometry = geometry};
  if (table.is_bitmap)
    table.bitmap = *(const struct bitmap *)argument;
  else if (table.is_linear)
    table.linear = *(const struct linear *)argument;
  else
    table.iceberg = *(const struct iceberg *)argument;
  return table;
}

static const struct permutation *permutation_of(const struct visited *table) {
  return table->is_linear ? &table->linear.permutation : &table->iceberg.permutation[0];
}

static enum table_answer bitmap_answer_one(const struct bitmap *table, uint64_t key) {
  uint32_t *const word = &table->words[key / BITMAP_WORD_BITS];
  const uint32_t bit = UINT32_C(1) << key % BITMAP_WORD_BITS, seen = *word;
  assert(key < table->keys);
  *word |= bit;
  return seen & bit ? TABLE_FOUND : TABLE_PUT;
}

/* Bitmaps are used with put only. */
static enum table_answer answer(const struct visited *table, uint64_t key, bool put) {
  if (table->is_bitmap)
    return bitmap_answer_one(&table->bitmap, key);
  if (!table->is_linear)
    return (enum table_answer)iceberg_answer_one(&table->iceberg, key, table->geometry, put);
  const uint64_t permuted = permutation_apply(permutation_of(table), key);
  const unsigned bits = table->geometry.slot_bits;
  return (enum table_answer)linear_set_put(&table->linear, linear_begin(&table->linear, key, permuted, bits), bits,
                                           put);
}

static uint64_t slots_of(const struct visited *table) {
  return table->is_linear ? table->linear.capacity
                          : table->iceberg.first_quotient.divisor * table->geometry.bucket_slots;
}

static void put_key(struct launch *l, uint64_t key) {
  struct gpu_control *c = l->control;
  assert(l->room-- > 0);
  const bool refused = l->refuses && fake_chance(l->gpu) < l->gpu->settings.full_percent;
  enum table_answer said = answer(&l->table, key, !refused);
  if (refused && said != TABLE_FOUND)
    said = TABLE_FULL;
  if (said == TABLE_FULL) {
    l->space.pending[c->pending_count++] = key;
    l->gpu->counts.refused++;
    return;
  }
  if (l->logs) {
    assert(c->log_count < l->space.log_capacity);
    l->space.log[c->log_count++] = key;
  }
  if (said == TABLE_FOUND)
    return;
  assert(c->next_end - c->level.current <= l->space.ring_mask); /* no unexpanded state is overwritten */
  l->space.ring[c->next_end++ & l->space.ring_mask] = key;
  l->gpu->counts.wrapped += (c->next_end & l->space.ring_mask) == 0;
  c->results.checksum += engine_state_mix(&key, 1);
}

struct trigger {
  struct gpu_control *control;
  const uint64_t *states;
};

static void on_trigger(void *user, size_t index, uint64_t properties, struct step_error error) {
  struct trigger *trigger = user;
  struct gpu_control *c = trigger->control;
  (void)error;
  c->level.triggered |= properties & c->level.requested_properties;
  for (properties &= c->level.requested_properties; properties; properties &= properties - 1) {
    unsigned i = (unsigned)__builtin_ctzll(properties);
    if (trigger->states[index] < c->results.witness[i])
      c->results.witness[i] = trigger->states[index];
  }
}

/* Keys may be refused while there are more of them than slots. */
static bool may_refuse(struct launch *l) {
  return !l->table.is_bitmap && slots_of(&l->table) / 2 < permutation_of(&l->table)->mask / 4 &&
         fake_chance(l->gpu) < 5;
}

/* The states that all warps fetch at once: they find at most gpu_slack. */
static void do_round(struct launch *l) {
  const struct stepper *stepper = l->gpu->settings.stepper;
  struct gpu_control *c = l->control;
  uint64_t n = c->level.current_end - c->level.current, most = (uint64_t)l->blocks * GPU_BLOCK;
  n = n < most ? n : most;
  uint64_t *states = malloc(n * sizeof *states + 8);
  for (uint64_t i = 0; i < n; i++)
    states[i] = l->space.ring[(c->level.current + i) & l->space.ring_mask];
  struct trigger trigger = {c, states};
  struct step_block block = {.states = states,
                             .count = n,
                             .capacity = n * stepper->max_successors,
                             .fired = l->space.fired,
                             .requested_properties = c->level.requested_properties,
                             .errors_only = c->level.errors_only,
                             .properties_only = c->level.properties_only,
                             .on_trigger = on_trigger,
                             .user = &trigger};
  block.successors = malloc(block.capacity * sizeof *block.successors + 8);
  stepper->expand_block(stepper, &block);
  assert(block.next == n);
  l->room = gpu_slack((uint64_t)l->blocks * GPU_WARPS, stepper->max_successors);
  l->refuses = may_refuse(l);
  for (size_t i = 0; i < block.produced; i++)
    put_key(l, block.successors[i]);
  c->level.current += n;
  c->results.transitions += block.produced;
  c->results.deadlocks += block.deadlocks;
  c->results.failed |= block.failed;
  if (block.firing_failed && c->results.firing_failed_depth == UINT32_MAX)
    c->results.firing_failed_depth = c->level.depth;
  if (block.max_out_degree > c->results.max_out_degree)
    c->results.max_out_degree = block.max_out_degree;
  free(block.successors);
  free(states);
}

static uint64_t states_of(const struct gpu_control *c) {
  return c->level.states_before + (c->next_end - c->level.next);
}

static uint32_t stops(struct launch *l) {
  const struct gpu_control *c = l->control;
  uint32_t left = 0;
  if (states_of(c) >= c->level.grow_at)
    left |= GPU_EXIT_GROW;
  if (c->pending_count)
    left |= GPU_EXIT_FULL;
  if (c->next_end - c->level.current > l->space.ring_mask + 1 - c->level.slack)
    left |= GPU_EXIT_QUEUE;
  if (l->logs && c->log_count > l->space.log_capacity - gpu_slack((uint64_t)l->blocks * GPU_WARPS,
                                                                  l->gpu->settings.stepper->max_successors))
    left |= GPU_EXIT_LOG;
  if (fake_chance(l->gpu) < l->gpu->settings.stop_percent)
    left |= GPU_EXIT_TIME;
  return left;
}

static uint32_t close_level(struct launch *l) {
  struct gpu_control *c = l->control;
  const uint64_t size = c->next_end - c->level.next;
  uint32_t left = c->level.triggered & c->level.requested_properties ? GPU_EXIT_TRIGGERED : 0;
  c->level.states_before += size;
  c->level.current = c->level.next;
  c->level.current_end = c->level.next = c->next_end;
  if (size == 0)
    return left | GPU_EXIT_EMPTY;
  l->space.level_states[c->level.level_count++] = size;
  c->level.depth++;
  if (c->level.depth == c->level.depth_limit)
    left |= GPU_EXIT_DEPTH;
  if (c->level.states_before > c->level.max_states)
    left |= GPU_EXIT_STATES;
  if (c->level.level_count == l->space.level_capacity)
    left |= GPU_EXIT_LEVELS;
  return left;
}

static void explore(struct launch *l) {
  struct gpu_control *c = l->control;
  assert(c->pending_count == 0 && c->level.level_count < l->space.level_capacity);
  assert(c->level.current <= c->level.current_end && c->level.current_end <= c->level.next &&
         c->level.next <= c->next_end);
  assert(!c->level.properties_only || c->level.one_part);
  l->gpu->counts.explores++;
  c->level.exit_reasons = 0;
  while (!c->level.exit_reasons) {
    if ((c->level.exit_reasons = stops(l)) != 0)
      return;
    if (c->level.current < c->level.current_end)
      do_round(l);
    else if (c->level.one_part)
      c->level.exit_reasons = GPU_EXIT_PART;
    else
      c->level.exit_reasons = close_level(l);
  }
}

static void insert(struct launch *l) {
  struct gpu_control *c = l->control;
  assert(l->space.source != l->space.pending && c->pending_count == 0);
  l->gpu->counts.inserts++;
  l->room = l->space.source_count;
  for (uint64_t i = 0; i < l->space.source_count; i++)
    put_key(l, l->space.source[i]);
}

struct move {
  struct launch *launch;
  const struct visited *to;
};

static void move_keys(void *user, const uint64_t *keys, size_t n) {
  struct move *move = user;
  struct gpu_control *c = move->launch->control;
  for (size_t i = 0; i < n; i++)
    switch (answer(move->to, keys[i], true)) {
    case TABLE_PUT:
      c->rehash.moved++;
      break;
    case TABLE_FOUND:
      c->rehash.repeated++;
      break;
    default:
      c->rehash.misplaced++;
    }
}

/* The table for table_each; the caller frees it. */
static struct table *owner_of(const struct visited *from, unsigned key_bits) {
  const struct iceberg *view = &from->iceberg;
  const struct geometry *g = &from->geometry;
  const struct iceberg_state iceberg = {.view = *view};
  const struct linear_state linear = {.view = from->linear};
  struct table *table = calloc(1, sizeof *table + sizeof iceberg + sizeof linear);
  assert(table);
  if (from->is_bitmap) {
    table->scheme = &bitmap_scheme;
    table->shape = (struct table_shape){
        .key_bits = key_bits, .slots = from->bitmap.keys, .bytes = (from->bitmap.keys + 511) / 512 * 64};
    table->memory = from->bitmap.words;
    memcpy(table->state, &from->bitmap, sizeof from->bitmap);
    return table;
  }
  table->scheme = from->is_linear ? &linear_scheme : &iceberg_scheme;
  table->shape = (struct table_shape){.key_bits = key_bits,
                                      .slot_bits = g->slot_bits,
                                      .second_slot_bits = g->second_slot_bits,
                                      .bucket_slots = g->bucket_slots,
                                      .second_bucket_slots = g->second_bucket_slots,
                                      .buckets = view->first_quotient.divisor,
                                      .second_buckets = view->second_quotient.divisor,
                                      .third_slots = view->third_buckets * THIRD_BUCKET_SLOTS};
  if (from->is_linear) {
    table->shape.slots = from->linear.capacity + (key_bits == g->slot_bits);
    memcpy(table->state, &linear, sizeof linear);
  } else {
    memcpy(table->state, &iceberg, sizeof iceberg);
  }
  return table;
}

static void rehash(struct launch *l, const struct visited *from, const struct visited *to, unsigned key_bits) {
  struct table *table = owner_of(from, key_bits);
  struct move move = {l, to};
  l->gpu->counts.rehashes++;
  table_each(table, 0, 1, move_keys, &move);
  free(table);
}

/* The i-th key of the iteration counts as that of slot i. */
struct listing {
  uint64_t at, first, n;
  uint64_t *keys;
  uint32_t *counts;
};

static void list_keys(void *user, const uint64_t *keys, size_t n) {
  struct listing *l = user;
  for (size_t i = 0; i < n; i++, l->at++) {
    const uint64_t strip = (l->at - l->first) / GPU_STRIP;
    if (l->at >= l->first && l->at - l->first < l->n)
      l->keys[strip * GPU_STRIP + l->counts[strip]++] = keys[i];
  }
}

static void export_keys(const struct visited *from, unsigned key_bits, void **arguments) {
  struct listing listing = {.first = *(uint64_t *)arguments[1],
                            .n = *(uint64_t *)arguments[2],
                            .keys = (uint64_t *)(uintptr_t) * (gpu_address *)arguments[3],
                            .counts = (uint32_t *)(uintptr_t) * (gpu_address *)arguments[4]};
  struct table *table = owner_of(from, key_bits);
  memset(listing.counts, 0, listing.n / GPU_STRIP * sizeof *listing.counts);
  table_each(table, 0, 1, list_keys, &listing);
  free(table);
}

static void load_keys(struct launch *l, const struct visited *to, void **arguments) {
  struct move move = {l, to};
  l->control = (struct gpu_control *)(uintptr_t) * (gpu_address *)arguments[3];
  move_keys(&move, (const uint64_t *)(uintptr_t) * (gpu_address *)arguments[1], *(uint64_t *)arguments[2]);
}

floe_status gpu_start(struct gpu *gpu, struct gpu_function *function, const struct gpu_launch *launch,
                      void **arguments) {
  const struct gpu_kernel_config *config = &function->module->config;
  struct launch l = {.gpu = gpu, .blocks = launch->blocks};
  assert(launch->threads == GPU_BLOCK && launch->blocks <= 2 * gpu->info.multiprocessors);
  assert(launch->cooperative == (function->kernel == EXPLORE));
  if (!fake_launches(gpu))
    return FLOE_ERROR_INTERNAL;
  if (function->kernel == REHASH) {
    l.control = (struct gpu_control *)(uintptr_t) * (gpu_address *)arguments[2];
    const struct visited from = visited_at(arguments[0], config->from_scheme, config->from);
    const struct visited to = visited_at(arguments[1], config->scheme, config->geometry);
    rehash(&l, &from, &to, config->key_bits);
    return FLOE_OK;
  }
  l.table = visited_at(arguments[0], config->scheme, config->geometry);
  if (function->kernel == EXPORT || function->kernel == LOAD) {
    if (function->kernel == EXPORT)
      export_keys(&l.table, config->key_bits, arguments);
    else
      load_keys(&l, &l.table, arguments);
    return FLOE_OK;
  }
  l.space = *(struct gpu_space *)arguments[1];
  l.control = l.space.control;
  l.logs = config->log;
  if (function->kernel == EXPLORE)
    explore(&l);
  else
    insert(&l);
  return FLOE_OK;
}
