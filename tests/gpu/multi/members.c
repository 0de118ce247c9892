#include "members.h"

#include "core/system/clock.h"
#include "engine/trace/level_archive.h"
#include "tests/engine/comm/group_threads.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *interrupt(void *data) {
  struct member *member = data;
  const double seconds = member->interrupt_after;
  const time_t whole = (time_t)seconds;
  nanosleep(&(struct timespec){.tv_sec = whole, .tv_nsec = (long)(1e9 * (seconds - (double)whole))}, NULL);
  atomic_store(&member->interrupt, true);
  return NULL;
}

static void start_interrupt(struct member *member) {
  if (member->interrupt_after > 0)
    ck_assert_int_eq(pthread_create(&member->interrupter, NULL, interrupt, member), 0);
}

/* As the handshake of an MPI job. */
static floe_status confirm(void *user, floe_status own) {
  struct member *member = user;
  for (unsigned i = 0; i < member->devices; i++) {
    member->wiring.published[member->first + i] = member->wiring.links[i].own;
    member->wiring.links[i].all = member->wiring.published;
  }
  member->setting.options.timeout = member->timeout;
  member->attempts.prepared.limits.started = clock_seconds();
  member->all_began = true;
  atomic_fetch_add(member->wiring.ready, own == FLOE_OK);
  pthread_barrier_wait(member->wiring.barrier);
  if (!member->ahead)
    start_interrupt(member);
  if (atomic_load(member->wiring.ready) == member->comm.group->size)
    return FLOE_OK;
  return own != FLOE_OK ? own : FLOE_ERROR_UNSUPPORTED; /* another member failed to prepare */
}

static floe_status explore(struct member *member, const struct engine_task *task) {
  unsigned members = 0;
  for (unsigned i = 0; i < member->comm.group->size; i++)
    members += member->wiring.device_counts ? member->wiring.device_counts[i] : 1;
  member->attempts = (struct attempts){
      .task = *task,
      .log = member->log,
      .gpu_log = member->log,
      .group = {.members = members, .first_alone = member->ahead, .confirm = confirm, .user = member}};
  if (member->ahead)
    start_interrupt(member);
  const floe_status status = attempts_run(&member->attempts, &member->outcome);
  if (member->interrupt_after > 0 && (member->ahead || member->all_began))
    pthread_join(member->interrupter, NULL);
  return status;
}

static void open_devices(struct member *member, struct stepper *stepper, struct gpu *gpus[]) {
  struct fake_settings device = member->setting.device;
  device.stepper = stepper;
  device.model = member->pair->loaded.model;
  for (unsigned i = 0; i < member->devices; i++) {
    gpus[i] = fake_open(&device);
    member->wiring.links[i].gpus = gpus;
    device.seed += 1000;
    device.fail_launch = 0; /* of the first GPU only */
  }
}

static void close_devices(struct member *member, struct gpu *gpus[]) {
  for (unsigned i = 0; i < member->devices; i++) {
    const struct fake_counts counts = fake_counts(gpus[i]);
    member->counts.explores += counts.explores;
    member->counts.inserts += counts.inserts;
    member->counts.rehashes += counts.rehashes;
    member->counts.beside_copies += counts.beside_copies;
    member->left += fake_close(gpus[i]);
  }
}

static void *run_member(void *data) {
  struct member *member = data;
  const struct loaded *loaded = &member->pair->loaded;
  struct stepper *stepper;
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  ck_assert_int_eq(floe_log_create(&member->log), FLOE_OK);
  struct gpu *gpus[MOST_HERE];
  open_devices(member, stepper, gpus);
  const double begun = clock_seconds();
  struct engine_task task = {.model = loaded->model,
                             .layout = loaded->layout,
                             .initial = member->pair->initial,
                             .stepper = stepper,
                             .options = &member->setting.options,
                             .property_mask = UINT64_MAX >> (64 - loaded->model->property_count),
                             .limits.interrupt = &member->interrupt,
                             .limits.started = begun,
                             .archive = member->archive,
                             .recorder = member->recorder,
                             .group.records = member->recorded,
                             .devices.gpus = gpus,
                             .devices.count = member->on_cpu ? 0 : member->devices,
                             .group.comm = &member->comm,
                             .group.member_counts = member->wiring.device_counts,
                             .group.links = member->wiring.reached ? member->wiring.links : NULL};
  member->status = explore(member, &task);
  member->seconds = clock_seconds() - begun;
  comm_close(&member->comm, member->status == FLOE_ERROR_IO);
  close_devices(member, gpus);
  stepper->free(stepper);
  return NULL;
}

