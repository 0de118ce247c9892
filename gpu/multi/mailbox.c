#include "gpu/multi/mailbox.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/comm/allgather.h"
#include "engine/peer_links.h"
#include "gpu/engine/queue.h"
#include "gpu/multi/gpu_member.h"

#include <assert.h>
#include <string.h>

/* Packets of a mailbox: what a warp sends in a level of some ten million states, so that the receiver may be late. With
   64 packets, counters lost a sixth of its time to states that found no room (doc/results/devices.md). */
#define MOST_PACKETS_LOG 8
/* Least module size in bytes for which all warps of a block run in lockstep; below, two do. Of six models, those with
   larger modules gain up to 7 %, or nothing; counters, with a smaller one, loses 2 %, and with one warp a sixth, to
   full mailboxes. */
#define LARGE_CODE ((size_t)95000)
/* Most successors of a state for which iterations take about equally long. With more, no warps run in lockstep: with up
   to 51, slidingwindow lost up to 5 % with two, and 7 % with all (doc/results/devices.md). */
#define MOST_ALIKE 32
/* Part of device memory, at most. */
#define MAILBOX_SHARE 64

static struct gpu_peers *peers_of(const struct gpu_search *self) { return self->search.task->group.peers; }

/* NULL: others reach this member by messages only, or as peers of the process. */
static struct peer_links *links_of(const struct gpu_search *self) {
  return self->test_settings.packets ? NULL : self->search.task->group.links;
}

/* Members that may be linked: those of the process, or of the machine; if these are too many, a range of neighbours. */
static struct member_range linkable(const struct gpu_search *self) {
  const struct collective *collective = &self->group.collective;
  const struct member_range none = {collective->rank, 1}, all = {0, collective->size};
  const struct member_range span = peers_of(self) ? all : links_of(self) ? links_of(self)->machine : none;
  const uint64_t limit = self->test_settings.linked ? self->test_settings.linked : GPU_MOST_LINKED;
  const unsigned most = (unsigned)least(limit, GPU_MOST_LINKED);
  const unsigned before = (collective->rank - span.first) / most * most;
  assert(collective->rank - span.first < span.count);
  assert(span.first + span.count <= collective->size);
  return (struct member_range){span.first + before, (unsigned)least(span.count - before, most)};
}

/* Its entry among these. */
static struct gpu_mailboxes *own(struct gpu_search *self) {
  return &self->member->mailboxes.boxes[self->group.collective.rank - linkable(self).first];
}

static bool keys_fit(const struct gpu_search *self) {
  return !self->tree.words && self->search.task->layout->key_bits < 64;
}

void mailbox_plan(struct gpu_search *self) {
  const unsigned count = linkable(self).count;
  self->group.linkable = keys_fit(self) && count > 1 ? count : 0;
  self->group.has_unlinkable = self->group.linkable && self->group.linkable < self->group.collective.size;
}

/* ---- taking -------------------------------------------------------------------------------------- */

/* Published to the members of the machine: address of the mailboxes, handle for other processes, device. */
struct link {
  uint64_t at;
  unsigned char shared[GPU_SHARED_BYTES];
  char bus[sizeof((struct gpu_info *)NULL)->bus];
  uint32_t boxes, packets_log;
};
_Static_assert(sizeof(struct link) <= sizeof((struct peer_link *)NULL)->content, "a link does not fit in a peer_link");

static floe_status publish_link(struct gpu_search *self) {
  const struct gpu_mailboxes *mine = own(self);
  struct link link = {.at = mine->at, .boxes = mine->boxes, .packets_log = mine->packets_log};
  const struct peer_links *links = links_of(self);
  struct peer_link *published = &links_of(self)->own;
  bool possible = true;
  if (links->machine.count > links->process.count)
    FLOE_TRY(gpu_share(self->gpu, mine->at, link.shared, &possible));
  memcpy(link.bus, gpu_information(self->gpu)->bus, sizeof link.bus);
  memcpy(published->content, &link, sizeof link);
  published->bytes = possible ? sizeof link : 0;
  return FLOE_OK;
}

static floe_status open_peers(struct gpu_search *self, bool *all) {
  const struct gpu_peers *peers = peers_of(self);
  *all = true;
  for (unsigned i = 0; i < peers->count; i++) {
    bool possible = true;
    if (i != self->group.collective.rank)
      FLOE_TRY(gpu_peer_open(self->gpu, peers->gpus[i], &possible));
    *all = *all && possible;
  }
  return FLOE_OK;
}

