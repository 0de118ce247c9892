/* Linear probing: every operation, for one key. Slots hold whole keys, so the table is not compact.

   A key's slots have a probe order: `probes` consecutive slots from its home on, modulo the capacity. A slot's owner
   is the key that it was given to. The invariant is the order property: a slot is given to a key only after every
   earlier slot of the key's order was read as full with another owner. A slot never changes its owner and never
   becomes empty again, so

   - a key has at most one slot. Two threads that put it pass the same full slots and reach the same first slot that
     is not full; the compare-and-swap there decides between them.
   - a key that is not found before the first empty slot is in no slot at the time of that read.
   - FULL (all slots of the order have other owners) stays the key's answer as long as the table exists.

   Content of a slot, in memory that is zero when the table is empty. A key k is stored as k + 1:

       set      32 or 64 bits: k + 1. Deleted: all bits 1, which is no key's encoding if keys are narrower than slots.
                The slot then has no owner, but is not empty; a key that is put again takes a later slot.
       map 32   one word of 64 bits, k + 1 in the low half and the value in the high half. Both change together.
                Deleted: 0 in the low half and k + 1 in the high half. So every value of 32 bits is possible, and 0
                stays "never used".
       map 64   two words: k + 1, which stays forever; and the value plus one, where 0 is "no value" (not yet, or
                deleted). The value 2^64 - 1 is reserved: an operation that would store it answers RESERVED and
                changes nothing.

   The one key for which k + 1 does not fit, 2^32 - 1 or 2^64 - 1, has a slot of its own behind the others, as if it
   were key 0. In a map deleted keys keep their slots and are revived there.

   Relaxed order everywhere: a key's answer depends on words that each have one modification order, and a search
   passes them in one direction only, never back to one that was empty. No other memory is published through them. So
   operations on the same key are linearizable, in any mix; the table does not order operations on different keys.

   After the published table (papers: a simple GPU hash table). Departures: any capacity; a value of 32 bits is
   written together with its key, so that no lookup finds a key without its value; the search is bounded. */
#ifndef FLOE_TABLES_KERNEL_LINEAR_H
#define FLOE_TABLES_KERNEL_LINEAR_H

#include "tables/kernel/permutation.h"
#include "tables/kernel/shim.h"

/* As enum table_answer and enum table_reduction (tables/table.h), for code that includes no other headers. */
enum linear_answer { LINEAR_FOUND, LINEAR_PUT, LINEAR_FULL, LINEAR_RESERVED };
enum linear_reduction { LINEAR_REPLACE, LINEAR_SUM, LINEAR_MIN, LINEAR_MAX, LINEAR_USER };
/* Operation on a key. ADD combines with a present value; PUT leaves it unchanged. */
enum linear_work { LINEAR_DO_FIND, LINEAR_DO_PUT, LINEAR_DO_DELETE, LINEAR_DO_GET, LINEAR_DO_ADD };

/* The number of slots is a multiple of this, so that aligned windows of up to this size do not cross the end. */
enum { LINEAR_WINDOW = 8 };
/* Longest probe order. It is far more than any useful fill needs (a table of 2^27 slots filled to 0.97 passes some
   thousands), and bounds the time of the answer FULL. */
enum { LINEAR_PROBES = 1 << 16 };

/* Compile-time constants of the caller, so that the compiler specialises the code. */
struct linear_form {
  unsigned slot_bits, value_bits; /* value_bits: 0 (set), else equal to slot_bits */
  unsigned reduction;             /* of ADD */
};

/* The table as kernels get it, passed by value. The host owns the memory. */
struct linear {
  void *slots;       /* `capacity` slots, and one more if slots are as wide as keys */
  uint64_t capacity; /* a multiple of LINEAR_WINDOW */
  uint64_t probes;   /* LINEAR_PROBES, or the capacity if that is less */
  struct permutation permutation;
  const void *user; /* for LINEAR_USER_REDUCE */
};

/* Calls the user's reduction through a pointer, on the host only. */
#ifndef LINEAR_USER_REDUCE
#ifdef KERNEL_MACHINE
#define LINEAR_USER_REDUCE(user, present, added) (added)
#else
uint64_t linear_user_reduce(const void *user, uint64_t present, uint64_t added);
#define LINEAR_USER_REDUCE linear_user_reduce
#endif
#endif

