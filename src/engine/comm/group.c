#include "engine/comm/group.h"

#include "core/mem.h"

#include <assert.h>
#include <pthread.h>

struct message *message_make(size_t bytes) {
  struct message *message = mem_alloc(sizeof *message + bytes + GROUP_TRAILER_BYTES);
  if (message)
    *message = (struct message){.bytes = bytes};
  return message;
}

/* ---- pools ------------------------------------------------------------------------------------ */

struct message_pool {
  pthread_mutex_t mutex;
  struct message *first;
  unsigned count, out;
  size_t bytes;       /* of content and trailer, a multiple of 8 */
  size_t device_room; /* device memory of each */
};

static void return_to_pool(struct message *message) {
  struct message_pool *message_pool = message->message_pool;
  pthread_mutex_lock(&message_pool->mutex);
  assert(message_pool->out > 0);
  message_pool->out--;
  message->next = message_pool->first;
  message_pool->first = message;
  pthread_mutex_unlock(&message_pool->mutex);
}

void message_free(struct message *message) {
  if (message && message->message_pool)
    return_to_pool(message);
  else
    mem_free(message);
}

static size_t padded(size_t bytes) { return (bytes + GROUP_TRAILER_BYTES + 7) / 8 * 8; }

size_t message_pool_bytes(unsigned count, size_t bytes) { return count * (sizeof(struct message) + padded(bytes)); }

struct message_pool *message_pool_new(void *memory, unsigned count, size_t bytes) {
  return message_pool_new_device(memory, count, bytes, NULL, 0);
}

struct message_pool *message_pool_new_device(void *memory, unsigned count, size_t bytes, void *payload,
                                             size_t payload_bytes) {
  struct message_pool *message_pool = mem_alloc(sizeof *message_pool);
  if (!message_pool)
    return NULL;
  *message_pool = (struct message_pool){.count = count, .bytes = padded(bytes), .device_room = payload_bytes};
  pthread_mutex_init(&message_pool->mutex, NULL);
  for (unsigned i = 0; i < count; i++) {
    struct message *message = (struct message *)(void *)((char *)memory + message_pool_bytes(i, bytes));
    *message = (struct message){.next = message_pool->first, .message_pool = message_pool};
    message->payload = payload ? (unsigned char *)payload + i * payload_bytes : NULL;
    message_pool->first = message;
  }
  return message_pool;
}

struct message *message_pool_take(struct message_pool *message_pool, size_t bytes) {
  if (bytes > message_pool->bytes)
    return NULL;
  pthread_mutex_lock(&message_pool->mutex);
  struct message *message = message_pool->first;
  if (message) {
    message_pool->first = message->next;
    message_pool->out++;
    message->next = NULL;
    message->bytes = bytes;
    message->payload_bytes = 0;
  }
  pthread_mutex_unlock(&message_pool->mutex);
  return message;
}

size_t message_pool_device_room(const struct message_pool *message_pool) {
  return message_pool ? message_pool->device_room : 0;
}

bool message_pool_free(struct message_pool *message_pool) {
  if (!message_pool)
    return true;
  pthread_mutex_lock(&message_pool->mutex);
  const bool back = message_pool->out == 0;
  pthread_mutex_unlock(&message_pool->mutex);
  if (!back)
    return false;
  pthread_mutex_destroy(&message_pool->mutex);
  mem_free(message_pool);
  return true;
}
