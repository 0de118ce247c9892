#include "api/explore/group_setup.h"

#include "api/processes.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "engine/comm/allgather.h"
#include "engine/distributed/owner_sampling.h"

#include <string.h>

/* ---- hellos -------------------------------------------------------------------------------------- */

static const struct hello *hello_of(const struct all_gathered *all, unsigned process) {
  return (const struct hello *)all->by[process].content;
}

static bool has_other_model(const struct hello *hello, const struct hello *mine) {
  return memcmp(hello->digest, mine->digest, sizeof mine->digest) != 0;
}

static void log_failures(floe_log *log, const struct all_gathered *all, const struct hello *mine, bool second_pass) {
  for (unsigned i = 1; i < processes_comm()->group->size; i++) {
    const struct hello *hello = hello_of(all, i);
    const char *why = *hello->text ? hello->text : floe_status_name((floe_status)hello->status);
    if (hello->status != FLOE_OK && second_pass)
      diag_warning(log, NULL, NOWHERE, NULL, "rank %u cannot begin the second pass: %s", i, why);
    else if (hello->status != FLOE_OK)
      diag_error(log, NULL, NOWHERE, NULL, "rank %u cannot begin: %s", i, why);
    else if (has_other_model(hello, mine))
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

/* All-gather of the hellos, each followed by `bytes` at `payload`. On success the caller frees *all. */
static floe_status exchange_hellos(const struct hello *mine, const void *payload, size_t bytes, floe_log *log,
                                   bool second_pass, struct all_gathered *all) {
  struct comm *comm = processes_comm();
  const struct stop stop = {.interrupt = interruptible_flag()};
  unsigned char *content = mem_alloc(sizeof *mine + bytes);
  floe_status status = content ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (!content) {
    comm_fail(comm, status); /* the other processes would wait */
    return status;
  }
  memcpy(content, mine, sizeof *mine);
  if (bytes > 0)
    memcpy(content + sizeof *mine, payload, bytes);
  status = allgather(comm, content, sizeof *mine + bytes, &stop, all);
  mem_free(content);
  FLOE_TRY(status);
  status = check_hellos(all, mine);
  if (status != FLOE_OK && comm->group->rank == 0)
    log_failures(log, all, mine, second_pass);
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
static struct member_range find_machine(const struct group_setup *setup, const struct all_gathered *all,
                                        const struct hello *mine) {
  const struct group *group = processes_comm()->group;
  unsigned first = group->rank, end = group->rank + 1;
  struct member_range range = {setup->first, setup->counts[first]};
  while (first > 0 && on_same_machine(hello_of(all, first - 1), mine)) {
    range.count += setup->counts[--first];
    range.first -= setup->counts[first];
  }
  for (; end < group->size && on_same_machine(hello_of(all, end), mine); end++)
    range.count += setup->counts[end];
  return range;
}

static floe_status set_members(struct group_setup *setup, const struct all_gathered *all, const struct hello *mine) {
  const struct group *group = processes_comm()->group;
  setup->counts = mem_array(group->size, sizeof *setup->counts);
  if (!setup->counts)
    return FLOE_ERROR_MEMORY;
  setup->on_devices = true;
  for (unsigned i = 0; i < group->size; i++) {
    setup->on_devices = setup->on_devices && hello_of(all, i)->devices > 0;
    setup->counts[i] = members_of(hello_of(all, i));
    setup->first += i < group->rank ? setup->counts[i] : 0;
    setup->size += setup->counts[i];
    setup->several = setup->several || setup->counts[i] > 1;
  }
  setup->machine = find_machine(setup, all, mine);
  setup->all = mem_array(setup->size, sizeof *setup->all);
  setup->links = mem_array(members_of(mine), sizeof *setup->links);
  return setup->all && setup->links ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* ---- owners of states ---------------------------------------------------------------------------- */

/* Process 0 computes the mask and broadcasts it: the last bits of a logarithm differ between processors. `own`: status
   of this process so far; returns it, or the error of this step, which group_setup_confirm reports. */
static floe_status set_owner_mask(struct group_setup *setup, const struct engine_task *task, floe_status own) {
  struct comm *comm = processes_comm();
  const struct stop stop = {.interrupt = interruptible_flag()};
  const size_t bytes = task->layout->key_words * sizeof *setup->owner_mask;
  struct all_gathered all;
  setup->owner_mask = mem_alloc(bytes);
  floe_status status = own == FLOE_OK && !setup->owner_mask ? FLOE_ERROR_MEMORY : own;
  if (status == FLOE_OK && comm->group->rank == 0)
    status = owner_mask_choose(task->model, task->layout, task->initial, setup->size, NULL, setup->owner_mask);
  const bool sends = status == FLOE_OK && comm->group->rank == 0;
  FLOE_TRY(allgather(comm, sends ? (const void *)setup->owner_mask : "", sends ? bytes : 0, &stop, &all));
  if (status == FLOE_OK && all.by[0].bytes == bytes)
    memcpy(setup->owner_mask, all.by[0].content, bytes);
  else if (status == FLOE_OK) /* process 0 was out of memory */
    status = FLOE_ERROR_MEMORY;
  gathered_free(&all);
  return status;
}

/* An error of an all-gather makes the group unusable. */
floe_status group_setup_gather(struct group_setup *setup, const struct engine_task *task, struct hello *mine,
                               floe_log *log, bool second_pass) {
  struct all_gathered all;
  *setup = (struct group_setup){.counts = NULL};
  processes_machine(mine->machine);
  FLOE_TRY(exchange_hellos(mine, NULL, 0, log, second_pass, &all));
  const floe_status status = set_members(setup, &all, mine);
  gathered_free(&all);
  mine->status = (uint32_t)set_owner_mask(setup, task, status);
  return comm_status(processes_comm());
}

bool group_setup_begins_alone(const struct group_setup *setup, const struct engine_task *task) {
  const bool alone = setup->on_devices && task->group.restored_states == 0;
  if (alone)
    comm_next_epoch(task->group.comm);
  return alone;
}

/* ---- links --------------------------------------------------------------------------------------- */

const struct engine *group_setup_join(struct group_setup *setup, struct engine_task *task, const struct hello *mine) {
  const unsigned count = members_of(mine);
  for (unsigned i = 0; i < count; i++)
    setup->links[i] = (struct peer_links){.all = setup->all,
                                          .machine = setup->machine,
                                          .process = {setup->first, count},
                                          .gpus = count > 1 ? task->devices.gpus : NULL};
  task->group.owner_mask = setup->owner_mask;
  task->group.links = task->devices.count > 0 ? setup->links : NULL;
  task->group.member_counts = setup->several ? setup->counts : NULL;
  return engine_for(setup->several ? MOST_DEVICES : task->devices.count);
}

floe_status group_setup_confirm(struct group_setup *setup, const struct hello *mine, floe_log *log, bool second_pass) {
  const unsigned count = setup->links ? members_of(mine) : 0;
  struct peer_link *own = mem_array(count, sizeof *own);
  struct hello hello = *mine;
  struct all_gathered all;
  if (!own)
    hello.status = FLOE_ERROR_MEMORY;
  for (unsigned i = 0; own && i < count; i++)
    own[i] = setup->links[i].own;
  const floe_status status = exchange_hellos(&hello, own, own ? count * sizeof *own : 0, log, second_pass, &all);
  mem_free(own);
  FLOE_TRY(status);
  unsigned next = 0;
  for (unsigned i = 0; i < processes_comm()->group->size; next += setup->counts[i++])
    memcpy(setup->all + next, all.by[i].content + sizeof *mine, setup->counts[i] * sizeof *setup->all);
  gathered_free(&all);
  return FLOE_OK;
}

void group_setup_free(struct group_setup *setup) {
  mem_free(setup->counts);
  mem_free(setup->owner_mask);
  mem_free(setup->all);
  mem_free(setup->links);
}
