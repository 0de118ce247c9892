/* The CPU's rank as one of several: each level is a few phases (engine/exchange.h) with an agreement after each, from
   which all members go on alike. What one has to end for ends all. */
#include "engine/rank.h"

#include "core/diag.h"
#include "core/mem.h"
#include "engine/agree.h"
#include "engine/exchange.h"

#include <assert.h>
#include <string.h>

/* What a member says after a phase; then, for each property of `triggered`, a struct found_hit and its state. */
struct figures {
  uint64_t states, transitions, next; /* found and fired here in all; found of the next level */
  uint64_t triggered, failed;         /* masks of properties: in this level; so far */
  uint32_t ends;                      /* mask of 1 << floe_end: why it has to end */
  uint32_t status;                    /* floe_status: an error */
  uint32_t cut, rest;                 /* some firing failed; it has states of the level to expand yet */
};

struct found_hit {
  uint64_t property;
  uint32_t depth, transition, site, unused;
};

static struct post *post_of(const struct rank *rank) { return rank->search->task->post; }

/* ---- creation ------------------------------------------------------------------------------------ */

floe_status together_open(struct rank *rank) {
  struct post *post = post_of(rank);
  if (!post)
    return FLOE_OK;
  post->waited = 0;
  FLOE_TRY(exchange_create(post, rank->worker_count, rank->state_words, &rank->exchange));
  return budget_take(&rank->budget, exchange_bytes(rank->group.size, rank->worker_count, rank->state_words))
             ? FLOE_OK
             : FLOE_ERROR_MEMORY;
}

void together_close(struct rank *rank) {
  exchange_free(rank->exchange);
  rank->exchange = NULL;
}

/* ---- what is said -------------------------------------------------------------------------------- */

static uint64_t triggered_here(const struct rank *rank) {
  uint64_t triggered = 0;
  for (unsigned i = 0; i < rank->worker_count; i++)
    triggered |= rank->workers[i].block.triggered;
  return triggered & search_wanted(rank->search);
}

static bool has_rest(const struct rank *rank, unsigned active) {
  for (unsigned i = 0; i < active; i++)
    if (!rank->workers[i].exhausted)
      return true;
  return false;
}

static struct figures figures_of(struct rank *rank, unsigned active) {
  const struct search *search = rank->search;
  struct figures figures = {.states = rank_states(rank),
                            .transitions = rank_transitions(rank),
                            .triggered = triggered_here(rank),
                            .ends = search->ended && search->status == FLOE_OK ? 1u << search->end : 0,
                            .status = (uint32_t)search->status,
                            .rest = has_rest(rank, active)};
  for (unsigned i = 0; i < rank->worker_count; i++) {
    const struct worker *worker = &rank->workers[i];
    figures.next += worker->closed.states;
    figures.failed |= worker->block.failed;
    figures.cut = figures.cut || worker->block.cut;
  }
  return figures;
}

/* The least of the workers' witnesses. */
static const struct engine_hit *least_hit(const struct rank *rank, size_t property) {
  const struct engine_hit *least = NULL;
  for (unsigned i = 0; i < rank->worker_count; i++) {
    const struct engine_hit *hit = &rank->workers[i].hits[property];
    if (hit->hit && (!least || words_less(hit->state, least->state, rank->state_words)))
      least = hit;
  }
  return least;
}

static size_t hit_bytes(const struct rank *rank) {
  return sizeof(struct found_hit) + rank->state_words * sizeof(uint64_t);
}

static unsigned char *say(const struct rank *rank, const struct figures *figures, size_t *bytes) {
  *bytes = sizeof *figures + (size_t)__builtin_popcountll(figures->triggered) * hit_bytes(rank);
  unsigned char *content = mem_alloc(*bytes), *at = content;
  if (!content)
    return NULL;
  memcpy(at, figures, sizeof *figures);
  at += sizeof *figures;
  for (uint64_t rest = figures->triggered; rest; rest &= rest - 1, at += hit_bytes(rank)) {
    const size_t property = (size_t)__builtin_ctzll(rest);
    const struct engine_hit *hit = least_hit(rank, property);
    const struct found_hit found = {
        .property = property, .depth = hit->depth, .transition = hit->error.transition, .site = hit->error.site};
    memcpy(at, &found, sizeof found);
    memcpy(at + sizeof found, hit->state, rank->state_words * sizeof(uint64_t));
  }
  return content;
}

