/* Files of traces (doc/trace.schema.json): check --trace writes them, replay and simulate read
 * them. */
#ifndef FLOE_CMD_TRACE_FILE_H
#define FLOE_CMD_TRACE_FILE_H

#include "cmd/report/report.h"

/* Writes all traces of the result to the file of --trace. False after a message. */
bool write_traces(const struct report *report);

/* The document that holds the array of traces, which it takes; NULL when memory ends. */
json_t *traces_file(json_t *traces);

/* A step, a state, as the file has them; NULL when memory ends. */
json_t *step_record(const floe_step *step);
json_t *state_record(const floe_change *values, size_t count);

/* What is wrong, in words fit for a terminal whatever stands in the file. */
struct problem {
  char text[600];
};
void problem_set(struct problem *problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The array of traces of a document, which holds at least one. Every member that is there has the
   type that the schema gives it, and none is missing that `follow` needs. NULL, with the problem
   set: it cannot be read. */
json_t *trace_file_parse(const char *text, size_t length, struct problem *problem);
json_t *trace_file_load(const char *path, struct problem *problem); /* "-": standard input */

#endif
