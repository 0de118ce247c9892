/* Finds why transitions never fired: a second pass evaluates each of their conditions in every state and counts. */
#ifndef FLOE_API_TRACE_UNFIRED_H
#define FLOE_API_TRACE_UNFIRED_H

#include "api/explore/exploration.h"
#include "engine/trace/level_archive.h"

#define UNFIRED_MOST_CONDITIONS 60
#define UNFIRED_NO_CONDITION UINT8_MAX

enum unfired_kind {
  UNFIRED_PLACE,    /* the instance is at the location that the transition leaves */
  UNFIRED_PRIORITY, /* no other instance is at a committed location */
  UNFIRED_GUARD,    /* part of its guard */
  UNFIRED_PARTNER,  /* an instance at the other end of the channel can take part */
  UNFIRED_READY,    /* the channel is not full (sending), or not empty (receiving) */
  UNFIRED_MATCH     /* the message matches */
};

/* A ground transition that fires the goal's transition, with the goal's condition of each of its tests and guards. */
struct unfired_candidate {
  const struct transition *transition;
  uint32_t number;
  uint8_t *test_condition, *guard_condition; /* UNFIRED_NO_CONDITION: none */
};

/* A transition of the model that never fired, and its conditions. */
struct unfired_goal {
  uint32_t edge;
  const char *texts[UNFIRED_MOST_CONDITIONS];
  enum unfired_kind kinds[UNFIRED_MOST_CONDITIONS];
  uint8_t condition_count;
  struct unfired_candidate *candidates;
  size_t candidate_count, candidate_cap;
};

/* Counts for a goal, and its nearest state: the one with most conditions true at once. */
struct unfired_tally {
  uint64_t states[UNFIRED_MOST_CONDITIONS]; /* in which the condition was true for some candidate and choice */
  bool any;                                 /* there is a nearest state: */
  unsigned met;                             /* number of bits in `mask` */
  uint64_t mask;                            /* conditions true there */
  uint32_t depth, choice;
  size_t candidate;
  uint64_t *state; /* its key */
};

/* Goals for all transitions of the model with fired[edge] == 0. All memory from `arena`, whose guard must be active. */
struct unfired_goal *unfired_goals(const struct model *model, const uint64_t *fired, struct arena *arena,
                                   size_t *count);
/* [count] empty tallies. */
struct unfired_tally *unfired_tallies(size_t count, uint32_t words, struct arena *arena);
/* Index from instances and transitions as written to the ground transitions in which they participate. */
struct unfired_part {
  uint32_t transition, participant;
};
struct unfired_index {
  const struct model *model;
  size_t *firsts; /* [edge_count] position of instance 0 in `starts` */
  size_t *starts; /* parts of an edge and instance: from starts[firsts[edge] + instance] up to the next start */
  struct unfired_part *parts;
};
struct unfired_index *unfired_index_of(const struct model *model, struct arena *arena);
/* Goal for one transition, fired or not, with the candidates in which this instance takes it. */
struct unfired_goal *unfired_goal_of(const struct unfired_index *index, uint32_t edge, uint32_t instance,
                                     struct arena *arena);

/* Conditions that are false in a state, as bits: those of the tests, which are the same for every choice, and `failed`
   with those of the guards added. Every condition is evaluated, also after a false one. */
uint64_t unfired_failed_tests(const struct model *model, const struct unfired_candidate *candidate,
                              const int64_t *values);
uint64_t unfired_failed_guards(const struct model *model, const struct unfired_candidate *candidate,
                               const int64_t *values, const int64_t *selects, uint64_t failed);

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
floe_status unfired_count(const struct unfired_search *search, const struct unfired_goal *goals, size_t count,
                          struct unfired_tally *tallies, uint64_t *looked);
/* Adds the counts of other states to `sum`. */
void unfired_add(const struct unfired_tally *tally, const struct unfired_goal *goal, uint32_t words,
                 struct unfired_tally *sum);
/* unfired_count by all members of the group, if there is one; for rank 0. */
floe_status unfired_count_distributed(const struct unfired_search *search, const struct unfired_goal *goals,
                                      size_t count, struct unfired_tally *tallies, uint64_t *looked);
/* Part of a member other than rank 0: executes a COMMAND_COUNT_UNFIRED with this content. An error means that the group
   cannot be used any more. *interrupted: an interrupt was requested here. */
floe_status unfired_answer(const struct unfired_search *search, const void *command, size_t bytes, bool *interrupted);

#endif
