/* A linear table's content recovered from its slots: iteration, counts, rehash, well-formedness, distances. */
#include "tables/linear/linear.h"

#include "tables/host_table.h"
#include "tables/slot_count.h"
#include "tables/visit_batch.h"

#include <string.h>

/* Decoded content of slot i. */
struct content {
  uint64_t wanted; /* encoding of the key that owns the slot; 0: no owner */
  uint64_t value;
  bool used; /* the key is in the table, not deleted */
  bool empty;
};

static struct content set_content(const struct linear *view, uint64_t i, unsigned bits) {
  struct content content = {.wanted = slot_load(view->slots, i, bits)};
  content.empty = content.wanted == 0;
  if (content.wanted == linear_deleted(bits) && view->permutation.bits < bits)
    content.wanted = 0;
  content.used = content.wanted != 0;
  return content;
}

static struct content map_content(const struct linear *view, uint64_t i, unsigned bits) {
  struct linear_entry entry = {.word = linear_word(i, bits)};
  entry.seen = slot_load(view->slots, entry.word, 64);
  const uint64_t word = linear_value_seen(view, entry, bits);
  struct content content = {.wanted = linear_owner(entry.seen, bits), .used = linear_has_value(word, bits)};
  content.value = content.used ? linear_value(word, bits) : 0;
  content.empty = entry.seen == 0;
  return content;
}

static struct content content_of(const struct table *table, uint64_t i) {
  const struct linear_form f = linear_form_of(table);
  const struct linear *view = &linear_of(table)->view;
  return f.value_bits ? map_content(view, i, f.value_bits) : set_content(view, i, f.slot_bits);
}

static uint64_t key_of(const struct table *table, uint64_t i, struct content content) {
  return i == linear_of(table)->view.capacity ? UINT64_MAX >> (64 - table->shape.slot_bits) : content.wanted - 1;
}

static bool has_extra_slot(const struct table *table) { return table->shape.slots > linear_of(table)->view.capacity; }

/* ---- statistics ---------------------------------------------------------------------------------- */

/* Keys in the window that begins at slot i; in a map, slots with a value. */
static uint64_t window_load(const struct table *table, uint64_t i) {
  const struct linear_form f = linear_form_of(table);
  const uint64_t *words = linear_of(table)->view.slots;
  if (f.value_bits == 64)
    return count_pairs(words + linear_word(i, 64) + 1, LINEAR_WINDOW);
  if (f.value_bits == 32)
    return count_low_halves(words + i, LINEAR_WINDOW);
  const void *slots = (const char *)words + i * (f.slot_bits / 8);
  const bool deletes = linear_of(table)->view.permutation.bits < f.slot_bits;
  if (!deletes)
    return count_unlike(slots, LINEAR_WINDOW, f.slot_bits, 0);
  return f.slot_bits == 32 ? count_living(slots, LINEAR_WINDOW, 32) : count_living(slots, LINEAR_WINDOW, 64);
}

void linear_stats(const struct table *table, struct table_stats *out) {
  const uint64_t capacity = linear_of(table)->view.capacity;
  struct table_stats stats = {.slots = table->shape.slots, .bytes = table->shape.bytes};
  stats.level_slots[0] = capacity;
  stats.level_slots[2] = has_extra_slot(table);
  for (uint64_t i = 0; i < capacity; i += LINEAR_WINDOW) {
    const uint64_t load = window_load(table, i);
    stats.load_histogram[load]++;
    stats.level_used[0] += load;
  }
  stats.level_used[2] = has_extra_slot(table) && content_of(table, capacity).used;
  stats.used = stats.level_used[0] + stats.level_used[2];
  *out = stats;
}

/* Distance of slot i from the home of a key. */
static uint64_t distance(const struct linear *view, uint64_t key, uint64_t i) {
  const uint64_t home = linear_home(view, permutation_apply(&view->permutation, key));
  return i >= home ? i - home : i + view->capacity - home;
}

