#define _GNU_SOURCE
#include "step/compile/compiler.h"

#include "core/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

extern char **environ;

/* ---- which program --------------------------------------------------------------------------- */

static bool split_command(const char *command, struct compiler *out) {
  if (strlen(command) >= sizeof out->command)
    return false;
  strcpy(out->command, command);
  char *rest = out->command, *word;
  while ((word = strtok_r(rest, " \t", &rest))) {
    if (out->word_count == COMPILER_MAX_WORDS)
      return false;
    out->words[out->word_count++] = word;
  }
  return out->word_count > 0;
}

static bool is_program(const char *path) {
  struct stat info;
  return !stat(path, &info) && S_ISREG(info.st_mode) && !access(path, X_OK);
}

/* Searches PATH as execvp does. */
static bool search_path(const char *name, char path[PATH_MAX]) {
  if (strchr(name, '/'))
    return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_program(path);
  const char *folders = getenv("PATH");
  for (const char *p = folders ? folders : "/usr/bin:/bin"; *p;) {
    size_t length = strcspn(p, ":");
    int n = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, length ? p : ".", name);
    if (n < PATH_MAX && is_program(path))
      return true;
    p += length + (p[length] == ':');
  }
  return false;
}

floe_status compiler_find(const char *command, struct compiler *out, struct reason *reason) {
  memset(out, 0, sizeof *out);
  if (!split_command(command, out)) {
    reason_set(reason,
               command[strspn(command, " \t")] ? "the compiler's command is too long" : "no compiler is configured");
    return FLOE_ERROR_UNSUPPORTED;
  }
  if (!search_path(out->words[0], out->path)) {
    reason_set(reason, "there is no compiler '%s'", out->words[0]);
    return FLOE_ERROR_UNSUPPORTED;
  }
  return FLOE_OK;
}

/* Properties of the processor that -march=native reads. */
static void identify_processor(struct digest *hash) {
#if defined(__x86_64__) || defined(__i386__)
  static const unsigned leaves[] = {0, 1, 7, 0x80000001};
  for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
    unsigned r[4] = {0};
    __get_cpuid_count(leaves[i], 0, &r[0], &r[1], &r[2], &r[3]);
    if (leaves[i] == 1)
      r[1] = 0; /* contains the number of the current core */
    digest_add(hash, r, sizeof r);
  }
#else
  unsigned long features[2] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
  digest_add(hash, features, sizeof features);
#endif
}

void compiler_identify(const struct compiler *compiler, struct digest *hash) {
  struct stat info;
  for (size_t i = 0; i < compiler->word_count; i++)
    digest_add_string(hash, compiler->words[i]);
  digest_add_string(hash, compiler->path);
  if (!stat(compiler->path, &info)) {
    digest_add(hash, &info.st_size, sizeof info.st_size);
    digest_add(hash, &info.st_mtim.tv_sec, sizeof info.st_mtim.tv_sec);
    digest_add(hash, &info.st_mtim.tv_nsec, sizeof info.st_mtim.tv_nsec);
  }
  identify_processor(hash);
}

/* ---- running it ------------------------------------------------------------------------------ */

/* A compiler process and its output. */
struct compiler_process {
  pid_t pid;
  int output; /* read end of the pipe that its standard output and error go to */
  char text[240];
  size_t length;
};

