/* Check of a Murphi file, and its translation into a ground model.

   The file is walked several times. The first walk declares constants, types, variables and functions, and checks every
   body once (`checking`): calls are not followed, loops are entered once. The later walks translate start states, rules
   and properties: calls are expanded where they stand, loops are unrolled, and values of local variables are followed
   as expressions.

   A value of n possible values is stored as lo..hi, and hi + 1 stands for "undefined". Expressions made by mu_scalar
   have defined values; "raw" ones may have hi + 1. */
#ifndef FLOE_FRONTEND_MURPHI_CHECK_H
#define FLOE_FRONTEND_MURPHI_CHECK_H

#include "frontend/murphi/parse/murphi_tree.h"
#include "model/build.h"
#include "model/language.h"

/* The variable that says whether a start state was chosen. No name of Murphi has a `-`. */
#define MU_STARTED "start-state"
#define MU_MAX_ROUNDS 1000                      /* of a `while` loop */
#define MU_MAX_NESTED 100                       /* rounds of a loop whose number depends on the state */
#define MU_MAX_CALLS 200                        /* nested */
#define MU_MAX_OPERATIONS (BUILD_MAX_NODES / 4) /* of an expression; parts used twice count twice */
#define MU_MAX_DEPTH 5000                       /* of an expression: the interpreter's calls */
#define MU_LARGEST                                                                                                     \
  (INT64_MAX / 4) /* bounds of types; so a type has an undefined value, and sums of two do not overflow */

/* ---- types --------------------------------------------------------------------------------------- */

enum mu_kind {
  MU_INTEGER,
  MU_RANGE,
  MU_BOOLEAN,
  MU_ENUM,
  MU_SCALARSET,
  MU_UNION,
  MU_SLOT,
  MU_RECORD,
  MU_ARRAY,
  MU_MULTISET
};

struct mu_field {
  struct mu_name name;
  const struct mu_type *type;
  uint32_t leaf; /* its first leaf in the record */
};

/* MU_INTEGER: the type of arithmetic, without bounds. MU_SLOT: the elements of a multiset by number, the index of
   MU_MULTISET; its element is the multiset. */
struct mu_type {
  enum mu_kind kind;
  const char *name;                 /* NULL: it has none */
  int64_t lo, hi;                   /* scalars */
  const struct enumeration *names;  /* of lo..hi; NULL: numbers */
  const struct enumeration *stored; /* the same and "undefined" */
  const struct mu_type *index, *element;
  const struct mu_field *fields;
  size_t field_count;
  const struct mu_type *const *members; /* MU_UNION: values follow each other in their order */
  const int64_t *offsets;               /* [member_count] of the first value of a member */
  size_t member_count;
  uint32_t leaves; /* scalars of the type, an array counted once */
  uint32_t parts;  /* the same and the records and arrays around them */
  uint32_t depth;  /* records and arrays in each other */
  bool multisets;  /* it is or contains one */
};

static inline bool mu_is_scalar(const struct mu_type *t) { return t->kind < MU_RECORD; }
static inline bool mu_is_number(const struct mu_type *t) { return t->kind <= MU_RANGE; }

/* ---- objects ------------------------------------------------------------------------------------- */

/* A multiset of an object, or one for each element of the arrays around it. Its first leaf says of each slot whether it
   is empty: 0 or, as "undefined", 1. An empty slot has an undefined element. */
struct mu_bag {
  const struct mu_type *type;
  uint32_t leaf;            /* the first one */
  uint32_t dimension_count; /* of the arrays around it */
};

/* A scalar of an object, with the indices of all arrays around it. */
struct mu_leaf {
  const struct mu_type *type;
  const char *name;
  const struct mu_bag *bag; /* NULL: in no multiset */
  const struct dimension *dimensions;
  uint32_t dimension_count, count; /* count: product of the sizes */
  uint32_t place; /* of a state variable: number in the model; else the first of `count` slots, from the object's */
};

struct mu_object {
  const struct mu_type *type;
  const struct mu_leaf *leaves;
  bool in_state;
  size_t slot; /* of a local object: its first slot */
};

