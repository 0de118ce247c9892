/* Generated text for people: no line is longer than it need be. */
#ifndef FLOE_CODEGEN_WRAP_H
#define FLOE_CODEGEN_WRAP_H

#include "step/codegen/text_buffer.h"

#define CODEGEN_COLUMNS 120

/* Adds `source`, kernel C without string literals and // comments, to `to`. Lines of more than CODEGEN_COLUMNS are
   broken at spaces between tokens, those of a directive with a backslash: to a compiler it is the same text. */
void codegen_wrap(struct text *to, const char *source);

#endif
