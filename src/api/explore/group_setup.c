#include "api/explore/group_setup.h"

#include "api/processes.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/interruptible.h"
#include "engine/comm/allgather.h"
#include "engine/distributed/state_owner.h"

#include <string.h>

/* ---- what all say -------------------------------------------------------------------------------- */

static const struct ready *ready_in(const struct said_all *all, unsigned process) {
  return (const struct ready *)all->by[process].content;
}

static bool is_other(const struct ready *ready, const struct ready *mine) {
  return memcmp(ready->digest, mine->digest, sizeof mine->digest) != 0;
}

static void tell_failure(floe_log *log, const struct said_all *all, const struct ready *mine, bool again) {
  for (unsigned i = 1; i < processes_post()->group->size; i++) {
    const struct ready *ready = ready_in(all, i);
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
static floe_status say(const struct ready *mine, const void *more, size_t bytes, floe_log *log, bool again,
                       struct said_all *all) {
  struct post *post = processes_post();
  const struct stop stop = {.interrupt = running_flag()};
  unsigned char *content = mem_alloc(sizeof *mine + bytes);
  floe_status status = content ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (!content) {
    post_fail(post, status); /* the others would wait */
    return status;
  }
  memcpy(content, mine, sizeof *mine);
  if (bytes > 0)
    memcpy(content + sizeof *mine, more, bytes);
  status = agree(post, content, sizeof *mine + bytes, &stop, all);
  mem_free(content);
  FLOE_TRY(status);
  for (unsigned i = 0; i < post->group->size && status == FLOE_OK; i++) {
    status = (floe_status)ready_in(all, i)->status;
    if (status == FLOE_OK && is_other(ready_in(all, i), mine))
      status = FLOE_ERROR_USAGE;
  }
  if (status != FLOE_OK && post->group->rank == 0)
    tell_failure(log, all, mine, again);
  if (status != FLOE_OK)
    agree_free(all);
  return status;
}

/* ---- who there is -------------------------------------------------------------------------------- */

static unsigned members_of(const struct ready *ready) { return ready->devices ? ready->devices : 1; }

static bool is_beside(const struct ready *ready, const struct ready *mine) {
  return memcmp(ready->machine, mine->machine, sizeof mine->machine) == 0;
}

/* Processes next to each other on one machine. */
static struct engine_span find_machine(const struct assembly *a, const struct said_all *all, const struct ready *mine) {
  const struct group *group = processes_post()->group;
  unsigned first = group->rank, end = group->rank + 1;
  struct engine_span span = {a->first, a->counts[first]};
  while (first > 0 && is_beside(ready_in(all, first - 1), mine)) {
    span.count += a->counts[--first];
    span.first -= a->counts[first];
  }
  for (; end < group->size && is_beside(ready_in(all, end), mine); end++)
    span.count += a->counts[end];
  return span;
}

static floe_status take(struct assembly *a, const struct said_all *all, const struct ready *mine) {
  const struct group *group = processes_post()->group;
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
static floe_status take_owners(struct assembly *a, const struct engine_task *task, floe_status own) {
  struct post *post = processes_post();
  const struct stop stop = {.interrupt = running_flag()};
  const size_t bytes = task->layout->key_words * sizeof *a->owned_by;
  struct said_all all;
  a->owned_by = mem_alloc(bytes);
  floe_status status = own == FLOE_OK && !a->owned_by ? FLOE_ERROR_MEMORY : own;
  if (status == FLOE_OK && post->group->rank == 0)
    status = owners_choose(task->model, task->layout, task->initial, a->size, NULL, a->owned_by);
  const bool tells = status == FLOE_OK && post->group->rank == 0;
  FLOE_TRY(agree(post, tells ? (const void *)a->owned_by : "", tells ? bytes : 0, &stop, &all));
  if (status == FLOE_OK && all.by[0].bytes == bytes)
    memcpy(a->owned_by, all.by[0].content, bytes);
  else if (status == FLOE_OK) /* rank 0 had none for it */
    status = FLOE_ERROR_MEMORY;
  agree_free(&all);
  return status;
}

/* An error of the agreement leaves the post of no use. */
floe_status assembly_gather(struct assembly *assembly, const struct engine_task *task, struct ready *mine,
                            floe_log *log, bool again) {
  struct said_all all;
  *assembly = (struct assembly){.counts = NULL};
  processes_machine(mine->machine);
  FLOE_TRY(say(mine, NULL, 0, log, again, &all));
  const floe_status status = take(assembly, &all, mine);
  agree_free(&all);
  mine->status = (uint32_t)take_owners(assembly, task, status);
  return post_status(processes_post());
}

/* ---- what a search has of it --------------------------------------------------------------------- */

const struct engine *assembly_join(struct assembly *a, struct engine_task *task, const struct ready *mine) {
  const unsigned count = members_of(mine);
  for (unsigned i = 0; i < count; i++)
    a->links[i] = (struct engine_links){
        .all = a->all, .machine = a->machine, .process = {a->first, count}, .gpus = count > 1 ? task->devices : NULL};
  task->owned_by = a->owned_by;
  task->links = task->device_count > 0 ? a->links : NULL;
  task->member_counts = a->several ? a->counts : NULL;
  return engine_for(a->several ? MOST_DEVICES : task->device_count);
}

floe_status assembly_agree(struct assembly *a, const struct ready *mine, floe_log *log, bool again) {
  const unsigned count = a->links ? members_of(mine) : 0;
  struct engine_link *own = mem_array(count, sizeof *own);
  struct ready said = *mine;
  struct said_all all;
  if (!own)
    said.status = FLOE_ERROR_MEMORY;
  for (unsigned i = 0; own && i < count; i++)
    own[i] = a->links[i].own;
  const floe_status status = say(&said, own, own ? count * sizeof *own : 0, log, again, &all);
  mem_free(own);
  FLOE_TRY(status);
  unsigned next = 0;
  for (unsigned i = 0; i < processes_post()->group->size; next += a->counts[i++])
    memcpy(a->all + next, all.by[i].content + sizeof *mine, a->counts[i] * sizeof *a->all);
  agree_free(&all);
  return FLOE_OK;
}

void assembly_free(struct assembly *assembly) {
  mem_free(assembly->counts);
  mem_free(assembly->owned_by);
  mem_free(assembly->all);
  mem_free(assembly->links);
}
