/* The exit codes of floe. */
#ifndef FLOE_CMD_EXIT_CODE_H
#define FLOE_CMD_EXIT_CODE_H

enum exit_code {
  EXIT_AS_WANTED = 0, /* everything decided, and as the model wants it */
  EXIT_VIOLATED = 1,  /* a property is not as the model wants it */
  EXIT_UNDECIDED = 2, /* memory, time, bound or interrupt came first */
  EXIT_USAGE = 3,     /* the command line or the model is wrong */
  EXIT_INTERNAL = 4,  /* floe is wrong */
  EXIT_OUTPUT = 5     /* what was found is right, but an output could not be written (cmd/output.h) */
};

#endif
