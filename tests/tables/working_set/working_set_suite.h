/* Tests of working-set tables of floe_tables.h, on any engine: random programs, compared after each call with a
   short model. Uses floe_tables.h alone: run on the CPU, on the emulated GPU and on a GPU. */
#ifndef FLOE_TESTS_TABLES_WORKING_SET_WORKING_SET_SUITE_H
#define FLOE_TESTS_TABLES_WORKING_SET_WORKING_SET_SUITE_H

#include <floe_tables.h>

#include <stdbool.h>

struct working_set_settings {
  floe_log *log;
  floe_engine engine;
  const char *cache_dir;
  unsigned seeds; /* number of random programs of each kind */
  unsigned calls; /* calls per program */
  bool tells;     /* print a line for each correct program, too */
};

/* Prints errors; returns the number of failed programs. `variant`: of floe_hash_variant. */
int working_set_run(const struct working_set_settings *settings, const char *variant);

/* Runs the same operations on a table of settings->engine and on one of the CPU, with so many slots, calls of so
   many operations, and batches of a third of these, mostly on few keys. Compares answers, values, returned pairs,
   levels and order. For sizes at which the model would be too slow. */
int working_set_compare(const struct working_set_settings *settings, const char *variant, size_t slots, size_t n);

#endif
