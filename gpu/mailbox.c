/* Mailboxes of devices of one process that reach each other's memory: the host's side of gpu/kernel/mailbox.h. */
#include "base/numbers.h"
#include "gpu/peers.h"
#include "gpu/rank.h"

/* Packets of a mailbox: what a warp sends in some turns, so that the one who empties it may be late. */
#define MOST_PACKETS_LOG 6
/* Of the device's memory, at most. */
#define MAILBOX_SHARE 64

static struct gpu_peers *peers_of(const struct gpu_rank *rank) { return rank->search->task->peers; }

unsigned mailbox_members(const struct gpu_rank *rank) {
  const struct gpu_peers *peers = peers_of(rank);
  const bool fits = !rank->tree.words && rank->search->task->layout->key_bits < 64;
  return peers && fits && peers->count <= GPU_MOST_LINKED ? peers->count : 0;
}

static floe_status reach_all(struct gpu_rank *rank, bool *all) {
  const struct gpu_peers *peers = peers_of(rank);
  *all = true;
  for (unsigned i = 0; i < peers->count; i++) {
    bool possible = true;
    if (i != rank->member.together.rank)
      FLOE_TRY(gpu_peer_open(rank->gpu, peers->gpus[i], &possible));
    *all = *all && possible;
  }
  return FLOE_OK;
}

floe_status mailbox_open(struct gpu_rank *rank) {
  const unsigned members = mailbox_members(rank);
  struct gpu_mailboxes mine = {.boxes = rank->blocks * GPU_WARPS, .packets_log = MOST_PACKETS_LOG};
  uint64_t most = least(rank->budget.limit / MAILBOX_SHARE, gpu_budget_room(&rank->budget));
  bool all;
  if (!peers_of(rank))
    return FLOE_OK;
  FLOE_TRY(reach_all(rank, &all)); /* copies are faster then, too */
  if (!members || !all)
    return FLOE_OK;
  while (mine.packets_log > 1 && (gpu_mail_bytes(members, mine.boxes, mine.packets_log) > most ||
                                  (rank->tuning.mail && UINT64_C(1) << mine.packets_log > rank->tuning.mail)))
    mine.packets_log--;
  rank->member.mail_bytes = gpu_mail_bytes(members, mine.boxes, mine.packets_log);
  if (rank->member.mail_bytes > most)
    return FLOE_OK;
  FLOE_TRY(rank_take(rank, rank->member.mail_bytes, &mine.at));
  peers_of(rank)->of[rank->member.together.rank] = mine;
  return gpu_fill(rank->gpu, mine.at, 0, rank->member.mail_bytes);
}

void mailbox_close(struct gpu_rank *rank) {
  struct gpu_peers *peers = peers_of(rank);
  struct gpu_mailboxes *mine = peers ? &peers->of[rank->member.together.rank] : NULL;
  if (mine && mine->at)
    rank_give(rank, rank->member.mail_bytes, &mine->at);
}

bool mailbox_is_used(const struct gpu_rank *rank) {
  const struct gpu_peers *peers = peers_of(rank);
  for (unsigned i = 0; peers && i < peers->count; i++)
    if (!peers->of[i].boxes)
      return false;
  return peers && mailbox_members(rank) > 0;
}

/* Parts of the next level may be on the host: what comes is of that one. */
bool mailbox_awaits(const struct gpu_rank *rank) { return rank->level_pieces.states == 0; }

void mailbox_describe(const struct gpu_rank *rank, struct gpu_space *space) {
  const struct gpu_peers *peers = peers_of(rank);
  struct gpu_mail *mail = &space->mail;
  *mail = (struct gpu_mail){.boxes = 0};
  if (!mailbox_is_used(rank))
    return;
  mail->boxes = UINT32_MAX;
  mail->packets_log = MOST_PACKETS_LOG;
  for (unsigned i = 0; i < peers->count; i++) {
    mail->at[i] = (uint64_t *)(uintptr_t)peers->of[i].at;
    mail->boxes = (uint32_t)least(mail->boxes, peers->of[i].boxes);
    mail->packets_log = (uint32_t)least(mail->packets_log, peers->of[i].packets_log);
  }
  mail->phase = rank->member.phase;
  mail->awaits = mailbox_awaits(rank);
}
