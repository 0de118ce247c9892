/* Computes roots of states from scratch, a batch at a time, table by table, so that cache misses overlap. */
#include "tree/tree.h"

#include "core/mem.h"

#define BATCH_NUMBERS 4096 /* of all tables: fits a first-level cache */
#define LEAST_BATCH 8
#define MOST_BATCH 256

/* State of one thread. */
struct tree_user {
  size_t batch;      /* states */
  uint32_t *numbers; /* [tables * batch] */
  uint64_t contents[MOST_BATCH], hashes[MOST_BATCH];
};

static size_t batch_of(const struct tree *tree) {
  const size_t batch = BATCH_NUMBERS / tree_tables(tree_words(tree));
  return batch > MOST_BATCH ? MOST_BATCH : batch < LEAST_BATCH ? LEAST_BATCH : batch;
}

size_t tree_user_bytes(const struct tree *tree) {
  return sizeof(struct tree_user) + tree_tables(tree_words(tree)) * batch_of(tree) * sizeof(uint32_t);
}

floe_status tree_user_create(const struct tree *tree, struct tree_user **out) {
  struct tree_user *user = mem_alloc(tree_user_bytes(tree));
  if (!user)
    return FLOE_ERROR_MEMORY;
  user->batch = batch_of(tree);
  user->numbers = (uint32_t *)(user + 1);
  *out = user;
  return FLOE_OK;
}

void tree_user_free(struct tree_user *user) { mem_free(user); }

/* States [first, first + n) of a call. */
struct batch {
  const struct tree *tree;
  struct tree_user *user;
  const uint64_t *states;
  size_t n;
};

static uint32_t *numbers_of(const struct batch *b, uint32_t id) { return b->user->numbers + id * b->user->batch; }

static void read_leaves(const struct batch *b, uint32_t w) {
  const uint32_t words = tree_words(b->tree);
  for (size_t i = 0; i < b->n; i++)
    b->user->contents[i] = b->states[i * words + w];
}

static void read_pairs(const struct batch *b, uint32_t id) {
  const uint32_t left = tree_left(tree_words(b->tree), id);
  const uint32_t *const lefts = numbers_of(b, left), *const rights = numbers_of(b, left + 1);
  for (size_t i = 0; i < b->n; i++)
    b->user->contents[i] = tree_pair(lefts[i], rights[i]);
}

/* Returns the number of states that have all their numbers so far: the table may be full. */
static size_t find(const struct batch *b, uint32_t id) {
  const struct tree_table *table = &tree_tables_of(b->tree)[id];
  struct tree_user *user = b->user;
  uint32_t *const numbers = numbers_of(b, id);
  for (size_t i = 0; i < b->n; i++) {
    user->hashes[i] = tree_hash(user->contents[i]);
    KERNEL_PREFETCH(&table->slots[tree_home(table, user->hashes[i])]);
  }
  for (size_t i = 0; i < b->n; i++)
    if (!tree_number(table, user->contents[i], user->hashes[i], &numbers[i]))
      return i;
  return b->n;
}

static void name(struct batch *b, uint64_t *roots) {
  const uint32_t words = tree_words(b->tree), tables = tree_tables(words);
  for (uint32_t id = 0; id < tables && b->n > 0; id++) {
    if (id < words)
      read_leaves(b, id);
    else
      read_pairs(b, id);
    b->n = find(b, id);
  }
  const uint32_t *const low = numbers_of(b, tables - 2), *const high = numbers_of(b, tables - 1);
  for (size_t i = 0; i < b->n; i++)
    roots[i] = tree_pair(low[i], high[i]);
}

size_t tree_roots(struct tree *tree, struct tree_user *user, const uint64_t *states, size_t n, uint64_t *roots) {
  size_t done = 0;
  while (done < n) {
    const size_t some = n - done < user->batch ? n - done : user->batch;
    struct batch batch = {tree, user, states + done * tree_words(tree), some};
    name(&batch, roots + done);
    done += batch.n;
    if (batch.n < some)
      break;
  }
  return done;
}
