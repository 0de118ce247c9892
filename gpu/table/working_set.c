#include "gpu/table/working_set.h"

#include "core/mem.h"
#include "core/threads/thread_pool.h"
#include "gpu/jit/kernel_text.h"
#include "gpu/jit/kernels.h"

#include "gpu/kernel/base/control.h"
#include "gpu/kernel/table/working_set_view.h"

#include <assert.h>
#include <string.h>

static_assert(TABLE_PUT_NEW == 2 && TABLE_DELETE == 3 && TABLE_GET == 4 && TABLE_ADD == 5,
              "operations have the numbers of kernel/working_set.h");
static_assert(TABLE_FOUND == 0 && TABLE_PUT == 1 && TABLE_FULL == 2, "and answers");

enum {
  WORD = sizeof(uint64_t),
  GROUPS = 2,
  SLOTS = 2,
  SPARE_BATCHES = 8,
  VIEW_PAIRS = 1 << 12,
  LEAST_SHARED = 1 << 15
};

/* Timestamps of a batch in the stream: between two consecutive ones there is a copy or a kernel. */
enum mark { BEGUN, BROUGHT, ASKED, ANSWERED, FOUND, SETTLED, FETCHED, MARKS };

/* Host part of a batch, of which two may be in flight. The memory is page-locked. */
struct turn {
  unsigned char *in, *out; /* arrays of the operations (struct layout), and their results */
  uint64_t *missing;
  unsigned char *found; /* values of the missing keys, and whether they were found */
  struct workset_pair *old;
  struct workset_result *result;
  struct gpu_event *done;
  struct gpu_event *events[MARKS]; /* NULL if times are not measured */
  struct workset_batch batch;
  struct workset_work work;
};

/* A log with its bits. There are two, so that pairs can move from one to the other. */
struct log {
  gpu_address pairs, live;
};

struct recent_level {
  struct gpu_workset_device device;
  struct recent_level_config config;
  struct gpu_module *module;
  struct gpu_kernel lookup, apply, compact;
  struct workset_view view;
  struct log logs[2];
  unsigned log; /* the one in use */
  gpu_address control, index, groups, writers, group_of, ends, end_kinds, tiles, sums, ranks;
  gpu_address in, found; /* of a batch */
  struct turn turns[2];
  unsigned turn;    /* of the batch that was started last */
  unsigned settled; /* of the batch that was applied last */
  uint64_t most;    /* upper bound for the places of the log in use */
  uint64_t live;    /* pairs, after the last completed batch */
  struct recent_level_times times;
  bool unpacked; /* a log that must be compacted before the next batch */
};

static struct gpu *gpu_of(const struct recent_level *level) { return level->device.gpu; }

static void *pointer(gpu_address address) { return (void *)(uintptr_t)address; }

/* ---- sizes --------------------------------------------------------------------------------------- */

/* Half as many places again as pairs: each compaction moves the pairs once, after as many new ones. */
static uint64_t places_for(const struct recent_level_config *config) {
  return config->capacity + config->capacity / 2 + SPARE_BATCHES * (uint64_t)config->batch;
}

static uint64_t words_for(uint64_t places) { return (places + WORKSET_WORD - 1) / WORKSET_WORD; }

static uint64_t tiles_for(size_t batch) { return batch / GPU_BLOCK + 1; }

/* Arrays of a batch, contiguous: the first part goes to the device, the second part comes back, each with one copy. */
struct layout {
  size_t operations, values, answers, bytes; /* offsets; keys are at 0 */
};

static struct layout layout_of(size_t n, bool operations, bool values) {
  struct layout layout = {.operations = n * WORD};
  layout.values = layout.operations + (operations ? (n + WORD - 1) / WORD * WORD : 0);
  layout.answers = layout.values + (values ? n * WORD : 0);
  layout.bytes = layout.answers + n;
  return layout;
}

/* All single objects on the device. */
struct part {
  size_t offset; /* of a gpu_address of struct recent_level */
  uint64_t bytes;
};
enum { PARTS = 16 };

