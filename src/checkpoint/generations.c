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

/* An empty file is nobody's work: mktemp makes such. */
static bool may_replace(const char *path) {
  uint8_t bytes[PRELUDE_BYTES];
  bool unsupported;
  struct stat status;
  if (stat(path, &status) != 0)
    return true; /* newfile_open tells what is wrong */
  if (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && status.st_size == 0))
    return true;
  int file = S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (S_ISREG(status.st_mode) && file < 0)
    return false;
  bool is_one = file >= 0 && pread(file, bytes, sizeof bytes, 0) == sizeof bytes &&
                (!prelude_flaw(bytes, &unsupported) || unsupported);
  if (file >= 0)
    close(file);
  if (!is_one)
    errno = EEXIST;
  return is_one;
}

bool generations_open(struct checkpoint_generations *place, const char *path) {
  place->new.file = -1;
  *place->new.name = '\0';
  if (!generations_previous(path, place->previous)) {
    errno = ENAMETOOLONG;
    return false;
  }
  return may_replace(path) && newfile_open(&place->new, path, NEWFILE_MODE);
}

/* A file that was damaged must not take the place of the one before it, which may be sound. */
static bool is_whole(const char *path) {
  uint8_t bytes[END_BYTES];
  struct part end;
  struct ending ending;
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool whole = file >= 0 && fstat(file, &status) == 0 && status.st_size >= END_BYTES &&
               pread(file, bytes, sizeof bytes, status.st_size - END_BYTES) == sizeof bytes &&
               part_decode(bytes, &end) && end.kind == PART_END &&
               end.checksum == checksum_of(bytes + PART_BYTES, END_PAYLOAD);
  if (whole) {
    ending_decode(bytes + PART_BYTES, &ending);
    whole = ending.bytes == (uint64_t)status.st_size;
  }
  if (file >= 0)
    close(file);
  return whole;
}

/* By another link, so that the file keeps its own name all the time. A kill may leave the link behind: its name is
   always the same, and free again the next time. */
static bool keep_previous(const struct checkpoint_generations *place) {
  const char *path = place->new.path;
  char link_name[PATH_MAX];
  if (!is_whole(path))
    return true;
  if ((size_t)snprintf(link_name, sizeof link_name, "%s~", place->previous) >= sizeof link_name) {
    errno = ENAMETOOLONG;
    return false;
  }
  unlink(link_name);
  if (link(path, link_name) != 0) /* some file systems have no links */
    return (errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK) && rename(path, place->previous) == 0;
  bool renamed = rename(link_name, place->previous) == 0;
  int error = errno;
  unlink(link_name); /* rename does nothing where both are the same file already */
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
    return errno == EACCES; /* one that may be written to and not read */
  bool done = fsync(file) == 0 || errno == EINVAL;
  close(file);
  return done;
}

bool generations_commit(struct checkpoint_generations *place, bool *stands) {
  *stands = false;
  if (fsync(place->new.file) != 0 || !keep_previous(place) || !newfile_take_name(&place->new))
    return false;
  *stands = true;
  return synchronise_folder(place->new.path);
}

void generations_abandon(struct checkpoint_generations *place) { newfile_drop(&place->new); }
