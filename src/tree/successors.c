/* Roots of successors, many at a time, node by node from the leaves up. What changed in a leaf is given; a node above
   changed where one of its children did. Only these are looked up, all of a node before the next one, so that the
   cache's misses overlap; all other numbers are the parents'. Loops over them have no branch that chance decides. */
#include "tree/tree.h"

#include "core/mem.h"

#include <string.h>

#define RUN 8 /* successors of a parent that are written without asking how many there are */
/* Bytes of slots that a second-level cache holds: what lies there need not be fetched beforehand. */
#define NEAR_BYTES ((size_t)256 << 10)

/* What is to be looked up for a node. */
struct sought {
  const uint64_t *contents;
  const uint32_t *successors;
  size_t count;
};

struct tree_namer {
  uint32_t words, tables;
  size_t room;          /* of an array for all successors, and RUN more */
  uint32_t *numbers;    /* [tables * room] of the successors, for the nodes below that are `filled` */
  bool *filled;         /* [tables] */
  uint32_t *successors; /* [(tables - words) * room] that changed, of inner nodes */
  size_t *counts;       /* [tables - words] how many */
  uint64_t *contents;   /* [room] of the inner node in work */
  uint16_t *stamps;     /* [room] of the last inner node for which a successor was entered */
  uint16_t stamp;
  uint32_t id; /* the node in work */
  bool joined; /* it is an inner one, and what changed of it is in `successors` */
  size_t at;   /* what has been looked up for it */
};

/* ---- creation ------------------------------------------------------------------------------------ */

static size_t room_for(size_t most) { return most + RUN; }

size_t tree_namer_bytes(const struct tree *tree, size_t most) {
  const size_t words = tree_words(tree), tables = tree_tables(tree_words(tree)), room = room_for(most);
  return sizeof(struct tree_namer) +
         room * (sizeof(uint64_t) + (2 * tables - words) * sizeof(uint32_t) + sizeof(uint16_t)) +
         tables * sizeof(bool) + (tables - words) * sizeof(size_t);
}

floe_status tree_namer_create(const struct tree *tree, size_t most, struct tree_namer **out) {
  struct tree_namer *namer = mem_alloc(sizeof *namer);
  if (!namer)
    return FLOE_ERROR_MEMORY;
  namer->words = tree_words(tree);
  namer->tables = tree_tables(namer->words);
  namer->room = room_for(most);
  namer->numbers = mem_array(namer->tables, namer->room * sizeof *namer->numbers);
  namer->filled = mem_array(namer->tables, sizeof *namer->filled);
  namer->successors = mem_array(namer->tables - namer->words, namer->room * sizeof *namer->successors);
  namer->counts = mem_array(namer->tables - namer->words, sizeof *namer->counts);
  namer->contents = mem_array(namer->room, sizeof *namer->contents);
  namer->stamps = mem_array(namer->room, sizeof *namer->stamps);
  if (!namer->numbers || !namer->filled || !namer->successors || !namer->counts || !namer->contents || !namer->stamps) {
    tree_namer_free(namer);
    return FLOE_ERROR_MEMORY;
  }
  tree_namer_begin(namer);
  *out = namer;
  return FLOE_OK;
}

void tree_namer_free(struct tree_namer *namer) {
  if (!namer)
    return;
  mem_free(namer->numbers);
  mem_free(namer->filled);
  mem_free(namer->successors);
  mem_free(namer->counts);
  mem_free(namer->contents);
  mem_free(namer->stamps);
  mem_free(namer);
}

