/* GPUs of several processes as members of one group, on emulated GPUs: processes of one machine write to each other's
 * memory, other processes receive packets; some have several GPUs. Results are compared with one CPU. */
#include "engine/trace/level_archive.h"
#include "members.h"
#include "tests/gpu/device/emulated_suite.h"

#include "gpu/kernel/base/control.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct subject subjects[] = {
    {"peterson", {{"N", "3"}}}, {"altbit", {{NULL, NULL}}}, {"philosophers", {{"N", "5"}}}, {"bakery", {{NULL, NULL}}}};

/* Members of the mask have no access to other members' memory. */
static void set_apart(struct scene *scene, unsigned mask) {
  for (unsigned i = 0; i < scene->size; i++)
    scene->members[i].setting.device.apart = mask >> i & 1;
}

static void run(struct scene *scene) {
  members_run(scene->members, scene->size);
  members_compare(&scene->pair, &scene->alone, scene->members, scene->size);
}

/* ---- processes of one machine -------------------------------------------------------------------- */

static void explore_linked(const struct subject *subject, const struct setting *setting, unsigned size, unsigned cpus,
                           unsigned apart, bool linked) {
  struct scene scene;
  scene_begin(&scene, subject, setting, &(struct member_group){.size = size, .here = size, .cpus = cpus});
  set_apart(&scene, apart);
  run(&scene);
  for (unsigned i = 0; i < size; i++) {
    const struct engine_member *member = &scene.members[0].outcome.group.members[i];
    ck_assert(!linked || setting->test_settings || member->sent == member->packets * GPU_WARP);
    ck_assert(linked || member->sent != member->packets * GPU_WARP);
  }
  scene_end(&scene);
}

START_TEST(processes_use_mailboxes) {
  struct setting setting = members_plain();
  setting.device.seed = 100 + (uint64_t)_i;
  explore_linked(&subjects[_i], &setting, 2 + (unsigned)_i % 3, 0, 0, true);
}
END_TEST

/* Packets replace mailboxes if a member cannot be reached, has no device, or is configured not to use them. */
START_TEST(processes_have_letters) {
  static const struct {
    const char *test_settings;
    unsigned cpus, apart;
  } kinds[] = {{NULL, 0, 6}, {NULL, 4, 0}, {"packets=1", 0, 0}};
  struct setting setting = members_plain();
  setting.test_settings = kinds[_i].test_settings;
  explore_linked(&subjects[0], &setting, 3, kinds[_i].cpus, kinds[_i].apart, false);
}
END_TEST

/* From device to device if the group supports it; a CPU member, or one without room, receives whole packets. */
START_TEST(letters_stay_on_devices) {
  static const struct {
    struct subject subject;
    const char *test_settings;
    unsigned cpus;
    uint64_t memory;
    unsigned here; /* on the first machine */
    bool far;
  } kinds[] = {{{"peterson", {{"N", "3"}}}, "packets=1,far=1", 0, 256, 4, true},
               {{"altbit", {{NULL, NULL}}}, "packets=1,far=1,out=1,queue=1", 4, 256, 4, true},
               {{"tests/gpu/engine/chains", {{NULL, NULL}}}, "out=5", 0, 256, 3, true}, /* multiword states */
               {{"peterson", {{"N", "3"}}}, NULL, 0, 256, 2, true},                     /* beside mailboxes */
               {{"peterson", {{"N", "3"}}}, "packets=1", 0, 256, 4, false},             /* one machine */
               {{"peterson", {{"N", "3"}}}, "far=2", 0, 256, 2, false},
               {{"peterson", {{"N", "3"}}}, NULL, 0, 64, 2, false}}; /* no memory for four packets there */
  struct setting setting = members_plain();
  struct scene scene;
  setting.test_settings = kinds[_i].test_settings;
  setting.device.seed = 100 + (uint64_t)_i;
  setting.device.memory = setting.options.gpu_memory = kinds[_i].memory * MEBIBYTE;
  scene_begin(&scene, &kinds[_i].subject, &setting,
              &(struct member_group){.size = 4, .here = kinds[_i].here, .cpus = kinds[_i].cpus});
  members_send_from_device(scene.members, scene.size);
  run(&scene);
  for (unsigned i = 0; i < scene.size; i++)
    if (!scene.members[i].on_cpu)
      ck_assert_int_eq(scene.members[i].counts.beside_copies > 0, kinds[_i].far);
  scene_end(&scene);
}
END_TEST

