/* Symmetry reduction against brute force: all states are found by the interpreter and all permutations of each are made
   by symmetry_apply. Then
     - the steps, errors and properties of a permuted state are the permuted ones: the model is symmetric,
     - two states have one canonical form if and only if they are permutations of each other,
     - the reduced search finds as many states as there are orbits, with their transitions, verdicts and depths. */
#ifndef FLOE_TESTS_MODEL_BRUTE_SYMMETRY_H
#define FLOE_TESTS_MODEL_BRUTE_SYMMETRY_H

#include "api/api.h"
#include "core/mem.h"
#include "model/symmetry/symmetry.h"
#include "step/layout/canonical.h"
#include "step/stepper.h"
#include "tests/suite.h"

#include <string.h>

static uint64_t seed;

static unsigned pick(unsigned n) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(seed >> 33) % n;
}

/* ---- brute force --------------------------------------------------------------------------------- */

#define MOST_STATES 6000
#define SLOTS 16384

struct brute {
  const struct model *model;
  const struct layout *canonical;
  struct layout plain;
  struct stepper *stepper;
  uint32_t words, instances, permutation[CANONICAL_INSTANCES];
  uint64_t *states, *least, *forms; /* [MOST_STATES * words] a state, the least permutation, the canonical form */
  size_t count, most;
  uint32_t slots[SLOTS]; /* number of a state, plus 1 */
  int64_t *values, *moved;
  uint64_t *key, *best;
  bool numbered; /* a permutation does not change the number of a transition */
  bool too_large;
};

static size_t slot_of(const struct brute *b, const uint64_t *key) {
  uint64_t hash = 0;
  for (uint32_t w = 0; w < b->words; w++)
    hash = (hash ^ key[w]) * UINT64_C(0x9e3779b97f4a7c15) >> 1;
  size_t slot = hash % SLOTS;
  while (b->slots[slot] && memcmp(b->states + (b->slots[slot] - 1) * b->words, key, b->words * sizeof *key) != 0)
    slot = (slot + 1) % SLOTS;
  return slot;
}

static void visit(struct brute *b, const uint64_t *key) {
  const size_t slot = slot_of(b, key);
  if (b->slots[slot])
    return;
  if (b->count == b->most) {
    b->too_large = true;
    return;
  }
  memcpy(b->states + b->count * b->words, key, b->words * sizeof *key);
  b->slots[slot] = (uint32_t)++b->count;
}

static void permuted_key(struct brute *b, const uint64_t *key, uint64_t *out) {
  layout_unpack(b->model, &b->plain, key, b->values);
  symmetry_apply(b->model, b->permutation, b->values, b->moved);
  layout_pack(b->model, &b->plain, b->moved, out);
}

/* All permutations of the sets from `set` on, of which the numbers below `next` of this set are placed. */
static void try_all(struct brute *b, const uint64_t *key, uint32_t set, uint32_t first, uint32_t next) {
  const struct symmetry *symmetry = b->model->symmetry;
  if (set == symmetry->set_count) {
    permuted_key(b, key, b->key);
    if (memcmp(b->key, b->best, b->words * sizeof *key) < 0)
      memcpy(b->best, b->key, b->words * sizeof *key);
    return;
  }
  const uint32_t size = symmetry->sets[set].size;
  if (next == size) {
    try_all(b, key, set + 1, first + size, 0);
    return;
  }
  for (uint32_t i = 0; i < size; i++) {
    bool used = false;
    for (uint32_t k = 0; k < next; k++)
      used = used || b->permutation[first + k] == i;
    b->permutation[first + next] = i;
    if (!used)
      try_all(b, key, set, first, next + 1);
  }
}

static void random_permutation(struct brute *b) {
  for (uint32_t set = 0, first = 0; set < b->model->symmetry->set_count; first += b->model->symmetry->sets[set++].size)
    for (uint32_t i = 0; i < b->model->symmetry->sets[set].size; i++) {
      const uint32_t k = pick(i + 1);
      b->permutation[first + i] = b->permutation[first + k];
      b->permutation[first + k] = i;
    }
}

