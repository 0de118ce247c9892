/* The keys of the visited set out of the device's memory and back: a part of the slots, or of the keys, at a time,
   while the host's threads work on the part before. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "engine/snapshot/snapshot_writer.h"
#include "gpu/engine/host_backed_set.h"

#include "tables/kernel/local_index.h"

#include <assert.h>
#include <stdatomic.h>

/* Keys in a buffer: so many that the threads, which meet after each, seldom wait for the one that writes to the file
   (with 2^21 a checkpoint of 10^10 states took 51 s). */
#define MOST_ROOM (UINT64_C(1) << 24)
#define SHARE 64 /* of the device's memory, for one */

/* ---- creation ------------------------------------------------------------------------------------ */

static uint64_t room_for(const struct gpu_search *self) {
  const uint64_t room = least(MOST_ROOM, self->budget.limit / SHARE / sizeof(uint64_t)) / GPU_STRIP * GPU_STRIP;
  return room ? room : (uint64_t)GPU_STRIP;
}

static bool is_wanted(const struct gpu_search *self) {
  const struct engine_task *task = self->search->task;
  return task->snapshot.policy || task->group.saves || snapshot_states(task) > 0;
}

uint64_t content_bytes(const struct gpu_search *self) {
  const uint64_t room = room_for(self);
  return is_wanted(self) ? 2 * (room * sizeof(uint64_t) + room / GPU_STRIP * sizeof(uint32_t)) : 0;
}

static floe_status open_buffer(struct gpu_search *self, unsigned i) {
  struct key_transfer *content = &self->content;
  const uint64_t room = content->room, strips = room / GPU_STRIP;
  void *keys, *counts;
  FLOE_TRY(gpu_search_take(self, room * sizeof(uint64_t), &content->keys[i]));
  FLOE_TRY(gpu_search_take(self, strips * sizeof(uint32_t), &content->counts[i]));
  FLOE_TRY(gpu_host_alloc(self->gpu, room * sizeof(uint64_t), &keys));
  content->host_keys[i] = keys;
  FLOE_TRY(gpu_host_alloc(self->gpu, strips * sizeof(uint32_t), &counts));
  content->host_counts[i] = counts;
  return FLOE_OK;
}

floe_status content_open(struct gpu_search *self) {
  const struct engine_task *task = self->search->task;
  if (!is_wanted(self))
    return FLOE_OK;
  self->content.room = room_for(self);
  FLOE_TRY(open_buffer(self, 0));
  FLOE_TRY(open_buffer(self, 1));
  FLOE_TRY(pool_create(task->options->threads, &self->content.pool));
  self->content.files = mem_array(pool_size(self->content.pool), sizeof *self->content.files);
  return self->content.files ? FLOE_OK : FLOE_ERROR_MEMORY;
}

void content_close(struct gpu_search *self) {
  struct key_transfer *content = &self->content;
  for (unsigned i = 0; i < 2; i++) {
    gpu_free(self->gpu, content->keys[i]);
    gpu_free(self->gpu, content->counts[i]);
    gpu_host_free(self->gpu, content->host_keys[i]);
    gpu_host_free(self->gpu, content->host_counts[i]);
  }
  pool_free(content->pool);
  mem_free(content->files);
  kernels_free(&content->code);
  *content = (struct key_transfer){0};
}

/* Of the present table; another kind means other kernels. */
static floe_status make_code(struct gpu_search *self) {
  struct search_kernels *code = &self->content.code;
  const struct table_kind now = kernels_kind(&self->visited);
  if (code->module && kernels_same_kind(&now, &code->kind))
    return FLOE_OK;
  kernels_free(code);
  return kernels_make_transfer(self, &now, code);
}

/* ---- out ----------------------------------------------------------------------------------------- */

struct export {
  struct gpu_search *search;
  void (*visit)(void *user, unsigned member, const uint64_t *keys, uint64_t n);
  void *user;
  unsigned buffer; /* that the crew works on */
  uint64_t strips; /* in it */
};

