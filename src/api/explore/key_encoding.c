#include "api/explore/key_encoding.h"

#include "api/device/device_list.h"
#include "api/processes.h"
#include "core/diag.h"
#include "core/interruptible.h"
#include "core/usage.h"
#include "engine/sizing.h"
#include "step/analysis/invariants.h"

#include <string.h>

/* ---- keys by rank -------------------------------------------------------------------------------- */

struct bucket_order {
  floe_model *model;
  floe_status status;
  struct layout *layout;
};

static void make_layout(void *data) {
  struct bucket_order *job = data;
  floe_model *model = job->model;
  struct arena *arena = &model->checked_arena;
  const struct stop stop = {.interrupt = interruptible_flag()};
  const struct invariants *invariants;
  const struct encoding *encoding;
  job->status = invariants_make(model->model, &stop, arena, &invariants);
  if (job->status == FLOE_OK && stop_requested(&stop))
    job->status = FLOE_ERROR_INTERRUPTED; /* with fewer facts keys would be others: no checkpoint may have them */
  if (job->status == FLOE_OK)
    job->status = encoding_make(model->model, model->layout, invariants, arena, &encoding);
  if (job->status != FLOE_OK)
    return;
  job->layout = arena_alloc(arena, sizeof *job->layout);
  *job->layout = layout_with_index_keys(model->layout, encoding);
}

floe_status index_key_alternatives_of(floe_model *model, const struct layout **out) {
  struct bucket_order job = {.model = model};
  if (!model->index_keys && !model->unranked) {
    if (arena_guard(&model->checked_arena, make_layout, &job) != 0)
      return FLOE_ERROR_MEMORY;
    model->unranked = job.status == FLOE_ERROR_UNSUPPORTED;
    if (job.status == FLOE_ERROR_INTERRUPTED)
      interrupt_note_effective();
    FLOE_TRY(job.status);
    model->index_keys = job.layout;
  }
  if (!model->index_keys)
    return FLOE_ERROR_UNSUPPORTED;
  *out = model->index_keys;
  return FLOE_OK;
}

/* ---- the decision -------------------------------------------------------------------------------- */

/* Where the table will be, as far as that is known by now. */
static uint64_t room_for_table(const floe_options *options) {
  return options->engine == FLOE_ENGINE_GPU && options->gpu_memory ? options->gpu_memory : options->memory;
}

/* Of each member, as its tables are made for. */
static uint64_t expected_of(const struct encoding_question *q) {
  const uint64_t all = q->options->expected_states;
  return q->members > 1 && all ? sizing_part(all, q->members) : all;
}

static bool fits_with(const struct encoding_question *q, const struct layout *layout, unsigned slot_bits) {
  const floe_options *options = q->options;
  const struct table_config wanted = {.scheme = options->table,
                                      .key_bits = layout->key_bits,
                                      .keys = layout->keys,
                                      .slot_bits = slot_bits,
                                      .bucket_slots = options->bucket_slots};
  struct table_config config;
  struct table_shape shape;
  return sizing_largest(&wanted, room_for_table(options), &config, &shape) &&
         table_fill(wanted.scheme) * (double)shape.slots >= (double)expected_of(q);
}

/* Some hash table that the options allow holds the expected states. */
static bool fits(const struct encoding_question *q, const struct layout *layout) {
  const unsigned *widths = table_traits(q->options->table)->slot_bits;
  for (size_t i = 0; layout->key_words == 1 && widths[i]; i++)
    if ((!q->options->slot_bits || q->options->slot_bits == widths[i]) && fits_with(q, layout, widths[i]))
      return true;
  return false;
}

/* ---- a bitmap ------------------------------------------------------------------------------------- */

/* Facts take some tenths of a second. */
#define MANY_STATES ((uint64_t)1 << 21)

static bool plan_hash(const struct encoding_question *q, const struct layout *layout, struct table_config *config,
                      struct table_shape *shape) {
  const struct sizing_first first = {
      .requested = {.scheme = q->options->table, .key_bits = layout->key_bits, .keys = layout->keys, .packed = true},
      .expected_states = expected_of(q),
      .bound = key_bound(q->model, layout),
      .room = room_for_table(q->options)};
  return sizing_first_table(&first, config, shape) == FLOE_OK;
}

/* Of the keys that one has. */
static bool plan_bitmap(const struct encoding_question *q, const struct layout *layout, struct table_shape *shape) {
  struct table_config keys = {.key_bits = layout->key_bits, .keys = layout->keys}, bitmap;
  if (q->members > 1)
    keys.keys = sizing_part_of_keys(&keys, q->members);
  return layout->key_words == 1 && sizing_bitmap_plan(&keys, &bitmap, shape);
}

/* A search with these keys begins with a bitmap where one with fields has a hash table. */
static bool makes_bitmap(const struct encoding_question *q, const struct layout *layout) {
  struct table_config hash, index_keys;
  struct table_shape hash_shape, ranked_shape, bits;
  return plan_hash(q, q->fields, &hash, &hash_shape) && plan_hash(q, layout, &index_keys, &ranked_shape) &&
         plan_bitmap(q, layout, &bits) &&
         sizing_bitmap_first(bits.bytes, hash_shape.bytes, true, room_for_table(q->options)) != SIZING_NO_BITMAP;
}

