/* Tests of the transitions of a table of arcs. Kernel C; follows a shim (tables/kernel/shim.h). */
#ifndef FLOE_KERNEL_ARC_TESTS_H
#define FLOE_KERNEL_ARC_TESTS_H

#include "step/kernel/arcs.h"

KERNEL_FN bool arc_in_range(const struct arc_range *range, const uint64_t *state) {
  return (state[range->word] >> range->shift & range->mask) - range->least <= range->span;
}

KERNEL_FN bool arc_enabled(const struct arc_table *table, uint32_t transition, const uint64_t *state) {
  const struct arc_row *const row = &table->rows[transition];
  for (uint32_t i = row->test; i < row[1].test; i++)
    if ((state[table->tests[i].word] & table->tests[i].mask) != table->tests[i].value)
      return false;
  for (uint32_t i = row->range; i < row->check; i++)
    if (!arc_in_range(&table->ranges[i], state))
      return false;
  return true;
}

/* Of an enabled transition: the check that fails first, a null pointer if there is none. */
KERNEL_FN const struct arc_range *arc_failure(const struct arc_table *table, uint32_t transition,
                                              const uint64_t *state) {
  const struct arc_row *const row = &table->rows[transition];
  for (uint32_t i = row->check; i < row[1].range; i++)
    if (!arc_in_range(&table->ranges[i], state))
      return &table->ranges[i];
  return 0;
}

#endif
