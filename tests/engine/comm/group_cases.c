#include "tests/engine/comm/group_cases.h"

#include "core/system/clock.h"
#include "core/threads/thread.h"
#include "engine/comm/group_nested.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE_SECONDS 100 /* seconds: longest duration of a case */
#define MOST 64          /* members */
#define MOST_HERE 4      /* of a nested group, per process */
#define KEPT_IN_FLIGHT 4 /* DATA messages that a sender keeps in flight */

#define require(self, holds) require_at(self, holds, #holds, __LINE__)

/* First part of each content. BULK: followed by a pattern that depends on the number; FAR: the same, mostly in a
   device payload; READY, GO: control messages of a case; OVER: the sender has received everything of a case. */
struct head {
  uint64_t number;
  enum { BULK, FAR, READY, GO, OVER } word;
};

struct self {
  struct group *group;
  struct message *early;     /* CONTROL messages of the next case, oldest first */
  unsigned over[MOST], seen; /* OVER messages from each member; members whose OVER of this case has arrived */
  unsigned cases;            /* completed cases */
  unsigned together;         /* members whose in_flight counts include each other's messages */
  const char *name;          /* of the case */
  double end;
};

static void require_at(struct self *self, bool holds, const char *what, int line) {
  if (holds)
    return;
  fprintf(stderr, "%s:%d: member %u of %u (%s): %s\n", self->name, line, self->group->rank, self->group->size,
          self->group->kind->name, what);
  fflush(stderr);
  self->group->kind->abort(self->group, 1);
}

/* ---- messages -------------------------------------------------------------------------------- */

static unsigned char pattern(uint64_t number, size_t i) { return (unsigned char)(number * 31 + i * 7 + (i >> 12)); }

static void fill(unsigned char *at, uint64_t number, size_t more) {
  for (size_t i = 0; i < more; i++)
    at[i] = pattern(number, i);
}

static void send_bulk(struct self *self, unsigned to, enum group_channel channel, uint64_t number, size_t more) {
  const struct head head = {.number = number, .word = BULK};
  struct message *message = message_make(sizeof head + more);
  require(self, message != NULL);
  memcpy(message->content, &head, sizeof head);
  fill(message->content + sizeof head, number, more);
  require(self, self->group->kind->send(self->group, to, channel, message) == FLOE_OK);
}

static void send_word(struct self *self, unsigned to, int word) {
  struct head head = {.word = word};
  struct message *message = message_make(sizeof head);
  require(self, message != NULL);
  memcpy(message->content, &head, sizeof head);
  require(self, self->group->kind->send(self->group, to, GROUP_CONTROL, message) == FLOE_OK);
}

static void yield_or_time_out(struct self *self) {
  require(self, clock_seconds() < self->end);
  sched_yield();
}

static floe_status receive(struct self *self, enum group_channel channel, struct message **out) {
  if (channel == GROUP_DATA || !self->early)
    return self->group->kind->receive(self->group, channel, out);
  *out = self->early;
  self->early = self->early->next;
  return FLOE_OK;
}

/* Returns the head; checks that a BULK message is unchanged. */
static struct head check_message(struct self *self, const struct message *message) {
  struct head head;
  require(self, message->bytes >= sizeof head);
  memcpy(&head, message->content, sizeof head);
  for (size_t i = 0; head.word == BULK && i < message->bytes - sizeof head; i++)
    if (message->content[sizeof head + i] != pattern(head.number, i))
      require(self, !"content as it was sent");
  return head;
}

/* Counts OVER messages, which arrive while other members still receive. One of the next case can arrive only in
   `finish`. */
static struct message *poll(struct self *self, enum group_channel channel) {
  struct message *message = NULL;
  require(self, receive(self, channel, &message) == FLOE_OK);
  if (!message) {
    yield_or_time_out(self);
    return NULL;
  }
  require(self, message->from < self->group->size && message->from != self->group->rank);
  if (check_message(self, message).word != OVER)
    return message;
  self->seen += self->over[message->from]++ == self->cases;
  message_free(message);
  return NULL;
}

static int next_word(struct self *self) {
  struct message *message;
  while (!(message = poll(self, GROUP_CONTROL))) {
  }
  struct head head = check_message(self, message);
  message_free(message);
  return head.word;
}

/* ---- sequence of cases ----------------------------------------------------------------------- */

static void begin(struct self *self, const char *name) {
  self->name = name;
  self->end = clock_seconds() + CASE_SECONDS;
}

/* Waits until all members have received everything. The first member to finish may send messages of the next case. */
static void finish(struct self *self) {
  struct message *early = NULL, **end = &early;
  for (unsigned to = 0; to < self->group->size; to++)
    if (to != self->group->rank)
      send_word(self, to, OVER);
  while (self->seen < self->group->size - 1) {
    struct message *message = poll(self, GROUP_CONTROL);
    if (!message)
      continue;
    message->next = NULL;
    *end = message;
    end = &message->next;
  }
  self->early = early;
  self->cases++;
  self->seen = 0;
  for (unsigned i = 0; i < self->group->size; i++)
    self->seen += self->over[i] > self->cases;
}

