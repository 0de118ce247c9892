/* For one harness: half of the mutations of libFuzzer change whole tokens. */
#ifndef FLOE_TESTS_FUZZ_MUTATE_TOKENS_H
#define FLOE_TESTS_FUZZ_MUTATE_TOKENS_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

#define MOST_TOKENS 4096

static struct token { size_t from, to; } tokens[MOST_TOKENS];

static bool in_word(uint8_t c) { return isalnum(c) || c == '_'; }

static size_t find_tokens(const uint8_t *text, size_t size) {
  size_t count = 0;
  for (size_t at = 0; at < size && count < MOST_TOKENS;) {
    const size_t from = at++;
    if (isspace(text[from]))
      continue;
    while (in_word(text[from]) && at < size && in_word(text[at]))
      at++;
    tokens[count++] = (struct token){from, at};
  }
  return count;
}

/* Copies text[from..to) to the end of out, with a blank; false: no room. */
static bool append(uint8_t *out, size_t *length, size_t most, const uint8_t *text, size_t from, size_t to) {
  if (most - *length < to - from + 1)
    return false;
  memcpy(out + *length, text + from, to - from);
  *length += to - from;
  out[(*length)++] = ' ';
  return true;
}

static const char *const numbers[] = {
    "0", "1", "-1", "2", "64", "4294967296", "2305843009213693952", "9223372036854775807"};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  const size_t count = seed % 2 ? find_tokens(data, size) : 0;
  uint8_t *out = count ? malloc(most) : NULL;
  if (!out)
    return LLVMFuzzerMutate(data, size, most);
  srand(seed);
  const size_t a = (size_t)rand() % count, b = (size_t)rand() % count, run = 1 + (size_t)rand() % 12;
  const size_t a_end = a + run < count ? a + run : count, b_end = b + run < count ? b + run : count;
  const char *number = numbers[(size_t)rand() % (sizeof numbers / sizeof *numbers)];
  const struct token first = tokens[a], last = tokens[a_end - 1], from = tokens[b], to = tokens[b_end - 1];
  size_t length = 0;
  bool fits = append(out, &length, most, data, 0, first.from);
  switch (rand() % 6) {
  case 0: /* delete tokens */
    fits = fits && append(out, &length, most, data, last.to, size);
    break;
  case 1: /* replace one */
    fits = fits && append(out, &length, most, data, from.from, from.to) &&
           append(out, &length, most, data, first.to, size);
    break;
  case 2: /* replace some */
    fits =
        fits && append(out, &length, most, data, from.from, to.to) && append(out, &length, most, data, last.to, size);
    break;
  case 3: /* insert one */
    fits = fits && append(out, &length, most, data, from.from, from.to) &&
           append(out, &length, most, data, first.from, size);
    break;
  case 4: /* insert some */
    fits = fits && append(out, &length, most, data, from.from, to.to) &&
           append(out, &length, most, data, first.from, size);
    break;
  default: /* a number */
    fits = fits && append(out, &length, most, (const uint8_t *)number, 0, strlen(number)) &&
           append(out, &length, most, data, first.to, size);
  }
  if (fits)
    memcpy(data, out, length);
  free(out);
  return fits ? length : LLVMFuzzerMutate(data, size, most);
}

#endif
