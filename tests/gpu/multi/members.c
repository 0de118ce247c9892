#include "members.h"

#include "core/system/clock.h"
#include "tests/engine/comm/group_threads.h"
#include "tests/suite.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Where processes meet, as in the handshake of an MPI job. */
struct meeting {
  pthread_barrier_t barrier;
  atomic_uint ready;
  struct peer_link published[MOST_PROCESSES * MOST_GPUS];
};

/* ---- carriers ------------------------------------------------------------------------------------ */

bool carrier_is_group(const struct carrier *carrier) { return carrier->processes > 1; }

static bool is_nested(const struct carrier *carrier) { return carrier_is_group(carrier) && carrier->gpus[0]; }

static unsigned gpus_of(const struct carrier *carrier, unsigned process) {
  return carrier->gpus[0] ? carrier->gpus[process] : !(carrier->cpus >> process & 1);
}

static unsigned members_before(const struct carrier *carrier, unsigned process) {
  unsigned members = 0;
  for (unsigned i = 0; i < process; i++)
    members += gpus_of(carrier, i) ? gpus_of(carrier, i) : 1;
  return members;
}

unsigned carrier_members(const struct carrier *carrier) { return members_before(carrier, carrier->processes); }

/* ---- making -------------------------------------------------------------------------------------- */

struct setting members_plain(void) {
  struct setting setting = pair_plain();
  setting.options.keep_going = true;
  setting.options.progress_seconds = 1000;
  setting.device.stop_percent = 5;
  if (!at_length())
    setting.device.multiprocessors = 1;
  setting.test_settings = "alone=20";
  return setting;
}

static void open_gpus(struct member *member, const struct carrier *carrier, const struct setting *setting,
                      const struct fault *fault) {
  for (unsigned i = 0; i < member->task.devices.count; i++) {
    struct fake_settings device = setting->device;
    device.stepper = member->task.stepper;
    device.model = member->pair->loaded.model;
    device.seed = setting->device.seed * MOST_GPUS + member->first + i;
    device.apart = carrier->apart >> (member->first + i) & 1;
    if (member->first + i == fault->member) {
      device.fail_launch = fault->fail_launch;
      device.memory = fault->memory ? fault->memory : device.memory;
      device.host_memory = fault->host_memory ? fault->host_memory : device.host_memory;
    }
    member->gpus[i] = fake_open(&device);
  }
}

/* GPUs of a machine access each other's memory. */
static void link_gpus(struct member *member, const struct carrier *carrier, unsigned process) {
  const unsigned first = members_before(carrier, carrier->here), all = carrier_members(carrier);
  const struct member_range own = {member->first, member->count}, machines[] = {{0, first}, {first, all - first}};
  if (!carrier_is_group(carrier) || (!is_nested(carrier) && !carrier->here))
    return;
  member->task.group.links = member->links;
  for (unsigned i = 0; i < member->count; i++)
    member->links[i] = (struct peer_links){
        .gpus = member->gpus, .machine = carrier->here ? machines[process >= carrier->here] : own, .process = own};
}

static void count_look(const floe_progress *progress, void *user) {
  struct member *member = user;
  (void)progress;
  if (member->fault.looks > 0 && --member->fault.looks == 0)
    atomic_store(&member->interrupt, true);
}

static void set_fault(struct member *member, const struct fault *fault) {
  member->fault = *fault;
  if (fault->looks) {
    member->options.progress = count_look;
    member->options.progress_seconds = 0;
    member->options.user = member;
  }
  if (fault->host_memory)
    member->options.memory = fault->host_memory;
  if (fault->timeout > 0)
    member->timeout = fault->timeout;
  if (fault->calls)
    group_threads_vanish(member->comm.group, fault->calls);
}

static struct engine_task task_of(struct member *member, const struct setting *setting) {
  struct engine_task task = pair_task(member->pair, setting);
  task.options = &member->options;
  task.limits.interrupt = &member->interrupt;
  task.devices.gpus = member->gpus;
  ck_assert_int_eq(interpreter_create(task.model, task.layout, &task.stepper), FLOE_OK);
  return task;
}

