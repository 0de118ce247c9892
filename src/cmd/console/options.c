#include "cmd/console/options.h"

#include "bench/floe_bench.h"
#include "cmd/console/message.h"
#include "cmd/console/suggest.h"
#include "cmd/console/value.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Value of a long option for getopt: its row number plus this, above every character. */
#define FIRST_VALUE 256

const struct option_row option_rows[OPTION_COUNT] = {
#define OPTION(field, kind, short_name, name, argument, low, high, commands, help)                                     \
  [OPTION_##field] = {name, argument, help, kind, short_name, low, high, commands, offsetof(struct options, field)},
#include "cmd/console/options.def"
#undef OPTION
};

static int argument_kind(enum option_kind kind) {
  if (kind == SWITCH)
    return no_argument;
  return kind == WRITES_OPTIONAL ? optional_argument : required_argument;
}

static void make_getopt_tables(struct option *table, char *short_options) {
  *short_options++ = ':'; /* makes getopt distinguish a missing argument from an unknown option */
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_row *row = &option_rows[i];
    table[i] = (struct option){row->name, argument_kind(row->kind), NULL, FIRST_VALUE + i};
    if (!row->short_name)
      continue;
    *short_options++ = (char)row->short_name;
    if (argument_kind(row->kind) == required_argument)
      *short_options++ = ':';
  }
  table[OPTION_COUNT] = (struct option){NULL, 0, NULL, 0};
  *short_options = 0;
}

static const struct option_row *option_of_value(int value) {
  for (int i = 0; i < OPTION_COUNT; i++)
    if (value == FIRST_VALUE + i || (value != 0 && value == option_rows[i].short_name))
      return &option_rows[i];
  return NULL;
}

static size_t name_length(const char *word) { return strcspn(word, "="); }

/* Reports why getopt rejected `word`. `value` is optopt: a short option, the value of a switch, or 0 if `word` is an
   unknown or ambiguous long option. */
static void report_bad_option(const char *word, int value) {
  const struct option_row *row = option_of_value(value);
  if (row && row->kind == SWITCH) {
    print_error(NULL, "option --%s takes no value", row->name);
    return;
  }
  if (value != 0) {
    print_error("'floe help COMMAND' lists the options", "unknown option -%c", value);
    return;
  }
  const char *name = word + 2;
  size_t length = name_length(name);
  const char *meant[OPTION_COUNT], *all[OPTION_COUNT];
  int matches = 0;
  for (int i = 0; i < OPTION_COUNT; i++) {
    all[i] = option_rows[i].name;
    if (strncmp(option_rows[i].name, name, length) == 0)
      meant[matches++] = option_rows[i].name;
  }
  char hint[128];
  if (matches > 1) {
    snprintf(hint, sizeof hint, "it matches --%s and --%s", meant[0], meant[1]);
    print_error(hint, "option --%.*s is ambiguous", (int)length, name);
    return;
  }
  const char *near = nearest_word(name, length, all, OPTION_COUNT);
  if (near)
    snprintf(hint, sizeof hint, "did you mean --%s?", near);
  print_error(near ? hint : "'floe help COMMAND' lists the options", "unknown option --%.*s", (int)length, name);
}

static bool add_item(struct list *list, const char *text) {
  const char **items = realloc(list->items, (list->n + 1) * sizeof *items);
  if (!items) {
    print_error(NULL, "out of memory");
    return false;
  }
  list->items = items;
  list->items[list->n++] = text;
  return true;
}

static bool is_file(const struct option_row *row) {
  return row->kind == READS || row->kind == WRITES || row->kind == WRITES_REGULAR || row->kind == WRITES_FOLDER ||
         row->kind == WRITES_OPTIONAL;
}

static bool refuse_empty(const struct option_row *row) {
  char hint[64];
  snprintf(hint, sizeof hint, "use --%s=%s", row->name, row->argument);
  print_error(hint, "'' is not a valid value for --%s", row->name);
  return false;
}

