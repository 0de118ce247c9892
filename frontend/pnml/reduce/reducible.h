/* A net that rules of reduction change. Places keep their numbers: a removed one has no arcs. */
#ifndef FLOE_FRONTEND_PNML_REDUCE_REDUCIBLE_H
#define FLOE_FRONTEND_PNML_REDUCE_REDUCIBLE_H

#include "frontend/pnml/net.h"

/* What stays the same. Each level permits more rules than the one before. The last two keep no infinite runs. */
enum net_keep {
  KEEP_STEPS,     /* all runs: formulas of linear time */
  KEEP_RUNS,      /* runs but for steps that change no visible place: formulas of linear time without `next` */
  KEEP_DEADLOCKS, /* whether a deadlock is reachable, and which markings of the visible places are */
  KEEP_REACHABLE, /* which markings of the visible places are reachable */
};

/* In the order in which they are tried. */
enum net_rule {
  RULE_CONSTANT,
  RULE_DEAD,
  RULE_DUPLICATE,
  RULE_IMPLICIT,
  RULE_ENDLESS,
  RULE_IRRELEVANT,
  RULE_POST,
  RULE_PRE,
  NET_RULES
};

/* Its arcs, sorted by place, one for each. They lose those of removed places and do not change otherwise. */
struct reducible_transition {
  struct net_arc *arcs;
  size_t count;
  bool removed;
  const char *name;
  source_at at;
  uint32_t first, second; /* of one that agglomeration made: it fires these two */
};

/* Agglomerations in their order, as far as runs of the net as read need them (expand_run.c). */
struct agglomerated {
  uint32_t drain; /* fires `times` times, before all else */
  int64_t times;
  const uint32_t *delayed; /* [delayed_count] they may be enabled in a deadlock of the reduced net */
  size_t delayed_count;
};

/* Transitions that have or had an arc with the place, each once; some may be removed. */
struct reducible_place {
  uint32_t *transitions;
  size_t count, cap;
  int64_t initial;
  bool visible; /* a question reads its tokens */
  bool tested;  /* an inhibitor arc reads its tokens, or a reset arc takes them: more tokens may disable something */
  bool removed;
};

struct reducible {
  const struct net *net;
  struct arena *arena; /* its guard is active */
  enum net_keep keep;
  struct reducible_place *places;           /* [net->place_count] */
  struct reducible_transition *transitions; /* new ones are appended */
  size_t transition_count, transition_cap;
  struct agglomerated *agglomerated;
  size_t agglomerated_count, agglomerated_cap;
  size_t arcs;                  /* of transitions that are not removed */
  uint64_t work;                /* arcs looked at by rules that compare pairs */
  size_t removed_by[NET_RULES]; /* places and transitions */
};

/* Rules compare so many arcs at most: about two seconds. */
#define REDUCE_MOST_WORK UINT64_C(300000000)

/* Initially all places are invisible. */
void reducible_create(struct reducible *r, const struct net *net, struct arena *arena);
/* A net with the same places, and without groups of transitions. */
struct net *reducible_net(const struct reducible *r);

/* NULL: none. */
const struct net_arc *reducible_arc(const struct reducible_transition *t, uint32_t place);
void remove_place(struct reducible *r, uint32_t place, enum net_rule rule); /* with its arcs */
void remove_transition(struct reducible *r, uint32_t transition, enum net_rule rule);
/* One that fires `first`, then `second`. `arcs` is kept. */
void append_transition(struct reducible *r, struct net_arc *arcs, size_t count, uint32_t first, uint32_t second);
/* The k-th transition that has an arc with the place, which becomes *arc; NULL: it has none any more. */
struct reducible_transition *place_transition(const struct reducible *r, uint32_t place, size_t k,
                                              const struct net_arc **arc);

/* Rules. Each returns whether it changed anything. */
bool reduce_constant(struct reducible *r); /* local_rules.c */
bool reduce_dead(struct reducible *r);
bool reduce_duplicate(struct reducible *r); /* duplicates.c */
bool reduce_implicit(struct reducible *r);  /* implicit_places.c */
bool reduce_post(struct reducible *r);      /* agglomerate.c */
bool reduce_pre(struct reducible *r);
bool reduce_endless(struct reducible *r);    /* local_rules.c */
bool reduce_irrelevant(struct reducible *r); /* irrelevant.c */

#endif
