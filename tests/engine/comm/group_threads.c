#include "tests/engine/comm/group_threads.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "core/threads/thread.h"
#include "engine/comm/message_queue.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 60 /* s */
#define NEVER UINT64_MAX

/* Queue from one member to another on one channel. `due`: when the first message becomes visible to the receiver. */
struct queue {
  struct message_queue messages;
  double due; /* s, of clock_seconds */
};

struct threads;

struct member {
  struct group base;
  struct threads *all;
  struct queue *to;         /* [to * GROUP_CHANNELS + channel] */
  size_t sent, taken, seen; /* DATA messages: sent; received; known to the sender to be received */
  size_t waiting;           /* on both channels: sent and not received */
  uint64_t calls_left;
  bool gone, closing;
};

/* One lock for all members. */
struct threads {
  struct threads *duplicate; /* NULL: this is the duplicate */
  pthread_mutex_t mutex;
  pthread_cond_t taken;
  uint64_t seed;
  unsigned size, open;
  struct member *members;
  struct queue *queues; /* of all members */
};

static atomic_size_t dropped[GROUP_CHANNELS];

static uint64_t chance(struct threads *all) {
  all->seed ^= all->seed << 13;
  all->seed ^= all->seed >> 7;
  all->seed ^= all->seed << 17;
  return all->seed >> 11;
}

/* Most messages arrive at once, some late, few very late. */
static double delay(struct threads *all) {
  uint64_t kind = chance(all) % 256;
  double longest = kind == 0 ? 5e-3 : kind < 64 ? 1e-4 : 0;
  return longest * (double)(chance(all) % 1024) / 1024;
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void append(struct threads *all, struct queue *queue, struct message *message) {
  if (!queue->messages.first)
    queue->due = clock_seconds() + delay(all);
  message_push(&queue->messages, message);
}

static struct message *take_first(struct member *from, struct queue *queue, enum group_channel channel) {
  struct message *message = message_pop(&queue->messages);
  queue->due = clock_seconds() + delay(from->all);
  from->waiting--;
  from->taken += channel == GROUP_DATA;
  pthread_cond_broadcast(&from->all->taken);
  return message;
}

static void drop(struct member *from, struct queue *queue, enum group_channel channel, size_t keep) {
  struct message **at = &queue->messages.first;
  for (; *at && keep; keep--)
    at = &(*at)->next;
  while (*at) {
    message_free(message_unlink(&queue->messages, at));
    from->waiting--;
    from->taken += channel == GROUP_DATA;
  }
}

static struct queue *queue_to(struct member *from, unsigned to, enum group_channel channel) {
  return &from->to[(size_t)to * GROUP_CHANNELS + channel];
}

/* ---- members --------------------------------------------------------------------------------- */

static struct member *member_of(struct group *group) { return (struct member *)group; }

/* Some messages of the vanished member still arrive on each queue. */
static void vanish(struct member *self) {
  self->gone = true;
  for (unsigned to = 0; to < self->all->size; to++)
    for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++)
      drop(self, queue_to(self, to, channel), channel, chance(self->all) % 4);
  pthread_cond_broadcast(&self->all->taken);
}

/* Locks; false: the member is gone, and the mutex is not locked. */
static bool enter(struct member *self) {
  pthread_mutex_lock(&self->all->mutex);
  if (!self->gone && self->calls_left == 0)
    vanish(self);
  if (self->calls_left != NEVER && self->calls_left)
    self->calls_left--;
  if (self->gone)
    pthread_mutex_unlock(&self->all->mutex);
  return !self->gone;
}

static floe_status threads_send(struct group *group, unsigned to, enum group_channel channel, struct message *message) {
  struct member *self = member_of(group);
  if (to >= group->size || to == group->rank || channel >= GROUP_CHANNELS) {
    fprintf(stderr, "group: a message from %u to %u, channel %d\n", group->rank, to, (int)channel);
    abort();
  }
  if (!enter(self)) {
    message_free(message);
    return FLOE_ERROR_IO;
  }
  message->from = group->rank;
  append(self->all, queue_to(self, to, channel), message);
  self->waiting++;
  self->sent += channel == GROUP_DATA;
  if (self->all->members[to].closing) {
    drop(self, queue_to(self, to, channel), channel, 0);
    dropped[channel]++;
  }
  pthread_mutex_unlock(&self->all->mutex);
  return FLOE_OK;
}

/* Copies a message with a payload, as between processes; the payload is in host memory here. NULL: no memory. */
static struct message *arrive(struct group *group, struct message *message) {
  const bool fits = message->payload_bytes <= message_pool_device_room(group->message_pool);
  struct message *own = fits ? message_pool_take(group->message_pool, message->bytes) : NULL;
  if (own) {
    own->payload_bytes = message->payload_bytes;
    memcpy(own->payload, message->payload, message->payload_bytes);
  } else if ((own = message_make(message->bytes + message->payload_bytes))) {
    memcpy(own->content + message->bytes, message->payload, message->payload_bytes);
  }
  if (own) {
    own->from = message->from;
    memcpy(own->content, message->content, message->bytes);
  }
  message_free(message);
  return own;
}

