#include "engine/distributed/collective.h"

#include "core/diag.h"
#include "core/mem.h"
#include "engine/comm/allgather.h"

#include <inttypes.h>
#include <string.h>

/* Contribution of a member after a phase; followed, for each property of `triggered`, by a struct found_violation
   and its state. */
struct member_report {
  struct member_stats own;
  uint32_t ends;   /* mask of 1 << floe_end: why it must end */
  uint32_t status; /* floe_status: an error */
  uint32_t levels; /* levels begun */
};

struct found_violation {
  uint64_t property;
  uint32_t depth, transition, site, unused;
};

static struct comm *comm_of(const struct collective *t) { return t->search->task->group.comm; }

/* ---- creation ------------------------------------------------------------------------------------ */

void collective_join(struct collective *t, struct search *search) {
  struct comm *comm = search->task->group.comm;
  *t = (struct collective){.search = search, .words = search->task->layout->key_words, .size = 1};
  if (!comm)
    return;
  t->rank = comm->group->rank;
  t->size = comm->group->size;
  search->is_part = t->rank > 0;
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

/* ---- contributions ------------------------------------------------------------------------------- */

static struct member_report report_of(const struct collective *t, const struct member_stats *own) {
  const struct search *search = t->search;
  return (struct member_report){.own = *own,
                                .ends = search->ended && search->status == FLOE_OK ? 1u << search->end : 0,
                                .status = (uint32_t)search->status,
                                .levels = search->levels.count};
}

static size_t violation_bytes(const struct collective *t) {
  return sizeof(struct found_violation) + t->words * sizeof(uint64_t);
}

static unsigned char *encode_report(const struct collective *t, const struct member_report *member_report,
                                    collective_violation *violation_of, void *user, size_t *bytes) {
  *bytes = sizeof *member_report + (size_t)__builtin_popcountll(member_report->own.triggered) * violation_bytes(t);
  unsigned char *content = mem_alloc(*bytes), *at = content;
  if (!content)
    return NULL;
  memcpy(at, member_report, sizeof *member_report);
  at += sizeof *member_report;
  for (uint64_t rest = member_report->own.triggered; rest; rest &= rest - 1, at += violation_bytes(t)) {
    const size_t property = (size_t)__builtin_ctzll(rest);
    const struct engine_violation *violation = violation_of(user, property);
    const struct found_violation found = {.property = property,
                                          .depth = violation->depth,
                                          .transition = violation->error.transition,
                                          .site = violation->error.site};
    memcpy(at, &found, sizeof found);
    memcpy(at + sizeof found, violation->state, t->words * sizeof(uint64_t));
  }
  return content;
}

/* ---- reduction ----------------------------------------------------------------------------------- */

static struct member_report decode_report(const struct gathered *gathered) {
  struct member_report member_report;
  memcpy(&member_report, gathered->content, sizeof member_report);
  return member_report;
}

static void add_violations(const struct collective *t, const struct gathered *gathered, uint64_t triggered) {
  const unsigned char *at = gathered->content + sizeof(struct member_report);
  for (uint64_t rest = triggered; rest; rest &= rest - 1, at += violation_bytes(t)) {
    struct found_violation found;
    memcpy(&found, at, sizeof found);
    search_add_violation(t->search, (size_t)found.property, (const uint64_t *)(at + sizeof found), found.depth,
                         (struct step_error){found.transition, found.site});
  }
}

static void add_all_violations(const struct collective *t, const struct all_gathered *all,
                               const struct member_report *sum) {
  for (unsigned i = 0; i < t->size; i++)
    add_violations(t, &all->by[i], decode_report(&all->by[i]).own.triggered);
  search_note_violations(t->search, sum->own.triggered);
  search_note_failures(t->search, sum->own.failed, sum->own.firing_failed, search_depth(t->search));
}

static struct member_report sum_reports(const struct collective *t, const struct all_gathered *all,
                                        unsigned *failed_rank) {
  struct member_report sum = {.status = FLOE_OK};
  for (unsigned i = 0; i < t->size; i++) {
    const struct member_report one = decode_report(&all->by[i]);
    sum.own.states += one.own.states;
    sum.own.transitions += one.own.transitions;
    sum.own.next += one.own.next;
    sum.own.in_flight += one.own.in_flight;
    sum.own.triggered |= one.own.triggered;
    sum.own.failed |= one.own.failed;
    sum.ends |= one.ends;
    sum.own.firing_failed |= one.own.firing_failed;
    sum.own.unfinished |= one.own.unfinished;
    sum.own.checkpoint_due |= one.own.checkpoint_due;
    sum.own.unlinked |= one.own.unlinked;
    if (sum.status == FLOE_OK && one.status != FLOE_OK) {
      sum.status = one.status;
      *failed_rank = i;
    }
  }
  return sum;
}

/* Of several reasons to end the first in this list counts: what cannot be undone comes first. */
static const floe_end end_priority[] = {FLOE_END_DISK, FLOE_END_MEMORY, FLOE_END_TIMEOUT, FLOE_END_INTERRUPT};

static void end_search(struct collective *t, const struct member_report *sum, unsigned failed_rank) {
  struct search *search = t->search;
  if (sum->status != FLOE_OK) {
    const bool kept =
        search->task->archive && sum->status == FLOE_ERROR_IO; /* only traces need it: the verdicts are valid */
    if (search->status == FLOE_OK && kept)
      diag_warning(search->log, NULL, NOWHERE, NULL,
                   "rank %u cannot write its temporary file for the trace; TMPDIR names its folder", failed_rank);
    else if (search->status == FLOE_OK && sum->status != FLOE_ERROR_MEMORY)
      diag_error(search->log, NULL, NOWHERE, NULL, "rank %u failed: %s", failed_rank,
                 floe_status_name((floe_status)sum->status));
    search_fail(search, (floe_status)sum->status);
    return;
  }
  for (size_t i = sizeof end_priority / sizeof *end_priority; i-- > 0;)
    if (sum->ends >> end_priority[i] & 1)
      search_finish(search, end_priority[i]);
}

/* Devices finish levels independently of each other. */
static void check_levels(struct collective *t, const struct all_gathered *all) {
  for (unsigned i = 0; i < t->size && t->search->status == FLOE_OK; i++) {
    const uint32_t levels = decode_report(&all->by[i]).levels;
    if (levels == t->search->levels.count)
      continue;
    diag_error(t->search->log, NULL, NOWHERE, "use --device=N to explore on one GPU",
               "internal error: rank %u has begun %" PRIu32 " levels, rank %u %" PRIu32, t->rank,
               t->search->levels.count, i, levels);
    search_fail(t->search, FLOE_ERROR_INTERNAL);
  }
}

/* At the end of a level all packets have arrived. Packets sent through links between devices are not counted by any
   protocol. */
static void check_lost_packets(struct collective *t, const struct member_report *sum) {
  if (t->search->status != FLOE_OK || t->search->ended || sum->own.unfinished || sum->own.in_flight == 0)
    return;
  diag_error(t->search->log, NULL, NOWHERE, "use --device=N to explore on one GPU",
             "internal error: %" PRIu64 " packets of states were sent from device to device, and did not arrive",
             sum->own.in_flight);
  search_fail(t->search, FLOE_ERROR_INTERNAL);
}

void collective_fail(struct collective *t, floe_status status) {
  comm_fail(comm_of(t), status);
  diag_error(t->search->log, NULL, NOWHERE, NULL, "the other processes of this run are unreachable%s",
             status == FLOE_ERROR_MEMORY ? ": out of memory" : "");
  search_fail(t->search, status == FLOE_ERROR_MEMORY ? FLOE_ERROR_MEMORY : FLOE_ERROR_IO);
}

struct reduced_stats collective_reduce(struct collective *t, const struct member_stats *own,
                                       collective_violation *violation_of, void *user) {
  const struct member_report mine = report_of(t, own);
  struct all_gathered all = {NULL, NULL};
  unsigned failed_rank = 0;
  size_t bytes;
  unsigned char *content = encode_report(t, &mine, violation_of, user, &bytes);
  floe_status status = content ? allgather(comm_of(t), content, bytes, &t->search->stop, &all) : FLOE_ERROR_MEMORY;
  mem_free(content);
  if (status != FLOE_OK) {
    collective_fail(t, status);
    return (struct reduced_stats){.unlinked = true};
  }
  const struct member_report sum = sum_reports(t, &all, &failed_rank);
  t->states = sum.own.states;
  t->transitions = sum.own.transitions;
  t->next = sum.own.next;
  t->other_states = sum.own.states - own->states;
  t->other_transitions = sum.own.transitions - own->transitions;
  end_search(t, &sum, failed_rank);
  check_levels(t, &all);
  check_lost_packets(t, &sum);
  const bool gathered = t->search->status == FLOE_OK && (t->search->ended || !sum.own.unfinished);
  if (gathered)
    add_all_violations(t, &all, &sum);
  gathered_free(&all);
  return (struct reduced_stats){.unfinished = sum.own.unfinished,
                                .checkpoint_due = sum.own.checkpoint_due && !t->search->ended,
                                .unlinked = sum.own.unlinked,
                                .gathered = gathered};
}

struct reduced_stats collective_begin(struct collective *t, const struct member_stats *own) {
  if (!t->search->levels.states && !search_make_room(t->search, 1))
    search_fail(t->search, FLOE_ERROR_MEMORY);
  return collective_reduce(t, own, NULL, NULL);
}

void collective_drain(struct collective *t, bool (*is_done)(struct exchange *exchange), collective_take *take,
                      void *user) {
  struct exchange *exchange = t->exchange;
  unsigned pauses = 0;
  double since = 0;
  for (exchange_progress(exchange); !is_done(exchange); exchange_progress(exchange)) {
    if (take(user))
      pauses = 0;
    else if (exchange_is_stopped(exchange) || comm_timed_out(comm_of(t), &t->search->stop, &since))
      return;
    else
      comm_backoff(comm_of(t), &pauses);
  }
}

bool collective_is_exact(const struct collective *t) {
  const struct search *search = t->search;
  const bool continues = search->task->group.saves || search->task->group.records; /* in another phase */
  return !search->ended || (continues && search->status == FLOE_OK && search->end != FLOE_END_DISK);
}

/* ---- report -------------------------------------------------------------------------------------- */

/* Statistics of a member, followed by its fired[transition_count]. */
struct member_sums {
  struct engine_member member;
  uint64_t deadlocks, checksum, max_out_degree;
  uint64_t growths, frontier_bytes, disk_bytes, spilled_states, tree_bytes, tree_contents, slots;
};

static struct member_sums member_sums_of(struct collective *t, const struct engine_outcome *out) {
  struct member_sums member_sums = {.member = {.states = out->states,
                                               .transitions = out->transitions,
                                               .table_bytes = out->table.shape.bytes,
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
                                    .slots = out->table.shape.slots};
  exchange_count_sent(t->exchange, &member_sums.member.packets, &member_sums.member.sent);
  member_sums.member.packets += t->packets;
  member_sums.member.sent += t->sent;
  return member_sums;
}

static void add_sums(struct collective *t, const struct gathered *gathered, struct engine_outcome *out) {
  const size_t transitions = t->search->task->model->transition_count;
  struct member_sums member_sums;
  memcpy(&member_sums, gathered->content, sizeof member_sums);
  out->states += member_sums.member.states;
  out->transitions += member_sums.member.transitions;
  out->deadlocks += member_sums.deadlocks;
  out->checksum += member_sums.checksum;
  if (member_sums.max_out_degree > out->max_out_degree)
    out->max_out_degree = (uint32_t)member_sums.max_out_degree;
  out->statistics.growths += member_sums.growths;
  out->statistics.frontier_bytes += member_sums.frontier_bytes;
  out->statistics.disk_bytes += member_sums.disk_bytes;
  out->statistics.spilled_states += member_sums.spilled_states;
  out->statistics.tree_bytes += member_sums.tree_bytes;
  out->statistics.tree_contents += member_sums.tree_contents;
  out->table.shape.bytes += member_sums.member.table_bytes;
  out->table.shape.slots += member_sums.slots;
  out->threads += (unsigned)member_sums.member.threads;
  for (size_t i = 0; i < transitions; i++) {
    uint64_t fired;
    memcpy(&fired, gathered->content + sizeof member_sums + i * sizeof fired, sizeof fired);
    t->search->fired[i] += fired;
  }
}

static floe_status add_all_sums(struct collective *t, const struct all_gathered *all, struct engine_outcome *out) {
  out->group.members = mem_array(t->size, sizeof *out->group.members);
  if (!out->group.members)
    return FLOE_ERROR_MEMORY;
  out->group.count = t->size;
  for (unsigned i = 0; i < t->size; i++) {
    memcpy(&out->group.members[i], all->by[i].content, sizeof *out->group.members);
    if (i != t->rank)
      add_sums(t, &all->by[i], out);
  }
  return FLOE_OK;
}

floe_status collective_report(struct collective *t, struct engine_outcome *out) {
  static const atomic_bool ended = true;
  const struct stop stop = {.cancelled = &ended}; /* no member has long work left: one that does not report is lost */
  if (!comm_of(t))
    return FLOE_OK;
  const size_t fired = t->search->task->model->transition_count * sizeof(uint64_t);
  const struct member_sums member_sums = member_sums_of(t, out);
  unsigned char *content = mem_alloc(sizeof member_sums + fired);
  struct all_gathered all;
  if (!content) {
    collective_fail(t, FLOE_ERROR_MEMORY);
    return FLOE_ERROR_MEMORY;
  }
  memcpy(content, &member_sums, sizeof member_sums);
  memcpy(content + sizeof member_sums, t->search->fired, fired);
  floe_status status = gather_to_root(comm_of(t), content, sizeof member_sums + fired, &stop, &all);
  mem_free(content);
  if (status != FLOE_OK) {
    collective_fail(t, status);
    return FLOE_ERROR_IO;
  }
  if (t->rank == 0)
    status = add_all_sums(t, &all, out);
  gathered_free(&all);
  return status;
}