/* ---- what all said ------------------------------------------------------------------------------- */

static struct figures figures_in(const struct said *said) {
  struct figures figures;
  memcpy(&figures, said->content, sizeof figures);
  return figures;
}

static void take_hits(struct rank *rank, const struct said *said, uint64_t triggered) {
  const unsigned char *at = said->content + sizeof(struct figures);
  for (uint64_t rest = triggered; rest; rest &= rest - 1, at += hit_bytes(rank)) {
    struct found_hit found;
    memcpy(&found, at, sizeof found);
    search_add_hit(rank->search, (size_t)found.property, (const uint64_t *)(at + sizeof found), found.depth,
                   (struct step_error){found.transition, found.site});
  }
}

/* The workers' own are among what was said. */
static void drop_hits(struct rank *rank) {
  for (unsigned i = 0; i < rank->worker_count; i++) {
    rank->workers[i].block.triggered = 0;
    for (size_t p = 0; p < rank->search->task->model->property_count; p++)
      rank->workers[i].hits[p].hit = false;
  }
}

static void gather(struct rank *rank, const struct said_all *all, const struct figures *sum) {
  for (unsigned i = 0; i < rank->group.size; i++)
    take_hits(rank, &all->by[i], figures_in(&all->by[i]).triggered);
  drop_hits(rank);
  search_note_hits(rank->search, sum->triggered);
  search_note_failures(rank->search, sum->failed, sum->cut, search_depth(rank->search));
}

static struct figures add_up(const struct rank *rank, const struct said_all *all, unsigned *failed_rank) {
  struct figures sum = {0};
  for (unsigned i = 0; i < rank->group.size; i++) {
    const struct figures one = figures_in(&all->by[i]);
    sum.states += one.states;
    sum.transitions += one.transitions;
    sum.next += one.next;
    sum.triggered |= one.triggered;
    sum.failed |= one.failed;
    sum.ends |= one.ends;
    sum.cut |= one.cut;
    sum.rest |= one.rest;
    if (sum.status == FLOE_OK && one.status != FLOE_OK) {
      sum.status = one.status;
      *failed_rank = i;
    }
  }
  return sum;
}

/* Of several reasons the first that stands here is told: what cannot be made good again comes first. */
static const floe_end weight[] = {FLOE_END_DISK, FLOE_END_MEMORY, FLOE_END_TIMEOUT, FLOE_END_INTERRUPT};

static void end_as_agreed(struct rank *rank, const struct figures *sum, unsigned failed_rank) {
  struct search *search = rank->search;
  if (sum->status != FLOE_OK) {
    if (search->status == FLOE_OK && sum->status != FLOE_ERROR_MEMORY)
      diag_error(search->log, NULL, NOWHERE, NULL, "rank %u failed: %s", failed_rank,
                 floe_status_name((floe_status)sum->status));
    search_fail(search, (floe_status)sum->status);
    return;
  }
  for (size_t i = sizeof weight / sizeof *weight; i-- > 0;)
    if (sum->ends >> weight[i] & 1)
      search_finish(search, weight[i]);
}

static void lose_others(struct rank *rank, floe_status status) {
  post_fail(post_of(rank), status);
  diag_error(rank->search->log, NULL, NOWHERE, NULL, "the other processes of this run cannot be reached any more%s",
             status == FLOE_ERROR_MEMORY ? ": out of memory" : "");
  search_fail(rank->search, status == FLOE_ERROR_MEMORY ? FLOE_ERROR_MEMORY : FLOE_ERROR_IO);
}

