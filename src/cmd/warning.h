/* Warnings about a model: those of one kind are told as one. */
#ifndef FLOE_CMD_WARNING_H
#define FLOE_CMD_WARNING_H

#include "floe_common.h"

#include <stdbool.h>
#include <stdio.h>

/* About the model, not about a run. */
bool is_model_warning(const floe_message *message);

/* The same words, but for the names in quotes and numbers. */
bool is_same_kind(const char *a, const char *b);

/* Whether a warning of the kind of the log's message i stands before it. */
bool is_told(const floe_log *log, size_t i);

/* "and 2 more of this kind, in lines 7 and 9": those that come after message i; nothing where there are none. */
void put_others(FILE *stream, const floe_log *log, size_t i);

#endif
