#include "frontend/lower/lowered_part.h"

#include "frontend/expr/check_assign.h"
#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_enumerations.h"
#include "frontend/expr/check_names.h"
#include "frontend/lower/check_effect.h"
#include "frontend/parse/source_text.h"

#include <string.h>

/* ---- names --------------------------------------------------------------------------- */

/* The names of the locations, separated by blanks. */
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
  if (is_invalid(c, process, name->name) || already_reported(c, process->syntax->name, name->name))
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
    if (is_invalid(c, NULL, symbol->name) || already_reported(c, "", given)) /* its declaration may be invalid */
      return;
    CHECK_ERROR(c, sync->channel->start, NULL, "a message of channel '%s' has %zu field%s, here %zu %s given",
                symbol->name, c->channels[symbol->id].field_count, c->channels[symbol->id].field_count == 1 ? "" : "s",
                sync->n, sync->n == 1 ? "is" : "are");
  }
}

static void mark_all_assigned(struct check *c, const struct template *process, const struct syntax_statement *list,
                              size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (list[i].kind == STATEMENT_ASSIGN)
      place_mark_assigned(c, process, list[i].target);
    mark_all_assigned(c, process, list[i].body, list[i].body_count);
    mark_all_assigned(c, process, list[i].otherwise, list[i].otherwise_count);
  }
}

static void resolve_targets(struct check *c, const struct template *process, const struct syntax_transition *t) {
  mark_all_assigned(c, process, t->effects, t->effect_count);
  if (t->sync && !t->sync->send)
    for (size_t i = 0; i < t->sync->n; i++)
      if (t->sync->arguments[i].kind == ARGUMENT_VALUE)
        place_mark_assigned(c, process, t->sync->arguments[i].expr);
}

