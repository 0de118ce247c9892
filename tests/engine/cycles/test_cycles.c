/* Forward passes and the accepting cycle on random graphs, compared with reachability of all pairs; one thread and
   three. */
#include "engine/cycles/cycles.h"
#include "engine/cycles/marked_components.h"

#include "base/splitmix64.h"
#include "core/threads/thread_pool.h"
#include "reachability.h"
#include "tests/suite.h"

#include <string.h>

enum { MOST = 70, MOST_EDGES = 400 };

struct graph {
  unsigned nodes, edges;
  struct marked_edge edge[MOST_EDGES];
  uint64_t conditions, strong;
  uint64_t enabled[MOST]; /* strong conditions */
  unsigned scale, base;   /* node n has the number n * scale + base */
  struct thread_pool *pool;
  atomic_bool interrupt;
};

static unsigned below(uint64_t *seed, unsigned n) { return (unsigned)(splitmix64_next(seed) % n); }

/* Sparse graphs have long chains, those with a hub more than 254 edges to one node. */
static void make_graph(struct graph *g, uint64_t *seed) {
  const unsigned conditions = below(seed, 4), hub = below(seed, 6) == 0;
  g->nodes = 1 + below(seed, MOST);
  g->edges = below(seed, (below(seed, 3) == 0 ? 4 : 2) * g->nodes);
  if (hub)
    g->edges = MOST_EDGES;
  g->edges = g->edges < MOST_EDGES ? g->edges : MOST_EDGES;
  g->conditions = (UINT64_C(1) << conditions) - 1;
  g->strong = g->conditions & splitmix64_next(seed) & splitmix64_next(seed);
  g->scale = 1 + below(seed, 90);
  g->base = below(seed, 70);
  for (unsigned i = 0; i < g->edges; i++) {
    g->edge[i].from = below(seed, g->nodes);
    g->edge[i].to = hub && i > 80 ? 0 : below(seed, g->nodes);
    g->edge[i].marks = splitmix64_next(seed) & splitmix64_next(seed) & 7;
  }
  for (unsigned n = 0; n < g->nodes; n++)
    g->enabled[n] = splitmix64_next(seed) & splitmix64_next(seed) & g->strong;
  for (unsigned i = 0; i < g->edges; i++)
    g->enabled[g->edge[i].from] |= g->edge[i].marks & g->strong;
}

static uint64_t number_of(const struct graph *g, unsigned node) { return (uint64_t)node * g->scale + g->base; }
static unsigned node_of(const struct graph *g, uint64_t number) {
  ck_assert((number - g->base) % g->scale == 0 && (number - g->base) / g->scale < g->nodes);
  return (unsigned)((number - g->base) / g->scale);
}

static int depth[MOST]; /* steps from node 0; -1: not reachable */

static void compute_depths(const struct graph *g) {
  for (unsigned n = 0; n < g->nodes; n++)
    depth[n] = n == 0 ? 0 : -1;
  for (int level = 0; level < (int)g->nodes; level++)
    for (unsigned e = 0; e < g->edges; e++)
      if (depth[g->edge[e].from] == level && depth[g->edge[e].to] < 0)
        depth[g->edge[e].to] = level + 1;
}

/* ---- the graph's operations ----------------------------------------------------------------------- */

static void run(void *self, void (*work)(void *user, unsigned thread), void *user) {
  pool_run(((struct graph *)self)->pool, work, user);
}

static void candidates(void *self, unsigned thread, void (*visit)(void *user, uint64_t number), void *user) {
  const struct graph *g = self;
  for (unsigned n = thread; n < g->nodes; n += pool_size(g->pool))
    if (depth[n] >= 0)
      visit(user, number_of(g, n));
}

