/* What the parts of the code generator hand one another: the text in work, and what is known of the place in it. The
   text is in the common subset of C11 and CUDA C. It uses types and macros of kernel/shim.h; what a successor or an
   error does is up to the file that includes it (kernel/expand.h), through FLOE_EMITTER, FLOE_BEGIN, FLOE_END,
   FLOE_EMIT and FLOE_FAIL. Its parts, each of which uses those before it: codegen_writer       lines codegen_expr
   expressions, and variables where they stand codegen_state        the packed state: how its variables are read and
   written codegen_key          keys by rank: the state of one, and back codegen_delta        the key of a successor
     codegen_merge        which ground transitions share one text
     codegen_transition   firings
     codegen_group        functions for each initiator: which firings stand where
     codegen_wrap         no line is longer than it need be
     codegen              the whole: settings, properties, successors */
#ifndef FLOE_CODEGEN_WRITER_H
#define FLOE_CODEGEN_WRITER_H

#include "core/lines.h"
#include "core/stop.h"
#include "model/model.h"
#include "step/codegen/text_buffer.h"
#include "step/layout/layout.h"

/* An expression whose value is in the local variable x<number> already. */
struct named_expr {
  const struct expr *expr;
  unsigned number;
};

/* A temporary of a transition. */
struct temp_use {
  bool wide;   /* int64_t */
  bool read;   /* what nobody reads (who takes part, for traces) is not computed */
  bool nested; /* set in a conditional statement, so declared before */
};

struct codegen_key;
struct codegen_changes;

struct codegen {
  const struct model *model;
  const struct layout *layout;
  const struct stop *stop;
  bool stopped;              /* it was: what is written from then on is of no use */
  struct source_lines lines; /* of the model's source, where it has one */
  struct text text;
  unsigned indent;
  struct codegen_key *key;      /* NULL: keys are the packed states themselves */
  const char *const *accessors; /* one per variable: the part that the names of all that is about it share */
  /* Of the firing or property that is being written: */
  const char *fail;                /* what an error does, up to its site's number: "FLOE_FAIL(3, choice, " */
  const char *jump;                /* what leaves it then: "break", "continue", "return 0" */
  bool *written;                   /* [variable_count] changed so far: to be read from the successor `t`, not from the
                                      state `s` */
  bool *touched;                   /* [words of a state] it may write there */
  struct temp_use *temps;          /* [temp_count] */
  struct codegen_changes *changes; /* with keys by rank: of the firing that is being written */
  struct named_expr *named;
  size_t named_count, named_capacity;
  unsigned next_name;
};

/* One that takes no bits has its initial value for ever. */
static inline bool codegen_is_stored(const struct codegen *gen, uint32_t variable) {
  return gen->layout->fields[variable].width != 0;
}

/* Starts a line, indented. */
void codegen_line(struct codegen *gen, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds to the line. */
#define codegen_add(gen, ...) text_add(&(gen)->text, __VA_ARGS__)
void codegen_open(struct codegen *gen);                    /* " {" and indents */
void codegen_close(struct codegen *gen, const char *tail); /* "}" and `tail` */

#endif
