#include "frontend/expr/check_dedup.h"

#include <string.h>

/* The log keeps no more messages than this. */
#define MAX_REPORTED 64

static bool is_noted(const struct check *c, const char *note) {
  for (size_t i = 0; i < c->reported.count; i++)
    if (strcmp(c->reported.items[i], note) == 0)
      return true;
  return false;
}

static void add_note(struct check *c, const char *note) {
  if (c->reported.count < MAX_REPORTED)
    *ARENA_PUSH(c->build.arena, c->reported.items, c->reported.count, c->reported.cap) = note;
}

bool already_reported(struct check *c, const char *owner, const char *name) {
  const char *note = arena_printf(c->build.arena, "unknown %s.%s", owner, name);
  bool reported = is_noted(c, note);
  if (reported)
    c->build.errors++;
  else
    add_note(c, note);
  return reported;
}

static const char *invalid_note(struct check *c, const struct template *process, const char *name) {
  return arena_printf(c->build.arena, "refused %s.%s", process ? process->syntax->name : "", name);
}

bool is_invalid(struct check *c, const struct template *process, const char *name) {
  if (c->reported.count == 0) /* the common case: called for every name */
    return false;
  bool invalid = is_noted(c, invalid_note(c, NULL, name)) || (process && is_noted(c, invalid_note(c, process, name)));
  c->build.errors += invalid;
  return invalid;
}

void mark_invalid(struct check *c, const struct template *process, const char *name) {
  add_note(c, invalid_note(c, process, name));
}
