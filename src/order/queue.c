#include "order/queue.h"

#include "core/mem.h"

#include <assert.h>

bool queue_open(struct queue *queue, size_t blocks) {
  *queue = (struct queue){.last = &queue->first};
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->filled, NULL);
  pthread_cond_init(&queue->emptied, NULL);
  queue->blocks = mem_array(blocks, sizeof *queue->blocks);
  if (!queue->blocks)
    return false;
  for (; queue->block_count < blocks; queue->block_count++) {
    struct block *block = &queue->blocks[queue->block_count];
    block->bytes = mem_alloc(BLOCK_BYTES);
    if (!block->bytes)
      return false;
    block->next = queue->empty;
    queue->empty = block;
  }
  return true;
}

void queue_close(struct queue *queue) {
  for (size_t i = 0; i < queue->block_count; i++)
    mem_free(queue->blocks[i].bytes);
  mem_free(queue->blocks);
  pthread_cond_destroy(&queue->emptied);
  pthread_cond_destroy(&queue->filled);
  pthread_mutex_destroy(&queue->mutex);
}

static struct block *block_of(const struct queue *queue, const uint8_t *bytes) {
  size_t i = 0;
  while (i < queue->block_count && queue->blocks[i].bytes != bytes)
    i++;
  assert(i < queue->block_count);
  return &queue->blocks[i];
}

uint8_t *queue_exchange(struct queue *queue, uint8_t *bytes, size_t used) {
  assert(used <= BLOCK_BYTES && (bytes || used == 0));
  pthread_mutex_lock(&queue->mutex);
  if (bytes) {
    struct block *full = block_of(queue, bytes);
    full->used = used;
    full->next = NULL;
    *queue->last = full;
    queue->last = &full->next;
    pthread_cond_signal(&queue->filled);
  }
  while (!queue->empty)
    pthread_cond_wait(&queue->emptied, &queue->mutex);
  struct block *block = queue->empty;
  queue->empty = block->next;
  pthread_mutex_unlock(&queue->mutex);
  return block->bytes;
}

void queue_end(struct queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue->ended = true;
  pthread_cond_signal(&queue->filled);
  pthread_mutex_unlock(&queue->mutex);
}

void queue_reopen(struct queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  assert(queue->ended && !queue->first);
  queue->ended = false;
  pthread_mutex_unlock(&queue->mutex);
}

struct block *queue_take(struct queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  while (!queue->first && !queue->ended)
    pthread_cond_wait(&queue->filled, &queue->mutex);
  struct block *block = queue->first;
  assert((queue->last == &queue->first) == !block);
  if (block) {
    queue->first = block->next;
    if (!queue->first)
      queue->last = &queue->first;
  }
  pthread_mutex_unlock(&queue->mutex);
  return block;
}

void queue_give_back(struct queue *queue, struct block *block) {
  pthread_mutex_lock(&queue->mutex);
  assert(block != queue->first && block != queue->empty);
  block->next = queue->empty;
  queue->empty = block;
  pthread_cond_signal(&queue->emptied);
  pthread_mutex_unlock(&queue->mutex);
}
