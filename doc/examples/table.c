/* Two hash tables of libfloe: a map that counts the words of a text, and a set that grows while numbers are put.

       cc table.c -o table $(pkg-config --cflags --libs libfloe)
       ./table <text */
#include <floe_tables.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 256 }; /* keys per call: their cache misses overlap */

static floe_log *told;

/* The library prints nothing. */
static void must(floe_status status, const char *what) {
  if (status == FLOE_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, floe_status_name(status));
  for (size_t i = 0; i < floe_log_count(told); i++) {
    const floe_message *message = floe_log_at(told, i);
    fprintf(stderr, "  %s%s%s\n", message->message, message->hint ? "; " : "", message->hint ? message->hint : "");
  }
  exit(EXIT_FAILURE);
}

/* ---- a histogram: a map whose values are sums ------------------------------------------------ */

/* Up to 8 characters as a key; 0 at the end of the text. */
static uint64_t next_word(FILE *text) {
  uint64_t word = 0;
  int letter;
  while ((letter = getc(text)) != EOF && (isalpha(letter) || !word))
    if (isalpha(letter) && word >> 56 == 0)
      word = word << 8 | (uint64_t)tolower(letter);
  return word;
}

static void print_frequent(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  const uint64_t *least = user;
  for (size_t i = 0; i < n; i++) {
    if (values[i] < *least)
      continue;
    for (int shift = 56; shift >= 0; shift -= 8)
      if (keys[i] >> shift & 0xff)
        putchar((int)(keys[i] >> shift & 0xff));
    printf(" %" PRIu64 "\n", values[i]);
  }
}

static void add(floe_hash_table *histogram, uint64_t *words, size_t n) {
  uint64_t ones[BATCH];
  uint8_t answers[BATCH];
  size_t full;
  for (size_t i = 0; i < n; i++)
    ones[i] = 1;
  must(floe_hash_run(histogram, FLOE_HASH_ADD, words, ones, n, answers, &full), "add");
  if (full == 0)
    return;
  fprintf(stderr, "more than 65536 different words\n");
  exit(EXIT_FAILURE);
}

static void count_words(FILE *text) {
  uint64_t words[BATCH], least = 2, different;
  size_t n = 0;
  floe_hash_options options;
  floe_hash_table *histogram;
  floe_hash_options_init(&options);
  options.scheme = "robin-hood";
  options.value_bits = 64;
  options.reduction = FLOE_HASH_SUM;
  must(floe_hash_create(&options, told, &histogram), "a histogram");
  while ((words[n] = next_word(text)) != 0)
    if (++n == BATCH) {
      add(histogram, words, n);
      n = 0;
    }
  add(histogram, words, n);
  must(floe_hash_count(histogram, &different), "count");
  printf("%" PRIu64 " different words; more than once:\n", different);
  must(floe_hash_each(histogram, 0, 1, print_frequent, &least), "each");
  floe_hash_free(histogram);
}

/* ---- a set that grows ------------------------------------------------------------------------ */

/* Keys without a place are returned in `keys`, at the entries with the answer NONE. */
static size_t gather(uint64_t *keys, const uint8_t *answers, size_t n) {
  size_t left = 0;
  for (size_t i = 0; i < n; i++)
    if (answers[i] == FLOE_HASH_NONE)
      keys[left++] = keys[i];
  return left;
}

/* Puts all keys, and resizes the set if necessary. Returns the number of new keys. */
static size_t take_in(floe_hash_table *set, uint64_t *keys, size_t n) {
  uint8_t answers[BATCH];
  size_t fresh = 0, full;
  while (n) {
    must(floe_hash_run(set, FLOE_HASH_FIND_OR_PUT, keys, NULL, n, answers, &full), "find-or-put");
    for (size_t i = 0; i < n; i++)
      fresh += answers[i] == FLOE_HASH_NEW;
    n = gather(keys, answers, n);
    if (n)
      must(floe_hash_resize(set, 2 * floe_hash_information(set).slots), "resize");
  }
  return fresh;
}

/* The numbers of a walk by squares modulo a prime, of 31 bits. */
static void walk(void) {
  enum { STEPS = 400 * BATCH };
  uint64_t keys[BATCH], x = 2, fresh = 0;
  floe_hash_options options;
  floe_hash_table *set;
  floe_hash_options_init(&options);
  options.scheme = "iceberg";
  options.key_bits = 31;
  options.slots = 1000;
  must(floe_hash_create(&options, told, &set), "a set");
  for (size_t i = 0; i < STEPS; i += BATCH) {
    for (size_t k = 0; k < BATCH; k++)
      keys[k] = x = (x * x + 1) % UINT64_C(2147483647);
    fresh += take_in(set, keys, BATCH);
  }
  const floe_hash_info info = floe_hash_information(set);
  printf("%d steps, %" PRIu64 " different numbers, %.1f bytes each\n", STEPS, fresh,
         (double)info.bytes / (double)fresh);
  floe_hash_free(set);
}

int main(void) {
  must(floe_log_create(&told), "a log");
  count_words(stdin);
  walk();
  floe_log_free(told);
  return EXIT_SUCCESS;
}
