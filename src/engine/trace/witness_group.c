#include "engine/trace/witness_group.h"

#include "core/mem.h"
#include "engine/comm/allgather.h"
#include "engine/path.h"

#include <assert.h>
#include <string.h>

struct predecessors_request {
  uint32_t command, level; /* COMMAND_FIND_PREDECESSORS */
  uint64_t count;
  uint64_t targets[]; /* [count] states */
};

/* Followed by a struct reply_entry for each target, if the status is FLOE_OK. */
struct predecessors_reply {
  uint64_t status; /* floe_status, as of backward_search */
  uint64_t found;  /* mask of targets */
};

struct reply_entry {
  struct step_edge edge;
  uint32_t apart;
  uint64_t state[];
};

static size_t entry_bytes(const struct backward *back) {
  return sizeof(struct reply_entry) + back->words * sizeof(uint64_t);
}

static size_t reply_bytes(const struct backward *back) {
  return sizeof(struct predecessors_reply) + back->target_count * entry_bytes(back);
}

static floe_status send_request(const struct backward *back) {
  struct comm *comm = back->search->comm;
  const size_t states = (size_t)back->target_count * back->words * sizeof(uint64_t);
  struct predecessors_request *request = mem_alloc(sizeof *request + states);
  if (!request)
    return FLOE_ERROR_MEMORY;
  *request = (struct predecessors_request){
      .command = COMMAND_FIND_PREDECESSORS, .level = back->level, .count = back->target_count};
  memcpy(request->targets, back->targets, states);
  comm_next_epoch(comm);
  comm_send_all(comm, MSG_COMMAND, 0, request, sizeof *request + states);
  mem_free(request);
  return FLOE_OK;
}

static void write_reply(const struct backward *back, const struct predecessors *best, unsigned char *to) {
  const struct predecessors_reply head = {.status = FLOE_OK, .found = best->found};
  memcpy(to, &head, sizeof head);
  to += sizeof head;
  for (unsigned i = 0; i < back->target_count; i++, to += entry_bytes(back)) {
    const struct reply_entry entry = {.edge = best->edges[i]};
    memcpy(to, &entry, sizeof entry);
    memcpy(to + sizeof entry, best->states + (size_t)i * back->words, back->words * sizeof(uint64_t));
  }
}

/* Gathers the results on process 0. A member that cannot search sends its status. */
static floe_status send_reply(const struct backward *back, const struct predecessors *best, floe_status searched,
                              struct all_gathered *out) {
  unsigned char *reply = searched == FLOE_OK ? mem_alloc(reply_bytes(back)) : NULL;
  const struct predecessors_reply none = {.status = searched == FLOE_OK ? FLOE_ERROR_MEMORY : searched};
  if (!reply)
    return gather_to_root(back->search->comm, &none, sizeof none, &back->search->stop, out);
  write_reply(back, best, reply);
  const floe_status status = gather_to_root(back->search->comm, reply, reply_bytes(back), &back->search->stop, out);
  mem_free(reply);
  return status;
}

/* Adds one member's reply. Returns the error of a member that could not search. */
static floe_status add_reply(const struct backward *back, const void *content, struct predecessors *best) {
  const struct predecessors_reply *reply = content;
  const unsigned char *at = (const unsigned char *)(reply + 1);
  if (reply->status != FLOE_OK)
    return (floe_status)reply->status;
  for (unsigned i = 0; i < back->target_count; i++, at += entry_bytes(back)) {
    const struct reply_entry *entry = (const struct reply_entry *)at;
    if (reply->found >> i & 1 && predecessors_improve(best, i, entry->state))
      predecessors_keep(best, i, entry->state, entry->edge);
  }
  return FLOE_OK;
}

static floe_status add_replies(const struct backward *back, const struct all_gathered *all, struct predecessors *best) {
  for (unsigned i = 0; i < back->search->comm->group->size; i++)
    FLOE_TRY(add_reply(back, all->by[i].content, best));
  return FLOE_OK;
}

floe_status backward_search_group(struct backward *back, struct predecessors **best) {
  struct all_gathered all;
  FLOE_TRY(send_request(back));
  const floe_status searched = backward_search(back, best);
  FLOE_TRY(send_reply(back, *best, searched, &all));
  const floe_status status = add_replies(back, &all, *best);
  gathered_free(&all);
  if (status == FLOE_ERROR_UNSUPPORTED) /* a member was interrupted: interrupt later searches of this run as well */
    atomic_store_explicit(back->search->interrupt, true, memory_order_relaxed);
  return status;
}

floe_status paths_serve(const struct path_search *search, const void *content, size_t bytes, bool *interrupted) {
  const struct predecessors_request *request = content;
  struct all_gathered all = {NULL, NULL};
  struct backward back;
  struct predecessors *best = NULL;
  floe_status searched = backward_open(&back, search) ? FLOE_OK : FLOE_ERROR_MEMORY;
  back.level = request->level;
  back.targets = request->targets;
  back.target_count = (unsigned)request->count;
  assert(request->count <= PATHS_MOST && search->comm->group->rank > 0 &&
         bytes == sizeof *request + back.target_count * back.words * sizeof(uint64_t));
  (void)bytes;
  if (searched == FLOE_OK)
    searched = backward_search(&back, &best);
  *interrupted = searched == FLOE_ERROR_UNSUPPORTED;
  const floe_status status = send_reply(&back, best, searched, &all);
  backward_close(&back);
  return status;
}
