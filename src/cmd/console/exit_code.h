/* The exit codes of floe. */
#ifndef FLOE_CMD_CONSOLE_EXIT_CODE_H
#define FLOE_CMD_CONSOLE_EXIT_CODE_H

enum exit_code {
  EXIT_SATISFIED = 0, /* all properties satisfied */
  EXIT_VIOLATED = 1,  /* a property violated, or a state required to be reachable is unreachable */
  EXIT_UNDECIDED = 2, /* memory, time limit, bound or interrupt ended the run first */
  EXIT_USAGE = 3,     /* error in the command line or the model, or a file cannot be opened */
  EXIT_INTERNAL = 4,  /* internal error */
  EXIT_OUTPUT = 5     /* the results are correct, but an output could not be written (cmd/output.h) */
};

#endif
