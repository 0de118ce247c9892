/* Collective decision after each phase (engine/comm/exchange.h): members exchange statistics and stop reasons and
   reach the same result, whatever engine each has. If one member must stop, all stop. */
#ifndef FLOE_ENGINE_DISTRIBUTED_COLLECTIVE_H
#define FLOE_ENGINE_DISTRIBUTED_COLLECTIVE_H

#include "engine/comm/exchange.h"
#include "engine/distributed/state_owner.h"
#include "engine/search.h"

struct collective {
  struct heartbeat *heartbeat; /* while rank 0 writes a checkpoint (engine/snapshot/snapshot_save.c) */
  struct search *search;
  struct exchange *exchange;                /* NULL: the search has one member */
  unsigned rank, size;                      /* in the group; 0 and 1 for a search of one member */
  uint32_t words;                           /* of a state */
  struct state_owner state_owner;           /* of a group */
  uint64_t states, transitions;             /* sums over all members after the last phase */
  uint64_t next;                            /* the same: states found of the next level */
  uint64_t other_states, other_transitions; /* states and transitions of the other members */
  uint64_t packets, sent;                   /* sent without `exchange`: messages, states */
};

/* Statistics of one member after a phase. */
struct member_stats {
  uint64_t states, transitions; /* found and fired by this member in all */
  uint64_t next;                /* states found of the next level */
  uint64_t triggered;           /* mask of checked properties that triggered in this level */
  uint64_t failed;              /* mask of properties whose evaluation has failed so far */
  uint64_t in_flight;           /* sent directly to other members, minus received so, modulo 2^64 */
  uint32_t firing_failed;       /* the firing of some transition has failed */
  uint32_t unfinished;          /* the member still has states of the level to expand */
  uint32_t checkpoint_due;      /* on rank 0 */
  uint32_t unlinked; /* it cannot access the memory of all other members (engine/peer_links.h), or they not its own */
};

struct reduced_stats {
  bool unfinished;     /* some member still has states of the level to expand */
  bool checkpoint_due; /* and the search has not ended */
  bool unlinked;       /* some member is unlinked */
  bool gathered; /* the search has the violations of all members: the level is complete, or the search has ended */
};

/* Called by all members before anything that may fail. The group is that of the task's comm; without one the search is
   a group of one member. */
void collective_join(struct collective *t, struct search *search);
/* Does nothing for a search of one member. `plan` as for exchange_create; *bytes: its memory. FLOE_ERROR_MEMORY. */
floe_status collective_open(struct collective *t, const struct exchange_plan *plan, uint64_t *bytes);
void collective_close(struct collective *t); /* zeros are allowed */

/* Owner of a state. */
static inline unsigned collective_owner(const struct collective *t, const uint64_t *state) {
  return state_owner_of(&t->state_owner, state);
}

/* A search of one member owns all states. */
static inline bool collective_owns(const struct collective *t, const uint64_t *state) {
  return t->size == 1 || collective_owner(t, state) == t->rank;
}

/* The least violating state that this member found for a property that it reports as triggered. */
typedef const struct engine_violation *collective_violation(void *user, size_t property);
/* Called by all members after each phase: reduces their statistics and ends the search, with or without an error, if
   one of them must end. */
struct reduced_stats collective_reduce(struct collective *t, const struct member_stats *own,
                                       collective_violation *hit_of, void *user);
/* Called by all members after each has prepared, or failed to: all continue, or none. No property has triggered yet. */
struct reduced_stats collective_begin(struct collective *t, const struct member_stats *own);
/* The other members are unreachable, or this member cannot take part any more: ends the search with this status. */
void collective_fail(struct collective *t, floe_status status);
/* Processes a received packet; false: there is none. */
typedef bool collective_take(void *user);
/* Makes progress in a phase and processes received packets until is_done returns true, or the phase cannot end any
   more: it is stopped, or the other members are lost. */
void collective_drain(struct collective *t, bool (*is_done)(struct exchange *exchange), collective_take *take,
                      void *user);
/* True: received states and states held back must still be inserted or saved, because the search continues or ends
   in a way that another run can resume. */
bool collective_is_exact(const struct collective *t);
/* Sums the statistics of all members on rank 0; nothing for a search of one member. Members call it soon after the last
   reduction: rank 0 takes those for lost from which nothing arrives for comm_timeout seconds. */
floe_status collective_report(struct collective *t, struct engine_outcome *out);

#endif
