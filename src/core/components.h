/* Strongly connected components of a graph: Tarjan's algorithm ("Depth-first search and linear graph algorithms",
   1972), without recursion. Nodes are 0..nodes - 1. */
#ifndef FLOE_CORE_COMPONENTS_H
#define FLOE_CORE_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Position in the list of a node's successors; its meaning is the graph's. */
struct successor_position {
  uint64_t at, bound;
};

struct component_graph {
  uint32_t nodes; /* below UINT32_MAX */
  /* Sets the position to the first successor of the node, which is visited for the first time. False: ends the search.
     Between it and the last call of `next` for the node, only nodes that are visited later begin, and they end. */
  bool (*begin)(void *user, uint32_t node, struct successor_position *position);
  /* The successor at the position, which it moves on; false: there are no more. */
  bool (*next)(void *user, struct successor_position *position, uint32_t *successor);
  /* A component is complete: each component has its number before those that lead to it. NULL: not needed. */
  void (*end)(void *user, uint32_t component, const uint32_t *members, uint32_t count);
  void *user;
};

#define NO_COMPONENT UINT32_MAX

/* Memory of the search; each array has `nodes` elements, and need not be cleared. */
struct component_search {
  uint32_t *component; /* of each node, from 0; the result. NO_COMPONENT while it is not known */
  uint32_t *index;     /* in the order of visits; 0: not visited */
  uint32_t *open;      /* visited nodes without a component */
  struct component_frame {
    uint32_t node, lowest; /* least index that was reached */
    struct successor_position position;
  } * path;
  uint32_t count; /* of components */
};
#define COMPONENT_SEARCH_BYTES (3 * sizeof(uint32_t) + sizeof(struct component_frame)) /* per node */

/* False: no memory; component_search_free frees what there is. */
bool component_search_create(struct component_search *search, uint32_t nodes);
void component_search_free(struct component_search *search);

/* Visits all nodes, from roots in ascending order. False: graph->begin ended it. */
bool component_search_run(struct component_search *search, const struct component_graph *graph);

#endif
