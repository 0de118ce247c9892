/* A device that is a member of a group (engine/comm/group.h): a level is a few phases (engine/comm/exchange.h) with an agreement
   after each (engine/distributed/collective.h), as on a CPU (engine/cpu/cpu_collective.c). Where all members have mailboxes for each other
   the kernels close levels by themselves that end nothing (gpu/kernel/explore/levels.h), so that a phase may go through many.

   The kernel looks up the successors that this member has, and leaves the others in outboxes (gpu/kernel/multi/owner_routing.h).
   After a launch their owners are told where they lie, and copy them from device to device, while the next launch fills
   another outbox; owners in other processes are sent letters, copied from it while the next launch runs. What others
   send is put between launches, some of it at a time. So a launch is short, and nobody waits for an outbox of his own
   before he has put what he was sent. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "engine/distributed/record_distributed.h"
#include "gpu/engine/peer_devices.h"

#include <assert.h>
#include <string.h>

/* Letters that are put at once, and looks for more while there are fewer. */
#define MANY_LETTERS 16
#define LOOKS 20
/* States that are put by one launch, at most. */
#define INBOX_MOST (UINT64_C(1) << 24)
static struct comm *comm_of(const struct gpu_search *self) { return self->search->task->group.comm; }
/* ---- creation -------------------------------------------------------------------------------- */

void member_join(struct gpu_search *self) { collective_join(&self->member.collective, self->search); }

bool member_is_one(const struct gpu_search *self) { return comm_of(self) != NULL; }

uint32_t member_most_beside(const struct gpu_search *self) {
  return mailbox_members(self) ? GPU_MOST_TAKEN + mailbox_members(self) : 0;
}

/* Members of this process that have the same device, for tests. */
static unsigned sharers(const struct gpu_search *self) {
  const struct gpu_peers *peers = self->search->task->group.peers;
  unsigned count = 0;
  for (unsigned i = 0; peers && i < peers->count; i++)
    count += gpu_information(peers->gpus[i])->number == gpu_information(self->gpu)->number;
  return count ? count : 1;
}

unsigned member_most_blocks(const struct gpu_search *self) {
  return (unsigned)greatest(1, self->code.explore.blocks / sharers(self));
}

uint64_t member_inbox(const struct gpu_search *self) {
  return greatest(self->slack, least(INBOX_MOST, outbox_most_slack(self)));
}

/* Of one word they go with each launch (member_describe). */
static floe_status take_owners(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  if (member_words(self) == 1 || !member->collective.state_owner.mask)
    return FLOE_OK;
  FLOE_TRY(gpu_search_take(self, member_state_bytes(self), &member->owner_mask));
  return gpu_upload(self->gpu, member->owner_mask, member->collective.state_owner.mask, member_state_bytes(self));
}

/* Of what goes to outboxes, not to mailboxes. */
static floe_status take_cache(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  const uint64_t bytes = sizeof(uint64_t) << GPU_DUPLICATE_FILTER_BITS, one = 1;
  FLOE_TRY(gpu_search_take(self, bytes, &member->lately));
  FLOE_TRY(gpu_fill(self->gpu, member->lately, 0, bytes));
  return gpu_upload(self->gpu, member->lately, &one, sizeof one);
}

floe_status member_open(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  uint64_t bytes; /* of the host's memory: few */
  if (!member_is_one(self))
    return FLOE_OK;
  assert(!self->tree.words || (!self->search->task->group.saves && !self->search->task->group.restored_states));
  const struct exchange_plan plan = outbox_letters(self);
  FLOE_TRY(collective_open(&member->collective, &plan, &bytes));
  FLOE_TRY(outbox_open(self));
  FLOE_TRY(take_cache(self));
  FLOE_TRY(take_owners(self));
  FLOE_TRY(mailbox_open(self));
  member->violations = violations_make(self->search->task);
  return member->violations ? FLOE_OK : FLOE_ERROR_MEMORY;
}

void member_close(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  message_free(member->packet);
  collective_close(&member->collective);
  mailbox_close(self);
  outbox_close(self);
  gpu_free(self->gpu, member->lately);
  gpu_free(self->gpu, member->owner_mask);
  if (member->violations)
    violations_free(member->violations, self->search->task->model->property_count);
}

