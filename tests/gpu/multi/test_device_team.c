/* What only several GPUs of one process have: shares of tables, GPUs that are opened during the search, and host memory
 * for the first one. Kernels run on emulated GPUs. Results are compared with one CPU. */
#include "members.h"
#include "step/stepper.h"
#include "tests/step/learned_invariants.h"

#include "tests/gpu/device/emulated_suite.h"

#include <stdlib.h>

static const struct subject peterson = {"peterson", {{"N", "3"}}};

static struct carrier gpus(unsigned count) { return (struct carrier){.processes = 1, .gpus = {count}}; }

static const struct engine_outcome *begin_and_run(struct scene *scene, const struct subject *subject,
                                                  const struct setting *setting, const struct carrier *carrier) {
  scene_begin(scene, subject, setting, carrier, NULL);
  scene_run(scene);
  return &scene->members[0].outcome;
}

/* ---- shares -------------------------------------------------------------------------------------- */

/* Each GPU's table is sized for its part of the expected states. */
START_TEST(devices_make_room_for_parts) {
  struct setting setting = members_plain();
  uint64_t slots[4];
  setting.device.memory = 16 * MEBIBYTE;
  setting.options.expected_states = 40000;
  for (unsigned count = 1; count <= 3; count += 2) {
    const struct carrier carrier = gpus(count);
    struct scene scene;
    const struct engine_outcome *out = begin_and_run(&scene, &peterson, &setting, &carrier);
    scene_compare(&scene, count > 1);
    slots[count] = out->table.shape.slots;
    scene_end(&scene);
  }
  ck_assert_uint_ge(slots[1], 40000);
  ck_assert_uint_ge(slots[3], 40000);
  ck_assert_uint_lt(slots[3], 2 * slots[1]);
}
END_TEST

/* With index keys. */
static void rank_pair(struct pair *pair) {
  struct loaded *loaded = &pair->loaded;
  pair->stepper->free(pair->stepper);
  ck_assert(use_index_keys(loaded, learn_invariants(loaded, LEARN_DECLARED, 1 << 20)));
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &pair->stepper), FLOE_OK);
  ck_assert_int_eq(key_of_initial(loaded->model, loaded->layout, pair->initial), FLOE_OK);
}

/* A bitmap of 2^28 keys, or 7^10 index keys, is divided among the GPUs: together they hold what one cannot. `make
   check` tries one and three. */
START_TEST(devices_share_a_bitmap) {
  static const struct subject counters[] = {{"counters", {{"N", "7"}, {"K", "16"}}},
                                            {"counters", {{"N", "10"}, {"K", "7"}}}};
  struct setting setting = members_plain();
  struct pair pair;
  setting.options.table = "bitmap";
  setting.options.max_depth = 7;
  setting.device.memory = 30 * MEBIBYTE;
  pair_open(&pair, &counters[_i]);
  if (_i)
    rank_pair(&pair);
  const uint64_t bytes = pair.loaded.layout->keys / 8;
  struct engine_outcome on_cpu = pair_on_cpu(&pair, &setting);
  for (unsigned count = 1; count <= 4; count += at_length() ? 1 : 2) {
    const struct carrier carrier = gpus(count);
    struct member member;
    members_make(&member, &carrier, &pair, &setting, NULL);
    members_run(&member, 1);
    ck_assert_int_eq(member.status, count == 1 ? FLOE_ERROR_MEMORY : FLOE_OK);
    if (count > 1)
      pair_compare(&pair, &on_cpu, &member.outcome);
    for (unsigned i = 0; count > 1 && i < count; i++)
      ck_assert_uint_le(member.outcome.group.members[i].table_bytes, bytes / count / 20 * 21);
    members_free(&member, 1);
  }
  engine_outcome_free(&on_cpu);
  pair_close(&pair);
}
END_TEST

/* A level of more than half of the queue, which has room for its successors. A GPU that is held up receives more keys
   than it has room for, and spills: one of several searches must do without. */
