/* The tables of a tree on the host: states of many words get roots of one word (tree/kernel/tree.h), and come back from
   them. Numbers never change, however often tables grow, so that a root stays the state's as long as the tree lives. */
#ifndef FLOE_TREE_H
#define FLOE_TREE_H

#include "core/status.h"
#include "tree/kernel/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree;
struct tree_user;

#define TREE_FIRST_NUMBERS 256 /* of a table, if nobody knows better */

/* Of states of `words` words, at least 2, that up to `users` threads put at once. Every table has room for `numbers`
   contents at first (0: TREE_FIRST_NUMBERS). FLOE_ERROR_MEMORY. */
floe_status tree_create(uint32_t words, unsigned users, uint64_t numbers, struct tree **out);
void tree_free(struct tree *tree); /* NULL is allowed */
uint32_t tree_words(const struct tree *tree);
/* What tree_create would allocate; what is allocated. */
uint64_t tree_first_bytes(uint32_t words, unsigned users, uint64_t numbers);
uint64_t tree_bytes(const struct tree *tree);

/* A thread's own room for a batch of states. FLOE_ERROR_MEMORY. */
floe_status tree_user_create(const struct tree *tree, struct tree_user **out);
void tree_user_free(struct tree_user *user); /* NULL is allowed */
size_t tree_user_bytes(const struct tree *tree);

/* Roots of `n` states, as far as there are numbers: returns how many, from the first on; the next one meets a full
   table. Any number of threads at once, each with a user of its own; not with tree_grow. */
size_t tree_roots(struct tree *tree, struct tree_user *user, const uint64_t *states, size_t n, uint64_t *roots);

/* Successors of some states, told by their parents' numbers and by what they have that their parents have not. */
struct tree_changes {
  const uint32_t *numbers; /* of the parents, tree_tables(words) each, as tree_states gives them */
  const uint32_t *ends;    /* [parents] the successors up to there are its own, or of those before it */
  size_t parents;
  const struct tree_change { /* [words] of a word */
    const uint64_t *contents;
    const uint32_t *successors; /* whose they are, ascending */
    size_t count;
  } * words;
};

/* A thread's room for successors, and how far it has come with those in work. */
struct tree_inserter;

/* For up to `most` successors at once. FLOE_ERROR_MEMORY. */
floe_status tree_inserter_create(const struct tree *tree, size_t most, struct tree_inserter **out);
void tree_inserter_free(struct tree_inserter *inserter); /* NULL is allowed */
size_t tree_inserter_bytes(const struct tree *tree, size_t most);
/* Others are to be named than at the call before. */
void tree_inserter_begin(struct tree_inserter *inserter);
/* Roots of all successors, of which only the numbers of what changed, and of the nodes above that, are looked up.
   False: a table is full; after tree_grow the same call goes on. Threads as for tree_roots. */
bool tree_successors(struct tree *tree, struct tree_inserter *inserter, const struct tree_changes *changes, uint64_t *roots);
/* The inverse, of roots that tree_roots or tree_restore made known. Writes tree_tables(words) numbers for each.
   Concurrent with all but tree_grow. */
void tree_states(const struct tree *tree, const uint64_t *roots, size_t n, uint32_t *numbers, uint64_t *states);

/* Some table has no more than an eighth of its room left, or none: it is time to grow. */
bool tree_is_tight(const struct tree *tree);
/* Bytes that tree_grow takes more than there are, while it works. */
uint64_t tree_growth_bytes(const struct tree *tree, bool full_only);
/* More room for tables that are tight, or only for those that are full, by a factor of 4, later 2. Nobody else uses the
   tree meanwhile. FLOE_ERROR_MEMORY: some may have grown, all are as good as before. FLOE_ERROR_UNSUPPORTED: a table
   is full and has 2^32 numbers. */
floe_status tree_grow(struct tree *tree, bool full_only);

/* Bits that hold every number that the root's two tables may give before they grow: [0] the lower one's. */
void tree_root_bits(const struct tree *tree, unsigned bits[2]);

/* Table `id` of tree_tables(words): its contents by number. */
uint64_t tree_count(const struct tree *tree, uint32_t id);
uint64_t tree_count_all(const struct tree *tree);
const uint64_t *tree_contents(const struct tree *tree, uint32_t id);
/* Gives an empty tree, or one that knows the first of them, the contents of another's table. Nobody else uses the tree.
   FLOE_ERROR_MEMORY. FLOE_ERROR_USAGE: a content comes twice. */
floe_status tree_restore(struct tree *tree, uint32_t id, const uint64_t *contents, uint64_t n);
/* For kernels on the host: [tree_tables(words)], valid until the tree grows. */
const struct tree_table *tree_tables_of(const struct tree *tree);

#endif
