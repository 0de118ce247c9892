/* Runs of a reduced net as runs of the net as read. A transition that agglomeration made fires its two parts. The other
   rules only remove transitions, and places that never prevent a firing: their transitions stand for themselves.

   In a deadlock of the reduced net, transitions h that pre-agglomeration delays may still be enabled, as they have no f
   to follow. They are fired until none is: each takes tokens that no other transition needs, so no other one becomes
   enabled. The last agglomeration comes first, since its h may have been made by earlier ones. */
#include "frontend/pnml/ground_properties.h"
#include "frontend/pnml/reduce/reducible.h"

#include <string.h>

enum {
  MOST_STEPS = 1 << 17, /* of a run of the net as read: agglomeration may double the steps of a run many times */
  MOST_REPETITIONS = 4, /* after which the removed places have the same tokens again, if they ever have */
};

struct expansion {
  const struct reducible *r;
  struct arena *arena;
  int64_t *tokens; /* [place_count] of the net as read, after the steps so far */
  uint32_t *steps;
  size_t count, cap;
  uint32_t *pending; /* transitions that are to be fired, the next one last */
  size_t pending_count, pending_cap;
  bool too_long;
};

static void fire_one(struct expansion *x, uint32_t transition) {
  const struct net *net = x->r->net;
  const struct net_transition *t = &net->transitions[transition];
  for (size_t a = t->first; a < t->end; a++) {
    const struct net_arc *arc = &net->arcs[a];
    int64_t *tokens = &x->tokens[arc->place];
    *tokens = (arc->resets ? 0 : *tokens - arc->takes) + arc->puts;
  }
  *ARENA_PUSH(x->arena, x->steps, x->count, x->cap) = transition;
}

/* `transition`: an index of r->transitions. */
static void fire(struct expansion *x, uint32_t transition) {
  x->pending_count = 0;
  *ARENA_PUSH(x->arena, x->pending, x->pending_count, x->pending_cap) = transition;
  while (x->pending_count > 0 && !x->too_long) {
    const uint32_t next = x->pending[--x->pending_count];
    if (next < x->r->net->transition_count) {
      fire_one(x, next);
    } else {
      *ARENA_PUSH(x->arena, x->pending, x->pending_count, x->pending_cap) = x->r->transitions[next].second;
      *ARENA_PUSH(x->arena, x->pending, x->pending_count, x->pending_cap) = x->r->transitions[next].first;
    }
    x->too_long = x->count > MOST_STEPS;
  }
}

/* The initial tokens of agglomerated places. */
static void drain_places(struct expansion *x) {
  for (size_t i = 0; i < x->r->agglomerated_count; i++)
    for (int64_t k = 0; k < x->r->agglomerated[i].times && !x->too_long; k++)
      fire(x, x->r->agglomerated[i].drain);
}

/* Removed transitions keep their arcs to places that were there when they were removed. */
static bool is_enabled(const struct expansion *x, uint32_t transition) {
  const struct reducible_transition *t = &x->r->transitions[transition];
  for (size_t i = 0; i < t->count; i++)
    if (!arc_permits(&t->arcs[i], x->tokens[t->arcs[i].place]))
      return false;
  return true;
}

static void fire_delayed(struct expansion *x) {
  for (size_t i = x->r->agglomerated_count; i-- > 0;) {
    const struct agglomerated *a = &x->r->agglomerated[i];
    for (size_t k = 0; k < a->delayed_count; k++)
      while (!x->too_long && is_enabled(x, a->delayed[k]))
        fire(x, a->delayed[k]);
  }
}

/* [count] of the reduced net */
static const uint32_t *find_transitions(const struct reducible *r, struct arena *arena) {
  uint32_t *transitions = arena_array(arena, r->transition_count, sizeof *transitions);
  size_t count = 0;
  for (uint32_t i = 0; i < r->transition_count; i++)
    if (!r->transitions[i].removed)
      transitions[count++] = i;
  return transitions;
}

/* Repeats the last steps until the removed places have the same tokens as before. False: they never have. */
static bool close_loop(struct expansion *x, const struct transition_run *run, const uint32_t *transitions,
                       size_t *loop) {
  const size_t bytes = x->r->net->place_count * sizeof *x->tokens;
  int64_t *before = arena_array(x->arena, x->r->net->place_count, sizeof *before);
  for (unsigned n = 0; n < MOST_REPETITIONS && !x->too_long; n++) {
    memcpy(before, x->tokens, bytes);
    *loop = x->count;
    for (size_t i = run->loop; i < run->count; i++)
      fire(x, transitions[run->steps[i]]);
    if (memcmp(before, x->tokens, bytes) == 0)
      return true;
  }
  return false;
}

const char *net_expand_run(const struct reducible *how, const struct transition_run *run, struct arena *arena,
                           struct transition_run *out) {
  struct expansion x = {.r = how, .arena = arena};
  const uint32_t *transitions = find_transitions(how, arena);
  const size_t once = run->repeats ? run->loop : run->count;
  bool closed = true;
  *out = *run;
  x.tokens = arena_array(arena, how->net->place_count, sizeof *x.tokens);
  for (size_t p = 0; p < how->net->place_count; p++)
    x.tokens[p] = how->net->places[p].initial;
  drain_places(&x);
  for (size_t i = 0; i < once; i++)
    fire(&x, transitions[run->steps[i]]);
  if (run->ends)
    fire_delayed(&x);
  if (run->ends && run->repeats)
    out->loop = x.count;
  else if (run->repeats)
    closed = close_loop(&x, run, transitions, &out->loop);
  out->steps = x.steps;
  out->count = x.count;
  return x.too_long ? "the run of the net as read is too long"
         : closed   ? NULL
                    : "a removed place has other tokens after each repetition";
}
