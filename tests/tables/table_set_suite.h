/* What a set behind the seam has to be, whatever its scheme: for test programs that name one, or all. */
#ifndef TESTS_TABLE_SET_SUITE_H
#define TESTS_TABLE_SET_SUITE_H

#include <stdbool.h>

/* It has find-or-put for keys of any width. */
bool set_is_one(const char *scheme);

/* Random keys of any width against a reference, until keys find no place; each key once in iteration, all of them in a
   larger table, also where it is filled by several parts. */
void set_same_as_reference(const char *scheme);
/* Of equal keys put by threads at the same time exactly one is new. */
void set_by_threads(const char *scheme);
/* A key that finds no place does so again, and is found nowhere. */
void set_that_is_full(const char *scheme);
/* What the traits say is what table_plan makes, and that there are numbers of slots where keys keep theirs. */
void set_like_its_traits(const char *scheme);
/* Numbers of slots, of schemes whose traits say `stable` and not `every_key`; of others nothing is done. Each key has
   its own, also where keys are deleted, threads put the same ones and the table is full; it stays, and the key is found
   by it. */
void set_with_numbers(const char *scheme);
void set_with_numbers_by_threads(const char *scheme);

#endif