#define ON_DEVICE(type, address) ((type *)(uintptr_t)(address))

void member_describe(const struct gpu_search *self, struct gpu_space *space) {
  const struct gpu_member *member = &self->member;
  space->outboxes =
      (struct gpu_outboxes){.states = ON_DEVICE(uint64_t, member->outboxes[member->turn].states),
                            .counts = ON_DEVICE(uint64_t, member->counts),
                            .room = member->room,
                            .full = member->full,
                            .duplicate_filter = ON_DEVICE(uint64_t, member->lately),
                            .owner_mask_bits = member->collective.state_owner.mask ? *member->collective.state_owner.mask : UINT64_MAX,
                            .owner_mask = ON_DEVICE(uint64_t, member->owner_mask),
                            .member = member->collective.rank,
                            .members = member->collective.size,
                            .parts = member->parts};
  mailbox_describe(self, space);
}

/* Somebody is told of what each level has found. */
static bool is_told_levels(const struct gpu_search *self) {
  const struct state_download *download = &self->download;
  return download->states || download->log || record_distributed_is_due(&self->member.collective);
}

void member_set_stops(struct gpu_search *self) {
  const struct gpu_member *member = &self->member;
  struct gpu_control *control = &self->control;
  control->group.host_closes = control->level.properties_only || queue_in_parts(self) || is_told_levels(self) ||
                       mailbox_has_others(self) || member->left_out != member->known_out || self->test_settings.hosts ||
                       clock_seconds() - member->agreed > 1e-6 * (double)self->test_settings.agree_us;
}

void member_closed(struct gpu_search *self, uint32_t levels) {
  struct gpu_member *member = &self->member;
  member->phase += levels;
  member->closed += levels;
  member->done = false;
}

/* It has told the others what it found of the level: that must stay as it is, also where it lies. */
static bool has_said_all(const struct gpu_search *self) {
  return mailbox_is_used(self) && self->control.group.published_phase == self->member.phase;
}

/* It has done all of a level, and was not at work when the others said that they have. These may have closed it
   meanwhile, and be in the next one: so it closes it, too. */
