/* Places: variables, parts of them, and variables of processes, as they are written in expressions and targets. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_PLACE_H
#define FLOE_FRONTEND_EXPR_CHECK_PLACE_H

#include "frontend/expr/check.h"

/* Reports a name without a declaration. */
void unknown_name(const struct scope *s, const char *name, source_at at);
const struct symbol *find_process(const struct scope *s, const char *name, source_at at);
/* Process and instance of P or P[e]. */
const struct template *place_instance(struct scope *s, const struct syntax_expr *e, const struct expr **instance);
/* `e` is NAME, INDEX or FIELD in all that follows. */
const struct expr *place_read(struct scope *s, const struct syntax_expr *e);
bool place_target(struct scope *s, const struct syntax_expr *e, struct place *place);
/* Notes that a target is assigned, before it is lowered. Reports nothing. */
void place_mark_assigned(struct check *c, const struct template *process, const struct syntax_expr *target);

/* A whole record, to be read or assigned. */
struct record_place {
  const struct syntax_structure *structure;
  uint32_t first;              /* variable of its first field; the others follow */
  const struct expr *instance; /* of the process that has the variable */
  const struct expr *index;    /* number of the record in its array, checked; NULL: in no array */
  source_at at;
};
/* The record that `e` names, NULL if it names none. Reports nothing. */
const struct syntax_structure *place_structure(const struct scope *s, const struct syntax_expr *e);
bool place_is_record(const struct scope *s, const struct syntax_expr *e);
bool place_record(struct scope *s, const struct syntax_expr *e, bool target, struct record_place *out);
/* Number of elements of a field: a variable, counted from the first. */
uint32_t record_elements(const struct check *c, const struct record_place *record, size_t field);
bool record_place_of(struct check *c, const struct record_place *record, size_t field, uint32_t element,
                     struct place *out);
const struct expr *record_read(struct check *c, const struct record_place *record, size_t field, uint32_t element);
/* True if both have the same type; else reports it. */
bool records_match(struct check *c, source_at at, const struct record_place *a, const struct record_place *b);
/* `e` is == or != of two records. */
const struct expr *record_compare(struct scope *s, const struct syntax_expr *e);

#endif
