/* Compiling and the code cache: damaged entries, unusable folders, concurrent processes, failing compilers. */
#define _GNU_SOURCE
#include "loaded.h"
#include "step/compile/code_cache.h"
#include "step/compile/shared_object.h"
#include "step/stepper.h"
#include "tests/suite.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char first_model[] =
    "<model name=\"one\"><variable name=\"x\" range=\"0..9\"/><process name=\"P\"><location "
    "name=\"a\" "
    "initial=\"true\"/><transition from=\"a\" effect=\"x++\"/></process></model>";
static const char second_model[] =
    "<model name=\"two\"><variable name=\"x\" range=\"0..9\"/><process name=\"P\"><location "
    "name=\"a\" "
    "initial=\"true\"/><transition from=\"a\" effect=\"x = 9 - x\"/></process></model>";

static char folder[] = "/tmp/floe-test-XXXXXX";
static char cache_folder[64];

static const char *path_in(const char *name) {
  static char path[4][PATH_MAX];
  static int next;
  char *p = path[next++ % 4];
  snprintf(p, PATH_MAX, "%s/%s", folder, name);
  return p;
}

static void load(struct loaded *loaded, const char *text) {
  bool ok = loaded_from_text(loaded, "test", text, strlen(text), NULL, 0);
  ck_assert_msg(ok, "%s", loaded_message(loaded));
}

static floe_status compile(struct loaded *loaded, const char *compiler, const char *cache, struct stepper **stepper) {
  struct compile_options options = {compiler, cache, NULL};
  *stepper = NULL;
  return compiled_create(loaded->model, loaded->layout, &options, loaded->log, stepper);
}

/* Checks that the stepper increments x. */
static void check_steps(const struct stepper *stepper) {
  uint64_t state = 3, successor = 0;
  struct step_edge edge = {7, 7, 7};
  ck_assert_uint_eq(stepper->expand_one(stepper, &state, &successor, &edge), 1);
  ck_assert_uint_eq(successor, 4);
  ck_assert_uint_eq(edge.transition, 0);
  ck_assert_uint_eq(edge.site, NO_SITE);
}

static bool is_cached(const struct stepper *stepper) { return strstr(stepper->detail, "cached"); }

/* Compiles the first model with the test's cache, which must succeed whatever the cache contains; returns whether the
   model was cached. */
static bool compile_cached(void) {
  struct loaded loaded;
  struct stepper *stepper;
  load(&loaded, first_model);
  floe_status status = compile(&loaded, "cc", cache_folder, &stepper);
  ck_assert_msg(status == FLOE_OK, "%s", loaded_message(&loaded));
  check_steps(stepper);
  bool cached = is_cached(stepper);
  stepper->free(stepper);
  loaded_free(&loaded);
  return cached;
}

/* Number of files in the cache; the last one's path. */
static size_t entries(char last[PATH_MAX]) {
  size_t n = 0;
  DIR *dir = opendir(cache_folder);
  ck_assert_ptr_nonnull(dir);
  for (struct dirent *entry; (entry = readdir(dir));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      snprintf(last, PATH_MAX, "%s/%s", cache_folder, entry->d_name);
      n++;
    }
  closedir(dir);
  return n;
}

static void empty_cache(void) {
  char path[PATH_MAX];
  while (entries(path))
    unlink(path);
}

static void write_file(const char *path, const char *text, mode_t mode) {
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
  chmod(path, mode);
}

static const char *script(const char *name, const char *text) {
  const char *path = path_in(name);
  write_file(path, text, 0700);
  return path;
}

/* ---- the cache ------------------------------------------------------------------------------- */

START_TEST(second_time_from_the_cache) {
  char path[PATH_MAX];
  ck_assert(!compile_cached());
  ck_assert(compile_cached());
  ck_assert_uint_eq(entries(path), 1);
  ck_assert_uint_eq(strlen(strrchr(path, '/') + 1), DIGEST_HEX - 1 + 3);
  struct stat info;
  ck_assert_int_eq(stat(cache_folder, &info), 0);
  ck_assert_uint_eq(info.st_mode & 0777, 0700);
}
END_TEST

