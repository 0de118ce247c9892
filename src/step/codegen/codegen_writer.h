/* State shared by the parts of the code generator: the generated text and its current context. The text is in the
   common subset of C11 and CUDA C and uses types and macros of kernel/shim.h. The including file (kernel/expand.h)
   defines the effects of successors and errors as macros: FLOE_EMITTER, FLOE_BEGIN, FLOE_END, FLOE_EMIT, FLOE_FAIL.
   Each part uses the ones before it:
     codegen_writer        lines
     codegen_expr          expressions, and reads of variables
     codegen_state         packed state: functions to read and write its variables
     codegen_index_key     index keys: state of a key, key of a state
     codegen_key_delta     key of a successor
     codegen_merge         ground transitions that share one body
     codegen_transition    firings
     codegen_initiator     function of one initiator: order of its bodies
     codegen_transient     what the holder of a transient state permits
     codegen_line_wrap     line breaks
     codegen               the whole text: settings, properties, successors */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_WRITER_H
#define FLOE_STEP_CODEGEN_CODEGEN_WRITER_H

#include "core/lines.h"
#include "core/text_buffer.h"
#include "core/threads/stop.h"
#include "model/model.h"
#include "step/codegen/outline/parts.h"
#include "step/codegen/outline/unchanged.h"
#include "step/layout/layout.h"

/* An expression whose value is already in the local variable x<number>. */
struct computed_expr {
  const struct expr *expr;
  unsigned number;
};

/* A temporary of a transition. */
struct temp_use {
  bool is_64bit; /* type int64_t; else int32_t */
  bool read;     /* used in an expression; if not (records of receivers, for traces), it is not computed */
  bool checked;  /* set with a test of its range */
  bool nested;   /* set in a conditional statement, so declared before it */
};

struct codegen_index_key;
struct key_changes;

struct codegen {
  const struct model *model;
  const struct layout *layout;
  const struct stop *stop;
  bool stopped;              /* a stop was requested: the text is unusable */
  struct source_lines lines; /* of the model's source, if it has one */
  struct text_buffer text;
  unsigned indent;
  struct parts *parts;           /* records of the text; NULL: none */
  struct codegen_index_key *key; /* NULL: keys are packed states */
  const char *const *accessors;  /* [variable] the common part of the names of its functions and constants */
  /* Of the firing or property being written: */
  const char *fail;            /* code for an error, up to the number of the site: "FLOE_FAIL(3, choice, " */
  const char *jump;            /* statement that leaves it after an error: "break", "continue", "return 0" */
  bool *written;               /* [variable_count] changed so far: read from the successor `t`, not from the state
                                  `s` */
  bool *touched;               /* [words of a state] possibly written */
  struct temp_use *temps;      /* [temp_count] */
  struct unchanged unchanged;  /* assignments that need no code */
  struct key_changes *changes; /* of this firing, with index keys */
  struct computed_expr *computed;
  size_t computed_count, computed_capacity;
  unsigned next_local;
};

/* False for a variable without bits, which always has its initial value. */
static inline bool codegen_is_stored(const struct codegen *gen, uint32_t variable) {
  return gen->layout->fields[variable].width != 0;
}

/* Starts a line, indented. */
void codegen_line(struct codegen *gen, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds to the line. */
#define codegen_add(gen, ...) text_buffer_printf(&(gen)->text, __VA_ARGS__)
void codegen_open(struct codegen *gen);                    /* " {" and indents */
void codegen_close(struct codegen *gen, const char *tail); /* "}" and `tail` */
/* A free text in a comment, without characters that could end the comment or join lines. */
const char *codegen_comment_text(struct codegen *gen, const char *text);
/* In a comment: `lead` and the name of the instance; NO_PROCESS: nothing. */
void codegen_instance(struct codegen *gen, const char *lead, uint32_t process, uint32_t instance);

/* ---- parts that may repeat (outline/parts.h) ---- */

/* A variable of the generated code; `kind`: 'x' or 'v', with which its name begins, or 't' for a temporary. */
struct codegen_local {
  char kind;
  bool is_64bit;
  uint32_t number;
};

/* All do nothing but write if gen->parts is NULL. `previous`: the part before it in the same block, or NO_PART. */
uint32_t codegen_part_begin(struct codegen *gen, uint32_t previous);
void codegen_part_end(struct codegen *gen, uint32_t part);
/* The text from `begin` on is a hole. */
void codegen_hole(struct codegen *gen, enum hole_kind kind, size_t begin, int64_t number);
/* Writes the variable's name; `assigned`: to be assigned, but not in its declaration. */
void codegen_local(struct codegen *gen, struct codegen_local local, bool assigned);
/* select<number>, a value of this size. */
void codegen_select(struct codegen *gen, uint32_t number, bool is_64bit);
/* Begins the numbering of a transition's temporaries. */
void codegen_parts_transition(struct codegen *gen, uint32_t temp_count);

#endif
