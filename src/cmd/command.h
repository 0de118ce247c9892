/* The commands of floe. Adding one: its file with a `const struct command`, its line in commands.def, and its
   name in the options of options.def that it takes. */
#ifndef FLOE_CMD_COMMAND_H
#define FLOE_CMD_COMMAND_H

#include "cmd/exit_code.h"
#include "cmd/options.h"

struct files;

struct command {
  const char *name;
  unsigned bit;            /* IN(name) */
  const char *operands;    /* for the usage line */
  const char *summary;     /* one line */
  const char *description; /* further lines for its own help, "" where there are none */
  int least, most;         /* number of operands */
  int reads;               /* so many of them, the first ones, name files that are read */
  /* Adds outputs that no option names itself; NULL: there are none. False after a message. */
  bool (*add_outputs)(struct files *files, const struct options *options, char *const *operands, int count);
  int (*run)(const struct options *options, char *const *operands, int count);
};

#define COMMAND(name) extern const struct command command_##name;
#include "cmd/commands.def"
#undef COMMAND

extern const struct command *const commands[];        /* NULL-terminated */
const struct command *find_command(const char *name); /* NULL: there is none */
const char *suggest_command(const char *name);        /* NULL: none is near */

void print_help(const struct command *command); /* NULL: of floe as a whole; to standard output */

#endif