floe_status mailbox_open(struct gpu_search *self) {
  const unsigned members = self->group.linkable;
  struct gpu_mailboxes mine = {.boxes = self->grid.blocks * GPU_WARPS, .packets_log = MOST_PACKETS_LOG};
  uint64_t most = least(self->budget.limit / MAILBOX_SHARE, gpu_budget_room(&self->budget));
  bool all = true;
  if (peers_of(self))
    FLOE_TRY(open_peers(self, &all)); /* this also speeds up copies */
  if (!members || !all)
    return FLOE_OK;
  while (mine.packets_log > 1 &&
         (gpu_mailbox_bytes(members, mine.boxes, mine.packets_log) > most ||
          (self->test_settings.mailboxes && UINT64_C(1) << mine.packets_log > self->test_settings.mailboxes)))
    mine.packets_log--;
  self->member->mailboxes.bytes = gpu_mailbox_bytes(members, mine.boxes, mine.packets_log);
  if (self->member->mailboxes.bytes > most)
    return FLOE_OK;
  FLOE_TRY(gpu_search_take(self, self->member->mailboxes.bytes, &mine.at));
  *own(self) = mine;
  FLOE_TRY(gpu_fill(self->gpu, mine.at, 0, self->member->mailboxes.bytes));
  if (peers_of(self))
    peers_of(self)->of[self->group.collective.rank] = mine;
  return links_of(self) ? publish_link(self) : FLOE_OK;
}

/* Other processes may still have linked mailboxes open: these are freed with the process, which is about to end. */
void mailbox_close(struct gpu_search *self) {
  struct gpu_mailboxes *mine = own(self);
  if (mine->at && !(self->group.linked && links_of(self)))
    gpu_search_give(self, self->member->mailboxes.bytes, &mine->at);
}

/* ---- others' ------------------------------------------------------------------------------------- */

/* Two processes on one device do not run at the same time (except in tests). */
static bool is_within_reach(const struct gpu_search *self, const struct peer_link *published, struct link *out) {
  if (published->bytes != sizeof *out)
    return false;
  memcpy(out, published->content, sizeof *out);
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
  if (member == self->group.collective.rank || !is_within_reach(self, &links_of(self)->all[member], &link))
    return FLOE_OK;
  FLOE_TRY(open_one(self, member, &link, &at, &possible));
  if (possible)
    *out = (struct gpu_mailboxes){at, link.boxes, link.packets_log};
  return FLOE_OK;
}

/* A member without linkable ones can reach all of them. */
floe_status mailbox_link(struct gpu_search *self, bool *all) {
  *all = keys_fit(self) && (peers_of(self) || links_of(self));
  for (unsigned i = 0; i < self->group.linkable; i++) {
    FLOE_TRY(link_one(self, linkable(self).first + i, &self->member->mailboxes.boxes[i]));
    *all = *all && self->member->mailboxes.boxes[i].boxes;
  }
  return FLOE_OK;
}

static void close_others(struct gpu_search *self) {
  for (unsigned i = 0; links_of(self) && i < self->group.linkable; i++) {
    const unsigned member = linkable(self).first + i;
    if (member == self->group.collective.rank)
      continue;
    if (!is_of_process(self, member))
      gpu_shared_close(self->gpu, self->member->mailboxes.boxes[i].at);
    self->member->mailboxes.boxes[i] = (struct gpu_mailboxes){.at = 0};
  }
}

/* If the all-gather fails, other members may still have this one's mailboxes open: it stays linked. */
void mailbox_unlink(struct gpu_search *self) {
  struct comm *comm = self->search.task->group.comm;
  const unsigned char word = 0;
  struct all_gathered all;
  close_others(self);
  if (!self->group.linked || !links_of(self) || comm_status(comm) != FLOE_OK)
    return;
  self->group.linked = allgather(comm, &word, sizeof word, &self->search.stop, &all) != FLOE_OK;
  gathered_free(&all);
}

uint32_t mailbox_mask(const struct gpu_search *self, unsigned member) {
  const unsigned number = member - linkable(self).first;
  return gpu_search_has_mailboxes(self) && number < self->group.linkable ? UINT32_C(1) << number : 0;
}

static uint64_t most_lockstep_warps(const struct gpu_search *self) {
  if (self->test_settings.step)
    return self->test_settings.step;
  if (self->search.task->stepper->max_successors > MOST_ALIKE)
    return 1;
  return self->kernels.bytes > LARGE_CODE ? GPU_WARPS : 2;
}

static uint32_t lockstep_warps(const struct gpu_search *self) {
  const uint64_t most = most_lockstep_warps(self);
  uint32_t warps = GPU_WARPS;
  while (warps > most)
    warps /= 2;
  return warps;
}

