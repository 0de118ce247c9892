/* `system sync`: a step is a transition of each process. All guards and effects are evaluated in the state before the
   step, but effects of a process read the results of its own earlier ones. So each value is computed into a temporary,
   and the assignments follow. */
#include "frontend/dve/dve_check.h"

#include "model/compose/transition_builder.h"

#define PARTNERS "only one process assigns '%s' in a step"

#define MOST_PROCESSES 256

struct last_write {
  size_t number; /* of the combination, from 1 */
  size_t process;
};

/* A transition of each process. */
struct combination {
  struct dve_check *c;
  const struct instance_edge **edges; /* [process] */
  struct dve_writes *writes;          /* [process] of the effects */
  struct last_write *last;            /* [variable] */
  size_t number;
};

/* ---- one step ------------------------------------------------------------------------------------ */

/* Computes the effects of the process; false: a limit was exceeded. */
static bool compute(struct combination *s, size_t process) {
  struct dve_check *c = s->c;
  const struct dve_transition *t = c->written[s->edges[process]->written->number];
  struct dve_writes *writes = &s->writes[process];
  const struct dve_scope scope = {
      .check = c, .process = dve_info_of(c, (uint32_t)process), .constant = false, .writes = writes};
  writes->n = 0;
  for (size_t i = 0; i < t->effect_count; i++) {
    const struct dve_effect *effect = &t->effects[i];
    struct place target = dve_place(&scope, effect->target);
    const struct expr *value = dve_lower(&scope, effect->value);
    if (target.variable == COMPOSE_NONE || !value)
      return false;
    value = dve_wrapped(c, effect->at, value, c->variable_infos[target.variable].is_int);
    const struct dve_write write = {
        .target = {target.variable,
                   target.index ? transition_builder_let(&c->compose, target.index, effect->at, NO_SITE, NULL) : NULL},
        .value = transition_builder_let(&c->compose, value, effect->at, NO_SITE, NULL),
        .at = effect->at};
    *ARENA_PUSH(c->build.arena, writes->items, writes->n, writes->cap) = write;
  }
  return true;
}

/* The first assignment to a variable that another process assigns too; NULL: there is none. */
static const struct dve_write *conflict(struct combination *s) {
  s->number++;
  for (size_t p = 0; p < s->c->build.model->process_count; p++)
    for (size_t i = 0; i < s->writes[p].n; i++) {
      struct last_write *last = &s->last[s->writes[p].items[i].target.variable];
      if (last->number == s->number && last->process != p)
        return &s->writes[p].items[i];
      *last = (struct last_write){s->number, p};
    }
  return NULL;
}

static void add_failure(struct combination *s, const struct dve_write *write) {
  struct dve_check *c = s->c;
  const char *what = arena_printf(c->build.arena, PARTNERS, c->variables[write->target.variable].name);
  add_statement(&c->compose, &c->compose.current->statements,
                &(struct statement){.op = ST_ASSERT,
                                    .at = write->at,
                                    .value = build_const(&c->build, 0),
                                    .site = build_site(&c->build, SITE_ASSERT, write->at, what, 0, 0)});
}

static void add_assignments(struct combination *s, size_t process) {
  struct compose *compose = &s->c->compose;
  for (size_t i = 0; i < s->writes[process].n; i++) {
    const struct dve_write *write = &s->writes[process].items[i];
    const struct statement statement = dve_assignment(s->c, write->at, &write->target, write->value);
    add_statement(compose, &compose->current->statements, &statement);
  }
}

static void add_step(struct combination *s) {
  struct compose *compose = &s->c->compose;
  const size_t processes = s->c->build.model->process_count;
  transition_builder_start(compose);
  for (size_t p = 0; p < processes; p++) {
    transition_builder_join(compose, s->edges[p], NULL);
    transition_builder_test(compose, s->edges[p], *s->edges[p]->written->from);
  }
  for (size_t p = 0; p < processes; p++)
    transition_builder_guard(compose, s->edges[p]->parts->guard);
  for (size_t p = 0; p < processes; p++)
    if (!compute(s, p))
      return;
  const struct dve_write *twice = conflict(s);
  if (twice)
    add_failure(s, twice);
  for (size_t p = 0; p < processes; p++)
    add_assignments(s, p);
  for (size_t p = 0; p < processes; p++)
    add_location_change(compose, &compose->current->statements, s->edges[p], *s->edges[p]->written->from);
  transition_builder_finish(compose, s->edges[0]->written->at);
}

/* ---- all steps ----------------------------------------------------------------------------------- */

/* Chooses a transition of this process and the following ones in every way. */
static void choose(struct combination *s, size_t process) {
  struct dve_check *c = s->c;
  if (process == c->build.model->process_count) {
    add_step(s);
    return;
  }
  const struct compose_process *composed = &c->compose.processes[process];
  for (size_t k = 0; k < composed->edge_count && !c->build.stop; k++) {
    s->edges[process] = &composed->instances[k];
    if (!s->edges[process]->parts->never && build_spend(&c->build, composed->at, 0, 1))
      choose(s, process + 1);
  }
}

void dve_synchronous_transitions(struct dve_check *c) {
  struct model *model = c->build.model;
  struct combination s = {.c = c,
                          .edges = arena_array(c->build.arena, model->process_count, sizeof *s.edges),
                          .writes = arena_array(c->build.arena, model->process_count, sizeof *s.writes),
                          .last = arena_array(c->build.arena, model->variable_count, sizeof *s.last)};
  c->compose.current = arena_alloc(c->build.arena, sizeof *c->compose.current);
  if (model->process_count > MOST_PROCESSES)
    build_too_large(&c->build, c->system->at, "'system sync' has more than 256 processes");
  else if (model->process_count)
    choose(&s, 0);
  model->transitions = c->compose.transitions;
  if (!model->transition_count)
    return;
  struct initiator_transitions *initiator = arena_alloc(c->build.arena, sizeof *initiator);
  *initiator = (struct initiator_transitions){0, model->transition_count, 0, 0, .located = true};
  model->initiators = initiator;
  model->initiator_count = 1;
}
