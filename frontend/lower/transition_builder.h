/* Construction of ground transitions from the lowered parts of their participants. */
#ifndef FLOE_FRONTEND_LOWER_TRANSITION_BUILDER_H
#define FLOE_FRONTEND_LOWER_TRANSITION_BUILDER_H

#include "frontend/lower/lowered_part.h"

/* A ground transition under construction. */
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
  const struct sent_message *message;
  uint32_t temps;
  size_t failing; /* guards that can fail */
  bool never;     /* the last guard is false: later guards are never tested */
};

void transition_builder_start(struct check *c);
void transition_builder_guard(struct check *c, const struct expr *guard); /* split at `and` */
/* A guard that is always true but evaluates `value`, which can fail. */
void transition_builder_test_errors(struct check *c, const struct expr *value, source_at at);
void transition_builder_selects(struct check *c, const struct select *selects, size_t n);
void transition_builder_test(struct check *c, const struct process_edge *edge, uint32_t from);
void transition_builder_join(struct check *c, const struct process_edge *edge, const struct expr *participates);
/* Adds the transition to the model, unless it can never fire and none of its tests can fail. */
void transition_builder_finish(struct check *c, source_at at);
/* The value before the step: itself if constant, else a new temporary. */
const struct expr *transition_builder_let(struct check *c, const struct expr *value, source_at at, uint32_t site,
                                          const struct interval *range);
/* The values sent, range-checked for the channel: constants or temporaries. */
const struct expr **transition_builder_sent(struct check *c, const struct process_edge *sender,
                                            const struct lowered_part *part);
bool is_committed(const struct process_edge *edge, uint32_t from);
/* Starts a transition of one instance alone: test, selects, priority and guard. */
void transition_builder_start_alone(struct check *c, struct process_edge *edge, const struct lowered_part *part,
                                    uint32_t from);

void add_statement(struct check *c, struct statements *out, const struct statement *statement);
void add_effects(struct check *c, struct statements *out, const struct lowered_part *part);
/* Adds the assignments of received fields. */
void add_received(struct check *c, struct statements *out, const struct process_edge *receiver,
                  const struct lowered_part *part, const struct expr *const *values);
void add_location_change(struct check *c, struct statements *out, const struct process_edge *edge, uint32_t from);

#endif
