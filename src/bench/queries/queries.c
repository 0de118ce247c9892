#include "bench/queries/queries.h"

#include "base/splitmix64.h"

#include <assert.h>
#include <math.h>

/* Random 64 bits for use i in a block. */
static uint64_t random_bits(uint64_t block, uint64_t i) {
  return splitmix64_mix(block + i * UINT64_C(0x9e3779b97f4a7c15));
}

static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; } /* [0, 1) */

/* ---- keys ------------------------------------------------------------------------------------ */

uint64_t query_key(uint64_t number) {
  assert(number < UINT64_C(1) << 48);
  return splitmix64_mix(number ^ UINT64_C(0x5851f42d4c957f2d)); /* only numbers above 2^48 map to 0 and 2^64 - 1 */
}

uint64_t query_value(uint64_t number, unsigned version) {
  assert(version < 16);
  return splitmix64_mix((number << 4 | version) ^ UINT64_C(0xd1342543de82ef95));
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Part of a normal distribution within `width` around its mean. */
static double within(double width, double deviation) { return erf(width / 2 / (deviation * sqrt(2))); }

/* Part of the numbers drawn more often than in a uniform distribution: where the density of the distribution,
   truncated to [0, 1), is above 1. */
static double part_hot(double deviation) {
  const double peak = 1 / (deviation * sqrt(2 * acos(-1)) * within(1, deviation));
  return 2 * deviation * sqrt(2 * log(peak));
}

/* The deviation that makes that part hot, by bisection: it grows with the part. */
static double deviation_for(double hot) {
  double low = 0, high = 8;
  for (int i = 0; i < 100; i++) {
    const double middle = (low + high) / 2;
    if (part_hot(middle) < hot)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

bool queries_init(uint64_t pairs, double hot, double updates, uint64_t seed, struct queries *out) {
  const bool all_alike = hot == 1;
  const long changes = lround(updates * QUERY_BLOCK / 2);
  if (!pairs || pairs > UINT64_C(1) << 40 || !(all_alike || (hot > 0 && hot <= QUERY_HOTTEST)) ||
      !(updates >= 0 && updates <= 1) || fabs((double)changes - updates * QUERY_BLOCK / 2) > 1e-6)
    return false;
  *out = (struct queries){pairs, hot, all_alike ? 0 : deviation_for(hot), (unsigned)changes, seed};
  return true;
}

double queries_share(const struct queries *q, double part) {
  return q->deviation == 0 ? part : within(part, q->deviation) / within(1, q->deviation);
}

static double normal(uint64_t first, uint64_t second) { /* Box and Muller */
  return sqrt(-2 * log(1 - unit(first))) * cos(2 * acos(-1) * unit(second));
}

enum { DRAWS = QUERY_KINDS * QUERY_BLOCK }; /* uses of `draw` in a block: i is below */

static uint64_t draw(const struct queries *q, uint64_t block, uint64_t i) {
  if (q->deviation == 0)
    return (uint64_t)(unit(random_bits(block, i)) * (double)q->pairs);
  for (uint64_t at = i;; at += 2 * DRAWS) {
    const double place = 0.5 + q->deviation * normal(random_bits(block, at), random_bits(block, at + DRAWS));
    if (place >= 0 && place < 1)
      return (uint64_t)(place * (double)q->pairs);
  }
}

/* ---- the stream ------------------------------------------------------------------------------ */

static uint64_t block_seed(const struct queries *q, uint64_t block) {
  return splitmix64_mix(splitmix64_mix(q->seed + 1) ^ splitmix64_mix(block));
}

/* The kinds of a block, shuffled. */
static void shuffle_kinds(const struct queries *q, uint64_t seed, uint8_t *kinds) {
  for (unsigned i = 0; i < QUERY_BLOCK; i++)
    kinds[i] = i < q->changes ? QUERY_PUT : i < 2 * q->changes ? QUERY_DELETE : QUERY_FIND;
  for (unsigned i = QUERY_BLOCK; i > 1; i--) {
    const unsigned other = (unsigned)(unit(random_bits(~seed, i)) * i);
    const uint8_t kind = kinds[i - 1];
    kinds[i - 1] = kinds[other];
    kinds[other] = kind;
  }
}

/* The k-th number of a kind in a block. Puts have the numbers of deletes long before, including those before the
   first query. */
static uint64_t number_of(const struct queries *q, uint64_t block, enum query_kind kind, unsigned k) {
  if (kind == QUERY_PUT)
    return number_of(q, block - QUERY_LAG, QUERY_DELETE, k);
  return draw(q, block_seed(q, block), (uint64_t)k * QUERY_KINDS + (uint64_t)kind);
}

static void put_query(const struct query_list *out, size_t i, enum query_kind kind, uint64_t number, unsigned version) {
  out->kinds[i] = (uint8_t)kind;
  out->numbers[i] = number;
  out->keys[i] = query_key(number);
  out->values[i] = kind == QUERY_PUT ? query_value(number, version) : 0;
}

static void make_block(const struct queries *q, uint64_t block, const struct query_list *out, size_t at) {
  const uint64_t seed = block_seed(q, block);
  unsigned made[QUERY_KINDS] = {0};
  shuffle_kinds(q, seed, out->kinds + at);
  for (size_t i = at; i < at + QUERY_BLOCK; i++) {
    const enum query_kind kind = (enum query_kind)out->kinds[i];
    const unsigned version = (unsigned)(random_bits(seed, ~(uint64_t)(i - at)) % 15 + 1);
    put_query(out, i, kind, number_of(q, block, kind, made[kind]++), version);
  }
}

size_t queries_unpaired(const struct queries *q) { return (size_t)QUERY_LAG * q->changes; }

void queries_make_unpaired(const struct queries *q, uint64_t end, const struct query_list *out) {
  assert(end % QUERY_BLOCK == 0);
  for (size_t i = 0; i < queries_unpaired(q); i++) {
    const uint64_t block = end / QUERY_BLOCK + i / q->changes;
    put_query(out, i, QUERY_PUT, number_of(q, block, QUERY_PUT, (unsigned)(i % q->changes)), 0);
  }
}

void queries_make(const struct queries *q, uint64_t first, size_t n, const struct query_list *out) {
  assert(first % QUERY_BLOCK == 0 && n % QUERY_BLOCK == 0);
  for (size_t at = 0; at < n; at += QUERY_BLOCK)
    make_block(q, (first + at) / QUERY_BLOCK, out, at);
}

/* ---- what is right --------------------------------------------------------------------------- */

/* Which version a value is of; QUERY_ABSENT: it is none of that number. */
static uint8_t version_of(uint64_t number, uint64_t value) {
  for (unsigned version = 0; version < 16; version++)
    if (query_value(number, version) == value)
      return (uint8_t)version;
  return QUERY_ABSENT;
}

static bool find_is_right(uint64_t number, uint8_t version, uint8_t answer, uint64_t value, struct query_counts *out) {
  if (version == QUERY_ABSENT) {
    out->absent++;
    return answer == QUERY_NONE;
  }
  out->found++;
  return answer == QUERY_FOUND && value == query_value(number, version);
}

static bool put_is_right(uint8_t version, uint8_t answer, struct query_counts *out) {
  *(version == QUERY_ABSENT ? &out->fresh : &out->replaced) += 1;
  return answer == (version == QUERY_ABSENT ? QUERY_NEW : QUERY_FOUND);
}

static bool delete_is_right(uint8_t version, uint8_t answer, struct query_counts *out) {
  *(version == QUERY_ABSENT ? &out->nothing : &out->deleted) += 1;
  return answer == (version == QUERY_ABSENT ? QUERY_NONE : QUERY_FOUND);
}

void queries_verify(const struct query_list *list, const struct query_answers *answers, uint8_t *present, unsigned part,
                    unsigned parts, struct query_counts *out) {
  struct query_counts sum = {0};
  for (size_t i = 0; i < answers->n; i++) {
    const uint64_t number = list->numbers[i];
    if (number / 64 % parts != part) /* whole cache lines of `present` */
      continue;
    uint8_t *version = &present[number];
    bool right = false;
    switch ((enum query_kind)list->kinds[i]) {
    case QUERY_FIND:
      right = find_is_right(number, *version, answers->answers[i], answers->values[i], &sum);
      break;
    case QUERY_PUT:
      right = put_is_right(*version, answers->answers[i], &sum);
      *version = version_of(number, list->values[i]);
      break;
    case QUERY_DELETE:
      right = delete_is_right(*version, answers->answers[i], &sum);
      *version = QUERY_ABSENT;
      break;
    case QUERY_KINDS:
      break;
    }
    sum.wrong += !right;
  }
  out->found += sum.found;
  out->absent += sum.absent;
  out->fresh += sum.fresh;
  out->replaced += sum.replaced;
  out->deleted += sum.deleted;
  out->nothing += sum.nothing;
  out->wrong += sum.wrong;
}
