#include "bench/device/items.h"

#include "base/splitmix64.h"

#include <assert.h>
#include <math.h>

#define KEY_SEED UINT64_C(0x666c6f65) /* the same keys in every run */

/* A well mixed word (the finaliser of splitmix64, by Steele, Lea and Flood). */
static uint64_t mixed(uint64_t x) { return splitmix64_mix(x + UINT64_C(0x9e3779b97f4a7c15)); }

static uint64_t share(uint64_t whole, unsigned part, unsigned parts) {
  return (uint64_t)((unsigned __int128)whole * part / parts);
}

static uint64_t part_size(uint64_t whole, unsigned part, unsigned parts) {
  return share(whole, part + 1, parts) - share(whole, part, parts);
}

/* Numbers of the first kind are divided among the parts; those of the other kind may repeat over the parts unless
   there is one for each key. */
struct bench_items items_part(const struct bench_items *items, unsigned part, unsigned parts) {
  struct bench_items out = *items;
  out.n = part_size(items->n, part, parts);
  out.seed = items->seed + part;
  if (items->given) {
    out.given = items->given + share(items->n, part, parts);
    return out;
  }
  out.others = part_size(items->others, part, parts);
  out.n = part_size(items->n - items->others, part, parts) + out.others;
  if (items->zipf <= 0) {
    out.first += share(items->count, part, parts);
    out.count = part_size(items->count, part, parts);
  }
  if (items->others <= items->other_count) {
    out.other_first += share(items->other_count, part, parts);
    out.other_count = part_size(items->other_count, part, parts);
  }
  return out;
}

static unsigned bits_of(uint64_t n) {
  unsigned bits = 1;
  while (bits < 64 && n > UINT64_C(1) << bits)
    bits++;
  return bits;
}

floe_status item_maker_init(const struct bench_items *items, struct item_maker *out) {
  out->items = *items;
  FLOE_TRY(permutation_make("feistel", items->key_bits, KEY_SEED, 0, NULL, &out->key));
  return permutation_make("feistel", bits_of(items->n), items->seed, 1, NULL, &out->order);
}

/* The permutation of the next power of two, applied until the result is below n: a permutation of [0, n), with two
   steps at most on average. */
static uint64_t place(const struct item_maker *maker, uint64_t i) {
  do
    i = permutation_apply(&maker->order, i);
  while (i >= maker->items.n);
  return i;
}

/* The inverse of the distribution function, at a number in [0, 1). */
static uint64_t draw_zipf(const struct bench_items *items, uint64_t at) {
  double u = (double)(mixed(items->seed ^ at << 1) >> 11) * 0x1p-53;
  double end = (double)items->count + 1, rest = 1 - items->zipf;
  double x = fabs(rest) < 1e-9 ? pow(end, u) : pow(1 + u * (pow(end, rest) - 1), 1 / rest);
  uint64_t rank = x < 1 ? 0 : (uint64_t)x - 1;
  return rank < items->count ? rank : items->count - 1;
}

uint64_t item_number(const struct item_maker *maker, uint64_t i) {
  const struct bench_items *items = &maker->items;
  assert(!items->given && i < items->n);
  uint64_t at = place(maker, i), firsts = items->n - items->others;
  if (at >= firsts)
    return items->other_first + (at - firsts) % items->other_count;
  return items->first + (items->zipf > 0 ? draw_zipf(items, at) : at % items->count);
}

uint64_t item_key(const struct item_maker *maker, uint64_t i) {
  if (maker->items.given)
    return maker->items.given[i];
  return permutation_apply(&maker->key, item_number(maker, i));
}

uint64_t item_value(unsigned bits, uint64_t key) {
  uint64_t value = mixed(key) >> (64 - bits);
  return value == 0 ? 1 : value == UINT64_MAX ? value - 1 : value;
}
