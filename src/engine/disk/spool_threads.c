#include "engine/disk/spool_threads.h"

#include "core/mem.h"
#include "core/thread.h"

#include <assert.h>

struct member {
  struct spool_threads *team;
  struct spool_context *lane;
  pthread_t thread;
};

struct spool_threads {
  struct spool *spool;
  size_t most;           /* states in a block */
  uint32_t words;        /* of a state */
  struct member *member; /* [threads] */
  unsigned threads;
  struct spool_context *lane; /* the caller's, to look at rows */
  pthread_mutex_t mutex;   /* of all below, and of the rows on their way */
  pthread_cond_t begun, done;
  struct spool_row *first; /* whose blocks are not all taken yet, by age */
  bool ended;
};

/* ---- the threads ----------------------------------------------------------------------------- */

static size_t states_of_block(const struct spool_threads *team, const struct spool_row *row, size_t i) {
  const uint64_t left = row->count - i * team->most;
  return left < team->most ? left : team->most;
}

/* Within the mutex: the next block of the oldest row, waited for; NULL: there will be none. */
static struct spool_row *take(struct spool_threads *team, size_t *block) {
  while (!team->first && !team->ended)
    pthread_cond_wait(&team->begun, &team->mutex);
  struct spool_row *row = team->first;
  if (!row)
    return NULL;
  *block = row->taken++;
  if (row->taken == row->block_count)
    team->first = row->next;
  return row;
}

static floe_status move_block(struct member *member, struct spool_row *row, size_t i) {
  const struct spool_threads *team = member->team;
  uint64_t *states = row->states + i * team->most * team->words;
  if (row->reading)
    return spool_read(member->lane, &row->blocks[i], states);
  const struct spool_span span = {states, states_of_block(team, row, i)};
  return spool_write(member->lane, &span, 1, &row->blocks[i]);
}

static void *work(void *data) {
  struct member *member = data;
  struct spool_threads *team = member->team;
  struct spool_row *row;
  size_t i;
  pthread_mutex_lock(&team->mutex);
  while ((row = take(team, &i)) != NULL) {
    const bool hopeless = row->status != FLOE_OK;
    pthread_mutex_unlock(&team->mutex);
    floe_status status = hopeless ? FLOE_OK : move_block(member, row, i);
    pthread_mutex_lock(&team->mutex);
    if (status != FLOE_OK)
      row->status = status;
    if (++row->done == row->block_count)
      pthread_cond_broadcast(&team->done);
  }
  pthread_mutex_unlock(&team->mutex);
  return NULL;
}

/* ---- creation -------------------------------------------------------------------------------- */

size_t spool_threads_bytes(const struct spool_config *config, unsigned threads) {
  return (threads + 1) * spool_context_bytes(config);
}

/* Fewer than asked for where the system gives no more. */
static floe_status start_members(struct spool_threads *team, unsigned threads) {
  for (; team->threads < threads; team->threads++) {
    struct member *member = &team->member[team->threads];
    member->team = team;
    if (spool_context_create(team->spool, &member->lane) != FLOE_OK)
      break;
    if (!thread_start(&member->thread, work, member)) {
      spool_context_free(member->lane);
      break;
    }
  }
  return team->threads > 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status fill_team(struct spool_threads *team, const struct spool_config *config, unsigned threads) {
  FLOE_TRY(spool_create(config, &team->spool));
  FLOE_TRY(spool_context_create(team->spool, &team->lane));
  team->member = mem_array(threads, sizeof *team->member);
  return team->member ? start_members(team, threads) : FLOE_ERROR_MEMORY;
}

floe_status spool_threads_create(const struct spool_config *config, unsigned threads, struct spool_threads **out) {
  struct spool_threads *team = mem_alloc(sizeof *team);
  assert(threads > 0);
  if (!team)
    return FLOE_ERROR_MEMORY;
  team->most = config->most;
  team->words = config->words;
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->begun, NULL);
  pthread_cond_init(&team->done, NULL);
  floe_status status = fill_team(team, config, threads);
  if (status == FLOE_OK)
    *out = team;
  else
    spool_threads_free(team);
  return status;
}

static void stop_members(struct spool_threads *team) {
  pthread_mutex_lock(&team->mutex);
  assert(!team->first);
  team->ended = true;
  pthread_cond_broadcast(&team->begun);
  pthread_mutex_unlock(&team->mutex);
  for (unsigned i = 0; i < team->threads; i++) {
    pthread_join(team->member[i].thread, NULL);
    spool_context_free(team->member[i].lane);
  }
}

void spool_threads_free(struct spool_threads *team) {
  if (!team)
    return;
  stop_members(team);
  mem_free(team->member);
  spool_context_free(team->lane);
  spool_free(team->spool);
  pthread_cond_destroy(&team->begun);
  pthread_cond_destroy(&team->done);
  pthread_mutex_destroy(&team->mutex);
  mem_free(team);
}

struct spool *spool_threads_spool(struct spool_threads *team) {
  return team->spool;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void begin(struct spool_threads *team, struct spool_row *row, bool reading) {
  assert(!row->busy && row->block_count > 0);
  row->taken = row->done = 0;
  row->busy = true;
  row->reading = reading;
  row->status = FLOE_OK;
  row->next = NULL;
  pthread_mutex_lock(&team->mutex);
  struct spool_row **end = &team->first;
  while (*end)
    end = &(*end)->next;
  *end = row;
  pthread_cond_broadcast(&team->begun);
  pthread_mutex_unlock(&team->mutex);
}

floe_status spool_row_write(struct spool_threads *team, struct spool_row *row) {
  const size_t count = (row->count + team->most - 1) / team->most;
  assert(!row->blocks && row->count > 0);
  row->blocks = mem_array(count, sizeof *row->blocks);
  if (!row->blocks)
    return FLOE_ERROR_MEMORY;
  row->block_count = count;
  begin(team, row, false);
  return FLOE_OK;
}

void spool_row_read(struct spool_threads *team, struct spool_row *row) { begin(team, row, true); }

/* Blocks without states were not written. */
void spool_row_drop(struct spool_threads *team, struct spool_row *row) {
  assert(!row->busy);
  for (size_t i = 0; i < row->block_count; i++)
    if (row->blocks[i].states > 0)
      spool_release(team->spool, &row->blocks[i]);
  mem_free(row->blocks);
  row->blocks = NULL;
  row->block_count = 0;
}

floe_status spool_row_wait(struct spool_threads *team, struct spool_row *row) {
  if (!row->busy)
    return FLOE_OK;
  pthread_mutex_lock(&team->mutex);
  while (row->done < row->block_count)
    pthread_cond_wait(&team->done, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
  row->busy = false;
  if (row->reading || row->status != FLOE_OK)
    spool_row_drop(team, row);
  return row->status;
}

floe_status spool_row_visit(struct spool_threads *team, const struct spool_row *row,
                            void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  assert(!row->busy);
  if (!row->blocks)
    visit(user, row->states, row->count);
  for (size_t i = 0; i < row->block_count; i++)
    FLOE_TRY(spool_visit(team->lane, &row->blocks[i], visit, user));
  return FLOE_OK;
}
