/* Definition of floe_model, for the files of the public API. */
#ifndef FLOE_API_API_H
#define FLOE_API_API_H

#include "core/arena.h"
#include "core/lines.h"
#include "core/status.h"
#include "core/system/clock.h"
#include "core/system/digest.h"
#include "floe.h"
#include "model/language.h"
#include "model/reduce/simplify.h"
#include "step/layout/layout.h"

struct floe_model {
  struct arena arena; /* text, outline, definitions */
  struct source source;
  struct source_lines lines; /* of the text */
  const struct language *language;
  const struct outline *outline;    /* parsed text; never NULL after floe_model_parse */
  const struct outline *whole;      /* before floe_model_reduce; NULL: `outline` is not reduced */
  struct arena reduced_arena;       /* of a reduced outline, or the ids of `simplify` */
  struct simplify_request simplify; /* what floe_model_simplify asked for; its model is not used */
  char digest[sizeof "sha256:" + DIGEST_HEX];
  struct definition *definitions;
  size_t definition_count, definition_cap;
  floe_deadlocks loaded_deadlocks, deadlocks; /* as given when the model was loaded; now */
  /* Results of floe_model_check: freed, and pointers set to NULL, when the definitions change. */
  struct arena checked_arena;
  const struct model *model;
  const struct simplified *simplified; /* `model` is its model; NULL: floe_model_simplify changed nothing */
  uint64_t check_number;               /* of this check among all of the process; states of other checks are refused */
  const struct layout *layout;         /* with keys of fields */
  const struct layout *plain;          /* the same without symmetry reduction */
  const struct layout *index_keys;     /* with index keys (api/explore/key_encoding.h); NULL: not made, */
  bool no_index_keys;                  /* or the model has none */
  const double *index_key_bits;        /* [value_count] bits of each element in an index key; NULL: not computed */
  const char *const *variable_names;   /* one per variable of the checked model */
  bool symmetric;                      /* it is checked with language.check_symmetric */
  const char *asymmetric;              /* why the layout has no canonical forms nevertheless; NULL: it has */
  double parse_seconds;                /* reading, parsing and the last check */
};

/* floe_model_parse for an MPI job's other processes: they have the texts of all files of the model and read none. */
floe_status model_parse_given(const struct source *given, floe_log *log, floe_model **out);

/* Sets the constant of a guess; the model must be checked again. */
floe_status model_set_guess(floe_model *model, const char *constant, const char *value, floe_log *log);

/* Whether the model is checked with language.check_symmetric, which exists; if that changes, it must be checked again.
 */
void model_set_symmetric(floe_model *model, bool symmetric);

/* Discards the results of floe_model_check. */
void model_uncheck(floe_model *model);

/* Names of the variables, made once per check. Elements have names of their own: element_name. */
const char *const *describe_variables(const struct model *model, struct arena *arena);

#endif
