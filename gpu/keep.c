/* The GPU's rank between two launches, into a checkpoint. */
#include "gpu/rank.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/moment.h"
#include "gpu/two_levels.h"

#include <inttypes.h>
#include <string.h>

struct keep {
  struct gpu_rank *rank;
  struct checkpoint_writer *writer;
  enum checkpoint_section section; /* states that the crew shares */
  const uint64_t *states;
  uint64_t n;
  struct gpu_tree_lane *lanes; /* of states of several words; NULL: they are of one */
  uint64_t *witnesses[64];     /* by property, which the moment points to up to its end */
};

/* ---- states ------------------------------------------------------------------------------------- */

/* A member's way into a section. */
struct lane {
  const struct keep *keep;
  unsigned member;
  enum checkpoint_section section;
};

static void put_words(void *user, const uint64_t *states, uint64_t n) {
  const struct lane *lane = user;
  checkpoint_put(lane->keep->writer, lane->member, lane->section, states, n);
}

/* `keys`: what waits is as the visited set has it. */
static void put(const struct lane *lane, bool keys, const uint64_t *waiting, uint64_t n) {
  const struct keep *keep = lane->keep;
  if (keep->lanes)
    gpu_tree_visit(keep->rank, keep->lanes, lane->member, keys, waiting, n, put_words, (void *)lane);
  else
    put_words((void *)lane, waiting, n);
}

static void put_keys(void *user, unsigned member, const uint64_t *keys, uint64_t n) {
  const struct lane lane = {user, member, CHECKPOINT_KEYS};
  put(&lane, true, keys, n);
}

static void put_share(void *data, unsigned member) {
  const struct keep *keep = data;
  const struct lane lane = {keep, member, keep->section};
  const unsigned members = crew_size(keep->rank->content.crew);
  const uint64_t first = keep->n * member / members, end = keep->n * (member + 1) / members;
  put(&lane, false, keep->states + first, end - first);
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
  const struct lane lane = {keep, 0, CHECKPOINT_PENDING};
  if (!words || rank->control.unnamed_count == 0)
    return FLOE_OK;
  const uint64_t room = rank->content.room / words;
  if (room == 0)
    return FLOE_ERROR_MEMORY;
  for (uint64_t at = 0; at < rank->control.unnamed_count; at += room) {
    const uint64_t n = least(room, rank->control.unnamed_count - at);
    FLOE_TRY(gpu_download(rank->gpu, buffer, rank->tree.unnamed + at * bytes, n * bytes));
    put_words((void *)&lane, buffer, n);
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
  sums->cut = control->cut_depth != UINT32_MAX;
  sums->cut_depth = sums->cut ? control->cut_depth : 0;
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

void keep_moment(struct gpu_rank *rank) {
  struct search *search = rank->search;
  const struct checkpoint_order order = moment_order(&rank->visited.config, &rank->visited.shape);
  struct moment moment;
  if (rank->two && !search->ended)
    two_levels_settle(rank);
  if (rank->two && search->kept.inexact)
    return;
  if (!moment_begin(search, crew_size(rank->content.crew), &order, &moment))
    return;
  struct keep keep = {.rank = rank, .writer = moment.writer};
  floe_status status = open_lanes(&keep);
  if (status == FLOE_OK)
    status = keep_keys(&keep);
  if (status == FLOE_OK)
    status = keep_waiting(&keep);
  if (status == FLOE_OK)
    status = add_sums(&keep, &moment);
  gpu_tree_lanes_free(keep.lanes, crew_size(rank->content.crew));
  if (status == FLOE_OK)
    moment_end(search, &moment);
  else
    moment_give_up(search, &moment, status);
  for (size_t i = 0; i < sizeof keep.witnesses / sizeof *keep.witnesses; i++)
    mem_free(keep.witnesses[i]);
}
