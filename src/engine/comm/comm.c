#include "engine/comm/comm.h"

#include "core/mem.h"

#include <assert.h>
#include <sched.h>
#include <string.h>
#include <time.h>

double comm_timeout = 60;

#define LEAST_PAUSE 2000    /* ns */
#define MOST_PAUSE 500000   /* ns */
#define PAUSES_PER_STEP 64u /* the pause doubles after so many */
#define YIELDS 256u         /* sched_yield calls before the first pause, as the shortest nanosleep takes some 50 us */
#define LONG_YIELD_SECONDS 500e-6 /* a longer yield: the machine is busy; then no yields for BUSY_SECONDS */
#define BUSY_SECONDS 0.1

void comm_open(struct group *group, struct comm *out) {
  *out = (struct comm){.group = group, .last_received = clock_seconds()};
  pthread_mutex_init(&out->mutex, NULL);
}

void comm_next_epoch(struct comm *comm) {
  pthread_mutex_lock(&comm->mutex);
  comm->epoch++;
  for (struct message **at = &comm->control.first; *at;) {
    if (packet_of(*at)->epoch < comm->epoch)
      message_free(message_unlink(&comm->control, at));
    else
      at = &(*at)->next;
  }
  pthread_mutex_unlock(&comm->mutex);
}

void comm_close(struct comm *comm, bool lost) {
  message_queue_clear(&comm->control);
  comm->group->kind->close(comm->group, lost || comm->status != FLOE_OK);
  pthread_mutex_destroy(&comm->mutex);
}

/* ---- sending ------------------------------------------------------------------------------------- */

struct message *packet_new(enum packet_kind kind, uint64_t number, size_t bytes) {
  struct message *message = message_make(sizeof(struct packet) + bytes);
  if (message)
    *packet_of(message) = (struct packet){.kind = kind, .number = number};
  return message;
}

static void set_status(struct comm *comm, floe_status status) {
  if (comm->status == FLOE_OK)
    comm->status = status;
}

floe_status comm_status(struct comm *comm) {
  pthread_mutex_lock(&comm->mutex);
  const floe_status status = comm->status;
  pthread_mutex_unlock(&comm->mutex);
  return status;
}

void comm_fail(struct comm *comm, floe_status status) {
  pthread_mutex_lock(&comm->mutex);
  set_status(comm, status);
  pthread_mutex_unlock(&comm->mutex);
}

void comm_send(struct comm *comm, unsigned to, struct message *message) {
  pthread_mutex_lock(&comm->mutex);
  set_status(comm, message ? FLOE_OK : FLOE_ERROR_MEMORY);
  if (comm->status == FLOE_OK) {
    packet_of(message)->epoch = comm->epoch;
    comm->messages++;
    comm->bytes += message->bytes;
    set_status(comm,
               comm->group->kind->send(comm->group, to,
                                       packet_of(message)->kind == MSG_STATES ? GROUP_DATA : GROUP_CONTROL, message));
  } else {
    message_free(message);
  }
  pthread_mutex_unlock(&comm->mutex);
}

void comm_send_all(struct comm *comm, enum packet_kind kind, uint64_t number, const void *content, size_t bytes) {
  for (unsigned to = 0; to < comm->group->size; to++) {
    if (to == comm->group->rank)
      continue;
    struct message *message = packet_new(kind, number, bytes);
    if (message && bytes > 0)
      memcpy(packet_of(message)->content, content, bytes);
    comm_send(comm, to, message);
  }
}

size_t comm_in_flight(struct comm *comm) {
  pthread_mutex_lock(&comm->mutex);
  const size_t in_flight = comm->group->kind->in_flight(comm->group);
  pthread_mutex_unlock(&comm->mutex);
  return in_flight;
}

/* ---- receiving ----------------------------------------------------------------------------------- */