static size_t list_parts(const struct recent_level_config *config, struct part parts[PARTS]) {
  const uint64_t places = places_for(config), n = config->batch;
  const uint64_t log = places * sizeof(struct workset_pair), live = words_for(places) * sizeof(uint32_t);
  const struct part all[] = {
      {offsetof(struct recent_level, logs[0].pairs), log},
      {offsetof(struct recent_level, logs[0].live), live},
      {offsetof(struct recent_level, logs[1].pairs), log},
      {offsetof(struct recent_level, logs[1].live), live},
      {offsetof(struct recent_level, control), sizeof(struct workset_control)},
      {offsetof(struct recent_level, index), SLOTS * places * WORD},
      {offsetof(struct recent_level, groups), GROUPS * n * sizeof(struct workset_group)},
      {offsetof(struct recent_level, writers), n * sizeof(uint32_t)},
      {offsetof(struct recent_level, group_of), n * sizeof(uint32_t)},
      {offsetof(struct recent_level, ends), n * WORD},
      {offsetof(struct recent_level, end_kinds), n},
      {offsetof(struct recent_level, tiles), tiles_for(n) * sizeof(uint32_t)},
      {offsetof(struct recent_level, sums), 2 * WORKSET_BLOCKS * sizeof(uint32_t)},
      {offsetof(struct recent_level, ranks), (uint64_t)WORKSET_BLOCKS * GPU_BLOCK * sizeof(uint32_t)},
      {offsetof(struct recent_level, in), layout_of(n, true, true).bytes},
      {offsetof(struct recent_level, found), n * (WORD + 1)},
  };
  static_assert(sizeof all / sizeof *all == PARTS, "all of them");
  memcpy(parts, all, sizeof all);
  return PARTS;
}

static gpu_address *address_of(struct recent_level *level, const struct part *part) {
  return (gpu_address *)(void *)((char *)level + part->offset);
}

static uint64_t page_locked_bytes(size_t n) {
  return layout_of(n, true, true).bytes + n * (3 * WORD + 2 + sizeof(struct workset_pair)) +
         sizeof(struct workset_result);
}

/* Memory of the device and page-locked memory of the host. */
static uint64_t bytes_of_log(const struct recent_level_config *config) {
  struct part parts[PARTS];
  const size_t n = list_parts(config, parts);
  uint64_t bytes = 2 * page_locked_bytes(config->batch);
  for (size_t i = 0; i < n; i++)
    bytes += parts[i].bytes;
  return bytes;
}

/* ---- text and kernels ---------------------------------------------------------------------------- */

static const char *write_text(const void *of, struct arena *arena) {
  (void)of;
  return gpu_workset_text(arena);
}

static floe_status find_kernel(struct recent_level *level, const char *name, struct gpu_kernel *out) {
  FLOE_TRY(gpu_kernel_find(gpu_of(level), level->module, name, level->device.log, NULL, out));
  if (out->blocks > WORKSET_BLOCKS)
    out->blocks = WORKSET_BLOCKS;
  return FLOE_OK;
}

static floe_status load(struct recent_level *level) {
  const struct gpu_text text = {.name = "workset.cu", .write = write_text};
  FLOE_TRY(gpu_text_load(gpu_of(level), &text, level->device.cache_dir, level->device.log, &level->module, NULL));
  FLOE_TRY(find_kernel(level, "floe_workset_lookup", &level->lookup));
  FLOE_TRY(find_kernel(level, "floe_workset_apply", &level->apply));
  return find_kernel(level, "floe_workset_compact", &level->compact);
}

/* In the stream. `threads`: number with work; at most as many blocks as fill the device. */
static floe_status start(struct recent_level *level, const struct gpu_kernel *kernel, uint64_t threads,
                         void **arguments) {
  const uint64_t wanted = (threads + GPU_BLOCK - 1) / GPU_BLOCK;
  const struct gpu_launch grid = {
      .blocks = wanted < kernel->blocks ? (unsigned)wanted : kernel->blocks, .threads = GPU_BLOCK, .cooperative = true};
  assert(wanted);
  return gpu_start(gpu_of(level), kernel->function, &grid, arguments);
}

