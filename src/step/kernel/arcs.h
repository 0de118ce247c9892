/* Table of arcs: the transitions of a model as data, for models whose guards compare elements with constants and whose
   statements add or assign constants (step/arcs/arc_table.h). An arc is one such comparison or change. All arcs of a
   transition that concern the same word of the state are one test or one update, as far as they can be. Kernel C, for
   every engine. */
#ifndef FLOE_KERNEL_ARCS_H
#define FLOE_KERNEL_ARCS_H

#ifndef KERNEL_MACHINE
#include <stdint.h>
#endif

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

#endif
