/* Properties of every set of the table interface, whatever its scheme: for test programs of one scheme, or of all. */
#ifndef FLOE_TESTS_TABLES_TABLE_SET_SUITE_H
#define FLOE_TESTS_TABLES_TABLE_SET_SUITE_H

#include <stdbool.h>

/* Whether the scheme has find-or-put for keys of any width. */
bool set_is_one(const char *scheme);

/* Of equal keys put by threads at the same time exactly one is new. */
void set_by_threads(const char *scheme);
/* The traits agree with table_plan, and stable schemes have slot numbers. */
void set_like_its_traits(const char *scheme);
/* Slot numbers, of schemes whose traits have `stable` and not `every_key`; does nothing for others. Each key has a
   number of its own, also if keys are deleted, threads put the same keys and the table is full; the number stays,
   and table_key_at returns the key. */
void set_with_numbers(const char *scheme);
void set_with_numbers_by_threads(const char *scheme);

#endif
