/* Check of a DVE file: its state, names, and the translation of expressions. See dve_check for the order of steps. */
#ifndef FLOE_FRONTEND_DVE_CHECK_H
#define FLOE_FRONTEND_DVE_CHECK_H

#include "core/name_table.h"
#include "frontend/dve/parse/dve_tree.h"
#include "model/compose/compose.h"
#include "model/language.h"

#define BYTE_MAX 255
#define DVE_GUESS "largest-value" /* the constant of guesses (model/guess.h): no name of a file has a `-` */

enum dve_symbol_kind { DVE_CONSTANT, DVE_VARIABLE, DVE_CHANNEL, DVE_PROCESS, DVE_LOCATION };

struct dve_symbol {
  const char *name;
  enum dve_symbol_kind kind;
  uint32_t id;   /* number of the variable, channel or location in the model; process: in the file */
  int64_t value; /* DVE_CONSTANT */
  source_at at;
};

/* Symbols in the order of declaration. */
struct dve_table {
  struct dve_symbol *items;
  size_t n, cap;
  struct name_table names;
};

struct dve_variable_info {
  bool is_constant; /* an array of constants */
  bool is_int;
};

struct dve_channel_info {
  const struct dve_channel *written;
  uint32_t *field_variables; /* of a channel with a buffer */
  size_t field_count;
  const bool *is_int;  /* [field_count]; NULL: the channel has no types */
  source_at first_use; /* of an untyped channel, which has as many fields as this use; NOWHERE: none yet */
};

/* A process of the file. */
struct dve_process_info {
  const struct dve_process *written;
  uint32_t number;        /* in the model; COMPOSE_NONE: the property process */
  struct dve_table names; /* its constants, variables and channels */
  struct dve_table states;
};

struct dve_check {
  const struct dve_system *system;
  const struct definition *definitions;
  size_t definition_count;
  struct builder build;
  struct compose compose;
  struct dve_table names; /* global constants, variables, channels; processes */
  struct dve_process_info *infos;
  uint32_t property; /* number of the property process in the file; COMPOSE_NONE: none */
  struct variable *variables;
  struct dve_variable_info *variable_infos; /* [variable] */
  struct channel *channels;
  struct dve_channel_info *channel_infos; /* [channel] */
  struct process *processes;
  struct edge *edges;
  const struct dve_transition **written; /* [edge] */
  struct constant *constants;
  uint64_t elements;                /* of all arrays */
  const struct value_range *ranges; /* [variable] of its values in reachable states; NULL: those of the types */
  /* With ranges: where that of the type is left, values are guessed to be within -guess - 1..guess. */
  int64_t guess, most; /* most: no value of these variables is greater; 0: there are none */
};

#define CHECK_ERROR(c, at, hint, ...) BUILD_ERROR(&(c)->build, at, hint, __VA_ARGS__)

/* ---- dve_names.c ------------------------------------------------------------------------------------- */

/* Adds the symbol, or logs that its name is taken. */
void dve_declare(struct dve_check *c, struct dve_table *table, struct dve_symbol symbol);
const struct dve_symbol *dve_find(const struct dve_table *table, const char *name);
/* A symbol of one of these kinds (a mask of 1 << kind); NULL: there is none. Names of the process come first; NULL:
   only those of the file. */
const struct dve_symbol *dve_find_in_scope(const struct dve_check *c, const struct dve_process_info *process,
                                           const char *name, unsigned kinds);
/* "did you mean 'x'?", for symbols of these kinds; NULL: none is similar. */
const char *dve_suggestion(struct dve_check *c, const struct dve_process_info *process, const char *name,
                           unsigned kinds);
/* The process of this name; logs an error and returns NULL if there is none. */
const struct dve_process_info *dve_find_process(struct dve_check *c, const struct dve_name *name);
/* Number of the state; COMPOSE_NONE: there is none, logged. */
uint32_t dve_find_state(struct dve_check *c, const struct dve_process_info *process, const struct dve_name *name);

