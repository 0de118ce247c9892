#include "small_host.h"

#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "model/transitions/successor_bound.h"
#include "tables/bitmap/bitmap.h"
#include "tables/host_table.h"
#include "tables/iceberg/iceberg.h"
#include "tables/linear/linear.h"

#include "gpu/kernel/base/control.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLENTY = 1 << 20 }; /* words of a ring that is large enough */

/* States on the host, unordered. */
struct heap_of_states {
  uint64_t *states;
  size_t count, capacity;
};

struct host {
  struct loaded *loaded;
  const struct small_settings *settings;
  struct small_outcome *out;
  const struct emulated *module;
  const char *text;
  struct table_config config;
  struct table *table;
  struct gpu_control *control;
  struct gpu_space space;
  uint64_t *other_pending;
  uint32_t max_successors;
  uint64_t slack;
  struct heap_of_states waiting, spilled; /* states of this level, of the next one */
  struct heap_of_states levels;           /* sizes */
  uint64_t seed;
  bool done;
};

static void heap_add(struct heap_of_states *heap, const uint64_t *states, size_t n) {
  if (heap->count + n > heap->capacity) {
    heap->capacity = 2 * (heap->count + n);
    heap->states = realloc(heap->states, heap->capacity * sizeof *states);
    ck_assert(heap->states);
  }
  memcpy(heap->states + heap->count, states, n * sizeof *states);
  heap->count += n;
}

/* ---- kernels and table --------------------------------------------------------------------------- */

static struct table *make_table(const struct table_config *config) {
  struct table *table;
  ck_assert_int_eq(table_create(config, &table), FLOE_OK);
  return table;
}

/* Table in the form passed to kernels. */
static const void *view_of(const struct table *table) {
  if (table->scheme == &bitmap_scheme)
    return bitmap_of(table);
  return table->scheme == &linear_scheme ? (const void *)&linear_of(table)->view : &iceberg_of(table)->view;
}

static struct geometry geometry_of(const struct table *table) {
  const struct table_shape *shape = table_shape(table);
  return (struct geometry){shape->slot_bits, shape->bucket_slots, shape->second_slot_bits, shape->second_bucket_slots};
}

static void write_text(void *data) {
  struct host *host = data;
  struct arena *arena = &host->loaded->arena;
  const char *code;
  ck_assert_int_eq(codegen_text(host->loaded->model, host->loaded->layout, CODEGEN_GPU, NULL, arena, &code), FLOE_OK);
  struct permutation permutation;
  ck_assert_int_eq(permutation_make(host->settings->permutation, 1, 0, 0, NULL, &permutation), FLOE_OK);
  const struct gpu_kernel_config config = {.scheme = host->config.scheme,
                                           .key_bits = host->loaded->layout->key_bits,
                                           .permutation = permutation.kind,
                                           .geometry = geometry_of(host->table),
                                           .index_keys = host->loaded->layout->encoding != NULL,
                                           .log = host->settings->log};
  host->text = arena_printf(arena, "#define FLOE_REHASHES\n%s", gpu_kernel_text(&config, code, arena));
  if (host->settings->small_level)
    host->text = arena_printf(arena, "#define FLOE_SMALL_LEVEL %u\n%s", host->settings->small_level, host->text);
  if (host->settings->buffer)
    host->text = arena_printf(arena, "#define FLOE_BUFFER_SUFFICES %u\n%s", host->settings->buffer, host->text);
}

static bool make_module(struct host *host) {
  ck_assert_int_eq(arena_guard(&host->loaded->arena, write_text, host), 0);
  host->module = emulated_build(host->text);
  return host->module != NULL;
}

static void start(struct host *host, const char *kernel, const void *const *arguments) {
  struct emulated_grid grid = host->settings->grid;
  grid.seed += host->seed++;
  host->out->counts.launches++;
  emulated_launch(host->module, kernel, &grid, arguments);
}

static bool same_geometry(const struct table *a, const struct table *b) {
  const struct geometry x = geometry_of(a), y = geometry_of(b);
  return memcmp(&x, &y, sizeof x) == 0;
}

