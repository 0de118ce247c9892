/* What a process can do, and where it is: enabled(pid), pc_value(pid), and the executable steps that priorities ask
   for. As in the verifiers that Spin makes, `else` counts as executable, and there are no channels without buffers. */
#include "frontend/promela/promela_check.h"

const struct expr *pr_has_pid(struct pr_check *c, const struct pr_process *p, uint32_t instance,
                              const struct expr *pid) {
  struct builder *b = &c->build;
  const struct expr *own = build_read(b, NOWHERE, p->pid_variable, build_const(b, instance));
  return pr_and(c, pr_not(c, pr_is_at(c, p, instance, p->absent)), build_binary(b, EXPR_EQ, NOWHERE, own, pid));
}

const struct expr *pr_of_pid(const struct pr_context *x, const struct pr_expr *e,
                             const struct expr *(*value_of)(struct pr_check *c, const struct pr_process *p,
                                                            uint32_t instance)) {
  struct pr_check *c = x->check;
  const struct expr *pid = pr_lower(x, e->a), *value = build_const(&c->build, 0);
  for (size_t i = 0; i < c->tree->proctypes.n && pid; i++)
    for (uint32_t k = 0; k < c->processes[i].instances; k++) {
      const struct pr_process *p = &c->processes[i];
      value = build_cond(&c->build, e->at, pr_has_pid(c, p, k, pid), value_of(c, p, k), value);
    }
  return pid ? value : NULL;
}

/* ---- enabled ------------------------------------------------------------------------------------- */

static const struct expr *is_step_executable(struct pr_check *c, const struct pr_ground *g, bool timeout) {
  const bool use = timeout && g->uses_timeout;
  const struct expr *any = build_const(&c->build, g->step->kind == PR_STEP_ELSE);
  for (size_t i = 0; i < g->part_count[use]; i++)
    any = pr_or(c, any, build_total(&c->build, g->parts[use][i].guard));
  return any;
}

const struct expr *pr_is_executable(struct pr_check *c, const struct pr_process *p, uint32_t instance, bool timeout) {
  const struct expr *any = build_const(&c->build, 0);
  for (uint32_t l = 0; l < p->graph.location_count; l++) {
    const struct pr_location *location = &p->graph.locations[l];
    const struct expr *here = build_const(&c->build, 0);
    for (size_t s = location->first; s < location->first + location->count; s++)
      here = pr_or(c, here, is_step_executable(c, &p->ground[instance * p->graph.step_count + s], timeout));
    any = pr_or(c, any, pr_and(c, pr_is_at(c, p, instance, l), here));
  }
  return any;
}

/* Steps of processes may ask for other processes, but not in a circle: pan would not return. */
static bool may_ask(const struct pr_context *x, const struct pr_expr *e, struct pr_process *p) {
  struct pr_check *c = x->check;
  if (x->process && c->tree->has_priorities)
    PR_ERROR(c, e->at, "use it in a never claim or a formula", "'enabled' in a process of a model with priorities");
  else if (p->lowering)
    PR_ERROR(c, e->at, "use it in a never claim or a formula",
             "whether a step of '%s' is enabled depends on whether one of its steps is", p->name);
  else {
    pr_lower_process(c, p);
    for (size_t i = 0; x->uses_timeout && i < p->instances * p->graph.step_count; i++)
      *x->uses_timeout |= p->ground[i].uses_timeout;
    return true;
  }
  return false;
}

const struct expr *pr_lower_enabled(const struct pr_context *x, const struct pr_expr *e) {
  struct pr_check *c = x->check;
  struct builder *b = &c->build;
  if (x->constant) /* the caller reports it */
    return NULL;
  const struct expr *pid = pr_lower(x, e->a), *value = build_const(b, 0), *own = build_const(b, 0);
  for (size_t i = 0; i < c->tree->proctypes.n && pid; i++)
    for (uint32_t k = 0; k < c->processes[i].instances; k++) {
      struct pr_process *p = &c->processes[i];
      const struct expr *is = pr_has_pid(c, p, k, pid);
      if (p == x->process && k == x->instance)
        own = is;
      else if (is && !is_constant_false(is)) {
        if (!may_ask(x, e, p))
          return NULL;
        value = pr_or(c, value, pr_and(c, is, pr_is_executable(c, p, k, x->timeout)));
      }
    }
  own = build_bounded(b, SITE_ERROR, e->at, own, 0, 0, "a process asks whether it is enabled itself");
  return pid ? pr_or(c, own, value) : NULL;
}

/* ---- pc_value ------------------------------------------------------------------------------------ */

/* Spin's number of the statement where the instance is, within its process. */
static const struct expr *place_of(struct pr_check *c, const struct pr_process *p, uint32_t instance) {
  struct builder *b = &c->build;
  const struct expr *value = build_const(b, 0);
  for (uint32_t l = 0; l < p->graph.location_count; l++)
    value = build_cond(b, NOWHERE, pr_is_at(c, p, instance, l),
                       build_const(b, pr_state_number(p, p->graph.locations[l].number)), value);
  return value;
}

const struct expr *pr_lower_pc_value(const struct pr_context *x, const struct pr_expr *e) {
  struct pr_check *c = x->check;
  if (x->constant) /* the caller reports it */
    return NULL;
  if (c->tree->unnumbered) {
    PR_ERROR(c, e->at, "use P@label", "'pc_value' needs Spin's numbers of statements, which are not known with %s",
             c->tree->unnumbered);
    return NULL;
  }
  return pr_of_pid(x, e, place_of);
}
