#include "engine/comm/group_nested.h"

#include "core/mem.h"
#include "engine/comm/message_queue.h"

#include <assert.h>
#include <string.h>

struct route {
  uint32_t epoch;
  uint16_t from, to;
};
_Static_assert(2 * sizeof(struct route) <= GROUP_TRAILER_BYTES, "the group below uses the other half");
#define MOST_MEMBERS UINT16_MAX

struct nested;

struct member {
  struct group base;
  struct nested *all;
  struct message_queue arrived[GROUP_CHANNELS];
  size_t in_flight; /* DATA to members of this process, not yet received */
  bool closed;
};

/* One lock for all members: that of the group below. */
struct nested {
  struct group *below;
  pthread_mutex_t *mutex;
  uint32_t epoch;
  unsigned *first; /* [processes + 1] the first member of each process */
  unsigned own, count, open;
  bool lost;
  struct member members[];
};

static struct member *member_of(struct group *group) { return (struct member *)group; }

static unsigned process_of(const struct nested *all, unsigned member) {
  unsigned process = 0;
  while (member >= all->first[process + 1])
    process++;
  return process;
}

/* NULL: a member of another process. */
static struct member *local_member(struct nested *all, unsigned member) {
  return member - all->own < all->count ? &all->members[member - all->own] : NULL;
}

/* ---- within the process -------------------------------------------------------------------------- */

static struct message *take_first(struct member *self, enum group_channel channel) {
  struct message *message = message_pop(&self->arrived[channel]);
  struct member *from = message ? local_member(self->all, message->from) : NULL;
  if (from && channel == GROUP_DATA)
    from->in_flight--;
  return message;
}

/* Messages to a closed member are dropped at once. */
static void deliver_locally(struct member *self, struct member *other, enum group_channel channel,
                            struct message *message) {
  message->from = self->base.rank;
  if (other->closed) {
    message_free(message);
    return;
  }
  self->in_flight += channel == GROUP_DATA;
  message_push(&other->arrived[channel], message);
}

/* ---- between processes --------------------------------------------------------------------------- */

static floe_status send_to_process(struct member *self, unsigned to, enum group_channel channel,
                                   struct message *message) {
  struct nested *all = self->all;
  const struct route route = {all->epoch, (uint16_t)self->base.rank, (uint16_t)to};
  memcpy(message->content + message->bytes, &route, sizeof route);
  message->bytes += sizeof route;
  return all->below->kind->send(all->below, process_of(all, to), channel, message);
}

/* Queues the message for its receiver; drops it if that is closed or the message is of another epoch. */
static void deliver(struct nested *all, enum group_channel channel, struct message *message) {
  struct route route;
  assert(message->bytes >= sizeof route);
  message->bytes -= sizeof route;
  memcpy(&route, message->content + message->bytes, sizeof route);
  struct member *to = route.epoch == all->epoch ? local_member(all, route.to) : NULL;
  message->from = route.from;
  if (to && !to->closed)
    message_push(&to->arrived[channel], message);
  else
    message_free(message);
}

static bool queues_have_room(const struct nested *all, enum group_channel channel) {
  for (unsigned i = 0; channel == GROUP_DATA && i < all->count; i++)
    if (all->members[i].arrived[channel].count >= GROUP_PREFETCHED)
      return false;
  return true;
}

/* Receives until there is a message for this member. Messages of a pool are page-locked for every device. */
static floe_status receive_from_below(struct member *self, enum group_channel channel) {
  struct nested *all = self->all;
  all->below->message_pool = self->base.message_pool;
  while (!self->arrived[channel].first && queues_have_room(all, channel)) {
    struct message *message;
    FLOE_TRY(all->below->kind->receive(all->below, channel, &message));
    if (!message)
      break;
    deliver(all, channel, message);
  }
  return FLOE_OK;
}

/* ---- operations ---------------------------------------------------------------------------------- */

