#include "gpu/snapshot/key_transfer.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot_engine.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/search_kernels.h"
#include "gpu/engine/visited_growth.h"
#include "gpu/explore/host_backed_set.h"

#include "tables/kernel/local_index.h"

#include <assert.h>
#include <stdatomic.h>

/* Keys in a buffer: enough that the threads, which synchronise after each buffer, seldom wait for the one that writes
   to the file (with 2^21 a checkpoint of 10^10 states took 51 s). */
#define MOST_ROOM (UINT64_C(1) << 24)
#define SHARE 64 /* of device memory, for one buffer */

/* ---- creation ------------------------------------------------------------------------------------ */

static uint64_t room_for(const struct gpu_search *self) {
  const uint64_t room = least(MOST_ROOM, self->budget.limit / SHARE / sizeof(uint64_t)) / GPU_STRIP * GPU_STRIP;
  return room ? room : (uint64_t)GPU_STRIP;
}

static bool is_needed(const struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  return task->snapshot.policy || task->group.saves || snapshot_states(task) > 0;
}

uint64_t transfer_bytes(const struct gpu_search *self) {
  const uint64_t room = room_for(self);
  return is_needed(self) ? 2 * (room * sizeof(uint64_t) + room / GPU_STRIP * sizeof(uint32_t)) : 0;
}

static floe_status open_buffer(struct gpu_search *self, unsigned i) {
  struct key_transfer *transfer = &self->transfer;
  const uint64_t room = transfer->room, strips = room / GPU_STRIP;
  void *keys, *counts;
  FLOE_TRY(gpu_search_take(self, room * sizeof(uint64_t), &transfer->keys[i]));
  FLOE_TRY(gpu_search_take(self, strips * sizeof(uint32_t), &transfer->counts[i]));
  FLOE_TRY(gpu_host_alloc(self->gpu, room * sizeof(uint64_t), &keys));
  transfer->host_keys[i] = keys;
  FLOE_TRY(gpu_host_alloc(self->gpu, strips * sizeof(uint32_t), &counts));
  transfer->host_counts[i] = counts;
  return FLOE_OK;
}

floe_status transfer_open(struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  if (!is_needed(self))
    return FLOE_OK;
  self->transfer.room = room_for(self);
  FLOE_TRY(open_buffer(self, 0));
  FLOE_TRY(open_buffer(self, 1));
  return pool_create(task->options->threads, &self->transfer.pool);
}

void transfer_close(struct gpu_search *self) {
  struct key_transfer *transfer = &self->transfer;
  for (unsigned i = 0; i < 2; i++) {
    gpu_free(self->gpu, transfer->keys[i]);
    gpu_free(self->gpu, transfer->counts[i]);
    gpu_host_free(self->gpu, transfer->host_keys[i]);
    gpu_host_free(self->gpu, transfer->host_counts[i]);
  }
  pool_free(transfer->pool);
  kernels_free(&transfer->kernels);
  *transfer = (struct key_transfer){0};
}

/* Compiles the kernels if the kind of the table has changed. */
static floe_status make_kernels(struct gpu_search *self) {
  struct search_kernels *kernels = &self->transfer.kernels;
  const struct table_kind now = kernels_kind(&self->visited.table);
  if (kernels->module && kernels_same_kind(&now, &kernels->kind))
    return FLOE_OK;
  kernels_free(kernels);
  return kernels_make_transfer(self, &now, kernels);
}

/* ---- out ----------------------------------------------------------------------------------------- */

struct export {
  struct gpu_search *self;
  void (*visit)(void *user, unsigned thread, const uint64_t *keys, uint64_t n);
  void *user;
  unsigned buffer; /* that the threads work on */
  uint64_t strips; /* in a buffer */
};

/* In the stream: exports a part of the slots to a buffer. */
static floe_status start_export(struct gpu_search *self, unsigned buffer, uint64_t first) {
  struct key_transfer *transfer = &self->transfer;
  struct gpu_launch grid = {.blocks = transfer->kernels.export_keys.blocks, .threads = GPU_BLOCK};
  uint64_t n = transfer->room;
  void *arguments[] = {&self->visited.table.view, &first, &n, &transfer->keys[buffer], &transfer->counts[buffer]};
  FLOE_TRY(gpu_start(self->gpu, transfer->kernels.export_keys.function, &grid, arguments));
  FLOE_TRY(gpu_download_start(self->gpu, transfer->host_counts[buffer], transfer->counts[buffer],
                              n / GPU_STRIP * sizeof(uint32_t)));
  return gpu_download_start(self->gpu, transfer->host_keys[buffer], transfer->keys[buffer], n * sizeof(uint64_t));
}

