/* What a launch leaves for other members, and how it comes to them.

   Devices of this process are told where it lies, and copy it by themselves; the next launch fills the other one of two
   sets of outboxes. For members elsewhere it is copied to letters while the next launch runs, which the group sends
   from and receives into: no processor touches a state. Letters' states are in the device's memory where the group
   takes them from there (group->device_aware), else all of a letter is page-locked memory of the host's. */
#include "base/numbers.h"
#include "core/mem.h"
#include "engine/peer_links.h"
#include "gpu/engine/gpu_search.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

/* States for a member before a launch ends for it, at most: they should not take longer to copy than to find. */
#define OUTBOX_MOST (UINT64_C(1) << 24)
/* Of the device's memory for outboxes. */
#define OUTBOX_SHARE 16
/* Words of states in a letter: each costs the host some microseconds, and a device fills many. */
#define LETTER_WORDS 65536
/* Letters, and their part of the host's memory, or of the device's: what comes while a launch runs. */
#define MOST_LETTERS 128
#define LEAST_LETTERS 4
#define LETTERS_SHARE 16
#define FAR_SHARE 64
#define FAR_BYTES (LETTER_WORDS * sizeof(uint64_t))
/* Copied to at once. */
#define LETTERS_AT_ONCE 8

uint64_t outbox_most_slack(const struct gpu_search *self) {
  return self->budget.limit / OUTBOX_SHARE / (2 * member_state_bytes(self) * self->member.collective.size);
}

static unsigned count_boxes(const struct gpu_search *self) { return self->member.collective.size * self->member.parts; }
static uint64_t count_bytes(const struct gpu_search *self) {
  return (uint64_t)count_boxes(self) * GPU_OUTBOX_STRIDE * sizeof(uint64_t);
}
static uint64_t outbox_bytes(const struct gpu_search *self) {
  return count_boxes(self) * self->member.room * member_state_bytes(self);
}

/* ---- creation -------------------------------------------------------------------------------- */

static size_t letter_room(void) { return sizeof(struct packet) + LETTER_WORDS * sizeof(uint64_t); }

