/* Transitions of processes: their parts for composition, and their conditions for explanations. */
#include "frontend/dve/dve_check.h"

/* ---- transitions as written ---------------------------------------------------------------------- */

static size_t count_conjuncts(const struct dve_expr *e) {
  return e->op == DVE_AND ? count_conjuncts(e->a) + count_conjuncts(e->b) : 1;
}

static void add_conjuncts(const struct dve_expr *e, const struct dve_expr ***end) {
  if (e->op != DVE_AND) {
    *(*end)++ = e;
    return;
  }
  add_conjuncts(e->a, end);
  add_conjuncts(e->b, end);
}

/* The conditions of the guard, one by one. */
static struct dve_exprs conjuncts_of(struct dve_check *c, const struct dve_transition *t) {
  struct dve_exprs all = {0};
  for (size_t i = 0; i < t->guards.n; i++)
    all.n += count_conjuncts(t->guards.items[i]);
  all.items = arena_array(c->build.arena, all.n, sizeof *all.items);
  const struct dve_expr **end = all.items;
  for (size_t i = 0; i < t->guards.n; i++)
    add_conjuncts(t->guards.items[i], &end);
  return all;
}

static const struct source_excerpt *excerpts_of(struct dve_check *c, const struct dve_exprs *conjuncts) {
  struct source_excerpt *all = arena_array(c->build.arena, conjuncts->n, sizeof *all);
  for (size_t i = 0; i < conjuncts->n; i++) {
    const struct dve_expr *e = conjuncts->items[i];
    all[i] = (struct source_excerpt){dve_text(c, e->start, e->end), e->start, e->end};
  }
  return all;
}

static void mark_assigned(const struct dve_scope *scope, const struct dve_expr *target) {
  struct variable *v = dve_target(scope, target);
  if (v)
    v->assigned = true;
}

static void resolve_targets(const struct dve_scope *scope, const struct dve_transition *t) {
  for (size_t i = 0; i < t->effect_count; i++)
    mark_assigned(scope, t->effects[i].target);
  for (size_t i = 0; t->sync && !t->sync->sends && i < t->sync->values.n; i++)
    mark_assigned(scope, t->sync->values.items[i]);
}

static const source_at *fields_at(struct dve_check *c, const struct dve_sync *sync) {
  source_at *all = arena_array(c->build.arena, sync->values.n, sizeof *all);
  for (size_t i = 0; i < sync->values.n; i++)
    all[i] = sync->values.items[i]->at;
  return all;
}

static void declare_transition(struct dve_check *c, const struct dve_process_info *info,
                               const struct dve_transition *t) {
  const struct dve_scope scope = {.check = c, .process = info};
  struct compose_process *process = &c->compose.processes[info->number];
  const uint32_t number = (uint32_t)c->build.model->edge_count++;
  uint32_t *from = arena_alloc(c->build.arena, sizeof *from);
  *from = dve_find_state(c, info, &t->from);
  struct compose_edge edge = {.number = number,
                              .from = from,
                              .from_count = 1,
                              .to = dve_find_state(c, info, &t->to),
                              .channel = COMPOSE_NONE,
                              .at = t->at,
                              .guard_at = t->at};
  const struct dve_exprs conjuncts = conjuncts_of(c, t);
  struct edge written = {.process = info->number,
                         .label = "",
                         .from = t->from.text,
                         .to = t->to.text,
                         .guards = excerpts_of(c, &conjuncts),
                         .guard_count = conjuncts.n,
                         .reads_message = arena_array(c->build.arena, conjuncts.n, sizeof(bool)),
                         .locations = from,
                         .location_count = 1,
                         .at = t->at};
  if (t->sync && c->system->synchronous)
    CHECK_ERROR(c, t->sync->at, "all processes step together", "channels have no use in 'system sync'");
  else if (t->sync) {
    edge.channel = dve_resolve_channel(c, info, t->sync);
    edge.sends = written.sends = t->sync->sends;
    edge.channel_at = t->sync->at;
    edge.field_at = fields_at(c, t->sync);
    written.channel = t->sync->channel.text;
    written.channel_number = edge.channel;
  }
  resolve_targets(&scope, t);
  process->edges[process->edge_count++] = edge;
  c->edges[number] = written;
  c->written[number] = t;
}

void dve_declare_transitions(struct dve_check *c) {
  for (size_t i = 0; i < c->system->process_count; i++) {
    const struct dve_process_info *info = &c->infos[i];
    for (size_t k = 0; info->number != COMPOSE_NONE && k < info->written->transitions.n; k++)
      declare_transition(c, info, &info->written->transitions.items[k]);
  }
}

/* ---- parts --------------------------------------------------------------------------------------- */

const struct dve_process_info *dve_info_of(const struct dve_check *c, uint32_t number) {
  for (size_t i = number;; i++) /* the property process is not in the model */
    if (c->infos[i].number == number)
      return &c->infos[i];
}

