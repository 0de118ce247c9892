/* Interface of input languages: a language translates a text into the ground model (model.h), in two steps, because
   the text is parsed once and checked for each set of constant values.

   A language is one constant struct of operations, declared in a header of its folder and listed in api/languages.c.
   No other code outside that folder depends on it: output about a model comes from the outline and the ground model. */
#ifndef FLOE_MODEL_LANGUAGE_H
#define FLOE_MODEL_LANGUAGE_H

#include "model/model.h"

struct definition { /* -D NAME=VALUE: a decimal integer, true or false */
  const char *name, *value;
  bool guessed; /* by a search (model/guess.h), not given by the user */
};

/* False: the text is no value. */
bool definition_number(const struct definition *definition, int64_t *value);
/* The last one with this name, NULL: there is none. */
const struct definition *definition_find(const struct definition *definitions, size_t count, const char *name);

/* The parts of a text that do not depend on the values of constants. */
struct outline {
  const char *name, *description; /* of the model; never NULL */
  const char *const *constants;   /* those that may be defined */
  size_t constant_count;
  const struct expectation *expectations;
  size_t expectation_count;
  const void *tree; /* private to the language; its `check` reads it */
};

/* Steps from the initial state. A step is the number of a transition, which has one choice of selected values. */
struct transition_run {
  const uint32_t *steps; /* [count] */
  size_t count;
  bool ends; /* no transition is enabled in the last state */
  bool repeats;
  size_t loop; /* repeats: after the last state the run continues as after state `loop`; if `ends`, it is `count` */
};

/* A text to be read as an expression over the state of a checked model, as properties are. */
struct expression_request {
  const struct outline *outline;
  const struct definition *definitions; /* for which `check` succeeded */
  size_t definition_count;
  const char *text;
  struct arena *arena; /* of all memory; its guard is active */
  floe_log *log;       /* may be NULL */
};

struct checked_expression {
  const struct model *model; /* whose variables and sites `expr` uses: variables are those of the checked model */
  const struct expr *expr;
  bool is_bool;
};

/* Reads the files that a model names. */
struct includer {
  /* Reads the file that the text at `at` names as `href` and appends it to the list of the model's sources.
     FLOE_ERROR_MODEL, logged: this file cannot be included. */
  floe_status (*include)(struct includer *self, const char *href, source_at at, const struct source **out);
  /* The same for a file in another format, which may be named several times: each time it is appended again. */
  floe_status (*attach)(struct includer *self, const char *href, source_at at, const struct source **out);
  /* Appends the file of properties that was given beside the model (floe_load_options.properties) to the list of
     sources; *out NULL: none was given. Called at most once, before any include. FLOE_ERROR_MODEL, FLOE_ERROR_IO:
     logged. */
  floe_status (*properties)(struct includer *self, const struct source **out);
};

struct language {
  const char *name;           /* one lower-case word */
  const char *description;    /* one line, for --help */
  const char *const *endings; /* of file names, with the dot; a NULL ends the list */
  bool reads_properties;      /* `parse` calls includer->properties; false: such a file is refused */

  /* True if the text looks like this language. Called in the order of the registry if no language has the ending of
     the file name. Must decide by the beginning; the text may hold any bytes and has no NUL at its end. */
  bool (*recognise)(const char *text, size_t length);

  /* Called once for a text, with the guard of `arena` active; `source` lives as long as the arena. `includer` appends
     to its list; it and `log` are never NULL.
     FLOE_OK: *out is set and no error was logged. FLOE_ERROR_MODEL: errors were logged, each with its place; one call
     reports as many as possible. Any other status (FLOE_ERROR_MEMORY, FLOE_ERROR_INTERNAL): *out is not set. */
  floe_status (*parse)(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                       const struct outline **out);

  /* Called with a result of parse, once for each set of definitions. The outline is not modified and outlives the
     model. All memory comes from `arena`, which differs from that of parse; its guard is active. `log` may be NULL.
     Each definition names a constant of the outline, at most once. The model has the language's notation
     (model/notation.h). Names of variables, processes, locations and properties are not empty and have no control
     characters; labels and texts may have any. Returns as parse does; warnings are logged only if there is no error. */
  floe_status (*check)(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                       struct arena *arena, floe_log *log, const struct model **out);

  /* NULL: the language has no symmetric types (model/symmetry/find_symmetry.h finds symmetric processes). Else checks a
     model as `check` does and sets model->symmetry, so that one state of each orbit may be explored
     (model/symmetry/symmetry.h). FLOE_ERROR_MODEL also if the model is not symmetric, or that cannot be shown: errors
     with places. */
  floe_status (*check_symmetric)(const struct outline *outline, const struct definition *definitions,
                                 size_t definition_count, struct arena *arena, floe_log *log, const struct model **out);

  /* NULL: variables have the ranges that the text declares. Else types have values that many variables never have
     (those that wrap; "undefined" of Murphi), and this checks a model that `check` accepted once more, with fewer
     values: in reachable states, and between statements of their steps, each variable v has values within ranges[v]
     only. Other values are errors of the model. Logs nothing, because `check` did. */
  floe_status (*check_within)(const struct outline *outline, const struct definition *definitions,
                              size_t definition_count, const struct value_range *ranges, struct arena *arena,
                              const struct model **out);

  /* NULL: the language has no reductions. Else makes another outline of the model, with fewer states, for some of its
     properties: those with the ids `properties` (NULL: all, with `deadlock`). They have the same verdicts and the
     measures the same greatest values in any model that `check` makes of it; other properties are not in that.
     Counts, depths, runs and errors may differ. A note describes what was reduced. Logs no errors: `check` does. The
     arena's guard is active; *out is `outline` if there is nothing to reduce. */
  floe_status (*reduce)(const struct outline *outline, const char *const *properties, size_t count, struct arena *arena,
                        floe_log *log, const struct outline **out);
  /* Not NULL in a language with reductions. `reduced` is an outline that `reduce` made, and `run` shows that one of its
     properties is violated or reachable. *out shows the same in the model as read. Memory from `arena`, whose guard is
     active. Returns NULL, or a phrase for people: why there is no such run. */
  const char *(*expand_run)(const struct outline *reduced, const struct transition_run *run, struct arena *arena,
                            struct transition_run *out);

  /* Reads an expression; NULL: the language has none. May be called at once by several threads, as it modifies nothing
     but the arena and the log. FLOE_ERROR_MODEL: errors were logged, with places in the text. Any other status as
     parse. */
  floe_status (*expression)(const struct expression_request *request, struct checked_expression *out);

  /* Writes a model of any language as a text of this one; NULL: it has no writer. The text has the same states and
     steps, and the errors of the model are errors of steps. Memory from `arena`, whose guard is active; `log` as in
     check. FLOE_ERROR_MODEL: the language cannot express the model; errors were logged, with places in the sources of
     the model. Properties that it cannot express are left out, with a warning that has their number. */
  floe_status (*write)(const struct model *model, struct arena *arena, floe_log *log, const char **text);
};

/* The name of the file has an ending of the language. */
bool language_has_ending(const struct language *language, const char *file);

/* The name of a file without folders and its ending, if that is one of `endings` (a NULL ends them): the name of the
   model, where the text has none. */
const char *language_model_name(const char *const *endings, const char *file, struct arena *arena);

/* The language of a text: the first of `languages` (a NULL ends them) that has the ending of the file's name, else the
   first that recognises the text, else the first of all. */
const struct language *language_choose(const struct language *const *languages, const char *file, const char *text,
                                       size_t length);

#endif
