#include "engine/comm/allgather.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

static size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

static floe_status status_of(struct post *post) {
  const floe_status status = post_status(post);
  return status == FLOE_OK ? FLOE_ERROR_IO : status; /* who does not answer is lost */
}

/* ---- rank 0 -------------------------------------------------------------------------------------- */

/* mine[0] is this member's own and stays NULL. */
static floe_status collect(struct post *post, struct message **mine, const struct stop *stop) {
  for (unsigned i = 1; i < post->group->size; i++) {
    struct message *message = post_await(post, LETTER_MINE, stop);
    if (!message)
      return status_of(post);
    assert(message->from != 0 && !mine[message->from]);
    mine[message->from] = message;
  }
  return FLOE_OK;
}

static unsigned char *add(unsigned char *at, const void *content, size_t bytes) {
  const uint64_t length = bytes;
  memcpy(at, &length, sizeof length);
  memcpy(at + sizeof length, content, bytes);
  return at + sizeof length + padded(bytes);
}

static struct message *all_of(struct post *post, struct message *const *mine, const void *own, size_t bytes) {
  size_t total = sizeof(uint64_t) + padded(bytes);
  for (unsigned i = 1; i < post->group->size; i++)
    total += sizeof(uint64_t) + padded(letter_bytes(mine[i]));
  struct message *all = letter_make(LETTER_ALL, post->group->size, total);
  if (!all)
    return NULL;
  unsigned char *at = add(letter_of(all)->content, own, bytes);
  for (unsigned i = 1; i < post->group->size; i++)
    at = add(at, letter_of(mine[i])->content, letter_bytes(mine[i]));
  return all;
}

static floe_status lead(struct post *post, const void *own, size_t bytes, bool to_all, const struct stop *stop,
                        struct message **out) {
  struct message **mine = mem_array(post->group->size, sizeof(struct message *));
  floe_status status = mine ? collect(post, mine, stop) : FLOE_ERROR_MEMORY;
  struct message *all = status == FLOE_OK ? all_of(post, mine, own, bytes) : NULL;
  for (unsigned i = 0; mine && i < post->group->size; i++)
    message_free(mine[i]);
  mem_free(mine);
  FLOE_TRY(status);
  if (!all)
    return FLOE_ERROR_MEMORY;
  if (to_all)
    post_send_all(post, LETTER_ALL, post->group->size, letter_of(all)->content, letter_bytes(all));
  *out = all;
  return FLOE_OK;
}

/* ---- the others ---------------------------------------------------------------------------------- */

static void tell_mine(struct post *post, const void *own, size_t bytes) {
  struct message *message = letter_make(LETTER_MINE, 0, bytes);
  if (message && bytes > 0)
    memcpy(letter_of(message)->content, own, bytes);
  post_send(post, 0, message);
}

/* ---- all ----------------------------------------------------------------------------------------- */

static floe_status take_apart(struct message *all, unsigned size, struct said_all *out) {
  const unsigned char *at = letter_of(all)->content;
  out->message = all;
  out->by = mem_array(size, sizeof *out->by);
  if (!out->by)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < size; i++) {
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    out->by[i] = (struct said){at + sizeof bytes, (size_t)bytes};
    at += sizeof bytes + padded((size_t)bytes);
  }
  return FLOE_OK;
}

static floe_status exchange_words(struct post *post, const void *mine, size_t bytes, bool to_all,
                                  const struct stop *stop, struct message **all) {
  if (post->group->rank == 0)
    return lead(post, mine, bytes, to_all, stop, all);
  tell_mine(post, mine, bytes);
  if (to_all)
    *all = post_await(post, LETTER_ALL, stop);
  return to_all && !*all ? status_of(post) : post_status(post);
}

/* Who fails here has missed what the others come to: he can take part in nothing more. */
static floe_status say(struct post *post, const void *mine, size_t bytes, bool to_all, const struct stop *stop,
                       struct said_all *out) {
  struct message *all = NULL;
  *out = (struct said_all){NULL, NULL};
  post_next(post);
  floe_status status = exchange_words(post, mine, bytes, to_all, stop, &all);
  if (status == FLOE_OK && all)
    status = take_apart(all, post->group->size, out);
  else
    message_free(all);
  if (status != FLOE_OK) {
    post_fail(post, status);
    agree_free(out);
  }
  return status;
}

floe_status agree(struct post *post, const void *mine, size_t bytes, const struct stop *stop, struct said_all *out) {
  return say(post, mine, bytes, true, stop, out);
}

floe_status agree_tell_first(struct post *post, const void *mine, size_t bytes, const struct stop *stop,
                             struct said_all *out) {
  return say(post, mine, bytes, false, stop, out);
}

void agree_free(struct said_all *said) {
  message_free(said->message);
  mem_free(said->by);
  *said = (struct said_all){NULL, NULL};
}