/* ---- owning -------------------------------------------------------------------------------------- */

static void free_turn(struct recent_level *level, struct turn *turn) {
  struct gpu *gpu = gpu_of(level);
  for (unsigned i = 0; i < MARKS; i++)
    gpu_event_free(gpu, turn->events[i]);
  gpu_host_free(gpu, turn->in);
  gpu_host_free(gpu, turn->out);
  gpu_host_free(gpu, turn->missing);
  gpu_host_free(gpu, turn->found);
  gpu_host_free(gpu, turn->old);
  gpu_host_free(gpu, turn->result);
  gpu_event_free(gpu, turn->done);
}

static void free_log(struct recent_level *level) {
  struct part parts[PARTS];
  if (!level)
    return;
  const size_t n = list_parts(&level->config, parts);
  for (size_t i = 0; i < n; i++)
    gpu_free(gpu_of(level), *address_of(level, &parts[i]));
  free_turn(level, &level->turns[0]);
  free_turn(level, &level->turns[1]);
  gpu_module_free(level->module);
  mem_free(level);
}

static floe_status take_page_locked(struct recent_level *level, size_t bytes, void *out) {
  void *p;
  FLOE_TRY(gpu_host_alloc(gpu_of(level), bytes, &p));
  memcpy(out, &p, sizeof p);
  return FLOE_OK;
}

static floe_status take_turn(struct recent_level *level, struct turn *turn) {
  const size_t n = level->config.batch;
  FLOE_TRY(take_page_locked(level, layout_of(n, true, true).bytes, &turn->in));
  FLOE_TRY(take_page_locked(level, n * (WORD + 1), &turn->out));
  FLOE_TRY(take_page_locked(level, n * WORD, &turn->missing));
  FLOE_TRY(take_page_locked(level, n * (WORD + 1), &turn->found));
  FLOE_TRY(take_page_locked(level, n * sizeof *turn->old, &turn->old));
  FLOE_TRY(take_page_locked(level, sizeof *turn->result, &turn->result));
  for (unsigned i = 0; level->config.timed && i < MARKS; i++)
    FLOE_TRY(gpu_event_create(gpu_of(level), &turn->events[i]));
  return gpu_event_create(gpu_of(level), &turn->done);
}

static floe_status take_memory(struct recent_level *level) {
  struct part parts[PARTS];
  const size_t n = list_parts(&level->config, parts);
  for (size_t i = 0; i < n; i++)
    FLOE_TRY(gpu_alloc(gpu_of(level), parts[i].bytes, address_of(level, &parts[i])));
  FLOE_TRY(take_turn(level, &level->turns[0]));
  return take_turn(level, &level->turns[1]);
}

static void set_view(struct recent_level *level) {
  const struct log *log = &level->logs[level->log];
  level->view = (struct workset_view){.control = pointer(level->control),
                                      .log = pointer(log->pairs),
                                      .live = pointer(log->live),
                                      .index = pointer(level->index),
                                      .groups = pointer(level->groups),
                                      .writers = pointer(level->writers),
                                      .group_of = pointer(level->group_of),
                                      .ends = pointer(level->ends),
                                      .end_kinds = pointer(level->end_kinds),
                                      .tiles = pointer(level->tiles),
                                      .sums = pointer(level->sums),
                                      .ranks = pointer(level->ranks),
                                      .places = places_for(&level->config),
                                      .slots = SLOTS * places_for(&level->config),
                                      .group_count = GROUPS * (uint64_t)level->config.batch,
                                      .capacity = level->config.capacity,
                                      .seed = level->config.seed,
                                      .searched = level->device.form == WORKSET_SEARCHED};
}

static floe_status clear_index(struct recent_level *level) {
  return gpu_fill(gpu_of(level), level->index, 0, SLOTS * places_for(&level->config) * WORD);
}

