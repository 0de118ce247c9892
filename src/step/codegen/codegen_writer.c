#include "step/codegen/codegen_writer.h"

#include "model/process.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

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

const char *codegen_comment_text(struct codegen *gen, const char *text) {
  static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             " _.,:;+-=<>()[]{}!?'";
  char *copy = arena_copy(gen->text.arena, text, strlen(text));
  for (char *at = copy; *at; at++)
    if (!strchr(kept, *at))
      *at = '_';
  return copy;
}

void codegen_instance(struct codegen *gen, const char *lead, uint32_t process, uint32_t instance) {
  if (process != NO_PROCESS)
    codegen_add(gen, "%s%s[%" PRIu32 "]", lead, process_of(gen->model, process)->name, instance);
}