/* Receives from one sender, starting with a random one. */
static floe_status threads_receive(struct group *group, enum group_channel channel, struct message **out) {
  struct member *self = member_of(group);
  if (!enter(self))
    return FLOE_ERROR_IO;
  double now = clock_seconds();
  unsigned begin = (unsigned)(chance(self->all) % group->size);
  *out = NULL;
  for (unsigned i = 0; i < group->size && !*out; i++) {
    struct member *from = &self->all->members[(begin + i) % group->size];
    struct queue *queue = queue_to(from, group->rank, channel);
    if (queue->messages.first && queue->due <= now)
      *out = take_first(from, queue, channel);
  }
  pthread_mutex_unlock(&self->all->mutex);
  if (!*out || !(*out)->payload_bytes)
    return FLOE_OK;
  *out = arrive(group, *out);
  return *out ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* The sender learns late that a message was received. */
static size_t threads_under_way(struct group *group) {
  struct member *self = member_of(group);
  if (!enter(self))
    return 0;
  if (chance(self->all) % 4)
    self->seen = self->taken;
  size_t in_flight = self->sent - self->seen;
  pthread_mutex_unlock(&self->all->mutex);
  return in_flight;
}

static void threads_abort(struct group *group, int code) {
  (void)group;
  _exit(code);
}

static void free_all(struct threads *all) {
  pthread_cond_destroy(&all->taken);
  pthread_mutex_destroy(&all->mutex);
  mem_free(all->queues);
  mem_free(all->members);
  mem_free(all);
}

/* ---- closing --------------------------------------------------------------------------------- */

static void take_all(struct member *self) {
  for (unsigned i = 0; i < self->all->size; i++)
    for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++) {
      struct member *from = &self->all->members[i];
      struct queue *queue = queue_to(from, self->base.rank, channel);
      for (; queue->messages.first; dropped[channel]++)
        message_free(take_first(from, queue, channel));
    }
}

/* Messages in flight to all members, or to vanished ones. */
static void drop_messages(struct member *self, bool all) {
  for (unsigned to = 0; to < self->all->size; to++)
    for (enum group_channel channel = 0; channel < GROUP_CHANNELS && (all || self->all->members[to].gone); channel++)
      drop(self, queue_to(self, to, channel), channel, 0);
}

/* Vanished members receive nothing more. */
static void wait_for_others(struct member *self) {
  double end = clock_seconds() + PATIENCE;
  while (drop_messages(self, false), self->waiting) {
    if (clock_seconds() > end) {
      fprintf(stderr, "group: %zu messages of member %u are not taken\n", self->waiting, self->base.rank);
      abort();
    }
    thread_wait_until(&self->all->taken, &self->all->mutex, end);
  }
}

static struct group *threads_another(struct group *group) {
  struct threads *duplicate = member_of(group)->all->duplicate;
  return duplicate ? &duplicate->members[group->rank].base : NULL;
}

static void threads_close(struct group *group, bool lost) {
  struct member *self = member_of(group);
  struct threads *all = self->all;
  if (all->duplicate)
    threads_close(threads_another(group), lost);
  pthread_mutex_lock(&all->mutex);
  if (!self->gone) { /* messages to vanished members stay in flight */
    self->closing = true;
    take_all(self);
  }
  if (lost || self->gone)
    drop_messages(self, true);
  wait_for_others(self);
  bool last = --all->open == 0;
  for (unsigned i = 0; i < all->size && last; i++)
    drop_messages(&all->members[i], true);
  pthread_mutex_unlock(&all->mutex);
  if (last)
    free_all(all);
}

static const struct group_kind threads_kind = {
    .name = "threads",
    .send = threads_send,
    .receive = threads_receive,
    .in_flight = threads_under_way,
    .duplicate = threads_another,
    .abort = threads_abort,
    .close = threads_close,
};

/* ---- creation -------------------------------------------------------------------------------- */

static void begin_member(struct threads *all, unsigned rank) {
  struct member *member = &all->members[rank];
  member->base = (struct group){.kind = &threads_kind, .rank = rank, .size = all->size};
  member->all = all;
  member->to = all->queues + (size_t)rank * all->size * GROUP_CHANNELS;
  member->calls_left = NEVER;
}

static struct threads *threads_new(unsigned size, uint64_t seed, struct threads *duplicate) {
  struct threads *all = mem_alloc(sizeof *all);
  if (!all)
    return NULL;
  all->members = mem_array(size, sizeof *all->members);
  all->queues = mem_array((size_t)size * size * GROUP_CHANNELS, sizeof *all->queues);
  if (!all->members || !all->queues) {
    mem_free(all->queues);
    mem_free(all->members);
    mem_free(all);
    return NULL;
  }
  all->duplicate = duplicate;
  all->size = all->open = size;
  all->seed = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
  pthread_mutex_init(&all->mutex, NULL);
  thread_condition(&all->taken);
  for (unsigned i = 0; i < size; i++)
    begin_member(all, i);
  return all;
}

bool group_threads_make(unsigned size, uint64_t seed, struct group *out[]) {
  struct threads *duplicate = threads_new(size, ~seed, NULL);
  struct threads *all = duplicate ? threads_new(size, seed, duplicate) : NULL;
  if (duplicate && !all)
    free_all(duplicate);
  if (!all)
    return false;
  for (unsigned i = 0; i < size; i++)
    out[i] = &all->members[i].base;
  for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++)
    dropped[channel] = 0;
  return true;
}

static void vanish_after(struct threads *all, unsigned rank, uint64_t calls) {
  pthread_mutex_lock(&all->mutex);
  all->members[rank].calls_left = calls;
  pthread_mutex_unlock(&all->mutex);
}

void group_threads_vanish(struct group *member, uint64_t calls) {
  struct threads *all = member_of(member)->all;
  vanish_after(all, member->rank, calls);
  vanish_after(all->duplicate, member->rank, calls);
}

size_t group_threads_dropped(enum group_channel channel) { return dropped[channel]; }
