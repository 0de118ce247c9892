/* The GPU's rank between two launches, into a checkpoint. Of a group all members are at rest, and rank 0 writes the one
   file: what the others have comes to it in letters, as from CPUs (engine/cpu/cpu_save.c). */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot_group.h"
#include "engine/snapshot/snapshot_writer.h"
#include "gpu/engine/host_backed_set.h"

#include <inttypes.h>
#include <string.h>

struct keep {
  struct gpu_search *search;
  struct snapshot_writer *files;       /* [members of the crew] */
  enum checkpoint_section section; /* states that the crew shares */
  const uint64_t *states;
  uint64_t n;
  struct gpu_tree_lane *lanes; /* of states of several words; NULL: they are of one */
  uint64_t *witnesses[64];     /* by property, which the moment points to up to its end */
};

/* ---- states ------------------------------------------------------------------------------------- */

/* `keys`: what waits is as the visited set has it. */
static void put(const struct keep *keep, unsigned member, enum checkpoint_section section, bool keys,
                const uint64_t *waiting, uint64_t n) {
  struct snapshot_writer *file = &keep->files[member];
  snapshot_writer_section(file, section);
  if (keep->lanes)
    gpu_tree_visit(keep->search, keep->lanes, member, keys, waiting, n, snapshot_writer_put, file);
  else
    snapshot_writer_put(file, waiting, n);
}

static void put_keys(void *user, unsigned member, const uint64_t *keys, uint64_t n) {
  put(user, member, CHECKPOINT_KEYS, true, keys, n);
}

static void put_share(void *data, unsigned member) {
  const struct keep *keep = data;
  const unsigned members = pool_size(keep->search->content.pool);
  const uint64_t first = keep->n * member / members, end = keep->n * (member + 1) / members;
  put(keep, member, keep->section, false, keep->states + first, end - first);
}

static void put_states(void *user, const uint64_t *states, uint64_t n) {
  struct keep *keep = user;
  keep->states = states;
  keep->n = n;
  pool_run(keep->search->content.pool, put_share, keep);
}

static floe_status keep_pending(struct keep *keep) {
  struct gpu_search *self = keep->search;
  uint64_t *buffer = self->content.host_keys[0];
  keep->section = CHECKPOINT_PENDING;
  for (uint64_t at = 0; at < self->control.pending_count; at += self->content.room) {
    const uint64_t n = least(self->content.room, self->control.pending_count - at);
    FLOE_TRY(gpu_download(self->gpu, buffer, self->pending + at * sizeof *buffer, n * sizeof *buffer));
    put_states(keep, buffer, n);
  }
  put_states(keep, self->unplaced.states + self->unplaced.put, self->unplaced.count - self->unplaced.put);
  return FLOE_OK;
}

/* States that have no root yet are there in full. */
static floe_status keep_unnamed(struct keep *keep) {
  struct gpu_search *self = keep->search;
  uint64_t *buffer = self->content.host_keys[0];
  const uint64_t words = self->tree.words, bytes = words * sizeof *buffer;
  if (!words || self->control.tree_pending_count == 0)
    return FLOE_OK;
  const uint64_t room = self->content.room / words;
  if (room == 0)
    return FLOE_ERROR_MEMORY;
  snapshot_writer_section(&keep->files[0], CHECKPOINT_PENDING);
  for (uint64_t at = 0; at < self->control.tree_pending_count; at += room) {
    const uint64_t n = least(room, self->control.tree_pending_count - at);
    FLOE_TRY(gpu_download(self->gpu, buffer, self->tree.unnamed + at * bytes, n * bytes));
    snapshot_writer_put(&keep->files[0], buffer, n);
  }
  return FLOE_OK;
}

static floe_status keep_waiting(struct keep *keep) {
  struct gpu_search *self = keep->search;
  const struct key_transfer *content = &self->content;
  const bool closed = self->search->levels.complete == self->search->levels.count;
  keep->section = closed ? CHECKPOINT_NEXT : CHECKPOINT_REST;
  FLOE_TRY(queue_each(self, false, content->host_keys[0], content->room, put_states, keep));
  keep->section = CHECKPOINT_NEXT;
  FLOE_TRY(queue_each(self, true, content->host_keys[0], content->room, put_states, keep));
  put_states(keep, self->unqueued.states, self->unqueued.count);
  FLOE_TRY(keep_pending(keep));
  return keep_unnamed(keep);
}

static floe_status keep_keys(struct keep *keep) {
  struct gpu_search *self = keep->search;
  uint64_t count;
  FLOE_TRY(content_export(self, put_keys, keep, &count));
  if (count == gpu_search_states(self))
    return FLOE_OK;
  diag_error(self->search->log, NULL, NOWHERE, "please report this with the model",
             "internal error: a table of %" PRIu64 " states had %" PRIu64 " keys for a checkpoint", gpu_search_states(self),
             count);
  return FLOE_ERROR_INTERNAL;
}

/* ---- sums --------------------------------------------------------------------------------------- */

