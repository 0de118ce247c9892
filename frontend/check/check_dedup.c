#include "frontend/check/check_dedup.h"

#include <string.h>

/* More messages than these are not kept anyway. */
#define MOST_TOLD 64

static bool is_noted(const struct check *c, const char *note) {
  for (size_t i = 0; i < c->told_count; i++)
    if (strcmp(c->told[i], note) == 0)
      return true;
  return false;
}

static void add_note(struct check *c, const char *note) {
  if (c->told_count < MOST_TOLD)
    *ARENA_PUSH(c->build.arena, c->told, c->told_count, c->told_cap) = note;
}

bool already_reported(struct check *c, const char *owner, const char *name) {
  const char *note = arena_printf(c->build.arena, "unknown %s.%s", owner, name);
  bool told = is_noted(c, note);
  if (told)
    c->build.errors++;
  else
    add_note(c, note);
  return told;
}

static const char *refusal(struct check *c, const struct template *process, const char *name) {
  return arena_printf(c->build.arena, "refused %s.%s", process ? process->syntax->name : "", name);
}

bool is_refused(struct check *c, const struct template *process, const char *name) {
  if (c->told_count == 0) /* as nearly always: asked at every name */
    return false;
  bool refused = is_noted(c, refusal(c, NULL, name)) || (process && is_noted(c, refusal(c, process, name)));
  c->build.errors += refused;
  return refused;
}

void mark_invalid(struct check *c, const struct template *process, const char *name) {
  add_note(c, refusal(c, process, name));
}
