/* Closed sets and nearest states of random graphs, compared with reachability of all pairs; one thread and three. */
#include "engine/cycles/closed_set.h"
#include "engine/cycles/nearest_state.h"

#include "base/splitmix64.h"
#include "core/threads/thread_pool.h"
#include "reachability.h"
#include "tests/suite.h"

enum { MOST = 70, MOST_EDGES = 4 * MOST };

struct graph {
  unsigned nodes, edges, runs;
  struct marked_edge edge[MOST_EDGES];
  bool candidate[MOST];
  struct thread_pool *pool;
  atomic_bool interrupt;
};

static unsigned below(uint64_t *seed, unsigned n) { return (unsigned)(splitmix64_next(seed) % n); }

/* In some, most edges lead to nodes that are near: passes remove few nodes each. */
static void make_graph(struct graph *g, uint64_t *seed) {
  const unsigned marked = 5 + below(seed, 90), excluded = 2 + below(seed, 40);
  const bool is_long = below(seed, 3) == 0;
  g->nodes = 1 + below(seed, MOST);
  g->edges = below(seed, 1 + (is_long ? 4 : 3) * g->nodes);
  for (unsigned i = 0; i < g->edges; i++) {
    const unsigned from = below(seed, g->nodes), near = (from + 1 + below(seed, 2)) % g->nodes;
    g->edge[i] = (struct marked_edge){from, is_long ? near : below(seed, g->nodes), below(seed, marked) == 0};
  }
  for (unsigned n = 0; n < g->nodes; n++)
    g->candidate[n] = below(seed, excluded) != 0;
}

/* ---- the graph's operations ----------------------------------------------------------------------- */

static void run(void *self, void (*work)(void *user, unsigned thread), void *user) {
  struct graph *g = self;
  g->runs++;
  pool_run(g->pool, work, user);
}

static void candidates(void *self, unsigned thread, void (*visit)(void *user, uint64_t number), void *user) {
  const struct graph *g = self;
  for (unsigned n = thread; n < g->nodes; n += pool_size(g->pool))
    if (g->candidate[n])
      visit(user, n);
}

static void expand(void *self, unsigned thread, const uint64_t *numbers, size_t n, cycle_visitor *visit, void *user) {
  const struct graph *g = self;
  (void)thread;
  for (size_t i = 0; i < n; i++)
    for (unsigned e = 0; e < g->edges; e++)
      if (g->edge[e].from == numbers[i])
        visit(user, &(struct cycle_step){.from = numbers[i], .to = g->edge[e].to, .marks = g->edge[e].marks}, 1);
}

static bool precedes(void *self, uint64_t a, uint64_t b) {
  (void)self;
  return a > b;
}

static struct cycle_graph operations(struct graph *g) {
  return (struct cycle_graph){.slots = g->nodes,
                              .memory = UINT64_C(1) << 30,
                              .run = run,
                              .candidates = candidates,
                              .expand = expand,
                              .precedes = precedes,
                              .self = g,
                              .stop = {.interrupt = &g->interrupt}};
}

/* ---- the right answer ----------------------------------------------------------------------------- */

static bool leaves(const struct graph *g, unsigned n) {
  bool leaves = !g->candidate[n];
  for (unsigned e = 0; e < g->edges; e++)
    leaves = leaves || (g->edge[e].from == n && g->edge[e].marks);
  return leaves;
}

static bool is_closed(const struct graph *g, unsigned n) {
  for (unsigned m = 0; m < g->nodes; m++)
    if ((m == n || reaches[n][m]) && leaves(g, m))
      return false;
  return true;
}

static size_t empty, full, found, divided;

static bool is_goal_state(const void *user, uint64_t number) { return number_set_has(user, number); }

