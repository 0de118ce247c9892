/* What the files of the public API share. Nothing outside src/api includes it. */
#ifndef FLOE_API_H
#define FLOE_API_H

#include "core/arena.h"
#include "core/clock.h"
#include "core/digest.h"
#include "core/lines.h"
#include "core/status.h"
#include "frontend/checker.h"
#include "step/layout.h"

struct floe_model {
  struct arena arena;          /* text, syntax tree, definitions */
  struct syntax_model *syntax; /* never NULL in a model that the caller has */
  struct source_lines lines;   /* of its text */
  char digest[sizeof "sha256:" + DIGEST_HEX];
  struct definition *definitions;
  size_t definition_count, definition_cap;
  /* What depends on the definitions; emptied, and the pointers set to NULL, when they change. */
  struct arena checked_arena;
  const struct model *model;
  const struct layout *layout;
  const char *const *variable_names; /* one per variable of the checked model */
  const char *const *property_texts; /* one per property of the checked model */
  double parse_seconds;              /* reading, parsing and the last check */
};

/* What the API says about a checked model in words, made once for each check (describe.c): names of whole
   variables (their elements have names of their own, element_name), expressions of properties as written. */
const char *const *describe_variables(const struct model *model, struct arena *arena);
const char *const *describe_properties(const struct syntax_model *syntax, const struct model *model,
                                       struct arena *arena);

/* The file's text of an expression on one line. */
const char *describe_expression(const struct source *source, const struct syntax_expr *expr, struct arena *arena);

#endif
