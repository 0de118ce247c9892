#define _GNU_SOURCE
#include "api/input.h"

#include "base/utf8.h"
#include "core/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BUFFER ((size_t)16 << 10)
#define POLL_MS 20

struct input {
  const char *path;
  const struct stop *stop;
  floe_log *log;
  int file;
  char *bytes;
  size_t used, size, most;
};

static floe_status log_io_error(const struct input *input, const char *what) {
  struct utf8_shown shown;
  diag_error(input->log, NULL, NOWHERE, NULL, "%s cannot be %s: %s", utf8_show(input->path, &shown), what,
             strerror(errno));
  return FLOE_ERROR_IO;
}

/* Opening a pipe without a writer must not block. */
static int open_file(const char *path) {
  return strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Waits for bytes or the end of the file. Polls, because a signal may set `stop` just before the wait. */
static floe_status wait_for_bytes(const struct input *input) {
  struct pollfd ready = {.fd = input->file, .events = POLLIN};
  while (!stop_requested(input->stop)) {
    int n = poll(&ready, 1, POLL_MS);
    if (n > 0)
      return FLOE_OK;
    if (n < 0 && errno != EINTR)
      return log_io_error(input, "read");
  }
  struct utf8_shown shown;
  diag_error(input->log, NULL, NOWHERE, NULL, "interrupted while %s was read", utf8_show(input->path, &shown));
  return FLOE_ERROR_INTERRUPTED;
}

static floe_status grow_buffer(struct input *input) {
  if (input->used < input->size)
    return FLOE_OK;
  if (input->used > input->most) {
    struct utf8_shown shown;
    diag_error(input->log, NULL, NOWHERE, NULL, "%s is larger than %zu MiB", utf8_show(input->path, &shown),
               input->most >> 20);
    return FLOE_ERROR_IO;
  }
  size_t size = input->size ? 2 * input->size : FIRST_BUFFER;
  char *wider = mem_resize(input->bytes, size);
  if (!wider)
    return no_memory(input->log);
  input->bytes = wider;
  input->size = size;
  return FLOE_OK;
}

static floe_status read_all(struct input *input) {
  for (;;) {
    FLOE_TRY(grow_buffer(input));
    FLOE_TRY(wait_for_bytes(input));
    ssize_t n = read(input->file, input->bytes + input->used, input->size - input->used);
    if (n == 0)
      return FLOE_OK;
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return log_io_error(input, "read");
    input->used += n > 0 ? (size_t)n : 0;
  }
}

floe_status input_read(const char *path, size_t most, const struct stop *stop, floe_log *log, char **text,
                       size_t *length) {
  struct input input = {.path = path, .stop = stop, .log = log, .file = open_file(path), .most = most};
  if (input.file < 0)
    return log_io_error(&input, "opened");
  floe_status status = read_all(&input);
  if (input.file != STDIN_FILENO)
    close(input.file);
  if (status != FLOE_OK) {
    mem_free(input.bytes);
    return status;
  }
  *text = input.bytes;
  *length = input.used;
  return FLOE_OK;
}
