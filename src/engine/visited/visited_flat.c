/* Visited set of states of one word: the key is the state. */
#include "engine/visited/visited.h"

#include "core/mem.h"
#include "tables/scheme.h"

#include <assert.h>

static_assert((int)VISITED_KNOWN == (int)TABLE_FOUND && (int)VISITED_NEW == (int)TABLE_PUT &&
                  (int)VISITED_NO_PLACE == (int)TABLE_FULL,
              "the table's answers are handed on as they are");

enum { MOVED_AT_ONCE = 256 };

struct flat {
  struct visited base;
  struct table *table;
};

static struct table *table_of(const struct visited *set) { return ((const struct flat *)set)->table; }

/* Find-or-put does not write to the keys. */
static size_t find_or_put(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers) {
  return table_run(table_of(set), TABLE_FIND_OR_PUT, (uint64_t *)states, NULL, n, answers);
}

/* The number of a state is its slot's. */
static size_t find_or_put_numbered(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers,
                                   uint64_t *numbers) {
  return table_find_or_put_slots(table_of(set), states, n, answers, numbers);
}

static void state_of(const struct visited *set, uint64_t number, uint64_t *state) {
  *state = table_key_at(table_of(set), number);
}

/* Keys moving to a table of another scheme. */
struct moved {
  struct table *to;
  uint64_t misplaced;
};

static void put_moved(void *user, const uint64_t *keys, size_t n) {
  struct moved *moved = user;
  uint8_t answers[MOVED_AT_ONCE];
  for (size_t at = 0; at < n; at += MOVED_AT_ONCE) {
    const size_t some = n - at < MOVED_AT_ONCE ? n - at : MOVED_AT_ONCE;
    moved->misplaced += table_find_or_put(moved->to, keys + at, some, answers);
  }
}

static uint64_t move(const struct visited *from, struct visited *to, unsigned part, unsigned parts) {
  assert(from->kind == to->kind);
  if (!table_cannot_move(table_of(from), table_of(to)))
    return table_rehash(table_of(from), table_of(to), part, parts);
  struct moved moved = {.to = table_of(to)};
  table_each(table_of(from), part, parts, put_moved, &moved);
  return moved.misplaced;
}

static void each(const struct visited *set, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  table_each(table_of(set), part, parts, visit, user);
}

static void *memory(struct visited *set) { return table_memory(table_of(set)); }

static void flat_free(struct visited *set) {
  table_free(table_of(set));
  mem_free(set);
}

static const struct visited_kind visited_flat = {.find_or_put = find_or_put,
                                                 .find_or_put_numbered = find_or_put_numbered,
                                                 .state_of = state_of,
                                                 .move = move,
                                                 .each = each,
                                                 .memory = memory,
                                                 .free = flat_free};

floe_status visited_flat_create(const struct table_config *config, struct visited **out) {
  struct flat *flat = mem_alloc(sizeof *flat);
  if (!flat)
    return FLOE_ERROR_MEMORY;
  floe_status status = table_create(config, &flat->table);
  if (status != FLOE_OK) {
    mem_free(flat);
    return status;
  }
  flat->base = (struct visited){.kind = &visited_flat,
                                .words = 1,
                                .shape = *table_shape(flat->table),
                                .simd = table_simd(flat->table),
                                .numbered = table_traits(config->scheme)->stable};
  *out = &flat->base;
  return FLOE_OK;
}
