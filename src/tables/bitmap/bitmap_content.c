/* A bitmap's content: iteration, counts, copy to another bitmap, well-formedness. */
#include "tables/bitmap/bitmap.h"

#include "tables/visit_batch.h"

/* Words of a cache line, the unit of parts. */
enum { LINE_WORDS = 16 };

static struct index_range words_of(const struct table *table, unsigned part, unsigned parts) {
  struct index_range range = index_range_part(table->shape.bytes / (LINE_WORDS * sizeof(uint32_t)), part, parts);
  range.begin *= LINE_WORDS;
  range.end *= LINE_WORDS;
  return range;
}

/* Mask of the bits of word i whose numbers are below `keys`. */
static uint32_t bits_below(uint64_t keys, uint64_t i) {
  const uint64_t first = i * BITMAP_WORD_BITS;
  if (keys <= first)
    return 0;
  return keys - first >= BITMAP_WORD_BITS ? UINT32_MAX : (UINT32_C(1) << (keys - first)) - 1;
}

void bitmap_stats(const struct table *table, struct table_stats *out) {
  const struct index_range range = words_of(table, 0, 1);
  struct table_stats stats = {.slots = table->shape.slots, .bytes = table->shape.bytes};
  for (uint64_t i = range.begin; i < range.end; i++)
    stats.used += count_bits((uint32_t)shared_load32(&bitmap_of(table)->words[i]));
  stats.level_slots[0] = stats.slots;
  stats.level_used[0] = stats.load_histogram[1] = stats.used;
  stats.load_histogram[0] = stats.slots - stats.used;
  *out = stats;
}

void bitmap_each(const struct table *table, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  const struct index_range range = words_of(table, part, parts);
  const struct bitmap *view = bitmap_of(table);
  struct visit_batch batch = {.visit = visit, .user = user};
  for (uint64_t i = range.begin; i < range.end; i++)
    for (uint32_t rest = (uint32_t)shared_load32(&view->words[i]); rest; rest &= rest - 1)
      visit_batch_add(&batch,
                      local_index_key(&view->local_index, view->member, i * BITMAP_WORD_BITS + lowest_bit(rest)));
  visit_batch_flush(&batch);
}

/* Word by word, because a key has the same place in both tables, which have the same local index. Relaxed, as
   find-or-put. */
uint64_t bitmap_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  const struct index_range range = words_of(from, part, parts);
  const struct bitmap *target = bitmap_of(to);
  uint64_t full = 0;
  for (uint64_t i = range.begin; i < range.end; i++) {
    const uint32_t word = (uint32_t)shared_load32(&bitmap_of(from)->words[i]);
    const uint32_t fitting = word & bits_below(target->keys, i);
    full += count_bits(word ^ fitting);
    if (fitting)
      __atomic_fetch_or(&target->words[i], fitting, __ATOMIC_RELAXED);
  }
  return full;
}

/* Bits at or above the last key must be 0. */
uint64_t bitmap_check(const struct table *table) {
  const struct index_range range = words_of(table, 0, 1);
  const struct bitmap *view = bitmap_of(table);
  uint64_t wrong = 0;
  for (uint64_t i = view->keys / BITMAP_WORD_BITS; i < range.end; i++)
    wrong += count_bits((uint32_t)shared_load32(&view->words[i]) & ~bits_below(view->keys, i));
  return wrong;
}