static void expand(void *self, unsigned thread, const uint64_t *numbers, size_t n, cycle_visitor *visit, void *user) {
  const struct graph *g = self;
  struct cycle_step steps[MOST_EDGES];
  (void)thread;
  for (size_t i = 0; i < n; i++) {
    size_t count = 0;
    const unsigned from = node_of(g, numbers[i]);
    for (unsigned e = 0; e < g->edges; e++)
      if (g->edge[e].from == from)
        steps[count++] =
            (struct cycle_step){numbers[i], number_of(g, g->edge[e].to), g->edge[e].marks, g->enabled[from], e, e + 1};
    visit(user, steps, count);
  }
}

/* Keys are the nodes' numbers backwards. */
static bool precedes(void *self, uint64_t a, uint64_t b) { return node_of(self, a) > node_of(self, b); }

static struct cycle_graph operations(struct graph *g) {
  return (struct cycle_graph){.initial = number_of(g, 0),
                              .slots = number_of(g, g->nodes - 1) + 1,
                              .conditions = g->conditions,
                              .strong = g->strong,
                              .memory = UINT64_C(1) << 30,
                              .run = run,
                              .candidates = candidates,
                              .expand = expand,
                              .precedes = precedes,
                              .self = g,
                              .stop = {.interrupt = &g->interrupt}};
}

/* ---- the shortest cycle --------------------------------------------------------------------------- */

/* Steps of a shortest cycle from the node that has a marked step for each condition, by relaxation. */
static unsigned shortest_from(const struct graph *g, unsigned start) {
  static unsigned steps[MOST][8]; /* by node and marks so far; 0: not reached */
  bool changes = true;
  memset(steps, 0, sizeof steps);
  for (unsigned e = 0; e < g->edges; e++)
    if (g->edge[e].from == start)
      steps[g->edge[e].to][g->edge[e].marks & g->conditions] = 1;
  while (changes) {
    changes = false;
    for (unsigned e = 0; e < g->edges; e++)
      for (unsigned marks = 0; marks < 8; marks++) {
        unsigned *to = &steps[g->edge[e].to][(marks | g->edge[e].marks) & g->conditions];
        const unsigned from = steps[g->edge[e].from][marks];
        if (from && (!*to || *to > from + 1)) {
          *to = from + 1;
          changes = true;
        }
      }
  }
  return steps[start][g->conditions];
}

/* ---- the right answer ----------------------------------------------------------------------------- */

static void require_cycle(const struct graph *g, const struct cycle *cycle) {
  uint64_t marks = 0, enabled = 0;
  ck_assert(cycle->states && cycle->steps > 0);
  ck_assert_uint_eq(cycle->states[0], cycle->states[cycle->steps]);
  for (size_t i = 0; i < cycle->steps; i++) {
    const unsigned e = cycle->transitions[i];
    ck_assert_uint_eq(cycle->choices[i], e + 1);
    ck_assert_uint_eq(number_of(g, g->edge[e].from), cycle->states[i]);
    ck_assert_uint_eq(number_of(g, g->edge[e].to), cycle->states[i + 1]);
    marks |= g->edge[e].marks;
    enabled |= g->enabled[node_of(g, cycle->states[i])];
  }
  ck_assert_uint_eq(g->conditions & (~g->strong | enabled) & ~marks, 0);
}

static size_t with_cycle, saturating, with_strong, longer, divided, parts;

/* Where the search for a shortest one gives up. */
static void check_long_cycle(struct graph *g, size_t shortest) {
  struct cycle_graph graph = operations(g);
  struct cycle_result result;
  graph.most_pairs = 1;
  ck_assert_int_eq(cycles_find(&graph, &result), FLOE_OK);
  require_cycle(g, &result.cycle);
  ck_assert_uint_ge(result.cycle.steps, shortest);
  longer += result.cycle.steps > shortest;
  cycle_free(&result.cycle);
}

