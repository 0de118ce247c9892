/* The queue of states: a ring in the device's memory, and pieces of it on the host where that is
 * full. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "gpu/engine/sizing_policy.h"

#include <string.h>

/* Of the limit: for the driver, and what is taken later and is small. */
#define OTHERS_SHARE 512

static gpu_address at(gpu_address ring, uint64_t words, uint64_t position) {
  return ring + (position & (words - 1)) * sizeof(uint64_t);
}

uint64_t queue_bytes(const struct gpu_rank *rank) {
  return rank->ring_words * sizeof(uint64_t) + rank->piece_bytes_all;
}

static void note_peak(struct gpu_rank *rank) {
  if (queue_bytes(rank) > rank->frontier_peak)
    rank->frontier_peak = queue_bytes(rank);
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* What nothing else wants: `later` bytes will be taken yet. */
static uint64_t room_to_last(const struct gpu_rank *rank, uint64_t later) {
  const uint64_t room = gpu_budget_room(&rank->budget), others = later + rank->budget.limit / OTHERS_SHARE;
  return room > others ? room - others : 0;
}

floe_status queue_first(struct gpu_rank *rank) {
  const uint64_t slack = rank->slack + rank->harvest.most, limit = rank->budget.limit;
  uint64_t words =
      table_traits(rank->visited.config.scheme)->every_key
          ? policy_lasting_queue(slack, limit, room_to_last(rank, content_bytes(rank)), grow_expected_states(rank))
          : policy_first_queue(slack, limit);
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  if (rank->tuning.queue)
    while (words / 2 >= rank->tuning.queue && words / 2 >= 4 * (rank->slack + rank->harvest.most))
      words /= 2;
  FLOE_TRY(rank_take(rank, words * sizeof(uint64_t), &rank->ring));
  rank->ring_words = words;
  rank->piece_words = policy_piece(words);
  pieces_plan(rank);
  note_peak(rank);
  return FLOE_OK;
}

/* Physical places change with the size: what is contiguous in both rings is copied at once. */
static floe_status copy_states(struct gpu_rank *rank, gpu_address ring, uint64_t words) {
  const uint64_t end = rank->control.next_end;
  for (uint64_t p = rank->control.current; p < end;) {
    uint64_t n = end - p;
    n = least(n, rank->ring_words - (p & (rank->ring_words - 1)));
    n = least(n, words - (p & (words - 1)));
    FLOE_TRY(gpu_copy(rank->gpu, at(ring, words, p), at(rank->ring, rank->ring_words, p), n * sizeof(uint64_t)));
    p += n;
  }
  return FLOE_OK;
}

/* FLOE_ERROR_MEMORY: there is no room for a larger ring. */
static floe_status enlarge(struct gpu_rank *rank) {
  gpu_address ring;
  uint64_t words =
      rank->tuning.queue || (rank->tuning.replace && rank->final)
          ? 0
          : policy_larger_queue(rank->ring_words, rank->budget.limit, gpu_budget_room(&rank->budget), rank->final);
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(rank_take(rank, words * sizeof(uint64_t), &ring));
  floe_status status = copy_states(rank, ring, words);
  if (status != FLOE_OK) {
    rank_give(rank, words * sizeof(uint64_t), &ring);
    return status;
  }
  rank_give(rank, rank->ring_words * sizeof(uint64_t), &rank->ring);
  rank->ring = ring;
  rank->ring_words = words;
  note_peak(rank);
  return FLOE_OK;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static floe_status download(struct gpu_rank *rank, uint64_t from, struct gpu_piece *piece) {
  for (uint64_t done = 0; done < piece->count;) {
    uint64_t p = from + done;
    uint64_t n = least(piece->count - done, rank->ring_words - (p & (rank->ring_words - 1)));
    FLOE_TRY(
        gpu_download_start(rank->gpu, piece->states + done, at(rank->ring, rank->ring_words, p), n * sizeof(uint64_t)));
    done += n;
  }
  return FLOE_OK;
}

static floe_status upload(struct gpu_rank *rank, uint64_t to, const struct gpu_piece *piece) {
  for (uint64_t done = 0; done < piece->count;) {
    uint64_t p = to + done;
    uint64_t n = least(piece->count - done, rank->ring_words - (p & (rank->ring_words - 1)));
    FLOE_TRY(
        gpu_upload_start(rank->gpu, at(rank->ring, rank->ring_words, p), piece->states + done, n * sizeof(uint64_t)));
    done += n;
  }
  return FLOE_OK;
}

/* States [from, to) to the host. */
static floe_status put_out(struct gpu_rank *rank, uint64_t from, uint64_t to, struct gpu_pieces *list) {
  while (from < to) {
    struct gpu_piece *piece;
    FLOE_TRY(pieces_new(rank, &piece));
    note_peak(rank);
    piece->count = least(to - from, rank->piece_words);
    pieces_push(list, piece);
    FLOE_TRY(download(rank, from, piece));
    from += piece->count;
    rank->spilled += piece->count;
  }
  return FLOE_OK;
}

/* What was put out for nothing is in the ring still. */
static void take_back(struct gpu_rank *rank, struct gpu_pieces *list, uint64_t states) {
  while (list->states > states) {
    rank->spilled -= list->first->count;
    pieces_drop(rank, list);
  }
}

/* The first states of the next level and of the current part, so many. After an error all is where it was. */
static floe_status put_both_out(struct gpu_rank *rank, uint64_t current, uint64_t next) {
  const struct gpu_control *control = &rank->control;
  const uint64_t had_next = rank->next_pieces.states, had = rank->level_pieces.states;
  floe_status status = put_out(rank, control->next, control->next + next, &rank->next_pieces);
  if (status == FLOE_OK)
    status = put_out(rank, control->current, control->current + current, &rank->level_pieces);
  if (status == FLOE_OK)
    status = gpu_wait(rank->gpu);
  if (status != FLOE_OK) {
    take_back(rank, &rank->next_pieces, had_next);
    take_back(rank, &rank->level_pieces, had);
  }
  return status;
}

/* ---- spilling -------------------------------------------------------------------------------- */

/* Some of the current part, where that is large, else all of the next level. */
static floe_status spill(struct gpu_rank *rank) {
  struct gpu_control *control = &rank->control;
  const struct policy_spill out =
      policy_spill(rank->ring_words, rank->slack + rank->harvest.most, control->current_end - control->current,
                   control->next_end - control->next);
  FLOE_TRY(put_both_out(rank, out.current, out.next));
  control->current += out.current;
  control->states_before += out.next;
  control->next_end -= out.next;
  if (out.next)
    harvest_moved(rank);
  pieces_settle(rank);
  return FLOE_OK;
}

/* Memory that ends, of the device or the host, and a disk that is full or loses states end the run; all else is an
 * error. */
static void give_up(struct gpu_rank *rank, floe_status status) {
  pieces_tell(rank);
  if (status == FLOE_ERROR_MEMORY)
    search_finish(rank->search, FLOE_END_MEMORY);
  else if (status == FLOE_ERROR_IO)
    search_lose_states(rank->search);
  else
    search_fail(rank->search, status);
}

/* All of it goes out, the level in work as parts. */
static floe_status put_all_out(struct gpu_rank *rank) {
  struct gpu_control *control = &rank->control;
  FLOE_TRY(put_both_out(rank, control->current_end - control->current, control->next_end - control->next));
  control->states_before += control->next_end - control->next;
  control->current = control->current_end = control->next = control->next_end = FIRST_POSITION;
  harvest_moved(rank);
  return FLOE_OK;
}

/* Of an empty ring. */
static floe_status take_ring(struct gpu_rank *rank, uint64_t words) {
  rank->ring_words = 0;
  FLOE_TRY(rank_take(rank, words * sizeof(uint64_t), &rank->ring));
  rank->ring_words = words;
  note_peak(rank);
  return FLOE_OK;
}

static floe_status change_ring(struct gpu_rank *rank, uint64_t words) {
  const uint64_t before = rank->ring_words;
  FLOE_TRY(put_all_out(rank));
  rank_give(rank, before * sizeof(uint64_t), &rank->ring);
  floe_status status = take_ring(rank, words);
  if (status == FLOE_ERROR_MEMORY)
    FLOE_TRY(take_ring(rank, before));
  return status;
}

/* A larger ring that would have no room beside this one takes its place, with what it holds on the host: once, instead
   of parts that go there and come back in each level. */
static floe_status replace(struct gpu_rank *rank) {
  const bool may = rank->final && !rank->two && !rank->tuning.queue && !rank->ring_stays && !rank->store.full;
  const uint64_t words = may ? policy_queue_instead(rank->ring_words, room_to_last(rank, 0)) : 0;
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  const floe_status status = change_ring(rank, words);
  rank->ring_stays = status == FLOE_ERROR_MEMORY;
  rank->replaced += status == FLOE_OK;
  return status;
}

/* What a launch expands it leaves room for only when it has ended. */
static bool lacks_room(const struct gpu_rank *rank) {
  const uint64_t held = rank->control.next_end - rank->control.current;
  return held + greatest(rank->control.slack, rank->ring_words / 16) >= rank->ring_words;
}

static void make_room(struct gpu_rank *rank, bool needed) {
  floe_status status = enlarge(rank);
  if (status == FLOE_ERROR_MEMORY && !needed)
    return;
  if (status == FLOE_ERROR_MEMORY)
    status = replace(rank);
  if (status == FLOE_ERROR_MEMORY)
    status = spill(rank);
  if (status != FLOE_OK)
    give_up(rank, status);
}

void queue_relieve(struct gpu_rank *rank) { make_room(rank, true); }
void queue_was_full(struct gpu_rank *rank) { make_room(rank, lacks_room(rank)); }

floe_status queue_shrink(struct gpu_rank *rank) {
  const uint64_t words = policy_first_queue(rank->slack + rank->harvest.most, rank->budget.limit);
  return words == 0 || words >= rank->ring_words ? FLOE_OK : change_ring(rank, words);
}

bool queue_in_parts(const struct gpu_rank *rank) {
  return rank->level_pieces.states > 0 || rank->next_pieces.states > 0;
}

bool queue_has_level(const struct gpu_rank *rank) { return rank->level_pieces.states == 0; }

/* The piece becomes the current part. */
static floe_status bring_in(struct gpu_rank *rank, struct gpu_piece *piece) {
  struct gpu_control *control = &rank->control;
  control->current = control->next - piece->count;
  control->current_end = control->next;
  floe_status status = upload(rank, control->current, piece);
  if (status == FLOE_OK)
    status = gpu_wait(rank->gpu);
  pieces_spare(rank, piece);
  if (status == FLOE_OK)
    pieces_look_ahead(rank);
  return status;
}

bool queue_next_part(struct gpu_rank *rank) {
  struct gpu_control *control = &rank->control;
  if (rank->level_pieces.states == 0)
    return false;
  if (!policy_piece_has_room(rank->ring_words, rank->piece_words, control->next_end - control->next))
    queue_relieve(rank);
  if (rank->search->ended)
    return false;
  struct gpu_piece *piece;
  floe_status status = pieces_pop(rank, &rank->level_pieces, &piece);
  if (status == FLOE_OK)
    status = bring_in(rank, piece);
  if (status != FLOE_OK)
    give_up(rank, status);
  return status == FLOE_OK;
}

void queue_turn(struct gpu_rank *rank) {
  struct gpu_control *control = &rank->control;
  control->states_before += control->next_end - control->next;
  control->current = control->next;
  control->current_end = control->next = control->next_end;
  rank->level_pieces = rank->next_pieces;
  rank->next_pieces = (struct gpu_pieces){0};
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

floe_status queue_add(struct gpu_rank *rank, bool next, const uint64_t *states, uint64_t n) {
  struct gpu_pieces *list = next ? &rank->next_pieces : &rank->level_pieces;
  while (n > 0) {
    struct gpu_piece *piece = list->first;
    if (!piece || !piece->states || piece->row.busy || piece == rank->store.writing ||
        piece->count == rank->piece_words) {
      FLOE_TRY(pieces_new(rank, &piece));
      piece->count = 0;
      pieces_push(list, piece);
    }
    const uint64_t some = least(n, rank->piece_words - piece->count);
    memcpy(piece->states + piece->count, states, some * sizeof *states);
    piece->count += some;
    list->states += some;
    states += some;
    n -= some;
  }
  return FLOE_OK;
}

floe_status queue_each(struct gpu_rank *rank, bool next, uint64_t *buffer, uint64_t room,
                       void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  const struct gpu_control *control = &rank->control;
  const struct gpu_pieces *list = next ? &rank->next_pieces : &rank->level_pieces;
  const uint64_t end = next ? control->next_end : control->current_end;
  uint64_t n;
  for (uint64_t p = next ? control->next : control->current; p < end; p += n) {
    n = least(least(end - p, room), rank->ring_words - (p & (rank->ring_words - 1)));
    FLOE_TRY(gpu_download(rank->gpu, buffer, at(rank->ring, rank->ring_words, p), n * sizeof *buffer));
    visit(user, buffer, n);
  }
  return pieces_each(rank, list, visit, user);
}

/* ---- figures --------------------------------------------------------------------------------- */

uint64_t queue_level_rest(const struct gpu_rank *rank) {
  return rank->control.current_end - rank->control.current + rank->level_pieces.states;
}

uint64_t queue_next_states(const struct gpu_rank *rank) {
  return rank->control.next_end - rank->control.next + rank->next_pieces.states;
}

void queue_free(struct gpu_rank *rank) {
  pieces_free(rank);
  if (rank->ring)
    rank_give(rank, rank->ring_words * sizeof(uint64_t), &rank->ring);
}
