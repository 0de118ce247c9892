/* The neighbourhood of a state, or the whole graph of a small model. */
#include "cmd/explore/answers.h"
#include "cmd/explore/state_set.h"

#include "cmd/report/report.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NODES = 200, MOST_EDGES = 4000, LABEL = 200 };

struct graph {
  const struct explorer *explorer;
  struct state_set states;
  json_t *nodes, *edges;
  bool complete;
};

/* All values, cut. */
static json_t *label_of(floe_expansion *expansion) {
  const floe_change *values;
  size_t count;
  char text[LABEL];
  size_t length = 0;
  text[0] = '\0';
  if (floe_expansion_values(expansion, &values, &count) != FLOE_OK)
    return NULL;
  for (size_t i = 0; i < count && length + 1 < sizeof text; i++) {
    const int n =
        snprintf(text + length, sizeof text - length, "%s%s=%s", i ? " " : "", values[i].name, values[i].after);
    length += n > 0 ? (size_t)n : 0;
  }
  return text_json(text);
}

static json_t *violated(const floe_model *model, floe_expansion *expansion) {
  json_t *list = json_array();
  for (size_t i = 0; i < floe_model_properties(model); i++) {
    const floe_property property = floe_model_property(model, i);
    floe_property_value value;
    if (property.kind != FLOE_REACHABLE && floe_expansion_property(expansion, i, &value) == FLOE_OK && value.triggered)
      json_array_append_new(list, json_string(property.id));
  }
  return list;
}

static void add_node(struct graph *graph, floe_expansion *expansion, bool initial) {
  json_array_append_new(graph->nodes,
                        json_pack("{s:o, s:o, s:b, s:o, s:b}", "id", explore_state_id(floe_expansion_state(expansion)),
                                  "text", label_of(expansion), "initial", initial, "violates",
                                  violated(explorer_model(graph->explorer), expansion), "deadlock",
                                  floe_expansion_steps(expansion) == 0));
}

/* False: no memory. States beyond MOST_NODES, and edges to them, are left out. */
static bool add_edge(struct graph *graph, floe_expansion *expansion, size_t from, size_t step, bool may_grow) {
  const floe_state *to;
  floe_step text;
  size_t index;
  bool is_new;
  if (floe_expansion_step_fails(expansion, step))
    return true;
  if (floe_expansion_successor(expansion, step, &to) != FLOE_OK ||
      floe_expansion_step(expansion, step, &text) != FLOE_OK)
    return false;
  const bool has_room = may_grow && graph->states.count < MOST_NODES;
  if (json_array_size(graph->edges) >= MOST_EDGES || (!has_room && !state_set_has(&graph->states, to))) {
    graph->complete = false;
    return true;
  }
  if (!state_set_add(&graph->states, to, (uint32_t)from, (uint32_t)step, &index, &is_new))
    return false;
  return json_array_append_new(graph->edges, json_pack("{s:I, s:I, s:o}", "from", (json_int_t)from, "to",
                                                       (json_int_t)index, "action", text_json(text.action))) == 0;
}

static bool expand_node(struct graph *graph, size_t node, json_int_t depth, const floe_state *initial,
                        struct explore_error *error) {
  const struct found_state found = graph->states.states[node];
  floe_expansion *expansion = explore_expand(graph->explorer, found.state, error);
  bool done = expansion != NULL;
  if (!expansion)
    return false;
  add_node(graph, expansion, floe_state_equal(found.state, initial));
  for (size_t i = 0; done && i < floe_expansion_steps(expansion); i++)
    done = add_edge(graph, expansion, node, i, depth == 0 || found.depth < depth);
  floe_expansion_free(expansion);
  return done;
}

json_t *answer_graph(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  const json_int_t depth = json_integer_value(json_object_get(request, "depth"));
  struct graph graph = {.explorer = explorer, .nodes = json_array(), .edges = json_array(), .complete = true};
  floe_expansion *first = explore_expand_named(explorer, request, "state", true, error);
  floe_expansion *initial = first ? explore_expand_named(explorer, NULL, "state", true, error) : NULL;
  size_t index;
  bool is_new, done = initial && state_set_add(&graph.states, floe_expansion_state(first), 0, 0, &index, &is_new);
  for (size_t node = 0; done && node < graph.states.count; node++)
    done = expand_node(&graph, node, depth, floe_expansion_state(initial), error);
  floe_expansion_free(first);
  floe_expansion_free(initial);
  state_set_free(&graph.states);
  json_t *answer =
      done ? json_pack("{s:o, s:o, s:b}", "nodes", graph.nodes, "edges", graph.edges, "complete", graph.complete)
           : NULL;
  if (!done) {
    json_decref(graph.nodes);
    json_decref(graph.edges);
  }
  return answer;
}