/* Description of a transition for the ground model. */
static struct edge edge_of(struct check *c, const struct template *process, const struct syntax_transition *t) {
  const char *from = from_text(c, t);
  struct edge edge = {.process = process->id,
                      .label = t->label ? t->label : "",
                      .from = from,
                      .to = t->to.name ? t->to.name : from,
                      .lists_locations = t->from_count > 1,
                      .at = t->at};
  if (t->guard)
    edge.guards = source_conjuncts(c->build.source, t->guard, c->build.arena, &edge.guard_count);
  if (t->sync) {
    edge.channel = source_excerpt_text(c->build.source, t->sync->channel, c->build.arena);
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

static const struct expr *select_value(struct check *c, const struct lowered_part *part, size_t i, source_at at) {
  const struct select *select = &part->selects[i];
  if (select->lo >= select->hi)
    return build_const(&c->build, select->lo);
  return build_select(&c->build, at, part->base + (uint32_t)i, select->lo, select->hi);
}

static bool select_is_new(const struct scope *s, const struct syntax_transition *t, size_t number) {
  const struct syntax_select *select = &t->selects[number];
  for (size_t i = 0; i < number; i++)
    if (strcmp(t->selects[i].name, select->name) == 0) {
      CHECK_ERROR(s->check, select->at, NULL, "'%s' is already the name of a select here", select->name);
      return false;
    }
  scope_warn_hidden(s, select->name, select->at);
  return true;
}

/* A name with an invalid range is bound nevertheless, so that later parts can be checked. */
static bool lower_selects(struct scope *s, struct lowered_part *part, const struct syntax_transition *t,
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

static bool lower_guard(struct scope *s, struct lowered_part *part, struct edge_info *info) {
  struct check *c = s->check;
  size_t constants = part->constants_before, fields = c->fields_read;
  if (info->syntax->guard && !info->syntax->otherwise)
    part->guard = lower_dead(s, info->syntax->guard, part->never);
  else
    part->guard = build_const(&c->build, 1);
  if (!part->guard)
    return false;
  if (info->syntax->otherwise) /* check_else adds its guards later */
    return true;
  if (part->guard->op != EXPR_CONST || c->constants.read != constants)
    info->guard_varies = true;
  else if (is_constant_true(part->guard))
    info->guard_true = true;
  else
    info->guard_false = true;
  if (c->fields_read != fields) {
    part->message_guard = part->guard;
    part->guard = build_const(&c->build, 1);
    return true;
  }
  part->never |= is_constant_false(part->guard);
  return true;
}

static bool lower_argument(struct scope *s, struct lowered_part *part, const struct edge_info *info, size_t i) {
  const struct syntax_sync *sync = info->syntax->sync;
  const struct syntax_argument *argument = &sync->arguments[i];
  part->targets[i].variable = NONE;
  if (argument->kind == ARGUMENT_DROP || field_is_bound(info, i))
    return true;
  if (!sync->send && argument->kind == ARGUMENT_VALUE)
    return place_target(s, argument->expr, &part->targets[i]);
  part->values[i] = lower(s, argument->expr);
  return part->values[i] != NULL;
}

/* If the channel's name was reported, still checks its index. */
static bool lower_sync_channel(struct scope *s, struct lowered_part *part, const struct edge_info *info) {
  const struct syntax_expr *channel = info->syntax->sync->channel;
  uint32_t number;
  if (info->channel != NONE)
    return lower_channel(s, channel, &number, &part->element);
  if (channel->op == SYN_INDEX)
    lower(s, channel->b);
  return false;
}

/* An argument can use the fields to its left. */
static bool lower_sync(struct scope *s, struct lowered_part *part, struct edge_info *info,
                       const struct message *message) {
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

static bool lower_effects(struct scope *s, struct lowered_part *part, const struct syntax_transition *t) {
  struct statements statements = {0};
  bool ok = effect_lower(s, t->effects, t->effect_count, &statements);
  part->effects = statements.items;
  part->effect_count = statements.n;
  return ok;
}

static struct lowered_part *part_new(struct check *c, const struct process_edge *edge, uint32_t base,
                                     const int64_t *chosen, const struct message *message) {
  struct scope s = {.check = c, .process = edge->process, .instance = edge->instance};
  const struct syntax_transition *t = edge->info->syntax;
  if (!build_spend(&c->build, t->at, 1 + t->effect_count + t->select_count, 1))
    return NULL;
  struct lowered_part *part = arena_alloc(c->build.arena, sizeof *part);
  part->base = base;
  part->constants_before = c->constants.read;
  bool ok = lower_selects(&s, part, t, chosen);
  const struct binding *selects = s.bindings;
  size_t fields = t->sync ? t->sync->n : 0;
  fields_bind(&s, edge->info, message, fields, false);
  ok &= lower_guard(&s, part, edge->info);
  s.bindings = selects;
  bool dead = part->never || (part->message_guard && is_constant_false(part->message_guard));
  c->build.dead += dead;
  ok &= lower_sync(&s, part, edge->info, message);
  fields_bind(&s, edge->info, message, fields, true);
  ok &= lower_effects(&s, part, t);
  c->build.dead -= dead;
  return ok ? part : NULL;
}

const struct lowered_part *lowered_part_get(struct check *c, struct process_edge *edge, uint32_t base) {
  for (struct lowered_part *part = edge->parts; part; part = part->next)
    if (part->base == base || !part->select_count)
      return part;
  struct message message = message_any(c, edge->info);
  struct lowered_part *part = part_new(c, edge, base, NULL, &message);
  if (part) {
    part->next = edge->parts;
    edge->parts = part;
  }
  return part;
}

const struct lowered_part *lowered_part_chosen(struct check *c, const struct process_edge *edge,
                                               const int64_t *chosen) {
  struct message message = message_any(c, edge->info);
  return part_new(c, edge, 0, chosen, &message);
}

const struct lowered_part *lowered_part_receiving(struct check *c, struct process_edge *edge, uint32_t base,
                                                  const int64_t *chosen, const struct message *message) {
  if (fields_are_read(edge->info))
    return part_new(c, edge, base, chosen, message);
  return chosen ? lowered_part_chosen(c, edge, chosen) : lowered_part_get(c, edge, base);
}

/* ---- choices ------------------------------------------------------------------------- */

int64_t *choice_first(struct check *c, const struct lowered_part *part) {
  int64_t *chosen = arena_array(c->build.arena, part->select_count, sizeof *chosen);
  for (size_t i = 0; i < part->select_count; i++)
    chosen[i] = part->selects[i].lo;
  return chosen;
}

bool choice_next(const struct lowered_part *part, int64_t *chosen) {
  for (size_t i = part->select_count; i-- > 0;) {
    if (chosen[i]++ < part->selects[i].hi)
      return true;
    chosen[i] = part->selects[i].lo;
  }
  return false;
}

/* ---- edges of all instances ------------------------------------------------------------- */

/* An edge with a false guard is still a partner for the test of the sender's guard. */
static void receiver_add(struct check *c, struct process_edge *edge) {
  const struct syntax_sync *sync = edge->info->syntax->sync;
  struct channel_info *info = &c->channel_infos[edge->info->channel];
  if (!sync->send && !edge->parts->empty)
    *ARENA_PUSH(c->build.arena, info->receivers, info->receiver_count, info->receiver_cap) = edge;
}

/* Stops after the first instance with errors: later ones would repeat them. */
void instance_edges_lower(struct check *c, struct template *process) {
  size_t edges = process->syntax->transition_count, errors = c->build.errors;
  uint32_t instances = process->process->instances;
  if (!build_spend(&c->build, process->syntax->at, instances * edges, 0))
    return;
  process->instance_edges = arena_array(c->build.arena, instances * edges, sizeof *process->instance_edges);
  for (uint32_t i = 0; i < instances && c->build.errors == errors; i++)
    for (size_t k = 0; k < edges; k++) {
      struct process_edge *edge = &process->instance_edges[i * edges + k];
      *edge = (struct process_edge){process, i, &process->edges[k], NULL};
      bool lowered = lowered_part_get(c, edge, 0); /* errors in names do not hide others */
      if (lowered && !edge->info->bad && edge->info->channel != NONE)
        receiver_add(c, edge);
    }
}
