/* FILE and FILE.previous: whatever fails or kills the process while a checkpoint is written, FILE is a complete one.
   The calls that change names are wrapped (-Wl,--wrap), so that each of them can fail, or be the last. */
#define _GNU_SOURCE
#include "checkpoint/checkpoint.h"
#include "core/mem.h"
#include "tests/suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- calls that fail --------------------------------------------------------------------------- */

static unsigned calls;   /* calls so far */
static unsigned chosen;  /* call at which it happens; 0: none */
static int chosen_error; /* errno of the failing call; 0: the process is killed */
static bool after;       /* killed after the call, not before */

/* True: the call is executed. */
static bool may_call(void) {
  if (++calls != chosen)
    return true;
  if (chosen_error) {
    errno = chosen_error;
    return false;
  }
  if (!after)
    raise(SIGKILL);
  return true;
}

static int done(int result) {
  if (calls == chosen && !chosen_error)
    raise(SIGKILL);
  return result;
}

int __real_rename(const char *from, const char *to);
int __real_link(const char *from, const char *to);
int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __real_fsync(int file);
ssize_t __real_pwrite(int file, const void *bytes, size_t n, off_t at);
int __wrap_rename(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_fsync(int file);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t n, off_t at);

int __wrap_rename(const char *from, const char *to) { return may_call() ? done(__real_rename(from, to)) : -1; }
int __wrap_link(const char *from, const char *to) { return may_call() ? done(__real_link(from, to)) : -1; }
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  return may_call() ? done(__real_linkat(from_folder, from, to_folder, to, flags)) : -1;
}
int __wrap_fsync(int file) { return may_call() ? done(__real_fsync(file)) : -1; }
/* Half of it is written before a kill. */
ssize_t __wrap_pwrite(int file, const void *bytes, size_t n, off_t at) {
  if (!may_call())
    return -1;
  bool last = calls == chosen && !chosen_error;
  ssize_t written = __real_pwrite(file, bytes, last ? n / 2 : n, at);
  done(0);
  return written;
}

/* ---- generations ------------------------------------------------------------------------------- */

static char folder[] = "/tmp/floe-generations-XXXXXX";
static char path[100], previous[100];
static floe_log *messages;

/* The `seconds` and the keys identify a generation. */
static floe_status write_generation(const char *name, unsigned generation) {
  const struct checkpoint_head head = {.model = "m", .bits = 40, .words = 1, .seconds = generation};
  const struct checkpoint_search search = {.levels = 0};
  struct checkpoint_writer *writer;
  floe_status status = checkpoint_create(name, &head, 1, messages, &writer);
  if (status != FLOE_OK)
    return status;
  for (uint64_t i = 0; i < 1000 + generation; i++)
    checkpoint_put(writer, 0, CHECKPOINT_KEYS, &i, 1);
  return checkpoint_commit(writer, &search, NULL);
}

/* Generation of the file; 0: there is none. The file must be complete. */
static unsigned generation_of(const char *name) {
  struct checkpoint_reader *reader;
  struct checkpoint_states got;
  uint64_t states = 0;
  if (access(name, F_OK) != 0)
    return 0;
  ck_assert_int_eq(checkpoint_open(name, messages, &reader), FLOE_OK);
  struct checkpoint_block *block = checkpoint_block_create(reader);
  while (checkpoint_next(reader, block, &got) == FLOE_OK && got.n > 0)
    states += got.n;
  ck_assert_int_eq(checkpoint_end_reading(reader), FLOE_OK);
  unsigned generation = (unsigned)checkpoint_head_of(reader)->seconds;
  ck_assert_uint_eq(states, 1000 + generation);
  checkpoint_block_free(block);
  checkpoint_close(reader);
  return generation;
}

static unsigned files_in_folder(void) {
  DIR *entries = opendir(folder);
  unsigned n = 0;
  for (struct dirent *entry; (entry = readdir(entries));)
    n += entry->d_name[0] != '.';
  closedir(entries);
  return n;
}

static void expect_report(const char *text) {
  ck_assert_uint_eq(floe_log_errors(messages), 1);
  const char *message = floe_log_at(messages, 0)->message;
  if (!strstr(message, text))
    ck_abort_msg("\"%s\" is not in \"%s\"", text, message);
  floe_log_clear(messages);
}

START_TEST(test_generations) {
  for (unsigned i = 1; i <= 4; i++) {
    ck_assert_int_eq(write_generation(path, i), FLOE_OK);
    ck_assert_uint_eq(generation_of(path), i);
    ck_assert_uint_eq(generation_of(previous), i - 1);
  }
  ck_assert_uint_eq(files_in_folder(), 2);
}
END_TEST