static bool store_value(const struct option_row *row, const char *text, struct options *options) {
  if (is_file(row) && text && !*text)
    return refuse_empty(row);
  void *field = (char *)options + row->offset;
  switch (row->kind) {
  case SWITCH:
    *(option_SWITCH *)field = true;
    return true;
  case TEXT:
  case WORD:
  case READS:
  case WRITES:
  case WRITES_REGULAR:
  case WRITES_FOLDER:
    *(option_TEXT *)field = text;
    return true;
  case WRITES_OPTIONAL:
    *(option_WRITES_OPTIONAL *)field = (struct optional){true, text};
    return true;
  case LIST:
    return add_item(field, text);
  case NUMBER:
    return read_number(row, text, field);
  case SECONDS:
    return read_seconds(row, text, field);
  case SIZE:
    return read_size(row, text, field);
  case CHOICE:
    return read_choice(row, text, field);
  case WIDTH:
    return read_width(row, text, field);
  case CHOICES:
    return read_choice_list(row, text, field);
  case WIDTHS:
    return read_width_list(row, text, field);
  }
  return false;
}

bool options_parse(int argc, char **argv, struct options *options, int *first) {
  struct option table[OPTION_COUNT + 1];
  char short_options[2 * OPTION_COUNT + 2];
  make_getopt_tables(table, short_options);
  memset(options, 0, sizeof *options);
  int value;
  while ((value = getopt_long(argc, argv, short_options, table, NULL)) != -1) {
    const struct option_row *row = option_of_value(value == ':' ? optopt : value);
    if (value == ':') {
      print_error(NULL, "option --%s needs a value: --%s=%s", row->name, row->name, row->argument);
      return false;
    }
    if (!row) {
      report_bad_option(argv[optind - 1], optopt);
      return false;
    }
    if (!store_value(row, optarg, options))
      return false;
    const size_t number = (size_t)(row - option_rows);
    options->given[number / 64] |= (uint64_t)1 << number % 64;
  }
  *first = optind;
  return true;
}

static bool is_list(const struct options *options, const struct option_row *row) {
  const struct choices *choices = (const void *)((const char *)options + row->offset);
  return (row->kind == CHOICES || row->kind == WIDTHS) && choices->n > 1;
}

const char *option_argument(unsigned option, unsigned command_bit) {
  static const struct {
    unsigned option, command_bit;
    const char *argument;
  } arguments[] = {
#define OPTION(field, kind, short_name, name, argument, low, high, commands, help)
#define ARGUMENT(command, field, argument) {OPTION_##field, IN(command), argument},
#include "cmd/console/options.def"
#undef OPTION
  };
  for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
    if (arguments[i].option == option && arguments[i].command_bit == command_bit)
      return arguments[i].argument;
  return option_rows[option].argument;
}

bool option_word(const struct options *options, unsigned option, unsigned command_bit, unsigned *index) {
  struct option_row row = option_rows[option];
  row.argument = option_argument(option, command_bit);
  *index = 0;
  const char *text = *(const option_WORD *)(const void *)((const char *)options + row.offset);
  return !text || read_choice(&row, text, index);
}

bool options_check(const struct options *options, const char *command, unsigned command_bit) {
  for (unsigned i = 0; i < OPTION_COUNT; i++) {
    if (!option_given(options, i))
      continue;
    if (is_list(options, &option_rows[i]) && command_bit != IN(bench)) {
      print_error("only floe bench accepts a list", "option --%s takes a single value", option_rows[i].name);
      return false;
    }
    unsigned word;
    if (option_rows[i].commands & command_bit && option_rows[i].kind == WORD &&
        !option_word(options, i, command_bit, &word))
      return false;
    if (option_rows[i].commands & command_bit)
      continue;
    char hint[128];
    snprintf(hint, sizeof hint, "'floe help %s' lists its options", command);
    print_error(hint, "floe %s has no option --%s", command, option_rows[i].name);
    return false;
  }
  return true;
}

void options_free(struct options *options) {
  free(options->define.items);
  free(options->property.items);
  free(options->sweep.items);
  free(options->vary.items);
}
