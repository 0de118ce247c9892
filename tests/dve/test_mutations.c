/* Files of tests/dve/cases and tests/bad with random changes through the front end of DVE: whatever the text, errors
   are logged exactly if it is no model, a model is sound, and no memory is left. A build with sanitizers checks
   accesses. */
#include "base/splitmix64.h"
#include "reading.h"
#include "tests/suite.h"

#include <dirent.h>
#include <string.h>

#define MOST_FILES 100
#define MOST_BYTES (1 << 16)

static struct {
  char *texts[MOST_FILES];
  size_t lengths[MOST_FILES], count;
} files;

static void read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  char *text = malloc(MOST_BYTES);
  const size_t length = fread(text, 1, MOST_BYTES, file);
  fclose(file);
  if (length == MOST_BYTES || files.count == MOST_FILES) {
    free(text);
    return;
  }
  files.texts[files.count] = text;
  files.lengths[files.count++] = length;
}

static void read_folder(const char *folder) {
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", top ? top : ".", folder);
  DIR *all = opendir(path);
  ck_assert_ptr_nonnull(all);
  for (struct dirent *entry; (entry = readdir(all));) {
    const char *ending = strrchr(entry->d_name, '.');
    snprintf(path, sizeof path, "%s/%s/%s", top ? top : ".", folder, entry->d_name);
    if (ending && strcmp(ending, ".dve") == 0)
      read_file(path);
  }
  closedir(all);
}

static void read_files(void) {
  read_folder("tests/dve/cases");
  read_folder("tests/bad");
  ck_assert_uint_gt(files.count, 20);
}

static void free_files(void) {
  while (files.count > 0)
    free(files.texts[--files.count]);
}

/* ---- changes ------------------------------------------------------------------------------------- */

static uint64_t state;

static size_t below(size_t bound) { return (size_t)(splitmix64_next(&state) % bound); }

static const char *const words[] = {
    "process ", "state ",     "init ",     "trans ",  "guard ", "sync ",      "effect ",     "commit ",
    "accept ",  "assert ",    "channel ",  "byte ",   "int ",   "const ",     "->",          "system ",
    "async ",   "sync ;",     "{",         "}",       "[",      "]",          "(",           ")",
    ";",        ",",          "!",         "?",       ".",      "=",          "imply ",      "not ",
    " or ",     " and ",      "<<",        ">>",      "%",      "/",          "*",           "-",
    "/*",       "//",         "\\\n",      "0",       "65536",  "2147483647", "99999999999", "\xff",
    "\n",       "property P", "genbuchi ", "muller ", "x",      "P",          "[99]",        "{1, 2}",
};

/* Replaces the bytes from..to by others; what does not fit is cut off. */
static size_t splice(char *text, size_t length, size_t from, size_t to, const char *by, size_t n) {
  char rest[MOST_BYTES];
  const size_t tail = length - to;
  memcpy(rest, text + to, tail);
  n = from + n > MOST_BYTES ? MOST_BYTES - from : n;
  memmove(text + from, by, n);
  const size_t fits = from + n + tail > MOST_BYTES ? MOST_BYTES - from - n : tail;
  memcpy(text + from + n, rest, fits);
  return from + n + fits;
}

static size_t change(char *text, size_t length) {
  const size_t from = below(length + 1), most = length - from, to = from + (most ? below(most < 40 ? most : 40) : 0);
  const size_t other = below(files.count), start = below(files.lengths[other]);
  const size_t left = files.lengths[other] - start;
  const char *word = words[below(sizeof words / sizeof *words)];
  const char byte = (char)below(256);
  switch (below(6)) {
  case 0:
    return splice(text, length, from, to, "", 0);
  case 1:
    return splice(text, length, from, from, word, strlen(word));
  case 2:
    return splice(text, length, from, to, word, strlen(word));
  case 3:
    return splice(text, length, from, from < length ? from + 1 : from, &byte, 1);
  case 4:
    return splice(text, length, from, from, files.texts[other] + start, left < 200 ? left : 200);
  default:
    return splice(text, length, from, length, "", 0);
  }
}

/* Number of texts that were models. */
static size_t run(uint64_t seed, size_t texts) {
  static char text[MOST_BYTES];
  size_t models = 0;
  state = seed;
  for (size_t i = 0; i < texts; i++) {
    const size_t file = below(files.count), changes = 1 + below(4);
    size_t length = files.lengths[file];
    bool valid;
    memcpy(text, files.texts[file], length);
    for (size_t k = 0; k < changes; k++)
      length = change(text, length);
    /* at the end of an allocation, so that a sanitizer sees accesses behind the text */
    char *exact = malloc(length + 1);
    memcpy(exact, text, length);
    ck_assert_msg(dve_read(exact, length, &valid), "seed %llu, text %zu:\n%.*s", (unsigned long long)seed, i,
                  (int)length, text);
    free(exact);
    models += valid;
  }
  return models;
}

START_TEST(mutations) {
  const size_t texts = at_length() ? 200000 : quickly() ? 1000 : 10000;
  read_files();
  const size_t models = run(1, texts);
  ck_assert_uint_gt(models, texts / 100);
  ck_assert_uint_lt(models, texts);
  free_files();
}
END_TEST

int main(void) {
  TCase *group = tcase_create("mutations");
  tcase_set_timeout(group, 1800);
  tcase_add_test(group, mutations);
  return suite_end(run_suite("dve_mutations", CK_NOFORK, group));
}
