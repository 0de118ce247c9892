#define _GNU_SOURCE
#include "checkpoint/generations.h"

#include "checkpoint/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".previous"

bool generations_previous(const char *path, char previous[PATH_MAX]) {
  return (size_t)snprintf(previous, PATH_MAX, "%s" SUFFIX, path) < PATH_MAX;
}

/* An empty file may be replaced: mktemp makes such files. */
static bool may_replace(const char *path) {
  uint8_t bytes[PRELUDE_BYTES];
  bool unsupported;
  struct stat status;
  if (stat(path, &status) != 0)
    return true; /* atomic_file_open reports the error */
  if (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && status.st_size == 0))
    return true;
  int file = S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (S_ISREG(status.st_mode) && file < 0)
    return false;
  bool is_checkpoint = file >= 0 && pread(file, bytes, sizeof bytes, 0) == sizeof bytes &&
                       (!prelude_flaw(bytes, &unsupported) || unsupported);
  if (file >= 0)
    close(file);
  if (!is_checkpoint)
    errno = EEXIST;
  return is_checkpoint;
}

bool generations_open(struct checkpoint_generations *files, const char *path) {
  files->new.file = -1;
  *files->new.name = '\0';
  if (!generations_previous(path, files->previous)) {
    errno = ENAMETOOLONG;
    return false;
  }
  return may_replace(path) && atomic_file_open(&files->new, path, ATOMIC_FILE_MODE);
}

/* A damaged file must not replace the previous one, which may be valid. */
static bool is_complete(const char *path) {
  uint8_t bytes[END_BYTES];
  struct part end;
  struct trailer trailer;
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool complete = file >= 0 && fstat(file, &status) == 0 && status.st_size >= END_BYTES &&
                  pread(file, bytes, sizeof bytes, status.st_size - END_BYTES) == sizeof bytes &&
                  part_decode(bytes, &end) && end.kind == PART_END &&
                  end.checksum == checksum_of(bytes + PART_BYTES, END_PAYLOAD);
  if (complete) {
    trailer_decode(bytes + PART_BYTES, &trailer);
    complete = trailer.bytes == (uint64_t)status.st_size;
  }
  if (file >= 0)
    close(file);
  return complete;
}

/* Uses a second link, so that the file keeps its name all the time. A kill may leave the link; its name is always
   the same, and is removed the next time. */
static bool keep_previous(const struct checkpoint_generations *files) {
  const char *path = files->new.path;
  char link_name[PATH_MAX];
  if (!is_complete(path))
    return true;
  if ((size_t)snprintf(link_name, sizeof link_name, "%s~", files->previous) >= sizeof link_name) {
    errno = ENAMETOOLONG;
    return false;
  }
  unlink(link_name);
  if (link(path, link_name) != 0) /* some file systems have no links */
    return (errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK) && rename(path, files->previous) == 0;
  bool renamed = rename(link_name, files->previous) == 0;
  int error = errno;
  unlink(link_name); /* rename does nothing if both are the same file already */
  errno = error;
  return renamed;
}

static bool synchronise_folder(const char *path) {
  char folder[PATH_MAX];
  strcpy(folder, path);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  int file = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return errno == EACCES; /* a folder that is writable and not readable */
  bool done = fsync(file) == 0 || errno == EINVAL;
  close(file);
  return done;
}

bool generations_commit(struct checkpoint_generations *files, bool *in_place) {
  *in_place = false;
  if (fsync(files->new.file) != 0 || !keep_previous(files) || !atomic_file_commit(&files->new))
    return false;
  *in_place = true;
  return synchronise_folder(files->new.path);
}

void generations_abandon(struct checkpoint_generations *files) { atomic_file_abort(&files->new); }
