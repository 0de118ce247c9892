/* A table scheme in a few dozen lines, for tests: a set of keys of any width in slots of 64 bits, by linear probing
   under one mutex. */
#ifndef TESTS_TABLE_TOY_SCHEME_H
#define TESTS_TABLE_TOY_SCHEME_H

#include "tables/scheme.h"

extern const struct table_scheme toy_scheme;

#endif