/* Twice as large, or less if that would change the slot width. */
static struct table *make_larger(struct host *host) {
  for (;;) {
    host->config.slots *= 2;
    struct table *larger = make_table(&host->config);
    if (same_geometry(larger, host->table))
      return larger;
    host->config.slot_bits = host->table->shape.slot_bits;
    host->config.bucket_slots = host->table->shape.bucket_slots;
    table_free(larger);
  }
}

static void grow(struct host *host) {
  struct gpu_control *control = host->control;
  const uint64_t count = table_count(host->table);
  struct table *larger = make_larger(host);
  const void *const arguments[] = {view_of(host->table), view_of(larger), &control};
  control->rehash.moved = control->rehash.misplaced = control->rehash.repeated = 0;
  start(host, "floe_rehash", arguments);
  ck_assert_uint_eq(control->rehash.repeated, 0);
  ck_assert_uint_eq(control->rehash.misplaced, 0);
  ck_assert_uint_eq(control->rehash.moved, count);
  ck_assert_uint_eq(table_count(larger), count);
  table_free(host->table);
  host->table = larger;
  host->out->counts.grown++;
}

static void insert(struct host *host, const uint64_t *source, uint64_t n) {
  struct gpu_space space = host->space;
  space.source = source;
  space.source_count = n;
  const void *const arguments[] = {view_of(host->table), &space};
  start(host, "floe_insert", arguments);
}

static void place_pending(struct host *host) {
  struct gpu_control *control = host->control;
  host->out->counts.full++;
  while (control->pending_count) {
    const uint64_t n = control->pending_count;
    uint64_t *source = host->space.pending;
    grow(host);
    host->space.pending = host->other_pending;
    host->other_pending = source;
    control->pending_count = 0;
    insert(host, source, n);
  }
}

/* ---- queue ------------------------------------------------------------------------------------------ */

static void take_out(struct host *host, uint64_t from, uint64_t to, struct heap_of_states *heap) {
  for (uint64_t p = from; p < to; p++)
    heap_add(heap, &host->space.ring[p & host->space.ring_mask], 1);
}

static void empty_next(struct host *host) {
  struct gpu_control *control = host->control;
  take_out(host, control->level.next, control->next_end, &host->spilled);
  control->level.states_before += control->next_end - control->level.next;
  control->next_end = control->level.next;
}

static void empty_current(struct host *host) {
  struct gpu_control *control = host->control;
  take_out(host, control->level.current, control->level.current_end, &host->waiting);
  control->level.current = control->level.current_end;
}

/* Loads states of this level to half of the ring; those of the next level are on the host. */
static void fill_current(struct host *host) {
  struct gpu_control *control = host->control;
  const uint64_t room = host->space.ring_mask + 1 - control->level.slack;
  const uint64_t most = room / 2 ? room / 2 : 1;
  const uint64_t n = host->waiting.count < most ? host->waiting.count : most;
  control->level.current = control->level.current_end = control->next_end;
  for (uint64_t i = 0; i < n; i++)
    host->space.ring[control->level.current_end++ & host->space.ring_mask] =
        host->waiting.states[--host->waiting.count];
  control->level.next = control->next_end = control->level.current_end;
}

static void make_room(struct host *host) {
  host->out->counts.queue++;
  empty_next(host);
  empty_current(host);
  fill_current(host);
}

/* ---- levels ----------------------------------------------------------------------------------------- */

static void note_hits(struct host *host, uint32_t depth) {
  struct gpu_control *control = host->control;
  for (size_t i = 0; i < host->out->result.property_count; i++)
    if (control->level.triggered >> i & 1) {
      struct engine_violation *violation = &host->out->result.violations[i];
      violation->violation = true;
      violation->depth = depth;
      *violation->state = control->results.witness[i];
    }
  control->level.requested_properties &= ~control->level.triggered;
  control->level.triggered = 0;
  memset(control->results.witness, 0xff, sizeof control->results.witness);
}

