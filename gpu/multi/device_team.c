/* Engine of several GPUs of this process: each is a member of one group (gpu/multi/member.h) with a thread of its own.
   The group may have members in other processes, too (task->group.member_counts). */

#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/thread_pool.h"
#include "engine/comm/comm.h"
#include "engine/comm/group_local.h"
#include "engine/comm/group_nested.h"
#include "engine/distributed/owner_sampling.h"
#include "engine/peer_links.h"
#include "engine/search.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/driver/driver.h"
#include "gpu/engine/peer_devices.h"

#include <assert.h>

struct device {
  struct engine_task task;
  floe_options options;
  struct comm comm;
  floe_log *log, *log_before; /* the latter: to be restored in struct gpu */
  struct search *search;      /* of engine_gpu; NULL: none */
  struct engine_outcome outcome;
  floe_status status;
};

struct device_team {
  const struct engine_task *task;
  floe_log *log;
  bool nested;              /* the group has members in other processes */
  struct thread_pool *pool; /* a thread for each device */
  unsigned count;
  struct gpu_peers peers;
  uint64_t *owner_mask; /* as in struct engine_task */
  struct device device[];
};

static struct device_team *of(struct search *search) { return (struct device_team *)search; }

/* ---- all together ---------------------------------------------------------------------------- */

/* With fewer threads than devices, the members would wait for each other forever. */
static floe_status create_threads(struct device_team *all) {
  FLOE_TRY(pool_create(all->count, &all->pool));
  if (pool_size(all->pool) == all->count)
    return FLOE_OK;
  diag_error(all->log, NULL, NOWHERE, NULL, "cannot create a thread for each of %u GPUs", all->count);
  return FLOE_ERROR_UNSUPPORTED;
}

/* The first one reads and writes the checkpoints of all. */
static void share_checkpoints(const struct device_team *all, struct device *device, unsigned number) {
  device->task.group.saves = all->nested ? all->task->group.saves : all->task->snapshot.policy != NULL;
  device->task.group.restored_states = all->nested ? all->task->group.restored_states : snapshot_states(all->task);
  if (number == 0)
    return;
  device->options.threads = device->options.threads > all->count ? device->options.threads / all->count : 1;
  device->task.snapshot.policy = NULL;
  device->task.snapshot.from = NULL;
}

/* Each member has its part of host memory; the first one reports progress. */
static void make_task(struct device_team *all, unsigned number) {
  struct device *device = &all->device[number];
  device->task = *all->task;
  device->options = *all->task->options;
  device->options.memory /= all->count;
  if (number > 0)
    device->options.progress = NULL;
  device->task.options = &device->options;
  device->task.devices.gpus = &all->task->devices.gpus[number];
  device->task.devices.count = 1;
  device->task.group.comm = &device->comm;
  device->task.group.member_counts = NULL;
  share_checkpoints(all, device, number);
  if (all->nested) {
    device->task.group.links = all->task->group.links ? &all->task->group.links[number] : NULL;
    device->task.recorder = number == 0 ? all->task->recorder : NULL;
  } else {
    device->task.group.peers = &all->peers;
    device->task.group.owner_mask = all->owner_mask;
  }
}

static floe_status make_groups(const struct device_team *all, struct group *out[]) {
  const struct engine_task *task = all->task;
  if (!all->nested)
    return group_local_make(all->count, out);
  struct group *group = task->group.comm->group, *duplicate = group->kind->duplicate(group);
  if (!duplicate)
    return FLOE_ERROR_MEMORY;
  return group_nested_make(duplicate, &task->group.comm->mutex, task->group.comm->epoch, task->group.member_counts,
                           out);
}

static floe_status choose_owner_mask(struct device_team *all) {
  const struct engine_task *task = all->task;
  all->owner_mask = mem_array(task->layout->key_words, sizeof *all->owner_mask);
  if (!all->owner_mask)
    return FLOE_ERROR_MEMORY;
  return owner_mask_choose(task->model, task->layout, task->initial, all->count, all->owner_mask);
}

