#include "gpu/multi/member.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/distributed/record_distributed.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/state_download.h"
#include "gpu/engine/tree_growth.h"
#include "gpu/engine/violations.h"
#include "gpu/engine/visited_growth.h"
#include "gpu/explore/explore.h"
#include "gpu/explore/host_backed_set.h"
#include "gpu/multi/gpu_member.h"
#include "gpu/multi/level_record.h"
#include "gpu/multi/mailbox.h"
#include "gpu/multi/outbox.h"
#include "gpu/snapshot/gpu_snapshot.h"

#include <assert.h>
#include <string.h>

/* Packets worth a launch; polls that wait for so many. */
#define MANY_PACKETS 16
#define MOST_POLLS 20
/* Most states inserted by one launch. */
#define INBOX_MOST (UINT64_C(1) << 24)

static struct comm *comm_of(const struct gpu_search *self) { return self->search.task->group.comm; }

/* ---- creation -------------------------------------------------------------------------------- */

/* Members of this process on the same device, for tests. */
static unsigned count_sharers(const struct gpu_search *self) {
  const struct gpu_peers *peers = self->search.task->group.peers;
  unsigned count = 0;
  for (unsigned i = 0; peers && i < peers->count; i++)
    count += gpu_information(peers->gpus[i])->number == gpu_information(self->gpu)->number;
  return count ? count : 1;
}

static const struct gpu_group_hooks hooks;

floe_status member_join(struct gpu_search *self) {
  collective_join(&self->group.collective, &self->search);
  self->group.sharers = 1;
  if (!gpu_search_in_group(self))
    return FLOE_OK;
  self->member = mem_alloc(sizeof *self->member);
  if (!self->member)
    return FLOE_ERROR_MEMORY;
  self->group.hooks = &hooks;
  self->group.sharers = count_sharers(self);
  return FLOE_OK;
}

uint32_t member_extra_keys(const struct gpu_search *self) {
  return self->group.linkable ? GPU_MOST_TAKEN + self->group.linkable : 0;
}

uint64_t member_inbox(const struct gpu_search *self) {
  return greatest(self->grid.slack, least(INBOX_MOST, outbox_most_slack(self)));
}

/* Masks of one word are passed with each launch (describe). */
static floe_status upload_owner_mask(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  if (member_words(self) == 1 || !self->group.collective.state_owner.mask)
    return FLOE_OK;
  FLOE_TRY(gpu_search_take(self, member_state_bytes(self), &member->out.owner_mask));
  return gpu_upload(self->gpu, member->out.owner_mask, self->group.collective.state_owner.mask,
                    member_state_bytes(self));
}

/* Of keys that go to outboxes, not to mailboxes. */
static floe_status open_duplicate_filter(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  const uint64_t bytes = sizeof(uint64_t) << GPU_DUPLICATE_FILTER_BITS, one = 1;
  FLOE_TRY(gpu_search_take(self, bytes, &member->out.duplicate_filter));
  FLOE_TRY(gpu_fill(self->gpu, member->out.duplicate_filter, 0, bytes));
  return gpu_upload(self->gpu, member->out.duplicate_filter, &one, sizeof one);
}

floe_status member_open(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  uint64_t bytes; /* of host memory; few */
  if (!member)
    return FLOE_OK;
  assert(!self->tree.words || (!self->search.task->group.saves && !self->search.task->group.restored_states));
  const struct exchange_plan plan = outbox_packets(self);
  FLOE_TRY(collective_open(&self->group.collective, &plan, &bytes));
  FLOE_TRY(outbox_open(self));
  FLOE_TRY(open_duplicate_filter(self));
  FLOE_TRY(upload_owner_mask(self));
  FLOE_TRY(mailbox_open(self));
  member->violations = violations_make(self->search.task);
  return member->violations ? FLOE_OK : FLOE_ERROR_MEMORY;
}

void member_close(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  if (!member)
    return;
  message_free(member->in.packet);
  collective_close(&self->group.collective);
  mailbox_close(self);
  outbox_close(self);
  gpu_free(self->gpu, member->out.duplicate_filter);
  gpu_free(self->gpu, member->out.owner_mask);
  if (member->violations)
    violations_free(member->violations, self->search.task->model->property_count);
  mem_free(member);
  self->member = NULL;
}