static void visit_strips(void *data, unsigned thread) {
  const struct export *export = data;
  const struct key_transfer *transfer = &export->self->transfer;
  const unsigned threads = pool_size(transfer->pool);
  const uint64_t end = export->strips * (thread + 1) / threads;
  for (uint64_t i = export->strips * thread / threads; i < end; i++)
    export->visit(export->user, thread, transfer->host_keys[export->buffer] + i * GPU_STRIP,
                  transfer->host_counts[export->buffer][i]);
}

static uint64_t count_in(const struct key_transfer *transfer, unsigned buffer) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < transfer->room / GPU_STRIP; i++)
    count += transfer->host_counts[buffer][i];
  return count;
}

static floe_status export_table(struct export *export, uint64_t *count) {
  struct gpu_search *self = export->self;
  struct key_transfer *transfer = &self->transfer;
  const uint64_t slots = self->visited.table.shape.slots + GPU_STRIP; /* with those of special keys */
  FLOE_TRY(make_kernels(self));
  FLOE_TRY(start_export(self, 0, 0));
  for (uint64_t first = 0; first < slots; first += transfer->room) {
    FLOE_TRY(gpu_wait(self->gpu));
    if (first + transfer->room < slots)
      FLOE_TRY(start_export(self, !export->buffer, first + transfer->room));
    *count += count_in(transfer, export->buffer);
    pool_run(transfer->pool, visit_strips, export);
    export->buffer = !export->buffer;
  }
  return FLOE_OK;
}

/* ---- out, of a bitmap ------------------------------------------------------------------------------ */

/* Downloads the bitmap itself: one bit per possible key is less than 64 bits per key, unless there are very few keys.
 */
struct words {
  const struct export *export;
  const uint64_t *at;
  uint64_t first, n; /* words of 64 bits; first: position in the table */
  _Atomic uint64_t count;
};

enum { KEYS_AT_ONCE = 1024 };

/* The lower half of each word comes first (tables/kernel/bitmap.h). */
static void visit_words(void *data, unsigned thread) {
  struct words *words = data;
  const struct export *export = words->export;
  const unsigned threads = pool_size(export->self->transfer.pool);
  const uint64_t end = words->n * (thread + 1) / threads;
  const struct table_config *config = &export->self->visited.table.config;
  uint64_t keys[KEYS_AT_ONCE + 64], n = 0, count = 0;
  for (uint64_t i = words->n * thread / threads; i < end; i++) {
    for (uint64_t rest = words->at[i]; rest; rest &= rest - 1)
      keys[n++] = local_index_key(config->local_index, config->member,
                                  (words->first + i) * 64 + (uint64_t)__builtin_ctzll(rest));
    if (n >= KEYS_AT_ONCE || i + 1 == end) {
      export->visit(export->user, thread, keys, n);
      count += n;
      n = 0;
    }
  }
  atomic_fetch_add(&words->count, count);
}

static floe_status start_download_words(struct gpu_search *self, unsigned buffer, uint64_t first, uint64_t n) {
  const uint64_t word = sizeof(uint64_t);
  return gpu_download_start(self->gpu, self->transfer.host_keys[buffer], self->visited.table.memory.at + first * word,
                            n * word);
}

static floe_status export_bitmap(struct export *export, uint64_t *count) {
  struct gpu_search *self = export->self;
  const uint64_t all = self->visited.table.shape.bytes / sizeof(uint64_t), room = self->transfer.room;
  struct words words = {.export = export};
  FLOE_TRY(start_download_words(self, 0, 0, least(room, all)));
  for (uint64_t first = 0; first < all; first += room) {
    FLOE_TRY(gpu_wait(self->gpu));
    if (all - first > room)
      FLOE_TRY(start_download_words(self, !export->buffer, first + room, least(room, all - first - room)));
    words.at = self->transfer.host_keys[export->buffer];
    words.first = first;
    words.n = least(room, all - first);
    pool_run(self->transfer.pool, visit_words, &words);
    export->buffer = !export->buffer;
  }
  *count += words.count;
  return FLOE_OK;
}