static void take_sizes(struct host *host) {
  heap_add(&host->levels, host->space.level_states, host->control->level.level_count);
  host->control->level.level_count = 0;
}

static void take_log(struct host *host) {
  for (uint64_t i = 0; i < host->control->log_count; i++)
    host->out->logged_mix += engine_state_mix(&host->space.log[i], 1);
  host->out->logged += host->control->log_count;
  host->control->log_count = 0;
}

/* All states of the level are expanded, and the device did not close it. */
static void close_level(struct host *host) {
  struct gpu_control *control = host->control;
  const uint64_t size = control->next_end - control->level.next + host->spilled.count;
  note_hits(host, control->level.depth);
  control->level.depth++;
  control->level.states_before += control->next_end - control->level.next;
  control->level.current = control->level.next;
  control->level.current_end = control->level.next = control->next_end;
  struct heap_of_states empty = host->waiting;
  host->waiting = host->spilled;
  host->spilled = empty;
  if (size)
    heap_add(&host->levels, &size, 1);
  else
    host->done = true;
}

static void after_part(struct host *host) {
  host->out->counts.parts++;
  take_sizes(host);
  if (host->waiting.count) {
    empty_next(host);
    fill_current(host);
  } else {
    close_level(host);
  }
}

static void handle(struct host *host, uint32_t left) {
  struct gpu_control *control = host->control;
  struct small_counts *counts = &host->out->counts;
  ck_assert_uint_ne(left, 0);
  ck_assert_uint_le(control->level.current, control->level.current_end);
  ck_assert_uint_le(control->level.current_end, control->level.next);
  ck_assert_uint_le(control->level.next, control->next_end);
  ck_assert_uint_le(control->next_end - control->level.current, host->space.ring_mask + 1);
  ck_assert_uint_le(control->level.level_count, host->space.level_capacity);
  take_sizes(host);
  if (left & (GPU_EXIT_TRIGGERED | GPU_EXIT_EMPTY))
    note_hits(host, control->level.depth - 1);
  counts->time += (left & GPU_EXIT_TIME) != 0;
  counts->levels += (left & GPU_EXIT_LEVELS) != 0;
  if (left & GPU_EXIT_LOG)
    counts->logs++;
  take_log(host);
  if (left & GPU_EXIT_FULL)
    place_pending(host);
  else if (left & GPU_EXIT_GROW)
    grow(host);
  take_log(host);
  if (left & GPU_EXIT_EMPTY)
    host->done = true;
  else if (left & GPU_EXIT_PART)
    after_part(host);
  else if (left & GPU_EXIT_QUEUE)
    make_room(host);
}

static void set_limits(struct host *host) {
  const struct small_settings *settings = host->settings;
  struct gpu_control *control = host->control;
  control->level.grow_at =
      settings->grow_percent ? table_shape(host->table)->slots * settings->grow_percent / 100 : UINT64_MAX;
  control->level.max_states = UINT64_MAX;
  control->level.slack = host->slack;
  control->level.time_slice = settings->slice ? settings->slice : UINT64_MAX;
  control->level.depth_limit = UINT32_MAX;
  control->level.one_part = settings->one_part || host->waiting.count || host->spilled.count;
}

static void explore(struct host *host) {
  insert(host, host->space.source, 1);
  struct gpu_control *control = host->control;
  const uint64_t one = 1;
  control->level.current_end = control->level.next = control->next_end = 1;
  control->level.states_before = 1;
  heap_add(&host->levels, &one, 1);
  take_log(host);
  while (!host->done) {
    set_limits(host);
    const void *const arguments[] = {view_of(host->table), &host->space};
    start(host, "floe_explore", arguments);
    host->out->broken = control->results.broken != 0;
    if (host->out->broken)
      return;
    handle(host, control->level.exit_reasons);
  }
}

/* ---- begin and end ------------------------------------------------------------------------------------ */

static void *zeroed(size_t n, size_t size) {
  void *p = calloc(n ? n : 1, size);
  ck_assert(p);
  return p;
}

