#include "cmd/output.h"

#include "cmd/command.h"
#include "cmd/message.h"

#include <errno.h>
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

/* Closes the stream in any case. */
static bool fill(FILE *stream, bool (*write)(FILE *, const void *), const void *data) {
  bool sound = write(stream, data) && fflush(stream) == 0 && !ferror(stream);
  int cause = errno;
  if (fclose(stream) != 0)
    return false;
  errno = cause;
  return sound;
}

static bool write_directly(const char *path, bool (*write)(FILE *, const void *),
                           const void *data) {
  FILE *stream = fopen(path, "w");
  return (stream && fill(stream, write, data)) || failed_to_write(path);
}

/* mkstemp gives a file to its owner alone; a result file is as readable as any other new file. */
static void usual_mode(int file) {
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file, 0666 & ~mask) != 0)
    errno = 0; /* the content is what matters */
}

static FILE *open_temporary(char *name) {
  int file = mkstemp(name);
  if (file < 0)
    return NULL;
  usual_mode(file);
  FILE *stream = fdopen(file, "w");
  if (stream)
    return stream;
  close(file);
  unlink(name);
  return NULL;
}

bool write_file(const char *path, bool (*write)(FILE *, const void *), const void *data) {
  struct stat status;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return write_directly(path, write, data);
  size_t size = strlen(path) + sizeof ".XXXXXX";
  char *name = malloc(size);
  if (!name)
    return failed_to_write(path);
  snprintf(name, size, "%s.XXXXXX", path);
  FILE *stream = open_temporary(name);
  bool sound = stream && fill(stream, write, data) && rename(name, path) == 0;
  if (!sound) {
    failed_to_write(path);
    if (stream)
      unlink(name);
  }
  free(name);
  return sound;
}
