#include "model/transition_set.h"

#include "model/process.h"

#include <string.h>

static bool is_broadcast(const struct model *model, const struct transition *transition) {
  const struct edge *edge = &model->edges[transition->participants[0].edge];
  return edge->channel && model->channels[edge->channel_number].broadcast;
}

bool edge_is_named(const struct edge *edge, const char *name) {
  const size_t from = strlen(edge->from);
  if (*edge->label)
    return strcmp(edge->label, name) == 0;
  return strncmp(name, edge->from, from) == 0 && strncmp(name + from, " -> ", 4) == 0 &&
         strcmp(name + from + 4, edge->to) == 0;
}

static bool has_participant(const struct model *model, const struct transition_set *set, const struct participant *p) {
  return (set->process == NO_PROCESS || (set->process == p->process && set->instance == p->instance)) &&
         (set->edge == NO_EDGE || set->edge == p->edge) &&
         (!set->label || edge_is_named(&model->edges[p->edge], set->label));
}

bool transition_in_set(const struct model *model, const struct transition *transition,
                       const struct transition_set *set) {
  const size_t count = is_broadcast(model, transition) ? 1 : transition->participant_count;
  for (size_t i = 0; i < count; i++)
    if (has_participant(model, set, &transition->participants[i]))
      return true;
  return false;
}

bool same_transition_set(const struct transition_set *a, const struct transition_set *b) {
  return a->process == b->process && a->instance == b->instance && a->edge == b->edge &&
         (a->label && b->label ? strcmp(a->label, b->label) == 0 : a->label == b->label);
}

const char *transition_set_text(const struct model *model, const struct transition_set *set, struct arena *arena) {
  const char *instance = set->process == NO_PROCESS ? "" : instance_name(model, set->process, set->instance, arena);
  return arena_printf(arena, "%s%s%s", instance, *instance && set->label ? "." : "", set->label ? set->label : "");
}
