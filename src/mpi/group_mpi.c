#define _GNU_SOURCE
#include "mpi/group_mpi.h"

#include "core/mem.h"
#include "core/system/module.h"
#include "mpi/module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* DATA: synchronous sends, which complete when the receiver has begun to receive; content that it does not receive
   stays with the sender, except that libraries send small messages (some KiB) at once. CONTROL: sends that complete
   when the library has taken the content, at once for small ones. Channels are tags; the duplicate group has its own
   tags.

   The content of DATA is followed by the length of its device payload, which is a message with a third tag. The
   receiver receives the payloads in the order of the contents.

   A few receives are posted at a time, so that a large message arrives while the caller does other work. */
#define POSTED_RECEIVES GROUP_PREFETCHED
#define TAGS (GROUP_CHANNELS + 1) /* the last one: device payloads */
#define POLL_NANOSECONDS 50000    /* ns between polls while closing */

struct pending_send {
  struct pending_send *next;
  struct message *message;
  floe_mpi_request request, payload;
  bool sent, payload_sent;
};

/* Pending sends to one member on one channel, the oldest first: they complete in this order, or nearly so. */
struct send_list {
  struct pending_send *first, **end;
};

struct pending_receive {
  struct message *message;
  floe_mpi_request request;
  enum { CONTENT, PAYLOAD, ALL } of; /* part being received; ALL: complete */
};

/* Posted receives on one channel, a ring: in the order in which they were sent, for each sender. */
struct receive_ring {
  struct pending_receive ring[POSTED_RECEIVES];
  unsigned first, count;
};

struct group_mpi {
  struct group base;
  const struct floe_mpi *mpi;
  struct group_mpi *duplicate; /* NULL: none made yet */
  int first_tag;
  bool failed;          /* a payload cannot be sent */
  struct send_list *to; /* [to * GROUP_CHANNELS + channel] */
  size_t in_flight[GROUP_CHANNELS];
  struct receive_ring receive_ring[GROUP_CHANNELS];
  unsigned last_tested; /* the member whose pending sends were last tested during a receive */
};

static struct group_mpi *group_of(struct group *group) { return (struct group_mpi *)group; }
static int tag_of(const struct group_mpi *group, enum group_channel channel) { return group->first_tag + (int)channel; }
static int payload_tag(const struct group_mpi *group) { return group->first_tag + GROUP_CHANNELS; }

typedef uint64_t payload_length; /* trailer of DATA */
_Static_assert(sizeof(payload_length) <= GROUP_TRAILER_BYTES / 2, "a nested group uses the other half");
static size_t trailer_bytes(enum group_channel channel) { return channel == GROUP_DATA ? sizeof(payload_length) : 0; }

/* ---- sending --------------------------------------------------------------------------------- */

static struct send_list *send_list_to(struct group_mpi *group, unsigned to, enum group_channel channel) {
  return &group->to[(size_t)to * GROUP_CHANNELS + channel];
}

/* False: an error of the library. */
static bool test_send(const struct group_mpi *group, struct pending_send *pending_send) {
  if (group->failed)
    return false;
  if (!pending_send->sent && !group->mpi->test(&pending_send->request, &pending_send->sent))
    return false;
  return pending_send->payload_sent || group->mpi->test(&pending_send->payload, &pending_send->payload_sent);
}

/* Frees what has been sent. False: an error of the library. */
static bool test_sends(struct group_mpi *group, unsigned to, enum group_channel channel) {
  struct send_list *list = send_list_to(group, to, channel);
  while (list->first) {
    struct pending_send *pending_send = list->first;
    if (!test_send(group, pending_send))
      return false;
    if (!pending_send->sent || !pending_send->payload_sent)
      break;
    list->first = pending_send->next;
    message_free(pending_send->message);
    mem_free(pending_send);
    group->in_flight[channel]--;
  }
  if (!list->first)
    list->end = &list->first;
  return true;
}

static bool test_all_sends(struct group_mpi *group) {
  bool sound = true;
  for (unsigned to = 0; to < group->base.size; to++)
    for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++)
      sound &= test_sends(group, to, channel);
  return sound;
}

/* The payload can be sent at once: the receiver asks for it as soon as it has the content. An error is returned with
   the next message, because the library already has the content. */
static void send_payload(struct group_mpi *group, unsigned to, struct pending_send *pending_send) {
  const struct message *message = pending_send->message;
  pending_send->payload_sent = message->payload_bytes == 0;
  if (!pending_send->payload_sent)
    group->failed |= !group->mpi->isend(message->payload, message->payload_bytes, to, payload_tag(group), false,
                                        &pending_send->payload);
}

