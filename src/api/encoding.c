#include "api/encoding.h"

#include "core/diag.h"
#include "core/running.h"
#include "core/usage.h"
#include "engine/sizing.h"
#include "step/facts.h"

#include <string.h>

/* ---- keys by rank -------------------------------------------------------------------------------- */

struct ranking {
  floe_model *model;
  floe_status status;
  struct layout *layout;
};

static void make_layout(void *data) {
  struct ranking *job = data;
  floe_model *model = job->model;
  struct arena *arena = &model->checked_arena;
  const struct stop stop = {.interrupt = running_flag()};
  const struct facts *facts;
  const struct encoding *encoding;
  job->status = facts_make(model->model, &stop, arena, &facts);
  if (job->status == FLOE_OK && stop_wanted(&stop))
    job->status = FLOE_ERROR_INTERRUPTED; /* with fewer facts keys would be others: no checkpoint may have them */
  if (job->status == FLOE_OK)
    job->status = encoding_make(model->model, model->layout, facts, arena, &encoding);
  if (job->status != FLOE_OK)
    return;
  job->layout = arena_alloc(arena, sizeof *job->layout);
  *job->layout = key_by_rank(model->layout, encoding);
}

floe_status encoding_ranks(floe_model *model, const struct layout **out) {
  struct ranking job = {.model = model};
  if (!model->ranked && !model->unranked) {
    if (arena_guard(&model->checked_arena, make_layout, &job) != 0)
      return FLOE_ERROR_MEMORY;
    model->unranked = job.status == FLOE_ERROR_UNSUPPORTED;
    if (job.status == FLOE_ERROR_INTERRUPTED)
      running_was_interrupted();
    FLOE_TRY(job.status);
    model->ranked = job.layout;
  }
  if (!model->ranked)
    return FLOE_ERROR_UNSUPPORTED;
  *out = model->ranked;
  return FLOE_OK;
}

/* ---- the decision -------------------------------------------------------------------------------- */

/* Where the table will be, as far as that is known by now. */
static uint64_t room_for_table(const floe_options *options) {
  return options->engine == FLOE_ENGINE_GPU && options->gpu_memory ? options->gpu_memory : options->memory;
}

static bool fits_with(const floe_options *options, const struct layout *layout, unsigned slot_bits) {
  const struct table_config wanted = {.scheme = options->table,
                                      .key_bits = layout->key_bits,
                                      .keys = layout->keys,
                                      .slot_bits = slot_bits,
                                      .bucket_slots = options->bucket_slots};
  struct table_config config;
  struct table_shape shape;
  return sizing_largest(&wanted, room_for_table(options), &config, &shape) &&
         table_fill(wanted.scheme) * (double)shape.slots >= (double)options->expected_states;
}

/* Some table that the options allow holds the expected states. */
static bool fits(const floe_options *options, const struct layout *layout) {
  const unsigned *widths = table_traits(options->table)->slot_bits;
  for (size_t i = 0; layout->key_words == 1 && widths[i]; i++)
    if ((!options->slot_bits || options->slot_bits == widths[i]) && fits_with(options, layout, widths[i]))
      return true;
  return false;
}

/* Keys by rank are worth their time where there is no search without them. For narrower slots alone they are not: with
   iceberg tables searches on an H200 take 1.26 to 1.58 times as long with them. */
static bool fields_are_too_wide(const struct exploration *e) {
  return e->layout->key_words > 1 || (e->options.expected_states && !fits(&e->options, e->layout));
}

static bool ranks_do(const struct exploration *e, const struct layout *ranked) {
  return e->layout->key_words > 1 || fits(&e->options, ranked);
}

static floe_status refuse_ranks(const struct exploration *e) {
  diag_error(e->log, NULL, NOWHERE, "floe plan shows what each variable takes",
             "there are no keys by rank: more than 2^63 states are possible, by all that is known of them");
  return FLOE_ERROR_MODEL;
}

floe_status encoding_choose(struct exploration *e) {
  const bool forced = e->options.encoding == FLOE_ENCODING_RANK;
  const struct layout *ranked;
  e->layout = e->owner->layout;
  if (e->options.encoding == FLOE_ENCODING_FIELDS || (!forced && !fields_are_too_wide(e)))
    return FLOE_OK;
  floe_status status = encoding_ranks(e->owner, &ranked);
  if (status == FLOE_ERROR_UNSUPPORTED)
    return forced ? refuse_ranks(e) : FLOE_OK;
  if (status == FLOE_OK && (forced || ranks_do(e, ranked)))
    e->layout = ranked;
  return status == FLOE_ERROR_MEMORY ? no_memory(e->log) : status;
}
