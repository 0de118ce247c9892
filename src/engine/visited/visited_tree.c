/* Visited set of multiword states: elements are roots (tree/kernel/tree.h). The table's keys hold the root's two
   numbers side by side, in their present widths. */
#include "engine/visited/visited.h"

#include "core/mem.h"
#include "tree/kernel/tree.h"

enum { AT_ONCE = 256 };

struct roots {
  struct visited base;
  struct visited *keys;
  uint32_t low_bits;
};

static struct roots *of(struct visited *set) { return (struct roots *)set; }
static const struct roots *of_const(const struct visited *set) { return (const struct roots *)set; }

/* The number of a root is that of its key. `numbers` NULL: they are not asked for. */
static size_t put_roots(struct roots *roots, const uint64_t *states, size_t n, uint8_t *answers, uint64_t *numbers) {
  uint64_t keys[AT_ONCE];
  size_t refused = 0;
  for (size_t at = 0; at < n; at += AT_ONCE) {
    const size_t some = n - at < AT_ONCE ? n - at : AT_ONCE;
    for (size_t i = 0; i < some; i++)
      keys[i] = tree_key(states[at + i], roots->low_bits);
    refused += numbers ? visited_find_or_put_numbered(roots->keys, keys, some, answers + at, numbers + at)
                       : visited_find_or_put(roots->keys, keys, some, answers + at);
  }
  return refused;
}

static size_t find_or_put(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers) {
  return put_roots(of(set), states, n, answers, NULL);
}

static size_t find_or_put_numbered(struct visited *set, const uint64_t *states, size_t n, uint8_t *answers,
                                   uint64_t *numbers) {
  return put_roots(of(set), states, n, answers, numbers);
}

static void state_of(const struct visited *set, uint64_t number, uint64_t *state) {
  uint64_t key;
  visited_state_of(of_const(set)->keys, number, &key);
  *state = tree_root(key, of_const(set)->low_bits);
}

struct visiting {
  uint32_t low_bits;
  void (*visit)(void *user, const uint64_t *states, size_t n);
  void *user;
};

static void visit_keys(void *user, const uint64_t *keys, size_t n) {
  const struct visiting *visiting = user;
  uint64_t states[AT_ONCE];
  for (size_t at = 0; at < n; at += AT_ONCE) {
    const size_t some = n - at < AT_ONCE ? n - at : AT_ONCE;
    for (size_t i = 0; i < some; i++)
      states[i] = tree_root(keys[at + i], visiting->low_bits);
    visiting->visit(visiting->user, states, some);
  }
}

static void each(const struct visited *set, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  struct visiting visiting = {of_const(set)->low_bits, visit, user};
  visited_each(of_const(set)->keys, part, parts, visit_keys, &visiting);
}

struct moved {
  struct visited *to;
  uint64_t misplaced;
};

static void put_moved(void *user, const uint64_t *states, size_t n) {
  struct moved *moved = user;
  uint8_t answers[AT_ONCE];
  moved->misplaced += find_or_put(moved->to, states, n, answers);
}

static uint64_t move(const struct visited *from, struct visited *to, unsigned part, unsigned parts) {
  assert(from->kind == to->kind);
  const struct roots *a = of_const(from), *b = of_const(to);
  if (a->low_bits == b->low_bits && a->keys->shape.key_bits == b->keys->shape.key_bits)
    return visited_move(a->keys, b->keys, part, parts);
  struct moved moved = {.to = to};
  each(from, part, parts, put_moved, &moved);
  return moved.misplaced;
}

static void *memory(struct visited *set) { return visited_memory(of(set)->keys); }

static void roots_free(struct visited *set) {
  visited_free(of(set)->keys);
  mem_free(set);
}

static const struct visited_kind visited_roots = {.find_or_put = find_or_put,
                                                  .find_or_put_numbered = find_or_put_numbered,
                                                  .state_of = state_of,
                                                  .move = move,
                                                  .each = each,
                                                  .memory = memory,
                                                  .free = roots_free};

floe_status visited_roots_create(const struct table_config *config, unsigned low_bits, struct visited **out) {
  struct roots *roots = mem_alloc(sizeof *roots);
  if (!roots)
    return FLOE_ERROR_MEMORY;
  floe_status status = visited_flat_create(config, &roots->keys);
  if (status != FLOE_OK) {
    mem_free(roots);
    return status;
  }
  roots->low_bits = low_bits;
  roots->base = (struct visited){.kind = &visited_roots,
                                 .words = 1,
                                 .shape = roots->keys->shape,
                                 .simd = roots->keys->simd,
                                 .numbered = roots->keys->numbered};
  *out = &roots->base;
  return FLOE_OK;
}
