/* Answers in the lines of the contest. Each is printed at once. */
#ifndef FLOE_CMD_MCC_ANSWERS_H
#define FLOE_CMD_MCC_ANSWERS_H

#include "floe.h"

/* Verdicts on the properties of a file. */
struct answers {
  const char **ids; /* [count] of the model */
  bool *answered;
  size_t count;
};

/* From the properties of the checked model, without the built-in ones. False: no memory. */
bool answers_create(const floe_model *model, struct answers *answers);
void answers_free(struct answers *answers);

/* An answer to a formula; only the first answer to each is printed. */
void answer_formula(struct answers *answers, const char *id, const char *value);
void answer_verdict(struct answers *answers, const char *id, floe_verdict_value value);
/* CANNOT_COMPUTE for all formulas without an answer. False: there are some. */
bool answer_rest(struct answers *answers);

/* "FORMULA id value ..." */
void print_formula(const char *id, const char *value);

#endif
