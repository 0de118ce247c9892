/* What a working-set table of floe_tables.h must do, on any engine: random programs, compared after each call with a
   model of a few lines. Of floe_tables.h alone: run on the CPU, on the imitated GPU and on a GPU. */
#ifndef TESTS_TABLE_WORKING_SET_SUITE_H
#define TESTS_TABLE_WORKING_SET_SUITE_H

#include <floe_tables.h>

struct working_set_settings {
  floe_log *log;
  floe_engine engine;
  const char *cache_dir;
  unsigned seeds; /* how many random programs of each kind */
  unsigned calls; /* of a program */
};

/* Prints what is wrong; the number of programs that failed. `variant`: of floe_hash_variant. */
int working_set_run(const struct working_set_settings *settings, const char *variant);

#endif
