#include "engine/distributed/collective.h"

#include "core/diag.h"
#include "core/mem.h"
#include "engine/comm/allgather.h"

#include <inttypes.h>
#include <string.h>

/* What a member says after a phase; then, for each property of `triggered`, a struct found_hit and its state. */
struct figures {
  struct member_stats own;
  uint32_t ends;   /* mask of 1 << floe_end: why it has to end */
  uint32_t status; /* floe_status: an error */
  uint32_t levels; /* begun */
};

struct found_hit {
  uint64_t property;
  uint32_t depth, transition, site, unused;
};

static struct comm *comm_of(const struct collective *t) { return t->search->task->group.comm; }

/* ---- creation ------------------------------------------------------------------------------------ */

void collective_join(struct collective *t, struct search *search) {
  struct comm *comm = search->task->group.comm;
  *t = (struct collective){.search = search, .words = search->task->layout->key_words};
  if (!comm)
    return;
  t->rank = comm->group->rank;
  t->size = comm->group->size;
  state_owner_make(search->task->layout, search->task->group.owner_mask, t->size, &t->state_owner);
  comm->idle_seconds = 0;
}

floe_status collective_open(struct collective *t, const struct exchange_plan *plan, uint64_t *bytes) {
  *bytes = 0;
  if (!comm_of(t))
    return FLOE_OK;
  *bytes = exchange_bytes(t->size, plan);
  return exchange_create(comm_of(t), plan, &t->exchange);
}

void collective_close(struct collective *t) {
  exchange_free(t->exchange);
  t->exchange = NULL;
}

/* ---- what is said -------------------------------------------------------------------------------- */

static struct figures figures_of(const struct collective *t, const struct member_stats *own) {
  const struct search *search = t->search;
  return (struct figures){.own = *own,
                          .ends = search->ended && search->status == FLOE_OK ? 1u << search->end : 0,
                          .status = (uint32_t)search->status,
                          .levels = search->levels};
}

static size_t hit_bytes(const struct collective *t) { return sizeof(struct found_hit) + t->words * sizeof(uint64_t); }

static unsigned char *say(const struct collective *t, const struct figures *figures, collective_violation *hit_of,
                          void *user, size_t *bytes) {
  *bytes = sizeof *figures + (size_t)__builtin_popcountll(figures->own.triggered) * hit_bytes(t);
  unsigned char *content = mem_alloc(*bytes), *at = content;
  if (!content)
    return NULL;
  memcpy(at, figures, sizeof *figures);
  at += sizeof *figures;
  for (uint64_t rest = figures->own.triggered; rest; rest &= rest - 1, at += hit_bytes(t)) {
    const size_t property = (size_t)__builtin_ctzll(rest);
    const struct engine_violation *violation = hit_of(user, property);
    const struct found_hit found = {.property = property,
                                    .depth = violation->depth,
                                    .transition = violation->error.transition,
                                    .site = violation->error.site};
    memcpy(at, &found, sizeof found);
    memcpy(at + sizeof found, violation->state, t->words * sizeof(uint64_t));
  }
  return content;
}

/* ---- what all said ------------------------------------------------------------------------------- */

static struct figures figures_in(const struct gathered *gathered) {
  struct figures figures;
  memcpy(&figures, gathered->content, sizeof figures);
  return figures;
}

static void take_hits(const struct collective *t, const struct gathered *gathered, uint64_t triggered) {
  const unsigned char *at = gathered->content + sizeof(struct figures);
  for (uint64_t rest = triggered; rest; rest &= rest - 1, at += hit_bytes(t)) {
    struct found_hit found;
    memcpy(&found, at, sizeof found);
    search_add_violation(t->search, (size_t)found.property, (const uint64_t *)(at + sizeof found), found.depth,
                         (struct step_error){found.transition, found.site});
  }
}

static void gather(const struct collective *t, const struct all_gathered *all, const struct figures *sum) {
  for (unsigned i = 0; i < t->size; i++)
    take_hits(t, &all->by[i], figures_in(&all->by[i]).own.triggered);
  search_note_violations(t->search, sum->own.triggered);
  search_note_failures(t->search, sum->own.failed, sum->own.cut, search_depth(t->search));
}

static struct figures add_up(const struct collective *t, const struct all_gathered *all, unsigned *failed_rank) {
  struct figures sum = {.status = FLOE_OK};
  for (unsigned i = 0; i < t->size; i++) {
    const struct figures one = figures_in(&all->by[i]);
    sum.own.states += one.own.states;
    sum.own.transitions += one.own.transitions;
    sum.own.next += one.own.next;
    sum.own.in_flight += one.own.in_flight;
    sum.own.triggered |= one.own.triggered;
    sum.own.failed |= one.own.failed;
    sum.ends |= one.ends;
    sum.own.cut |= one.own.cut;
    sum.own.rest |= one.own.rest;
    sum.own.keep |= one.own.keep;
    sum.own.unlinked |= one.own.unlinked;
    if (sum.status == FLOE_OK && one.status != FLOE_OK) {
      sum.status = one.status;
      *failed_rank = i;
    }
  }
  return sum;
}