/* Node n is in a component of the nodes in `kept` through all of which an accepting cycle leads. */
static bool is_in_accepting(const struct graph *g, const bool *kept, unsigned n) {
  uint64_t marks = 0, enabled = 0;
  for (unsigned e = 0; e < g->edges; e++)
    if (reaches[n][g->edge[e].from] && reaches[g->edge[e].to][n] && kept[g->edge[e].from] && kept[g->edge[e].to])
      marks |= g->edge[e].marks;
  for (unsigned m = 0; m < g->nodes; m++)
    enabled |= reaches[n][m] && reaches[m][n] ? g->enabled[m] : 0;
  return reaches[n][n] && (g->conditions & (~g->strong | enabled) & ~marks) == 0;
}

/* All nodes divided into components, without passes. */
static void check_division(struct graph *g, bool right) {
  const struct cycle_graph graph = operations(g);
  struct number_set set;
  bool kept[MOST];
  uint64_t size;
  ck_assert(number_set_create(&set, graph.slots));
  for (unsigned n = 0; n < g->nodes; n++)
    if (depth[n] >= 0)
      number_set_add(&set, number_of(g, n));
  ck_assert_int_eq(components_keep_accepting(&graph, &set, &size), FLOE_OK);
  ck_assert_uint_eq(size, number_set_size(&set));
  ck_assert(right == (size > 0));
  for (unsigned n = 0; n < g->nodes; n++)
    kept[n] = number_set_has(&set, number_of(g, n));
  compute_reachability_among(g->edge, g->edges, g->nodes, kept);
  for (unsigned n = 0; n < g->nodes; n++) {
    ck_assert(!kept[n] || is_in_accepting(g, kept, n));
    parts += kept[n] && g->strong;
  }
  number_set_free(&set);
}

static void check_graph(struct graph *g) {
  struct cycle_graph graph = operations(g);
  struct cycle_result result, other;
  bool alive[MOST];
  int least = -1; /* the nearest one; of several the least by key, which is the last one */
  unsigned reachable = 0;
  compute_reachability(g->edge, g->edges, g->nodes);
  compute_depths(g);
  for (unsigned n = 0; n < g->nodes; n++) {
    reachable += depth[n] >= 0;
    if (depth[n] >= 0 && is_accepting(g->edge, g->edges, n, g->conditions) && (least < 0 || depth[n] <= depth[least]))
      least = (int)n;
  }
  for (unsigned n = 0; n < g->nodes; n++)
    alive[n] = depth[n] >= 0;
  const bool right =
      has_fair_cycle(g->edge, g->edges, g->nodes, g->enabled, g->conditions & ~g->strong, g->strong, alive);
  ck_assert(g->strong || right == (least >= 0));
  ck_assert_int_eq(cycles_find(&graph, &result), FLOE_OK);
  ck_assert_msg(result.exists == right, "%u nodes, %u edges: %d", g->nodes, g->edges, result.exists);
  ck_assert_uint_eq(result.candidates, reachable);
  if (result.exists)
    require_cycle(g, &result.cycle);
  if (result.exists && !g->strong) {
    ck_assert_uint_eq(node_of(g, result.cycle.states[0]), (unsigned)least);
    ck_assert_uint_eq(result.cycle.steps, shortest_from(g, (unsigned)least));
    check_long_cycle(g, result.cycle.steps);
  }
  ck_assert_int_eq(cycles_exist(&graph, &other), FLOE_OK);
  ck_assert(other.exists == right && !other.cycle.states);
  with_cycle += result.exists;
  with_strong += g->strong && result.exists;
  saturating += g->edges == MOST_EDGES;
  divided += result.unfinished;
  cycle_free(&result.cycle);
  check_division(g, right);
}

static void check_graphs(unsigned threads, unsigned count) {
  static struct graph g;
  memset(&g, 0, sizeof g);
  ck_assert_int_eq(pool_create(threads, &g.pool), FLOE_OK);
  with_cycle = saturating = with_strong = longer = divided = parts = 0;
  for (unsigned i = 0; i < count; i++) {
    uint64_t seed = i * 2 + threads;
    make_graph(&g, &seed);
    check_graph(&g);
  }
  pool_free(g.pool);
  ck_assert_uint_gt(with_cycle, count / 10);
  ck_assert_uint_gt(count - with_cycle, count / 10);
  ck_assert_uint_gt(saturating, 0);
  ck_assert_uint_gt(with_strong, count / 20);
  ck_assert_uint_gt(longer, 0);
  ck_assert(count < 1000 || divided > 0);
  ck_assert_uint_gt(parts, count / 20);
}

