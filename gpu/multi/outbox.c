#include "gpu/multi/outbox.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/peer_links.h"
#include "gpu/multi/gpu_member.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

/* Most states for one member before a launch ends: copying them should not take longer than finding them. */
#define OUTBOX_MOST (UINT64_C(1) << 24)
/* Part of device memory for outboxes. */
#define OUTBOX_SHARE 16
/* Words of states in a packet: each packet costs the host some microseconds, and a device fills many. */
#define PACKET_WORDS 65536
/* Packets, and their part of host or device memory: they must hold what arrives during a launch. */
#define MOST_PACKETS 128
#define LEAST_PACKETS 4
#define HOST_SHARE 16
#define DEVICE_SHARE 64
#define PAYLOAD_BYTES (PACKET_WORDS * sizeof(uint64_t))
/* Packets filled by one batch of copies. */
#define PACKETS_AT_ONCE 8

uint64_t outbox_most_slack(const struct gpu_search *self) {
  return self->budget.limit / OUTBOX_SHARE / (2 * member_state_bytes(self) * self->group.collective.size);
}

static unsigned count_boxes(const struct gpu_search *self) {
  return self->group.collective.size * self->member->out.parts;
}
static uint64_t count_bytes(const struct gpu_search *self) {
  return (uint64_t)count_boxes(self) * GPU_OUTBOX_STRIDE * sizeof(uint64_t);
}
static uint64_t outbox_bytes(const struct gpu_search *self) {
  return count_boxes(self) * self->member->out.room * member_state_bytes(self);
}

/* ---- creation -------------------------------------------------------------------------------- */

static size_t packet_room(void) { return sizeof(struct packet) + PACKET_WORDS * sizeof(uint64_t); }

