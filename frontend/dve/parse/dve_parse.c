#include "frontend/dve/parse/dve_parse.h"

#include "frontend/dve/parse/dve_parser.h"

#include <string.h>

static void parse_system(struct dve_parser *p, struct dve_system *out) {
  out->at = p->token.begin;
  dve_expect(p, DVE_TOKEN_SYSTEM);
  out->synchronous = dve_accept(p, DVE_TOKEN_SYNC);
  if (!out->synchronous && !dve_accept(p, DVE_TOKEN_ASYNC))
    dve_expected(p, "'async' or 'sync'", "processes take turns in 'system async', and step together in 'system sync'");
  if (dve_accept(p, DVE_TOKEN_PROPERTY))
    out->property = dve_parse_name(p, "the name of a process");
  dve_expect(p, DVE_TOKEN_SEMICOLON);
  if (!dve_sees(p, DVE_TOKEN_END))
    dve_expected(p, "the end of the file", "nothing follows 'system'");
}

static void parse_process(struct dve_parser *p, struct dve_system *out) {
  struct dve_process process = {0};
  dve_parse_process(p, &process);
  *ARENA_PUSH(p->arena, out->processes, out->process_count, out->process_cap) = process;
  if (!p->panic)
    return;
  dve_recover(p, 0);
  while (p->token.kind == DVE_TOKEN_COMMA || p->token.kind == DVE_TOKEN_SEMICOLON ||
         p->token.kind == DVE_TOKEN_CLOSE_BLOCK)
    dve_advance(p);
}

/* Skips to the next process, so that one message reports what does not belong here. */
static void skip(struct dve_parser *p) {
  dve_expected(p, "a declaration, 'process' or 'system'", NULL);
  p->panic = false;
  do
    dve_advance(p);
  while (!dve_declaration_follows(p) && p->token.kind != DVE_TOKEN_PROCESS && p->token.kind != DVE_TOKEN_SYSTEM &&
         p->token.kind != DVE_TOKEN_END);
  p->blocks = 0;
}

static void parse_file(struct dve_parser *p, struct dve_system *out) {
  while (p->token.kind != DVE_TOKEN_SYSTEM && p->token.kind != DVE_TOKEN_END)
    if (dve_declaration_follows(p))
      dve_parse_declaration(p, &out->variables, &out->channels);
    else if (p->token.kind == DVE_TOKEN_PROCESS)
      parse_process(p, out);
    else
      skip(p);
  if (p->ended)
    return;
  if (p->token.kind == DVE_TOKEN_END)
    dve_expected(p, "'system'", "the file ends with 'system async;'");
  else
    parse_system(p, out);
}

static void warn_mixed(const struct dve_parser *p) {
  if (!p->mixed_count)
    return;
  const char *more = p->mixed_count > 1 ? arena_printf(p->arena, " (%zu such expressions)", p->mixed_count) : "";
  diag_warning(p->log, p->source, p->mixed, "write brackets",
               "'and' and 'or' have the same precedence in DVE, as have '&', '^' and '|': this operator takes all "
               "before it%s",
               more);
}

static source_at text_start(const struct source *source) {
  static const char mark[] = "\xef\xbb\xbf";
  const bool marked = source->length >= strlen(mark) && memcmp(source->text, mark, strlen(mark)) == 0;
  return source->base + (marked ? (source_at)strlen(mark) : 0);
}

floe_status dve_parse(const struct source *source, struct arena *arena, floe_log *log, const struct dve_system **out) {
  struct dve_system *system = arena_alloc(arena, sizeof *system);
  struct dve_parser p = {.source = source, .arena = arena, .log = log, .mixed = NOWHERE};
  system->source = source;
  p.token = dve_lex(source, text_start(source));
  parse_file(&p, system);
  if (p.errors)
    return FLOE_ERROR_MODEL;
  warn_mixed(&p);
  *out = system;
  return FLOE_OK;
}

const struct dve_expr *dve_parse_condition(const struct source *source, struct arena *arena, floe_log *log) {
  struct dve_parser p = {.source = source, .arena = arena, .log = log, .mixed = NOWHERE};
  p.token = dve_lex(source, source->base);
  const struct dve_expr *e = dve_parse_expression(&p);
  if (!p.panic && p.token.kind != DVE_TOKEN_END)
    dve_expected(&p, "an operator or the end", NULL);
  return p.errors ? NULL : e;
}

bool dve_recognise(const char *text, size_t length) {
  const struct source source = {.name = "", .text = text, .length = length};
  const source_at start = length < NOWHERE ? text_start(&source) : 0;
  const struct dve_token first = length < NOWHERE ? dve_lex(&source, start) : (struct dve_token){.kind = DVE_TOKEN_END};
  const struct dve_token second = dve_lex(&source, first.end);
  switch (first.kind) {
  case DVE_TOKEN_CONST:
  case DVE_TOKEN_BYTE:
  case DVE_TOKEN_INT:
    return second.kind == DVE_TOKEN_NAME || second.kind == DVE_TOKEN_BYTE || second.kind == DVE_TOKEN_INT;
  case DVE_TOKEN_CHANNEL:
    return second.kind == DVE_TOKEN_NAME || second.kind == DVE_TOKEN_OPEN_BLOCK;
  case DVE_TOKEN_PROCESS:
    return second.kind == DVE_TOKEN_NAME;
  default:
    return false;
  }
}