/* ---- out, from the host ---------------------------------------------------------------------------- */

struct thread_export {
  const struct export *export;
  unsigned thread;
};

static void visit_host(void *user, const uint64_t *keys, size_t n) {
  const struct thread_export *one = user;
  one->export->visit(one->export->user, one->thread, keys, n);
}

static void visit_host_part(void *data, unsigned thread) {
  struct thread_export one = {data, thread};
  const struct gpu_search *self = one.export->self;
  host_backed_each(self, thread, pool_size(self->transfer.pool), visit_host, &one);
}

floe_status transfer_export(struct gpu_search *self,
                            void (*visit)(void *user, unsigned thread, const uint64_t *keys, uint64_t n), void *user,
                            uint64_t *count) {
  struct key_transfer *transfer = &self->transfer;
  struct export export = {.self = self, .visit = visit, .user = user, .strips = transfer->room / GPU_STRIP};
  *count = 0;
  if (self->visited.table.memory.at)
    FLOE_TRY(table_traits(self->visited.table.config.scheme)->every_key ? export_bitmap(&export, count)
                                                                        : export_table(&export, count));
  if (self->host_backed)
    pool_run(transfer->pool, visit_host_part, &export);
  *count += host_backed_figures(self).host_keys;
  return FLOE_OK;
}

/* ---- in ------------------------------------------------------------------------------------------ */

struct load {
  struct gpu_search *self;
  struct snapshot_source *source;
  uint64_t (*fill)(void *user, unsigned thread, uint64_t *to, uint64_t room);
  void *user;
  unsigned buffer;     /* that the threads fill */
  uint64_t *counts[2]; /* [threads] keys in each thread's part of a buffer */
  uint64_t in_table;   /* keys of the current buffer that an earlier attempt inserted */
};

static uint64_t part_words(const struct key_transfer *transfer) { return transfer->room / pool_size(transfer->pool); }

/* Threads whose part is not full do not wait for one whose part is: it may have states left. */
static void fill_part(void *data, unsigned thread) {
  struct load *load = data;
  const struct key_transfer *transfer = &load->self->transfer;
  const uint64_t room = part_words(transfer);
  const uint64_t n = load->fill(load->user, thread, transfer->host_keys[load->buffer] + thread * room, room);
  if (n == room)
    snapshot_pause(load->source);
  load->counts[load->buffer][thread] = n;
}

static void fill_buffer(struct load *load) {
  snapshot_continue(load->source);
  pool_run(load->self->transfer.pool, fill_part, load);
}

static uint64_t filled(const struct load *load, unsigned buffer) {
  uint64_t n = 0;
  for (unsigned i = 0; i < pool_size(load->self->transfer.pool); i++)
    n += load->counts[buffer][i];
  return n;
}

/* In the stream: uploads and inserts the keys of a buffer. */
static floe_status start_load(const struct load *load, unsigned buffer) {
  struct gpu_search *self = load->self;
  struct key_transfer *transfer = &self->transfer;
  FLOE_TRY(make_kernels(self)); /* the table may have grown */
  struct gpu_launch grid = {.blocks = transfer->kernels.import_keys.blocks, .threads = GPU_BLOCK};
  self->control.rehash.moved = self->control.rehash.misplaced = self->control.rehash.repeated = 0;
  FLOE_TRY(gpu_search_upload(self));
  for (unsigned i = 0; i < pool_size(transfer->pool); i++) {
    const uint64_t at = i * part_words(transfer);
    gpu_address keys = transfer->keys[buffer] + at * sizeof(uint64_t);
    uint64_t n = load->counts[buffer][i];
    void *arguments[] = {&self->visited.table.view, &keys, &n, &self->buffers.control};
    if (n == 0)
      continue;
    FLOE_TRY(gpu_upload_start(self->gpu, keys, transfer->host_keys[buffer] + at, n * sizeof(uint64_t)));
    FLOE_TRY(gpu_start(self->gpu, transfer->kernels.import_keys.function, &grid, arguments));
  }
  return FLOE_OK;
}