/* Depths by relaxation; of several nodes the last one is the least. */
static void check_nearest(const struct cycle_graph *graph, const struct number_set *set, uint32_t first_level) {
  const struct graph *g = graph->self;
  const struct nearest_request request = {graph, is_goal_state, set, first_level};
  struct nearest_state nearest;
  uint32_t depth[MOST];
  int least = -1;
  for (unsigned n = 0; n < g->nodes; n++)
    depth[n] = n == 0 ? 0 : MOST;
  for (unsigned round = 0; round < g->nodes; round++)
    for (unsigned e = 0; e < g->edges; e++)
      if (depth[g->edge[e].to] > depth[g->edge[e].from] + 1)
        depth[g->edge[e].to] = depth[g->edge[e].from] + 1;
  for (unsigned n = 0; n < g->nodes; n++)
    if (number_set_has(set, n) && depth[n] < MOST && depth[n] >= first_level && (least < 0 || depth[n] <= depth[least]))
      least = (int)n;
  ck_assert_int_eq(nearest_state_find(&request, &nearest), FLOE_OK);
  ck_assert_int_eq(nearest.found ? (int)nearest.number : -1, least);
  ck_assert(least < 0 || nearest.depth == depth[least]);
  found += nearest.found && nearest.depth > 0;
}

static void check_graph(struct graph *g, uint64_t memory) {
  struct cycle_graph graph = operations(g);
  struct number_set set;
  uint64_t size;
  unsigned closed = 0;
  graph.memory = memory;
  g->runs = 0;
  compute_reachability(g->edge, g->edges, g->nodes);
  ck_assert_int_eq(closed_set_find(&graph, &set, &size), FLOE_OK);
  for (unsigned n = 0; n < g->nodes; n++) {
    ck_assert_msg(number_set_has(&set, n) == is_closed(g, n), "node %u of %u", n, g->nodes);
    closed += is_closed(g, n);
  }
  ck_assert_uint_eq(size, closed);
  empty += closed == 0;
  full += closed > 0;
  for (uint32_t level = 0; level < 2; level++)
    check_nearest(&graph, &set, level);
  number_set_free(&set);
}

static void check_graphs(unsigned threads, unsigned count) {
  static struct graph g;
  ck_assert_int_eq(pool_create(threads, &g.pool), FLOE_OK);
  empty = full = found = divided = 0;
  for (unsigned i = 0; i < count; i++) {
    uint64_t seed = i * 2 + threads;
    make_graph(&g, &seed);
    check_graph(&g, UINT64_C(1) << 30);
    const unsigned runs = g.runs;
    check_graph(&g, 100); /* too little to divide more than a state */
    divided += g.runs > runs;
  }
  pool_free(g.pool);
  ck_assert_uint_gt(empty, count / 10);
  ck_assert_uint_gt(full, count / 5);
  ck_assert_uint_gt(found, count / 10);
  ck_assert_uint_gt(divided, count / 50);
}

START_TEST(random_graphs) { check_graphs(1, at_length() ? 100000 : 1000); }
END_TEST

START_TEST(random_graphs_with_threads) { check_graphs(3, at_length() ? 10000 : 200); }
END_TEST

/* A chain to a node that is no candidate: each pass of one thread removes a node. */
START_TEST(chain) {
  static struct graph g;
  struct number_set set;
  uint64_t size;
  g.nodes = MOST;
  for (unsigned n = 0; n + 1 < MOST; n++) {
    g.edge[g.edges++] = (struct marked_edge){n, n + 1, 0};
    g.candidate[n] = true;
  }
  ck_assert_int_eq(pool_create(1, &g.pool), FLOE_OK);
  check_graph(&g, UINT64_C(1) << 30);
  ck_assert_uint_eq(g.runs, 1 + CYCLES_LEAST_ROUNDS);
  check_graph(&g, 100);
  ck_assert_uint_gt(g.runs, MOST - 10);
  struct cycle_graph graph = operations(&g);
  floe_status status = FLOE_ERROR_MEMORY;
  for (long n = 1; status != FLOE_OK; n++) {
    ck_assert_int_lt(n, 100);
    mem_fail_after(n);
    status = closed_set_find(&graph, &set, &size);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK ? size == 0 : status == FLOE_ERROR_MEMORY);
    number_set_free(&set);
  }
  graph.memory = 1;
  ck_assert_int_eq(closed_set_find(&graph, &set, &size), FLOE_ERROR_MEMORY);
  graph.memory = UINT64_C(1) << 30;
  atomic_store(&g.interrupt, true);
  ck_assert_int_eq(closed_set_find(&graph, &set, &size), FLOE_ERROR_INTERRUPTED);
  number_set_free(&set);
  pool_free(g.pool);
}
END_TEST

int main(void) {
  return suite_end(run_tests("closed sets", CK_NOFORK, random_graphs, random_graphs_with_threads, chain));
}
