/* What a working-set table of floe_tables.h must do, on any engine: random programs, compared after each call with a
   model of a few lines. Of floe_tables.h alone: run on the CPU, on the imitated GPU and on a GPU. */
#ifndef TESTS_TABLE_WORKING_SET_SUITE_H
#define TESTS_TABLE_WORKING_SET_SUITE_H

#include <floe_tables.h>

#include <stdbool.h>

struct working_set_settings {
  floe_log *log;
  floe_engine engine;
  const char *cache_dir;
  unsigned seeds; /* how many random programs of each kind */
  unsigned calls; /* of a program */
  bool tells;     /* a line for each program that is as it should be, too */
};

/* Prints what is wrong; the number of programs that failed. `variant`: of floe_hash_variant. */
int working_set_run(const struct working_set_settings *settings, const char *variant);

/* The same operations by a table of settings->engine and by one of the CPU, of so many slots and with calls of so many
   operations in batches of a third of these, of which most are of few keys: answers, values, what comes back, levels
   and order. For sizes at which the model would take too long. */
int working_set_compare(const struct working_set_settings *settings, const char *variant, size_t slots, size_t n);

#endif