static floe_status begin_send(struct group_mpi *group, unsigned to, enum group_channel channel,
                              struct message *message) {
  const payload_length payload = message->payload_bytes;
  if (message->bytes > GROUP_MPI_LARGEST || payload > GROUP_MPI_LARGEST || group->failed ||
      !test_sends(group, to, channel))
    return FLOE_ERROR_IO;
  struct pending_send *pending_send = mem_alloc(sizeof *pending_send);
  if (!pending_send)
    return FLOE_ERROR_MEMORY;
  memcpy(message->content + message->bytes, &payload, trailer_bytes(channel));
  if (!group->mpi->isend(message->content, message->bytes + trailer_bytes(channel), to, tag_of(group, channel),
                         channel == GROUP_DATA, &pending_send->request)) {
    mem_free(pending_send);
    return FLOE_ERROR_IO;
  }
  pending_send->message = message;
  send_payload(group, to, pending_send);
  struct send_list *list = send_list_to(group, to, channel);
  *list->end = pending_send;
  list->end = &pending_send->next;
  group->in_flight[channel]++;
  return FLOE_OK;
}

static floe_status group_mpi_send(struct group *group, unsigned to, enum group_channel channel,
                                  struct message *message) {
  floe_status status = begin_send(group_of(group), to, channel, message);
  if (status != FLOE_OK)
    message_free(message);
  return status;
}

static size_t group_mpi_in_flight(struct group *base) {
  struct group_mpi *group = group_of(base);
  test_all_sends(group); /* an error is returned again with the next message */
  return group->in_flight[GROUP_DATA];
}

/* ---- receiving ------------------------------------------------------------------------------- */

static struct message *new_message(const struct group_mpi *group, enum group_channel channel, size_t bytes) {
  struct message_pool *message_pool = channel == GROUP_DATA ? group->base.message_pool : NULL;
  struct message *message = message_pool ? message_pool_take(message_pool, bytes) : NULL;
  return message ? message : message_make(bytes);
}

static floe_status begin_receive(struct group_mpi *group, enum group_channel channel, bool *there) {
  unsigned from = 0;
  size_t bytes = 0;
  struct receive_ring *receive_ring = &group->receive_ring[channel];
  if (!group->mpi->probe(tag_of(group, channel), there, &from, &bytes))
    return FLOE_ERROR_IO;
  if (!*there)
    return FLOE_OK;
  struct message *message = new_message(group, channel, bytes);
  if (!message)
    return FLOE_ERROR_MEMORY;
  struct pending_receive *pending_receive =
      &receive_ring->ring[(receive_ring->first + receive_ring->count) % POSTED_RECEIVES];
  message->from = from;
  if (!group->mpi->irecv(message->content, bytes, from, tag_of(group, channel), &pending_receive->request)) {
    message_free(message);
    return FLOE_ERROR_IO;
  }
  pending_receive->message = message;
  pending_receive->of = CONTENT;
  receive_ring->count++;
  return FLOE_OK;
}

/* Destination of the payload: the device memory of the pool's message, or behind the content of a new message. */
static void *payload_destination(struct pending_receive *pending_receive, size_t bytes) {
  struct message *message = pending_receive->message;
  if (bytes <= message_pool_device_room(message->message_pool)) {
    message->payload_bytes = bytes;
    return message->payload;
  }
  struct message *joined = message_make(message->bytes + bytes);
  if (!joined)
    return NULL;
  joined->from = message->from;
  memcpy(joined->content, message->content, message->bytes);
  pending_receive->message = joined;
  void *place = joined->content + message->bytes;
  message_free(message);
  return place;
}

static floe_status take_content(struct group_mpi *group, enum group_channel channel,
                                struct pending_receive *pending_receive) {
  struct message *message = pending_receive->message;
  payload_length payload = 0;
  pending_receive->of = ALL;
  if (message->bytes < trailer_bytes(channel))
    return FLOE_ERROR_IO;
  message->bytes -= trailer_bytes(channel);
  memcpy(&payload, message->content + message->bytes, trailer_bytes(channel));
  if (payload == 0)
    return FLOE_OK;
  if (payload > GROUP_MPI_LARGEST)
    return FLOE_ERROR_IO;
  void *place = payload_destination(pending_receive, payload);
  if (!place)
    return FLOE_ERROR_MEMORY;
  pending_receive->of = PAYLOAD;
  const bool begun =
      group->mpi->irecv(place, payload, pending_receive->message->from, payload_tag(group), &pending_receive->request);
  return begun ? FLOE_OK : FLOE_ERROR_IO;
}