static void catch_up(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  const uint64_t before = member->closed;
  if (!has_said_all(self) || member->drained || self->search->status != FLOE_OK)
    return;
  self->control.group.close_only = 1;
  gpu_search_explore_some(self);
  self->control.group.close_only = 0;
  member->caught_up += (unsigned)(member->closed - before);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* Where states go that kernels are to put. */
static gpu_address inbox(const struct gpu_search *self) { return self->tree.words ? self->tree.unnamed : self->source; }
/* So many that the queue has room for them, once what else is there has gone to the host (policy_spill). */
static uint64_t inbox_room(const struct gpu_search *self) {
  return self->tree.words ? self->slack : least(self->put_room, self->ring_words / 4);
}

static struct peer_copy peer_copy_of(struct message *message) {
  struct peer_copy peer_copy;
  memcpy(&peer_copy, packet_of(message)->content, sizeof peer_copy);
  return peer_copy;
}

/* Of the letter that the member has, as many states as there is room for behind the first n; returns how many. */
static uint64_t unpack(struct gpu_search *self, uint64_t n, floe_status *status) {
  struct gpu_member *member = &self->member;
  const struct packet *packet = packet_of(member->packet);
  const uint64_t some = least(packet->number - member->letter_next, inbox_room(self) - n);
  const uint64_t before = member->letter_next * member_state_bytes(self), bytes = some * member_state_bytes(self);
  const gpu_address to = inbox(self) + n * member_state_bytes(self);
  if (member_has_peers(self))
    *status = gpu_copy_peer(self->gpu, to, self->search->task->group.peers->gpus[member->packet->from],
                            peer_copy_of(member->packet).states + before, bytes);
  else if (member->packet->payload_bytes)
    *status = gpu_copy(self->gpu, to, (gpu_address)(uintptr_t)member->packet->payload + before, bytes);
  else if (member->packet->message_pool && !member->far) /* page-locked */
    *status = gpu_upload_start(self->gpu, to, packet->content + before, bytes);
  else
    *status = gpu_upload(self->gpu, to, packet->content + before, bytes);
  member->letter_next += some;
  return some;
}

static bool has_room(const struct gpu_search *self, uint64_t n) {
  const struct gpu_control *control = &self->control;
  return control->next_end - control->level.current + n <= self->ring_words;
}

/* n keys at `from`, on the device, for which there is no room as the search ends: they go into the last checkpoint. */
static void set_aside(struct gpu_search *self, gpu_address from, uint64_t n) {
  const size_t bytes = n * sizeof(uint64_t);
  uint64_t *states = mem_resize(self->unplaced.states, self->unplaced.count * sizeof *states + bytes);
  if (!states) {
    self->member.kept = FLOE_ERROR_MEMORY;
    return;
  }
  self->unplaced.states = states;
  const floe_status status = gpu_download(self->gpu, states + self->unplaced.count, from, bytes);
  if (status != FLOE_OK)
    search_fail(self->search, status);
  else
    self->unplaced.count += n;
}

/* Before the array that they are in is used again. */
static void set_pending_aside(struct gpu_search *self) {
  if (self->control.pending_count > 0)
    set_aside(self, self->pending, self->control.pending_count);
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
    search_fail(self->search, status);
  else
    download_take(self);
}

static void put_and_grow(struct gpu_search *self, uint64_t n) {
  floe_status status = self->tree.words ? gpu_tree_name(self, n) : FLOE_OK;
  if (status == FLOE_OK)
    status = grow_insert(self, n);
  if (status == FLOE_ERROR_MEMORY)
    search_finish(self->search, FLOE_END_MEMORY);
  else if (status != FLOE_OK)
    search_fail(self->search, status);
  if (self->search->ended)
    return;
  download_take(self);
  if (self->control.pending_count > 0)
    grow_place_pending(self);
  else if (gpu_search_states(self) >= self->control.level.grow_at)
    grow_set(self);
}

/* The n states in the inbox. */
static void put(struct gpu_search *self, uint64_t n) {
  while (!self->search->ended && !has_room(self, n))
    queue_relieve(self);
  if (!self->search->ended)
    put_and_grow(self, n);
  else if (collective_is_exact(&self->member.collective))
    put_last(self, n);
  else
    gpu_wait(self->gpu); /* nobody copies what is no letter's any more */
}

void member_put(struct gpu_search *self, const uint64_t *keys, uint64_t n) {
  for (uint64_t some; n > 0 && self->search->status == FLOE_OK; n -= some, keys += some) {
    some = least(n, inbox_room(self));
    const floe_status status = gpu_upload(self->gpu, inbox(self), keys, some * sizeof *keys);
    if (status == FLOE_OK)
      put(self, some);
    else
      search_fail(self->search, status);
  }
}

/* What it stood for is put, or given up: its author has his outbox again. */
static void end_letter(struct gpu_search *self, struct message *packet) {
  if (member_has_peers(self)) /* release: it is copied */
    atomic_fetch_sub_explicit(peer_copy_of(packet).unread, 1, memory_order_release);
  message_free(packet);
  exchange_ack(self->member.collective.exchange);
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
  struct gpu_member *member = &self->member;
  bool all;
  const size_t waiting = exchange_available(member->collective.exchange, &all);
  member->still = waiting == member->waiting ? member->still + 1 : 0;
  member->waiting = waiting;
  return member_has_peers(self) || all || member->packet || waiting >= MANY_LETTERS || member->still >= LOOKS;
}

/* Puts what has come, as much as there is room for at once: where it is from one who has closed the level, in the next
   one. False: nothing has, or more is let come. */
static bool receive(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  struct message *unpacked = NULL;
  uint64_t n = 0;
  floe_status status = FLOE_OK;
  if (!is_time_to_put(self))
    return false;
  member->still = 0;
  while (status == FLOE_OK && n < inbox_room(self)) {
    if (!member->packet && !(member->packet = exchange_take(member->collective.exchange)))
      break;
    n += unpack(self, n, &status);
    if (member->letter_next < packet_of(member->packet)->number)
      break;
    member->packet->next = unpacked;
    unpacked = member->packet;
    member->packet = NULL;
    member->letter_next = 0;
  }
  if (n > 0)
    catch_up(self);
  if (status == FLOE_OK && n > 0)
    put(self, n);
  if (status != FLOE_OK) {
    search_fail(self->search, status);
    gpu_wait(self->gpu); /* nobody copies what is no letter's any more */
  }
  end_letters(self, unpacked);
  return n > 0;
}

/* ---- a phase --------------------------------------------------------------------------------- */

/* States of the level that the kernel can expand now. */
static bool has_part(struct gpu_search *self) {
  return !has_said_all(self) && (self->control.level.current < self->control.level.current_end || queue_next_part(self));
}

/* With mailboxes: what the last launch, which awaited the others or did not, left to be done. */
static void look_at_mail(struct gpu_search *self, bool awaited) {
  struct gpu_member *member = &self->member;
  struct gpu_control *control = &self->control;
  member->drained = awaited && control->level.exit_reasons == GPU_EXIT_PART;
  member->filled = mailbox_has_others(self) || control->mailbox.to_outbox > 0;
  member->left_out += control->mailbox.to_outbox;
  control->mailbox.to_outbox = 0;
  member->collective.packets += control->mailbox.packets;
  member->collective.sent += control->mailbox.packets * GPU_WARP;
  member->in_flight += control->mailbox.packets - control->mailbox.received; /* modulo 2^64 */
  control->mailbox.packets = control->mailbox.received = 0;
}

/* One launch, if there is anything for it to do, and the outboxes are empty for what it finds. */
static bool expand_some(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  if ((member->done && member->drained) || !outbox_is_free(self))
    return false;
  const bool some = has_part(self), awaits = queue_has_level(self);
  member->done = !some && !self->search->ended;
  if (self->search->ended || (!some && member->drained))
    return true;
  member->filled = true;
  gpu_search_explore_some(self);
  if (mailbox_is_used(self))
    look_at_mail(self, awaits);
  return true;
}

static bool send(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  bool any = outbox_send(self);
  if (member->filled && !outbox_is_under_way(self)) {
    floe_status status = outbox_empty(self);
    if (status != FLOE_OK)
      search_fail(self->search, status);
    any = true;
  }
  return any;
}

/* Why nobody here expands any more in this phase: the search has ended, here or elsewhere, or a checkpoint is due. */
static bool is_to_stop(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  member->keep_due = member->keep_due || snapshot_is_due(self->search, clock_seconds());
  return self->search->ended || member->keep_due || exchange_is_stopped(member->collective.exchange);
}

/* What is here and what comes belongs to nobody any more. */
static void give_up(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  if (member->packet)
    end_letter(self, member->packet);
  member->packet = NULL;
  member->letter_next = 0;
  outbox_give_up(self);
  exchange_discard(member->collective.exchange);
}

/* Nothing more comes from here in this phase. */
static bool has_sent_all(const struct gpu_search *self, bool stopping) {
  const struct gpu_member *member = &self->member;
  return ((member->done && member->drained) || stopping) && !member->filled && !outbox_is_under_way(self);
}

/* What is here, and what comes, as far as that is to be done at all. True: there was something to do. */
static bool do_some(struct gpu_search *self, bool stopping) {
  const struct collective *collective = &self->member.collective;
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
  struct exchange *exchange = self->member.collective.exchange;
  if (stopping)
    exchange_stop(exchange);
  else
    exchange_worker_done(exchange, 0);
}

/* Until all is expanded, or somebody stops. */
static void do_phase(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  struct exchange *exchange = member->collective.exchange;
  bool stopping = false, told = false, gave_up = false;
  unsigned rests = 0;
  double since = 0;
  while (!exchange_is_over(exchange)) {
    if (!self->search->ended)
      search_check_stop(self->search);
    const bool any = do_some(self, stopping);
    stopping = stopping || is_to_stop(self);
    if (!collective_is_exact(&member->collective) && !gave_up) {
      give_up(self);
      gave_up = true;
    }
    if (!told && has_sent_all(self, stopping)) {
      told = true;
      tell_the_end(self, stopping);
    }
    exchange_progress(exchange);
    if (comm_timed_out(comm_of(self), &self->search->stop, &since) || comm_of(self)->status != FLOE_OK)
      break;
    rests = any ? 0 : rests;
    if (!any)
      comm_backoff(comm_of(self), &rests);
  }
}

/* Who was stopped has left keys in mailboxes, which are nowhere else. Nobody explores now, so nobody writes to them. */
static void empty_mailboxes(struct gpu_search *self) {
  const struct collective *collective = &self->member.collective;
  if (!self->search->task->group.saves || !mailbox_is_used(self) || !exchange_is_stopped(collective->exchange) ||
      !collective_is_exact(collective))
    return;
  const floe_status status = mailbox_empty(self);
  if (status != FLOE_OK)
    search_fail(self->search, status);
}

/* Who is told to stop may have been about to close a level that others have closed. */
static void catch_up_at_stop(struct gpu_search *self) {
  if (exchange_is_stopped(self->member.collective.exchange))
    catch_up(self);
}

/* ---- what is said after it ------------------------------------------------------------------- */

static const struct engine_violation *hit_of(void *of, size_t property) {
  const struct gpu_search *self = of;
  return &self->member.violations[property];
}

/* Properties that triggered here in this level; their witnesses are in member->hits. */
static uint64_t collect(struct gpu_search *self) {
  const uint64_t triggered = self->control.level.triggered & search_pending_properties(self->search);
  if (!triggered || self->search->status != FLOE_OK)
    return 0;
  floe_status status = violations_collect(self, search_depth(self->search), triggered, self->member.violations);
  if (status == FLOE_OK)
    return triggered;
  search_fail(self->search, status);
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
                                   .in_flight = self->member.in_flight,
                                   .rest = !self->member.done,
                                   .keep = self->member.keep_due};
}

