#include "base/whole_io.h"

#include <errno.h>
#include <unistd.h>

/* Counts what a call transferred. False: it failed, with errno; `none` if it transferred nothing. */
static bool count_moved(ssize_t moved, size_t *done, int none) {
  if (moved == 0)
    errno = none;
  *done += moved > 0 ? (size_t)moved : 0;
  return moved > 0 || (moved < 0 && errno == EINTR);
}

bool read_whole(int file, void *bytes, size_t n) {
  for (size_t done = 0; done < n;)
    if (!count_moved(read(file, (char *)bytes + done, n - done), &done, 0))
      return false;
  return true;
}

bool read_whole_at(int file, void *bytes, size_t n, uint64_t at) {
  for (size_t done = 0; done < n;)
    if (!count_moved(pread(file, (char *)bytes + done, n - done, (off_t)(at + done)), &done, 0))
      return false;
  return true;
}

bool write_whole(int file, const void *bytes, size_t n) {
  for (size_t done = 0; done < n;)
    if (!count_moved(write(file, (const char *)bytes + done, n - done), &done, ENOSPC))
      return false;
  return true;
}

bool write_whole_at(int file, const void *bytes, size_t n, uint64_t at) {
  for (size_t done = 0; done < n;)
    if (!count_moved(pwrite(file, (const char *)bytes + done, n - done, (off_t)(at + done)), &done, ENOSPC))
      return false;
  return true;
}