/* Advances receives in order, up to the first incomplete content: payloads have no other order. */
static floe_status advance_receives(struct group_mpi *group, enum group_channel channel) {
  struct receive_ring *receive_ring = &group->receive_ring[channel];
  for (unsigned i = 0; i < receive_ring->count; i++) {
    struct pending_receive *pending_receive = &receive_ring->ring[(receive_ring->first + i) % POSTED_RECEIVES];
    bool done = pending_receive->of == ALL;
    if (!done && !group->mpi->test(&pending_receive->request, &done))
      return FLOE_ERROR_IO;
    if (!done && pending_receive->of == CONTENT)
      return FLOE_OK;
    if (done && pending_receive->of == CONTENT)
      FLOE_TRY(take_content(group, channel, pending_receive));
    else if (done)
      pending_receive->of = ALL;
  }
  return FLOE_OK;
}

static struct message *take_first(struct receive_ring *receive_ring) {
  struct pending_receive *first = &receive_ring->ring[receive_ring->first];
  if (receive_ring->count == 0 || first->of != ALL)
    return NULL;
  receive_ring->first = (receive_ring->first + 1) % POSTED_RECEIVES;
  receive_ring->count--;
  return first->message;
}

/* Also frees completed sends to one member, a different one at each call. */
static floe_status group_mpi_receive(struct group *base, enum group_channel channel, struct message **out) {
  struct group_mpi *group = group_of(base);
  bool there = true;
  while (there && group->receive_ring[channel].count < POSTED_RECEIVES)
    FLOE_TRY(begin_receive(group, channel, &there));
  group->last_tested = (group->last_tested + 1) % base->size;
  for (enum group_channel sent = 0; sent < GROUP_CHANNELS; sent++)
    if (!test_sends(group, group->last_tested, sent))
      return FLOE_ERROR_IO;
  FLOE_TRY(advance_receives(group, channel));
  *out = take_first(&group->receive_ring[channel]);
  return FLOE_OK;
}

/* ---- closing --------------------------------------------------------------------------------- */

static void group_mpi_abort(struct group *group, int code) { group_of(group)->mpi->abort(code); }

/* Receives and drops messages. */
static bool drop_received(struct group_mpi *group) {
  for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++) {
    struct message *message;
    do {
      if (group_mpi_receive(&group->base, channel, &message) != FLOE_OK)
        return false;
      message_free(message);
    } while (message);
  }
  return true;
}

static bool drop_all_received(struct group_mpi *group) {
  bool sound = true;
  for (; group && sound; group = group->duplicate)
    sound = drop_received(group) && test_all_sends(group);
  return sound;
}

static bool is_idle(const struct group_mpi *group) {
  size_t in_flight = 0;
  for (; group; group = group->duplicate)
    for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++)
      in_flight += group->in_flight[channel] + group->receive_ring[channel].count;
  return in_flight == 0;
}

/* A member enters the barrier when its own messages have arrived, so all have arrived when the barrier completes.
   Members in the barrier continue to receive. */
static bool wait_for_barrier(struct group_mpi *group) {
  const struct timespec pause = {.tv_nsec = POLL_NANOSECONDS};
  floe_mpi_request barrier;
  bool begun = false, done = false;
  for (;;) {
    if (!drop_all_received(group))
      return false;
    if (!begun && is_idle(group)) {
      if (!group->mpi->ibarrier(&barrier))
        return false;
      begun = true;
    }
    if (begun && !group->mpi->test(&barrier, &done))
      return false;
    if (done && is_idle(group))
      return true;
    nanosleep(&pause, NULL);
  }
}

static void free_group(struct group_mpi *group) {
  if (group)
    mem_free(group->to);
  mem_free(group);
}

/* Messages that the library still reads, for lost members, are not freed. */
static void group_mpi_close(struct group *base, bool lost) {
  struct group_mpi *group = group_of(base);
  if (lost || !wait_for_barrier(group))
    return;
  group->mpi->finalize();
  free_group(group->duplicate);
  free_group(group);
}

