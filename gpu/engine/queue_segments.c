/* Pieces of the queue on the host: in page-locked memory as far as options->memory goes, on disk beyond. One piece at a
   time is on its way to the disk while the device works; the next one of the level is read before it is wanted, where
   memory for two is idle. To go on at all takes memory for one piece. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "gpu/engine/host_backed_set.h"

#include <assert.h>

#define MOST_BLOCK (UINT64_C(1) << 16) /* states */
#define LEAST_BLOCK 256
#define MOST_THREADS 16
#define ALWAYS 2 /* pieces: one to be filled while another one is written */
#define SHARE 8  /* of the memory for the team, where that is very little */

/* ---- lists ----------------------------------------------------------------------------------- */

static struct gpu_piece *pop(struct gpu_pieces *list) {
  struct gpu_piece *piece = list->first;
  if (piece) {
    list->first = piece->next;
    list->states -= piece->count;
  }
  return piece;
}

void pieces_push(struct gpu_pieces *list, struct gpu_piece *piece) {
  piece->next = list->first;
  list->first = piece;
  list->states += piece->count;
}

void pieces_spare(struct gpu_rank *rank, struct gpu_piece *piece) {
  assert(piece->states && !piece->row.busy && !piece->row.blocks);
  piece->count = 0;
  pieces_push(&rank->spare_pieces, piece);
}

/* ---- the team -------------------------------------------------------------------------------- */

static uint64_t piece_bytes(const struct gpu_rank *rank) { return rank->piece_words * sizeof(uint64_t); }

/* The most threads and the largest blocks that are a small part of the memory; false: there are none. */
static bool choose_team(const struct gpu_rank *rank, struct spool_config *config, unsigned *threads) {
  const floe_options *options = rank->search->task->options;
  const uint64_t most = options->memory / SHARE;
  for (unsigned plain = 0; plain <= 1; plain++)
    for (uint64_t block = least(MOST_BLOCK, rank->piece_words); block >= LEAST_BLOCK; block /= 2) {
      *config = (struct spool_config){.words = 1, .most = block, .level = SPOOL_LEVEL, .plain = plain};
      *threads = (unsigned)least(greatest(options->threads, 1), MOST_THREADS);
      while (*threads > 1 && spool_team_bytes(config, *threads) > most)
        *threads /= 2;
      if (spool_team_bytes(config, *threads) <= most)
        return true;
    }
  return false;
}

void pieces_plan(struct gpu_rank *rank) {
  struct gpu_store *store = &rank->store;
  store->possible = choose_team(rank, &store->config, &store->threads);
  store->reserved = store->possible ? spool_team_bytes(&store->config, store->threads) : 0;
}

static floe_status make_team(struct gpu_rank *rank) {
  struct gpu_store *store = &rank->store;
  if (store->team)
    return FLOE_OK;
  return store->possible ? spool_team_create(&store->config, store->threads, &store->team) : FLOE_ERROR_MEMORY;
}

void pieces_tell(struct gpu_rank *rank) {
  if (rank->store.team)
    spool_tell(spool_team_spool(rank->store.team), rank->search->log);
}

