/* Roots of states, a batch at a time, table by table: first what is to be looked up is collected without a branch, then
   all of it is looked up, so that the cache's misses overlap. Of a successor only what differs from its parent is
   looked up, which are few leaves, and the nodes above them. */
#include "tree/tree.h"

#include "core/mem.h"

#define BATCH_NUMBERS 4096 /* of all tables, in a first-level cache */
#define LEAST_BATCH 8
#define MOST_BATCH 256

/* A thread's. */
struct tree_user {
  size_t batch;      /* states */
  uint32_t *numbers; /* [tables * batch] */
  struct {
    uint64_t contents[MOST_BATCH], hashes[MOST_BATCH];
    uint32_t states[MOST_BATCH]; /* whose they are, in the batch */
    size_t count;
  } sought;
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
  const struct tree_parents *parents; /* NULL: everything is looked up */
  const uint32_t *of;                 /* [n] the parent of each */
  size_t n;
};

static uint32_t *numbers_of(const struct batch *b, uint32_t id) { return b->user->numbers + id * b->user->batch; }

#define INLINE __attribute__((always_inline)) static inline

/* Appended always, and kept where it is to be looked up. */
INLINE size_t seek(struct tree_user *user, size_t count, size_t i, uint64_t content, bool wanted) {
  user->sought.contents[count] = content;
  user->sought.states[count] = (uint32_t)i;
  return count + wanted;
}

INLINE void seek_leaves(const struct batch *b, uint32_t words, uint32_t w) {
  const uint32_t tables = tree_tables(words);
  uint32_t *const numbers = numbers_of(b, w);
  size_t count = 0;
  for (size_t i = 0; i < b->n; i++) {
    const uint64_t content = b->states[i * words + w];
    bool wanted = true;
    if (b->parents) {
      const size_t parent = b->of[i];
      numbers[i] = b->parents->numbers[parent * tables + w];
      wanted = content != b->parents->states[parent * words + w];
    }
    count = seek(b->user, count, i, content, wanted);
  }
  b->user->sought.count = count;
}

INLINE void seek_pairs(const struct batch *b, uint32_t words, uint32_t id) {
  const uint32_t tables = tree_tables(words), left = tree_left(words, id);
  const uint32_t *const lefts = numbers_of(b, left), *const rights = numbers_of(b, left + 1);
  uint32_t *const numbers = numbers_of(b, id);
  size_t count = 0;
  for (size_t i = 0; i < b->n; i++) {
    bool wanted = true;
    if (b->parents) {
      const uint32_t *const theirs = b->parents->numbers + (size_t)b->of[i] * tables;
      numbers[i] = theirs[id];
      wanted = (lefts[i] ^ theirs[left]) | (rights[i] ^ theirs[left + 1]);
    }
    count = seek(b->user, count, i, tree_pair(lefts[i], rights[i]), wanted);
  }
  b->user->sought.count = count;
}

/* Returns how many states have all their numbers so far: the table may be full. */
static size_t find(const struct batch *b, uint32_t id) {
  const struct tree_table *table = &tree_tables_of(b->tree)[id];
  struct tree_user *user = b->user;
  const size_t count = user->sought.count;
  uint32_t *const numbers = numbers_of(b, id);
  for (size_t i = 0; i < count; i++) {
    user->sought.hashes[i] = tree_hash(user->sought.contents[i]);
    KERNEL_PREFETCH(&table->slots[tree_home(table, user->sought.hashes[i])]);
  }
  for (size_t i = 0; i < count; i++)
    if (!tree_number(table, user->sought.contents[i], user->sought.hashes[i], &numbers[user->sought.states[i]]))
      return user->sought.states[i];
  return b->n;
}

INLINE void name_words(struct batch *b, uint32_t words, uint64_t *roots) {
  const uint32_t tables = tree_tables(words);
  for (uint32_t id = 0; id < tables && b->n > 0; id++) {
    if (id < words)
      seek_leaves(b, words, id);
    else
      seek_pairs(b, words, id);
    b->n = find(b, id);
  }
  const uint32_t *const low = numbers_of(b, tables - 2), *const high = numbers_of(b, tables - 1);
  for (size_t i = 0; i < b->n; i++)
    roots[i] = tree_pair(low[i], high[i]);
}

/* States of few words are most, and the compiler's loops for them the fastest. */
static void name(struct batch *b, uint64_t *roots) {
  switch (tree_words(b->tree)) {
  case 2:
    name_words(b, 2, roots);
    break;
  case 3:
    name_words(b, 3, roots);
    break;
  case 4:
    name_words(b, 4, roots);
    break;
  default:
    name_words(b, tree_words(b->tree), roots);
  }
}

size_t tree_roots(struct tree *tree, struct tree_user *user, const struct tree_parents *parents, const uint64_t *states,
                  size_t n, uint64_t *roots) {
  size_t done = 0;
  while (done < n) {
    const size_t some = n - done < user->batch ? n - done : user->batch;
    struct batch batch = {.tree = tree,
                          .user = user,
                          .states = states + done * tree_words(tree),
                          .parents = parents,
                          .of = parents ? parents->of + done : NULL,
                          .n = some};
    name(&batch, roots + done);
    done += batch.n;
    if (batch.n < some)
      break;
  }
  return done;
}