/* ---- probe order ------------------------------------------------------------------------------------ */

/* State of a search: next slot, the key's encoding, and the number of slots left in its order. */
struct linear_search {
  uint64_t at, wanted, left;
};

/* Home slot, in proportion to a hash, so that keys have nearly the same order in a table of another capacity. The
   factor moves all bits of the permuted key to the top, because a permutation may leave them in place. */
KERNEL_FN uint64_t linear_home(const struct linear *table, uint64_t permuted) {
  return multiply_high(permuted * UINT64_C(0x9e3779b97f4a7c15), table->capacity);
}

KERNEL_FN struct linear_search linear_begin(const struct linear *table, uint64_t key, uint64_t permuted,
                                            unsigned slot_bits) {
  struct linear_search search;
  search.wanted = (key + 1) & UINT64_MAX >> (64 - slot_bits);
  search.at = linear_home(table, permuted);
  search.left = table->probes;
  if (search.wanted == 0) {
    search.at = table->capacity;
    search.wanted = search.left = 1;
  }
  return search;
}

KERNEL_FN uint64_t linear_next(const struct linear *table, uint64_t at) {
  return at + 1 < table->capacity ? at + 1 : 0;
}

/* ---- sets ---------------------------------------------------------------------------------------- */

KERNEL_FN uint64_t linear_deleted(unsigned bits) { return UINT64_MAX >> (64 - bits); }

#ifdef LINEAR_WINDOWS
/* As the version below, but window by window, with a scan that reads all slots of a window (not the portable scan):
   a quarter to a third more keys a second. A match anywhere in the window is valid, as a key is in one slot only. */
KERNEL_FN unsigned linear_set_put(const struct linear *table, struct linear_search search, unsigned bits, bool put) {
  while (search.left) {
    const unsigned offset = (unsigned)(search.at % LINEAR_WINDOW), rest = LINEAR_WINDOW - offset;
    const unsigned usable = search.left < rest ? (unsigned)search.left : rest;
    const uint64_t first = search.at - offset;
    const struct scan scan =
        scan_bucket((const char *)table->slots + first * (bits / 8), LINEAR_WINDOW, bits, search.wanted);
    if (scan.match)
      return LINEAR_FOUND;
    uint32_t empty = scan.empty & ((UINT32_C(1) << usable) - 1) << offset;
    if (empty && !put)
      return LINEAR_FULL;
    for (; empty; empty &= empty - 1) {
      const uint64_t seen = slot_claim(table->slots, first + lowest_bit(empty), bits, search.wanted);
      if (seen == 0)
        return LINEAR_PUT;
      if (seen == search.wanted)
        return LINEAR_FOUND;
    }
    search.left -= usable;
    search.at = first + LINEAR_WINDOW < table->capacity ? first + LINEAR_WINDOW : 0;
  }
  return LINEAR_FULL;
}
#else
/* FOUND; PUT; FULL: no place. Without `put`, FULL: absent. */
KERNEL_FN unsigned linear_set_put(const struct linear *table, struct linear_search search, unsigned bits, bool put) {
  for (; search.left; search.left--) {
    uint64_t seen = slot_load(table->slots, search.at, bits);
    if (seen == 0) {
      if (!put)
        return LINEAR_FULL;
      seen = slot_claim(table->slots, search.at, bits, search.wanted);
      if (seen == 0)
        return LINEAR_PUT;
    }
    if (seen == search.wanted)
      return LINEAR_FOUND;
    search.at = linear_next(table, search.at);
  }
  return LINEAR_FULL;
}

#endif

/* If another thread deletes the key first, and perhaps puts it again, the search continues in later slots. */
KERNEL_FN unsigned linear_set_delete(const struct linear *table, struct linear_search search, unsigned bits) {
  for (; search.left; search.left--) {
    const uint64_t seen = slot_load(table->slots, search.at, bits);
    if (seen == 0)
      return LINEAR_FULL;
    if (seen == search.wanted && slot_swap(table->slots, search.at, bits, seen, linear_deleted(bits)) == seen)
      return LINEAR_FOUND;
    search.at = linear_next(table, search.at);
  }
  return LINEAR_FULL;
}

