/* Reachability of all pairs of nodes of a small graph: the reference for accepting cycles. */
#ifndef FLOE_TESTS_ENGINE_CYCLES_REACHABILITY_H
#define FLOE_TESTS_ENGINE_CYCLES_REACHABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { REACHABILITY_MOST = 300 }; /* nodes */

struct marked_edge {
  unsigned from, to;
  uint64_t marks;
};

static bool reaches[REACHABILITY_MOST][REACHABILITY_MOST]; /* by at least one edge */

/* `alive`: the nodes of the graph; NULL: all. */
static inline void compute_reachability_among(const struct marked_edge *edges, size_t count, unsigned nodes,
                                              const bool *alive) {
  memset(reaches, 0, sizeof reaches);
  for (size_t e = 0; e < count; e++)
    reaches[edges[e].from][edges[e].to] = !alive || (alive[edges[e].from] && alive[edges[e].to]);
  for (unsigned k = 0; k < nodes; k++)
    for (unsigned i = 0; i < nodes; i++)
      if (reaches[i][k])
        for (unsigned j = 0; j < nodes; j++)
          reaches[i][j] |= reaches[k][j];
}

static inline void compute_reachability(const struct marked_edge *edges, size_t count, unsigned nodes) {
  compute_reachability_among(edges, count, nodes, NULL);
}

/* Node n lies on a cycle whose component has edges with all of these marks. After compute_reachability. */
static inline bool is_accepting(const struct marked_edge *edges, size_t count, unsigned n, uint64_t required) {
  uint64_t marks = 0;
  for (size_t e = 0; e < count; e++)
    if (reaches[n][edges[e].from] && reaches[edges[e].to][n])
      marks |= edges[e].marks;
  return reaches[n][n] && (required & ~marks) == 0;
}

/* Some cycle of nodes that are alive has edges with all marks of `plain`, and with those of `strong` that are enabled
   in one of its nodes: in a component without the edges of a strong mark, the nodes that enable it are on no such
   cycle. */
static inline bool has_fair_cycle(const struct marked_edge *edges, size_t count, unsigned nodes,
                                  const uint64_t *enabled, uint64_t plain, uint64_t strong, const bool *alive) {
  unsigned component[REACHABILITY_MOST];
  compute_reachability_among(edges, count, nodes, alive);
  for (unsigned n = 0; n < nodes; n++) {
    component[n] = nodes; /* on no cycle */
    for (unsigned m = 0; m <= n && reaches[n][n] && component[n] == nodes; m++)
      if (reaches[n][m] && reaches[m][n])
        component[n] = m;
  }
  for (unsigned c = 0; c < nodes; c++) {
    uint64_t marks = 0, found = 0;
    bool inner[REACHABILITY_MOST];
    if (component[c] != c)
      continue;
    for (size_t e = 0; e < count; e++)
      if (component[edges[e].from] == c && component[edges[e].to] == c)
        marks |= edges[e].marks;
    for (unsigned n = 0; n < nodes; n++)
      found |= component[n] == c ? enabled[n] : 0;
    const uint64_t missing = strong & found & ~marks;
    for (unsigned n = 0; n < nodes; n++)
      inner[n] = component[n] == c && !(enabled[n] & missing);
    if ((plain & ~marks) == 0 && (!missing || has_fair_cycle(edges, count, nodes, enabled, plain, strong, inner)))
      return true;
  }
  return false;
}

#endif
