#include "compare.h"

#include "base/splitmix64.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* States in order of discovery and an index to find them in. */
struct states {
  uint64_t *words;
  size_t n, capacity, width;
  size_t *slots; /* number of a state + 1 */
  size_t slot_count;
};

static uint64_t hash_of(const uint64_t *words, size_t width) {
  uint64_t h = 0;
  for (size_t i = 0; i < width; i++)
    h = (h ^ words[i] ^ h >> 29) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

static void states_create(struct states *states, size_t capacity, size_t width) {
  states->slot_count = 16;
  while (states->slot_count < 2 * capacity + 2)
    states->slot_count *= 2;
  states->words = calloc(capacity + 1, width * sizeof *states->words);
  states->slots = calloc(states->slot_count, sizeof *states->slots);
  states->n = 0;
  states->capacity = capacity;
  states->width = width;
}

static void states_free(struct states *states) {
  free(states->words);
  free(states->slots);
}

static void states_add(struct states *states, const uint64_t *state) {
  size_t bytes = states->width * sizeof *state;
  size_t slot = hash_of(state, states->width) % states->slot_count;
  if (states->n == states->capacity)
    return;
  for (; states->slots[slot]; slot = (slot + 1) % states->slot_count)
    if (!memcmp(states->words + (states->slots[slot] - 1) * states->width, state, bytes))
      return;
  memcpy(states->words + states->n * states->width, state, bytes);
  states->slots[slot] = ++states->n;
}

static bool differ(struct comparison *c, const uint64_t *state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool differ(struct comparison *c, const uint64_t *state, const char *format, ...) {
  va_list args;
  int n = snprintf(c->difference, sizeof c->difference, "state %" PRIx64 ": ", *state);
  va_start(args, format);
  vsnprintf(c->difference + n, sizeof c->difference - (size_t)n, format, args);
  va_end(args);
  return false;
}

/* Results of one stepper for one state. */
struct answer {
  uint64_t *successors;
  struct step_edge *edges;
  size_t n;
  uint64_t properties;
  struct step_error error;
};

static void ask(struct stepper *stepper, const uint64_t *state, struct answer *answer) {
  size_t room = stepper->max_successors;
  answer->successors = calloc(room + 1, stepper->words * sizeof *answer->successors);
  answer->edges = calloc(room + 1, sizeof *answer->edges);
  answer->n = stepper->expand_one(stepper, state, answer->successors, answer->edges);
  answer->properties = stepper->properties(stepper, state, &answer->error);
}

static void forget(struct answer *answer) {
  free(answer->successors);
  free(answer->edges);
}

static bool same_edges(struct comparison *c, const uint64_t *state, const struct answer *a, const struct answer *b) {
  size_t width = c->reference->words;
  if (a->n > c->reference->max_successors)
    return differ(c, state, "%zu firings, at most %u expected", a->n, c->reference->max_successors);
  for (size_t i = 0; i < a->n && i < b->n; i++) {
    const struct step_edge *x = &a->edges[i], *y = &b->edges[i];
    if (x->transition != y->transition || x->choice != y->choice || x->site != y->site)
      return differ(c, state, "firing %zu: transition %u/%u choice %u/%u site %d/%d", i, x->transition, y->transition,
                    x->choice, y->choice, (int)x->site, (int)y->site);
    if (x->site == NO_SITE && memcmp(a->successors + i * width, b->successors + i * width, width * sizeof *state) != 0)
      return differ(c, state, "transition %u choice %u: another successor", x->transition, x->choice);
  }
  return a->n == b->n || differ(c, state, "%zu/%zu firings", a->n, b->n);
}

/* If no firing fails, at most successors_expected are found (model/transitions/successor_bound.h). */
static bool has_expected(struct comparison *c, const uint64_t *state, const struct answer *a) {
  for (size_t i = 0; i < a->n; i++)
    if (a->edges[i].site != NO_SITE)
      return true;
  return a->n <= c->expected ||
         differ(c, state, "%zu firings, though only %" PRIu64 " do not exclude each other", a->n, c->expected);
}

static bool compare_state(struct comparison *c, const uint64_t *state, struct states *found) {
  struct answer a, b;
  ask(c->reference, state, &a);
  ask(c->other, state, &b);
  bool same = same_edges(c, state, &a, &b) && has_expected(c, state, &a);
  if (same && (a.properties != b.properties || a.error.site != b.error.site ||
               (a.error.site != NO_SITE && a.error.transition != b.error.transition)))
    same = differ(c, state, "properties %" PRIx64 "/%" PRIx64 " site %d/%d", a.properties, b.properties,
                  (int)a.error.site, (int)b.error.site);
  for (size_t i = 0; same && i < a.n; i++) {
    c->failures += a.edges[i].site != NO_SITE;
    if (found && a.edges[i].site == NO_SITE)
      states_add(found, a.successors + i * c->reference->words);
  }
  c->states++;
  c->edges += a.n;
  forget(&a);
  forget(&b);
  return same;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Digest of the events of a block: every call of on_trigger, in order. */
struct witness {
  uint64_t digest;
  size_t calls;
};

static void note_trigger(void *user, size_t index, uint64_t properties, struct step_error error) {
  struct witness *witness = user;
  uint64_t said[] = {witness->digest, index, properties, error.site, error.site == NO_SITE ? 0 : error.transition};
  witness->digest = hash_of(said, sizeof said / sizeof *said);
  witness->calls++;
}

struct run {
  struct step_block block;
  struct witness witness;
  uint64_t digest; /* digest of all successors, in order */
  uint64_t *fired;
};

static struct step_changes *make_changes(uint32_t words, size_t capacity) {
  struct step_changes *changes = calloc(words, sizeof *changes);
  for (uint32_t w = 0; w < words; w++) {
    changes[w].contents = calloc(capacity, sizeof *changes[w].contents);
    changes[w].successors = calloc(capacity, sizeof *changes[w].successors);
  }
  return changes;
}

static void free_changes(struct step_changes *changes, uint32_t words) {
  for (uint32_t w = 0; changes && w < words; w++) {
    free(changes[w].contents);
    free(changes[w].successors);
  }
  free(changes);
}

/* If successors are given by changes, writes them as states: every change has one, in order. False: it has not. */
static bool write_successors(const struct step_block *block, size_t first, uint32_t words, uint64_t *successors) {
  for (size_t i = 0, parent = first; i < block->produced; i++) {
    while (block->ends[parent] <= i)
      parent++;
    memcpy(successors + i * words, block->states + parent * words, words * sizeof *successors);
  }
  bool changed = true;
  for (uint32_t w = 0; w < words; w++) {
    const struct step_changes *changes = &block->changes[w];
    for (size_t i = 0; i < changes->count; i++) {
      uint64_t *word = successors + changes->successors[i] * words + w;
      changed = changed && changes->successors[i] < block->produced && *word != changes->contents[i] &&
                (i == 0 || changes->successors[i - 1] < changes->successors[i]);
      *word = changes->contents[i];
    }
    block->changes[w].count = 0;
  }
  return changed;
}

static void run_blocks(const struct comparison *c, struct stepper *stepper, const struct states *states,
                       bool properties_only, bool by_changes, struct run *run) {
  memset(run, 0, sizeof *run);
  struct step_block *block = &run->block;
  size_t transitions = c->loaded->model->transition_count;
  block->states = states->words;
  block->count = states->n;
  block->capacity = (size_t)stepper->max_successors + 7; /* small, so that several calls are needed */
  uint64_t *successors = calloc(block->capacity, stepper->words * sizeof *successors);
  block->successors = by_changes ? NULL : successors;
  block->changes = by_changes ? make_changes(stepper->words, block->capacity) : NULL;
  block->ends = by_changes ? calloc(block->count, sizeof *block->ends) : NULL;
  block->fired = run->fired = calloc(transitions + 1, sizeof *run->fired);
  block->requested_properties = c->seed % 5 ? UINT64_MAX : c->seed >> 3;
  block->errors_only = c->seed % 3 ? 0 : c->seed >> 5;
  block->properties_only = properties_only;
  block->on_trigger = note_trigger;
  block->user = &run->witness;
  while (block->next < block->count) {
    const size_t first = block->next;
    stepper->expand_block(stepper, block);
    if (by_changes && !write_successors(block, first, stepper->words, successors))
      run->digest = ~run->digest;
    for (size_t i = 0; i < block->produced; i++)
      run->digest = run->digest * 31 + hash_of(successors + i * stepper->words, stepper->words);
    block->produced = 0;
  }
  free(successors);
  free(block->ends);
  free_changes(block->changes, stepper->words);
}

static bool compare_runs(struct comparison *c, const struct states *states, bool properties_only, bool a_by_changes,
                         bool b_by_changes) {
  struct run a, b;
  run_blocks(c, c->reference, states, properties_only, a_by_changes, &a);
  run_blocks(c, c->other, states, properties_only, b_by_changes, &b);
  size_t bytes = c->loaded->model->transition_count * sizeof *a.fired;
  bool same = a.digest == b.digest && a.witness.digest == b.witness.digest && a.block.deadlocks == b.block.deadlocks &&
              a.block.triggered == b.block.triggered && a.block.failed == b.block.failed &&
              a.block.firing_failed == b.block.firing_failed && a.block.broken == b.block.broken &&
              a.block.max_out_degree == b.block.max_out_degree && !memcmp(a.fired, b.fired, bytes);
  if (!same)
    differ(c, states->words, "blocks: %s, triggers %zu/%zu, deadlocks %" PRIu64 "/%" PRIu64,
           a.digest == b.digest ? "same successors" : "other successors", a.witness.calls, b.witness.calls,
           a.block.deadlocks, b.block.deadlocks);
  c->triggers += a.witness.calls;
  free(a.fired);
  free(b.fired);
  return same;
}

/* Compares both forms of successors of both steppers. */
static bool compare_blocks(struct comparison *c, const struct states *states, bool properties_only) {
  if (!compare_runs(c, states, properties_only, false, false))
    return false;
  if (c->reference->words == 1 || c->other->words == 1)
    return true;
  c->by_changes++;
  return compare_runs(c, states, properties_only, false, true) && compare_runs(c, states, properties_only, true, false);
}

/* ---- which states ---------------------------------------------------------------------------- */

static void random_state(const struct comparison *c, uint64_t *stream, uint64_t *state) {
  const struct model *model = c->loaded->model;
  int64_t *values = calloc(model->value_count + 1, sizeof *values);
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    uint64_t range = (uint64_t)(variable->hi - variable->lo) + 1;
    for (uint32_t i = 0; i < variable->count; i++)
      values[variable->first + i] =
          variable->assigned ? variable->lo + (int64_t)(splitmix64_next(stream) % range) : variable->init[i];
  }
  (void)key_of_values(model, c->loaded->layout, values, state); /* no key: the previous state is used */
  free(values);
}

static bool compare_reachable(struct comparison *c) {
  struct states states;
  size_t width = c->reference->words;
  uint64_t *initial = calloc(width, sizeof *initial);
  bool same = true;
  states_create(&states, c->max_states, width);
  if (key_of_initial(c->loaded->model, c->loaded->layout, initial) != FLOE_OK)
    return differ(c, initial, "the initial state has no key");
  states_add(&states, initial);
  for (size_t i = 0; same && i < states.n; i++)
    same = compare_state(c, states.words + i * width, &states);
  same = same && compare_blocks(c, &states, false) && compare_blocks(c, &states, true);
  states_free(&states);
  free(initial);
  return same;
}

static bool compare_random(struct comparison *c) {
  size_t width = c->reference->words;
  uint64_t *state = calloc(width, sizeof *state), stream = c->seed;
  bool same = true;
  for (size_t i = 0; same && i < c->random_states; i++) {
    random_state(c, &stream, state);
    same = compare_state(c, state, NULL);
  }
  free(state);
  return same;
}

bool compare_steppers(struct comparison *comparison) {
  if (comparison->reference->max_successors != comparison->other->max_successors)
    return snprintf(comparison->difference, sizeof comparison->difference, "other bounds") < 0;
  comparison->expected = loaded_expected(comparison->loaded);
  return compare_reachable(comparison) && compare_random(comparison);
}
