/* Writers of models: translate a ground model into the text of a language. A step of the written model is a step of the
   ground model and the other way round, so states, steps and errors are the same.

   A process keeps its locations if its instances alone change them, in steps of their own or as the partner of a
   handshake; else its location becomes a variable. A handshake gets a channel of its own without a message: the
   sender evaluates and assigns everything. */
#ifndef FLOE_MODEL_WRITE_WRITER_H
#define FLOE_MODEL_WRITE_WRITER_H

#include "core/name_table.h"
#include "model/model.h"
#include "model/notation.h"

#define WRITER_NO_SIDE SIZE_MAX
#define WRITER_LARGEST ((size_t)64 << 20) /* bytes; of a model that is read */
#define WRITER_MOST_CHOICES 65536         /* of a transition whose choices are written one by one */

struct writer;

/* A language. */
struct dialect {
  const struct operator_text *operators; /* [EXPR_OPS] */
  const char *const *reserved;           /* words that are no names; a NULL ends them */
  bool has_conditionals;                 /* expressions have ?:, min and max */
  bool has_templates;                    /* a process has several instances, and is not assigned by others */
  bool pairs_commit;                     /* while a process is committed, both partners of a handshake must be */
  int64_t lo, hi;                        /* values of expressions */
  const char *numbers;                   /* what they have, for messages: "32 bits" */
  /* Writes element `index` (NULL: 0) of the variable. */
  void (*element)(struct writer *w, uint32_t variable, const struct expr *index);
  /* Writes a truth value: the instance `index` (NULL: 0) of the process, which keeps its locations, is there. */
  void (*at)(struct writer *w, uint32_t process, const struct expr *index, uint32_t location);
  /* Writes that a transition of the set is enabled; NULL: the language has no such expression. */
  void (*enabled)(struct writer *w, const struct transition_set *set);
};

struct writer_text {
  char *text;
  size_t length, capacity;
};

/* A variable that holds a temporary value within a step; between steps it is 0. */
struct temporary {
  const char *name;
  int64_t lo, hi;
};

/* An array of the numbers 0..bound - 1, which tests an index. */
struct index_test {
  const char *name;
  uint32_t bound;
};

struct writer {
  const struct dialect *dialect;
  const struct model *model;
  struct arena *arena; /* its guard is active */
  floe_log *log;
  struct writer_text out;
  bool failed; /* the language cannot express something: nothing more is written, but further errors are logged */

  struct name_table names; /* of the model */
  const char **processes, **variables;
  const char ***locations; /* [process][location] */
  bool *located;           /* [process] it keeps its locations */
  bool *local;             /* [variable] it is declared in its process */
  bool commits;            /* the language's committed locations give the priority */
  struct temporary *temporaries;
  size_t temporary_count, temporary_cap;
  struct index_test *bounds;
  size_t bound_count, bound_cap;

  /* Of the transition that is being written. */
  const struct transition *transition;
  const struct expr **inlined; /* [temp_count] values of temporaries that need no variable, else NULL */
  const char **selects;        /* names; NULL: `chosen` */
  int64_t *chosen;             /* values */
  unsigned nesting;
};

/* Makes names and decides what processes keep. */
void writer_start(struct writer *w, const struct dialect *dialect, const struct model *model, struct arena *arena,
                  floe_log *log);

/* Removes what has been put: the body of a text whose head depends on it. */
struct writer_text writer_take(struct writer *w);
/* *text: what has been put since, and then the body. FLOE_ERROR_MODEL: something was refused. */
floe_status writer_join(struct writer *w, struct writer_text body, const char **text);
void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Logs that the language cannot express what is written at `at`. */
void writer_refuse(struct writer *w, source_at at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Writes something that may be left out: false if the language cannot express it, and nothing is written or logged. */
bool writer_try(struct writer *w, void (*write)(struct writer *w, const void *data), const void *data);
/* Logs a warning with the number of properties that are not written, if there are any: "3 properties are not written
   (a, b, c): `why`". */
void writer_lost(struct writer *w, const char *const *ids, size_t count, const char *why);

/* A name of a-z, A-Z, 0-9 and _ that is not in use, similar to `like`; it is then in use in `scope`, NULL: in the
   model. Names of a scope differ from those of the model. */
const char *writer_name(struct writer *w, struct name_table *scope, const char *like);

/* ---- transitions ---- */

/* A participant that is written as a transition of its process. */
struct side {
  uint32_t process, instance; /* NO_PROCESS, 0: without one */
  uint32_t from, to;          /* locations; 0 if the process does not keep its locations */
  const struct edge *edge;
};

/* Call before the other functions; writes of statements, guards and selects are then about this transition. */
void writer_begin(struct writer *w, const struct transition *transition);
/* Side 0, the initiator; side 1, its partner: false if there is none. */
bool writer_side(const struct writer *w, const struct transition *transition, size_t side, struct side *out);
/* The statement changes the location of a process that keeps its locations: the side contains it. */
bool writer_is_move(const struct writer *w, const struct statement *statement);
/* Sets `chosen` to the first choice, and then to the next one; false: there is none. */
bool writer_first_choice(struct writer *w);
bool writer_next_choice(struct writer *w);
/* Conditions that the sides do not contain: tests of locations, then guards, separated by `and`. `begun`: something
   precedes them. Returns whether something was written. */
bool writer_guards(struct writer *w, bool begun);
/* Name of the variable for temporary `number`, which is about to have this value. */
const char *writer_temporary(struct writer *w, uint32_t number, const struct expr *value);

/* ---- expressions ---- */

/* With brackets if the text is weaker than `least`. */
void writer_expr(struct writer *w, const struct expr *expr, enum operator_strength least);
/* As an index of an array of `size` elements, without brackets. */
void writer_index(struct writer *w, const struct expr *index, uint32_t size);
void writer_number(struct writer *w, int64_t value);

static inline bool writer_is_array(const struct variable *v) { return v->count > 1 || v->is_array; }

#endif
