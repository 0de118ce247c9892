/* Requirements on every table on a device: run on a GPU (test_tables_gpu.c) and on the emulated one
   (test_emulated_tables.c). */
#ifndef FLOE_TEST_TABLE_SUITE_H
#define FLOE_TEST_TABLE_SUITE_H

#include "gpu/table/tables.h"

struct suite_settings {
  struct gpu *gpu;
  floe_log *log;
  const char *cache_dir;
  uint64_t slots;     /* approximate slots of a table */
  uint64_t few_slots; /* of a table that is filled to the last slot */
  bool all;           /* false: layouts of one kind share the slow checks */
  bool brief;         /* the first layout of each kind, and a quarter of the others with the usual checks alone */
  const char *only;   /* NULL: all layouts; else those of this scheme */
  uint64_t footprint; /* of the memory measurements; 0: none */
};

/* Prints a line for each layout and one for each failure; returns the number of failures. */
int table_suite_run(const struct suite_settings *settings);

#endif
