#include "cmd/console/value.h"

#include "cmd/console/message.h"
#include "cmd/console/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A whole number without sign or blanks; *end is the text after it. */
static bool parse_whole(const char *text, const char **end, uint64_t *out) {
  if (!isdigit((unsigned char)*text))
    return false;
  char *rest;
  errno = 0;
  *out = strtoull(text, &rest, 10);
  *end = rest;
  return errno == 0;
}

/* A number in decimal notation; not the hexadecimal, infinite and signed ones that strtod also accepts. */
static bool parse_decimal(const char *text, const char **end, double *out) {
  if (strspn(text, "0123456789.") == 0 || (text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
    return false;
  char *rest;
  *out = strtod(text, &rest);
  *end = rest;
  return rest != text && isfinite(*out);
}

bool read_number(const struct option_row *row, const char *text, option_NUMBER *out) {
  const char *end;
  uint64_t value;
  bool sound = parse_whole(text, &end, &value) && *end == 0;
  if (sound && (double)value >= row->low && (double)value <= row->high) {
    *out = value;
    return true;
  }
  char hint[128];
  snprintf(hint, sizeof hint, "use a whole number from %.0f to %.0f, for example --%s=%.0f", row->low, row->high,
           row->name, row->low > 1 ? row->low : fmin(4, row->high));
  print_error(hint, "'%s' is not a valid value for --%s", text, row->name);
  return false;
}

bool read_seconds(const struct option_row *row, const char *text, option_SECONDS *out) {
  const char *end;
  double value;
  bool sound = parse_decimal(text, &end, &value) && *end == 0;
  if (sound && value >= row->low && value <= row->high) {
    *out = value;
    return true;
  }
  char hint[128];
  snprintf(hint, sizeof hint, "use seconds from %g to %g, for example --%s=2.5", row->low, row->high, row->name);
  print_error(hint, "'%s' is not a valid value for --%s", text, row->name);
  return false;
}

/* 1 for "", 2^10 for "K" or "KiB", and so on; 0: no unit. */
static double unit_factor(const char *text) {
  static const char units[] = "KMGT";
  if (*text == 0)
    return 1;
  const char *suffix = strchr(units, toupper((unsigned char)*text));
  const char *rest = text + 1;
  if (!suffix || (*rest && strcasecmp(rest, "B") != 0 && strcasecmp(rest, "iB") != 0))
    return 0;
  return ldexp(1, 10 * (int)(suffix - units + 1));
}

bool read_size(const struct option_row *row, const char *text, option_SIZE *out) {
  const char *end = text;
  double value = 0;
  if (parse_decimal(text, &end, &value) && value > 0) {
    if (strcmp(end, "%") == 0 && value <= 100) {
      *out = (struct size){0, value / 100};
      return true;
    }
    double bytes = value * unit_factor(end);
    if (bytes >= 1 && bytes < 1e18) {
      *out = (struct size){(uint64_t)bytes, 0};
      return true;
    }
  }
  char hint[128];
  snprintf(hint, sizeof hint, "use bytes with K, M, G or T, or a percentage: --%s=2G, --%s=50%%", row->name, row->name);
  print_error(hint, "'%s' is not a valid value for --%s", text, row->name);
  return false;
}

/* Splits "a|b|c", which is copied to `text`. */
static size_t split_choices(const char *argument, char *text, size_t size, const char *choices[MOST_CHOICES]) {
  size_t n = 0;
  char *rest;
  snprintf(text, size, "%s", argument);
  for (char *word = strtok_r(text, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
    choices[n++] = word;
  return n;
}

bool read_choice(const struct option_row *row, const char *text, option_CHOICE *out) {
  char words[128], hint[256];
  const char *choices[MOST_CHOICES];
  size_t n = split_choices(row->argument, words, sizeof words, choices);
  for (size_t i = 0; i < n; i++) {
    if (strcmp(text, choices[i]) == 0) {
      *out = (unsigned)i;
      return true;
    }
  }
  const char *near = nearest_word(text, strlen(text), choices, n);
  if (near)
    snprintf(hint, sizeof hint, "did you mean --%s=%s?", row->name, near);
  else
    snprintf(hint, sizeof hint, "use one of %s", row->argument);
  print_error(hint, "'%s' is not a valid value for --%s", text, row->name);
  return false;
}

bool read_width(const struct option_row *row, const char *text, option_WIDTH *out) {
  unsigned choice;
  if (!read_choice(row, text, &choice))
    return false;
  *out = (unsigned)strtoul(text, NULL, 10);
  return true;
}

/* Parses each item of a list by `read`. Items must differ, so that they fit in `out`. */
static bool read_items(const struct option_row *row, const char *text,
                       bool (*read)(const struct option_row *, const char *, unsigned *), struct choices *out) {
  char word[32];
  out->n = 0;
  for (const char *at = text;; at++) {
    const size_t length = strcspn(at, ",");
    unsigned value;
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    if (!read(row, word, &value))
      return false;
    for (size_t i = 0; i < out->n; i++)
      if (out->values[i] == value) {
        print_error("list every value once", "'%s' is not a valid value for --%s: a value is repeated", text,
                    row->name);
        return false;
      }
    out->values[out->n++] = value;
    at += length;
    if (!*at)
      return true;
  }
}

bool read_choice_list(const struct option_row *row, const char *text, option_CHOICES *out) {
  return read_items(row, text, read_choice, out);
}

bool read_width_list(const struct option_row *row, const char *text, option_WIDTHS *out) {
  return read_items(row, text, read_width, out);
}