START_TEST(random_graphs) { check_graphs(1, at_length() ? 200000 : 1500); }
END_TEST

START_TEST(random_graphs_with_threads) { check_graphs(3, at_length() ? 20000 : 200); }
END_TEST

/* A long chain in front of a cycle. */
START_TEST(memory_and_interrupt) {
  static struct graph g;
  struct cycle_result result;
  memset(&g, 0, sizeof g);
  g.nodes = g.edges = MOST;
  g.scale = 1;
  for (unsigned i = 0; i < MOST; i++) {
    g.edge[i].from = i;
    g.edge[i].to = i + 1 < MOST ? i + 1 : MOST / 2;
  }
  ck_assert_int_eq(pool_create(2, &g.pool), FLOE_OK);
  check_graph(&g);
  struct cycle_graph graph = operations(&g);
  floe_status status = FLOE_ERROR_MEMORY;
  for (long n = 1; status != FLOE_OK; n++) {
    ck_assert_int_lt(n, 1000);
    mem_fail_after(n);
    status = cycles_find(&graph, &result);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK ? result.exists : status == FLOE_ERROR_MEMORY && !result.cycle.states);
    cycle_free(&result.cycle);
  }
  struct number_set set;
  status = FLOE_ERROR_MEMORY;
  for (long n = 1; status != FLOE_OK; n++) {
    uint64_t size = 0;
    ck_assert_int_lt(n, 1000);
    ck_assert(number_set_create(&set, graph.slots));
    for (unsigned i = 0; i < MOST; i++)
      number_set_add(&set, i);
    mem_fail_after(n);
    status = components_keep_accepting(&graph, &set, &size);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK ? size == MOST - MOST / 2 : status == FLOE_ERROR_MEMORY);
    number_set_free(&set);
  }
  graph.memory = 100;
  ck_assert_int_eq(cycles_find(&graph, &result), FLOE_ERROR_MEMORY);
  graph.memory = UINT64_C(1) << 30;
  atomic_store(&g.interrupt, true);
  ck_assert_int_eq(cycles_find(&graph, &result), FLOE_ERROR_INTERRUPTED);
  pool_free(g.pool);
}
END_TEST

/* Loops in a chain, whose steps between them satisfy two conditions in turn: each round removes two of them. */
START_TEST(many_rounds) {
  static struct graph g;
  struct cycle_result result;
  memset(&g, 0, sizeof g);
  g.nodes = MOST;
  g.scale = 1;
  g.conditions = 3;
  for (unsigned i = 0; i < MOST; i++) {
    g.edge[g.edges++] = (struct marked_edge){i, i, 0};
    if (i + 1 < MOST)
      g.edge[g.edges++] = (struct marked_edge){i, i + 1, UINT64_C(1) << i % 2};
  }
  ck_assert_int_eq(pool_create(1, &g.pool), FLOE_OK);
  check_graph(&g);
  struct cycle_graph graph = operations(&g);
  ck_assert_int_eq(cycles_find(&graph, &result), FLOE_OK);
  ck_assert(result.unfinished && !result.exists);
  ck_assert_uint_eq(result.passes, 3 * CYCLES_LEAST_ROUNDS);
  graph.memory = 1000; /* too little to divide more than a few states */
  ck_assert_int_eq(cycles_find(&graph, &result), FLOE_OK);
  ck_assert(!result.exists);
  ck_assert_uint_gt(result.passes, 3 * (MOST / 2 - 8));
  pool_free(g.pool);
}
END_TEST

int main(void) {
  return suite_end(
      run_tests("cycles", CK_NOFORK, random_graphs, random_graphs_with_threads, memory_and_interrupt, many_rounds));
}
