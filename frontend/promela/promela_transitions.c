/* Ground transitions of all steps: which steps exclude each other, `else`, `timeout`, `unless`, rendezvous. */
#include "frontend/promela/promela_check.h"

#include <string.h>

#define MAX_TRANSITIONS (1000000 / MODEL_SCALE)

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
};

static struct pr_ground *ground_of(const struct pr_process *p, uint32_t instance, size_t step) {
  return &p->ground[instance * p->graph.step_count + step];
}

/* ---- steps --------------------------------------------------------------------------------------- */

static void lower_process(struct transitions *t, struct pr_process *p) {
  struct pr_check *c = t->check;
  p->ground = arena_array(c->build.arena, p->instances * p->graph.step_count, sizeof *p->ground);
  for (uint32_t i = 0; i < p->instances; i++)
    for (size_t s = 0; s < p->graph.step_count && !c->build.stop; s++) {
      struct pr_ground *g = ground_of(p, i, s);
      g->step = &p->graph.steps[s];
      g->context = (struct pr_context){.check = c, .process = p, .instance = i, .scope = g->step->scope};
      pr_lower_step(g);
      for (size_t k = 0; k < g->receive_count; k++) {
        struct receivers *r = &t->receivers[g->receives[k].queue];
        *ARENA_PUSH(c->build.arena, r->items, r->n, r->cap) = (struct pr_receiver){g, &g->receives[k]};
      }
    }
}

/* ---- rendezvous ---------------------------------------------------------------------------------- */

static bool is_other(const struct pr_ground *a, const struct pr_ground *b) {
  return a->context.process != b->context.process || a->context.instance != b->context.instance;
}

/* The receiver takes the values, apart from its location. */
static const struct expr *accepts(struct pr_check *c, const struct pr_offer *send, const struct pr_receiver *r) {
  const struct expr *all = r->offer->guard;
  for (size_t f = 0; f < r->ground->pattern.n; f++)
    if (r->offer->values[f])
      all = pr_and(
          c, all,
          build_binary(&c->build, EXPR_EQ, r->ground->pattern.items[f].at, send->values[f], r->offer->values[f]));
  if (r->ground->provided)
    all = pr_and(c, all, r->ground->provided);
  return all;
}

