#include "frontend/expr/check_fields.h"

#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_names.h"

#include <string.h>

/* ---- names --------------------------------------------------------------------------- */

static bool is_selected(const struct syntax_transition *t, const char *name) {
  for (size_t i = 0; i < t->select_count; i++)
    if (strcmp(t->selects[i].name, name) == 0)
      return true;
  return false;
}

bool fields_are_hidden(const struct edge_info *info, const struct syntax_expr *e) {
  while (e->op == SYN_INDEX || e->op == SYN_FIELD)
    e = e->a;
  return e->op == SYN_NAME && is_selected(info->syntax, e->name);
}

static bool bound_before(const struct edge_info *info, const char *name) {
  for (size_t f = 0; info->bound && f < info->syntax->sync->n; f++)
    if (info->bound[f].name && strcmp(info->bound[f].name, name) == 0)
      return true;
  return false;
}

static void resolve_argument(struct check *c, const struct template *process, struct edge_info *info, size_t field) {
  const struct syntax_sync *sync = info->syntax->sync;
  const struct syntax_argument *argument = &sync->arguments[field];
  struct scope s = {.check = c, .process = process};
  if (argument->kind != ARGUMENT_VALUE || argument->expr->op != SYN_NAME)
    return;
  const char *name = argument->expr->name;
  if (scope_find(&s, name) || is_selected(info->syntax, name) || is_invalid(c, process, name))
    return;
  if (bound_before(info, name)) {
    CHECK_ERROR(c, argument->at, NULL, "'%s' is already the name of a field of this message", name);
    info->bad = true;
  }
  if (!info->bound)
    info->bound = arena_array(c->build.arena, sync->n, sizeof *info->bound);
  info->bound[field].name = name;
}

void fields_resolve(struct check *c, const struct template *process, struct edge_info *info) {
  const struct syntax_sync *sync = info->syntax->sync;
  for (size_t f = 0; sync && !sync->send && f < sync->n; f++)
    resolve_argument(c, process, info, f);
}

const char *const *fields_names(struct check *c, const struct edge_info *info) {
  if (!info->bound)
    return NULL;
  const char **names = arena_array(c->build.arena, info->syntax->sync->n, sizeof *names);
  for (size_t f = 0; f < info->syntax->sync->n; f++)
    names[f] = info->bound[f].name;
  return names;
}

bool field_is_bound(const struct edge_info *info, size_t field) { return info->bound && info->bound[field].name; }

void fields_publish(struct check *c, const struct edge_info *info) {
  if (!info->bound)
    return;
  const size_t n = info->syntax->sync->n;
  if (!info->edge->uses_field)
    info->edge->uses_field = arena_array(c->build.arena, n, sizeof *info->edge->uses_field);
  for (size_t f = 0; f < n; f++) {
    info->edge->reads_message |= info->bound[f].tested || info->bound[f].used;
    info->edge->uses_field[f] = info->bound[f].used;
  }
}

/* ---- values -------------------------------------------------------------------------- */

/* Fields are temporaries that no ground transition has: parts with them are never used in one. */
struct message message_any(struct check *c, const struct edge_info *info) {
  if (!info->bound)
    return (struct message){0};
  const size_t n = info->syntax->sync->n;
  const struct channel_info *channel = info->edge->channel == NONE ? NULL : &c->channel_infos[info->edge->channel];
  const size_t known = channel ? c->channels[info->edge->channel].field_count : 0;
  const struct expr **values = arena_array(c->build.arena, n, sizeof *values);
  for (size_t f = 0; f < n; f++) {
    struct interval range = f < known ? channel->fields[f] : (struct interval){0, 1};
    values[f] = build_temp(&c->build, info->syntax->sync->arguments[f].at, (uint32_t)f, range.lo, range.hi);
  }
  return (struct message){values, values};
}

void fields_bind(struct scope *s, struct edge_info *info, const struct message *message, size_t n, bool within_step) {
  if (!info->bound)
    return;
  s->edge = info;
  s->within_step = within_step;
  for (size_t f = 0; f < n; f++) {
    if (!info->bound[f].name)
      continue;
    struct binding *binding = arena_alloc(s->check->build.arena, sizeof *binding);
    *binding = (struct binding){info->bound[f].name, (within_step ? message->within : message->before)[f], s->bindings};
    info->bound[f].binding = binding;
    s->bindings = binding;
  }
}

/* The innermost binding of the name applies. */
static struct bound_field *find_field(const struct scope *s, const char *name) {
  const struct binding *binding = s->bindings;
  while (binding && strcmp(binding->name, name) != 0)
    binding = binding->outer;
  for (size_t f = 0; s->edge && f < s->edge->syntax->sync->n; f++)
    if (binding && s->edge->bound[f].binding == binding)
      return &s->edge->bound[f];
  return NULL;
}

bool fields_have(const struct scope *s, const char *name) { return find_field(s, name) != NULL; }

const char *bound_kind(const struct scope *s, const char *name) {
  return fields_have(s, name) ? "a field of the message"
         : s->in_function     ? "a variable of the function"
                              : "a chosen value";
}

bool fields_note_read(const struct scope *s, const char *name) {
  struct bound_field *field = find_field(s, name);
  if (!field)
    return false;
  field->tested |= !s->within_step;
  field->used |= s->within_step;
  s->check->fields_read++;
  return true;
}

void fields_warn(struct check *c, const struct template *process, const struct edge_info *info) {
  struct scope s = {.check = c, .process = process};
  for (size_t f = 0; info->bound && f < info->syntax->sync->n; f++) {
    const struct bound_field *field = &info->bound[f];
    if (!field->name || field->tested || field->used)
      continue;
    const char *similar = scope_suggestion(&s, field->name, SYMBOL_VARIABLE);
    CHECK_WARN(c, info->syntax->sync->arguments[f].at, similar ? similar : "write '_' to drop the field",
               "nothing reads '%s', which names a field of the message", field->name);
  }
}
