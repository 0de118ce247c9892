/* Atomic file replacement: the file is written without a name, or under a temporary one if the file system requires
   it, and gets its name when it is complete. Under that name is the old file or the complete new one. A killed
   process leaves nothing, except in the microseconds in which the file replaces another one. */
#ifndef FLOE_BASE_ATOMIC_FILE_H
#define FLOE_BASE_ATOMIC_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct atomic_file {
  int file; /* descriptor for writing; -1: closed */
  char path[PATH_MAX];
  char name[PATH_MAX]; /* its temporary name; "": none */
};

#define ATOMIC_FILE_MODE 0666 /* for results: as readable as any other new file */

/* All return false with errno. The file has this mode, less the umask. Fails early for errors that would otherwise
   occur at the end: a name that is too long, a folder of that name, a file there that must not be written or
   replaced. */
bool atomic_file_open(struct atomic_file *new, const char *path, mode_t mode);
/* Closes the file and gives it its name, replacing an existing file. On failure the new file is removed. */
bool atomic_file_commit(struct atomic_file *new);
/* Closes and removes the file; does nothing after either of both. Keeps errno. */
void atomic_file_abort(struct atomic_file *new);

#endif
