/* Levels kept in memory and file, and backward search of paths in them. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "counter_stepper.h"
#include "engine/trace/level_archive.h"
#include "engine/trace/witness_path.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

static floe_log *messages;
static atomic_bool interrupt;

/* Levels of different sizes, whose states encode level and position. */
static void check_archive(uint32_t words, uint64_t memory) {
  struct archive *archive;
  ck_assert_int_eq(archive_create(words, memory, messages, &archive), FLOE_OK);
  uint64_t *states = mem_array(70000 * (size_t)words, sizeof *states);
  for (uint32_t level = 0; level < 12; level++) {
    size_t count = level % 3 ? level * 6000u : level + 1u;
    for (size_t i = 0; i < count * words; i++)
      states[i] = (uint64_t)level << 32 | i;
    ck_assert_int_eq(archive_begin_level(archive), FLOE_OK);
    ck_assert_int_eq(archive_add(archive, states, count / 2), FLOE_OK);
    ck_assert_int_eq(archive_add(archive, states + count / 2 * words, count - count / 2), FLOE_OK);
  }
  ck_assert_uint_eq(archive_levels(archive), 12);
  for (uint32_t level = 0; level < 12; level++) {
    size_t count = archive_states(archive, level);
    ck_assert_uint_eq(count, level % 3 ? level * 6000u : level + 1u);
    size_t first = count / 3;
    ck_assert_int_eq(archive_read(archive, level, first, count - first, states), FLOE_OK);
    for (size_t i = 0; i < (count - first) * words; i++)
      ck_assert(states[i] == ((uint64_t)level << 32 | (first * words + i)));
  }
  mem_free(states);
  archive_free(archive);
}

START_TEST(test_archive) {
  check_archive(1, (uint64_t)1 << 30); /* all in memory */
  check_archive(1, 0);                 /* all but the last block in the file */
  check_archive(1, 600 << 10);
  check_archive(3, 1 << 20);
}
END_TEST

START_TEST(test_no_folder) {
  struct archive *archive;
  uint64_t states[1000] = {0};
  char *before = getenv("TMPDIR") ? mem_strdup(getenv("TMPDIR")) : NULL;
  setenv("TMPDIR", "/nonexistent", 1);
  ck_assert_int_eq(archive_create(1, 0, messages, &archive), FLOE_OK);
  floe_status status = archive_begin_level(archive);
  for (size_t i = 0; i < 100 && status == FLOE_OK; i++)
    status = archive_add(archive, states, 1000);
  ck_assert_int_eq(status, FLOE_ERROR_IO);
  ck_assert_ptr_nonnull(strstr(floe_log_at(messages, 0)->message, "/nonexistent"));
  archive_free(archive);
  if (before)
    setenv("TMPDIR", before, 1);
  else
    unsetenv("TMPDIR");
  mem_free(before);
}
END_TEST

static struct archive *keep(struct fake *fake, uint32_t depth, uint64_t memory, unsigned threads) {
  struct archive *archive;
  ck_assert_int_eq(archive_create(1, memory, messages, &archive), FLOE_OK);
  floe_options options = {.threads = threads,
                          .table = "iceberg",
                          .memory = (uint64_t)1 << 30,
                          .max_depth = depth,
                          .max_states = UINT64_MAX};
  struct engine_task task = {.model = &fake->model,
                             .layout = &fake->layout,
                             .initial = &fake->initial,
                             .stepper = &fake->base,
                             .options = &options,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds(),
                             .archive = archive};
  struct engine_outcome outcome;
  ck_assert_int_eq(engine_run(&engine_cpu, &task, messages, &outcome), FLOE_OK);
  for (uint32_t i = 0; i < outcome.levels; i++)
    ck_assert_uint_eq(outcome.level_states[i], archive_states(archive, i));
  ck_assert_uint_eq(archive_states(archive, outcome.levels), 0);
  engine_outcome_free(&outcome);
  return archive;
}

