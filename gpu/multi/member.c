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
static struct post *post_of(const struct gpu_rank *rank) { return rank->search->task->post; }
/* ---- creation -------------------------------------------------------------------------------- */

void member_join(struct gpu_rank *rank) { together_join(&rank->member.together, rank->search); }

bool member_is_one(const struct gpu_rank *rank) { return post_of(rank) != NULL; }

uint32_t member_most_beside(const struct gpu_rank *rank) {
  return mailbox_members(rank) ? GPU_MOST_TAKEN + mailbox_members(rank) : 0;
}

/* Members of this process that have the same device, for tests. */
static unsigned sharers(const struct gpu_rank *rank) {
  const struct gpu_peers *peers = rank->search->task->peers;
  unsigned count = 0;
  for (unsigned i = 0; peers && i < peers->count; i++)
    count += gpu_information(peers->gpus[i])->number == gpu_information(rank->gpu)->number;
  return count ? count : 1;
}

unsigned member_most_blocks(const struct gpu_rank *rank) {
  return (unsigned)greatest(1, rank->code.explore.blocks / sharers(rank));
}

uint64_t member_inbox(const struct gpu_rank *rank) {
  return greatest(rank->slack, least(INBOX_MOST, outbox_most_slack(rank)));
}

/* Of one word they go with each launch (member_describe). */
static floe_status take_owners(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  if (member_words(rank) == 1 || !member->together.owners.mask)
    return FLOE_OK;
  FLOE_TRY(rank_take(rank, member_state_bytes(rank), &member->owned_by));
  return gpu_upload(rank->gpu, member->owned_by, member->together.owners.mask, member_state_bytes(rank));
}

/* Of what goes to outboxes, not to mailboxes. */
static floe_status take_cache(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  const uint64_t bytes = sizeof(uint64_t) << GPU_LATELY_BITS, one = 1;
  FLOE_TRY(rank_take(rank, bytes, &member->lately));
  FLOE_TRY(gpu_fill(rank->gpu, member->lately, 0, bytes));
  return gpu_upload(rank->gpu, member->lately, &one, sizeof one);
}

floe_status member_open(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  uint64_t bytes; /* of the host's memory: few */
  if (!member_is_one(rank))
    return FLOE_OK;
  assert(!rank->tree.words || (!rank->search->task->kept && !rank->search->task->resumes));
  const struct exchange_plan plan = outbox_letters(rank);
  FLOE_TRY(together_open(&member->together, &plan, &bytes));
  FLOE_TRY(outbox_open(rank));
  FLOE_TRY(take_cache(rank));
  FLOE_TRY(take_owners(rank));
  FLOE_TRY(mailbox_open(rank));
  member->hits = hits_make(rank->search->task);
  return member->hits ? FLOE_OK : FLOE_ERROR_MEMORY;
}

void member_close(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  message_free(member->letter);
  together_close(&member->together);
  mailbox_close(rank);
  outbox_close(rank);
  gpu_free(rank->gpu, member->lately);
  gpu_free(rank->gpu, member->owned_by);
  if (member->hits)
    hits_free(member->hits, rank->search->task->model->property_count);
}

#define ON_DEVICE(type, address) ((type *)(uintptr_t)(address))

void member_describe(const struct gpu_rank *rank, struct gpu_space *space) {
  const struct gpu_member *member = &rank->member;
  space->sent =
      (struct gpu_outboxes){.states = ON_DEVICE(uint64_t, member->outboxes[member->turn].states),
                            .counts = ON_DEVICE(uint64_t, member->counts),
                            .room = member->room,
                            .full = member->full,
                            .lately = ON_DEVICE(uint64_t, member->lately),
                            .owned_by_bits = member->together.owners.mask ? *member->together.owners.mask : UINT64_MAX,
                            .owned_by = ON_DEVICE(uint64_t, member->owned_by),
                            .member = member->together.rank,
                            .members = member->together.size,
                            .parts = member->parts};
  mailbox_describe(rank, space);
}

/* Somebody is told of what each level has found. */
static bool is_told_levels(const struct gpu_rank *rank) {
  const struct gpu_harvest *harvest = &rank->harvest;
  return harvest->states || harvest->log || record_group_is_wanted(&rank->member.together);
}