static struct group_mpi *make_group(const struct group_kind *kind, const struct floe_mpi *mpi, int first_tag) {
  struct group_mpi *group = mem_alloc(sizeof *group);
  struct send_list *to = mem_array((size_t)mpi->size() * GROUP_CHANNELS, sizeof *to);
  if (!group || !to) {
    mem_free(to);
    mem_free(group);
    return NULL;
  }
  for (size_t i = 0; i < (size_t)mpi->size() * GROUP_CHANNELS; i++)
    to[i].end = &to[i].first;
  *group = (struct group_mpi){
      .base = {.kind = kind, .rank = mpi->rank(), .size = mpi->size(), .device_aware = mpi->is_device_aware()},
      .mpi = mpi,
      .first_tag = first_tag,
      .to = to};
  return group;
}

static struct group *group_mpi_duplicate(struct group *base) {
  struct group_mpi *group = group_of(base);
  if (!group->duplicate)
    group->duplicate = make_group(base->kind, group->mpi, TAGS);
  return group->duplicate ? &group->duplicate->base : NULL;
}

static const struct group_kind group_mpi_kind = {
    .name = "MPI",
    .send = group_mpi_send,
    .receive = group_mpi_receive,
    .in_flight = group_mpi_in_flight,
    .duplicate = group_mpi_duplicate,
    .abort = group_mpi_abort,
    .close = group_mpi_close,
};

/* ---- opening --------------------------------------------------------------------------------- */

/* RTLD_GLOBAL: before version 3.0, components that Open MPI loads look up its functions among all loaded symbols. */
static const struct module_place place = {
    .file = "floe_mpi.so",
    .variable = "FLOE_LIBMPI",
    .built = "src/mpi",
    .installed = FLOE_PKGLIBDIR,
    .symbol = FLOE_MPI_SYMBOL,
    .flags = RTLD_GLOBAL,
};

static const struct floe_mpi *open_module(struct reason *reason) {
  struct reason why;
  floe_mpi_module_function *function;
  *(void **)&function = module_open(&place, &why);
  if (!function && *why.text)
    reason_set(reason, "the module for MPI cannot be opened: %s", why.text);
  else if (!function)
    reason_set(reason,
               "the module for MPI (%s) is not found; it is built where configure finds the mpicc of the launcher's "
               "library (Debian: libopenmpi-dev or libmpich-dev)",
               module_file_name(&place));
  else if (function()->version != FLOE_MPI_VERSION)
    reason_set(reason, "the module for MPI (%s) belongs to another version of floe", module_file_name(&place));
  else
    return function();
  return NULL;
}

/* A library other than the launcher's treats each process as a job of its own. */
static bool begin_mpi(const struct floe_mpi *mpi, struct reason *reason) {
  unsigned expected = mpi_job().size;
  const char *wrong = mpi->init();
  if (wrong)
    reason_set(reason, "%s: %s", mpi->library(), wrong);
  else if (mpi->size() < expected)
    reason_set(
        reason,
        "the launcher started %u processes, and the MPI library sees %u: the module for MPI was built with another "
        "library than the launcher's (configure --with-mpi=MPICC): %s",
        expected, mpi->size(), mpi->library());
  else
    return true;
  return false;
}

/* MPI libraries and their dependencies install handlers for crash signals, some when they are loaded: the program's
   handlers are restored. All signals are blocked for their threads. */
static const struct floe_mpi *begin_quietly(struct reason *reason) {
  struct sigaction before[NSIG];
  bool known[NSIG] = {false};
  sigset_t all, mask;
  for (int i = 1; i < NSIG; i++)
    known[i] = i != SIGKILL && i != SIGSTOP && sigaction(i, NULL, &before[i]) == 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  const struct floe_mpi *mpi = open_module(reason);
  if (mpi && !begin_mpi(mpi, reason))
    mpi = NULL;
  for (int i = 1; i < NSIG; i++)
    if (known[i])
      sigaction(i, &before[i], NULL);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  return mpi;
}

floe_status group_mpi_open(struct group **out, struct reason *reason) {
  const struct floe_mpi *mpi = begin_quietly(reason);
  if (!mpi)
    return FLOE_ERROR_UNSUPPORTED;
  struct group_mpi *group = make_group(&group_mpi_kind, mpi, 0);
  if (!group)
    mpi->abort(GROUP_MPI_NO_MEMORY); /* the other processes have begun and would wait */
  *out = &group->base;
  return FLOE_OK;
}

const char *group_mpi_library(const struct group *group) { return ((const struct group_mpi *)group)->mpi->library(); }
