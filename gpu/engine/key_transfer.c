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

static uint64_t room_for(const struct gpu_rank *rank) {
  const uint64_t room = least(MOST_ROOM, rank->budget.limit / SHARE / sizeof(uint64_t)) / GPU_STRIP * GPU_STRIP;
  return room ? room : (uint64_t)GPU_STRIP;
}

static bool is_wanted(const struct gpu_rank *rank) {
  const struct engine_task *task = rank->search->task;
  return task->keeping || task->kept || moment_states(task) > 0;
}

uint64_t content_bytes(const struct gpu_rank *rank) {
  const uint64_t room = room_for(rank);
  return is_wanted(rank) ? 2 * (room * sizeof(uint64_t) + room / GPU_STRIP * sizeof(uint32_t)) : 0;
}

static floe_status open_buffer(struct gpu_rank *rank, unsigned i) {
  struct gpu_content *content = &rank->content;
  const uint64_t room = content->room, strips = room / GPU_STRIP;
  void *keys, *counts;
  FLOE_TRY(rank_take(rank, room * sizeof(uint64_t), &content->keys[i]));
  FLOE_TRY(rank_take(rank, strips * sizeof(uint32_t), &content->counts[i]));
  FLOE_TRY(gpu_host_alloc(rank->gpu, room * sizeof(uint64_t), &keys));
  content->host_keys[i] = keys;
  FLOE_TRY(gpu_host_alloc(rank->gpu, strips * sizeof(uint32_t), &counts));
  content->host_counts[i] = counts;
  return FLOE_OK;
}

floe_status content_open(struct gpu_rank *rank) {
  const struct engine_task *task = rank->search->task;
  if (!is_wanted(rank))
    return FLOE_OK;
  rank->content.room = room_for(rank);
  FLOE_TRY(open_buffer(rank, 0));
  FLOE_TRY(open_buffer(rank, 1));
  FLOE_TRY(crew_create(task->options->threads, &rank->content.crew));
  rank->content.files = mem_array(crew_size(rank->content.crew), sizeof *rank->content.files);
  return rank->content.files ? FLOE_OK : FLOE_ERROR_MEMORY;
}

void content_close(struct gpu_rank *rank) {
  struct gpu_content *content = &rank->content;
  for (unsigned i = 0; i < 2; i++) {
    gpu_free(rank->gpu, content->keys[i]);
    gpu_free(rank->gpu, content->counts[i]);
    gpu_host_free(rank->gpu, content->host_keys[i]);
    gpu_host_free(rank->gpu, content->host_counts[i]);
  }
  crew_free(content->crew);
  mem_free(content->files);
  code_free(&content->code);
  *content = (struct gpu_content){0};
}

/* Of the present table; another kind means other kernels. */
static floe_status make_code(struct gpu_rank *rank) {
  struct gpu_code *code = &rank->content.code;
  const struct table_kind now = code_kind(&rank->visited);
  if (code->module && code_same_kind(&now, &code->kind))
    return FLOE_OK;
  code_free(code);
  return code_make_content(rank, &now, code);
}

/* ---- out ----------------------------------------------------------------------------------------- */

struct export {
  struct gpu_rank *rank;
  void (*visit)(void *user, unsigned member, const uint64_t *keys, uint64_t n);
  void *user;
  unsigned buffer; /* that the crew works on */
  uint64_t strips; /* in it */
};

/* A part of the slots into a buffer, in the stream. */
static floe_status start_export(struct gpu_rank *rank, unsigned buffer, uint64_t first) {
  struct gpu_content *content = &rank->content;
  struct gpu_launch grid = {.blocks = content->code.export.blocks, .threads = GPU_BLOCK};
  uint64_t n = content->room;
  void *arguments[] = {&rank->visited.view, &first, &n, &content->keys[buffer], &content->counts[buffer]};
  FLOE_TRY(gpu_start(rank->gpu, content->code.export.function, &grid, arguments));
  FLOE_TRY(gpu_download_start(rank->gpu, content->host_counts[buffer], content->counts[buffer],
                              n / GPU_STRIP * sizeof(uint32_t)));
  return gpu_download_start(rank->gpu, content->host_keys[buffer], content->keys[buffer], n * sizeof(uint64_t));
}

static void hand_out(void *data, unsigned member) {
  const struct export *export = data;
  const struct gpu_content *content = &export->rank->content;
  const unsigned members = crew_size(content->crew);
  const uint64_t end = export->strips * (member + 1) / members;
  for (uint64_t i = export->strips * member / members; i < end; i++)
    export->visit(export->user, member, content->host_keys[export->buffer] + i * GPU_STRIP,
                  content->host_counts[export->buffer][i]);
}

static uint64_t count_in(const struct gpu_content *content, unsigned buffer) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < content->room / GPU_STRIP; i++)
    count += content->host_counts[buffer][i];
  return count;
}

