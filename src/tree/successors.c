/* Computes roots of successors in bulk, node by node from the leaves up. The changed leaves are given; an inner node
   changed if one of its children did. Only changed nodes are looked up, all of a node before the next one, so that
   cache misses overlap; all other numbers are the parents'. The loops have no unpredictable branches. */
#include "tree/tree.h"

#include "core/mem.h"

#include <string.h>

#define RUN 8 /* successors of a parent that are written unconditionally */
/* Bytes of slots that a second-level cache holds: smaller tables need no prefetch. */
#define NEAR_BYTES ((size_t)256 << 10)

/* Contents to be looked up for a node. */
struct sought {
  const uint64_t *contents;
  const uint32_t *successors;
  size_t count;
};

struct tree_inserter {
  uint32_t words, tables;
  size_t room;          /* length of an array for all successors, plus RUN */
  uint32_t *numbers;    /* [tables * room] of the successors, for the nodes that are `filled` */
  bool *filled;         /* [tables] */
  uint32_t *successors; /* [(tables - words) * room] changed successors, of inner nodes */
  size_t *counts;       /* [tables - words] number of changed successors */
  uint64_t *contents;   /* [room] of the current inner node */
  uint16_t *stamps;     /* [room] of the last inner node for which a successor was entered */
  uint16_t stamp;
  uint32_t id; /* the current node */
  bool joined; /* it is an inner node, and `successors` has its changes */
  size_t at;   /* contents looked up for it so far */
};

/* ---- creation ------------------------------------------------------------------------------------ */

static size_t room_for(size_t most) { return most + RUN; }

size_t tree_inserter_bytes(const struct tree *tree, size_t most) {
  const size_t words = tree_words(tree), tables = tree_tables(tree_words(tree)), room = room_for(most);
  return sizeof(struct tree_inserter) +
         room * (sizeof(uint64_t) + (2 * tables - words) * sizeof(uint32_t) + sizeof(uint16_t)) +
         tables * sizeof(bool) + (tables - words) * sizeof(size_t);
}

floe_status tree_inserter_create(const struct tree *tree, size_t most, struct tree_inserter **out) {
  struct tree_inserter *inserter = mem_alloc(sizeof *inserter);
  if (!inserter)
    return FLOE_ERROR_MEMORY;
  inserter->words = tree_words(tree);
  inserter->tables = tree_tables(inserter->words);
  inserter->room = room_for(most);
  inserter->numbers = mem_array(inserter->tables, inserter->room * sizeof *inserter->numbers);
  inserter->filled = mem_array(inserter->tables, sizeof *inserter->filled);
  inserter->successors = mem_array(inserter->tables - inserter->words, inserter->room * sizeof *inserter->successors);
  inserter->counts = mem_array(inserter->tables - inserter->words, sizeof *inserter->counts);
  inserter->contents = mem_array(inserter->room, sizeof *inserter->contents);
  inserter->stamps = mem_array(inserter->room, sizeof *inserter->stamps);
  if (!inserter->numbers || !inserter->filled || !inserter->successors || !inserter->counts || !inserter->contents ||
      !inserter->stamps) {
    tree_inserter_free(inserter);
    return FLOE_ERROR_MEMORY;
  }
  tree_inserter_begin(inserter);
  *out = inserter;
  return FLOE_OK;
}

void tree_inserter_free(struct tree_inserter *inserter) {
  if (!inserter)
    return;
  mem_free(inserter->numbers);
  mem_free(inserter->filled);
  mem_free(inserter->successors);
  mem_free(inserter->counts);
  mem_free(inserter->contents);
  mem_free(inserter->stamps);
  mem_free(inserter);
}