/* An object or a part of it. */
struct mu_place {
  const struct mu_object *object;
  const struct mu_type *type;
  uint32_t leaf;                     /* the first one */
  const struct expr *const *indices; /* of the arrays around the part: each from 0 */
  uint32_t index_count;
  bool read_only;
};

/* ---- names --------------------------------------------------------------------------------------- */

enum mu_symbol_kind { MU_SYMBOL_CONSTANT, MU_SYMBOL_TYPE, MU_SYMBOL_PLACE, MU_SYMBOL_VALUE, MU_SYMBOL_FUNCTION };

struct mu_callable {
  const struct mu_function *function;
  const struct mu_type **parameters; /* one for each name */
  size_t parameter_count;
  const struct mu_type *result; /* NULL: none */
  size_t level;                 /* symbols that its body sees */
  bool impure;                  /* it may change variables of the state */
  bool assumes, covers;         /* it contains `assume`, `cover`, or calls one that does */
};

struct mu_symbol {
  enum mu_symbol_kind kind;
  struct mu_name name;
  const struct mu_type *type; /* CONSTANT, TYPE, VALUE */
  const struct expr *value;   /* CONSTANT; VALUE: raw */
  struct mu_place place;      /* PLACE; VALUE of a slot: its multiset */
  const struct mu_callable *callable;
  bool undefined; /* VALUE: a parameter for which `undefined` was passed */
  size_t hidden;  /* the symbol of this name before, plus 1; 0: none */
};

struct mu_block {
  struct statement *items;
  size_t n, cap;
};

/* A value: of a scalar an expression, which is defined; of other types a place. */
struct mu_value {
  const struct mu_type *type; /* NULL: an error was logged */
  const struct expr *expr;
  struct mu_place place;
};

/* A body that is being translated: of a rule or function. */
struct mu_frame {
  const struct mu_callable *callable; /* NULL: a rule */
  size_t returned;                    /* slot: 1 if a `return` was executed; local variables have the slots behind it */
  struct mu_frame *outer;             /* that called it; NULL: none */
  const struct mu_object *result;
};

/* An element chosen around rules: its slot is not empty. */
struct mu_choice {
  const struct expr *used;
  struct source_excerpt written;
};

/* Elements of a variable that a rule may have changed. */
struct mu_written {
  uint32_t variable;
  const struct expr *element; /* over the selects; NULL: of a variable without an index */
  bool all;
};

/* A statement `cover`, and the rules that execute it. */
struct mu_cover {
  const struct mu_statement *statement;
  const struct mu_item **rules;
  size_t n, cap;
};

/* What a rule does, as expressions. */
struct mu_trial {
  const struct expr *assumed, *covered; /* no assumption is false; the condition of `cover` was true */
};

/* A multiset that a rule may have changed. */
struct mu_unsorted {
  const struct mu_object *object;
  const struct mu_bag *bag;
  const struct expr *const *indices; /* of the arrays around it */
  bool all;                          /* for all indices */
};

struct mu_check {
  const struct mu_file *file;
  const struct definition *definitions;
  size_t definition_count;
  const struct value_range *ranges; /* [variable] of its values in reachable states; NULL: those of the types */
  struct builder build;
  bool checking;
  bool starting; /* in a start state: assignments do not count as changes */

  struct mu_symbol *symbols;
  size_t symbol_count, symbol_cap;
  size_t scope;    /* first symbol of the innermost scope */
  size_t *meaning; /* [name] its symbol plus 1; 0: none */

  struct mu_type integer, boolean;
  struct mu_type used; /* of the first leaf of a multiset */
  struct variable *variables;
  size_t variable_cap;
  uint64_t start_firings; /* more than one start state: of a state before them; 0: one start state */
  uint32_t started;       /* then the variable that is 1 behind it */

  /* Values of local variables; a slot is overwritten by assignments. */
  const struct expr **slots;
  size_t slot_count, slot_cap;

