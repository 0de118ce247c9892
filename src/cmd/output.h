/* Standard output and result files: nothing that could not be written goes unnoticed. */
#ifndef FLOE_CMD_OUTPUT_H
#define FLOE_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* To be called first: a closed pipe, or a file larger than allowed, is from then on an error of the
 * write, not the end of the process. */
void output_begin(void);
/* To be called last: returns `code`, or EXIT_INTERNAL after a message where standard output could
   not be written. A reader that closed its pipe early wanted no more: that is no error. */
int output_end(int code);

/* Writes a file by `write` (returns false on failure); it becomes `path` when all is written, and
   what is there already stays until then. What is no regular file (a device, a pipe) is written
   directly. False after a message. */
bool write_file(const char *path, bool (*write)(FILE *stream, const void *data), const void *data);
/* Could it be written now? For who has long work before it. False after the message that write_file would give. */
bool may_write_file(const char *path);
/* Would one take the place of the other, whatever their spelling? Not what is no regular file. */
bool is_same_file(const char *a, const char *b);

#endif
