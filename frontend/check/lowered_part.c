#include "frontend/check/lowered_part.h"

#include "frontend/check/check_assign.h"
#include "frontend/check/check_dedup.h"
#include "frontend/check/check_effect.h"
#include "frontend/check/check_enumerations.h"
#include "frontend/check/check_names.h"
#include "frontend/parse/source_text.h"

#include <string.h>

/* ---- names --------------------------------------------------------------------------- */

/* The locations with blanks between, as one text. */
static const char *from_text(struct check *c, const struct syntax_transition *t) {
  size_t length = 0;
  for (size_t i = 0; i < t->from_count; i++)
    length += strlen(t->from[i].name) + 1;
  char *text = arena_alloc(c->build.arena, length + 1), *end = text;
  for (size_t i = 0; i < t->from_count; i++) {
    size_t n = strlen(t->from[i].name);
    if (i)
      *end++ = ' ';
    memcpy(end, t->from[i].name, n);
    end += n;
  }
  return text;
}

static uint32_t find_location(struct check *c, const struct template *process, const struct syntax_name *name) {
  struct scope s = {.check = c, .process = process};
  const struct symbol *symbol = names_find(&process->names, name->name);
  if (symbol && symbol->kind == SYMBOL_LOCATION)
    return symbol->id;
  if (is_refused(c, process, name->name) || already_reported(c, process->syntax->name, name->name))
    return NONE;
  CHECK_ERROR(c, name->at, scope_suggestion(&s, name->name, SYMBOL_LOCATION), "process '%s' has no location '%s'",
              process->syntax->name, name->name);
  return NONE;
}

static void all_locations(struct check *c, const struct template *process, struct edge_info *info) {
  info->from_count = process->syntax->location_count;
  info->from = arena_array(c->build.arena, info->from_count, sizeof *info->from);
  for (size_t i = 0; i < info->from_count; i++)
    info->from[i] = (uint32_t)i;
}

static void resolve_from(struct check *c, const struct template *process, struct edge_info *info) {
  const struct syntax_transition *t = info->syntax;
  if (!build_spend(&c->build, t->at, 0, process->syntax->location_count)) {
    info->bad = true;
    return;
  }
  if (t->from_count == 1 && strcmp(t->from[0].name, "*") == 0) {
    all_locations(c, process, info);
    return;
  }
  bool *seen = arena_array(c->build.arena, process->syntax->location_count, sizeof *seen);
  info->from = arena_array(c->build.arena, t->from_count, sizeof *info->from);
  for (size_t i = 0; i < t->from_count; i++) {
    uint32_t location = find_location(c, process, &t->from[i]);
    if (location == NONE) {
      info->bad = true;
    } else if (seen[location]) {
      CHECK_ERROR(c, t->from[i].at, NULL, "location '%s' is listed twice", t->from[i].name);
      info->bad = true;
    } else {
      seen[location] = true;
      info->from[info->from_count++] = location;
    }
  }
}

static void resolve_channel(struct check *c, const struct template *process, struct edge_info *info) {
  const struct syntax_sync *sync = info->syntax->sync;
  struct scope s = {.check = c, .process = process};
  const struct symbol *symbol = find_channel(&s, sync->channel);
  if (!symbol) {
    info->bad = true;
    return;
  }
  info->channel = symbol->id;
  if (sync->send)
    c->channel_infos[symbol->id].sent = true;
  else
    c->channel_infos[symbol->id].received = true;
  if (c->channels[symbol->id].field_count != sync->n) {
    const char *given = arena_printf(c->build.arena, "%s of %zu", symbol->name, sync->n);
    info->bad = true;
    if (is_refused(c, NULL, symbol->name) || already_reported(c, "", given)) /* its declaration may be wrong */
      return;
    CHECK_ERROR(c, sync->channel->start, NULL, "a message of channel '%s' has %zu field%s, here %zu %s given",
                symbol->name, c->channels[symbol->id].field_count, c->channels[symbol->id].field_count == 1 ? "" : "s",
                sync->n, sync->n == 1 ? "is" : "are");
  }
}

