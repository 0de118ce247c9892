#include "cmd/check/sweep_axis.h"

#include "cmd/console/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool reject_sweep_value(const char *text) {
  print_error("use NAME=FIRST..LAST or NAME=VALUE,VALUE,..., for example --sweep N=2..7 or --sweep N=2,4,8",
              "'%s' is not a valid value for --sweep", text);
  return false;
}

/* A whole number, possibly negative; *end is the text after it. */
static bool read_value(const char *text, const char **end, int64_t *out) {
  const char *digits = *text == '-' ? text + 1 : text;
  char *rest;
  if (*digits < '0' || *digits > '9')
    return false;
  errno = 0;
  *out = strtoll(text, &rest, 10);
  *end = rest;
  return errno == 0;
}

/* Adds the values of one item, "4" or "2..7"; *end is the text after it. */
static bool read_item(struct axis *axis, const char *text, const char **end) {
  int64_t first, last;
  if (!read_value(text, end, &first))
    return false;
  last = first;
  if (strncmp(*end, "..", 2) == 0 && !read_value(*end + 2, end, &last))
    return false;
  if (last < first || (uint64_t)last - (uint64_t)first >= AXIS_MOST_VALUES - axis->n)
    return false;
  for (uint64_t i = 0; i <= (uint64_t)last - (uint64_t)first; i++)
    axis->values[axis->n++] = first + (int64_t)i;
  return true;
}

static bool read_values(struct axis *axis, const char *text) {
  for (;; text++) {
    if (!read_item(axis, text, &text))
      return false;
    if (*text != ',')
      return *text == 0;
  }
}

bool axis_read(const char *text, struct axis *out) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return reject_sweep_value(text);
  struct axis axis = {.name = strndup(text, (size_t)(equals - text)),
                      .values = malloc(AXIS_MOST_VALUES * sizeof *axis.values)};
  bool enough = axis.name && axis.values;
  if (enough && read_values(&axis, equals + 1)) {
    *out = axis;
    return true;
  }
  axis_free(&axis);
  if (enough)
    return reject_sweep_value(text);
  print_error(NULL, "out of memory");
  return false;
}

void axis_free(struct axis *axis) {
  free(axis->name);
  free(axis->values);
}
