#define _GNU_SOURCE
#include "cmd/output.h"

#include "base/atomic_file.h"
#include "cmd/command.h"
#include "cmd/console/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set by SIGPIPE: errno may have lost the error of the write by the end of the output. */
static volatile sig_atomic_t reader_gone;

static void note_reader_gone(int signal_number) {
  (void)signal_number;
  reader_gone = 1;
}

/* SIGXFSZ: the write beyond the limit of `ulimit -f` fails, and the failure is reported. */
static void ignore_signal(int signal_number) { (void)signal_number; }

/* A handler instead of SIG_IGN: programs that the library starts (the compiler) inherit the default action. */
static void set_handler(int signal_number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal_number, &action, NULL);
}

/* A file opened while a standard stream is closed would get the stream's descriptor, and its data. Opens /dev/null in
   the wrong direction instead, so that reads and writes of the stream still fail. */
static void occupy_standard_streams(void) {
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

void output_begin(void) {
  occupy_standard_streams();
  set_handler(SIGPIPE, note_reader_gone);
  set_handler(SIGXFSZ, ignore_signal);
}

int output_end(int code) {
  errno = 0;
  bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (!failed || reader_gone)
    return code;
  print_error(NULL, "standard output cannot be written: %s", errno ? strerror(errno) : "write error");
  return output_failed(code);
}

int output_failed(int code) { return code == EXIT_SATISFIED || code == EXIT_UNDECIDED ? EXIT_OUTPUT : code; }

bool is_standard_output(const char *path) { return !path || strcmp(path, "-") == 0; }

static bool report_write_error(const char *path) {
  print_error(NULL, "%s cannot be written: %s", path, strerror(errno));
  return false;
}

/* Writes, and flushes the stream. */
static bool write_stream(FILE *stream, bool (*write)(FILE *, const void *), const void *data) {
  return write(stream, data) && fflush(stream) == 0 && !ferror(stream);
}

static bool write_directly(const char *path, bool (*write)(FILE *, const void *), const void *data) {
  FILE *stream = fopen(path, "w");
  bool sound = stream && write_stream(stream, write, data);
  int cause = errno;
  if (stream && fclose(stream) != 0)
    return report_write_error(path);
  errno = cause;
  return sound || report_write_error(path);
}

/* The stream gets its own descriptor, which it closes before the file is renamed. */
static bool write_new_file(struct atomic_file *new, bool (*write)(FILE *, const void *), const void *data) {
  int copy = fcntl(new->file, F_DUPFD_CLOEXEC, 0);
  FILE *stream = copy >= 0 ? fdopen(copy, "w") : NULL;
  if (!stream) {
    if (copy >= 0)
      close(copy);
    return false;
  }
  bool sound = write_stream(stream, write, data);
  int cause = errno;
  if (fclose(stream) != 0)
    return false;
  errno = cause;
  return sound;
}

bool write_file(const char *path, bool (*write)(FILE *, const void *), const void *data) {
  struct stat status;
  struct atomic_file new;
  if (is_standard_output(path)) {
    write(stdout, data); /* output_end reports errors */
    return true;
  }
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return write_directly(path, write, data);
  if (!atomic_file_open(&new, path, ATOMIC_FILE_MODE))
    return report_write_error(path);
  if (write_new_file(&new, write, data) && atomic_file_commit(&new))
    return true;
  atomic_file_abort(&new);
  return report_write_error(path);
}

bool can_write_file(const char *path) {
  struct stat status;
  struct atomic_file new;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    if (!S_ISDIR(status.st_mode) && access(path, W_OK) == 0)
      return true;
    errno = S_ISDIR(status.st_mode) ? EISDIR : errno;
    return report_write_error(path);
  }
  if (!atomic_file_open(&new, path, ATOMIC_FILE_MODE))
    return report_write_error(path);
  atomic_file_abort(&new);
  return true;
}
