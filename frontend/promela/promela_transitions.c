/* Ground transitions of all steps: which steps exclude each other, `else`, `timeout`, `unless`, rendezvous. */
#include "frontend/promela/promela_check.h"
#include "model/compose/transition_builder.h"

/* Offers to receive from a channel. */
struct receivers {
  struct pr_receiver {
    struct pr_ground *ground;
    const struct pr_offer *offer;
  } * items;
  size_t n, cap;
};

struct transitions {
  struct pr_check *check;
  struct receivers *receivers; /* [queue] */
  struct transition_builder current;
};

static struct pr_ground *ground_of(const struct pr_process *p, uint32_t instance, size_t step) {
  return &p->ground[instance * p->graph.step_count + step];
}

/* ---- steps --------------------------------------------------------------------------------------- */

static void list_receivers(struct transitions *t, const struct pr_process *p) {
  for (size_t i = 0; i < p->instances * p->graph.step_count; i++) {
    struct pr_ground *g = &p->ground[i];
    for (size_t k = 0; k < g->receive_count; k++) {
      struct receivers *r = &t->receivers[g->receives[k].queue];
      *ARENA_PUSH(t->check->build.arena, r->items, r->n, r->cap) = (struct pr_receiver){g, &g->receives[k]};
    }
  }
}

/* ---- rendezvous ---------------------------------------------------------------------------------- */

bool pr_is_other(const struct pr_ground *a, const struct pr_ground *b) {
  return a->context.process != b->context.process || a->context.instance != b->context.instance;
}

static const struct expr *accepts(struct pr_check *c, const struct pr_offer *send, const struct pr_receiver *r) {
  return pr_accepts(c, send, r->ground, r->offer);
}

const struct expr *pr_accepts(struct pr_check *c, const struct pr_offer *send, const struct pr_ground *receiver,
                              const struct pr_offer *receive) {
  const struct expr *all = receive->guard;
  for (size_t f = 0; f < receiver->pattern.n; f++)
    if (receive->values[f])
      all = pr_and(
          c, all, build_binary(&c->build, EXPR_EQ, receiver->pattern.items[f].at, send->values[f], receive->values[f]));
  if (receiver->provided)
    all = pr_and(c, all, receiver->provided);
  return all;
}

/* The receiver's step is preempted by the escape of an `unless` only if that receives the same message. */
static const struct expr *meets(struct transitions *t, const struct pr_offer *send, const struct pr_receiver *r) {
  struct pr_check *c = t->check;
  const struct receivers *all = &t->receivers[send->queue];
  const struct expr *meets = accepts(c, send, r);
  for (size_t i = 0; i < all->n; i++) {
    const struct pr_ground *other = all->items[i].ground;
    if (!pr_is_other(other, r->ground) && other->step->from == r->ground->step->from &&
        other->step->escape > r->ground->step->escape)
      meets = pr_and(c, meets, pr_not(c, build_total(&c->build, accepts(c, send, &all->items[i]))));
  }
  return meets;
}

static const struct expr *has_receiver(struct transitions *t, const struct pr_ground *g, const struct pr_offer *send) {
  struct pr_check *c = t->check;
  const struct receivers *all = &t->receivers[send->queue];
  const struct expr *any = build_const(&c->build, 0);
  for (size_t i = 0; i < all->n; i++) {
    const struct pr_ground *r = all->items[i].ground;
    if (pr_is_other(g, r))
      any = pr_or(c, any,
                  pr_and(c, pr_is_at(c, r->context.process, r->context.instance, r->step->from),
                         accepts(c, send, &all->items[i])));
  }
  return pr_and(c, send->guard, any);
}

/* ---- what is enabled ----------------------------------------------------------------------------- */

static const struct expr *some_part(struct transitions *t, const struct pr_ground *g, bool timeout) {
  struct pr_check *c = t->check;
  const struct expr *any = build_const(&c->build, 0);
  const bool use = timeout && g->uses_timeout;
  for (size_t i = 0; i < g->part_count[use]; i++)
    any = pr_or(c, any, build_total(&c->build, g->parts[use][i].guard));
  for (size_t i = 0; i < g->send_count; i++)
    any = pr_or(c, any, build_total(&c->build, has_receiver(t, g, &g->sends[i])));
  return any;
}