static void describe(const struct gpu_search *self, struct gpu_space *space) {
  const struct gpu_member *member = self->member;
  space->outboxes = (struct gpu_outboxes){.states = ON_DEVICE(uint64_t, member->out.boxes[member->out.filling].states),
                                          .counts = ON_DEVICE(uint64_t, member->out.counts),
                                          .room = member->out.room,
                                          .full = member->out.full,
                                          .duplicate_filter = ON_DEVICE(uint64_t, member->out.duplicate_filter),
                                          .owner_mask_bits = self->group.collective.state_owner.mask
                                                                 ? *self->group.collective.state_owner.mask
                                                                 : UINT64_MAX,
                                          .owner_mask = ON_DEVICE(uint64_t, member->out.owner_mask),
                                          .member = self->group.collective.rank,
                                          .members = self->group.collective.size,
                                          .parts = member->out.parts};
  mailbox_describe(self, space);
}

/* The states of each level are archived or recorded. */
static bool keeps_levels(const struct gpu_search *self) {
  const struct state_download *download = &self->download;
  return download->states || download->log || record_distributed_is_due(&self->group.collective);
}

static void set_stops(struct gpu_search *self) {
  const struct gpu_member *member = self->member;
  struct gpu_control *control = &self->control;
  control->group.host_closes =
      control->level.properties_only || queue_in_parts(self) || keeps_levels(self) || self->group.has_unlinkable ||
      member->mailboxes.left_out != member->phase.known_left_out || self->test_settings.hosts ||
      clock_seconds() - member->phase.reduced_at > 1e-6 * (double)self->test_settings.agree_us;
}

static void levels_closed(struct gpu_search *self, uint32_t levels) {
  struct gpu_member *member = self->member;
  member->phase.number += levels;
  member->phase.closed += levels;
  member->phase.expanded = false;
}

/* This member has published its result of the level: it must not change any more. */
static bool has_published(const struct gpu_search *self) {
  return gpu_search_has_mailboxes(self) && self->control.group.published_phase == self->member->phase.number;
}

static bool may_catch_up(const struct gpu_search *self) {
  return has_published(self) && !self->member->phase.drained && self->search.status == FLOE_OK;
}

/* A member that failed, and so stopped all, may never send its results. A stop for a checkpoint is no failure: the
   results are on their way. `since`: when the stop was noticed; 0: not yet. */
static bool is_lost(struct gpu_search *self, double *since) {
  if (!exchange_is_stopped(self->group.collective.exchange))
    return false;
  if (*since == 0)
    *since = clock_seconds();
  if (clock_seconds() - *since <= comm_timeout)
    return false;
  comm_fail(comm_of(self), FLOE_ERROR_IO);
  return true;
}

/* This member finished a level, but ran no kernel when the others published their results. They may have closed the
   level and be in the next one: closes it here, too.
   `senders`: mask of linked members that have sent packets. One that needed no host for this level put none of its
   states into packets. So it has closed the level, and its packets are of the next one: waits for the results of the
   other members, which reach this member in any order. */
