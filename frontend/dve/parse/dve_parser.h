/* Common parts of the DVE parsers: state, errors, recovery.

   After an error the parser is in panic: it sees no token, so every loop ends, and it logs nothing. dve_recover, called
   behind each declaration, section and transition, skips to the next one and ends the panic. So one run reports an
   error in each of them. */
#ifndef FLOE_FRONTEND_DVE_PARSER_H
#define FLOE_FRONTEND_DVE_PARSER_H

#include "frontend/dve/parse/dve_lexer.h"
#include "frontend/dve/parse/dve_tree.h"

struct dve_parser {
  const struct source *source;
  struct arena *arena;
  floe_log *log;
  struct dve_token token;
  source_at last_end; /* of the token before */
  unsigned blocks;    /* '{' without '}' before the token */
  unsigned nesting;   /* of expressions */
  bool panic;
  bool ended; /* a comment without an end took the rest of the file */
  size_t errors;
  source_at mixed; /* first `and` that takes an `or` without brackets as its left operand, or & and the like */
  size_t mixed_count;
};

#define DVE_PUSH(p, list) ARENA_PUSH((p)->arena, (list)->items, (list)->n, (list)->cap)

/* Logs an error and begins a panic. */
#define DVE_ERROR(p, at, hint, ...)                                                                                    \
  do {                                                                                                                 \
    if (!(p)->panic)                                                                                                   \
      diag_error((p)->log, (p)->source, (at), (hint), __VA_ARGS__);                                                    \
    (p)->errors += !(p)->panic;                                                                                        \
    (p)->panic = true;                                                                                                 \
  } while (0)

static inline bool dve_sees(const struct dve_parser *p, enum dve_token_kind kind) {
  return !p->panic && p->token.kind == kind;
}
void dve_advance(struct dve_parser *p);
bool dve_accept(struct dve_parser *p, enum dve_token_kind kind);
void dve_expected(struct dve_parser *p, const char *what, const char *hint); /* the error "expected WHAT, found ..." */
void dve_expect(struct dve_parser *p, enum dve_token_kind kind);
/* A name; `what`: "the name of a process". */
struct dve_name dve_parse_name(struct dve_parser *p, const char *what);
void dve_parse_names(struct dve_parser *p, const char *what, struct dve_names *out);

/* Ends a panic: skips to ',', ';' or '}' where `blocks` blocks are open, or to the next process. */
void dve_recover(struct dve_parser *p, unsigned blocks);
/* A declaration ends: recovers, and skips the ';'. */
void dve_end_declaration(struct dve_parser *p, unsigned blocks);

/* dve_parse_expression.c */
const struct dve_expr *dve_parse_expression(struct dve_parser *p);
/* NAME, NAME[E], PROCESS->NAME, PROCESS->NAME[E]; `what` for errors. */
const struct dve_expr *dve_parse_variable(struct dve_parser *p, const char *what);

/* dve_parse_declarations.c */
bool dve_declaration_follows(const struct dve_parser *p);
void dve_parse_declaration(struct dve_parser *p, struct dve_variables *variables, struct dve_channels *channels);

/* dve_parse_process.c */
void dve_parse_process(struct dve_parser *p, struct dve_process *out);

#endif