static void mark_assigned(struct check *c, const struct template *process, const struct syntax_expr *target) {
  const struct syntax_expr *name = target->op == SYN_INDEX ? target->a : target;
  struct scope s = {.check = c, .process = process};
  const struct symbol *symbol = scope_find(&s, name->name);
  if (symbol && symbol->kind == SYMBOL_VARIABLE)
    c->build.model->variables[symbol->id].assigned = true;
}

static void mark_all_assigned(struct check *c, const struct template *process, const struct syntax_statement *list,
                              size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (list[i].kind == STATEMENT_ASSIGN)
      mark_assigned(c, process, list[i].target);
    mark_all_assigned(c, process, list[i].body, list[i].body_count);
    mark_all_assigned(c, process, list[i].otherwise, list[i].otherwise_count);
  }
}

static void resolve_targets(struct check *c, const struct template *process, const struct syntax_transition *t) {
  mark_all_assigned(c, process, t->effects, t->effect_count);
  if (t->sync && !t->sync->send)
    for (size_t i = 0; i < t->sync->n; i++)
      if (t->sync->arguments[i].kind == ARGUMENT_VALUE)
        mark_assigned(c, process, t->sync->arguments[i].expr);
}

/* What the model says of a transition as written. */
static struct edge edge_of(struct check *c, const struct template *process, const struct syntax_transition *t) {
  const char *from = from_text(c, t);
  struct edge edge = {.process = process->id,
                      .label = t->label ? t->label : "",
                      .from = from,
                      .to = t->to.name ? t->to.name : from,
                      .several = t->from_count > 1,
                      .at = t->at};
  if (t->guard)
    edge.guards = written_conjuncts(c->build.source, t->guard, c->build.arena, &edge.guard_count);
  if (t->sync) {
    edge.channel = written_text(c->build.source, t->sync->channel, c->build.arena);
    edge.sends = t->sync->send;
  }
  return edge;
}

void edges_resolve(struct check *c, struct template *process) {
  const struct syntax_process *p = process->syntax;
  process->edges = arena_array(c->build.arena, p->transition_count, sizeof *process->edges);
  for (size_t i = 0; i < p->transition_count; i++) {
    const struct syntax_transition *t = &p->transitions[i];
    struct edge_info *info = &process->edges[i];
    *info =
        (struct edge_info){.syntax = t, .number = (uint32_t)c->build.model->edge_count, .to = NONE, .channel = NONE};
    c->edges[c->build.model->edge_count++] = edge_of(c, process, t);
    resolve_from(c, process, info);
    if (t->to.name) {
      info->to = find_location(c, process, &t->to);
      info->bad |= info->to == NONE;
    }
    if (t->sync)
      resolve_channel(c, process, info);
    resolve_targets(c, process, t);
    fields_resolve(c, process, info);
    c->edges[info->number].channel_number = info->channel;
    c->edges[info->number].bound = fields_names(c, info);
  }
}

/* ---- lowering ------------------------------------------------------------------------ */

static const struct expr *select_value(struct check *c, const struct part *part, size_t i, source_at at) {
  const struct select *select = &part->selects[i];
  if (select->lo >= select->hi)
    return build_const(&c->build, select->lo);
  return build_select(&c->build, at, part->base + (uint32_t)i, select->lo, select->hi);
}

static bool select_is_new(const struct scope *s, const struct syntax_transition *t, size_t number) {
  const struct syntax_select *select = &t->selects[number];
  for (size_t i = 0; i < number; i++)
    if (strcmp(t->selects[i].name, select->name) == 0) {
      CHECK_ERROR(s->check, select->at, NULL, "'%s' is already chosen here", select->name);
      return false;
    }
  scope_warn_hidden(s, select->name, select->at);
  return true;
}