static floe_status clear_bits(struct recent_level *level, unsigned log) {
  return gpu_fill(gpu_of(level), level->logs[log].live, 0, words_for(places_for(&level->config)) * sizeof(uint32_t));
}

static floe_status clear_log(struct recent_level *level, uint64_t seed) {
  struct gpu *gpu = gpu_of(level);
  level->config.seed = seed;
  level->log = 0;
  level->most = level->live = 0;
  level->unpacked = false;
  level->times = (struct recent_level_times){0};
  set_view(level);
  FLOE_TRY(gpu_fill(gpu, level->control, 0, sizeof(struct workset_control)));
  FLOE_TRY(gpu_fill(gpu, level->groups, 0, GROUPS * (uint64_t)level->config.batch * sizeof(struct workset_group)));
  FLOE_TRY(clear_index(level));
  FLOE_TRY(clear_bits(level, 0));
  return gpu_wait(gpu);
}

static floe_status create_log(void *device, const struct recent_level_config *config, struct recent_level **out) {
  struct recent_level *level = mem_alloc(sizeof *level);
  if (!level)
    return FLOE_ERROR_MEMORY;
  level->device = *(const struct gpu_workset_device *)device;
  level->config = *config;
  assert(SLOTS * places_for(config) >> 33 == 0); /* places have numbers of 32 bits */
  floe_status status = load(level);
  if (status == FLOE_OK)
    status = take_memory(level);
  if (status == FLOE_OK)
    status = clear_log(level, config->seed);
  if (status == FLOE_OK)
    *out = level;
  else
    free_log(level);
  return status;
}

/* ---- room in the log ----------------------------------------------------------------------------- */

/* In the stream, between batches: moves all pairs to the other log. */
static floe_status compact(struct recent_level *level) {
  struct workset_view from = level->view;
  FLOE_TRY(clear_index(level));
  FLOE_TRY(clear_bits(level, level->log ^ 1));
  level->log ^= 1;
  set_view(level);
  void *arguments[] = {&from, &level->view};
  const uint64_t words = words_for(level->most);
  level->unpacked = false;
  return start(level, &level->compact, words ? words : 1, arguments);
}

/* Makes room for a batch of n. While the last batch is in flight, only a bound for the log's use is known; after
   waiting for it the exact number is known. */
static floe_status make_room(struct recent_level *level, size_t n) {
  struct gpu *gpu = gpu_of(level);
  const uint64_t places = places_for(&level->config);
  if (level->most + n <= places && !level->unpacked)
    return FLOE_OK;
  FLOE_TRY(gpu_wait(gpu));
  level->most = level->turns[level->turn].result->head;
  if (level->most + n <= places && !level->unpacked)
    return FLOE_OK;
  FLOE_TRY(compact(level));
  level->most = level->turns[level->turn].result->live;
  assert(level->most + n <= places);
  return FLOE_OK;
}

/* ---- a batch ------------------------------------------------------------------------------------- */

static struct layout layout_for(const struct workset_batch *batch) {
  return layout_of(batch->n, batch->operations != NULL, batch->values != NULL);
}

/* Copies between a program's arrays and page-locked memory; one thread would do this at a fifth of the bus's speed. */
struct copies {
  struct copy {
    void *to; /* NULL: none */
    const void *from;
    size_t bytes;
  } each[3];
  unsigned members;
};

static void copy_slice(void *user, unsigned member) {
  const struct copies *copies = user;
  for (unsigned i = 0; i < 3; i++) {
    const struct copy *copy = &copies->each[i];
    const size_t begin = copy->bytes * member / copies->members, end = copy->bytes * (member + 1) / copies->members;
    if (copy->to && end > begin)
      memcpy((char *)copy->to + begin, (const char *)copy->from + begin, end - begin);
  }
}

static void copy_all(const struct recent_level *level, struct copies *copies) {
  struct thread_pool *pool = level->config.pool;
  copies->members = pool && copies->each[0].bytes >= LEAST_SHARED ? pool_size(pool) : 1;
  if (copies->members == 1)
    copy_slice(copies, 0);
  else
    pool_run(pool, copy_slice, copies);
}

