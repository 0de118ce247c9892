#define _GNU_SOURCE
#include "base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *tempfile_folder(void) {
  const char *name = getenv("TMPDIR");
  return name && *name ? name : "/tmp";
}

/* For file systems without unnamed files. */
static int open_and_unlink(void) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/floe-XXXXXX", tempfile_folder()) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int file = mkostemp(path, O_CLOEXEC);
  if (file >= 0)
    unlink(path);
  return file;
}

int tempfile_open(void) {
#ifdef O_TMPFILE
  int file = open(tempfile_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return file;
#endif
  return open_and_unlink();
}
