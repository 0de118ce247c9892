/* Standard output and result files: every write error is detected and reported. */
#ifndef FLOE_CMD_OUTPUT_H
#define FLOE_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Call first. From then on a closed pipe, or a file above the size limit, makes the write fail instead of ending the
   process. */
void output_begin(void);
/* Call last. Returns `code`; if standard output could not be written, prints a message and returns
   output_failed(code). A pipe that its reader closed early is no error. */
int output_end(int code);

/* Exit code of a run that would return `code`, after an output failed. EXIT_VIOLATED stays: a violation is certain, and
   a script that looks for one must see it. EXIT_SATISFIED and EXIT_UNDECIDED become EXIT_OUTPUT, because the caller
   would read an old file, or none. */
int output_failed(int code);

/* True for NULL and "-". */
bool is_standard_output(const char *path);

/* Writes a file by `write` (which returns false on failure). The complete file replaces `path`; until then the old
   content stays. Devices, pipes and standard output are written directly. False after a message. */
bool write_file(const char *path, bool (*write)(FILE *stream, const void *data), const void *data);
/* Tests whether write_file could write `path` now, before a long run. False after the message of write_file. */
bool can_write_file(const char *path);

#endif
