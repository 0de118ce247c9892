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
  struct gpu_rank *rank;
  struct moment_lane *files;       /* [members of the crew] */
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
  struct moment_lane *file = &keep->files[member];
  moment_lane_section(file, section);
  if (keep->lanes)
    gpu_tree_visit(keep->rank, keep->lanes, member, keys, waiting, n, moment_lane_put, file);
  else
    moment_lane_put(file, waiting, n);
}

static void put_keys(void *user, unsigned member, const uint64_t *keys, uint64_t n) {
  put(user, member, CHECKPOINT_KEYS, true, keys, n);
}

static void put_share(void *data, unsigned member) {
  const struct keep *keep = data;
  const unsigned members = crew_size(keep->rank->content.crew);
  const uint64_t first = keep->n * member / members, end = keep->n * (member + 1) / members;
  put(keep, member, keep->section, false, keep->states + first, end - first);
}

static void put_states(void *user, const uint64_t *states, uint64_t n) {
  struct keep *keep = user;
  keep->states = states;
  keep->n = n;
  crew_run(keep->rank->content.crew, put_share, keep);
}

static floe_status keep_pending(struct keep *keep) {
  struct gpu_rank *rank = keep->rank;
  uint64_t *buffer = rank->content.host_keys[0];
  keep->section = CHECKPOINT_PENDING;
  for (uint64_t at = 0; at < rank->control.pending_count; at += rank->content.room) {
    const uint64_t n = least(rank->content.room, rank->control.pending_count - at);
    FLOE_TRY(gpu_download(rank->gpu, buffer, rank->pending + at * sizeof *buffer, n * sizeof *buffer));
    put_states(keep, buffer, n);
  }
  put_states(keep, rank->unplaced.states + rank->unplaced.put, rank->unplaced.count - rank->unplaced.put);
  return FLOE_OK;
}

/* States that have no root yet are there in full. */
static floe_status keep_unnamed(struct keep *keep) {
  struct gpu_rank *rank = keep->rank;
  uint64_t *buffer = rank->content.host_keys[0];
  const uint64_t words = rank->tree.words, bytes = words * sizeof *buffer;
  if (!words || rank->control.unnamed_count == 0)
    return FLOE_OK;
  const uint64_t room = rank->content.room / words;
  if (room == 0)
    return FLOE_ERROR_MEMORY;
  moment_lane_section(&keep->files[0], CHECKPOINT_PENDING);
  for (uint64_t at = 0; at < rank->control.unnamed_count; at += room) {
    const uint64_t n = least(room, rank->control.unnamed_count - at);
    FLOE_TRY(gpu_download(rank->gpu, buffer, rank->tree.unnamed + at * bytes, n * bytes));
    moment_lane_put(&keep->files[0], buffer, n);
  }
  return FLOE_OK;
}

static floe_status keep_waiting(struct keep *keep) {
  struct gpu_rank *rank = keep->rank;
  const struct gpu_content *content = &rank->content;
  const bool closed = rank->search->complete == rank->search->levels;
  keep->section = closed ? CHECKPOINT_NEXT : CHECKPOINT_REST;
  FLOE_TRY(queue_each(rank, false, content->host_keys[0], content->room, put_states, keep));
  keep->section = CHECKPOINT_NEXT;
  FLOE_TRY(queue_each(rank, true, content->host_keys[0], content->room, put_states, keep));
  put_states(keep, rank->unqueued.states, rank->unqueued.count);
  FLOE_TRY(keep_pending(keep));
  return keep_unnamed(keep);
}

static floe_status keep_keys(struct keep *keep) {
  struct gpu_rank *rank = keep->rank;
  uint64_t count;
  FLOE_TRY(content_export(rank, put_keys, keep, &count));
  if (count == rank_states(rank))
    return FLOE_OK;
  diag_error(rank->search->log, NULL, NOWHERE, "please report this with the model",
             "internal error: a table of %" PRIu64 " states had %" PRIu64 " keys for a checkpoint", rank_states(rank),
             count);
  return FLOE_ERROR_INTERNAL;
}

/* ---- sums --------------------------------------------------------------------------------------- */

static floe_status add_hits(struct keep *keep, struct moment *moment) {
  struct gpu_rank *rank = keep->rank;
  const struct gpu_control *control = &rank->control;
  for (uint64_t rest = control->triggered & search_wanted(rank->search); rest; rest &= rest - 1) {
    const size_t property = (size_t)__builtin_ctzll(rest);
    struct engine_hit hit = {.hit = true, .depth = search_depth(rank->search), .state = hits_state(rank, property)};
    if (!hit.state)
      return FLOE_ERROR_MEMORY;
    keep->witnesses[property] = hit.state;
    FLOE_TRY(hits_error(rank, property, hit.state, &hit.error));
    moment_add_hit(moment, property, &hit, rank->search->task->layout->key_words);
  }
  return FLOE_OK;
}

