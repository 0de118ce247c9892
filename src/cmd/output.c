#define _GNU_SOURCE
#include "cmd/output.h"

#include "base/atomic_file.h"
#include "cmd/command.h"
#include "cmd/message.h"

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

/* A file that is opened while a standard stream is closed would get its number, and what the stream
   is given. Each way the wrong one, so that reading and writing fail as they would. */
static void occupy_standard_streams(void) {
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

void output_begin(void) {
  occupy_standard_streams();
  handle(SIGPIPE, note_reader_gone);
  handle(SIGXFSZ, note_nothing);
}

int output_end(int code) {
  errno = 0;
  bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (!failed || reader_gone)
    return code;
  complain(NULL, "standard output cannot be written: %s", errno ? strerror(errno) : "write error");
  return output_lost(code);
}

int output_lost(int code) { return code == EXIT_AS_WANTED || code == EXIT_UNDECIDED ? EXIT_OUTPUT : code; }

bool is_standard_output(const char *path) { return !path || strcmp(path, "-") == 0; }

static bool failed_to_write(const char *path) {
  complain(NULL, "%s cannot be written: %s", path, strerror(errno));
  return false;
}

/* What the stream was given has arrived. */
static bool fill(FILE *stream, bool (*write)(FILE *, const void *), const void *data) {
  return write(stream, data) && fflush(stream) == 0 && !ferror(stream);
}

static bool write_directly(const char *path, bool (*write)(FILE *, const void *), const void *data) {
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
  if (is_standard_output(path)) {
    write(stdout, data); /* output_end tells what went wrong */
    return true;
  }
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