static void open_space(struct host *host, uint64_t *initial) {
  const struct small_settings *settings = host->settings;
  const uint64_t turns = settings->ticket_batches ? settings->ticket_batches : 1;
  uint64_t slack = gpu_slack(settings->grid.blocks * GPU_WARPS, turns * host->max_successors);
  uint64_t ring = settings->room ? 1 : PLENTY;
  while (ring < slack + settings->room)
    ring *= 2;
  if (settings->room)
    slack = ring - settings->room;
  host->slack = slack;
  host->control = zeroed(1, sizeof *host->control);
  memset(host->control->results.witness, 0xff, sizeof host->control->results.witness);
  host->control->level.requested_properties = (UINT64_C(1) << host->loaded->model->property_count) - 1;
  host->space = (struct gpu_space){.control = host->control,
                                   .ring = zeroed(ring, sizeof(uint64_t)),
                                   .ring_mask = ring - 1,
                                   .pending = zeroed(slack, sizeof(uint64_t)),
                                   .fired = zeroed(host->loaded->model->transition_count, sizeof(uint64_t)),
                                   .level_states = zeroed(settings->level_capacity, sizeof(uint64_t)),
                                   .level_capacity = settings->level_capacity,
                                   .log = zeroed(slack + 512, sizeof(uint64_t)),
                                   .log_capacity = slack + 512,
                                   .ticket_batches = settings->ticket_batches,
                                   .source = initial};
  host->other_pending = zeroed(slack, sizeof(uint64_t));
}

static void report(struct host *host) {
  struct engine_outcome *result = &host->out->result;
  const struct gpu_control *control = host->control;
  ck_assert_uint_eq(table_check(host->table), 0);
  result->states = control->level.states_before + (control->next_end - control->level.next);
  ck_assert_uint_eq(table_count(host->table), result->states);
  result->transitions = control->results.transitions;
  result->deadlocks = control->results.deadlocks;
  result->checksum = control->results.checksum;
  result->max_out_degree = (uint32_t)control->results.max_out_degree;
  result->levels = (uint32_t)host->levels.count;
  result->level_states = host->levels.states;
  result->fired = host->space.fired;
}

static void close_host(struct host *host) {
  table_free(host->table);
  free(host->control);
  free(host->space.ring);
  free(host->space.pending);
  free(host->space.level_states);
  free(host->space.log);
  free(host->other_pending);
  free(host->waiting.states);
  free(host->spilled.states);
}

bool small_host_run(struct loaded *loaded, const struct small_settings *settings, struct small_outcome *out) {
  struct host host = {.loaded = loaded, .settings = settings, .out = out};
  uint64_t initial;
  *out = (struct small_outcome){.result.property_count = loaded->model->property_count};
  out->result.violations = zeroed(out->result.property_count, sizeof *out->result.violations);
  for (size_t i = 0; i < out->result.property_count; i++)
    out->result.violations[i].state = zeroed(1, sizeof(uint64_t));
  ck_assert_int_eq(key_of_initial(loaded->model, loaded->layout, &initial), FLOE_OK);
  host.config = (struct table_config){.scheme = settings->scheme ? settings->scheme : "iceberg",
                                      .permutation = settings->permutation,
                                      .key_bits = loaded->layout->key_bits,
                                      .keys = loaded->layout->keys,
                                      .slots = settings->slots,
                                      .slot_bits = settings->slot_bits,
                                      .bucket_slots = settings->bucket_slots};
  host.table = make_table(&host.config);
  if (!make_module(&host)) {
    table_free(host.table);
    return false;
  }
  ck_assert_int_eq(successor_bound(loaded->model, NULL, &host.max_successors), FLOE_OK);
  open_space(&host, &initial);
  explore(&host);
  report(&host);
  close_host(&host);
  return true;
}

void small_host_free(struct small_outcome *outcome) {
  for (size_t i = 0; i < outcome->result.property_count; i++)
    free(outcome->result.violations[i].state);
  free(outcome->result.violations);
  free(outcome->result.level_states);
  free(outcome->result.fired);
}
