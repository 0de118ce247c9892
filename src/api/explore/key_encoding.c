#include "api/explore/key_encoding.h"

#include "api/device/device_list.h"
#include "api/processes.h"
#include "core/diag.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"
#include "engine/sizing.h"
#include "gpu/jit/gpu_api.h"
#include "step/analysis/invariants.h"
#include "step/codegen/code_size.h"
#include "step/stepper.h"

#include <string.h>

/* ---- index keys ---------------------------------------------------------------------------------- */

struct layout_job {
  floe_model *model;
  floe_status status;
  struct layout *layout;
};

static void make_layout(void *data) {
  struct layout_job *job = data;
  floe_model *model = job->model;
  struct arena *arena = &model->checked_arena;
  const struct stop stop = {.interrupt = interruptible_flag()};
  const struct invariants *invariants;
  const struct encoding *encoding;
  job->status = invariants_make(model->model, &stop, arena, &invariants);
  if (job->status == FLOE_OK && stop_requested(&stop))
    job->status =
        FLOE_ERROR_INTERRUPTED; /* with fewer invariants the keys would differ, and no checkpoint may hold such keys */
  if (job->status == FLOE_OK)
    job->status = encoding_make(model->model, model->layout, invariants, arena, &encoding);
  if (job->status != FLOE_OK)
    return;
  job->layout = arena_alloc(arena, sizeof *job->layout);
  *job->layout = layout_with_index_keys(model->layout, encoding);
}

