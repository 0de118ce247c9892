#include "engine/comm/group_local.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "core/threads/thread.h"
#include "engine/comm/message_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define SPIN_SECONDS 2e-5

struct local;

struct member {
  struct group base;
  struct local *all;
  pthread_mutex_t mutex; /* of the members below, except `in_flight` */
  pthread_cond_t news;
  atomic_uint_fast64_t count; /* of notifications; written with the mutex held */
  uint64_t seen;              /* notifications that local_wait has seen */
  struct message_queue arrived[GROUP_CHANNELS];
  bool closed;
  atomic_size_t in_flight; /* DATA sent by this member and not received */
};

struct local {
  unsigned size;
  atomic_uint open;
  struct member *members;
};

static struct member *member_of(struct group *group) { return (struct member *)group; }

/* The member's mutex is held. */
static void notify(struct member *member) {
  atomic_fetch_add_explicit(&member->count, 1, memory_order_release);
  pthread_cond_signal(&member->news);
}

static void count_received(struct local *all, enum group_channel channel, const struct message *message) {
  struct member *from = &all->members[message->from];
  if (channel != GROUP_DATA)
    return;
  /* release: the sender reuses memory that the message referred to */
  atomic_fetch_sub_explicit(&from->in_flight, 1, memory_order_release);
  pthread_mutex_lock(&from->mutex);
  notify(from);
  pthread_mutex_unlock(&from->mutex);
}

/* Messages to a closed member are dropped at once. */
static floe_status local_send(struct group *group, unsigned to, enum group_channel channel, struct message *message) {
  struct member *self = member_of(group), *other = &self->all->members[to];
  message->from = group->rank;
  if (channel == GROUP_DATA)
    atomic_fetch_add_explicit(&self->in_flight, 1, memory_order_relaxed);
  pthread_mutex_lock(&other->mutex);
  const bool closed = other->closed;
  if (!closed) {
    message_push(&other->arrived[channel], message);
    notify(other);
  }
  pthread_mutex_unlock(&other->mutex);
  if (!closed)
    return FLOE_OK;
  count_received(self->all, channel, message);
  message_free(message);
  return FLOE_OK;
}

static struct message *take_first(struct member *self, enum group_channel channel) {
  pthread_mutex_lock(&self->mutex);
  struct message *message = message_pop(&self->arrived[channel]);
  pthread_mutex_unlock(&self->mutex);
  if (message)
    count_received(self->all, channel, message);
  return message;
}

static floe_status local_receive(struct group *group, enum group_channel channel, struct message **out) {
  *out = take_first(member_of(group), channel);
  return FLOE_OK;
}

static size_t local_in_flight(struct group *group) {
  return atomic_load_explicit(&member_of(group)->in_flight, memory_order_acquire);
}

/* Messages mostly arrive soon, and sooner than a thread wakes up. */
static bool spin_for_news(struct member *self, double seconds) {
  const double begun = clock_seconds(), longest = seconds < SPIN_SECONDS ? seconds : SPIN_SECONDS;
  do
    if (atomic_load_explicit(&self->count, memory_order_acquire) != self->seen)
      return true;
  while (clock_seconds() - begun < longest);
  return false;
}

static void local_wait(struct group *group, double seconds) {
  struct member *self = member_of(group);
  const bool any = spin_for_news(self, seconds);
  pthread_mutex_lock(&self->mutex);
  if (!any && self->seen == self->count)
    thread_wait_until(&self->news, &self->mutex, clock_seconds() + seconds);
  self->seen = self->count;
  pthread_mutex_unlock(&self->mutex);
}

static void local_abort(struct group *group, int code) {
  (void)group;
  _exit(code);
}

static void free_all(struct local *all) {
  for (unsigned i = 0; all->members && i < all->size; i++) {
    pthread_cond_destroy(&all->members[i].news);
    pthread_mutex_destroy(&all->members[i].mutex);
  }
  mem_free(all->members);
  mem_free(all);
}

static void local_close(struct group *group, bool lost) {
  struct member *self = member_of(group);
  (void)lost;
  pthread_mutex_lock(&self->mutex);
  self->closed = true;
  pthread_mutex_unlock(&self->mutex);
  for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++)
    for (struct message *message; (message = take_first(self, channel));)
      message_free(message);
  if (atomic_fetch_sub(&self->all->open, 1) == 1)
    free_all(self->all);
}

static const struct group_kind local_kind = {
    .name = "local",
    .send = local_send,
    .receive = local_receive,
    .in_flight = local_in_flight,
    .wait = local_wait,
    .abort = local_abort,
    .close = local_close,
};

floe_status group_local_make(unsigned size, struct group *out[]) {
  struct local *all = mem_alloc(sizeof *all);
  if (!all)
    return FLOE_ERROR_MEMORY;
  *all = (struct local){.size = size, .open = size};
  all->members = mem_array(size, sizeof *all->members);
  if (!all->members) {
    mem_free(all);
    return FLOE_ERROR_MEMORY;
  }
  for (unsigned i = 0; i < size; i++) {
    struct member *member = &all->members[i];
    member->base = (struct group){.kind = &local_kind, .rank = i, .size = size};
    member->all = all;
    pthread_mutex_init(&member->mutex, NULL);
    thread_condition(&member->news);
    out[i] = &member->base;
  }
  return FLOE_OK;
}