/* A part of the slots into a buffer, in the stream. */
static floe_status start_export(struct gpu_search *self, unsigned buffer, uint64_t first) {
  struct key_transfer *content = &self->content;
  struct gpu_launch grid = {.blocks = content->code.export.blocks, .threads = GPU_BLOCK};
  uint64_t n = content->room;
  void *arguments[] = {&self->visited.view, &first, &n, &content->keys[buffer], &content->counts[buffer]};
  FLOE_TRY(gpu_start(self->gpu, content->code.export.function, &grid, arguments));
  FLOE_TRY(gpu_download_start(self->gpu, content->host_counts[buffer], content->counts[buffer],
                              n / GPU_STRIP * sizeof(uint32_t)));
  return gpu_download_start(self->gpu, content->host_keys[buffer], content->keys[buffer], n * sizeof(uint64_t));
}

static void hand_out(void *data, unsigned member) {
  const struct export *export = data;
  const struct key_transfer *content = &export->search->content;
  const unsigned members = pool_size(content->pool);
  const uint64_t end = export->strips * (member + 1) / members;
  for (uint64_t i = export->strips * member / members; i < end; i++)
    export->visit(export->user, member, content->host_keys[export->buffer] + i * GPU_STRIP,
                  content->host_counts[export->buffer][i]);
}

static uint64_t count_in(const struct key_transfer *content, unsigned buffer) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < content->room / GPU_STRIP; i++)
    count += content->host_counts[buffer][i];
  return count;
}

static floe_status export_table(struct export *export, uint64_t *count) {
  struct gpu_search *self = export->search;
  struct key_transfer *content = &self->content;
  const uint64_t slots = self->visited.shape.slots + GPU_STRIP; /* with those of keys that have one of their own */
  FLOE_TRY(make_code(self));
  FLOE_TRY(start_export(self, 0, 0));
  for (uint64_t first = 0; first < slots; first += content->room) {
    FLOE_TRY(gpu_wait(self->gpu));
    if (first + content->room < slots)
      FLOE_TRY(start_export(self, !export->buffer, first + content->room));
    *count += count_in(content, export->buffer);
    pool_run(content->pool, hand_out, export);
    export->buffer = !export->buffer;
  }
  return FLOE_OK;
}

/* ---- out, of a bitmap ------------------------------------------------------------------------------ */

/* Its words themselves come to the host: a bit for each key that there can be is less than 64 for each that there is,
   unless these are few indeed. */
struct words {
  const struct export *export;
  const uint64_t *at;
  uint64_t first, n; /* words of 64 bits: the first of these in the table */
  _Atomic uint64_t count;
};

enum { KEYS_AT_ONCE = 1024 };

/* Of each word the lower half comes first (tables/kernel/bitmap.h). */
static void hand_out_words(void *data, unsigned member) {
  struct words *words = data;
  const struct export *export = words->export;
  const unsigned members = pool_size(export->search->content.pool);
  const uint64_t end = words->n * (member + 1) / members;
  const struct table_config *config = &export->search->visited.config;
  uint64_t keys[KEYS_AT_ONCE + 64], n = 0, count = 0;
  for (uint64_t i = words->n * member / members; i < end; i++) {
    for (uint64_t rest = words->at[i]; rest; rest &= rest - 1)
      keys[n++] = local_index_key(config->shares, config->member, (words->first + i) * 64 + (uint64_t)__builtin_ctzll(rest));
    if (n >= KEYS_AT_ONCE || i + 1 == end) {
      export->visit(export->user, member, keys, n);
      count += n;
      n = 0;
    }
  }
  atomic_fetch_add(&words->count, count);
}

static floe_status start_words(struct gpu_search *self, unsigned buffer, uint64_t first, uint64_t n) {
  const uint64_t word = sizeof(uint64_t);
  return gpu_download_start(self->gpu, self->content.host_keys[buffer], self->visited.memory.at + first * word,
                            n * word);
}

