/* libFuzzer harness: the first byte selects a parser, the rest is its text. */
#include "core/mem.h"
#include "frontend/parse/parse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Traverses the tree like the checker: its depth is bounded, and its places are in order. */
static void walk(const struct syntax_expr *expr, unsigned depth, size_t size) {
  if (!expr)
    return;
  if (depth > SYNTAX_MAX_DEPTH || expr->start > expr->end || expr->end > size)
    abort();
  walk(expr->a, depth + 1, size);
  walk(expr->b, depth + 1, size);
  walk(expr->c, depth + 1, size);
  walk(expr->range.lo, depth + 1, size);
  walk(expr->range.hi, depth + 1, size);
}

struct job {
  struct parser_input input;
  unsigned kind;
};

static floe_status parse_one(const struct job *job) {
  const struct parser_input *input = &job->input;
  struct syntax_exprs list = {0};
  struct syntax_range range = {0};
  struct syntax_ranges fields = {0};
  struct syntax_transition transition = {0};
  struct syntax_definitions definitions = {0};
  struct syntax_expr *expr;
  switch ((job->kind + 9 - '0' % 9) % 9) {
  case 1:
    return parse_expressions(input, &list);
  case 2:
    return parse_range(input, &range);
  case 3:
    return parse_fields(input, &fields);
  case 4:
    return parse_selects(input, &transition);
  case 5:
    return parse_sync(input, true, &transition);
  case 6:
    return parse_sync(input, false, &transition);
  case 7:
    return parse_effects(input, &transition);
  case 8:
    return parse_definitions(input, &definitions);
  default:
    expr = parse_expression(input);
    walk(expr, 1, input->text.length);
    return expr ? FLOE_OK : FLOE_ERROR_MODEL;
  }
}

static void parse(void *data) {
  const struct job *job = data;
  floe_status status = parse_one(job);
  if ((status == FLOE_OK) != (diag_errors(job->input.log) == 0))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  size_t length = size - 1;
  source_at *at = mem_array(length + 1, sizeof *at);
  char *text = mem_alloc(length + 1);
  for (size_t i = 0; i <= length; i++) {
    at[i] = (source_at)i;
    text[i] = i < length && data[i + 1] ? (char)data[i + 1] : ' '; /* XML has no NUL */
  }
  text[length] = '\0';
  struct source source = {.name = "fuzz", .text = text, .length = length};
  struct arena arena;
  struct job job = {{&source, {text, length, at}, &arena, NULL}, data[0]};
  arena_init(&arena);
  if (floe_log_create(&job.input.log) != FLOE_OK || arena_guard(&arena, parse, &job) != 0)
    abort();
  floe_log_free(job.input.log);
  arena_free(&arena);
  mem_free(text);
  mem_free(at);
  if (mem_live() != 0)
    abort();
  return 0;
}