void members_make(struct member *members, unsigned size, unsigned cpus, uint64_t seed, const struct pair *pair,
                  const struct setting *setting) {
  struct group *groups[MOST_MEMBERS];
  ck_assert(group_threads_make(size, seed, groups));
  for (unsigned i = 0; i < size; i++) {
    members[i] = (struct member){.pair = pair, .setting = *setting, .on_cpu = cpus >> i & 1, .devices = 1, .first = i};
    members[i].setting.device.seed += seed * MOST_MEMBERS + i;
    members[i].setting.options.timeout = 0;
    members[i].timeout = setting->options.timeout;
    comm_open(groups[i], &members[i].comm);
  }
}

void members_nest(struct member *members, unsigned size, const unsigned *counts) {
  for (unsigned i = 0; i < size; i++) {
    ck_assert_uint_le(counts[i], MOST_HERE);
    members[i].wiring.device_counts = counts;
    members[i].devices = counts[i];
    members[i].first = i ? members[i - 1].first + counts[i - 1] : 0;
  }
}

void members_send_from_device(struct member *members, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    members[i].comm.group->device_aware = true;
}

static unsigned end_of(const struct member *member) { return member->first + member->devices; }

void members_place(struct member *members, unsigned size, unsigned here) {
  const unsigned first = end_of(&members[here - 1]);
  const struct member_range machines[] = {{0, first}, {first, end_of(&members[size - 1]) - first}};
  for (unsigned i = 0; i < size; i++) {
    members[i].wiring.reached = true;
    for (unsigned k = 0; k < members[i].devices; k++) {
      members[i].wiring.links[k].machine = machines[i >= here];
      members[i].wiring.links[k].process = (struct member_range){members[i].first, members[i].devices};
    }
  }
}

void members_run(struct member *members, unsigned size) {
  struct peer_link published[MOST_MEMBERS * MOST_HERE];
  pthread_barrier_t barrier;
  atomic_uint ready = 0;
  pthread_barrier_init(&barrier, NULL, size);
  setenv("FLOE_GPU_TEST", members[0].setting.test_settings ? members[0].setting.test_settings : "", 1);
  for (unsigned i = 0; i < size; i++) {
    members[i].wiring.barrier = &barrier;
    members[i].wiring.published = published;
    members[i].wiring.ready = &ready;
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, run_member, &members[i]), 0);
  }
  for (unsigned i = 0; i < size; i++)
    pthread_join(members[i].thread, NULL);
  pthread_barrier_destroy(&barrier);
  for (unsigned i = 0; i < size; i++)
    ck_assert_uint_eq(members[i].left, 0);
}

void members_free(struct member *members, unsigned size) {
  for (unsigned i = 0; i < size; i++) {
    if (members[i].status == FLOE_OK)
      engine_outcome_free(&members[i].outcome);
    archive_free(members[i].archive);
    floe_log_free(members[i].log);
  }
}

static void check_all_done(const struct member *members, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    ck_assert_msg(members[i].status == FLOE_OK, "member %u: status %d: %s", i, (int)members[i].status,
                  floe_log_count(members[i].log) ? floe_log_at(members[i].log, 0)->message : "");
}

void members_compare(const struct pair *pair, const struct engine_outcome *alone, const struct member *members,
                     unsigned size) {
  const struct engine_outcome *all = &members[0].outcome;
  uint64_t states = 0, sent = 0;
  check_all_done(members, size);
  pair_compare(pair, alone, all);
  ck_assert_uint_eq(all->group.count, end_of(&members[size - 1]));
  for (unsigned i = 0; i < all->group.count; i++) {
    states += all->group.members[i].states;
    sent += all->group.members[i].sent;
  }
  for (unsigned i = 0; i < size; i++)
    ck_assert_uint_eq(members[i].outcome.levels, alone->levels);
  ck_assert_uint_eq(states, alone->states);
  ck_assert(alone->states < 100 || all->group.count == 1 || sent > 0);
}

struct setting members_plain(void) {
  struct setting setting = pair_plain();
  setting.options.keep_going = true;
  setting.device.stop_percent = 5;
  return setting;
}

void scene_begin(struct scene *scene, const struct subject *subject, const struct setting *setting,
                 const struct member_group *group) {
  scene->size = group->size;
  pair_open(&scene->pair, subject);
  scene->alone = pair_on_cpu(&scene->pair, setting);
  members_make(scene->members, group->size, group->cpus, setting->device.seed, &scene->pair, setting);
  if (group->device_counts)
    members_nest(scene->members, group->size, group->device_counts);
  members_place(scene->members, group->size, group->here);
}

void scene_end(struct scene *scene) {
  members_free(scene->members, scene->size);
  engine_outcome_free(&scene->alone);
  pair_close(&scene->pair);
}
