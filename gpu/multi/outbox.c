/* What a launch leaves for other members, and how it comes to them.

   Devices of this process are told where it lies, and copy it by themselves; the next launch fills the other one of two
   sets of outboxes. For members elsewhere it is copied to letters while the next launch runs, which the group sends
   from and receives into: no processor touches a state. Letters' states are in the device's memory where the group
   takes them from there (group->takes_far), else all of a letter is page-locked memory of the host's. */
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

uint64_t outbox_most_slack(const struct gpu_rank *rank) {
  return rank->budget.limit / OUTBOX_SHARE / (2 * member_state_bytes(rank) * rank->member.together.size);
}

static unsigned count_boxes(const struct gpu_rank *rank) { return rank->member.together.size * rank->member.parts; }
static uint64_t count_bytes(const struct gpu_rank *rank) {
  return (uint64_t)count_boxes(rank) * GPU_OUTBOX_APART * sizeof(uint64_t);
}
static uint64_t outbox_bytes(const struct gpu_rank *rank) {
  return count_boxes(rank) * rank->member.room * member_state_bytes(rank);
}

/* ---- creation -------------------------------------------------------------------------------- */

static size_t letter_room(void) { return sizeof(struct letter) + LETTER_WORDS * sizeof(uint64_t); }

static floe_status take_letters(struct gpu_rank *rank, unsigned count) {
  struct gpu_member *member = &rank->member;
  FLOE_TRY(gpu_host_alloc(rank->gpu, stock_bytes(count, letter_room()), &member->letters));
  member->stock = stock_make(member->letters, count, letter_room());
  return member->stock ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* FLOE_ERROR_MEMORY: the device has none to spare. */
static floe_status take_far(struct gpu_rank *rank, unsigned *count) {
  *count = (unsigned)least(MOST_LETTERS, rank->budget.limit / FAR_SHARE / FAR_BYTES);
  return *count < LEAST_LETTERS ? FLOE_ERROR_MEMORY : rank_take(rank, *count * FAR_BYTES, &rank->member.far);
}

static floe_status take_far_letters(struct gpu_rank *rank, unsigned count) {
  struct gpu_member *member = &rank->member;
  void *far = (void *)(uintptr_t)member->far;
  FLOE_TRY(gpu_keep(rank->gpu)); /* the library has streams there */
  member->letters = mem_alloc(stock_bytes(count, sizeof(struct letter)));
  if (member->letters)
    member->stock = stock_make_far(member->letters, count, sizeof(struct letter), far, FAR_BYTES);
  return member->stock ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static void give_letters(struct gpu_rank *rank) {
  if (rank->member.far)
    mem_free(rank->member.letters);
  else
    gpu_host_free(rank->gpu, rank->member.letters);
  gpu_free(rank->gpu, rank->member.far);
}

/* Within a machine libraries take longer from device to device than by the host's memory (doc/results/devices.md). */
static bool wants_far(const struct gpu_rank *rank) {
  const struct engine_links *links = rank->search->task->links;
  const bool apart = !links || links->machine.count < rank->member.together.size;
  return rank->search->task->post->group->takes_far && (rank->tuning.far ? rank->tuning.far == 1 : apart);
}

/* As many as there may be, or are to be had. */
static floe_status take_stock(struct gpu_rank *rank) {
  if (wants_far(rank)) {
    unsigned far_count;
    const floe_status far = take_far(rank, &far_count);
    if (far != FLOE_ERROR_MEMORY)
      return far == FLOE_OK ? take_far_letters(rank, far_count) : far;
  }
  const uint64_t most = rank->search->task->options->memory / LETTERS_SHARE / letter_room();
  unsigned count = (unsigned)greatest(LEAST_LETTERS, least(MOST_LETTERS, most));
  floe_status status = take_letters(rank, count);
  while (status == FLOE_ERROR_MEMORY && !rank->member.letters && count / 2 >= LEAST_LETTERS)
    status = take_letters(rank, count /= 2);
  return status;
}

struct exchange_plan outbox_letters(const struct gpu_rank *rank) {
  const struct engine_task *task = rank->search->task;
  const unsigned workers = task->resumes ? task->options->threads : 1;        /* who deal states of a checkpoint */
  const unsigned waiting = MOST_LETTERS / 8 * 3 / rank->member.together.size; /* either way; the rest is under way */
  return (struct exchange_plan){.workers = workers,
                                .words = task->layout->key_words,
                                .letter = LETTER_WORDS,
                                .waiting = (unsigned)greatest(EXCHANGE_WAITING, waiting)};
}

floe_status outbox_open(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  const uint64_t most = greatest(outbox_most_slack(rank), rank->slack);
  member->parts = GPU_OUTBOX_PARTS;
  while (member->parts > rank->blocks)
    member->parts /= 2;
  const unsigned writers = (rank->blocks + member->parts - 1) / member->parts; /* blocks, for each outbox */
  const uint64_t counts = count_bytes(rank);
  member->full = rank->tuning.out ? rank->tuning.out : least(most, OUTBOX_MOST) / member->parts + 1;
  member->room = member->full + rank->slack / rank->blocks * writers;
  for (unsigned i = 0; i < 2; i++)
    FLOE_TRY(rank_take(rank, outbox_bytes(rank), &member->outboxes[i].states));
  FLOE_TRY(rank_take(rank, counts, &member->counts));
  FLOE_TRY(gpu_fill(rank->gpu, member->counts, 0, counts));
  member->box = count_boxes(rank); /* nothing is on its way */
  member->counted = mem_alloc(counts);
  if (!member->counted)
    return FLOE_ERROR_MEMORY;
  if (member_has_peers(rank))
    return FLOE_OK;
  FLOE_TRY(take_stock(rank));
  rank->search->task->post->group->stock = member->stock;
  return FLOE_OK;
}

/* Where the group is lost letters may be under way that the library still reads: they are left to it. */
void outbox_close(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  if (member->stock)
    rank->search->task->post->group->stock = NULL;
  if (stock_free(member->stock))
    give_letters(rank);
  for (unsigned i = 0; i < 2; i++)
    gpu_free(rank->gpu, member->outboxes[i].states);
  gpu_free(rank->gpu, member->counts);
  mem_free(member->counted);
}

/* ---- what is in them ------------------------------------------------------------------------- */

static gpu_address states_of(const struct gpu_rank *rank, unsigned turn, unsigned box) {
  const struct gpu_member *member = &rank->member;
  return member->outboxes[turn].states + box * member->room * member_state_bytes(rank);
}

static uint64_t count_of(const struct gpu_member *member, unsigned box) {
  const uint64_t n = member->counted[(size_t)box * GPU_OUTBOX_APART];
  assert(n <= member->room && (n == 0 || box / member->parts != member->together.rank));
  return n;
}

bool outbox_is_under_way(const struct gpu_rank *rank) { return rank->member.box < count_boxes(rank); }

/* Acquire: what others have copied is not written to before. */
bool outbox_is_free(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  return !member->filled && atomic_load_explicit(&member->outboxes[member->turn].unread, memory_order_acquire) == 0;
}

/* ---- to devices of this process -------------------------------------------------------------- */

static floe_status tell_peers(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  struct gpu_outbox *outbox = &member->outboxes[member->turn];
  for (unsigned box = 0; box < count_boxes(rank); box++) {
    const struct parcel parcel = {states_of(rank, member->turn, box), &outbox->unread};
    const uint64_t n = count_of(member, box);
    struct message *letter = n ? letter_make(LETTER_STATES, n, sizeof parcel) : NULL;
    if (n && !letter)
      return FLOE_ERROR_MEMORY;
    if (!letter)
      continue;
    memcpy(letter_of(letter)->content, &parcel, sizeof parcel);
    atomic_fetch_add_explicit(&outbox->unread, 1, memory_order_relaxed);
    exchange_post(member->together.exchange, box / member->parts, letter);
  }
  return FLOE_OK;
}

/* ---- to members elsewhere -------------------------------------------------------------------- */

/* n states of its own to a letter, beside the stream; NULL: there is none left. */
static struct message *begin_letter(struct gpu_rank *rank, gpu_address from, uint64_t n, floe_status *status) {
  const struct gpu_member *member = &rank->member;
  const uint64_t bytes = n * member_state_bytes(rank);
  struct message *message = stock_take(member->stock, sizeof(struct letter) + (member->far ? 0 : bytes));
  if (!message)
    return NULL;
  *letter_of(message) = (struct letter){.kind = LETTER_STATES, .number = n};
  message->far_bytes = member->far ? bytes : 0;
  *status = member->far ? gpu_copy_beside(rank->gpu, (gpu_address)(uintptr_t)message->far, from, bytes)
                        : gpu_download_beside(rank->gpu, letter_of(message)->content, from, bytes);
  return message;
}

/* A letter of what is next, which its states are copied to then; NULL: all are on their way, or there is none left. */
static struct message *write_letter(struct gpu_rank *rank, floe_status *status) {
  struct gpu_member *member = &rank->member;
  while (outbox_is_under_way(rank) && member->next == count_of(member, member->box)) {
    member->box++;
    member->next = 0;
  }
  if (!outbox_is_under_way(rank))
    return NULL;
  const uint64_t n = least(count_of(member, member->box) - member->next, LETTER_WORDS / member_words(rank));
  const gpu_address from = states_of(rank, member->turn ^ 1, member->box) + member->next * member_state_bytes(rank);
  struct message *message = begin_letter(rank, from, n, status);
  if (!message)
    return NULL;
  message->from = member->box / member->parts; /* whose it is, until it is sent */
  member->next += n;
  return message;
}

bool outbox_send(struct gpu_rank *rank) {
  struct exchange *exchange = rank->member.together.exchange;
  struct message *letters[LETTERS_AT_ONCE];
  unsigned n = 0;
  floe_status status = FLOE_OK;
  if (!outbox_is_under_way(rank))
    return false;
  while (n < LETTERS_AT_ONCE && status == FLOE_OK && !exchange_is_crowded(exchange) &&
         (letters[n] = write_letter(rank, &status)))
    n++;
  if (n > 0) {
    const floe_status copied = gpu_wait_beside(rank->gpu);
    status = status == FLOE_OK ? copied : status;
  }
  for (unsigned i = 0; i < n; i++) {
    if (status == FLOE_OK)
      exchange_post(exchange, letters[i]->from, letters[i]);
    else
      message_free(letters[i]);
  }
  if (status != FLOE_OK)
    search_fail(rank->search, status);
  return n > 0;
}

/* ---- the next launch ------------------------------------------------------------------------- */

floe_status outbox_empty(struct gpu_rank *rank) {
  struct gpu_member *member = &rank->member;
  const uint64_t bytes = count_bytes(rank);
  FLOE_TRY(gpu_download(rank->gpu, member->counted, member->counts, bytes));
  if (member_has_peers(rank))
    FLOE_TRY(tell_peers(rank));
  else
    member->box = 0, member->next = 0;
  member->turn ^= 1;
  member->filled = false;
  FLOE_TRY(gpu_fill(rank->gpu, member->counts, 0, bytes));
  return gpu_wait(rank->gpu);
}

void outbox_give_up(struct gpu_rank *rank) {
  rank->member.box = count_boxes(rank);
  rank->member.filled = false;
}

floe_status outbox_work(struct gpu_rank *rank) {
  bool done = member_has_peers(rank);
  while (!done) {
    const bool any = outbox_send(rank);
    exchange_work(rank->member.together.exchange);
    FLOE_TRY(gpu_is_done(rank->gpu, &done));
    if (!any && !done)
      sched_yield();
  }
  return FLOE_OK;
}