static void pack(const struct recent_level *level, const struct workset_batch *batch, unsigned char *to) {
  const struct layout layout = layout_for(batch);
  const size_t words = batch->n * WORD;
  struct copies copies = {.each = {{to, batch->keys, words},
                                   {batch->operations ? to + layout.operations : NULL, batch->operations, batch->n},
                                   {batch->values ? to + layout.values : NULL, batch->values, words}}};
  copy_all(level, &copies);
}

static struct workset_work work_for(const struct recent_level *level, const struct turn *turn) {
  const struct workset_batch *batch = &turn->batch;
  const struct layout layout = layout_for(batch);
  return (struct workset_work){.keys = pointer(level->in),
                               .values = batch->values ? pointer(level->in + layout.values) : NULL,
                               .operations = batch->operations ? pointer(level->in + layout.operations) : NULL,
                               .answers = pointer(level->in + layout.answers),
                               .missing = turn->missing,
                               .old = turn->old,
                               .result = turn->result,
                               .n = batch->n,
                               .operation = batch->operation};
}

/* Searching a log has work for all threads. */
static uint64_t threads_for(const struct recent_level *level, size_t n) {
  return level->view.searched ? (uint64_t)WORKSET_BLOCKS * GPU_BLOCK : n;
}

/* ---- times --------------------------------------------------------------------------------------- */

static floe_status mark(const struct recent_level *level, const struct turn *turn, enum mark mark) {
  return turn->events[mark] ? gpu_event_record(gpu_of(level), turn->events[mark]) : FLOE_OK;
}

static floe_status add_between(const struct recent_level *level, const struct turn *turn, enum mark from,
                               double *seconds) {
  double more = 0;
  FLOE_TRY(gpu_event_seconds(gpu_of(level), turn->events[from], turn->events[from + 1], &more));
  *seconds += more;
  return FLOE_OK;
}

/* Processes a completed batch. */
static floe_status add_times(struct recent_level *level, const struct turn *turn) {
  struct recent_level_times *times = &level->times;
  if (!level->config.timed)
    return FLOE_OK;
  FLOE_TRY(add_between(level, turn, BEGUN, &times->copies));
  FLOE_TRY(add_between(level, turn, BROUGHT, &times->kernels));
  FLOE_TRY(add_between(level, turn, ANSWERED, &times->copies));
  FLOE_TRY(add_between(level, turn, FOUND, &times->kernels));
  return add_between(level, turn, SETTLED, &times->copies);
}

static struct recent_level_times times_of_log(const struct recent_level *level) { return level->times; }

/* ---- ask, settle, finish ------------------------------------------------------------------------- */

static floe_status lookup_log(struct recent_level *level, const struct workset_batch *batch) {
  const struct layout layout = layout_for(batch);
  assert(batch->n && batch->n <= level->config.batch);
  FLOE_TRY(make_room(level, batch->n));
  level->turn ^= 1;
  struct turn *turn = &level->turns[level->turn];
  turn->batch = *batch;
  turn->work = work_for(level, turn);
  level->most += batch->n;
  level->unpacked = level->device.form != WORKSET_LOG;
  void *arguments[] = {&level->view, &turn->work};
  pack(level, batch, turn->in);
  FLOE_TRY(mark(level, turn, BEGUN));
  FLOE_TRY(gpu_upload_start(gpu_of(level), level->in, turn->in, layout.answers));
  FLOE_TRY(mark(level, turn, BROUGHT));
  FLOE_TRY(start(level, &level->lookup, threads_for(level, batch->n), arguments));
  return mark(level, turn, ASKED);
}

static floe_status missing_of_log(struct recent_level *level, struct workset_missing *out) {
  struct turn *turn = &level->turns[level->turn];
  FLOE_TRY(gpu_wait(gpu_of(level)));
  const size_t n = turn->result->missing;
  assert(n <= turn->batch.n);
  turn->work.found_values = pointer(level->found);
  turn->work.found = pointer(level->found + n * WORD);
  *out = (struct workset_missing){
      .keys = turn->missing, .found = turn->found + n * WORD, .values = (uint64_t *)(void *)turn->found, .n = n};
  return FLOE_OK;
}

