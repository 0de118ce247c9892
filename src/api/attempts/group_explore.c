#include "api/attempts/group_explore.h"

#include "api/processes.h"
#include "checkpoint/identity.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "engine/comm/allgather.h"
#include "engine/distributed/owner_sampling.h"
#include "engine/peer_links.h"

#include <stdio.h>
#include <string.h>

/* First message of each process. */
struct hello {
  uint32_t status; /* floe_status of what the process has prepared */
  uint32_t devices;
  unsigned char digest[DIGEST_BYTES]; /* of model and keys */
  unsigned char machine[DIGEST_BYTES];
  char text[400]; /* the error, which process 0 logs */
};

struct group_search {
  struct attempts *attempts;
  floe_log *log;
  struct hello mine;
  unsigned *counts;            /* [processes] members of each */
  unsigned first;              /* first member of this process */
  struct member_range machine; /* consecutive members on this machine, those of this process included */
  bool several;                /* some process has more than one member */
  bool on_devices;             /* all members are GPUs */
  uint64_t *owner_mask;        /* engine/distributed/state_owner.h */
  struct peer_link *all;       /* [attempts->group.members] */
  struct peer_links *links;    /* [counts[rank]] */
};

/* ---- hellos -------------------------------------------------------------------------------------- */

static const struct hello *hello_of(const struct all_gathered *all, unsigned process) {
  return (const struct hello *)all->by[process].content;
}

static bool has_other_model(const struct hello *hello, const struct hello *mine) {
  return memcmp(hello->digest, mine->digest, sizeof mine->digest) != 0;
}

static void log_failures(const struct group_search *search, const struct all_gathered *all) {
  floe_log *log = search->log;
  for (unsigned i = 1; i < processes_comm()->group->size; i++) {
    const struct hello *hello = hello_of(all, i);
    const char *why = *hello->text ? hello->text : floe_status_name((floe_status)hello->status);
    if (hello->status != FLOE_OK && search->attempts->task.archive)
      diag_warning(log, NULL, NOWHERE, NULL, "rank %u cannot begin the second pass: %s", i, why);
    else if (hello->status != FLOE_OK)
      diag_error(log, NULL, NOWHERE, NULL, "rank %u cannot begin: %s", i, why);
    else if (has_other_model(hello, &search->mine))
      diag_error(log, NULL, NOWHERE, "run the same version of floe in all processes",
                 "rank %u derives a different model from the same text", i);
  }
}

static floe_status check_hellos(const struct all_gathered *all, const struct hello *mine) {
  floe_status status = FLOE_OK;
  for (unsigned i = 0; i < processes_comm()->group->size && status == FLOE_OK; i++) {
    status = (floe_status)hello_of(all, i)->status;
    if (status == FLOE_OK && has_other_model(hello_of(all, i), mine))
      status = FLOE_ERROR_USAGE;
  }
  return status;
}

/* Puts the status, and the first error in the log, into this process's hello. */
static void set_status(struct group_search *search, floe_status status) {
  struct hello *mine = &search->mine;
  mine->status = (uint32_t)status;
  for (size_t i = 0; status != FLOE_OK && i < floe_log_count(search->log) && !*mine->text; i++)
    if (floe_log_at(search->log, i)->severity == FLOE_ERROR)
      snprintf(mine->text, sizeof mine->text, "%s", floe_log_at(search->log, i)->message);
}

/* All-gather of the hellos, each followed by `bytes` at `payload`. On success the caller frees *all. */
static floe_status exchange_hellos(const struct group_search *search, const void *payload, size_t bytes,
                                   struct all_gathered *all) {
  const struct hello *mine = &search->mine;
  struct comm *comm = processes_comm();
  const struct stop stop = {.interrupt = interruptible_flag()};
  unsigned char *content = mem_alloc(sizeof *mine + bytes);
  if (!content) {
    comm_fail(comm, FLOE_ERROR_MEMORY); /* the other processes would wait */
    return FLOE_ERROR_MEMORY;
  }
  memcpy(content, mine, sizeof *mine);
  if (bytes > 0)
    memcpy(content + sizeof *mine, payload, bytes);
  floe_status status = allgather(comm, content, sizeof *mine + bytes, &stop, all);
  mem_free(content);
  FLOE_TRY(status);
  status = check_hellos(all, mine);
  if (status != FLOE_OK && comm->group->rank == 0)
    log_failures(search, all);
  if (status != FLOE_OK)
    gathered_free(all);
  return status;
}

/* ---- members ------------------------------------------------------------------------------------- */

static unsigned members_of(const struct hello *hello) { return hello->devices ? hello->devices : 1; }

static bool on_same_machine(const struct hello *hello, const struct hello *mine) {
  return memcmp(hello->machine, mine->machine, sizeof mine->machine) == 0;
}

/* Members of the processes of consecutive ranks on this machine. */
static struct member_range find_machine(const struct group_search *search, const struct all_gathered *all) {
  const struct hello *mine = &search->mine;
  const struct group *group = processes_comm()->group;
  unsigned first = group->rank, end = group->rank + 1;
  struct member_range range = {search->first, search->counts[first]};
  while (first > 0 && on_same_machine(hello_of(all, first - 1), mine)) {
    range.count += search->counts[--first];
    range.first -= search->counts[first];
  }
  for (; end < group->size && on_same_machine(hello_of(all, end), mine); end++)
    range.count += search->counts[end];
  return range;
}

