/* Standard output and result files: nothing that could not be written goes unnoticed. */
#ifndef FLOE_CMD_OUTPUT_H
#define FLOE_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* To be called first: a closed pipe, or a file larger than allowed, is from then on an error of the
 * write, not the end of the process. */
void output_begin(void);
/* To be called last: returns `code`, or what output_lost makes of it after a message where standard
   output could not be written. A reader that closed its pipe early wanted no more: that is no
   error. */
int output_end(int code);

/* The exit code of a run that would have ended with `code` had an output been written. A violation
   stays one: it is certain, and who looks for it must find it. Success and "undecided" become
   EXIT_OUTPUT, since who goes on with the file would go on with an old one, or none. */
int output_lost(int code);

/* NULL or "-" in the place of a path. */
bool is_standard_output(const char *path);

/* Writes a file by `write` (returns false on failure); it becomes `path` when all is written, and
   what is there already stays until then. What is no regular file (a device, a pipe) is written
   directly, and so is standard output. False after a message. */
bool write_file(const char *path, bool (*write)(FILE *stream, const void *data), const void *data);
/* Could it be written now? For who has long work before it. False after the message that write_file would give. */
bool may_write_file(const char *path);

#endif
