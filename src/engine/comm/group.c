#include "engine/comm/group.h"

#include "core/mem.h"

#include <assert.h>
#include <pthread.h>

struct message *message_make(size_t bytes) {
  struct message *message = mem_alloc(sizeof *message + bytes + GROUP_BEHIND);
  if (message)
    *message = (struct message){.bytes = bytes};
  return message;
}

/* ---- stocks ----------------------------------------------------------------------------------- */

struct stock {
  pthread_mutex_t mutex;
  struct message *first;
  unsigned count, out;
  size_t bytes;    /* of content and what comes behind it, a multiple of 8 */
  size_t far_room; /* of each, on a device */
};

static void give(struct message *message) {
  struct stock *stock = message->stock;
  pthread_mutex_lock(&stock->mutex);
  assert(stock->out > 0);
  stock->out--;
  message->next = stock->first;
  stock->first = message;
  pthread_mutex_unlock(&stock->mutex);
}

void message_free(struct message *message) {
  if (message && message->stock)
    give(message);
  else
    mem_free(message);
}

static size_t padded(size_t bytes) { return (bytes + GROUP_BEHIND + 7) / 8 * 8; }

size_t stock_bytes(unsigned count, size_t bytes) { return count * (sizeof(struct message) + padded(bytes)); }

struct stock *stock_make(void *memory, unsigned count, size_t bytes) {
  return stock_make_far(memory, count, bytes, NULL, 0);
}

struct stock *stock_make_far(void *memory, unsigned count, size_t bytes, void *far, size_t far_bytes) {
  struct stock *stock = mem_alloc(sizeof *stock);
  if (!stock)
    return NULL;
  *stock = (struct stock){.count = count, .bytes = padded(bytes), .far_room = far_bytes};
  pthread_mutex_init(&stock->mutex, NULL);
  for (unsigned i = 0; i < count; i++) {
    struct message *message = (struct message *)(void *)((char *)memory + stock_bytes(i, bytes));
    *message = (struct message){.next = stock->first, .stock = stock};
    message->far = far ? (unsigned char *)far + i * far_bytes : NULL;
    stock->first = message;
  }
  return stock;
}

struct message *stock_take(struct stock *stock, size_t bytes) {
  if (bytes > stock->bytes)
    return NULL;
  pthread_mutex_lock(&stock->mutex);
  struct message *message = stock->first;
  if (message) {
    stock->first = message->next;
    stock->out++;
    message->next = NULL;
    message->bytes = bytes;
    message->far_bytes = 0;
  }
  pthread_mutex_unlock(&stock->mutex);
  return message;
}

size_t stock_far_room(const struct stock *stock) { return stock ? stock->far_room : 0; }

bool stock_free(struct stock *stock) {
  if (!stock)
    return true;
  pthread_mutex_lock(&stock->mutex);
  const bool back = stock->out == 0;
  pthread_mutex_unlock(&stock->mutex);
  if (!back)
    return false;
  pthread_mutex_destroy(&stock->mutex);
  mem_free(stock);
  return true;
}