/* What all come to; hits and failures are gathered where the level is done with, one way or the other. */
static struct figures conclude(struct rank *rank, unsigned active) {
  const struct figures mine = figures_of(rank, active);
  struct said_all all = {NULL, NULL};
  struct figures sum = {.status = FLOE_ERROR_MEMORY};
  unsigned failed_rank = 0;
  size_t bytes;
  unsigned char *content = say(rank, &mine, &bytes);
  floe_status status = content ? agree(post_of(rank), content, bytes, &rank->search->stop, &all) : FLOE_ERROR_MEMORY;
  mem_free(content);
  if (status != FLOE_OK) {
    lose_others(rank, status);
    return sum;
  }
  sum = add_up(rank, &all, &failed_rank);
  rank->group.states = sum.states;
  rank->group.transitions = sum.transitions;
  rank->group.next = sum.next;
  rank->group.others = sum.states - mine.states;
  rank->group.others_fired = sum.transitions - mine.transitions;
  end_as_agreed(rank, &sum, failed_rank);
  if (rank->search->status == FLOE_OK && (rank->search->ended || !sum.rest))
    gather(rank, &all, &sum);
  agree_free(&all);
  return sum;
}

void together_begin(struct rank *rank) {
  if (!rank->search->level_states && !search_make_room(rank->search, 1))
    search_fail(rank->search, FLOE_ERROR_MEMORY);
  for (unsigned i = 0; rank->workers && i < rank->worker_count; i++)
    rank->workers[i].exhausted = true;
  conclude(rank, 0);
}

/* ---- a phase ------------------------------------------------------------------------------------- */

/* What the workers hold is put, and sent. False: the search has to end. */
static bool settle(struct rank *rank) {
  for (unsigned i = 0; i < rank->worker_count; i++)
    while (!rank->search->ended && !worker_settle(&rank->workers[i])) {
      const unsigned why = rank_stopped(rank);
      rank_handle_stop(rank, why & ~(unsigned)STOP_OTHERS);
    }
  return !rank->search->ended;
}

/* Nobody expands any more: what is under way to this member arrives, and is put as long as that is possible. */
static void drain(struct rank *rank) {
  struct post *post = post_of(rank);
  struct worker *first = &rank->workers[0];
  unsigned rests = 0;
  double since = 0;
  if (rank->search->ended)
    exchange_give_up(rank->exchange);
  for (exchange_work(rank->exchange); !exchange_is_over(rank->exchange); exchange_work(rank->exchange)) {
    struct message *letter = rank->search->ended ? NULL : exchange_take(rank->exchange);
    if (letter) {
      first->letter = letter;
      first->letter_next = 0;
      if (!settle(rank))
        exchange_give_up(rank->exchange);
      rests = 0;
      continue;
    }
    if (post_is_lost(post, &rank->search->stop, &since) || post->status != FLOE_OK)
      break;
    post_rest(&rests);
  }
}

static void stop_phase(struct rank *rank) {
  if (!rank->search->ended)
    settle(rank);
  exchange_stop(rank->exchange);
  drain(rank);
}

/* Until all is expanded, or somebody stops. */
static void do_phase(struct rank *rank, bool together) {
  bool stop = rank->search->ended;
  while (!stop) {
    rank_work(rank, together);
    const unsigned why = rank_stopped(rank);
    if (!why)
      break;
    rank_handle_stop(rank, why);
    stop = rank->search->ended || (why & STOP_OTHERS);
  }
  if (stop)
    stop_phase(rank);
}

/* That the level has a next one fails here, where all learn of it. */
static void prepare_next(struct rank *rank) {
  if (!rank->search->ended && (!rank_close_chunks(rank) || !search_make_room(rank->search, 1)))
    search_finish(rank->search, FLOE_END_MEMORY);
}

bool together_expand(struct rank *rank) {
  const bool together = rank_share_out(rank);
  const unsigned active = together ? rank->worker_count : 1;
  for (;;) {
    post_next(post_of(rank));
    exchange_begin(rank->exchange, active);
    for (unsigned i = 0; i < active; i++)
      rank->workers[i].exhausted = false;
    do_phase(rank, together);
    prepare_next(rank);
    const struct figures sum = conclude(rank, active);
    if (rank->search->ended)
      return false;
    if (!sum.rest) {
      rank->dealt = false;
      return true;
    }
  }
}