/* ---- order ----------------------------------------------------------------------------------- */

static size_t length_of(uint64_t number) { return number % 64 == 63 ? 20000 + 11 * number % 90000 : number * 13 % 700; }

static void take_in_order(struct self *self, enum group_channel channel, uint64_t *next, uint64_t *seen) {
  struct message *message = poll(self, channel);
  if (!message)
    return;
  struct head head = check_message(self, message);
  require(self, head.word == BULK);
  require(self, head.number == next[message->from * GROUP_CHANNELS + channel]);
  require(self, message->bytes == sizeof head + (channel == GROUP_DATA ? length_of(head.number) : 8));
  next[message->from * GROUP_CHANNELS + channel]++;
  ++*seen;
  message_free(message);
}

/* Numbered messages from each member to each other, on both channels. */
static void order(struct self *self, unsigned scale) {
  begin(self, "order");
  unsigned size = self->group->size, rank = self->group->rank;
  uint64_t count = 100 * scale, sent = 0, seen = 0, all = count * (size - 1) * GROUP_CHANNELS;
  uint64_t *next = calloc((size_t)size * GROUP_CHANNELS, sizeof *next);
  require(self, next != NULL);
  while (sent < count || seen < all) {
    for (unsigned to = 0; to < size && sent < count; to++)
      if (to != rank) {
        send_bulk(self, to, GROUP_DATA, sent, length_of(sent));
        send_bulk(self, to, GROUP_CONTROL, sent, 8);
      }
    sent += sent < count;
    take_in_order(self, GROUP_DATA, next, &seen);
    take_in_order(self, GROUP_CONTROL, next, &seen);
  }
  while (self->group->kind->in_flight(self->group))
    yield_or_time_out(self);
  free(next);
  finish(self);
}

/* ---- a slow receiver ------------------------------------------------------------------------- */

static void control_then_data(struct self *self, unsigned rounds) {
  unsigned others = self->group->size - 1;
  for (unsigned to = 1; to < self->group->size; to++)
    for (unsigned i = 0; i < rounds; i++)
      send_word(self, to, GO);
  for (uint64_t i = 0; i < (uint64_t)rounds * others; i++)
    require(self, next_word(self) == READY);
  for (unsigned taken = 0; taken < KEPT_IN_FLIGHT * others;) {
    struct message *message = poll(self, GROUP_DATA);
    taken += message != NULL;
    message_free(message);
  }
}

static bool holds_all(const struct self *self) {
  const size_t in_flight = self->group->kind->in_flight(self->group);
  return in_flight >= KEPT_IN_FLIGHT && in_flight <= (size_t)KEPT_IN_FLIGHT * self->together;
}

static void data_then_control(struct self *self, unsigned rounds) {
  for (unsigned i = 0; i < KEPT_IN_FLIGHT; i++)
    send_bulk(self, 0, GROUP_DATA, i, i % 2 ? 100 : 100000);
  for (unsigned i = 0; i < rounds; i++) {
    require(self, holds_all(self));
    require(self, next_word(self) == GO);
    if (i + 1 == rounds)
      require(self, holds_all(self));
    send_word(self, 0, READY);
  }
  while (self->group->kind->in_flight(self->group))
    yield_or_time_out(self);
}

/* DATA that member 0 does not receive stays in flight, and CONTROL overtakes it. */
static void held(struct self *self, unsigned scale) {
  begin(self, "held");
  if (self->group->rank == 0)
    control_then_data(self, 50 * scale);
  else
    data_then_control(self, 50 * scale);
  finish(self);
}

/* ---- large messages -------------------------------------------------------------------------- */

static void large(struct self *self, unsigned scale) {
  begin(self, "large");
  unsigned size = self->group->size, rank = self->group->rank, from = (rank + size - 1) % size;
  for (uint64_t i = 0; i < 3; i++)
    send_bulk(self, (rank + 1) % size, GROUP_DATA, i, ((size_t)scale << 20) + i);
  for (uint64_t i = 0; i < 3;) {
    struct message *message = poll(self, GROUP_DATA);
    if (!message)
      continue;
    struct head head = check_message(self, message);
    require(self, message->from == from && head.number == i);
    require(self, message->bytes == sizeof head + ((size_t)scale << 20) + i);
    message_free(message);
    i++;
  }
  finish(self);
}

/* ---- device payloads ------------------------------------------------------------------------- */

#define PAYLOAD_ROOM 70000
#define POOL_MESSAGES 6

static size_t payload_length_of(uint64_t number) { return number % 3 == 2 ? PAYLOAD_ROOM : number % 3 * 1000; }

