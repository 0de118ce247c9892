/* find-or-put by sorting: the paper's baseline (section 5.1). */
#include "core/mem.h"
#include "tables/cuckoo/cuckoo.h"
#include "tables/host_table.h"
#include "tables/radix_sort.h"

enum { PIECE = 256 };

struct sorted {
  struct table *table;
  uint64_t *keys, *values;
  uint8_t *answers;
  const struct numbered *items; /* the first of each key */
  size_t count;
  size_t full;
};

/* Keeps the first of equal keys; the others get FOUND. */
static size_t keep_first(struct numbered *items, size_t n, uint8_t *answers) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (kept && items[kept - 1].key == items[i].key)
      answers[items[i].number] = TABLE_FOUND;
    else
      items[kept++] = items[i];
  return kept;
}

static void find_all(struct sorted *sorted) {
  uint64_t keys[PIECE];
  uint8_t answers[PIECE];
  for (size_t at = 0, n; at < sorted->count; at += n) {
    for (n = 0; n < PIECE && at + n < sorted->count; n++)
      keys[n] = sorted->items[at + n].key;
    table_find(sorted->table, keys, n, answers);
    for (size_t i = 0; i < n; i++)
      sorted->answers[sorted->items[at + i].number] = answers[i];
  }
}

struct piece {
  uint64_t keys[PIECE], values[PIECE], numbers[PIECE];
  uint8_t answers[PIECE];
  size_t n;
};

static void put_piece(struct sorted *sorted, struct piece *piece) {
  sorted->full += table_run(sorted->table, TABLE_PUT_NEW, piece->keys, sorted->values ? piece->values : NULL, piece->n,
                            piece->answers);
  for (size_t i = 0; i < piece->n; i++) {
    uint64_t number = piece->numbers[i];
    sorted->answers[number] = piece->answers[i];
    if (piece->answers[i] != TABLE_FULL)
      continue;
    sorted->keys[number] = piece->keys[i];
    if (sorted->values)
      sorted->values[number] = piece->values[i];
  }
  piece->n = 0;
}

static void put_absent(struct sorted *sorted) {
  struct piece piece = {.n = 0};
  for (size_t i = 0; i < sorted->count; i++) {
    const struct numbered *item = &sorted->items[i];
    if (sorted->answers[item->number] != TABLE_FULL)
      continue;
    piece.keys[piece.n] = item->key;
    piece.values[piece.n] = sorted->values ? sorted->values[item->number] : 0;
    piece.numbers[piece.n++] = item->number;
    if (piece.n == PIECE)
      put_piece(sorted, &piece);
  }
  put_piece(sorted, &piece);
}

/* All keys are looked up before any is put, because a put may return a key that is looked up later. */
floe_status cuckoo_sorted_find_or_put(struct table *table, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                                      size_t *full) {
  struct numbered *memory = mem_array(n, 2 * sizeof *memory);
  if (!memory)
    return FLOE_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++)
    memory[i] = (struct numbered){keys[i], i};
  struct numbered *items = radix_sort(memory, memory + n, n, table->shape.key_bits);
  struct sorted sorted = {.table = table, .keys = keys, .values = values, .answers = answers};
  sorted.items = items;
  sorted.count = keep_first(items, n, answers);
  find_all(&sorted);
  put_absent(&sorted);
  mem_free(memory);
  *full = sorted.full;
  return FLOE_OK;
}
