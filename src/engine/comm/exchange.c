#include "engine/comm/exchange.h"

#include "core/mem.h"
#include "engine/comm/message_queue.h"

#include <assert.h>
#include <string.h>

/* Words of a packet, at least. */
#define LEAST_PACKET_WORDS 128
/* Upper bound for all packets being written, unless their minimum length needs more. */
#define WRITING_WORDS ((size_t)1 << 21)
/* Packets in flight to each member, at most. */
#define MOST_IN_FLIGHT 2
#define UNKNOWN UINT64_MAX

struct exchange {
  struct comm *comm;
  unsigned workers, size;
  uint32_t words;
  size_t states_per_packet;      /* states in a packet */
  size_t most_queued;            /* packets queued: for sending; for inserting */
  struct message **open_packets; /* [workers * size] packets being written, each by one worker */

  pthread_mutex_t mutex;
  struct message_queue out, in;
  uint64_t *sent, *received, *announced; /* [size] packets of this phase; announced: MSG_SENT_COUNT, or UNKNOWN */
  unsigned busy;                         /* workers that are still expanding */
  unsigned unacknowledged;               /* packets taken and not acknowledged */
  bool count_sent;                       /* MSG_SENT_COUNT has been sent */
  bool stopped, stop_sent, discarding, over;
  uint64_t packets, states; /* sent in all phases */
};

/* ---- creation ------------------------------------------------------------------------------------ */

static size_t states_in_packet(unsigned size, const struct exchange_plan *plan) {
  size_t room = WRITING_WORDS / ((size_t)size * plan->workers);
  room = room > plan->packet_words ? plan->packet_words : room < LEAST_PACKET_WORDS ? LEAST_PACKET_WORDS : room;
  return room > plan->words ? room / plan->words : 1;
}

uint64_t exchange_bytes(unsigned size, const struct exchange_plan *plan) {
  const uint64_t packet = sizeof(struct message) + sizeof(struct packet) +
                          states_in_packet(size, plan) * plan->words * sizeof(uint64_t) + GROUP_TRAILER_BYTES;
  const uint64_t open_packets = (uint64_t)size * plan->workers;
  /* Each worker may queue one more after its check, and inserts one. */
  const uint64_t out = (uint64_t)size * plan->queued + plan->workers, in = out;
  return (open_packets + out + (uint64_t)size * MOST_IN_FLIGHT + GROUP_PREFETCHED + in) * packet;
}

floe_status exchange_create(struct comm *comm, const struct exchange_plan *plan, struct exchange **out) {
  struct exchange *x = mem_alloc(sizeof *x);
  if (!x)
    return FLOE_ERROR_MEMORY;
  const unsigned size = comm->group->size;
  *x = (struct exchange){.comm = comm, .workers = plan->workers, .size = size, .words = plan->words};
  x->states_per_packet = states_in_packet(size, plan);
  x->most_queued = (size_t)plan->queued * size;
  pthread_mutex_init(&x->mutex, NULL);
  x->open_packets = mem_array((size_t)plan->workers * size, sizeof(struct message *));
  x->sent = mem_array(size, sizeof *x->sent);
  x->received = mem_array(size, sizeof *x->received);
  x->announced = mem_array(size, sizeof *x->announced);
  if (x->open_packets && x->sent && x->received && x->announced) {
    *out = x;
    return FLOE_OK;
  }
  exchange_free(x);
  return FLOE_ERROR_MEMORY;
}

void exchange_free(struct exchange *x) {
  if (!x)
    return;
  for (size_t i = 0; x->open_packets && i < (size_t)x->workers * x->size; i++)
    message_free(x->open_packets[i]);
  message_queue_clear(&x->out);
  message_queue_clear(&x->in);
  mem_free(x->open_packets);
  mem_free(x->sent);
  mem_free(x->received);
  mem_free(x->announced);
  pthread_mutex_destroy(&x->mutex);
  mem_free(x);
}

void exchange_begin(struct exchange *x, unsigned active) {
  assert(active <= x->workers && !x->out.first && !x->in.first && x->unacknowledged == 0);
  for (unsigned i = 0; i < x->size; i++) {
    x->sent[i] = x->received[i] = 0;
    x->announced[i] = i == x->comm->group->rank ? 0 : UNKNOWN;
  }
  x->busy = active;
  x->count_sent = x->stopped = x->stop_sent = x->discarding = x->over = false;
}

/* ---- sending ------------------------------------------------------------------------------------- */

/* The mutex is held. */
static void queue_packet(struct exchange *x, struct message **open_packet) {
  if (!*open_packet)
    return;
  struct message *message = *open_packet;
  message->bytes = sizeof(struct packet) + packet_of(message)->number * x->words * sizeof(uint64_t);
  message_push(&x->out, message);
  *open_packet = NULL;
}

/* message->from holds the receiver until the message is sent. */
static struct message *begin_packet(const struct exchange *x, unsigned to) {
  struct message *message = packet_new(MSG_STATES, 0, x->states_per_packet * x->words * sizeof(uint64_t));
  if (message)
    message->from = to;
  return message;
}

/* Appends as many of n states as fit; returns their number. 0: no memory. */
static size_t write_states(struct exchange *x, struct message **open_packet, unsigned to, const uint64_t *states,
                           size_t n) {
  if (!*open_packet && !(*open_packet = begin_packet(x, to))) {
    comm_fail(x->comm, FLOE_ERROR_MEMORY);
    return 0;
  }
  struct packet *packet = packet_of(*open_packet);
  const size_t state = x->words * sizeof *states,
               some = n < x->states_per_packet - packet->number ? n : x->states_per_packet - packet->number;
  memcpy(packet->content + packet->number * state, states, some * state);
  packet->number += some;
  if (packet->number < x->states_per_packet)
    return some;
  pthread_mutex_lock(&x->mutex);
  queue_packet(x, open_packet);
  pthread_mutex_unlock(&x->mutex);
  return some;
}

