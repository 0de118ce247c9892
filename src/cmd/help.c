/* floe help, floe version, and --help of every command, generated from the tables. */
#include "bench/floe_bench.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/console/suggest.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 28

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cmd/console/commands.def"
#undef COMMAND
    NULL};

const struct command *find_command(const char *name) {
  for (size_t i = 0; commands[i]; i++)
    if (strcmp(commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

const char *suggest_command(const char *name) {
  const char *names[COMMAND_COUNT];
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    names[i] = commands[i]->name;
  return nearest_word(name, strlen(name), names, COMMAND_COUNT);
}

static const struct {
  enum option_id option;
  unsigned command;
  const char *help;
} command_helps[] = {
#define OPTION(field, kind, short_name, name, argument, low, high, commands, help)
#define HELP(command, field, help) {OPTION_##field, IN(command), help},
#include "cmd/console/options.def"
#undef OPTION
};

static const char *help_text(int option, unsigned command) {
  for (size_t i = 0; i < sizeof command_helps / sizeof *command_helps; i++)
    if ((int)command_helps[i].option == option && command_helps[i].command == command)
      return command_helps[i].help;
  return option_rows[option].help;
}

static void print_option(const struct option_row *row, const char *argument, const char *help) {
  char left[96];
  int n =
      row->short_name ? snprintf(left, sizeof left, "  -%c, ", row->short_name) : snprintf(left, sizeof left, "      ");
  const char *format = row->kind == WRITES_OPTIONAL ? "--%s[=%s]" : row->argument ? "--%s=%s" : "--%s";
  n += snprintf(left + n, sizeof left - (size_t)n, format, row->name, argument);
  if (n >= HELP_COLUMN)
    printf("%s\n%*s%s\n", left, HELP_COLUMN, "", help);
  else
    printf("%-*s%s\n", HELP_COLUMN, left, help);
}

static void print_general_help(void) {
  puts("Usage: floe [COMMAND] [OPTION]... [MODEL]\n"
       "Explicit-state model checker: explore all states of a model, check properties.\n\n"
       "Commands:");
  for (size_t i = 0; commands[i]; i++)
    printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
  puts("\n'floe MODEL' is short for 'floe check MODEL'. 'floe help COMMAND' lists the\n"
       "options of a command.\n\n"
       "Exit codes:\n"
       "  0  all properties satisfied\n"
       "  1  a property is violated\n"
       "  2  undecided (memory, time, interrupt)\n"
       "  3  error in the command line or the model, or a file cannot be opened\n"
       "  4  internal error: please report it\n"
       "  5  an output could not be written completely");
}

void print_help(const struct command *command) {
  if (!command) {
    print_general_help();
    return;
  }
  printf("Usage: floe %s [OPTION]... %s\n%s.\n%s\nOptions:\n", command->name, command->operands, command->summary,
         command->description);
  for (int i = 0; i < OPTION_COUNT; i++)
    if (option_rows[i].commands & command->bit)
      print_option(&option_rows[i], option_argument((unsigned)i, command->bit), help_text(i, command->bit));
}

static int run_help(const struct options *options, char *const *operands, int count) {
  (void)options;
  if (count == 0) {
    print_help(NULL);
    return EXIT_SATISFIED;
  }
  const struct command *command = find_command(operands[0]);
  if (command) {
    print_help(command);
    return EXIT_SATISFIED;
  }
  char hint[96];
  const char *near = suggest_command(operands[0]);
  snprintf(hint, sizeof hint, "did you mean '%s'?", near ? near : "");
  print_error(near ? hint : "'floe help' lists the commands", "unknown command '%s'", operands[0]);
  return EXIT_USAGE;
}

static int run_version(const struct options *options, char *const *operands, int count) {
  (void)options, (void)operands, (void)count;
  printf("floe %s\n", floe_version());
  return EXIT_SATISFIED;
}

const struct command command_help = {
    .name = "help",
    .bit = IN(help),
    .operands = "[COMMAND]",
    .summary = "Print the help of floe or of one command",
    .description = "",
    .max_operands = 1,
    .run = run_help,
};

const struct command command_version = {
    .name = "version",
    .bit = IN(version),
    .operands = "",
    .summary = "Print the version",
    .description = "",
    .run = run_version,
};
