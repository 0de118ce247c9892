#include "bench/measure/keys.h"

#include "base/utf8.h"
#include "core/diag.h"
#include "core/mem.h"
#include "floe.h"

#include <assert.h>
#include <string.h>

#define AT_ONCE ((size_t)1 << 16) /* keys read at once */

/* Numbers of keys in the order of first appearance: open addressing, at most half full. Keys stay in one array, in
   that order. */
struct numbering {
  unsigned words;  /* of a key */
  uint64_t *slots; /* number + 1; 0: empty */
  uint64_t mask;
  uint64_t *keys; /* [distinct * words] */
  uint64_t distinct, most;
};

static uint64_t hash_key(const uint64_t *key, unsigned words) {
  uint64_t hash = 0;
  for (unsigned i = 0; i < words; i++) {
    hash = (hash ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return hash * UINT64_C(0xbf58476d1ce4e5b9) >> 20;
}

static uint64_t *slot_of(const struct numbering *numbering, const uint64_t *key) {
  size_t bytes = numbering->words * sizeof *key;
  uint64_t at = hash_key(key, numbering->words) & numbering->mask;
  for (;; at = (at + 1) & numbering->mask) {
    uint64_t *slot = &numbering->slots[at];
    if (!*slot || memcmp(numbering->keys + (*slot - 1) * numbering->words, key, bytes) == 0)
      return slot;
  }
}

static bool double_slots(struct numbering *numbering) {
  uint64_t *before = numbering->slots;
  numbering->mask = before ? 2 * numbering->mask + 1 : 1023;
  numbering->slots = mem_array(numbering->mask + 1, sizeof *numbering->slots);
  mem_free(before);
  if (!numbering->slots)
    return false;
  for (uint64_t i = 0; i < numbering->distinct; i++)
    *slot_of(numbering, numbering->keys + i * numbering->words) = i + 1;
  return true;
}

static bool grow_slots(struct numbering *numbering) {
  if (numbering->distinct == numbering->most) {
    uint64_t most = numbering->most ? 2 * numbering->most : 512;
    uint64_t *keys = mem_resize(numbering->keys, most * numbering->words * sizeof *keys);
    if (!keys)
      return false;
    numbering->keys = keys;
    numbering->most = most;
  }
  return (numbering->slots && 2 * numbering->distinct <= numbering->mask) || double_slots(numbering);
}

/* FLOE_ERROR_MEMORY; *is_new: first occurrence. */
static floe_status number_key(struct numbering *numbering, const uint64_t *key, uint64_t *number, bool *is_new) {
  if (!grow_slots(numbering))
    return FLOE_ERROR_MEMORY;
  uint64_t *slot = slot_of(numbering, key);
  *is_new = !*slot;
  if (*is_new) {
    memcpy(numbering->keys + numbering->distinct * numbering->words, key, numbering->words * sizeof *key);
    *slot = ++numbering->distinct;
  }
  *number = *slot - 1;
  return FLOE_OK;
}

static floe_status take_piece(struct bench_keys *keys, struct numbering *numbering, bool numbered,
                              const uint64_t *piece, size_t n, uint64_t at) {
  for (size_t i = 0; i < n; i++) {
    uint64_t number;
    bool is_new;
    FLOE_TRY(number_key(numbering, piece + i * numbering->words, &number, &is_new));
    keys->keys[at + i] = numbered ? number : piece[i];
    keys->first[(at + i) / 64] |= (uint64_t)is_new << (at + i) % 64;
  }
  return FLOE_OK;
}

static floe_status read_all(floe_order *order, struct bench_keys *keys, struct numbering *numbering, bool numbered) {
  uint64_t *piece = mem_array(AT_ONCE * numbering->words, sizeof *piece);
  if (!piece)
    return FLOE_ERROR_MEMORY;
  floe_status status = FLOE_OK;
  size_t n = 1;
  for (uint64_t at = 0; n && status == FLOE_OK; at += n) {
    status = floe_order_read(order, piece, AT_ONCE, &n);
    if (status == FLOE_OK)
      status = take_piece(keys, numbering, numbered, piece, n, at);
  }
  mem_free(piece);
  return status;
}

static unsigned width_of(uint64_t numbers) {
  unsigned bits = 1;
  while (bits < 64 && numbers > UINT64_C(1) << bits)
    bits++;
  return bits;
}

static floe_status load(floe_order *order, const char *path, bool numbered, floe_log *log, struct bench_keys *keys) {
  const floe_order_info *info = floe_order_information(order);
  struct utf8_shown shown;
  if (info->key_words > 1 && !numbered) {
    diag_error(log, NULL, NOWHERE, "use numbered keys, as the preset fig4 does",
               "%s has keys of %u bits, and tables have at most 64", utf8_show(path, &shown), info->key_bits);
    return FLOE_ERROR_USAGE;
  }
  keys->count = info->count;
  keys->keys = mem_array(info->count, sizeof *keys->keys);
  keys->first = mem_array(info->count / 64 + 1, sizeof *keys->first);
  if (!keys->keys || !keys->first)
    return FLOE_ERROR_MEMORY;
  struct numbering numbering = {.words = info->key_words};
  floe_status status = read_all(order, keys, &numbering, numbered);
  keys->distinct = numbering.distinct;
  keys->key_bits = numbered ? width_of(numbering.distinct) : info->key_bits;
  mem_free(numbering.slots);
  mem_free(numbering.keys);
  return status;
}

floe_status bench_keys_list(struct bench_keys *keys) {
  keys->different = mem_array(keys->distinct, sizeof *keys->different);
  if (!keys->different)
    return FLOE_ERROR_MEMORY;
  for (uint64_t i = 0, n = 0; i < keys->count && n < keys->distinct; i++)
    if (keys->first[i / 64] >> i % 64 & 1)
      keys->different[n++] = keys->keys[i];
  return FLOE_OK;
}

floe_status bench_keys_load(const char *path, bool numbered, floe_log *log, struct bench_keys *out) {
  floe_order *order;
  struct bench_keys keys = {0};
  struct utf8_shown shown;
  FLOE_TRY(floe_order_open(path, log, &order));
  floe_status status = load(order, path, numbered, log, &keys);
  floe_order_close(order);
  if (status == FLOE_OK && keys.count == 0) {
    diag_error(log, NULL, NOWHERE, NULL, "%s has no keys", utf8_show(path, &shown));
    status = FLOE_ERROR_USAGE;
  }
  if (status == FLOE_OK)
    status = bench_keys_list(&keys);
  if (status == FLOE_OK)
    *out = keys;
  else
    bench_keys_free(&keys);
  return status;
}

void bench_keys_free(struct bench_keys *keys) {
  mem_free(keys->keys);
  mem_free(keys->first);
  mem_free(keys->different);
  *keys = (struct bench_keys){0};
}

uint64_t bench_keys_distinct(const struct bench_keys *keys, uint64_t n) {
  assert(n <= keys->count);
  uint64_t distinct = 0;
  for (uint64_t i = 0; i < n / 64; i++)
    distinct += (uint64_t)__builtin_popcountll(keys->first[i]);
  const uint64_t rest = (UINT64_C(1) << n % 64) - 1;
  return distinct + (uint64_t)__builtin_popcountll(keys->first[n / 64] & rest);
}