static floe_status allocate_host_packets(struct gpu_search *self, unsigned count) {
  struct gpu_member *member = self->member;
  FLOE_TRY(gpu_host_alloc(self->gpu, message_pool_bytes(count, packet_room()), &member->out.pool.memory));
  member->out.pool.messages = message_pool_new(member->out.pool.memory, count, packet_room());
  return member->out.pool.messages ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* FLOE_ERROR_MEMORY: device memory is short. */
static floe_status allocate_payloads(struct gpu_search *self, unsigned *count) {
  *count = (unsigned)least(MOST_PACKETS, self->budget.limit / DEVICE_SHARE / PAYLOAD_BYTES);
  return *count < LEAST_PACKETS ? FLOE_ERROR_MEMORY
                                : gpu_search_take(self, *count * PAYLOAD_BYTES, &self->member->out.pool.device);
}

static floe_status allocate_device_packets(struct gpu_search *self, unsigned count) {
  struct gpu_member *member = self->member;
  void *far = (void *)(uintptr_t)member->out.pool.device;
  FLOE_TRY(gpu_retain_context(self->gpu)); /* the MPI library has streams in it */
  member->out.pool.memory = mem_alloc(message_pool_bytes(count, sizeof(struct packet)));
  if (member->out.pool.memory)
    member->out.pool.messages =
        message_pool_new_device(member->out.pool.memory, count, sizeof(struct packet), far, PAYLOAD_BYTES);
  return member->out.pool.messages ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static void free_packets(struct gpu_search *self) {
  if (self->member->out.pool.device)
    mem_free(self->member->out.pool.memory);
  else
    gpu_host_free(self->gpu, self->member->out.pool.memory);
  gpu_free(self->gpu, self->member->out.pool.device);
}

/* Within a machine, MPI libraries are slower from device to device than through host memory (doc/results/devices.md).
 */
static bool sends_from_device(const struct gpu_search *self) {
  const struct peer_links *links = self->search.task->group.links;
  const bool apart = !links || links->machine.count < self->group.collective.size;
  return self->search.task->group.comm->group->device_aware &&
         (self->test_settings.far ? self->test_settings.far == 1 : apart);
}

/* Allocates the most packets that limits and memory allow. */
static floe_status allocate_packets(struct gpu_search *self) {
  if (sends_from_device(self)) {
    unsigned count;
    const floe_status far = allocate_payloads(self, &count);
    if (far != FLOE_ERROR_MEMORY)
      return far == FLOE_OK ? allocate_device_packets(self, count) : far;
  }
  const uint64_t most = self->search.task->options->memory / HOST_SHARE / packet_room();
  unsigned count = (unsigned)greatest(LEAST_PACKETS, least(MOST_PACKETS, most));
  floe_status status = allocate_host_packets(self, count);
  while (status == FLOE_ERROR_MEMORY && !self->member->out.pool.memory && count / 2 >= LEAST_PACKETS)
    status = allocate_host_packets(self, count /= 2);
  return status;
}

struct exchange_plan outbox_packets(const struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  const unsigned workers =
      task->group.restored_states ? task->options->threads : 1; /* threads that scatter a checkpoint */
  const unsigned waiting =
      MOST_PACKETS / 8 * 3 / self->group.collective.size; /* in each direction; the rest is in transit */
  return (struct exchange_plan){.workers = workers,
                                .words = task->layout->key_words,
                                .packet_words = PACKET_WORDS,
                                .queued = (unsigned)greatest(EXCHANGE_QUEUED_PACKETS, waiting)};
}

floe_status outbox_open(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  const uint64_t most = greatest(outbox_most_slack(self), self->grid.slack);
  member->out.parts = GPU_OUTBOX_PARTS;
  while (member->out.parts > self->grid.blocks)
    member->out.parts /= 2;
  const unsigned writers =
      (self->grid.blocks + member->out.parts - 1) / member->out.parts; /* blocks, for each outbox */
  const uint64_t counts = count_bytes(self);
  member->out.full =
      self->test_settings.out ? self->test_settings.out : least(most, OUTBOX_MOST) / member->out.parts + 1;
  member->out.room = member->out.full + self->grid.slack / self->grid.blocks * writers;
  for (unsigned i = 0; i < 2; i++)
    FLOE_TRY(gpu_search_take(self, outbox_bytes(self), &member->out.boxes[i].states));
  FLOE_TRY(gpu_search_take(self, counts, &member->out.counts));
  FLOE_TRY(gpu_fill(self->gpu, member->out.counts, 0, counts));
  member->out.box = count_boxes(self); /* nothing is unsent */
  member->out.counted = mem_alloc(counts);
  if (!member->out.counted)
    return FLOE_ERROR_MEMORY;
  if (member_has_peers(self))
    return FLOE_OK;
  FLOE_TRY(allocate_packets(self));
  self->search.task->group.comm->group->message_pool = member->out.pool.messages;
  return FLOE_OK;
}

/* If the group failed, the library may still read packets in transit: these are not freed. */
void outbox_close(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  if (member->out.pool.messages)
    self->search.task->group.comm->group->message_pool = NULL;
  if (message_pool_free(member->out.pool.messages))
    free_packets(self);
  for (unsigned i = 0; i < 2; i++)
    gpu_free(self->gpu, member->out.boxes[i].states);
  gpu_free(self->gpu, member->out.counts);
  mem_free(member->out.counted);
}

/* ---- content ---------------------------------------------------------------------------------- */

static gpu_address states_of(const struct gpu_search *self, unsigned set, unsigned box) {
  const struct gpu_member *member = self->member;
  return member->out.boxes[set].states + box * member->out.room * member_state_bytes(self);
}

static uint64_t count_of(const struct gpu_search *self, unsigned box) {
  const struct gpu_member *member = self->member;
  const uint64_t n = member->out.counted[(size_t)box * GPU_OUTBOX_STRIDE];
  assert(n <= member->out.room && (n == 0 || box / member->out.parts != self->group.collective.rank));
  return n;
}

bool outbox_is_sending(const struct gpu_search *self) { return self->member->out.box < count_boxes(self); }

/* Acquire: no write to the outbox is ordered before the copies of the receivers. */
bool outbox_is_free(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  return !member->out.filled &&
         atomic_load_explicit(&member->out.boxes[member->out.filling].unread, memory_order_acquire) == 0;
}

/* ---- to devices of this process -------------------------------------------------------------- */

static floe_status send_addresses(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  struct gpu_outbox *outbox = &member->out.boxes[member->out.filling];
  for (unsigned box = 0; box < count_boxes(self); box++) {
    const struct peer_copy peer_copy = {states_of(self, member->out.filling, box), &outbox->unread};
    const uint64_t n = count_of(self, box);
    struct message *packet = n ? packet_new(MSG_STATES, n, sizeof peer_copy) : NULL;
    if (n && !packet)
      return FLOE_ERROR_MEMORY;
    if (!packet)
      continue;
    memcpy(packet_of(packet)->content, &peer_copy, sizeof peer_copy);
    atomic_fetch_add_explicit(&outbox->unread, 1, memory_order_relaxed);
    exchange_send_packet(self->group.collective.exchange, box / member->out.parts, packet);
  }
  return FLOE_OK;
}

/* ---- to members elsewhere -------------------------------------------------------------------- */

/* Begins to copy n states to a packet, on the side stream. NULL: no packet is free. */
static struct message *begin_packet(struct gpu_search *self, gpu_address from, uint64_t n, floe_status *status) {
  const struct gpu_member *member = self->member;
  const uint64_t bytes = n * member_state_bytes(self);
  struct message *message =
      message_pool_take(member->out.pool.messages, sizeof(struct packet) + (member->out.pool.device ? 0 : bytes));
  if (!message)
    return NULL;
  *packet_of(message) = (struct packet){.kind = MSG_STATES, .number = n};
  message->payload_bytes = member->out.pool.device ? bytes : 0;
  *status = member->out.pool.device
                ? gpu_copy_on_side_stream(self->gpu, (gpu_address)(uintptr_t)message->payload, from, bytes)
                : gpu_download_on_side_stream(self->gpu, packet_of(message)->content, from, bytes);
  return message;
}

/* Begins the next packet. NULL: all states are sent, or no packet is free. */
static struct message *next_packet(struct gpu_search *self, floe_status *status) {
  struct gpu_member *member = self->member;
  while (outbox_is_sending(self) && member->out.sent == count_of(self, member->out.box)) {
    member->out.box++;
    member->out.sent = 0;
  }
  if (!outbox_is_sending(self))
    return NULL;
  const uint64_t n = least(count_of(self, member->out.box) - member->out.sent, PACKET_WORDS / member_words(self));
  const gpu_address from =
      states_of(self, member->out.filling ^ 1, member->out.box) + member->out.sent * member_state_bytes(self);
  struct message *message = begin_packet(self, from, n, status);
  if (!message)
    return NULL;
  message->from = member->out.box / member->out.parts; /* until it is sent: the receiver */
  member->out.sent += n;
  return message;
}

bool outbox_send(struct gpu_search *self) {
  struct exchange *exchange = self->group.collective.exchange;
  struct message *packets[PACKETS_AT_ONCE];
  unsigned n = 0;
  floe_status status = FLOE_OK;
  if (!outbox_is_sending(self))
    return false;
  while (n < PACKETS_AT_ONCE && status == FLOE_OK && !exchange_backpressured(exchange) &&
         (packets[n] = next_packet(self, &status)))
    n++;
  if (n > 0) {
    const floe_status copied = gpu_wait_for_side_stream(self->gpu);
    status = status == FLOE_OK ? copied : status;
  }
  for (unsigned i = 0; i < n; i++) {
    if (status == FLOE_OK)
      exchange_send_packet(exchange, packets[i]->from, packets[i]);
    else
      message_free(packets[i]);
  }
  if (status != FLOE_OK)
    search_fail(&self->search, status);
  return n > 0;
}

/* ---- the next launch ------------------------------------------------------------------------- */

floe_status outbox_empty(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  const uint64_t bytes = count_bytes(self);
  FLOE_TRY(gpu_download(self->gpu, member->out.counted, member->out.counts, bytes));
  if (member_has_peers(self))
    FLOE_TRY(send_addresses(self));
  else
    member->out.box = 0, member->out.sent = 0;
  member->out.filling ^= 1;
  member->out.filled = false;
  FLOE_TRY(gpu_fill(self->gpu, member->out.counts, 0, bytes));
  return gpu_wait(self->gpu);
}

void outbox_discard(struct gpu_search *self) {
  self->member->out.box = count_boxes(self);
  self->member->out.filled = false;
}

floe_status outbox_work(struct gpu_search *self) {
  bool done = member_has_peers(self);
  while (!done) {
    const bool any = outbox_send(self);
    exchange_progress(self->group.collective.exchange);
    FLOE_TRY(gpu_is_done(self->gpu, &done));
    if (!any && !done)
      sched_yield();
  }
  return FLOE_OK;
}
