/* The number of instances of each proctype: those that are active from the beginning and those that `run` makes. Where
   a loop makes them, the number that is alive at once is a guess. */
#include "frontend/promela/promela_check.h"
#include "model/guess.h"

#define MANY (PR_MOST_PROCESSES + 1)

const struct pr_expr *pr_run_of(const struct pr_statement *s) {
  const bool may = s && (s->kind == PR_S_EXPRESSION || s->kind == PR_S_ASSIGN) && s->value;
  return may && s->value->op == PR_E_RUN ? s->value : NULL;
}

/* A path leads from `from` to `to`. */
static bool is_reachable(struct pr_check *c, const struct pr_graph *g, uint32_t from, uint32_t to) {
  bool *seen = arena_array(c->build.arena, g->location_count, sizeof *seen);
  uint32_t *stack = arena_array(c->build.arena, g->location_count, sizeof *stack);
  size_t n = 0;
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

static size_t find_calls(struct pr_check *c, struct call **out) {
  size_t n = 0, cap = 0;
  for (uint32_t i = 0; i < c->tree->proctypes.n; i++) {
    const struct pr_graph *g = &c->processes[i].graph;
    for (size_t s = 0; s < g->step_count; s++) {
      const struct pr_expr *run = pr_run_of(g->steps[s].statement);
      struct pr_process *callee = run ? pr_find_process(c, &run->name) : NULL;
      if (!callee)
        continue;
      callee->runs = true;
      *ARENA_PUSH(c->build.arena, *out, n, cap) =
          (struct call){i, callee, is_reachable(c, g, g->steps[s].to, g->steps[s].from)};
    }
  }
  return n;
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
  struct call *calls = NULL;
  const size_t n = find_calls(c, &calls);
  const uint32_t *created = count_created(c, calls, n);
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    struct pr_process *p = &c->processes[i];
    const uint32_t guess = p->active + (uint32_t)c->guess;
    p->guessed = created[i] == MANY;
    c->guesses |= p->guessed;
    p->instances = !p->guessed ? created[i] : guess < PR_MOST_PROCESSES ? guess : PR_MOST_PROCESSES;
    p->first_instance = c->instances;
    c->instances += p->instances;
  }
}
