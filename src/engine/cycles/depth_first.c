#include "engine/cycles/depth_first.h"

#include "base/splitmix64.h"
#include "core/mem.h"
#include "engine/cycles/product_steps.h"

#include <string.h>

#define UNVISITED 0         /* orders begin with 1 */
#define FINISHED UINT32_MAX /* order of a state whose component has been left */
#define NO_STATE UINT32_MAX
#define STOP_INTERVAL 256 /* states between two tests of the stop conditions */
#define LARGEST_BUFFER ((size_t)1 << 28)

/* A step that is still to be followed. */
struct pending {
  uint32_t to;
  uint64_t marks;
};

/* A state on the path of the search; its pending steps are those from `first` on. */
struct visit {
  uint32_t state;
  size_t first;
};

/* A component of states whose search has not ended. */
struct component {
  uint32_t order;         /* of the state that was found first */
  uint64_t marks, before; /* of the steps within; of the step to it from the component before */
};

struct search {
  const struct depth_first_task *task;
  struct product_conditions conditions;
  uint64_t wanted; /* marks of an accepting cycle */
  uint32_t words;

  /* States, numbered as they are found. */
  uint64_t *keys;   /* [most * words] */
  uint32_t *orders; /* [most] */
  uint32_t *table;  /* [slots] numbers, open addressing; NO_STATE: free */
  uint64_t count, visited, slots;

  struct visit *path;
  struct component *components;
  uint32_t *active; /* visited states of components on the path */
  size_t path_length, component_count, active_count;
  struct pending *pending;
  size_t pending_count, pending_cap;

  /* Of the state that is expanded. */
  uint64_t *successors, *scratch;
  struct step_edge *edges;
  struct cycle_step *steps;
  bool failing; /* a firing did */
};

/* ---- states --------------------------------------------------------------------------------------- */

static uint64_t hash_of(const uint64_t *key, uint32_t words) {
  uint64_t hash = 0;
  for (uint32_t w = 0; w < words; w++)
    hash = splitmix64_mix(hash + key[w] + UINT64_C(0x9e3779b97f4a7c15));
  return hash;
}

