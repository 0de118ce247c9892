/* Mailboxes of devices that reach each other's memory, of one process or of several on one machine: the host's side of
   gpu/kernel/multi/mailbox.h. */
#include "base/numbers.h"
#include "core/mem.h"
#include "engine/comm/allgather.h"
#include "engine/peer_links.h"
#include "gpu/engine/gpu_search.h"

#include <assert.h>
#include <string.h>

/* Packets of a mailbox: what a warp sends in a level of some ten million states, so that the one who empties it may be
   late. With 64 counters lost a sixth of their time to what found no room (doc/results/devices.md). */
#define MOST_PACKETS_LOG 8
/* Bytes of a module from which on all warps of a block are in step, else two. Of six models those with more gain by
   it, up to 7 %, or nothing; counters, with less, lose 2 %, and with one alone a sixth, to mailboxes that were full. */
#define LARGE_CODE ((size_t)95000)
/* Successors of a state, at most, up to which turns take about as long as each other. Else none are in step: with up to
   51 slidingwindow lost up to 5 % with two, and 7 % with all (doc/results/devices.md). */
#define MOST_ALIKE 32
/* Of the device's memory, at most. */
#define MAILBOX_SHARE 64

static struct gpu_peers *peers_of(const struct gpu_search *self) { return self->search->task->group.peers; }

/* NULL: it is no member that others may reach but by messages, or by what peers are told. */
static struct peer_links *links_of(const struct gpu_search *self) {
  return self->test_settings.packets ? NULL : self->search->task->group.links;
}

/* Members that may be linked: those of the process, or of the machine; where they are too many, some next to each
   other. */
static struct member_range near(const struct gpu_search *self) {
  const struct collective *collective = &self->member.collective;
  const struct member_range none = {collective->rank, 1}, all = {0, collective->size};
  const struct member_range span = peers_of(self) ? all : links_of(self) ? links_of(self)->machine : none;
  const uint64_t wanted = self->test_settings.linked ? self->test_settings.linked : GPU_MOST_LINKED;
  const unsigned most = (unsigned)least(wanted, GPU_MOST_LINKED);
  const unsigned before = (collective->rank - span.first) / most * most;
  assert(collective->rank - span.first < span.count);
  assert(!member_is_one(self) || span.first + span.count <= collective->size);
  return (struct member_range){span.first + before, (unsigned)least(span.count - before, most)};
}

/* By its number among these. */
static struct gpu_mailboxes *own(struct gpu_search *self) {
  return &self->member.mailboxes[self->member.collective.rank - near(self).first];
}

static bool keys_fit(const struct gpu_search *self) {
  return !self->tree.words && self->search->task->layout->key_bits < 64;
}

unsigned mailbox_members(const struct gpu_search *self) {
  const unsigned count = near(self).count;
  return keys_fit(self) && count > 1 ? count : 0;
}

bool mailbox_has_others(const struct gpu_search *self) {
  return mailbox_members(self) && mailbox_members(self) < self->member.collective.size;
}

/* ---- taking -------------------------------------------------------------------------------------- */

/* What a member tells those of its machine: where its mailboxes are, for its own process and others, and of which
   device. */
struct link {
  uint64_t at;
  unsigned char shared[GPU_SHARED_BYTES];
  char bus[sizeof((struct gpu_info *)NULL)->bus];
  uint32_t boxes, packets_log;
};
_Static_assert(sizeof(struct link) <= sizeof((struct peer_link *)NULL)->content, "it does not fit");

static floe_status tell_others(struct gpu_search *self) {
  const struct gpu_mailboxes *mine = own(self);
  struct link link = {.at = mine->at, .boxes = mine->boxes, .packets_log = mine->packets_log};
  const struct peer_links *links = links_of(self);
  struct peer_link *told = &links_of(self)->own;
  bool possible = true;
  if (links->machine.count > links->process.count)
    FLOE_TRY(gpu_share(self->gpu, mine->at, link.shared, &possible));
  memcpy(link.bus, gpu_information(self->gpu)->bus, sizeof link.bus);
  memcpy(told->content, &link, sizeof link);
  told->bytes = possible ? sizeof link : 0;
  return FLOE_OK;
}

static floe_status reach_all(struct gpu_search *self, bool *all) {
  const struct gpu_peers *peers = peers_of(self);
  *all = true;
  for (unsigned i = 0; i < peers->count; i++) {
    bool possible = true;
    if (i != self->member.collective.rank)
      FLOE_TRY(gpu_peer_open(self->gpu, peers->gpus[i], &possible));
    *all = *all && possible;
  }
  return FLOE_OK;
}