void tree_inserter_begin(struct tree_inserter *inserter) {
  inserter->id = 0;
  inserter->at = 0;
  inserter->joined = false;
  for (uint32_t id = 0; id < inserter->tables; id++)
    inserter->filled[id] = false;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static uint32_t *numbers_of(const struct tree_inserter *inserter, uint32_t id) {
  return inserter->numbers + id * inserter->room;
}
static uint32_t *successors_of(const struct tree_inserter *inserter, uint32_t id) {
  return inserter->successors + (id - inserter->words) * inserter->room;
}

/* Gives all successors their parents' number. A parent mostly has few successors: their number decides no branch. */
static void fill(struct tree_inserter *inserter, const struct tree_changes *changes, uint32_t id) {
  uint32_t *const numbers = numbers_of(inserter, id);
  const uint32_t tables = inserter->tables;
  if (inserter->filled[id])
    return;
  for (size_t parent = 0, begin = 0; parent < changes->parents; parent++) {
    const uint32_t number = changes->numbers[parent * tables + id];
    const size_t end = changes->ends[parent];
    for (size_t i = 0; i < RUN; i++)
      numbers[begin + i] = number;
    for (size_t i = begin + RUN; i < end; i++)
      numbers[i] = number;
    begin = end;
  }
  inserter->filled[id] = true;
}

/* Continues from inserter->at. False: the table is full. */
static bool find(struct tree *tree, struct tree_inserter *inserter, const struct sought *sought) {
  enum { SOME = 64 };
  const struct tree_table *table = &tree_tables_of(tree)[inserter->id];
  const bool near = (table->slot_mask + 1) * sizeof *table->slots <= NEAR_BYTES;
  uint32_t *const numbers = numbers_of(inserter, inserter->id);
  uint64_t hashes[SOME];
  while (inserter->at < sought->count) {
    const size_t at = inserter->at, n = sought->count - at < SOME ? sought->count - at : SOME;
    for (size_t i = 0; i < n; i++)
      hashes[i] = tree_hash(sought->contents[at + i]);
    for (size_t i = 0; !near && i < n; i++)
      KERNEL_PREFETCH(&table->slots[tree_home(table, hashes[i])]);
    for (size_t i = 0; i < n; i++, inserter->at++)
      if (!tree_number(table, sought->contents[at + i], hashes[i], &numbers[sought->successors[at + i]]))
        return false;
  }
  return true;
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static struct sought changed(const struct tree_inserter *inserter, const struct tree_changes *changes, uint32_t id) {
  if (id < inserter->words)
    return (struct sought){changes->words[id].contents, changes->words[id].successors, changes->words[id].count};
  return (struct sought){inserter->contents, successors_of(inserter, id), inserter->counts[id - inserter->words]};
}

/* A stamp that no successor has. */
static uint16_t next_stamp(struct tree_inserter *inserter) {
  if (++inserter->stamp == 0) {
    memset(inserter->stamps, 0, inserter->room * sizeof *inserter->stamps);
    inserter->stamp = 1;
  }
  return inserter->stamp;
}

/* Collects the successors that changed in either child, each once. */
static void join(struct tree_inserter *inserter, const struct tree_changes *changes) {
  const uint32_t id = inserter->id, left = tree_left(inserter->words, id);
  const struct sought lefts = changed(inserter, changes, left), rights = changed(inserter, changes, left + 1);
  uint32_t *const successors = successors_of(inserter, id);
  const uint16_t stamp = next_stamp(inserter);
  size_t count = 0;
  for (; count < lefts.count; count++) {
    successors[count] = lefts.successors[count];
    inserter->stamps[successors[count]] = stamp;
  }
  for (size_t i = 0; i < rights.count; i++) {
    successors[count] = rights.successors[i];
    count += inserter->stamps[rights.successors[i]] != stamp;
  }
  inserter->counts[id - inserter->words] = count;
  if (!count)
    return;
  fill(inserter, changes, left);
  fill(inserter, changes, left + 1);
  const uint32_t *const left_numbers = numbers_of(inserter, left), *const right_numbers =
                                                                       numbers_of(inserter, left + 1);
  for (size_t i = 0; i < count; i++)
    inserter->contents[i] = tree_pair(left_numbers[successors[i]], right_numbers[successors[i]]);
}

static bool name_node(struct tree *tree, struct tree_inserter *inserter, const struct tree_changes *changes) {
  if (inserter->id >= inserter->words && !inserter->joined) {
    join(inserter, changes);
    inserter->joined = true;
  }
  const struct sought sought = changed(inserter, changes, inserter->id);
  if (sought.count)
    fill(inserter, changes, inserter->id);
  if (!find(tree, inserter, &sought))
    return false;
  inserter->id++;
  inserter->at = 0;
  inserter->joined = false;
  return true;
}

bool tree_successors(struct tree *tree, struct tree_inserter *inserter, const struct tree_changes *changes,
                     uint64_t *roots) {
  const uint32_t low = inserter->tables - 2, high = inserter->tables - 1;
  const size_t n = changes->parents ? changes->ends[changes->parents - 1] : 0;
  while (inserter->id < inserter->tables)
    if (!name_node(tree, inserter, changes))
      return false;
  fill(inserter, changes, low);
  fill(inserter, changes, high);
  const uint32_t *const lows = numbers_of(inserter, low), *const highs = numbers_of(inserter, high);
  for (size_t i = 0; i < n; i++)
    roots[i] = tree_pair(lows[i], highs[i]);
  return true;
}
