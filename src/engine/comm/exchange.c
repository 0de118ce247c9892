#include "engine/comm/exchange.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

#define LEAST_PACKET_WORDS 128
/* All letters that are being written take no more than this, where they can be that short. */
#define WRITING_WORDS ((size_t)1 << 21)
/* Letters that may be under way to each member. */
#define MOST_IN_FLIGHT 2
#define UNKNOWN UINT64_MAX

struct packets {
  struct message *first, **last;
  size_t count;
};

struct exchange {
  struct comm *comm;
  unsigned workers, size;
  uint32_t words;
  size_t most;             /* states in a letter */
  size_t most_waiting;     /* letters here: written and not sent; come and not put */
  struct message **drafts; /* [workers * size] being written; each only by its worker */

  pthread_mutex_t mutex;
  struct packets out, in;
  uint64_t *sent, *received, *announced; /* [size] letters of this phase; announced: MSG_SENT_COUNT, or UNKNOWN */
  unsigned busy;                         /* workers that still expand */
  unsigned putting;                      /* letters taken and not put */
  bool told;                             /* MSG_SENT_COUNT is sent */
  bool stopped, stop_told, given_up, over;
  uint64_t packets, states; /* sent in all phases */
};

/* ---- creation ------------------------------------------------------------------------------------ */

static size_t states_in_letter(unsigned size, const struct exchange_plan *plan) {
  size_t room = WRITING_WORDS / ((size_t)size * plan->workers);
  room = room > plan->packet_words ? plan->packet_words : room < LEAST_PACKET_WORDS ? LEAST_PACKET_WORDS : room;
  return room > plan->words ? room / plan->words : 1;
}

uint64_t exchange_bytes(unsigned size, const struct exchange_plan *plan) {
  const uint64_t packet = sizeof(struct message) + sizeof(struct packet) +
                          states_in_letter(size, plan) * plan->words * sizeof(uint64_t) + GROUP_TRAILER_BYTES;
  const uint64_t drafts = (uint64_t)size * plan->workers;
  /* Each worker hands over one more after it has looked, and puts one. */
  const uint64_t out = (uint64_t)size * plan->queued + plan->workers, in = out;
  return (drafts + out + (uint64_t)size * MOST_IN_FLIGHT + GROUP_PREFETCHED + in) * packet;
}

static void empty(struct packets *packets) { *packets = (struct packets){.last = &packets->first}; }

floe_status exchange_create(struct comm *comm, const struct exchange_plan *plan, struct exchange **out) {
  struct exchange *x = mem_alloc(sizeof *x);
  if (!x)
    return FLOE_ERROR_MEMORY;
  const unsigned size = comm->group->size;
  *x = (struct exchange){.comm = comm, .workers = plan->workers, .size = size, .words = plan->words};
  x->most = states_in_letter(size, plan);
  x->most_waiting = (size_t)plan->queued * size;
  pthread_mutex_init(&x->mutex, NULL);
  empty(&x->out);
  empty(&x->in);
  x->drafts = mem_array((size_t)plan->workers * size, sizeof(struct message *));
  x->sent = mem_array(size, sizeof *x->sent);
  x->received = mem_array(size, sizeof *x->received);
  x->announced = mem_array(size, sizeof *x->announced);
  if (x->drafts && x->sent && x->received && x->announced) {
    *out = x;
    return FLOE_OK;
  }
  exchange_free(x);
  return FLOE_ERROR_MEMORY;
}

static void append(struct packets *to, struct message *message) {
  message->next = NULL;
  *to->last = message;
  to->last = &message->next;
  to->count++;
}

static struct message *take_first(struct packets *from) {
  struct message *message = from->first;
  if (!message)
    return NULL;
  from->first = message->next;
  from->count--;
  if (!from->first)
    from->last = &from->first;
  return message;
}

static void free_letters(struct packets *packets) {
  for (struct message *message; (message = take_first(packets));)
    message_free(message);
}

void exchange_free(struct exchange *x) {
  if (!x)
    return;
  for (size_t i = 0; x->drafts && i < (size_t)x->workers * x->size; i++)
    message_free(x->drafts[i]);
  free_letters(&x->out);
  free_letters(&x->in);
  mem_free(x->drafts);
  mem_free(x->sent);
  mem_free(x->received);
  mem_free(x->announced);
  pthread_mutex_destroy(&x->mutex);
  mem_free(x);
}

void exchange_begin(struct exchange *x, unsigned active) {
  assert(active <= x->workers && !x->out.first && !x->in.first && x->putting == 0);
  for (unsigned i = 0; i < x->size; i++) {
    x->sent[i] = x->received[i] = 0;
    x->announced[i] = i == x->comm->group->rank ? 0 : UNKNOWN;
  }
  x->busy = active;
  x->told = x->stopped = x->stop_told = x->given_up = x->over = false;
}

/* ---- sending ------------------------------------------------------------------------------------- */

/* The mutex is held. */
static void hand_over(struct exchange *x, struct message **draft) {
  if (!*draft)
    return;
  struct message *message = *draft;
  message->bytes = sizeof(struct packet) + packet_of(message)->number * x->words * sizeof(uint64_t);
  append(&x->out, message);
  *draft = NULL;
}

/* Who has it stands in message->from until it is sent. */
static struct message *begin_draft(const struct exchange *x, unsigned to) {
  struct message *message = packet_new(MSG_STATES, 0, x->most * x->words * sizeof(uint64_t));
  if (message)
    message->from = to;
  return message;
}