/* The least predecessor at each step is known: the one in which the greatest counter was raised. */
static void check_path(const struct fake *fake, const struct path *path) {
  ck_assert_uint_eq(path->states[0], 0);
  for (uint32_t i = 0; i < path->steps; i++) {
    uint64_t state = path->states[i], next = path->states[i + 1], least = UINT64_MAX;
    for (unsigned c = 0; c < fake->n; c++) {
      uint64_t step = UINT64_C(1) << (c * fake->bits);
      if (next / step % (UINT64_C(1) << fake->bits) && next - step < least)
        least = next - step;
    }
    ck_assert_uint_eq(state, least);
    ck_assert_uint_eq(next - state, UINT64_C(1) << (path->edges[i].transition * fake->bits));
    ck_assert_uint_eq(path->edges[i].choice, 0);
  }
}

/* Sweeps with one and with all targets: of several depths, several of a depth, and one twice. */
static void check_paths(const struct fake *fake, const struct path_search *search) {
  enum { COUNT = 12 };
  uint64_t states[COUNT];
  struct path_target targets[COUNT];
  struct path paths[COUNT], alone;
  for (unsigned i = 0; i < COUNT; i++) {
    const uint32_t depth = i * 5 % 6 * 4; /* the last one is not the deepest */
    states[i] = fake_least(fake, depth);
    if (i == 4 || i == 5) /* another state of that depth: the last counter instead of a part of the first */
      states[i] += (UINT64_C(1) << ((fake->n - 1) * fake->bits)) - 1;
    targets[i] = (struct path_target){depth, &states[i]};
  }
  ck_assert_int_eq(paths_find(search, targets, COUNT, paths), FLOE_OK);
  for (unsigned i = 0; i < COUNT; i++) {
    ck_assert_uint_eq(paths[i].steps, targets[i].depth);
    check_path(fake, &paths[i]);
    ck_assert_int_eq(paths_find(search, &targets[i], 1, &alone), FLOE_OK);
    ck_assert_mem_eq(alone.states, paths[i].states, (alone.steps + 1) * sizeof *alone.states);
    mem_free(alone.edges);
    ck_assert_int_eq(path_add_edges(search->stepper, &alone), FLOE_OK);
    ck_assert_mem_eq(alone.edges, paths[i].edges, alone.steps * sizeof *alone.edges);
    path_free(&alone);
    path_free(&paths[i]);
  }
}

START_TEST(test_paths) {
  for (unsigned threads = 1; threads <= 3; threads++) {
    struct fake fake;
    fake_init(&fake, 6, 7);
    struct archive *archive = keep(&fake, 19, threads == 2 ? 0 : 1 << 30, threads);
    struct thread_pool *pool;
    ck_assert_int_eq(pool_create(threads, &pool), FLOE_OK);
    struct path_search search = {.levels = archive_source(archive),
                                 .stepper = &fake.base,
                                 .pool = pool,
                                 .transition_count = fake.n,
                                 .stop = {.interrupt = &interrupt}};
    check_paths(&fake, &search);
    uint64_t elsewhere[] = {fake_least(&fake, 9), fake_least(&fake, 3)}; /* the second one is not at this depth */
    struct path_target targets[] = {{9, &elsewhere[0]}, {9, &elsewhere[1]}};
    struct path paths[2];
    ck_assert_int_eq(paths_find(&search, targets, 2, paths), FLOE_ERROR_INTERNAL);
    atomic_store(&interrupt, true);
    ck_assert_int_eq(paths_find(&search, targets, 1, paths), FLOE_ERROR_UNSUPPORTED);
    atomic_store(&interrupt, false);
    pool_free(pool);
    archive_free(archive);
  }
}
END_TEST

int main(void) {
  if (floe_log_create(&messages) != FLOE_OK)
    return 99;
  int failed = run_tests("path", CK_NOFORK, test_archive, test_no_folder, test_paths);
  floe_log_free(messages);
  return suite_end(failed);
}
