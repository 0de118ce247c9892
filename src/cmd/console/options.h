/* The options of the command line (options.def), parsed. */
#ifndef FLOE_CMD_CONSOLE_OPTIONS_H
#define FLOE_CMD_CONSOLE_OPTIONS_H

#include "cmd/console/option.h"

/* Options that are not given are zero. Texts belong to the command line. */
struct options {
#define OPTION(field, kind, short_name, name, argument, low, high, commands, help) option_##kind field;
#include "cmd/console/options.def"
#undef OPTION
  uint64_t given[2]; /* option_given */
};

enum option_id {
#define OPTION(field, kind, short_name, name, argument, low, high, commands, help) OPTION_##field,
#include "cmd/console/options.def"
#undef OPTION
  OPTION_COUNT
};
_Static_assert(OPTION_COUNT <= 128, "options.given has one bit per option");
static inline bool option_given(const struct options *options, unsigned option) {
  return options->given[option / 64] >> option % 64 & 1;
}
#define GIVEN(options, field) option_given(options, OPTION_##field)

extern const struct option_row option_rows[OPTION_COUNT];

enum command_number {
#define COMMAND(name) COMMAND_##name,
#include "cmd/console/commands.def"
#undef COMMAND
  COMMAND_COUNT
};
#define IN(name) (1u << COMMAND_##name)

/* Parses argv[1..argc). Moves the operands to the end; *first is the index of the first one. False after a message. */
bool options_parse(int argc, char **argv, struct options *options, int *first);
/* Reports options that the command does not take. False after a message. */
bool options_check(const struct options *options, const char *command, unsigned command_bit);
/* Words or name of the option's value for this command: "aut|dot"; NULL: a switch. */
const char *option_argument(unsigned option, unsigned command_bit);
/* Index of the word that a WORD option has for this command; not given: 0. False after a message. */
bool option_word(const struct options *options, unsigned option, unsigned command_bit, unsigned *index);
void options_free(struct options *options);

#endif
