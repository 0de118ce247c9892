/* Robin Hood hashing: one key, without locks. A map whose keys are at or after their home slot. A pair that is
   farther from home takes the slot of one that is nearer ("richer"). The thread then continues with the displaced
   pair, which is "in hand". doc/robin-hood.md has the proof that no key is lost or stored twice. It rests on:

   - A slot is written only by a compare-and-swap of the whole pair, in one of three ways: an empty slot gets a pair;
     a pair is replaced by one whose distance there is strictly greater; a key's value changes. So the distance at a
     slot never decreases, no slot is emptied, and a key that left a slot never returns to it.
   - A pair in hand is carried past a slot only if the slot was read as holding another key with at least its
     distance, or if such a key was put there in its place. Its key is not in that slot and cannot enter it later:
     the slot is closed to it. So all slots from home up to the position of a pair, in a slot or in a hand, are
     closed to its key.
   - A pair in hand that meets its key is combined with it. (While a pair is in hand, another thread may add its key
     again, farther from home.)

   Each write is right for the content that the slot holds at that time, whatever was there before, and a closed slot
   stays closed. So recurring pairs (ABA) and values read late do no harm, and relaxed order suffices. */
#ifndef FLOE_TABLES_KERNEL_ROBIN_HOOD_H
#define FLOE_TABLES_KERNEL_ROBIN_HOOD_H

#include "tables/kernel/pair.h"
#include "tables/kernel/permutation.h"
#include "tables/kernel/quotient.h"

/* As enum table_reduction. */
enum robin_hood_reduction { ROBIN_HOOD_REPLACE, ROBIN_HOOD_SUM, ROBIN_HOOD_MIN, ROBIN_HOOD_MAX, ROBIN_HOOD_USER };

/* The first three are as enum table_answer. */
enum robin_hood_answer {
  ROBIN_HOOD_FOUND,
  ROBIN_HOOD_PUT,
  ROBIN_HOOD_FULL,
  ROBIN_HOOD_ON,  /* no answer yet: continue with the next slot */
  ROBIN_HOOD_LOST /* another thread's write came first */
};

/* The table as kernels get it, passed by value. A slot's key is the permuted key plus one; home is the permuted key
   modulo the number of slots. The one permuted key for which that sum is 0 in a key's bits has a slot of its own
   after the others, where its key is 1. */
struct robin_hood {
  void *pairs;
  struct quotient homes; /* divisor: slots, without the extra one */
  uint64_t probes;       /* length of a key's probe order, from its home on; at most all slots */
  struct permutation permutation;
  uint64_t (*reduce)(void *data, uint64_t present, uint64_t added); /* ROBIN_HOOD_USER; on the host */
  void *reduce_data;
};

/* A pair in hand: the given pair, or one that was displaced. */
struct robin_hood_hand {
  struct pair pair;
  uint64_t at;       /* next slot */
  uint64_t distance; /* from the key's home to `at` */
  bool displaced;    /* it was in a slot before */
};

/* Another machine may define these itself. */
#ifndef ROBIN_HOOD_PERMUTE
#define ROBIN_HOOD_PERMUTE(table, key) permutation_apply(&(table)->permutation, key)
#define ROBIN_HOOD_UNPERMUTE(table, permuted) permutation_invert(&(table)->permutation, permuted)
#endif
#ifndef ROBIN_HOOD_USER_REDUCE
#define ROBIN_HOOD_USER_REDUCE(table, present, added) (table)->reduce((table)->reduce_data, present, added)
#endif
/* Whether a pair at distance `theirs` is displaced by one at distance `mine`. A test of the rule replaces this
   macro. */
#ifndef ROBIN_HOOD_GIVES_WAY
#define ROBIN_HOOD_GIVES_WAY(theirs, mine) ((theirs) < (mine))
#endif

KERNEL_FN uint64_t robin_hood_mask(unsigned bits) { return UINT64_MAX >> (64 - bits); }

/* The permuted key of an ordinary slot's key, and its home. */
KERNEL_FN uint64_t robin_hood_permuted(uint64_t stored) { return stored - 1; }

KERNEL_FN uint64_t robin_hood_home(const struct robin_hood *table, uint64_t stored) {
  return quotient_split(table->homes, robin_hood_permuted(stored)).address;
}

KERNEL_FN uint64_t robin_hood_distance(const struct robin_hood *table, uint64_t stored, uint64_t at) {
  const uint64_t home = robin_hood_home(table, stored);
  return at >= home ? at - home : at + table->homes.divisor - home;
}

KERNEL_FN struct robin_hood_hand robin_hood_start(const struct robin_hood *table, unsigned bits, uint64_t key,
                                                  uint64_t value) {
  struct robin_hood_hand hand;
  hand.pair.key = (ROBIN_HOOD_PERMUTE(table, key) + 1) & robin_hood_mask(bits);
  hand.pair.value = value & robin_hood_mask(bits);
  hand.distance = 0;
  hand.displaced = false;
  if (hand.pair.key == 0) {
    hand.pair.key = 1;
    hand.at = table->homes.divisor; /* never left: this slot is empty or holds this key */
  } else {
    hand.at = robin_hood_home(table, hand.pair.key);
  }
  return hand;
}

KERNEL_FN void robin_hood_go_on(const struct robin_hood *table, struct robin_hood_hand *hand) {
  hand->at = hand->at + 1 < table->homes.divisor ? hand->at + 1 : 0;
  hand->distance++;
}

