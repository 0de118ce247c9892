/* Host side of tree compression: maps states of many words to roots of one word (tree/kernel/tree.h), and back.
   Numbers never change, however often tables grow, so a root stays the state's as long as the tree lives. */
#ifndef FLOE_TREE_H
#define FLOE_TREE_H

#include "core/status.h"
#include "tree/kernel/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree;
struct tree_user;

#define TREE_FIRST_NUMBERS 256 /* of a table, by default */

/* For states of `words` words, at least 2, put by up to `users` threads concurrently. Every table initially has room
   for `numbers` contents (0: TREE_FIRST_NUMBERS). FLOE_ERROR_MEMORY. */
floe_status tree_create(uint32_t words, unsigned users, uint64_t numbers, struct tree **out);
void tree_free(struct tree *tree); /* NULL is allowed */
uint32_t tree_words(const struct tree *tree);
/* Bytes that tree_create would allocate; bytes allocated. */
uint64_t tree_first_bytes(uint32_t words, unsigned users, uint64_t numbers);
uint64_t tree_bytes(const struct tree *tree);

/* Buffers of one thread for a batch of states. FLOE_ERROR_MEMORY. */
floe_status tree_user_create(const struct tree *tree, struct tree_user **out);
void tree_user_free(struct tree_user *user); /* NULL is allowed */
size_t tree_user_bytes(const struct tree *tree);

/* Computes roots of `n` states until a table is full; returns the number of roots, for the first states. Concurrent
   calls are allowed, each thread with its own user; not concurrently with tree_grow. */
size_t tree_roots(struct tree *tree, struct tree_user *user, const uint64_t *states, size_t n, uint64_t *roots);

/* Successors of some states, described by their parents' numbers and the words that differ from their parents'. */
struct tree_changes {
  const uint32_t *numbers; /* of the parents, tree_tables(words) each, as tree_states gives them */
  const uint32_t *ends;    /* [parents] end of the parent's successors */
  size_t parents;
  const struct tree_change { /* [words] of a word */
    const uint64_t *contents;
    const uint32_t *successors; /* the changed successors, ascending */
    size_t count;
  } * words;
};

/* Buffers of one thread for successors, and the progress of the current ones. */
struct tree_inserter;

/* For up to `most` successors at once. FLOE_ERROR_MEMORY. */
floe_status tree_inserter_create(const struct tree *tree, size_t most, struct tree_inserter **out);
void tree_inserter_free(struct tree_inserter *inserter); /* NULL is allowed */
size_t tree_inserter_bytes(const struct tree *tree, size_t most);
/* Starts other successors than in the previous call. */
void tree_inserter_begin(struct tree_inserter *inserter);
/* Computes the roots of all successors; looks up only the numbers of changed words and of the nodes above them.
   False: a table is full; after tree_grow the same call continues. Threads as for tree_roots. */
bool tree_successors(struct tree *tree, struct tree_inserter *inserter, const struct tree_changes *changes,
                     uint64_t *roots);
/* The inverse, for roots of tree_roots or tree_restore. Writes tree_tables(words) numbers for each. Concurrent with
   everything except tree_grow. */
void tree_states(const struct tree *tree, const uint64_t *roots, size_t n, uint32_t *numbers, uint64_t *states);

/* Whether some table has at most an eighth of its room left: it should grow. */
bool tree_is_tight(const struct tree *tree);
/* Additional bytes that tree_grow needs while it runs. */
uint64_t tree_growth_bytes(const struct tree *tree, bool full_only);
/* Enlarges the tables that are nearly full, or only those that are full, by a factor of 4, later 2. No other thread
   may use the tree. FLOE_ERROR_MEMORY: some tables may have grown, all remain valid. FLOE_ERROR_UNSUPPORTED: a table
   is full and has 2^32 numbers. */
floe_status tree_grow(struct tree *tree, bool full_only);

/* Bits that hold every number that the root's two tables may assign before they grow: [0] the lower one's. */
void tree_root_bits(const struct tree *tree, unsigned bits[2]);

/* Table `id` of tree_tables(words): its contents by number. */
uint64_t tree_count(const struct tree *tree, uint32_t id);
uint64_t tree_count_all(const struct tree *tree);
const uint64_t *tree_contents(const struct tree *tree, uint32_t id);
/* Copies the contents of another table into an empty tree, or one that has the first of them. No other thread may use
   the tree. FLOE_ERROR_MEMORY. FLOE_ERROR_USAGE: a content occurs twice. */
floe_status tree_restore(struct tree *tree, uint32_t id, const uint64_t *contents, uint64_t n);
/* For kernels on the host: [tree_tables(words)], valid until the tree grows. */
const struct tree_table *tree_tables_of(const struct tree *tree);

#endif