static floe_status export_bitmap(struct export *export, uint64_t *count) {
  struct gpu_search *self = export->search;
  const uint64_t all = self->visited.shape.bytes / sizeof(uint64_t), room = self->content.room;
  struct words words = {.export = export};
  FLOE_TRY(start_words(self, 0, 0, least(room, all)));
  for (uint64_t first = 0; first < all; first += room) {
    FLOE_TRY(gpu_wait(self->gpu));
    if (all - first > room)
      FLOE_TRY(start_words(self, !export->buffer, first + room, least(room, all - first - room)));
    words.at = self->content.host_keys[export->buffer];
    words.first = first;
    words.n = least(room, all - first);
    pool_run(self->content.pool, hand_out_words, &words);
    export->buffer = !export->buffer;
  }
  *count += words.count;
  return FLOE_OK;
}

/* ---- out, of both levels --------------------------------------------------------------------------- */

struct member_export {
  const struct export *export;
  unsigned member;
};

static void visit_host(void *user, const uint64_t *keys, size_t n) {
  const struct member_export *one = user;
  one->export->visit(one->export->user, one->member, keys, n);
}

/* Of the host's keys each member takes its part. */
static void hand_out_host(void *data, unsigned member) {
  struct member_export one = {data, member};
  const struct gpu_search *self = one.export->search;
  host_backed_each(self, member, pool_size(self->content.pool), visit_host, &one);
}

floe_status content_export(struct gpu_search *self,
                           void (*visit)(void *user, unsigned member, const uint64_t *keys, uint64_t n), void *user,
                           uint64_t *count) {
  struct key_transfer *content = &self->content;
  struct export export = {.search = self, .visit = visit, .user = user, .strips = content->room / GPU_STRIP};
  *count = 0;
  if (self->visited.memory.at)
    FLOE_TRY(table_traits(self->visited.config.scheme)->every_key ? export_bitmap(&export, count)
                                                                  : export_table(&export, count));
  if (self->host_backed)
    pool_run(content->pool, hand_out_host, &export);
  *count += host_backed_figures(self).host_keys;
  return FLOE_OK;
}

/* ---- in ------------------------------------------------------------------------------------------ */

struct load {
  struct gpu_search *search;
  uint64_t (*fill)(void *user, unsigned member, uint64_t *to, uint64_t room);
  void *user;
  unsigned buffer;     /* that the crew fills */
  uint64_t *counts[2]; /* [members] keys in each one's part of a buffer */
  uint64_t in_table;   /* keys of the buffer that the device works on: put by an earlier attempt */
};

static uint64_t share_of(const struct key_transfer *content) { return content->room / pool_size(content->pool); }

static void fill_part(void *data, unsigned member) {
  struct load *load = data;
  const struct key_transfer *content = &load->search->content;
  const uint64_t share = share_of(content);
  load->counts[load->buffer][member] =
      load->fill(load->user, member, content->host_keys[load->buffer] + member * share, share);
}

static uint64_t filled(const struct load *load, unsigned buffer) {
  uint64_t n = 0;
  for (unsigned i = 0; i < pool_size(load->search->content.pool); i++)
    n += load->counts[buffer][i];
  return n;
}

/* In the stream: the parts of a buffer, which are on the device then. */
static floe_status start_load(const struct load *load, unsigned buffer) {
  struct gpu_search *self = load->search;
  struct key_transfer *content = &self->content;
  FLOE_TRY(make_code(self)); /* it may have grown */
  struct gpu_launch grid = {.blocks = content->code.load.blocks, .threads = GPU_BLOCK};
  self->control.rehash.moved = self->control.rehash.misplaced = self->control.rehash.repeated = 0;
  FLOE_TRY(gpu_search_upload(self));
  for (unsigned i = 0; i < pool_size(content->pool); i++) {
    const uint64_t at = i * share_of(content);
    gpu_address keys = content->keys[buffer] + at * sizeof(uint64_t);
    uint64_t n = load->counts[buffer][i];
    void *arguments[] = {&self->visited.view, &keys, &n, &self->control_at};
    if (n == 0)
      continue;
    FLOE_TRY(gpu_upload_start(self->gpu, keys, content->host_keys[buffer] + at, n * sizeof(uint64_t)));
    FLOE_TRY(gpu_start(self->gpu, content->code.load.function, &grid, arguments));
  }
  return FLOE_OK;
}

