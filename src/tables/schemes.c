/* The registry of schemes and their traits. To add a scheme, add its files and one line here. */
#include "tables/host_table.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

/* The default one first; schemes that can hold a visited set before the others. */
static const struct table_scheme *const schemes[] = {&iceberg_scheme, &linear_scheme, &bitmap_scheme, &cuckoo_scheme,
                                                     &robin_hood_scheme};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static const struct table_scheme *added; /* by a test program; else NULL */

void table_scheme_add(const struct table_scheme *scheme) {
  assert(!added && !table_scheme_find(scheme->name));
  added = scheme;
}

const struct table_scheme *table_scheme_at(size_t i) {
  if (i < SCHEMES)
    return schemes[i];
  return i == SCHEMES ? added : NULL;
}

const struct table_scheme *table_scheme_find(const char *name) {
  const struct table_scheme *scheme = schemes[0];
  for (size_t i = 0; name && (scheme = table_scheme_at(i)); i++)
    if (strcmp(name, scheme->name) == 0)
      break;
  return scheme;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *names[SCHEMES + 2]; /* with the added one, and NULL */

static void list_names(void) {
  const struct table_scheme *scheme;
  for (size_t i = 0; (scheme = table_scheme_at(i)); i++) {
    assert(table_scheme_find(scheme->name) == scheme); /* names are unique */
    assert(scheme->traits.stable == (scheme->find_or_put_slots != NULL));
    assert(scheme->traits.stable == (scheme->key_at != NULL));
    names[i] = scheme->name;
  }
}

const char *const *table_schemes(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, list_names);
  return names;
}

const char *table_scheme_name(const char *scheme) {
  const struct table_scheme *found = table_scheme_find(scheme);
  return found ? found->name : NULL;
}

/* ---- traits ---------------------------------------------------------------------------------- */

const struct table_traits *table_traits(const char *scheme) {
  const struct table_scheme *found = table_scheme_find(scheme);
  return found ? &found->traits : NULL;
}

bool table_has(const unsigned widths[TABLE_WIDTHS], unsigned width) {
  size_t i = 0;
  while (widths[i] && widths[i] != width)
    i++;
  return widths[i] != 0;
}

double table_fill(const char *scheme) {
  const struct table_scheme *found = table_scheme_find(scheme);
  return found && found->fill > 0 ? found->fill : TABLE_FILL;
}

bool table_sorts(const char *scheme) {
  const struct table_scheme *found = table_scheme_find(scheme);
  return found && found->sorted_find_or_put;
}

bool table_overflows(const char *scheme) {
  const struct table_scheme *found = table_scheme_find(scheme);
  return found && found->first_overflow;
}

bool table_has_distances(const char *scheme) {
  const struct table_scheme *found = table_scheme_find(scheme);
  return found && found->distances;
}