uint64_t pieces_written(const struct gpu_rank *rank) {
  return rank->store.team ? spool_figures(spool_team_spool(rank->store.team)).written : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* In memory, and not on its way. */
static bool is_here(const struct gpu_piece *piece) { return piece->states && !piece->row.blocks; }

/* That is wanted last. */
static struct gpu_piece *last_here(const struct gpu_pieces *list) {
  struct gpu_piece *last = NULL;
  for (struct gpu_piece *piece = list->first; piece; piece = piece->next)
    if (is_here(piece))
      last = piece;
  return last;
}

/* What was read too early may have to go again. */
static floe_status end_reading(struct gpu_rank *rank) {
  struct gpu_piece *first = rank->level_pieces.first;
  return first && first->row.busy && first->row.reading ? spool_row_wait(rank->store.team, &first->row) : FLOE_OK;
}

/* NULL: there is none. */
static struct gpu_piece *wanted_last(const struct gpu_rank *rank) {
  struct gpu_piece *piece = last_here(&rank->next_pieces);
  return piece ? piece : last_here(&rank->level_pieces);
}

static floe_status write_piece(struct gpu_rank *rank, struct gpu_piece *piece) {
  assert(!rank->store.writing && is_here(piece));
  FLOE_TRY(make_team(rank));
  piece->row.states = piece->states;
  piece->row.count = piece->count;
  FLOE_TRY(spool_row_write(rank->store.team, &piece->row));
  rank->store.writing = piece;
  return FLOE_OK;
}

static floe_status begin_writing(struct gpu_rank *rank) {
  struct gpu_piece *piece = wanted_last(rank);
  if (!piece) {
    FLOE_TRY(end_reading(rank));
    piece = wanted_last(rank);
  }
  return piece ? write_piece(rank, piece) : FLOE_ERROR_MEMORY;
}

/* The memory of the piece that is being written becomes that of *out. */
static floe_status end_writing(struct gpu_rank *rank, struct gpu_piece **out) {
  struct gpu_store *store = &rank->store;
  struct gpu_piece *written = store->writing, *piece = mem_alloc(sizeof *piece);
  if (!piece)
    return FLOE_ERROR_MEMORY;
  store->writing = NULL;
  floe_status status = spool_row_wait(store->team, &written->row);
  if (status != FLOE_OK) {
    mem_free(piece);
    return status;
  }
  piece->states = written->states;
  written->states = NULL;
  *out = piece;
  return FLOE_OK;
}

/* The device may still be copying to what is to be written. */
static floe_status take_from_written(struct gpu_rank *rank, struct gpu_piece **out) {
  if (!rank->store.writing) {
    FLOE_TRY(gpu_wait(rank->gpu));
    FLOE_TRY(begin_writing(rank));
  }
  return end_writing(rank, out);
}

/* ---- memory ---------------------------------------------------------------------------------- */

uint64_t pieces_claim(const struct gpu_rank *rank) {
  return greatest(rank->piece_bytes_all, ALWAYS * piece_bytes(rank)) + rank->store.reserved;
}

/* A set of two levels has tables in the same memory, which leave that much. */
static bool has_room(const struct gpu_rank *rank) {
  const uint64_t memory = rank->search->task->options->memory;
  const uint64_t bytes = rank->piece_bytes_all + piece_bytes(rank) + rank->store.reserved;
  const bool few = rank->piece_bytes_all < ALWAYS * piece_bytes(rank);
  const struct two_levels_figures two = two_levels_figures(rank);
  return bytes + (few ? 0 : two.host_bytes + two.batch_bytes) <= memory;
}

static floe_status add_piece(struct gpu_rank *rank, struct gpu_piece **out) {
  void *states;
  struct gpu_piece *piece = mem_alloc(sizeof *piece);
  if (!piece)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_host_alloc(rank->gpu, piece_bytes(rank), &states);
  if (status != FLOE_OK) {
    mem_free(piece);
    return status;
  }
  piece->states = states;
  rank->piece_bytes_all += piece_bytes(rank);
  *out = piece;
  return FLOE_OK;
}

floe_status pieces_new(struct gpu_rank *rank, struct gpu_piece **out) {
  struct gpu_piece *piece = pop(&rank->spare_pieces);
  if (piece) {
    *out = piece;
    return FLOE_OK;
  }
  floe_status status = has_room(rank) && !rank->store.full ? add_piece(rank, out) : FLOE_ERROR_MEMORY;
  if (status != FLOE_ERROR_MEMORY)
    return status;
  rank->store.full = true;
  return take_from_written(rank, out);
}

/* Early; who needs the memory asks again, and is told. */
void pieces_settle(struct gpu_rank *rank) {
  struct gpu_piece *piece = wanted_last(rank);
  if (rank->store.full && !rank->store.writing && !rank->spare_pieces.first && piece &&
      piece != rank->level_pieces.first)
    write_piece(rank, piece);
}

/* ---- coming back ----------------------------------------------------------------------------- */

static void move_memory(struct gpu_piece *from, struct gpu_piece *to) {
  assert(!to->states);
  to->states = to->row.states = from->states;
  mem_free(from);
}

/* Both in memory and on disk, or on its way there: the memory is taken. */
static void stay(struct gpu_rank *rank, struct gpu_piece *piece) {
  spool_row_wait(rank->store.team, &piece->row); /* what is not written is here all the same */
  spool_row_forget(rank->store.team, &piece->row);
  rank->store.writing = NULL;
}

static floe_status read_back(struct gpu_rank *rank, struct gpu_piece *piece) {
  if (!piece->row.busy) {
    struct gpu_piece *memory;
    FLOE_TRY(pieces_new(rank, &memory));
    move_memory(memory, piece);
    spool_row_read(rank->store.team, &piece->row);
  }
  return spool_row_wait(rank->store.team, &piece->row);
}

floe_status pieces_pop(struct gpu_rank *rank, struct gpu_pieces *list, struct gpu_piece **out) {
  struct gpu_piece *piece = list->first;
  assert(piece);
  if (piece == rank->store.writing)
    stay(rank, piece);
  if (!is_here(piece))
    FLOE_TRY(read_back(rank, piece));
  *out = pop(list);
  return FLOE_OK;
}

void pieces_look_ahead(struct gpu_rank *rank) {
  struct gpu_piece *piece = rank->level_pieces.first;
  if (!piece || piece->states || piece->row.busy || !rank->spare_pieces.first || !rank->spare_pieces.first->next)
    return;
  move_memory(pop(&rank->spare_pieces), piece);
  spool_row_read(rank->store.team, &piece->row);
}

/* ---- looking, the end ------------------------------------------------------------------------ */

/* Nothing is on its way. */
static floe_status calm(struct gpu_rank *rank) {
  if (rank->store.writing)
    stay(rank, rank->store.writing);
  return end_reading(rank);
}

floe_status pieces_each(struct gpu_rank *rank, const struct gpu_pieces *list,
                        void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  FLOE_TRY(calm(rank));
  for (const struct gpu_piece *piece = list->first; piece; piece = piece->next)
    if (is_here(piece))
      visit(user, piece->states, piece->count);
    else
      FLOE_TRY(spool_row_visit(rank->store.team, &piece->row, visit, user));
  return FLOE_OK;
}

void pieces_drop(struct gpu_rank *rank, struct gpu_pieces *list) {
  struct gpu_piece *piece = pop(list);
  if (piece == rank->store.writing)
    rank->store.writing = NULL;
  if (rank->store.team) {
    spool_row_wait(rank->store.team, &piece->row);
    spool_row_forget(rank->store.team, &piece->row);
  }
  if (piece->states)
    pieces_spare(rank, piece);
  else
    mem_free(piece);
}

void pieces_free(struct gpu_rank *rank) {
  struct gpu_pieces *const lists[] = {&rank->level_pieces, &rank->next_pieces};
  for (size_t i = 0; i < 2; i++)
    while (lists[i]->first)
      pieces_drop(rank, lists[i]);
  for (struct gpu_piece *piece; (piece = pop(&rank->spare_pieces)) != NULL;) {
    gpu_host_free(rank->gpu, piece->states);
    mem_free(piece);
  }
  spool_team_free(rank->store.team);
  rank->store.team = NULL;
}
