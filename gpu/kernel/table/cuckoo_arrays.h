/* The cuckoo table's operations on arrays of keys, as table_run (src/tables/table.h) on the host:
     floe_table_find, floe_table_put, and with slots of 128 bits floe_table_get
   and find-or-put of sorted keys (gpu/table/sort.h), in two kernels in sequence:
     floe_table_find_unique  answers[i]: FOUND if keys[i] is in the table or equals keys[i - 1]; else FULL
     floe_table_put_absent   puts the keys whose answer is FULL: PUT, or FULL and the key without a slot
   All have the same parameters, blocks of GPU_BLOCK threads and any grid. The table has at most 2^32 - 1 buckets.

   Every lane of a warp holds one key, with the number of the permutation whose bucket is next. The buckets of all
   lanes are read together: groups of as many lanes as a bucket has pieces of 16 bytes, each lane one piece of the
   buckets of all keys of its group. Thus every load is wide and up to 4 are in flight before the first compare. Then
   each lane claims or exchanges a slot for its own key, 32 at once. A lane that has finished its key takes the next
   key of the warp's range; others continue in the next round, with the next bucket or with the key that they evicted.
   So all lanes are busy in all rounds, however long some chains become.

   Defined before: FLOE_KEY_BITS, FLOE_PERMUTATION, FLOE_SLOT_BITS, FLOE_BUCKET_SLOTS, FLOE_HASHES. */
#ifndef FLOE_GPU_CUCKOO_ARRAYS_H
#define FLOE_GPU_CUCKOO_ARRAYS_H

#include "gpu/kernel/base/control.h"
#include "gpu/kernel/visited/permute.h"

#if FLOE_SLOT_BITS == 128 && !defined(KERNEL_HAS_SLOT128)
#error slots of 128 bits need a GPU of compute capability 9.0 or later
#endif

/* Lanes need different permutations: the loop tries one after the other, so that each has a constant index. */
KERNEL_FN uint64_t cuckoo_apply(const struct permutation *permutations, unsigned hash, uint64_t key) {
  uint64_t permuted = 0;
  GPU_UNROLL
  for (unsigned i = 0; i < FLOE_HASHES; i++)
    if (hash == i)
      permuted = table_permute(&permutations[i], key);
  return permuted;
}

KERNEL_FN uint64_t cuckoo_invert(const struct permutation *permutations, unsigned hash, uint64_t permuted) {
  uint64_t key = 0;
  GPU_UNROLL
  for (unsigned i = 0; i < FLOE_HASHES; i++)
    if (hash == i)
      key = table_unpermute(&permutations[i], permuted);
  return key;
}

#define CUCKOO_APPLY cuckoo_apply
#define CUCKOO_INVERT cuckoo_invert
#include "tables/kernel/cuckoo.h"

enum {
  CUCKOO_PIECE_BYTES = 16,
  CUCKOO_AT_ONCE = 4,                                                         /* loads in flight */
  CUCKOO_GROUP = FLOE_BUCKET_SLOTS * FLOE_SLOT_BITS / 8 / CUCKOO_PIECE_BYTES, /* lanes that read a bucket */
  CUCKOO_ROUND = CUCKOO_GROUP < CUCKOO_AT_ONCE ? CUCKOO_GROUP : CUCKOO_AT_ONCE,
  CUCKOO_PIECE_SLOTS = CUCKOO_PIECE_BYTES * 8 / FLOE_SLOT_BITS
};

/* Operation on the keys of an array; constant in each kernel. */
enum cuckoo_work { CUCKOO_FIND, CUCKOO_GET, CUCKOO_FIND_UNIQUE, CUCKOO_PUT_NEW, CUCKOO_PUT_ABSENT };

KERNEL_FN bool work_puts(enum cuckoo_work work) { return work == CUCKOO_PUT_NEW || work == CUCKOO_PUT_ABSENT; }

KERNEL_FN struct cuckoo_geometry array_geometry(void) {
  const struct cuckoo_geometry g = {FLOE_SLOT_BITS, FLOE_BUCKET_SLOTS, FLOE_HASHES};
  return g;
}

/* ---- reading buckets ----------------------------------------------------------------------------- */

