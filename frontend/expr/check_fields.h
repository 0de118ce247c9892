/* Names that a receive binds to fields of the message, for use in its guard and effect. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_FIELDS_H
#define FLOE_FRONTEND_EXPR_CHECK_FIELDS_H

#include "frontend/expr/check.h"

/* True if the first name of a place is one of the transition's select. */
bool fields_are_hidden(const struct edge_info *info, const struct syntax_expr *e);
/* Finds the arguments that are new names. */
void fields_resolve(struct check *c, const struct template *process, struct edge_info *info);
/* Name of each field; NULL: no field has a name. */
const char *const *fields_names(struct check *c, const struct edge_info *info);
bool field_is_bound(const struct edge_info *info, size_t field);
/* Records in the edge which fields have been read. */
void fields_publish(struct check *c, const struct edge_info *info);
/* A message with arbitrary values in the range of the channel, used to find errors and reads. Empty for edges that bind
   nothing. */
struct message message_any(struct check *c, const struct edge_info *info);
/* Binds the first n fields; the caller restores the scope's bindings. */
void fields_bind(struct scope *s, struct edge_info *info, const struct message *message, size_t n, bool within_step);
/* True if the name is bound to a field. */
bool fields_have(const struct scope *s, const char *name);
/* What a bound name is, for messages: "a chosen value". */
const char *bound_kind(const struct scope *s, const char *name);
/* Records a read of a bound name; true if it is that of a field. */
bool fields_note_read(const struct scope *s, const char *name);
/* Warns about names that are never read. */
void fields_warn(struct check *c, const struct template *process, const struct edge_info *info);

#endif
