/* The checker's inner interfaces: from the syntax tree to the ground model in these steps, one file
   each.

     check_names      name tables, declarations, suggestions
     check_constants  constants, ranges, sizes, parameters
     check_variables  variables, channels, locations, initial values
     check_build      ground expressions: folding and intervals
     check_expr       syntax -> ground expressions
     check_quantify   quantifiers, unrolled
     check_part       one transition of one instance: guards, effects, synchronisation
     check_lower      ground transitions put together
     check_buffers    sends and receives of buffered channels
     check_pairs      handshakes
     check_broadcast  broadcasts
     check_properties properties, expected results
     check_warnings   what is legal but odd

   A function that meets an error logs it and returns NULL or false; callers go on as far as that
   makes sense, so that one run finds many errors. */
#ifndef FLOE_CHECK_H
#define FLOE_CHECK_H

#include "frontend/checker.h"
#include "frontend/written.h"

/* Limits that keep a small file from becoming a model without bounds. The fuzz harness divides the
 * costly ones. */
#ifndef CHECK_SCALE
#define CHECK_SCALE 1
#endif
#define CHECK_MAX_INSTANCES 4096
#define CHECK_MAX_SIZE 65536                        /* elements of an array or channel, capacity */
#define CHECK_MAX_VALUES ((1u << 20) / CHECK_SCALE) /* elements of all variables */
#define CHECK_MAX_NODES (4000000 / CHECK_SCALE)     /* ground expressions and statements */
#define CHECK_MAX_STEPS (10000000 / CHECK_SCALE)    /* expressions visited, quantifiers unrolled */
#define CHECK_MAX_TRANSITIONS (1000000 / CHECK_SCALE)
#define CHECK_MAX_CHOICES (1u << 20) /* of one ground transition */

#define NONE UINT32_MAX

enum symbol_kind {
  SYMBOL_CONSTANT = 1,
  SYMBOL_VARIABLE = 2,
  SYMBOL_CHANNEL = 4,
  SYMBOL_PROCESS = 8,
  SYMBOL_PARAMETER = 16,
  SYMBOL_LOCATION = 32
};
/* What an expression may name. */
#define SYMBOL_VALUES (SYMBOL_CONSTANT | SYMBOL_VARIABLE | SYMBOL_PARAMETER)

struct symbol {
  const char *name;
  enum symbol_kind kind;
  uint32_t id; /* constant, variable of the model, channel, process, parameter, location */
  source_at at;
};

/* A name table: symbols in the order of declaration, found by hash. */
struct symbols {
  struct symbol *items;
  size_t n, cap;
  uint32_t *slots; /* number of the symbol + 1; 0: free */
  size_t slot_count;
};

struct interval {
  int64_t lo, hi;
};

/* A transition as written, with its names resolved. */
struct edge_info {
  const struct syntax_transition *syntax;
  uint32_t number; /* in model->edges */
  uint32_t *from;
  size_t from_count;
  uint32_t to;                  /* NONE: stays */
  uint32_t channel;             /* NONE: no synchronisation */
  bool bad;                     /* its names are wrong */
  bool guard_true, guard_false; /* whatever constants are given, in some instance */
  bool guard_varies;            /* otherwise */
};

/* A process as written. */
struct template {
  const struct syntax_process *syntax;
  uint32_t id;
  struct process *process;
  struct symbols names;
  uint32_t initial;
  uint32_t *variables; /* of the model, for each local one */
  int64_t *parameters; /* instances * parameter_count */
  bool *parameter_known;
  size_t parameters_evaluated; /* so far: later ones cannot be named yet */
  struct edge_info *edges;
  struct move *moves; /* instances * transition_count */
};

struct channel_info {
  struct interval *fields;
  bool *is_bool;
  struct move **receivers; /* of all instances, in order */
  size_t receiver_count, receiver_cap;
  bool sent, received;
};

struct check {
  const struct syntax_model *syntax;
  const struct source *source;
  const struct definition *definitions;
  size_t definition_count;
  struct arena *arena;
  floe_log *log;
  struct model *model;
  struct symbols globals;
  struct constant *constants;
  bool *constant_known;
  size_t constants_evaluated; /* so far: later ones cannot be named yet */
  size_t constants_read;      /* times that one was named */
  bool *variable_read;
  struct interval *initial; /* of a variable's initial values */
  struct process *processes;
  struct template *templates;
  struct channel *channels;
  struct channel_info *channel_infos;
  struct edge *edges;
  struct site_table {
    struct site *items;
    size_t n, cap;
    uint32_t *slots; /* number + 1, found by hash */
    size_t slot_count;
  } sites;
  struct transition *transitions;
  struct transition_group *groups;
  size_t transition_cap, group_cap;
  struct draft *draft;
  const struct expr *small;         /* constants SMALL_LO.. shared by all expressions */
  const struct expr *not_committed; /* NULL: no committed location */
  source_at here;                   /* of the expression lowered last, for what has no place of its own */
  size_t nodes, steps;
  unsigned dead; /* > 0: inside an operand that is never evaluated: its value does not matter */
  bool stop;     /* a limit was passed: give up */
  size_t errors;
};

