#include "core/components.h"

#include "core/mem.h"

#include <assert.h>

struct state {
  struct component_search *search;
  const struct component_graph *graph;
  uint32_t visited, opened, depth;
};

bool component_search_create(struct component_search *search, uint32_t nodes) {
  search->component = mem_array(nodes, sizeof *search->component);
  search->index = mem_array(nodes, sizeof *search->index);
  search->open = mem_array(nodes, sizeof *search->open);
  search->path = mem_array(nodes, sizeof *search->path);
  return search->component && search->index && search->open && search->path;
}

void component_search_free(struct component_search *search) {
  mem_free(search->component);
  mem_free(search->index);
  mem_free(search->open);
  mem_free(search->path);
  *search = (struct component_search){.component = NULL};
}

static bool enter(struct state *s, uint32_t node) {
  struct component_frame *frame = &s->search->path[s->depth++];
  assert(s->depth <= s->graph->nodes);
  frame->node = node;
  frame->lowest = s->search->index[node] = ++s->visited;
  s->search->open[s->opened++] = node;
  return s->graph->begin(s->graph->user, node, &frame->position);
}

static void end_component(struct state *s, uint32_t root) {
  struct component_search *search = s->search;
  uint32_t count = 0, member;
  do {
    member = search->open[--s->opened];
    search->component[member] = search->count;
    count++;
  } while (member != root);
  if (s->graph->end)
    s->graph->end(s->graph->user, search->count, search->open + s->opened, count);
  search->count++;
}

static void leave(struct state *s) {
  const struct component_frame *frame = &s->search->path[--s->depth];
  if (frame->lowest == s->search->index[frame->node])
    end_component(s, frame->node);
  else if (frame->lowest < frame[-1].lowest) /* it is no root of the search */
    s->search->path[s->depth - 1].lowest = frame->lowest;
}

static bool visit_from(struct state *s, uint32_t root) {
  const struct component_search *search = s->search;
  const struct component_graph *graph = s->graph;
  uint32_t to;
  if (!enter(s, root))
    return false;
  while (s->depth > 0) {
    struct component_frame *frame = &search->path[s->depth - 1];
    if (!graph->next(graph->user, &frame->position, &to))
      leave(s);
    else if (search->index[to] == 0 && !enter(s, to))
      return false;
    else if (search->component[to] == NO_COMPONENT && search->index[to] < frame->lowest)
      frame->lowest = search->index[to];
  }
  return true;
}

bool component_search_run(struct component_search *search, const struct component_graph *graph) {
  struct state s = {.search = search, .graph = graph};
  assert(graph->nodes < NO_COMPONENT);
  search->count = 0;
  for (uint32_t i = 0; i < graph->nodes; i++) {
    search->component[i] = NO_COMPONENT;
    search->index[i] = 0;
  }
  for (uint32_t i = 0; i < graph->nodes; i++)
    if (search->index[i] == 0 && !visit_from(&s, i))
      return false;
  return true;
}
