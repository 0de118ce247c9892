#include "frontend/lower/lowered_part.h"

#include "frontend/expr/check_assign.h"
#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_enumerations.h"
#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_place.h"
#include "frontend/lower/check_effect.h"
#include "frontend/lower/check_message.h"
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
  const size_t n = process->syntax->location_count;
  uint32_t *from = arena_array(c->build.arena, n, sizeof *from);
  for (size_t i = 0; i < n; i++)
    from[i] = (uint32_t)i;
  info->edge->from = from;
  info->edge->from_count = n;
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
  uint32_t *from = arena_array(c->build.arena, t->from_count, sizeof *from);
  info->edge->from = from;
  for (size_t i = 0; i < t->from_count; i++) {
    uint32_t location = find_location(c, process, &t->from[i]);
    if (location == NONE) {
      info->bad = true;
    } else if (seen[location]) {
      CHECK_ERROR(c, t->from[i].at, NULL, "location '%s' is listed twice", t->from[i].name);
      info->bad = true;
    } else {
      seen[location] = true;
      from[info->edge->from_count++] = location;
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
  info->edge->channel = symbol->id;
  if (sync->send)
    c->channel_infos[symbol->id].sent = true;
  else
    c->channel_infos[symbol->id].received = true;
  if (c->channels[symbol->id].field_count != sync->n) {
    info->bad = true;
    message_report_count(c, sync, c->channels[symbol->id].field_count);
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
                      .fair = t->fair,
                      .at = t->at};
  if (t->guard)
    edge.guards = source_conjuncts(c->build.source, t->guard, c->build.arena, &edge.guard_count);
  if (t->sync) {
    edge.channel = source_excerpt_text(c->build.source, t->sync->channel, c->build.arena);
    edge.sends = t->sync->send;
  }
  return edge;
}

/* The same for composition, without names. */
static struct compose_edge composed_edge_of(struct check *c, const struct syntax_transition *t) {
  struct compose_edge edge = {.number = (uint32_t)c->build.model->edge_count,
                              .to = NONE,
                              .channel = NONE,
                              .otherwise = t->otherwise,
                              .at = t->at,
                              .guard_at = t->otherwise ? t->guard->at : t->at};
  if (!t->sync)
    return edge;
  source_at *field_at = arena_array(c->build.arena, t->sync->n, sizeof *field_at);
  for (size_t f = 0; f < t->sync->n; f++)
    field_at[f] = t->sync->arguments[f].at;
  edge.sends = t->sync->send;
  edge.channel_at = t->sync->channel->at;
  edge.field_at = field_at;
  return edge;
}

void edges_resolve(struct check *c, struct template *process) {
  const struct syntax_process *p = process->syntax;
  process->edges = arena_array(c->build.arena, p->transition_count, sizeof *process->edges);
  process->composed->edge_count = p->transition_count;
  process->composed->edges = arena_array(c->build.arena, p->transition_count, sizeof *process->composed->edges);
  for (size_t i = 0; i < p->transition_count; i++) {
    struct edge_info *info = &process->edges[i];
    *info = (struct edge_info){.syntax = &p->transitions[i], .edge = &process->composed->edges[i]};
    info->bad = !message_expand(c, process, info);
    const struct syntax_transition *t = info->syntax;
    *info->edge = composed_edge_of(c, t);
    c->edges[c->build.model->edge_count++] = edge_of(c, process, t);
    resolve_from(c, process, info);
    if (t->to.name) {
      info->edge->to = find_location(c, process, &t->to);
      info->bad |= info->edge->to == NONE;
    }
    if (t->sync)
      resolve_channel(c, process, info);
    resolve_targets(c, process, t);
    fields_resolve(c, process, info);
    c->edges[info->edge->number].channel_number = info->edge->channel;
    c->edges[info->edge->number].bound = fields_names(c, info);
  }
}

/* ---- lowering ------------------------------------------------------------------------ */

static const struct expr *select_value(struct check *c, const struct select *select, uint32_t number, source_at at) {
  if (select->lo >= select->hi)
    return build_const(&c->build, select->lo);
  return build_select(&c->build, at, number, select->lo, select->hi);
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
static bool lower_selects(struct scope *s, struct part *part, const struct syntax_transition *t,
                          const struct part_request *request, bool *empty) {
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
    *empty |= select->lo > select->hi;
    struct binding *binding = arena_alloc(c->build.arena, sizeof *binding);
    *binding = (struct binding){syntax->name,
                                request->chosen ? build_const(&c->build, request->chosen[i])
                                                : select_value(c, select, request->base + (uint32_t)i, syntax->at),
                                s->bindings};
    if (!binding->value)
      return false;
    if (free)
      s->bindings = binding;
  }
  part->select_count = request->chosen ? 0 : t->select_count;
  return ok;
}

/* `constants`: uses of constants before the part was lowered; unchanged: its guard uses no constant. */
static bool lower_guard(struct scope *s, struct part *part, struct edge_info *info, size_t constants, bool empty) {
  struct check *c = s->check;
  size_t fields = c->fields_read;
  if (info->syntax->guard && !info->syntax->otherwise)
    part->guard = lower_dead(s, info->syntax->guard, empty);
  else
    part->guard = build_const(&c->build, 1);
  if (!part->guard)
    return false;
  if (info->syntax->otherwise) /* composition adds its guards later */
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
  }
  return true;
}

