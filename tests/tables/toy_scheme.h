/* A short table scheme for tests: a set of keys of any width in slots of 64 bits, by linear probing under one mutex. */
#ifndef FLOE_TESTS_TABLES_TOY_SCHEME_H
#define FLOE_TESTS_TABLES_TOY_SCHEME_H

#include "tables/scheme.h"

extern const struct table_scheme toy_scheme;

#endif