/* NULL: none, or an error, which comm->status then has. */
static struct message *receive(struct comm *comm, enum group_channel channel) {
  struct message *message = NULL;
  if (comm->status == FLOE_OK)
    set_status(comm, comm->group->kind->receive(comm->group, channel, &message));
  if (message)
    comm->last_received = clock_seconds();
  assert(!message || message->bytes >= sizeof(struct packet));
  return message;
}

static void receive_control(struct comm *comm) {
  struct message *message;
  while ((message = receive(comm, GROUP_CONTROL)))
    message_push(&comm->control, message);
}

static bool matches(const struct comm *comm, struct message *message, enum packet_kind kind) {
  return packet_of(message)->kind == kind && packet_of(message)->epoch == comm->epoch;
}

struct message *comm_poll(struct comm *comm, enum packet_kind kind) {
  struct message *found = NULL;
  pthread_mutex_lock(&comm->mutex);
  receive_control(comm);
  struct message **at = &comm->control.first;
  while (*at && !matches(comm, *at, kind))
    at = &(*at)->next;
  if (*at)
    found = message_unlink(&comm->control, at);
  pthread_mutex_unlock(&comm->mutex);
  return found;
}

struct message *comm_poll_states(struct comm *comm) {
  pthread_mutex_lock(&comm->mutex);
  struct message *message = receive(comm, GROUP_DATA);
  pthread_mutex_unlock(&comm->mutex);
  return message;
}

/* ---- waiting ------------------------------------------------------------------------------------- */

bool comm_timed_out(struct comm *comm, const struct stop *stop, double *since) {
  if (!stop_requested(stop))
    return false;
  const double now = clock_seconds();
  if (*since == 0)
    *since = now;
  pthread_mutex_lock(&comm->mutex);
  const double last = comm->last_received > *since ? comm->last_received : *since;
  if (now - last > comm_timeout)
    set_status(comm, FLOE_ERROR_IO);
  pthread_mutex_unlock(&comm->mutex);
  return now - last > comm_timeout;
}

static bool may_yield(struct comm *comm, double now) {
  pthread_mutex_lock(&comm->mutex);
  const bool may = now >= comm->busy_until;
  pthread_mutex_unlock(&comm->mutex);
  return may;
}

/* On a busy machine a thread that sleeps runs again soon; one that yields runs only after all threads that never
   yield. False: the machine is busy, and nothing is done. */
static bool yield(struct comm *comm) {
  const double before = clock_seconds();
  if (!may_yield(comm, before))
    return false;
  sched_yield();
  const double after = clock_seconds();
  if (after - before > LONG_YIELD_SECONDS) {
    pthread_mutex_lock(&comm->mutex);
    comm->busy_until = after + BUSY_SECONDS;
    pthread_mutex_unlock(&comm->mutex);
  }
  return true;
}

void comm_backoff(struct comm *comm, unsigned *times) {
  const struct group_kind *kind = comm->group->kind;
  const unsigned yields = kind->wait ? 0 : YIELDS;
  long nanoseconds = LEAST_PAUSE;
  for (unsigned i = yields + PAUSES_PER_STEP; i <= *times && nanoseconds < MOST_PAUSE; i += PAUSES_PER_STEP)
    nanoseconds *= 2;
  const struct timespec pause = {.tv_nsec = nanoseconds < MOST_PAUSE ? nanoseconds : MOST_PAUSE};
  if (kind->wait)
    kind->wait(comm->group, 1e-9 * (double)pause.tv_nsec);
  else if (*times >= yields || !yield(comm))
    nanosleep(&pause, NULL);
  ++*times;
}

struct message *comm_receive(struct comm *comm, enum packet_kind kind, const struct stop *stop) {
  const double begun = clock_seconds();
  double since = 0;
  unsigned times = 0;
  struct message *message;
  while (!(message = comm_poll(comm, kind)) && comm_status(comm) == FLOE_OK && !comm_timed_out(comm, stop, &since)) {
    stop_call_waiting(stop);
    comm_backoff(comm, &times);
  }
  comm->idle_seconds += clock_seconds() - begun;
  return message;
}
