/* First attempt in a group of processes (api/attempts/attempts.c), on emulated GPUs: what ends the search of rank 0's
 * first GPU, and what all members get. test_members.c has the searches that it completes, or that it leaves to all. */
#include "members.h"
#include "tests/gpu/device/emulated_suite.h"

static const struct subject small = {"peterson", {{"N", "3"}}}, large = {"philosophers", {{"N", "14"}}},
                            long_one = {"hanoi", {{"N", "9"}}};
static const struct carrier carrier = {.processes = 3, .here = 3, .first_alone = true};

static struct setting plain(void) {
  struct setting setting = members_plain();
  setting.test_settings = "";
  return setting;
}

static void begin_and_run(struct scene *scene, const struct subject *subject, const struct setting *setting,
                          const struct fault *fault) {
  scene_begin(scene, subject, setting, &carrier, fault);
  scene_run(scene);
}

static void check_began(const struct scene *scene, bool all) {
  for (unsigned i = 0; i < carrier.processes; i++)
    ck_assert_int_eq(scene->members[i].all_began, all);
}

/* A full first GPU does not end the search: all GPUs may have room, or not. */
START_TEST(all_begin_where_it_is_full) {
  struct setting setting = plain();
  struct scene scene;
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.initial_slots = 256;
  setting.device.memory = setting.options.gpu_memory = 3 * MEBIBYTE;
  begin_and_run(&scene, &large, &setting, NULL);
  check_began(&scene, true);
  ck_assert_int_eq(scene.members[1].status, scene.members[2].status);
  ck_assert(scene.members[0].status == scene.members[1].status || scene.members[0].status == FLOE_OK);
  scene_end(&scene);
}
END_TEST

/* A bitmap of 2^28 keys does not fit on one GPU, a third does. */
START_TEST(all_begin_where_it_has_no_room) {
  static const struct subject wide = {"counters", {{"N", "7"}, {"K", "16"}}};
  struct setting setting = plain();
  struct scene scene;
  setting.options.table = "bitmap";
  setting.options.max_depth = 7;
  setting.device.memory = setting.options.gpu_memory = 30 * MEBIBYTE;
  begin_and_run(&scene, &wide, &setting, NULL);
  check_began(&scene, true);
  scene_compare(&scene, true);
  ck_assert_uint_le(scene.members[0].outcome.table.shape.bytes,
                    scene.pair.loaded.layout->keys / 8 / 20 * 21); /* of all keys */
  scene_end(&scene);
}
END_TEST

/* An interrupt of any rank, before or after preparing, ends rank 0's search, and all ranks are notified. */
START_TEST(an_interrupt_ends_it) {
  struct setting setting = plain();
  struct scene scene;
  setting.test_settings = "levels=1";
  scene_begin(&scene, &long_one, &setting, &carrier,
              &(struct fault){.member = 2, .interrupt_after = _i == 0 ? 0 : 0.01});
  atomic_store(&scene.members[2].interrupt, _i == 0);
  scene_run(&scene);
  const struct member *members = scene.members;
  const bool began = members[0].status == FLOE_OK; /* else the interrupt came while it prepared */
  check_began(&scene, false);
  ck_assert(began ? members[0].outcome.end == FLOE_END_INTERRUPT : members[0].status == FLOE_ERROR_UNSUPPORTED);
  for (unsigned i = 1; i < carrier.processes; i++) {
    ck_assert_int_eq(members[i].status, FLOE_OK);
    ck_assert_int_eq(members[i].outcome.end, began ? FLOE_END_INTERRUPT : FLOE_END_COMPLETE);
  }
  scene_end(&scene);
}
END_TEST

/* An error of its search is rank 0's alone; if it cannot begin, all try, and fail. */
START_TEST(an_error_ends_it) {
  static const struct fault faults[] = {{.fail_launch = 2}, {.memory = MEBIBYTE / 16}};
  const struct setting setting = plain();
  struct scene scene;
  begin_and_run(&scene, &small, &setting, &faults[_i]);
  check_began(&scene, _i == 1);
  for (unsigned i = 0; i < carrier.processes; i++)
    ck_assert_int_eq(scene.members[i].status == FLOE_OK, _i == 0 && i > 0);
  scene_end(&scene);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("alone");
  tcase_set_timeout(tcase, 300);
  add_tests(tcase, all_begin_where_it_is_full, all_begin_where_it_has_no_room);
  tcase_add_loop_test(tcase, an_interrupt_ends_it, 0, 2);
  tcase_add_loop_test(tcase, an_error_ends_it, 0, 2);
  return emulated_run("one GPU of several processes alone", tcase);
}