  struct mu_block *block;     /* statements are added here; NULL: in an expression without statements */
  unsigned conditional;       /* > 0: in an operand that is not always evaluated */
  const struct expr *pending; /* in such an expression: what must be evaluated for its errors, value 0; NULL: nothing */
  struct mu_frame *frame;
  bool fails;          /* the statements so far end with an error in every state: those behind them are not reached */
  uint32_t temp_count; /* of the transition */
  unsigned calls;      /* nested */

  struct select *selects; /* of the rulesets around the rule */
  size_t select_count, select_cap;

  int64_t *chosen; /* values of the parameters, instead of selects; NULL: selects */
  size_t chosen_count;
  struct mu_choice *choices; /* of `choose` around the rule */
  size_t choice_count, choice_cap;
  struct mu_unsorted *unsorted; /* of the rule */
  size_t unsorted_count, unsorted_cap;
  struct mu_written *written; /* of the rule */
  size_t written_count, written_cap;
  size_t *shadows;  /* [variable] its first slot plus 1 while statements are executed as expressions; 0: none; NULL */
  size_t assumed;   /* slot plus 1: no assumption was false; 0: none */
  bool impure;      /* the function that is checked may change variables of the state */
  bool assumes;     /* the body so far contains an assumption */
  bool prioritised; /* some rule has a number */
  const struct mu_item *rule; /* whose body is translated */
  struct mu_cover *covers;
  size_t cover_count, cover_cap;
  const struct mu_statement *covering; /* `cover` of the trial */
  size_t covered;                      /* slot plus 1: its condition was true; 0: none */
  bool covers_here;                    /* the function that is checked contains `cover` */
  const struct mu_statements *body;    /* of the rule */
  size_t assumed_count;                /* its statements up to the last assumption */

  unsigned known_slots; /* > 0: elements that have a name are in their slots */

  struct constant *constants;
  size_t constant_cap;

  /* Symmetry (murphi_symmetry.c). */
  bool symmetric;                      /* the model is to be symmetric in its scalarsets */
  const struct mu_type **named;        /* scalarsets and unions */
  const struct mu_leaf **state_leaves; /* [variable of the file] */
  size_t named_count, named_cap, leaf_count, leaf_cap;
  struct mu_loop *loop;        /* over a scalarset, the innermost one */
  const struct mu_bag *adding; /* an element is added to a multiset of this bag */
  source_at asymmetric;        /* of the last error */
};

struct mu_access;

/* A loop over a scalarset: what its rounds read and write. */
struct mu_loop {
  struct mu_loop *outer;
  uint64_t round;
  size_t slots; /* of the local variables around it */
  const struct mu_frame *frame;
  struct mu_access *accesses;
  size_t count, cap;
  bool returns, too_large;
};

#define MU_ERROR(c, at, hint, ...) BUILD_ERROR(&(c)->build, at, hint, __VA_ARGS__)

static inline const char *mu_name_text(const struct mu_check *c, struct mu_name name) {
  return c->file->names.names[name.id];
}

/* ---- murphi_names.c ------------------------------------------------------------------------------ */

/* Adds a symbol to the innermost scope, or logs that the name is taken there. */
void mu_declare(struct mu_check *c, struct mu_symbol symbol);
const struct mu_symbol *mu_find(const struct mu_check *c, struct mu_name name);
/* The same, and an error with a suggestion if there is none. */
const struct mu_symbol *mu_resolve(struct mu_check *c, struct mu_name name);
/* A scope begins; its result is given to mu_close_scope. */
struct mu_scope {
  size_t scope, symbols;
};
struct mu_scope mu_open_scope(struct mu_check *c);
void mu_close_scope(struct mu_check *c, struct mu_scope scope);
/* Symbols from `level` on are not seen until mu_unhide. */
struct mu_hidden {
  size_t level, count;
};
struct mu_hidden mu_hide(struct mu_check *c, size_t level);
void mu_unhide(struct mu_check *c, struct mu_hidden hidden);
/* The word `undefined`, or a parameter for which it was passed. */
bool mu_is_undefined(const struct mu_check *c, const struct mu_expr *e);
/* The text from start to end on one line, without comments. */
const char *mu_text(struct mu_check *c, source_at start, source_at end);
const char *mu_expr_text(struct mu_check *c, const struct mu_expr *e);