static floe_status make_devices(struct device_team *all) {
  struct group *groups[MOST_DEVICES];
  all->peers = (struct gpu_peers){.gpus = all->task->devices.gpus, .count = all->count};
  for (unsigned i = 0; i < all->count; i++) {
    make_task(all, i);
    FLOE_TRY(floe_log_create(&all->device[i].log));
  }
  FLOE_TRY(make_groups(all, groups));
  for (unsigned i = 0; i < all->count; i++)
    comm_open(groups[i], &all->device[i].comm);
  return FLOE_OK;
}

/* The first error, by number of the device. Passes the logs on. */
static floe_status status_of_all(struct device_team *all) {
  floe_status status = FLOE_OK;
  for (unsigned i = 0; i < all->count; i++) {
    const struct device *device = &all->device[i];
    diag_pass_on(device->log, all->log);
    if (status == FLOE_OK)
      status = device->status;
  }
  return status;
}

static void prepare_device(void *user, unsigned number) {
  struct device_team *all = user;
  struct device *device = &all->device[number];
  struct gpu *gpu = all->task->devices.gpus[number];
  device->log_before = gpu_set_log(gpu, device->log);
  device->status = gpu_use(gpu);
  if (device->status == FLOE_OK)
    device->status = engine_gpu.prepare(&device->task, device->log, &device->search);
}

static floe_status prepare_all(struct device_team *all) {
  if (!all->nested)
    FLOE_TRY(choose_owner_mask(all));
  FLOE_TRY(create_threads(all));
  FLOE_TRY(make_devices(all));
  pool_run(all->pool, prepare_device, all);
  return status_of_all(all);
}

static void explore_device(void *user, unsigned number) {
  struct device_team *all = user;
  struct device *device = &all->device[number];
  device->status = engine_gpu.explore(device->search, &device->outcome);
  if (all->nested && comm_status(&device->comm) != FLOE_OK)
    group_nested_fail(device->comm.group);
}

/* If a member's communication failed, the whole process has failed for the others. */
static void propagate_failures(struct device_team *all) {
  for (unsigned i = 0; all->nested && i < all->count; i++)
    if (comm_status(&all->device[i].comm) != FLOE_OK)
      comm_fail(all->task->group.comm, comm_status(&all->device[i].comm));
}

static floe_status explore(struct search *search, struct engine_outcome *out) {
  struct device_team *all = of(search);
  for (unsigned i = 0; i < all->count; i++)
    floe_log_clear(all->device[i].log);
  pool_run(all->pool, explore_device, all);
  propagate_failures(all);
  floe_status status = status_of_all(all);
  for (unsigned i = 0; i < all->count; i++)
    if (all->device[i].status == FLOE_OK && (i > 0 || status != FLOE_OK))
      engine_outcome_free(&all->device[i].outcome);
  if (status != FLOE_OK)
    return status;
  *out = all->device[0].outcome;
  return FLOE_OK;
}

static void drop_device(void *user, unsigned number) {
  struct device_team *all = user;
  struct device *device = &all->device[number];
  engine_gpu.drop(device->search);
  device->search = NULL;
  if (device->log)
    gpu_set_log(all->task->devices.gpus[number], device->log_before);
}

/* ---- the engine ---------------------------------------------------------------------------------- */

static void drop(struct search *search) {
  struct device_team *all = of(search);
  if (!all)
    return;
  mem_free(all->owner_mask);
  if (all->pool && pool_size(all->pool) == all->count)
    pool_run(all->pool, drop_device, all);
  pool_free(all->pool);
  for (unsigned i = 0; i < all->count; i++) {
    if (all->device[i].comm.group)
      comm_close(&all->device[i].comm, true);
    floe_log_free(all->device[i].log);
  }
  mem_free(all);
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  assert(!task->group.comm == !task->group.member_counts);
  assert(!(task->recorder && task->recorder->lookups) && !task->devices.host_backed);
  struct device_team *all = mem_alloc(sizeof *all + task->devices.count * sizeof all->device[0]);
  if (!all)
    return FLOE_ERROR_MEMORY;
  all->task = task;
  all->log = log;
  all->count = task->devices.count;
  all->nested = task->group.member_counts != NULL;
  const floe_status status = prepare_all(all);
  if (status == FLOE_OK)
    *out = (struct search *)all;
  else
    drop((struct search *)all);
  return status;
}

const struct engine engine_gpus = {
    .name = "gpu", .most_devices = MOST_DEVICES, .prepare = prepare, .explore = explore, .drop = drop};