START_TEST(wide_levels_stay_on_the_devices) {
  static const struct subject wide = {"counters", {{"N", "8"}, {"K", "8"}}};
  const struct carrier carrier = gpus(2);
  const uint64_t words = 32768;
  struct setting setting = members_plain();
  uint64_t spilled = 1;
  setting.test_settings = "tell=1,alone=20,queue=32768,blocks=1";
  setting.options.max_depth = 12; /* the first level that is large enough */
  setting.options.timeout = 100;
  for (unsigned attempt = 0; attempt < 5 && spilled > 0; attempt++) {
    struct scene scene;
    uint64_t most = 0;
    const struct engine_outcome *out = begin_and_run(&scene, &wide, &setting, &carrier);
    scene_compare(&scene, true);
    for (uint32_t i = 0; i < out->levels; i++)
      most = out->level_states[i] > most ? out->level_states[i] : most;
    ck_assert_uint_le(pair_counter(scene.members[0].log, "queue_words"),
                      3 * words); /* of both, and of the first attempt */
    ck_assert_uint_gt(most / 2, words / 2);
    spilled = out->statistics.spilled_states;
    scene_end(&scene);
  }
  ck_assert_uint_eq(spilled, 0);
}
END_TEST

/* ---- others that are opened on the way ----------------------------------------------------------- */

/* All GPUs but the first are opened during the search, if that many are available. */
struct later {
  uint64_t from;
  unsigned count, opened;  /* available GPUs, including the first one; opened: 0: not yet */
  atomic_bool *interrupts; /* set when they are opened; NULL: none */
};

static unsigned open_later(void *user) {
  struct later *later = user;
  ck_assert_uint_eq(later->opened, 0);
  if (later->interrupts)
    atomic_store(later->interrupts, true);
  return later->opened = later->count;
}

/* More states than one emulated GPU holds, in levels that grow and shrink evenly. */
static const struct subject even = {"counters", {{"N", "4"}, {"K", "11"}}},
                            large = {"counters", {{"N", "4"}, {"K", "24"}}};

static void begin_first(struct scene *scene, const struct subject *subject, const struct setting *setting,
                        struct later *later) {
  const struct carrier carrier = gpus(3);
  scene_begin(scene, subject, setting, &carrier, NULL);
  scene->members[0].task.devices.count = 1;
  scene->members[0].attempts.others = (struct attempts_others){later->from, open_later, later};
}

static const struct engine_outcome *run_first(struct scene *scene) {
  const struct engine_outcome *out = &scene->members[0].outcome;
  scene_run(scene);
  ck_assert_int_eq(scene->members[0].status, FLOE_OK);
  if (out->end == FLOE_END_COMPLETE || out->end == FLOE_END_STATES)
    scene_compare(scene, false);
  return out;
}

/* Other GPUs are opened when they would hold more than the first one has found. */
START_TEST(they_come_to_a_large_search) {
  static const struct {
    uint64_t from;
    unsigned there, opened;
  } kinds[] = {{2000, 3, 3}, {2000, 2, 2}, {2000, 1, 1}, {10000, 3, 0}, {UINT64_MAX, 3, 0}};
  const struct setting setting = members_plain();
  struct later later = {kinds[_i].from, kinds[_i].there, 0, NULL};
  struct scene scene;
  begin_first(&scene, &even, &setting, &later);
  const struct engine_outcome *out = run_first(&scene);
  const bool together = kinds[_i].opened > 1;
  ck_assert_uint_eq(later.opened, kinds[_i].opened);
  ck_assert_uint_eq(out->group.count, together ? kinds[_i].opened : 0);
  ck_assert(out->attempts.first_sufficed == !together);
  ck_assert(!together == !out->attempts.first_states);
  ck_assert(!together || out->attempts.first_states >= kinds[_i].from);
  ck_assert_uint_lt(out->attempts.first_states, 4000);
  scene_end(&scene);
}
END_TEST

/* Multiword states: each GPU has its own trees. */
START_TEST(they_come_to_wide_states) {
  const struct subject wide = {"tests/gpu/engine/chains", {{NULL, NULL}}};
  struct setting setting = members_plain();
  struct later later = {50, 3, 0, NULL};
  struct scene scene;
  setting.test_settings = "alone=5";
  begin_first(&scene, &wide, &setting, &later);
  const struct engine_outcome *out = run_first(&scene);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert_uint_eq(out->group.count, 3);
  ck_assert_uint_ge(out->attempts.first_states, 50);
  scene_end(&scene);
}
END_TEST

/* However small levels are. */
START_TEST(they_come_for_memory) {
  struct setting setting = members_plain();
  struct later later = {UINT64_MAX, 3, 0, NULL};
  struct scene scene;
  const struct subject larger = {"counters", {{"N", "4"}, {"K", "30"}}};
  setting.test_settings = "blocks=1";
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.max_states = 700000;
  setting.options.expected_states = 810000;
  setting.device.memory = 8 * MEBIBYTE;
  begin_first(&scene, &larger, &setting, &later);
  const struct engine_outcome *out = run_first(&scene);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert_uint_eq(out->group.count, 3);
  ck_assert_uint_gt(out->attempts.first_states, 0);
  ck_assert(!out->gpu.host_backed);
  scene_end(&scene);
}
END_TEST