static floe_status set_members(struct group_search *search, const struct all_gathered *all) {
  const struct group *group = processes_comm()->group;
  search->counts = mem_array(group->size, sizeof *search->counts);
  if (!search->counts)
    return FLOE_ERROR_MEMORY;
  search->on_devices = true;
  for (unsigned i = 0; i < group->size; i++) {
    search->on_devices = search->on_devices && hello_of(all, i)->devices > 0;
    search->counts[i] = members_of(hello_of(all, i));
    search->first += i < group->rank ? search->counts[i] : 0;
    search->attempts->group.members += search->counts[i];
    search->several = search->several || search->counts[i] > 1;
  }
  search->machine = find_machine(search, all);
  search->all = mem_array(search->attempts->group.members, sizeof *search->all);
  search->links = mem_array(members_of(&search->mine), sizeof *search->links);
  return search->all && search->links ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* ---- owners of states ---------------------------------------------------------------------------- */

/* Process 0 computes the mask and broadcasts it: the last bits of a logarithm differ between processors. `own`: status
   of this process so far; returns it, or the error of this step, which confirm reports. */
static floe_status set_owner_mask(struct group_search *search, floe_status own) {
  const struct engine_task *task = &search->attempts->task;
  struct comm *comm = processes_comm();
  const struct stop stop = {.interrupt = interruptible_flag()};
  const size_t bytes = task->layout->key_words * sizeof *search->owner_mask;
  struct all_gathered all;
  search->owner_mask = mem_alloc(bytes);
  floe_status status = own == FLOE_OK && !search->owner_mask ? FLOE_ERROR_MEMORY : own;
  if (status == FLOE_OK && comm->group->rank == 0)
    status = owner_mask_choose(task->model, task->layout, task->initial, search->attempts->group.members,
                               search->owner_mask);
  const bool sends = status == FLOE_OK && comm->group->rank == 0;
  FLOE_TRY(allgather(comm, sends ? (const void *)search->owner_mask : "", sends ? bytes : 0, &stop, &all));
  if (status == FLOE_OK && all.by[0].bytes == bytes)
    memcpy(search->owner_mask, all.by[0].content, bytes);
  else if (status == FLOE_OK) /* process 0 was out of memory */
    status = FLOE_ERROR_MEMORY;
  gathered_free(&all);
  return status;
}

/* ---- the search ---------------------------------------------------------------------------------- */

/* Sets the group's part of this process's task. */
static void join(struct group_search *search) {
  const unsigned count = members_of(&search->mine);
  struct engine_task *task = &search->attempts->task;
  for (unsigned i = 0; i < count; i++)
    search->links[i] = (struct peer_links){.all = search->all,
                                           .machine = search->machine,
                                           .process = {search->first, count},
                                           .gpus = count > 1 ? task->devices.gpus : NULL};
  task->group.owner_mask = search->owner_mask;
  task->group.links = task->devices.count > 0 ? search->links : NULL;
  task->group.member_counts = search->several ? search->counts : NULL;
}

/* Gathers search->links[].own of all members into search->all. */
static floe_status confirm(void *user, floe_status own) {
  struct group_search *search = user;
  const unsigned count = search->links ? members_of(&search->mine) : 0;
  struct peer_link *links = mem_array(count, sizeof *links);
  struct all_gathered all;
  set_status(search, links ? own : FLOE_ERROR_MEMORY);
  for (unsigned i = 0; links && i < count; i++)
    links[i] = search->links[i].own;
  const floe_status status = exchange_hellos(search, links, links ? count * sizeof *links : 0, &all);
  mem_free(links);
  FLOE_TRY(status);
  unsigned next = 0;
  for (unsigned i = 0; i < processes_comm()->group->size; next += search->counts[i++])
    memcpy(search->all + next, all.by[i].content + sizeof search->mine, search->counts[i] * sizeof *search->all);
  gathered_free(&all);
  return FLOE_OK;
}

/* An error of an all-gather makes the group unusable. */
static floe_status gather(struct group_search *search) {
  struct attempts_group *group = &search->attempts->group;
  struct all_gathered all;
  FLOE_TRY(exchange_hellos(search, NULL, 0, &all));
  group->own = set_members(search, &all);
  gathered_free(&all);
  group->own = set_owner_mask(search, group->own);
  group->first_alone = search->on_devices && search->attempts->task.group.restored_states == 0;
  if (group->own == FLOE_OK)
    join(search);
  return comm_status(processes_comm());
}

floe_status group_explore(struct attempts *attempts, floe_status own, floe_log *log, struct engine_outcome *out) {
  struct group_search search = {.attempts = attempts, .log = log, .mine.devices = attempts->task.devices.count};
  attempts->group = (struct attempts_group){.confirm = confirm, .user = &search};
  processes_machine(search.mine.machine);
  set_status(&search, own);
  if (own == FLOE_OK)
    checkpoint_identity(attempts->task.model, attempts->task.layout, search.mine.digest);
  floe_status status = gather(&search);
  if (status == FLOE_OK)
    status = attempts_run(attempts, out);
  mem_free(search.counts);
  mem_free(search.owner_mask);
  mem_free(search.all);
  mem_free(search.links);
  return status;
}
