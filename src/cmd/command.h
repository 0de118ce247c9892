/* The commands of floe. To add one: write its file with a `const struct command`, add its line to commands.def, and
   add its name to the options of options.def that it takes. */
#ifndef FLOE_CMD_COMMAND_H
#define FLOE_CMD_COMMAND_H

#include "cmd/console/exit_code.h"
#include "cmd/console/options.h"

struct files;

struct command {
  const char *name;
  unsigned bit;                   /* IN(name) */
  const char *operands;           /* for the usage line */
  const char *summary;            /* one line */
  const char *description;        /* further lines of its --help, "" if there are none */
  int min_operands, max_operands; /* number of operands */
  int input_operands;             /* number of leading operands that name input files */
  /* Adds outputs that no option names; NULL: there are none. False after a message. */
  bool (*add_outputs)(struct files *files, const struct options *options, char *const *operands, int count);
  int (*run)(const struct options *options, char *const *operands, int count);
};

#define COMMAND(name) extern const struct command command_##name;
#include "cmd/console/commands.def"
#undef COMMAND

extern const struct command *const commands[];        /* NULL-terminated */
const struct command *find_command(const char *name); /* NULL: no such command */
const char *suggest_command(const char *name);        /* NULL: no similar name */

void print_help(const struct command *command); /* to standard output; NULL: the help of floe itself */

#endif