/* Values come back for gets; the others are unchanged. */
static bool brings_values(const struct workset_batch *batch) {
  return batch->values && (batch->operations || batch->operation == TABLE_GET);
}

static floe_status apply_log(struct recent_level *level) {
  struct gpu *gpu = gpu_of(level);
  struct turn *turn = &level->turns[level->turn];
  const struct layout layout = layout_for(&turn->batch);
  const size_t first = brings_values(&turn->batch) ? layout.values : layout.answers;
  void *arguments[] = {&level->view, &turn->work};
  level->settled = level->turn;
  FLOE_TRY(mark(level, turn, ANSWERED));
  FLOE_TRY(gpu_upload_start(gpu, level->found, turn->found, turn->result->missing * (WORD + 1)));
  FLOE_TRY(mark(level, turn, FOUND));
  FLOE_TRY(start(level, &level->apply, threads_for(level, turn->batch.n), arguments));
  FLOE_TRY(mark(level, turn, SETTLED));
  FLOE_TRY(gpu_download_start(gpu, turn->out, level->in + first, layout.bytes - first));
  FLOE_TRY(mark(level, turn, FETCHED));
  return gpu_event_record(gpu, turn->done);
}

static floe_status finish_log(struct recent_level *level, struct workset_old *out) {
  const struct turn *turn = &level->turns[level->settled];
  const struct workset_batch *batch = &turn->batch;
  const size_t values = brings_values(batch) ? batch->n * WORD : 0;
  FLOE_TRY(gpu_event_wait(gpu_of(level), turn->done));
  FLOE_TRY(add_times(level, turn));
  struct copies copies = {
      .each = {{values ? batch->values : NULL, turn->out, values}, {batch->answers, turn->out + values, batch->n}}};
  copy_all(level, &copies);
  assert(turn->result->old <= batch->n && turn->result->live <= level->config.capacity);
  level->live = turn->result->live;
  *out = (struct workset_old){turn->old, turn->result->old};
  return FLOE_OK;
}

/* ---- looking at it ------------------------------------------------------------------------------- */

static floe_status count_of_log(struct recent_level *level, uint64_t *out) {
  *out = level->live;
  return FLOE_OK;
}

/* A part of the log on the host. */
struct sight {
  struct workset_pair pairs[VIEW_PAIRS];
  uint32_t live[VIEW_PAIRS / WORKSET_WORD];
  uint64_t keys[VIEW_PAIRS], values[VIEW_PAIRS];
};

/* From the last place to the first. */
static size_t list_backwards(struct sight *sight, size_t places) {
  size_t n = 0;
  for (size_t i = places; i-- > 0;)
    if (sight->live[i / WORKSET_WORD] >> i % WORKSET_WORD & 1) {
      sight->keys[n] = sight->pairs[i].key;
      sight->values[n++] = sight->pairs[i].value;
    }
  return n;
}

/* The places [first, end); `first` begins a word. */
static floe_status look_at(struct recent_level *level, uint64_t first, uint64_t end, struct sight *sight) {
  const struct log *log = &level->logs[level->log];
  assert(first % WORKSET_WORD == 0 && end - first <= VIEW_PAIRS);
  FLOE_TRY(gpu_download(gpu_of(level), sight->pairs, log->pairs + first * sizeof *sight->pairs,
                        (end - first) * sizeof *sight->pairs));
  return gpu_download(gpu_of(level), sight->live, log->live + first / WORKSET_WORD * sizeof *sight->live,
                      words_for(end - first) * sizeof *sight->live);
}

static floe_status visit_log(struct recent_level *level, struct sight *sight, workset_visit *visit, void *user) {
  struct workset_control control;
  FLOE_TRY(gpu_download(gpu_of(level), &control, level->control, sizeof control));
  for (uint64_t end = control.head; end > control.tail;) {
    const uint64_t first = (end - 1) / VIEW_PAIRS * VIEW_PAIRS;
    FLOE_TRY(look_at(level, first, end, sight));
    const size_t n = list_backwards(sight, end - first);
    if (n)
      visit(user, sight->keys, sight->values, n);
    end = first;
  }
  return FLOE_OK;
}