START_TEST(truncated_entries) {
  char path[PATH_MAX];
  struct stat info;
  compile_cached();
  ck_assert_uint_eq(entries(path), 1);
  ck_assert_int_eq(stat(path, &info), 0);
  const off_t lengths[] = {0, 1, 40, info.st_size / 2, info.st_size - 1};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    ck_assert_int_eq(truncate(path, lengths[i]), 0);
    ck_assert(!compile_cached());
    ck_assert(compile_cached());
  }
}
END_TEST

START_TEST(changed_entries) {
  char path[PATH_MAX];
  struct stat info;
  compile_cached();
  ck_assert_uint_eq(entries(path), 1);
  ck_assert_int_eq(stat(path, &info), 0);
  const off_t places[] = {0, info.st_size / 3, info.st_size - 35, info.st_size - 1};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char byte;
    int file = open(path, O_RDWR);
    ck_assert_int_eq(pread(file, &byte, 1, places[i]), 1);
    byte ^= 1;
    ck_assert_int_eq(pwrite(file, &byte, 1, places[i]), 1);
    close(file);
    ck_assert(!compile_cached());
    ck_assert(compile_cached());
  }
}
END_TEST

/* A complete entry of another model. */
START_TEST(entries_of_another_model) {
  struct loaded loaded;
  struct stepper *stepper;
  char path[PATH_MAX], other[PATH_MAX];
  empty_cache();
  load(&loaded, second_model);
  ck_assert_int_eq(compile(&loaded, "cc", cache_folder, &stepper), FLOE_OK);
  stepper->free(stepper);
  loaded_free(&loaded);
  ck_assert_uint_eq(entries(other), 1);
  ck_assert_int_eq(rename(other, path_in("other.so")), 0);
  ck_assert(!compile_cached());
  ck_assert_uint_eq(entries(path), 1);
  ck_assert_int_eq(rename(path_in("other.so"), path), 0);
  ck_assert(!compile_cached());
  ck_assert(compile_cached());
}
END_TEST

