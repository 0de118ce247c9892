/* Strongly connected components of random graphs, compared with the reachability of all pairs. */
#include "core/components.h"

#include "base/splitmix64.h"
#include "tests/suite.h"

#include <string.h>

#define MOST 12

static struct {
  uint32_t nodes, count, ended; /* nodes of the components that ended */
  uint32_t from[64], to[64];
  uint32_t visits;
  uint32_t last_visit; /* begin fails there; 0: never */
} random_graph;

static bool begin(void *user, uint32_t node, struct successor_position *position) {
  ck_assert_ptr_eq(user, &random_graph);
  *position = (struct successor_position){0, node};
  return ++random_graph.visits != random_graph.last_visit;
}

static bool next(void *user, struct successor_position *position, uint32_t *successor) {
  (void)user;
  while (position->at < random_graph.count) {
    const uint64_t i = position->at++;
    *successor = random_graph.to[i];
    if (random_graph.from[i] == position->bound)
      return true;
  }
  return false;
}

static struct component_search search;

static void end(void *user, uint32_t component, const uint32_t *members, uint32_t count) {
  (void)user;
  ck_assert_uint_gt(count, 0);
  for (uint32_t i = 0; i < count; i++)
    ck_assert_uint_eq(search.component[members[i]], component);
  random_graph.ended += count;
}

static const struct component_graph graph = {.begin = begin, .next = next, .end = end, .user = &random_graph};

static void make(uint64_t *seed) {
  memset(&random_graph, 0, sizeof random_graph);
  random_graph.nodes = 1 + (uint32_t)(splitmix64_next(seed) % MOST);
  random_graph.count = (uint32_t)(splitmix64_next(seed) % (2 * random_graph.nodes + 1));
  for (uint32_t i = 0; i < random_graph.count; i++) {
    random_graph.from[i] = (uint32_t)(splitmix64_next(seed) % random_graph.nodes);
    random_graph.to[i] = (uint32_t)(splitmix64_next(seed) % random_graph.nodes);
  }
}

static void find_reachable(bool reaches[MOST][MOST]) {
  memset(reaches, 0, MOST * MOST * sizeof **reaches);
  for (uint32_t i = 0; i < random_graph.nodes; i++)
    reaches[i][i] = true;
  for (uint32_t i = 0; i < random_graph.count; i++)
    reaches[random_graph.from[i]][random_graph.to[i]] = true;
  for (uint32_t k = 0; k < random_graph.nodes; k++)
    for (uint32_t i = 0; i < random_graph.nodes; i++)
      for (uint32_t j = 0; j < random_graph.nodes; j++)
        reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
}

static bool run(void) {
  struct component_graph now = graph;
  now.nodes = random_graph.nodes;
  return component_search_run(&search, &now);
}

/* Equal components for nodes that reach each other; one that leads to another has the larger number. */
START_TEST(random_graphs) {
  uint64_t seed = 1;
  bool reaches[MOST][MOST];
  ck_assert(component_search_create(&search, MOST));
  for (unsigned round = 0; round < 500; round++) {
    make(&seed);
    find_reachable(reaches);
    ck_assert(run());
    ck_assert_uint_eq(random_graph.visits, random_graph.nodes);
    ck_assert_uint_eq(random_graph.ended, random_graph.nodes);
    for (uint32_t i = 0; i < random_graph.nodes; i++)
      for (uint32_t j = 0; j < random_graph.nodes; j++) {
        ck_assert_uint_lt(search.component[i], search.count);
        ck_assert(!reaches[i][j] || search.component[i] >= search.component[j]);
        ck_assert((reaches[i][j] && reaches[j][i]) == (search.component[i] == search.component[j]));
      }
  }
  component_search_free(&search);
}
END_TEST

/* The callback ends the search: nodes without a component remain. */
START_TEST(ended) {
  uint64_t seed = 2;
  ck_assert(component_search_create(&search, MOST));
  for (unsigned round = 0; round < 100; round++) {
    make(&seed);
    random_graph.last_visit = random_graph.nodes;
    ck_assert(!run());
    uint32_t without = 0;
    for (uint32_t i = 0; i < random_graph.nodes; i++)
      without += search.component[i] == NO_COMPONENT;
    ck_assert_uint_ge(without, 1);
    ck_assert_uint_eq(without + random_graph.ended, random_graph.nodes);
  }
  component_search_free(&search);
  mem_fail_after(3);
  ck_assert(!component_search_create(&search, MOST));
  mem_fail_after(0);
  component_search_free(&search);
}
END_TEST

int main(void) { return suite_end(run_tests("components", CK_NOFORK, random_graphs, ended)); }
