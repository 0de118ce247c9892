#include "api/explore/settings.h"

#include "api/device/device_list.h"
#include "api/processes.h"

#include "base/utf8.h"
#include "core/diag.h"
#include "core/similar_names.h"
#include "core/system/defaults.h"
#include "model/property_kind.h"
#include "tables/simd.h"
#include "tables/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_SHARE 0.8

static floe_status log_bad_option(floe_log *log, const char *what, const char *hint) {
  diag_error(log, NULL, NOWHERE, hint, "%s", what);
  return FLOE_ERROR_USAGE;
}

static const char *default_compiler(void) {
  const char *compiler = getenv("FLOE_CC"); /* set but empty: no compiler */
  return compiler ? compiler : "cc";
}

/* ---- tables and numbers ----------------------------------------------------------------------- */

/* The tables check which pairs of widths and sizes exist; other pairs have no layout. */
static floe_status check_slots(const floe_options *options, floe_log *log) {
  const unsigned bits = options->slot_bits, slots = options->bucket_slots;
  if (bits != 0 && bits != 16 && bits != 21 && bits != 32 && bits != 64)
    return log_bad_option(log, "slots have 16, 21, 32 or 64 bits", NULL);
  const bool packed = slots == 12 || slots == 24, power = slots == 8 || slots == 16 || slots == 32;
  if (slots != 0 && !packed && !power)
    return log_bad_option(log, "buckets have 8, 12, 16, 24 or 32 slots", NULL);
  if ((bits == 21 && power) || (bits != 21 && bits != 0 && packed))
    return log_bad_option(log, "buckets of 12 or 24 slots require slots of 21 bits, and these require such buckets",
                          NULL);
  return FLOE_OK;
}

/* An option of hash tables is set: the table cannot be a bitmap. */
static bool requires_hash_table(const floe_options *options) {
  return options->permutation || options->slot_bits || options->bucket_slots || options->initial_slots;
}

static bool table_is_automatic(const floe_options *options) {
  return !options->table || strcmp(options->table, SETTINGS_ANY_TABLE) == 0;
}

/* Why a table cannot hold the visited set, which needs a concurrent find-or-put; NULL: it can. */
static const char *cannot_explore(const char *scheme) {
  const struct table_config config = {.scheme = scheme, .key_bits = 1};
  return table_cannot(&config, TABLE_FIND_OR_PUT);
}

/* Names of the tables that can; NULL after the last. */
static const char *const *exploring_tables(struct arena *arena) {
  size_t n = 0;
  while (table_schemes()[n])
    n++;
  const char **names = arena_array(arena, n + 2, sizeof *names);
  n = 0;
  for (const char *const *scheme = table_schemes(); *scheme; scheme++)
    if (!cannot_explore(*scheme))
      names[n++] = *scheme;
  names[n++] = SETTINGS_HOST_BACKED;
  names[n] = NULL;
  return names;
}

static floe_status check_table(const floe_options *options, struct arena *arena, floe_log *log) {
  if (strcmp(options->table, SETTINGS_HOST_BACKED) == 0)
    return FLOE_OK;
  const char *why = table_traits(options->table) ? cannot_explore(options->table) : NULL;
  const char *const *tables = exploring_tables(arena);
  if (!why) {
    FLOE_TRY(defaults_check_name(log, arena, "table", options->table, tables));
  } else {
    const char *list = "";
    for (size_t i = 0; tables[i]; i++)
      list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", tables[i]);
    diag_error(log, NULL, NOWHERE, arena_printf(arena, "tables that can: %s", list),
               "a '%s' table cannot hold the visited set: %s", options->table, why);
    return FLOE_ERROR_USAGE;
  }
  if (table_traits(options->table)->every_key && requires_hash_table(options)) {
    diag_error(log, NULL, NOWHERE, "permutation, slots and buckets are options of hash tables",
               "a '%s' has a bit for every key, and no such options", options->table);
    return FLOE_ERROR_USAGE;
  }
  return FLOE_OK;
}