/* Bit i: slot i of the piece holds the entry. */
KERNEL_FN uint32_t piece_entries(struct piece piece, uint64_t entry) {
  const uint32_t low = (uint32_t)entry, high = (uint32_t)(entry >> 32);
  uint32_t where = 0;
  GPU_UNROLL
  for (unsigned i = 0; i < CUCKOO_PIECE_SLOTS; i++) {
    const unsigned word = i * (FLOE_SLOT_BITS / 32);
    const uint32_t other = FLOE_SLOT_BITS == 32 ? 0 : piece.word[word + 1] ^ high;
    where |= (uint32_t)(((piece.word[word] ^ low) | other) == 0) << i;
  }
  return where;
}

/* What a lane learns about its key's bucket. */
struct look {
  uint32_t match; /* bit i: piece i contains the key's entry */
  uint32_t empty; /* bit i: slot i may be empty; exact in the first piece that has an empty slot */
};

/* Restricts a mask of lanes to the lane's group. */
KERNEL_FN uint32_t of_group(uint32_t lanes, unsigned group) {
  return lanes >> group & UINT32_MAX >> (32 - CUCKOO_GROUP);
}

/* Slots to be claimed, from the lowest on: those that the first piece with an empty slot was seen to have, and all
   slots of later pieces with one. */
KERNEL_FN uint32_t empty_slots(uint32_t members, uint32_t first_slots) {
  uint32_t empty = 0;
  if (members) {
    const unsigned first = lowest_bit(members);
    empty = first_slots << first * CUCKOO_PIECE_SLOTS;
    GPU_ROLLED
    for (members &= members - 1; members; members &= members - 1)
      empty |= ((1u << CUCKOO_PIECE_SLOTS) - 1) << lowest_bit(members) * CUCKOO_PIECE_SLOTS;
  }
  return empty;
}

/* Scans the bucket of every lane of `active`. `put`: looks for empty slots only; else for the entry and for an empty
   slot. */
KERNEL_FN struct look warp_look(const struct cuckoo *table, struct cuckoo_target target, uint32_t active, unsigned lane,
                                bool put) {
  const unsigned bucket_bytes = FLOE_BUCKET_SLOTS * FLOE_SLOT_BITS / 8;
  const unsigned member = lane % CUCKOO_GROUP, group = lane - member;
  struct look look = {0, 0};
  GPU_ROLLED
  for (unsigned first_key = 0; first_key < CUCKOO_GROUP; first_key += CUCKOO_ROUND) {
    struct piece pieces[CUCKOO_ROUND] = {{{0, 0, 0, 0}}};
    uint64_t wanted[CUCKOO_ROUND] = {0};
    uint32_t found = 0, opened = 0, opens = 0;
    GPU_UNROLL
    for (unsigned i = 0; i < CUCKOO_ROUND; i++) {
      const unsigned owner = group + first_key + i;
      const uint32_t bucket = gpu_shuffle((uint32_t)target.bucket, owner);
      if (!put)
        wanted[i] =
            FLOE_SLOT_BITS == 32 ? gpu_shuffle((uint32_t)target.wanted, owner) : gpu_shuffle64(target.wanted, owner);
      if (active >> owner & 1)
        pieces[i] = gpu_load_piece(table->slots + (uint64_t)bucket * bucket_bytes + member * CUCKOO_PIECE_BYTES,
                                   CUCKOO_PIECE_BYTES, FLOE_SLOT_BITS == 32 ? 4 : 8);
    }
    GPU_UNROLL
    for (unsigned i = 0; i < CUCKOO_ROUND; i++) {
      const uint32_t open = piece_entries(pieces[i], 0);
      const uint32_t with_open = gpu_ballot(open != 0);
      const uint32_t with_entry = put ? 0 : gpu_ballot(piece_entries(pieces[i], wanted[i]) != 0);
      opens |= open << 8 * i;
      if (member == first_key + i) {
        found = with_entry;
        opened = with_open;
      }
    }
    const uint32_t members = of_group(opened, group);
    const unsigned place = (member - first_key) % CUCKOO_ROUND;
    uint32_t slots = 0;
    if (put) /* of the first piece with an empty slot */
      slots = gpu_shuffle(opens, group + (members ? lowest_bit(members) : 0)) >> 8 * place & 0xff;
    if (member - first_key < CUCKOO_ROUND) { /* the owner */
      look.match = of_group(found, group);
      look.empty = put ? empty_slots(members, slots) : members;
    }
  }
  return look;
}

/* ---- a round --------------------------------------------------------------------------------------- */

