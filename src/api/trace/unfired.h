/* Why transitions never fired: every state is looked at once more, and each condition of each of
 * them counted. */
#ifndef FLOE_NEVER_H
#define FLOE_NEVER_H

#include "api/explore/exploration.h"
#include "engine/trace/level_archive.h"

#define NEVER_MOST_CONDITIONS 60
#define NEVER_NO_CONDITION UINT8_MAX

/* What a condition asks for. */
enum never_kind {
  NEVER_PLACE,    /* the instance is at the location that the transition leaves */
  NEVER_PRIORITY, /* nobody else is at a committed location */
  NEVER_GUARD,    /* a part of its guard */
  NEVER_PARTNER,  /* somebody at the other end of the channel */
  NEVER_READY,    /* there is room in the channel, or a message */
  NEVER_MATCH     /* the message is one that is taken */
};

/* A ground transition that would fire the goal's transition. Its tests and guards belong to
 * conditions of the goal. */
struct never_candidate {
  const struct transition *transition;
  uint32_t number;
  uint8_t *test_condition, *guard_condition; /* NEVER_NO_CONDITION: to none */
};

/* A transition of the model that never fired. */
struct never_goal {
  uint32_t edge;
  const char *texts[NEVER_MOST_CONDITIONS];
  enum never_kind kinds[NEVER_MOST_CONDITIONS];
  uint8_t condition_count;
  struct never_candidate *candidates;
  size_t candidate_count, candidate_cap;
};

/* What the states say about a goal. */
struct never_tally {
  uint64_t states[NEVER_MOST_CONDITIONS]; /* in which the condition was true for some candidate and
                                             choice */
  bool any;                               /* the best of all: */
  unsigned met;                           /* number of bits in `mask` */
  uint64_t mask;
  uint32_t depth, choice;
  size_t candidate;
  uint64_t *state; /* words */
};

/* Goals for all transitions that never fired. All memory from `arena`, whose guard must be active. */
struct never_goal *never_goals(const struct model *model, const uint64_t *fired, struct arena *arena, size_t *count);
/* Of so many goals, with nothing counted yet. */
struct never_tally *never_tallies(size_t count, uint32_t words, struct arena *arena);
/* Who takes part in which ground transition. */
struct never_part {
  uint32_t transition, participant;
};
struct never_index {
  const struct model *model;
  size_t *firsts; /* [edge_count]: of its instance 0, in `starts` */
  size_t *starts; /* parts of an edge's instance are starts[firsts[edge] + instance] up to the next */
  struct never_part *parts;
};
struct never_index *never_index_of(const struct model *model, struct arena *arena);
/* The same of one transition, whether it fired or not, with the candidates in which this instance is the one that takes
   it. */
struct never_goal *never_goal_of(const struct never_index *index, uint32_t edge, uint32_t instance,
                                 struct arena *arena);

/* The conditions that are false in a state, as bits: those of the tests, which are the same for every choice, and those
   of the guards among the others. Each condition by itself: none hides a later one, as it does when a step is looked
   for. */
uint64_t never_failed_tests(const struct model *model, const struct never_candidate *candidate, const int64_t *values);
uint64_t never_failed_guards(const struct model *model, const struct never_candidate *candidate, const int64_t *values,
                             const int64_t *selects, uint64_t failed);

/* Where states are, and how they are looked at. */
struct never_look {
  const struct model *model;
  const struct layout *layout;
  const struct archive *archive;
  unsigned threads;
  struct stop stop;  /* the time that there is */
  struct post *post; /* of the group of which each member has a part of the states; NULL: all are here */
};

/* Looks at every state of the archive, on all threads, until the time is up, or a LETTER_STOP comes. tallies[count];
 *looked: states that were looked at. */
floe_status never_count(const struct never_look *look, const struct never_goal *goals, size_t count,
                        struct never_tally *tallies, uint64_t *looked);
/* Adds what was counted elsewhere, in other states. */
void never_add(const struct never_tally *tally, const struct never_goal *goal, uint32_t words, struct never_tally *sum);
/* never_count by all members of the group, where there is one. */
floe_status never_count_together(const struct never_look *look, const struct never_goal *goals, size_t count,
                                 struct never_tally *tallies, uint64_t *looked);
/* In a member that is not rank 0: its answer to a TASK_NEVER, whose content is `question`. An error: the group is of no
   use any more. *interrupted: there is a wish to end. */
floe_status never_answer(const struct never_look *look, const void *question, size_t bytes, bool *interrupted);

#endif
