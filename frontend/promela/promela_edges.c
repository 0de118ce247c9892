/* Transitions as written: the steps of processes, with their texts for traces. */
#include "frontend/promela/promela_check.h"

/* As written; of the parts of loops that are not written, something similar. */
static const char *text(struct pr_check *c, const struct pr_expr *e) {
  struct arena *arena = c->build.arena;
  if (e->last > e->first)
    return pr_text(c->tree, e->first, e->last, arena);
  switch (e->op) {
  case PR_E_NUMBER:
    return arena_printf(arena, "%lld", (long long)e->value);
  case PR_E_NAME:
    return PR_NAME_OF(c, e->name.id);
  case PR_E_INDEX:
    return arena_printf(arena, "%s[%s]", text(c, e->a), text(c, e->b));
  case PR_E_LEN:
    return arena_printf(arena, "len(%s)", text(c, e->a));
  default: /* the condition of a loop */
    return arena_printf(arena, "%s %s %s", text(c, e->a), e->op == PR_E_LE ? "<=" : "<", text(c, e->b));
  }
}

static const char *label_of(struct pr_check *c, const struct pr_step *step) {
  struct arena *arena = c->build.arena;
  const struct pr_statement *s = step->statement;
  if (!s)
    return "-end-";
  switch (s->kind) {
  case PR_S_ELSE:
    return "else";
  case PR_S_BREAK:
    return "break";
  case PR_S_EXPRESSION:
    return text(c, s->value);
  case PR_S_ASSIGN:
    return arena_printf(arena, "%s = %s", text(c, s->target), text(c, s->value));
  case PR_S_INCREMENT:
  case PR_S_DECREMENT:
    return arena_printf(arena, "%s%s", text(c, s->target), s->kind == PR_S_INCREMENT ? "++" : "--");
  default:
    return pr_text(c->tree, s->first, s->last, arena);
  }
}

static void make_edge(struct pr_check *c, const struct pr_process *p, const struct pr_step *step) {
  const struct location *locations = c->model_processes[p->number].locations;
  const uint32_t to = step->kind == PR_STEP_END ? p->absent : step->to;
  uint32_t *from = arena_alloc(c->build.arena, sizeof *from);
  *from = step->from;
  c->edges[c->build.model->edge_count++] =
      (struct edge){.process = p->number,
                    .label = label_of(c, step),
                    .from = locations[step->from].name,
                    .to = locations[to].name,
                    .locations = from,
                    .location_count = 1,
                    .instances = arena_array(c->build.arena, p->instances, sizeof(struct edge_instance)),
                    .at = step->statement ? step->statement->at : p->written->end};
}

void pr_make_edges(struct pr_check *c) {
  size_t count = 0;
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    count += c->processes[i].graph.step_count;
  c->build.model->edges = c->edges = arena_array(c->build.arena, count + 1, sizeof *c->edges);
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    struct pr_process *p = &c->processes[i];
    p->first_edge = (uint32_t)c->build.model->edge_count;
    for (size_t s = 0; p->instances && s < p->graph.step_count; s++)
      make_edge(c, p, &p->graph.steps[s]);
  }
}