void mailbox_describe(const struct gpu_search *self, struct gpu_space *space) {
  const struct gpu_mailboxes *mailboxes = self->member->mailboxes.boxes;
  struct gpu_mailbox_view *view = &space->mailboxes;
  *view = (struct gpu_mailbox_view){.boxes = 0, .lockstep = lockstep_warps(self), .first = linkable(self).first};
  if (!gpu_search_has_mailboxes(self))
    return;
  view->boxes = UINT32_MAX;
  view->packets_log = MOST_PACKETS_LOG;
  for (unsigned i = 0; i < self->group.linkable; i++) {
    view->at[i] = (uint64_t *)(uintptr_t)mailboxes[i].at;
    view->boxes = (uint32_t)least(view->boxes, mailboxes[i].boxes);
    view->packets_log = (uint32_t)least(view->packets_log, mailboxes[i].packets_log);
  }
  view->phase = self->member->phase.number - self->control.level.depth;
  view->closes_phase = queue_has_level(self);
}

/* ---- emptying by the host -------------------------------------------------------------------- */

/* The member's mailboxes, in the layout of struct gpu_mailbox_view. */
struct emptying {
  struct gpu_search *self;
  uint64_t at;      /* address of the first one */
  uint32_t packets; /* in each: a power of two */
  uint64_t boxes;   /* from all members */
  uint32_t *tails;  /* [boxes] first packet in each that was not taken */
  uint64_t *rings;  /* content of some mailboxes */
  uint64_t *keys;   /* found in these */
  uint64_t room;    /* words, of either array */
};

/* The packet was written: its words' highest bit is the parity of the current round (gpu/kernel/multi/mailbox.h).
   Initially zero. */
static bool is_there(const uint64_t *words, uint32_t packet, uint32_t packets) {
  const uint64_t round = (packet / packets & 1) ^ 1;
  for (unsigned i = 0; i < GPU_WARP; i++)
    if (words[i] >> 63 != round)
      return false;
  return true;
}

/* Copies the keys of one mailbox to `to`; returns their number. */
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

static floe_status take_rings(struct emptying *e,
                              void (*put)(struct gpu_search *self, const uint64_t *keys, uint64_t n)) {
  const uint64_t words = e->packets * (uint64_t)GPU_WARP, at_once = e->room / words;
  for (uint64_t first = 0, some; first < e->boxes; first += some) {
    uint64_t n = 0;
    some = least(at_once, e->boxes - first);
    FLOE_TRY(gpu_download(e->self->gpu, e->rings, e->at + first * words * sizeof(uint64_t),
                          some * words * sizeof(uint64_t)));
    for (uint64_t i = 0; i < some; i++)
      n += take_ring(e, first + i, e->rings + i * words, e->keys + n);
    e->self->member->mailboxes.in_flight -= n / GPU_WARP;
    put(e->self, e->keys, n);
    FLOE_TRY(e->self->search.status);
  }
  return FLOE_OK;
}

/* Credits, heads and tails follow the packets. */
static floe_status take_tails(struct emptying *e) {
  const uint64_t packets = e->boxes * e->packets * GPU_WARP * sizeof(uint64_t), all = e->boxes * sizeof(uint32_t);
  return gpu_download(e->self->gpu, e->tails, e->at + packets + 2 * all, all);
}

floe_status mailbox_empty(struct gpu_search *self,
                          void (*put)(struct gpu_search *self, const uint64_t *keys, uint64_t n)) {
  struct gpu_space space;
  mailbox_describe(self, &space);
  const struct gpu_mailbox_view *view = &space.mailboxes;
  const struct key_transfer *content = &self->transfer;
  struct emptying e = {.self = self,
                       .at = own(self)->at,
                       .packets = UINT32_C(1) << view->packets_log,
                       .boxes = (uint64_t)self->group.linkable * view->boxes,
                       .rings = content->host_keys[0],
                       .keys = content->host_keys[1],
                       .room = content->room};
  assert(e.room >= e.packets * (uint64_t)GPU_WARP);
  e.tails = mem_array(e.boxes, sizeof *e.tails);
  if (!e.tails)
    return FLOE_ERROR_MEMORY;
  floe_status status = take_tails(&e);
  if (status == FLOE_OK)
    status = take_rings(&e, put);
  mem_free(e.tails);
  if (status == FLOE_OK)
    status = gpu_fill(self->gpu, e.at, 0, self->member->mailboxes.bytes);
  return status == FLOE_OK ? gpu_wait(self->gpu) : status; /* before others send again */
}
