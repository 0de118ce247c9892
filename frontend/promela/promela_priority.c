/* Priorities, by the rules of Spin 6.2 and later: a process takes a step only if no process of a higher priority has an
   executable one (promela_enabled.c). */
#include "frontend/promela/promela_check.h"

/* ---- values -------------------------------------------------------------------------------------- */

const int64_t *pr_initial_priorities(struct pr_check *c, const struct pr_process *p) {
  int64_t *all = arena_array(c->build.arena, p->instances, sizeof *all);
  for (uint32_t i = 0; i < p->instances; i++)
    all[i] = i < p->active ? p->priority : 1;
  return all;
}

uint32_t pr_run_priority(struct pr_check *c, const struct pr_expr *run) {
  const struct pr_context x = {.check = c};
  int64_t priority = 1;
  if (run->b)
    pr_constant(&x, run->b, "a priority", 0, PR_MOST_PRIORITY, &priority);
  return priority ? (uint32_t)priority : 1;
}

const struct expr *pr_priority(struct pr_check *c, const struct pr_process *p, uint32_t instance) {
  return build_read(&c->build, NOWHERE, p->priority_variable, build_const(&c->build, instance));
}

const struct expr *pr_lower_get_priority(const struct pr_context *x, const struct pr_expr *e) {
  return x->constant ? NULL : pr_of_pid(x, e, pr_priority); /* NULL: the caller reports it */
}

/* ---- assignments --------------------------------------------------------------------------------- */

void pr_lower_own_priority(struct pr_ground *g) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const struct pr_process *p = g->context.process;
  const struct pr_statement *s = g->step->statement;
  const struct pr_scalar byte = {.type = PR_T_BYTE, .lo = 0, .hi = PR_MOST_PRIORITY, .subtype = PR_NO_NAME};
  const struct expr *value = s->kind == PR_S_ASSIGN
                                 ? pr_lower(&g->context, s->value)
                                 : build_binary(b, EXPR_ADD, s->at, pr_priority(c, p, g->context.instance),
                                                build_const(b, s->kind == PR_S_INCREMENT ? 1 : -1));
  struct pr_part *part = pr_add_part(g, build_const(b, 1));
  pr_set(c, &part->effects, s->at, p->priority_variable, g->context.instance, pr_wrapped(c, s->at, value, &byte));
}

/* Nothing happens if there is no such process. */
void pr_lower_set_priority(struct pr_ground *g, const struct pr_expr *e) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const struct expr *pid = pr_lower(&g->context, e->a), *value = pr_lower(&g->context, e->b);
  if (!pid || !value)
    return;
  const struct expr *fits = pr_and(c, build_reversed(b, EXPR_LE, e->at, value, build_const(b, 1)),
                                   build_binary(b, EXPR_LE, e->at, value, build_const(b, PR_MOST_PRIORITY)));
  const struct expr *exists = build_const(b, 0), *before = build_temp(b, e->at, 0, pid->lo, pid->hi);
  struct statements effects = {0};
  *ARENA_PUSH(b->arena, effects.items, effects.n, effects.cap) =
      (struct statement){.op = ST_LET, .at = e->at, .id = 0, .site = NO_SITE, .value = pid};
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    for (uint32_t k = 0; k < c->processes[i].instances; k++) {
      const struct pr_process *p = &c->processes[i];
      const struct expr *is = pr_has_pid(c, p, k, before), *could = pr_has_pid(c, p, k, pid);
      exists = pr_or(c, exists, could);
      if (could && !is_constant_false(could))
        pr_set(c, &effects, e->at, p->priority_variable, k,
               build_cond(b, e->at, is, build_narrowed(b, value, 1, PR_MOST_PRIORITY), pr_priority(c, p, k)));
    }
  struct pr_part *part = pr_add_part(g, pr_or(c, pr_not(c, exists), fits));
  part->effects = effects;
  part->temps = 1;
  pr_add_error(g, pr_and(c, exists, pr_not(c, fits)), SITE_ERROR, "the priority is not within 1..255");
}

/* ---- what they permit ---------------------------------------------------------------------------- */

static const struct expr *is_some_executable(struct pr_check *c, const struct pr_process *p, uint32_t instance,
                                             bool timeout) {
  const struct expr *provided = p->graph.step_count ? p->ground[instance * p->graph.step_count].provided : NULL;
  const struct expr *any = pr_is_executable(c, p, instance, timeout);
  return provided ? pr_and(c, build_total(&c->build, provided), any) : any;
}

void pr_find_executable(struct pr_check *c) {
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    for (int timeout = 0; timeout < 2; timeout++) {
      struct pr_process *p = &c->processes[i];
      p->executable[timeout] = arena_array(c->build.arena, p->instances, sizeof *p->executable[timeout]);
      for (uint32_t k = 0; k < p->instances; k++)
        p->executable[timeout][k] = is_some_executable(c, p, k, timeout);
    }
}

/* Instance b of q has a higher priority than instance a of p. */
static const struct expr *is_higher(struct pr_check *c, const struct pr_process *q, uint32_t b,
                                    const struct pr_process *p, uint32_t a) {
  return build_binary(&c->build, EXPR_LT, NOWHERE, pr_priority(c, p, a), pr_priority(c, q, b));
}

const struct expr *pr_is_preferred(struct pr_check *c, const struct pr_process *p, uint32_t instance, bool timeout) {
  const struct expr *all = build_const(&c->build, 1);
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    for (uint32_t k = 0; k < c->processes[i].instances; k++) {
      const struct pr_process *q = &c->processes[i];
      if (q != p || k != instance)
        all = pr_and(c, all, pr_not(c, pr_and(c, is_higher(c, q, k, p, instance), q->executable[timeout][k])));
    }
  return all;
}