/* ---- the end ------------------------------------------------------------------------------------- */

/* A member's sums, before its fired[transition_count]. */
struct sums {
  struct engine_member member;
  uint64_t deadlocks, checksum, max_out_degree;
  uint64_t growths, frontier_bytes, disk_bytes, tree_bytes, tree_contents, slots;
};

static struct sums sums_of(struct rank *rank, const struct engine_outcome *out) {
  struct sums sums = {.member = {.states = out->states,
                                 .transitions = out->transitions,
                                 .table_bytes = out->shape.bytes,
                                 .waited = post_of(rank)->waited,
                                 .threads = out->threads},
                      .deadlocks = out->deadlocks,
                      .checksum = out->checksum,
                      .max_out_degree = out->max_out_degree,
                      .growths = out->statistics.growths,
                      .frontier_bytes = out->statistics.frontier_bytes,
                      .disk_bytes = out->statistics.disk_bytes,
                      .tree_bytes = out->statistics.tree_bytes,
                      .tree_contents = out->statistics.tree_contents,
                      .slots = out->shape.slots};
  exchange_sent(rank->exchange, &sums.member.letters, &sums.member.sent);
  return sums;
}

static void add(struct rank *rank, const struct said *said, struct engine_outcome *out) {
  const size_t transitions = rank->search->task->model->transition_count;
  struct sums sums;
  memcpy(&sums, said->content, sizeof sums);
  out->states += sums.member.states;
  out->transitions += sums.member.transitions;
  out->deadlocks += sums.deadlocks;
  out->checksum += sums.checksum;
  if (sums.max_out_degree > out->max_out_degree)
    out->max_out_degree = (uint32_t)sums.max_out_degree;
  out->statistics.growths += sums.growths;
  out->statistics.frontier_bytes += sums.frontier_bytes;
  out->statistics.disk_bytes += sums.disk_bytes;
  out->statistics.tree_bytes += sums.tree_bytes;
  out->statistics.tree_contents += sums.tree_contents;
  out->shape.bytes += sums.member.table_bytes;
  out->shape.slots += sums.slots;
  out->threads += (unsigned)sums.member.threads;
  for (size_t t = 0; t < transitions; t++) {
    uint64_t fired;
    memcpy(&fired, said->content + sizeof sums + t * sizeof fired, sizeof fired);
    rank->search->fired[t] += fired;
  }
}

static floe_status take_sums(struct rank *rank, const struct said_all *all, struct engine_outcome *out) {
  out->members = mem_array(rank->group.size, sizeof *out->members);
  if (!out->members)
    return FLOE_ERROR_MEMORY;
  out->member_count = rank->group.size;
  for (unsigned i = 0; i < rank->group.size; i++) {
    memcpy(&out->members[i], all->by[i].content, sizeof *out->members);
    if (i != rank->group.rank)
      add(rank, &all->by[i], out);
  }
  return FLOE_OK;
}

floe_status together_report(struct rank *rank, struct engine_outcome *out) {
  const size_t fired = rank->search->task->model->transition_count * sizeof(uint64_t);
  const struct sums sums = sums_of(rank, out);
  unsigned char *content = mem_alloc(sizeof sums + fired);
  struct said_all all;
  if (!content) {
    lose_others(rank, FLOE_ERROR_MEMORY);
    return FLOE_ERROR_MEMORY;
  }
  memcpy(content, &sums, sizeof sums);
  memcpy(content + sizeof sums, rank->search->fired, fired);
  floe_status status = agree(post_of(rank), content, sizeof sums + fired, NULL, &all);
  mem_free(content);
  if (status != FLOE_OK) {
    lose_others(rank, status);
    return FLOE_ERROR_IO;
  }
  status = take_sums(rank, &all, out);
  agree_free(&all);
  return status;
}