/* Mailboxes and packets at once: keys without room in a mailbox go in packets. */
#define SMALL_MAILBOXES "tell=1,blocks=1,agree_us=1000000000,"
START_TEST(processes_lose_nothing) {
  static const char *const tunings[] = {SMALL_MAILBOXES "mailboxes=2,out=1",
                                        SMALL_MAILBOXES "mailboxes=2,queue=1,out=10,step=8",
                                        SMALL_MAILBOXES "mailboxes=2,slice_us=1000,fill=20"};
  static const struct subject wide = {"counters", {{"N", "5"}, {"K", "8"}}};
  const unsigned size = 2 + (unsigned)_i % 3;
  struct setting setting = members_plain();
  struct scene scene;
  uint64_t closed = 0, left_out = 0;
  setting.test_settings = tunings[_i];
  setting.options.table = "iceberg";
  setting.options.initial_slots = 256;
  setting.device.seed = 100 + (uint64_t)_i;
  scene_begin(&scene, &wide, &setting, &(struct member_group){.size = size, .here = size});
  setenv("EMULATE_LATE", "2", 1);
  run(&scene);
  unsetenv("EMULATE_LATE");
  for (unsigned i = 0; i < size; i++) {
    closed += pair_counter(scene.members[i].log, "closed");
    left_out += pair_counter(scene.members[i].log, "left_out");
  }
  ck_assert_uint_gt(closed, 0);
  ck_assert_uint_gt(left_out, 0);
  scene_end(&scene);
}
END_TEST

/* No member maps another's memory when that is freed, however the search ends; if one member fails, all fail. */
START_TEST(linked_processes_end_together) {
  struct setting setting = members_plain();
  struct member members[MOST_MEMBERS];
  struct pair pair;
  pair_open(&pair, &subjects[0]);
  members_make(members, 3, 0, 5, &pair, &setting);
  members_place(members, 3, 3);
  members[0].setting.test_settings = "levels=1"; /* a launch for each level */
  if (_i == 0)
    members[1].setting.device.fail_launch = 4;
  else if (_i == 1)
    members[2].setting.device.memory = MEBIBYTE / 2; /* too little to begin */
  else
    members[1].timeout = 0.1;
  members_run(members, 3);
  for (unsigned i = 0; i < 3; i++)
    ck_assert_int_eq(members[i].status == FLOE_OK, _i == 2);
  members_free(members, 3);
  pair_close(&pair);
}
END_TEST

/* Mailboxes within a machine, and packets to the other one. */
START_TEST(machines_send_each_other_letters) {
  static const struct {
    const char *test_settings;
    unsigned size, here;
    bool full;
    unsigned apart; /* a mask */
  } kinds[] = {{"tell=1", 4, 2, false, 0},
               {"tell=1", 3, 2, false, 0},
               {"tell=1", 3, 1, false, 0},
               {"tell=1", 4, 3, false, 0},
               {"tell=1", 4, 2, false, 0xc}, /* if one machine has no mailboxes, none has */
               {"tell=1,mailboxes=2,out=1,queue=1", 4, 2, true, 0},
               {"tell=1,mailboxes=2,out=10,slice_us=1,fill=20,step=8", 4, 2, true, 0}};
  const unsigned size = kinds[_i].size, here = kinds[_i].here;
  struct setting setting = members_plain();
  struct scene scene;
  setting.test_settings = kinds[_i].test_settings;
  setting.device.seed = 100 + (uint64_t)_i;
  if (kinds[_i].full) {
    setting.options.table = "iceberg";
    setting.options.initial_slots = 256;
  }
  scene_begin(&scene, &subjects[_i % 3], &setting, &(struct member_group){.size = size, .here = here});
  set_apart(&scene, kinds[_i].apart);
  run(&scene);
  for (unsigned i = 0; i < size; i++)
    ck_assert((pair_counter(scene.members[i].log, "sent") > 0) ==
              (!kinds[_i].apart && (i < here ? here : size - here) > 1));
  scene_end(&scene);
}
END_TEST

/* ---- several devices in each process ------------------------------------------------------------- */