START_TEST(links_and_folders_in_the_place_of_an_entry) {
  char path[PATH_MAX];
  compile_cached();
  ck_assert_uint_eq(entries(path), 1);
  ck_assert_int_eq(rename(path, path_in("moved.so")), 0);
  ck_assert_int_eq(symlink(path_in("moved.so"), path), 0);
  ck_assert(!compile_cached());
  ck_assert(compile_cached());
  unlink(path);
  ck_assert_int_eq(mkdir(path, 0700), 0);
  ck_assert(!compile_cached()); /* works without the cache */
  ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

/* Compilation succeeds; a note gives the reason for not using the cache. */
static void compile_without(const char *cache) {
  struct loaded loaded;
  struct stepper *stepper;
  load(&loaded, first_model);
  floe_status status = compile(&loaded, "cc", cache, &stepper);
  ck_assert_msg(status == FLOE_OK, "%s", loaded_message(&loaded));
  check_steps(stepper);
  ck_assert(!is_cached(stepper));
  bool noted = false;
  for (size_t i = 0; i < floe_log_count(loaded.log); i++)
    noted |= strstr(floe_log_at(loaded.log, i)->message, "cache folder") != NULL;
  ck_assert(noted);
  stepper->free(stepper);
  loaded_free(&loaded);
}

static void expect_note(const char *compiler, const char *words);

START_TEST(folders_that_cannot_be_used) {
  char path[PATH_MAX];
  write_file(path_in("file"), "", 0600);
  compile_without(path_in("file"));
  compile_without(path_in("file/below"));
  empty_cache();
  chmod(cache_folder, 0770);
  compile_without(cache_folder);
  ck_assert_uint_eq(entries(path), 0);
  chmod(cache_folder, 0700);
  if (geteuid() != 0) {
    chmod(cache_folder, 0500);
    compile_without(cache_folder);
    chmod(cache_folder, 0700);
  }
  ck_assert(!compile_cached());
}
END_TEST

START_TEST(folders_that_vanish) {
  struct code_cache cache = {.folder = "/nonexistent/floe", .ending = ".so"};
  struct reason reason = {""};
  write_file(path_in("object"), "x", 0600);
  ck_assert_int_eq(code_cache_store(&cache, "key", path_in("object"), &reason), FLOE_ERROR_IO);
  ck_assert_str_ne(reason.text, "");
  ck_assert(!code_cache_has(&cache, "key"));
  ck_assert_int_eq(code_cache_open(path_in("new/folder"), &cache, &reason), FLOE_OK);
  ck_assert_int_eq(code_cache_store(&cache, "key", path_in("missing"), &reason), FLOE_ERROR_IO);
  ck_assert_int_eq(code_cache_store(&cache, "key", path_in("object"), &reason), FLOE_OK);
  ck_assert(code_cache_has(&cache, "key"));
  code_cache_remove(&cache, "key");
  ck_assert(!code_cache_has(&cache, "key"));
  rmdir(path_in("new/folder"));
  rmdir(path_in("new"));
}
END_TEST

/* ---- permissions ------------------------------------------------------------------------------- */

/* Entries and the folder are for their user alone, whatever the umask. */
START_TEST(entries_under_any_umask) {
  static const mode_t masks[] = {0, 002, 022, 077};
  char path[PATH_MAX];
  struct stat info;
  for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
    empty_cache();
    rmdir(cache_folder);
    mode_t before = umask(masks[i]);
    ck_assert(!compile_cached());
    umask(before);
    ck_assert_uint_eq(entries(path), 1);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    ck_assert_int_eq(stat(cache_folder, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0700);
  }
}
END_TEST

/* An entry that other users may have written is made again, for its user alone. */
START_TEST(entries_that_others_may_write_to) {
  static const mode_t modes[] = {0620, 0602, 0666, 0660, 0777};
  char path[PATH_MAX];
  struct stat info;
  compile_cached();
  ck_assert_uint_eq(entries(path), 1);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    ck_assert(compile_cached());
    ck_assert_int_eq(chmod(path, modes[i]), 0);
    ck_assert(!compile_cached());
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
  }
  ck_assert_int_eq(chmod(path, 0644), 0); /* read permission is harmless */
  ck_assert(compile_cached());
  if (geteuid() != 0) {
    printf("not root: entries of another user are not tested\n");
    return;
  }
  ck_assert_int_eq(chown(path, 65534, 65534), 0);
  ck_assert(!compile_cached());
  ck_assert_int_eq(stat(path, &info), 0);
  ck_assert_uint_eq(info.st_uid, geteuid());
}
END_TEST

/* The same rule applies to entries that are not shared objects (GPU code). */
START_TEST(bytes_that_others_may_write_to) {
  struct code_cache cache;
  struct reason reason;
  char path[PATH_MAX];
  void *bytes;
  size_t length;
  mode_t before = umask(0);
  ck_assert_int_eq(code_cache_open(cache_folder, &cache, &reason), FLOE_OK);
  cache.ending = ".cubin";
  ck_assert_int_eq(code_cache_store_bytes(&cache, "key", "code", 4, &reason), FLOE_OK);
  umask(before);
  ck_assert(code_cache_read(&cache, "key", &bytes, &length));
  ck_assert_uint_eq(length, 4);
  mem_free(bytes);
  code_cache_path(&cache, "key", path);
  ck_assert_int_eq(chmod(path, 0660), 0);
  ck_assert(!code_cache_read(&cache, "key", &bytes, &length));
  ck_assert(!code_cache_has(&cache, "key"));
  ck_assert_int_eq(code_cache_store_bytes(&cache, "key", "code", 4, &reason), FLOE_OK);
  ck_assert_int_eq(chmod(cache_folder, 0770), 0); /* after it was opened */
  ck_assert(!code_cache_read(&cache, "key", &bytes, &length));
  ck_assert_int_eq(chmod(cache_folder, 0700), 0);
  ck_assert(code_cache_read(&cache, "key", &bytes, &length));
  mem_free(bytes);
  code_cache_remove(&cache, "key");
}
END_TEST

