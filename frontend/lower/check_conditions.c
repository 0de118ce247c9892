/* Ground transitions lack what constants and ranges decide, so explanations have expressions of their own. */
#include "frontend/lower/check_conditions.h"

#include "frontend/expr/check_expr.h"
#include "frontend/expr/check_fields.h"

#define FIELD_MARGIN (INT64_C(1) << 20)

struct conditions_builder {
  struct check *c;
  struct edge_info *info;
  struct edge *written;
  struct edge_instance *out;
  struct scope scope;
  size_t conjuncts; /* so far */
};

static const struct binding *bind_selects(struct conditions_builder *b) {
  struct check *c = b->c;
  const struct syntax_transition *t = b->info->syntax;
  const struct binding *bindings = NULL;
  for (size_t i = 0; i < t->select_count; i++) {
    const struct select *select = &b->out->selects[i];
    struct binding *binding = arena_alloc(c->build.arena, sizeof *binding);
    const int64_t hi = select->hi < select->lo ? select->lo : select->hi;
    *binding = (struct binding){t->selects[i].name,
                                build_select(&c->build, t->selects[i].at, (uint32_t)i, select->lo, hi), bindings};
    bindings = binding;
  }
  return bindings;
}

/* A message whose fields have values within these margins of the channel's ranges. They can fail, because a handshake
   or broadcast may not be able to evaluate what it sends: nothing that reads them is decided here. */
static struct message message_of(struct check *c, const struct edge_info *info, int64_t margin) {
  const struct message any = message_any(c, info);
  const size_t n = any.before ? info->syntax->sync->n : 0;
  struct expr *fields = arena_array(c->build.arena, n, sizeof *fields);
  const struct expr **all = arena_array(c->build.arena, n, sizeof *all);
  for (size_t f = 0; f < n; f++) {
    fields[f] = *any.before[f];
    fields[f].lo -= margin;
    fields[f].hi += margin;
    fields[f].site = 0; /* no step evaluates them, so any number will do */
    fields[f].can_fail = true;
    all[f] = &fields[f];
  }
  return n ? (struct message){all, all} : any;
}

static const struct expr *lower_within(struct conditions_builder *b, size_t bound, const struct syntax_expr *e,
                                       int64_t margin) {
  const struct binding *outer = b->scope.bindings;
  const struct message message = message_of(b->c, b->info, margin);
  fields_bind(&b->scope, b->info, &message, bound, false);
  const struct expr *result = lower(&b->scope, e);
  b->scope.bindings = outer;
  return result;
}

/* The expression after the first `bound` fields. Guards of handshakes and broadcasts are tested before the values sent,
   which may leave the channel's ranges; with a margin, the expression may leave 64 bits. */
static const struct expr *lower_after(struct conditions_builder *b, size_t bound, const struct syntax_expr *e) {
  const struct expr *result = lower_within(b, bound, e, FIELD_MARGIN);
  return result || !b->info->bound ? result : lower_within(b, bound, e, 0);
}

static void add_conjuncts(struct conditions_builder *b, const struct syntax_expr *e) {
  if (e->op == SYN_AND) {
    add_conjuncts(b, e->a);
    add_conjuncts(b, e->b);
    return;
  }
  const struct syntax_sync *sync = b->info->syntax->sync;
  const size_t read = b->c->fields_read, i = b->conjuncts++;
  b->out->guards[i] = lower_after(b, sync ? sync->n : 0, e);
  b->written->reads_message[i] |= b->c->fields_read != read;
}

static bool has_value(const struct edge_info *info, size_t field) {
  const struct syntax_sync *sync = info->syntax->sync;
  return sync->send || sync->arguments[field].kind == ARGUMENT_MATCH;
}

static void add_sync(struct conditions_builder *b) {
  const struct syntax_sync *sync = b->info->syntax->sync;
  uint32_t channel;
  b->out->fields = arena_array(b->c->build.arena, sync->n, sizeof *b->out->fields);
  if (!lower_channel(&b->scope, sync->channel, &channel, &b->out->element))
    b->out->element = NULL;
  for (size_t f = 0; f < sync->n; f++) {
    if (!has_value(b->info, f))
      continue;
    b->written->matches |= !sync->send;
    b->out->fields[f] = lower_after(b, f, sync->arguments[f].expr);
    if (!b->out->fields[f])
      b->out->element = NULL;
  }
}

static void add_instance(struct check *c, const struct template *process, const struct instance_edge *edge,
                         struct edge_info *info, struct edge_instance *out) {
  const struct syntax_transition *t = info->syntax;
  struct edge *written = &c->edges[info->edge->number];
  struct conditions_builder b = {.c = c,
                                 .info = info,
                                 .written = written,
                                 .out = out,
                                 .scope = {.check = c, .process = process, .instance = edge->instance}};
  out->selects = edge->parts->selects;
  out->guards = arena_array(c->build.arena, written->guard_count, sizeof *out->guards);
  b.scope.bindings = bind_selects(&b);
  if (t->guard && !t->otherwise)
    add_conjuncts(&b, t->guard);
  if (t->sync)
    add_sync(&b);
}

static void add_edge(struct check *c, const struct template *process, size_t k) {
  struct edge_info *info = &process->edges[k];
  struct edge *written = &c->edges[info->edge->number];
  const uint32_t instances = process->process->instances;
  struct edge_instance *all = arena_array(c->build.arena, instances, sizeof *all);
  written->locations = info->edge->from;
  written->location_count = info->edge->from_count;
  written->otherwise = info->syntax->otherwise;
  written->select_count = info->syntax->select_count;
  written->reads_message = arena_array(c->build.arena, written->guard_count, sizeof *written->reads_message);
  for (uint32_t i = 0; i < instances; i++)
    add_instance(c, process, &process->composed->instances[i * process->composed->edge_count + k], info, &all[i]);
  written->instances = all;
}

void conditions_lower(struct check *c) {
  const struct builder before = c->build;
  c->build.log = NULL;
  c->build.nodes = c->build.steps = 0; /* as much again as the ground transitions */
  for (size_t p = 0; p < c->build.model->process_count; p++)
    for (size_t k = 0; k < c->templates[p].syntax->transition_count; k++)
      add_edge(c, &c->templates[p], k);
  c->build.log = before.log;
  c->build.errors = before.errors;
  c->build.stop = before.stop;
  c->build.sites.n = before.sites.n; /* no step evaluates them */
}