/* Of several reasons the first that stands here is told: what cannot be made good again comes first. */
static const floe_end weight[] = {FLOE_END_DISK, FLOE_END_MEMORY, FLOE_END_TIMEOUT, FLOE_END_INTERRUPT};

static void end_as_agreed(struct collective *t, const struct figures *sum, unsigned failed_rank) {
  struct search *search = t->search;
  if (sum->status != FLOE_OK) {
    const bool kept = search->task->archive && sum->status == FLOE_ERROR_IO; /* for traces: the verdicts stand */
    if (search->status == FLOE_OK && kept)
      diag_warning(search->log, NULL, NOWHERE, NULL, "rank %u: its temporary file for the trace cannot be written",
                   failed_rank);
    else if (search->status == FLOE_OK && sum->status != FLOE_ERROR_MEMORY)
      diag_error(search->log, NULL, NOWHERE, NULL, "rank %u failed: %s", failed_rank,
                 floe_status_name((floe_status)sum->status));
    search_fail(search, (floe_status)sum->status);
    return;
  }
  for (size_t i = sizeof weight / sizeof *weight; i-- > 0;)
    if (sum->ends >> weight[i] & 1)
      search_finish(search, weight[i]);
}

/* Devices close levels by themselves, each for itself. */
static void look_for_other_levels(struct collective *t, const struct all_gathered *all) {
  for (unsigned i = 0; i < t->size && t->search->status == FLOE_OK; i++) {
    const uint32_t levels = figures_in(&all->by[i]).levels;
    if (levels == t->search->levels)
      continue;
    diag_error(t->search->log, NULL, NOWHERE, "--device=N explores on one",
               "internal error: rank %u has begun %" PRIu32 " levels, rank %u %" PRIu32, t->rank, t->search->levels, i,
               levels);
    search_fail(t->search, FLOE_ERROR_INTERNAL);
  }
}

/* Where a level is done, all that was sent has come: links between devices are what no protocol can vouch for. */
static void look_for_lost(struct collective *t, const struct figures *sum) {
  if (t->search->status != FLOE_OK || t->search->ended || sum->own.rest || sum->own.in_flight == 0)
    return;
  diag_error(t->search->log, NULL, NOWHERE, "--device=N explores on one",
             "internal error: %" PRIu64 " packets of states were sent from device to device, and did not arrive",
             sum->own.in_flight);
  search_fail(t->search, FLOE_ERROR_INTERNAL);
}

void collective_fail(struct collective *t, floe_status status) {
  comm_fail(comm_of(t), status);
  diag_error(t->search->log, NULL, NOWHERE, NULL, "the other processes of this run cannot be reached any more%s",
             status == FLOE_ERROR_MEMORY ? ": out of memory" : "");
  search_fail(t->search, status == FLOE_ERROR_MEMORY ? FLOE_ERROR_MEMORY : FLOE_ERROR_IO);
}

struct reduced_stats collective_reduce(struct collective *t, const struct member_stats *own,
                                       collective_violation *hit_of, void *user) {
  const struct figures mine = figures_of(t, own);
  struct all_gathered all = {NULL, NULL};
  unsigned failed_rank = 0;
  size_t bytes;
  unsigned char *content = say(t, &mine, hit_of, user, &bytes);
  floe_status status = content ? allgather(comm_of(t), content, bytes, &t->search->stop, &all) : FLOE_ERROR_MEMORY;
  mem_free(content);
  if (status != FLOE_OK) {
    collective_fail(t, status);
    return (struct reduced_stats){.unlinked = true};
  }
  const struct figures sum = add_up(t, &all, &failed_rank);
  t->states = sum.own.states;
  t->transitions = sum.own.transitions;
  t->next = sum.own.next;
  t->others = sum.own.states - own->states;
  t->others_fired = sum.own.transitions - own->transitions;
  end_as_agreed(t, &sum, failed_rank);
  look_for_other_levels(t, &all);
  look_for_lost(t, &sum);
  const bool gathered = t->search->status == FLOE_OK && (t->search->ended || !sum.own.rest);
  if (gathered)
    gather(t, &all, &sum);
  gathered_free(&all);
  return (struct reduced_stats){.rest = sum.own.rest,
                                .keep = sum.own.keep && !t->search->ended,
                                .unlinked = sum.own.unlinked,
                                .gathered = gathered};
}

struct reduced_stats collective_begin(struct collective *t, const struct member_stats *own) {
  if (!t->search->level_states && !search_make_room(t->search, 1))
    search_fail(t->search, FLOE_ERROR_MEMORY);
  return collective_reduce(t, own, NULL, NULL);
}

