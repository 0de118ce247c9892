/* Formulas of an examination: searches for all together, and for each alone on a net that is reduced for it. */
#ifndef FLOE_CMD_MCC_ROUNDS_H
#define FLOE_CMD_MCC_ROUNDS_H

#include "cmd/mcc/answers.h"
#include "cmd/session.h"

struct rounds {
  struct session *session;
  struct answers *answers;
  floe_options settings; /* of each search, but for its properties and limits */
  bool reduces;          /* the net may be reduced */
  bool temporal;         /* formulas of linear time: limits of states do not apply to them */
  double begun;          /* clock_now at which settings.timeout began */
};

/* Answers formulas until all are answered, or time or memory do not suffice. The exit code, after messages. */
int answer_in_rounds(struct rounds *rounds);

/* Reduces the model for the properties; `quiet`: without the note on the result. *reduced: something was removed. */
int reduce_model(struct session *session, const char *const *ids, size_t count, bool quiet, bool *reduced);

#endif
