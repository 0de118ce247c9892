/* Queue of messages, first in, first out. Zeros: empty. It must not be copied, and one thread at a time may use it. */
#ifndef FLOE_ENGINE_COMM_MESSAGE_QUEUE_H
#define FLOE_ENGINE_COMM_MESSAGE_QUEUE_H

#include "engine/comm/group.h"

struct message_queue {
  struct message *first;
  struct message **end; /* `next` of the last message, or `first`; NULL: no message yet */
  size_t count;
};

static inline void message_push(struct message_queue *queue, struct message *message) {
  message->next = NULL;
  *(queue->end ? queue->end : &queue->first) = message;
  queue->end = &message->next;
  queue->count++;
}

/* Removes and returns the message at *at: `first`, or `next` of a message of the queue. */
static inline struct message *message_unlink(struct message_queue *queue, struct message **at) {
  struct message *message = *at;
  *at = message->next;
  if (!*at)
    queue->end = at;
  message->next = NULL;
  queue->count--;
  return message;
}

/* NULL: the queue is empty. */
static inline struct message *message_pop(struct message_queue *queue) {
  return queue->first ? message_unlink(queue, &queue->first) : NULL;
}

static inline void message_queue_clear(struct message_queue *queue) {
  while (queue->first)
    message_free(message_pop(queue));
}

#endif