floe_status index_key_layout(floe_model *model, const struct layout **out) {
  struct layout_job job = {.model = model};
  const struct model_automaton *automaton = model->model->automaton;
  /* The code for index keys computes those of successors of states alone. */
  if (model->model->transient || (automaton && automaton->transient))
    return FLOE_ERROR_UNSUPPORTED;
  if (!model->index_keys && !model->no_index_keys) {
    if (arena_guard(&model->checked_arena, make_layout, &job) != 0)
      return FLOE_ERROR_MEMORY;
    model->no_index_keys = job.status == FLOE_ERROR_UNSUPPORTED;
    if (job.status == FLOE_ERROR_INTERRUPTED)
      interrupt_took_effect();
    FLOE_TRY(job.status);
    model->index_keys = job.layout;
  }
  if (!model->index_keys)
    return FLOE_ERROR_UNSUPPORTED;
  *out = model->index_keys;
  return FLOE_OK;
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* Memory of the CPU or GPU that will hold the table, as far as the options determine it. */
static uint64_t memory_for_table(const floe_options *options) {
  return options->engine == FLOE_ENGINE_GPU && options->gpu_memory ? options->gpu_memory : options->memory;
}

/* Of each member. */
static uint64_t expected_states_of(const struct encoding_input *in) {
  const uint64_t all = in->options->expected_states;
  return in->members > 1 ? sizing_part(all, in->members) : all;
}

static bool fits_with(const struct encoding_input *in, const struct layout *layout, unsigned slot_bits) {
  const floe_options *options = in->options;
  const struct table_config wanted = {.scheme = options->table,
                                      .key_bits = layout->key_bits,
                                      .keys = layout->keys,
                                      .slot_bits = slot_bits,
                                      .bucket_slots = options->bucket_slots};
  struct table_config config;
  struct table_shape shape;
  return sizing_largest(&wanted, memory_for_table(options), &config, &shape) &&
         table_fill(wanted.scheme) * (double)shape.slots >= (double)expected_states_of(in);
}

/* Slots of 64 bits, which every hash table has, take 8 to 12 bytes per state. Finding the largest tables takes some
   milliseconds, as long as a small search. */
#define CERTAIN_BYTES 24

/* Some hash table that the options allow holds the expected states. */
static bool fits_in_memory(const struct encoding_input *in, const struct layout *layout) {
  const unsigned *widths = table_traits(in->options->table)->slot_bits;
  if (layout->key_words == 1 && !in->options->slot_bits && !table_traits(in->options->table)->every_key &&
      expected_states_of(in) <= memory_for_table(in->options) / CERTAIN_BYTES)
    return true;
  for (size_t i = 0; layout->key_words == 1 && widths[i]; i++)
    if ((!in->options->slot_bits || in->options->slot_bits == widths[i]) && fits_with(in, layout, widths[i]))
      return true;
  return false;
}

/* ---- bitmaps ------------------------------------------------------------------------------------- */

/* For fewer states the invariants are not worth their time, some tenths of a second. */
#define MANY_STATES ((uint64_t)1 << 21)

static bool plan_hash(const struct encoding_input *in, const struct layout *layout, struct table_config *config,
                      struct table_shape *shape) {
  const struct sizing_first first = {
      .requested = {.scheme = in->options->table, .key_bits = layout->key_bits, .keys = layout->keys, .packed = true},
      .expected_states = expected_states_of(in),
      .bound = key_bound(in->model, layout),
      .room = memory_for_table(in->options)};
  return sizing_first_table(&first, config, shape) == FLOE_OK;
}

/* For the keys of one member. */
static bool plan_bitmap(const struct encoding_input *in, const struct layout *layout, struct table_shape *shape) {
  struct table_config keys = {.key_bits = layout->key_bits, .keys = layout->keys}, bitmap;
  if (in->members > 1)
    keys.keys = sizing_part_of_keys(&keys, in->members);
  return layout->key_words == 1 && sizing_bitmap_plan(&keys, &bitmap, shape);
}

/* On the CPU, a search with these keys starts with a bitmap instead of the hash table that fields would have. */
static bool starts_with_bitmap_on_cpu(const struct encoding_input *in, const struct layout *layout) {
  struct table_config hash, index_keys;
  struct table_shape hash_shape, index_shape, bits;
  return plan_hash(in, in->fields, &hash, &hash_shape) && plan_hash(in, layout, &index_keys, &index_shape) &&
         plan_bitmap(in, layout, &bits) &&
         sizing_bitmap_first(bits.bytes, hash_shape.bytes, true, memory_for_table(in->options)) != SIZING_NO_BITMAP;
}

/* Fraction of a GPU's memory for its first table. Without a limit in the options the memory is not known here. */
#define FIRST_SHARE 16
#define USUAL_GPU ((uint64_t)64 << 30)

/* On a GPU, a search of unknown size starts with a bitmap if that is no larger than the first hash table: bits cost
   nothing until they are set, and a bitmap is by far the faster table. */
static bool starts_with_bitmap_on_gpu(const struct encoding_input *in, const struct layout *layout) {
  const uint64_t memory = in->options->gpu_memory ? in->options->gpu_memory : USUAL_GPU;
  struct table_shape bits;
  return plan_bitmap(in, layout, &bits) && bits.bytes <= memory / FIRST_SHARE;
}

static bool is_gpu_search_of_unknown_size(const struct encoding_input *in) {
  return in->options->engine == FLOE_ENGINE_GPU && !in->options->expected_states;
}

static bool may_use_bitmap(const struct encoding_input *in) {
  return in->any_table && (in->options->expected_states >= MANY_STATES || is_gpu_search_of_unknown_size(in));
}

static bool starts_with_bitmap(const struct encoding_input *in, const struct layout *layout) {
  return is_gpu_search_of_unknown_size(in) ? starts_with_bitmap_on_gpu(in, layout)
                                           : starts_with_bitmap_on_cpu(in, layout);
}

/* The layout has at least twice as many keys as `keys`: a bitmap of `keys` is faster. */
static bool is_twice_as_large(const struct layout *layout, double keys) {
  return (double)(layout->keys - 1) >= 2 * keys; /* 0: 2^64 */
}

/* A bitmap of index keys, at most `keys` of them, is better than what fields start with. */
static bool makes_better_bitmap(const struct encoding_input *in, double keys) {
  const bool on_gpu = in->options->engine == FLOE_ENGINE_GPU;
  return !starts_with_bitmap(in, in->fields) || (on_gpu && is_twice_as_large(in->fields, keys));
}

/* ---- states of several words --------------------------------------------------------------------- */

/* Most operators of code for index keys that replace fields of several words. On an H200 shorter code compiles in at
   most 1.5 times the time of the code for fields, and explores 1.06 to 6 times as fast. Longer code mostly takes 2 to 6
   times as long to compile, and explores at 0.1 to 1 times the rate (doc/results/encoding.md). */
#define MOST_OPERATORS 1400

struct code_job {
  const struct encoding_input *in;
  const struct layout *layout;
  struct arena *arena;
  const char *text;
  floe_status status;
};

static void write_code(void *data) {
  struct code_job *job = data;
  const struct stop stop = {.interrupt = interruptible_flag()};
  job->status = codegen_text(job->in->model, job->layout, CODEGEN_GPU, &stop, job->arena, &job->text);
}

/* Without memory to find out, or interrupted: false; an interrupted search does not begin. */
static bool has_short_code(const struct encoding_input *in, const struct layout *layout) {
  struct arena arena;
  struct code_job job = {.in = in, .layout = layout, .arena = &arena};
  uint64_t operators;
  arena_init(&arena);
  const bool known = arena_guard(&arena, write_code, &job) == 0 && job.status == FLOE_OK &&
                     code_operators(job.text, &operators) == FLOE_OK;
  arena_free(&arena);
  return known && operators <= MOST_OPERATORS;
}

/* On a CPU, a tree of fields is as fast, and takes less memory. In a group, keys of one word are shorter messages. */
static bool may_save_words(const struct encoding_input *in) { return in->on_gpu || in->members > 1; }

/* ---- the decision --------------------------------------------------------------------------------

   Index keys pay if the search is impossible without them, or if a bitmap of them replaces a hash table, or a larger
   bitmap on a GPU. Narrower slots alone do not pay: with iceberg tables searches take 0.96 to 1.14 times as long on an
   H200, 1.1 to 1.3 times on a CPU (doc/results/bitmap.md). */

bool encoding_considers_index_keys(const struct encoding_input *in) {
  if (in->fields->key_words > 1)
    return may_save_words(in);
  return (in->options->expected_states && !fits_in_memory(in, in->fields)) ||
         (may_use_bitmap(in) && makes_better_bitmap(in, layout_state_bound(in->model)));
}

enum encoding_reason encoding_decide(const struct encoding_input *in, const struct layout *index_keys) {
  if (!encoding_considers_index_keys(in))
    return ENCODING_FIELDS_SUFFICE;
  if (in->fields->key_words > 1)
    return has_short_code(in, index_keys) ? ENCODING_INDEX_FOR_WIDTH : ENCODING_FIELDS_SUFFICE;
  if (may_use_bitmap(in) && starts_with_bitmap(in, index_keys) && makes_better_bitmap(in, (double)index_keys->keys))
    return ENCODING_INDEX_FOR_BITMAP;
  return !fits_in_memory(in, in->fields) && fits_in_memory(in, index_keys) ? ENCODING_INDEX_FOR_MEMORY
                                                                           : ENCODING_FIELDS_SUFFICE;
}

static floe_status log_no_index_keys(const struct exploration *e) {
  if (e->model->transient)
    diag_error(e->log, NULL, NOWHERE, "omit --encoding=rank", "models with atomic sequences have no index keys");
  else
    diag_error(e->log, NULL, NOWHERE, "'floe plan' shows the bits of each variable",
               "the model has no index keys: the proved invariants allow more than 2^63 states");
  return FLOE_ERROR_MODEL;
}

/* Process 0 of an MPI job decides for all, and has no information about GPUs of other machines. */
static unsigned count_members(const struct exploration *e) {
  const struct stop stop = {.interrupt = interruptible_flag()};
  const struct comm *comm = processes_comm();
  const bool many = e->options.expected_states >= MANY_STATES; /* fewer are explored by one GPU; counting takes time */
  const unsigned devices = many ? device_list_count(&e->options, &stop) : 0, processes = comm ? comm->group->size : 0;
  return devices > processes ? devices : processes;
}

floe_status encoding_choose(struct exploration *e) {
  const bool forced = e->options.encoding == FLOE_ENCODING_INDEX;
  const bool on_gpu =
      e->options.engine == FLOE_ENGINE_GPU || (e->options.engine == FLOE_ENGINE_AUTO && gpu_driver_may_exist());
  const struct encoding_input input = {e->model, e->api_model->layout, &e->options, e->any_table,
                                       on_gpu,   count_members(e)};
  const struct layout *index_keys;
  e->layout = e->api_model->layout;
  if (e->options.encoding == FLOE_ENCODING_FIELDS || e->layout->canonical ||
      (!forced && !encoding_considers_index_keys(&input)))
    return FLOE_OK;
  floe_status status = index_key_layout(e->api_model, &index_keys);
  if (status == FLOE_ERROR_UNSUPPORTED)
    return forced ? log_no_index_keys(e) : FLOE_OK;
  if (status == FLOE_OK && (forced || encoding_decide(&input, index_keys) != ENCODING_FIELDS_SUFFICE))
    e->layout = index_keys;
  return status == FLOE_ERROR_MEMORY ? no_memory(e->log) : status;
}
