/* States of several words in the exploration (tree/kernel/tree.h): what waits and what is looked up is a state's root,
   which stands where other models have a key. FLOE_MULTIWORD: the words of a state; not set where that is one.

   A lane takes the state that it expands apart into words and numbers, and its successors' roots come from these: what
   is not changed is not looked up. The generated code leaves successors as words in the lane's column; they get their
   roots when the column is worked on, as all lanes come to that. */
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
  WIDE_TABLES = 2 * MULTIWORD_WORDS - 2,
  WIDE_NEAR = WIDE_TABLES <= GPU_TREE_NEAR /* tables come as a parameter of the kernel */
};

/* The state that a lane expands. */
struct lane_state {
  uint64_t root;
  uint64_t words[MULTIWORD_WORDS];
  uint32_t numbers[WIDE_TABLES];
};

KERNEL_FN const struct tree_table *wide_tables(const struct gpu_space *space) {
  return WIDE_NEAR ? space->near : space->tables;
}

KERNEL_FN void multiword_take_apart(const struct gpu_space *space, uint64_t root, struct lane_state *state) {
  state->root = root;
  tree_numbers_of(wide_tables(space), MULTIWORD_WORDS, root, state->numbers, state->words);
}

/* The root of a successor; `words` one after the other. False: some table is full. */
KERNEL_FN bool multiword_root(const struct gpu_space *space, const struct lane_state *parent, const uint64_t *words,
                         uint64_t *root) {
  const struct tree_table *const tables = wide_tables(space);
  uint32_t numbers[WIDE_TABLES];
  bool named = true;
  MULTIWORD_LOOP
  for (uint32_t w = 0; w < MULTIWORD_WORDS; w++) {
    const uint64_t word = words[w];
    numbers[w] = parent->numbers[w];
    if (word != parent->words[w])
      named = tree_number(&tables[w], word, tree_hash(word), &numbers[w]) && named;
  }
  MULTIWORD_LOOP
  for (uint32_t node = MULTIWORD_WORDS; node < WIDE_TABLES; node++) {
    const uint32_t left = tree_left(MULTIWORD_WORDS, node);
    numbers[node] = parent->numbers[node];
    if (named && (numbers[left] != parent->numbers[left] || numbers[left + 1] != parent->numbers[left + 1])) {
      const uint64_t pair = tree_pair(numbers[left], numbers[left + 1]);
      named = tree_number(&tables[node], pair, tree_hash(pair), &numbers[node]);
    }
  }
  *root = tree_pair(numbers[WIDE_TABLES - 2], numbers[WIDE_TABLES - 1]);
  return named;
}

/* The order of states of which the least is a property's witness. */
KERNEL_FN bool wide_less(const struct gpu_space *space, uint64_t a, uint64_t b) {
  struct lane_state first, second;
  multiword_take_apart(space, a, &first);
  multiword_take_apart(space, b, &second);
  for (uint32_t w = 0; w < MULTIWORD_WORDS; w++)
    if (first.words[w] != second.words[w])
      return first.words[w] < second.words[w];
  return false;
}

/* A lane's successor without a root, from its column: the host has the tables grow. */
KERNEL_FN void multiword_refuse(const struct gpu_space *space, const uint64_t *words) {
  const uint64_t at = gpu_add64(&space->control->tree_pending_count, 1);
  for (uint32_t w = 0; w < MULTIWORD_WORDS; w++)
    space->tree_pending[at * MULTIWORD_WORDS + w] = words[w];
}

/* Of several words as the host has it (engine/engine.h). */
KERNEL_FN uint64_t waiting_mix(const struct gpu_space *space, uint64_t root) {
  struct lane_state state;
  uint64_t mix = 0;
  multiword_take_apart(space, root, &state);
  MULTIWORD_LOOP
  for (uint32_t w = 0; w < MULTIWORD_WORDS; w++)
    mix = checksum_word(mix, state.words[w]);
  return mix;
}

/* Roots and the keys that stand for them in the visited set. */
KERNEL_FN uint64_t key_in_set(const struct gpu_space *space, uint64_t root) { return tree_key(root, space->low_bits); }
#else
struct lane_state;
KERNEL_FN uint64_t waiting_mix(const struct gpu_space *space, uint64_t key) {
  (void)space;
  return state_mix(key);
}
KERNEL_FN uint64_t key_in_set(const struct gpu_space *space, uint64_t key) {
  (void)space;
  return key;
}
#endif

#endif