/* A name whose range is wrong is bound all the same, so that what follows can be checked. */
static bool lower_selects(struct scope *s, struct part *part, const struct syntax_transition *t,
                          const int64_t *chosen) {
  struct check *c = s->check;
  bool ok = true;
  part->selects = arena_array(c->build.arena, t->select_count, sizeof *part->selects);
  for (size_t i = 0; i < t->select_count; i++) {
    const struct syntax_select *syntax = &t->selects[i];
    struct select *select = &part->selects[i];
    select->name = syntax->name;
    bool free = select_is_new(s, t, i);
    ok &= constant_range(s, &syntax->range, &select->lo, &select->hi) && free;
    select->type = range_names(s, &syntax->range);
    part->empty |= select->lo > select->hi;
    struct binding *binding = arena_alloc(c->build.arena, sizeof *binding);
    *binding = (struct binding){
        syntax->name, chosen ? build_const(&c->build, chosen[i]) : select_value(c, part, i, syntax->at), s->bindings};
    if (!binding->value)
      return false;
    if (free)
      s->bindings = binding;
  }
  part->select_count = chosen ? 0 : t->select_count;
  part->never = part->empty;
  return ok;
}

static bool lower_guard(struct scope *s, struct part *part, struct edge_info *info) {
  struct check *c = s->check;
  size_t constants = part->constants_before, fields = c->fields_read;
  if (info->syntax->guard && !info->syntax->otherwise)
    part->guard = lower_dead(s, info->syntax->guard, part->never);
  else
    part->guard = build_const(&c->build, 1);
  if (!part->guard)
    return false;
  if (info->syntax->otherwise) /* what it asks is known later: check_else */
    return true;
  if (part->guard->op != EXPR_CONST || c->constants_read != constants)
    info->guard_varies = true;
  else if (is_constant_true(part->guard))
    info->guard_true = true;
  else
    info->guard_false = true;
  if (c->fields_read != fields) {
    part->last = part->guard;
    part->guard = build_const(&c->build, 1);
    return true;
  }
  part->never |= is_constant_false(part->guard);
  return true;
}

static bool lower_argument(struct scope *s, struct part *part, const struct edge_info *info, size_t i) {
  const struct syntax_sync *sync = info->syntax->sync;
  const struct syntax_argument *argument = &sync->arguments[i];
  part->targets[i].variable = NONE;
  if (argument->kind == ARGUMENT_DROP || field_is_bound(info, i))
    return true;
  if (!sync->send && argument->kind == ARGUMENT_VALUE)
    return lower_target(s, argument->expr, &part->targets[i]);
  part->values[i] = lower(s, argument->expr);
  return part->values[i] != NULL;
}

/* A channel whose name is wrong was told, but not what is wrong with its index. */
static bool lower_sync_channel(struct scope *s, struct part *part, const struct edge_info *info) {
  const struct syntax_expr *channel = info->syntax->sync->channel;
  uint32_t number;
  if (info->channel != NONE)
    return lower_channel(s, channel, &number, &part->element);
  if (channel->op == SYN_INDEX)
    lower(s, channel->b);
  return false;
}

/* An argument sees the fields that stand left of it. */
static bool lower_sync(struct scope *s, struct part *part, struct edge_info *info, const struct message *message) {
  struct check *c = s->check;
  const struct syntax_sync *sync = info->syntax->sync;
  const struct binding *outer = s->bindings;
  if (!sync)
    return true;
  part->values = arena_array(c->build.arena, sync->n, sizeof *part->values);
  part->targets = arena_array(c->build.arena, sync->n, sizeof *part->targets);
  bool ok = lower_sync_channel(s, part, info);
  for (size_t i = 0; i < sync->n; i++) {
    fields_bind(s, info, message, i, sync->arguments[i].kind != ARGUMENT_MATCH);
    ok &= lower_argument(s, part, info, i);
    s->bindings = outer;
  }
  return ok;
}

static bool lower_effects(struct scope *s, struct part *part, const struct syntax_transition *t) {
  struct statements statements = {0};
  bool ok = effect_lower(s, t->effects, t->effect_count, &statements);
  part->effects = statements.items;
  part->effect_count = statements.n;
  return ok;
}