static floe_status check_settings(const floe_options *options, struct arena *arena, floe_log *log) {
  if ((unsigned)options->engine > FLOE_ENGINE_INTERPRETER)
    return log_bad_option(log, "unknown engine", "FLOE_ENGINE_AUTO, _CPU, _GPU and _INTERPRETER");
  if ((unsigned)options->order_kind > FLOE_ORDER_LOOKUPS)
    return log_bad_option(log, "unknown kind of visited order", "FLOE_ORDER_STATES and _LOOKUPS");
  if ((unsigned)options->encoding > FLOE_ENCODING_INDEX)
    return log_bad_option(log, "unknown encoding", "FLOE_ENCODING_AUTO, _FIELDS and _INDEX");
  FLOE_TRY(check_table(options, arena, log));
  FLOE_TRY(simd_check(log));
  if (options->permutation)
    FLOE_TRY(defaults_check_name(log, arena, "permutation", options->permutation, permutation_names()));
  FLOE_TRY(check_slots(options, log));
  if (options->threads > MOST_THREADS)
    return log_bad_option(log, "too many threads", "at most 1024");
  if (!(options->timeout >= 0))
    return log_bad_option(log, "the timeout is negative", NULL);
  if (!(options->trace_timeout >= 0))
    return log_bad_option(log, "the time for traces is negative", NULL);
  if (!(options->checkpoint_every >= 0))
    return log_bad_option(log, "the time between two checkpoints is negative", NULL);
  if (options->checkpoint && *options->checkpoint && options->visited_order)
    return log_bad_option(log, "a run with checkpoints cannot record the visited order",
                          "a resumed search lacks the order of the states before the checkpoint");
  if (!(options->gpu_share >= 0 && options->gpu_share <= 1))
    return log_bad_option(log, "the share of the GPU's memory is not between 0 and 1", NULL);
  return device_list_check(options, log);
}

floe_options settings_complete(const floe_options *options) {
  floe_options all;
  floe_options_init(&all);
  if (options) {
    size_t size = options->struct_size < sizeof all ? options->struct_size : sizeof all;
    memcpy(&all, options, size);
  }
  return all;
}

bool settings_leave_table(const floe_options *options) {
  const floe_options all = settings_complete(options);
  return table_is_automatic(&all) && !requires_hash_table(&all);
}

/* A launcher binds each rank to processors, or to none: then the ranks of a machine divide them. */
static unsigned default_threads(void) {
  const unsigned threads = defaults_threads(), all = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
                 ranks = processes_local_size();
  if (threads < all || ranks == 1)
    return threads;
  return threads > ranks ? threads / ranks : 1;
}

floe_status settings_resolve(const floe_options *options, struct arena *arena, floe_log *log, floe_options *out) {
  floe_options all = settings_complete(options);
  if (table_is_automatic(&all))
    all.table = table_schemes()[0];
  else if (strcmp(all.table, SETTINGS_HOST_BACKED_ALIAS) == 0)
    all.table = SETTINGS_HOST_BACKED;
  FLOE_TRY(check_settings(&all, arena, log));
  if (all.threads == 0)
    all.threads = default_threads();
  if (all.memory == 0)
    all.memory = (uint64_t)(MEMORY_SHARE * (double)floe_memory_available() / processes_local_size());
  all.cache_dir = defaults_cache(all.cache_dir, arena);
  if (!all.compiler)
    all.compiler = default_compiler();
  *out = all;
  return FLOE_OK;
}

/* ---- expected number of states --------------------------------------------------------------- */

static bool is_value_of(const struct constant *constant, const char *text) {
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    return constant->value == (text[0] == 't');
  return constant->value == strtoll(text, NULL, 10);
}

/* In the block, a constant without a value has its default. */
static bool has_value_in(const struct constant *constant, const struct expectation *expect) {
  for (size_t i = 0; i < expect->constant_count; i++)
    if (strcmp(expect->constants[i].name, constant->name) == 0)
      return is_value_of(constant, expect->constants[i].value);
  return !constant->given;
}