floe_status mailbox_open(struct gpu_search *self) {
  const unsigned members = mailbox_members(self);
  struct gpu_mailboxes mine = {.boxes = self->blocks * GPU_WARPS, .packets_log = MOST_PACKETS_LOG};
  uint64_t most = least(self->budget.limit / MAILBOX_SHARE, gpu_budget_room(&self->budget));
  bool all = true;
  if (peers_of(self))
    FLOE_TRY(reach_all(self, &all)); /* copies are faster then, too */
  if (!members || !all)
    return FLOE_OK;
  while (mine.packets_log > 1 && (gpu_mailbox_bytes(members, mine.boxes, mine.packets_log) > most ||
                                  (self->test_settings.mail && UINT64_C(1) << mine.packets_log > self->test_settings.mail)))
    mine.packets_log--;
  self->member.mail_bytes = gpu_mailbox_bytes(members, mine.boxes, mine.packets_log);
  if (self->member.mail_bytes > most)
    return FLOE_OK;
  FLOE_TRY(gpu_search_take(self, self->member.mail_bytes, &mine.at));
  *own(self) = mine;
  FLOE_TRY(gpu_fill(self->gpu, mine.at, 0, self->member.mail_bytes));
  if (peers_of(self))
    peers_of(self)->of[self->member.collective.rank] = mine;
  return links_of(self) ? tell_others(self) : FLOE_OK;
}

/* Others may have hold of what is linked still: it is left to the end of the process, which is near then. */
void mailbox_close(struct gpu_search *self) {
  struct gpu_mailboxes *mine = own(self);
  if (mine->at && !(self->member.linked && links_of(self)))
    gpu_search_give(self, self->member.mail_bytes, &mine->at);
}

/* ---- others' ------------------------------------------------------------------------------------- */

/* Two processes on one device are not at work at the same time (but for tests). */
static bool is_within_reach(const struct gpu_search *self, const struct peer_link *told, struct link *out) {
  if (told->bytes != sizeof *out)
    return false;
  memcpy(out, told->content, sizeof *out);
  return self->test_settings.twice || strcmp(out->bus, gpu_information(self->gpu)->bus) != 0;
}

static bool is_of_process(const struct gpu_search *self, unsigned member) {
  const struct member_range *process = &links_of(self)->process;
  return member - process->first < process->count;
}

static floe_status open_one(struct gpu_search *self, unsigned member, const struct link *link, gpu_address *at,
                            bool *possible) {
  const struct peer_links *links = links_of(self);
  if (!is_of_process(self, member))
    return gpu_shared_open(self->gpu, link->shared, at, possible);
  *at = link->at;
  return gpu_peer_open(self->gpu, links->gpus[member - links->process.first], possible);
}

static floe_status link_one(struct gpu_search *self, unsigned member, struct gpu_mailboxes *out) {
  gpu_address at;
  struct link link;
  bool possible;
  if (peers_of(self)) {
    *out = peers_of(self)->of[member];
    return FLOE_OK;
  }
  if (member == self->member.collective.rank || !is_within_reach(self, &links_of(self)->all[member], &link))
    return FLOE_OK;
  FLOE_TRY(open_one(self, member, &link, &at, &possible));
  if (possible)
    *out = (struct gpu_mailboxes){at, link.boxes, link.packets_log};
  return FLOE_OK;
}

/* Who has nobody near him lacks none. */
floe_status mailbox_link(struct gpu_search *self, bool *all) {
  *all = keys_fit(self) && (peers_of(self) || links_of(self));
  for (unsigned i = 0; i < mailbox_members(self); i++) {
    FLOE_TRY(link_one(self, near(self).first + i, &self->member.mailboxes[i]));
    *all = *all && self->member.mailboxes[i].boxes;
  }
  return FLOE_OK;
}

static void let_go(struct gpu_search *self) {
  for (unsigned i = 0; links_of(self) && i < mailbox_members(self); i++) {
    const unsigned member = near(self).first + i;
    if (member == self->member.collective.rank)
      continue;
    if (!is_of_process(self, member))
      gpu_shared_close(self->gpu, self->member.mailboxes[i].at);
    self->member.mailboxes[i] = (struct gpu_mailboxes){.at = 0};
  }
}

/* Whether the others have done the same is not known where one of them is lost. */
void mailbox_unlink(struct gpu_search *self) {
  struct comm *comm = self->search->task->group.comm;
  const unsigned char word = 0;
  struct all_gathered all;
  let_go(self);
  if (!self->member.linked || !links_of(self) || comm_status(comm) != FLOE_OK)
    return;
  self->member.linked = allgather(comm, &word, sizeof word, &self->search->stop, &all) != FLOE_OK;
  gathered_free(&all);
}

bool mailbox_is_used(const struct gpu_search *self) { return self->member.linked && mailbox_members(self) > 0; }

static uint64_t most_in_step(const struct gpu_search *self) {
  if (self->test_settings.step)
    return self->test_settings.step;
  if (self->search->task->stepper->max_successors > MOST_ALIKE)
    return 1;
  return self->code.bytes > LARGE_CODE ? GPU_WARPS : 2;
}