/* Spin tries the steps of a location from the outermost escape to the sequence itself. */
static void find_enabled(struct transitions *t, const struct pr_process *p, uint32_t instance,
                         const struct pr_location *l, bool timeout) {
  struct pr_check *c = t->check;
  uint32_t escape = 0;
  for (size_t s = l->first; s < l->first + l->count; s++)
    escape = p->graph.steps[s].escape > escape ? p->graph.steps[s].escape : escape;
  const struct expr *before = build_const(&c->build, 0);
  for (uint32_t e = escape + 1; e-- > 0;) {
    const struct expr *preempting = before;
    for (size_t s = l->first; s < l->first + l->count; s++) {
      struct pr_ground *g = ground_of(p, instance, s);
      if (g->step->escape != e)
        continue;
      g->preempting[timeout] = preempting;
      g->before[timeout] = before;
      g->enabled[timeout] = g->step->kind == PR_STEP_ELSE ? pr_not(c, before) : some_part(t, g, timeout);
      before = pr_or(c, before, g->enabled[timeout]);
    }
  }
}

static void find_all_enabled(struct transitions *t, bool timeout) {
  struct pr_check *c = t->check;
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    const struct pr_process *p = &c->processes[i];
    for (uint32_t k = 0; k < p->instances; k++)
      for (uint32_t l = 0; l < p->graph.location_count; l++)
        find_enabled(t, p, k, &p->graph.locations[l], timeout);
  }
}

static const struct expr *can_move(struct transitions *t, const struct pr_process *p, uint32_t instance) {
  struct pr_check *c = t->check;
  const struct expr *any = build_const(&c->build, 0);
  for (uint32_t l = 0; l < p->graph.location_count; l++) {
    const struct pr_location *location = &p->graph.locations[l];
    const struct expr *enabled = build_const(&c->build, 0);
    for (size_t s = location->first; s < location->first + location->count; s++) {
      const struct pr_ground *g = ground_of(p, instance, s);
      enabled = g->step->kind == PR_STEP_ELSE ? build_const(&c->build, 1) : pr_or(c, enabled, g->enabled[0]);
      if (g->step->kind == PR_STEP_ELSE)
        break;
    }
    any = pr_or(c, any, pr_and(c, pr_is_at(c, p, instance, l), enabled));
  }
  if (c->tree->has_priorities)
    any = pr_and(c, any, pr_is_preferred(c, p, instance, false));
  const struct expr *provided = p->graph.step_count ? ground_of(p, instance, 0)->provided : NULL;
  return provided ? pr_and(c, build_total(&c->build, provided), any) : any;
}

static void find_blocked(struct transitions *t) {
  struct pr_check *c = t->check;
  bool used = false;
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    for (size_t k = 0; k < c->processes[i].instances * c->processes[i].graph.step_count; k++)
      used |= c->processes[i].ground[k].uses_timeout;
  if (!used)
    return;
  find_all_enabled(t, true);
  c->blocked = build_const(&c->build, 1);
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    for (uint32_t k = 0; k < c->processes[i].instances; k++)
      c->blocked = pr_and(c, c->blocked, pr_not(c, can_move(t, &c->processes[i], k)));
}

/* ---- hidden variables ----------------------------------------------------------------------------- */

/* A hidden variable that no step, formula or claim reads is not in the state. */
static void leave_out(struct pr_check *c, const struct pr_symbols *symbols) {
  for (size_t i = 0; i < symbols->n; i++)
    for (size_t k = 0; k < symbols->items[i].leaf_count; k++) {
      const struct pr_leaf *leaf = &symbols->items[i].leaves[k];
      if (!leaf->assigned || leaf->variable == PR_NONE || !symbols->items[i].written->hidden)
        continue;
      if (leaf->read)
        BUILD_WARN(&c->build, symbols->items[i].written->name.at, NULL,
                   "hidden variable '%s' is read: it is part of the state", leaf->name);
      else
        c->variables[leaf->variable].assigned = false;
    }
}

/* ---- ground transitions -------------------------------------------------------------------------- */

/* The step starts with the process at its location. */
static void add_participant(struct transitions *t, const struct pr_ground *g) {
  struct transition_builder *d = &t->current;
  struct arena *arena = t->check->build.arena;
  const struct pr_process *p = g->context.process;
  *ARENA_PUSH(arena, d->tests, d->test_count, d->test_cap) =
      (struct location_test){p->location_variable, g->context.instance, g->step->from};
  *ARENA_PUSH(arena, d->participants, d->participant_count, d->participant_cap) =
      (struct participant){p->number, g->context.instance, p->first_edge + (uint32_t)(g->step - p->graph.steps), NULL};
}

static void add_guard(struct transitions *t, const struct expr *guard) {
  transition_guard(&t->check->build, &t->current, guard);
}

