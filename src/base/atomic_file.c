#define _GNU_SOURCE
#include "base/atomic_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Temporary names to try until one is free */
#define TRIES 100

/* Characters that a temporary name adds to the path, with the NUL */
#define SUFFIX sizeof ".XXXXXX"

/* Names of this many bytes are not extended, because file systems limit names. */
#define LONG_NAME 100

/* Length of the path without the part that the suffix of a temporary name may replace. */
static int stem_length(const char *path) {
  size_t length = strlen(path);
  const char *slash = strrchr(path, '/');
  size_t name = length - (slash ? (size_t)(slash + 1 - path) : 0);
  return (int)(name > LONG_NAME ? length - (SUFFIX - 1) : length);
}

static void folder_of(const char *path, char folder[PATH_MAX]) {
  strcpy(folder, path);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  else
    strcpy(folder, ".");
}

static void descriptor_path(const struct atomic_file *new, char path[32]) {
  assert(new->file >= 0);
  snprintf(path, 32, "/proc/self/fd/%d", new->file);
}

/* Linux; /proc gives the file its name later. */
static bool open_nameless(struct atomic_file *new, mode_t mode) {
#ifdef O_TMPFILE
  char folder[PATH_MAX], descriptor[32];
  struct stat status;
  folder_of(new->path, folder);
  new->file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (new->file < 0)
    return false;
  descriptor_path(new, descriptor);
  if (stat(descriptor, &status) == 0)
    return true;
  close(new->file);
  new->file = -1;
#else
  (void)new, (void)mode;
#endif
  return false;
}

static void set_temporary_name(struct atomic_file *new, unsigned i) {
  unsigned number = ((unsigned)getpid() * TRIES + i) % 1000000;
  snprintf(new->name, sizeof new->name, "%.*s.%06u", stem_length(new->path), new->path, number);
}

/* Not mkstemp, whose files are private: finding out the umask requires changing it, and files that other threads create
   meanwhile would be writable by all. */
static bool open_named(struct atomic_file *new, mode_t mode) {
  for (unsigned i = 0; i < TRIES; i++) {
    set_temporary_name(new, i);
    new->file = open(new->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (new->file >= 0)
      return true;
    if (errno != EEXIST)
      break;
  }
  *new->name = '\0';
  return false;
}

/* In a folder with the sticky bit a file belongs to its creator. */
static bool may_replace(const char *path, const char *folder) {
  struct stat file, around;
  if (geteuid() == 0 || lstat(path, &file) != 0 || stat(folder, &around) != 0 || !(around.st_mode & S_ISVTX) ||
      file.st_uid == geteuid() || around.st_uid == geteuid())
    return true;
  errno = EPERM;
  return false;
}

static bool may_take_name(const struct atomic_file *new) {
  struct stat status;
  char folder[PATH_MAX];
  if (stat(new->path, &status) != 0)
    return errno == ENOENT;
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return false;
  }
  folder_of(new->path, folder);
  return faccessat(AT_FDCWD, new->path, W_OK, AT_EACCESS) == 0 && may_replace(new->path, folder);
}

bool atomic_file_open(struct atomic_file *new, const char *path, mode_t mode) {
  new->file = -1;
  *new->name = '\0';
  if (!*path || strlen(path) + SUFFIX > sizeof new->path) {
    errno = *path ? ENAMETOOLONG : ENOENT;
    return false;
  }
  strcpy(new->path, path);
  return may_take_name(new) && (open_nameless(new, mode) || open_named(new, mode));
}

/* A link cannot replace a file: a temporary name is used then. */
static bool link_name(struct atomic_file *new) {
  char descriptor[32];
  descriptor_path(new, descriptor);
  for (unsigned i = 0; i < TRIES; i++) {
    set_temporary_name(new, i);
    if (linkat(AT_FDCWD, descriptor, AT_FDCWD, new->name, AT_SYMLINK_FOLLOW) == 0)
      return true;
    if (errno != EEXIST)
      break;
  }
  *new->name = '\0';
  return false;
}

bool atomic_file_commit(struct atomic_file *new) {
  if (!*new->name && !link_name(new)) {
    atomic_file_abort(new);
    return false;
  }
  int closed = close(new->file);
  new->file = -1;
  if (closed != 0 || rename(new->name, new->path) != 0) {
    atomic_file_abort(new);
    return false;
  }
  *new->name = '\0';
  return true;
}

void atomic_file_abort(struct atomic_file *new) {
  int error = errno;
  if (new->file >= 0)
    close(new->file);
  if (*new->name)
    unlink(new->name);
  new->file = -1;
  *new->name = '\0';
  errno = error;
}