/* Counted here as well: the log keeps a message only once, also over several checks. */
#define CHECK_ERROR(c, at, hint, ...) ((c)->errors++, diag_error((c)->log, (c)->source, (at), (hint), __VA_ARGS__))
#define CHECK_WARN(c, at, hint, ...) diag_warning((c)->log, (c)->source, (at), (hint), __VA_ARGS__)

/* A name bound by a quantifier or select, or `index`. */
struct binding {
  const char *name;
  const struct expr *value;
  const struct binding *outer;
};

/* Where an expression stands. */
struct scope {
  struct check *check;
  const struct template *process; /* NULL: outside of processes */
  uint32_t instance;
  const struct binding *bindings;
  bool constant; /* only constants may be read */
};

/* ---- check_names.c ---- */
bool names_declare_globals(struct check *c);
void names_declare_locals(struct check *c, struct template *process);
const struct symbol *names_find(const struct symbols *symbols, const char *name);
const struct symbol *scope_find(const struct scope *s, const char *name);
const struct expr *scope_binding(const struct scope *s, const char *name);
/* Refuses a name that is already taken in the scope. */
bool scope_may_bind(const struct scope *s, const char *name, source_at at);
const char *symbol_kind_name(enum symbol_kind kind);
/* "did you mean 'x'?" among the symbols of these kinds that the scope sees (bindings count as
 * values), or NULL. */
const char *scope_suggestion(const struct scope *s, const char *name, unsigned kinds);
const char *suggestion_text(struct check *c, const char *nearest);
unsigned source_line(const struct check *c, source_at at);

/* ---- check_constants.c ---- */
void constants_evaluate(struct check *c);
bool constant_eval(const struct scope *s, const struct syntax_expr *e, int64_t *value);
/* A constant within lo..hi; `what` names it in the error. */
bool constant_within(const struct scope *s, const struct syntax_expr *e, const char *what, int64_t lo, int64_t hi,
                     int64_t *value);
/* lo..hi, bool, or the name of a process. May be empty. */
bool constant_range(const struct scope *s, const struct syntax_range *range, int64_t *lo, int64_t *hi);
void processes_size(struct check *c);
void parameters_evaluate(struct check *c, struct template *process);

/* ---- check_variables.c ---- */
void variables_declare(struct check *c);
void channels_declare(struct check *c);
void locations_declare(struct check *c, struct template *process);
void globals_shape(struct check *c);
void locals_shape(struct check *c, struct template *process);
void variables_number(struct check *c); /* after all are declared: assigns `first`, total limit */
void variables_initialise(struct check *c);

/* ---- check_build.c: all take NULL operands and then return NULL ---- */
const struct expr *build_const(struct check *c, int64_t value);
const struct expr *build_read(struct check *c, source_at at, uint32_t variable, const struct expr *index);
const struct expr *build_select(struct check *c, source_at at, uint32_t id, int64_t lo, int64_t hi);
const struct expr *build_temp(struct check *c, source_at at, uint32_t id, int64_t lo, int64_t hi);
const struct expr *build_committed(struct check *c);
/* `a` checked to be in 0..bound-1. */
const struct expr *build_index(struct check *c, source_at at, const struct expr *a, uint32_t bound, const char *what);
const struct expr *build_truth(struct check *c, const struct expr *a);
const struct expr *build_not(struct check *c, source_at at, const struct expr *a);
const struct expr *build_negative(struct check *c, source_at at, const struct expr *a);
const struct expr *build_binary(struct check *c, enum expr_op op, source_at at, const struct expr *a,
                                const struct expr *b);
/* EXPR_DIV or EXPR_MOD of the syntax expression `e`. */
const struct expr *build_division(struct check *c, enum expr_op op, const struct syntax_expr *e, const struct expr *a,
                                  const struct expr *b);
const struct expr *build_cond(struct check *c, source_at at, const struct expr *a, const struct expr *b,
                              const struct expr *d);
/* items[0] op items[1] op ... as a balanced tree; n > 0. */
const struct expr *build_all(struct check *c, enum expr_op op, source_at at, const struct expr *const *items, size_t n);
/* `index` + instance * length: the place of an element in its variable. */
const struct expr *build_offset(struct check *c, source_at at, const struct expr *instance, uint32_t length,
                                const struct expr *index);
uint32_t build_site(struct check *c, enum site_kind kind, source_at at, const char *what, int64_t lo, int64_t hi);
bool never_true(const struct expr *e);  /* a constant, false */
bool always_true(const struct expr *e); /* a constant, true */
bool within(const struct expr *e, int64_t lo, int64_t hi);
/* The same expression, known to lie in lo..hi where it is evaluated. */
const struct expr *build_narrowed(struct check *c, const struct expr *e, int64_t lo, int64_t hi);
/* False (and an error once) when the limits are passed. */
bool check_spend(struct check *c, source_at at, size_t nodes, size_t steps);
void check_too_large(struct check *c, source_at at, const char *what);
void build_start(struct check *c);

