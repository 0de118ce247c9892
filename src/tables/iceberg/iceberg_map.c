/* Deletion and values: a batch of keys is looked up with slot numbers; their values are prefetched and then
   processed.

   A user's reduction has no neutral value, so the first value is stored, not reduced, and a byte marks it as
   written. A thread that finds a key waits for that byte. The thread that put the key stores all first values of its
   batch before it waits itself, so some thread always makes progress. */
#include "tables/iceberg/iceberg_map.h"

#include "tables/iceberg/iceberg_state.h"
#include "tables/kernel/slot_number.h"
#include "tables/kernel/value.h"

#include <assert.h>
#include <sched.h>

enum { PART = 256 };

/* ---- one value ---------------------------------------------------------------------------------- */

/* Acquire, with the release below: the value is written before its byte. */
static void await_first(const struct iceberg *view, uint64_t slot) {
  while (!shared_load8_acquire(&view->written[slot]))
    sched_yield();
}

void map_first(struct table *table, uint64_t slot, uint64_t value) {
  const struct iceberg *view = &iceberg_of(table)->view;
  if (!view->written) {
    value_add(view->values, slot, table->shape.value_bits, table->config.reduction, value);
    return;
  }
  word_store(view->values, slot, table->shape.value_bits, value);
  __atomic_store_n(&view->written[slot], 1, __ATOMIC_RELEASE);
}

/* The function may be called more often than its result is used. */
static void reduce_value(struct table *table, uint64_t slot, uint64_t value) {
  const unsigned bits = table->shape.value_bits;
  const uint64_t mask = UINT64_MAX >> (64 - bits);
  const struct iceberg *view = &iceberg_of(table)->view;
  void *values = view->values;
  await_first(view, slot);
  for (uint64_t seen = slot_load(values, slot, bits), before;; seen = before) {
    const uint64_t reduced = table->config.reduce(table->config.reduce_data, seen, value & mask);
    before = slot_swap(values, slot, bits, seen, reduced & mask);
    if (before == seen)
      return;
  }
}

static void add_value(struct table *table, uint64_t slot, uint64_t value) {
  const struct iceberg *view = &iceberg_of(table)->view;
  if (view->written)
    reduce_value(table, slot, value);
  else
    value_add(view->values, slot, table->shape.value_bits, table->config.reduction, value);
}

uint64_t map_value(const struct table *table, uint64_t slot) {
  const struct iceberg *view = &iceberg_of(table)->view;
  if (view->written)
    await_first(view, slot);
  return value_get(view->values, slot, table->shape.value_bits, table->config.reduction);
}

/* ---- a part of a batch -------------------------------------------------------------------------- */

struct part {
  const uint64_t *keys;
  uint64_t *values;
  size_t n;
  uint8_t *answers;
  uint64_t slots[PART];
};

static size_t look_up(struct table *table, struct part *part, bool put) {
  const struct iceberg_state *state = iceberg_of(table);
  const size_t full = state->instance->placements(&state->view, part->keys, part->n, part->answers, part->slots, put);
  if (state->view.values)
    for (size_t i = 0; i < part->n; i++)
      if (part->slots[i] != NO_SLOT)
        KERNEL_PREFETCH((const char *)state->view.values + part->slots[i] * (table->shape.value_bits / 8));
  return full;
}

static size_t delete_keys(struct table *table, struct part *part) {
  const struct iceberg_state *state = iceberg_of(table);
  size_t absent = look_up(table, part, false);
  for (size_t i = 0; i < part->n; i++)
    if (part->answers[i] == TABLE_FOUND && !placement_delete(&state->view, part->slots[i], state->instance->geometry)) {
      part->answers[i] = TABLE_FULL;
      absent++;
    }
  return absent;
}

static size_t get_values(struct table *table, struct part *part) {
  const size_t absent = look_up(table, part, false);
  for (size_t i = 0; i < part->n; i++)
    if (part->answers[i] == TABLE_FOUND)
      part->values[i] = map_value(table, part->slots[i]);
  return absent;
}

/* Keys that are put get their values before found keys are processed (see above). */
static size_t put_values(struct table *table, struct part *part, bool add) {
  const size_t full = look_up(table, part, true);
  for (size_t i = 0; i < part->n; i++)
    if (part->answers[i] == TABLE_PUT)
      map_first(table, part->slots[i], part->values[i]);
  for (size_t i = 0; add && i < part->n; i++)
    if (part->answers[i] == TABLE_FOUND)
      add_value(table, part->slots[i], part->values[i]);
  return full;
}

static size_t run_part(struct table *table, enum table_operation operation, struct part *part) {
  switch (operation) {
  case TABLE_DELETE:
    return delete_keys(table, part);
  case TABLE_GET:
    return get_values(table, part);
  default:
    return put_values(table, part, operation == TABLE_ADD);
  }
}

size_t map_run(struct table *table, enum table_operation operation, const uint64_t *keys, uint64_t *values, size_t n,
               uint8_t *answers) {
  size_t full = 0;
  assert(operation != TABLE_DELETE || table->shape.deletes);
  assert(operation == TABLE_DELETE || (table->shape.value_bits && values));
  for (size_t at = 0; at < n; at += PART) {
    struct part part = {.keys = keys + at,
                        .values = values ? values + at : NULL,
                        .n = n - at < PART ? n - at : (size_t)PART,
                        .answers = answers + at};
    full += run_part(table, operation, &part);
  }
  return full;
}

size_t map_find_or_put_slots(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers, uint64_t *slots) {
  const struct iceberg_state *state = iceberg_of(table);
  const size_t full = state->instance->placements(&state->view, keys, n, answers, slots, true);
  for (size_t i = 0; state->view.values && i < n; i++)
    if (answers[i] == TABLE_PUT)
      map_first(table, slots[i], 0);
  return full;
}

size_t iceberg_find_slots(const struct table *table, const uint64_t *keys, size_t n, uint64_t *slots) {
  const struct iceberg_state *state = iceberg_of(table);
  size_t absent = 0;
  uint8_t answers[PART];
  for (size_t at = 0; at < n; at += PART)
    absent += state->instance->placements(&state->view, keys + at, n - at < PART ? n - at : (size_t)PART, answers,
                                          slots + at, false);
  return absent;
}
