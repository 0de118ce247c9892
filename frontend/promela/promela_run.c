/* Creation and end of processes. Instances of a proctype are a stack: the first one that is not alive is created next,
   and only the youngest process of all ends. */
#include "frontend/promela/promela_check.h"

static const struct expr *is_absent(struct pr_check *c, const struct pr_process *p, uint32_t instance) {
  return pr_is_at(c, p, instance, p->absent);
}

static struct pr_reference element_of(const struct pr_process *p, uint32_t instance, struct pr_leaf *leaf,
                                      const struct expr *index, source_at at) {
  return (struct pr_reference){leaf, p, instance, index, at};
}

static void pass_arguments(struct pr_ground *g, const struct pr_expr *run, const struct pr_process *p,
                           uint32_t instance, struct statements *out) {
  struct pr_check *c = g->context.check;
  for (size_t i = 0; i < run->arguments.n; i++) {
    struct pr_leaf *leaf = &p->symbols.items[i].leaves[0];
    const struct pr_reference parameter =
        element_of(p, instance, leaf, build_const(&c->build, 0), run->arguments.items[i]->at);
    pr_assign(c, out, &parameter, pr_lower(&g->context, run->arguments.items[i]));
  }
}

/* Values of declarations at the beginning that depend on the state. */
static void set_locals(struct pr_check *c, const struct pr_process *p, uint32_t instance, struct statements *out) {
  const struct pr_context x = {.check = c, .process = p, .instance = instance};
  for (size_t i = p->written->parameters.n; i < p->leading; i++)
    for (size_t k = 0; k < p->symbols.items[i].leaf_count; k++) {
      struct pr_leaf *leaf = &p->symbols.items[i].leaves[k];
      if (!leaf->written->value || pr_is_literal(&x, leaf->written->value))
        continue;
      for (uint32_t e = 0; e < leaf->count; e++) {
        const struct pr_reference element =
            element_of(p, instance, leaf, build_const(&c->build, e), leaf->written->name.at);
        pr_assign(c, out, &element, pr_lower(&x, leaf->written->value));
      }
    }
}

static const struct expr *too_many(struct pr_check *c, source_at at) {
  return build_binary(&c->build, EXPR_EQ, at, build_read(&c->build, at, c->running, NULL),
                      build_const(&c->build, PR_MOST_PROCESSES));
}

/* The value of an assignment that has the `run`, from before the process exists. */
static const struct expr *value_with(struct pr_ground *g, const struct pr_expr *run, const struct expr *pid,
                                     struct pr_part *part) {
  struct builder *b = &g->context.check->build;
  struct pr_context x = g->context;
  x.run = run;
  x.pid = pid;
  const struct expr *value = pr_lower(&x, g->step->statement->value);
  if (!value)
    return NULL;
  part->temps = 1;
  *ARENA_PUSH(b->arena, part->effects.items, part->effects.n, part->effects.cap) =
      (struct statement){.op = ST_LET, .at = run->at, .id = 0, .site = NO_SITE, .value = value};
  return build_temp(b, run->at, 0, value->lo, value->hi);
}

static void create(struct pr_ground *g, const struct pr_expr *run, const struct pr_process *p, uint32_t instance,
                   const struct pr_reference *result) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const struct expr *guard = is_absent(c, p, instance);
  if (instance)
    guard = pr_and(c, guard, pr_not(c, is_absent(c, p, instance - 1)));
  if (c->instances > PR_MOST_PROCESSES)
    guard = pr_and(c, guard, pr_not(c, too_many(c, run->at)));
  struct pr_part *part = pr_add_part(g, guard);
  struct statements *out = &part->effects;
  const struct expr *running = build_read(b, run->at, c->running, NULL);
  const struct expr *pid = build_narrowed(b, running, 0, (int64_t)c->alive - 1), *value = NULL;
  if (result && g->step->statement->value != run)
    value = value_with(g, run, pid, part);
  pass_arguments(g, run, p, instance, out);
  pr_set(c, out, run->at, p->pid_variable, instance, pid);
  pr_set(c, out, run->at, p->location_variable, instance, build_const(b, 0));
  if (c->tree->has_priorities)
    pr_set(c, out, run->at, p->priority_variable, instance, build_const(b, pr_run_priority(c, run)));
  pr_set(c, out, run->at, c->running, 0, build_binary(b, EXPR_ADD, run->at, pid, build_const(b, 1)));
  set_locals(c, p, instance, out);
  if (result)
    pr_assign(c, out, result, value ? value : build_read(b, run->at, p->pid_variable, build_const(b, instance)));
}

