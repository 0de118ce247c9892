/* What the tests of temporal properties share: one model with one property "p", explored with the same options. */
#ifndef FLOE_TESTS_API_LIVENESS_SUITE_H
#define FLOE_TESTS_API_LIVENESS_SUITE_H

#include "floe.h"
#include "tests/suite.h"

extern floe_log *messages;
extern floe_model *model;
extern floe_options options;
extern const char five_counters[]; /* declarations: 6^5 states */

void setup_liveness(void);
void teardown_liveness(void);

/* The first message; "": there is none. */
const char *message(void);
/* `declarations` before the property of this kind and text. */
void use_model(const char *declarations, const char *kind, const char *text);
floe_result *explore(void);

/* The trace closes, is fair, and the property is false on its run. */
void require_run(const floe_trace *trace);
/* Explores; `text` names the property in messages. */
void require(const char *text, floe_verdict_value value);
void require_undecided(floe_undecided why);

/* liveness_checkpoints.c */
void add_checkpoint_tests(TCase *tests);

#endif
