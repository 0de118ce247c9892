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

static void compute_reachability(const struct marked_edge *edges, size_t count, unsigned nodes) {
  memset(reaches, 0, sizeof reaches);
  for (size_t e = 0; e < count; e++)
    reaches[edges[e].from][edges[e].to] = true;
  for (unsigned k = 0; k < nodes; k++)
    for (unsigned i = 0; i < nodes; i++)
      if (reaches[i][k])
        for (unsigned j = 0; j < nodes; j++)
          reaches[i][j] |= reaches[k][j];
}

/* Node n lies on a cycle whose component has edges with all of these marks. After compute_reachability. */
static bool is_accepting(const struct marked_edge *edges, size_t count, unsigned n, uint64_t required) {
  uint64_t marks = 0;
  for (size_t e = 0; e < count; e++)
    if (reaches[n][edges[e].from] && reaches[edges[e].to][n])
      marks |= edges[e].marks;
  return reaches[n][n] && (required & ~marks) == 0;
}

#endif