static void catch_up(struct gpu_search *self, uint32_t senders) {
  struct gpu_member *member = self->member;
  const uint64_t before = member->phase.closed;
  unsigned rests = 0;
  double since = 0, stopped = 0;
  while (may_catch_up(self)) {
    self->control.group.close_only = 1;
    self->control.group.without_host = 0;
    gpu_search_explore_some(self);
    self->control.group.close_only = 0;
    if (!(self->control.group.without_host & senders) || comm_status(comm_of(self)) != FLOE_OK ||
        comm_timed_out(comm_of(self), &self->search.stop, &since) || is_lost(self, &stopped))
      break;
    exchange_progress(self->group.collective.exchange);
    comm_backoff(comm_of(self), &rests);
  }
  member->phase.caught_up += (unsigned)(member->phase.closed - before);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* Where kernels read states to insert. */
static gpu_address inbox(const struct gpu_search *self) {
  return self->tree.words ? self->tree.pending : self->buffers.source;
}
/* Most states that the queue has room for after spilling the others (policy_spill). */
static uint64_t inbox_room(const struct gpu_search *self) {
  return self->tree.words ? self->grid.slack : least(self->buffers.put_room, self->queue.ring_words / 4);
}

static struct peer_copy peer_copy_of(struct message *message) {
  struct peer_copy peer_copy;
  memcpy(&peer_copy, packet_of(message)->content, sizeof peer_copy);
  return peer_copy;
}

/* Copies states of the current packet to the inbox, behind the first n, as far as there is room; returns their number.
 */
static uint64_t unpack(struct gpu_search *self, uint64_t n, floe_status *status) {
  struct gpu_member *member = self->member;
  const struct packet *packet = packet_of(member->in.packet);
  const uint64_t some = least(packet->number - member->in.taken, inbox_room(self) - n);
  const uint64_t before = member->in.taken * member_state_bytes(self), bytes = some * member_state_bytes(self);
  const gpu_address to = inbox(self) + n * member_state_bytes(self);
  if (member_has_peers(self))
    *status = gpu_copy_peer(self->gpu, to, self->search.task->group.peers->gpus[member->in.packet->from],
                            peer_copy_of(member->in.packet).states + before, bytes);
  else if (member->in.packet->payload_bytes)
    *status = gpu_copy(self->gpu, to, (gpu_address)(uintptr_t)member->in.packet->payload + before, bytes);
  else if (member->in.packet->message_pool && !member->out.pool.device) /* page-locked */
    *status = gpu_upload_start(self->gpu, to, packet->content + before, bytes);
  else
    *status = gpu_upload(self->gpu, to, packet->content + before, bytes);
  member->in.taken += some;
  return some;
}

static bool has_room(const struct gpu_search *self, uint64_t n) {
  const struct gpu_control *control = &self->control;
  return control->next_end - control->level.current + n <= self->queue.ring_words;
}

/* Keeps n keys at `from`, on the device, that found no room as the search ended, for the last checkpoint. */
static void keep_for_checkpoint(struct gpu_search *self, gpu_address from, uint64_t n) {
  const size_t bytes = n * sizeof(uint64_t);
  uint64_t *states = mem_resize(self->restored_pending.states, self->restored_pending.count * sizeof *states + bytes);
  if (!states) {
    self->restored_pending.status = FLOE_ERROR_MEMORY;
    return;
  }
  self->restored_pending.states = states;
  const floe_status status = gpu_download(self->gpu, states + self->restored_pending.count, from, bytes);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
  else
    self->restored_pending.count += n;
}

/* Before their array is overwritten. */
static void keep_pending(struct gpu_search *self) {
  if (self->control.pending_count > 0)
    keep_for_checkpoint(self, self->buffers.pending, self->control.pending_count);
  self->control.pending_count = 0;
}

/* The search has ended: the table does not grow any more. */
static void insert_without_growth(struct gpu_search *self, uint64_t n) {
  keep_pending(self);
  if (!has_room(self, n)) {
    keep_for_checkpoint(self, inbox(self), n);
    return;
  }
  const floe_status status = grow_insert(self, n);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
  else
    download_take(self);
}

static void insert_with_growth(struct gpu_search *self, uint64_t n) {
  floe_status status = self->tree.words ? tree_insert(self, n) : FLOE_OK;
  if (status == FLOE_OK)
    status = grow_insert(self, n);
  if (status == FLOE_ERROR_MEMORY)
    search_finish(&self->search, FLOE_END_MEMORY);
  else if (status != FLOE_OK)
    search_fail(&self->search, status);
  if (self->search.ended)
    return;
  download_take(self);
  if (self->control.pending_count > 0)
    host_backed_place_pending(self);
  else if (gpu_search_states(self) >= self->control.level.grow_at)
    grow_set(self);
}

/* Inserts the first n states of the inbox. */
static void insert_received(struct gpu_search *self, uint64_t n) {
  while (!self->search.ended && !has_room(self, n))
    queue_make_room(self);
  if (!self->search.ended)
    insert_with_growth(self, n);
  else if (collective_is_exact(&self->group.collective))
    insert_without_growth(self, n);
  else
    gpu_wait(self->gpu); /* no copy reads the packets after they are freed */
}

static void insert_keys(struct gpu_search *self, const uint64_t *keys, uint64_t n) {
  for (uint64_t some; n > 0 && self->search.status == FLOE_OK; n -= some, keys += some) {
    some = least(n, inbox_room(self));
    const floe_status status = gpu_upload(self->gpu, inbox(self), keys, some * sizeof *keys);
    if (status == FLOE_OK)
      insert_received(self, some);
    else
      search_fail(&self->search, status);
  }
}

/* The states are inserted or dropped: frees the packet, and the sender's outbox. */
static void end_packet(struct gpu_search *self, struct message *packet) {
  if (member_has_peers(self)) /* release: after the copy */
    atomic_fetch_sub_explicit(peer_copy_of(packet).unread, 1, memory_order_release);
  message_free(packet);
  exchange_ack(self->group.collective.exchange);
}

/* After the states of these packets were inserted. */
static void end_packets(struct gpu_search *self, struct message *first) {
  for (struct message *next; first; first = next) {
    next = first->next;
    end_packet(self, first);
  }
}

/* A launch inserts many packets in little more time than one: waits for some polls while others send. */
static bool should_insert(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  bool all;
  const size_t waiting = exchange_available(self->group.collective.exchange, &all);
  member->in.idle_polls = waiting == member->in.waiting ? member->in.idle_polls + 1 : 0;
  member->in.waiting = waiting;
  return member_has_peers(self) || all || member->in.packet || waiting >= MANY_PACKETS ||
         member->in.idle_polls >= MOST_POLLS;
}

/* Inserts received states, as many as there is room for at once; those from a member that has closed the level into the
   next one. False: none were inserted. */
static bool receive(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  struct message *unpacked = NULL;
  uint64_t n = 0;
  uint32_t senders = 0;
  floe_status status = FLOE_OK;
  if (!should_insert(self))
    return false;
  member->in.idle_polls = 0;
  while (status == FLOE_OK && n < inbox_room(self)) {
    if (!member->in.packet && !(member->in.packet = exchange_take(self->group.collective.exchange)))
      break;
    n += unpack(self, n, &status);
    senders |= mailbox_mask(self, member->in.packet->from);
    if (member->in.taken < packet_of(member->in.packet)->number)
      break;
    member->in.packet->next = unpacked;
    unpacked = member->in.packet;
    member->in.packet = NULL;
    member->in.taken = 0;
  }
  if (n > 0)
    catch_up(self, senders);
  if (status == FLOE_OK && n > 0)
    insert_received(self, n);
  if (status != FLOE_OK) {
    search_fail(&self->search, status);
    gpu_wait(self->gpu); /* no copy reads the packets after they are freed */
  }
  end_packets(self, unpacked);
  return n > 0;
}

/* ---- a phase --------------------------------------------------------------------------------- */

/* There are states of the level that the kernel can expand now. */
static bool has_part(struct gpu_search *self) {
  return !has_published(self) &&
         (self->control.level.current < self->control.level.current_end || queue_next_part(self));
}

/* With mailboxes: takes over the counters of the last launch. `awaited`: it waited for the other members. */
static void update_mail(struct gpu_search *self, bool awaited) {
  struct gpu_member *member = self->member;
  struct gpu_control *control = &self->control;
  member->phase.drained = awaited && control->level.exit_reasons == GPU_EXIT_PART;
  member->out.filled = self->group.has_unlinkable || control->mailbox.to_outbox > 0;
  member->mailboxes.left_out += control->mailbox.to_outbox;
  control->mailbox.to_outbox = 0;
  self->group.collective.packets += control->mailbox.packets;
  self->group.collective.sent += control->mailbox.packets * GPU_WARP;
  member->mailboxes.in_flight += control->mailbox.packets - control->mailbox.received; /* modulo 2^64 */
  control->mailbox.packets = control->mailbox.received = 0;
}

/* One launch, if there is work and an outbox is free. */
static bool expand_some(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  if ((member->phase.expanded && member->phase.drained) || !outbox_is_free(self))
    return false;
  const bool some = has_part(self), awaits = queue_has_level(self);
  member->phase.expanded = !some && !self->search.ended;
  if (self->search.ended || (!some && member->phase.drained))
    return true;
  member->out.filled = true;
  gpu_search_explore_some(self);
  if (gpu_search_has_mailboxes(self))
    update_mail(self, awaits);
  return true;
}

static bool send(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  bool any = outbox_send(self);
  if (member->out.filled && !outbox_is_sending(self)) {
    floe_status status = outbox_empty(self);
    if (status != FLOE_OK)
      search_fail(&self->search, status);
    any = true;
  }
  return any;
}

/* The search has ended, here or elsewhere, or a checkpoint is due: nothing more is expanded in this phase. */
static bool must_stop(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  member->phase.checkpoint_due = member->phase.checkpoint_due || snapshot_is_due(&self->search, clock_seconds());
  return self->search.ended || member->phase.checkpoint_due || exchange_is_stopped(self->group.collective.exchange);
}

/* Drops all states in transit. */
static void drop_packets(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  if (member->in.packet)
    end_packet(self, member->in.packet);
  member->in.packet = NULL;
  member->in.taken = 0;
  outbox_discard(self);
  exchange_discard(self->group.collective.exchange);
}

/* This member sends nothing more in this phase. */
static bool has_sent_all(const struct gpu_search *self, bool stopping) {
  const struct gpu_member *member = self->member;
  return ((member->phase.expanded && member->phase.drained) || stopping) && !member->out.filled &&
         !outbox_is_sending(self);
}

/* Receives, sends and expands, as far as required. True: there was something to do. */
static bool do_some(struct gpu_search *self, bool stopping) {
  const struct collective *collective = &self->group.collective;
  bool any = false;
  if (collective_is_exact(collective))
    any = receive(self);
  if (collective_is_exact(collective))
    any = send(self) || any;
  if (!stopping && !must_stop(self))
    any = expand_some(self) || any;
  return any;
}

static void announce_end(struct gpu_search *self, bool stopping) {
  struct exchange *exchange = self->group.collective.exchange;
  if (stopping)
    exchange_stop(exchange);
  else
    exchange_worker_done(exchange, 0);
}

/* Works until all members have expanded the level, or one stops. */
static void do_phase(struct gpu_search *self) {
  struct exchange *exchange = self->group.collective.exchange;
  bool stopping = false, announced = false, dropped = false;
  unsigned rests = 0;
  double since = 0;
  while (!exchange_is_over(exchange)) {
    if (!self->search.ended)
      search_check_stop(&self->search);
    const bool any = do_some(self, stopping);
    stopping = stopping || must_stop(self);
    if (!collective_is_exact(&self->group.collective) && !dropped) {
      drop_packets(self);
      dropped = true;
    }
    if (!announced && has_sent_all(self, stopping)) {
      announced = true;
      announce_end(self, stopping);
    }
    exchange_progress(exchange);
    if (comm_timed_out(comm_of(self), &self->search.stop, &since) || comm_of(self)->status != FLOE_OK)
      break;
    rests = any ? 0 : rests;
    if (!any)
      comm_backoff(comm_of(self), &rests);
  }
}

/* After a stop, mailboxes may hold keys that are nowhere else. No member explores now, so none writes to them. */
static void empty_mailboxes(struct gpu_search *self) {
  const struct collective *collective = &self->group.collective;
  if (!self->search.task->group.saves || !gpu_search_has_mailboxes(self) ||
      !exchange_is_stopped(collective->exchange) || !collective_is_exact(collective))
    return;
  const floe_status status = mailbox_empty(self, insert_keys);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
}

/* A stopped member may have been about to close a level that others have closed. */
static void catch_up_at_stop(struct gpu_search *self) {
  if (exchange_is_stopped(self->group.collective.exchange))
    catch_up(self, 0);
}

/* ---- reduction ------------------------------------------------------------------------------- */

static const struct engine_violation *violation_of(void *of, size_t property) {
  const struct gpu_search *self = of;
  return &self->member->violations[property];
}

/* Properties that triggered here in this level; their witnesses are in member->violations. */
static uint64_t collect(struct gpu_search *self) {
  const uint64_t triggered = self->control.level.triggered & search_pending_properties(&self->search);
  if (!triggered || self->search.status != FLOE_OK)
    return 0;
  floe_status status = violations_collect(self, search_depth(&self->search), triggered, self->member->violations);
  if (status == FLOE_OK)
    return triggered;
  search_fail(&self->search, status);
  return 0;
}

static struct member_stats own_stats(struct gpu_search *self) {
  const struct gpu_control *control = &self->control;
  return (struct member_stats){.states = gpu_search_states(self),
                               .transitions = control->results.transitions,
                               .next = queue_next_states(self),
                               .triggered = collect(self),
                               .failed = control->results.failed,
                               .firing_failed = control->results.firing_failed_depth != UINT32_MAX,
                               .in_flight = self->member->mailboxes.in_flight,
                               .unfinished = !self->member->phase.expanded,
                               .checkpoint_due = self->member->phase.checkpoint_due};
}

static void note_reduction(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  member->phase.reduced_at = clock_seconds();
  member->phase.known_left_out = member->mailboxes.left_out;
  self->control.group.total_states = self->group.collective.states;
}

static struct reduced_stats reduce(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  const struct member_stats mine = own_stats(self);
  const struct reduced_stats sum = collective_reduce(&self->group.collective, &mine, violation_of, self);
  note_reduction(self);
  if (!sum.gathered)
    return sum;
  self->control.group.failed_known = self->control.results.failed;
  self->control.group.firing_failed_known = mine.firing_failed;
  violations_forget(self);
  for (size_t i = 0; i < self->search.task->model->property_count; i++)
    member->violations[i].violation = false;
  return sum;
}

/* Either all members use mailboxes or none does. */
void member_begin(struct gpu_search *self) {
  bool linked;
  if (!self->member)
    return;
  const floe_status status = mailbox_link(self, &linked);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
  const struct member_stats mine = {.states = gpu_search_states(self), .unlinked = !linked};
  self->group.linked = !collective_begin(&self->group.collective, &mine).unlinked;
  note_reduction(self);
  if (!self->group.linked)
    mailbox_unlink(self);
  if (record_distributed_is_due(&self->group.collective))
    record_distributed_initial(&self->group.collective);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* After all members have expanded it. */
static void close_level(struct gpu_search *self) {
  struct search *search = &self->search;
  const struct collective *collective = &self->group.collective;
  if (search_at_bound(search)) {
    search_decide_at_bound(search);
    return;
  }
  if (collective->next > 0) {
    queue_next_level(self);
    self->control.level.depth++;
  }
  search_level_done(search);
  search_next_level(search, collective->next, collective->states);
  if (collective->next > 0)
    download_begin_level(self);
}

void member_expand_level(struct gpu_search *self) {
  bool rest = true;
  self->member->phase.expanded = false;
  while (rest && !self->search.ended) {
    self->member->phase.number++;
    self->member->phase.drained = !gpu_search_has_mailboxes(self);
    comm_next_epoch(comm_of(self));
    exchange_begin(self->group.collective.exchange, 1);
    do_phase(self);
    catch_up_at_stop(self);
    empty_mailboxes(self);
    if (!self->search.ended && !search_make_room(&self->search, 1)) /* before the reduction, so that all members end */
      search_finish(&self->search, FLOE_END_MEMORY);
    download_flush(self);
    const struct reduced_stats sum = reduce(self);
    if (sum.checkpoint_due) {
      self->member->phase.checkpoint_due = false;
      gpu_save(self);
    }
    rest = sum.unfinished;
  }
  member_record_level(self);
  if (!self->search.ended)
    close_level(self);
}

void member_end(struct gpu_search *self) {
  if (self->member)
    mailbox_unlink(self);
}

static const struct gpu_group_hooks hooks = {
    .describe = describe, .set_stops = set_stops, .while_running = outbox_work, .levels_closed = levels_closed};
