/* Conditions of transitions as written, for explanations: whether the statement is executable. */
#include "frontend/promela/promela_check.h"

/* The process `sender` offers a message that this receive takes. */
static const struct expr *is_sent(struct pr_check *c, const struct pr_ground *sender, const struct pr_ground *receiver,
                                  const struct pr_offer *receive) {
  const struct expr *any = build_const(&c->build, 0);
  for (size_t i = 0; i < sender->send_count; i++) {
    const struct pr_offer *send = &sender->sends[i];
    if (send->queue == receive->queue)
      any = pr_or(c, any, build_total(&c->build, pr_and(c, send->guard, pr_accepts(c, send, receiver, receive))));
  }
  return pr_and(c, pr_is_at(c, sender->context.process, sender->context.instance, sender->step->from), any);
}

static const struct expr *has_sender(struct pr_check *c, const struct pr_ground *receiver,
                                     const struct pr_offer *receive) {
  const struct expr *any = build_const(&c->build, 0);
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    const struct pr_process *p = &c->processes[i];
    for (size_t k = 0; k < p->instances * p->graph.step_count; k++)
      if (p->ground[k].send_count && pr_is_other(&p->ground[k], receiver))
        any = pr_or(c, any, is_sent(c, &p->ground[k], receiver, receive));
  }
  return any;
}

static const struct expr *is_executable(struct pr_check *c, const struct pr_ground *g) {
  const struct expr *any = g->enabled[0];
  if (g->uses_timeout && c->blocked)
    any = pr_or(c, any, pr_and(c, c->blocked, g->enabled[1]));
  for (size_t i = 0; i < g->receive_count; i++)
    any = pr_or(c, any, has_sender(c, g, &g->receives[i]));
  if (g->provided)
    any = pr_and(c, any, build_total(&c->build, g->provided));
  if (c->tree->has_priorities)
    any = pr_and(c, any, pr_is_preferred(c, g->context.process, g->context.instance, false));
  return any;
}

/* An expression without `provided` and priorities is its own condition. */
static bool is_condition(const struct pr_check *c, const struct pr_step *step, const struct pr_ground *g) {
  return step->statement && step->statement->kind == PR_S_EXPRESSION && step->kind != PR_STEP_ELSE && !g->provided &&
         !c->tree->has_priorities && !g->uses_timeout;
}

static void set_condition(struct pr_check *c, const struct pr_process *p, size_t step) {
  struct arena *arena = c->build.arena;
  struct edge *edge = &c->edges[p->first_edge + step];
  struct edge_instance *instances = arena_array(arena, p->instances, sizeof *instances);
  struct source_excerpt *condition = arena_alloc(arena, sizeof *condition);
  edge->is_statement = !is_condition(c, &p->graph.steps[step], &p->ground[step]);
  *condition = (struct source_excerpt){
      edge->is_statement ? arena_printf(arena, "%s is executable", edge->label) : edge->label, edge->at, edge->at};
  for (uint32_t k = 0; k < p->instances; k++) {
    instances[k].guards = arena_array(arena, 1, sizeof *instances[k].guards);
    instances[k].guards[0] = is_executable(c, &p->ground[k * p->graph.step_count + step]);
  }
  edge->guards = condition;
  edge->guard_count = 1;
  edge->reads_message = arena_array(arena, 1, sizeof *edge->reads_message);
  edge->instances = instances;
}

void pr_make_conditions(struct pr_check *c) {
  const struct builder before = c->build;
  c->build.log = NULL;
  c->build.nodes = c->build.steps = 0; /* as much again as the ground transitions */
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    for (size_t s = 0; c->processes[i].instances && s < c->processes[i].graph.step_count; s++)
      set_condition(c, &c->processes[i], s);
  c->build.log = before.log;
  c->build.errors = before.errors;
  c->build.stop = before.stop;
  c->build.sites.n = before.sites.n; /* no step evaluates them */
}