/* NO_STATE: the bound. */
static uint32_t number_of(struct search *s, const uint64_t *key) {
  uint64_t slot = hash_of(key, s->words) & (s->slots - 1);
  for (; s->table[slot] != NO_STATE; slot = (slot + 1) & (s->slots - 1))
    if (memcmp(s->keys + s->table[slot] * (size_t)s->words, key, s->words * sizeof *key) == 0)
      return s->table[slot];
  if (s->count == s->task->most)
    return NO_STATE;
  memcpy(s->keys + s->count * s->words, key, s->words * sizeof *key);
  s->table[slot] = (uint32_t)s->count;
  return (uint32_t)s->count++;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

static bool add_pending(struct search *s, struct pending step) {
  if (s->pending_count == s->pending_cap) {
    const size_t room = 2 * s->pending_cap + 1024;
    struct pending *grown = mem_resize(s->pending, room * sizeof *grown);
    if (!grown)
      return false;
    s->pending = grown;
    s->pending_cap = room;
  }
  s->pending[s->pending_count++] = step;
  return true;
}

/* The state's steps become pending, the first one last: it is followed first. */
static bool expand(struct search *s, uint32_t state) {
  const uint64_t *key = s->keys + state * (size_t)s->words;
  const struct stepper *stepper = s->task->stepper;
  const struct product_state from = product_state(s->conditions.automaton, s->task->layout, state, key, s->scratch);
  const size_t firings = stepper->expand_one(stepper, key, s->successors, s->edges);
  for (size_t i = 0; i < firings; i++)
    s->failing |= s->edges[i].site != NO_SITE;
  size_t n = product_steps(&s->conditions, &from, s->edges, firings, s->successors, s->words, s->steps);
  while (n-- > 0) {
    const uint32_t to = number_of(s, s->successors + n * s->words);
    if (to == NO_STATE || !add_pending(s, (struct pending){to, s->steps[n].marks}))
      return false;
  }
  return true;
}

/* ---- components ----------------------------------------------------------------------------------- */

/* `before`: marks of the step to the state. */
static bool enter(struct search *s, uint32_t state, uint64_t before) {
  s->orders[state] = (uint32_t)++s->visited;
  s->components[s->component_count++] = (struct component){.order = s->orders[state], .before = before};
  s->active[s->active_count++] = state;
  s->path[s->path_length++] = (struct visit){state, s->pending_count};
  return expand(s, state);
}

/* All its states are finished if the state was the first one of its component. */
static void leave(struct search *s, uint32_t state) {
  s->path_length--;
  if (s->components[s->component_count - 1].order != s->orders[state])
    return;
  s->component_count--;
  for (uint32_t last = NO_STATE; last != state;) {
    last = s->active[--s->active_count];
    s->orders[last] = FINISHED;
  }
}

/* A step to a state of a component on the path: all components from there on are one. */
static void merge(struct search *s, uint32_t order, uint64_t marks) {
  struct component *c = &s->components[s->component_count - 1];
  while (c->order > order) {
    marks |= c->marks | c->before;
    s->component_count--;
    c--;
  }
  c->marks |= marks;
}

static bool is_accepting(const struct search *s) {
  return (s->wanted & ~s->components[s->component_count - 1].marks) == 0;
}

/* ---- the search ----------------------------------------------------------------------------------- */

static enum depth_first_result follow_steps(struct search *s) {
  if (!enter(s, 0, 0))
    return DEPTH_FIRST_UNKNOWN;
  while (s->path_length > 0) {
    const struct visit here = s->path[s->path_length - 1];
    if (s->pending_count == here.first) {
      leave(s, here.state);
      continue;
    }
    const struct pending step = s->pending[--s->pending_count];
    const uint32_t order = s->orders[step.to];
    if (order == UNVISITED) {
      if ((s->visited % STOP_INTERVAL == 0 && stop_requested(&s->task->stop)) || !enter(s, step.to, step.marks))
        return DEPTH_FIRST_UNKNOWN;
    } else if (order != FINISHED) {
      merge(s, order, step.marks);
      if (is_accepting(s))
        return DEPTH_FIRST_CYCLE;
    }
  }
  return s->failing ? DEPTH_FIRST_UNKNOWN : DEPTH_FIRST_NONE;
}

static bool open(struct search *s) {
  const struct depth_first_task *task = s->task;
  const size_t most = (size_t)task->most, successors = task->stepper->max_successors;
  if (successors * s->words > LARGEST_BUFFER / sizeof(uint64_t))
    return false;
  for (s->slots = 2; s->slots < 2 * task->most;)
    s->slots *= 2;
  s->keys = mem_array(most, s->words * sizeof *s->keys);
  s->orders = mem_array(most, sizeof *s->orders);
  s->table = mem_array((size_t)s->slots, sizeof *s->table);
  s->path = mem_array(most, sizeof *s->path);
  s->components = mem_array(most, sizeof *s->components);
  s->active = mem_array(most, sizeof *s->active);
  s->successors = mem_array(successors + 1, s->words * sizeof *s->successors);
  s->scratch = mem_array(key_scratch(task->layout) + 1, sizeof *s->scratch);
  s->edges = mem_array(successors + 1, sizeof *s->edges);
  s->steps = mem_array(successors + 1, sizeof *s->steps);
  if (!s->keys || !s->orders || !s->table || !s->path || !s->components || !s->active || !s->successors ||
      !s->scratch || !s->edges || !s->steps)
    return false;
  memset(s->table, 0xff, (size_t)s->slots * sizeof *s->table);
  return key_of_initial(task->model, task->layout, s->successors) == FLOE_OK && number_of(s, s->successors) == 0;
}

static void close(struct search *s) {
  mem_free(s->keys);
  mem_free(s->orders);
  mem_free(s->table);
  mem_free(s->path);
  mem_free(s->components);
  mem_free(s->active);
  mem_free(s->pending);
  mem_free(s->successors);
  mem_free(s->scratch);
  mem_free(s->edges);
  mem_free(s->steps);
}

enum depth_first_result depth_first_search(const struct depth_first_task *task) {
  const struct product_conditions conditions = product_conditions(task->model->automaton);
  struct search s = {.task = task,
                     .conditions = conditions,
                     .wanted = task->model->automaton->sets | conditions.weak,
                     .words = task->layout->key_words};
  if (conditions.strong)
    return DEPTH_FIRST_UNKNOWN;
  const enum depth_first_result result = open(&s) ? follow_steps(&s) : DEPTH_FIRST_UNKNOWN;
  close(&s);
  return result;
}
