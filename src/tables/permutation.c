#include "tables/permutation.h"

#include "base/splitmix64.h"
#include "tables/table.h"

#include <assert.h>
#include <string.h>

static const char *const names[] = {"mix", "feistel", "feistel1", NULL};

const char *const *permutation_names(void) { return names; }

uint64_t permutation_user_apply(const struct permutation *p, uint64_t x) {
  return p->user->apply(p->user->data, p->number, p->bits, x);
}

uint64_t permutation_user_invert(const struct permutation *p, uint64_t x) {
  return p->user->invert(p->user->data, p->number, p->bits, x);
}

/* Inverse modulo 2^64 by Newton's iteration: each step doubles the number of right bits, and x * x = 1 modulo 8. */
static uint64_t inverse_of_odd(uint64_t x) {
  uint64_t inverse = x;
  for (int bits = 3; bits < 64; bits *= 2)
    inverse *= 2 - x * inverse;
  assert(inverse * x == 1);
  return inverse;
}

floe_status permutation_kind(const char *name, const struct permutation_user *user, unsigned *kind) {
  if (!name || strcmp(name, "mix") == 0)
    *kind = PERMUTATION_MIX;
  else if (strcmp(name, "feistel") == 0)
    *kind = PERMUTATION_FEISTEL;
  else if (strcmp(name, "feistel1") == 0)
    *kind = PERMUTATION_FEISTEL1;
  else if (strcmp(name, "user") == 0 && user)
    *kind = PERMUTATION_USER;
  else
    return FLOE_ERROR_USAGE;
  return FLOE_OK;
}

floe_status permutation_make(const char *name, unsigned bits, uint64_t seed, unsigned number,
                             const struct permutation_user *user, struct permutation *out) {
  assert(bits >= 1 && bits <= 64);
  struct permutation p = {.bits = bits, .number = number, .user = user};
  FLOE_TRY(permutation_kind(name, user, &p.kind));
  const unsigned low = bits / 2;
  p.shift = p.kind == PERMUTATION_MIX ? bits - low : low;
  p.mask = UINT64_MAX >> (64 - bits);
  p.low_mask = p.mask >> (bits - low);
  uint64_t state = seed ^ (uint64_t)number << 56;
  for (unsigned i = 0; i < PERMUTATION_ROUNDS; i++) {
    p.factor[i] = splitmix64_next(&state) | 1;
    p.offset[i] = splitmix64_next(&state);
  }
  p.inverse[0] = inverse_of_odd(p.factor[0]);
  p.inverse[1] = inverse_of_odd(p.factor[1]);
  if (p.kind == PERMUTATION_MIX)
    p.offset[0] &= p.mask;
  *out = p;
  return FLOE_OK;
}
