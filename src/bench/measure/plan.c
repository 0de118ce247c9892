#include "bench/measure/plan.h"

#include "tables/permutation.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

static bool has_second_level(const floe_bench_case *what) {
  const struct table_traits *traits = table_traits(what->table);
  return traits && traits->second_level;
}

static unsigned log_of(uint64_t n) { /* rounded down */
  unsigned bits = 0;
  while (n >>= 1)
    bits++;
  return bits;
}

/* A slot of 16 bits holds remainders of 15 bits, and the number of buckets of 32 slots gives the other bits. */
static unsigned default_key_bits(uint64_t slots) {
  unsigned bits = log_of(slots) > 5 ? log_of(slots) - 5 + 15 : 16;
  return bits < 64 ? bits : 64;
}

static uint64_t default_slots(const floe_bench *bench, const floe_bench_case *what) {
  if (!what->from_file)
    return UINT64_C(1) << (strcmp(bench->device->name, "gpu") == 0 ? 27 : 22);
  uint64_t slots = 1024; /* the least power of two that suffices for the keys */
  while (slots < bench->keys.distinct)
    slots *= 2;
  return slots;
}

void case_complete(const floe_bench *bench, floe_bench_case *what) {
  bool given = what->key_bits > 0;
  if (!what->table)
    what->table = table_schemes()[0];
  if (!what->slots)
    what->slots = default_slots(bench, what);
  if (what->from_file)
    what->key_bits = bench->keys.key_bits;
  if (!what->key_bits)
    what->key_bits = default_key_bits(what->slots);
  if (what->value_bits == 32 && what->key_bits > 32 && !given && !what->from_file)
    what->key_bits = 32; /* such maps have no wider keys */
  if (what->part <= 0)
    what->part = 1;
  if (!what->keys && what->from_file)
    what->keys = (uint64_t)llround((double)bench->keys.count * what->part);
  if (!what->repetitions)
    what->repetitions = 5;
}

