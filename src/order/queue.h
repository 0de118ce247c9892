/* Bounded multi-producer, single-consumer queue of blocks of bytes. The number of blocks is fixed: producers wait
   while none is empty. */
#ifndef FLOE_ORDER_QUEUE_H
#define FLOE_ORDER_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_BYTES ((size_t)256 << 10)

struct block {
  struct block *next;
  size_t used;
  uint8_t *bytes; /* BLOCK_BYTES */
};

struct queue {
  pthread_mutex_t mutex;
  pthread_cond_t filled, emptied;
  struct block *blocks, *empty; /* all blocks; the empty ones */
  size_t block_count;
  struct block *first, **last; /* full blocks in the order of arrival */
  bool ended;
};

/* False: no memory. */
bool queue_open(struct queue *queue, size_t blocks);
void queue_close(struct queue *queue); /* after queue_open, also one that failed */

/* Queues the block of `bytes` with `used` bytes, and returns the bytes of an empty block. With NULL it only returns
   an empty block. */
uint8_t *queue_exchange(struct queue *queue, uint8_t *bytes, size_t used);
/* No more blocks will be queued. */
void queue_end(struct queue *queue);
/* Allows queuing again, after everything has been taken. */
void queue_reopen(struct queue *queue);

/* Waits for the oldest full block; NULL: the queue has ended. */
struct block *queue_take(struct queue *queue);
void queue_give_back(struct queue *queue, struct block *block);

#endif
