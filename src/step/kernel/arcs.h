/* Table of arcs: the transitions of a model as data, for models whose guards compare elements with constants and whose
   statements add or assign constants (step/arcs/arc_table.h). An arc is one such comparison or change. All arcs of a
   transition that concern the same word of the state are one test or one update, as far as they can be. Kernel C, for
   every engine. Follows a shim (tables/kernel/shim.h). */
#ifndef FLOE_KERNEL_ARCS_H
#define FLOE_KERNEL_ARCS_H

/* (word & mask) == value */
struct arc_test {
  uint64_t mask, value;
  uint32_t word, unused;
};

/* A field of the word is in least..least + span. */
struct arc_range {
  uint64_t mask, least, span;
  uint32_t word, shift;
  uint32_t site, unused; /* of a check: the error if it is not */
};

/* word = (word & keep) + add: no sum leaves its field. */
struct arc_update {
  uint64_t keep, add;
  uint32_t word, unused;
};

/* First test, range and so on of a transition. They end where those of the next row begin; its ranges end at its first
   check, which are ranges, too. */
struct arc_row {
  uint32_t test, range, check, update;
};

struct arc_table {
  const struct arc_row *rows; /* [transitions + 1] */
  const struct arc_test *tests;
  const struct arc_range *ranges;
  const struct arc_update *updates;
  uint32_t transitions;
};

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
