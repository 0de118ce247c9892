/* Warnings about a model, grouped: similar warnings are printed once, with the lines of the others. */
#ifndef FLOE_CMD_CONSOLE_WARNING_H
#define FLOE_CMD_CONSOLE_WARNING_H

#include "floe_common.h"

#include <stdbool.h>
#include <stdio.h>

/* True for a warning about the model, false for one about the run. */
bool is_model_warning(const floe_message *message);

/* True if a similar warning about the same file precedes message i of the log. */
bool is_repeated(const floe_log *log, size_t i);

/* Prints "and 2 more of this kind, in lines 7 and 9" for the similar warnings about the same file after
   message i, if there are any. */
void put_similar_warnings(FILE *stream, const floe_log *log, size_t i);

#endif
