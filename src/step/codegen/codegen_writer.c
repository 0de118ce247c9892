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

/* ---- parts that may repeat ---- */

uint32_t codegen_part_begin(struct codegen *gen, uint32_t previous) {
  struct parts *parts = gen->parts;
  if (!parts)
    return NO_PART;
  const uint32_t number = (uint32_t)parts->count;
  *ARENA_PUSH(gen->text.arena, parts->parts, parts->count, parts->capacity) =
      (struct part){.begin = gen->text.length,
                    .first_hole = (uint32_t)parts->hole_count,
                    .next = NO_PART,
                    .heads = previous == NO_PART,
                    .first_local = gen->next_local,
                    .fail = gen->fail,
                    .jump = gen->jump};
  if (previous != NO_PART)
    parts->parts[previous].next = number;
  return number;
}

void codegen_part_end(struct codegen *gen, uint32_t part) {
  if (!gen->parts)
    return;
  struct part *ended = &gen->parts->parts[part];
  ended->end = gen->text.length;
  ended->end_hole = (uint32_t)gen->parts->hole_count;
  ended->end_part = (uint32_t)gen->parts->count;
}

static struct hole *add_hole(struct codegen *gen, enum hole_kind kind, size_t begin, int64_t number) {
  struct parts *parts = gen->parts;
  struct hole *hole = ARENA_PUSH(gen->text.arena, parts->holes, parts->hole_count, parts->hole_capacity);
  *hole = (struct hole){.begin = begin, .end = gen->text.length, .kind = kind, .number = number};
  return hole;
}

void codegen_hole(struct codegen *gen, enum hole_kind kind, size_t begin, int64_t number) {
  if (gen->parts)
    add_hole(gen, kind, begin, number);
}

void codegen_select(struct codegen *gen, uint32_t number, bool is_64bit) {
  const size_t begin = gen->text.length;
  codegen_add(gen, "select%" PRIu32, number);
  if (gen->parts)
    add_hole(gen, HOLE_SELECT, begin, number)->is_64bit = is_64bit;
}

void codegen_local(struct codegen *gen, struct codegen_local local, bool assigned) {
  const size_t begin = gen->text.length;
  if (local.kind == 't')
    codegen_add(gen, "temp%" PRIu32, local.number);
  else
    codegen_add(gen, "%c%" PRIu32, local.kind, local.number);
  if (!gen->parts)
    return;
  const bool temp = local.kind == 't';
  struct hole *hole =
      add_hole(gen, temp ? HOLE_TEMP : HOLE_LOCAL, begin, local.number + (temp ? gen->parts->temps : 0));
  hole->is_64bit = local.is_64bit;
  hole->assigned = assigned;
}

void codegen_parts_transition(struct codegen *gen, uint32_t temp_count) {
  if (!gen->parts)
    return;
  gen->parts->temps = gen->parts->next_temps;
  gen->parts->next_temps += temp_count;
}