/* ---- murphi_types.c ------------------------------------------------------------------------------ */

/* NULL: an error was logged. `name`: of the declaration; NULL: none. */
const struct mu_type *mu_type_of(struct mu_check *c, const struct mu_type_tree *tree, const char *name);
/* A value of one can be assigned to the other, if it is in the range. */
bool mu_compatible(const struct mu_type *a, const struct mu_type *b);
/* The same values in the same form. */
bool mu_equivalent(const struct mu_type *a, const struct mu_type *b);
const char *mu_type_text(struct mu_check *c, const struct mu_type *t);
/* Position of `member` in the union; SIZE_MAX: it is none. */
size_t mu_member_of(const struct mu_type *whole, const struct mu_type *member);
const char *mu_value_name(struct mu_check *c, const struct mu_type *t, int64_t value);

/* ---- murphi_objects.c ---------------------------------------------------------------------------- */

/* A variable of the state, all of whose elements are undefined. */
const struct mu_object *mu_state_object(struct mu_check *c, const char *name, const struct mu_type *type, source_at at);
/* A local one, undefined. */
const struct mu_object *mu_local_object(struct mu_check *c, const char *name, const struct mu_type *type);
struct mu_place mu_whole(const struct mu_object *object);
struct mu_place mu_field_place(struct mu_check *c, const struct mu_place *place, const struct mu_field *field);
/* `index` is from 0. */
struct mu_place mu_element_place(struct mu_check *c, const struct mu_place *place, const struct expr *index);
/* The value of a scalar part, possibly undefined. */
const struct expr *mu_read(struct mu_check *c, const struct mu_place *place, source_at at);
/* `value` is in lo..hi + 1 of the type. */
void mu_write(struct mu_check *c, const struct mu_place *place, const struct expr *value, source_at at);
/* Calls `visit` for each scalar of the part, in order. */
typedef void mu_scalar_visitor(struct mu_check *c, const struct mu_place *scalar, void *data);
void mu_each_scalar(struct mu_check *c, const struct mu_place *place, mu_scalar_visitor *visit, void *data);
/* Copies all scalars of a part of an equivalent type. */
void mu_copy(struct mu_check *c, const struct mu_place *to, const struct mu_place *from, source_at at);
/* Later changes do not move the place. */
void mu_freeze_place(struct mu_check *c, struct mu_place *place);
/* An expression whose value does not change by later statements. An operand that is not always evaluated and may fail
   stays as it is: no statement is between it and its use. */
const struct expr *mu_freeze(struct mu_check *c, const struct expr *e, source_at at);
/* Adds a statement of the transition; in an expression it is not allowed. */
void mu_emit(struct mu_check *c, struct statement statement);
/* Refuses an expression that would take too long or too deep calls to evaluate. It may be NULL. */
void mu_limit(struct mu_check *c, const struct expr *e, source_at at);
/* Evaluates `e` for its errors. */
void mu_evaluate(struct mu_check *c, const struct expr *e, source_at at);
/* An error of the model unless `holds`. */
void mu_require(struct mu_check *c, const struct expr *holds, enum site_kind kind, source_at at, const char *what);
size_t mu_new_slot(struct mu_check *c, const struct expr *value);
/* All objects of the transition so far are forgotten. */
void mu_mark_assigned(struct mu_check *c, const struct mu_place *place);
uint32_t mu_new_temp(struct mu_check *c);
void mu_let(struct mu_check *c, uint32_t temp, const struct expr *value, source_at at);

/* Statements under a condition. Between mu_branch and mu_branch_end those of the case that it holds, and behind
   mu_branch_else those of the other case. */
