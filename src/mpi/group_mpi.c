#define _GNU_SOURCE
#include "mpi/group_mpi.h"

#include "core/mem.h"
#include "core/module.h"
#include "mpi/module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* DATA: synchronous sends, which are done when the receiver has begun to receive: what it does not ask for stays here,
   but that libraries send the content of small messages (some KiB) along. CONTROL: sends that are done when the library
   has taken the content, at once for small ones. Lanes are tags, of another group of the members others.

   The content of DATA is followed by the length of its far part, which is a message of a third tag: the receiver asks
   for it when it has the content, in the order of these.

   Receiving is begun for a few messages at a time: a large one comes while the caller does other things. */
#define RECEIVING GROUP_PREFETCHED
#define TAGS (GROUP_CHANNELS + 1) /* the last one: far parts */
#define PAUSE 50000               /* ns between looks at what is to come, at the end */

struct sending {
  struct sending *next;
  struct message *message;
  floe_mpi_request request, far;
  bool sent, far_sent;
};

/* To one member on one lane, the oldest first: they are done in this order, or nearly so. */
struct sendings {
  struct sending *first, **end;
};

struct receiving {
  struct message *message;
  floe_mpi_request request;
  enum { CONTENT, FAR_PART, ALL } of; /* that has begun to come; ALL: it is there */
};

/* Those that have begun to come on one lane, a ring: in the order in which they were sent, for each sender. */
struct arriving {
  struct receiving ring[RECEIVING];
  unsigned first, count;
};

struct group_mpi {
  struct group base;
  const struct floe_mpi *mpi;
  struct group_mpi *duplicate; /* NULL: there is none */
  int first_tag;
  bool failed;         /* a far part cannot be sent */
  struct sendings *to; /* [to * GROUP_CHANNELS + lane] */
  size_t in_flight[GROUP_CHANNELS];
  struct arriving arriving[GROUP_CHANNELS];
  unsigned looked_at; /* the member whose sendings were looked at last, as others were received */
};

static struct group_mpi *group_of(struct group *group) { return (struct group_mpi *)group; }
static int tag_of(const struct group_mpi *group, enum group_channel channel) { return group->first_tag + (int)channel; }
static int tag_of_far(const struct group_mpi *group) { return group->first_tag + GROUP_CHANNELS; }

typedef uint64_t far_length; /* behind the content of DATA */
_Static_assert(sizeof(far_length) <= GROUP_TRAILER_BYTES / 2, "a nested group has its part");
static size_t bytes_behind(enum group_channel channel) { return channel == GROUP_DATA ? sizeof(far_length) : 0; }

/* ---- sending --------------------------------------------------------------------------------- */

static struct sendings *sendings_to(struct group_mpi *group, unsigned to, enum group_channel channel) {
  return &group->to[(size_t)to * GROUP_CHANNELS + channel];
}

/* False: an error of the library. */
static bool look_at(const struct group_mpi *group, struct sending *sending) {
  if (group->failed)
    return false;
  if (!sending->sent && !group->mpi->test(&sending->request, &sending->sent))
    return false;
  return sending->far_sent || group->mpi->test(&sending->far, &sending->far_sent);
}

/* Frees what has been sent. False: an error of the library. */
static bool look_at_sendings(struct group_mpi *group, unsigned to, enum group_channel channel) {
  struct sendings *list = sendings_to(group, to, channel);
  while (list->first) {
    struct sending *sending = list->first;
    if (!look_at(group, sending))
      return false;
    if (!sending->sent || !sending->far_sent)
      break;
    list->first = sending->next;
    message_free(sending->message);
    mem_free(sending);
    group->in_flight[channel]--;
  }
  if (!list->first)
    list->end = &list->first;
  return true;
}

static bool look_at_all(struct group_mpi *group) {
  bool sound = true;
  for (unsigned to = 0; to < group->base.size; to++)
    for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++)
      sound &= look_at_sendings(group, to, channel);
  return sound;
}

/* Its far part need not wait for anything: whoever has begun to receive the content asks for it. An error comes with
   the next message: the library has the content by now. */
static void begin_far(struct group_mpi *group, unsigned to, struct sending *sending) {
  const struct message *message = sending->message;
  sending->far_sent = message->payload_bytes == 0;
  if (!sending->far_sent)
    group->failed |= !group->mpi->isend(message->far, message->payload_bytes, to, tag_of_far(group), false, &sending->far);
}

