#include "step/codegen/codegen_writer.h"

#include <assert.h>

void codegen_line(struct codegen *gen, const char *format, ...) {
  va_list args;
  text_buffer_printf(&gen->text, "\n%*s", (int)(2 * gen->indent), "");
  va_start(args, format);
  text_buffer_vprintf(&gen->text, format, args);
  va_end(args);
}

void codegen_open(struct codegen *gen) {
  codegen_add(gen, " {");
  gen->indent++;
}

void codegen_close(struct codegen *gen, const char *tail) {
  assert(gen->indent > 0);
  gen->indent--;
  codegen_line(gen, "}%s", tail);
}
