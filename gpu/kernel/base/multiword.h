/* States of several words in an exploration (tree/kernel/tree.h): the queue and the visited set hold a state's root in
   place of a key. FLOE_MULTIWORD: words of a state; undefined for states of one word.

   A lane decomposes the state that it expands into words and tree numbers. The roots of its successors derive from
   these: unchanged words are not looked up. The generated code writes successors as words into the lane's buffer; they
   get their roots when the buffer is flushed, because all lanes take part in that. */
#ifndef FLOE_GPU_WIDE_H
#define FLOE_GPU_WIDE_H

#include "gpu/kernel/base/control.h"
#include "gpu/kernel/base/key_checksum.h"
#include "tree/kernel/tree.h"

#ifdef FLOE_MULTIWORD
#if FLOE_MULTIWORD <= 8 /* GPU_WORDS_IN_REGISTERS */
#define MULTIWORD_LOOP GPU_UNROLL
#else
#define MULTIWORD_LOOP GPU_ROLLED
#endif

enum {
  MULTIWORD_WORDS = FLOE_MULTIWORD,
  MULTIWORD_TABLES = 2 * MULTIWORD_WORDS - 2,
  MULTIWORD_NEAR = MULTIWORD_TABLES <= GPU_TREE_NEAR /* the tables are a kernel parameter */
};

/* The state that a lane expands. */
struct lane_state {
  uint64_t root;
  uint64_t words[MULTIWORD_WORDS];
  uint32_t numbers[MULTIWORD_TABLES];
};

KERNEL_FN const struct tree_table *multiword_tables(const struct gpu_space *space) {
  return MULTIWORD_NEAR ? space->near : space->tables;
}

KERNEL_FN void multiword_decompose(const struct gpu_space *space, uint64_t root, struct lane_state *state) {
  state->root = root;
  tree_numbers_of(multiword_tables(space), MULTIWORD_WORDS, root, state->numbers, state->words);
}

/* Computes the root of the successor `words`. False: a table is full. */
KERNEL_FN bool multiword_root(const struct gpu_space *space, const struct lane_state *parent, const uint64_t *words,
                              uint64_t *root) {
  const struct tree_table *const tables = multiword_tables(space);
  uint32_t numbers[MULTIWORD_TABLES];
  bool named = true;
  MULTIWORD_LOOP
  for (uint32_t w = 0; w < MULTIWORD_WORDS; w++) {
    const uint64_t word = words[w];
    numbers[w] = parent->numbers[w];
    if (word != parent->words[w])
      named = tree_number(&tables[w], word, tree_hash(word), &numbers[w]) && named;
  }
  MULTIWORD_LOOP
  for (uint32_t node = MULTIWORD_WORDS; node < MULTIWORD_TABLES; node++) {
    const uint32_t left = tree_left(MULTIWORD_WORDS, node);
    numbers[node] = parent->numbers[node];
    if (named && (numbers[left] != parent->numbers[left] || numbers[left + 1] != parent->numbers[left + 1])) {
      const uint64_t pair = tree_pair(numbers[left], numbers[left + 1]);
      named = tree_number(&tables[node], pair, tree_hash(pair), &numbers[node]);
    }
  }
  *root = tree_pair(numbers[MULTIWORD_TABLES - 2], numbers[MULTIWORD_TABLES - 1]);
  return named;
}

/* Total order of states: the least state is a property's witness. */
KERNEL_FN bool multiword_less(const struct gpu_space *space, uint64_t a, uint64_t b) {
  struct lane_state first, second;
  multiword_decompose(space, a, &first);
  multiword_decompose(space, b, &second);
  for (uint32_t w = 0; w < MULTIWORD_WORDS; w++)
    if (first.words[w] != second.words[w])
      return first.words[w] < second.words[w];
  return false;
}

/* Appends a lane's successor without a root to tree_pending: the host enlarges the tables. */
KERNEL_FN void multiword_append_pending(const struct gpu_space *space, const uint64_t *words) {
  const uint64_t at = gpu_add64(&space->control->tree_pending_count, 1);
  for (uint32_t w = 0; w < MULTIWORD_WORDS; w++)
    space->tree_pending[at * MULTIWORD_WORDS + w] = words[w];
}

/* Checksum contribution of a state in the queue; for several words as on the host (engine/engine.h). */
KERNEL_FN uint64_t queued_mix(const struct gpu_space *space, uint64_t root) {
  struct lane_state state;
  uint64_t mix = 0;
  multiword_decompose(space, root, &state);
  MULTIWORD_LOOP
  for (uint32_t w = 0; w < MULTIWORD_WORDS; w++)
    mix = checksum_word(mix, state.words[w]);
  return mix;
}

/* The key that stands for a root in the visited set. */
KERNEL_FN uint64_t key_in_set(const struct gpu_space *space, uint64_t root) { return tree_key(root, space->low_bits); }
#else
struct lane_state;
KERNEL_FN uint64_t queued_mix(const struct gpu_space *space, uint64_t key) {
  (void)space;
  return state_mix(key);
}
KERNEL_FN uint64_t key_in_set(const struct gpu_space *space, uint64_t key) {
  (void)space;
  return key;
}
#endif

/* Replaces *least, of keys in the queue, by a smaller key. UINT64_MAX: none yet. */
KERNEL_FN void keep_least(const struct gpu_space *space, uint64_t *least, uint64_t key) {
  uint64_t seen = gpu_load64(least);
#ifdef FLOE_MULTIWORD
  while (seen == UINT64_MAX || multiword_less(space, key, seen)) {
    const uint64_t before = slot_swap(least, 0, 64, seen, key);
    if (before == seen)
      return;
    seen = before;
  }
#else
  (void)space;
  if (key < seen)
    gpu_min64(least, key);
#endif
}

#endif