static floe_status take_letters(struct gpu_search *self, unsigned count) {
  struct gpu_member *member = &self->member;
  FLOE_TRY(gpu_host_alloc(self->gpu, message_pool_bytes(count, letter_room()), &member->packets));
  member->message_pool = message_pool_new(member->packets, count, letter_room());
  return member->message_pool ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* FLOE_ERROR_MEMORY: the device has none to spare. */
static floe_status take_far(struct gpu_search *self, unsigned *count) {
  *count = (unsigned)least(MOST_LETTERS, self->budget.limit / FAR_SHARE / FAR_BYTES);
  return *count < LEAST_LETTERS ? FLOE_ERROR_MEMORY : gpu_search_take(self, *count * FAR_BYTES, &self->member.far);
}

static floe_status take_far_letters(struct gpu_search *self, unsigned count) {
  struct gpu_member *member = &self->member;
  void *far = (void *)(uintptr_t)member->far;
  FLOE_TRY(gpu_keep(self->gpu)); /* the library has streams there */
  member->packets = mem_alloc(message_pool_bytes(count, sizeof(struct packet)));
  if (member->packets)
    member->message_pool = message_pool_new_device(member->packets, count, sizeof(struct packet), far, FAR_BYTES);
  return member->message_pool ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static void give_letters(struct gpu_search *self) {
  if (self->member.far)
    mem_free(self->member.packets);
  else
    gpu_host_free(self->gpu, self->member.packets);
  gpu_free(self->gpu, self->member.far);
}

/* Within a machine libraries take longer from device to device than by the host's memory (doc/results/devices.md). */
static bool wants_far(const struct gpu_search *self) {
  const struct peer_links *links = self->search->task->group.links;
  const bool apart = !links || links->machine.count < self->member.collective.size;
  return self->search->task->group.comm->group->device_aware && (self->test_settings.far ? self->test_settings.far == 1 : apart);
}

/* As many as there may be, or are to be had. */
static floe_status take_stock(struct gpu_search *self) {
  if (wants_far(self)) {
    unsigned far_count;
    const floe_status far = take_far(self, &far_count);
    if (far != FLOE_ERROR_MEMORY)
      return far == FLOE_OK ? take_far_letters(self, far_count) : far;
  }
  const uint64_t most = self->search->task->options->memory / LETTERS_SHARE / letter_room();
  unsigned count = (unsigned)greatest(LEAST_LETTERS, least(MOST_LETTERS, most));
  floe_status status = take_letters(self, count);
  while (status == FLOE_ERROR_MEMORY && !self->member.packets && count / 2 >= LEAST_LETTERS)
    status = take_letters(self, count /= 2);
  return status;
}

struct exchange_plan outbox_letters(const struct gpu_search *self) {
  const struct engine_task *task = self->search->task;
  const unsigned workers = task->group.restored_states ? task->options->threads : 1;        /* who deal states of a checkpoint */
  const unsigned waiting = MOST_LETTERS / 8 * 3 / self->member.collective.size; /* either way; the rest is under way */
  return (struct exchange_plan){.workers = workers,
                                .words = task->layout->key_words,
                                .packet_words = LETTER_WORDS,
                                .queued = (unsigned)greatest(EXCHANGE_QUEUED_PACKETS, waiting)};
}

floe_status outbox_open(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  const uint64_t most = greatest(outbox_most_slack(self), self->slack);
  member->parts = GPU_OUTBOX_PARTS;
  while (member->parts > self->blocks)
    member->parts /= 2;
  const unsigned writers = (self->blocks + member->parts - 1) / member->parts; /* blocks, for each outbox */
  const uint64_t counts = count_bytes(self);
  member->full = self->test_settings.out ? self->test_settings.out : least(most, OUTBOX_MOST) / member->parts + 1;
  member->room = member->full + self->slack / self->blocks * writers;
  for (unsigned i = 0; i < 2; i++)
    FLOE_TRY(gpu_search_take(self, outbox_bytes(self), &member->outboxes[i].states));
  FLOE_TRY(gpu_search_take(self, counts, &member->counts));
  FLOE_TRY(gpu_fill(self->gpu, member->counts, 0, counts));
  member->box = count_boxes(self); /* nothing is on its way */
  member->counted = mem_alloc(counts);
  if (!member->counted)
    return FLOE_ERROR_MEMORY;
  if (member_has_peers(self))
    return FLOE_OK;
  FLOE_TRY(take_stock(self));
  self->search->task->group.comm->group->message_pool = member->message_pool;
  return FLOE_OK;
}

/* Where the group is lost letters may be under way that the library still reads: they are left to it. */
void outbox_close(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  if (member->message_pool)
    self->search->task->group.comm->group->message_pool = NULL;
  if (message_pool_free(member->message_pool))
    give_letters(self);
  for (unsigned i = 0; i < 2; i++)
    gpu_free(self->gpu, member->outboxes[i].states);
  gpu_free(self->gpu, member->counts);
  mem_free(member->counted);
}

/* ---- what is in them ------------------------------------------------------------------------- */

static gpu_address states_of(const struct gpu_search *self, unsigned turn, unsigned box) {
  const struct gpu_member *member = &self->member;
  return member->outboxes[turn].states + box * member->room * member_state_bytes(self);
}

static uint64_t count_of(const struct gpu_member *member, unsigned box) {
  const uint64_t n = member->counted[(size_t)box * GPU_OUTBOX_STRIDE];
  assert(n <= member->room && (n == 0 || box / member->parts != member->collective.rank));
  return n;
}

bool outbox_is_under_way(const struct gpu_search *self) { return self->member.box < count_boxes(self); }

/* Acquire: what others have copied is not written to before. */
bool outbox_is_free(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  return !member->filled && atomic_load_explicit(&member->outboxes[member->turn].unread, memory_order_acquire) == 0;
}

/* ---- to devices of this process -------------------------------------------------------------- */

static floe_status tell_peers(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  struct gpu_outbox *outbox = &member->outboxes[member->turn];
  for (unsigned box = 0; box < count_boxes(self); box++) {
    const struct peer_copy peer_copy = {states_of(self, member->turn, box), &outbox->unread};
    const uint64_t n = count_of(member, box);
    struct message *packet = n ? packet_new(MSG_STATES, n, sizeof peer_copy) : NULL;
    if (n && !packet)
      return FLOE_ERROR_MEMORY;
    if (!packet)
      continue;
    memcpy(packet_of(packet)->content, &peer_copy, sizeof peer_copy);
    atomic_fetch_add_explicit(&outbox->unread, 1, memory_order_relaxed);
    exchange_send_packet(member->collective.exchange, box / member->parts, packet);
  }
  return FLOE_OK;
}

/* ---- to members elsewhere -------------------------------------------------------------------- */

/* n states of its own to a letter, beside the stream; NULL: there is none left. */
static struct message *begin_letter(struct gpu_search *self, gpu_address from, uint64_t n, floe_status *status) {
  const struct gpu_member *member = &self->member;
  const uint64_t bytes = n * member_state_bytes(self);
  struct message *message = message_pool_take(member->message_pool, sizeof(struct packet) + (member->far ? 0 : bytes));
  if (!message)
    return NULL;
  *packet_of(message) = (struct packet){.kind = MSG_STATES, .number = n};
  message->payload_bytes = member->far ? bytes : 0;
  *status = member->far ? gpu_copy_beside(self->gpu, (gpu_address)(uintptr_t)message->payload, from, bytes)
                        : gpu_download_beside(self->gpu, packet_of(message)->content, from, bytes);
  return message;
}

/* A letter of what is next, which its states are copied to then; NULL: all are on their way, or there is none left. */
static struct message *write_letter(struct gpu_search *self, floe_status *status) {
  struct gpu_member *member = &self->member;
  while (outbox_is_under_way(self) && member->next == count_of(member, member->box)) {
    member->box++;
    member->next = 0;
  }
  if (!outbox_is_under_way(self))
    return NULL;
  const uint64_t n = least(count_of(member, member->box) - member->next, LETTER_WORDS / member_words(self));
  const gpu_address from = states_of(self, member->turn ^ 1, member->box) + member->next * member_state_bytes(self);
  struct message *message = begin_letter(self, from, n, status);
  if (!message)
    return NULL;
  message->from = member->box / member->parts; /* whose it is, until it is sent */
  member->next += n;
  return message;
}

bool outbox_send(struct gpu_search *self) {
  struct exchange *exchange = self->member.collective.exchange;
  struct message *packets[LETTERS_AT_ONCE];
  unsigned n = 0;
  floe_status status = FLOE_OK;
  if (!outbox_is_under_way(self))
    return false;
  while (n < LETTERS_AT_ONCE && status == FLOE_OK && !exchange_backpressured(exchange) &&
         (packets[n] = write_letter(self, &status)))
    n++;
  if (n > 0) {
    const floe_status copied = gpu_wait_beside(self->gpu);
    status = status == FLOE_OK ? copied : status;
  }
  for (unsigned i = 0; i < n; i++) {
    if (status == FLOE_OK)
      exchange_send_packet(exchange, packets[i]->from, packets[i]);
    else
      message_free(packets[i]);
  }
  if (status != FLOE_OK)
    search_fail(self->search, status);
  return n > 0;
}

/* ---- the next launch ------------------------------------------------------------------------- */

floe_status outbox_empty(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  const uint64_t bytes = count_bytes(self);
  FLOE_TRY(gpu_download(self->gpu, member->counted, member->counts, bytes));
  if (member_has_peers(self))
    FLOE_TRY(tell_peers(self));
  else
    member->box = 0, member->next = 0;
  member->turn ^= 1;
  member->filled = false;
  FLOE_TRY(gpu_fill(self->gpu, member->counts, 0, bytes));
  return gpu_wait(self->gpu);
}

void outbox_give_up(struct gpu_search *self) {
  self->member.box = count_boxes(self);
  self->member.filled = false;
}

floe_status outbox_work(struct gpu_search *self) {
  bool done = member_has_peers(self);
  while (!done) {
    const bool any = outbox_send(self);
    exchange_progress(self->member.collective.exchange);
    FLOE_TRY(gpu_is_done(self->gpu, &done));
    if (!any && !done)
      sched_yield();
  }
  return FLOE_OK;
}
