/* Checks the input and output files of a run before it starts: no output replaces an input or another output, and
   every output can be written. options.def declares how each option uses its file, so the check covers all options. */
#ifndef FLOE_CMD_FILES_H
#define FLOE_CMD_FILES_H

#include "cmd/command.h"

/* False after a message. */
bool files_check(const struct options *options, const struct command *command, char *const *operands, int count);

/* For a command's add_outputs: adds a file that the command will create. `label` names it in messages. */
void files_add_output(struct files *files, const char *label, const char *path);

#endif
