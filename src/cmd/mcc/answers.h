/* Answers in the lines of the contest. Each is printed at once. */
#ifndef FLOE_CMD_MCC_ANSWERS_H
#define FLOE_CMD_MCC_ANSWERS_H

#include "floe.h"

/* Answers to the formulas of a file. */
struct answers {
  const char **ids; /* [count] of the model */
  bool *answered;
  size_t count;
  bool reduced; /* the model that answers is reduced */
};

/* For the properties of the checked model without the built-in ones, or for its measures. False: no memory. */
bool answers_create(const floe_model *model, bool measures, struct answers *answers);
void answers_free(struct answers *answers);

/* An answer to a formula; only the first answer to each is printed. */
void answer_formula(struct answers *answers, const char *id, const char *value);
void answer_verdict(struct answers *answers, const char *id, floe_verdict_value value);
/* CANNOT_COMPUTE for all formulas without an answer. False: there are some. */
bool answer_rest(struct answers *answers);

/* "FORMULA id value ..."; `reduced`: by a search of a reduced model. */
void print_formula(const char *id, const char *value, bool reduced);

#endif