/* The key in a lane's hand; `full`: there is one, from index `number` of the array. */
struct lane_hand {
  struct cuckoo_hand hand;
  uint64_t number;
  bool full;
};

/* For one slot per piece. */
KERNEL_FN uint64_t matched_value(const struct cuckoo *table, struct cuckoo_target target, uint32_t match) {
  return value_load(cuckoo_bucket(table, target.bucket, array_geometry()), lowest_bit(match));
}

KERNEL_FN unsigned look_answer(const struct cuckoo *table, struct cuckoo_hand *hand, struct cuckoo_target target,
                               struct look look, enum cuckoo_work work) {
  if (work_puts(work))
    return cuckoo_flush(table, hand, target, look.empty, array_geometry());
  if (!look.match)
    return cuckoo_missed(hand, look.empty != 0, array_geometry());
  if (work == CUCKOO_GET)
    hand->value = matched_value(table, target, look.match);
  return CUCKOO_FOUND;
}

/* The arrays of a kernel. */
struct arrays {
  uint64_t *keys, *values;
  uint8_t *answers;
};

KERNEL_FN void tell(struct arrays arrays, const struct lane_hand *lane, unsigned answer, enum cuckoo_work work) {
  arrays.answers[lane->number] = (uint8_t)answer;
  if (work_puts(work) && answer == CUCKOO_FULL) {
    arrays.keys[lane->number] = lane->hand.key;
    if (FLOE_SLOT_BITS == 128 && arrays.values)
      arrays.values[lane->number] = lane->hand.value;
  }
  if (work == CUCKOO_GET && answer == CUCKOO_FOUND && arrays.values)
    arrays.values[lane->number] = lane->hand.value;
}

KERNEL_FN void warp_round(const struct cuckoo *table, struct arrays arrays, struct lane_hand *mine, uint32_t active,
                          unsigned lane, enum cuckoo_work work) {
  const struct cuckoo_target target = cuckoo_aim(table, mine->hand.key, mine->hand.hash, array_geometry());
  const struct look look = warp_look(table, target, active, lane, work_puts(work));
  if (mine->full) {
    const unsigned answer = look_answer(table, &mine->hand, target, look, work);
    mine->full = answer == CUCKOO_GO_ON;
    if (!mine->full)
      tell(arrays, mine, answer, work);
  }
  gpu_sync_warp(); /* the lanes diverged: reconverge before the next collective */
}

/* ---- keys of the array ----------------------------------------------------------------------------- */

/* A warp's part of the array; its next keys are loaded while a round is in progress. */
struct stretch {
  uint64_t next, end;
  uint64_t ahead; /* this lane's: key next + lane */
  uint32_t work;  /* lanes whose key ahead needs work */
};

/* Sets the answer of keys that need no work. */
KERNEL_FN bool is_work(struct arrays arrays, uint64_t i, uint64_t key, enum cuckoo_work work) {
  if (work == CUCKOO_PUT_ABSENT)
    return arrays.answers[i] == CUCKOO_FULL;
  if (work != CUCKOO_FIND_UNIQUE || i == 0 || arrays.keys[i - 1] != key)
    return true;
  arrays.answers[i] = CUCKOO_FOUND;
  return false;
}

KERNEL_FN void stretch_look_ahead(struct stretch *stretch, struct arrays arrays, unsigned lane, enum cuckoo_work work) {
  const uint64_t i = stretch->next + lane;
  bool has = false;
  if (i < stretch->end) {
    stretch->ahead = arrays.keys[i];
    has = is_work(arrays, i, stretch->ahead, work);
  }
  stretch->work = gpu_ballot(has);
}

/* Gives keys to the lanes without one, in order; returns the lanes that have a key. A put replaces keys[i] only after
   the key was taken, and all loads ahead are of later keys. */
KERNEL_FN uint32_t stretch_deal(struct stretch *stretch, struct arrays arrays, struct lane_hand *mine, unsigned lane,
                                enum cuckoo_work work) {
  const uint32_t wanting = ~gpu_ballot(mine->full);
  const unsigned rank = count_bits(wanting & ((1u << lane) - 1));
  const uint64_t key = gpu_shuffle64(stretch->ahead, rank);
  if (!mine->full && (stretch->work >> rank & 1)) {
    mine->number = stretch->next + rank;
    mine->hand.key = key;
    mine->hand.value = 0;
    if (FLOE_SLOT_BITS == 128 && work_puts(work) && arrays.values)
      mine->hand.value = arrays.values[mine->number];
    mine->hand.hash = mine->hand.steps = 0;
    mine->full = true;
  }
  stretch->next += count_bits(wanting);
  if (wanting)
    stretch_look_ahead(stretch, arrays, lane, work);
  return gpu_ballot(mine->full);
}