/* ---- dve_declare.c ----------------------------------------------------------------------------------- */

/* Declares constants, variables, channels, processes and states. */
void dve_declare_all(struct dve_check *c);
/* Number of the channel in the model; COMPOSE_NONE: there is none, or the values are too many or too few, logged. */
uint32_t dve_resolve_channel(struct dve_check *c, const struct dve_process_info *process, const struct dve_sync *sync);
/* Variables of buffers, once all uses are known. */
void dve_declare_buffers(struct dve_check *c);
/* The guess of ranges becomes a constant of the model, if there is one. */
void dve_declare_guess(struct dve_check *c);

/* ---- dve_lower_expression.c -------------------------------------------------------------------------- */

/* An assignment that a step computes and executes later. */
struct dve_write {
  struct place target;
  const struct expr *value;
  source_at at;
};
struct dve_writes {
  struct dve_write *items;
  size_t n, cap;
};

struct dve_scope {
  struct dve_check *check;
  const struct dve_process_info *process; /* NULL: the file */
  bool constant;                          /* variables are not allowed */
  const struct dve_writes *writes;        /* reads see these; NULL: none */
};

/* The value of the expression, between INT32_MIN and INT32_MAX. NULL: an error is logged. */
const struct expr *dve_lower(const struct dve_scope *scope, const struct dve_expr *e);
/* A constant expression. False: an error is logged. `what`: "the size of an array". */
bool dve_constant(const struct dve_scope *scope, const struct dve_expr *e, const char *what, int64_t *value);
/* The conjunction of all; 1 if there are none. */
const struct expr *dve_lower_all(const struct dve_scope *scope, const struct dve_exprs *all);
/* The element that is assigned; variable COMPOSE_NONE: an error is logged. */
struct place dve_place(const struct dve_scope *scope, const struct dve_expr *target);
/* The variable that is assigned, without evaluating the index; NULL: an error is logged. */
struct variable *dve_target(const struct dve_scope *scope, const struct dve_expr *target);
/* An assignment wraps to 8 or 16 bits. */
const struct expr *dve_wrapped(struct dve_check *c, source_at at, const struct expr *value, bool is_int);
/* The text on one line, without comments. */
const char *dve_text(struct dve_check *c, source_at start, source_at end);

/* ---- dve_lower_process.c ----------------------------------------------------------------------------- */

/* Declares transitions: edges as written, and those of composition; marks assigned variables. */
void dve_declare_transitions(struct dve_check *c);
extern const struct compose_operations dve_compose_operations;
/* The assignment of a value, which wraps; the value of the statement is NULL if an error was reported. */
struct statement dve_assignment(struct dve_check *c, source_at at, const struct place *target,
                                const struct expr *value);
/* The process of the file that has this number in the model. */
const struct dve_process_info *dve_info_of(const struct dve_check *c, uint32_t number);
/* Conditions of transitions as written, for explanations. */
void dve_lower_conditions(struct dve_check *c);

/* ---- dve_synchronous.c --------------------------------------------------------------------------- */

/* The ground transitions of `system sync`, after compose_edges. */
void dve_synchronous_transitions(struct dve_check *c);

/* ---- dve_automaton.c ----------------------------------------------------------------------------- */

/* The property that no run is accepted by the property process. Errors are logged. */
void dve_lower_automaton(struct dve_check *c, struct property *out);

/* ---- dve_properties.c -------------------------------------------------------------------------------- */

void dve_lower_properties(struct dve_check *c);

/* ---- dve_check.c ------------------------------------------------------------------------------------- */

/* Declares everything, as dve_check does. */
void dve_check_declarations(struct dve_check *c);
floe_status dve_check_within(const struct outline *outline, const struct definition *definitions,
                             size_t definition_count, const struct value_range *ranges, struct arena *arena,
                             const struct model **out);
floe_status dve_check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                      struct arena *arena, floe_log *log, const struct model **out);

#endif