struct mu_branch {
  const struct expr *condition;
  const struct expr **before, **first; /* values of the slots */
  size_t slots;
  struct mu_block *outer;
  struct mu_block blocks[2];
  const struct expr *pending[2], *pending_before;
  bool otherwise, fails[2];
  source_at at;
};
void mu_branch(struct mu_check *c, struct mu_branch *branch, const struct expr *condition, source_at at);
void mu_branch_else(struct mu_check *c, struct mu_branch *branch);
void mu_branch_end(struct mu_check *c, struct mu_branch *branch);

/* ---- murphi_expression.c, murphi_operators.c ----------------------------------------------------- */

struct mu_value mu_value_of(struct mu_check *c, const struct mu_expr *e);
/* The same, but a scalar variable is read also if it is undefined. */
struct mu_value mu_raw_value(struct mu_check *c, const struct mu_expr *e);
/* The value to assign: as CMurphi, a model with unions or multisets copies undefined scalars. */
struct mu_value mu_copied_value(struct mu_check *c, const struct mu_expr *e);
/* An operand of a comparison: as CMurphi, a model with unions or multisets compares undefined values of these types. */
struct mu_value mu_compared_value(struct mu_check *c, const struct mu_expr *e);
/* The value of a scalar; *type NULL: an error was logged. */
const struct expr *mu_scalar(struct mu_check *c, const struct mu_expr *e, const struct mu_type **type);
const struct expr *mu_condition(struct mu_check *c, const struct mu_expr *e);
/* A place, without reading it. False: it is none; an error is logged if `what` is not NULL. */
bool mu_designate(struct mu_check *c, const struct mu_expr *e, const char *what, struct mu_place *out);
bool mu_is_designator(const struct mu_check *c, const struct mu_expr *e);
/* The value, possibly undefined, as one of type `to`; an error of the model if it is outside. */
const struct expr *mu_converted(struct mu_check *c, source_at at, const char *what, const struct expr *raw,
                                const struct mu_type *from, const struct mu_type *to);
/* `raw`, and an error of the model if it is undefined. */
const struct expr *mu_defined(struct mu_check *c, source_at at, const char *what, const struct expr *raw,
                              const struct mu_type *type);
/* x, and an error of this kind unless it is in lo..hi. */
const struct expr *mu_bounded(struct mu_check *c, enum site_kind kind, source_at at, const char *what,
                              const struct expr *x, int64_t lo, int64_t hi);
bool mu_constant(struct mu_check *c, const struct mu_expr *e, const char *what, const struct mu_type **type,
                 int64_t *value);
struct mu_value mu_operator(struct mu_check *c, const struct mu_expr *e);
struct mu_value mu_failed(void);
struct mu_value mu_result(const struct mu_type *type, const struct expr *expr);
const struct expr *mu_equal(struct mu_check *c, source_at at, const struct mu_value *a, const struct mu_value *b,
                            const char *a_text, const char *b_text);

/* ---- murphi_quantifier.c ------------------------------------------------------------------------- */

/* The values of a quantifier's variable: `count` of them, or fewer if `within` says so. */
struct mu_rounds {
  const struct mu_type *type;
  const struct expr *first, *last; /* last NULL: all `count` values exist */
  int64_t step;
  int64_t lo, hi; /* every value is within these */
  uint64_t count;
};
bool mu_rounds_of(struct mu_check *c, const struct mu_quantifier *q, struct mu_rounds *out);
/* Value of round i, and whether there is this round (constant 1: surely). */
const struct expr *mu_round_value(struct mu_check *c, const struct mu_rounds *rounds, uint64_t i, source_at at);
const struct expr *mu_round_exists(struct mu_check *c, const struct mu_rounds *rounds, const struct expr *value,
                                   source_at at);
struct mu_value mu_quantified(struct mu_check *c, const struct mu_expr *e);

/* ---- murphi_call.c ------------------------------------------------------------------------------- */

struct mu_value mu_call(struct mu_check *c, const struct mu_expr *e);
void mu_declare_function(struct mu_check *c, const struct mu_function *function);

/* ---- murphi_statement.c -------------------------------------------------------------------------- */

void mu_execute(struct mu_check *c, const struct mu_statements *body);
void mu_declare_local(struct mu_check *c, const struct mu_declarations *declarations);
void mu_bind_aliases(struct mu_check *c, const struct mu_aliases *aliases);