static floe_status begin_sending(struct group_mpi *group, unsigned to, enum group_channel channel,
                                 struct message *message) {
  const far_length far = message->payload_bytes;
  if (message->bytes > GROUP_MPI_LARGEST || far > GROUP_MPI_LARGEST || group->failed ||
      !look_at_sendings(group, to, channel))
    return FLOE_ERROR_IO;
  struct sending *sending = mem_alloc(sizeof *sending);
  if (!sending)
    return FLOE_ERROR_MEMORY;
  memcpy(message->content + message->bytes, &far, bytes_behind(channel));
  if (!group->mpi->isend(message->content, message->bytes + bytes_behind(channel), to, tag_of(group, channel),
                         channel == GROUP_DATA, &sending->request)) {
    mem_free(sending);
    return FLOE_ERROR_IO;
  }
  sending->message = message;
  begin_far(group, to, sending);
  struct sendings *list = sendings_to(group, to, channel);
  *list->end = sending;
  list->end = &sending->next;
  group->in_flight[channel]++;
  return FLOE_OK;
}

static floe_status group_mpi_send(struct group *group, unsigned to, enum group_channel channel, struct message *message) {
  floe_status status = begin_sending(group_of(group), to, channel, message);
  if (status != FLOE_OK)
    message_free(message);
  return status;
}

static size_t group_mpi_under_way(struct group *base) {
  struct group_mpi *group = group_of(base);
  look_at_all(group); /* an error comes again with the next message */
  return group->in_flight[GROUP_DATA];
}

/* ---- receiving ------------------------------------------------------------------------------- */

static struct message *room_for(const struct group_mpi *group, enum group_channel channel, size_t bytes) {
  struct message_pool *message_pool = channel == GROUP_DATA ? group->base.message_pool : NULL;
  struct message *message = message_pool ? message_pool_take(message_pool, bytes) : NULL;
  return message ? message : message_make(bytes);
}

static floe_status begin_receiving(struct group_mpi *group, enum group_channel channel, bool *there) {
  unsigned from = 0;
  size_t bytes = 0;
  struct arriving *arriving = &group->arriving[channel];
  if (!group->mpi->probe(tag_of(group, channel), there, &from, &bytes))
    return FLOE_ERROR_IO;
  if (!*there)
    return FLOE_OK;
  struct message *message = room_for(group, channel, bytes);
  if (!message)
    return FLOE_ERROR_MEMORY;
  struct receiving *receiving = &arriving->ring[(arriving->first + arriving->count) % RECEIVING];
  message->from = from;
  if (!group->mpi->irecv(message->content, bytes, from, tag_of(group, channel), &receiving->request)) {
    message_free(message);
    return FLOE_ERROR_IO;
  }
  receiving->message = message;
  receiving->of = CONTENT;
  arriving->count++;
  return FLOE_OK;
}

/* Where its far part goes: into that of the stock's message, or behind the content of another one. */
static void *place_far(struct receiving *receiving, size_t bytes) {
  struct message *message = receiving->message;
  if (bytes <= message_pool_device_room(message->message_pool)) {
    message->payload_bytes = bytes;
    return message->far;
  }
  struct message *whole = message_make(message->bytes + bytes);
  if (!whole)
    return NULL;
  whole->from = message->from;
  memcpy(whole->content, message->content, message->bytes);
  receiving->message = whole;
  void *place = whole->content + message->bytes;
  message_free(message);
  return place;
}

static floe_status take_content(struct group_mpi *group, enum group_channel channel, struct receiving *receiving) {
  struct message *message = receiving->message;
  far_length far = 0;
  receiving->of = ALL;
  if (message->bytes < bytes_behind(channel))
    return FLOE_ERROR_IO;
  message->bytes -= bytes_behind(channel);
  memcpy(&far, message->content + message->bytes, bytes_behind(channel));
  if (far == 0)
    return FLOE_OK;
  if (far > GROUP_MPI_LARGEST)
    return FLOE_ERROR_IO;
  void *place = place_far(receiving, far);
  if (!place)
    return FLOE_ERROR_MEMORY;
  receiving->of = FAR_PART;
  const bool begun = group->mpi->irecv(place, far, receiving->message->from, tag_of_far(group), &receiving->request);
  return begun ? FLOE_OK : FLOE_ERROR_IO;
}

/* In their order, as far as contents have come: far parts have no other one. */
static floe_status go_on_receiving(struct group_mpi *group, enum group_channel channel) {
  struct arriving *arriving = &group->arriving[channel];
  for (unsigned i = 0; i < arriving->count; i++) {
    struct receiving *receiving = &arriving->ring[(arriving->first + i) % RECEIVING];
    bool done = receiving->of == ALL;
    if (!done && !group->mpi->test(&receiving->request, &done))
      return FLOE_ERROR_IO;
    if (!done && receiving->of == CONTENT)
      return FLOE_OK;
    if (done && receiving->of == CONTENT)
      FLOE_TRY(take_content(group, channel, receiving));
    else if (done)
      receiving->of = ALL;
  }
  return FLOE_OK;
}

