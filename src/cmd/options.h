/* The options of the command line (options.def), parsed. */
#ifndef FLOE_CMD_OPTIONS_H
#define FLOE_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct optional {
  bool given;
  const char *text; /* NULL: given without a value */
};
struct list {
  const char **items;
  size_t n;
};
struct size {
  uint64_t bytes; /* 0: not given in bytes */
  double share;   /* of the memory available, 0..1; 0: not given as a share */
};

enum { MOST_CHOICES = 8 }; /* that an option has */
struct choices {
  unsigned values[MOST_CHOICES];
  size_t n; /* 0: not given */
};

typedef bool option_SWITCH;
typedef const char *option_TEXT;
typedef const char *option_READS;
typedef const char *option_WRITES;
typedef struct optional option_WRITES_OPTIONAL;
typedef const char *option_RECORDS;
typedef const char *option_DRAWS;
typedef struct list option_LIST;
typedef uint64_t option_NUMBER;
typedef double option_SECONDS;
typedef struct size option_SIZE;
typedef unsigned option_CHOICE;
typedef unsigned option_WIDTH;
typedef struct choices option_CHOICES;
typedef struct choices option_WIDTHS;

/* What was not given is zero. Texts belong to the command line. */
struct options {
#define OPTION(field, kind, letter, name, argument, low, high, commands, help) option_##kind field;
#include "cmd/options.def"
#undef OPTION
  uint64_t given; /* bit GIVEN(field) */
};

enum option_id {
#define OPTION(field, kind, letter, name, argument, low, high, commands, help) OPTION_##field,
#include "cmd/options.def"
#undef OPTION
  OPTION_COUNT
};
_Static_assert(OPTION_COUNT <= 64, "options.given has one bit an option");
#define GIVEN(options, field) (((options)->given >> OPTION_##field & 1) != 0)

enum option_kind {
  SWITCH,
  TEXT,
  READS,
  WRITES,
  WRITES_OPTIONAL,
  RECORDS,
  DRAWS,
  LIST,
  NUMBER,
  SECONDS,
  SIZE,
  CHOICE,
  WIDTH,
  CHOICES,
  WIDTHS
};
struct option_row {
  const char *name, *argument, *help;
  enum option_kind kind;
  int letter;
  double low, high;
  unsigned commands; /* mask of IN(command) */
  size_t offset;     /* of the field in struct options */
};
extern const struct option_row option_rows[OPTION_COUNT];

enum command_number {
#define COMMAND(name) COMMAND_##name,
#include "cmd/commands.def"
#undef COMMAND
  COMMAND_COUNT
};
#define IN(name) (1u << COMMAND_##name)

/* Reads argv[1..argc). Operands are moved to the end, *first is the index of the first of them.
 * False after a message. */
bool options_parse(int argc, char **argv, struct options *options, int *first);
/* Refuses options that the command does not take. False after a message. */
bool options_fit(const struct options *options, const char *command, unsigned command_bit);
void options_free(struct options *options);

#endif
