/* The seam of input languages: a language turns a text into the ground model (model.h), in two steps, because the text
   is read once and checked for each set of values that its constants are given.

   A language is one constant struct of operations, declared in a header of its folder and listed in api/languages.c.
   Nothing else outside of that folder knows it: what people are told about a model comes from the outline and from the
   ground model. */
#ifndef FLOE_LANGUAGE_H
#define FLOE_LANGUAGE_H

#include "model/model.h"

struct definition { /* -D NAME=VALUE: a decimal integer, true or false */
  const char *name, *value;
};

/* What a text says before its constants have values. */
struct outline {
  const char *name, *description; /* of the model; never NULL */
  const char *const *constants;   /* those that may be defined */
  size_t constant_count;
  const struct expectation *expectations;
  size_t expectation_count;
  const void *tree; /* the language's own: its check knows what it is */
};

struct language {
  const char *name;           /* one lower-case word */
  const char *description;    /* one line for people */
  const char *const *endings; /* of file names, with the dot; a NULL ends the list */

  /* Whether the text looks like one of this language: asked in the order of the registry where no language has the
     ending of the file's name. Its beginning must be enough; any bytes may be there, and no NUL at the end. */
  bool (*recognise)(const char *text, size_t length);

  /* Called once for a text, with the guard of `arena` active; `source` lives as long as the arena. `log` is never NULL.
     FLOE_OK: *out is set and no error was logged. FLOE_ERROR_MODEL: errors were logged, each with its place, as many in
     one call as can be found. Any other status (FLOE_ERROR_MEMORY, FLOE_ERROR_INTERNAL): *out is not set. */
  floe_status (*parse)(const struct source *source, struct arena *arena, floe_log *log, const struct outline **out);

  /* Called for what parse has made, once for each set of definitions; it is not changed, and outlives what is made
     here. All memory from `arena`, another one than that of parse, its guard active. `log` may be NULL. Each definition
     names a constant of the outline, at most once. Returns as parse does; warnings are logged only where there is no
     error. */
  floe_status (*check)(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                       struct arena *arena, floe_log *log, const struct model **out);
};

/* The language of a text: the first of `languages` (a NULL ends them) that has the ending of the file's name, else the
   first that recognises the text, else the first of all. */
const struct language *language_choose(const struct language *const *languages, const char *file, const char *text,
                                       size_t length);

#endif
