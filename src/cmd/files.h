/* The files that a run reads and writes, looked at before anything runs: what is written takes the
   place of nothing that is read, nor of anything else that is written, and it can be written.
   Options say in options.def what they do with a file, so that none is forgotten. */
#ifndef FLOE_CMD_FILES_H
#define FLOE_CMD_FILES_H

#include "cmd/command.h"

/* False after a message. */
bool files_fit(const struct options *options, const struct command *command, char *const *operands, int count);

/* One that will be made, for a command's add_outputs: it is compared with the others. `what` stands
 * for it in messages. */
void files_add_drawn(struct files *files, const char *what, const char *path);

#endif
