#include "frontend/lower/check_message.h"

#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_place.h"

#include <string.h>

/* EXPR.PATH */
static struct syntax_expr *field_expression(struct check *c, const struct syntax_expr *record, const char *path) {
  struct syntax_expr *e = NULL;
  const struct syntax_expr *owner = record;
  for (const char *name = path; name; name = strchr(name, '.') ? strchr(name, '.') + 1 : NULL) {
    e = arena_alloc(c->build.arena, sizeof *e);
    *e = *record;
    e->op = SYN_FIELD;
    e->name = arena_copy(c->build.arena, name, strcspn(name, "."));
    e->name_at = record->at;
    e->a = (struct syntax_expr *)owner;
    e->b = NULL;
    e->depth = owner->depth + 1;
    owner = e;
  }
  return e;
}

static bool fits(struct check *c, const struct template *process, const struct edge_info *info, size_t number,
                 const struct syntax_record *record) {
  const struct syntax_argument *argument = &info->syntax->sync->arguments[number];
  const struct scope s = {.check = c, .process = process};
  if (argument->kind == ARGUMENT_DROP)
    return true;
  const struct syntax_structure *given =
      fields_are_hidden(info, argument->expr) ? NULL : place_structure(&s, argument->expr);
  if (given && given->record == record)
    return true;
  CHECK_ERROR(c, argument->at, NULL, "this field of the message is a record of type '%s': name one", record->name);
  return false;
}

static void append(struct check *c, struct syntax_sync *out, struct syntax_argument argument) {
  *ARENA_PUSH(c->build.arena, out->arguments, out->n, out->cap) = argument;
}

static void append_fields(struct check *c, const struct syntax_argument *argument, const struct syntax_message *field,
                          struct syntax_sync *out) {
  for (size_t i = 0; i < field->count; i++) {
    struct syntax_argument part = *argument;
    if (argument->expr)
      part.expr = field_expression(c, argument->expr, field->paths[i]);
    append(c, out, part);
  }
}

/* NULL: it has no records, or there is no such channel, which is reported elsewhere. */
static const struct syntax_channel *channel_of(struct check *c, const struct template *process,
                                               const struct syntax_sync *sync) {
  const struct scope s = {.check = c, .process = process};
  const struct syntax_expr *name = sync->channel->op == SYN_INDEX ? sync->channel->a : sync->channel;
  const struct symbol *symbol = scope_find(&s, name->name);
  const struct syntax_channel *channel =
      symbol && symbol->kind == SYMBOL_CHANNEL ? &c->syntax->channels[symbol->id] : NULL;
  return channel && channel->message_count ? channel : NULL;
}

void message_report_count(struct check *c, const struct syntax_sync *sync, size_t count) {
  const char *name = sync->channel->op == SYN_INDEX ? sync->channel->a->name : sync->channel->name;
  const char *given = arena_printf(c->build.arena, "%s of %zu", name, sync->n);
  if (is_invalid(c, NULL, name) || already_reported(c, "", given)) /* its declaration may be invalid */
    return;
  CHECK_ERROR(c, sync->channel->start, NULL, "a message of channel '%s' has %zu field%s, here %zu %s given", name,
              count, count == 1 ? "" : "s", sync->n, sync->n == 1 ? "is" : "are");
}

/* One argument for each field as declared. */
static bool expand_arguments(struct check *c, const struct template *process, const struct syntax_channel *channel,
                             const struct edge_info *info, struct syntax_sync *out) {
  const struct syntax_sync *sync = info->syntax->sync;
  bool ok = true;
  for (size_t i = 0; i < sync->n; i++) {
    struct syntax_argument argument = sync->arguments[i];
    const struct syntax_record *record = channel->messages[i].record;
    if (record && !fits(c, process, info, i, record)) {
      argument = (struct syntax_argument){ARGUMENT_DROP, argument.at, NULL};
      ok = false;
    }
    if (record)
      append_fields(c, &argument, &channel->messages[i], out);
    else
      append(c, out, argument);
  }
  return ok;
}

bool message_expand(struct check *c, const struct template *process, struct edge_info *info) {
  const struct syntax_sync *sync = info->syntax->sync;
  const struct syntax_channel *channel = sync ? channel_of(c, process, sync) : NULL;
  if (!channel)
    return true;
  struct syntax_transition *transition = arena_alloc(c->build.arena, sizeof *transition);
  struct syntax_sync *out = arena_alloc(c->build.arena, sizeof *out);
  bool ok = channel->message_count == sync->n;
  *out = (struct syntax_sync){.send = sync->send, .channel = sync->channel, .brackets = sync->brackets};
  if (ok) {
    ok = expand_arguments(c, process, channel, info, out);
  } else {
    message_report_count(c, sync, channel->message_count);
    for (size_t i = 0; i < channel->fields.n; i++)
      append(c, out, (struct syntax_argument){ARGUMENT_DROP, sync->channel->at, NULL});
  }
  *transition = *info->syntax;
  transition->sync = out;
  info->syntax = transition;
  return ok;
}
