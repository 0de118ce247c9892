/* Finds why transitions never fired: a second pass evaluates each of their conditions in every state and counts. */
#ifndef FLOE_API_TRACE_UNFIRED_H
#define FLOE_API_TRACE_UNFIRED_H

#include "api/explore/exploration.h"
#include "api/trace/conditions.h"
#include "engine/trace/level_archive.h"

/* Counts for a transition, and its nearest state: the one with most conditions true at once. */
struct unfired_tally {
  uint64_t states[CONDITIONS_MOST]; /* in which the condition was true for some candidate and choice */
  bool any;                         /* there is a nearest state: */
  unsigned met;                     /* number of bits in `mask` */
  uint64_t mask;                    /* conditions true there */
  uint32_t depth;
  uint64_t choice;    /* of select values */
  uint64_t candidate; /* instance * edge->location_count + number of the location that it leaves */
  uint64_t *state;    /* its key */
};

/* Conditions of all transitions of the model with fired[edge] == 0. All memory from `arena`, whose guard must be
   active. */
struct conditions *unfired_goals(const struct model *model, const uint64_t *fired, struct arena *arena, size_t *count);
/* Sets edge, instance, location and the selected values, selects[edge->select_count], of the attempt that is nearest to
   firing. */
void unfired_attempt(const struct conditions *goal, const struct unfired_tally *tally, int64_t *selects,
                     struct attempt *out);
/* [count] empty tallies. */
struct unfired_tally *unfired_tallies(size_t count, uint32_t words, struct arena *arena);
/* Input of the counting. */
struct unfired_search {
  const struct model *model;
  const struct layout *layout;
  const struct archive *archive;
  unsigned threads;
  struct stop stop;
  struct comm *comm; /* of a group whose members archive a part of the states each; NULL: no group */
};

/* Evaluates the conditions in every state of the archive, on all threads, until `stop` or a MSG_STOP. tallies[count];
 *looked: number of states evaluated. */
floe_status unfired_count(const struct unfired_search *search, const struct conditions *goals, size_t count,
                          struct unfired_tally *tallies, uint64_t *looked);
/* Adds the counts of other states to `sum`. */
void unfired_add(const struct unfired_tally *tally, const struct conditions *goal, uint32_t words,
                 struct unfired_tally *sum);
/* unfired_count by all members of the group, if there is one; for rank 0. */
floe_status unfired_count_distributed(const struct unfired_search *search, const struct conditions *goals, size_t count,
                                      struct unfired_tally *tallies, uint64_t *looked);
/* Part of a member other than rank 0: executes a COMMAND_COUNT_UNFIRED with this content. An error means that the group
   cannot be used any more. *interrupted: an interrupt was requested here. */
floe_status unfired_answer(const struct unfired_search *search, const void *command, size_t bytes, bool *interrupted);

#endif
