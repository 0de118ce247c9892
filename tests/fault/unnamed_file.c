/* Tests whether an unnamed file can be created in the current folder and get a name. Exit code 0: yes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
#ifdef O_TMPFILE
  char path[32];
  int file = open(".", O_TMPFILE | O_WRONLY, 0600);
  if (file < 0)
    return 1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return access(path, F_OK) == 0 ? 0 : 1;
#else
  return 1;
#endif
}