static floe_status each_of_log(struct recent_level *level, workset_visit *visit, void *user) {
  struct sight *sight = mem_alloc(sizeof *sight);
  if (!sight)
    return FLOE_ERROR_MEMORY;
  floe_status status = visit_log(level, sight, visit, user);
  mem_free(sight);
  return status;
}

/* ---- checking ------------------------------------------------------------------------------------ */

struct whole {
  struct recent_level *level;
  uint64_t *index;
  struct workset_group *groups;
  uint64_t pairs, wrong;
};

/* The place at which a lookup of the device ends. */
static uint64_t place_of(const struct whole *whole, uint64_t key) {
  const struct workset_view *view = &whole->level->view;
  const uint64_t hash = workset_hash(view->seed, key);
  uint64_t at = workset_place(hash, view->slots), count = 0;
  for (; whole->index[at] != WORKSET_EMPTY && count < view->slots; at = at + 1 == view->slots ? 0 : at + 1, count++)
    if (whole->index[at] != WORKSET_GONE && whole->index[at] >> 32 == (uint32_t)hash)
      return WORKSET_PLACE(whole->index[at]); /* (two keys with the same tag may be confused) */
  return UINT64_MAX;
}

static void check_pairs(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct whole *whole = user;
  (void)values;
  whole->pairs += n;
  for (size_t i = 0; i < n && !whole->level->view.searched; i++)
    whole->wrong += place_of(whole, keys[i]) >= whole->level->view.places;
}

static uint64_t count_entries(const struct whole *whole) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < whole->level->view.slots; i++)
    n += whole->index[i] > WORKSET_GONE;
  return n;
}

static bool are_clear(const struct whole *whole) {
  static const struct workset_group clear;
  for (uint64_t i = 0; i < whole->level->view.group_count; i++)
    if (memcmp(&whole->groups[i], &clear, sizeof clear) != 0)
      return false;
  return true;
}

static floe_status look_at_all(struct whole *whole) {
  struct recent_level *level = whole->level;
  struct workset_control control;
  const struct workset_view *view = &level->view;
  if (!whole->index || !whole->groups)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(gpu_download(gpu_of(level), &control, level->control, sizeof control));
  FLOE_TRY(gpu_download(gpu_of(level), whole->index, level->index, view->slots * sizeof *whole->index));
  FLOE_TRY(gpu_download(gpu_of(level), whole->groups, level->groups, view->group_count * sizeof *whole->groups));
  FLOE_TRY(each_of_log(level, check_pairs, whole));
  const bool idle = !control.arrived && !control.missing && !control.segments && !control.appended;
  whole->wrong += !idle + !are_clear(whole) + (control.live != whole->pairs) + (level->live != whole->pairs);
  whole->wrong += count_entries(whole) != (view->searched ? 0 : whole->pairs);
  return FLOE_OK;
}

static floe_status check_log(struct recent_level *level, uint64_t *wrong) {
  struct whole whole = {.level = level,
                        .index = mem_array(level->view.slots, sizeof *whole.index),
                        .groups = mem_array(level->view.group_count, sizeof *whole.groups)};
  floe_status status = look_at_all(&whole);
  mem_free(whole.index);
  mem_free(whole.groups);
  if (status == FLOE_OK)
    *wrong = whole.wrong;
  return status;
}

const struct recent_level_kind gpu_recent_level = {.create = create_log,
                                                   .free = free_log,
                                                   .lookup = lookup_log,
                                                   .missing = missing_of_log,
                                                   .apply = apply_log,
                                                   .finish = finish_log,
                                                   .times = times_of_log,
                                                   .count = count_of_log,
                                                   .bytes = bytes_of_log,
                                                   .clear = clear_log,
                                                   .each = each_of_log,
                                                   .check = check_log};