/* ---- maps: words ----------------------------------------------------------------------------------- */

/* Index of the first or only word of slot i. */
KERNEL_FN uint64_t linear_word(uint64_t i, unsigned bits) { return bits == 64 ? 2 * i : i; }

/* Encoding of the key that owns the slot, from the slot's first word; 0: no owner. */
KERNEL_FN uint64_t linear_owner(uint64_t word, unsigned bits) {
  if (bits == 64)
    return word;
  return (uint32_t)word ? (uint32_t)word : word >> 32;
}

/* These take the word that holds the value. */
KERNEL_FN bool linear_has_value(uint64_t word, unsigned bits) { return bits == 64 ? word != 0 : (uint32_t)word != 0; }
KERNEL_FN uint64_t linear_value(uint64_t word, unsigned bits) { return bits == 64 ? word - 1 : word >> 32; }
KERNEL_FN uint64_t linear_with_value(uint64_t wanted, uint64_t value, unsigned bits) {
  return bits == 64 ? value + 1 : wanted | value << 32;
}
KERNEL_FN bool linear_is_reserved(uint64_t value, unsigned bits) { return bits == 64 && value == UINT64_MAX; }
KERNEL_FN uint64_t linear_without_value(uint64_t wanted, unsigned bits) { return bits == 64 ? 0 : wanted << 32; }

KERNEL_FN uint64_t linear_reduce(const struct linear *table, unsigned reduction, uint64_t present, uint64_t added) {
  switch (reduction) {
  case LINEAR_SUM:
    return present + added;
  case LINEAR_MIN:
    return added < present ? added : present;
  case LINEAR_MAX:
    return added > present ? added : present;
  case LINEAR_USER:
    return LINEAR_USER_REDUCE(table->user, present, added);
  default:
    return added;
  }
}

/* ---- maps: operations ------------------------------------------------------------------------------ */

enum linear_place { LINEAR_HAS, LINEAR_CLAIMED, LINEAR_NONE, LINEAR_NO_ROOM };

/* Result of a search for the key's slot. */
struct linear_entry {
  unsigned place;
  uint64_t word; /* index of the slot's first word */
  uint64_t seen; /* HAS: content of that word */
};

/* Searches the key's slot, and claims an empty one with `claim` as first word unless that is 0. CLAIMED: the key got
   a slot. NONE: it has no slot (claim is 0). NO_ROOM: it can never get one. */
KERNEL_FN struct linear_entry linear_seek(const struct linear *table, struct linear_search search, unsigned bits,
                                          uint64_t claim) {
  struct linear_entry entry;
  entry.seen = 0;
  for (; search.left; search.left--) {
    entry.word = linear_word(search.at, bits);
    entry.seen = slot_load(table->slots, entry.word, 64);
    if (entry.seen == 0 && claim)
      entry.seen = slot_claim(table->slots, entry.word, 64, claim);
    if (entry.seen == 0) {
      entry.place = claim ? LINEAR_CLAIMED : LINEAR_NONE;
      return entry;
    }
    if (linear_owner(entry.seen, bits) == search.wanted) {
      entry.place = LINEAR_HAS;
      return entry;
    }
    search.at = linear_next(table, search.at);
  }
  entry.word = 0;
  entry.place = LINEAR_NO_ROOM;
  return entry;
}

/* The word that holds the value, of a slot that the key owns. */
KERNEL_FN uint64_t linear_value_seen(const struct linear *table, struct linear_entry entry, unsigned bits) {
  return bits == 64 ? slot_load(table->slots, entry.word + 1, 64) : entry.seen;
}

KERNEL_FN uint64_t linear_value_swap(const struct linear *table, struct linear_entry entry, unsigned bits,
                                     uint64_t expected, uint64_t word) {
  return slot_swap(table->slots, entry.word + (bits == 64), 64, expected, word);
}

/* Called after the swap of a value failed; *seen is the present word. True: another thread combines this addition
   with its own; the answer is FOUND. False: try again with the current *value and *seen. Another machine may define
   this itself. */
#ifndef LINEAR_LOST
#define LINEAR_LOST(table, search, entry, value, seen) false
#endif

