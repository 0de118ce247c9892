/* Live transitions of a complete graph: a transition is live if it can fire again from every state, that is if it fires
   in every bottom component, a strongly connected component that no step leaves. */
#include "api/graph/graph.h"

#include "core/components.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"

#include <string.h>

#define POLL_STATES 4096 /* between two checks of clock and interrupt */

struct live_search {
  floe_graph *graph;
  bool *live, *fired; /* [groups] fired: in the component looked at */
  size_t groups;
  uint32_t *group_of; /* [edge] */
  uint64_t *first;    /* [states + 1] positions of the targets of a state in graph->targets.list */
  struct component_search components;
  uint64_t steps; /* since the beginning, to check for a stop */
};

/* ---- memory -------------------------------------------------------------------------------------- */

#define BYTES_PER_STATE (sizeof(uint64_t) + COMPONENT_SEARCH_BYTES)

static bool has_room(const floe_graph *graph) {
  const uint64_t used = graph->capacity * graph->layout->words * sizeof(uint64_t) +
                        graph->slot_count * sizeof *graph->slots +
                        graph->targets.capacity * sizeof *graph->targets.list;
  return used + graph->count * BYTES_PER_STATE <= graph->options.memory;
}

static bool open_search(struct live_search *s) {
  const uint64_t n = s->graph->count;
  if (!s->graph->targets.list || !has_room(s->graph))
    return false;
  s->live = mem_array(s->groups, sizeof *s->live);
  s->fired = mem_array(s->groups, sizeof *s->fired);
  s->group_of = mem_array(s->graph->model->edge_count, sizeof *s->group_of);
  s->first = mem_array(n + 1, sizeof *s->first);
  return component_search_create(&s->components, (uint32_t)n) && s->live && s->fired && s->group_of && s->first;
}

static void close_search(struct live_search *s) {
  mem_free(s->live);
  mem_free(s->fired);
  mem_free(s->group_of);
  mem_free(s->first);
  component_search_free(&s->components);
}

/* ---- steps --------------------------------------------------------------------------------------- */

static bool stops(struct live_search *s) {
  return ++s->steps % POLL_STATES == 0 && (interrupt_requested() || stop_deadline_passed(&s->graph->stop));
}

/* Firings of a state, also those that fail; the edges are in worker 0. */
static size_t expand(const struct live_search *s, uint64_t state) {
  struct graph_thread *worker = &s->graph->workers[0];
  return s->graph->stepper->expand_one(s->graph->stepper, graph_state(s->graph, state), worker->successors,
                                       worker->edges);
}

static floe_status find_positions(struct live_search *s) {
  const struct step_edge *edges = s->graph->workers[0].edges;
  for (uint64_t i = 0; i < s->graph->count; i++) {
    const size_t n = expand(s, i);
    s->first[i + 1] = s->first[i];
    for (size_t k = 0; k < n; k++)
      s->first[i + 1] += edges[k].site == NO_SITE;
    if (stops(s))
      return FLOE_ERROR_INTERRUPTED;
  }
  return FLOE_OK;
}

/* ---- components ---------------------------------------------------------------------------------- */

static void note_firings(struct live_search *s, uint32_t state) {
  const struct step_edge *edges = s->graph->workers[0].edges;
  const size_t n = expand(s, state);
  for (size_t k = 0; k < n; k++) {
    const struct transition *transition = &s->graph->model->transitions[edges[k].transition];
    for (size_t i = 0; i < transition->participant_count && edges[k].site == NO_SITE; i++)
      s->fired[s->group_of[transition->participants[i].edge]] = true;
  }
}

static bool is_left(const struct live_search *s, uint32_t state) {
  for (uint64_t i = s->first[state]; i < s->first[state + 1]; i++)
    if (s->components.component[s->graph->targets.list[i]] != s->components.component[state])
      return true;
  return false;
}

static void end_component(void *user, uint32_t component, const uint32_t *members, uint32_t count) {
  struct live_search *s = user;
  (void)component;
  for (uint32_t i = 0; i < count; i++)
    if (is_left(s, members[i]))
      return;
  memset(s->fired, 0, s->groups * sizeof *s->fired);
  for (uint32_t i = 0; i < count; i++)
    note_firings(s, members[i]);
  for (size_t g = 0; g < s->groups; g++)
    s->live[g] = s->live[g] && s->fired[g];
}

static bool begin_targets(void *user, uint32_t state, struct successor_position *position) {
  struct live_search *s = user;
  *position = (struct successor_position){s->first[state], s->first[state + 1]};
  return !stops(s);
}

static bool next_target(void *user, struct successor_position *position, uint32_t *successor) {
  const struct live_search *s = user;
  if (position->at == position->bound)
    return false;
  *successor = s->graph->targets.list[position->at++];
  return true;
}

static floe_status find_components(struct live_search *s) {
  const struct component_graph graph = {
      .nodes = (uint32_t)s->graph->count, .begin = begin_targets, .next = next_target, .end = end_component, .user = s};
  return component_search_run(&s->components, &graph) ? FLOE_OK : FLOE_ERROR_INTERRUPTED;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void find_groups(struct live_search *s) {
  const struct model *model = s->graph->model;
  for (size_t i = 0; i < model->edge_count && !model->edge_groups; i++)
    s->group_of[i] = (uint32_t)i;
  for (size_t g = 0; g < model->edge_group_count; g++)
    for (size_t i = 0; i < model->edge_groups[g].count; i++)
      s->group_of[model->edge_groups[g].first + i] = (uint32_t)g;
}

static floe_status find_live(struct live_search *s) {
  find_groups(s);
  memset(s->live, true, s->groups * sizeof *s->live);
  FLOE_TRY(find_positions(s));
  return find_components(s);
}

floe_status floe_graph_live(floe_graph *graph, bool *live) {
  floe_log *log = graph ? graph->log : NULL;
  REQUIRE(log, graph);
  REQUIRE(log, live);
  if (graph->end != FLOE_END_COMPLETE)
    return FLOE_ERROR_USAGE;
  const struct model *model = graph->model;
  struct live_search s = {.graph = graph};
  s.groups = model->edge_groups ? model->edge_group_count : model->edge_count;
  floe_status status = FLOE_ERROR_MEMORY;
  interruptible_begin();
  if (open_search(&s))
    status = find_live(&s);
  interruptible_end();
  if (status == FLOE_OK)
    memcpy(live, s.live, s.groups * sizeof *live);
  close_search(&s);
  return status == FLOE_ERROR_MEMORY ? no_memory(log) : status;
}