/* A number for the multiset of the canonical forms of the successors. */
static uint64_t successors_sum(struct brute *b, const uint64_t *key, size_t *fired, size_t *failed) {
  const size_t most = b->stepper->max_successors;
  uint64_t *successors = calloc(most * b->words, sizeof *successors), sum = 0;
  struct step_edge *edges = calloc(most, sizeof *edges);
  const size_t n = b->stepper->expand_one(b->stepper, key, successors, edges);
  *fired = *failed = 0;
  for (size_t i = 0; i < n; i++) {
    if (edges[i].site != NO_SITE) {
      ++*failed;
      continue;
    }
    uint64_t *successor = successors + i * b->words, mix = b->numbered ? edges[i].transition : 1;
    ++*fired;
    canonical_form(b->canonical->canonical, successor);
    for (uint32_t w = 0; w < b->words; w++)
      mix = (mix ^ successor[w] ^ mix >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    sum += mix ^ mix >> 31;
  }
  free(edges);
  free(successors);
  return sum;
}

static void check_symmetric(struct brute *b, const uint64_t *key, const char *text) {
  uint64_t other[CANONICAL_WORDS];
  size_t fired, failed, fired_moved, failed_moved;
  struct step_error error, error_moved;
  random_permutation(b);
  permuted_key(b, key, other);
  const uint64_t sum = successors_sum(b, key, &fired, &failed);
  const uint64_t sum_moved = successors_sum(b, other, &fired_moved, &failed_moved);
  ck_assert_msg(sum == sum_moved && fired == fired_moved && failed == failed_moved, "other steps: %s", text);
  const uint64_t asymmetric = b->model->symmetry->asymmetric_properties;
  const uint64_t violated = b->stepper->properties(b->stepper, key, &error);
  const uint64_t violated_moved = b->stepper->properties(b->stepper, other, &error_moved);
  ck_assert_msg(((violated ^ violated_moved) & ~asymmetric) == 0, "other properties: %s", text);
  ck_assert_msg(asymmetric || (error.site == NO_SITE) == (error_moved.site == NO_SITE), "other errors: %s", text);
}

struct totals {
  bool may_refuse; /* models may not be symmetric: */
  size_t refused;
  size_t models, states, orbits, large, transitions, violated, failing;
};

/* Expands all states; of each the least permutation and the canonical form. */
static void find_states(struct brute *b, const char *text) {
  const size_t most = b->stepper->max_successors;
  uint64_t *successors = calloc(most * b->words, sizeof *successors);
  struct step_edge *edges = calloc(most, sizeof *edges);
  layout_initial(b->model, &b->plain, b->key);
  visit(b, b->key);
  for (size_t s = 0; s < b->count && !b->too_large; s++) {
    const uint64_t *state = b->states + s * b->words;
    const size_t n = b->stepper->expand_one(b->stepper, state, successors, edges);
    for (size_t i = 0; i < n; i++)
      if (edges[i].site == NO_SITE)
        visit(b, successors + i * b->words);
    memcpy(b->best, state, b->words * sizeof *state);
    try_all(b, state, 0, 0, 0);
    memcpy(b->least + s * b->words, b->best, b->words * sizeof *state);
    memcpy(b->forms + s * b->words, state, b->words * sizeof *state);
    canonical_form(b->canonical->canonical, b->forms + s * b->words);
    check_symmetric(b, state, text);
  }
  free(edges);
  free(successors);
}

/* The first state with the same words at `of`. */
static size_t first_with(const struct brute *b, const uint64_t *of, size_t state) {
  size_t s = 0;
  while (memcmp(of + s * b->words, of + state * b->words, b->words * sizeof *of) != 0)
    s++;
  return s;
}

/* Orbits, and the transitions of one state of each. */
static void count_orbits(struct brute *b, const char *text, size_t *orbits, size_t *transitions) {
  *orbits = *transitions = 0;
  for (size_t s = 0; s < b->count; s++) {
    const uint64_t *state = b->states + s * b->words, *form = b->forms + s * b->words;
    memcpy(b->best, form, b->words * sizeof *form);
    try_all(b, form, 0, 0, 0);
    ck_assert_msg(memcmp(b->best, b->least + s * b->words, b->words * sizeof *form) == 0, "of another orbit: %s", text);
    const size_t first = first_with(b, b->least, s);
    ck_assert_msg(first == first_with(b, b->forms, s), "two forms, or one of two orbits: %s", text);
    if (first == s) {
      size_t fired, failed;
      successors_sum(b, state, &fired, &failed);
      ++*orbits;
      *transitions += fired;
    }
  }
}

static floe_result *explore(floe_model *model, floe_engine engine, floe_symmetry symmetry, floe_log *log) {
  floe_options options;
  floe_result *result;
  floe_options_init(&options);
  options.engine = engine;
  options.symmetry = symmetry;
  options.keep_going = true;
  options.threads = 1;
  options.compiler = engine == FLOE_ENGINE_INTERPRETER ? "" : "cc -O0";
  const floe_status status = floe_explore(model, &options, log, &result);
  ck_assert_msg(status == FLOE_OK, "status %d: %s", status, floe_log_count(log) ? floe_log_at(log, 0)->message : "");
  return result;
}

static void compare_verdicts(const floe_result *all, const floe_result *reduced, const char *text,
                             struct totals *totals) {
  for (size_t i = 0; i < floe_result_verdicts(all); i++) {
    const floe_verdict x = floe_result_verdict(all, i), y = floe_result_verdict(reduced, i);
    ck_assert_msg(x.value == y.value, "%s: %d and %d: %s", x.property.id, (int)x.value, (int)y.value, text);
    if (x.value != FLOE_VIOLATED)
      continue;
    ck_assert_msg(y.trace && x.depth == y.depth, "%s: another depth: %s", x.property.id, text);
    totals->violated++;
  }
}

/* Neither fails in a step: an error may hide others, as they end the step. */
static bool steps_fail(const floe_result *result) { return floe_result_summary(result)->firing_failed; }

static void compare_searches(floe_model *model, const struct brute *b, const char *text, struct totals *totals,
                             size_t orbits, size_t transitions, bool compiled) {
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  const uint64_t start_firings = b->model->start_firings;
  floe_result *reduced = explore(model, FLOE_ENGINE_INTERPRETER, FLOE_SYMMETRY_ON, log);
  const floe_summary *summary = floe_result_summary(reduced);
  ck_assert_msg(summary->states + (start_firings > 0) == orbits && summary->transitions + start_firings == transitions,
                "%llu states, %llu transitions; %zu, %zu: %s", (unsigned long long)summary->states,
                (unsigned long long)summary->transitions, orbits, transitions, text);
  ck_assert_ptr_nonnull(strstr(summary->certificate, "symmetry=on"));
  if (compiled) {
    floe_result *code = explore(model, FLOE_ENGINE_CPU, FLOE_SYMMETRY_ON, log);
    ck_assert_msg(strcmp(summary->certificate, floe_result_summary(code)->certificate) == 0, "compiled: %s", text);
    floe_result_free(code);
  }
  floe_result *all = explore(model, FLOE_ENGINE_INTERPRETER, FLOE_SYMMETRY_OFF, log);
  ck_assert_ptr_null(strstr(floe_result_summary(all)->certificate, "symmetry"));
  if (!steps_fail(all) && !steps_fail(reduced))
    compare_verdicts(all, reduced, text, totals);
  totals->failing += steps_fail(reduced);
  ck_assert_msg(steps_fail(all) <= steps_fail(reduced), "an error is missed: %s", text);
  floe_result_free(all);
  floe_result_free(reduced);
  floe_log_free(log);
}

static uint64_t *keys(const struct brute *b, size_t count) { return calloc(count * b->words, sizeof(uint64_t)); }

static void check_model(const char *name, const char *text, struct totals *totals, bool compiled, size_t most) {
  floe_model *model;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  const floe_status parsed = floe_model_parse(name, text, strlen(text), log, &model);
  ck_assert_msg(parsed == FLOE_OK, "%s\n%s", text, floe_log_count(log) ? floe_log_at(log, 0)->message : "");
  model_set_symmetric(model, true);
  const floe_status status = floe_model_check(model, log);
  totals->models++;
  if (status == FLOE_ERROR_MODEL && totals->may_refuse) {
    totals->refused++;
    floe_model_free(model);
    floe_log_free(log);
    return;
  }
  ck_assert_msg(status == FLOE_OK && !model->asymmetric, "%s\n%s", text,
                model->asymmetric ? model->asymmetric : floe_log_at(log, 0)->message);
  struct brute *b = calloc(1, sizeof *b);
  b->most = most;
  b->model = model->model;
  b->numbered = model->language->check_symmetric != NULL;
  b->canonical = model->layout;
  b->plain = *model->layout;
  b->plain.canonical = NULL;
  b->words = b->plain.words;
  b->states = keys(b, MOST_STATES);
  b->least = keys(b, MOST_STATES);
  b->forms = keys(b, MOST_STATES);
  b->key = keys(b, 1);
  b->best = keys(b, 1);
  b->values = calloc(b->model->value_count, sizeof *b->values);
  b->moved = calloc(b->model->value_count, sizeof *b->moved);
  ck_assert_int_eq(interpreter_create(b->model, &b->plain, &b->stepper), FLOE_OK);
  find_states(b, text);
  size_t orbits = 0, transitions = 0;
  if (!b->too_large) {
    count_orbits(b, text, &orbits, &transitions);
    totals->states += b->count;
    totals->orbits += orbits;
    totals->transitions += transitions;
  }
  totals->large += b->too_large;
  b->stepper->free(b->stepper);
  const bool refused = b->model->symmetry->asymmetric_properties != 0;
  ck_assert_msg(!refused || totals->may_refuse, "asymmetric properties: %s", text);
  totals->refused += refused;
  if (!b->too_large && !refused)
    compare_searches(model, b, text, totals, orbits, transitions, compiled);
  free(b->states);
  free(b->least);
  free(b->forms);
  free(b->key);
  free(b->best);
  free(b->values);
  free(b->moved);
  free(b);
  floe_model_free(model);
  floe_log_free(log);
}

#endif
