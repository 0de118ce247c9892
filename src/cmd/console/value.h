/* Parsers of option values. Each stores into *out; on an error it prints the cause and a correct form and returns
   false. */
#ifndef FLOE_CMD_CONSOLE_VALUE_H
#define FLOE_CMD_CONSOLE_VALUE_H

#include "cmd/console/option.h"

bool read_number(const struct option_row *row, const char *text, option_NUMBER *out);
bool read_seconds(const struct option_row *row, const char *text, option_SECONDS *out);
bool read_size(const struct option_row *row, const char *text, option_SIZE *out);
bool read_choice(const struct option_row *row, const char *text, option_CHOICE *out);
bool read_width(const struct option_row *row, const char *text, option_WIDTH *out);
bool read_choice_list(const struct option_row *row, const char *text, option_CHOICES *out);
bool read_width_list(const struct option_row *row, const char *text, option_WIDTHS *out);

#endif