static struct part *part_new(struct check *c, const struct move *move, uint32_t base, const int64_t *chosen,
                             const struct message *message) {
  struct scope s = {.check = c, .process = move->process, .instance = move->instance};
  const struct syntax_transition *t = move->info->syntax;
  if (!build_spend(&c->build, t->at, 1 + t->effect_count + t->select_count, 1))
    return NULL;
  struct part *part = arena_alloc(c->build.arena, sizeof *part);
  part->base = base;
  part->constants_before = c->constants_read;
  bool ok = lower_selects(&s, part, t, chosen);
  const struct binding *selects = s.bindings;
  size_t fields = t->sync ? t->sync->n : 0;
  fields_bind(&s, move->info, message, fields, false);
  ok &= lower_guard(&s, part, move->info);
  s.bindings = selects;
  bool dead = part->never || (part->last && is_constant_false(part->last));
  c->build.dead += dead;
  ok &= lower_sync(&s, part, move->info, message);
  fields_bind(&s, move->info, message, fields, true);
  ok &= lower_effects(&s, part, t);
  c->build.dead -= dead;
  return ok ? part : NULL;
}

const struct part *part_lower(struct check *c, struct move *move, uint32_t base) {
  for (struct part *part = move->parts; part; part = part->next)
    if (part->base == base || !part->select_count)
      return part;
  struct message message = message_any(c, move->info);
  struct part *part = part_new(c, move, base, NULL, &message);
  if (part) {
    part->next = move->parts;
    move->parts = part;
  }
  return part;
}

const struct part *part_chosen(struct check *c, const struct move *move, const int64_t *chosen) {
  struct message message = message_any(c, move->info);
  return part_new(c, move, 0, chosen, &message);
}

const struct part *part_receiving(struct check *c, struct move *move, uint32_t base, const int64_t *chosen,
                                  const struct message *message) {
  if (fields_are_read(move->info))
    return part_new(c, move, base, chosen, message);
  return chosen ? part_chosen(c, move, chosen) : part_lower(c, move, base);
}

/* ---- choices ------------------------------------------------------------------------- */

int64_t *choice_first(struct check *c, const struct part *part) {
  int64_t *chosen = arena_array(c->build.arena, part->select_count, sizeof *chosen);
  for (size_t i = 0; i < part->select_count; i++)
    chosen[i] = part->selects[i].lo;
  return chosen;
}

bool choice_next(const struct part *part, int64_t *chosen) {
  for (size_t i = part->select_count; i-- > 0;) {
    if (chosen[i]++ < part->selects[i].hi)
      return true;
    chosen[i] = part->selects[i].lo;
  }
  return false;
}

/* ---- all moves ----------------------------------------------------------------------- */

/* One whose guard is false is a partner all the same while the sender's is tested. */
static void receiver_add(struct check *c, struct move *move) {
  const struct syntax_sync *sync = move->info->syntax->sync;
  struct channel_info *info = &c->channel_infos[move->info->channel];
  if (!sync->send && !move->parts->empty)
    *ARENA_PUSH(c->build.arena, info->receivers, info->receiver_count, info->receiver_cap) = move;
}

/* Instances are checked one by one; after one with errors the rest would only repeat them. */
void moves_lower(struct check *c, struct template *process) {
  size_t edges = process->syntax->transition_count, errors = c->build.errors;
  uint32_t instances = process->process->instances;
  if (!build_spend(&c->build, process->syntax->at, instances * edges, 0))
    return;
  process->moves = arena_array(c->build.arena, instances * edges, sizeof *process->moves);
  for (uint32_t i = 0; i < instances && c->build.errors == errors; i++)
    for (size_t k = 0; k < edges; k++) {
      struct move *move = &process->moves[i * edges + k];
      *move = (struct move){process, i, &process->edges[k], NULL};
      bool lowered = part_lower(c, move, 0); /* wrong names hide no other error */
      if (lowered && !move->info->bad && move->info->channel != NONE)
        receiver_add(c, move);
    }
}