static floe_status report_repeated_state(const struct gpu_search *self) {
  diag_error(self->search.log, NULL, NOWHERE, NULL, "the checkpoint contradicts itself: a state is in it twice");
  return FLOE_ERROR_IO;
}

/* Error that kept the table from growing; `otherwise`: it has its largest size. */
static floe_status growth_error(const struct gpu_search *self, floe_status otherwise) {
  if (self->search.status != FLOE_OK)
    return self->search.status;
  return self->search.ended ? FLOE_ERROR_UNSUPPORTED : otherwise;
}

/* Waits for start_load. *again: keys found no place, and the table has grown. */
static floe_status end_load(struct load *load, bool *again) {
  struct gpu_search *self = load->self;
  const struct gpu_control *control = &self->control;
  FLOE_TRY(gpu_search_download(self));
  if (control->rehash.repeated != load->in_table)
    return report_repeated_state(self);
  const bool misplaced = control->rehash.misplaced > 0;
  load->in_table += control->rehash.moved;
  self->control.level.states_before += control->rehash.moved;
  *again = misplaced;
  return misplaced && !grow_set(self) ? growth_error(self, FLOE_ERROR_MEMORY) : FLOE_OK;
}

/* Grows the table in advance: inserting into a nearly full one takes long. */
static floe_status grow_for(struct gpu_search *self, uint64_t more) {
  const uint64_t states = gpu_search_states(self) + more;
  while (states > least(self->control.level.grow_at, self->visited.table.shape.slots / 10 * 9))
    if (!grow_set(self))
      return growth_error(self, states > self->visited.table.shape.slots ? FLOE_ERROR_MEMORY : FLOE_OK);
  return FLOE_OK;
}

/* ---- in, to the host ------------------------------------------------------------------------------- */

static void load_host(void *data, unsigned thread) {
  struct load *load = data;
  uint64_t *keys = load->self->transfer.host_keys[0] + thread * part_words(&load->self->transfer);
  const uint64_t n = load->fill(load->user, thread, keys, part_words(&load->self->transfer));
  load->counts[0][thread] = n;
  load->counts[1][thread] = n > 0 && !host_backed_load(load->self, keys, n);
}

/* All keys: a search that starts with the host-backed set has no base table. */
static floe_status load_host_backed(struct load *load) {
  struct gpu_search *self = load->self;
  uint64_t n;
  do {
    pool_run(self->transfer.pool, load_host, load);
    n = filled(load, 0);
    self->control.level.states_before += n;
    if (filled(load, 1) > 0)
      return FLOE_ERROR_MEMORY;
    if (search_check_stop(&self->search))
      return FLOE_ERROR_UNSUPPORTED;
  } while (n > 0);
  return host_backed_figures(self).host_keys == self->control.level.states_before ? FLOE_OK
                                                                                  : report_repeated_state(self);
}

/* ---- in, to the device's table --------------------------------------------------------------------- */

static floe_status load_all(struct load *load) {
  struct gpu_search *self = load->self;
  fill_buffer(load);
  while (filled(load, load->buffer) > 0) {
    const unsigned full = load->buffer;
    bool again = false;
    load->in_table = 0;
    FLOE_TRY(grow_for(self, filled(load, full)));
    FLOE_TRY(start_load(load, full));
    load->buffer = !full;
    fill_buffer(load);
    FLOE_TRY(end_load(load, &again));
    while (again) {
      FLOE_TRY(start_load(load, full));
      FLOE_TRY(end_load(load, &again));
    }
    if (search_check_stop(&self->search))
      return FLOE_ERROR_UNSUPPORTED;
  }
  return FLOE_OK;
}

floe_status transfer_load(struct gpu_search *self, struct snapshot_source *source,
                          uint64_t (*fill)(void *user, unsigned thread, uint64_t *to, uint64_t room), void *user) {
  struct load load = {.self = self, .source = source, .fill = fill, .user = user};
  const unsigned threads = pool_size(self->transfer.pool);
  uint64_t *counts = mem_array(2 * (size_t)threads, sizeof *counts);
  if (!counts)
    return FLOE_ERROR_MEMORY;
  load.counts[0] = counts;
  load.counts[1] = counts + threads;
  floe_status status = self->host_backed ? load_host_backed(&load) : load_all(&load);
  mem_free(counts);
  return status;
}