/* Equal parts, of whole cache lines. */
KERNEL_FN struct stretch stretch_of_warp(uint64_t n) {
  const uint64_t warps = (uint64_t)gpu_blocks() * GPU_WARPS;
  const uint64_t warp = (uint64_t)gpu_block() * GPU_WARPS + gpu_thread() / GPU_WARP;
  const uint64_t each = ((n + warps - 1) / warps + GPU_WARP - 1) / GPU_WARP * GPU_WARP;
  struct stretch stretch = {warp * each, (warp + 1) * each, 0, 0};
  stretch.next = stretch.next < n ? stretch.next : n;
  stretch.end = stretch.end < n ? stretch.end : n;
  return stretch;
}

KERNEL_FN void answer_cuckoo(const struct cuckoo *table, struct arrays arrays, uint64_t n, enum cuckoo_work work) {
  const unsigned lane = gpu_thread() % GPU_WARP;
  const unsigned enough = work == CUCKOO_FIND_UNIQUE || work == CUCKOO_PUT_ABSENT ? 24 : 1;
  struct stretch stretch = stretch_of_warp(n);
  struct lane_hand mine = {{0, 0, 0, 0}, 0, false};
  uint32_t active = 0;
  stretch_look_ahead(&stretch, arrays, lane, work);
  GPU_ROLLED
  while (active || stretch.next < stretch.end) {
    active = stretch_deal(&stretch, arrays, &mine, lane, work);
    if (active && (count_bits(active) >= enough || stretch.next >= stretch.end)) {
      warp_round(table, arrays, &mine, active, lane, work);
      active = gpu_ballot(mine.full);
    }
  }
}

/* ---- kernels --------------------------------------------------------------------------------------- */

KERNEL_FN struct arrays arrays_of(uint64_t *keys, uint64_t *values, uint8_t *answers) {
  const struct arrays arrays = {keys, values, answers};
  return arrays;
}

GPU_KERNEL(floe_table_find, GPU_BLOCK, 4)
(GPU_PARAMETER struct cuckoo table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  answer_cuckoo(&table, arrays_of(keys, values, answers), n, CUCKOO_FIND);
}

GPU_KERNEL(floe_table_put, GPU_BLOCK, 4)
(GPU_PARAMETER struct cuckoo table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  answer_cuckoo(&table, arrays_of(keys, values, answers), n, CUCKOO_PUT_NEW);
}

GPU_KERNEL(floe_table_find_unique, GPU_BLOCK, 4)
(GPU_PARAMETER struct cuckoo table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  answer_cuckoo(&table, arrays_of(keys, values, answers), n, CUCKOO_FIND_UNIQUE);
}

GPU_KERNEL(floe_table_put_absent, GPU_BLOCK, 4)
(GPU_PARAMETER struct cuckoo table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  answer_cuckoo(&table, arrays_of(keys, values, answers), n, CUCKOO_PUT_ABSENT);
}

#if FLOE_SLOT_BITS == 128
GPU_KERNEL(floe_table_get, GPU_BLOCK, 4)
(GPU_PARAMETER struct cuckoo table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers) {
  answer_cuckoo(&table, arrays_of(keys, values, answers), n, CUCKOO_GET);
}
#endif

/* ---- what is in a slot ----------------------------------------------------------------------------- */

KERNEL_FN bool slot_content(const struct cuckoo *table, uint64_t i, uint64_t *key, uint64_t *value) {
  const struct cuckoo_geometry g = array_geometry();
  const uint64_t bucket = i / FLOE_BUCKET_SLOTS;
  const void *slots = cuckoo_bucket(table, bucket, g);
  const uint64_t entry = entry_load(slots, i % FLOE_BUCKET_SLOTS, FLOE_SLOT_BITS);
  if (entry == 0)
    return false;
  *key = cuckoo_key(table, bucket, entry, g);
  if (FLOE_SLOT_BITS == CUCKOO_PAIR_BITS)
    *value = value_load(slots, i % FLOE_BUCKET_SLOTS);
  return true;
}

#include "gpu/kernel/table/list_content.h"

#endif