/* What a GPU's first table takes of its memory, which is not known by now where nobody limits it. */
#define FIRST_SHARE 16
#define USUAL_GPU ((uint64_t)64 << 30)

/* On a GPU a search begins with a bitmap of any number of states where that takes no more than its first hash table
   would: bits cost nothing there until they are set, and it is the faster table by far. */
static bool begins_with_bitmap(const struct encoding_question *q, const struct layout *layout) {
  const uint64_t memory = q->options->gpu_memory ? q->options->gpu_memory : USUAL_GPU;
  struct table_shape bits;
  return plan_bitmap(q, layout, &bits) && bits.bytes <= memory / FIRST_SHARE;
}

static bool nobody_knows_states_of_gpu(const struct encoding_question *q) {
  return q->options->engine == FLOE_ENGINE_GPU && !q->options->expected_states;
}

static bool may_have_bitmap(const struct encoding_question *q) {
  return q->any_table && (q->options->expected_states >= MANY_STATES || nobody_knows_states_of_gpu(q));
}

static bool has_bitmap(const struct encoding_question *q, const struct layout *layout) {
  return nobody_knows_states_of_gpu(q) ? begins_with_bitmap(q, layout) : makes_bitmap(q, layout);
}

/* There are more than twice as many keys as states in `keys`: a bitmap of those is the faster one. */
static bool is_loose(const struct layout *layout, double keys) {
  return (double)(layout->keys - 1) >= 2 * keys; /* 0: 2^64 */
}

/* Keys by rank, of which there are at most as many as `keys`, make a better bitmap than fields do, if any. */
static bool makes_better_bitmap(const struct encoding_question *q, double keys) {
  const bool on_gpu = q->options->engine == FLOE_ENGINE_GPU;
  return !has_bitmap(q, q->fields) || (on_gpu && is_loose(q->fields, keys));
}

/* ---- what ranks are good for ----------------------------------------------------------------------

   Keys by rank are worth their time where there is no search without them, or where a bit for each of them takes the
   place of a hash table, or of a larger bitmap on a GPU. For narrower slots alone they are not: with iceberg tables
   searches take 0.96 to 1.14 times as long with them on an H200, 1.1 to 1.3 times on a CPU (doc/results/bitmap.md). */

bool encoding_requests_index_keys(const struct encoding_question *q) {
  if (q->fields->key_words > 1)
    return true;
  return (q->options->expected_states && !fits(q, q->fields)) ||
         (may_have_bitmap(q) && makes_better_bitmap(q, layout_state_bound(q->model)));
}

enum encoding_reason encoding_decide(const struct encoding_question *q, const struct layout *index_keys) {
  if (!encoding_requests_index_keys(q))
    return ENCODING_FIELDS_DO;
  if (q->fields->key_words > 1)
    return ENCODING_TOO_WIDE;
  if (may_have_bitmap(q) && has_bitmap(q, index_keys) && makes_better_bitmap(q, (double)index_keys->keys))
    return ENCODING_FOR_BITMAP;
  return !fits(q, q->fields) && fits(q, index_keys) ? ENCODING_FOR_MEMORY : ENCODING_FIELDS_DO;
}

static floe_status refuse_ranks(const struct exploration *e) {
  diag_error(e->log, NULL, NOWHERE, "floe plan shows what each variable takes",
             "there are no keys by rank: more than 2^63 states are possible, by all that is known of them");
  return FLOE_ERROR_MODEL;
}

/* What the rank that leads decides is all processes': of other machines' devices it knows nothing. */
static unsigned members_of(const struct exploration *e) {
  const struct stop stop = {.interrupt = interruptible_flag()};
  const struct comm *comm = processes_comm();
  const bool many = e->options.expected_states >= MANY_STATES; /* only then all share them, and counting takes time */
  const unsigned devices = many ? device_list_count(&e->options, &stop) : 0, processes = comm ? comm->group->size : 0;
  return devices > processes ? devices : processes;
}

floe_status encoding_choose(struct exploration *e) {
  const bool forced = e->options.encoding == FLOE_ENCODING_INDEX;
  const struct encoding_question question = {e->model, e->api_model->layout, &e->options, e->any_table, members_of(e)};
  const struct layout *index_keys;
  e->layout = e->api_model->layout;
  if (e->options.encoding == FLOE_ENCODING_FIELDS || (!forced && !encoding_requests_index_keys(&question)))
    return FLOE_OK;
  floe_status status = index_key_alternatives_of(e->api_model, &index_keys);
  if (status == FLOE_ERROR_UNSUPPORTED)
    return forced ? refuse_ranks(e) : FLOE_OK;
  if (status == FLOE_OK && (forced || encoding_decide(&question, index_keys) != ENCODING_FIELDS_DO))
    e->layout = index_keys;
  return status == FLOE_ERROR_MEMORY ? no_memory(e->log) : status;
}