static bool has_constants_of(const struct expectation *expect, const struct model *model) {
  for (size_t i = 0; i < model->constant_count; i++)
    if (!has_value_in(&model->constants[i], expect))
      return false;
  return true;
}

uint64_t settings_expected_states(const struct model *model) {
  for (size_t i = 0; i < model->expectation_count; i++)
    if (model->expectations[i].states > 0 && has_constants_of(&model->expectations[i], model))
      return (uint64_t)model->expectations[i].states;
  return 0;
}

/* ---- properties ------------------------------------------------------------------------------ */

static uint64_t kind_mask(const struct model *model, floe_property_kind kind) {
  uint64_t mask = 0;
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].kind == kind)
      mask |= UINT64_C(1) << i;
  return mask;
}

uint64_t settings_temporal(const struct model *model) {
  uint64_t mask = 0;
  for (size_t i = 0; i < model->property_count; i++)
    mask |= (uint64_t)property_kinds[model->properties[i].kind].temporal << i;
  return mask;
}

uint64_t settings_passes(const struct model *model) {
  uint64_t mask = 0;
  for (size_t i = 0; i < model->property_count; i++)
    mask |= (uint64_t)property_kinds[model->properties[i].kind].passes << i;
  return mask;
}

uint64_t settings_reachable(const struct model *model) {
  uint64_t mask = 0;
  for (size_t i = 0; i < model->property_count; i++)
    mask |= (uint64_t)(model->properties[i].kind == FLOE_REACHABLE) << i;
  return mask;
}

/* Temporal properties none of whose conditions can fail: the search of the model has nothing to evaluate. */
static uint64_t without_evaluation(const struct model *model) {
  uint64_t mask = settings_temporal(model);
  for (size_t i = 0; i < model->property_count; i++)
    mask &= ~((uint64_t)property_is_evaluated(&model->properties[i]) << i);
  return mask;
}

#define MOST_IDS 12 /* in a message */

static floe_status log_unknown_property(const struct model *model, floe_log *log, const char *id) {
  const char *ids[MODEL_MAX_PROPERTIES + 2];
  struct utf8_shown shown;
  char list[1000], hint[1100];
  for (size_t i = 0; i < model->property_count; i++)
    ids[i] = model->properties[i].id;
  sort_by_similarity(id, ids, model->property_count);
  similar_names_list(list, sizeof list, ids, model->property_count, MOST_IDS);
  if (strcmp(id, "deadlock") == 0)
    snprintf(hint, sizeof hint, "the model disables the check for deadlocks");
  else
    snprintf(hint, sizeof hint, "properties: %s", list);
  diag_error(log, NULL, NOWHERE, hint, "the model has no property '%s'", utf8_show(id, &shown));
  return FLOE_ERROR_USAGE;
}

static floe_status select_one(const struct model *model, floe_log *log, const char *id, uint64_t *selected) {
  for (size_t i = 0; i < model->property_count; i++) {
    if (strcmp(model->properties[i].id, id) == 0) {
      *selected |= UINT64_C(1) << i;
      return FLOE_OK;
    }
  }
  return log_unknown_property(model, log, id);
}

floe_status settings_properties(const floe_options *options, const struct model *model, floe_log *log,
                                uint64_t *selected, uint64_t *checked) {
  uint64_t errors = kind_mask(model, FLOE_ERRORS);
  uint64_t mask = 0;
  floe_status status = FLOE_OK;
  if (options->properties) {
    for (size_t i = 0; i < options->property_count; i++) {
      if (!options->properties[i])
        return log_bad_option(log, "a property id is NULL", "floe_options.properties");
      floe_status one = select_one(model, log, options->properties[i], &mask);
      status = one == FLOE_OK ? status : one;
    }
  } else {
    mask = UINT64_MAX >> (64 - model->property_count);
  }
  if (options->count_only)
    mask = errors;
  FLOE_TRY(status);
  if (!mask)
    return log_bad_option(log, "no property is selected", NULL);
  *selected = mask;
  *checked = (mask | errors) & ~without_evaluation(model);
  return FLOE_OK;
}
