#include "frontend/lower/check_else.h"

#include "frontend/expr/check_names.h"
#include "model/compose/else.h"

static void check_edge(struct check *c, const struct template *process, struct edge_info *info) {
  const struct syntax_transition *t = info->syntax;
  if (t->sync) {
    CHECK_ERROR(c, t->sync->channel->at, NULL, "a transition with guard=\"else\" cannot send or receive");
    info->bad = true;
    return;
  }
  const struct else_finding finding = compose_else_find(&c->compose, process->composed, info->edge);
  if (finding.undecided)
    CHECK_ERROR(
        c, t->guard->at, "write the condition as an expression, or receive at a separate location",
        "'else' cannot be decided at location '%s': whether the %s of %s is possible depends on other instances",
        process->syntax->locations[finding.location].name,
        c->channels[finding.undecided->channel].broadcast ? "receive" : "handshake",
        source_line(c, t->guard->at, finding.undecided->at));
  else if (!finding.others && !info->bad && !c->build.stop)
    CHECK_WARN(c, t->guard->at, NULL, "this guard is always true: no other transition starts here");
}

void else_check(struct check *c, const struct template *process) {
  for (size_t i = 0; i < process->syntax->transition_count; i++)
    if (process->edges[i].syntax->otherwise)
      check_edge(c, process, &process->edges[i]);
}
