/* What the members of a group say to each other between the phases of their work (engine/comm/exchange.h), and what all come
   to: whatever engine a member has, all go on alike, and what one has to end for ends all. */
#ifndef FLOE_TOGETHER_H
#define FLOE_TOGETHER_H

#include "engine/comm/exchange.h"
#include "engine/distributed/state_owner.h"
#include "engine/search.h"

struct together {
  struct beat *beat; /* while rank 0 writes a checkpoint (engine/snapshot/snapshot_group.c) */
  struct search *search;
  struct exchange *exchange;          /* NULL: the search is of one alone */
  unsigned rank, size;                /* of the group */
  uint32_t words;                     /* of a state */
  struct owners owners;               /* of a group */
  uint64_t states, transitions, next; /* of all members, as they said last; next: found of the next level */
  uint64_t others, others_fired;      /* states and transitions of the others */
  uint64_t letters, sent;             /* by other ways than `exchange`: messages, states */
};

/* Of one member. */
struct together_figures {
  uint64_t states, transitions, next; /* found and fired here in all; found of the next level */
  uint64_t triggered, failed;         /* masks of properties: in this level, of those wanted; so far */
  uint64_t under_way;                 /* sent straight to others, less what came so, modulo 2^64 */
  uint32_t cut, rest;                 /* some firing failed; it has states of the level to expand yet */
  uint32_t keep;                      /* rank 0: a checkpoint is due */
  uint32_t unlinked;                  /* it cannot reach all others' memory (engine/peer_links.h), or they not its own */
};

struct together_sum {
  bool rest;     /* some member has */
  bool keep;     /* rank 0 wants one, and nothing has ended the search */
  bool unlinked; /* some member is */
  bool gathered; /* what was triggered is the search's now: the level is done with, one way or the other */
};

/* Before anything that may fail: all members of the group that search->task->post is of, if any, speak of that. */
void together_join(struct together *t, struct search *search);
/* Nothing where it is alone. `plan` as for exchange_create, *bytes: what it takes. FLOE_ERROR_MEMORY. */
floe_status together_open(struct together *t, const struct exchange_plan *plan, uint64_t *bytes);
void together_close(struct together *t); /* zeros are allowed */

/* Whose a state is. */
static inline unsigned together_owner(const struct together *t, const uint64_t *state) {
  return owners_find(&t->owners, state);
}

/* The member's least witness of a property that it says has triggered. */
typedef const struct engine_hit *together_hit(void *user, size_t property);
/* After each phase, by all members: ends the search, with or without an error, where one of them has to. */
struct together_sum together_conclude(struct together *t, const struct together_figures *own, together_hit *hit_of,
                                      void *user);
/* After each member has begun, or failed to: all go on, or none. Nothing has triggered yet. */
struct together_sum together_begin(struct together *t, const struct together_figures *own);
/* The others cannot be reached any more, or this member can take part in nothing more: ends the search with that. */
void together_lose(struct together *t, floe_status status);
/* Of what has come to this member: false: nothing has. */
typedef bool together_take(void *user);
/* In a phase, works with the others, and takes what comes, until that is so, or there is nobody to wait for any more.
 */
void together_await(struct together *t, bool (*is_done)(struct exchange *exchange), together_take *take, void *user);
/* What has been sent to this member, and what it holds, is to be put, or to be told in a checkpoint: the search goes
   on, or ends in a way that another run can go on from. */
bool together_is_exact(const struct together *t);
/* Adds up the figures of all members for rank 0. */
floe_status together_report(struct together *t, struct engine_outcome *out);

#endif