static bool find_reduction(const char *name, enum table_reduction *out) {
  static const char *const names[] = {"replace", "sum", "min", "max"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (!name || strcmp(name, names[i]) == 0) {
      *out = (enum table_reduction)i;
      return true;
    }
  return false;
}

/* The paper's tables have slots of 32 bits in the second level, or of 64 if the first has. */
static unsigned second_bits(const floe_bench_case *what) {
  if (what->second_slot_bits || !has_second_level(what) || what->slot_bits == TABLE_PACKED_BITS)
    return what->second_slot_bits;
  return what->slot_bits == 16 ? 32 : what->slot_bits;
}

static uint64_t whole(uint64_t slots, uint64_t bucket) { return (slots + bucket - 1) / bucket; }

/* Adds an eighth of the slots as second level, in buckets of half the size: exact numbers for both levels if the
   size of buckets is given. */
static void size_two_levels(const floe_bench_case *what, struct table_config *config) {
  config->slots += what->slots / 8;
  config->deletes = what->operation == FLOE_BENCH_DELETE;
  if (!what->bucket_slots)
    return;
  config->buckets = whole(what->slots, what->bucket_slots);
  config->second_buckets = whole(what->slots / 8, what->bucket_slots / 2);
}

bool plan_config(const floe_bench_case *what, struct table_config *out) {
  enum table_reduction reduction;
  if (!find_reduction(what->reduction, &reduction))
    return false;
  *out = (struct table_config){.scheme = what->table,
                               .permutation = what->permutation,
                               .key_bits = what->key_bits,
                               .slots = what->slots,
                               .slot_bits = what->slot_bits,
                               .second_slot_bits = second_bits(what),
                               .bucket_slots = what->bucket_slots,
                               .value_bits = what->value_bits,
                               .hashes = what->hashes,
                               .reduction = reduction,
                               .seed = what->seed};
  if (has_second_level(what))
    size_two_levels(what, out);
  return true;
}

uint64_t plan_slots(const struct table_shape *shape) { return shape->slots - shape->third_slots; }

bool plan_must_fit(const struct bench_plan *plan, uint64_t keys) {
  const bool two = plan->shape.hashes == 2;
  return !plan->items.given && (double)keys <= (two ? 0.75 : 0.9) * (double)plan->slots + 0.5;
}

static void describe_missing_table(const floe_bench_case *what, char *why) {
  int n = snprintf(why, PLAN_WHY, "there is no such table: keys of %u bits", what->key_bits);
  if (what->slot_bits)
    n += snprintf(why + n, PLAN_WHY - (size_t)n, ", slots of %u", what->slot_bits);
  if (what->second_slot_bits)
    n += snprintf(why + n, PLAN_WHY - (size_t)n, ", in the second level of %u", what->second_slot_bits);
  if (what->bucket_slots)
    n += snprintf(why + n, PLAN_WHY - (size_t)n, ", %u a bucket", what->bucket_slots);
  if (what->value_bits)
    snprintf(why + n, PLAN_WHY - (size_t)n, ", values of %u", what->value_bits);
  else
    snprintf(why + n, PLAN_WHY - (size_t)n, ", no values");
}

static bool plan_table(const floe_bench *bench, const floe_bench_case *what, struct bench_plan *plan, char *why) {
  if (!plan_config(what, &plan->config)) {
    snprintf(why, PLAN_WHY, "there is no reduction '%s'", what->reduction);
    return false;
  }
  floe_status status = table_plan(&plan->config, &plan->shape);
  if (status == FLOE_OK) {
    plan->slots = plan_slots(&plan->shape);
    return true;
  }
  if (status == FLOE_ERROR_USAGE) {
    describe_missing_table(what, why);
    plan_alternatives(bench, what, why);
  } else {
    snprintf(why, PLAN_WHY, "%s", floe_status_name(status));
  }
  return false;
}

/* ---- its operations -------------------------------------------------------------------------- */

enum table_operation plan_operation(floe_bench_operation operation) {
  static const enum table_operation operations[] = {
#define BENCH_OPERATION(operation, word, table, looks, draws) TABLE_##table,
#include "bench/operations.def"
  };
  assert(operation < FLOE_BENCH_OPERATIONS);
  return operations[operation];
}

/* The first of the operations that the table has. */
static bool first_available(const floe_bench *bench, const struct bench_plan *plan, const enum table_operation *from,
                            unsigned count, enum table_operation *out) {
  for (unsigned i = 0; i < count; i++)
    if (!bench->device->cannot(bench->engine, &plan->config, from[i])) {
      *out = from[i];
      return true;
    }
  return false;
}

static bool choose_operations(const floe_bench *bench, const floe_bench_case *what, struct bench_plan *plan,
                              char *why) {
  static const enum table_operation fills[] = {TABLE_PUT_NEW, TABLE_FIND_OR_PUT, TABLE_ADD};
  static const enum table_operation looks[] = {TABLE_GET, TABLE_FIND}; /* GET also checks values */
  plan->operation = plan_operation(what->operation);
  const char *cannot = bench->device->cannot(bench->engine, &plan->config, plan->operation);
  if (cannot) {
    snprintf(why, PLAN_WHY, "no %s: %s", floe_bench_operation_name(what->operation), cannot);
    plan_alternatives(bench, what, why);
    return false;
  }
  plan->looks = first_available(bench, plan, looks, 2, &plan->look);
  plan->can_fill = first_available(bench, plan, fills, 3, &plan->fill);
  if (what->before > 0 && !plan->can_fill) {
    snprintf(why, PLAN_WHY, "the table has no operation to fill it");
    return false;
  }
  plan->fills = plan->can_fill && what->before > 0;
  return true;
}

/* ---- the keys -------------------------------------------------------------------------------- */

static uint64_t portion(double part, uint64_t of) { return (uint64_t)llround(part * (double)of); }

bool plan_is_lookup(enum table_operation operation) {
  return operation == TABLE_FIND || operation == TABLE_GET || operation == TABLE_DELETE;
}

/* Present keys come from all over the table; those to be deleted are the lowest numbers, which are spread as evenly. */
static void plan_lookups(const floe_bench_case *what, struct bench_plan *plan) {
  uint64_t n = what->keys ? what->keys : plan->slots / 2;
  if (plan->operation == TABLE_DELETE && portion(what->positive, n) > plan->present)
    n = portion(1 / what->positive, plan->present);
  uint64_t present = plan->present ? portion(what->positive, n) : 0;
  if (plan->operation == TABLE_DELETE && present > plan->present)
    present = plan->present;
  plan->items.n = n;
  plan->items.count = plan->operation == TABLE_DELETE ? present : plan->present;
  plan->items.others = plan->items.other_count = n - present;
  plan->items.other_first = plan->present;
}

/* Every added key at least once, and the others evenly from all keys that will be present. */
static void plan_puts(const floe_bench_case *what, struct bench_plan *plan) {
  uint64_t added = plan->after - plan->present;
  struct bench_items *items = &plan->items;
  items->first = plan->present;
  items->count = added;
  items->n = plan->operation == TABLE_PUT_NEW ? added
             : what->times                    ? added * what->times
             : what->keys                     ? what->keys
                                              : plan->slots;
  if (what->zipf > 0 || what->times || plan->operation == TABLE_PUT_NEW)
    return;
  items->n = items->n > added ? items->n : added;
  items->others = items->n - added;
  items->other_count = plan->after;
}

static bool fits_key(const struct bench_plan *plan, char *why) {
  uint64_t most = plan->after > plan->present ? plan->after : plan->present;
  if (plan->items.other_first + plan->items.other_count > most)
    most = plan->items.other_first + plan->items.other_count;
  unsigned bits = plan->config.key_bits;
  if (bits >= 64 || most <= UINT64_C(1) << bits)
    return true;
  snprintf(why, PLAN_WHY, "there are not that many keys of %u bit%s", bits, bits == 1 ? "" : "s");
  return false;
}

/* For look-ups and deletes the different keys are put first. Puts and deletes use different keys; find-or-put and
   add use the keys as given. */
static void assign_given(const struct bench_keys *keys, struct bench_plan *plan) {
  const struct bench_items different = {
      .n = plan->distinct, .key_bits = plan->items.key_bits, .given = keys->different};
  const enum table_operation operation = plan->operation;
  plan->different = different;
  plan->fills = plan_is_lookup(operation);
  if (plan->fills) {
    plan->filling = different;
    plan->present = plan->distinct;
  }
  if (operation == TABLE_DELETE || operation == TABLE_PUT_NEW)
    plan->items = different;
}

static bool plan_given(const floe_bench *bench, const floe_bench_case *what, struct bench_plan *plan, char *why) {
  plan->items.n = what->keys;
  plan->items.given = bench->keys.keys;
  plan->distinct = bench_keys_distinct(&bench->keys, plan->items.n);
  if (plan_is_lookup(plan->operation) && !plan->can_fill) {
    snprintf(why, PLAN_WHY, "the table has no operation to fill it");
    return false;
  }
  if (plan->distinct > plan->shape.slots) {
    snprintf(why, PLAN_WHY, "%llu different keys are more than the %llu slots of the table; raise --slots",
             (unsigned long long)plan->distinct, (unsigned long long)plan->shape.slots);
    return false;
  }
  assign_given(&bench->keys, plan);
  return true;
}

static bool plan_keys(const floe_bench *bench, const floe_bench_case *what, struct bench_plan *plan, char *why) {
  struct bench_items blank = {.key_bits = what->key_bits, .seed = what->seed};
  plan->filling = plan->items = blank;
  plan->items.seed += 0x10000; /* in another order than when filling */
  if (what->from_file)
    return plan_given(bench, what, plan, why);
  plan->present = portion(what->before, plan->slots);
  plan->after = plan_is_lookup(plan->operation) ? plan->present : portion(what->after, plan->slots);
  plan->filling.n = plan->filling.count = plan->present;
  plan->items.zipf = what->zipf;
  if (plan_is_lookup(plan->operation) && what->positive > 0 && plan->present == 0) {
    snprintf(why, PLAN_WHY, "an empty table has no keys to %s; raise --before",
             floe_bench_operation_name(what->operation));
    return false;
  }
  if (plan_is_lookup(plan->operation))
    plan_lookups(what, plan);
  else
    plan_puts(what, plan);
  return fits_key(plan, why);
}

/* ---- invalid cases --------------------------------------------------------------------------- */

static const char *invalid_case(const floe_bench *bench, const floe_bench_case *what) {
  bool looks = plan_is_lookup(plan_operation(what->operation));
  bool counts = what->operation == FLOE_BENCH_FIND_OR_PUT || what->operation == FLOE_BENCH_ADD;
  if (what->from_file)
    return !bench->keys.keys                                  ? "no file of keys was loaded"
           : what->keys > bench->keys.count || what->part > 1 ? "the file has fewer keys"
                                                              : NULL;
  if (what->before < 0 || what->before > 1 || what->after > 1 || what->positive < 0 || what->positive > 1)
    return "fill factors and ratios are from 0 to 1";
  if (looks && what->operation == FLOE_BENCH_DELETE)
    return what->positive <= 0 ? "there is nothing to delete"
           : what->zipf > 0    ? "each key is deleted once, so keys to delete cannot be drawn"
                               : NULL;
  if (looks)
    return NULL;
  if (what->after < what->before)
    return "--after is below --before";
  if (what->zipf > 0 && (!counts || what->before > 0))
    return "Zipf's distribution is for find and get, and for find-or-put and add on an empty table";
  if (what->after <= what->before && what->operation != FLOE_BENCH_FIND_OR_PUT)
    return "there is nothing to put";
  return what->after <= 0 ? "there is nothing to put" : NULL;
}

bool plan_make(const floe_bench *bench, const floe_bench_case *what, struct bench_plan *out, char *why) {
  struct bench_plan plan = {
      .repetitions = what->repetitions, .seed = what->seed, .place = what->host_memory ? BENCH_ON_HOST : BENCH_AT_HOME};
  const char *wrong = invalid_case(bench, what);
  if (wrong) {
    snprintf(why, PLAN_WHY, "%s", wrong);
    return false;
  }
  if (!plan_table(bench, what, &plan, why) || !choose_operations(bench, what, &plan, why) ||
      !plan_keys(bench, what, &plan, why))
    return false;
  /* SUM adds ones; other reductions of equal values leave the value. */
  plan.value = plan.operation == TABLE_ADD && plan.config.reduction == TABLE_SUM;
  *out = plan;
  return true;
}
