/* Trace assertions: `trace` and `notrace`. An automaton moves with each send and receive of the channels that it names.
   Its location is a variable of the state, as in pan. A send or receive for which a trace has no move is an error, and
   one with which a notrace reaches its end. The step takes place all the same. */
#include "frontend/promela/promela_check.h"

#include <string.h>

/* ---- the automaton ------------------------------------------------------------------------------- */

/* The event of a step of the automaton. */
struct move {
  const struct pr_step *step;
  uint32_t queue;
  bool sends;
  const struct expr **values; /* [count] of the first fields; NULL: any */
  size_t count;
};

struct pr_trace {
  struct pr_graph graph;
  uint32_t variable;
  uint32_t end; /* its last location; behind all locations if no step leads there */
  struct move *moves;
  size_t move_count, move_cap;
};

void pr_declare_trace(struct pr_check *c) {
  const struct pr_proctype *written = c->tree->trace;
  if (!written)
    return;
  struct pr_trace *t = c->trace = arena_alloc(c->build.arena, sizeof *t);
  *t = (struct pr_trace){.end = PR_NONE};
  if (!pr_build_graph(c->tree, written, c->build.arena, c->build.log, &t->graph)) {
    c->build.errors++;
    return;
  }
  t->end = (uint32_t)t->graph.location_count;
  for (size_t i = 0; i < t->graph.step_count; i++)
    if (t->graph.steps[i].kind == PR_STEP_END)
      t->end = t->graph.steps[i].from;
}

struct variable pr_trace_variable(struct pr_check *c, uint32_t number) {
  c->trace->variable = number;
  return (struct variable){.name = "_event",
                           .kind = VARIABLE_GLOBAL,
                           .count = 1,
                           .length = 1,
                           .assigned = true,
                           .hi = (int64_t)c->trace->graph.location_count,
                           .init = arena_array(c->build.arena, 1, sizeof(int64_t)),
                           .at = NOWHERE};
}

static const struct expr *location(struct pr_check *c) {
  return build_read(&c->build, c->tree->trace->at, c->trace->variable, NULL);
}

static const struct expr *is_at(struct pr_check *c, uint32_t place) {
  return build_binary(&c->build, EXPR_EQ, NOWHERE, location(c), build_const(&c->build, place));
}

/* Where no process is left, pan does not look at the trace. */
const struct expr *pr_trace_may_end(struct pr_check *c) {
  struct builder *b = &c->build;
  const struct pr_trace *t = c->trace;
  if (!t)
    return build_const(b, 1);
  const struct expr *running = build_read(b, NOWHERE, c->running, NULL);
  const struct expr *any = pr_or(c, build_binary(b, EXPR_EQ, NOWHERE, running, build_const(b, 0)), is_at(c, t->end));
  for (uint32_t l = 0; l < t->graph.location_count; l++)
    if (pr_has_label(c, &t->graph.locations[l], "end"))
      any = pr_or(c, any, is_at(c, l));
  return any;
}

/* pan counts some of these labels, and others not. */
static void refuse_labels(struct pr_check *c) {
  const struct pr_graph *g = &c->trace->graph;
  for (uint32_t l = 0; l < g->location_count; l++)
    if (pr_has_label(c, &g->locations[l], "accept") || pr_has_label(c, &g->locations[l], "progress"))
      PR_ERROR(c, g->locations[l].at, "put it into a never claim or a process",
               "a label of a trace begins with accept or progress");
}

/* ---- its moves ----------------------------------------------------------------------------------- */

/* A constant must be the value of the field; a variable and `_` stand for any value. False: an error is logged. */
static bool lower_value(struct pr_check *c, const struct pr_expr *e, bool sends, const struct expr **value) {
  const struct pr_context x = {.check = c};
  const bool is_name = e->op == PR_E_NAME && !pr_mtype_value(c, e->name.id);
  *value = NULL;
  if (is_name)
    return true;
  if ((e->op != PR_E_EVAL || sends) && e->op != PR_E_NUMBER && e->op != PR_E_NAME) {
    PR_ERROR(c, e->at, "write a constant, a variable or _, which is any value, or, in a receive, eval(...)",
             "Spin refuses or ignores this value in a trace");
    return false;
  }
  *value = pr_lower(&x, e->op == PR_E_EVAL ? e->a : e);
  if (*value && (*value)->can_fail)
    PR_ERROR(c, e->at, NULL, "a value in a trace may fail");
  return *value;
}

static void add_move(struct pr_check *c, const struct pr_step *step) {
  const struct pr_statement *s = step->statement;
  const struct pr_context x = {.check = c};
  struct pr_candidates channel;
  if (step->kind != PR_STEP_STATEMENT || step->escape || (s->kind != PR_S_SEND && s->kind != PR_S_RECEIVE) ||
      s->sorted || s->random || s->keeps || step->keeps || step->d_step) {
    PR_ERROR(c, s->at, "a trace has c!..., c?..., if, do, goto behind them, and labels only",
             "a step of a trace is no send or receive");
    return;
  }
  if (!pr_candidates(&x, s->target, 0, true, &channel))
    return;
  if (channel.n != 1 || !is_constant_true(channel.items[0].is)) {
    PR_ERROR(c, s->target->at, NULL, "the channels of a trace are global ones that no step assigns");
    return;
  }
  const struct pr_queue *q = &c->queues[channel.items[0].queue];
  struct move m = {.step = step, .queue = channel.items[0].queue, .sends = s->kind == PR_S_SEND};
  if (s->arguments.n > q->field_count) {
    PR_ERROR(c, s->at, NULL, "the messages of the channel have fewer fields: %zu", q->field_count);
    return;
  }
  m.count = s->arguments.n;
  m.values = arena_array(c->build.arena, m.count, sizeof *m.values);
  for (size_t i = 0; i < m.count; i++)
    if (!lower_value(c, s->arguments.items[i], m.sends, &m.values[i]))
      return;
  *ARENA_PUSH(c->build.arena, c->trace->moves, c->trace->move_count, c->trace->move_cap) = m;
}

