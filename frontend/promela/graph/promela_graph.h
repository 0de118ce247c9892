/* Control flow of a process: locations and the steps between them, which are those of Spin with -o1 -o2 -o3. Each
   simple statement is a step. `goto` and `break` are steps only where an option, a block or a process begins with them,
   or where their own label is observed or begins with accept, end or progress, or behind a send within an atomic
   sequence that they leave; elsewhere the step before leads to their target. */
#ifndef FLOE_FRONTEND_PROMELA_GRAPH_H
#define FLOE_FRONTEND_PROMELA_GRAPH_H

#include "frontend/promela/graph/promela_loops.h"

enum pr_step_kind {
  PR_STEP_STATEMENT, /* a simple statement */
  PR_STEP_ELSE,
  PR_STEP_JUMP, /* goto, break */
  PR_STEP_END   /* of the process */
};

struct pr_step {
  enum pr_step_kind kind;
  const struct pr_statement *statement; /* NULL: PR_STEP_END */
  uint32_t from, to;
  uint32_t escape;    /* 0: of the sequence itself; n: of the escape of the n-th `unless` around the location, from the
                         inside */
  bool keeps;         /* behind the step the process is still in its atomic sequence */
  bool keeps_d_step;  /* behind the step the process is still in its d_step */
  uint32_t number;    /* Spin's, of the statement */
  const void *d_step; /* that the step belongs to: it needs that no earlier step of the same d_step and location is
                         enabled; NULL: none */
  const struct pr_scope *scope;
};
struct pr_location {
  source_at at;
  struct pr_names labels;
  uint32_t number;     /* Spin's, of the element, block or d_step where it is */
  size_t first, count; /* its steps: those of the sequence itself in the order of the text, `else` last; then those of
                          each escape. (Spin tries escapes first.) */
};
struct pr_graph {
  struct pr_location
      *locations; /* [0]: where the process begins; its end is the one with a PR_STEP_END, if reachable */
  size_t location_count, location_cap;
  struct pr_step *steps;
  size_t step_count, step_cap;
};

/* Errors (unknown labels, `break` outside of loops, jumps into d_step) are logged. */
bool pr_build_graph(const struct pr_model *model, const struct pr_proctype *process, struct arena *arena, floe_log *log,
                    struct pr_graph *out);

/* It begins with accept, end or progress. */
bool pr_is_special(const char *label);

/* Number of statements at the beginning of the body that only declare: their variables have their values when the
   process is created. Other declarations with values are steps. */
size_t pr_leading_declarations(const struct pr_proctype *process);

#endif