static floe_status add_hits(struct keep *keep, struct snapshot *snapshot) {
  struct gpu_search *self = keep->search;
  const struct gpu_control *control = &self->control;
  for (uint64_t rest = control->level.triggered & search_pending_properties(self->search); rest; rest &= rest - 1) {
    const size_t property = (size_t)__builtin_ctzll(rest);
    struct engine_violation violation = {.violation = true, .depth = search_depth(self->search), .state = violations_state(self, property)};
    if (!violation.state)
      return FLOE_ERROR_MEMORY;
    keep->witnesses[property] = violation.state;
    FLOE_TRY(violations_error(self, property, violation.state, &violation.error));
    snapshot_add_violation(snapshot, property, &violation, self->search->task->layout->key_words);
  }
  return FLOE_OK;
}

static floe_status add_sums(struct keep *keep, struct snapshot *snapshot) {
  struct gpu_search *self = keep->search;
  const struct gpu_control *control = &self->control;
  struct checkpoint_search *sums = &snapshot->sums;
  sums->transitions = control->results.transitions;
  sums->deadlocks = control->results.deadlocks;
  sums->checksum = control->results.checksum;
  sums->max_out_degree = (uint32_t)control->results.max_out_degree;
  sums->failed |= control->results.failed;
  if (!sums->firing_failed && control->results.firing_failed_depth != UINT32_MAX) {
    sums->firing_failed = true;
    sums->firing_failed_depth = control->results.firing_failed_depth;
  }
  FLOE_TRY(gpu_download(self->gpu, snapshot->fired, self->fired, sums->transition_count * sizeof *snapshot->fired));
  return add_hits(keep, snapshot);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static floe_status open_lanes(struct keep *keep) {
  if (!keep->search->tree.words)
    return FLOE_OK;
  FLOE_TRY(gpu_tree_copy(keep->search));
  return gpu_tree_lanes(keep->search, pool_size(keep->search->content.pool), &keep->lanes);
}

static floe_status keep_states(struct keep *keep) {
  FLOE_TRY(open_lanes(keep));
  FLOE_TRY(keep_keys(keep));
  return keep_waiting(keep);
}

/* ---- with others of a group ---------------------------------------------------------------------- */

static void begin_phase(const struct keep *keep) {
  struct gpu_search *self = keep->search;
  comm_next_epoch(self->search->task->group.comm);
  exchange_begin(self->member.collective.exchange, keep->files[0].file ? 0 : 1);
}

static void await(void *data, unsigned member) {
  const struct keep *keep = data;
  snapshot_writer_await(&keep->files[member]);
}

/* Whatever has come of it here: the others wait for its end. */
static void end_phase(struct keep *keep) {
  struct gpu_search *self = keep->search;
  for (unsigned i = 0; i < pool_size(self->content.pool); i++)
    snapshot_writer_flush(&keep->files[i]);
  if (!keep->files[0].file)
    exchange_worker_done(self->member.collective.exchange, 0);
  pool_run(self->content.pool, await, keep);
}

/* ---- beginning and end --------------------------------------------------------------------------- */

/* Of a group rank 0 decides. */
static bool begin(struct gpu_search *self, struct snapshot *snapshot) {
  struct search *search = self->search;
  const struct checkpoint_order order = snapshot_order(&self->visited.config, &self->visited.shape);
  const unsigned lanes = pool_size(self->content.pool);
  self->member.keep_due = false;
  if (!member_is_one(self))
    return snapshot_begin(search, lanes, &order, snapshot);
  return snapshot_group_begin(&self->member.collective, !search->ended || snapshot_is_last(search), lanes, &order, snapshot);
}

static void end(struct gpu_search *self, struct snapshot *snapshot, floe_status status) {
  if (member_is_one(self))
    snapshot_group_end(&self->member.collective, snapshot, status == FLOE_OK ? self->member.kept : status);
  else if (status == FLOE_OK)
    snapshot_end(self->search, snapshot);
  else
    snapshot_give_up(self->search, snapshot, status);
}

/* Of a rank that has begun a moment. */
static void keep_all(struct keep *keep, struct snapshot *snapshot) {
  struct gpu_search *self = keep->search;
  const unsigned lanes = pool_size(self->content.pool);
  for (unsigned i = 0; i < lanes; i++)
    keep->files[i] = (struct snapshot_writer){.collective = &self->member.collective, .file = snapshot->writer, .number = i};
  if (member_is_one(self))
    begin_phase(keep);
  floe_status status = keep_states(keep);
  if (status == FLOE_OK)
    status = add_sums(keep, snapshot);
  if (member_is_one(self))
    end_phase(keep);
  gpu_tree_lanes_free(keep->lanes, lanes);
  end(self, snapshot, status);
}

void gpu_save(struct gpu_search *self) {
  struct keep keep = {.search = self, .files = self->content.files};
  struct snapshot snapshot;
  if (self->host_backed && !self->search->ended)
    host_backed_settle(self);
  if (self->host_backed && self->search->checkpoints.inexact)
    return;
  if (begin(self, &snapshot))
    keep_all(&keep, &snapshot);
  for (size_t i = 0; i < sizeof keep.witnesses / sizeof *keep.witnesses; i++)
    mem_free(keep.witnesses[i]);
}
