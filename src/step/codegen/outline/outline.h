/* Repeated parts of a large text become functions, with what differs as parameters. A function returns the number of
   the site of an error plus one, or 0; its caller writes the error. Texts shrink 1.1 to 5 times
   (doc/design/compile.md). */
#ifndef FLOE_STEP_CODEGEN_OUTLINE_OUTLINE_H
#define FLOE_STEP_CODEGEN_OUTLINE_OUTLINE_H

#include "core/text_buffer.h"
#include "step/codegen/outline/parts.h"

/* The text becomes *out; `any`: also functions that save nothing, for tests. False: there are none, *out is unchanged.
 */
bool outline_parts(const struct parts *parts, const struct text_buffer *text, bool any, struct text_buffer *out);

#endif