KERNEL_FN uint64_t robin_hood_reduce(const struct robin_hood *table, unsigned reduction, uint64_t present,
                                     uint64_t added) {
  switch (reduction) {
  case ROBIN_HOOD_REPLACE:
    return added;
  case ROBIN_HOOD_SUM:
    return present + added;
  case ROBIN_HOOD_MIN:
    return present < added ? present : added;
  case ROBIN_HOOD_MAX:
    return present > added ? present : added;
  default:
    return ROBIN_HOOD_USER_REDUCE(table, present, added);
  }
}

/* Combines the pair in hand with the one read for the same key. A displaced value is older than the one in the slot:
   that one was put there after the displaced pair had left its slot. */
KERNEL_FN struct pair robin_hood_combine(const struct robin_hood *table, const struct robin_hood_hand *hand,
                                         struct pair seen, unsigned bits, unsigned reduction) {
  const uint64_t older = hand->displaced ? hand->pair.value : seen.value;
  const uint64_t newer = hand->displaced ? seen.value : hand->pair.value;
  seen.value = robin_hood_reduce(table, reduction, older, newer) & robin_hood_mask(bits);
  return seen;
}

/* Adds the pair in hand to its current slot, which was read as *seen, or carries it past that slot. FOUND: combined
   with the present pair. PUT: written to an empty slot. ON: the hand, maybe with another pair, is at the next slot.
   LOST: nothing was written; *seen is the present content. */
KERNEL_FN unsigned robin_hood_add_seen(const struct robin_hood *table, struct robin_hood_hand *hand, unsigned bits,
                                       unsigned reduction, struct pair *seen) {
  const bool empty = seen->key == 0, same = seen->key == hand->pair.key;
  struct pair wanted = hand->pair;
  uint64_t distance = 0;
  if (same) {
    wanted = robin_hood_combine(table, hand, *seen, bits, reduction);
    if (wanted.value == seen->value)
      return ROBIN_HOOD_FOUND;
  } else if (!empty) {
    distance = robin_hood_distance(table, seen->key, hand->at);
    if (!ROBIN_HOOD_GIVES_WAY(distance, hand->distance)) {
      robin_hood_go_on(table, hand);
      return ROBIN_HOOD_ON;
    }
  }
  const struct pair before = pair_swap(table->pairs, hand->at, bits, *seen, wanted);
  if (!pair_same(before, *seen)) {
    *seen = before; /* the key stayed in the slot: another thread's value came first, as if after this one */
    return same && before.key == hand->pair.key && reduction == ROBIN_HOOD_REPLACE ? ROBIN_HOOD_FOUND : ROBIN_HOOD_LOST;
  }
  if (empty || same)
    return empty ? ROBIN_HOOD_PUT : ROBIN_HOOD_FOUND;
  hand->pair = *seen;
  hand->distance = distance;
  hand->displaced = true;
  robin_hood_go_on(table, hand);
  return ROBIN_HOOD_ON;
}

/* As robin_hood_add_seen, repeated until no other write comes first. FULL: the pair in hand has passed all its
   slots; its key is in none. */
KERNEL_FN unsigned robin_hood_add_here(const struct robin_hood *table, struct robin_hood_hand *hand, unsigned bits,
                                       unsigned reduction) {
  if (hand->distance == table->probes)
    return ROBIN_HOOD_FULL;
  struct pair seen = pair_load(table->pairs, hand->at, bits);
  unsigned answer;
  do
    answer = robin_hood_add_seen(table, hand, bits, reduction, &seen);
  while (answer == ROBIN_HOOD_LOST);
  return answer;
}

KERNEL_FN unsigned robin_hood_add(const struct robin_hood *table, struct robin_hood_hand *hand, unsigned bits,
                                  unsigned reduction) {
  unsigned answer;
  do
    answer = robin_hood_add_here(table, hand, bits, reduction);
  while (answer == ROBIN_HOOD_ON);
  return answer;
}

/* The key of a hand that ended with FULL (never the key with the extra slot). */
KERNEL_FN uint64_t robin_hood_key(const struct robin_hood *table, const struct robin_hood_hand *hand) {
  return ROBIN_HOOD_UNPERMUTE(table, robin_hood_permuted(hand->pair.key));
}

/* Looks for the key in hand at its current slot: FOUND, with its value; FULL: absent; ON: next slot. All slots
   before a present key are closed to it: none is empty or holds a richer pair. */
KERNEL_FN unsigned robin_hood_find_here(const struct robin_hood *table, struct robin_hood_hand *hand, unsigned bits) {
  if (hand->distance == table->probes)
    return ROBIN_HOOD_FULL;
  const struct pair seen = pair_load(table->pairs, hand->at, bits);
  if (seen.key == hand->pair.key) {
    hand->pair.value = seen.value;
    return ROBIN_HOOD_FOUND;
  }
  if (seen.key == 0 || robin_hood_distance(table, seen.key, hand->at) < hand->distance)
    return ROBIN_HOOD_FULL;
  robin_hood_go_on(table, hand);
  return ROBIN_HOOD_ON;
}

KERNEL_FN unsigned robin_hood_find(const struct robin_hood *table, struct robin_hood_hand *hand, unsigned bits) {
  unsigned answer;
  do
    answer = robin_hood_find_here(table, hand, bits);
  while (answer == ROBIN_HOOD_ON);
  return answer;
}

#endif
