/* First attempt in a group of processes (api/attempts/attempts.c), on emulated GPUs: small searches run on rank 0's
 * first GPU alone, and all members get the same result, whatever ends the attempt. */
#include "engine/trace/level_archive.h"
#include "members.h"
#include "tests/gpu/device/emulated_suite.h"

static const struct subject small = {"peterson", {{"N", "3"}}}, large = {"philosophers", {{"N", "14"}}},
                            long_one = {"hanoi", {{"N", "9"}}};

static void begin(struct scene *scene, const struct subject *subject, const struct setting *setting,
                  const unsigned *counts) {
  scene_begin(scene, subject, setting, &(struct member_group){.size = 3, .here = 3, .device_counts = counts});
  for (unsigned i = 0; i < 3; i++)
    scene->members[i].ahead = true;
}

static void check_all(const struct scene *scene, floe_status status, bool enough) {
  for (unsigned i = 0; i < scene->size; i++) {
    const struct member *member = &scene->members[i];
    ck_assert_msg(member->status == (i > 0 && enough ? FLOE_OK : status), "member %u: status %d: %s", i,
                  (int)member->status, floe_log_count(member->log) ? floe_log_at(member->log, 0)->message : "");
    ck_assert_int_eq(member->all_began, !enough);
  }
}

static const unsigned nested[] = {2, 1, 2};

static struct setting plain(int number) {
  struct setting setting = members_plain();
  setting.device.seed = 300 + (uint64_t)number;
  return setting;
}

/* A member that cannot begin is not needed. */
START_TEST(one_is_enough) {
  const unsigned *counts = _i == 1 ? nested : NULL;
  const unsigned members = counts ? 5 : 3;
  struct setting setting = plain(_i);
  struct scene scene;
  begin(&scene, &small, &setting, counts);
  if (_i == 2)
    scene.members[1].setting.device.memory = MEBIBYTE / 2;
  members_run(scene.members, 3);
  check_all(&scene, FLOE_OK, true);
  const struct engine_outcome *out = &scene.members[0].outcome;
  pair_compare(&scene.pair, &scene.alone, out);
  ck_assert(out->attempts.first_sufficed);
  ck_assert_uint_eq(out->group.count, members);
  ck_assert_uint_eq(out->group.members[0].states, scene.alone.states);
  ck_assert_uint_eq(out->group.members[members - 1].states, 0);
  ck_assert_uint_eq(scene.members[1].counts.explores, 0);
  ck_assert_int_eq(scene.members[1].outcome.end, FLOE_END_COMPLETE);
  scene_end(&scene);
}
END_TEST

/* Levels of the first attempt are archived only once. */
START_TEST(what_it_outgrows_all_do) {
  struct setting setting = plain(_i);
  struct scene scene;
  setting.test_settings = "alone=10";
  setting.options.max_depth = 9;
  begin(&scene, &small, &setting, _i == 1 ? nested : NULL);
  for (unsigned i = 0; i < 3; i++)
    ck_assert_int_eq(archive_create(1, MEBIBYTE, scene.pair.log, &scene.members[i].archive), FLOE_OK);
  members_run(scene.members, 3);
  check_all(&scene, FLOE_OK, false);
  members_compare(&scene.pair, &scene.alone, scene.members, 3);
  ck_assert(!scene.members[0].outcome.attempts.first_sufficed);
  for (uint32_t depth = 0; depth < scene.alone.levels; depth++) {
    uint64_t states = 0;
    for (unsigned i = 0; i < 3; i++)
      states += archive_states(scene.members[i].archive, depth);
    ck_assert_uint_eq(states, scene.alone.level_states[depth]);
  }
  scene_end(&scene);
}
END_TEST

/* A full first GPU does not end the search: all GPUs may have room. */
START_TEST(what_it_has_no_memory_for_all_do) {
  struct setting setting = plain(_i);
  struct scene scene;
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.initial_slots = 256;
  setting.device.memory = setting.options.gpu_memory = 3 * MEBIBYTE;
  begin(&scene, &large, &setting, NULL);
  members_run(scene.members, 3);
  for (unsigned i = 0; i < 3; i++) /* may suffice or not: then the outcome is the first one's */
    ck_assert(scene.members[i].all_began);
  ck_assert_int_eq(scene.members[1].status, scene.members[2].status);
  ck_assert(scene.members[0].status == scene.members[1].status || scene.members[0].status == FLOE_OK);
  scene_end(&scene);
}
END_TEST

/* A bitmap of 2^28 keys does not fit on one GPU, a third does: all begin together. */
START_TEST(what_it_has_no_room_for_all_begin) {
  static const struct subject wide = {"counters", {{"N", "7"}, {"K", "16"}}};
  struct setting setting = plain(_i);
  struct scene scene;
  setting.options.table = "bitmap";
  setting.options.max_depth = 7;
  setting.device.memory = setting.options.gpu_memory = 30 * MEBIBYTE;
  begin(&scene, &wide, &setting, NULL);
  members_run(scene.members, 3);
  check_all(&scene, FLOE_OK, false);
  members_compare(&scene.pair, &scene.alone, scene.members, 3);
  ck_assert_uint_le(scene.members[0].outcome.table.shape.bytes,
                    scene.pair.loaded.layout->keys / 8 / 20 * 21); /* of all keys */
  scene_end(&scene);
}
END_TEST

/* An interrupt of any rank, before or after preparing, ends rank 0's search, and all ranks are notified. */
START_TEST(a_wish_of_another_one_ends_it) {
  struct setting setting = plain(_i);
  struct scene scene;
  setting.test_settings = "levels=1";
  begin(&scene, &long_one, &setting, NULL);
  if (_i == 0)
    atomic_store(&scene.members[2].interrupt, true);
  else
    scene.members[2].interrupt_after = 0.01;
  members_run(scene.members, 3);
  const struct member *first = &scene.members[0];
  check_all(&scene, first->status, true);
  ck_assert(first->status == FLOE_ERROR_UNSUPPORTED ||
            first->outcome.end == FLOE_END_INTERRUPT); /* while it prepared */
  ck_assert_int_eq(scene.members[1].outcome.end, first->status == FLOE_OK ? FLOE_END_INTERRUPT : FLOE_END_COMPLETE);
  scene_end(&scene);
}
END_TEST

START_TEST(its_errors_are_no_riddle) {
  struct setting setting = plain(_i);
  struct scene scene;
  begin(&scene, &small, &setting, NULL);
  if (_i == 0)
    scene.members[0].setting.device.fail_launch = 2;
  else
    scene.members[0].setting.device.memory = MEBIBYTE / 16; /* too little to begin */
  members_run(scene.members, 3);
  ck_assert_int_ne(scene.members[0].status, FLOE_OK);
  if (_i == 0)
    check_all(&scene, scene.members[0].status, true);
  for (unsigned i = 0; _i == 1 && i < 3; i++)
    ck_assert(scene.members[i].all_began && scene.members[i].status != FLOE_OK);
  scene_end(&scene);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("alone");
  tcase_set_timeout(tcase, 300);
  tcase_add_loop_test(tcase, one_is_enough, 0, 3);
  tcase_add_loop_test(tcase, what_it_outgrows_all_do, 0, 2);
  add_tests(tcase, what_it_has_no_memory_for_all_do, what_it_has_no_room_for_all_begin);
  tcase_add_loop_test(tcase, a_wish_of_another_one_ends_it, 0, 2);
  tcase_add_loop_test(tcase, its_errors_are_no_riddle, 0, 2);
  return emulated_run("one device of several processes alone", tcase);
}