void members_make(struct member *members, const struct carrier *carrier, const struct pair *pair,
                  const struct setting *setting, const struct fault *fault) {
  static const struct fault none;
  struct group *groups[MOST_PROCESSES];
  const struct fault *own = fault ? fault : &none;
  if (carrier_is_group(carrier))
    ck_assert(group_threads_make(carrier->processes, setting->device.seed, groups));
  setenv("FLOE_GPU_TEST", setting->test_settings ? setting->test_settings : "", 1);
  for (unsigned i = 0; i < carrier->processes; i++) {
    struct member *member = &members[i];
    *member = (struct member){.pair = pair, .options = setting->options, .timeout = setting->options.timeout};
    member->options.timeout = 0;
    ck_assert_int_eq(floe_log_create(&member->log), FLOE_OK);
    member->first = members_before(carrier, i);
    member->count = members_before(carrier, i + 1) - member->first;
    member->task = task_of(member, setting);
    member->task.devices.count = gpus_of(carrier, i);
    member->task.group.comm = carrier_is_group(carrier) ? &member->comm : NULL;
    member->task.group.member_counts = is_nested(carrier) ? carrier->gpus : NULL;
    member->attempts.group.members = carrier_members(carrier);
    member->attempts.group.first_alone = carrier->first_alone;
    if (carrier_is_group(carrier)) {
      groups[i]->device_aware = carrier->sends_devices;
      comm_open(groups[i], &member->comm);
    }
    if (own->member - member->first < member->count)
      set_fault(member, own);
    open_gpus(member, carrier, setting, own);
    link_gpus(member, carrier, i);
  }
}

/* ---- running ------------------------------------------------------------------------------------- */

static void *interrupt(void *data) {
  struct member *member = data;
  const double seconds = member->fault.interrupt_after;
  const time_t whole = (time_t)seconds;
  nanosleep(&(struct timespec){.tv_sec = whole, .tv_nsec = (long)(1e9 * (seconds - (double)whole))}, NULL);
  atomic_store(&member->interrupt, true);
  return NULL;
}

static void start_interrupt(struct member *member) {
  if (member->fault.interrupt_after > 0)
    ck_assert_int_eq(pthread_create(&member->interrupter, NULL, interrupt, member), 0);
}

static void start_clock(struct member *member) {
  member->options.timeout = member->timeout;
  member->attempts.task.limits.started = member->attempts.prepared.limits.started = clock_seconds();
}

static floe_status confirm(void *user, floe_status own) {
  struct member *member = user;
  struct meeting *meeting = member->meeting;
  for (unsigned i = 0; i < member->count; i++) {
    meeting->published[member->first + i] = member->links[i].own;
    member->links[i].all = meeting->published;
  }
  start_clock(member);
  member->all_began = true;
  atomic_fetch_add(&meeting->ready, own == FLOE_OK);
  pthread_barrier_wait(&meeting->barrier);
  if (!member->attempts.group.first_alone)
    start_interrupt(member);
  if (atomic_load(&meeting->ready) == member->comm.group->size)
    return FLOE_OK;
  return own != FLOE_OK ? own : FLOE_ERROR_MEMORY; /* another member failed to prepare */
}

static floe_status explore(struct member *member) {
  struct attempts *attempts = &member->attempts;
  const bool timed = !member->comm.group && (member->timeout > 0 || member->fault.interrupt_after > 0);
  attempts->task = member->task;
  attempts->task.limits.started = clock_seconds();
  attempts->log = attempts->gpu_log = member->log;
  attempts->group.confirm = confirm;
  attempts->group.user = member;
  if (timed)
    FLOE_TRY(attempts_prepare(attempts));
  if (timed)
    start_clock(member);
  if (!member->comm.group || attempts->group.first_alone)
    start_interrupt(member);
  const floe_status status = attempts_run(attempts, &member->outcome);
  if (member->fault.interrupt_after > 0 && (!member->comm.group || attempts->group.first_alone || member->all_began))
    pthread_join(member->interrupter, NULL);
  return status;
}

