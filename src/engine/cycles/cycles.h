/* Whether the states of a finished search contain an accepting cycle: one whose steps satisfy each condition (an
   acceptance set of the automaton, or later a fairness constraint) at least once. States are numbers of a visited set.

   Forward passes: Z is the set of states that may lie on an accepting cycle. Repeat until nothing changes:
     trim: remove states without a predecessor in Z, until none is left to remove;
     for each condition: remove what is not reachable, within Z, from the target of a step of the condition in Z.
   There is an accepting cycle if and only if Z is not empty then.
   Proof. A state of an accepting cycle in Z is never removed: its predecessor on the cycle is in Z, and so is a step of
   each condition, from whose target the cycle leads to it. If Z is not empty at the end, take a strongly connected
   component C of Z that no other component of Z leads to. Each of its states has a predecessor in Z, hence in C: C has
   a cycle. Each is reachable within Z from the target of a step of each condition, hence from one in C, whose source
   leads to C and so is in C. A cycle through all these steps is accepting. */
#ifndef FLOE_ENGINE_CYCLES_CYCLES_H
#define FLOE_ENGINE_CYCLES_CYCLES_H

#include "core/status.h"
#include "core/threads/stop.h"
#include "engine/cycles/number_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CYCLES_MAX_CONDITIONS 64

/* A step without an error. */
struct cycle_step {
  size_t from;    /* index of its source among the expanded states */
  uint64_t to;    /* number of its target */
  uint64_t marks; /* bit i: it satisfies condition i */
  uint32_t transition, choice;
};

typedef void cycle_visitor(void *user, const struct cycle_step *steps, size_t n);

/* States of a search. */
struct cycle_graph {
  uint64_t slots;      /* numbers are below */
  uint64_t initial;    /* number of the initial state, from which all are reachable */
  uint64_t conditions; /* mask */
  uint64_t memory;     /* bytes that may be allocated */
  /* Runs work(user, thread) on all threads, numbered from 0. */
  void (*run)(void *self, void (*work)(void *user, unsigned thread), void *user);
  /* Calls visit(user, number) for the states of part `thread` that may lie on an accepting cycle; each is in one part.
     In `thread`. */
  void (*candidates)(void *self, unsigned thread, void (*visit)(void *user, uint64_t number), void *user);
  /* Visits the steps of n states (at most CYCLES_BATCH), in their order and then in canonical order. In `thread`. */
  void (*expand)(void *self, unsigned thread, const uint64_t *numbers, size_t n, cycle_visitor *visit, void *user);
  /* Whether the key of state a is less than that of b. */
  bool (*precedes)(void *self, uint64_t a, uint64_t b);
  void *self;
  struct stop stop;
};
#define CYCLES_BATCH 32

/* An accepting cycle. */
struct cycle {
  uint64_t *states;                /* [steps + 1] numbers; the last one is the first one. NULL: no memory to find it */
  uint32_t *transitions, *choices; /* [steps] */
  size_t steps;
};

struct cycle_result {
  bool exists;
  uint64_t candidates, passes, expanded; /* states at the start; passes over Z; states expanded by them */
  struct cycle cycle;                    /* if one exists; free with cycle_free */
};

/* `weak`: each cycle of candidates satisfies all conditions, so that one trim decides. The cycle depends on keys, not
   on numbers or threads. FLOE_ERROR_MEMORY. FLOE_ERROR_INTERRUPTED: graph->stop. */
floe_status cycles_find(const struct cycle_graph *graph, bool weak, struct cycle_result *out);
void cycle_free(struct cycle *cycle);

/* Of the states in accepting components of `set`, those nearest to the initial state, and of these the least, by key.
   From it a cycle inside its component that satisfies all conditions: to the nearest step of a condition that is still
   open, and back. `set` contains an accepting cycle. (lasso.c) */
floe_status cycles_extract(const struct cycle_graph *graph, const struct number_set *set, struct cycle *out);

#endif