static uint32_t warps_in_step(const struct gpu_search *self) {
  const uint64_t most = most_in_step(self);
  uint32_t warps = GPU_WARPS;
  while (warps > most)
    warps /= 2;
  return warps;
}

void mailbox_describe(const struct gpu_search *self, struct gpu_space *space) {
  const struct gpu_mailboxes *mailboxes = self->member.mailboxes;
  struct gpu_mailbox_view *view = &space->mailboxes;
  *view = (struct gpu_mailbox_view){.boxes = 0, .lockstep = warps_in_step(self), .first = near(self).first};
  if (!mailbox_is_used(self))
    return;
  view->boxes = UINT32_MAX;
  view->packets_log = MOST_PACKETS_LOG;
  for (unsigned i = 0; i < mailbox_members(self); i++) {
    view->at[i] = (uint64_t *)(uintptr_t)mailboxes[i].at;
    view->boxes = (uint32_t)least(view->boxes, mailboxes[i].boxes);
    view->packets_log = (uint32_t)least(view->packets_log, mailboxes[i].packets_log);
  }
  view->phase = self->member.phase - self->control.level.depth;
  view->closes_phase = queue_has_level(self);
}

/* ---- out of them, by the host -------------------------------------------------------------------- */

/* The member's mailboxes, one after the other, as struct gpu_mailbox_view has them. */
struct emptying {
  struct gpu_search *search;
  uint64_t at;      /* of the first */
  uint32_t packets; /* in one: a power of two */
  uint64_t boxes;   /* of all members together */
  uint32_t *tails;  /* [boxes] the first packet in each that is not taken */
  uint64_t *rings;  /* some of them */
  uint64_t *keys;   /* that were in these */
  uint64_t room;    /* of either */
};

/* The round that a packet is written in is the highest bit of its words (gpu/kernel/multi/mailbox.h); memory is zero at
   first. */
static bool is_there(const uint64_t *words, uint32_t packet, uint32_t packets) {
  const uint64_t round = (packet / packets & 1) ^ 1;
  for (unsigned i = 0; i < GPU_WARP; i++)
    if (words[i] >> 63 != round)
      return false;
  return true;
}

/* Of the mailbox with that number; returns how many keys. */
static uint64_t take_ring(const struct emptying *e, uint64_t box, const uint64_t *ring, uint64_t *to) {
  uint64_t n = 0;
  for (uint32_t packet = e->tails[box];; packet++) {
    const uint64_t *words = ring + (packet & (e->packets - 1)) * (uint64_t)GPU_WARP;
    if (!is_there(words, packet, e->packets))
      return n;
    for (unsigned i = 0; i < GPU_WARP; i++)
      to[n++] = words[i] & ~(UINT64_C(1) << 63);
  }
}

static floe_status take_rings(struct emptying *e) {
  const uint64_t words = e->packets * (uint64_t)GPU_WARP, at_once = e->room / words;
  for (uint64_t first = 0, some; first < e->boxes; first += some) {
    uint64_t n = 0;
    some = least(at_once, e->boxes - first);
    FLOE_TRY(gpu_download(e->search->gpu, e->rings, e->at + first * words * sizeof(uint64_t),
                          some * words * sizeof(uint64_t)));
    for (uint64_t i = 0; i < some; i++)
      n += take_ring(e, first + i, e->rings + i * words, e->keys + n);
    e->search->member.in_flight -= n / GPU_WARP;
    member_put(e->search, e->keys, n);
    FLOE_TRY(e->search->search->status);
  }
  return FLOE_OK;
}

/* Credits, heads and tails follow the packets. */
static floe_status take_tails(struct emptying *e) {
  const uint64_t packets = e->boxes * e->packets * GPU_WARP * sizeof(uint64_t), all = e->boxes * sizeof(uint32_t);
  return gpu_download(e->search->gpu, e->tails, e->at + packets + 2 * all, all);
}

floe_status mailbox_empty(struct gpu_search *self) {
  struct gpu_space space;
  mailbox_describe(self, &space);
  const struct gpu_mailbox_view *view = &space.mailboxes;
  const struct key_transfer *content = &self->content;
  struct emptying e = {.search = self,
                       .at = own(self)->at,
                       .packets = UINT32_C(1) << view->packets_log,
                       .boxes = (uint64_t)mailbox_members(self) * view->boxes,
                       .rings = content->host_keys[0],
                       .keys = content->host_keys[1],
                       .room = content->room};
  assert(e.room >= e.packets * (uint64_t)GPU_WARP);
  e.tails = mem_array(e.boxes, sizeof *e.tails);
  if (!e.tails)
    return FLOE_ERROR_MEMORY;
  floe_status status = take_tails(&e);
  if (status == FLOE_OK)
    status = take_rings(&e);
  mem_free(e.tails);
  if (status == FLOE_OK)
    status = gpu_fill(self->gpu, e.at, 0, self->member.mail_bytes);
  return status == FLOE_OK ? gpu_wait(self->gpu) : status; /* before others send again */
}