/* As many of n states as the draft has room for; returns them. 0: there is no memory. */
static size_t write_some(struct exchange *x, struct message **draft, unsigned to, const uint64_t *states, size_t n) {
  if (!*draft && !(*draft = begin_draft(x, to))) {
    comm_fail(x->comm, FLOE_ERROR_MEMORY);
    return 0;
  }
  struct packet *packet = packet_of(*draft);
  const size_t state = x->words * sizeof *states, some = n < x->most - packet->number ? n : x->most - packet->number;
  memcpy(packet->content + packet->number * state, states, some * state);
  packet->number += some;
  if (packet->number < x->most)
    return some;
  pthread_mutex_lock(&x->mutex);
  hand_over(x, draft);
  pthread_mutex_unlock(&x->mutex);
  return some;
}

void exchange_send_all(struct exchange *x, unsigned worker, unsigned to, const uint64_t *states, size_t n) {
  struct message **draft = &x->drafts[(size_t)worker * x->size + to];
  assert(to != x->comm->group->rank && to < x->size);
  for (size_t some; n > 0; n -= some, states += some * x->words)
    if ((some = write_some(x, draft, to, states, n)) == 0)
      return;
}

void exchange_send(struct exchange *x, unsigned worker, unsigned to, const uint64_t *state) {
  exchange_send_all(x, worker, to, state, 1);
}

void exchange_send_packet(struct exchange *x, unsigned to, struct message *packet) {
  assert(to != x->comm->group->rank && to < x->size);
  packet->from = to;
  pthread_mutex_lock(&x->mutex);
  append(&x->out, packet);
  pthread_mutex_unlock(&x->mutex);
}

void exchange_worker_done(struct exchange *x, unsigned worker) {
  pthread_mutex_lock(&x->mutex);
  for (unsigned to = 0; to < x->size; to++)
    hand_over(x, &x->drafts[(size_t)worker * x->size + to]);
  assert(x->busy > 0);
  x->busy--;
  pthread_mutex_unlock(&x->mutex);
}

/* The post holds few: what it cannot get rid of stays here, where it is seen. */
static void send_some(struct exchange *x) {
  while (x->out.first && comm_in_flight(x->comm) < (size_t)x->size * MOST_IN_FLIGHT) {
    struct message *message = take_first(&x->out);
    const unsigned to = message->from;
    x->sent[to]++;
    x->packets++;
    x->states += packet_of(message)->number;
    comm_send(x->comm, to, message);
  }
  if (x->told || x->busy > 0 || x->out.first)
    return;
  for (unsigned to = 0; to < x->size; to++)
    if (to != x->comm->group->rank)
      comm_send(x->comm, to, packet_new(MSG_SENT_COUNT, x->sent[to], 0));
  x->told = true;
}

/* ---- receiving ----------------------------------------------------------------------------------- */

static void take_notes(struct exchange *x) {
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

static void receive_some(struct exchange *x) {
  struct message *message;
  while ((x->given_up || x->in.count < x->most_waiting) && (message = comm_poll_states(x->comm))) {
    assert(packet_of(message)->epoch == x->comm->epoch);
    x->received[message->from]++;
    if (x->given_up)
      message_free(message); /* nobody asks for it */
    else
      append(&x->in, message);
  }
}

static bool has_all(const struct exchange *x) {
  for (unsigned i = 0; i < x->size; i++)
    if (x->announced[i] == UNKNOWN || x->received[i] < x->announced[i])
      return false;
  return true;
}

/* What is sent has been taken, too: nothing of a phase is under way in the next one, whose letters would wait for it.
 */
static bool is_over(struct exchange *x) {
  return x->told && has_all(x) && (x->given_up || (!x->in.first && x->putting == 0)) && comm_in_flight(x->comm) == 0;
}

void exchange_progress(struct exchange *x) {
  if (pthread_mutex_trylock(&x->mutex) != 0)
    return; /* somebody is at it */
  take_notes(x);
  receive_some(x);
  send_some(x);
  x->over = is_over(x);
  pthread_mutex_unlock(&x->mutex);
}

bool exchange_backpressured(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  const bool crowded = x->out.count >= x->most_waiting;
  pthread_mutex_unlock(&x->mutex);
  return crowded;
}

struct message *exchange_take(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  struct message *message = x->given_up ? NULL : take_first(&x->in);
  x->putting += message != NULL;
  pthread_mutex_unlock(&x->mutex);
  return message;
}

size_t exchange_available(struct exchange *x, bool *all) {
  pthread_mutex_lock(&x->mutex);
  const size_t count = x->in.count;
  *all = has_all(x);
  pthread_mutex_unlock(&x->mutex);
  return count;
}

void exchange_ack(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  assert(x->putting > 0);
  x->putting--;
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

/* ---- the end of a phase -------------------------------------------------------------------------- */

void exchange_stop(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  for (size_t i = 0; i < (size_t)x->workers * x->size; i++)
    hand_over(x, &x->drafts[i]);
  x->busy = 0;
  x->stopped = true;
  if (!x->stop_told)
    comm_send_all(x->comm, MSG_STOP, 0, NULL, 0);
  x->stop_told = true;
  pthread_mutex_unlock(&x->mutex);
}

void exchange_discard(struct exchange *x) {
  pthread_mutex_lock(&x->mutex);
  x->given_up = true;
  free_letters(&x->in);
  pthread_mutex_unlock(&x->mutex);
}

void exchange_count_sent(const struct exchange *x, uint64_t *packets, uint64_t *states) {
  *packets = x->packets;
  *states = x->states;
}
