/* Steps of instances: the ways to execute a statement. */
#include "frontend/promela/promela_check.h"

#include <string.h>

struct pr_part *pr_add_part(struct pr_ground *g, const struct expr *guard) {
  const bool t = g->context.timeout;
  struct pr_part *part = ARENA_PUSH(g->context.check->build.arena, g->parts[t], g->part_count[t], g->part_cap[t]);
  *part = (struct pr_part){.guard = build_truth(&g->context.check->build, guard)};
  return part;
}

void pr_add_error(struct pr_ground *g, const struct expr *guard, enum site_kind kind, const char *what) {
  struct builder *b = &g->context.check->build;
  if (!guard || is_constant_false(guard))
    return;
  const source_at at = g->step->statement->at;
  struct pr_part *part = pr_add_part(g, guard);
  *ARENA_PUSH(b->arena, part->effects.items, part->effects.n, part->effects.cap) = (struct statement){
      .op = ST_ASSERT, .at = at, .site = build_site(b, kind, at, what, 0, 0), .value = build_const(b, 0)};
}

static void lower_assignment(struct pr_ground *g) {
  const struct pr_statement *s = g->step->statement;
  const struct pr_context *x = &g->context;
  struct pr_check *c = x->check;
  const struct pr_expr *run = pr_run_of(s);
  struct pr_reference target;
  if (!pr_is_target(x, s->target)) {
    const char *name = PR_NAME_OF(c, s->target->name.id);
    if (strcmp(name, "_priority") == 0 && run)
      PR_ERROR(c, s->target->at, "assign it to a variable first", "the result of run is no priority");
    else if (strcmp(name, "_priority") == 0)
      pr_lower_own_priority(g);
    else if (strcmp(name, "_") != 0)
      PR_ERROR(c, s->target->at, NULL, "'%s' is a constant: it cannot be assigned", name);
    else if (run)
      pr_lower_run(g, run, NULL);
    else if (pr_lower(x, s->value))
      pr_add_part(g, build_const(&c->build, 1));
    return;
  }
  if (!pr_refer_one(x, s->target, &target))
    return;
  if (run) {
    pr_lower_run(g, run, &target);
    return;
  }
  struct pr_context own = *x; /* v++ does not need v for anything else */
  own.unread = true;
  const struct expr *value = s->kind == PR_S_ASSIGN ? pr_lower(x, s->value) : pr_read(&own, &target);
  if (s->kind != PR_S_ASSIGN)
    value = build_binary(&c->build, EXPR_ADD, s->at, value, build_const(&c->build, s->kind == PR_S_INCREMENT ? 1 : -1));
  struct pr_part *part = pr_add_part(g, build_const(&c->build, 1));
  pr_assign(c, &part->effects, &target, value);
}

/* The step needs `timeout`, but is no condition. */
static void refuse_timeout(const struct pr_ground *g) {
  struct pr_check *c = g->context.check;
  const struct pr_statement *s = g->step->statement;
  if (strstr(pr_text(c->tree, s->first, s->last, c->build.arena), "timeout"))
    PR_ERROR(c, s->at, "write a condition of its own", "'timeout' stands in a statement");
  else
    PR_ERROR(c, s->at, "use 'enabled' in a condition, a never claim or a formula",
             "a process that 'enabled' may ask about has 'timeout', and this statement is no condition");
}

/* A violated assertion is an error, and the process continues, as with Spin. */
static void lower_assertion(struct pr_ground *g) {
  const struct pr_statement *s = g->step->statement;
  struct pr_check *c = g->context.check;
  const struct expr *holds = build_truth(&c->build, pr_lower(&g->context, s->value));
  pr_add_part(g, build_const(&c->build, 1));
  pr_add_error(g, pr_not(c, holds), SITE_ASSERT, pr_text(c->tree, s->value->first, s->value->last, c->build.arena));
}

static void lower_statement(struct pr_ground *g) {
  const struct pr_statement *s = g->step->statement;
  struct pr_check *c = g->context.check;
  switch (s->kind) {
  case PR_S_EXPRESSION:
    if (pr_run_of(s))
      pr_lower_run(g, pr_run_of(s), NULL);
    else if (s->value && s->value->op == PR_E_SET_PRIORITY)
      pr_lower_set_priority(g, s->value);
    else
      pr_add_part(g, build_truth(&c->build, pr_lower(&g->context, s->value)));
    break;
  case PR_S_ASSIGN:
  case PR_S_INCREMENT:
  case PR_S_DECREMENT:
    lower_assignment(g);
    break;
  case PR_S_SEND:
    pr_lower_send(g);
    break;
  case PR_S_RECEIVE:
    pr_lower_receive(g);
    break;
  case PR_S_ASSERT:
    lower_assertion(g);
    break;
  case PR_S_PRINT:
    pr_lower_print(g);
    break;
  default:
    PR_ERROR(c, s->at, NULL, "this statement is not supported");
  }
}

void pr_lower_step(struct pr_ground *g) {
  struct builder *b = &g->context.check->build;
  g->context.uses_timeout = &g->uses_timeout;
  if (g->context.process->written->provided) {
    struct pr_context x = g->context;
    x.scope = NULL;
    x.uses_timeout = NULL;
    g->provided = build_truth(b, pr_lower(&x, g->context.process->written->provided));
  }
  if (g->step->kind == PR_STEP_END) {
    pr_lower_end(g);
    return;
  }
  if (g->step->kind != PR_STEP_STATEMENT) {
    pr_add_part(g, build_const(b, 1));
    return;
  }
  lower_statement(g);
  if (!g->uses_timeout)
    return;
  if (g->step->statement->kind != PR_S_EXPRESSION) {
    refuse_timeout(g);
    return;
  }
  g->context.timeout = true;
  lower_statement(g);
  g->context.timeout = false;
}

void pr_lower_process(struct pr_check *c, struct pr_process *p) {
  if (p->ground)
    return;
  p->ground = arena_array(c->build.arena, p->instances * p->graph.step_count + 1, sizeof *p->ground);
  p->lowering = true;
  for (uint32_t i = 0; i < p->instances; i++)
    for (size_t s = 0; s < p->graph.step_count && !c->build.stop; s++) {
      struct pr_ground *g = &p->ground[i * p->graph.step_count + s];
      g->step = &p->graph.steps[s];
      g->context = (struct pr_context){.check = c, .process = p, .instance = i, .scope = g->step->scope};
      pr_lower_step(g);
    }
  p->lowering = false;
}