/* A FIFO: a plain open would wait for a writer. */
START_TEST(pipes_in_the_place_of_an_entry) {
  char path[PATH_MAX];
  compile_cached();
  ck_assert_uint_eq(entries(path), 1);
  unlink(path);
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  ck_assert(!compile_cached());
  ck_assert(compile_cached());
}
END_TEST

/* Compiles a shared object whose `answer` is `number`; opens the file. */
static int library_of(int number, const char *path) {
  char text[256];
  snprintf(text, sizeof text, "echo 'int answer(void) { return %d; }' | cc -shared -fPIC -x c - -o %s", number, path);
  ck_assert_int_eq(system(text), 0);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ck_assert_int_ge(file, 0);
  return file;
}

static int answer_of(const struct shared_object *library) {
  int (*answer)(void);
  *(void **)&answer = dlsym(library->handle, "answer");
  ck_assert(answer);
  return answer();
}

/* The opened and checked file is the one that runs, even if its name now belongs to another file; two loaded ones are
   separate. */
START_TEST(another_file_under_the_name) {
  struct shared_object first, second;
  struct reason reason;
  const char *path = path_in("library.so"), *other = path_in("other.so");
  int file = library_of(1, path);
  close(library_of(2, other));
  ck_assert_int_eq(rename(other, path), 0);
  ck_assert(shared_object_open(&first, file, path, &reason));
  ck_assert_int_eq(answer_of(&first), 1);
  ck_assert(shared_object_open(&second, open(path, O_RDONLY | O_CLOEXEC), path, &reason));
  ck_assert_int_eq(answer_of(&second), 2);
  ck_assert_int_eq(answer_of(&first), 1);
  shared_object_close(&first);
  shared_object_close(&second);
  shared_object_close(&second);
}
END_TEST

/* In a folder where other users may replace files, nothing is compiled. */
START_TEST(temporary_folders_of_others) {
  const char *before = getenv("TMPDIR"), *shared = path_in("shared");
  char *kept = before ? strdup(before) : NULL;
  ck_assert_int_eq(mkdir(shared, 0700), 0);
  setenv("TMPDIR", shared, 1);
  empty_cache();
  ck_assert_int_eq(chmod(shared, 0777), 0);
  expect_note("cc", "no sticky bit");
  ck_assert_int_eq(chmod(shared, 0770), 0);
  expect_note("cc", "no sticky bit");
  ck_assert_int_eq(chmod(shared, 01777), 0);
  ck_assert(!compile_cached());
  if (geteuid() == 0) {
    empty_cache();
    ck_assert_int_eq(chown(shared, 65534, 65534), 0);
    expect_note("cc", "it belongs to another user");
  } else {
    printf("not root: temporary folders of another user are not tested\n");
  }
  rmdir(shared);
  if (kept)
    setenv("TMPDIR", kept, 1);
  else
    unsetenv("TMPDIR");
  free(kept);
}
END_TEST

START_TEST(processes_at_once) {
  enum { N = 5 };
  pid_t children[N];
  char path[PATH_MAX];
  empty_cache();
  for (int i = 0; i < N; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      compile_cached();
      _exit(0);
    }
  }
  for (int i = 0; i < N; i++) {
    int status;
    ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
    ck_assert_int_eq(status, 0);
  }
  ck_assert_uint_eq(entries(path), 1);
  ck_assert(compile_cached());
}
END_TEST