struct statement dve_assignment(struct dve_check *c, source_at at, const struct place *target,
                                const struct expr *value) {
  const struct variable *v = &c->variables[target->variable];
  const struct expr *wrapped = dve_wrapped(c, at, value, c->variable_infos[target->variable].is_int);
  const uint32_t site = wrapped ? build_assign_site(&c->build, wrapped, at, v) : NO_SITE;
  if (c->ranges)
    build_site_proved(&c->build, site);
  return (struct statement){
      .op = ST_ASSIGN, .at = at, .id = target->variable, .site = site, .index = target->index, .value = wrapped};
}

static struct statement assign(struct compose *composed, source_at at, const struct place *target,
                               const struct expr *value) {
  return dve_assignment(composed->language, at, target, value);
}

/* While some process is in a committed state, both partners of a handshake leave committed states. */
static const struct expr *both_committed(struct dve_check *c, const struct instance_edge *edge) {
  const struct compose_edge *written = edge->written;
  const bool committed = edge->process->process->locations[*written->from].committed;
  if (!c->build.model->committed || committed || written->channel == COMPOSE_NONE ||
      c->channels[written->channel].capacity)
    return build_const(&c->build, 1);
  return build_not(&c->build, written->at, build_committed(&c->build));
}

static const struct expr *lower_field(struct dve_check *c, const struct dve_scope *scope,
                                      const struct dve_channel_info *info, const struct dve_expr *e, size_t field) {
  const struct expr *value = dve_lower(scope, e);
  const bool narrow = info->is_int || c->channels[info - c->channel_infos].capacity;
  return narrow ? dve_wrapped(c, e->at, value, !info->is_int || info->is_int[field]) : value;
}

static bool lower_sync(struct dve_check *c, const struct dve_scope *scope, const struct dve_sync *sync,
                       uint32_t channel, struct part *out) {
  out->element = build_const(&c->build, 0);
  out->values = arena_array(c->build.arena, sync->values.n, sizeof *out->values);
  out->targets = arena_array(c->build.arena, sync->values.n, sizeof *out->targets);
  bool valid = true;
  for (size_t f = 0; f < sync->values.n; f++) {
    out->targets[f].variable = COMPOSE_NONE;
    if (sync->sends)
      out->values[f] = lower_field(c, scope, &c->channel_infos[channel], sync->values.items[f], f);
    else
      out->targets[f] = dve_place(scope, sync->values.items[f]);
    valid = valid && (sync->sends ? out->values[f] != NULL : out->targets[f].variable != COMPOSE_NONE);
  }
  return valid;
}

static bool lower_effects(struct dve_check *c, const struct dve_scope *scope, const struct dve_transition *t,
                          struct part *out) {
  out->effects = arena_array(c->build.arena, t->effect_count, sizeof *out->effects);
  bool valid = true;
  for (size_t i = 0; i < t->effect_count; i++) {
    const struct place target = dve_place(scope, t->effects[i].target);
    const struct expr *value = dve_lower(scope, t->effects[i].value);
    valid = valid && target.variable != COMPOSE_NONE && value;
    if (valid)
      out->effects[out->effect_count++] = dve_assignment(c, t->effects[i].at, &target, value);
  }
  return valid;
}

static bool lower(struct compose *composed, const struct instance_edge *edge, const struct part_request *request,
                  struct part *out) {
  (void)request; /* there are no selects, and nothing reads a message but its target */
  struct dve_check *c = composed->language;
  const struct dve_transition *t = c->written[edge->written->number];
  const struct dve_scope scope = {.check = c, .process = dve_info_of(c, edge->process->number)};
  const struct expr *guard = dve_lower_all(&scope, &t->guards);
  out->guard = build_binary(&c->build, EXPR_AND, t->at, both_committed(c, edge), guard);
  const bool synchronises = !t->sync || lower_sync(c, &scope, t->sync, edge->written->channel, out);
  return lower_effects(c, &scope, t, out) && synchronises && out->guard;
}

const struct compose_operations dve_compose_operations = {.lower = lower, .assign = assign};

/* ---- conditions ---------------------------------------------------------------------------------- */

static void lower_conditions(struct dve_check *c, const struct instance_edge *edge) {
  const struct dve_transition *t = c->written[edge->written->number];
  const struct dve_scope scope = {.check = c, .process = dve_info_of(c, edge->process->number)};
  const struct dve_exprs conjuncts = conjuncts_of(c, t);
  struct edge_instance *instance = arena_alloc(c->build.arena, sizeof *instance);
  instance->guards = arena_array(c->build.arena, conjuncts.n, sizeof *instance->guards);
  for (size_t i = 0; i < conjuncts.n; i++)
    instance->guards[i] = dve_lower(&scope, conjuncts.items[i]);
  instance->element = edge->parts->element;
  instance->fields = edge->parts->values;
  c->edges[edge->written->number].instances = instance;
}

void dve_lower_conditions(struct dve_check *c) {
  const struct builder before = c->build;
  c->build.log = NULL;
  c->build.nodes = c->build.steps = 0; /* as much again as the ground transitions */
  for (size_t p = 0; p < c->build.model->process_count; p++)
    for (size_t k = 0; k < c->compose.processes[p].edge_count; k++)
      lower_conditions(c, &c->compose.processes[p].instances[k]);
  c->build.log = before.log;
  c->build.errors = before.errors;
  c->build.stop = before.stop;
  c->build.sites.n = before.sites.n; /* no step evaluates them */
}
