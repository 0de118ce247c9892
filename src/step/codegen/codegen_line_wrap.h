/* Line breaks in generated text. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_LINE_WRAP_H
#define FLOE_STEP_CODEGEN_CODEGEN_LINE_WRAP_H

#include "core/text_buffer.h"

#define CODEGEN_COLUMNS 120

/* Adds `source`, kernel C without string literals and // comments, to `to`. Lines over CODEGEN_COLUMNS are broken at
   spaces between tokens, preprocessor lines with a backslash. The tokens stay the same. */
void codegen_wrap(struct text_buffer *to, const char *source);

#endif