static bool send_payload(struct self *self, struct message_pool *message_pool, uint64_t number) {
  const struct head head = {.number = number, .word = FAR};
  struct message *message = message_pool_take(message_pool, sizeof head);
  if (!message)
    return false;
  memcpy(message->content, &head, sizeof head);
  message->payload_bytes = payload_length_of(number);
  fill(message->payload, number, message->payload_bytes);
  const unsigned to = (self->group->rank + 1) % self->group->size;
  require(self, self->group->kind->send(self->group, to, GROUP_DATA, message) == FLOE_OK);
  return true;
}

/* Location of the payload: in the pool's message, or behind the content. */
static bool receive_payload(struct self *self, uint64_t number, uint64_t *behind) {
  struct message *message = poll(self, GROUP_DATA);
  if (!message)
    return false;
  const struct head head = check_message(self, message);
  const unsigned char *at = message->payload_bytes ? message->payload : message->content + sizeof head;
  require(self, head.word == FAR && head.number == number);
  require(self, message->bytes + message->payload_bytes == sizeof head + payload_length_of(number));
  for (size_t i = 0; i < payload_length_of(number); i++)
    require(self, at[i] == pattern(number, i));
  *behind += payload_length_of(number) && !message->payload_bytes;
  message_free(message);
  return true;
}

/* Host memory replaces device memory. Every other member has no room for payloads; the rest has none at times, when
   all messages of the pool are in use. */
static void device_payloads(struct self *self, unsigned scale) {
  begin(self, "device payloads");
  struct message_pool *before = self->group->message_pool;
  const size_t bytes = message_pool_bytes(POOL_MESSAGES, sizeof(struct head));
  unsigned char *memory = malloc(bytes), *payload = malloc((size_t)POOL_MESSAGES * PAYLOAD_ROOM);
  struct message_pool *message_pool =
      memory && payload ? message_pool_new_device(memory, POOL_MESSAGES, sizeof(struct head), payload, PAYLOAD_ROOM)
                        : NULL;
  const bool has_room = self->group->rank % 2 == 0, copies = strcmp(self->group->kind->name, "local") != 0;
  uint64_t sent = 0, taken = 0, behind = 0;
  require(self, message_pool != NULL);
  self->group->message_pool = has_room ? message_pool : NULL;
  while (sent < 100 * scale || taken < 100 * scale) {
    while (sent < 100 * scale && send_payload(self, message_pool, sent))
      sent++;
    taken += taken < 100 * scale && receive_payload(self, taken, &behind);
    self->group->kind->in_flight(self->group); /* makes progress with sending */
  }
  while (self->group->kind->in_flight(self->group))
    yield_or_time_out(self);
  require(self, has_room || !copies || behind == sent - (sent + 2) / 3); /* each third one has no payload */
  finish(self);
  self->group->message_pool = before;
  require(self, message_pool_free(message_pool));
  free(memory);
  free(payload);
}

/* ---- closing --------------------------------------------------------------------------------- */

/* Unreceived messages do not prevent closing. */
static void leave(struct self *self) {
  begin(self, "leave");
  while (self->early)
    message_free(poll(self, GROUP_CONTROL));
  for (unsigned to = 0; to < self->group->size; to++)
    if (to != self->group->rank) {
      send_bulk(self, to, GROUP_DATA, 1, 200000);
      send_bulk(self, to, GROUP_CONTROL, 1, 100);
    }
  self->group->kind->close(self->group, false);
}

static void run(struct group *group, unsigned scale, unsigned together) {
  struct self self = {.group = group, .together = together};
  order(&self, scale);
  held(&self, scale);
  if (strcmp(group->kind->name, "nested") != 0)
    device_payloads(&self, scale);
  large(&self, scale);
  leave(&self);
}

void group_cases_run(struct group *group, unsigned scale) { run(group, scale, 1); }

/* ---- nested ---------------------------------------------------------------------------------- */

struct nested_run {
  struct group *group;
  unsigned scale, together;
  pthread_t thread;
};

static void *run_nested(void *data) {
  const struct nested_run *of = data;
  run(of->group, of->scale, of->together);
  return NULL;
}

void group_cases_run_nested(struct group *below, uint32_t epoch, const unsigned *counts, unsigned scale) {
  const unsigned count = counts[below->rank];
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  struct group *groups[MOST_HERE];
  struct nested_run runs[MOST_HERE];
  if (count > MOST_HERE || group_nested_make(below, &mutex, epoch, counts, groups) != FLOE_OK)
    below->kind->abort(below, 1);
  for (unsigned i = 0; i < count; i++) {
    runs[i] = (struct nested_run){.group = groups[i], .scale = scale, .together = count};
    if (!thread_start(&runs[i].thread, run_nested, &runs[i]))
      below->kind->abort(below, 1);
  }
  for (unsigned i = 0; i < count; i++)
    pthread_join(runs[i].thread, NULL);
}
