#include "gpu/multi/member.h"

#include "base/numbers.h"
#include "core/clock.h"
#include "core/mem.h"
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
#include "gpu/snapshot/gpu_save.h"

#include <assert.h>
#include <string.h>

/* Letters that are put at once, and looks for more while there are fewer. */
#define MANY_LETTERS 16
#define LOOKS 20
/* States that are put by one launch, at most. */
#define INBOX_MOST (UINT64_C(1) << 24)
static struct comm *comm_of(const struct gpu_search *self) { return self->search.task->group.comm; }
/* ---- creation -------------------------------------------------------------------------------- */

/* Members of this process that have the same device, for tests. */
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

void member_plan(struct gpu_search *self) {
  if (gpu_search_in_group(self))
    mailbox_plan(self);
}

uint32_t member_extra_keys(const struct gpu_search *self) {
  return self->group.linkable ? GPU_MOST_TAKEN + self->group.linkable : 0;
}

uint64_t member_inbox(const struct gpu_search *self) {
  return greatest(self->grid.slack, least(INBOX_MOST, outbox_most_slack(self)));
}

/* Of one word they go with each launch (member_describe). */
static floe_status take_owners(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  if (member_words(self) == 1 || !self->group.collective.state_owner.mask)
    return FLOE_OK;
  FLOE_TRY(gpu_search_take(self, member_state_bytes(self), &member->out.owner_mask));
  return gpu_upload(self->gpu, member->out.owner_mask, self->group.collective.state_owner.mask,
                    member_state_bytes(self));
}

/* Of what goes to outboxes, not to mailboxes. */
static floe_status take_cache(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  const uint64_t bytes = sizeof(uint64_t) << GPU_DUPLICATE_FILTER_BITS, one = 1;
  FLOE_TRY(gpu_search_take(self, bytes, &member->out.duplicate_filter));
  FLOE_TRY(gpu_fill(self->gpu, member->out.duplicate_filter, 0, bytes));
  return gpu_upload(self->gpu, member->out.duplicate_filter, &one, sizeof one);
}