/* Linearization point: the swap, or the last load of the word if nothing changes. If a replacing value is itself
   replaced before its swap: just before the other swap. RESERVED: *addition is the value that was not
   added, with those of other threads that joined it (LINEAR_LOST). */
KERNEL_FN unsigned linear_map_put(const struct linear *table, struct linear_search search, uint64_t *addition,
                                  struct linear_form f, bool combine) {
  const unsigned bits = f.value_bits;
  uint64_t value = *addition;
  if (bits == 32)
    value &= UINT32_MAX;
  const struct linear_entry entry =
      linear_seek(table, search, bits, bits == 64 ? search.wanted : linear_with_value(search.wanted, value, bits));
  if (entry.place == LINEAR_NO_ROOM)
    return LINEAR_FULL;
  if (entry.place == LINEAR_CLAIMED && bits != 64)
    return LINEAR_PUT;
  uint64_t seen = entry.place == LINEAR_CLAIMED ? 0 : linear_value_seen(table, entry, bits);
  for (;;) {
    const bool present = linear_has_value(seen, bits);
    if (present && !combine)
      return LINEAR_FOUND;
    uint64_t wanted = value;
    if (present)
      wanted = linear_reduce(table, f.reduction, linear_value(seen, bits), value);
    if (bits == 32)
      wanted &= UINT32_MAX;
    if (linear_is_reserved(wanted, bits)) {
      *addition = value;
      return LINEAR_RESERVED;
    }
    const uint64_t word = linear_with_value(search.wanted, wanted, bits);
    const uint64_t before = word == seen ? seen : linear_value_swap(table, entry, bits, seen, word);
    if (before == seen)
      return present ? LINEAR_FOUND : LINEAR_PUT;
    if (present && f.reduction == LINEAR_REPLACE)
      return LINEAR_FOUND;
    seen = before;
    if (present && LINEAR_LOST(table, &search, &entry, &value, &seen))
      return LINEAR_FOUND;
  }
}

KERNEL_FN unsigned linear_map_delete(const struct linear *table, struct linear_search search, unsigned bits) {
  const struct linear_entry entry = linear_seek(table, search, bits, 0);
  if (entry.place != LINEAR_HAS)
    return LINEAR_FULL;
  uint64_t seen = linear_value_seen(table, entry, bits);
  while (linear_has_value(seen, bits)) {
    const uint64_t before = linear_value_swap(table, entry, bits, seen, linear_without_value(search.wanted, bits));
    if (before == seen)
      return LINEAR_FOUND;
    seen = before;
  }
  return LINEAR_FULL;
}

KERNEL_FN unsigned linear_map_get(const struct linear *table, struct linear_search search, uint64_t *value,
                                  unsigned bits) {
  const struct linear_entry entry = linear_seek(table, search, bits, 0);
  if (entry.place != LINEAR_HAS)
    return LINEAR_FULL;
  const uint64_t seen = linear_value_seen(table, entry, bits);
  if (!linear_has_value(seen, bits))
    return LINEAR_FULL;
  *value = linear_value(seen, bits);
  return LINEAR_FOUND;
}

/* ---- dispatch --------------------------------------------------------------------------------------- */

/* One key: as table_run answers. *value: read by PUT and ADD of a map, written by GET and with RESERVED. */
KERNEL_FN unsigned linear_answer(const struct linear *table, struct linear_search search, uint64_t *value,
                                 struct linear_form f, unsigned work) {
  uint64_t unwanted;
  if (f.value_bits == 0)
    return work == LINEAR_DO_DELETE ? linear_set_delete(table, search, f.slot_bits)
                                    : linear_set_put(table, search, f.slot_bits, work == LINEAR_DO_PUT);
  switch (work) {
  case LINEAR_DO_PUT:
    return linear_map_put(table, search, value, f, false);
  case LINEAR_DO_ADD:
    return linear_map_put(table, search, value, f, true);
  case LINEAR_DO_DELETE:
    return linear_map_delete(table, search, f.value_bits);
  case LINEAR_DO_GET:
    return linear_map_get(table, search, value, f.value_bits);
  default:
    return linear_map_get(table, search, &unwanted, f.value_bits);
  }
}

#endif
