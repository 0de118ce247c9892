/* find-or-put of 32 keys by a warp, in an iceberg table. Every lane owns one key. Groups of as many lanes as a bucket
   has pieces of 16 bytes read the buckets; each lane reads one piece of the buckets of all keys of its group. Thus
   every load is wide, and up to 4 are in flight before the first compare. Then each owner claims a slot for its key,
   32 owners at once.

   The rules are those of tables/kernel/iceberg.h, whose functions serve single lanes:
     - a slot excluded from the candidates was seen full and different, and the lowest candidate is the first slot
     that
       was not. A count of full slots would not do, because the pieces of a bucket are not read atomically together;
     - a failed compare-and-swap returns the slot's content, which is compared before the next candidate is tried.

   Defined before: FLOE_SLOT_BITS, FLOE_BUCKET_SLOTS, FLOE_SECOND_SLOT_BITS, FLOE_SECOND_BUCKET_SLOTS, FLOE_KEY_BITS,
   FLOE_PERMUTATION. */
#ifndef FLOE_GPU_FIND_OR_PUT_H
#define FLOE_GPU_FIND_OR_PUT_H

#include "gpu/kernel/visited/permute.h"
#include "tables/kernel/iceberg.h"

enum { PIECE_BYTES = 16, LOADS_AT_ONCE = 4 };

KERNEL_FN struct geometry table_geometry(void) {
  const struct geometry g = {FLOE_SLOT_BITS, FLOE_BUCKET_SLOTS, FLOE_SECOND_SLOT_BITS, FLOE_SECOND_BUCKET_SLOTS};
  return g;
}

/* ---- pieces of a bucket ------------------------------------------------------------------------ */

/* Halves of 16 bits: x - 1 sets the top bit of a half that is 0 and of none below the lowest such half. */
KERNEL_FN uint32_t zero_halves(uint32_t x) { return (x - 0x00010001u) & ~x & 0x80008000u; }

/* Slots of 21 bits in a word of 64: bit i of the result: slot i is 0. */
KERNEL_FN uint32_t zero_thirds(uint32_t low, uint32_t high) {
  return (uint32_t)((low & 0x1fffff) == 0) | (uint32_t)(((low & 0xffe00000u) | (high & 0x3ff)) == 0) << 1 |
         (uint32_t)((high & 0x7ffffc00) == 0) << 2;
}

/* Whether a slot of the first `words` words holds the value. */
KERNEL_FN bool piece_holds(struct piece piece, unsigned words, unsigned bits, uint64_t wanted) {
  const uint32_t low = (uint32_t)wanted, high = (uint32_t)(wanted >> 32);
  uint32_t holds = 0;
  if (bits == 16) {
    GPU_UNROLL
    for (unsigned i = 0; i < words; i++)
      holds |= zero_halves(piece.word[i] ^ low * 0x00010001u);
  } else if (bits == PACKED_BITS) {
    const uint64_t thrice = wanted | wanted << PACKED_BITS | wanted << 2 * PACKED_BITS;
    GPU_UNROLL
    for (unsigned i = 0; i < words; i += 2)
      holds |= zero_thirds(piece.word[i] ^ (uint32_t)thrice, piece.word[i + 1] ^ (uint32_t)(thrice >> 32));
  } else if (bits == 32) {
    GPU_UNROLL
    for (unsigned i = 0; i < words; i++)
      holds |= piece.word[i] == low;
  } else {
    GPU_UNROLL
    for (unsigned i = 0; i < words; i += 2)
      holds |= ((piece.word[i] ^ low) | (piece.word[i + 1] ^ high)) == 0;
  }
  return holds != 0;
}

/* Bit i: slot i was not seen full. The lowest bit is exact. The upper half of a word may be reported although it is
   full (zero_halves); a claim detects that. */
KERNEL_FN uint32_t piece_open(struct piece piece, unsigned words, unsigned bits) {
  uint32_t open = 0;
  if (bits == 16) {
    GPU_UNROLL
    for (unsigned i = 0; i < words; i++)
      open |= zero_halves(piece.word[i]) >> (15 - 2 * i); /* slots 2 i and 2 i + 1 at bits 2 i, 2 i + 16 */
    open = (open | open >> 15) & 0xff;
  } else if (bits == PACKED_BITS) {
    GPU_UNROLL
    for (unsigned i = 0; i < words; i += 2)
      open |= zero_thirds(piece.word[i], piece.word[i + 1]) << i / 2 * PACKED_IN_WORD;
  } else if (bits == 32) {
    GPU_UNROLL
    for (unsigned i = 0; i < words; i++)
      open |= (uint32_t)(piece.word[i] == 0) << i;
  } else {
    GPU_UNROLL
    for (unsigned i = 0; i < words; i += 2)
      open |= (uint32_t)((piece.word[i] | piece.word[i + 1]) == 0) << i / 2;
  }
  return open;
}