void tree_namer_begin(struct tree_namer *namer) {
  namer->id = 0;
  namer->at = 0;
  namer->joined = false;
  for (uint32_t id = 0; id < namer->tables; id++)
    namer->filled[id] = false;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static uint32_t *numbers_of(const struct tree_namer *namer, uint32_t id) { return namer->numbers + id * namer->room; }
static uint32_t *successors_of(const struct tree_namer *namer, uint32_t id) {
  return namer->successors + (id - namer->words) * namer->room;
}

/* All successors have their parents' number. Mostly these are few: their number decides no branch. */
static void fill(struct tree_namer *namer, const struct tree_changes *changes, uint32_t id) {
  uint32_t *const numbers = numbers_of(namer, id);
  const uint32_t tables = namer->tables;
  if (namer->filled[id])
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
  namer->filled[id] = true;
}

/* From namer->at on. False: the table is full. */
static bool find(struct tree *tree, struct tree_namer *namer, const struct sought *sought) {
  enum { SOME = 64 };
  const struct tree_table *table = &tree_tables_of(tree)[namer->id];
  const bool near = (table->slot_mask + 1) * sizeof *table->slots <= NEAR_BYTES;
  uint32_t *const numbers = numbers_of(namer, namer->id);
  uint64_t hashes[SOME];
  while (namer->at < sought->count) {
    const size_t at = namer->at, n = sought->count - at < SOME ? sought->count - at : SOME;
    for (size_t i = 0; i < n; i++)
      hashes[i] = tree_hash(sought->contents[at + i]);
    for (size_t i = 0; !near && i < n; i++)
      KERNEL_PREFETCH(&table->slots[tree_home(table, hashes[i])]);
    for (size_t i = 0; i < n; i++, namer->at++)
      if (!tree_number(table, sought->contents[at + i], hashes[i], &numbers[sought->successors[at + i]]))
        return false;
  }
  return true;
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static struct sought changed(const struct tree_namer *namer, const struct tree_changes *changes, uint32_t id) {
  if (id < namer->words)
    return (struct sought){changes->words[id].contents, changes->words[id].successors, changes->words[id].count};
  return (struct sought){namer->contents, successors_of(namer, id), namer->counts[id - namer->words]};
}

/* One that no successor has. */
static uint16_t next_stamp(struct tree_namer *namer) {
  if (++namer->stamp == 0) {
    memset(namer->stamps, 0, namer->room * sizeof *namer->stamps);
    namer->stamp = 1;
  }
  return namer->stamp;
}

/* Who changed in either child, each once. */
static void join(struct tree_namer *namer, const struct tree_changes *changes) {
  const uint32_t id = namer->id, left = tree_left(namer->words, id);
  const struct sought lefts = changed(namer, changes, left), rights = changed(namer, changes, left + 1);
  uint32_t *const successors = successors_of(namer, id);
  const uint16_t stamp = next_stamp(namer);
  size_t count = 0;
  for (; count < lefts.count; count++) {
    successors[count] = lefts.successors[count];
    namer->stamps[successors[count]] = stamp;
  }
  for (size_t i = 0; i < rights.count; i++) {
    successors[count] = rights.successors[i];
    count += namer->stamps[rights.successors[i]] != stamp;
  }
  namer->counts[id - namer->words] = count;
  if (!count)
    return;
  fill(namer, changes, left);
  fill(namer, changes, left + 1);
  const uint32_t *const left_numbers = numbers_of(namer, left), *const right_numbers = numbers_of(namer, left + 1);
  for (size_t i = 0; i < count; i++)
    namer->contents[i] = tree_pair(left_numbers[successors[i]], right_numbers[successors[i]]);
}

static bool name_node(struct tree *tree, struct tree_namer *namer, const struct tree_changes *changes) {
  if (namer->id >= namer->words && !namer->joined) {
    join(namer, changes);
    namer->joined = true;
  }
  const struct sought sought = changed(namer, changes, namer->id);
  if (sought.count)
    fill(namer, changes, namer->id);
  if (!find(tree, namer, &sought))
    return false;
  namer->id++;
  namer->at = 0;
  namer->joined = false;
  return true;
}

bool tree_successors(struct tree *tree, struct tree_namer *namer, const struct tree_changes *changes, uint64_t *roots) {
  const uint32_t low = namer->tables - 2, high = namer->tables - 1;
  const size_t n = changes->parents ? changes->ends[changes->parents - 1] : 0;
  while (namer->id < namer->tables)
    if (!name_node(tree, namer, changes))
      return false;
  fill(namer, changes, low);
  fill(namer, changes, high);
  const uint32_t *const lows = numbers_of(namer, low), *const highs = numbers_of(namer, high);
  for (size_t i = 0; i < n; i++)
    roots[i] = tree_pair(lows[i], highs[i]);
  return true;
}
