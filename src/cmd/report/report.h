/* Results of an exploration as text and as JSON (doc/result.schema.json). */
#ifndef FLOE_CMD_REPORT_REPORT_H
#define FLOE_CMD_REPORT_REPORT_H

#include "cmd/console/options.h"
#include "floe.h"

#include <jansson.h>

struct report {
  const char *command; /* "check" or "count" */
  const struct options *options;
  const floe_model *model;
  const floe_result *result;
  size_t number; /* in a report of several explorations, from 1; 0: the only one */
};

/* check.c: prints the text, writes the files that the options name, and returns the exit code. The text comes first, so
   that the verdict is printed even if a file fails. */
int check_report(const struct report *report);

/* The exit code of the verdicts. */
int report_code(const struct report *report);

/* To standard output. */
void report_text(const struct report *report);
void report_model(const floe_model *model); /* its name and constants */

/* To `out`. */
void report_trace(FILE *out, const floe_verdict *verdict, const char *file, bool full_states);
/* For each instance in the last state of a deadlock: its transitions, and the conditions that disable them; then the
   same for transitions without a process. */
void report_blocked(FILE *out, const floe_trace *trace, const char *file);
/* " (m.xml:12)"; nothing for line 0. `file`: of an included file, or "" for the model's. */
void report_place(FILE *out, const char *file, const char *model_file, unsigned line);
/* All variables; `lead` is "start", "state" or "last". */
void report_state(FILE *out, const char *lead, const floe_change *values, size_t count);
/* `number` is the depth of the state after the step. A failing step has no such state and is printed without it. */
void report_step(FILE *out, const floe_step *step, size_t number, const char *file);
/* What a step prints, on a line of its own; nothing for "". */
void report_printed(FILE *out, const char *text);

/* "P label: from -> to" with ": " after the label; without a process the name alone. */
void report_transition(FILE *out, const floe_transition *transition, const char *after_label);
/* Why a transition never fired, if --why-never found the reason. */
void report_unfired(const floe_result *result, size_t transition);

/* The i-th verdict in the order of printing: violations first, then the others, both in the order of the model. */
floe_verdict report_verdict(const floe_result *result, size_t i);
/* Iterates over the states of a trace. `values` has floe_trace_variables(trace) entries. */
void trace_first_state(const floe_trace *trace, floe_change *values);
void trace_apply_step(const floe_trace *trace, size_t step, floe_change *values);

/* New objects; NULL: out of memory. */
json_t *report_json(const struct report *report);
json_t *trace_json(const floe_trace *trace, bool full_states); /* NULL gives null */
json_t *blocked_json(const floe_trace *trace);
json_t *state_record(const floe_change *values, size_t count);
json_t *step_record(const floe_step *step); /* as in trace files */
/* The member of such a record with what the step prints, if it prints something. */
void add_printed(json_t *record, const char *printed);
json_t *expansion_record(floe_expansion *expansion);
json_t *parts_json(const floe_trace *trace);
json_t *constraint_json(const floe_fair *fair);
void add_loop(json_t *record, const floe_trace *trace); /* adds "loop" if the trace has one */
json_t *text_json(const char *text);                    /* invalid UTF-8 is replaced */
json_t *value_json(const char *text);                   /* value of a variable: a number, a truth value or a string */
json_t *with_file(json_t *object, const char *file);    /* adds the member "file" unless `file` is "" */
json_t *constants_json(const floe_model *model);
json_t *model_json(const floe_model *model, const char *command); /* the members that begin every object */

/* --format=junit: writes the verdicts as JUnit XML to --output, else to standard output. False after a message. */
bool write_junit(const struct report *report);

/* --format=spin: that of a tool for the language of the model. */
bool is_tool_form(const struct options *options);
/* False after a message: the model is not in the language of the tool that the options name. */
bool check_tool(const struct options *options, const floe_model *model);
/* The results, and unless --quiet the traces, to --output, else to standard output. False after a message. */
bool write_tool_form(const struct report *report);
/* --spin-trail: the first trace of a violation. False after a message. */
bool write_trail(const struct report *report);

/* Writes and frees `object`; NULL or "-" is standard output. False after a message. */
bool put_json(const char *path, json_t *object);
/* True for --json without a file: standard output has the JSON instead of the text. */
bool json_replaces_text(const struct options *options);
bool is_junit(const struct options *options);
/* The model's digest without the name of its hash function. */
const char *digest_digits(const floe_model *model);
/* False if no transition of the model belongs to a process. */
bool has_processes(const floe_model *model);
/* False: no transition leaves the location of the instance. */
bool is_transition(const floe_blocked_transition *blocked);
/* A violated or unreachable property. */
bool is_violation(const floe_verdict *verdict);

/* "holds", "violated at depth 5" into `out`, cut to `size`. */
void verdict_text(floe_verdict_value value, int64_t depth, char *out, size_t size);
/* Level of the state that decides the property; -1: none, or a run decides it. */
int64_t verdict_level(const floe_verdict *verdict);
/* The same with its scope: the depth up to which an undecided property was checked, and "in the states explored". */
void verdict_phrase(const floe_summary *summary, const floe_verdict *verdict, char *out, size_t size);
enum { VERDICT_PHRASE_SIZE = 120 };
/* What precedes the text of such a part: "the left side of an implication is never true: ". */
const char *vacuous_lead(floe_vacuous_part part);
/* Of the states found. The depth of a state is the number of its level, and 0 for the initial state. */
uint32_t greatest_depth(const floe_summary *summary);
/* Why an exploration ended, as a sentence. */
const char *end_text(floe_end end);
/* The same with the depths that the summary has. */
void end_phrase(const floe_summary *summary, char *out, size_t size);
enum { END_PHRASE_SIZE = 240 };

#endif