/* A variable that can be changed. */
bool mu_target(struct mu_check *c, const struct mu_expr *e, struct mu_place *out);
void mu_assign_value(struct mu_check *c, const struct mu_place *target, const struct mu_value *value, source_at at,
                     const char *what);

/* ---- murphi_multiset.c, murphi_sort.c ------------------------------------------------------------ */

/* The number of a slot, and an error of the model if it is empty. */
const struct expr *mu_slot(struct mu_check *c, const struct mu_expr *e, const struct mu_place *set);
struct mu_value mu_count(struct mu_check *c, const struct mu_expr *e);
void mu_execute_multiset(struct mu_check *c, const struct mu_statement *s);
void mu_bind_choice(struct mu_check *c, const struct mu_alias *choice);
/* A scalar of a multiset of the state is written. */
void mu_note_unsorted(struct mu_check *c, const struct mu_place *place);
/* Sorts the multisets noted, as the last statements of a rule. */
void mu_sort_multisets(struct mu_check *c);

/* ---- murphi_declare.c ---------------------------------------------------------------------------- */

/* The first walk. */
void mu_declare_file(struct mu_check *c);
void mu_declare_item(struct mu_check *c, const struct mu_declaration *d, bool global);

/* ---- murphi_rules.c ------------------------------------------------------------------------------ */

/* A rule or start state with its selects. */
struct mu_firing {
  const char *name;
  const struct mu_item *item;
  const struct select *selects;
  size_t select_count;
  const struct expr **guards;
  struct source_excerpt *written; /* of each guard */
  size_t guard_count;
  struct mu_block body;
  size_t undo_count; /* of transition */
  uint32_t temp_count;
  const struct mu_written *changed;
  size_t changed_count;
};
struct mu_firings {
  struct mu_firing *items;
  size_t n, cap;
};
/* The guards of a rule, those of `choose` first. */
void mu_lower_guards(struct mu_check *c, const struct mu_expr *guard, struct mu_firing *out);
/* All guards of the rule, as one condition. */
const struct expr *mu_guards_hold(struct mu_check *c, const struct mu_item *rule);
/* Adds a last guard, with this text for messages. */
void mu_add_guard(struct mu_check *c, struct mu_firing *rule, const struct expr *guard, const char *text);
/* Translates all start states, or all rules. */
void mu_lower_firings(struct mu_check *c, bool starts, struct mu_firings *out);
void mu_lower_rules(struct mu_check *c);
/* Checks and translates a body. */
struct mu_firing mu_lower_firing(struct mu_check *c, const struct mu_item *item);
/* Names that a ruleset, alias or `choose` declares for the items in it, and its parameters. */
struct mu_surroundings {
  struct mu_scope scope;
  size_t selects, choices;
};
struct mu_surroundings mu_enter_item(struct mu_check *c, const struct mu_item *item);
void mu_leave_item(struct mu_check *c, struct mu_surroundings around);
/* Adds a parameter; NULL: there are too many. */
const struct expr *mu_add_select(struct mu_check *c, source_at at, const struct select *select);

/* ---- murphi_choices.c ---------------------------------------------------------------------------- */

/* Calls `visit` for each rule with each choice of its parameters, which are then constants. */
typedef void mu_choice_visitor(struct mu_check *c, const struct mu_item *rule, void *data);
void mu_each_choice(struct mu_check *c, mu_choice_visitor *visit, void *data);
/* Adds to each rule the guard that no rule with a smaller number can fire. */
void mu_add_priorities(struct mu_check *c, struct mu_firing *rules, size_t count);

/* ---- murphi_cover.c ------------------------------------------------------------------------------ */

void mu_execute_cover(struct mu_check *c, const struct mu_statement *s);
/* Of c->covers[i]: some rule can fire and reaches the statement with a true condition; NULL: an error was logged. */
const struct expr *mu_covered(struct mu_check *c, size_t i);

/* ---- murphi_effects.c ---------------------------------------------------------------------------- */

