/* Petri net as read: places, transitions and arcs, with pages and references resolved. */
#ifndef FLOE_FRONTEND_PNML_NET_H
#define FLOE_FRONTEND_PNML_NET_H

#include "core/arena.h"
#include "core/diag.h"
#include "frontend/pnml/id_table.h"

/* The largest number of tokens in a place, and the largest weight. */
#define NET_MOST_TOKENS INT32_MAX

#define NO_BOUND (-1)

struct net_place {
  const char *id, *name; /* name: unique among places, for traces */
  source_at at;
  int64_t initial;
  bool safe;     /* the file states that it never has more than one token; checked while states are explored */
  int64_t bound; /* proved (place_bounds.h); NO_BOUND: none */
};

struct net_transition {
  const char *id, *name; /* name: unique among transitions */
  source_at at;
  size_t first, end; /* its arcs: arcs[first..end), by place; one for each place */
};

/* All arcs between a transition and a place, in one. The transition is enabled if `needs` <= tokens, and tokens <
   `below` if that is not 0. It takes `takes` tokens, all if `resets`, and then puts `puts`. */
struct net_arc {
  uint32_t place, transition;
  int64_t needs, below, takes, puts;
  bool resets;
  source_at at, end; /* of the first arc that is written */
};

static inline int64_t arc_change(const struct net_arc *arc) { return arc->puts - arc->takes; }
/* A firing of its transition may change the tokens. */
static inline bool arc_changes(const struct net_arc *arc) { return arc->puts != arc->takes || arc->resets; }
/* Whether its transition is enabled depends on the tokens. */
static inline bool arc_has_condition(const struct net_arc *arc) { return arc->needs || arc->below; }
static inline bool arc_permits(const struct net_arc *arc, int64_t tokens) {
  return arc->needs <= tokens && (!arc->below || tokens < arc->below);
}

/* The largest number of tokens is not known, or the file claims that it is smaller than what was proved. */
static inline bool net_place_is_guessed(const struct net_place *place) {
  return place->bound == NO_BOUND || (place->safe && place->bound > 1);
}

/* What an id of the file stands for: a place or transition, or the consecutive ones that it was unfolded to. */
struct net_group {
  const char *id;
  bool is_place;
  uint32_t first, count;
};

/* Of a nested-unit net (read_units.c). */
struct net_unit {
  uint32_t *places; /* [count] without those of the units in it */
  size_t count, cap;
  uint32_t parent; /* the unit that contains it, or NO_UNIT */
};
#define NO_UNIT UINT32_MAX

/* Places with at most one token together (exclusive_places.h). */
struct net_sum {
  uint32_t *places; /* [count] ascending */
  size_t count;
  bool one; /* exactly one */
};

struct net {
  const struct source *source;
  const char *name;
  struct net_place *places;
  size_t place_count, place_cap;
  struct net_transition *transitions;
  size_t transition_count, transition_cap;
  struct net_arc *arcs;
  size_t arc_count, arc_cap;
  struct net_group *groups;
  size_t group_count, group_cap;
  struct net_unit *units; /* of a file that claims that the net is safe */
  size_t unit_count, unit_cap;
  struct net_sum *sums; /* all that were proved */
  size_t sum_count, sum_cap;
  struct net_sum *exclusive; /* selected ones, disjoint */
  size_t exclusive_count;
  struct net_sum *claimed; /* disjoint from these: units of the file, which claims that they have one token at most */
  size_t claimed_count;
  struct id_table place_ids, transition_ids; /* numbers of groups */
};

#endif
