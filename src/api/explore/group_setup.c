#include "api/explore/group_setup.h"

#include "api/processes.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/interruptible.h"
#include "engine/comm/allgather.h"
#include "engine/distributed/state_owner.h"

#include <string.h>

/* ---- what all say -------------------------------------------------------------------------------- */

static const struct hello *ready_in(const struct all_gathered *all, unsigned process) {
  return (const struct hello *)all->by[process].content;
}

static bool is_other(const struct hello *ready, const struct hello *mine) {
  return memcmp(ready->digest, mine->digest, sizeof mine->digest) != 0;
}

static void tell_failure(floe_log *log, const struct all_gathered *all, const struct hello *mine, bool again) {
  for (unsigned i = 1; i < processes_comm()->group->size; i++) {
    const struct hello *ready = ready_in(all, i);
    const char *why = *ready->text ? ready->text : floe_status_name((floe_status)ready->status);
    if (ready->status != FLOE_OK && again)
      diag_warning(log, NULL, NOWHERE, NULL, "rank %u cannot begin the second run: %s", i, why);
    else if (ready->status != FLOE_OK)
      diag_error(log, NULL, NOWHERE, NULL, "rank %u cannot begin: %s", i, why);
    else if (is_other(ready, mine))
      diag_error(log, NULL, NOWHERE, "all ranks are to run the same version of floe",
                 "rank %u makes something else of the model", i);
  }
}

/* `more` goes with it: bytes of content. On success *all is to be freed. */
static floe_status say(const struct hello *mine, const void *more, size_t bytes, floe_log *log, bool again,
                       struct all_gathered *all) {
  struct comm *comm = processes_comm();
  const struct stop stop = {.interrupt = interruptible_flag()};
  unsigned char *content = mem_alloc(sizeof *mine + bytes);
  floe_status status = content ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (!content) {
    comm_fail(comm, status); /* the others would wait */
    return status;
  }
  memcpy(content, mine, sizeof *mine);
  if (bytes > 0)
    memcpy(content + sizeof *mine, more, bytes);
  status = agree(comm, content, sizeof *mine + bytes, &stop, all);
  mem_free(content);
  FLOE_TRY(status);
  for (unsigned i = 0; i < comm->group->size && status == FLOE_OK; i++) {
    status = (floe_status)ready_in(all, i)->status;
    if (status == FLOE_OK && is_other(ready_in(all, i), mine))
      status = FLOE_ERROR_USAGE;
  }
  if (status != FLOE_OK && comm->group->rank == 0)
    tell_failure(log, all, mine, again);
  if (status != FLOE_OK)
    gathered_free(all);
  return status;
}

/* ---- who there is -------------------------------------------------------------------------------- */

static unsigned members_of(const struct hello *ready) { return ready->devices ? ready->devices : 1; }

static bool is_beside(const struct hello *ready, const struct hello *mine) {
  return memcmp(ready->machine, mine->machine, sizeof mine->machine) == 0;
}

/* Processes next to each other on one machine. */
static struct member_range find_machine(const struct group_setup *a, const struct all_gathered *all, const struct hello *mine) {
  const struct group *group = processes_comm()->group;
  unsigned first = group->rank, end = group->rank + 1;
  struct member_range span = {a->first, a->counts[first]};
  while (first > 0 && is_beside(ready_in(all, first - 1), mine)) {
    span.count += a->counts[--first];
    span.first -= a->counts[first];
  }
  for (; end < group->size && is_beside(ready_in(all, end), mine); end++)
    span.count += a->counts[end];
  return span;
}