/* The receiver's step is preempted by the escape of an `unless` only if that receives the same message. */
static const struct expr *meets(struct transitions *t, const struct pr_offer *send, const struct pr_receiver *r) {
  struct pr_check *c = t->check;
  const struct receivers *all = &t->receivers[send->queue];
  const struct expr *meets = accepts(c, send, r);
  for (size_t i = 0; i < all->n; i++) {
    const struct pr_ground *other = all->items[i].ground;
    if (!is_other(other, r->ground) && other->step->from == r->ground->step->from &&
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
    if (is_other(g, r))
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

/* A transition under construction. */
struct draft {
  struct location_test tests[2];
  size_t test_count;
  const struct expr **guards;
  size_t guard_count, guard_cap;
  bool never;
  struct statements statements;
  struct participant participants[2];
  size_t participant_count;
  uint32_t temps;
};

static void add_guard(struct pr_check *c, struct draft *d, const struct expr *guard) {
  if (guard && guard->op == EXPR_AND) {
    add_guard(c, d, guard->a);
    add_guard(c, d, guard->b);
    return;
  }
  guard = build_truth(&c->build, guard);
  if (!guard || is_constant_true(guard))
    return;
  d->never |= is_constant_false(guard);
  *ARENA_PUSH(c->build.arena, d->guards, d->guard_count, d->guard_cap) = guard;
}

static void add_participant(struct draft *d, const struct pr_ground *g) {
  const struct pr_process *p = g->context.process;
  d->tests[d->test_count++] = (struct location_test){p->location_variable, g->context.instance, g->step->from};
  d->participants[d->participant_count++] =
      (struct participant){p->number, g->context.instance, p->first_edge + (uint32_t)(g->step - p->graph.steps), NULL};
}

static void add_statements(struct pr_check *c, struct draft *d, const struct statements *all) {
  for (size_t i = 0; i < all->n; i++)
    if (all->items[i].op != ST_ASSIGN || c->variables[all->items[i].id].assigned)
      *ARENA_PUSH(c->build.arena, d->statements.items, d->statements.n, d->statements.cap) = all->items[i];
}

static void add_location_change(struct pr_check *c, struct draft *d, const struct pr_ground *g) {
  const struct pr_process *p = g->context.process;
  const uint32_t to = g->step->kind == PR_STEP_END ? p->absent : g->step->to;
  if (to != g->step->from)
    pr_set(c, &d->statements, g->step->statement ? g->step->statement->at : p->written->end, p->location_variable,
           g->context.instance, build_const(&c->build, to));
}

static void finish(struct pr_check *c, struct draft *d) {
  struct model *model = c->build.model;
  const source_at at = d->statements.n ? d->statements.items[0].at : NOWHERE;
  if (d->never || c->build.stop)
    return;
  if (model->transition_count == MAX_TRANSITIONS) {
    build_too_large(&c->build, at, "it has more than 1000000 ground transitions");
    return;
  }
  if (!build_spend(&c->build, at, 2 + d->guard_count / 8 + d->statements.n, 1))
    return;
  struct location_test *tests = arena_array(c->build.arena, d->test_count, sizeof *tests);
  struct participant *participants = arena_array(c->build.arena, d->participant_count, sizeof *participants);
  memcpy(tests, d->tests, d->test_count * sizeof *tests);
  memcpy(participants, d->participants, d->participant_count * sizeof *participants);
  *ARENA_PUSH(c->build.arena, c->transitions, model->transition_count, c->transition_cap) =
      (struct transition){.tests = tests,
                          .test_count = d->test_count,
                          .guards = d->guards,
                          .guard_count = d->guard_count,
                          .statements = d->statements.items,
                          .statement_count = d->statements.n,
                          .temp_count = d->temps,
                          .participants = participants,
                          .participant_count = d->participant_count,
                          .initiator = (uint32_t)model->initiator_count};
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

/* Conditions that other steps of the same location set. */
static void add_order(struct pr_check *c, struct draft *d, const struct pr_ground *g, bool timeout) {
  if (g->step->d_step)
    add_guard(c, d, none_before(c, g, timeout));
  if (g->provided)
    add_guard(c, d, g->provided);
  add_guard(c, d, pr_not(c, g->step->kind == PR_STEP_ELSE ? g->before[timeout] : g->preempting[timeout]));
}

static void add_part(struct pr_check *c, const struct pr_ground *g, const struct pr_part *part, bool timeout) {
  struct draft d = {.temps = part->temps};
  add_participant(&d, g);
  add_guard(c, &d, part->guard);
  add_order(c, &d, g, timeout);
  if (timeout) {
    add_guard(c, &d, pr_is_free(c));
    add_guard(c, &d, c->blocked);
  }
  add_statements(c, &d, &part->effects);
  pr_hold(c, &d.statements, g, g);
  add_location_change(c, &d, g);
  finish(c, &d);
}

static void add_rendezvous(struct transitions *t, const struct pr_ground *g, const struct pr_offer *send,
                           const struct pr_receiver *r) {
  struct pr_check *c = t->check;
  struct builder *b = &c->build;
  struct draft d = {0};
  const size_t fields = c->queues[send->queue].field_count;
  const struct expr **values = arena_array(b->arena, fields, sizeof *values);
  add_participant(&d, g);
  add_participant(&d, r->ground);
  add_guard(c, &d, send->guard);
  add_guard(c, &d, meets(t, send, r));
  add_order(c, &d, g, false);
  for (size_t f = 0; f < fields; f++) {
    values[f] = send->values[f];
    if (values[f]->op == EXPR_CONST || !r->ground->pattern.items[f].target.leaf)
      continue;
    const source_at at = g->step->statement->at;
    *ARENA_PUSH(b->arena, d.statements.items, d.statements.n, d.statements.cap) =
        (struct statement){.op = ST_LET, .at = at, .id = d.temps, .site = NO_SITE, .value = values[f]};
    values[f] = build_temp(b, at, d.temps++, values[f]->lo, values[f]->hi);
  }
  struct statements received = {0};
  pr_receive_values(r->ground, &received, values);
  add_statements(c, &d, &received);
  pr_hold(c, &d.statements, g, r->ground);
  add_location_change(c, &d, g);
  add_location_change(c, &d, r->ground);
  finish(c, &d);
}

static void add_step(struct transitions *t, const struct pr_ground *g) {
  struct pr_check *c = t->check;
  for (size_t i = 0; i < g->part_count[0]; i++)
    add_part(c, g, &g->parts[0][i], false);
  for (size_t i = 0; i < g->part_count[1]; i++)
    add_part(c, g, &g->parts[1][i], true);
  for (size_t i = 0; i < g->send_count; i++) {
    const struct receivers *all = &t->receivers[g->sends[i].queue];
    for (size_t k = 0; k < all->n && !c->build.stop; k++)
      if (is_other(g, all->items[k].ground))
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
  struct transitions t = {c, arena_array(c->build.arena, c->queue_count + 1, sizeof *t.receivers)};
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    lower_process(&t, &c->processes[i]);
  if (c->build.errors)
    return;
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