static floe_status nested_send(struct group *group, unsigned to, enum group_channel channel, struct message *message) {
  struct member *self = member_of(group);
  struct nested *all = self->all;
  floe_status status = FLOE_OK;
  assert(to < group->size && to != group->rank);
  pthread_mutex_lock(all->mutex);
  struct member *other = local_member(all, to);
  if (all->lost) {
    message_free(message);
    status = FLOE_ERROR_IO;
  } else if (other) {
    deliver_locally(self, other, channel, message);
  } else {
    status = send_to_process(self, to, channel, message);
  }
  pthread_mutex_unlock(all->mutex);
  return status;
}

static floe_status nested_receive(struct group *group, enum group_channel channel, struct message **out) {
  struct member *self = member_of(group);
  struct nested *all = self->all;
  pthread_mutex_lock(all->mutex);
  floe_status status = all->lost ? FLOE_ERROR_IO : receive_from_below(self, channel);
  *out = status == FLOE_OK ? take_first(self, channel) : NULL;
  pthread_mutex_unlock(all->mutex);
  return status;
}

static size_t nested_in_flight(struct group *group) {
  struct member *self = member_of(group);
  struct nested *all = self->all;
  pthread_mutex_lock(all->mutex);
  const size_t in_flight = self->in_flight + all->below->kind->in_flight(all->below);
  pthread_mutex_unlock(all->mutex);
  return in_flight;
}

static void nested_abort(struct group *group, int code) {
  struct group *below = member_of(group)->all->below;
  below->kind->abort(below, code);
}

static void free_all(struct nested *all) {
  mem_free(all->first);
  mem_free(all);
}

static void nested_close(struct group *group, bool lost) {
  struct member *self = member_of(group);
  struct nested *all = self->all;
  (void)lost; /* messages in flight to other processes belong to the group below */
  pthread_mutex_lock(all->mutex);
  self->closed = true;
  for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++)
    for (struct message *message; (message = take_first(self, channel));)
      message_free(message);
  if (all->below->message_pool == self->base.message_pool)
    all->below->message_pool = NULL;
  const bool last = --all->open == 0;
  pthread_mutex_unlock(all->mutex);
  if (last)
    free_all(all);
}

static const struct group_kind nested_kind = {
    .name = "nested",
    .send = nested_send,
    .receive = nested_receive,
    .in_flight = nested_in_flight,
    .abort = nested_abort,
    .close = nested_close,
};

/* ---- creation ------------------------------------------------------------------------------------ */

static void begin_member(struct nested *all, unsigned number, unsigned size) {
  struct member *member = &all->members[number];
  *member = (struct member){.base = {.kind = &nested_kind, .rank = all->own + number, .size = size}, .all = all};
}

floe_status group_nested_make(struct group *below, pthread_mutex_t *mutex, uint32_t epoch, const unsigned *counts,
                              struct group *out[]) {
  const unsigned count = counts[below->rank];
  struct nested *all = mem_alloc(sizeof *all + count * sizeof all->members[0]);
  unsigned *first = mem_array(below->size + 1, sizeof *first);
  uint64_t size = 0;
  for (unsigned i = 0; first && i < below->size; i++) {
    assert(counts[i] > 0);
    size += counts[i];
    first[i + 1] = (unsigned)size;
  }
  if (!all || !first || size > MOST_MEMBERS) {
    mem_free(first);
    mem_free(all);
    return size > MOST_MEMBERS ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_MEMORY;
  }
  *all = (struct nested){.below = below, .mutex = mutex, .epoch = epoch, .first = first, .count = count, .open = count};
  all->own = first[below->rank];
  for (unsigned i = 0; i < count; i++) {
    begin_member(all, i, (unsigned)size);
    out[i] = &all->members[i].base;
  }
  return FLOE_OK;
}

void group_nested_fail(struct group *member) {
  struct nested *all = member_of(member)->all;
  pthread_mutex_lock(all->mutex);
  all->lost = true;
  pthread_mutex_unlock(all->mutex);
}