static floe_status add_sums(struct keep *keep, struct moment *moment) {
  struct gpu_rank *rank = keep->rank;
  const struct gpu_control *control = &rank->control;
  struct checkpoint_search *sums = &moment->sums;
  sums->transitions = control->transitions;
  sums->deadlocks = control->deadlocks;
  sums->checksum = control->checksum;
  sums->max_out_degree = (uint32_t)control->max_out_degree;
  sums->failed |= control->failed;
  if (!sums->cut && control->cut_depth != UINT32_MAX) {
    sums->cut = true;
    sums->cut_depth = control->cut_depth;
  }
  FLOE_TRY(gpu_download(rank->gpu, moment->fired, rank->fired, sums->transition_count * sizeof *moment->fired));
  return add_hits(keep, moment);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static floe_status open_lanes(struct keep *keep) {
  if (!keep->rank->tree.words)
    return FLOE_OK;
  FLOE_TRY(gpu_tree_copy(keep->rank));
  return gpu_tree_lanes(keep->rank, crew_size(keep->rank->content.crew), &keep->lanes);
}

static floe_status keep_states(struct keep *keep) {
  FLOE_TRY(open_lanes(keep));
  FLOE_TRY(keep_keys(keep));
  return keep_waiting(keep);
}

/* ---- with others of a group ---------------------------------------------------------------------- */

static void begin_phase(const struct keep *keep) {
  struct gpu_rank *rank = keep->rank;
  post_next(rank->search->task->post);
  exchange_begin(rank->member.together.exchange, keep->files[0].writer ? 0 : 1);
}

static void await(void *data, unsigned member) {
  const struct keep *keep = data;
  moment_lane_await(&keep->files[member]);
}

/* Whatever has come of it here: the others wait for its end. */
static void end_phase(struct keep *keep) {
  struct gpu_rank *rank = keep->rank;
  for (unsigned i = 0; i < crew_size(rank->content.crew); i++)
    moment_lane_flush(&keep->files[i]);
  if (!keep->files[0].writer)
    exchange_exhausted(rank->member.together.exchange, 0);
  crew_run(rank->content.crew, await, keep);
}

/* ---- beginning and end --------------------------------------------------------------------------- */

/* Of a group rank 0 decides. */
static bool begin(struct gpu_rank *rank, struct moment *moment) {
  struct search *search = rank->search;
  const struct checkpoint_order order = moment_order(&rank->visited.config, &rank->visited.shape);
  const unsigned lanes = crew_size(rank->content.crew);
  rank->member.keep_due = false;
  if (!member_is_one(rank))
    return moment_begin(search, lanes, &order, moment);
  return moment_group_begin(&rank->member.together, !search->ended || moment_is_last(search), lanes, &order, moment);
}

static void end(struct gpu_rank *rank, struct moment *moment, floe_status status) {
  if (member_is_one(rank))
    moment_group_end(&rank->member.together, moment, status == FLOE_OK ? rank->member.kept : status);
  else if (status == FLOE_OK)
    moment_end(rank->search, moment);
  else
    moment_give_up(rank->search, moment, status);
}

/* Of a rank that has begun a moment. */
static void keep_all(struct keep *keep, struct moment *moment) {
  struct gpu_rank *rank = keep->rank;
  const unsigned lanes = crew_size(rank->content.crew);
  for (unsigned i = 0; i < lanes; i++)
    keep->files[i] = (struct moment_lane){.together = &rank->member.together, .writer = moment->writer, .number = i};
  if (member_is_one(rank))
    begin_phase(keep);
  floe_status status = keep_states(keep);
  if (status == FLOE_OK)
    status = add_sums(keep, moment);
  if (member_is_one(rank))
    end_phase(keep);
  gpu_tree_lanes_free(keep->lanes, lanes);
  end(rank, moment, status);
}

void keep_moment(struct gpu_rank *rank) {
  struct keep keep = {.rank = rank, .files = rank->content.files};
  struct moment moment;
  if (rank->two && !rank->search->ended)
    two_levels_settle(rank);
  if (rank->two && rank->search->kept.inexact)
    return;
  if (begin(rank, &moment))
    keep_all(&keep, &moment);
  for (size_t i = 0; i < sizeof keep.witnesses / sizeof *keep.witnesses; i++)
    mem_free(keep.witnesses[i]);
}