void member_set_stops(struct gpu_rank *rank) {
  const struct gpu_member *member = &rank->member;
  struct gpu_control *control = &rank->control;
  control->asks_host = control->properties_only || queue_in_parts(rank) || is_told_levels(rank) ||
                       mailbox_has_others(rank) || member->left_out != member->known_out || rank->tuning.hosts ||
                       clock_seconds() - member->agreed > 1e-6 * (double)rank->tuning.agree_us;
}

void member_closed(struct gpu_rank *rank, uint32_t levels) {
  struct gpu_member *member = &rank->member;
  member->phase += levels;
  member->closed += levels;
  member->done = false;
}

/* It has told the others what it found of the level: that must stay as it is, also where it lies. */
static bool has_said_all(const struct gpu_rank *rank) {
  return mailbox_is_used(rank) && rank->control.said == rank->member.phase;
}

/* It has done all of a level, and was not at work when the others said that they have. These may have closed it
   meanwhile, and be in the next one: so it closes it, too. */
static void catch_up(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  const uint64_t before = member->closed;
  if (!has_said_all(rank) || member->drained || rank->search->status != FLOE_OK)
    return;
  rank->control.closes_only = 1;
  rank_explore_some(rank);
  rank->control.closes_only = 0;
  member->caught_up += (unsigned)(member->closed - before);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* Where states go that kernels are to put. */
static gpu_address inbox(const struct gpu_rank *rank) { return rank->tree.words ? rank->tree.unnamed : rank->source; }
/* So many that the queue has room for them, once what else is there has gone to the host (policy_spill). */
static uint64_t inbox_room(const struct gpu_rank *rank) {
  return rank->tree.words ? rank->slack : least(rank->put_room, rank->ring_words / 4);
}

static struct parcel parcel_of(struct message *message) {
  struct parcel parcel;
  memcpy(&parcel, letter_of(message)->content, sizeof parcel);
  return parcel;
}

/* Of the letter that the member has, as many states as there is room for behind the first n; returns how many. */
static uint64_t unpack(struct gpu_rank *rank, uint64_t n, floe_status *status) {
  struct gpu_member *member = &rank->member;
  const struct letter *letter = letter_of(member->letter);
  const uint64_t some = least(letter->number - member->letter_next, inbox_room(rank) - n);
  const uint64_t before = member->letter_next * member_state_bytes(rank), bytes = some * member_state_bytes(rank);
  const gpu_address to = inbox(rank) + n * member_state_bytes(rank);
  if (member_has_peers(rank))
    *status = gpu_copy_peer(rank->gpu, to, rank->search->task->peers->gpus[member->letter->from],
                            parcel_of(member->letter).states + before, bytes);
  else if (member->letter->far_bytes)
    *status = gpu_copy(rank->gpu, to, (gpu_address)(uintptr_t)member->letter->far + before, bytes);
  else if (member->letter->stock && !member->far) /* page-locked */
    *status = gpu_upload_start(rank->gpu, to, letter->content + before, bytes);
  else
    *status = gpu_upload(rank->gpu, to, letter->content + before, bytes);
  member->letter_next += some;
  return some;
}

static bool has_room(const struct gpu_rank *rank, uint64_t n) {
  const struct gpu_control *control = &rank->control;
  return control->next_end - control->current + n <= rank->ring_words;
}

/* n keys at `from`, on the device, for which there is no room as the search ends: they go into the last checkpoint. */
static void set_aside(struct gpu_rank *rank, gpu_address from, uint64_t n) {
  const size_t bytes = n * sizeof(uint64_t);
  uint64_t *states = mem_resize(rank->unplaced.states, rank->unplaced.count * sizeof *states + bytes);
  if (!states) {
    rank->member.kept = FLOE_ERROR_MEMORY;
    return;
  }
  rank->unplaced.states = states;
  const floe_status status = gpu_download(rank->gpu, states + rank->unplaced.count, from, bytes);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
  else
    rank->unplaced.count += n;
}

/* Before the array that they are in is used again. */
static void set_pending_aside(struct gpu_rank *rank) {
  if (rank->control.pending_count > 0)
    set_aside(rank, rank->pending, rank->control.pending_count);
  rank->control.pending_count = 0;
}

/* The search has ended: the table does not grow any more. */
static void put_last(struct gpu_rank *rank, uint64_t n) {
  set_pending_aside(rank);
  if (!has_room(rank, n)) {
    set_aside(rank, inbox(rank), n);
    return;
  }
  const floe_status status = grow_insert(rank, n);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
  else
    harvest_take(rank);
}

static void put_and_grow(struct gpu_rank *rank, uint64_t n) {
  floe_status status = rank->tree.words ? gpu_tree_name(rank, n) : FLOE_OK;
  if (status == FLOE_OK)
    status = grow_insert(rank, n);
  if (status == FLOE_ERROR_MEMORY)
    search_finish(rank->search, FLOE_END_MEMORY);
  else if (status != FLOE_OK)
    search_fail(rank->search, status);
  if (rank->search->ended)
    return;
  harvest_take(rank);
  if (rank->control.pending_count > 0)
    grow_place_pending(rank);
  else if (rank_states(rank) >= rank->control.grow_at)
    grow_set(rank);
}

/* The n states in the inbox. */
static void put(struct gpu_rank *rank, uint64_t n) {
  while (!rank->search->ended && !has_room(rank, n))
    queue_relieve(rank);
  if (!rank->search->ended)
    put_and_grow(rank, n);
  else if (together_is_exact(&rank->member.together))
    put_last(rank, n);
  else
    gpu_wait(rank->gpu); /* nobody copies what is no letter's any more */
}

void member_put(struct gpu_rank *rank, const uint64_t *keys, uint64_t n) {
  for (uint64_t some; n > 0 && rank->search->status == FLOE_OK; n -= some, keys += some) {
    some = least(n, inbox_room(rank));
    const floe_status status = gpu_upload(rank->gpu, inbox(rank), keys, some * sizeof *keys);
    if (status == FLOE_OK)
      put(rank, some);
    else
      search_fail(rank->search, status);
  }
}

/* What it stood for is put, or given up: its author has his outbox again. */
static void end_letter(struct gpu_rank *rank, struct message *letter) {
  if (member_has_peers(rank)) /* release: it is copied */
    atomic_fetch_sub_explicit(parcel_of(letter).unread, 1, memory_order_release);
  message_free(letter);
  exchange_put(rank->member.together.exchange);
}

/* Letters that are unpacked stay until what they had is put. */
static void end_letters(struct gpu_rank *rank, struct message *first) {
  for (struct message *next; first; first = next) {
    next = first->next;
    end_letter(rank, first);
  }
}

/* A launch puts many letters in little more time than one: while others send, they are let come for some looks. */
static bool is_time_to_put(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  bool all;
  const size_t waiting = exchange_waiting(member->together.exchange, &all);
  member->still = waiting == member->waiting ? member->still + 1 : 0;
  member->waiting = waiting;
  return member_has_peers(rank) || all || member->letter || waiting >= MANY_LETTERS || member->still >= LOOKS;
}

/* Puts what has come, as much as there is room for at once: where it is from one who has closed the level, in the next
   one. False: nothing has, or more is let come. */
static bool receive(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  struct message *unpacked = NULL;
  uint64_t n = 0;
  floe_status status = FLOE_OK;
  if (!is_time_to_put(rank))
    return false;
  member->still = 0;
  while (status == FLOE_OK && n < inbox_room(rank)) {
    if (!member->letter && !(member->letter = exchange_take(member->together.exchange)))
      break;
    n += unpack(rank, n, &status);
    if (member->letter_next < letter_of(member->letter)->number)
      break;
    member->letter->next = unpacked;
    unpacked = member->letter;
    member->letter = NULL;
    member->letter_next = 0;
  }
  if (n > 0)
    catch_up(rank);
  if (status == FLOE_OK && n > 0)
    put(rank, n);
  if (status != FLOE_OK) {
    search_fail(rank->search, status);
    gpu_wait(rank->gpu); /* nobody copies what is no letter's any more */
  }
  end_letters(rank, unpacked);
  return n > 0;
}

/* ---- a phase --------------------------------------------------------------------------------- */

/* States of the level that the kernel can expand now. */
static bool has_part(struct gpu_rank *rank) {
  return !has_said_all(rank) && (rank->control.current < rank->control.current_end || queue_next_part(rank));
}

/* With mailboxes: what the last launch, which awaited the others or did not, left to be done. */
static void look_at_mail(struct gpu_rank *rank, bool awaited) {
  struct gpu_member *member = &rank->member;
  struct gpu_control *control = &rank->control;
  member->drained = awaited && control->left == GPU_LEFT_PART;
  member->filled = mailbox_has_others(rank) || control->left_out > 0;
  member->left_out += control->left_out;
  control->left_out = 0;
  member->together.letters += control->packets;
  member->together.sent += control->packets * GPU_WARP;
  member->under_way += control->packets - control->received; /* modulo 2^64 */
  control->packets = control->received = 0;
}

/* One launch, if there is anything for it to do, and the outboxes are empty for what it finds. */
static bool expand_some(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  if ((member->done && member->drained) || !outbox_is_free(rank))
    return false;
  const bool some = has_part(rank), awaits = queue_has_level(rank);
  member->done = !some && !rank->search->ended;
  if (rank->search->ended || (!some && member->drained))
    return true;
  member->filled = true;
  rank_explore_some(rank);
  if (mailbox_is_used(rank))
    look_at_mail(rank, awaits);
  return true;
}

static bool send(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  bool any = outbox_send(rank);
  if (member->filled && !outbox_is_under_way(rank)) {
    floe_status status = outbox_empty(rank);
    if (status != FLOE_OK)
      search_fail(rank->search, status);
    any = true;
  }
  return any;
}

/* Why nobody here expands any more in this phase: the search has ended, here or elsewhere, or a checkpoint is due. */
static bool is_to_stop(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  member->keep_due = member->keep_due || moment_is_due(rank->search, clock_seconds());
  return rank->search->ended || member->keep_due || exchange_is_stopped(member->together.exchange);
}

/* What is here and what comes belongs to nobody any more. */
static void give_up(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  if (member->letter)
    end_letter(rank, member->letter);
  member->letter = NULL;
  member->letter_next = 0;
  outbox_give_up(rank);
  exchange_give_up(member->together.exchange);
}

/* Nothing more comes from here in this phase. */
static bool has_sent_all(const struct gpu_rank *rank, bool stopping) {
  const struct gpu_member *member = &rank->member;
  return ((member->done && member->drained) || stopping) && !member->filled && !outbox_is_under_way(rank);
}

/* What is here, and what comes, as far as that is to be done at all. True: there was something to do. */
static bool do_some(struct gpu_rank *rank, bool stopping) {
  const struct together *together = &rank->member.together;
  bool any = false;
  if (together_is_exact(together))
    any = receive(rank);
  if (together_is_exact(together))
    any = send(rank) || any;
  if (!stopping && !is_to_stop(rank))
    any = expand_some(rank) || any;
  return any;
}

static void tell_the_end(struct gpu_rank *rank, bool stopping) {
  struct exchange *exchange = rank->member.together.exchange;
  if (stopping)
    exchange_stop(exchange);
  else
    exchange_exhausted(exchange, 0);
}

/* Until all is expanded, or somebody stops. */
static void do_phase(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  struct exchange *exchange = member->together.exchange;
  bool stopping = false, told = false, gave_up = false;
  unsigned rests = 0;
  double since = 0;
  while (!exchange_is_over(exchange)) {
    if (!rank->search->ended)
      search_look(rank->search);
    const bool any = do_some(rank, stopping);
    stopping = stopping || is_to_stop(rank);
    if (!together_is_exact(&member->together) && !gave_up) {
      give_up(rank);
      gave_up = true;
    }
    if (!told && has_sent_all(rank, stopping)) {
      told = true;
      tell_the_end(rank, stopping);
    }
    exchange_work(exchange);
    if (post_is_lost(post_of(rank), &rank->search->stop, &since) || post_of(rank)->status != FLOE_OK)
      break;
    rests = any ? 0 : rests;
    if (!any)
      post_rest(post_of(rank), &rests);
  }
}

/* Who was stopped has left keys in mailboxes, which are nowhere else. Nobody explores now, so nobody writes to them. */
static void empty_mailboxes(struct gpu_rank *rank) {
  const struct together *together = &rank->member.together;
  if (!rank->search->task->kept || !mailbox_is_used(rank) || !exchange_is_stopped(together->exchange) ||
      !together_is_exact(together))
    return;
  const floe_status status = mailbox_empty(rank);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
}

/* Who is told to stop may have been about to close a level that others have closed. */
static void catch_up_at_stop(struct gpu_rank *rank) {
  if (exchange_is_stopped(rank->member.together.exchange))
    catch_up(rank);
}

/* ---- what is said after it ------------------------------------------------------------------- */

static const struct engine_hit *hit_of(void *of, size_t property) {
  const struct gpu_rank *rank = of;
  return &rank->member.hits[property];
}

/* Properties that triggered here in this level; their witnesses are in member->hits. */
static uint64_t collect(struct gpu_rank *rank) {
  const uint64_t triggered = rank->control.triggered & search_wanted(rank->search);
  if (!triggered || rank->search->status != FLOE_OK)
    return 0;
  floe_status status = hits_collect(rank, search_depth(rank->search), triggered, rank->member.hits);
  if (status == FLOE_OK)
    return triggered;
  search_fail(rank->search, status);
  return 0;
}

static struct together_figures figures_of(struct gpu_rank *rank) {
  const struct gpu_control *control = &rank->control;
  return (struct together_figures){.states = rank_states(rank),
                                   .transitions = control->transitions,
                                   .next = queue_next_states(rank),
                                   .triggered = collect(rank),
                                   .failed = control->failed,
                                   .cut = control->cut_depth != UINT32_MAX,
                                   .under_way = rank->member.under_way,
                                   .rest = !rank->member.done,
                                   .keep = rank->member.keep_due};
}

static void note_agreement(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  member->agreed = clock_seconds();
  member->known_out = member->left_out;
  rank->control.all_states = member->together.states;
}

static struct together_sum conclude(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  const struct together_figures mine = figures_of(rank);
  const struct together_sum sum = together_conclude(&member->together, &mine, hit_of, rank);
  note_agreement(rank);
  if (!sum.gathered)
    return sum;
  rank->control.failed_known = rank->control.failed;
  rank->control.cut_known = mine.cut;
  hits_forget(rank);
  for (size_t i = 0; i < rank->search->task->model->property_count; i++)
    member->hits[i].hit = false;
  return sum;
}

/* All or none are linked. */
void member_begin(struct gpu_rank *rank) {
  bool linked;
  const floe_status status = mailbox_link(rank, &linked);
  if (status != FLOE_OK)
    search_fail(rank->search, status);
  const struct together_figures mine = {.states = rank_states(rank), .unlinked = !linked};
  rank->member.linked = !together_begin(&rank->member.together, &mine).unlinked;
  note_agreement(rank);
  if (!rank->member.linked)
    mailbox_unlink(rank);
  if (record_group_is_wanted(&rank->member.together))
    record_group_initial(&rank->member.together);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* All members have expanded all of it. */
static void close_level(struct gpu_rank *rank) {
  struct search *search = rank->search;
  const struct together *together = &rank->member.together;
  if (search_at_bound(search)) {
    search_decide_at_bound(search);
    return;
  }
  if (together->next > 0) {
    queue_turn(rank);
    rank->control.depth++;
  }
  search_level_done(search);
  search_next_level(search, together->next, together->states);
  if (together->next > 0)
    harvest_begin_level(rank);
}

void member_expand_level(struct gpu_rank *rank) {
  bool rest = true;
  rank->member.done = false;
  while (rest && !rank->search->ended) {
    rank->member.phase++;
    rank->member.drained = !mailbox_is_used(rank);
    post_next(post_of(rank));
    exchange_begin(rank->member.together.exchange, 1);
    do_phase(rank);
    catch_up_at_stop(rank);
    empty_mailboxes(rank);
    if (!rank->search->ended && !search_make_room(rank->search, 1)) /* where all learn of it */
      search_finish(rank->search, FLOE_END_MEMORY);
    harvest_settle(rank);
    const struct together_sum sum = conclude(rank);
    if (sum.keep)
      keep_moment(rank);
    rest = sum.rest;
  }
  harvest_record(rank);
  if (!rank->search->ended)
    close_level(rank);
}
