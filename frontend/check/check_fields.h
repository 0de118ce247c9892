/* Names that a receive binds to fields of the message, for its guard and effect. */
#ifndef FLOE_CHECK_FIELDS_H
#define FLOE_CHECK_FIELDS_H

#include "frontend/check/check.h"

/* What the fields of a message are, each: for what is tested before the step, and within it, when variables may have
   changed. Where nothing reads a field it may be NULL. */
struct message {
  const struct expr *const *before, *const *within;
};

/* Finds the arguments that are names of nothing else. */
void fields_resolve(struct check *c, const struct template *process, struct edge_info *info);
bool field_is_used(const struct edge_info *info, size_t field); /* within the step */
/* Of each field; NULL: none has one. */
const char *const *fields_names(struct check *c, const struct edge_info *info);
bool field_is_bound(const struct edge_info *info, size_t field);
/* Something reads one. Known once the moves of all instances are lowered. */
bool fields_are_read(const struct edge_info *info);
/* Any message in the range of the channel: to find errors, and what is read. Of moves that bind nothing it is empty. */
struct message message_any(struct check *c, const struct edge_info *info);
/* The first n fields are known from here on; the caller takes that back by the scope's bindings. */
void fields_bind(struct scope *s, struct edge_info *info, const struct message *message, size_t n, bool within_step);
/* The name is bound, and to a field. */
bool fields_have(const struct scope *s, const char *name);
/* A bound name was read: notes it, and returns true, where it is that of a field. */
bool fields_note_read(const struct scope *s, const char *name);
/* Names that nothing reads. */
void fields_warn(struct check *c, const struct template *process, const struct edge_info *info);

#endif