void collective_drain(struct collective *t, bool (*is_done)(struct exchange *exchange), collective_take *take,
                      void *user) {
  struct exchange *exchange = t->exchange;
  unsigned rests = 0;
  double since = 0;
  for (exchange_progress(exchange); !is_done(exchange); exchange_progress(exchange)) {
    if (take(user))
      rests = 0;
    else if (exchange_is_stopped(exchange) || comm_timed_out(comm_of(t), &t->search->stop, &since))
      return;
    else
      comm_backoff(comm_of(t), &rests);
  }
}

bool collective_is_exact(const struct collective *t) {
  const struct search *search = t->search;
  const bool goes_on = search->task->group.saves || search->task->group.records; /* to another phase */
  return !search->ended || (goes_on && search->status == FLOE_OK && search->end != FLOE_END_DISK);
}

/* ---- the end ------------------------------------------------------------------------------------- */

/* A member's sums, before its fired[transition_count]. */
struct sums {
  struct engine_member member;
  uint64_t deadlocks, checksum, max_out_degree;
  uint64_t growths, frontier_bytes, disk_bytes, spilled_states, tree_bytes, tree_contents, slots;
};

static struct sums sums_of(struct collective *t, const struct engine_outcome *out) {
  struct sums sums = {.member = {.states = out->states,
                                 .transitions = out->transitions,
                                 .table_bytes = out->shape.bytes,
                                 .waited = comm_of(t)->idle_seconds,
                                 .threads = out->threads},
                      .deadlocks = out->deadlocks,
                      .checksum = out->checksum,
                      .max_out_degree = out->max_out_degree,
                      .growths = out->statistics.growths,
                      .frontier_bytes = out->statistics.frontier_bytes,
                      .disk_bytes = out->statistics.disk_bytes,
                      .spilled_states = out->statistics.spilled_states,
                      .tree_bytes = out->statistics.tree_bytes,
                      .tree_contents = out->statistics.tree_contents,
                      .slots = out->shape.slots};
  exchange_count_sent(t->exchange, &sums.member.packets, &sums.member.sent);
  sums.member.packets += t->packets;
  sums.member.sent += t->sent;
  return sums;
}

static void add(struct collective *t, const struct gathered *gathered, struct engine_outcome *out) {
  const size_t transitions = t->search->task->model->transition_count;
  struct sums sums;
  memcpy(&sums, gathered->content, sizeof sums);
  out->states += sums.member.states;
  out->transitions += sums.member.transitions;
  out->deadlocks += sums.deadlocks;
  out->checksum += sums.checksum;
  if (sums.max_out_degree > out->max_out_degree)
    out->max_out_degree = (uint32_t)sums.max_out_degree;
  out->statistics.growths += sums.growths;
  out->statistics.frontier_bytes += sums.frontier_bytes;
  out->statistics.disk_bytes += sums.disk_bytes;
  out->statistics.spilled_states += sums.spilled_states;
  out->statistics.tree_bytes += sums.tree_bytes;
  out->statistics.tree_contents += sums.tree_contents;
  out->shape.bytes += sums.member.table_bytes;
  out->shape.slots += sums.slots;
  out->threads += (unsigned)sums.member.threads;
  for (size_t i = 0; i < transitions; i++) {
    uint64_t fired;
    memcpy(&fired, gathered->content + sizeof sums + i * sizeof fired, sizeof fired);
    t->search->fired[i] += fired;
  }
}

static floe_status take_sums(struct collective *t, const struct all_gathered *all, struct engine_outcome *out) {
  out->members = mem_array(t->size, sizeof *out->members);
  if (!out->members)
    return FLOE_ERROR_MEMORY;
  out->member_count = t->size;
  for (unsigned i = 0; i < t->size; i++) {
    memcpy(&out->members[i], all->by[i].content, sizeof *out->members);
    if (i != t->rank)
      add(t, &all->by[i], out);
  }
  return FLOE_OK;
}

floe_status collective_report(struct collective *t, struct engine_outcome *out) {
  const size_t fired = t->search->task->model->transition_count * sizeof(uint64_t);
  const struct sums sums = sums_of(t, out);
  unsigned char *content = mem_alloc(sizeof sums + fired);
  struct all_gathered all;
  if (!content) {
    collective_fail(t, FLOE_ERROR_MEMORY);
    return FLOE_ERROR_MEMORY;
  }
  memcpy(content, &sums, sizeof sums);
  memcpy(content + sizeof sums, t->search->fired, fired);
  floe_status status = gather_to_root(comm_of(t), content, sizeof sums + fired, NULL, &all);
  mem_free(content);
  if (status != FLOE_OK) {
    collective_fail(t, status);
    return FLOE_ERROR_IO;
  }
  if (t->rank == 0)
    status = take_sums(t, &all, out);
  gathered_free(&all);
  return status;
}