/* The process has a group of its own, so that processes it starts can be killed with it. */
static int spawn(struct compiler_process *process, const char *path, char *const *argv, char *const *environment,
                 int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    error = posix_spawn(&process->pid, path, &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static int start_with_pipe(struct compiler_process *process, const char *path, char *const *argv,
                           char *const *environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return errno;
  int error = spawn(process, path, argv, environment, ends[1]);
  close(ends[1]);
  process->output = ends[0];
  if (error)
    close(ends[0]);
  return error;
}

/* Keeps the start of the output and drops the rest. False: end of output. */
static bool read_output(struct compiler_process *process) {
  char bytes[4096];
  ssize_t n = read(process->output, bytes, sizeof bytes);
  if (n < 0)
    return errno == EINTR;
  size_t room = sizeof process->text - 1 - process->length;
  size_t kept = (size_t)n < room ? (size_t)n : room;
  memcpy(process->text + process->length, bytes, kept);
  process->length += kept;
  return n > 0;
}

static void kill_process(struct compiler_process *process, int *status) {
  kill(-process->pid, SIGKILL); /* its group */
  kill(process->pid, SIGKILL);  /* itself, if it is not in that group yet */
  while (waitpid(process->pid, status, 0) < 0 && errno == EINTR)
    ;
}

/* Reads the rest of the output of a process that has ended. */
static void drain_output(struct compiler_process *process) {
  struct pollfd output = {.fd = process->output, .events = POLLIN};
  for (int i = 0; i < 64 && poll(&output, 1, 0) > 0 && read_output(process); i++)
    ;
}

static bool is_past_deadline(const struct compiler_task *task, double deadline) {
  return clock_seconds() > deadline || stop_requested(task->stop);
}

/* Longest delay of a stop, ms. */
#define POLL_NS 5

/* False: the process was killed. Output and the end of the pipe wake the wait. */
static bool wait_for_exit(struct compiler_process *process, const struct compiler_task *task, int *status) {
  double deadline = clock_seconds() + task->seconds;
  struct pollfd output = {.fd = process->output, .events = POLLIN};
  for (;;) {
    pid_t pid = waitpid(process->pid, status, WNOHANG);
    if (pid == process->pid || (pid < 0 && errno != EINTR)) {
      drain_output(process);
      return true;
    }
    stop_call_waiting(task->stop);
    if (is_past_deadline(task, deadline)) {
      kill_process(process, status);
      return false;
    }
    if (poll(&output, 1, POLL_NS) > 0 && !read_output(process))
      poll(NULL, 0, 1); /* output closed: the process is about to end, or continues silently */
  }
}

static void set_exit_reason(struct reason *reason, const struct compiler *compiler, struct compiler_process *process,
                            int status) {
  process->text[process->length] = '\0';
  const char *colon = process->length ? ": " : "";
  if (WIFSIGNALED(status))
    reason_set(reason, "%s was killed by signal %d%s%s", compiler->path, WTERMSIG(status), colon, process->text);
  else
    reason_set(reason, "%s failed (exit status %d)%s%s", compiler->path, WEXITSTATUS(status), colon, process->text);
}

/* The environment with another TMPDIR, so that a killed compiler leaves no temporary files elsewhere. `variable` has
   room for the setting; NULL: out of memory. The caller frees the array. */
static char **environment_with(const char *folder, char variable[PATH_MAX + 8]) {
  size_t n = 0, kept = 0;
  while (environ[n])
    n++;
  char **environment = mem_array(n + 2, sizeof *environment);
  if (!environment)
    return NULL;
  for (size_t i = 0; i < n; i++)
    if (strncmp(environ[i], "TMPDIR=", strlen("TMPDIR=")) != 0)
      environment[kept++] = environ[i];
  snprintf(variable, PATH_MAX + 8, "TMPDIR=%s", folder);
  environment[kept] = variable;
  return environment;
}

static int start_task(struct compiler_process *process, const struct compiler *compiler, char *const *argv,
                      const struct compiler_task *task) {
  char variable[PATH_MAX + 8];
  if (!task->folder)
    return start_with_pipe(process, compiler->path, argv, environ);
  char **environment = environment_with(task->folder, variable);
  int error = environment ? start_with_pipe(process, compiler->path, argv, environment) : ENOMEM;
  mem_free(environment);
  return error;
}

static void compose(const struct compiler *compiler, const char *const *flags, const struct compiler_task *task,
                    const char *argv[2 * COMPILER_MAX_WORDS + 8]) {
  size_t n = 0;
  argv[n++] = compiler->words[0];
  for (size_t i = 0; flags[i] && i < COMPILER_MAX_WORDS; i++)
    argv[n++] = flags[i];
  for (size_t i = 1; i < compiler->word_count; i++)
    argv[n++] = compiler->words[i];
  argv[n++] = "-o";
  argv[n++] = task->object;
  argv[n++] = task->source;
  argv[n] = NULL;
}

floe_status compiler_run(const struct compiler *compiler, const char *const *flags, const struct compiler_task *task,
                         bool *cut_short, struct reason *reason) {
  const char *argv[2 * COMPILER_MAX_WORDS + 8];
  compose(compiler, flags, task, argv);
  struct compiler_process process = {0};
  int status = 0, error = start_task(&process, compiler, (char *const *)argv, task);
  *cut_short = false;
  if (error) {
    reason_set(reason, "%s cannot be started: %s", compiler->path, strerror(error));
    return FLOE_ERROR_UNSUPPORTED;
  }
  bool ended = wait_for_exit(&process, task, &status);
  close(process.output);
  if (!ended) {
    *cut_short = true;
    if (stop_requested(task->stop))
      reason_set(reason, "%s was interrupted", compiler->path);
    else
      reason_set(reason, "%s did not end within %.0f s", compiler->path, task->seconds);
  } else if (!WIFEXITED(status) || WEXITSTATUS(status))
    set_exit_reason(reason, compiler, &process, status);
  else if (access(task->object, R_OK))
    reason_set(reason, "%s produced no file", compiler->path);
  else
    return FLOE_OK;
  return FLOE_ERROR_UNSUPPORTED;
}
