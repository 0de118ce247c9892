/* Why transitions never fired: every state is looked at once more, and each condition of each of
 * them counted. */
#ifndef FLOE_NEVER_H
#define FLOE_NEVER_H

#include "api/explore/exploration.h"
#include "engine/trace/level_archive.h"

#define UNFIRED_MOST_CONDITIONS 60
#define UNFIRED_NO_CONDITION UINT8_MAX

/* What a condition asks for. */
enum unfired_kind {
  UNFIRED_PLACE,    /* the instance is at the location that the transition leaves */
  UNFIRED_PRIORITY, /* nobody else is at a committed location */
  UNFIRED_GUARD,    /* a part of its guard */
  UNFIRED_PARTNER,  /* somebody at the other end of the channel */
  UNFIRED_READY,    /* there is room in the channel, or a message */
  UNFIRED_MATCH     /* the message is one that is taken */
};

/* A ground transition that would fire the goal's transition. Its tests and guards belong to
 * conditions of the goal. */
struct unfired_candidate {
  const struct transition *transition;
  uint32_t number;
  uint8_t *test_condition, *guard_condition; /* UNFIRED_NO_CONDITION: to none */
};

/* A transition of the model that never fired. */
struct unfired_goal {
  uint32_t edge;
  const char *texts[UNFIRED_MOST_CONDITIONS];
  enum unfired_kind kinds[UNFIRED_MOST_CONDITIONS];
  uint8_t condition_count;
  struct unfired_candidate *candidates;
  size_t candidate_count, candidate_cap;
};

/* What the states say about a goal. */
struct unfired_tally {
  uint64_t states[UNFIRED_MOST_CONDITIONS]; /* in which the condition was true for some candidate and
                                             choice */
  bool any;                               /* the best of all: */
  unsigned met;                           /* number of bits in `mask` */
  uint64_t mask;
  uint32_t depth, choice;
  size_t candidate;
  uint64_t *state; /* words */
};

/* Goals for all transitions that never fired. All memory from `arena`, whose guard must be active. */
struct unfired_goal *unfired_goals(const struct model *model, const uint64_t *fired, struct arena *arena, size_t *count);
/* Of so many goals, with nothing counted yet. */
struct unfired_tally *unfired_tallies(size_t count, uint32_t words, struct arena *arena);
/* Who takes part in which ground transition. */
struct unfired_part {
  uint32_t transition, participant;
};
struct unfired_index {
  const struct model *model;
  size_t *firsts; /* [edge_count]: of its instance 0, in `starts` */
  size_t *starts; /* parts of an edge's instance are starts[firsts[edge] + instance] up to the next */
  struct unfired_part *parts;
};
struct unfired_index *unfired_index_of(const struct model *model, struct arena *arena);
/* The same of one transition, whether it fired or not, with the candidates in which this instance is the one that takes
   it. */
struct unfired_goal *unfired_goal_of(const struct unfired_index *index, uint32_t edge, uint32_t instance,
                                 struct arena *arena);

/* The conditions that are false in a state, as bits: those of the tests, which are the same for every choice, and those
   of the guards among the others. Each condition by itself: none hides a later one, as it does when a step is looked
   for. */
uint64_t unfired_failed_tests(const struct model *model, const struct unfired_candidate *candidate, const int64_t *values);
uint64_t unfired_failed_guards(const struct model *model, const struct unfired_candidate *candidate, const int64_t *values,
                             const int64_t *selects, uint64_t failed);

/* Where states are, and how they are looked at. */
struct unfired_look {
  const struct model *model;
  const struct layout *layout;
  const struct archive *archive;
  unsigned threads;
  struct stop stop;  /* the time that there is */
  struct comm *comm; /* of the group of which each member has a part of the states; NULL: all are here */
};

/* Looks at every state of the archive, on all threads, until the time is up, or a MSG_STOP comes. tallies[count];
 *looked: states that were looked at. */
floe_status unfired_count(const struct unfired_look *look, const struct unfired_goal *goals, size_t count,
                        struct unfired_tally *tallies, uint64_t *looked);
/* Adds what was counted elsewhere, in other states. */
void unfired_add(const struct unfired_tally *tally, const struct unfired_goal *goal, uint32_t words, struct unfired_tally *sum);
/* unfired_count by all members of the group, where there is one. */
floe_status unfired_count_together(const struct unfired_look *look, const struct unfired_goal *goals, size_t count,
                                 struct unfired_tally *tallies, uint64_t *looked);
/* In a member that is not rank 0: its answer to a COMMAND_COUNT_UNFIRED, whose content is `question`. An error: the group is of no
   use any more. *interrupted: there is a wish to end. */
floe_status unfired_answer(const struct unfired_look *look, const void *question, size_t bytes, bool *interrupted);

#endif
