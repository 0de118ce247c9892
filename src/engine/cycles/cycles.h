/* Whether the states of a finished search contain an accepting cycle: one that satisfies each condition. A condition is
   an acceptance set of the automaton or a constraint of fairness. States are numbers of a visited set.

   A plain condition: some step of the cycle has its mark. Weak fairness is one: the steps of the constraint have the
   mark, and all steps from states in which it is not enabled.

   A strong condition: some step of the cycle has its mark, or it is enabled in none of the cycle's states.

   Forward passes: Z is the set of states that may lie on an accepting cycle. Repeat until nothing changes:
     trim: remove states without a predecessor in Z, until none is left to remove;
     for each condition: remove what is not reachable, within Z, from the target of a step in Z with its mark;
     of a strong condition only states in which it is enabled.
   There is an accepting cycle if and only if Z is not empty then.

   Proof. A state of an accepting cycle in Z is never removed: its predecessor on the cycle is in Z, and so is a marked
   step, from whose target the cycle leads to it; without one the condition is strong and not enabled in the state.

   If Z is not empty at the end, take a strongly connected component C of Z that no other component of Z leads to. Each
   of its states has a predecessor in Z, hence in C: C has a cycle. If a condition is plain, or enabled in some state of
   C, that state is reachable within Z from the target of a marked step, hence from one in C, whose source leads to C
   and so is in C. A cycle through all states of C and all these steps is accepting.

   There may be as many rounds of passes as levels, each of which finds that little more is not reachable. So after a
   round that leaves more than half of a small Z, one thread divides it into components instead
   (components_keep_accepting).
 */
#ifndef FLOE_ENGINE_CYCLES_CYCLES_H
#define FLOE_ENGINE_CYCLES_CYCLES_H

#include "core/status.h"
#include "core/threads/stop.h"
#include "engine/cycles/number_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CYCLES_MAX_CONDITIONS 64

/* A step; one that fails has marks only if its search says so, and leads to its source. */
struct cycle_step {
  uint64_t from, to; /* numbers */
  uint64_t marks;    /* bit i: it has the mark of condition i */
  uint64_t enabled;  /* bit i: the strong condition i is enabled in its source */
  uint32_t transition, choice;
};

typedef void cycle_visitor(void *user, const struct cycle_step *steps, size_t n);

/* States of a search. */
struct cycle_graph {
  uint64_t slots;      /* numbers are below */
  uint64_t initial;    /* number of the initial state, from which all are reachable */
  uint64_t conditions; /* mask. 0: each cycle of candidates is accepting */
  uint64_t strong;     /* those of them that are strong */
  uint64_t memory;     /* bytes that may be allocated */
  uint32_t most_pairs; /* that the search for a shortest cycle looks at (shortest_cycle.h); 0: CYCLES_MOST_PAIRS */
  /* Runs work(user, thread) on all threads, numbered from 0. */
  void (*run)(void *self, void (*work)(void *user, unsigned thread), void *user);
  /* Calls visit(user, number) for the states of part `thread` that may lie on an accepting cycle; each is in one part.
     In `thread`. */
  void (*candidates)(void *self, unsigned thread, void (*visit)(void *user, uint64_t number), void *user);
  /* Visits the steps of n states (at most CYCLES_BATCH), in their order and then in canonical order. In `thread`. */
  void (*expand)(void *self, unsigned thread, const uint64_t *numbers, size_t n, cycle_visitor *visit, void *user);
  /* Whether the key of state a is less than that of b. */
  bool (*precedes)(void *self, uint64_t a, uint64_t b);
  /* Of these states, those nearest to the initial state, and of these the least, by key. NULL: a search by `expand`
     finds it. Otherwise `expand` may leave out steps to states that are not in the set of cycles_extract, and `initial`
     is not used. */
  floe_status (*nearest)(void *self, const struct number_set *goals, uint64_t *number);
  void *self;
  struct stop stop;
};
#define CYCLES_BATCH 32
#define CYCLES_LEAST_ROUNDS 2                   /* before the rest is divided into components */
#define CYCLES_MOST_DIVIDED (UINT64_C(1) << 22) /* states of it: seconds */
#define CYCLES_MOST_PAIRS (UINT32_C(1) << 15)   /* milliseconds to a second */

/* An accepting cycle. */
struct cycle {
  uint64_t *states;                /* [steps + 1] numbers; the last one is the first one. NULL: no memory to find it */
  uint32_t *transitions, *choices; /* [steps] */
  size_t steps;
};

struct cycle_result {
  bool exists;
  bool unfinished;                       /* Z is not reduced, as it is to be divided into components */
  uint64_t candidates, passes, expanded; /* states at the start; passes over Z; states expanded by them */
  struct cycle cycle;                    /* if one exists; free with cycle_free */
};

/* The cycle depends on keys, not on numbers or threads. FLOE_ERROR_MEMORY. FLOE_ERROR_INTERRUPTED: graph->stop. */
floe_status cycles_find(const struct cycle_graph *graph, struct cycle_result *out);
/* Whether one exists; no cycle is made. */
floe_status cycles_exist(const struct cycle_graph *graph, struct cycle_result *out);
void cycle_free(struct cycle *cycle);

/* Z, `reached` and the queue of a machine that executes the passes; emptiness.c has one for threads. An error ends the
   passes, and is returned. The queue is empty before and after each expansion of it. */
struct cycle_machine {
  floe_status (*start)(void *self, uint64_t *size);  /* Z := the candidates; their number */
  floe_status (*count)(void *self, bool *saturated); /* counts, for each state of Z, the steps from Z; *saturated: some
                                                        count is too low, and stays so */
  floe_status (*remove)(void *self);                 /* states of Z without such a step go from Z to the queue */
  /* Expands the queue, and what it gets meanwhile: the steps of its states do not count any more. *removed: states
     that were in the queue. */
  floe_status (*uncount)(void *self, uint64_t *removed);
  /* Empties `reached`; then targets in Z of marked steps from Z go there and to the queue. If the condition is strong,
     notes the states of Z in which it is enabled. */
  floe_status (*reach_marked)(void *self, unsigned condition);
  floe_status (*reach)(void *self); /* expands the queue: the same for all steps */
  /* Removes from Z what is not reached, of a strong condition only states in which it is enabled. *size: of Z. */
  floe_status (*keep)(void *self, unsigned condition, uint64_t *size);
};

/* Reduces Z to the states that may lie on accepting cycles, none if there is no such cycle; *size: their number. After
   an interrupt, which the caller tests for, *size is undefined. Sets candidates, passes and unfinished of *figures:
   that only if `most_divided` states or fewer are left. */
floe_status cycles_reduce(const struct cycle_machine *machine, void *self, uint64_t conditions, uint64_t most_divided,
                          const struct stop *stop, struct cycle_result *figures, uint64_t *size);

/* Of the states in components of `set` that are accepting as a whole, those nearest to the initial state, and of these
   the least, by key. From it a cycle inside its component that satisfies all conditions: a shortest one, or, where the
   search for it takes too long, to the nearest step of a condition that is still open, and back. `set` is what remains
   of the passes, and not empty. (lasso.c) */
floe_status cycles_extract(const struct cycle_graph *graph, const struct number_set *set, struct cycle *out);

#endif
