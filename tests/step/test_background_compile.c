/* Background work: tiered steppers, abandoned calls, code generation that can be cancelled and takes time linear in the
   model. */
#define _GNU_SOURCE
#include "core/lines.h"
#include "core/threads/delayed_thread.h"
#include "core/threads/detached_call.h"
#include "loaded.h"
#include "step/compile/tiered_stepper.h"
#include "tests/suite.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char counting[] = "<model name=\"one\"><variable name=\"x\" range=\"0..9\"/><process name=\"P\"><location "
                               "name=\"a\" initial=\"true\"/><transition from=\"a\" effect=\"x++\"/></process></model>";

static char folder[] = "/tmp/floe-test-XXXXXX";

static void load(struct loaded *loaded, const char *text) {
  bool ok = loaded_from_text(loaded, "test", text, strlen(text), NULL, 0);
  ck_assert_msg(ok, "%s", loaded_message(loaded));
}

/* ---- from interpreter to compiled code ------------------------------------------------------- */

static void check_steps(const struct stepper *stepper) {
  uint64_t state = 3, successor = 0;
  struct step_edge edge = {7, 7, 7};
  ck_assert_uint_eq(stepper->expand_one(stepper, &state, &successor, &edge), 1);
  ck_assert_uint_eq(successor, 4);
  struct step_error error;
  ck_assert_uint_eq(stepper->properties(stepper, &state, &error), 0);
  uint64_t fired = 0;
  struct step_block block = {.states = &state, .count = 1, .successors = &successor, .capacity = 1, .fired = &fired};
  stepper->expand_block(stepper, &block);
  ck_assert_uint_eq(block.produced, 1);
  ck_assert_uint_eq(fired, 1);
}

static struct stepper *beside(struct loaded *loaded, const char *compiler, double delay) {
  const struct compile_options options = {compiler, "", NULL};
  struct stepper *stepper;
  load(loaded, counting);
  ck_assert_int_eq(tiered_stepper_create(loaded->model, loaded->layout, &options, delay, loaded->log, &stepper),
                   FLOE_OK);
  check_steps(stepper);
  return stepper;
}

static void end(struct loaded *loaded, struct stepper *stepper) {
  check_steps(stepper);
  stepper->free(stepper);
  loaded_free(loaded);
  ck_assert_uint_eq(mem_live(), 0);
}

