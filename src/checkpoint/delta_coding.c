#include "checkpoint/delta_coding.h"

#include "checkpoint/format.h"

#include <assert.h>

/* Words of a group */
enum { GROUP_WORDS = 128 };
/* Quotients from this on are escaped: so many zero bits, then the difference in 64 bits. */
enum { ESCAPE = 20 };
/* Largest parameter of short codes: such a code has at most 56 bits, which one load or store at any bit can handle. */
enum { SHORT_PARAMETER = 56 - ESCAPE };
enum { PARAMETER_BITS = 6 };

size_t delta_most(size_t n) {
  return 8 + n * (ESCAPE + 64) / 8 + (n / GROUP_WORDS + 1) * PARAMETER_BITS / 8 + DELTA_SLACK;
}

/* ---- coding ---------------------------------------------------------------------------------- */

struct bit_writer {
  uint8_t *at;
  uint64_t word; /* pending bits, the low `used`, which are fewer than 8 */
  unsigned used;
};

/* n <= 56 */
static inline void put_bits(struct bit_writer *out, uint64_t bits, unsigned n) {
  out->word |= bits << out->used;
  out->used += n;
  store64(out->at, out->word);
  out->at += out->used / 8;
  out->word >>= out->used & ~7u;
  out->used %= 8;
}

static inline void put_long(struct bit_writer *out, uint64_t bits, unsigned n) {
  unsigned low = n < 32 ? n : 32;
  put_bits(out, bits & UINT32_MAX, low);
  put_bits(out, n > 32 ? bits >> 32 : 0, n - low);
}

static inline uint64_t low_mask(unsigned n) { return (UINT64_C(1) << n) - 1; } /* n < 64 */

static void put_escaped(struct bit_writer *out, uint64_t difference) {
  put_bits(out, 0, ESCAPE);
  put_long(out, difference, 64);
}

static void put_short_codes(struct bit_writer *out, const uint64_t *differences, size_t n, unsigned parameter) {
  for (size_t i = 0; i < n; i++) {
    uint64_t quotient = differences[i] >> parameter, low = differences[i] & low_mask(parameter);
    if (quotient < ESCAPE)
      put_bits(out, (low << 1 | 1) << quotient, (unsigned)quotient + 1 + parameter);
    else
      put_escaped(out, differences[i]);
  }
}

static void put_long_codes(struct bit_writer *out, const uint64_t *differences, size_t n, unsigned parameter) {
  for (size_t i = 0; i < n; i++) {
    uint64_t quotient = differences[i] >> parameter;
    if (quotient >= ESCAPE) {
      put_escaped(out, differences[i]);
      continue;
    }
    put_bits(out, UINT64_C(1) << quotient, (unsigned)quotient + 1);
    put_long(out, differences[i] & low_mask(parameter), parameter);
  }
}

/* Approximates the logarithm of the mean by the mean of logarithms, which outliers hardly change: for distances
   between random points the former is a third more than the mean of bit lengths. */
static unsigned choose_parameter(const uint64_t *differences, size_t n) {
  uint64_t lengths = 0;
  for (size_t i = 0; i < n; i++)
    lengths += 64 - (unsigned)__builtin_clzll(differences[i] | 1);
  unsigned parameter = (unsigned)((3 * lengths + n) / (3 * n));
  return parameter < 63 ? parameter : 63;
}

static void put_group(struct bit_writer *out, const uint64_t *words, size_t n) {
  uint64_t differences[GROUP_WORDS];
  for (size_t i = 0; i < n; i++) {
    assert(words[i] <= words[i + 1]);
    differences[i] = words[i + 1] - words[i];
  }
  unsigned parameter = choose_parameter(differences, n);
  put_bits(out, parameter, PARAMETER_BITS);
  (parameter <= SHORT_PARAMETER ? put_short_codes : put_long_codes)(out, differences, n, parameter);
}

size_t delta_encode(const uint64_t *words, size_t n, uint8_t *bytes) {
  assert(n > 0);
  store64(bytes, words[0]);
  struct bit_writer out = {.at = bytes + 8};
  for (size_t i = 0; i + 1 < n; i += GROUP_WORDS)
    put_group(&out, words + i, n - 1 - i < GROUP_WORDS ? n - 1 - i : GROUP_WORDS);
  return (size_t)(out.at - bytes) + (out.used > 0);
}

/* ---- decoding -------------------------------------------------------------------------------- */

struct bit_reader {
  const uint8_t *bytes;
  size_t at, end; /* in bits; reads stay below end + 8 * DELTA_SLACK, because each code is checked */
};

/* At least 57 bits. */
static inline uint64_t peek(const struct bit_reader *in) { return load64(in->bytes + in->at / 8) >> in->at % 8; }

static inline uint64_t take_bits(struct bit_reader *in, unsigned n) {
  if (in->at > in->end)
    return 0;
  uint64_t bits = peek(in) & low_mask(n);
  in->at += n;
  return bits;
}

static uint64_t take_long(struct bit_reader *in, unsigned n) {
  unsigned low = n < 32 ? n : 32;
  uint64_t bits = take_bits(in, low);
  return n > 32 ? bits | take_bits(in, n - 32) << 32 : bits;
}

static bool take_short_codes(struct bit_reader *in, uint64_t *words, size_t n, unsigned parameter) {
  uint64_t word = words[0];
  for (size_t i = 1; i <= n && in->at <= in->end; i++) {
    uint64_t bits = peek(in);
    unsigned quotient = (unsigned)__builtin_ctzll(bits | UINT64_C(1) << ESCAPE);
    if (quotient == ESCAPE) {
      in->at += ESCAPE;
      words[i] = word += take_long(in, 64);
      continue;
    }
    in->at += quotient + 1 + parameter;
    words[i] = word += (uint64_t)quotient << parameter | (bits >> (quotient + 1) & low_mask(parameter));
  }
  return in->at <= in->end;
}

static bool take_long_codes(struct bit_reader *in, uint64_t *words, size_t n, unsigned parameter) {
  for (size_t i = 1; i <= n && in->at <= in->end; i++) {
    unsigned quotient = (unsigned)__builtin_ctzll(peek(in) | UINT64_C(1) << ESCAPE);
    in->at += quotient + (quotient < ESCAPE);
    uint64_t low = take_long(in, quotient < ESCAPE ? parameter : 64);
    words[i] = words[i - 1] + (quotient < ESCAPE ? ((uint64_t)quotient << parameter) + low : low);
  }
  return in->at <= in->end;
}

/* Unused bits of the last byte must be 0. */
static bool ends_properly(const struct bit_reader *in) {
  return in->at <= in->end && in->end - in->at < 8 &&
         (in->at == in->end || !(peek(in) & low_mask((unsigned)(in->end - in->at))));
}

bool delta_decode(const uint8_t *bytes, size_t length, uint64_t *words, size_t n) {
  if (n == 0 || length < 8)
    return false;
  struct bit_reader in = {.bytes = bytes, .at = 64, .end = 8 * length};
  words[0] = load64(bytes);
  for (size_t i = 0; i + 1 < n; i += GROUP_WORDS) {
    size_t group = n - 1 - i < GROUP_WORDS ? n - 1 - i : GROUP_WORDS;
    unsigned parameter = (unsigned)take_bits(&in, PARAMETER_BITS);
    if (!(parameter <= SHORT_PARAMETER ? take_short_codes : take_long_codes)(&in, words + i, group, parameter))
      return false;
  }
  return ends_properly(&in);
}
