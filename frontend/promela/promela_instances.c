/* The number of instances of each proctype: those that are active from the beginning and those that `run` makes. Where
   a loop makes them, the number that is alive at once is a guess. */
#include "frontend/promela/promela_check.h"
#include "model/guess.h"

#include <string.h>

#define MANY (PR_MOST_PROCESSES + 1)

/* The first `run` among the operands that are evaluated in any case. */
static const struct pr_expr *find_run(const struct pr_expr *e) {
  if (!e || e->op == PR_E_RUN)
    return e;
  if (e->op < PR_E_NEG || e->op > PR_E_COND)
    return NULL;
  const struct pr_expr *run = find_run(e->a);
  return run || e->op == PR_E_AND || e->op == PR_E_OR || e->op == PR_E_COND ? run : find_run(e->b);
}

const struct pr_expr *pr_run_of(const struct pr_statement *s) {
  if (!s || !s->value)
    return NULL;
  if (s->kind == PR_S_ASSIGN)
    return find_run(s->value);
  return s->kind == PR_S_EXPRESSION && s->value->op == PR_E_RUN ? s->value : NULL;
}

/* Memory of the searches in a graph. */
struct search {
  const struct pr_graph *graph;
  bool *seen; /* [location_count] */
  uint32_t *stack;
};

static struct search search_of(struct pr_check *c, const struct pr_graph *g) {
  return (struct search){g, arena_array(c->build.arena, g->location_count, sizeof(bool)),
                         arena_array(c->build.arena, g->location_count, sizeof(uint32_t))};
}

/* A path leads from `from` to `to`. */
static bool is_reachable(struct search *search, uint32_t from, uint32_t to) {
  const struct pr_graph *g = search->graph;
  bool *seen = search->seen;
  uint32_t *stack = search->stack;
  size_t n = 0;
  memset(seen, 0, g->location_count * sizeof *seen);
  stack[n++] = from;
  seen[from] = true;
  while (n) {
    const struct pr_location *l = &g->locations[stack[--n]];
    for (size_t i = l->first; i < l->first + l->count; i++) {
      const uint32_t next = g->steps[i].to;
      if (!seen[next]) {
        seen[next] = true;
        stack[n++] = next;
      }
    }
  }
  return seen[to];
}

/* Calls of `run` in a step. */
struct call {
  uint32_t caller;
  struct pr_process *callee;
  bool repeats;
};
struct calls {
  struct pr_check *check;
  uint32_t caller;
  struct call *items;
  size_t n, cap;
};

static void add_call(struct calls *calls, const struct pr_expr *run, bool repeats) {
  struct pr_process *callee = pr_find_process(calls->check, &run->name);
  if (!callee)
    return;
  callee->runs = true;
  *ARENA_PUSH(calls->check->build.arena, calls->items, calls->n, calls->cap) =
      (struct call){calls->caller, callee, repeats};
}

static void add_known(void *user, const struct pr_expr *run) { add_call(user, run, false); }

/* As in Spin. */
static void refuse_run_in_d_step(struct pr_check *c, const struct pr_process *p) {
  for (size_t s = 0; s < p->graph.step_count; s++) {
    const struct pr_expr *run = p->graph.steps[s].d_step ? pr_run_of(p->graph.steps[s].statement) : NULL;
    if (run)
      PR_ERROR(c, run->at, "use atomic", "a d_step creates a process");
  }
}

/* A process with one instance in all calls what it calls at its beginning once. */
static void find_calls(struct calls *calls, uint32_t number, bool once) {
  struct pr_check *c = calls->check;
  const struct pr_process *p = &c->processes[number];
  calls->caller = number;
  const uint32_t from = once ? pr_run_prefix(c, p, add_known, calls) : 0;
  struct search search = search_of(c, &p->graph);
  for (size_t s = 0; s < p->graph.step_count; s++) {
    const struct pr_step *step = &p->graph.steps[s];
    const struct pr_expr *run = pr_run_of(step->statement);
    if (run && is_reachable(&search, from, step->from))
      add_call(calls, run, is_reachable(&search, step->to, step->from));
  }
}

static bool is_called(struct pr_check *c, const struct pr_process *p) {
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    for (size_t s = 0; s < c->processes[i].graph.step_count; s++) {
      const struct pr_expr *run = pr_run_of(c->processes[i].graph.steps[s].statement);
      if (run && !p->written->is_init && run->name.id == p->written->name.id)
        return true;
    }
  return false;
}

/* Instances that are made in all, MANY: no bound is known. */
static uint32_t *count_created(struct pr_check *c, const struct call *calls, size_t n) {
  const size_t processes = c->tree->proctypes.n;
  uint32_t *created = arena_array(c->build.arena, processes + 1, sizeof *created),
           *next = arena_array(c->build.arena, processes + 1, sizeof *next);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < processes; i++)
      next[i] = c->processes[i].active;
    for (size_t k = 0; k < n; k++) {
      const uint32_t more = created[calls[k].caller];
      const size_t callee = (size_t)(calls[k].callee - c->processes);
      next[callee] += more == 0 ? 0 : calls[k].repeats ? MANY : more;
      next[callee] = next[callee] > MANY ? MANY : next[callee];
    }
    for (size_t i = 0; i < processes; i++) {
      changed |= created[i] != next[i];
      created[i] = next[i];
    }
  }
  return created;
}

void pr_count_instances(struct pr_check *c) {
  struct calls calls = {.check = c};
  for (uint32_t i = 0; i < c->tree->proctypes.n; i++) {
    refuse_run_in_d_step(c, &c->processes[i]);
    find_calls(&calls, i, c->processes[i].active == 1 && !is_called(c, &c->processes[i]));
  }
  const uint32_t *created = count_created(c, calls.items, calls.n);
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    struct pr_process *p = &c->processes[i];
    const uint32_t guess = p->active + (uint32_t)c->guess;
    p->guessed = created[i] == MANY;
    c->guesses |= p->guessed;
    p->instances = !p->guessed ? created[i] : guess < PR_MOST_PROCESSES ? guess : PR_MOST_PROCESSES;
    p->first_instance = c->instances;
    c->instances += p->instances;
  }
  c->alive = c->instances < PR_MOST_PROCESSES ? c->instances : PR_MOST_PROCESSES;
}
