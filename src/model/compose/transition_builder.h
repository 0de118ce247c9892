/* Construction of ground transitions from the lowered parts of their participants. */
#ifndef FLOE_MODEL_COMPOSE_TRANSITION_BUILDER_H
#define FLOE_MODEL_COMPOSE_TRANSITION_BUILDER_H

#include "model/compose/part.h"

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
  const struct printed_part *printed;
  size_t printed_count;
  uint32_t temps;
  size_t failing; /* guards that can fail */
  bool never;     /* the last guard is false: later guards are never tested */
};

/* The beginning, guards and end of a transition of any language, without a composition. */
void transition_clear(struct transition_builder *builder);
void transition_guard(struct builder *b, struct transition_builder *builder,
                      const struct expr *guard); /* split at `and` */
/* Appends it to a list with model->transition_count items, for the initiator that follows those of the model. */
void transition_append(struct builder *b, const struct transition_builder *builder, source_at at,
                       struct transition **items, size_t *cap);

void transition_builder_start(struct compose *c);
void transition_builder_guard(struct compose *c, const struct expr *guard); /* split at `and` */
/* A guard that is always true but evaluates `value`, which can fail. */
void transition_builder_test_errors(struct compose *c, const struct expr *value, source_at at);
void transition_builder_selects(struct compose *c, const struct select *selects, size_t n);
void transition_builder_test(struct compose *c, const struct instance_edge *edge, uint32_t from);
void transition_builder_join(struct compose *c, const struct instance_edge *edge, const struct expr *participates);
/* Adds the transition to the model, unless it can never fire and none of its tests can fail. */
void transition_builder_finish(struct compose *c, source_at at);
/* The value before the step: itself if constant, else a new temporary. */
const struct expr *transition_builder_let(struct compose *c, const struct expr *value, source_at at, uint32_t site,
                                          const struct interval *range);
/* The values sent, range-checked for the channel: constants or temporaries. */
const struct expr **transition_builder_sent(struct compose *c, const struct instance_edge *sender,
                                            const struct part *part);
/* Starts a transition of one instance alone: test, selects, priority and guard. */
void transition_builder_start_alone(struct compose *c, struct instance_edge *edge, const struct part *part,
                                    uint32_t from);

void add_statement(struct compose *c, struct statements *out, const struct statement *statement);
void add_effects(struct compose *c, struct statements *out, const struct part *part);
/* Adds the assignments of received fields. */
void add_received(struct compose *c, struct statements *out, const struct instance_edge *receiver,
                  const struct part *part, const struct expr *const *values);
void add_location_change(struct compose *c, struct statements *out, const struct instance_edge *edge, uint32_t from);

#endif
