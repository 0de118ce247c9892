#include "engine/snapshot/snapshot_writer.h"

#include <string.h>

/* A letter's content: its section, then states. */
#define HEAD_WORDS 1

static struct exchange *exchange_of(const struct moment_lane *lane) { return lane->together->exchange; }
static struct post *post_of(const struct moment_lane *lane) { return lane->together->search->task->post; }

/* ---- waiting ------------------------------------------------------------------------------------- */

/* Rank 0 puts what the others send. */
static bool put_letter(void *user) {
  struct moment_lane *lane = user;
  struct message *message = lane->writer ? exchange_take(exchange_of(lane)) : NULL;
  if (!message)
    return false;
  const struct letter *letter = letter_of(message);
  const uint64_t *words = (const uint64_t *)letter->content;
  checkpoint_put(lane->writer, lane->number, (enum checkpoint_section)words[0], words + HEAD_WORDS, letter->number);
  message_free(message);
  exchange_put(exchange_of(lane));
  return true;
}

static bool has_room(struct exchange *exchange) { return !exchange_is_crowded(exchange); }

void moment_lane_await(struct moment_lane *lane) { together_await(lane->together, exchange_is_over, put_letter, lane); }

/* ---- states -------------------------------------------------------------------------------------- */

void moment_lane_flush(struct moment_lane *lane) {
  if (!lane->draft)
    return;
  lane->draft->bytes =
      sizeof(struct letter) + (HEAD_WORDS + letter_of(lane->draft)->number * lane->together->words) * sizeof(uint64_t);
  if (exchange_is_stopped(exchange_of(lane)))
    message_free(lane->draft); /* the group is lost */
  else
    exchange_post(exchange_of(lane), 0, lane->draft);
  lane->draft = NULL;
  together_await(lane->together, has_room, put_letter, lane);
}

void moment_lane_section(struct moment_lane *lane, enum checkpoint_section section) {
  if (section != lane->section)
    moment_lane_flush(lane);
  lane->section = section;
}

static bool begin_draft(struct moment_lane *lane, size_t states) {
  const uint64_t section = lane->section;
  lane->draft = letter_make(LETTER_STATES, 0, (HEAD_WORDS + states * lane->together->words) * sizeof(uint64_t));
  if (lane->draft)
    memcpy(letter_of(lane->draft)->content, &section, sizeof section);
  else
    post_fail(post_of(lane), FLOE_ERROR_MEMORY);
  return lane->draft;
}

static void send_states(struct moment_lane *lane, const uint64_t *states, size_t n) {
  const uint32_t words = lane->together->words;
  const size_t most = words < EXCHANGE_LETTER ? EXCHANGE_LETTER / words : 1;
  for (size_t some; n > 0; n -= some, states += some * words) {
    if (!lane->draft && !begin_draft(lane, most))
      return;
    struct letter *letter = letter_of(lane->draft);
    some = n < most - letter->number ? n : most - letter->number;
    memcpy((uint64_t *)letter->content + HEAD_WORDS + letter->number * words, states, some * words * sizeof *states);
    letter->number += some;
    if (letter->number == most)
      moment_lane_flush(lane);
  }
}

void moment_lane_put(void *to, const uint64_t *states, size_t n) {
  struct moment_lane *lane = to;
  if (lane->writer)
    checkpoint_put(lane->writer, lane->number, lane->section, states, n);
  else
    send_states(lane, states, n);
}
