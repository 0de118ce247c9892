/* Limits of what allocates from arenas. */
#include "core/arena.h"
#include "core/arena_limit.h"
#include "core/mem.h"
#include "tests/suite.h"

enum { MOST = 1 << 20, PART = 1000 };

/* Allocates `parts` parts in two arenas, frees the second one after each `freed` parts, and stops after
   `before` of them. */
struct work {
  struct arena first, second;
  size_t parts, freed, before, done;
  bool stop, failed;
};

static void allocate(void *data) {
  struct work *work = data;
  while (work->done < work->parts) {
    if (work->done == work->before)
      work->stop = true;
    arena_alloc(work->freed ? &work->second : &work->first, PART);
    work->done++;
    if (work->freed && work->done % work->freed == 0)
      arena_free(&work->second);
  }
}

static void run(void *data) {
  struct work *work = data;
  work->failed = arena_guard(work->freed ? &work->second : &work->first, allocate, work) != 0;
}

static bool must_stop(void *data) { return ((struct work *)data)->stop; }

static struct arena_limit run_limited(struct work *work) {
  struct arena_limit limit = {.stop = must_stop, .user = work, .bytes = MOST};
  arena_init(&work->first);
  arena_init(&work->second);
  arena_limited(&limit, run, work);
  arena_free(&work->first);
  arena_free(&work->second);
  return limit;
}

START_TEST(within_the_limit) {
  struct work work = {.parts = 200, .before = SIZE_MAX};
  const struct arena_limit limit = run_limited(&work);
  ck_assert(!work.failed && !limit.stopped && !limit.full);
  ck_assert_uint_ge(limit.taken, 200 * PART);
}
END_TEST

START_TEST(too_much) {
  struct work work = {.parts = 10 * MOST / PART, .before = SIZE_MAX};
  const struct arena_limit limit = run_limited(&work);
  ck_assert(work.failed && !limit.stopped && limit.full);
  ck_assert_uint_le(work.done * PART, MOST);
  ck_assert_uint_le(limit.taken, MOST);
}
END_TEST

/* What is freed does not count. */
START_TEST(much_in_all) {
  struct work work = {.parts = 10 * MOST / PART, .freed = 100, .before = SIZE_MAX};
  const struct arena_limit limit = run_limited(&work);
  ck_assert(!work.failed && !limit.stopped && !limit.full);
  ck_assert_uint_eq(work.done, work.parts);
}
END_TEST

START_TEST(stopped) {
  struct work work = {.parts = 1000, .before = 300};
  const struct arena_limit limit = run_limited(&work);
  ck_assert(work.failed && limit.stopped && !limit.full);
  ck_assert_uint_ge(work.done, 300);
  ck_assert_uint_lt(work.done, 1000);
}
END_TEST

START_TEST(stopped_at_once) {
  struct work work = {.parts = 1, .before = SIZE_MAX, .stop = true};
  const struct arena_limit limit = run_limited(&work);
  ck_assert(work.failed && limit.stopped && !limit.full);
  ck_assert_uint_eq(work.done, 0);
}
END_TEST

/* No limit is left. */
START_TEST(afterwards) {
  struct work work = {.parts = 10 * MOST / PART, .before = SIZE_MAX};
  arena_init(&work.first);
  run(&work);
  ck_assert(!work.failed);
  arena_free(&work.first);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

int main(void) {
  return run_tests("arena", CK_NOFORK, within_the_limit, too_much, much_in_all, stopped, stopped_at_once, afterwards);
}
