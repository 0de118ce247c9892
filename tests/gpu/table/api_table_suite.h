/* Requirements on every hash table of floe_tables.h on a GPU: run on a GPU (test_api_table_gpu.c) and on the emulated
   one (test_emulated_api_table.c). */
#ifndef FLOE_TEST_API_TABLE_SUITE_H
#define FLOE_TEST_API_TABLE_SUITE_H

#include <floe_tables.h>

struct api_table_settings {
  floe_log *log;
  size_t slots; /* approximate slots of a table; at least 512 */
  bool part;    /* fewer forms */
  /* Device memory as a program allocates it with CUDA: 0 if not available. */
  uint64_t (*alloc)(size_t bytes);
  void (*free)(uint64_t address);
  void (*upload)(uint64_t to, const void *from, size_t bytes);
  void (*download)(void *to, uint64_t from, size_t bytes);
};

/* Prints a line for each form of table, "NAME: ok" or "NAME: FAILED", and one for each failure;
   returns their number. */
int api_table_suite_run(const struct api_table_settings *settings);

#endif
