/* Reference semantics: names and expressions, evaluated on the syntax tree. For reference_semantics.c. */
#ifndef FLOE_TESTS_FRONTEND_REFERENCE_EXPRESSIONS_H
#define FLOE_TESTS_FRONTEND_REFERENCE_EXPRESSIONS_H

#include "reference_semantics.h"

#include <setjmp.h>

struct actor;
struct name {
  const char *name;
  int64_t value;
  const struct name *outer;
  const struct syntax_expr *argument; /* argument of a define, instead of a value; NULL: none */
  const struct actor *home;           /* the actor of its scope */
};

struct run {
  const struct syntax_model *syntax;
  const struct model *model;
  const int64_t *before; /* the state before the step */
  int64_t *now;          /* values that expressions read */
  const struct constant *constants;
  struct reference_step *out;
  jmp_buf failed; /* an error of the model */
};

/* An instance with its bound names. */
struct actor {
  uint32_t process, instance;
  const struct name *names;
};

#define NO_PROCESS UINT32_MAX /* outside processes; also: no such name */

/* Numbers of names in the ground model; NO_PROCESS: no such name. Values and elements; an error of the model jumps to
   run->failed. */
uint32_t reference_variable(const struct run *r, const char *name, uint32_t process);
uint32_t reference_channel(const struct run *r, const struct syntax_expr *e);
uint32_t reference_location(const struct run *r, uint32_t process, const char *name);
int64_t *reference_location_value(const struct run *r, int64_t *values, struct actor w);
_Noreturn void reference_fail(struct run *r);
int64_t reference_value(struct run *r, struct actor w, const struct syntax_expr *e);
int64_t *reference_element(struct run *r, struct actor w, uint32_t variable, const struct actor *owner,
                           const struct syntax_expr *index);
uint32_t reference_channel_element(struct run *r, struct actor w, const struct syntax_expr *e);
int64_t *reference_length(struct run *r, uint32_t channel, uint32_t element_number);
void reference_range(struct run *r, struct actor w, const struct syntax_range *range, int64_t *lo, int64_t *hi);

#endif