/* ---- buckets of a warp's keys ------------------------------------------------------------------ */

/* A bucket, in a level at `slots`, of the key that a lane owns. */
struct probe {
  unsigned char *slots;
  uint32_t bucket;
  uint64_t wanted;
};

/* How the buckets of a level are read; all constants. */
struct reading {
  unsigned bits, slots;        /* of a bucket */
  unsigned bytes, piece;       /* of a bucket, of a load */
  unsigned lanes;              /* of a group: loads of a bucket */
  unsigned words, piece_slots; /* of a load */
  unsigned element;            /* bytes that a load reads atomically */
};

KERNEL_FN struct reading reading_of(unsigned bits, unsigned slots) {
  struct reading r;
  r.bits = bits;
  r.slots = slots;
  r.bytes = (unsigned)slot_bytes(slots, bits);
  r.piece = r.bytes < PIECE_BYTES ? r.bytes : (unsigned)PIECE_BYTES;
  r.lanes = r.bytes / r.piece;
  r.words = r.piece / 4;
  r.piece_slots = r.slots / r.lanes;
  r.element = bits == 64 || bits == PACKED_BITS ? 8 : 4;
  return r;
}

KERNEL_FN unsigned char *probe_bucket(struct probe probe, unsigned bucket_bytes) {
  return probe.slots + (uint64_t)probe.bucket * bucket_bytes;
}

/* The masks of one bucket, combined from the lanes of its group: found and opened have a bit for each lane of the
   warp; byte `place` of `opens` is that lane's piece_open. */
KERNEL_FN struct scan merge_pieces(struct reading r, uint32_t found, uint32_t opened, uint32_t opens, unsigned group,
                                   unsigned place) {
  const uint32_t members = UINT32_MAX >> (32 - r.lanes);
  const uint32_t with_open = opened >> group & members;
  const unsigned first = with_open ? lowest_bit(with_open) : 0;
  const uint32_t slots = gpu_shuffle(opens, group + first) >> 8 * place & 0xff;
  struct scan scan;
  scan.match = found >> group & members;
  scan.empty = 0;
  if (with_open) /* slots of later pieces may be open as well */
    scan.empty = (slots << first * r.piece_slots | UINT32_MAX << first * r.piece_slots << r.piece_slots) &
                 UINT32_MAX >> (32 - r.slots);
  return scan;
}

/* Reads n (1 or 2) buckets for every lane of `active`; n and all of `r` are constants. A few keys of a group are
   processed at a time, so that LOADS_AT_ONCE loads are in flight. scans[].match reports whether the key is present,
   not where. */
KERNEL_FN void warp_scan(struct reading r, const struct probe *probes, unsigned n, uint32_t active, unsigned lane,
                         struct scan *scans) {
  const unsigned most = LOADS_AT_ONCE / n, rounds = r.lanes < most ? r.lanes : most;
  const unsigned member = lane % r.lanes, group = lane - member;
  GPU_ROLLED
  for (unsigned first_key = 0; first_key < r.lanes; first_key += rounds) {
    struct piece pieces[LOADS_AT_ONCE] = {{{0, 0, 0, 0}}};
    uint64_t wanted[LOADS_AT_ONCE] = {0};
    uint32_t found[2] = {0, 0}, opened[2] = {0, 0}, opens[2] = {0, 0};
    GPU_UNROLL
    for (unsigned i = 0; i < rounds * n; i++) {
      const struct probe *probe = &probes[i % n];
      const unsigned owner = group + first_key + i / n;
      const uint32_t bucket = gpu_shuffle(probe->bucket, owner);
      wanted[i] = r.bits == 64 ? gpu_shuffle64(probe->wanted, owner) : gpu_shuffle((uint32_t)probe->wanted, owner);
      if (active >> owner & 1)
        pieces[i] = gpu_load_piece(probe->slots + (uint64_t)bucket * r.bytes + member * r.piece, r.piece, r.element);
    }
    GPU_UNROLL
    for (unsigned i = 0; i < rounds * n; i++) {
      const uint32_t open = piece_open(pieces[i], r.words, r.bits);
      const uint32_t seen = gpu_ballot(piece_holds(pieces[i], r.words, r.bits, wanted[i]));
      const uint32_t with_open = gpu_ballot(open != 0);
      opens[i % n] |= open << 8 * (i / n);
      if (member == first_key + i / n) {
        found[i % n] = seen;
        opened[i % n] = with_open;
      }
    }
    GPU_UNROLL
    for (unsigned k = 0; k < n; k++) {
      const unsigned place = (member - first_key) % rounds;
      const struct scan scan = merge_pieces(r, found[k], opened[k], opens[k], group, place);
      if (member - first_key < rounds) /* the owner */
        scans[k] = scan;
    }
  }
}

