/* The command floe. It uses libfloe through its public headers, and the benchmarks through bench/floe_bench.h. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/files.h"
#include "cmd/output.h"
#include "cmd/session.h"
#include "cmd/signals.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* True if the word cannot be a model: it does not look like a path, and no such file exists. */
static bool looks_like_command(const char *word) {
  return strcmp(word, "-") != 0 && !strpbrk(word, "/.") && access(word, F_OK) != 0;
}

/* The command to run; removes its name from the operands. NULL after a message. */
static const struct command *choose_command(char ***operands, int *count) {
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
  print_error(near ? hint : "'floe help' lists the commands", "'%s' is neither a command nor a file", **operands);
  return NULL;
}

static bool operand_count_fits(const struct command *command, int count) {
  if (count >= command->min_operands && count <= command->max_operands)
    return true;
  char hint[128];
  snprintf(hint, sizeof hint, "usage: floe %s [OPTION]... %s", command->name, command->operands);
  if (count < command->min_operands)
    print_error(hint, "missing operand: %s", command->operands);
  else
    print_error(hint, "too many operands: floe %s takes %s", command->name,
                command->max_operands == 1 ? "one"
                : command->max_operands    ? "two"
                                           : "none");
  return false;
}

static int dispatch(const struct options *options, char **operands, int count) {
  if (options->version)
    return command_version.run(options, operands, 0);
  bool nothing = count == 0;
  const struct command *command = choose_command(&operands, &count);
  if (!command)
    return EXIT_USAGE;
  if (options->help) {
    print_help(nothing ? NULL : command);
    return EXIT_SATISFIED;
  }
  if (!options_check(options, command->name, command->bit) || !operand_count_fits(command, count))
    return EXIT_USAGE;
  if (!files_check(options, command, operands, count))
    return EXIT_USAGE;
  if (options->quiet)
    suppress_model_warnings();
  return command->run(options, operands, count);
}

/* Twice what the deepest nesting in a model and the most temporary values of a transition need. */
#define LEAST_STACK ((rlim_t)1024 << 10)

static bool stack_suffices(void) {
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY || stack.rlim_cur >= LEAST_STACK)
    return true;
  print_error("raise the limit: ulimit -s 8192", "stack limit of %llu KiB is too small; floe needs %llu KiB",
              (unsigned long long)stack.rlim_cur >> 10, (unsigned long long)LEAST_STACK >> 10);
  return false;
}

/* ---- several processes ----------------------------------------------------------------------- */

/* Runs a process other than rank 0; returns rank 0's exit code. Only rank 0 prints, including errors in the options
   (`options` is NULL then). */
static int run_mpi_worker(const struct options *options) {
  floe_options settings;
  int code = EXIT_INTERNAL;
  if (options)
    make_settings(options, &settings);
  return floe_mpi_worker(options ? &settings : NULL, &code) == FLOE_OK ? code : EXIT_INTERNAL;
}

/* MPI starts threads, which must not receive the signals: they are blocked first. */
static int init_mpi(unsigned *rank) {
  floe_log *log = NULL;
  unsigned count;
  *rank = 0;
  if (floe_mpi_job_size() == 1)
    return EXIT_SATISFIED;
  signals_catch();
  floe_log_create(&log); /* on failure join nevertheless, because the other processes wait */
  const floe_status status = floe_mpi_init(log, rank, &count);
  const int code = status == FLOE_OK ? EXIT_SATISFIED : status == FLOE_ERROR_IO ? EXIT_INTERNAL : EXIT_USAGE;
  if (code != EXIT_SATISFIED)
    print_failure(status, log);
  floe_log_free(log);
  return code;
}

static bool silence_output(void) { return freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr); }

int main(int argc, char **argv) {
  struct options options;
  unsigned rank;
  int first, code = EXIT_USAGE;
  output_begin();
  memset(&options, 0, sizeof options);
  const int joined = init_mpi(&rank);
  if (joined != EXIT_SATISFIED)
    return joined;
  if (rank > 0) {
    const bool parsed = silence_output() && options_parse(argc, argv, &options, &first);
    code = run_mpi_worker(parsed ? &options : NULL);
    options_free(&options);
    return code;
  }
  if (stack_suffices() && options_parse(argc, argv, &options, &first))
    code = dispatch(&options, argv + first, argc - first);
  options_free(&options);
  code = output_end(code);
  signals_end_reading();
  floe_mpi_finalize(code);
  if (floe_abandoned_calls())
    _exit(code); /* all outputs are written; do not wait for a compiler that still runs */
  return code;
}
