#include "engine/comm/comm.h"

#include "core/mem.h"

#include <assert.h>
#include <sched.h>
#include <string.h>
#include <time.h>

double post_patience = 60;

#define LEAST_REST 2000     /* ns */
#define MOST_REST 500000    /* ns */
#define RESTS_OF_A_KIND 64u /* after so many the next ones take twice as long */
#define YIELDS 256u         /* before these: the system makes a rest of some 50 us of the shortest one */
#define LONG_YIELD 500e-6   /* seconds: others have work for the processor; then no more of them for so long: */
#define BUSY_SECONDS 0.1

void post_open(struct group *group, struct post *out) {
  *out = (struct post){.group = group, .silent_since = clock_seconds()};
  pthread_mutex_init(&out->mutex, NULL);
  out->last = &out->first;
}

static struct message *unlink_first(struct post *post, struct message **at) {
  struct message *found = *at;
  *at = found->next;
  if (!*at)
    post->last = at;
  return found;
}

void post_next(struct post *post) {
  pthread_mutex_lock(&post->mutex);
  post->conversation++;
  for (struct message **at = &post->first; *at;) {
    if (letter_of(*at)->conversation < post->conversation)
      message_free(unlink_first(post, at));
    else
      at = &(*at)->next;
  }
  pthread_mutex_unlock(&post->mutex);
}

void post_close(struct post *post, bool lost) {
  while (post->first)
    message_free(unlink_first(post, &post->first));
  post->group->kind->close(post->group, lost || post->status != FLOE_OK);
  pthread_mutex_destroy(&post->mutex);
}

/* ---- sending ------------------------------------------------------------------------------------- */

struct message *letter_make(enum letter_kind kind, uint64_t number, size_t bytes) {
  struct message *message = message_make(sizeof(struct letter) + bytes);
  if (message)
    *letter_of(message) = (struct letter){.kind = kind, .number = number};
  return message;
}

static void note(struct post *post, floe_status status) {
  if (post->status == FLOE_OK)
    post->status = status;
}

floe_status post_status(struct post *post) {
  pthread_mutex_lock(&post->mutex);
  const floe_status status = post->status;
  pthread_mutex_unlock(&post->mutex);
  return status;
}

void post_fail(struct post *post, floe_status status) {
  pthread_mutex_lock(&post->mutex);
  note(post, status);
  pthread_mutex_unlock(&post->mutex);
}

void post_send(struct post *post, unsigned to, struct message *message) {
  pthread_mutex_lock(&post->mutex);
  note(post, message ? FLOE_OK : FLOE_ERROR_MEMORY);
  if (post->status == FLOE_OK) {
    letter_of(message)->conversation = post->conversation;
    post->messages++;
    post->bytes += message->bytes;
    note(post, post->group->kind->send(
                   post->group, to, letter_of(message)->kind == LETTER_STATES ? GROUP_DATA : GROUP_CONTROL, message));
  } else {
    message_free(message);
  }
  pthread_mutex_unlock(&post->mutex);
}

void post_send_all(struct post *post, enum letter_kind kind, uint64_t number, const void *content, size_t bytes) {
  for (unsigned to = 0; to < post->group->size; to++) {
    if (to == post->group->rank)
      continue;
    struct message *message = letter_make(kind, number, bytes);
    if (message && bytes > 0)
      memcpy(letter_of(message)->content, content, bytes);
    post_send(post, to, message);
  }
}

size_t post_under_way(struct post *post) {
  pthread_mutex_lock(&post->mutex);
  const size_t under_way = post->group->kind->under_way(post->group);
  pthread_mutex_unlock(&post->mutex);
  return under_way;
}

/* ---- receiving ----------------------------------------------------------------------------------- */

/* NULL: none, or an error, which is noted. */
static struct message *receive(struct post *post, enum group_lane lane) {
  struct message *message = NULL;
  if (post->status == FLOE_OK)
    note(post, post->group->kind->receive(post->group, lane, &message));
  if (message)
    post->silent_since = clock_seconds();
  assert(!message || message->bytes >= sizeof(struct letter));
  return message;
}

static void collect(struct post *post) {
  struct message *message;
  while ((message = receive(post, GROUP_CONTROL))) {
    message->next = NULL;
    *post->last = message;
    post->last = &message->next;
  }
}

static bool is_wanted(const struct post *post, struct message *message, enum letter_kind kind) {
  return letter_of(message)->kind == kind && letter_of(message)->conversation == post->conversation;
}

struct message *post_take(struct post *post, enum letter_kind kind) {
  struct message *found = NULL;
  pthread_mutex_lock(&post->mutex);
  collect(post);
  struct message **at = &post->first;
  while (*at && !is_wanted(post, *at, kind))
    at = &(*at)->next;
  if (*at)
    found = unlink_first(post, at);
  pthread_mutex_unlock(&post->mutex);
  return found;
}

struct message *post_take_states(struct post *post) {
  pthread_mutex_lock(&post->mutex);
  struct message *message = receive(post, GROUP_DATA);
  pthread_mutex_unlock(&post->mutex);
  return message;
}

/* ---- waiting ------------------------------------------------------------------------------------- */

bool post_is_lost(struct post *post, const struct stop *stop, double *since) {
  if (!stop_wanted(stop))
    return false;
  const double now = clock_seconds();
  if (*since == 0)
    *since = now;
  pthread_mutex_lock(&post->mutex);
  const double last = post->silent_since > *since ? post->silent_since : *since;
  if (now - last > post_patience)
    note(post, FLOE_ERROR_IO);
  pthread_mutex_unlock(&post->mutex);
  return now - last > post_patience;
}

static bool may_yield(struct post *post, double now) {
  pthread_mutex_lock(&post->mutex);
  const bool may = now >= post->busy_until;
  pthread_mutex_unlock(&post->mutex);
  return may;
}

/* Who sleeps runs soon after he wakes up; who merely yields on a busy machine comes after all who never do. False: the
   machine is busy, and nothing is done. */
static bool yield(struct post *post) {
  const double before = clock_seconds();
  if (!may_yield(post, before))
    return false;
  sched_yield();
  const double after = clock_seconds();
  if (after - before > LONG_YIELD) {
    pthread_mutex_lock(&post->mutex);
    post->busy_until = after + BUSY_SECONDS;
    pthread_mutex_unlock(&post->mutex);
  }
  return true;
}

void post_rest(struct post *post, unsigned *times) {
  const struct group_kind *kind = post->group->kind;
  const unsigned yields = kind->wait ? 0 : YIELDS;
  long rest = LEAST_REST;
  for (unsigned i = yields + RESTS_OF_A_KIND; i <= *times && rest < MOST_REST; i += RESTS_OF_A_KIND)
    rest *= 2;
  const struct timespec pause = {.tv_nsec = rest < MOST_REST ? rest : MOST_REST};
  if (kind->wait)
    kind->wait(post->group, 1e-9 * (double)pause.tv_nsec);
  else if (*times >= yields || !yield(post))
    nanosleep(&pause, NULL);
  ++*times;
}

struct message *post_await(struct post *post, enum letter_kind kind, const struct stop *stop) {
  const double begun = clock_seconds();
  double since = 0;
  unsigned times = 0;
  struct message *message;
  while (!(message = post_take(post, kind)) && post_status(post) == FLOE_OK && !post_is_lost(post, stop, &since)) {
    stop_tell_waiting(stop);
    post_rest(post, &times);
  }
  post->waited += clock_seconds() - begun;
  return message;
}