static void push_statement(struct transitions *t, struct statement statement) {
  struct statements *out = &t->current.statements;
  *ARENA_PUSH(t->check->build.arena, out->items, out->n, out->cap) = statement;
}

static void add_statements(struct transitions *t, const struct statements *all) {
  for (size_t i = 0; i < all->n; i++)
    if (all->items[i].op != ST_ASSIGN || t->check->variables[all->items[i].id].assigned)
      push_statement(t, all->items[i]);
}

static void change_location(struct transitions *t, const struct pr_ground *g) {
  struct pr_check *c = t->check;
  const struct pr_process *p = g->context.process;
  const uint32_t to = g->step->kind == PR_STEP_END ? p->absent : g->step->to;
  if (to != g->step->from)
    pr_set(c, &t->current.statements, g->step->statement ? g->step->statement->at : p->written->end,
           p->location_variable, g->context.instance, build_const(&c->build, to));
}

/* A guard that is never true takes the transition away, also if one before it can fail. */
static void finish(struct transitions *t) {
  const struct statements *all = &t->current.statements;
  struct pr_check *c = t->check;
  if (!t->current.never && !c->build.stop)
    transition_append(&c->build, &t->current, all->n ? all->items[0].at : NOWHERE, &c->transitions, &c->transition_cap);
}

/* The first enabled step of a d_step is executed. */
static const struct expr *none_before(struct pr_check *c, const struct pr_ground *g, bool timeout) {
  const struct pr_location *l = &g->context.process->graph.locations[g->step->from];
  const struct pr_ground *first = ground_of(g->context.process, g->context.instance, l->first);
  const struct expr *none = build_const(&c->build, 1);
  for (const struct pr_ground *other = first; other < g; other++)
    if (other->step->d_step == g->step->d_step)
      none = pr_and(c, none, pr_not(c, other->enabled[timeout]));
  return none;
}

/* A condition for the process to step, which a d_step that has begun does not need. */
static void add_permission(struct transitions *t, const struct pr_ground *g, const struct expr *condition) {
  add_guard(t, g->step->d_step ? pr_or(t->check, pr_is_in_d_step(g), condition) : condition);
}

/* `provided`, and conditions that other steps of the same location set: Spin tests them first, so the step's own guard
   cannot fail where they are false. */
static void add_order(struct transitions *t, const struct pr_ground *g, bool timeout) {
  struct pr_check *c = t->check;
  if (g->provided)
    add_permission(t, g, g->provided);
  if (c->tree->has_priorities)
    add_permission(t, g, pr_is_preferred(c, g->context.process, g->context.instance, timeout));
  add_guard(t, pr_not(c, g->step->kind == PR_STEP_ELSE ? g->before[timeout] : g->preempting[timeout]));
  if (g->step->d_step)
    add_guard(t, none_before(c, g, timeout));
}

/* `_last` is the number of the process that took the last step; of a rendezvous, the receiver. */
static void set_last(struct transitions *t, const struct pr_ground *g) {
  struct pr_check *c = t->check;
  if (c->tree->has_last)
    pr_set(
        c, &t->current.statements, NOWHERE, c->last, 0,
        build_read(&c->build, NOWHERE, g->context.process->pid_variable, build_const(&c->build, g->context.instance)));
}

static void add_part(struct transitions *t, const struct pr_ground *g, const struct pr_part *part, bool timeout) {
  struct pr_check *c = t->check;
  transition_clear(&t->current);
  t->current.temps = part->temps;
  t->current.printed = pr_printed(c, g);
  t->current.printed_count = g->printed_count;
  add_participant(t, g);
  add_order(t, g, timeout);
  add_guard(t, part->guard);
  if (timeout) {
    add_guard(t, pr_is_free(c));
    add_guard(t, c->blocked);
  }
  const bool ends = g->step->kind == PR_STEP_END; /* which changes the number of the process */
  if (ends)
    set_last(t, g);
  add_statements(t, &part->effects);
  if (!ends)
    set_last(t, g);
  pr_hold(c, &t->current.statements, g, g);
  change_location(t, g);
  finish(t);
}

