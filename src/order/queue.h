/* Blocks of bytes between the threads that fill them and the one that empties them. Their number is
   fixed: who fills faster than is emptied waits. */
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
  struct block *blocks, *empty; /* all of them; those without content */
  size_t block_count;
  struct block *first, **last; /* in the order of their coming */
  bool ended;
};

/* False when there is no memory. */
bool queue_open(struct queue *queue, size_t blocks);
void queue_close(struct queue *queue); /* after queue_open, also one that failed */

/* Hands `used` bytes at `bytes`, which are a block's, over and returns those of an empty block.
   NULL gives an empty block for nothing. */
uint8_t *queue_exchange(struct queue *queue, uint8_t *bytes, size_t used);
/* No more will come. */
void queue_end(struct queue *queue);
/* More will come after all, once everything has been taken. */
void queue_reopen(struct queue *queue);

/* The oldest full block, waited for; NULL: none will come. */
struct block *queue_take(struct queue *queue);
void queue_give_back(struct queue *queue, struct block *block);

#endif