static void note_agreement(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  member->agreed = clock_seconds();
  member->known_out = member->left_out;
  self->control.group.total_states = member->collective.states;
}

static struct reduced_stats conclude(struct gpu_search *self) {
  struct gpu_member *member = &self->member;
  const struct member_stats mine = figures_of(self);
  const struct reduced_stats sum = collective_reduce(&member->collective, &mine, hit_of, self);
  note_agreement(self);
  if (!sum.gathered)
    return sum;
  self->control.group.failed_known = self->control.results.failed;
  self->control.group.firing_failed_known = mine.firing_failed;
  violations_forget(self);
  for (size_t i = 0; i < self->search->task->model->property_count; i++)
    member->violations[i].violation = false;
  return sum;
}

/* All or none are linked. */
void member_begin(struct gpu_search *self) {
  bool linked;
  const floe_status status = mailbox_link(self, &linked);
  if (status != FLOE_OK)
    search_fail(self->search, status);
  const struct member_stats mine = {.states = gpu_search_states(self), .unlinked = !linked};
  self->member.linked = !collective_begin(&self->member.collective, &mine).unlinked;
  note_agreement(self);
  if (!self->member.linked)
    mailbox_unlink(self);
  if (record_distributed_is_due(&self->member.collective))
    record_distributed_initial(&self->member.collective);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* All members have expanded all of it. */
static void close_level(struct gpu_search *self) {
  struct search *search = self->search;
  const struct collective *collective = &self->member.collective;
  if (search_at_bound(search)) {
    search_decide_at_bound(search);
    return;
  }
  if (collective->next > 0) {
    queue_turn(self);
    self->control.level.depth++;
  }
  search_level_done(search);
  search_next_level(search, collective->next, collective->states);
  if (collective->next > 0)
    download_begin_level(self);
}

void member_expand_level(struct gpu_search *self) {
  bool rest = true;
  self->member.done = false;
  while (rest && !self->search->ended) {
    self->member.phase++;
    self->member.drained = !mailbox_is_used(self);
    comm_next_epoch(comm_of(self));
    exchange_begin(self->member.collective.exchange, 1);
    do_phase(self);
    catch_up_at_stop(self);
    empty_mailboxes(self);
    if (!self->search->ended && !search_make_room(self->search, 1)) /* where all learn of it */
      search_finish(self->search, FLOE_END_MEMORY);
    download_settle(self);
    const struct reduced_stats sum = conclude(self);
    if (sum.keep)
      gpu_save(self);
    rest = sum.rest;
  }
  download_record(self);
  if (!self->search->ended)
    close_level(self);
}
