/* Searches in linear tables, one thread per key. Slots are read by sectors of 32 bytes, the smallest memory
   transaction, with two loads in flight together. The key's slot or the first empty slot ends the search; the code
   for single keys continues there. Loads at GPU scope come from the second-level cache, which still holds slots that
   were read before.

   Defined before: FLOE_KEY_BITS, FLOE_PERMUTATION, FLOE_SLOT_BITS, FLOE_VALUE_BITS (none: 0). */
#ifndef FLOE_GPU_LINEAR_SEARCH_H
#define FLOE_GPU_LINEAR_SEARCH_H

#include "gpu/kernel/visited/permute.h"
#ifdef FLOE_REDUCE /* the user's reduction, as an expression */
#define LINEAR_USER_REDUCE(user, present, added) ((uint64_t)(FLOE_REDUCE(present, added)))
#endif
#include "tables/kernel/linear.h"

#ifndef FLOE_VALUE_BITS
#define FLOE_VALUE_BITS 0
#endif

enum {
  LINEAR_SLOT_BYTES = (FLOE_SLOT_BITS + FLOE_VALUE_BITS) / 8,
  LINEAR_SECTOR = 32,
  LINEAR_AT_ONCE = LINEAR_SECTOR / LINEAR_SLOT_BYTES, /* slots; divides LINEAR_WINDOW */
  LINEAR_WORD = LINEAR_SLOT_BYTES == 4 ? 4 : 8        /* bytes that are read atomically */
};

KERNEL_FN struct linear_search lane_search(const struct linear *table, uint64_t key) {
  return linear_begin(table, key, table_permute(&table->permutation, key), FLOE_SLOT_BITS);
}

/* ---- a sector at once ---------------------------------------------------------------------------- */

/* The first or only word of slot i of the sector. */
KERNEL_FN uint64_t sector_word(const struct piece pieces[2], unsigned i) {
  const unsigned at = i * LINEAR_SLOT_BYTES / 4; /* of the 8 words of 32 bits */
  const uint64_t low = pieces[at / 4].word[at % 4];
  return LINEAR_WORD == 4 ? low : low | (uint64_t)pieces[at / 4].word[at % 4 + 1] << 32;
}

/* Bit i for slot i. A slot in neither mask was seen full with another owner. */
struct sector {
  uint32_t match, empty;
};

KERNEL_FN struct sector sector_look(const struct linear *table, uint64_t first, uint64_t wanted) {
  const unsigned char *slots = (const unsigned char *)table->slots + first * LINEAR_SLOT_BYTES;
  const struct piece pieces[2] = {gpu_load_piece(slots, 16, LINEAR_WORD), gpu_load_piece(slots + 16, 16, LINEAR_WORD)};
  struct sector sector = {0, 0};
  GPU_UNROLL
  for (unsigned i = 0; i < LINEAR_AT_ONCE; i++) {
    const uint64_t word = sector_word(pieces, i);
    const uint64_t owner = FLOE_VALUE_BITS == 32 ? linear_owner(word, 32) : word;
    sector.match |= (uint32_t)(owner == wanted) << i;
    sector.empty |= (uint32_t)(word == 0) << i;
  }
  return sector;
}

/* Skips slots that were seen full with other owners. True: the search is at the key's slot. Otherwise it is at a slot
   that was seen empty, or no slots are left. */
KERNEL_FN bool linear_skip(const struct linear *table, struct linear_search *search) {
  GPU_ROLLED
  while (search->left) {
    const unsigned offset = (unsigned)search->at % LINEAR_AT_ONCE;
    const unsigned rest = LINEAR_AT_ONCE - offset;
    const unsigned usable = search->left < rest ? (unsigned)search->left : rest;
    const uint64_t first = search->at - offset;
    const struct sector sector = sector_look(table, first, search->wanted);
    const uint32_t mask = ((UINT32_C(1) << usable) - 1) << offset;
    const uint32_t match = sector.match & mask, empty = sector.empty & mask;
    if (match | empty) {
      const unsigned slot = lowest_bit(match ? match : empty);
      search->at = first + slot;
      search->left -= slot - offset;
      return match != 0;
    }
    search->left -= usable;
    search->at = first + LINEAR_AT_ONCE < table->capacity ? first + LINEAR_AT_ONCE : 0;
  }
  return false;
}

/* ---- sets ---------------------------------------------------------------------------------------- */

/* Claims a set's slot that was seen empty, without reading it again. */
KERNEL_FN unsigned linear_set_finish(const struct linear *table, struct linear_search search, bool match,
                                     unsigned work) {
  if (match)
    return LINEAR_FOUND;
  if (work != LINEAR_DO_PUT || search.left == 0)
    return LINEAR_FULL;
  const uint64_t seen = slot_claim(table->slots, search.at, FLOE_SLOT_BITS, search.wanted);
  if (seen == 0)
    return LINEAR_PUT;
  if (seen == search.wanted)
    return LINEAR_FOUND;
  search.at = linear_next(table, search.at);
  search.left--;
  return linear_set_put(table, search, FLOE_SLOT_BITS, true);
}

#endif