/* A changed compiler of the same name is another compiler. */
START_TEST(changed_compiler) {
  char path[PATH_MAX];
  const char *wrapper = script("wrapper", "#!/bin/sh\nexec cc \"$@\"\n");
  empty_cache();
  for (int i = 0; i < 2; i++) {
    struct loaded loaded;
    struct stepper *stepper;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000 + i}};
    utimensat(AT_FDCWD, wrapper, times, 0);
    load(&loaded, first_model);
    ck_assert_int_eq(compile(&loaded, wrapper, cache_folder, &stepper), FLOE_OK);
    ck_assert(!is_cached(stepper));
    stepper->free(stepper);
    loaded_free(&loaded);
    ck_assert_uint_eq(entries(path), 1 + (size_t)i);
  }
  empty_cache();
}
END_TEST

/* ---- compilers ------------------------------------------------------------------------------- */

/* Expects no stepper, and one note that contains `words`. */
static void expect_note(const char *compiler, const char *words) {
  struct loaded loaded;
  struct stepper *stepper;
  load(&loaded, first_model);
  ck_assert_int_eq(compile(&loaded, compiler, cache_folder, &stepper), FLOE_ERROR_UNSUPPORTED);
  ck_assert_ptr_null(stepper);
  ck_assert_uint_eq(floe_log_errors(loaded.log), 0);
  ck_assert_uint_eq(floe_log_count(loaded.log), 1);
  const floe_message *note = floe_log_at(loaded.log, 0);
  ck_assert_int_eq(note->severity, FLOE_NOTE);
  ck_assert_ptr_nonnull(strstr(note->message, "interpreted"));
  ck_assert_msg(strstr(note->message, words) != NULL, "'%s' in: %s", words, note->message);
  loaded_free(&loaded);
}

START_TEST(compilers_that_misbehave) {
  expect_note("", "no compiler");
  expect_note("   ", "no compiler");
  expect_note("no-such-compiler", "no-such-compiler");
  expect_note("/tmp", "/tmp");
  expect_note("false", "exit status 1");
  expect_note("true", "produced no file");
  expect_note(script("dies", "#!/bin/sh\nkill -9 $$\n"), "signal 9");
  expect_note(script("says", "#!/bin/sh\necho 'no licence' >&2\nexit 2\n"), "no licence");
  expect_note(script("floods", "#!/bin/sh\nhead -c 5000000 /dev/zero\nexit 1\n"), "exit status 1");
  expect_note(script("lies", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho rubbish > \"$2\"\n"), "model.so");
  expect_note(script("empty", ""), "empty");
  char path[PATH_MAX];
  empty_cache();
  expect_note("false", "exit status 1");
  ck_assert_uint_eq(entries(path), 0);
}
END_TEST

/* Words after the command are passed to the compiler, after floe's flags. */
START_TEST(commands_with_words) {
  struct loaded loaded;
  struct stepper *stepper;
  expect_note("cc --no-such-flag", "no-such-flag");
  load(&loaded, first_model);
  ck_assert_int_eq(compile(&loaded, "cc -O0 -g", "", &stepper), FLOE_OK);
  check_steps(stepper);
  stepper->free(stepper);
  loaded_free(&loaded);
}
END_TEST

/* A compiler that accepts only the plainest flags suffices. */
START_TEST(plain_flags) {
  struct loaded loaded;
  struct stepper *stepper;
  const char *plain = script("plain", "#!/bin/sh\ncase \"$*\" in *native*) exit 1;; esac\nexec cc \"$@\"\n");
  load(&loaded, first_model);
  ck_assert_int_eq(compile(&loaded, plain, "", &stepper), FLOE_OK);
  check_steps(stepper);
  stepper->free(stepper);
  loaded_free(&loaded);
}
END_TEST