/* ---- all full ------------------------------------------------------------------------------------ */

static struct setting narrow(void) {
  struct setting setting = members_plain();
  setting.test_settings = "alone=20,blocks=1";
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.max_states = 328000;
  setting.device.memory = 4200000;
  return setting;
}

/* All are full (0), several cannot begin, as a member needs additional memory for sending (1), or host memory is not
   larger than that of the other GPUs (2: it does not help). */
START_TEST(the_host_helps_one) {
  const bool begin = _i != 1, helps = _i != 2;
  struct setting setting = narrow();
  struct later later = {UINT64_MAX, 3, 0, NULL};
  struct scene scene;
  if (!begin) {
    setting.test_settings = NULL;
    setting.device.memory = 800000;
  }
  if (!helps)
    setting.options.memory = MEBIBYTE;
  begin_first(&scene, begin ? &large : &even, &setting, &later);
  const struct engine_outcome *out = run_first(&scene);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert_int_eq(out->gpu.host_backed, helps);
  ck_assert(!helps || (out->attempts.first_sufficed && out->group.count == 0));
  ck_assert(helps || out->end == FLOE_END_MEMORY);
  ck_assert(!helps || (out->attempts.full_states > 0) == begin);
  ck_assert(!helps || out->attempts.full_states < out->states);
  ck_assert_uint_gt(out->states, 0);
  scene_end(&scene);
}
END_TEST

/* ---- ends ---------------------------------------------------------------------------------------- */

struct ending {
  uint64_t last, most; /* states of the progress reports */
  unsigned anew;
  atomic_bool *interrupt;
};

/* Interrupts the second restart. */
static void end_the_last(const floe_progress *progress, void *user) {
  struct ending *ending = user;
  ending->anew += progress->states < ending->last;
  ending->last = progress->states;
  if (progress->states > ending->most)
    ending->most = progress->states;
  if (ending->anew == 2)
    atomic_store(ending->interrupt, true);
}

/* A restart that ends before it has found as much as an earlier attempt returns the outcome of that attempt, here the
 * first one. */
START_TEST(what_was_found_is_not_lost) {
  struct scene scene;
  struct setting setting = narrow();
  struct ending ending = {.interrupt = &scene.members[0].interrupt};
  struct later later = {UINT64_MAX, 3, 0, NULL};
  setting.test_settings = "alone=20,blocks=1,slice_us=1000";
  setting.options.progress = end_the_last;
  setting.options.user = &ending;
  setting.options.progress_seconds = 1e-9;
  begin_first(&scene, &large, &setting, &later);
  const struct engine_outcome *out = run_first(&scene);
  ck_assert_uint_eq(ending.anew, 2);
  ck_assert_int_eq(out->end, FLOE_END_INTERRUPT);
  ck_assert(out->attempts.first_sufficed);
  ck_assert_uint_ge(out->states, ending.most);
  scene_end(&scene);
}
END_TEST

/* Also if the other GPUs had not begun. */
START_TEST(what_was_found_is_not_lost_before_others_begin) {
  struct scene scene;
  const struct setting setting = members_plain();
  struct later later = {2000, 3, 0, &scene.members[0].interrupt};
  begin_first(&scene, &even, &setting, &later);
  const struct engine_outcome *out = run_first(&scene);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert_int_eq(out->end, FLOE_END_INTERRUPT);
  ck_assert_uint_ge(out->states, 2000);
  ck_assert_uint_ge(out->levels, 10);
  scene_end(&scene);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *shares = tcase_create("shares"), *later = tcase_create("later");
  tcase_add_loop_test(shares, devices_share_a_bitmap, 0, 2);
  add_tests(shares, devices_make_room_for_parts, wide_levels_stay_on_the_devices);
  tcase_add_loop_test(later, they_come_to_a_large_search, 0, 5);
  add_tests(later, they_come_to_wide_states, what_was_found_is_not_lost_before_others_begin);
  if (at_length())
    add_tests(later, they_come_for_memory, what_was_found_is_not_lost);
  /* whether host memory helps is also tested in test_sizing_policy.c */
  tcase_add_loop_test(later, the_host_helps_one, at_length() ? 0 : 1, everything() ? 3 : 2);
  tcase_set_timeout(shares, 300);
  tcase_set_timeout(later, 300);
  return emulated_run("several GPUs of one process", shares, later);
}