static floe_status export_table(struct export *export, uint64_t *count) {
  struct gpu_rank *rank = export->rank;
  struct gpu_content *content = &rank->content;
  const uint64_t slots = rank->visited.shape.slots + GPU_STRIP; /* with those of keys that have one of their own */
  FLOE_TRY(make_code(rank));
  FLOE_TRY(start_export(rank, 0, 0));
  for (uint64_t first = 0; first < slots; first += content->room) {
    FLOE_TRY(gpu_wait(rank->gpu));
    if (first + content->room < slots)
      FLOE_TRY(start_export(rank, !export->buffer, first + content->room));
    *count += count_in(content, export->buffer);
    crew_run(content->crew, hand_out, export);
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
  const unsigned members = crew_size(export->rank->content.crew);
  const uint64_t end = words->n * (member + 1) / members;
  const struct table_config *config = &export->rank->visited.config;
  uint64_t keys[KEYS_AT_ONCE + 64], n = 0, count = 0;
  for (uint64_t i = words->n * member / members; i < end; i++) {
    for (uint64_t rest = words->at[i]; rest; rest &= rest - 1)
      keys[n++] = shares_key(config->shares, config->member, (words->first + i) * 64 + (uint64_t)__builtin_ctzll(rest));
    if (n >= KEYS_AT_ONCE || i + 1 == end) {
      export->visit(export->user, member, keys, n);
      count += n;
      n = 0;
    }
  }
  atomic_fetch_add(&words->count, count);
}

static floe_status start_words(struct gpu_rank *rank, unsigned buffer, uint64_t first, uint64_t n) {
  const uint64_t word = sizeof(uint64_t);
  return gpu_download_start(rank->gpu, rank->content.host_keys[buffer], rank->visited.memory.at + first * word,
                            n * word);
}

static floe_status export_bitmap(struct export *export, uint64_t *count) {
  struct gpu_rank *rank = export->rank;
  const uint64_t all = rank->visited.shape.bytes / sizeof(uint64_t), room = rank->content.room;
  struct words words = {.export = export};
  FLOE_TRY(start_words(rank, 0, 0, least(room, all)));
  for (uint64_t first = 0; first < all; first += room) {
    FLOE_TRY(gpu_wait(rank->gpu));
    if (all - first > room)
      FLOE_TRY(start_words(rank, !export->buffer, first + room, least(room, all - first - room)));
    words.at = rank->content.host_keys[export->buffer];
    words.first = first;
    words.n = least(room, all - first);
    crew_run(rank->content.crew, hand_out_words, &words);
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
  const struct gpu_rank *rank = one.export->rank;
  two_levels_each(rank, member, crew_size(rank->content.crew), visit_host, &one);
}

floe_status content_export(struct gpu_rank *rank,
                           void (*visit)(void *user, unsigned member, const uint64_t *keys, uint64_t n), void *user,
                           uint64_t *count) {
  struct gpu_content *content = &rank->content;
  struct export export = {.rank = rank, .visit = visit, .user = user, .strips = content->room / GPU_STRIP};
  *count = 0;
  if (rank->visited.memory.at)
    FLOE_TRY(table_traits(rank->visited.config.scheme)->every_key ? export_bitmap(&export, count)
                                                                  : export_table(&export, count));
  if (rank->two)
    crew_run(content->crew, hand_out_host, &export);
  *count += two_levels_figures(rank).host_keys;
  return FLOE_OK;
}

/* ---- in ------------------------------------------------------------------------------------------ */

struct load {
  struct gpu_rank *rank;
  uint64_t (*fill)(void *user, unsigned member, uint64_t *to, uint64_t room);
  void *user;
  unsigned buffer;     /* that the crew fills */
  uint64_t *counts[2]; /* [members] keys in each one's part of a buffer */
  uint64_t in_table;   /* keys of the buffer that the device works on: put by an earlier attempt */
};

static uint64_t share_of(const struct gpu_content *content) { return content->room / crew_size(content->crew); }

static void fill_part(void *data, unsigned member) {
  struct load *load = data;
  const struct gpu_content *content = &load->rank->content;
  const uint64_t share = share_of(content);
  load->counts[load->buffer][member] =
      load->fill(load->user, member, content->host_keys[load->buffer] + member * share, share);
}

static uint64_t filled(const struct load *load, unsigned buffer) {
  uint64_t n = 0;
  for (unsigned i = 0; i < crew_size(load->rank->content.crew); i++)
    n += load->counts[buffer][i];
  return n;
}

/* In the stream: the parts of a buffer, which are on the device then. */
static floe_status start_load(const struct load *load, unsigned buffer) {
  struct gpu_rank *rank = load->rank;
  struct gpu_content *content = &rank->content;
  FLOE_TRY(make_code(rank)); /* it may have grown */
  struct gpu_launch grid = {.blocks = content->code.load.blocks, .threads = GPU_BLOCK};
  rank->control.moved = rank->control.misplaced = rank->control.repeated = 0;
  FLOE_TRY(rank_upload(rank));
  for (unsigned i = 0; i < crew_size(content->crew); i++) {
    const uint64_t at = i * share_of(content);
    gpu_address keys = content->keys[buffer] + at * sizeof(uint64_t);
    uint64_t n = load->counts[buffer][i];
    void *arguments[] = {&rank->visited.view, &keys, &n, &rank->control_at};
    if (n == 0)
      continue;
    FLOE_TRY(gpu_upload_start(rank->gpu, keys, content->host_keys[buffer] + at, n * sizeof(uint64_t)));
    FLOE_TRY(gpu_start(rank->gpu, content->code.load.function, &grid, arguments));
  }
  return FLOE_OK;
}

static floe_status twice(const struct gpu_rank *rank) {
  diag_error(rank->search->log, NULL, NOWHERE, NULL, "the checkpoint contradicts itself: a state is in it twice");
  return FLOE_ERROR_IO;
}

/* Why the table did not grow; `otherwise`: it has its size. */
static floe_status why_not(const struct gpu_rank *rank, floe_status otherwise) {
  if (rank->search->status != FLOE_OK)
    return rank->search->status;
  return rank->search->ended ? FLOE_ERROR_UNSUPPORTED : otherwise;
}

/* What was started is done. *again: keys found no place, and the table has grown. */
static floe_status end_load(struct load *load, bool *again) {
  struct gpu_rank *rank = load->rank;
  const struct gpu_control *control = &rank->control;
  FLOE_TRY(rank_download(rank));
  if (control->repeated != load->in_table)
    return twice(rank);
  const bool misplaced = control->misplaced > 0;
  load->in_table += control->moved;
  rank->control.states_before += control->moved;
  *again = misplaced;
  return misplaced && !grow_set(rank) ? why_not(rank, FLOE_ERROR_MEMORY) : FLOE_OK;
}

/* A table that is nearly full takes long to say that it is. */
static floe_status make_room(struct gpu_rank *rank, uint64_t more) {
  const uint64_t states = rank_states(rank) + more;
  while (states > least(rank->control.grow_at, rank->visited.shape.slots / 10 * 9))
    if (!grow_set(rank))
      return why_not(rank, states > rank->visited.shape.slots ? FLOE_ERROR_MEMORY : FLOE_OK);
  return FLOE_OK;
}

/* ---- in, to the host ------------------------------------------------------------------------------- */

static void load_host(void *data, unsigned member) {
  struct load *load = data;
  uint64_t *keys = load->rank->content.host_keys[0] + member * share_of(&load->rank->content);
  const uint64_t n = load->fill(load->user, member, keys, share_of(&load->rank->content));
  load->counts[0][member] = n;
  load->counts[1][member] = n > 0 && !two_levels_load(load->rank, keys, n);
}

/* All keys: the device's part of a set that begins in two levels is empty. */
static floe_status load_two_levels(struct load *load) {
  struct gpu_rank *rank = load->rank;
  uint64_t n;
  do {
    crew_run(rank->content.crew, load_host, load);
    n = filled(load, 0);
    rank->control.states_before += n;
    if (filled(load, 1) > 0)
      return FLOE_ERROR_MEMORY;
    if (search_look(rank->search))
      return FLOE_ERROR_UNSUPPORTED;
  } while (n > 0);
  return two_levels_figures(rank).host_keys == rank->control.states_before ? FLOE_OK : twice(rank);
}

/* ---- in, to the device's table --------------------------------------------------------------------- */

static floe_status load_to_the_end(struct load *load) {
  struct gpu_rank *rank = load->rank;
  crew_run(rank->content.crew, fill_part, load);
  while (filled(load, load->buffer) > 0) {
    const unsigned full = load->buffer;
    bool again = false;
    load->in_table = 0;
    FLOE_TRY(make_room(rank, filled(load, full)));
    FLOE_TRY(start_load(load, full));
    load->buffer = !full;
    crew_run(rank->content.crew, fill_part, load);
    FLOE_TRY(end_load(load, &again));
    while (again) {
      FLOE_TRY(start_load(load, full));
      FLOE_TRY(end_load(load, &again));
    }
    if (search_look(rank->search))
      return FLOE_ERROR_UNSUPPORTED;
  }
  return FLOE_OK;
}

floe_status content_load(struct gpu_rank *rank,
                         uint64_t (*fill)(void *user, unsigned member, uint64_t *to, uint64_t room), void *user) {
  struct load load = {.rank = rank, .fill = fill, .user = user};
  const unsigned members = crew_size(rank->content.crew);
  uint64_t *counts = mem_array(2 * (size_t)members, sizeof *counts);
  if (!counts)
    return FLOE_ERROR_MEMORY;
  load.counts[0] = counts;
  load.counts[1] = counts + members;
  floe_status status = rank->two ? load_two_levels(&load) : load_to_the_end(&load);
  mem_free(counts);
  return status;
}
