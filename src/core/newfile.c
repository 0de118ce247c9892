#define _GNU_SOURCE
#include "core/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Temporary names that are tried until one is free */
#define TRIES 100

/* What a temporary name adds to the path, with its NUL */
#define SUFFIX sizeof ".XXXXXX"

static void descriptor_path(const struct newfile *new, char path[32]) {
  snprintf(path, 32, "/proc/self/fd/%d", new->file);
}

/* Linux; and the name that it gets later goes by /proc. */
static bool open_nameless(struct newfile *new) {
#ifdef O_TMPFILE
  char folder[PATH_MAX], descriptor[32];
  struct stat status;
  strcpy(folder, new->path);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  new->file = open(slash ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (new->file < 0)
    return false;
  descriptor_path(new, descriptor);
  if (stat(descriptor, &status) == 0)
    return true;
  close(new->file);
  new->file = -1;
#else
  (void)new;
#endif
  return false;
}

/* mkstemp gives a file to its owner alone. */
static bool open_named(struct newfile *new) {
  snprintf(new->name, sizeof new->name, "%.*s.XXXXXX", (int)(sizeof new->name - SUFFIX), new->path);
  new->file = mkostemp(new->name, O_CLOEXEC);
  if (new->file < 0) {
    *new->name = '\0';
    return false;
  }
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(new->file, 0666 & ~mask) != 0)
    errno = 0; /* the content is what matters */
  return true;
}

bool newfile_open(struct newfile *new, const char *path) {
  new->file = -1;
  *new->name = '\0';
  if (!*path || strlen(path) + SUFFIX > sizeof new->path) {
    errno = *path ? ENAMETOOLONG : ENOENT;
    return false;
  }
  strcpy(new->path, path);
  return open_nameless(new) || open_named(new);
}

/* A name can only be given where there is none yet: a temporary one, then. */
static bool link_name(struct newfile *new) {
  char descriptor[32];
  descriptor_path(new, descriptor);
  for (unsigned i = 0; i < TRIES; i++) {
    unsigned number = ((unsigned)getpid() * TRIES + i) % 1000000;
    snprintf(new->name, sizeof new->name, "%.*s.%06u", (int)(sizeof new->name - SUFFIX), new->path,
             number);
    if (linkat(AT_FDCWD, descriptor, AT_FDCWD, new->name, AT_SYMLINK_FOLLOW) == 0)
      return true;
    if (errno != EEXIST)
      break;
  }
  *new->name = '\0';
  return false;
}

bool newfile_take_name(struct newfile *new) {
  if (!*new->name && !link_name(new)) {
    newfile_drop(new);
    return false;
  }
  int closed = close(new->file);
  new->file = -1;
  if (closed != 0 || rename(new->name, new->path) != 0) {
    newfile_drop(new);
    return false;
  }
  *new->name = '\0';
  return true;
}

void newfile_drop(struct newfile *new) {
  int error = errno;
  if (new->file >= 0)
    close(new->file);
  if (*new->name)
    unlink(new->name);
  new->file = -1;
  *new->name = '\0';
  errno = error;
}
