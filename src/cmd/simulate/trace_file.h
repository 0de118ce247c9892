/* Trace files (doc/trace.schema.json): written by check --trace, read by replay and simulate. */
#ifndef FLOE_CMD_SIMULATE_TRACE_FILE_H
#define FLOE_CMD_SIMULATE_TRACE_FILE_H

#include "cmd/report/report.h"

/* Writes all traces of the result to the file of --trace. False after a message. */
bool write_traces(const struct report *report);

/* A trace of no property: its first state, and its steps. */
json_t *walk_record(const floe_model *model, json_t *initial, json_t *steps);

/* The document with the array of traces; takes ownership of it. NULL: out of memory. */
json_t *traces_file(json_t *traces);

/* Error description without control characters, even if the file has some. */
struct problem {
  char text[600];
};
void problem_set(struct problem *problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the array of traces of a document, at least one. All members that trace_replay_run needs are present, and
   members have the types of the schema. NULL on error, with the problem set. */
json_t *trace_file_parse(const char *text, size_t length, struct problem *problem);
json_t *trace_file_load(const char *path, struct problem *problem); /* "-": standard input */

#endif
