/* Tree compression of states of many words (Blom, Lisser, van de Pol, Weber 2011; Laarman, van de Pol, Weber 2011):
   kernel C, for every machine.

   Each word of a state is a leaf. A leaf's table assigns a number, 0, 1, 2, ..., to every content that the word has
   had; an inner node's table assigns numbers to pairs of numbers. The pair at the root, two numbers of 32 bits, is
   the state's *root*, one word that replaces the state wherever a key is needed. Tables have ids: the leaf of word w
   is w; inner node `words` + k joins the tables 2k and 2k + 1, and the root joins the last two. So the tree is
   balanced, a node's children have lower ids, and no shape is stored.

   A table is an array of contents by number, and a hash table that finds the number of a content: linear probing, at
   most half full, with bits of the hash beside the number, so that contents are rarely compared in vain.

   A number must not be readable before its content is. So a slot has three states: empty; busy, while the thread that
   won it writes a new number's content; the number, stored with release. A thread that finds a busy slot with its own
   hash waits for it: there is no loop between winning and storing. Every number is in one slot, and every content has
   one number: a content goes into the first slot of its sequence that is not known to hold another, and slots never
   become empty. (Two swaps instead of waiting would lose numbers whenever many threads insert a new content at once,
   as happens for the thousands of states of a level that share a half.)

   Deviation: in the papers a number is the content's slot, in tables that cannot grow. Here numbers are dense and
   stay the same when slots are rebuilt. */
#ifndef FLOE_KERNEL_TREE_H
#define FLOE_KERNEL_TREE_H

#include "base/splitmix64.h"
#include "tables/kernel/shim.h"
#include "tree/kernel/tree_table.h"

#define TREE_BUSY UINT64_C(0xffffffff)
#define TREE_MOST_NUMBERS UINT64_C(0xfffffffe)

KERNEL_FN uint32_t tree_tables(uint32_t words) { return 2 * words - 2; }
KERNEL_FN uint32_t tree_left(uint32_t words, uint32_t node) { return 2 * (node - words); }
KERNEL_FN uint64_t tree_pair(uint32_t left, uint32_t right) { return (uint64_t)right << 32 | left; }

/* The finaliser of SplitMix64: every bit of a content affects both halves. */
KERNEL_FN uint64_t tree_hash(uint64_t content) { return splitmix64_mix(content); }

/* The first slot of a content's probe sequence. */
KERNEL_FN uint64_t tree_home(const struct tree_table *table, uint64_t hash) { return hash >> 30 & table->slot_mask; }

/* Finds or assigns the number of a content, whose hash is tree_hash's. False: it has none, and the table is full.
   Safe for any number of concurrent threads. */
KERNEL_FN bool tree_number(const struct tree_table *table, uint64_t content, uint64_t hash, uint32_t *number) {
  const uint64_t tag = hash << 32;
  uint64_t at = tree_home(table, hash);
  for (uint32_t times = 0;;) {
    uint64_t slot = word_load_acquire(table->slots, at);
    if (slot == 0) {
      if (slot_load(table->count, 0, 64) >= table->limit)
        return false;
      slot = slot_swap(table->slots, at, 64, 0, tag | TREE_BUSY);
      if (slot == 0) {
        const uint64_t next = word_next(table->count);
        word_store(table->contents, next, 64, content);
        word_store_release(table->slots, at, tag | (next + 1));
        *number = (uint32_t)next;
        return true;
      }
      continue; /* reads the other thread's slot with acquire */
    }
    if (slot >> 32 == tag >> 32) {
      if ((slot & TREE_BUSY) == TREE_BUSY) {
        word_pause(times++);
        continue;
      }
      *number = (uint32_t)slot - 1;
      if (slot_load(table->contents, *number, 64) == content)
        return true;
    }
    at = (at + 1) & table->slot_mask;
  }
}

KERNEL_FN uint64_t tree_content(const struct tree_table *table, uint32_t number) {
  return slot_load(table->contents, number, 64);
}

/* Computes a state and the numbers of all its nodes from its root. */
KERNEL_FN void tree_numbers_of(const struct tree_table *tables, uint32_t words, uint64_t root, uint32_t *numbers,
                               uint64_t *state) {
  uint32_t node = tree_tables(words);
  numbers[node - 2] = (uint32_t)root;
  numbers[node - 1] = (uint32_t)(root >> 32);
  while (node-- > words) {
    const uint64_t pair = tree_content(&tables[node], numbers[node]);
    numbers[tree_left(words, node)] = (uint32_t)pair;
    numbers[tree_left(words, node) + 1] = (uint32_t)(pair >> 32);
  }
  for (uint32_t w = 0; w < words; w++)
    state[w] = tree_content(&tables[w], numbers[w]);
}

/* A key for a root, of more than `low_bits` bits: its numbers side by side; the low one has `low_bits` bits. */
KERNEL_FN uint64_t tree_key(uint64_t root, uint32_t low_bits) { return (root & UINT32_MAX) | (root >> 32) << low_bits; }
KERNEL_FN uint64_t tree_root(uint64_t key, uint32_t low_bits) {
  return (key & ((UINT64_C(1) << low_bits) - 1)) | key >> low_bits << 32;
}

#endif
