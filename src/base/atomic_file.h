/* A file that is written without a name, or under a temporary one where the file system cannot do
   without, and takes its name when all is written: under that name is the old file or the whole new
   one, and a process that is killed leaves nothing, unless that is in the microseconds in which the file takes the
   place of another one. */
#ifndef FLOE_NEWFILE_H
#define FLOE_NEWFILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct newfile {
  int file; /* for writing; -1: closed */
  char path[PATH_MAX];
  char name[PATH_MAX]; /* its temporary name; "": none */
};

#define NEWFILE_MODE 0666 /* of results: as readable as any other new file */

/* All return false with errno. The file has this mode, less the umask. Fails also for what would
   only be noticed when it takes its name: one that is too long, a folder of that name, a file there
   that may not be written to or replaced. */
bool newfile_open(struct newfile *new, const char *path, mode_t mode);
/* Closes the file and gives it its name, in the place of a file that is there already. On failure
   there is nothing left of the new one. */
bool newfile_take_name(struct newfile *new);
/* Closes and removes it; does nothing after either of both. errno stays. */
void newfile_drop(struct newfile *new);

#endif
