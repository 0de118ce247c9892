/* Level-synchronous breadth-first search on a GPU (doc/gpu.md). The kernel goes from level to level
   by itself; between its launches the host grows the table, moves states that the device has no
   room for, and looks at the clock. */
#include "base/numbers.h"
#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/engine/host_backed_set.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A warp reads the level that is handed on, and where the queue ends, as one line. */
_Static_assert(GPU_LEVEL_WORDS < 16, "the level does not fit a line");
_Static_assert(offsetof(struct gpu_control, handed) % 128 == 0, "the line is not aligned");

#define LEVEL_DONE (GPU_LEFT_TRIGGERED | GPU_LEFT_DEPTH | GPU_LEFT_STATES | GPU_LEFT_LEVELS | GPU_LEFT_EMPTY)
/* Blocks of floe_explore on a multiprocessor. */
/* Slices are short while states are handed on, so that the device seldom waits. */
#define HARVEST_SLICE_US 5000
/* And where others wait for what is found. With mailboxes they do so seldom, and what ends all warps' turns at once
   costs 0.13 ms, on two H100s and H200s. */
#define MEMBER_SLICE_US 5000
#define MAILING_SLICE_US 20000

/* ---- the device's memory --------------------------------------------------------------------- */

floe_status rank_take(struct gpu_rank *rank, uint64_t bytes, gpu_address *out) {
  return gpu_budget_take(rank->gpu, &rank->budget, bytes, out);
}

void rank_give(struct gpu_rank *rank, uint64_t bytes, gpu_address *address) {
  gpu_budget_give(rank->gpu, &rank->budget, bytes, address);
}

floe_status rank_upload(struct gpu_rank *rank) {
  return gpu_upload(rank->gpu, rank->control_at, &rank->control, sizeof rank->control);
}

floe_status rank_download(struct gpu_rank *rank) {
  return gpu_download(rank->gpu, &rank->control, rank->control_at, sizeof rank->control);
}

#define ON_DEVICE(type, address) ((type *)(uintptr_t)(address))