static void close_gpus(struct member *member) {
  for (unsigned i = 0; i < MOST_GPUS && member->gpus[i]; i++) {
    const struct fake_counts counts = fake_counts(member->gpus[i]);
    member->counts.explores += counts.explores;
    member->counts.rehashes += counts.rehashes;
    member->counts.beside_copies += counts.beside_copies;
    member->counts.peer_copies += counts.peer_copies;
    member->counts.staged += counts.staged;
    ck_assert_uint_eq(fake_close(member->gpus[i]), 0);
  }
}

static void *run_member(void *data) {
  struct member *member = data;
  const double begun = clock_seconds();
  member->status = explore(member);
  member->seconds = clock_seconds() - begun;
  if (member->comm.group)
    comm_close(&member->comm, comm_status(&member->comm) != FLOE_OK);
  return NULL;
}

void members_run(struct member *members, unsigned processes) {
  struct meeting meeting = {.ready = 0};
  pthread_barrier_init(&meeting.barrier, NULL, processes);
  for (unsigned i = 0; i < processes; i++) {
    members[i].meeting = &meeting;
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, run_member, &members[i]), 0);
  }
  for (unsigned i = 0; i < processes; i++)
    pthread_join(members[i].thread, NULL);
  pthread_barrier_destroy(&meeting.barrier);
  for (unsigned i = 0; i < processes; i++) {
    close_gpus(&members[i]);
    members[i].task.stepper->free(members[i].task.stepper);
  }
}

void members_free(struct member *members, unsigned processes) {
  for (unsigned i = 0; i < processes; i++) {
    if (members[i].status == FLOE_OK)
      engine_outcome_free(&members[i].outcome);
    floe_log_free(members[i].log);
  }
}

uint64_t members_counter(const struct member *members, unsigned processes, const char *name) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < processes; i++)
    sum += pair_counter(members[i].log, name);
  return sum;
}

/* ---- scenes -------------------------------------------------------------------------------------- */

void scene_begin(struct scene *scene, const struct subject *subject, const struct setting *setting,
                 const struct carrier *carrier, const struct fault *fault) {
  scene->carrier = *carrier;
  scene->setting = *setting;
  scene->alone = (struct engine_outcome){0};
  pair_open(&scene->pair, subject);
  members_make(scene->members, &scene->carrier, &scene->pair, setting, fault);
}

void scene_run(struct scene *scene) { members_run(scene->members, scene->carrier.processes); }

static void compare_parts(const struct scene *scene) {
  const struct engine_outcome *all = &scene->members[0].outcome;
  uint64_t states = 0, threads = 0, sent = 0;
  ck_assert_uint_eq(all->group.count, carrier_members(&scene->carrier));
  for (unsigned i = 0; i < all->group.count; i++) {
    states += all->group.members[i].states;
    threads += all->group.members[i].threads;
    sent += all->group.members[i].sent;
  }
  ck_assert_uint_eq(states, scene->alone.states);
  ck_assert(scene->carrier.cpus != ALL_CPUS || threads == all->threads);
  ck_assert(scene->alone.states < 100 || sent > 0);
}

void scene_compare(struct scene *scene, bool together) {
  scene->alone = pair_on_cpu(&scene->pair, &scene->setting);
  for (unsigned i = 0; i < scene->carrier.processes; i++) {
    const struct member *member = &scene->members[i];
    ck_assert_msg(member->status == FLOE_OK, "process %u: status %d: %s", i, (int)member->status,
                  floe_log_count(member->log) ? floe_log_at(member->log, 0)->message : "");
    ck_assert(!together || member->outcome.end == scene->alone.end);
    ck_assert(!together || member->outcome.levels == scene->alone.levels);
  }
  pair_compare(&scene->pair, &scene->alone, &scene->members[0].outcome);
  if (together)
    compare_parts(scene);
}

void scene_end(struct scene *scene) {
  members_free(scene->members, scene->carrier.processes);
  engine_outcome_free(&scene->alone);
  pair_close(&scene->pair);
}