/* Killed in time, with its child processes. */
START_TEST(compilers_that_hang) {
  struct compiler compiler;
  struct reason reason;
  bool cut_short = false;
  const char *const flags[] = {"-c", NULL};
  char number[32] = "";
  const char *hangs = script("hangs", "#!/bin/sh\nsleep 100 &\necho $! > \"$0.pid\"\nwait\n");
  ck_assert_int_eq(compiler_find(hangs, &compiler, &reason), FLOE_OK);
  const struct compiler_task task = {.source = "a.c", .object = "a.so", .seconds = 2};
  ck_assert_int_eq(compiler_run(&compiler, flags, &task, &cut_short, &reason), FLOE_ERROR_UNSUPPORTED);
  ck_assert(cut_short);
  FILE *file = fopen(path_in("hangs.pid"), "r");
  ck_assert_ptr_nonnull(file);
  ck_assert_ptr_nonnull(fgets(number, sizeof number, file));
  fclose(file);
  pid_t sleeper = (pid_t)strtol(number, NULL, 10);
  for (int i = 0; i < 100 && kill(sleeper, 0) == 0; i++) { /* a zombie until it is reaped */
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)sleeper);
    FILE *stat_file = fopen(path, "r");
    if (!stat_file || fscanf(stat_file, "%*d %*s %c", &state) != 1 || state == 'Z')
      sleeper = -1;
    if (stat_file)
      fclose(stat_file);
    if (sleeper < 0)
      break;
    usleep(20000);
  }
  ck_assert(sleeper < 0 || kill(sleeper, 0) != 0);
}
END_TEST

/* A compiler that closes its output has not finished. */
START_TEST(silent_compilers) {
  struct compiler compiler;
  struct reason reason;
  bool cut_short = true;
  const char *const flags[] = {"-c", NULL};
  const char *silent = script("silent", "#!/bin/sh\nexec >&- 2>&-\nsleep 0.3\n: > \"$3\"\n");
  ck_assert_int_eq(compiler_find(silent, &compiler, &reason), FLOE_OK);
  const struct compiler_task task = {.source = "a.c", .object = path_in("silent.so"), .seconds = 50};
  ck_assert_int_eq(compiler_run(&compiler, flags, &task, &cut_short, &reason), FLOE_OK);
  ck_assert(!cut_short);
}
END_TEST

START_TEST(no_temporary_folder) {
  const char *before = getenv("TMPDIR");
  char *kept = before ? strdup(before) : NULL;
  setenv("TMPDIR", "/nonexistent", 1);
  empty_cache();
  expect_note("cc", "temporary folder");
  if (kept)
    setenv("TMPDIR", kept, 1);
  else
    unsetenv("TMPDIR");
  free(kept);
}
END_TEST

START_TEST(without_memory) {
  struct loaded loaded;
  struct stepper *stepper;
  load(&loaded, first_model);
  compile_cached();
  size_t before = mem_live();
  floe_status status = FLOE_ERROR_MEMORY;
  for (long n = 1; status == FLOE_ERROR_MEMORY; n++) {
    ck_assert_int_lt(n, 1000);
    mem_fail_after(n);
    status = compile(&loaded, "cc", cache_folder, &stepper);
    mem_fail_after(0);
    if (status != FLOE_OK)
      ck_assert_uint_eq(mem_live(), before);
  }
  ck_assert_int_eq(status, FLOE_OK);
  check_steps(stepper);
  stepper->free(stepper);
  loaded_free(&loaded);
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
  snprintf(cache_folder, sizeof cache_folder, "%s/parent/cache", folder);
  return run_tests("cache", CK_NOFORK, second_time_from_the_cache, truncated_entries, changed_entries,
                   entries_of_another_model, links_and_folders_in_the_place_of_an_entry, folders_that_cannot_be_used,
                   folders_that_vanish, entries_under_any_umask, entries_that_others_may_write_to,
                   bytes_that_others_may_write_to, pipes_in_the_place_of_an_entry, another_file_under_the_name,
                   temporary_folders_of_others, processes_at_once, changed_compiler, compilers_that_misbehave,
                   commands_with_words, plain_flags, compilers_that_hang, silent_compilers, no_temporary_folder,
                   without_memory, nothing_leaks);
}