void pr_lower_trace(struct pr_check *c) {
  if (!c->trace)
    return;
  refuse_labels(c);
  for (size_t i = 0; i < c->trace->graph.step_count; i++)
    if (c->trace->graph.steps[i].kind != PR_STEP_END)
      add_move(c, &c->trace->graph.steps[i]);
}

/* ---- events -------------------------------------------------------------------------------------- */

static bool is_seen(const struct pr_check *c, const struct pr_event *event) {
  for (size_t i = 0; c->trace && i < c->trace->move_count; i++)
    if (c->trace->moves[i].queue == event->queue && c->trace->moves[i].sends == event->sends)
      return true;
  return false;
}

/* The automaton, at `at`, can make the move. */
static const struct expr *can_move(struct pr_check *c, const struct move *m, const struct pr_event *event,
                                   const struct expr *at) {
  struct builder *b = &c->build;
  if (m->queue != event->queue || m->sends != event->sends)
    return build_const(b, 0);
  const struct expr *all = build_binary(b, EXPR_EQ, NOWHERE, at, build_const(b, m->step->from));
  for (size_t f = 0; f < m->count; f++)
    if (m->values[f])
      all = pr_and(c, all, build_binary(b, EXPR_EQ, NOWHERE, event->values[f], m->values[f]));
  return all;
}

static const struct expr *after(struct pr_check *c, const struct pr_event *event, const struct expr *at) {
  struct builder *b = &c->build;
  if (!is_seen(c, event))
    return at;
  const struct expr *next = c->tree->negated ? build_const(b, c->trace->end) : at;
  for (size_t i = c->trace->move_count; i-- > 0;)
    next = build_cond(b, NOWHERE, can_move(c, &c->trace->moves[i], event, at),
                      build_const(b, c->trace->moves[i].step->to), next);
  return next;
}

static const struct expr *fails(struct pr_check *c, const struct pr_event *event, const struct expr *at) {
  const struct expr *any = build_const(&c->build, 0);
  if (!is_seen(c, event))
    return any;
  for (size_t i = 0; i < c->trace->move_count; i++)
    if (!c->tree->negated || c->trace->moves[i].step->to == c->trace->end)
      any = pr_or(c, any, can_move(c, &c->trace->moves[i], event, at));
  return c->tree->negated ? any : pr_not(c, any);
}

static const struct expr *is_ambiguous(struct pr_check *c, const struct pr_event *event, const struct expr *at) {
  const struct move *all = c->trace->moves;
  const struct expr *any = build_const(&c->build, 0);
  for (size_t i = 0; i < c->trace->move_count; i++)
    for (size_t k = 0; k < i; k++)
      if (all[i].step->from == all[k].step->from)
        any = pr_or(c, any, pr_and(c, can_move(c, &all[i], event, at), can_move(c, &all[k], event, at)));
  return any;
}

/* [notrace][receive of a rendezvous] */
static const char *const failures[2][2] = {
    {"the trace has no such event here", "the trace has no such receive here"},
    {"the events of the notrace have happened", "the events of the notrace have happened with the receive"}};

const char *pr_trace_failure(const struct pr_check *c) { return failures[c->tree->negated][0]; }
const char *pr_trace_receive_failure(const struct pr_check *c) { return failures[c->tree->negated][1]; }

bool pr_is_trace_failure(const char *cause, bool *receives) {
  for (size_t n = 0; n < 2; n++)
    for (size_t r = 2; r-- > 0;)
      if (strncmp(cause, failures[n][r], strlen(failures[n][r])) == 0) {
        *receives = r;
        return true;
      }
  return false;
}

const char *pr_trace_ambiguity(void) { return "the trace has two moves for one event"; }

void pr_trace_set(struct pr_check *c, struct statements *out, const struct expr *to) {
  pr_set(c, out, c->tree->trace->at, c->trace->variable, 0, to);
}

void pr_trace_move(struct pr_check *c, struct statements *out, const struct pr_event *event) {
  if (is_seen(c, event))
    pr_trace_set(c, out, after(c, event, location(c)));
}

void pr_trace_errors(struct pr_ground *g, const struct expr *guard, const struct pr_event *event) {
  struct pr_check *c = g->context.check;
  if (!is_seen(c, event))
    return;
  pr_add_error(g, pr_and(c, guard, fails(c, event, location(c))), SITE_ERROR, pr_trace_failure(c));
  pr_add_error(g, pr_and(c, guard, is_ambiguous(c, event, location(c))), SITE_ERROR, pr_trace_ambiguity());
}

bool pr_trace_rendezvous(struct pr_check *c, uint32_t queue, const struct expr *const *values,
                         struct pr_trace_change *out) {
  const struct pr_event sent = {queue, true, values}, received = {queue, false, values};
  if (!is_seen(c, &sent) && !is_seen(c, &received))
    return false;
  const struct expr *first = location(c), *second = after(c, &sent, first);
  out->to = after(c, &received, second);
  out->fails = fails(c, &sent, first);
  out->receive_fails = pr_and(c, pr_not(c, out->fails), fails(c, &received, second));
  out->ambiguous = pr_or(c, is_ambiguous(c, &sent, first), is_ambiguous(c, &received, second));
  return true;
}
