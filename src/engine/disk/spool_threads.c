#include "engine/disk/spool_threads.h"

#include "core/mem.h"
#include "core/threads/thread.h"

#include <assert.h>

struct spool_thread {
  struct spool_threads *owner;
  struct spool_context *context;
  pthread_t thread;
};

struct spool_threads {
  struct spool *spool;
  size_t most;                  /* states in a block */
  uint32_t words;               /* of a state */
  struct spool_thread *threads; /* [thread_count] */
  unsigned thread_count;
  struct spool_context *context; /* of the caller, to visit rows */
  pthread_mutex_t mutex;         /* of all members below, and of rows in transfer */
  pthread_cond_t begun, done;
  struct spool_row *first; /* rows with blocks that no thread has taken yet, oldest first */
  bool ended;
};

/* ---- the threads ----------------------------------------------------------------------------- */

static size_t states_of_block(const struct spool_threads *self, const struct spool_row *row, size_t i) {
  const uint64_t left = row->count - i * self->most;
  return left < self->most ? left : self->most;
}

/* Waits for the next block of the oldest row; the mutex is held. NULL: the threads end. */
static struct spool_row *take_block(struct spool_threads *self, size_t *block) {
  while (!self->first && !self->ended)
    pthread_cond_wait(&self->begun, &self->mutex);
  struct spool_row *row = self->first;
  if (!row)
    return NULL;
  *block = row->taken++;
  if (row->taken == row->block_count)
    self->first = row->next;
  return row;
}

static floe_status transfer_block(struct spool_thread *thread, struct spool_row *row, size_t i) {
  const struct spool_threads *self = thread->owner;
  uint64_t *states = row->states + i * self->most * self->words;
  if (row->reading)
    return spool_read(thread->context, &row->blocks[i], states);
  const struct spool_span span = {states, states_of_block(self, row, i)};
  return spool_write(thread->context, &span, 1, &row->blocks[i]);
}

static void *thread_main(void *data) {
  struct spool_thread *thread = data;
  struct spool_threads *self = thread->owner;
  struct spool_row *row;
  size_t i;
  pthread_mutex_lock(&self->mutex);
  while ((row = take_block(self, &i)) != NULL) {
    const bool failed = row->status != FLOE_OK;
    pthread_mutex_unlock(&self->mutex);
    floe_status status = failed ? FLOE_OK : transfer_block(thread, row, i);
    pthread_mutex_lock(&self->mutex);
    if (status != FLOE_OK)
      row->status = status;
    if (++row->done == row->block_count)
      pthread_cond_broadcast(&self->done);
  }
  pthread_mutex_unlock(&self->mutex);
  return NULL;
}

/* ---- creation -------------------------------------------------------------------------------- */

size_t spool_threads_bytes(const struct spool_config *config, unsigned thread_count) {
  return (thread_count + 1) * spool_context_bytes(config);
}

/* Starts fewer threads if the system refuses more. */
static floe_status start_threads(struct spool_threads *self, unsigned thread_count) {
  for (; self->thread_count < thread_count; self->thread_count++) {
    struct spool_thread *thread = &self->threads[self->thread_count];
    thread->owner = self;
    if (spool_context_create(self->spool, &thread->context) != FLOE_OK)
      break;
    if (!thread_start(&thread->thread, thread_main, thread)) {
      spool_context_free(thread->context);
      break;
    }
  }
  return self->thread_count > 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status init_threads(struct spool_threads *self, const struct spool_config *config, unsigned thread_count) {
  FLOE_TRY(spool_create(config, &self->spool));
  FLOE_TRY(spool_context_create(self->spool, &self->context));
  self->threads = mem_array(thread_count, sizeof *self->threads);
  return self->threads ? start_threads(self, thread_count) : FLOE_ERROR_MEMORY;
}

floe_status spool_threads_create(const struct spool_config *config, unsigned thread_count, struct spool_threads **out) {
  struct spool_threads *self = mem_alloc(sizeof *self);
  assert(thread_count > 0);
  if (!self)
    return FLOE_ERROR_MEMORY;
  self->most = config->most;
  self->words = config->words;
  pthread_mutex_init(&self->mutex, NULL);
  pthread_cond_init(&self->begun, NULL);
  pthread_cond_init(&self->done, NULL);
  floe_status status = init_threads(self, config, thread_count);
  if (status == FLOE_OK)
    *out = self;
  else
    spool_threads_free(self);
  return status;
}

static void stop_threads(struct spool_threads *self) {
  pthread_mutex_lock(&self->mutex);
  assert(!self->first);
  self->ended = true;
  pthread_cond_broadcast(&self->begun);
  pthread_mutex_unlock(&self->mutex);
  for (unsigned i = 0; i < self->thread_count; i++) {
    pthread_join(self->threads[i].thread, NULL);
    spool_context_free(self->threads[i].context);
  }
}

void spool_threads_free(struct spool_threads *self) {
  if (!self)
    return;
  stop_threads(self);
  mem_free(self->threads);
  spool_context_free(self->context);
  spool_free(self->spool);
  pthread_cond_destroy(&self->begun);
  pthread_cond_destroy(&self->done);
  pthread_mutex_destroy(&self->mutex);
  mem_free(self);
}

struct spool *spool_threads_spool(struct spool_threads *self) {
  return self->spool;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void begin_transfer(struct spool_threads *self, struct spool_row *row, bool reading) {
  assert(!row->busy && row->block_count > 0);
  row->taken = row->done = 0;
  row->busy = true;
  row->reading = reading;
  row->status = FLOE_OK;
  row->next = NULL;
  pthread_mutex_lock(&self->mutex);
  struct spool_row **end = &self->first;
  while (*end)
    end = &(*end)->next;
  *end = row;
  pthread_cond_broadcast(&self->begun);
  pthread_mutex_unlock(&self->mutex);
}

floe_status spool_row_write(struct spool_threads *self, struct spool_row *row) {
  const size_t count = (row->count + self->most - 1) / self->most;
  assert(!row->blocks && row->count > 0);
  row->blocks = mem_array(count, sizeof *row->blocks);
  if (!row->blocks)
    return FLOE_ERROR_MEMORY;
  row->block_count = count;
  begin_transfer(self, row, false);
  return FLOE_OK;
}

void spool_row_read(struct spool_threads *self, struct spool_row *row) { begin_transfer(self, row, true); }

/* Blocks without states have not been written. */
void spool_row_drop(struct spool_threads *self, struct spool_row *row) {
  assert(!row->busy);
  for (size_t i = 0; i < row->block_count; i++)
    if (row->blocks[i].states > 0)
      spool_release(self->spool, &row->blocks[i]);
  mem_free(row->blocks);
  row->blocks = NULL;
  row->block_count = 0;
}

floe_status spool_row_wait(struct spool_threads *self, struct spool_row *row) {
  if (!row->busy)
    return FLOE_OK;
  pthread_mutex_lock(&self->mutex);
  while (row->done < row->block_count)
    pthread_cond_wait(&self->done, &self->mutex);
  pthread_mutex_unlock(&self->mutex);
  row->busy = false;
  if (row->reading || row->status != FLOE_OK)
    spool_row_drop(self, row);
  return row->status;
}

floe_status spool_row_visit(struct spool_threads *self, const struct spool_row *row,
                            void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  assert(!row->busy);
  if (!row->blocks)
    visit(user, row->states, row->count);
  for (size_t i = 0; i < row->block_count; i++)
    FLOE_TRY(spool_visit(self->context, &row->blocks[i], visit, user));
  return FLOE_OK;
}