/* ---- check_expr.c ---- */
const struct expr *lower(struct scope *s, const struct syntax_expr *e);
const struct expr *lower_dead(struct scope *s, const struct syntax_expr *e, bool dead);
/* A variable's element as written: to read, or to assign. */
struct place {
  uint32_t variable;
  const struct expr *index; /* in the variable as a whole, checked */
};
bool lower_target(struct scope *s, const struct syntax_expr *e, struct place *place);
/* Channel named by NAME or INDEX of NAME; *element is checked. */
bool lower_channel(struct scope *s, const struct syntax_expr *e, uint32_t *channel, const struct expr **element);
const struct symbol *find_channel(const struct scope *s, const struct syntax_expr *e);
const struct symbol *find_process(const struct scope *s, const char *name, source_at at);

/* ---- check_quantify.c ---- */
const struct expr *lower_quantifier(struct scope *s, const struct syntax_expr *e);

/* ---- check_part.c ---- */

/* A transition of an instance. */
struct move {
  const struct template *process;
  uint32_t instance;
  struct edge_info *info;
  struct part *parts; /* as lowered so far */
};

/* A move lowered with its selects numbered from `base`. */
struct part {
  struct part *next;
  uint32_t base;
  bool never; /* guard false, or nothing to select */
  bool empty; /* nothing to select */
  struct select *selects;
  size_t select_count;
  const struct expr *guard;
  const struct expr *element; /* of the channel; NULL: no synchronisation */
  const struct expr **values; /* a field each: sent, or to be equal (NULL: anything) */
  struct place *targets;      /* a field each: where it is received; variable NONE: dropped */
  struct statement *effects;
  size_t effect_count;
};

void edges_resolve(struct check *c, struct template *process);
void moves_lower(struct check *c, struct template *process);
/* NULL only when a limit is passed, once moves_lower has accepted the move. */
const struct part *part_lower(struct check *c, struct move *move, uint32_t base);
/* With the select names bound to `chosen`, no selects left. */
const struct part *part_chosen(struct check *c, const struct move *move, const int64_t *chosen);
/* A site for values that may leave lo..hi, or NO_SITE. */
uint32_t range_site(struct check *c, const struct expr *value, source_at at, const char *what, int64_t lo, int64_t hi);

/* ---- check_lower.c ---- */

struct statements {
  struct statement *items;
  size_t n, cap;
};

/* A ground transition in the making. */
struct draft {
  struct location_test *tests;
  size_t test_count, test_cap;
  struct select *selects;
  size_t select_count, select_cap;
  const struct expr **guards;
  size_t guard_count, guard_cap;
  struct statements statements;
  struct participant *participants;
  size_t participant_count, participant_cap;
  uint32_t temps;
  size_t failing; /* guards that can fail */
  bool never;     /* the last guard is false; what would come after it is never tested */
};

void transitions_lower(struct check *c);
void draft_start(struct check *c);
void draft_guard(struct check *c, const struct expr *guard); /* split at its conjunctions */
/* A guard that holds whatever the value: only its evaluation can fail. */
void draft_evaluated(struct check *c, const struct expr *value, source_at at);
void draft_selects(struct check *c, const struct select *selects, size_t n);
void draft_test(struct check *c, const struct move *move, uint32_t from);
void draft_join(struct check *c, const struct move *move, const struct expr *taking_part);
/* Leaves it out where it can never fire and none of its tests can fail. */
void draft_finish(struct check *c, source_at at);
/* The value in the state before the step: itself if constant, else a new temporary. */
const struct expr *draft_let(struct check *c, const struct expr *value, source_at at, uint32_t site,
                             const struct interval *range);
/* The values sent, checked against the channel: constants or temporaries. */
const struct expr **draft_sent(struct check *c, const struct move *sender, const struct part *part);
bool is_committed(const struct move *move, uint32_t from);
/* A transition of one instance alone: starts it, with its test, selects, priority and guard. */
void draft_alone(struct check *c, struct move *move, const struct part *part, uint32_t from);

void add_statement(struct check *c, struct statements *out, const struct statement *statement);
void add_effects(struct check *c, struct statements *out, const struct part *part);
/* The fields that the receiver takes. */
void add_received(struct check *c, struct statements *out, const struct move *receiver, const struct part *part,
                  const struct expr *const *values);
void add_move(struct check *c, struct statements *out, const struct move *move, uint32_t from);

/* ---- check_buffers.c, check_pairs.c, check_broadcast.c: the ground transitions of an initiator
 * ---- */
void buffer_lower(struct check *c, struct move *move, uint32_t from);
void pairs_lower(struct check *c, struct move *sender, uint32_t from);
void broadcast_lower(struct check *c, struct move *sender, uint32_t from);

/* ---- check_properties.c ---- */
void properties_lower(struct check *c);
void expects_check(struct check *c);

/* ---- check_warnings.c ---- */
void warnings_log(struct check *c);

#endif