static unsigned bit_length(uint64_t x) { return x ? 64 - (unsigned)__builtin_clzll(x) : 0; }

void linear_distances(const struct table *table, struct table_distances *out) {
  struct table_distances lengths = {.keys = 0};
  double sum = 0;
  for (uint64_t i = 0; i < table->shape.slots; i++) {
    const struct content content = content_of(table, i);
    if (!content.used)
      continue;
    const bool extra = i == linear_of(table)->view.capacity;
    const uint64_t length = extra ? 0 : distance(&linear_of(table)->view, content.wanted - 1, i);
    lengths.keys++;
    lengths.histogram[bit_length(length)]++;
    lengths.largest = length > lengths.largest ? length : lengths.largest;
    sum += (double)length;
  }
  lengths.mean = lengths.keys ? sum / (double)lengths.keys : 0;
  *out = lengths;
}

/* ---- iteration ------------------------------------------------------------------------------------ */

void linear_each(const struct table *table, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  const struct index_range range = index_range_part(table->shape.slots, part, parts);
  struct visit_batch batch = {.visit = visit, .user = user};
  for (uint64_t i = range.begin; i < range.end; i++) {
    const struct content content = content_of(table, i);
    if (content.used)
      visit_batch_add(&batch, key_of(table, i, content));
  }
  visit_batch_flush(&batch);
}

/* Keys, and values of a map, to move to another table. */
struct moved {
  struct table *to;
  size_t n;
  uint64_t full;
  uint64_t keys[VISIT_BATCH], values[VISIT_BATCH];
};

static void move_on(struct moved *moved, bool values) {
  uint8_t answers[VISIT_BATCH];
  if (moved->n)
    moved->full += table_run(moved->to, values ? TABLE_ADD : TABLE_FIND_OR_PUT, moved->keys,
                             values ? moved->values : NULL, moved->n, answers);
  moved->n = 0;
}

/* Homes are in proportion to one hash, so both tables are accessed sequentially, in the same order. */
uint64_t linear_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  const struct index_range range = index_range_part(from->shape.slots, part, parts);
  const bool values = from->shape.value_bits != 0;
  struct moved moved = {.to = to};
  for (uint64_t i = range.begin; i < range.end; i++) {
    const struct content content = content_of(from, i);
    if (!content.used)
      continue;
    moved.keys[moved.n] = key_of(from, i, content);
    moved.values[moved.n++] = content.value;
    if (moved.n == VISIT_BATCH)
      move_on(&moved, values);
  }
  move_on(&moved, values);
  return moved.full;
}

/* ---- well-formedness ------------------------------------------------------------------------------- */

/* The order property: from the key's home up to slot i no slot is empty or holds the key. It follows that no key has
   two slots. */
static bool is_where_it_belongs(const struct table *table, uint64_t i, uint64_t key) {
  const struct linear *view = &linear_of(table)->view;
  const uint64_t length = distance(view, key, i);
  if (length >= view->probes)
    return false;
  for (uint64_t n = 0, at = linear_home(view, permutation_apply(&view->permutation, key)); n < length;
       n++, at = linear_next(view, at)) {
    const struct content content = content_of(table, at);
    if (content.empty || content.wanted == key + 1)
      return false;
  }
  return true;
}

static bool is_valid_slot(const struct table *table, uint64_t i) {
  const struct content content = content_of(table, i);
  if (content.empty || content.wanted == 0)
    return !content.used; /* a value without a key, or a key deleted from a set */
  if (i == linear_of(table)->view.capacity)
    return content.wanted == 1;
  const uint64_t key = content.wanted - 1;
  return key <= linear_of(table)->view.permutation.mask && is_where_it_belongs(table, i, key);
}

uint64_t linear_check(const struct table *table) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < table->shape.slots; i++)
    wrong += !is_valid_slot(table, i);
  return wrong;
}
