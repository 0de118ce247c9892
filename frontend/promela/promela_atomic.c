/* Atomic sequences and d_step. A variable, the holder, is 0 or names the process that is in one, which alone may step
   (model->transient): 1 + 2 * instance within an atomic sequence, one more within a d_step. A process that begins with
   an atomic sequence holds it after its first step, as in Spin. */
#include "frontend/promela/promela_check.h"

static bool is_used(const struct pr_check *c) {
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    const struct pr_graph *g = &c->processes[i].graph;
    for (size_t s = 0; c->processes[i].instances && s < g->step_count; s++)
      if (g->steps[s].keeps || g->steps[s].keeps_d_step)
        return true;
  }
  return false;
}

void pr_declare_holder(struct pr_check *c) {
  c->holder = PR_NONE;
  if (!is_used(c))
    return;
  c->holder = (uint32_t)c->build.model->variable_count;
  *ARENA_PUSH(c->build.arena, c->variables, c->build.model->variable_count, c->variable_cap) =
      (struct variable){.name = "_atomic",
                        .kind = VARIABLE_GLOBAL,
                        .count = 1,
                        .length = 1,
                        .assigned = true,
                        .hi = 2 * (int64_t)c->instances,
                        .init = arena_array(c->build.arena, 1, sizeof(int64_t)),
                        .at = NOWHERE};
  c->build.model->variables = c->variables;
}

const struct expr *pr_is_free(struct pr_check *c) {
  if (c->holder == PR_NONE)
    return build_const(&c->build, 1);
  return build_binary(&c->build, EXPR_EQ, NOWHERE, build_read(&c->build, NOWHERE, c->holder, NULL),
                      build_const(&c->build, 0));
}

static int64_t held_after(const struct pr_ground *g) {
  const uint32_t instance = g->context.process->first_instance + g->context.instance;
  return g->step->keeps_d_step ? 2 * (int64_t)instance + 2 : g->step->keeps ? 2 * (int64_t)instance + 1 : 0;
}

const struct expr *pr_is_in_d_step(const struct pr_ground *g) {
  struct pr_check *c = g->context.check;
  const int64_t instance = (int64_t)g->context.process->first_instance + g->context.instance;
  if (c->holder == PR_NONE)
    return build_const(&c->build, 0);
  return build_binary(&c->build, EXPR_EQ, NOWHERE, build_read(&c->build, NOWHERE, c->holder, NULL),
                      build_const(&c->build, 2 * instance + 2));
}

/* Some step within a sequence leads to the location. */
static bool may_hold_at(const struct pr_process *p, uint32_t location) {
  for (size_t s = 0; s < p->graph.step_count; s++)
    if (p->graph.steps[s].to == location && (p->graph.steps[s].keeps || p->graph.steps[s].keeps_d_step))
      return true;
  return false;
}

void pr_hold(struct pr_check *c, struct statements *out, const struct pr_ground *first, const struct pr_ground *last) {
  const int64_t held = held_after(last);
  if (c->holder != PR_NONE && (held || may_hold_at(first->context.process, first->step->from)))
    pr_set(c, out, NOWHERE, c->holder, 0, build_const(&c->build, held));
}

void pr_make_transient(struct pr_check *c) {
  struct model *model = c->build.model;
  struct builder *b = &c->build;
  if (c->holder == PR_NONE)
    return;
  struct holder *holders = arena_array(b->arena, 2 * (size_t)c->instances, sizeof *holders);
  struct transient *transient = arena_alloc(b->arena, sizeof *transient);
  for (size_t i = 0; i < 2 * (size_t)c->instances; i++)
    holders[i] = (struct holder){.initiator = NO_INITIATOR, .blocked = NO_SITE};
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    const struct pr_process *p = &c->processes[i];
    const uint32_t site =
        build_site(b, SITE_ERROR, p->written->at, "a d_step is blocked behind its first statement", 0, 0);
    for (uint32_t k = 0; k < p->instances; k++)
      holders[2 * (size_t)(p->first_instance + k) + 1].blocked = site;
  }
  for (uint32_t g = 0; g < model->initiator_count; g++)
    for (size_t i = 0; i < c->tree->proctypes.n; i++)
      if (c->processes[i].instances && c->processes[i].number == model->initiators[g].process) {
        const size_t instance = c->processes[i].first_instance + model->initiators[g].instance;
        holders[2 * instance].initiator = holders[2 * instance + 1].initiator = g;
      }
  *transient = (struct transient){
      c->holder, holders,
      build_site(b, SITE_ERROR, c->tree->source->base, "an atomic sequence has too many steps", 0, 0)};
  model->transient = transient;
}
