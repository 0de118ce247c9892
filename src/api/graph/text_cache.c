#include "api/graph/text_cache.h"

#include "core/mem.h"

#include <string.h>

#define SLOTS ((size_t)1 << 14)
#define MOST_TEXTS (SLOTS / 2)
#define POOL ((size_t)1 << 20)

/* ---- bits of a state ------------------------------------------------------------------------- */

void state_bits_init(struct state_bits *set, const struct layout *layout, struct arena *arena) {
  *set = (struct state_bits){arena_array(arena, layout->words, sizeof *set->bits), 0, 0};
}

static void add_word(struct state_bits *set, uint32_t word, uint64_t bits) {
  if (!bits)
    return;
  const uint32_t end = set->first + set->count;
  set->bits[word] |= bits;
  if (set->count == 0) {
    set->first = word;
    set->count = 1;
  } else if (word < set->first) {
    set->first = word;
    set->count = end - word;
  } else if (word >= end) {
    set->count = word + 1 - set->first;
  }
}

void state_bits_add(struct state_bits *set, const struct layout *layout, uint32_t variable, uint32_t element) {
  const struct field *field = &layout->fields[variable];
  if (field->width > 0)
    add_word(set, field_word(field, element), UINT64_MAX >> (64 - field->width) << field_shift(field, element));
}

void state_bits_add_all(struct state_bits *set, const struct model *model, const struct layout *layout,
                        uint32_t variable) {
  for (uint32_t i = 0; i < model->variables[variable].count; i++)
    state_bits_add(set, layout, variable, i);
}

void state_bits_join(struct state_bits *set, const struct state_bits *more) {
  for (uint32_t i = more->first; i < more->first + more->count; i++)
    add_word(set, i, more->bits[i]);
}

uint32_t state_bits_count(const struct state_bits *set) {
  uint32_t n = 0;
  for (uint32_t i = set->first; i < set->first + set->count; i++)
    n += (uint32_t)__builtin_popcountll(set->bits[i]);
  return n;
}

static void add_conditions(struct state_bits *set, const struct model *model, const struct layout *layout,
                           const struct enabled *enabled) {
  for (size_t i = 0; i < enabled->count; i++) {
    const struct transition *t = enabled->transitions[i];
    for (size_t k = 0; k < t->test_count; k++)
      state_bits_add(set, layout, t->tests[k].variable, t->tests[k].element);
    for (size_t k = 0; k < t->guard_count; k++)
      state_bits_add_reads(set, model, layout, t->guards[k]);
  }
}

void state_bits_add_reads(struct state_bits *set, const struct model *model, const struct layout *layout,
                          const struct expr *expr) {
  if (!expr)
    return;
  if (expr->op == EXPR_READ)
    state_bits_add_all(set, model, layout, expr->id);
  if (expr->op == EXPR_COMMITTED)
    for (size_t i = 0; i < model->process_count; i++)
      state_bits_add_all(set, model, layout, model->processes[i].location_variable);
  if (expr->op == EXPR_AUTOMATON)
    state_bits_add_reads(set, model, layout, model->automaton->permitted[expr->id]);
  if (expr->op == EXPR_ENABLED)
    add_conditions(set, model, layout, &model->enabled[expr->id]);
  state_bits_add_reads(set, model, layout, expr->a);
  state_bits_add_reads(set, model, layout, expr->b);
  state_bits_add_reads(set, model, layout, expr->c);
}

/* ---- texts ----------------------------------------------------------------------------------- */

struct cache_entry {
  uint64_t id;
  uint32_t hash, at; /* position in the pool: words of the state, then the piece; 0: an empty slot */
};

struct graph_texts {
  size_t count, used; /* used: words of the pool; word 0 is unused */
  struct cache_entry slots[SLOTS];
  uint64_t pool[POOL / sizeof(uint64_t)];
};

size_t graph_texts_bytes(void) { return sizeof(struct graph_texts); }

struct graph_texts *graph_texts_create(void) {
  struct graph_texts *texts = mem_alloc(sizeof *texts);
  if (texts)
    texts->used = 1;
  return texts;
}

void graph_texts_free(struct graph_texts *texts) { mem_free(texts); }

static uint32_t hash_of(uint64_t id, const uint64_t *state, const struct state_bits *bits) {
  uint64_t hash = (id + 1) * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t i = bits->first; i < bits->first + bits->count; i++) {
    hash = (hash ^ (state[i] & bits->bits[i])) * UINT64_C(0xd6e8feb86659fd93);
    hash ^= hash >> 32;
  }
  return (uint32_t)hash;
}

static bool matches(const struct graph_texts *texts, const struct cache_entry *kept, const uint64_t *state,
                    const struct state_bits *bits) {
  const uint64_t *words = texts->pool + kept->at;
  for (uint32_t i = 0; i < bits->count; i++)
    if (words[i] != (state[bits->first + i] & bits->bits[bits->first + i]))
      return false;
  return true;
}

const struct piece *graph_texts_find(const struct graph_texts *texts, uint64_t id, const uint64_t *state,
                                     const struct state_bits *bits) {
  if (!texts)
    return NULL;
  const uint32_t hash = hash_of(id, state, bits);
  for (size_t i = hash % SLOTS; texts->slots[i].at; i = (i + 1) % SLOTS) {
    const struct cache_entry *kept = &texts->slots[i];
    if (kept->hash == hash && kept->id == id && matches(texts, kept, state, bits))
      return (const struct piece *)(texts->pool + kept->at + bits->count);
  }
  return NULL;
}

static void clear_cache(struct graph_texts *texts) {
  memset(texts->slots, 0, sizeof texts->slots);
  texts->count = 0;
  texts->used = 1;
}

void graph_texts_keep(struct graph_texts *texts, uint64_t id, const uint64_t *state, const struct state_bits *bits,
                      const char *text, size_t length) {
  const size_t words =
      bits->count + (sizeof(struct piece) + length + PIECE_PADDING + sizeof(uint64_t) - 1) / sizeof(uint64_t);
  if (!texts || words > POOL / sizeof(uint64_t) / 2)
    return;
  if (texts->count >= MOST_TEXTS || texts->used + words > POOL / sizeof(uint64_t))
    clear_cache(texts);
  const uint32_t hash = hash_of(id, state, bits);
  size_t i = hash % SLOTS;
  while (texts->slots[i].at)
    i = (i + 1) % SLOTS;
  texts->slots[i] = (struct cache_entry){id, hash, (uint32_t)texts->used};
  for (uint32_t w = 0; w < bits->count; w++)
    texts->pool[texts->used + w] = state[bits->first + w] & bits->bits[bits->first + w];
  struct piece *piece = (struct piece *)(texts->pool + texts->used + bits->count);
  piece->length = length;
  memcpy(piece->text, text, length);
  texts->used += words;
  texts->count++;
}
