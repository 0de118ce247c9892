/* What the files of the public API share: a model. Nothing outside src/api includes it. */
#ifndef FLOE_API_H
#define FLOE_API_H

#include "core/arena.h"
#include "core/clock.h"
#include "core/digest.h"
#include "core/lines.h"
#include "core/status.h"
#include "floe.h"
#include "model/language.h"
#include "step/layout/layout.h"

struct floe_model {
  struct arena arena; /* text, what the language made of it, definitions */
  struct source source;
  struct source_lines lines; /* of its text */
  const struct language *language;
  const struct outline *outline; /* never NULL in a model that the caller has */
  char digest[sizeof "sha256:" + DIGEST_HEX];
  struct definition *definitions;
  size_t definition_count, definition_cap;
  /* What depends on the definitions; emptied, and the pointers set to NULL, when they change. */
  struct arena checked_arena;
  const struct model *model;
  const struct layout *layout;       /* with keys of fields */
  const struct layout *index_keys;       /* with keys by rank (api/explore/key_encoding.h); NULL: not made, */
  bool unranked;                     /* or there is none */
  const double *rank_bits;           /* what each element costs there; NULL: not asked for */
  const char *const *variable_names; /* one per variable of the checked model */
  double parse_seconds;              /* reading, parsing and the last check */
};

/* Names of whole variables, made once for each check (describe.c): their elements have names of their own,
   element_name. */
const char *const *describe_variables(const struct model *model, struct arena *arena);

#endif
