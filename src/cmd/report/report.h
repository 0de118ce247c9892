/* What an exploration found, as text and as JSON (doc/result.schema.json). */
#ifndef FLOE_CMD_REPORT_H
#define FLOE_CMD_REPORT_H

#include "cmd/options.h"
#include "floe.h"

#include <jansson.h>

struct report {
  const char *command; /* "check" or "count" */
  const struct options *options;
  const floe_model *model;
  const floe_result *result;
  size_t number; /* in a report of several explorations, from 1; 0: it is the only one */
};

/* check.c: text, and the files that the options ask for; the exit code. The verdict comes first: whatever becomes of
   the files, it is told. */
int check_tell(const struct report *report);

/* The exit code that the verdicts amount to. */
int report_code(const struct report *report);

/* To standard output. */
void report_text(const struct report *report);
void report_model(const floe_model *model); /* its name and constants */
void report_trace(const floe_verdict *verdict, const char *file, bool full_states);
/* What every instance waits for in the last state of a deadlock. */
void report_waits(const floe_trace *trace, const char *file);
/* In full; `lead` is "start" or "state". */
void report_state(const char *lead, const floe_change *values, size_t count);
void report_step(const floe_step *step, size_t number, const char *file);

/* Why a transition never fired, where --why-never found out. */
void report_never(const floe_result *result, size_t transition);

/* The i-th verdict as it is shown: violations first, then all others, both in the model's order. */
floe_verdict report_verdict(const floe_result *result, size_t i);
/* The states of a trace one after the other. `values` has floe_trace_initial(trace) of them. */
void trace_begin(const floe_trace *trace, floe_change *values);
void trace_follow(const floe_trace *trace, size_t step, floe_change *values);

/* New objects; NULL when memory ends. */
json_t *report_json(const struct report *report);
json_t *trace_json(const floe_trace *trace, bool full_states); /* NULL gives null */
json_t *waits_json(const floe_trace *trace);
json_t *parts_json(const floe_trace *trace);
json_t *text_json(const char *text);  /* UTF-8 whatever it is */
json_t *value_json(const char *text); /* of a variable: a number, a truth value or a text */
json_t *constants_json(const floe_model *model);
json_t *model_json(const floe_model *model, const char *command); /* the members that all objects begin with */

/* Writes and drops `object`; NULL or "-" is standard output. False after a message. */
bool put_json(const char *path, json_t *object);
/* --json without a file: it stands on standard output instead of the text. */
bool json_instead(const struct options *options);

/* "holds", "violated at depth 5" into `out`, cut to `size`. */
void verdict_text(floe_verdict_value value, int64_t depth, char *out, size_t size);
/* The same with what has to be said beside it: how far it is undecided, and that it is of the
 * states explored. */
void verdict_words(const floe_summary *summary, const floe_verdict *verdict, char *out, size_t size);
enum { VERDICT_WORDS = 120 }; /* room for them */
/* Why an exploration ended, in words. */
const char *end_text(floe_end end);
/* The same of this one, with what is not in its numbers. */
void end_words(const floe_summary *summary, char *out, size_t size);
enum { END_WORDS = 240 };

#endif
