/* Values of options: each reader stores into *out, or complains (what is wrong, what would be
 * right) and returns false. */
#ifndef FLOE_CMD_VALUE_H
#define FLOE_CMD_VALUE_H

#include "cmd/option.h"

bool read_number(const struct option_row *row, const char *text, option_NUMBER *out);
bool read_seconds(const struct option_row *row, const char *text, option_SECONDS *out);
bool read_size(const struct option_row *row, const char *text, option_SIZE *out);
bool read_choice(const struct option_row *row, const char *text, option_CHOICE *out);
bool read_width(const struct option_row *row, const char *text, option_WIDTH *out);
bool read_choices(const struct option_row *row, const char *text, option_CHOICES *out);
bool read_widths(const struct option_row *row, const char *text, option_WIDTHS *out);

#endif
