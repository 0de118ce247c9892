/* What the members of a group say to each other between the phases of their work (engine/comm/exchange.h), and what all
   come to: whatever engine a member has, all go on alike, and what one has to end for ends all. */
#ifndef FLOE_TOGETHER_H
#define FLOE_TOGETHER_H

#include "engine/comm/exchange.h"
#include "engine/distributed/state_owner.h"
#include "engine/search.h"

struct collective {
  struct heartbeat *heartbeat; /* while rank 0 writes a checkpoint (engine/snapshot/snapshot_group.c) */
  struct search *search;
  struct exchange *exchange;          /* NULL: the search is of one alone */
  unsigned rank, size;                /* of the group */
  uint32_t words;                     /* of a state */
  struct state_owner state_owner;     /* of a group */
  uint64_t states, transitions, next; /* of all members, as they said last; next: found of the next level */
  uint64_t others, others_fired;      /* states and transitions of the others */
  uint64_t packets, sent;             /* by other ways than `exchange`: messages, states */
};

/* Of one member. */
struct member_stats {
  uint64_t states, transitions, next; /* found and fired here in all; found of the next level */
  uint64_t triggered, failed;         /* masks of properties: in this level, of those wanted; so far */
  uint64_t in_flight;                 /* sent straight to others, less what came so, modulo 2^64 */
  uint32_t cut, rest;                 /* some firing failed; it has states of the level to expand yet */
  uint32_t keep;                      /* rank 0: a checkpoint is due */
  uint32_t unlinked; /* it cannot reach all others' memory (engine/peer_links.h), or they not its own */
};

struct reduced_stats {
  bool rest;     /* some member has */
  bool keep;     /* rank 0 wants one, and nothing has ended the search */
  bool unlinked; /* some member is */
  bool gathered; /* what was triggered is the search's now: the level is done with, one way or the other */
};

/* Before anything that may fail: all members of the group that search->task->post is of, if any, speak of that. */
void collective_join(struct collective *t, struct search *search);
/* Nothing where it is alone. `plan` as for exchange_create, *bytes: what it takes. FLOE_ERROR_MEMORY. */
floe_status collective_open(struct collective *t, const struct exchange_plan *plan, uint64_t *bytes);
void collective_close(struct collective *t); /* zeros are allowed */

/* Whose a state is. */
static inline unsigned collective_owner(const struct collective *t, const uint64_t *state) {
  return state_owner_of(&t->state_owner, state);
}

/* The member's least witness of a property that it says has triggered. */
typedef const struct engine_violation *collective_violation(void *user, size_t property);
/* After each phase, by all members: ends the search, with or without an error, where one of them has to. */
struct reduced_stats collective_reduce(struct collective *t, const struct member_stats *own,
                                       collective_violation *hit_of, void *user);
/* After each member has begun, or failed to: all go on, or none. Nothing has triggered yet. */
struct reduced_stats collective_begin(struct collective *t, const struct member_stats *own);
/* The others cannot be reached any more, or this member can take part in nothing more: ends the search with that. */
void collective_fail(struct collective *t, floe_status status);
/* Of what has come to this member: false: nothing has. */
typedef bool collective_take(void *user);
/* In a phase, works with the others, and takes what comes, until that is so, or there is nobody to wait for any more.
 */
void collective_drain(struct collective *t, bool (*is_done)(struct exchange *exchange), collective_take *take,
                      void *user);
/* What has been sent to this member, and what it holds, is to be put, or to be told in a checkpoint: the search goes
   on, or ends in a way that another run can go on from. */
bool collective_is_exact(const struct collective *t);
/* Adds up the figures of all members for rank 0. */
floe_status collective_report(struct collective *t, struct engine_outcome *out);

#endif