static bool lower_argument(struct scope *s, struct part *part, const struct edge_info *info, size_t i) {
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
static bool lower_sync_channel(struct scope *s, struct part *part, const struct edge_info *info) {
  const struct syntax_expr *channel = info->syntax->sync->channel;
  uint32_t number;
  if (info->edge->channel != NONE)
    return lower_channel(s, channel, &number, &part->element);
  if (channel->op == SYN_INDEX)
    lower(s, channel->b);
  return false;
}

/* An argument can use the fields to its left. */
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

static struct edge_info *info_of(struct check *c, const struct instance_edge *edge) {
  return &c->templates[edge->process->number].edges[edge->written - edge->process->edges];
}

/* True if the effects and values are never evaluated. */
static bool is_dead(const struct part *part, bool empty) {
  return empty || is_constant_false(part->guard) || (part->message_guard && is_constant_false(part->message_guard));
}

static bool part_lower(struct compose *composed, const struct instance_edge *edge, const struct part_request *request,
                       struct part *part) {
  struct check *c = composed->language;
  struct edge_info *info = info_of(c, edge);
  const struct syntax_transition *t = info->syntax;
  const struct message message = request->message ? *request->message : message_any(c, info);
  struct scope s = {.check = c, .process = &c->templates[edge->process->number], .instance = edge->instance};
  if (!build_spend(&c->build, t->at, 1 + t->effect_count + t->select_count, 1))
    return false;
  const size_t constants = c->constants.read, fields = t->sync ? t->sync->n : 0;
  bool empty = false, ok = lower_selects(&s, part, t, request, &empty);
  const struct binding *selects = s.bindings;
  fields_bind(&s, info, &message, fields, false);
  ok &= lower_guard(&s, part, info, constants, empty);
  s.bindings = selects;
  bool dead = part->guard ? is_dead(part, empty) : empty;
  c->build.dead += dead;
  ok &= lower_sync(&s, part, info, &message);
  fields_bind(&s, info, &message, fields, true);
  ok &= lower_effects(&s, part, t);
  c->build.dead -= dead;
  fields_publish(c, info);
  return ok;
}

static struct statement received_assign(struct compose *composed, source_at at, const struct place *target,
                                        const struct expr *value) {
  return assignment(composed->language, at, target, value);
}

const struct compose_operations lowered_part_operations = {.lower = part_lower, .assign = received_assign};