/* With and without a folder in the path. */
START_TEST(test_names) {
  ck_assert_int_eq(chdir(folder), 0);
  ck_assert_int_eq(write_generation("plain", 1), FLOE_OK);
  ck_assert_int_eq(write_generation("plain", 2), FLOE_OK);
  ck_assert_uint_eq(generation_of("plain"), 2);
  ck_assert_uint_eq(generation_of("plain.previous"), 1);
  ck_assert_int_eq(write_generation("no/such/folder", 2), FLOE_ERROR_IO);
  expect_report("No such file or directory");
  ck_assert_int_eq(write_generation(folder, 2), FLOE_ERROR_IO);
  expect_report("Is a directory");
  char long_name[300];
  memset(long_name, 'x', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  ck_assert_int_eq(write_generation(long_name, 2), FLOE_ERROR_IO);
  expect_report("File name too long");
}
END_TEST

/* ---- killed ------------------------------------------------------------------------------------ */

/* Status of the child, as of waitpid. */
static int in_child(void (*work)(void)) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return status;
}

static void write_third(void) { _exit(write_generation(path, 3) == FLOE_OK ? 0 : 1); }

/* Writes two generations; the third is killed at call number `chosen`. False: there is no such call. */
static bool killed_at(unsigned call) {
  chosen = call;
  chosen_error = 0;
  calls = 0;
  int status = in_child(write_third);
  chosen = 0;
  ck_assert(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

static void begin_with(unsigned generations) {
  unlink(path);
  unlink(previous);
  for (unsigned i = 3 - generations; i <= 2; i++)
    ck_assert_int_eq(write_generation(path, i), FLOE_OK);
}

START_TEST(test_killed) {
  const unsigned before = (unsigned)_i / 2; /* existing generations */
  after = _i % 2;
  bool killed = true;
  for (unsigned call = 1; killed; call++) {
    begin_with(before);
    killed = killed_at(call);
    unsigned now = generation_of(path), old = generation_of(previous);
    ck_assert(killed ? now == 3 || now == (before ? 2 : 0) : now == 3);
    ck_assert(old == 0 || old == 1 || old == 2);
    ck_assert(old > 0 || before < 2);
    ck_assert_int_eq(write_generation(path, 4), FLOE_OK);
    ck_assert_uint_eq(generation_of(path), 4);
    ck_assert_uint_eq(generation_of(previous), now);
  }
}
END_TEST

static void write_forever(unsigned first) {
  for (unsigned i = first;; i++)
    if (write_generation(path, i) != FLOE_OK)
      _exit(1);
}

/* Kills at any time, not only between two calls. */
START_TEST(test_killed_any_time) {
  unsigned now = 2;
  begin_with(now);
  for (unsigned i = 0; i < 60; i++) {
    int status;
    pid_t child = fork();
    if (child == 0)
      write_forever(now + 1);
    usleep(1 + i * 331 % 9973);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    unsigned before = now, old = generation_of(previous);
    now = generation_of(path);
    ck_assert_uint_ge(now, before);
    ck_assert_uint_ge(old, 1);
    ck_assert_uint_le(old, now);
  }
}
END_TEST

/* ---- failing ----------------------------------------------------------------------------------- */

static const int errors[] = {EIO, ENOSPC, EDQUOT, EACCES};

/* The old files stay and nothing is left of the new one. The last call is the fsync of the folder: the new file is
   in place. */
START_TEST(test_failing_calls) {
  unsigned last = 0;
  begin_with(2);
  calls = 0;
  ck_assert_int_eq(write_generation(path, 3), FLOE_OK);
  last = calls;
  for (unsigned call = 1; call <= last; call++) {
    begin_with(2);
    chosen = call;
    chosen_error = errors[_i];
    calls = 0;
    floe_status status = write_generation(path, 3);
    chosen = 0;
    ck_assert_int_eq(status, FLOE_ERROR_IO);
    expect_report(strerror(errors[_i]));
    ck_assert_uint_eq(generation_of(path), call == last ? 3 : 2);
    ck_assert_uint_ge(generation_of(previous), 1);
    ck_assert_uint_eq(files_in_folder(), 2);
  }
  ck_assert_uint_ge(last, 6); /* prelude, head, keys, search, end, ... */
}
END_TEST

/* A file system without links. */
START_TEST(test_no_links) {
  unsigned at = 0;
  for (unsigned call = 1; at == 0; call++) { /* number of the call that links the old file */
    begin_with(2);
    chosen = call;
    chosen_error = EPERM;
    calls = 0;
    if (write_generation(path, 3) == FLOE_OK)
      at = call;
    chosen = 0;
    floe_log_clear(messages);
    ck_assert_uint_le(call, 20);
  }
  ck_assert_uint_eq(generation_of(path), 3);
  ck_assert_uint_eq(generation_of(previous), 2);
}
END_TEST

static void write_too_much(void) {
  struct rlimit limit = {4096, 4096};
  setrlimit(RLIMIT_FSIZE, &limit);
  const struct checkpoint_head head = {.model = "m", .bits = 64, .words = 1};
  const struct checkpoint_search search = {.levels = 0};
  struct checkpoint_writer *writer;
  uint64_t key = 1;
  bool fine = true;
  if (checkpoint_create(path, &head, 1, messages, &writer) != FLOE_OK)
    _exit(2);
  for (unsigned i = 0; i < 1000000 && fine; i++) {
    key *= UINT64_C(0x9e3779b97f4a7c15);
    fine = checkpoint_put(writer, 0, CHECKPOINT_KEYS, &key, 1);
  }
  if (fine || checkpoint_commit(writer, &search, NULL) != FLOE_ERROR_IO || floe_log_errors(messages) != 1 ||
      !strstr(floe_log_at(messages, 0)->message, "File too large"))
    _exit(3);
}

/* Logged, and no signal ends the process. */
START_TEST(test_full) {
  begin_with(2);
  ck_assert_int_eq(in_child(write_too_much), 0);
  ck_assert_uint_eq(generation_of(path), 2);
  ck_assert_uint_eq(generation_of(previous), 1);
  ck_assert_uint_eq(files_in_folder(), 2);
}
END_TEST

static void write_as_another_user(void) {
  if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
    _exit(2);
  if (write_generation(path, 3) != FLOE_ERROR_IO || floe_log_errors(messages) != 1 ||
      !strstr(floe_log_at(messages, 0)->message, "Permission denied"))
    _exit(3);
}

/* A folder of another user, or without write permission; a file without it. */
START_TEST(test_no_permission) {
  begin_with(2);
  ck_assert_int_eq(chmod(folder, 0555), 0);
  ck_assert_int_eq(in_child(write_as_another_user), 0);
  ck_assert_int_eq(chmod(folder, 0777), 0);
  ck_assert_int_eq(chmod(path, 0444), 0);
  ck_assert_int_eq(in_child(write_as_another_user), 0);
  ck_assert_uint_eq(generation_of(path), 2);
  ck_assert_uint_eq(generation_of(previous), 1);
}
END_TEST

/* ---- existing files ---------------------------------------------------------------------------- */

static void put_text(const char *name, const char *text) {
  FILE *stream = fopen(name, "wb");
  fputs(text, stream);
  fclose(stream);
}

START_TEST(test_other_file_exists) {
  struct stat status;
  put_text(path, "the work of several days");
  ck_assert_int_eq(write_generation(path, 1), FLOE_ERROR_IO);
  expect_report("is not overwritten: it is not a checkpoint");
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_int_eq(status.st_size, 24);
  put_text(path, "");
  ck_assert_int_eq(write_generation(path, 1), FLOE_OK);
  ck_assert_uint_eq(generation_of(previous), 0);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  ck_assert_int_eq(write_generation(path, 1), FLOE_ERROR_IO);
  expect_report("it is not a checkpoint");
}
END_TEST

/* The file before a damaged one may be the only valid one. */
START_TEST(test_damaged_file_exists) {
  begin_with(2);
  ck_assert_int_eq(truncate(path, 200), 0);
  ck_assert_int_eq(write_generation(path, 3), FLOE_OK);
  ck_assert_uint_eq(generation_of(path), 3);
  ck_assert_uint_eq(generation_of(previous), 1);
}
END_TEST

/* ---- the suite --------------------------------------------------------------------------------- */

static void setup(void) {
  strcpy(folder, "/tmp/floe-generations-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(chmod(folder, 0777), 0);
  snprintf(path, sizeof path, "%s/file", folder);
  snprintf(previous, sizeof previous, "%s/file.previous", folder);
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
}

static void teardown(void) {
  char command[100];
  ck_assert_uint_eq(floe_log_errors(messages), 0);
  floe_log_free(messages);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
  ck_assert_uint_eq(mem_live(), 0);
}

int main(void) {
  TCase *tests = tcase_create("generations");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_set_timeout(tests, 120);
  add_tests(tests, test_generations, test_names);
  tcase_add_loop_test(tests, test_killed, 0, 6);
  tcase_add_test(tests, test_killed_any_time);
  tcase_add_loop_test(tests, test_failing_calls, 0, 4);
  add_tests(tests, test_no_links, test_full, test_no_permission, test_other_file_exists, test_damaged_file_exists);
  return run_suite("checkpoint generations", CK_FORK_GETENV, tests);
}
