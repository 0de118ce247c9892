#include "engine/snapshot/snapshot_group.h"

#include "checkpoint/fields.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/comm/allgather.h"
#include "engine/comm/heartbeat.h"

#include <string.h>

static struct comm *comm_of(const struct collective *t) { return t->search->task->group.comm; }

/* ---- begin --------------------------------------------------------------------------------------- */

/* Exchanges statuses: returns the first that is not FLOE_OK; *rank: the member that has it. */
static floe_status exchange_status(struct collective *t, floe_status mine, unsigned *rank) {
  const uint32_t word = mine;
  struct all_gathered all;
  floe_status status = allgather(comm_of(t), &word, sizeof word, &t->search->stop, &all);
  if (status != FLOE_OK) {
    collective_fail(t, status);
    return FLOE_ERROR_IO;
  }
  for (*rank = 0; *rank < t->size && status == FLOE_OK; ++*rank)
    status = (floe_status) * (const uint32_t *)all.by[*rank].content;
  --*rank;
  gathered_free(&all);
  return status;
}

/* Leaves because of the status of some member; rank 0 logs it. */
static void leave_snapshot(struct collective *t, struct snapshot *snapshot, floe_status status) {
  if (t->rank == 0)
    snapshot_give_up(t->search, snapshot, status);
  else
    snapshot_leave(t->search, snapshot);
}

bool snapshot_group_begin(struct collective *t, bool due, unsigned contexts, const struct checkpoint_order *order,
                          struct snapshot *out) {
  const bool begun = t->rank > 0 ? snapshot_begin_part(t->search, out) //
                                 : due && snapshot_begin(t->search, contexts, order, out);
  unsigned rank;
  const floe_status status = exchange_status(t, begun ? FLOE_OK : FLOE_ERROR_MEMORY, &rank);
  if (status != FLOE_OK && begun)
    leave_snapshot(t, out, status);
  if (status == FLOE_OK && t->rank == 0)
    t->heartbeat = heartbeat_begin(comm_of(t), NULL);
  return status == FLOE_OK;
}

/* ---- end ----------------------------------------------------------------------------------------- */

struct decoding {
  struct arena arena;
  const struct gathered *gathered;
  uint32_t words;
  struct checkpoint_search search;
  bool sound;
};

static void decode(void *data) {
  struct decoding *d = data;
  d->sound = search_decode(d->gathered->content, d->gathered->bytes, d->words, &d->arena, &d->search);
}

/* Violations of other members are allocated in the arena. */
static floe_status add_parts(struct collective *t, const struct all_gathered *all, struct snapshot *snapshot,
                             struct decoding *decoding) {
  for (unsigned i = 1; i < t->size; i++) {
    decoding->gathered = &all->by[i];
    if (arena_guard(&decoding->arena, decode, decoding) != 0)
      return FLOE_ERROR_MEMORY;
    if (!decoding->sound)
      return FLOE_ERROR_INTERNAL;
    snapshot_add_part(snapshot, &decoding->search, t->words);
  }
  return FLOE_OK;
}

static void write_file(struct collective *t, const struct all_gathered *all, struct snapshot *snapshot) {
  struct decoding decoding = {.words = t->words};
  arena_init(&decoding.arena);
  const floe_status status = add_parts(t, all, snapshot, &decoding);
  if (status == FLOE_OK)
    snapshot_end(t->search, snapshot);
  else
    snapshot_give_up(t->search, snapshot, status);
  arena_free(&decoding.arena);
}

/* All members have succeeded. */
static void gather_sums(struct collective *t, struct snapshot *snapshot, const struct byte_buffer *byte_buffer) {
  struct all_gathered all;
  const floe_status status = gather_to_root(comm_of(t), byte_buffer->bytes, byte_buffer->n, &t->search->stop, &all);
  if (status != FLOE_OK) {
    leave_snapshot(t, snapshot, FLOE_ERROR_IO);
    collective_fail(t, status);
    return;
  }
  if (t->rank == 0)
    write_file(t, &all, snapshot);
  else
    snapshot_leave(t->search, snapshot);
  gathered_free(&all);
}

static void log_failure(struct collective *t, floe_status status, unsigned rank) {
  if (status == FLOE_ERROR_IO)
    diag_warning(t->search->log, NULL, NOWHERE, NULL, "no checkpoint: rank %u cannot read waiting states from its disk",
                 rank);
  else
    diag_warning(t->search->log, NULL, NOWHERE, NULL, "no checkpoint: rank %u failed: %s", rank,
                 floe_status_name(status));
}

/* Exchanging the status ends the phase in which states went to rank 0: no member begins another one before. */
void snapshot_group_end(struct collective *t, struct snapshot *snapshot, floe_status status) {
  struct byte_buffer byte_buffer = {0};
  unsigned rank = 0;
  search_encode(&snapshot->sums, t->words, &byte_buffer);
  if (status == FLOE_OK && byte_buffer.failed)
    status = FLOE_ERROR_MEMORY;
  status = exchange_status(t, status, &rank);
  if (status == FLOE_OK) {
    gather_sums(t, snapshot, &byte_buffer);
  } else {
    if (t->rank == 0 && status != FLOE_ERROR_MEMORY && t->search->status == FLOE_OK)
      log_failure(t, status, rank);
    leave_snapshot(t, snapshot, status);
  }
  mem_free(byte_buffer.bytes);
  heartbeat_end(t->heartbeat);
  t->heartbeat = NULL;
}

/* ---- restoring ----------------------------------------------------------------------------------- */

/* Encodes, on rank 0, the number of states of each section, then the search; the other members contribute nothing. */
static floe_status write_origin(const struct collective *t, struct byte_buffer *byte_buffer) {
  const struct checkpoint_reader *from = t->search->task->snapshot.from;
  if (t->rank > 0)
    return FLOE_OK;
  for (enum checkpoint_section i = 0; i < CHECKPOINT_SECTIONS; i++) {
    const uint64_t states = checkpoint_sizes_of(from, i).states;
    byte_buffer_add(byte_buffer, &states, sizeof states);
  }
  search_encode(checkpoint_search_of(from), t->words, byte_buffer);
  return byte_buffer->failed ? FLOE_ERROR_MEMORY : FLOE_OK;
}

struct origin_decoding {
  struct collective *collective;
  struct arena *arena;
  const struct gathered *gathered;
  bool sound;
};

static void decode_origin(void *data) {
  struct origin_decoding *l = data;
  struct search *search = l->collective->search;
  const size_t sizes = sizeof search->origin.states;
  struct checkpoint_search *from = arena_alloc(l->arena, sizeof *from);
  memcpy(search->origin.states, l->gathered->content, sizes);
  l->sound =
      search_decode(l->gathered->content + sizes, l->gathered->bytes - sizes, l->collective->words, l->arena, from);
  search->origin.search = from;
}

void snapshot_group_origin(struct collective *t, struct arena *arena) {
  struct byte_buffer byte_buffer = {0};
  struct all_gathered all = {NULL, NULL};
  floe_status status = write_origin(t, &byte_buffer);
  if (status == FLOE_OK)
    status = allgather(comm_of(t), byte_buffer.bytes, byte_buffer.n, &t->search->stop, &all);
  mem_free(byte_buffer.bytes);
  struct origin_decoding origin_decoding = {t, arena, all.by, false};
  if (status == FLOE_OK && (arena_guard(arena, decode_origin, &origin_decoding) != 0 || !origin_decoding.sound))
    status = FLOE_ERROR_MEMORY;
  if (status != FLOE_OK)
    collective_fail(t, status);
  gathered_free(&all);
}
