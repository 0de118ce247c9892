/* Live transitions of a complete graph: a transition is live if it can fire again from every state, that is if it fires
   in every bottom component, a strongly connected component that no step leaves. The components by Tarjan's algorithm
   ("Depth-first search and linear graph algorithms", 1972), without recursion. */
#include "api/graph/graph.h"

#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"

#include <string.h>

#define POLL_STATES 4096 /* between two checks of clock and interrupt */

struct live_search {
  floe_graph *graph;
  bool *live, *fired; /* [groups] fired: in the component looked at */
  size_t groups;
  uint32_t *group_of;  /* [edge] */
  uint64_t *first;     /* [states + 1] positions of the targets of a state in graph->targets.list */
  uint32_t *next;      /* [states] targets that were followed */
  uint32_t *index;     /* [states] 0: not visited */
  uint32_t *low;       /* [states] least index that is reached */
  uint32_t *component; /* [states] 0: none yet */
  uint32_t *path;      /* states from the initial one to the current one */
  uint32_t *stack;     /* visited states without a component */
  uint64_t path_count, stack_count;
  uint32_t visited, components;
  uint64_t steps; /* since the beginning, to check for a stop */
};

/* ---- memory -------------------------------------------------------------------------------------- */

#define BYTES_PER_STATE (sizeof(uint64_t) + 6 * sizeof(uint32_t))

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
  s->next = mem_array(n, sizeof *s->next);
  s->index = mem_array(n, sizeof *s->index);
  s->low = mem_array(n, sizeof *s->low);
  s->component = mem_array(n, sizeof *s->component);
  s->path = mem_array(n, sizeof *s->path);
  s->stack = mem_array(n, sizeof *s->stack);
  return s->live && s->fired && s->group_of && s->first && s->next && s->index && s->low && s->component && s->path &&
         s->stack;
}

static void close_search(struct live_search *s) {
  mem_free(s->live);
  mem_free(s->fired);
  mem_free(s->group_of);
  mem_free(s->first);
  mem_free(s->next);
  mem_free(s->index);
  mem_free(s->low);
  mem_free(s->component);
  mem_free(s->path);
  mem_free(s->stack);
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
    if (s->component[s->graph->targets.list[i]] != s->component[state])
      return true;
  return false;
}

/* The states from `begin` on of the stack are a component. */
static void end_component(struct live_search *s, uint64_t begin) {
  bool bottom = true;
  s->components++;
  for (uint64_t i = begin; i < s->stack_count; i++)
    s->component[s->stack[i]] = s->components;
  for (uint64_t i = begin; bottom && i < s->stack_count; i++)
    bottom = !is_left(s, s->stack[i]);
  if (bottom) {
    memset(s->fired, 0, s->groups * sizeof *s->fired);
    for (uint64_t i = begin; i < s->stack_count; i++)
      note_firings(s, s->stack[i]);
    for (size_t g = 0; g < s->groups; g++)
      s->live[g] = s->live[g] && s->fired[g];
  }
  s->stack_count = begin;
}

static void enter(struct live_search *s, uint32_t state) {
  s->index[state] = s->low[state] = ++s->visited;
  s->path[s->path_count++] = state;
  s->stack[s->stack_count++] = state;
}

static void leave(struct live_search *s) {
  const uint32_t state = s->path[--s->path_count];
  if (s->low[state] == s->index[state]) {
    uint64_t begin = s->stack_count;
    do
      begin--;
    while (s->stack[begin] != state);
    end_component(s, begin);
  }
  if (s->path_count > 0) {
    uint32_t *low = &s->low[s->path[s->path_count - 1]];
    if (s->component[state] == 0 && s->low[state] < *low)
      *low = s->low[state];
  }
}

static void follow(struct live_search *s, uint32_t state) {
  const uint32_t target = s->graph->targets.list[s->first[state] + s->next[state]++];
  if (s->index[target] == 0)
    enter(s, target);
  else if (s->component[target] == 0 && s->index[target] < s->low[state])
    s->low[state] = s->index[target];
}

static floe_status find_components(struct live_search *s) {
  enter(s, 0);
  while (s->path_count > 0) {
    const uint32_t state = s->path[s->path_count - 1];
    if (s->first[state] + s->next[state] < s->first[state + 1])
      follow(s, state);
    else
      leave(s);
    if (stops(s))
      return FLOE_ERROR_INTERRUPTED;
  }
  return FLOE_OK;
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
