/* An option of the command line: the types of its value, and its row in the table. */
#ifndef FLOE_CMD_CONSOLE_OPTION_H
#define FLOE_CMD_CONSOLE_OPTION_H

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
  double share;   /* fraction of the available memory, 0..1; 0: not given as a fraction */
};

enum { MOST_CHOICES = 8 }; /* of one option */
struct choices {
  unsigned values[MOST_CHOICES];
  size_t n; /* 0: not given */
};

typedef bool option_SWITCH;
typedef const char *option_TEXT;
typedef const char *option_READS;
typedef const char *option_WRITES;
typedef struct optional option_WRITES_OPTIONAL;
typedef const char *option_WRITES_REGULAR;
typedef const char *option_WRITES_FOLDER;
typedef struct list option_LIST;
typedef uint64_t option_NUMBER;
typedef double option_SECONDS;
typedef struct size option_SIZE;
typedef unsigned option_CHOICE;
typedef const char *option_WORD;
typedef unsigned option_WIDTH;
typedef struct choices option_CHOICES;
typedef struct choices option_WIDTHS;

enum option_kind {
  SWITCH,
  TEXT,
  READS,
  WRITES,
  WRITES_OPTIONAL,
  WRITES_REGULAR,
  WRITES_FOLDER,
  LIST,
  NUMBER,
  SECONDS,
  SIZE,
  CHOICE,
  WORD,
  WIDTH,
  CHOICES,
  WIDTHS
};
struct option_row {
  const char *name, *argument, *help;
  enum option_kind kind;
  int short_name; /* 0: none */
  double low, high;
  unsigned commands; /* mask of IN(command) */
  size_t offset;     /* of the member of struct options */
};

#endif
