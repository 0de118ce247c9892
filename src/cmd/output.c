#define _GNU_SOURCE
#include "cmd/output.h"

#include "cmd/command.h"
#include "cmd/message.h"
#include "core/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The error that a write met first may be long gone from errno when the output ends. */
static volatile sig_atomic_t reader_gone;

static void note_reader_gone(int signal_number) {
  (void)signal_number;
  reader_gone = 1;
}

/* The write that passed the limit of `ulimit -f` fails, and that is told. */
static void note_nothing(int signal_number) { (void)signal_number; }

/* A handler, not SIG_IGN: programs started by the library (the compiler) get the default action
 * back. */
static void handle(int signal_number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal_number, &action, NULL);
}

void output_begin(void) {
  handle(SIGPIPE, note_reader_gone);
  handle(SIGXFSZ, note_nothing);
}

int output_end(int code) {
  errno = 0;
  bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (!failed || reader_gone)
    return code;
  complain(NULL, "standard output cannot be written: %s", errno ? strerror(errno) : "write error");
  return EXIT_INTERNAL;
}

static bool failed_to_write(const char *path) {
  complain(NULL, "%s cannot be written: %s", path, strerror(errno));
  return false;
}

/* What the stream was given has arrived. */
static bool fill(FILE *stream, bool (*write)(FILE *, const void *), const void *data) {
  return write(stream, data) && fflush(stream) == 0 && !ferror(stream);
}

static bool write_directly(const char *path, bool (*write)(FILE *, const void *),
                           const void *data) {
  FILE *stream = fopen(path, "w");
  bool sound = stream && fill(stream, write, data);
  int cause = errno;
  if (stream && fclose(stream) != 0)
    return failed_to_write(path);
  errno = cause;
  return sound || failed_to_write(path);
}

/* The stream has a descriptor of its own: it ends before the file takes its name. */
static bool fill_new(struct newfile *new, bool (*write)(FILE *, const void *), const void *data) {
  int copy = fcntl(new->file, F_DUPFD_CLOEXEC, 0);
  FILE *stream = copy >= 0 ? fdopen(copy, "w") : NULL;
  if (!stream) {
    if (copy >= 0)
      close(copy);
    return false;
  }
  bool sound = fill(stream, write, data);
  int cause = errno;
  if (fclose(stream) != 0)
    return false;
  errno = cause;
  return sound;
}

bool write_file(const char *path, bool (*write)(FILE *, const void *), const void *data) {
  struct stat status;
  struct newfile new;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return write_directly(path, write, data);
  if (!newfile_open(&new, path, NEWFILE_MODE))
    return failed_to_write(path);
  if (fill_new(&new, write, data) && newfile_take_name(&new))
    return true;
  newfile_drop(&new);
  return failed_to_write(path);
}

bool may_write_file(const char *path) {
  struct stat status;
  struct newfile new;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    if (!S_ISDIR(status.st_mode) && access(path, W_OK) == 0)
      return true;
    errno = S_ISDIR(status.st_mode) ? EISDIR : errno;
    return failed_to_write(path);
  }
  if (!newfile_open(&new, path, NEWFILE_MODE))
    return failed_to_write(path);
  newfile_drop(&new);
  return true;
}

/* Of what is not there yet: the folder where it would be, and its name in it. */
static bool folder_of(const char *path, struct stat *out, const char **name) {
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  if (!slash)
    return stat(".", out) == 0;
  char *folder = strndup(path, (size_t)(slash - path) + 1);
  bool found = folder && stat(folder, out) == 0;
  free(folder);
  return found;
}

static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool is_same_file(const char *a, const char *b) {
  struct stat a_status, b_status;
  const char *a_name, *b_name;
  const bool a_there = stat(a, &a_status) == 0, b_there = stat(b, &b_status) == 0;
  if (a_there && b_there)
    return S_ISREG(a_status.st_mode) && is_same(&a_status, &b_status);
  return a_there == b_there && folder_of(a, &a_status, &a_name) &&
         folder_of(b, &b_status, &b_name) && is_same(&a_status, &b_status) &&
         strcmp(a_name, b_name) == 0;
}
