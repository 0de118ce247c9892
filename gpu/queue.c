/* The queue of states: a ring in the device's memory, and pieces of it on the host where that is
 * full. */
#include "gpu/run.h"

#include "core/mem.h"
#include "gpu/policy.h"

static gpu_address at(gpu_address ring, uint64_t words, uint64_t position) {
  return ring + (position & (words - 1)) * sizeof(uint64_t);
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t queue_bytes(const struct gpu_run *run) { return run->ring_words * sizeof(uint64_t) + run->piece_bytes_all; }

static void note_peak(struct gpu_run *run) {
  if (queue_bytes(run) > run->frontier_peak)
    run->frontier_peak = queue_bytes(run);
}

/* ---- the ring -------------------------------------------------------------------------------- */

floe_status queue_first(struct gpu_run *run) {
  uint64_t words = policy_first_queue(run->slack + run->harvest.most, run->budget.limit);
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  if (run->tuning.queue)
    while (words / 2 >= run->tuning.queue && words / 2 >= 4 * (run->slack + run->harvest.most))
      words /= 2;
  FLOE_TRY(run_take(run, words * sizeof(uint64_t), &run->ring));
  run->ring_words = words;
  run->piece_words = policy_piece(words);
  note_peak(run);
  return FLOE_OK;
}

/* Physical places change with the size: what is contiguous in both rings is copied at once. */
static floe_status copy_states(struct gpu_run *run, gpu_address ring, uint64_t words) {
  const uint64_t end = run->control.next_end;
  for (uint64_t p = run->control.current; p < end;) {
    uint64_t n = end - p;
    n = least(n, run->ring_words - (p & (run->ring_words - 1)));
    n = least(n, words - (p & (words - 1)));
    FLOE_TRY(gpu_copy(run->gpu, at(ring, words, p), at(run->ring, run->ring_words, p), n * sizeof(uint64_t)));
    p += n;
  }
  return FLOE_OK;
}

/* FLOE_ERROR_MEMORY: there is no room for a larger ring. */
static floe_status enlarge(struct gpu_run *run) {
  gpu_address ring;
  uint64_t words = run->tuning.queue ? 0
                                     : policy_larger_queue(run->ring_words, run->budget.limit,
                                                           gpu_budget_room(&run->budget), run->final);
  if (words == 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(run_take(run, words * sizeof(uint64_t), &ring));
  floe_status status = copy_states(run, ring, words);
  if (status != FLOE_OK) {
    run_give(run, words * sizeof(uint64_t), &ring);
    return status;
  }
  run_give(run, run->ring_words * sizeof(uint64_t), &run->ring);
  run->ring = ring;
  run->ring_words = words;
  note_peak(run);
  return FLOE_OK;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static struct gpu_piece *pop(struct gpu_pieces *list) {
  struct gpu_piece *piece = list->first;
  if (piece) {
    list->first = piece->next;
    list->states -= piece->count;
  }
  return piece;
}

static void push(struct gpu_pieces *list, struct gpu_piece *piece) {
  piece->next = list->first;
  list->first = piece;
  list->states += piece->count;
}

/* FLOE_ERROR_MEMORY: the host has no more for the frontier. */
static floe_status new_piece(struct gpu_run *run, struct gpu_piece **out) {
  const uint64_t bytes = run->piece_words * sizeof(uint64_t);
  void *states;
  struct gpu_piece *piece = pop(&run->spare_pieces);
  if (piece) {
    *out = piece;
    return FLOE_OK;
  }
  if (run->piece_bytes_all + bytes > run->task->options->memory)
    return FLOE_ERROR_MEMORY;
  piece = mem_alloc(sizeof *piece);
  if (!piece)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_host_alloc(run->gpu, bytes, &states);
  if (status != FLOE_OK) {
    mem_free(piece);
    return status;
  }
  piece->states = states;
  run->piece_bytes_all += bytes;
  note_peak(run);
  *out = piece;
  return FLOE_OK;
}

static floe_status download(struct gpu_run *run, uint64_t from, struct gpu_piece *piece) {
  for (uint64_t done = 0; done < piece->count;) {
    uint64_t p = from + done;
    uint64_t n = least(piece->count - done, run->ring_words - (p & (run->ring_words - 1)));
    FLOE_TRY(
        gpu_download_start(run->gpu, piece->states + done, at(run->ring, run->ring_words, p), n * sizeof(uint64_t)));
    done += n;
  }
  return FLOE_OK;
}

static floe_status upload(struct gpu_run *run, uint64_t to, const struct gpu_piece *piece) {
  for (uint64_t done = 0; done < piece->count;) {
    uint64_t p = to + done;
    uint64_t n = least(piece->count - done, run->ring_words - (p & (run->ring_words - 1)));
    FLOE_TRY(gpu_upload_start(run->gpu, at(run->ring, run->ring_words, p), piece->states + done, n * sizeof(uint64_t)));
    done += n;
  }
  return FLOE_OK;
}

/* States [from, to) to the host. */
static floe_status put_out(struct gpu_run *run, uint64_t from, uint64_t to, struct gpu_pieces *list) {
  while (from < to) {
    struct gpu_piece *piece;
    FLOE_TRY(new_piece(run, &piece));
    piece->count = least(to - from, run->piece_words);
    push(list, piece);
    FLOE_TRY(download(run, from, piece));
    from += piece->count;
    run->spilled += piece->count;
  }
  return FLOE_OK;
}

static void free_pieces(struct gpu_run *run, struct gpu_pieces *list) {
  struct gpu_piece *piece;
  while ((piece = pop(list)) != NULL) {
    gpu_host_free(run->gpu, piece->states);
    mem_free(piece);
  }
}

/* ---- spilling -------------------------------------------------------------------------------- */

/* The next level goes out, and the end of the current part where that is large. The states of the
   level that stay then lie before an empty next level. */
static floe_status spill(struct gpu_run *run) {
  struct gpu_control *control = &run->control;
  const uint64_t next = control->next_end - control->next;
  const struct policy_spill out = policy_spill(run->ring_words, control->current_end - control->current, next);
  FLOE_TRY(put_out(run, control->next, control->next_end, &run->next_pieces));
  FLOE_TRY(put_out(run, control->current_end - out.current, control->current_end, &run->level_pieces));
  FLOE_TRY(gpu_wait(run->gpu));
  control->states_before += next;
  control->current_end -= out.current;
  control->next = control->next_end = control->current_end;
  harvest_moved(run);
  return FLOE_OK;
}

void queue_relieve(struct gpu_run *run) {
  floe_status status = enlarge(run);
  if (status == FLOE_ERROR_MEMORY)
    status = spill(run);
  if (status == FLOE_ERROR_MEMORY)
    run_finish(run, FLOE_END_MEMORY);
  else if (status != FLOE_OK)
    run_fail(run, status);
}

bool queue_in_parts(const struct gpu_run *run) { return run->level_pieces.states > 0 || run->next_pieces.states > 0; }

/* A piece is at most a quarter of the ring; with a next level of half of it there is room for what
 * they find. */
bool queue_next_part(struct gpu_run *run) {
  struct gpu_control *control = &run->control;
  if (control->next_end - control->next > run->ring_words / 2)
    queue_relieve(run);
  if (run->ended || run->level_pieces.states == 0)
    return false;
  struct gpu_piece *piece = pop(&run->level_pieces);
  control->current = control->next - piece->count;
  control->current_end = control->next;
  floe_status status = upload(run, control->current, piece);
  if (status == FLOE_OK)
    status = gpu_wait(run->gpu);
  push(&run->spare_pieces, piece);
  if (status != FLOE_OK)
    run_fail(run, status);
  return status == FLOE_OK;
}

void queue_turn(struct gpu_run *run) {
  struct gpu_control *control = &run->control;
  control->states_before += control->next_end - control->next;
  control->current = control->next;
  control->current_end = control->next = control->next_end;
  run->level_pieces = run->next_pieces;
  run->next_pieces = (struct gpu_pieces){0};
}

/* ---- figures --------------------------------------------------------------------------------- */

uint64_t queue_level_rest(const struct gpu_run *run) {
  return run->control.current_end - run->control.current + run->level_pieces.states;
}

uint64_t queue_next_states(const struct gpu_run *run) {
  return run->control.next_end - run->control.next + run->next_pieces.states;
}

void queue_free(struct gpu_run *run) {
  free_pieces(run, &run->level_pieces);
  free_pieces(run, &run->next_pieces);
  free_pieces(run, &run->spare_pieces);
  if (run->ring)
    run_give(run, run->ring_words * sizeof(uint64_t), &run->ring);
}