static floe_status twice(const struct gpu_search *self) {
  diag_error(self->search->log, NULL, NOWHERE, NULL, "the checkpoint contradicts itself: it contains a state twice");
  return FLOE_ERROR_IO;
}

/* Why the table did not grow; `otherwise`: it has its size. */
static floe_status why_not(const struct gpu_search *self, floe_status otherwise) {
  if (self->search->status != FLOE_OK)
    return self->search->status;
  return self->search->ended ? FLOE_ERROR_UNSUPPORTED : otherwise;
}

/* What was started is done. *again: keys found no place, and the table has grown. */
static floe_status end_load(struct load *load, bool *again) {
  struct gpu_search *self = load->search;
  const struct gpu_control *control = &self->control;
  FLOE_TRY(gpu_search_download(self));
  if (control->rehash.repeated != load->in_table)
    return twice(self);
  const bool misplaced = control->rehash.misplaced > 0;
  load->in_table += control->rehash.moved;
  self->control.level.states_before += control->rehash.moved;
  *again = misplaced;
  return misplaced && !grow_set(self) ? why_not(self, FLOE_ERROR_MEMORY) : FLOE_OK;
}

/* A table that is nearly full takes long to say that it is. */
static floe_status make_room(struct gpu_search *self, uint64_t more) {
  const uint64_t states = gpu_search_states(self) + more;
  while (states > least(self->control.level.grow_at, self->visited.shape.slots / 10 * 9))
    if (!grow_set(self))
      return why_not(self, states > self->visited.shape.slots ? FLOE_ERROR_MEMORY : FLOE_OK);
  return FLOE_OK;
}

/* ---- in, to the host ------------------------------------------------------------------------------- */

static void load_host(void *data, unsigned member) {
  struct load *load = data;
  uint64_t *keys = load->search->content.host_keys[0] + member * share_of(&load->search->content);
  const uint64_t n = load->fill(load->user, member, keys, share_of(&load->search->content));
  load->counts[0][member] = n;
  load->counts[1][member] = n > 0 && !host_backed_load(load->search, keys, n);
}

/* All keys: the device's part of a set that begins in two levels is empty. */
static floe_status load_two_levels(struct load *load) {
  struct gpu_search *self = load->search;
  uint64_t n;
  do {
    pool_run(self->content.pool, load_host, load);
    n = filled(load, 0);
    self->control.level.states_before += n;
    if (filled(load, 1) > 0)
      return FLOE_ERROR_MEMORY;
    if (search_check_stop(self->search))
      return FLOE_ERROR_UNSUPPORTED;
  } while (n > 0);
  return host_backed_figures(self).host_keys == self->control.level.states_before ? FLOE_OK : twice(self);
}

/* ---- in, to the device's table --------------------------------------------------------------------- */

static floe_status load_to_the_end(struct load *load) {
  struct gpu_search *self = load->search;
  pool_run(self->content.pool, fill_part, load);
  while (filled(load, load->buffer) > 0) {
    const unsigned full = load->buffer;
    bool again = false;
    load->in_table = 0;
    FLOE_TRY(make_room(self, filled(load, full)));
    FLOE_TRY(start_load(load, full));
    load->buffer = !full;
    pool_run(self->content.pool, fill_part, load);
    FLOE_TRY(end_load(load, &again));
    while (again) {
      FLOE_TRY(start_load(load, full));
      FLOE_TRY(end_load(load, &again));
    }
    if (search_check_stop(self->search))
      return FLOE_ERROR_UNSUPPORTED;
  }
  return FLOE_OK;
}

floe_status content_load(struct gpu_search *self,
                         uint64_t (*fill)(void *user, unsigned member, uint64_t *to, uint64_t room), void *user) {
  struct load load = {.search = self, .fill = fill, .user = user};
  const unsigned members = pool_size(self->content.pool);
  uint64_t *counts = mem_array(2 * (size_t)members, sizeof *counts);
  if (!counts)
    return FLOE_ERROR_MEMORY;
  load.counts[0] = counts;
  load.counts[1] = counts + members;
  floe_status status = self->host_backed ? load_two_levels(&load) : load_to_the_end(&load);
  mem_free(counts);
  return status;
}