floe_status member_open(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  uint64_t bytes; /* of the host's memory: few */
  assert(!self->tree.words || (!self->search.task->group.saves && !self->search.task->group.restored_states));
  const struct exchange_plan plan = outbox_packets(self);
  FLOE_TRY(collective_open(&self->group.collective, &plan, &bytes));
  FLOE_TRY(outbox_open(self));
  FLOE_TRY(take_cache(self));
  FLOE_TRY(take_owners(self));
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

/* Somebody is told of what each level has found. */
static bool is_told_levels(const struct gpu_search *self) {
  const struct state_download *download = &self->download;
  return download->states || download->log || record_distributed_is_due(&self->group.collective);
}

static void set_stops(struct gpu_search *self) {
  const struct gpu_member *member = self->member;
  struct gpu_control *control = &self->control;
  control->group.host_closes = control->level.properties_only || queue_in_parts(self) || is_told_levels(self) ||
                               self->group.has_unlinkable || member->mail.left_out != member->phase.known_left_out ||
                               self->test_settings.hosts ||
                               clock_seconds() - member->phase.reduced_at > 1e-6 * (double)self->test_settings.agree_us;
}

static void levels_closed(struct gpu_search *self, uint32_t levels) {
  struct gpu_member *member = self->member;
  member->phase.number += levels;
  member->phase.closed += levels;
  member->phase.expanded = false;
}

/* It has told the others what it found of the level: that must stay as it is, also where it lies. */
static bool has_said_all(const struct gpu_search *self) {
  return gpu_search_has_mailboxes(self) && self->control.group.published_phase == self->member->phase.number;
}

/* It has done all of a level, and was not at work when the others said that they have. These may have closed it
   meanwhile, and be in the next one: so it closes it, too. */
static void catch_up(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  const uint64_t before = member->phase.closed;
  if (!has_said_all(self) || member->phase.drained || self->search.status != FLOE_OK)
    return;
  self->control.group.close_only = 1;
  gpu_search_explore_some(self);
  self->control.group.close_only = 0;
  member->phase.caught_up += (unsigned)(member->phase.closed - before);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* Where states go that kernels are to put. */
static gpu_address inbox(const struct gpu_search *self) {
  return self->tree.words ? self->tree.pending : self->buffers.source;
}
/* So many that the queue has room for them, once what else is there has gone to the host (policy_spill). */
static uint64_t inbox_room(const struct gpu_search *self) {
  return self->tree.words ? self->grid.slack : least(self->buffers.put_room, self->queue.ring_words / 4);
}

static struct peer_copy peer_copy_of(struct message *message) {
  struct peer_copy peer_copy;
  memcpy(&peer_copy, packet_of(message)->content, sizeof peer_copy);
  return peer_copy;
}

/* Of the letter that the member has, as many states as there is room for behind the first n; returns how many. */
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

/* n keys at `from`, on the device, for which there is no room as the search ends: they go into the last checkpoint. */
static void set_aside(struct gpu_search *self, gpu_address from, uint64_t n) {
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

/* Before the array that they are in is used again. */
static void set_pending_aside(struct gpu_search *self) {
  if (self->control.pending_count > 0)
    set_aside(self, self->buffers.pending, self->control.pending_count);
  self->control.pending_count = 0;
}

/* The search has ended: the table does not grow any more. */
static void put_last(struct gpu_search *self, uint64_t n) {
  set_pending_aside(self);
  if (!has_room(self, n)) {
    set_aside(self, inbox(self), n);
    return;
  }
  const floe_status status = grow_insert(self, n);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
  else
    download_take(self);
}

static void put_and_grow(struct gpu_search *self, uint64_t n) {
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

/* The n states in the inbox. */
static void put(struct gpu_search *self, uint64_t n) {
  while (!self->search.ended && !has_room(self, n))
    queue_make_room(self);
  if (!self->search.ended)
    put_and_grow(self, n);
  else if (collective_is_exact(&self->group.collective))
    put_last(self, n);
  else
    gpu_wait(self->gpu); /* nobody copies what is no letter's any more */
}

static void put_keys(struct gpu_search *self, const uint64_t *keys, uint64_t n) {
  for (uint64_t some; n > 0 && self->search.status == FLOE_OK; n -= some, keys += some) {
    some = least(n, inbox_room(self));
    const floe_status status = gpu_upload(self->gpu, inbox(self), keys, some * sizeof *keys);
    if (status == FLOE_OK)
      put(self, some);
    else
      search_fail(&self->search, status);
  }
}

/* What it stood for is put, or given up: its author has his outbox again. */
static void end_letter(struct gpu_search *self, struct message *packet) {
  if (member_has_peers(self)) /* release: it is copied */
    atomic_fetch_sub_explicit(peer_copy_of(packet).unread, 1, memory_order_release);
  message_free(packet);
  exchange_ack(self->group.collective.exchange);
}

/* Letters that are unpacked stay until what they had is put. */
static void end_letters(struct gpu_search *self, struct message *first) {
  for (struct message *next; first; first = next) {
    next = first->next;
    end_letter(self, first);
  }
}

/* A launch puts many letters in little more time than one: while others send, they are let come for some looks. */
static bool is_time_to_put(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  bool all;
  const size_t waiting = exchange_available(self->group.collective.exchange, &all);
  member->in.idle_polls = waiting == member->in.waiting ? member->in.idle_polls + 1 : 0;
  member->in.waiting = waiting;
  return member_has_peers(self) || all || member->in.packet || waiting >= MANY_LETTERS ||
         member->in.idle_polls >= LOOKS;
}

/* Puts what has come, as much as there is room for at once: where it is from one who has closed the level, in the next
   one. False: nothing has, or more is let come. */
static bool receive(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  struct message *unpacked = NULL;
  uint64_t n = 0;
  floe_status status = FLOE_OK;
  if (!is_time_to_put(self))
    return false;
  member->in.idle_polls = 0;
  while (status == FLOE_OK && n < inbox_room(self)) {
    if (!member->in.packet && !(member->in.packet = exchange_take(self->group.collective.exchange)))
      break;
    n += unpack(self, n, &status);
    if (member->in.taken < packet_of(member->in.packet)->number)
      break;
    member->in.packet->next = unpacked;
    unpacked = member->in.packet;
    member->in.packet = NULL;
    member->in.taken = 0;
  }
  if (n > 0)
    catch_up(self);
  if (status == FLOE_OK && n > 0)
    put(self, n);
  if (status != FLOE_OK) {
    search_fail(&self->search, status);
    gpu_wait(self->gpu); /* nobody copies what is no letter's any more */
  }
  end_letters(self, unpacked);
  return n > 0;
}

/* ---- a phase --------------------------------------------------------------------------------- */

/* States of the level that the kernel can expand now. */
static bool has_part(struct gpu_search *self) {
  return !has_said_all(self) &&
         (self->control.level.current < self->control.level.current_end || queue_next_part(self));
}

/* With mailboxes: what the last launch, which awaited the others or did not, left to be done. */
static void look_at_mail(struct gpu_search *self, bool awaited) {
  struct gpu_member *member = self->member;
  struct gpu_control *control = &self->control;
  member->phase.drained = awaited && control->level.exit_reasons == GPU_EXIT_PART;
  member->out.filled = self->group.has_unlinkable || control->mailbox.to_outbox > 0;
  member->mail.left_out += control->mailbox.to_outbox;
  control->mailbox.to_outbox = 0;
  self->group.collective.packets += control->mailbox.packets;
  self->group.collective.sent += control->mailbox.packets * GPU_WARP;
  member->mail.in_flight += control->mailbox.packets - control->mailbox.received; /* modulo 2^64 */
  control->mailbox.packets = control->mailbox.received = 0;
}

/* One launch, if there is anything for it to do, and the outboxes are empty for what it finds. */
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
    look_at_mail(self, awaits);
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

/* Why nobody here expands any more in this phase: the search has ended, here or elsewhere, or a checkpoint is due. */
static bool is_to_stop(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  member->phase.checkpoint_due = member->phase.checkpoint_due || snapshot_is_due(&self->search, clock_seconds());
  return self->search.ended || member->phase.checkpoint_due || exchange_is_stopped(self->group.collective.exchange);
}

/* What is here and what comes belongs to nobody any more. */
static void give_up(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  if (member->in.packet)
    end_letter(self, member->in.packet);
  member->in.packet = NULL;
  member->in.taken = 0;
  outbox_discard(self);
  exchange_discard(self->group.collective.exchange);
}

/* Nothing more comes from here in this phase. */
static bool has_sent_all(const struct gpu_search *self, bool stopping) {
  const struct gpu_member *member = self->member;
  return ((member->phase.expanded && member->phase.drained) || stopping) && !member->out.filled &&
         !outbox_is_sending(self);
}

/* What is here, and what comes, as far as that is to be done at all. True: there was something to do. */
static bool do_some(struct gpu_search *self, bool stopping) {
  const struct collective *collective = &self->group.collective;
  bool any = false;
  if (collective_is_exact(collective))
    any = receive(self);
  if (collective_is_exact(collective))
    any = send(self) || any;
  if (!stopping && !is_to_stop(self))
    any = expand_some(self) || any;
  return any;
}

static void tell_the_end(struct gpu_search *self, bool stopping) {
  struct exchange *exchange = self->group.collective.exchange;
  if (stopping)
    exchange_stop(exchange);
  else
    exchange_worker_done(exchange, 0);
}

/* Until all is expanded, or somebody stops. */
static void do_phase(struct gpu_search *self) {
  struct exchange *exchange = self->group.collective.exchange;
  bool stopping = false, told = false, gave_up = false;
  unsigned rests = 0;
  double since = 0;
  while (!exchange_is_over(exchange)) {
    if (!self->search.ended)
      search_check_stop(&self->search);
    const bool any = do_some(self, stopping);
    stopping = stopping || is_to_stop(self);
    if (!collective_is_exact(&self->group.collective) && !gave_up) {
      give_up(self);
      gave_up = true;
    }
    if (!told && has_sent_all(self, stopping)) {
      told = true;
      tell_the_end(self, stopping);
    }
    exchange_progress(exchange);
    if (comm_timed_out(comm_of(self), &self->search.stop, &since) || comm_of(self)->status != FLOE_OK)
      break;
    rests = any ? 0 : rests;
    if (!any)
      comm_backoff(comm_of(self), &rests);
  }
}

/* Who was stopped has left keys in mailboxes, which are nowhere else. Nobody explores now, so nobody writes to them. */
static void empty_mailboxes(struct gpu_search *self) {
  const struct collective *collective = &self->group.collective;
  if (!self->search.task->group.saves || !gpu_search_has_mailboxes(self) ||
      !exchange_is_stopped(collective->exchange) || !collective_is_exact(collective))
    return;
  const floe_status status = mailbox_empty(self, put_keys);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
}

/* Who is told to stop may have been about to close a level that others have closed. */
static void catch_up_at_stop(struct gpu_search *self) {
  if (exchange_is_stopped(self->group.collective.exchange))
    catch_up(self);
}

/* ---- what is said after it ------------------------------------------------------------------- */

static const struct engine_violation *hit_of(void *of, size_t property) {
  const struct gpu_search *self = of;
  return &self->member->violations[property];
}

/* Properties that triggered here in this level; their witnesses are in member->hits. */
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

static struct member_stats figures_of(struct gpu_search *self) {
  const struct gpu_control *control = &self->control;
  return (struct member_stats){.states = gpu_search_states(self),
                               .transitions = control->results.transitions,
                               .next = queue_next_states(self),
                               .triggered = collect(self),
                               .failed = control->results.failed,
                               .firing_failed = control->results.firing_failed_depth != UINT32_MAX,
                               .in_flight = self->member->mail.in_flight,
                               .unfinished = !self->member->phase.expanded,
                               .checkpoint_due = self->member->phase.checkpoint_due};
}

static void note_agreement(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  member->phase.reduced_at = clock_seconds();
  member->phase.known_left_out = member->mail.left_out;
  self->control.group.total_states = self->group.collective.states;
}

static struct reduced_stats conclude(struct gpu_search *self) {
  struct gpu_member *member = self->member;
  const struct member_stats mine = figures_of(self);
  const struct reduced_stats sum = collective_reduce(&self->group.collective, &mine, hit_of, self);
  note_agreement(self);
  if (!sum.gathered)
    return sum;
  self->control.group.failed_known = self->control.results.failed;
  self->control.group.firing_failed_known = mine.firing_failed;
  violations_forget(self);
  for (size_t i = 0; i < self->search.task->model->property_count; i++)
    member->violations[i].violation = false;
  return sum;
}

/* All or none are linked. */
void member_begin(struct gpu_search *self) {
  bool linked;
  const floe_status status = mailbox_link(self, &linked);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
  const struct member_stats mine = {.states = gpu_search_states(self), .unlinked = !linked};
  self->group.linked = !collective_begin(&self->group.collective, &mine).unlinked;
  note_agreement(self);
  if (!self->group.linked)
    mailbox_unlink(self);
  if (record_distributed_is_due(&self->group.collective))
    record_distributed_initial(&self->group.collective);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* All members have expanded all of it. */
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
    if (!self->search.ended && !search_make_room(&self->search, 1)) /* where all learn of it */
      search_finish(&self->search, FLOE_END_MEMORY);
    download_flush(self);
    const struct reduced_stats sum = conclude(self);
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

void member_end(struct gpu_search *self) { mailbox_unlink(self); }

static const struct gpu_group_hooks hooks = {
    .describe = describe, .set_stops = set_stops, .while_running = outbox_work, .levels_closed = levels_closed};