/* All instances are alive: an error of the guess. */
static void add_limit(struct pr_ground *g, const struct pr_expr *run, const struct pr_process *p) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  struct pr_part *part = pr_add_part(g, pr_not(c, is_absent(c, p, p->instances - 1)));
  const uint32_t site = build_site(b, SITE_RANGE, run->at, p->name, 0, p->instances);
  if (p->instances < PR_MOST_PROCESSES)
    build_site_guessed(b, site);
  part->temps = 1;
  *ARENA_PUSH(b->arena, part->effects.items, part->effects.n, part->effects.cap) =
      (struct statement){.op = ST_LET, .at = run->at, .site = site, .value = build_const(b, (int64_t)p->instances + 1)};
}

void pr_lower_run(struct pr_ground *g, const struct pr_expr *run, const struct pr_reference *result) {
  struct pr_check *c = g->context.check;
  const struct pr_process *p = pr_find_process(c, &run->name);
  if (!p)
    return;
  if (run->arguments.n != p->written->parameters.n) {
    PR_ERROR(c, run->at, NULL, "proctype '%s' has %zu parameters, not %zu", p->name, p->written->parameters.n,
             run->arguments.n);
    return;
  }
  for (size_t i = 0; i < run->arguments.n; i++)
    if (p->symbols.items[i].leaf_count != 1 || p->symbols.items[i].leaves[0].count != 1) {
      PR_ERROR(c, p->symbols.items[i].written->name.at, "pass single values", "a parameter is an array or a record");
      return;
    }
  for (uint32_t i = 0; i < p->instances; i++)
    create(g, run, p, i, result);
  if (p->guessed && p->instances)
    add_limit(g, run, p);
  if (c->instances > PR_MOST_PROCESSES && p->instances)
    pr_add_error(g, too_many(c, run->at), SITE_ERROR, "there are more than 255 processes");
}

/* ---- end ----------------------------------------------------------------------------------------- */

static void reset_locals(struct pr_check *c, const struct pr_process *p, uint32_t instance, struct statements *out) {
  for (size_t i = 0; i < p->symbols.n; i++)
    for (size_t k = 0; k < p->symbols.items[i].leaf_count; k++) {
      const struct pr_leaf *leaf = &p->symbols.items[i].leaves[k];
      if (!leaf->assigned)
        continue;
      for (uint32_t e = 0; e < leaf->count; e++) {
        const uint32_t place = instance * leaf->count + e;
        pr_set(c, out, p->written->end, leaf->variable, place,
               build_const(&c->build, c->variables[leaf->variable].init[place]));
      }
    }
}

void pr_lower_end(struct pr_ground *g) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const struct pr_process *p = g->context.process;
  const uint32_t instance = g->context.instance;
  const source_at at = p->written->end;
  const struct expr *running = build_read(b, at, c->running, NULL);
  const struct expr *pid = build_read(b, at, p->pid_variable, build_const(b, instance));
  const struct expr *next = build_binary(b, EXPR_ADD, at, pid, build_const(b, 1));
  struct pr_part *part = pr_add_part(g, build_binary(b, EXPR_EQ, at, next, running));
  reset_locals(c, p, instance, &part->effects);
  for (size_t i = 0; i < c->queue_count; i++)
    if (c->queues[i].process != PR_NONE && &c->processes[c->queues[i].process] == p &&
        c->queues[i].instance == instance)
      pr_clear(c, &part->effects, &c->queues[i], at);
  if (p->runs)
    pr_set(c, &part->effects, at, p->pid_variable, instance,
           build_const(b, c->variables[p->pid_variable].init[instance]));
  if (c->tree->has_priorities)
    pr_set(c, &part->effects, at, p->priority_variable, instance,
           build_const(b, c->variables[p->priority_variable].init[instance]));
  pr_set(c, &part->effects, at, c->running, 0,
         build_binary(b, EXPR_SUB, at, build_narrowed(b, running, 1, c->alive), build_const(b, 1)));
}