void exchange_send_all(struct exchange *x, unsigned worker, unsigned to, const uint64_t *states, size_t n) {
  struct message **open_packet = &x->open_packets[(size_t)worker * x->size + to];
  assert(to != x->comm->group->rank && to < x->size);
  for (size_t some; n > 0; n -= some, states += some * x->words)
    if ((some = write_states(x, open_packet, to, states, n)) == 0)
      return;
}

void exchange_send(struct exchange *x, unsigned worker, unsigned to, const uint64_t *state) {
  exchange_send_all(x, worker, to, state, 1);
}

void exchange_send_packet(struct exchange *x, unsigned to, struct message *packet) {
  assert(to != x->comm->group->rank && to < x->size);
  packet->from = to;
  pthread_mutex_lock(&x->mutex);
  message_push(&x->out, packet);
  pthread_mutex_unlock(&x->mutex);
}

void exchange_worker_done(struct exchange *x, unsigned worker) {
  pthread_mutex_lock(&x->mutex);
  for (unsigned to = 0; to < x->size; to++)
    queue_packet(x, &x->open_packets[(size_t)worker * x->size + to]);
  assert(x->busy > 0);
  x->busy--;
  pthread_mutex_unlock(&x->mutex);
}

/* Only a few packets are handed to the transport; the others stay queued here, where back-pressure counts them. */
static void send_queued(struct exchange *x) {
  while (x->out.first && comm_in_flight(x->comm) < (size_t)x->size * MOST_IN_FLIGHT) {
    struct message *message = message_pop(&x->out);
    const unsigned to = message->from;
    x->sent[to]++;
    x->packets++;
    x->states += packet_of(message)->number;
    comm_send(x->comm, to, message);
  }
  if (x->count_sent || x->busy > 0 || x->out.first)
    return;
  for (unsigned to = 0; to < x->size; to++)
    if (to != x->comm->group->rank)
      comm_send(x->comm, to, packet_new(MSG_SENT_COUNT, x->sent[to], 0));
  x->count_sent = true;
}

/* ---- receiving ----------------------------------------------------------------------------------- */

static void receive_control(struct exchange *x) {
  struct message *message;
  while ((message = comm_poll(x->comm, MSG_SENT_COUNT))) {
    assert(x->announced[message->from] == UNKNOWN);
    x->announced[message->from] = packet_of(message)->number;
    message_free(message);
  }
  while ((message = comm_poll(x->comm, MSG_STOP))) {
    x->stopped = true;
    message_free(message);
  }
}

static void receive_packets(struct exchange *x) {
  struct message *message;
  while ((x->discarding || x->in.count < x->most_queued) && (message = comm_poll_states(x->comm))) {
    assert(packet_of(message)->epoch == x->comm->epoch);
    x->received[message->from]++;
    if (x->discarding)
      message_free(message);
    else
      message_push(&x->in, message);
  }
}

static bool has_received_all(const struct exchange *x) {
  for (unsigned i = 0; i < x->size; i++)
    if (x->announced[i] == UNKNOWN || x->received[i] < x->announced[i])
      return false;
  return true;
}

/* All sent packets have been received, too, so that none of this phase is in flight in the next one. */
static bool is_over(struct exchange *x) {
  return x->count_sent && has_received_all(x) && (x->discarding || (!x->in.first && x->unacknowledged == 0)) &&
         comm_in_flight(x->comm) == 0;
}

void exchange_progress(struct exchange *x) {
  if (pthread_mutex_trylock(&x->mutex) != 0)
    return; /* another thread does it */
  receive_control(x);
  receive_packets(x);
  send_queued(x);
  x->over = is_over(x);
  pthread_mutex_unlock(&x->mutex);
}

bool exchange_backpressured(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  const bool backpressured = x->out.count >= x->most_queued;
  pthread_mutex_unlock(&x->mutex);
  return backpressured;
}

struct message *exchange_take(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  struct message *message = x->discarding ? NULL : message_pop(&x->in);
  x->unacknowledged += message != NULL;
  pthread_mutex_unlock(&x->mutex);
  return message;
}

size_t exchange_available(struct exchange *x, bool *all) {
  pthread_mutex_lock(&x->mutex);
  const size_t count = x->in.count;
  *all = has_received_all(x);
  pthread_mutex_unlock(&x->mutex);
  return count;
}

void exchange_ack(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  assert(x->unacknowledged > 0);
  x->unacknowledged--;
  pthread_mutex_unlock(&x->mutex);
}

bool exchange_is_over(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  const bool over = x->over;
  pthread_mutex_unlock(&x->mutex);
  return over;
}

bool exchange_is_stopped(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  const bool stopped = x->stopped;
  pthread_mutex_unlock(&x->mutex);
  return stopped || comm_status(x->comm) != FLOE_OK;
}

/* ---- end of a phase ------------------------------------------------------------------------------ */

void exchange_stop(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  for (size_t i = 0; i < (size_t)x->workers * x->size; i++)
    queue_packet(x, &x->open_packets[i]);
  x->busy = 0;
  x->stopped = true;
  if (!x->stop_sent)
    comm_send_all(x->comm, MSG_STOP, 0, NULL, 0);
  x->stop_sent = true;
  pthread_mutex_unlock(&x->mutex);
}

void exchange_discard(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  x->discarding = true;
  message_queue_clear(&x->in);
  pthread_mutex_unlock(&x->mutex);
}

void exchange_count_sent(const struct exchange *x, uint64_t *packets, uint64_t *states) {
  *packets = x->packets;
  *states = x->states;
}