static floe_status take(struct group_setup *a, const struct all_gathered *all, const struct hello *mine) {
  const struct group *group = processes_comm()->group;
  a->counts = mem_array(group->size, sizeof *a->counts);
  if (!a->counts)
    return FLOE_ERROR_MEMORY;
  a->on_devices = true;
  for (unsigned i = 0; i < group->size; i++) {
    a->on_devices = a->on_devices && ready_in(all, i)->devices > 0;
    a->counts[i] = members_of(ready_in(all, i));
    a->first += i < group->rank ? a->counts[i] : 0;
    a->size += a->counts[i];
    a->several = a->several || a->counts[i] > 1;
  }
  a->machine = find_machine(a, all, mine);
  a->all = mem_array(a->size, sizeof *a->all);
  a->links = mem_array(members_of(mine), sizeof *a->links);
  return a->all && a->links ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* ---- whose states are ---------------------------------------------------------------------------- */

/* Rank 0 chooses and tells: processors differ in the last bits of a logarithm. Where it cannot, or one has no room for
   it, that one says so with the next word. */
static floe_status take_owners(struct group_setup *a, const struct engine_task *task, floe_status own) {
  struct comm *comm = processes_comm();
  const struct stop stop = {.interrupt = interruptible_flag()};
  const size_t bytes = task->layout->key_words * sizeof *a->owner_mask;
  struct all_gathered all;
  a->owner_mask = mem_alloc(bytes);
  floe_status status = own == FLOE_OK && !a->owner_mask ? FLOE_ERROR_MEMORY : own;
  if (status == FLOE_OK && comm->group->rank == 0)
    status = state_owner_choose(task->model, task->layout, task->initial, a->size, NULL, a->owner_mask);
  const bool tells = status == FLOE_OK && comm->group->rank == 0;
  FLOE_TRY(agree(comm, tells ? (const void *)a->owner_mask : "", tells ? bytes : 0, &stop, &all));
  if (status == FLOE_OK && all.by[0].bytes == bytes)
    memcpy(a->owner_mask, all.by[0].content, bytes);
  else if (status == FLOE_OK) /* rank 0 had none for it */
    status = FLOE_ERROR_MEMORY;
  gathered_free(&all);
  return status;
}

/* An error of the agreement leaves the post of no use. */
floe_status group_setup_gather(struct group_setup *setup, const struct engine_task *task, struct hello *mine,
                            floe_log *log, bool again) {
  struct all_gathered all;
  *setup = (struct group_setup){.counts = NULL};
  processes_machine(mine->machine);
  FLOE_TRY(say(mine, NULL, 0, log, again, &all));
  const floe_status status = take(setup, &all, mine);
  gathered_free(&all);
  mine->status = (uint32_t)take_owners(setup, task, status);
  return comm_status(processes_comm());
}

/* ---- what a search has of it --------------------------------------------------------------------- */

const struct engine *group_setup_join(struct group_setup *a, struct engine_task *task, const struct hello *mine) {
  const unsigned count = members_of(mine);
  for (unsigned i = 0; i < count; i++)
    a->links[i] = (struct peer_links){
        .all = a->all, .machine = a->machine, .process = {a->first, count}, .gpus = count > 1 ? task->devices : NULL};
  task->owner_mask = a->owner_mask;
  task->links = task->device_count > 0 ? a->links : NULL;
  task->member_counts = a->several ? a->counts : NULL;
  return engine_for(a->several ? MOST_DEVICES : task->device_count);
}

floe_status group_setup_agree(struct group_setup *a, const struct hello *mine, floe_log *log, bool again) {
  const unsigned count = a->links ? members_of(mine) : 0;
  struct peer_link *own = mem_array(count, sizeof *own);
  struct hello gathered = *mine;
  struct all_gathered all;
  if (!own)
    gathered.status = FLOE_ERROR_MEMORY;
  for (unsigned i = 0; own && i < count; i++)
    own[i] = a->links[i].own;
  const floe_status status = say(&gathered, own, own ? count * sizeof *own : 0, log, again, &all);
  mem_free(own);
  FLOE_TRY(status);
  unsigned next = 0;
  for (unsigned i = 0; i < processes_comm()->group->size; next += a->counts[i++])
    memcpy(a->all + next, all.by[i].content + sizeof *mine, a->counts[i] * sizeof *a->all);
  gathered_free(&all);
  return FLOE_OK;
}

void group_setup_free(struct group_setup *setup) {
  mem_free(setup->counts);
  mem_free(setup->owner_mask);
  mem_free(setup->all);
  mem_free(setup->links);
}
