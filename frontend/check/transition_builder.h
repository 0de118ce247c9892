/* Ground transitions in the making, put together from the lowered parts of those who take part. */
#ifndef FLOE_CHECK_DRAFT_H
#define FLOE_CHECK_DRAFT_H

#include "frontend/check/lowered_part.h"

/* A ground transition in the making. */
struct transition_builder {
  struct location_test *tests;
  size_t test_count, test_cap;
  struct select *selects;
  size_t select_count, select_cap;
  const struct expr **guards;
  size_t guard_count, guard_cap;
  struct statements statements;
  struct participant *participants;
  size_t participant_count, participant_cap;
  uint32_t temps;
  size_t failing; /* guards that can fail */
  bool never;     /* the last guard is false; what would come after it is never tested */
};

void transition_builder_start(struct check *c);
void transition_builder_guard(struct check *c, const struct expr *guard); /* split at its conjunctions */
/* A guard that holds whatever the value: only its evaluation can fail. */
void transition_builder_evaluated(struct check *c, const struct expr *value, source_at at);
void transition_builder_selects(struct check *c, const struct select *selects, size_t n);
void transition_builder_test(struct check *c, const struct move *move, uint32_t from);
void transition_builder_join(struct check *c, const struct move *move, const struct expr *taking_part);
/* Leaves it out where it can never fire and none of its tests can fail. */
void transition_builder_finish(struct check *c, source_at at);
/* The value in the state before the step: itself if constant, else a new temporary. */
const struct expr *transition_builder_let(struct check *c, const struct expr *value, source_at at, uint32_t site,
                                          const struct interval *range);
/* The values sent, checked against the channel: constants or temporaries. */
const struct expr **transition_builder_sent(struct check *c, const struct move *sender, const struct part *part);
bool is_committed(const struct move *move, uint32_t from);
/* A transition of one instance alone: starts it, with its test, selects, priority and guard. */
void transition_builder_alone(struct check *c, struct move *move, const struct part *part, uint32_t from);

void add_statement(struct check *c, struct statements *out, const struct statement *statement);
void add_effects(struct check *c, struct statements *out, const struct part *part);
/* The fields that the receiver takes. */
void add_received(struct check *c, struct statements *out, const struct move *receiver, const struct part *part,
                  const struct expr *const *values);
void add_move(struct check *c, struct statements *out, const struct move *move, uint32_t from);

#endif