static struct message *take_first(struct arriving *arriving) {
  struct receiving *first = &arriving->ring[arriving->first];
  if (arriving->count == 0 || first->of != ALL)
    return NULL;
  arriving->first = (arriving->first + 1) % RECEIVING;
  arriving->count--;
  return first->message;
}

/* Also frees what one member has received meanwhile: another one at each call. */
static floe_status group_mpi_receive(struct group *base, enum group_channel channel, struct message **out) {
  struct group_mpi *group = group_of(base);
  bool there = true;
  while (there && group->arriving[channel].count < RECEIVING)
    FLOE_TRY(begin_receiving(group, channel, &there));
  group->looked_at = (group->looked_at + 1) % base->size;
  for (enum group_channel sent = 0; sent < GROUP_CHANNELS; sent++)
    if (!look_at_sendings(group, group->looked_at, sent))
      return FLOE_ERROR_IO;
  FLOE_TRY(go_on_receiving(group, channel));
  *out = take_first(&group->arriving[channel]);
  return FLOE_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void group_mpi_abort(struct group *group, int code) { group_of(group)->mpi->abort(code); }

/* Takes and drops what comes. */
static bool drop_own(struct group_mpi *group) {
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

static bool drop_arrivals(struct group_mpi *group) {
  bool sound = true;
  for (; group && sound; group = group->duplicate)
    sound = drop_own(group) && look_at_all(group);
  return sound;
}

static bool at_rest(const struct group_mpi *group) {
  size_t moving = 0;
  for (; group; group = group->duplicate)
    for (enum group_channel channel = 0; channel < GROUP_CHANNELS; channel++)
      moving += group->in_flight[channel] + group->arriving[channel].count;
  return moving == 0;
}

/* All of each member's messages have arrived when all have come to the barrier, which a member does when its own have.
   Whoever waits there goes on to receive. */
static bool wait_for_all(struct group_mpi *group) {
  const struct timespec pause = {.tv_nsec = PAUSE};
  floe_mpi_request barrier;
  bool begun = false, done = false;
  for (;;) {
    if (!drop_arrivals(group))
      return false;
    if (!begun && at_rest(group)) {
      if (!group->mpi->ibarrier(&barrier))
        return false;
      begun = true;
    }
    if (begun && !group->mpi->test(&barrier, &done))
      return false;
    if (done && at_rest(group))
      return true;
    nanosleep(&pause, NULL);
  }
}

static void free_group(struct group_mpi *group) {
  if (group)
    mem_free(group->to);
  mem_free(group);
}

/* What the library still reads, for others, stays. */
static void group_mpi_close(struct group *base, bool lost) {
  struct group_mpi *group = group_of(base);
  if (lost || !wait_for_all(group))
    return;
  group->mpi->finalize();
  free_group(group->duplicate);
  free_group(group);
}

static struct group_mpi *make_group(const struct group_kind *kind, const struct floe_mpi *mpi, int first_tag) {
  struct group_mpi *group = mem_alloc(sizeof *group);
  struct sendings *to = mem_array((size_t)mpi->size() * GROUP_CHANNELS, sizeof *to);
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

static struct group *group_mpi_another(struct group *base) {
  struct group_mpi *group = group_of(base);
  if (!group->duplicate)
    group->duplicate = make_group(base->kind, group->mpi, TAGS);
  return group->duplicate ? &group->duplicate->base : NULL;
}

static const struct group_kind group_mpi_kind = {
    .name = "MPI",
    .send = group_mpi_send,
    .receive = group_mpi_receive,
    .in_flight = group_mpi_under_way,
    .duplicate = group_mpi_another,
    .abort = group_mpi_abort,
    .close = group_mpi_close,
};

/* ---- the beginning --------------------------------------------------------------------------- */

/* Before version 3.0 the parts that Open MPI opens by itself looked for its functions among all that is loaded. */
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
               module_wanted(&place));
  else if (function()->version != FLOE_MPI_VERSION)
    reason_set(reason, "the module for MPI (%s) is of another version of floe", module_wanted(&place));
  else
    return function();
  return NULL;
}

/* Another library than the launcher's takes each process for a job of its own. */
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

/* Libraries, and those that they load, catch signals that mean a crash, some as soon as they are loaded: what the
   program has set stays as it is. None of their threads is to get a signal. */
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
    mpi->abort(GROUP_MPI_NO_MEMORY); /* the others have begun, and would wait */
  *out = &group->base;
  return FLOE_OK;
}

const char *group_mpi_library(const struct group *group) { return ((const struct group_mpi *)group)->mpi->library(); }