static const struct {
  struct subject subject;
  unsigned processes, here, counts[MOST_MEMBERS];
  const char *test_settings;
  bool has_mailboxes;
} nests[] = {
    {{"peterson", {{"N", "3"}}}, 2, 2, {2, 2}, "tell=1", true},            /* one machine */
    {{"altbit", {{NULL, NULL}}}, 2, 1, {2, 3}, "tell=1", true},            /* two */
    {{"philosophers", {{"N", "5"}}}, 3, 2, {2, 1, 1}, "tell=1", true},     /* the last member is alone on its machine */
    {{"peterson", {{"N", "3"}}}, 2, 2, {3, 1}, "tell=1,packets=1", false}, /* packets only */
    {{"altbit", {{NULL, NULL}}}, 2, 1, {2, 2}, "tell=1,mailboxes=2,out=1,queue=1", true},     /* everything gets full */
    {{"bakery", {{NULL, NULL}}}, 3, 2, {2, 1, 2}, "tell=1,mailboxes=2,out=10,fill=20", true}, /* the same */
    {{"tests/gpu/engine/chains", {{NULL, NULL}}}, 2, 2, {2, 1}, "tell=1", false},             /* multiword states */
    {{"peterson", {{"N", "3"}}}, 4, 4, {3, 3, 3, 1}, "tell=1", true}, /* more GPUs than can have mailboxes for each
                                                                         other */
};
enum { NESTS = sizeof nests / sizeof *nests };

static void begin_nest(struct scene *scene, int number, const struct setting *setting) {
  scene_begin(scene, &nests[number].subject, setting,
              &(struct member_group){
                  .size = nests[number].processes, .here = nests[number].here, .device_counts = nests[number].counts});
}

START_TEST(processes_have_several_devices) {
  struct setting setting = members_plain();
  struct scene scene;
  setting.test_settings = nests[_i].test_settings;
  setting.options.table = "iceberg";
  setting.options.initial_slots = 256;
  setting.device.seed = 100 + (uint64_t)_i;
  begin_nest(&scene, _i, &setting);
  run(&scene);
  ck_assert_int_eq(pair_counter(scene.members[0].log, "sent") > 0, nests[_i].has_mailboxes);
  scene_end(&scene);
}
END_TEST

/* The GPUs of a process share an archive; together, the processes' archives have every level. */
START_TEST(processes_keep_levels) {
  struct setting setting = members_plain();
  struct scene scene;
  setting.options.max_depth = 9;
  begin_nest(&scene, 1, &setting);
  for (unsigned i = 0; i < 2; i++)
    ck_assert_int_eq(archive_create(1, MEBIBYTE, scene.pair.log, &scene.members[i].archive), FLOE_OK);
  run(&scene);
  for (uint32_t depth = 0; depth < scene.alone.levels; depth++)
    ck_assert_uint_eq(archive_states(scene.members[0].archive, depth) + archive_states(scene.members[1].archive, depth),
                      scene.alone.level_states[depth]);
  scene_end(&scene);
}
END_TEST

/* If one GPU ends, all end, and all memory is freed. */
START_TEST(processes_with_several_end_together) {
  struct setting setting = members_plain();
  struct scene scene;
  setting.test_settings = "levels=1"; /* a launch for each level */
  begin_nest(&scene, _i % 2, &setting);
  if (_i < 2)
    scene.members[_i].setting.device.fail_launch = 4;
  else if (_i < 4)
    scene.members[1].setting.device.memory = MEBIBYTE / 2; /* too little to begin */
  else
    scene.members[_i % 2].interrupt_after = 0.1;
  members_run(scene.members, scene.size);
  for (unsigned i = 0; i < scene.size; i++)
    ck_assert_int_eq(scene.members[i].status == FLOE_OK, _i >= 4);
  scene_end(&scene);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *machine = tcase_create("machine"), *machines = tcase_create("machines"), *nested = tcase_create("nested");
  tcase_add_loop_test(machine, processes_use_mailboxes, 0, 3);
  tcase_add_loop_test(machine, processes_have_letters, 0, 3);
  tcase_add_loop_test(machine, letters_stay_on_devices, 0, at_length() ? 7 : 3);
  tcase_add_loop_test(machine, processes_lose_nothing, 0, 3);
  tcase_add_loop_test(machine, linked_processes_end_together, 0, 3);
  tcase_add_loop_test(machines, machines_send_each_other_letters, 0, at_length() ? 7 : 4);
  tcase_add_loop_test(nested, processes_have_several_devices, 0, at_length() ? NESTS : NESTS / 2);
  tcase_add_test(nested, processes_keep_levels);
  tcase_add_loop_test(nested, processes_with_several_end_together, 0, at_length() ? 6 : 3);
  TCase *all[] = {machine, machines, nested};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    tcase_set_timeout(all[i], 300);
  return emulated_run("devices of several processes", machine, machines, nested);
}