/* A statement writes an element (NULL: the only one) of a variable of the state. */
void mu_note_written(struct mu_check *c, uint32_t variable, const struct expr *element);
/* The guard calls functions that change variables. */
bool mu_is_impure(struct mu_check *c, const struct mu_expr *guard);
void mu_note_guard(struct mu_check *c, const struct mu_expr *guard);
/* Between these, statements are executed as expressions; `slots`: their number before. */
void mu_start_trial(struct mu_check *c);
void mu_end_trial(struct mu_check *c, size_t slots);
void mu_execute_assume(struct mu_check *c, const struct mu_statement *s);
/* Executes the first `count` statements of the body. c->written has the variables that the rule writes. */
struct mu_trial mu_try(struct mu_check *c, const struct mu_item *rule, size_t count);
void mu_forbid(struct mu_check *c, struct mu_firing *firing, const struct expr *assumption);

/* ---- murphi_start.c ------------------------------------------------------------------------------ */

/* Executes the start states: sets the initial values of all variables. */
void mu_lower_starts(struct mu_check *c);

/* ---- murphi_properties.c ------------------------------------------------------------------------- */

void mu_lower_properties(struct mu_check *c);
/* The assumptions about all states; NULL: there are none. */
const struct expr *mu_assumption(struct mu_check *c);

/* ---- murphi_symmetry.c --------------------------------------------------------------------------- */

/* A scalarset of several values, or a union with one, and the model is to be symmetric. */
bool mu_is_symmetric(const struct mu_check *c, const struct mu_type *t);
/* Scalarsets and unions, and variables of the state, in their order. */
void mu_note_type(struct mu_check *c, const struct mu_type *t);
void mu_note_leaf(struct mu_check *c, const struct mu_leaf *leaf);
/* `all`: conjunction of items[n], else disjunction. `symmetric`: of the values of a scalarset; then all are evaluated,
   as an error at one value must not depend on the others. */
const struct expr *mu_all_values(struct mu_check *c, bool symmetric, bool all, source_at at,
                                 const struct expr *const *items, size_t n);
/* Refuses `clear` of a scalar of a symmetric type. */
void mu_check_clear(struct mu_check *c, const struct mu_type *t, source_at at);
/* The elements of the multiset refer to a symmetric type. */
bool mu_holds_symmetric(const struct mu_check *c, const struct mu_type *multiset);
/* Refuses the statement `cover`: an error in its condition may depend on the order of the rules. */
void mu_refuse_cover(struct mu_check *c, source_at at);
/* Refuses a property for each value of a symmetric type. */
void mu_refuse_choices(struct mu_check *c, source_at at);
/* Around a loop over a symmetric type; loop->round is set for each round. Refuses it if the order of the rounds
   matters. */
void mu_loop_begin(struct mu_check *c, struct mu_loop *loop);
void mu_loop_end(struct mu_check *c, struct mu_loop *loop, source_at at);
/* A scalar is read (`written` NULL) or written. */
void mu_note_access(struct mu_check *c, const struct mu_place *place, const struct expr *written);
/* Statements that end loops. */
void mu_note_return(struct mu_check *c);
void mu_note_assume(struct mu_check *c);
/* Sets model->symmetry, if variables of the state refer to scalarsets. */
void mu_make_symmetry(struct mu_check *c);

/* ---- murphi_check.c ------------------------------------------------------------------------------ */

floe_status mu_check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                     struct arena *arena, floe_log *log, const struct model **out);
floe_status mu_check_symmetric(const struct outline *outline, const struct definition *definitions,
                               size_t definition_count, struct arena *arena, floe_log *log, const struct model **out);
/* A model that mu_check accepted, within ranges: fewer bits, and fewer tests of "undefined". */
floe_status mu_check_within(const struct outline *outline, const struct definition *definitions,
                            size_t definition_count, const struct value_range *ranges, struct arena *arena,
                            const struct model **out);
/* Declares everything, for an expression over the model. */
void mu_check_declarations(struct mu_check *c);

#endif
