/* floe: the command. It knows libfloe by its public headers, and what floe bench measures by bench/floe_bench.h. */
#include "cmd/command.h"
#include "cmd/files.h"
#include "cmd/message.h"
#include "cmd/output.h"
#include "cmd/session.h"
#include "cmd/signals.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A word that can only have been meant as a command: nothing in it looks like a path, and no such
 * file is there. */
static bool looks_like_command(const char *word) {
  return strcmp(word, "-") != 0 && !strpbrk(word, "/.") && access(word, F_OK) != 0;
}

/* The command asked for; takes its name off the operands. NULL after a message. */
static const struct command *choose(char ***operands, int *count) {
  const struct command *command = *count ? find_command(**operands) : NULL;
  if (command) {
    ++*operands;
    --*count;
    return command;
  }
  if (!*count || !looks_like_command(**operands))
    return &command_check;
  char hint[96];
  const char *near = suggest_command(**operands);
  snprintf(hint, sizeof hint, "did you mean 'floe %s'?", near ? near : "");
  complain(near ? hint : "floe help lists the commands", "no command and no file '%s'", **operands);
  return NULL;
}

static bool right_number(const struct command *command, int count) {
  if (count >= command->least && count <= command->most)
    return true;
  char hint[128];
  snprintf(hint, sizeof hint, "usage: floe %s [OPTION]... %s", command->name, command->operands);
  if (count < command->least)
    complain(hint, "no %s given", command->operands);
  else
    complain(hint, "floe %s takes %s", command->name,
             command->most == 1 ? "one operand only"
             : command->most    ? "two operands"
                                : "no operand");
  return false;
}

static int dispatch(const struct options *options, char **operands, int count) {
  if (options->version)
    return command_version.run(options, operands, 0);
  bool nothing = count == 0;
  const struct command *command = choose(&operands, &count);
  if (!command)
    return EXIT_USAGE;
  if (options->help) {
    print_help(nothing ? NULL : command);
    return EXIT_AS_WANTED;
  }
  if (!options_fit(options, command->name, command->bit) || !right_number(command, count))
    return EXIT_USAGE;
  if (!files_fit(options, command, operands, count))
    return EXIT_USAGE;
  if (options->quiet)
    leave_out_model_warnings();
  return command->run(options, operands, count);
}

/* The deepest texts that a model may have, and threads that take their stack's size from the same
   limit, need a quarter of this. */
#define LEAST_STACK ((rlim_t)512 << 10)

static bool enough_stack(void) {
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY || stack.rlim_cur >= LEAST_STACK)
    return true;
  complain("'ulimit -s 8192' is what most systems have", "the stack is limited to %llu KiB: too little",
           (unsigned long long)stack.rlim_cur >> 10);
  return false;
}

/* ---- one of several processes ---------------------------------------------------------------- */

/* To rank 0's code. Only rank 0 says anything; what is wrong with the options (NULL then) it says, too. */
static int follow(const struct options *options) {
  floe_options settings;
  int code = EXIT_INTERNAL;
  if (options)
    make_settings(options, &settings);
  return floe_mpi_worker(options ? &settings : NULL, &code) == FLOE_OK ? code : EXIT_INTERNAL;
}

/* MPI starts threads, which must not be the ones that take the signals. */
static int join(unsigned *rank) {
  floe_log *log = NULL;
  unsigned count;
  *rank = 0;
  if (floe_mpi_started() == 1)
    return EXIT_AS_WANTED;
  signals_catch();
  floe_log_create(&log); /* without one, too, the others are joined: who does not come is waited for */
  const floe_status status = floe_mpi_init(log, rank, &count);
  const int code = status == FLOE_OK ? EXIT_AS_WANTED : status == FLOE_ERROR_IO ? EXIT_INTERNAL : EXIT_USAGE;
  if (code != EXIT_AS_WANTED)
    explain(status, log);
  floe_log_free(log);
  return code;
}

static bool be_silent(void) { return freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr); }

int main(int argc, char **argv) {
  struct options options;
  unsigned rank;
  int first, code = EXIT_USAGE;
  output_begin();
  memset(&options, 0, sizeof options);
  const int joined = join(&rank);
  if (joined != EXIT_AS_WANTED)
    return joined;
  if (rank > 0) {
    const bool parsed = be_silent() && options_parse(argc, argv, &options, &first);
    code = follow(parsed ? &options : NULL);
    options_free(&options);
    return code;
  }
  if (enough_stack() && options_parse(argc, argv, &options, &first))
    code = dispatch(&options, argv + first, argc - first);
  options_free(&options);
  code = output_end(code);
  signals_end_reading();
  floe_mpi_finalize(code);
  if (floe_abandoned_calls())
    _exit(code); /* nothing is left to be written, and nobody is to wait for a compiler */
  return code;
}