struct gpu_space rank_space(const struct gpu_rank *rank) {
  struct gpu_space space = {.control = ON_DEVICE(struct gpu_control, rank->control_at),
                            .ring = ON_DEVICE(uint64_t, rank->ring),
                            .ring_mask = rank->ring_words - 1,
                            .pending = ON_DEVICE(uint64_t, rank->pending),
                            .fired = ON_DEVICE(uint64_t, rank->fired),
                            .level_states = ON_DEVICE(uint64_t, rank->level_states),
                            .level_capacity = rank->level_capacity,
                            .log = ON_DEVICE(uint64_t, rank->logged),
                            .log_capacity = rank->log_capacity,
                            .ticket_turns = rank->ticket_turns};
  gpu_tree_describe(rank, &space);
  if (member_is_one(rank))
    member_describe(rank, &space);
  return space;
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* For states, in both levels. */
static uint64_t places(const struct gpu_rank *rank) {
  return rank->visited.shape.slots + two_levels_figures(rank).host_slots;
}

static floe_progress figures(const struct gpu_rank *rank) {
  const uint64_t states = rank_states(rank);
  const struct together *together = &rank->member.together;
  return (floe_progress){.states = states + together->others,
                         .transitions = rank->control.transitions + together->others_fired,
                         .frontier = queue_level_rest(rank),
                         .depth = rank->control.depth,
                         .table_fill = (double)states / (double)places(rank),
                         .bytes = rank->budget.used + rank->piece_bytes_all + two_levels_figures(rank).host_bytes};
}

void rank_look_around(struct gpu_rank *rank) {
  const double now = clock_seconds();
  if (search_report_due(rank->search, now))
    search_report(rank->search, figures(rank), now);
  search_look(rank->search);
}

/* Nanoseconds until the host wants to look at something. */
static uint64_t next_slice(const struct gpu_rank *rank) {
  const floe_options *options = rank->search->task->options;
  double seconds = 1e-6 * (double)rank->tuning.slice_us;
  if (rank->harvest.states || rank->harvest.log)
    seconds = seconds < 1e-6 * HARVEST_SLICE_US ? seconds : 1e-6 * HARVEST_SLICE_US;
  if (member_is_one(rank)) {
    const double most = 1e-6 * (mailbox_is_used(rank) ? MAILING_SLICE_US : MEMBER_SLICE_US);
    seconds = seconds < most ? seconds : most;
  }
  if (options->timeout > 0) {
    double left = options->timeout - (clock_seconds() - rank->search->task->started);
    seconds = left < seconds ? left : seconds;
  }
  return seconds > 1e-5 ? (uint64_t)(1e9 * seconds) : 10000;
}

/* ---- one launch ------------------------------------------------------------------------------ */

/* States of a level from which on several devices pay. */
#define LARGE_LEVEL 200000

static uint64_t large_level(const struct gpu_rank *rank) {
  return rank->tuning.alone ? rank->tuning.alone : LARGE_LEVEL;
}

/* A launch ends where the search may be outgrown: with a level as large as that, of as many states in all. */
static uint64_t outgrown_at(const struct gpu_rank *rank) {
  const uint64_t from = rank->search->task->outgrown_from, next = rank_states(rank) + large_level(rank);
  return next > from ? next : from;
}

/* Levels that a launch closes are taken out of the queue after it, so they must all still lie
   there: at most `most` states up to the last of them, and that much room is kept beside what the
   level in work needs. */
void rank_set_stops(struct gpu_rank *rank) {
  const floe_options *options = rank->search->task->options;
  struct gpu_control *control = &rank->control;
  const uint64_t most = rank->harvest.most;
  control->wanted = search_wanted(rank->search);
  control->errors_only = search_errors_only(rank->search);
  control->properties_only = search_at_bound(rank->search);
  control->one_part = control->properties_only || queue_in_parts(rank) || member_is_one(rank);
  control->depth_limit = options->max_depth;
  control->max_states = options->max_states;
  if (most)
    control->max_states = least(control->max_states, rank_states(rank) + most);
  if (rank->search->task->may_outgrow)
    control->max_states = least(control->max_states, outgrown_at(rank));
  control->slack = rank->slack + most;
  control->slice = next_slice(rank);
  if (member_is_one(rank))
    member_set_stops(rank);
}

floe_status rank_launch(struct gpu_rank *rank, const struct gpu_code *code, const void *view,
                        const struct gpu_space *space) {
  struct gpu_launch grid = {.blocks = rank->blocks, .threads = GPU_BLOCK, .cooperative = true};
  void *arguments[] = {(void *)view, (void *)space};
  FLOE_TRY(rank_upload(rank));
  const double start = clock_seconds();
  FLOE_TRY(gpu_start(rank->gpu, code->explore.function, &grid, arguments));
  rank->launches++;
  harvest_hand_on(rank);
  floe_status status = member_is_one(rank) ? outbox_work(rank) : FLOE_OK;
  if (status == FLOE_OK)
    status = rank_download(rank);
  rank->kernel_seconds += clock_seconds() - start;
  if (status != FLOE_OK || !rank->control.broken)
    return status;
  search_break(rank->search);
  return FLOE_ERROR_INTERNAL;
}

static floe_status launch(struct gpu_rank *rank) {
  const struct gpu_space space = rank_space(rank);
  rank_set_stops(rank);
  return rank_launch(rank, &rank->code, &rank->visited.view, &space);
}

/* Sizes of the levels that the kernel closed. */
static floe_status fetch_levels(struct gpu_rank *rank) {
  struct search *search = rank->search;
  const uint32_t count = rank->control.level_count;
  if (!search_make_room(search, count))
    return FLOE_ERROR_MEMORY;
  if (count > 0)
    FLOE_TRY(gpu_download(rank->gpu, search->level_states + search->levels, rank->level_states,
                          count * sizeof *search->level_states));
  search_add_levels(search, count, rank->control.left & GPU_LEFT_EMPTY);
  if (member_is_one(rank) && count > 0)
    member_closed(rank, count);
  rank->control.level_count = 0;
  return FLOE_OK;
}

/* ---- between launches ------------------------------------------------------------------------ */

static void gather(struct gpu_rank *rank, uint32_t depth) {
  floe_status status = hits_gather(rank, depth);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
}

/* Where others are to be opened first their kernels may take as long to make as its own did: not before it has explored
   for so long. */
static void look_at_size(struct gpu_rank *rank) {
  const bool later = rank->search->task->outgrown_from > 0 && !rank->tuning.alone;
  if (!later || clock_seconds() - rank->search->begun >= rank->build_seconds)
    search_is_outgrown(rank->search, large_level(rank), rank_states(rank));
}

/* The kernel closed levels, the last of them just now; what triggered did so in that one. */
static void end_levels(struct gpu_rank *rank) {
  struct search *search = rank->search;
  const bool empty = rank->control.left & GPU_LEFT_EMPTY;
  gather(rank, search_depth(search) - (empty ? 0 : 1));
  if (!search->ended)
    search_decide(search, empty, rank_states(rank));
  look_at_size(rank);
}

/* The host closes a level of which parts were here. */
static void close_level(struct gpu_rank *rank) {
  struct search *search = rank->search;
  const uint64_t next = queue_next_states(rank);
  gather(rank, search_depth(search));
  if (search->ended)
    return;
  if (next > 0) {
    queue_turn(rank);
    rank->control.depth++;
  }
  search_level_done(search);
  search_next_level(search, next, rank_states(rank));
  look_at_size(rank);
}

void rank_end_level(struct gpu_rank *rank) {
  struct search *search = rank->search;
  if (!rank->control.properties_only) {
    close_level(rank);
    return;
  }
  gather(rank, search_depth(search));
  if (!search->ended)
    search_decide_at_bound(search);
}

static void end_part(struct gpu_rank *rank) {
  if (!queue_next_part(rank) && !rank->search->ended)
    rank_end_level(rank);
}

/* Why the kernel left: what it needs before it can go on. */
static void handle(struct gpu_rank *rank) {
  const uint32_t left = rank->control.left;
  if (left & LEVEL_DONE && !member_is_one(rank))
    end_levels(rank);
  if (!rank->search->ended)
    rank_look_around(rank);
  if (!rank->search->ended && rank->control.pending_count > 0)
    grow_place_pending(rank);
  else if (!rank->search->ended && (left & GPU_LEFT_GROW))
    grow_set(rank);
  if (!rank->search->ended && rank->control.unnamed_count > 0) {
    gpu_tree_place(rank);
    grow_place_pending(rank);
  }
  if (!rank->search->ended && (left & GPU_LEFT_QUEUE))
    queue_was_full(rank);
  if (!rank->search->ended && (left & GPU_LEFT_PART) && !member_is_one(rank))
    end_part(rank);
}

/* The part in work, what follows it, and what was found, in the ring. What a member of a group found may have been
   fired elsewhere. */
static bool in_order(const struct gpu_rank *rank) {
  const struct gpu_control *c = &rank->control;
  return c->current <= c->current_end && c->current_end <= c->next && c->next <= c->next_end &&
         c->next_end - c->current <= rank->ring_words &&
         (member_is_one(rank) || c->transitions + 1 >= rank_states(rank));
}

void rank_explore_some(struct gpu_rank *rank) {
  assert(rank->control.depth == search_depth(rank->search));
  floe_status status = launch(rank);
  if (status == FLOE_OK)
    status = fetch_levels(rank);
  if (status != FLOE_OK) {
    search_fail(rank->search, status);
    return;
  }
  assert(in_order(rank));
  harvest_take(rank);
  if (!rank->search->ended)
    handle(rank);
}

/* As after a launch that ended with a part: what waits is on the host. */
static floe_status go_on(struct gpu_rank *rank) {
  FLOE_TRY(resume_moment(rank));
  rank_set_stops(rank);
  if (!rank->search->ended)
    resume_place(rank);
  if (!rank->search->ended)
    moment_decide(rank->search);
  if (rank->search->ended || rank->two) /* whose turns begin with the next part */
    return rank->search->status;
  end_part(rank);
  return rank->search->status;
}

/* The same with others, whose first phase is the next part. */
static floe_status go_on_together(struct gpu_rank *rank) {
  deal_moment(rank);
  if (!rank->search->ended) {
    rank_set_stops(rank);
    resume_place(rank);
  }
  return rank->search->status;
}

static floe_status put_initial(struct gpu_rank *rank) {
  const gpu_address to = rank->two ? rank->pending : rank->tree.words ? rank->tree.unnamed : rank->source;
  const uint64_t bytes = rank->search->task->layout->key_words * sizeof(uint64_t);
  FLOE_TRY(gpu_upload(rank->gpu, to, rank->search->task->initial, bytes));
  if (rank->tree.words)
    FLOE_TRY(gpu_tree_name(rank, 1));
  return rank->two ? two_levels_put(rank, 1) : grow_insert(rank, 1);
}

/* It has the initial state: the only one, or the one of several whose that is. */
static bool has_initial(const struct gpu_rank *rank) {
  const struct engine_task *task = rank->search->task;
  const struct together *together = &rank->member.together;
  return !task->post || together_owner(together, task->initial) == together->rank;
}

/* The initial state becomes level 0. */
static floe_status begin(struct gpu_rank *rank) {
  struct gpu_control *control = &rank->control;
  control->current = control->current_end = control->next = control->next_end = FIRST_POSITION;
  control->cut_depth = UINT32_MAX;
  for (size_t i = 0; i < GPU_PROPERTIES; i++)
    control->least[i] = UINT64_MAX;
  if (moment_states(rank->search->task) > 0)
    return member_is_one(rank) ? go_on_together(rank) : go_on(rank);
  const uint64_t expected = has_initial(rank);
  if (expected)
    FLOE_TRY(put_initial(rank));
  if (rank_states(rank) != expected || control->pending_count) {
    diag_error(rank->search->log, NULL, NOWHERE, "please report this with the model",
               "internal error: the GPU put %" PRIu64 " states instead of the initial one, and "
               "refused %" PRIu64,
               rank_states(rank), control->pending_count);
    return FLOE_ERROR_INTERNAL;
  }
  harvest_take(rank);
  if (member_is_one(rank))
    harvest_settle(rank);
  queue_turn(rank);
  if (!search_first_level(rank->search))
    return FLOE_ERROR_MEMORY;
  if (member_is_one(rank))
    harvest_begin_level(rank);
  return rank->search->status;
}

static void go_on_for_a_bit(struct gpu_rank *rank) {
  if (rank->two)
    two_levels_turn(rank);
  else if (member_is_one(rank))
    member_expand_level(rank);
  else
    rank_explore_some(rank);
  if (!rank->search->ended && !member_is_one(rank) && moment_is_due(rank->search, clock_seconds()))
    keep_moment(rank);
}

/* Of a group rank 0 knows whether there is to be one. */
static bool may_keep_last(const struct gpu_rank *rank) {
  const struct search *search = rank->search;
  return member_is_one(rank) ? search->task->kept && search->status == FLOE_OK : moment_is_last(search);
}

static void explore_levels(struct gpu_rank *rank) {
  floe_status status = begin(rank);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
  if (member_is_one(rank))
    member_begin(rank);
  if (member_is_one(rank) && rank->search->task->resumes)
    moment_decide(rank->search);
  while (!rank->search->ended)
    go_on_for_a_bit(rank);
  if (rank->two && rank->search->status == FLOE_OK)
    two_levels_settle(rank);
  if (may_keep_last(rank))
    keep_moment(rank);
  if (rank->search->status == FLOE_OK && rank->control.triggered &&
      !member_is_one(rank)) /* in a level that was not finished */
    gather(rank, search_depth(rank->search));
  harvest_hand_on(rank);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Tickets for more states, where the set can be one that has use for them, and there is room for what is found after
   the last one. */
static void choose_tickets(struct gpu_rank *rank, uint64_t most_words) {
  const uint64_t slack =
      gpu_slack((uint64_t)rank->blocks * GPU_WARPS, (uint64_t)GPU_TICKET_TURNS * rank->max_successors);
  rank->ticket_turns = 1;
  if (grow_may_have_every_key(rank) && slack <= most_words && rank->tuning.turns != 1) {
    rank->ticket_turns = GPU_TICKET_TURNS;
    rank->slack = slack;
  }
}

/* As many blocks as the device holds, unless so many warps could find more at once than queue and
   lists have room for. */
static floe_status choose_blocks(struct gpu_rank *rank) {
  const uint64_t words = member_words(rank); /* of what warps may have to put aside */
  uint64_t most_words = rank->budget.limit / 64 / sizeof(uint64_t) / words;
  if (member_is_one(rank))
    most_words = least(most_words, outbox_most_slack(rank));
  rank->max_successors = rank->search->task->stepper->max_successors + member_most_beside(rank);
  rank->blocks = member_most_blocks(rank); /* a set of two levels has another kernel, and says so later */
  if (!rank->code.module)
    rank->blocks = GPU_MOST_RESIDENT * gpu_information(rank->gpu)->multiprocessors;
  if (rank->tuning.blocks)
    rank->blocks = (unsigned)least(rank->blocks, rank->tuning.blocks);
  if (rank->tree.words) /* its tables have room for so many lanes that put at once */
    rank->blocks = (unsigned)least(rank->blocks, rank->tree.users / GPU_BLOCK);
  while (rank->blocks > 1 && gpu_slack((uint64_t)rank->blocks * GPU_WARPS, rank->max_successors) > most_words)
    rank->blocks /= 2;
  rank->slack = gpu_slack((uint64_t)rank->blocks * GPU_WARPS, rank->max_successors);
  choose_tickets(rank, most_words);
  return rank->slack <= 2 * most_words ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status take_cleared(struct gpu_rank *rank, uint64_t bytes, gpu_address *out) {
  FLOE_TRY(rank_take(rank, bytes, out));
  return gpu_fill(rank->gpu, *out, 0, bytes);
}

static floe_status make_space(struct gpu_rank *rank) {
  const uint64_t word = sizeof(uint64_t), transitions = rank->search->task->model->transition_count;
  rank->level_capacity = rank->tuning.levels;
  FLOE_TRY(take_cleared(rank, sizeof rank->control, &rank->control_at));
  FLOE_TRY(take_cleared(rank, (transitions + 1) * word, &rank->fired));
  FLOE_TRY(rank_take(rank, rank->level_capacity * word, &rank->level_states));
  rank->put_room = member_is_one(rank) ? member_inbox(rank) : rank->slack;
  FLOE_TRY(rank_take(rank, rank->put_room * word, &rank->pending));
  FLOE_TRY(rank_take(rank, rank->put_room * word, &rank->source));
  if (rank->harvest.log) {
    rank->log_capacity = 4 * rank->slack;
    FLOE_TRY(rank_take(rank, rank->log_capacity * word, &rank->logged));
  }
  FLOE_TRY(gpu_tree_open(rank));
  FLOE_TRY(member_open(rank));
  FLOE_TRY(queue_first(rank));
  return harvest_open(rank);
}

static floe_status open_rank(struct gpu_rank *rank) {
  const double start = clock_seconds();
  member_join(rank);
  FLOE_TRY(tuning_read(getenv("FLOE_GPU_TEST"), rank->search->log, &rank->tuning));
  rank->budget.limit = gpu_memory_allowed(rank->gpu, rank->search->task->options->gpu_memory, 0);
  harvest_plan(rank);
  gpu_tree_plan(rank);
  FLOE_TRY(grow_first_set(rank));
  const struct table_kind kind = code_kind(&rank->visited);
  if (!rank->begins_in_two_levels)
    FLOE_TRY(code_make(rank, &kind, &rank->code));
  FLOE_TRY(choose_blocks(rank));
  FLOE_TRY(make_space(rank));
  if (rank->begins_in_two_levels)
    FLOE_TRY(two_levels_open(rank));
  FLOE_TRY(content_open(rank));
  FLOE_TRY(gpu_wait(rank->gpu));
  rank->memory_seconds = clock_seconds() - start - rank->build_seconds;
  return FLOE_OK;
}

static void close_rank(struct gpu_rank *rank) {
  gpu_address *const parts[] = {&rank->control_at, &rank->fired,  &rank->level_states,
                                &rank->pending,    &rank->source, &rank->logged};
  if (gpu_sound(rank->gpu))
    gpu_wait(rank->gpu);
  two_levels_free(rank);
  member_close(rank);
  harvest_close(rank);
  content_close(rank);
  mem_free(rank->unplaced.states);
  mem_free(rank->unqueued.states);
  queue_free(rank);
  grow_drop_set(rank);
  gpu_tree_close(rank);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gpu_free(rank->gpu, *parts[i]);
  code_free(&rank->code);
  code_free(&rank->mover);
  arena_free(&rank->arena);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

/* Of the device's table (the newest keys' where there is no other), with the bytes and places of both levels. */
static struct table_shape set_shape(const struct gpu_rank *rank) {
  const struct two_levels_figures two = two_levels_figures(rank);
  struct table_shape shape = rank->visited.shape;
  if (!shape.slots) {
    shape.key_bits = rank->visited.config.key_bits;
    shape.slot_bits = two.newest_geometry.slot_bits;
    shape.bucket_slots = two.newest_geometry.bucket_slots;
  }
  shape.slots += two.host_slots;
  shape.bytes += two.host_bytes + two.newest_bytes;
  return shape;
}

static void report_figures(const struct gpu_rank *rank, struct engine_outcome *out) {
  out->statistics.growths = rank->growths;
  out->table = rank->visited.config.scheme;
  out->shape = set_shape(rank);
  out->two_levels = rank->two != NULL;
  out->host_states = two_levels_figures(rank).host_keys;
  out->host_bytes = two_levels_figures(rank).host_bytes;
  out->statistics.frontier_bytes = rank->frontier_peak;
  out->statistics.tree_bytes = rank->tree.bytes;
  for (uint32_t id = 0; id < rank->tree.count; id++)
    out->statistics.tree_contents += rank->tree.numbers[id];
  out->simd = "16-byte loads";
  out->threads = rank->blocks * GPU_BLOCK;
  out->blocks = rank->blocks;
  out->launches = rank->launches;
  out->statistics.spilled_states = rank->spilled;
  out->statistics.disk_bytes = pieces_written(rank);
  out->built_from_cache = rank->from_cache;
  out->build_seconds = rank->build_seconds;
  out->memory_seconds = rank->memory_seconds;
  out->statistics.explore_seconds = clock_seconds() - rank->search->begun - (rank->build_seconds - rank->prepared);
}

static void tell_two_levels(const struct gpu_rank *rank) {
  const struct two_levels_figures two = two_levels_figures(rank);
  diag_note(rank->search->log, NULL, NOWHERE, NULL,
            "two levels: oldest=%" PRIu64 " host=%" PRIu64 " host_bytes=%" PRIu64 " newest_bytes=%" PRIu64
            " candidates=%" PRIu64 " asked=%" PRIu64 " batches=%" PRIu64 " growths=%" PRIu64
            " open=%.6f explore=%.6f ask=%.6f answer=%.6f wait=%.6f sift=%.6f",
            rank_states(rank) - two.host_keys, two.host_keys, two.host_bytes, two.newest_bytes, two.candidates,
            two.asked, two.batches, two.host_growths, two.open_seconds, two.explore_seconds, two.ask_seconds,
            two.answer_seconds, two.wait_seconds, two.sift_seconds);
}

static void tell(const struct gpu_rank *rank, const struct engine_outcome *out) {
  diag_note(rank->search->log, NULL, NOWHERE, NULL,
            "GPU: explore=%.6f kernels=%.6f grow=%.6f build=%.6f memory=%.6f launches=%" PRIu64
            " blocks=%u growths=%" PRIu64 " refused=%" PRIu64 " spilled=%" PRIu64 " table_bytes=%" PRIu64
            " queue_words=%" PRIu64 " replaced=%u bitmap=%d tree_growths=%" PRIu64
            " members=%u phases=%u mailed=%" PRIu64 " left_out=%" PRIu64 " far=%d closed=%" PRIu64 " caught_up=%u",
            out->statistics.explore_seconds, rank->kernel_seconds, rank->grow_seconds, rank->build_seconds,
            rank->memory_seconds, rank->launches, rank->blocks, rank->growths, rank->refused, rank->spilled,
            rank->visited.shape.bytes, rank->ring_words, rank->replaced,
            table_traits(rank->visited.config.scheme)->every_key, rank->tree.growths, rank->member.together.size,
            rank->member.phase, rank->member.together.sent, rank->member.left_out, rank->member.far != 0,
            rank->member.closed, rank->member.caught_up);
  if (rank->two)
    tell_two_levels(rank);
}

static floe_status report(struct gpu_rank *rank, struct engine_outcome *out) {
  const struct gpu_control *control = &rank->control;
  struct search *search = rank->search;
  const size_t transitions = search->task->model->transition_count;
  FLOE_TRY(gpu_download(rank->gpu, search->fired, rank->fired, transitions * sizeof *search->fired));
  FLOE_TRY(gpu_tree_count(rank));
  search_note_failures(search, control->failed, control->cut_depth != UINT32_MAX, control->cut_depth);
  *out = (struct engine_outcome){.states = rank_states(rank),
                                 .transitions = control->transitions,
                                 .deadlocks = control->deadlocks,
                                 .max_out_degree = (uint32_t)control->max_out_degree,
                                 .checksum = control->checksum};
  report_figures(rank, out);
  if (member_is_one(rank))
    FLOE_TRY(together_report(&rank->member.together, out));
  search_conclude(search, out);
  if (rank->tuning.tell)
    tell(rank, out);
  return FLOE_OK;
}

/* ---- the engine ------------------------------------------------------------------------------ */

struct gpu_search {
  struct search search;
  struct gpu_rank rank;
};

static struct gpu_search *of(struct search *search) { return (struct gpu_search *)search; }

static void drop(struct search *search) {
  if (!search)
    return;
  close_rank(&of(search)->rank);
  search_close(search);
  mem_free(of(search));
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  assert(task->device_count == 1);
  struct gpu_search *gpu = mem_alloc(sizeof *gpu);
  if (!gpu)
    return FLOE_ERROR_MEMORY;
  gpu->rank.search = &gpu->search;
  gpu->rank.gpu = task->devices[0];
  gpu->rank.from_cache = true;
  arena_init(&gpu->rank.arena);
  floe_status status = search_open(task, log, &gpu->search);
  if (status == FLOE_OK)
    status = open_rank(&gpu->rank);
  if (status == FLOE_OK)
    *out = &gpu->search;
  else
    drop(&gpu->search);
  return status;
}

static floe_status explore(struct search *search, struct engine_outcome *out) {
  struct gpu_rank *rank = &of(search)->rank;
  search_begin(search);
  rank->prepared = rank->build_seconds;
  explore_levels(rank);
  if (member_is_one(rank))
    mailbox_unlink(rank);
  return search->status == FLOE_OK ? report(rank, out) : search->status;
}

const struct engine engine_gpu = {
    .name = "gpu", .most_devices = 1, .prepare = prepare, .explore = explore, .drop = drop};