/* The values that the receiver stores, from before the step. */
static const struct expr **sent_values(struct transitions *t, const struct pr_ground *g, const struct pr_offer *send,
                                       const struct pr_pattern *pattern) {
  struct builder *b = &t->check->build;
  const source_at at = g->step->statement->at;
  const struct expr **values = arena_array(b->arena, pattern->n, sizeof *values);
  for (size_t f = 0; f < pattern->n; f++) {
    values[f] = send->values[f];
    if (values[f]->op == EXPR_CONST || !pattern->items[f].target.leaf)
      continue;
    push_statement(
        t, (struct statement){.op = ST_LET, .at = at, .id = t->current.temps, .site = NO_SITE, .value = values[f]});
    values[f] = build_temp(b, at, t->current.temps++, values[f]->lo, values[f]->hi);
  }
  return values;
}

static void begin_rendezvous(struct transitions *t, const struct pr_ground *g, const struct pr_offer *send,
                             const struct pr_receiver *r) {
  transition_clear(&t->current);
  add_participant(t, g);
  add_participant(t, r->ground);
  add_order(t, g, false);
  add_guard(t, send->guard);
  add_guard(t, meets(t, send, r));
}

static void add_rendezvous_error(struct transitions *t, const struct pr_ground *g, const struct pr_offer *send,
                                 const struct pr_receiver *r, const struct expr *guard, const char *what) {
  struct builder *b = &t->check->build;
  const source_at at = g->step->statement->at;
  if (!guard || is_constant_false(guard))
    return;
  begin_rendezvous(t, g, send, r);
  add_guard(t, guard);
  push_statement(
      t, (struct statement){
             .op = ST_ASSERT, .at = at, .site = build_site(b, SITE_ERROR, at, what, 0, 0), .value = build_const(b, 0)});
  finish(t);
}

static void add_rendezvous(struct transitions *t, const struct pr_ground *g, const struct pr_offer *send,
                           const struct pr_receiver *r) {
  struct pr_check *c = t->check;
  struct statements received = {0};
  struct pr_trace_change change = {0};
  const bool is_seen = pr_trace_rendezvous(c, send->queue, send->values, &change);
  begin_rendezvous(t, g, send, r);
  if (is_seen)
    pr_trace_set(c, &t->current.statements, change.to);
  pr_receive_values(r->ground, &received, sent_values(t, g, send, &r->ground->pattern));
  add_statements(t, &received);
  set_last(t, r->ground);
  pr_hold(t->check, &t->current.statements, g, r->ground);
  change_location(t, g);
  change_location(t, r->ground);
  finish(t);
  if (!is_seen)
    return;
  add_rendezvous_error(t, g, send, r, change.fails, pr_trace_failure(c));
  add_rendezvous_error(t, g, send, r, change.receive_fails, pr_trace_receive_failure(c));
  add_rendezvous_error(t, g, send, r, change.ambiguous, pr_trace_ambiguity());
}

static void add_step(struct transitions *t, const struct pr_ground *g) {
  for (size_t i = 0; i < g->part_count[0]; i++)
    add_part(t, g, &g->parts[0][i], false);
  for (size_t i = 0; i < g->part_count[1]; i++)
    add_part(t, g, &g->parts[1][i], true);
  for (size_t i = 0; i < g->send_count; i++) {
    const struct receivers *all = &t->receivers[g->sends[i].queue];
    for (size_t k = 0; k < all->n && !t->check->build.stop; k++)
      if (pr_is_other(g, all->items[k].ground))
        add_rendezvous(t, g, &g->sends[i], &all->items[k]);
  }
}

static void add_instance(struct transitions *t, const struct pr_process *p, uint32_t instance) {
  struct pr_check *c = t->check;
  struct model *model = c->build.model;
  const size_t first = model->transition_count;
  for (size_t s = 0; s < p->graph.step_count; s++)
    add_step(t, ground_of(p, instance, s));
  if (model->transition_count == first)
    return;
  *ARENA_PUSH(c->build.arena, c->initiators, model->initiator_count, c->initiator_cap) = (struct initiator_transitions){
      .first = first, .end = model->transition_count, .process = p->number, .instance = instance, .located = true};
}

void pr_make_transitions(struct pr_check *c) {
  struct transitions t = {.check = c,
                          .receivers = arena_array(c->build.arena, c->queue_count + 1, sizeof *t.receivers)};
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    list_receivers(&t, &c->processes[i]);
  if (c->tree->has_priorities)
    pr_find_executable(c);
  find_all_enabled(&t, false);
  find_blocked(&t);
  leave_out(c, &c->globals);
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    for (uint32_t k = 0; k < c->processes[i].instances; k++)
      add_instance(&t, &c->processes[i], k);
  c->build.model->transitions = c->transitions;
  c->build.model->initiators = c->initiators;
  pr_make_transient(c);
}