/* Waits at most a minute. */
#define UNTIL(condition)                                                                                               \
  for (int tries_ = 0; !(condition); tries_++) {                                                                       \
    ck_assert_msg(tries_ < 6000, "never: %s", #condition);                                                             \
    usleep(10000);                                                                                                     \
  }

static const char *path_in(const char *name) {
  static char path[16][64];
  static int next;
  char *p = path[next++ % 16];
  snprintf(p, sizeof path[0], "%s/%s", folder, name);
  return p;
}

static const char *script(const char *name, const char *text) {
  const char *path = path_in(name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file, "#!/bin/sh\n%s\n", text);
  fclose(file);
  chmod(path, 0755);
  return path;
}

START_TEST(continues_as_compiled_code) {
  struct loaded loaded;
  struct stepper *stepper = beside(&loaded, "cc", 0);
  UNTIL(tiered_stepper_is_compiled(stepper));
  ck_assert_str_eq(stepper->name, "compiled");
  UNTIL(tiered_stepper_seconds(stepper) > 0);
  end(&loaded, stepper);
}
END_TEST

START_TEST(compiles_only_on_request) {
  char text[128];
  struct loaded loaded;
  snprintf(text, sizeof text, ": >%s; exit 1", path_in("began"));
  struct stepper *stepper = beside(&loaded, script("marks", text), ON_REQUEST);
  usleep(50000);
  ck_assert_int_ne(access(path_in("began"), F_OK), 0);
  tiered_compile_now(stepper);
  UNTIL(access(path_in("began"), F_OK) == 0);
  end(&loaded, stepper);
  unlink(path_in("began"));
  end(&loaded, beside(&loaded, path_in("marks"), ON_REQUEST));
  end(&loaded, beside(&loaded, path_in("marks"), 1000));
  ck_assert_int_ne(access(path_in("began"), F_OK), 0);
}
END_TEST

START_TEST(interpreted_where_the_compiler_fails) {
  struct loaded loaded;
  struct stepper *stepper = beside(&loaded, script("fails", "exit 3"), 0);
  UNTIL(tiered_stepper_seconds(stepper) > 0);
  ck_assert(!tiered_stepper_is_compiled(stepper));
  ck_assert_uint_eq(floe_log_count(loaded.log), 0);
  check_steps(stepper);
  stepper->free(stepper);
  ck_assert_uint_eq(floe_log_count(loaded.log), 1);
  ck_assert_ptr_nonnull(strstr(floe_log_at(loaded.log, 0)->message, "the model is interpreted"));
  loaded_free(&loaded);
}
END_TEST

static pid_t pid_in(const char *path) {
  int pid = 0;
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  int read = fscanf(file, "%d", &pid);
  fclose(file);
  return read == 1 ? pid : 0;
}

START_TEST(ends_a_compiler_that_hangs) {
  char text[128];
  struct loaded loaded;
  snprintf(text, sizeof text, "trap '' TERM INT; echo $$ >%s; sleep 1000", path_in("pid"));
  struct stepper *stepper = beside(&loaded, script("hangs", text), 0);
  UNTIL(pid_in(path_in("pid")));
  pid_t pid = pid_in(path_in("pid"));
  check_steps(stepper);
  stepper->free(stepper);
  ck_assert_int_ne(kill(pid, 0), 0);
  ck_assert_uint_eq(floe_log_count(loaded.log), 0); /* it did not fail */
  loaded_free(&loaded);
}
END_TEST

/* ---- abandoned calls --------------------------------------------------------------------------- */

struct visit {
  pthread_mutex_t gate;
  bool ran;
};
static _Atomic int dropped;

static void go(void *data) {
  struct visit *visit = data;
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  ck_assert(sigismember(&blocked, SIGINT));
  pthread_mutex_lock(&visit->gate);
  pthread_mutex_unlock(&visit->gate);
  visit->ran = true;
}

static void drop(void *data) {
  ck_assert(((struct visit *)data)->ran);
  dropped++;
}

static const struct detached_call call = {go, drop};

START_TEST(a_finished_result_belongs_to_the_caller) {
  struct visit visit = {PTHREAD_MUTEX_INITIALIZER, false};
  ck_assert(detached_call_run(&call, &visit, NULL));
  ck_assert(visit.ran);
  ck_assert_int_eq(dropped, 0);
  ck_assert_uint_eq(detached_calls_running(), 0);
}
END_TEST

START_TEST(abandoned_calls_clean_up) {
  struct visit visit = {PTHREAD_MUTEX_INITIALIZER, false};
  atomic_bool flag = true;
  const struct stop stop = {.interrupt = _i ? NULL : &flag, .deadline = _i ? 1e-9 : 0};
  dropped = 0;
  pthread_mutex_lock(&visit.gate);
  ck_assert(!detached_call_run(&call, &visit, &stop));
  ck_assert_uint_eq(detached_calls_running(), 1);
  ck_assert_int_eq(dropped, 0);
  pthread_mutex_unlock(&visit.gate);
  detached_calls_wait();
  ck_assert_int_eq(dropped, 1);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

static void count_calls(void *data) { ++*(int *)data; }

START_TEST(a_waiting_caller_can_report) {
  struct visit visit = {PTHREAD_MUTEX_INITIALIZER, false};
  int calls = 0;
  const struct stop stop = {.deadline = clock_seconds() + 0.05, .waiting = count_calls, .user = &calls};
  pthread_mutex_lock(&visit.gate);
  ck_assert(!detached_call_run(&call, &visit, &stop));
  ck_assert_int_ge(calls, 1);
  pthread_mutex_unlock(&visit.gate);
  detached_calls_wait();
}
END_TEST

/* ---- generated code -------------------------------------------------------------------------- */

/* A model of n transitions, one per line. */
static char *many(size_t n) {
  char *text;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  fputs("<model name=\"many\"><variable name=\"x\" range=\"0..100000\"/><process name=\"P\">\n"
        "<location name=\"a\" initial=\"true\"/>\n",
        stream);
  for (size_t i = 0; i < n; i++)
    fprintf(stream, "<transition from=\"a\" guard=\"x eq %zu\" effect=\"x = %zu\"/>\n", i, i + 1);
  fputs("</process></model>\n", stream);
  fclose(stream);
  return text;
}

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least time of a few runs. */
static double generate(size_t n) {
  struct loaded loaded;
  char *text = many(n);
  double least = 1e9;
  load(&loaded, text);
  for (int i = 0; i < 3; i++) {
    const char *code;
    struct arena arena;
    arena_init(&arena);
    double start = thread_seconds();
    ck_assert_int_eq(codegen_text(loaded.model, loaded.layout, CODEGEN_CPU, NULL, &arena, &code), FLOE_OK);
    double taken = thread_seconds() - start;
    ck_assert_ptr_nonnull(strstr(code, "/* 0: P[0] a -> a, line 3 */"));
    least = taken < least ? taken : least;
    arena_free(&arena);
  }
  loaded_free(&loaded);
  free(text);
  return least;
}

/* Linear time gives a ratio of 8. A scan of the file, or of the initiator's transitions, for each transition would give
   about 64. */
START_TEST(takes_time_in_proportion) {
  setenv("FLOE_OUTLINE", "0", true); /* repeated parts are functions in both texts */
  double few = generate(1000), lots = generate(8000);
  unsetenv("FLOE_OUTLINE");
  ck_assert_msg(lots < 24 * few, "%.4f s for 1,000 transitions, %.4f s for 8,000", few, lots);
}
END_TEST

START_TEST(generation_can_be_cancelled) {
  struct loaded loaded;
  struct arena arena;
  const char *code;
  const struct stop stop = {.deadline = 1e-9};
  load(&loaded, counting);
  arena_init(&arena);
  ck_assert_int_eq(codegen_text(loaded.model, loaded.layout, CODEGEN_CPU, &stop, &arena, &code),
                   FLOE_ERROR_UNSUPPORTED);
  arena_free(&arena);
  loaded_free(&loaded);
}
END_TEST

struct lines_call {
  const struct source *source;
  struct arena *arena;
  struct source_lines *lines;
};

static void make_lines(void *data) {
  const struct lines_call *arguments = data;
  source_lines_make(arguments->source, arguments->arena, arguments->lines);
}

START_TEST(lines_are_those_of_messages) {
  static const char *const texts[] = {"", "\n", "a", "a\nbc\n\nd",
                                      "\xEF\xBB\xBF"
                                      "a\r\n\n\nb\n"};
  struct source sources[sizeof texts / sizeof *texts];
  source_at end = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sources[i] = (struct source){.name = "test", .text = texts[i], .length = strlen(texts[i]), .base = end};
    if (i > 0)
      sources[i - 1].next = &sources[i];
    end = source_end(sources);
  }
  struct source_lines lines;
  struct arena arena;
  arena_init(&arena);
  struct lines_call arguments = {sources, &arena, &lines};
  ck_assert_int_eq(arena_guard(&arena, make_lines, &arguments), 0);
  for (source_at at = 0; at < end; at++) {
    unsigned line, column;
    source_position(sources, at, &line, &column);
    ck_assert_uint_eq(line_number(&lines, at), line);
  }
  ck_assert_uint_eq(line_number(&lines, NOWHERE), 0);
  arena_free(&arena);
}
END_TEST

START_TEST(nothing_leaks) {
  char command[128];
  ck_assert_uint_eq(mem_live(), 0);
  snprintf(command, sizeof command, "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void) {
  if (!mkdtemp(folder))
    return 99;
  TCase *group = tcase_create("beside");
  add_tests(group, continues_as_compiled_code, compiles_only_on_request, interpreted_where_the_compiler_fails,
            ends_a_compiler_that_hangs, a_finished_result_belongs_to_the_caller);
  tcase_add_loop_test(group, abandoned_calls_clean_up, 0, 2);
  add_tests(group, a_waiting_caller_can_report, takes_time_in_proportion, generation_can_be_cancelled,
            lines_are_those_of_messages, nothing_leaks);
  return run_suite("beside", CK_NOFORK, group);
}