/* ---- the levels, for the keys of the lanes of `active` ------------------------------------------ */

/* ICEBERG_FULL: try the next level. Without `put`, here and below, ICEBERG_PUT means that there is a free slot, so
   the key is absent. The answers of other lanes are meaningless. */
KERNEL_FN unsigned warp_first(const struct iceberg *table, uint64_t key, uint32_t active, unsigned lane, bool put) {
  const struct geometry g = table_geometry();
  const struct reading r = reading_of(g.slot_bits, g.bucket_slots);
  const struct place place = quotient_split(table->first_quotient, table_permute(&table->permutation[0], key));
  const struct probe probe = {table->first, (uint32_t)place.address, first_encode(place.remainder)};
  struct scan scan = {0, 0};
  warp_scan(r, &probe, 1, active, lane, &scan);
  unsigned answer = ICEBERG_FOUND;
  if (scan.match == 0 && (active >> lane & 1))
    answer = put          ? bucket_claim(probe_bucket(probe, r.bytes), r.bits, probe.wanted, scan.empty)
             : scan.empty ? (unsigned)ICEBERG_PUT
                          : (unsigned)ICEBERG_FULL;
  gpu_sync_warp(); /* the lanes diverged: reconverge before the next collective */
  return answer;
}

KERNEL_FN struct probe second_probe(const struct iceberg *table, uint64_t permuted, unsigned which) {
  const struct place place = quotient_split(table->second_quotient, permuted);
  const struct probe probe = {table->second, (uint32_t)place.address, second_encode(place.remainder, which)};
  return probe;
}

/* Level 3 serves few keys: not inlined, so that its registers burden no other code. */
KERNEL_FN_APART unsigned third_apart(const struct iceberg *table, uint64_t key, bool put) {
  const uint64_t permuted1 = table_permute(&table->permutation[1], key);
  const uint64_t permuted2 = table_permute(&table->permutation[2], key);
  return third_answer(table, key, third_home(table, permuted1, permuted2), put);
}

KERNEL_FN unsigned second_and_third(const struct iceberg *table, uint64_t key, const struct probe probes[2],
                                    const struct scan scans[2], bool put) {
  const struct geometry g = table_geometry();
  const struct reading r = reading_of(g.second_slot_bits, g.second_bucket_slots);
  const struct target one = {probe_bucket(probes[0], r.bytes), probes[0].wanted};
  const struct target two = {probe_bucket(probes[1], r.bytes), probes[1].wanted};
  unsigned answer = ICEBERG_FULL;
  if (put)
    answer = second_claim(one, scans[0].empty, two, scans[1].empty, r.bits, r.slots);
  else if (scans[0].empty | scans[1].empty)
    answer = ICEBERG_PUT;
  return answer == ICEBERG_FULL ? third_apart(table, key, put) : answer;
}

/* Levels 2 and 3, for keys whose primary bucket is full. */
KERNEL_FN unsigned warp_retry(const struct iceberg *table, uint64_t key, uint32_t active, unsigned lane, bool put) {
  const struct geometry g = table_geometry();
  const struct probe probes[2] = {second_probe(table, table_permute(&table->permutation[1], key), 0),
                                  second_probe(table, table_permute(&table->permutation[2], key), 1)};
  struct scan scans[2] = {{0, 0}, {0, 0}};
  warp_scan(reading_of(g.second_slot_bits, g.second_bucket_slots), probes, 2, active, lane, scans);
  unsigned answer = ICEBERG_FOUND;
  if ((scans[0].match | scans[1].match) == 0 && (active >> lane & 1))
    answer = second_and_third(table, key, probes, scans, put);
  gpu_sync_warp();
  return answer;
}

/* ---- keys of slots ----------------------------------------------------------------------------------- */

KERNEL_FN uint64_t first_key_of(const struct iceberg *table, uint64_t bucket, uint64_t slot) {
  return table_unpermute(&table->permutation[0], quotient_join(table->first_quotient, bucket, first_remainder(slot)));
}

KERNEL_FN uint64_t second_key_of(const struct iceberg *table, uint64_t bucket, uint64_t slot) {
  const uint64_t permuted = quotient_join(table->second_quotient, bucket, second_remainder(slot));
  return second_which(slot) ? table_unpermute(&table->permutation[2], permuted)
                            : table_unpermute(&table->permutation[1], permuted);
}

#endif
