#include "engine/comm/group_nested.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

struct route {
  uint32_t epoch;
  uint16_t from, to;
};
_Static_assert(2 * sizeof(struct route) <= GROUP_BEHIND, "the group below has its part");
#define MOST_MEMBERS UINT16_MAX

struct nested;

struct member {
  struct group base;
  struct nested *all;
  struct {
    struct message *first, **last;
    unsigned count;
  } arrived[GROUP_CHANNELS];
  size_t under_way; /* DATA to members of this process that they have not taken */
  bool closed;
};

/* One lock for all: that of the group below. */
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

/* NULL: it is another process's. */
static struct member *here(struct nested *all, unsigned member) {
  return member - all->own < all->count ? &all->members[member - all->own] : NULL;
}

/* ---- within the process -------------------------------------------------------------------------- */

static void append(struct member *to, enum group_channel lane, struct message *message) {
  message->next = NULL;
  *to->arrived[lane].last = message;
  to->arrived[lane].last = &message->next;
  to->arrived[lane].count++;
}

static struct message *take_first(struct member *self, enum group_channel lane) {
  struct message *message = self->arrived[lane].first;
  if (!message)
    return NULL;
  self->arrived[lane].first = message->next;
  if (!message->next)
    self->arrived[lane].last = &self->arrived[lane].first;
  self->arrived[lane].count--;
  message->next = NULL;
  struct member *from = here(self->all, message->from);
  if (from && lane == GROUP_DATA)
    from->under_way--;
  return message;
}

/* What is sent to a member that has closed is taken at once: nobody wants it. */
static void hand_over(struct member *self, struct member *other, enum group_channel lane, struct message *message) {
  message->from = self->base.rank;
  if (other->closed) {
    message_free(message);
    return;
  }
  self->under_way += lane == GROUP_DATA;
  append(other, lane, message);
}

/* ---- between processes --------------------------------------------------------------------------- */

static floe_status send_out(struct member *self, unsigned to, enum group_channel lane, struct message *message) {
  struct nested *all = self->all;
  const struct route route = {all->epoch, (uint16_t)self->base.rank, (uint16_t)to};
  memcpy(message->content + message->bytes, &route, sizeof route);
  message->bytes += sizeof route;
  return all->below->kind->send(all->below, process_of(all, to), lane, message);
}

/* To whom it is for, if anybody still wants it. */
static void sort_in(struct nested *all, enum group_channel lane, struct message *message) {
  struct route route;
  assert(message->bytes >= sizeof route);
  message->bytes -= sizeof route;
  memcpy(&route, message->content + message->bytes, sizeof route);
  struct member *to = route.epoch == all->epoch ? here(all, route.to) : NULL;
  message->from = route.from;
  if (to && !to->closed)
    append(to, lane, message);
  else
    message_free(message);
}

static bool has_room(const struct nested *all, enum group_channel lane) {
  for (unsigned i = 0; lane == GROUP_DATA && i < all->count; i++)
    if (all->members[i].arrived[lane].count >= GROUP_BEGUN)
      return false;
  return true;
}

/* Until there is something for this member. Page-locked messages are any device's. */
static floe_status look_below(struct member *self, enum group_channel lane) {
  struct nested *all = self->all;
  all->below->message_pool = self->base.message_pool;
  while (!self->arrived[lane].first && has_room(all, lane)) {
    struct message *message;
    FLOE_TRY(all->below->kind->receive(all->below, lane, &message));
    if (!message)
      break;
    sort_in(all, lane, message);
  }
  return FLOE_OK;
}

/* ---- operations ---------------------------------------------------------------------------------- */

static floe_status nested_send(struct group *group, unsigned to, enum group_channel lane, struct message *message) {
  struct member *self = member_of(group);
  struct nested *all = self->all;
  floe_status status = FLOE_OK;
  assert(to < group->size && to != group->rank);
  pthread_mutex_lock(all->mutex);
  struct member *other = here(all, to);
  if (all->lost) {
    message_free(message);
    status = FLOE_ERROR_IO;
  } else if (other) {
    hand_over(self, other, lane, message);
  } else {
    status = send_out(self, to, lane, message);
  }
  pthread_mutex_unlock(all->mutex);
  return status;
}

static floe_status nested_receive(struct group *group, enum group_channel lane, struct message **out) {
  struct member *self = member_of(group);
  struct nested *all = self->all;
  pthread_mutex_lock(all->mutex);
  floe_status status = all->lost ? FLOE_ERROR_IO : look_below(self, lane);
  *out = status == FLOE_OK ? take_first(self, lane) : NULL;
  pthread_mutex_unlock(all->mutex);
  return status;
}

static size_t nested_under_way(struct group *group) {
  struct member *self = member_of(group);
  struct nested *all = self->all;
  pthread_mutex_lock(all->mutex);
  const size_t under_way = self->under_way + all->below->kind->under_way(all->below);
  pthread_mutex_unlock(all->mutex);
  return under_way;
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
  (void)lost; /* what is under way to other processes is the group's below */
  pthread_mutex_lock(all->mutex);
  self->closed = true;
  for (enum group_channel lane = 0; lane < GROUP_CHANNELS; lane++)
    for (struct message *message; (message = take_first(self, lane));)
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
    .under_way = nested_under_way,
    .abort = nested_abort,
    .close = nested_close,
};

/* ---- making -------------------------------------------------------------------------------------- */

static void begin_member(struct nested *all, unsigned number, unsigned size) {
  struct member *member = &all->members[number];
  *member = (struct member){.base = {.kind = &nested_kind, .rank = all->own + number, .size = size}, .all = all};
  for (enum group_channel lane = 0; lane < GROUP_CHANNELS; lane++)
    member->arrived[lane].last = &member->arrived[lane].first;
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

void group_nested_lose(struct group *member) {
  struct nested *all = member_of(member)->all;
  pthread_mutex_lock(all->mutex);
  all->lost = true;
  pthread_mutex_unlock(all->mutex);
}
